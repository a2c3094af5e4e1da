// SPDX-License-Identifier: BSD-2-Clause
/*
 * A library that is loaded before MPICH 4.0, and mends what keeps a run from ending, or makes it slow:
 *
 * - In MPI_Finalize each rank closes its connections and then waits in a barrier of the process manager, where it does
 *   not answer: a rank that is later and needs an answer to close its own connections waits for ever (every tenth run
 *   over TCP; MPICH 4.2 has no such barrier). With this library a rank makes progress while it waits there.
 * - A rank that exits with a status other than 0 before MPI_Finalize ends only the ranks of its own host. With this
 *   library it ends all, as by MPI_Abort.
 * - A rank that waits never gives up its processor, which another rank of the same VM needs to go on (Open MPI has
 *   mpi_yield_when_idle). With this library it does when it has found nothing to do.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *worker; /* of UCX, while MPICH has one */
static pid_t rank;   /* the process that has it */

int ucp_worker_create(void *context, const void *params, void **result)
{
	int (*create)(void *, const void *, void **) = dlsym(RTLD_NEXT, "ucp_worker_create");
	int status = create(context, params, result);

	if (status == 0)
		worker = *result;
	rank = getpid();
	return status;
}

void ucp_worker_destroy(void *old)
{
	void (*destroy)(void *) = dlsym(RTLD_NEXT, "ucp_worker_destroy");

	if (old == worker)
		worker = NULL;
	destroy(old);
}

unsigned int ucp_worker_progress(void *of)
{
	static unsigned int (*progress)(void *);
	unsigned int events;

	if (!progress)
		progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
	events = progress(of);
	if (!events)
		sched_yield();
	return events;
}

/* The descriptor of the process manager in a rank between MPI_Init and MPI_Finalize, otherwise -1. */
static int manager(void)
{
	const char *fd = worker && getpid() == rank ? getenv("PMI_FD") : NULL;

	return fd ? atoi(fd) : -1;
}

ssize_t read(int fd, void *buf, size_t size)
{
	if (fd >= 0 && fd == manager()) {
		struct pollfd answer = { .fd = fd, .events = POLLIN };

		while (poll(&answer, 1, 1) == 0)
			ucp_worker_progress(worker);
	}
	return syscall(SYS_read, fd, buf, size);
}

static void end_all(int status, void *unused)
{
	(void)unused;
	if (status && manager() >= 0)
		dprintf(manager(), "cmd=abort exitcode=%d\n", status);
}

__attribute__((constructor)) static void begin(void)
{
	on_exit(end_all, NULL);
}
