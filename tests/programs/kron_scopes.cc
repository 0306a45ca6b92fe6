// SPDX-License-Identifier: Apache-2.0
// Regions that end with their scopes in C++, whatever way these are left.
#include <cstdio>
#include <kron/kron.h>
#include <stdexcept>

static void throws(int depth)
{
	KRON_SCOPE("throws");
	if (depth == 0)
		throw std::runtime_error("out");
	throws(depth - 1);
}

static int returns(int value)
{
	KRON_SCOPE("returns");
	KRON_SCOPE("twice");
	if (value)
		return value;
	KRON_SCOPE("not reached");
	return 0;
}

int main()
{
	try {
		throws(4);
	} catch (const std::exception &) {
		kron_trace(1, 1);
	}
	for (int i = 0; i < 3; i++) {
		KRON_SCOPE("loop");
		if (i == 1)
			continue;
	}
	std::printf("triggered %d\n", 10 + 1 + 6 + 4 * returns(1));
	return 0;
}
