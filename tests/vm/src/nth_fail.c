/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's own fault injection: fail-nth of a thread. */
#include <fcntl.h>
#include <unistd.h>

#include "check.h"
#include "nth.h"

#define FAIL_NTH "/proc/thread-self/fail-nth"

static int fail_nth_fd(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	REQUIRE(fd >= 0, FAIL_NTH);
	return fd;
}

static void begin(unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	REQUIRE(pwrite(fail_nth_fd(), text, len, 0) == len, FAIL_NTH);
}

/*
 * Reading and writing the file are calls that may fail as well. A failure there did not hit the
 * step, and the access is repeated, which cannot fail again.
 */
static bool end(void)
{
	int fd = fail_nth_fd();
	char text[16] = "";
	bool hit;

	hit = pread(fd, text, sizeof(text) - 1, 0) > 0 && !atoi(text);
	if (pwrite(fd, "0", 1, 0) != 1) {
		hit = false;
		REQUIRE(pwrite(fd, "0", 1, 0) == 1, FAIL_NTH);
	}
	return hit;
}

/*
 * Errors of a call that ran out of memory or could not access the memory of the process. Without
 * memory, pci_alloc_irq_vectors() finds no vectors (ENOSPC), and regions cannot be requested
 * (EBUSY).
 */
static bool is_failure(int err)
{
	return err == ENOMEM || err == EFAULT || err == ENOSPC || err == EBUSY;
}

const struct nth_fault nth_calls = { begin, end, is_failure };
