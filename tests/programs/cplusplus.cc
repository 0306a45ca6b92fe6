// SPDX-License-Identifier: Apache-2.0
// What the C++ library makes of pthread. Prints what came out; the same with libkronpthread.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

static std::mutex mutex;
static std::recursive_mutex recursive;
static std::timed_mutex timed;
static std::shared_timed_mutex shared;
static std::condition_variable changed;
static long sum;
static int stage;

// Its destructor runs at the end of the thread, and locks.
struct at_end {
	~at_end()
	{
		std::lock_guard<std::mutex> lock(mutex);
		sum += 1000000;
	}
	int used = 0;
};
static thread_local at_end last;

static void work(int rounds)
{
	last.used++;
	for (int i = 0; i < rounds; i++) {
		std::lock_guard<std::mutex> lock(mutex);
		std::lock_guard<std::recursive_mutex> outer(recursive);
		std::lock_guard<std::recursive_mutex> inner(recursive);
		std::shared_lock<std::shared_timed_mutex> reader(shared);
		sum++;
	}
	std::unique_lock<std::shared_timed_mutex> writer(shared);
}

static void many()
{
	std::vector<std::thread> threads;

	for (int i = 0; i < 8; i++)
		threads.emplace_back(work, 100);
	for (auto &thread : threads)
		thread.join();
	std::printf("sum %ld\n", sum);
}

static void conditions()
{
	std::thread other([] {
		std::unique_lock<std::mutex> lock(mutex);
		changed.wait(lock, [] { return stage == 1; });
		stage = 2;
		changed.notify_all();
	});
	std::unique_lock<std::mutex> lock(mutex);
	std::printf("wait_for %d\n", changed.wait_for(lock, 3ms) == std::cv_status::timeout);
	stage = 1;
	changed.notify_all();
	changed.wait(lock, [] { return stage == 2; });
	lock.unlock();
	other.join();
	std::printf("stage %d\n", stage);
}

static void time_outs()
{
	std::lock_guard<std::timed_mutex> lock(timed);
	std::unique_lock<std::shared_timed_mutex> writer(shared);
	bool got = true, read = true;
	std::thread other([&] {
		got = timed.try_lock_for(3ms);
		read = shared.try_lock_shared_for(3ms);
	});

	other.join();
	std::printf("try_lock_for %d %d\n", got, read);
}

static void exceptions()
{
	auto future = std::async(std::launch::async, [] {
		std::lock_guard<std::mutex> lock(mutex);
		throw std::runtime_error("thrown in a thread");
		return 0;
	});

	try {
		future.get();
	} catch (const std::runtime_error &error) {
		std::printf("caught: %s\n", error.what());
	}
	std::printf("free %d\n", mutex.try_lock());
	mutex.unlock();
}

int main()
{
	many();
	conditions();
	time_outs();
	exceptions();
	return 0;
}
