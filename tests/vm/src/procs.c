/* SPDX-License-Identifier: BSD-2-Clause */
#include "procs.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* Ends a process that hangs. The test's own time limit may be shorter. */
#define LIMIT_SECONDS 300

struct meeting {
	pthread_barrier_t barrier;
};

void *share(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	REQUIRE(at != MAP_FAILED, "%zu bytes", size);
	return at;
}

struct meeting *meeting_new(unsigned int parties)
{
	struct meeting *meeting = share(sizeof(*meeting));
	pthread_barrierattr_t attr;

	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	REQUIRE(!pthread_barrier_init(&meeting->barrier, &attr, parties), "%u parties", parties);
	return meeting;
}

void meet(struct meeting *meeting)
{
	pthread_barrier_wait(&meeting->barrier);
}

/* A process that waits for a failed one would wait forever, so it exits as well. */
static void on_child(int signum, siginfo_t *info, void *context)
{
	(void)signum;
	(void)context;
	if (info->si_code == CLD_EXITED && info->si_status)
		_exit(EXIT_FAILURE);
}

pid_t spawn(void (*body)(void *arg), void *arg)
{
	struct sigaction action = {
		.sa_sigaction = on_child,
		.sa_flags = SA_SIGINFO | SA_RESTART | SA_NOCLDSTOP,
	};
	pid_t pid;

	REQUIRE(!sigaction(SIGCHLD, &action, NULL), "SIGCHLD");
	pid = fork();
	REQUIRE(pid >= 0, "fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	limit_time(LIMIT_SECONDS);
	body(arg);
	exit(EXIT_SUCCESS);
}

void reap(pid_t pid)
{
	int status;

	REQUIRE(waitpid(pid, &status, 0) == pid, "process %d", pid);
	REQUIRE(WIFEXITED(status) && !WEXITSTATUS(status), "process %d ended with status %#x", pid,
		status);
}

void slay(pid_t pid)
{
	int status;

	REQUIRE(!kill(pid, SIGKILL), "process %d", pid);
	REQUIRE(waitpid(pid, &status, 0) == pid, "process %d", pid);
	REQUIRE(WIFSIGNALED(status), "process %d had ended before, status %#x", pid, status);
}
