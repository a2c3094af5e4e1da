/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <linux/ioctl.h>
#include <linux/types.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "fuzz_uverbs.h"

/* These definitions come from the kernel's kcov document. */
#define KCOV "/sys/kernel/debug/kcov"
#define KCOV_INIT_TRACE _IOR('c', 1, unsigned long)
#define KCOV_ENABLE _IO('c', 100)
#define KCOV_DISABLE _IO('c', 101)
#define KCOV_TRACE_PC 0

#define TRACE_SIZE (64UL << 10) /* words: the count, then the places in order */
#define SET_SIZE (64UL << 10)   /* a power of two, far above the number of places */

static int fd = -1;
static unsigned long *trace;
static unsigned long seen[SET_SIZE];
static size_t num_seen;

bool kcov_open(void)
{
	fd = open(KCOV, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	REQUIRE(!ioctl(fd, KCOV_INIT_TRACE, TRACE_SIZE), KCOV);
	trace = mmap(NULL, TRACE_SIZE * sizeof(*trace), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	REQUIRE(trace != MAP_FAILED, KCOV);
	REQUIRE(!ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC), KCOV);
	return true;
}

void kcov_begin(void)
{
	if (trace)
		__atomic_store_n(&trace[0], 0, __ATOMIC_RELAXED);
}

/* Adds a place to the set. Returns whether it is new. */
static bool note(unsigned long place)
{
	size_t at = place * 0x9e3779b97f4a7c15UL >> 48 & (SET_SIZE - 1);

	while (seen[at] && seen[at] != place)
		at = (at + 1) & (SET_SIZE - 1);
	if (seen[at])
		return false;
	seen[at] = place;
	REQUIRE(++num_seen < SET_SIZE, "the drivers have more places than expected");
	return true;
}

size_t kcov_end(void)
{
	size_t fresh = 0, count;

	if (!trace)
		return 0;
	count = __atomic_load_n(&trace[0], __ATOMIC_RELAXED);
	for (size_t i = 1; i <= count && i < TRACE_SIZE; i++)
		fresh += note(trace[i]);
	return fresh;
}

size_t kcov_total(void)
{
	return num_seen;
}
