// SPDX-License-Identifier: BSD-2-Clause
#include "serve/supervisor.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attach/watch.h"
#include "core/log.h"
#include "serve/control.h"
#include "serve/vm_resources.h"
#include "serve/worker.h"

/* After DEATHS_MAX deaths of workers within DEATHS_WITHIN_S seconds, no new worker is started. */
#define DEATHS_MAX	5
#define DEATHS_WITHIN_S	10

/* Time that a worker gets to write its captures before it is killed. */
#define STOP_TIMEOUT_MS	5000
#define STOP_TICK_MS	10

/* Slows a listener's loop down when the system is short of resources and accept() fails. */
#define ACCEPT_PAUSE_MS	100

struct supervisor {
	const struct options *opt;
	struct vm_resources resources;
	unsigned int complaints[MAX_VMS * MAX_VM_NICS];	/* by NIC: failures of its peers */
	struct control *control;
	int kick_fd, epfd;
	struct watch signals, up;

	pid_t worker;				/* 0: none */
	bool worker_is_up;
	bool was_ready;				/* RUN_READY is written */
	unsigned int deaths;
	time_t death_s[DEATHS_MAX];		/* times of the last deaths, a ring buffer */
	bool done;
	int status;				/* exit status */
};

static void give_up(struct supervisor *s)
{
	s->done = true;
	s->status = EXIT_FAILURE;
}

/* Prints that @what failed because of @err (negative); returns -1. */
static int failed(const struct supervisor *s, const char *what, int err)
{
	sim_warn("%s: %s: %s", s->opt->dir, what, strerror(-err));
	return -1;
}

static time_t monotonic_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

static void pause_ms(long ms)
{
	const struct timespec ts = { .tv_nsec = ms * 1000 * 1000 };

	nanosleep(&ts, NULL);
}

/* ---- Peers ---- */

/* Limits the log of a peer that keeps failing: prints failure 1, 2, 4, 8 and so on. */
static void complain(struct supervisor *s, unsigned int nic, const char *what)
{
	unsigned int n = ++s->complaints[nic];

	if (!(n & (n - 1)))
		sim_warn("vm%u-nic%u: %s (complaint %u about its peers)", nic / s->opt->nics,
			 nic % s->opt->nics, what, n);
}

static void kick_worker(struct supervisor *s)
{
	eventfd_write(s->kick_fd, 1);
}

static void peer_event(void *ctx, struct ivshmem_server *server, enum ivshmem_peer_event event)
{
	struct supervisor *s = ctx;
	unsigned int nic = server - s->resources.servers;

	switch (event) {
	case IVSHMEM_PEER_ATTACHED:
		break;
	case IVSHMEM_PEER_DETACHED:
		atomic_fetch_add(&s->control->detached[nic], 1);
		atomic_fetch_add(&s->control->changes, 1);
		kick_worker(s);
		break;
	case IVSHMEM_PEER_FAILED:
		complain(s, nic, "peer left during the handshake or broke it");
		break;
	case IVSHMEM_PEER_REFUSED:
		complain(s, nic, "peer refused: the NIC has one already");
		break;
	case IVSHMEM_ACCEPT_FAILED:
		complain(s, nic, strerror(errno));
		pause_ms(ACCEPT_PAUSE_MS);
		break;
	}
}

/* ---- The worker ---- */

static int run_worker(struct supervisor *s, pid_t supervisor)
{
	const struct worker_cfg cfg = {
		.opt = s->opt,
		.control = s->control,
		.kick_fd = s->kick_fd,
		.up_fd = s->up.fd,
		.mem_fd = s->resources.mem_fd,
		.nics = s->resources.nics,
		.control_fd = s->resources.control_fd,
		.generation = s->deaths,
	};

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != supervisor)
		return EXIT_FAILURE;
	vm_resources_forked(&s->resources);
	watch_close(&s->signals);
	close(s->epfd);
	return worker_run(&cfg);
}

/* Forks a worker; signals for the supervisor are blocked. Returns 0; -1: error printed. */
static int start_worker(struct supervisor *s)
{
	pid_t supervisor = getpid(), pid;
	eventfd_t stale;
	int err;

	s->worker_is_up = false;
	eventfd_read(s->up.fd, &stale);
	pid = fork();
	if (pid < 0)
		return failed(s, "worker", -errno);
	if (!pid)
		exit(run_worker(s, supervisor));
	s->worker = pid;
	err = run_dir_write_pid(&s->resources.dir, RUN_WORKER_PID, pid);
	return err ? failed(s, RUN_WORKER_PID, err) : 0;
}

static void worker_up(struct watch *w, uint32_t events)
{
	struct supervisor *s = watch_owner(w, struct supervisor, up);
	eventfd_t count;
	int err;

	(void)events;
	if (eventfd_read(w->fd, &count))
		return;
	s->worker_is_up = true;
	if (s->deaths)
		sim_warn("worker %d is in its place", s->worker);
	/* Any worker may be the first one that is seen here, as earlier ones may have died. */
	if (s->was_ready)
		return;
	s->was_ready = true;
	err = run_dir_write_pid(&s->resources.dir, RUN_READY, getpid());
	if (err) {
		failed(s, RUN_READY, err);
		give_up(s);
	}
}

/* Records a death. Returns whether the last DEATHS_MAX deaths came too close together. */
static bool note_death(struct supervisor *s)
{
	time_t now = monotonic_s(), first;

	s->death_s[s->deaths++ % DEATHS_MAX] = now;
	first = s->death_s[s->deaths % DEATHS_MAX];
	return s->deaths >= DEATHS_MAX && now - first < DEATHS_WITHIN_S;
}

static void worker_died(struct supervisor *s, int status)
{
	if (WIFSIGNALED(status))
		sim_warn("worker %d was killed by signal %d (%s)", s->worker, WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		sim_warn("worker %d ended with status %d", s->worker, WEXITSTATUS(status));
	s->worker = 0;

	if (WIFEXITED(status) && !s->worker_is_up) {
		sim_warn("giving up: the worker cannot start");
		give_up(s);
	} else if (note_death(s)) {
		sim_warn("giving up: %d workers died within %d s", DEATHS_MAX, DEATHS_WITHIN_S);
		give_up(s);
	} else if (start_worker(s)) {
		give_up(s);
	}
}

static void reap_worker(struct supervisor *s)
{
	int status;

	if (s->worker && waitpid(s->worker, &status, WNOHANG) == s->worker)
		worker_died(s, status);
}

/* Asks the worker to end, and kills it if it does not. */
static void stop_worker(struct supervisor *s)
{
	if (!s->worker)
		return;
	atomic_store(&s->control->stop, true);
	kick_worker(s);
	for (int ms = 0; ms < STOP_TIMEOUT_MS; ms += STOP_TICK_MS) {
		if (waitpid(s->worker, NULL, WNOHANG) == s->worker)
			return;
		pause_ms(STOP_TICK_MS);
	}
	sim_warn("worker %d does not end: killed", s->worker);
	kill(s->worker, SIGKILL);
	waitpid(s->worker, NULL, 0);
}

/* ---- Start and end ---- */

static void signal_ready(struct watch *w, uint32_t events)
{
	struct supervisor *s = watch_owner(w, struct supervisor, signals);
	struct signalfd_siginfo info;

	(void)events;
	if (read(w->fd, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGCHLD)
		reap_worker(s);
	else
		s->done = true;
}

static int watch_signals(struct supervisor *s)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	signal(SIGPIPE, SIG_IGN);	/* for stderr without a reader */
	signal(SIGTERM, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);	/* if ignored, there would be no child to wait for */
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->signals.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	s->signals.ready = signal_ready;
	return s->signals.fd < 0 ? -errno : watch_add(s->epfd, &s->signals, EPOLLIN);
}

static int open_control(struct supervisor *s)
{
	void *page = mmap(NULL, sizeof(*s->control), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return failed(s, "control page", -errno);
	s->control = page;
	for (unsigned int i = 0; i < s->opt->num_faults; i++) {
		strcpy(s->control->faults[i].text, s->opt->faults[i]);
		atomic_store(&s->control->faults[i].id, i + 1);
	}
	return 0;
}

static int open_events(struct supervisor *s)
{
	int err;

	s->epfd = epoll_create1(EPOLL_CLOEXEC);
	s->kick_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->up.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->up.ready = worker_up;
	if (s->epfd < 0 || s->kick_fd < 0 || s->up.fd < 0)
		return failed(s, "events", -errno);
	err = watch_add(s->epfd, &s->up, EPOLLIN);
	if (!err)
		err = watch_signals(s);
	return err ? failed(s, "events", err) : 0;
}

/* Ensures that no process remains when, for example, a test that started this one is killed. */
static int die_with_parent(pid_t parent)
{
	if (!prctl(PR_SET_PDEATHSIG, SIGTERM) && getppid() == parent)
		return 0;
	sim_warn("--die-with-parent: the parent is gone already");
	return -1;
}

static void serve(struct supervisor *s)
{
	int err = 0;

	if (start_worker(s))
		give_up(s);
	while (!s->done && !err)
		err = watch_wait(s->epfd, -1);
	if (err) {
		failed(s, "waiting for events", err);
		give_up(s);
	}
	stop_worker(s);
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void close_all(struct supervisor *s)
{
	watch_close(&s->signals);
	watch_close(&s->up);
	close_fd(s->kick_fd);
	close_fd(s->epfd);
	if (s->control)
		munmap(s->control, sizeof(*s->control));
}

int supervise(const struct options *opt)
{
	struct supervisor s = {
		.opt = opt, .kick_fd = -1, .epfd = -1, .signals.fd = -1, .up.fd = -1,
	};
	const struct ivshmem_server_owner owner = { .event = peer_event, .ctx = &s };
	pid_t parent = getppid();

	umask(077);
	if (open_control(&s) || open_events(&s) ||
	    (opt->die_with_parent && die_with_parent(parent)) ||
	    vm_resources_make(&s.resources, opt, s.epfd, &owner)) {
		close_all(&s);
		return EXIT_FAILURE;
	}
	serve(&s);
	if (vm_resources_free(&s.resources))
		s.status = EXIT_FAILURE;
	close_all(&s);
	return s.status;
}
