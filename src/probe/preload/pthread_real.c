/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the real functions. */
#include "probe/preload/pthread_real.h"
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* As long as one is not found yet a call does nothing and succeeds: this can only be the thread that
 * looks them up, inside the dynamic linker, before the program has another. */
static int not_found_yet(void)
{
	return 0;
}

/* This C library has no such function, so the program cannot know it either. */
static int not_there(void)
{
	return ENOSYS;
}

struct real real_table = {
#define REAL_INITIAL(name) .name = (__typeof__(&(name)))(void (*)(void))not_found_yet,
	REAL_FUNCTIONS(REAL_INITIAL)
#undef REAL_INITIAL
};
bool real_found;

static const struct name {
	const char *text;
	size_t offset; /* of its member in struct real */
} names[] = {
#define REAL_NAME(name) { #name, offsetof(struct real, name) },
	REAL_FUNCTIONS(REAL_NAME)
#undef REAL_NAME
};

/* Set while this thread looks them up; initial-exec, because the first use of other thread-local memory
 * may allocate. */
static __thread bool finding __attribute__((tls_model("initial-exec")));

/* On x86-64 the C library keeps an older edition of these, for another layout of the condition; whoever
 * asks without a version may be given that one. */
static const char *version_of(const char *name)
{
#ifdef __x86_64__
	if (strcmp(name, "pthread_cond_wait") == 0 || strcmp(name, "pthread_cond_timedwait") == 0)
		return "GLIBC_2.3.2";
#endif
	(void)name;
	return NULL;
}

static void find(const struct name *name)
{
	const char *version = version_of(name->text);
	void *address = version ? dlvsym(RTLD_NEXT, name->text, version) : NULL;
	int (*missing)(void) = not_there;

	if (!address)
		address = dlsym(RTLD_NEXT, name->text);
	if (!address) {
		dlerror(); /* the program must not find our failure there */
		memcpy(&address, &missing, sizeof(address));
	}
	memcpy((char *)&real_table + name->offset, &address, sizeof(address));
}

/* Two threads at once do the same twice, which is harmless. */
void real_find(void)
{
	int saved_errno = errno;

	if (finding)
		return;
	finding = true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		find(&names[i]);
	/* Pairs with the acquire in real(). */
	__atomic_store_n(&real_found, true, __ATOMIC_RELEASE);
	finding = false;
	errno = saved_errno;
}

__attribute__((constructor(101))) static void find_early(void)
{
	(void)real();
}
