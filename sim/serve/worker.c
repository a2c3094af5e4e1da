// SPDX-License-Identifier: BSD-2-Clause
#include "serve/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "core/log.h"
#include "serve/cluster.h"
#include "serve/ctl.h"
#include "serve/faults.h"
#include "serve/pace.h"

#define NS_PER_S	1000000000
/* Interval at which a worker that never sleeps serves tallyctl. */
/* A worker that never sleeps looks so often whether tallyctl wants something. */
#define CTL_PERIOD	(10 * VT_MS)

struct worker {
	const struct worker_cfg *cfg;
	struct cluster cluster;
	struct ctl *ctl;
	vtime_t ctl_served;	/* wall clock */
	uint64_t start_ns;	/* wall clock when virtual time was 0 */
	int epfd, timer_fd;
	bool timer_armed;
	unsigned int changes;			/* control->changes when last handled */
};

static uint64_t monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

static vtime_t wall_clock(const struct worker *w)
{
	return (monotonic_ns() - w->start_ns) * VT_NS;
}

static bool look_at_doorbells(void *arg)
{
	struct worker *w = arg;

	return cluster_doorbells(&w->cluster);
}

/*
 * The NIC of a VM that is gone must stop working and accessing memory, because another VM may get
 * the same memory. Returns 0, or -1 after printing the error.
 */
static int serve_control(struct worker *w)
{
	struct control *control = w->cfg->control;
	unsigned int changes = atomic_load(&control->changes);

	if (changes == w->changes)
		return 0;
	w->changes = changes;
	for (unsigned int i = 0; i < w->cluster.num_stations; i++) {
		unsigned int detached = atomic_load(&control->detached[i]);

		if (detached == atomic_load(&control->served[i]))
			continue;
		if (cluster_power_cycle(&w->cluster, i))
			return -1;
		atomic_store(&control->served[i], detached);
	}
	return 0;
}

static void serve_ctl(struct worker *w)
{
	ctl_serve(w->ctl);
	w->ctl_served = wall_clock(w);
}

/* Descriptors are edge-triggered and never read; they only wake the worker. */
static int wake_on(struct worker *w, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };

	return epoll_ctl(w->epfd, EPOLL_CTL_ADD, fd, &ev);
}

static void arm_timer(struct worker *w)
{
	vtime_t at = pace_wakeup(w->cluster.sim);
	struct itimerspec when = { 0 };
	uint64_t ns;

	if (at != VT_NEVER) {
		ns = w->start_ns + at / VT_NS + 1;
		when.it_value.tv_sec = ns / NS_PER_S;
		when.it_value.tv_nsec = ns % NS_PER_S;
	}
	if (at != VT_NEVER || w->timer_armed)
		timerfd_settime(w->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
	w->timer_armed = at != VT_NEVER;
}

/*
 * Sleeps until there may be something to do. The second poll of the doorbells covers guests that
 * did not yet see that the worker sleeps and that they must ring.
 */
static void sleep_a_while(struct worker *w)
{
	struct epoll_event ev;

	cluster_sleep(&w->cluster, true);
	if (!cluster_doorbells(&w->cluster)) {
		cluster_flush_captures(&w->cluster);
		arm_timer(w);
		epoll_wait(w->epfd, &ev, 1, -1);
	}
	cluster_sleep(&w->cluster, false);
	serve_ctl(w);
}

static int open_ctl(struct worker *w)
{
	struct epoll_event ev = { .events = EPOLLIN };

	w->ctl = ctl_new(w->cfg->control_fd, &w->cluster);
	if (w->ctl && !epoll_ctl(w->epfd, EPOLL_CTL_ADD, ctl_fd(w->ctl), &ev))
		return 0;
	sim_warn("worker: serving tallyctl: %s", strerror(errno));
	return -1;
}

static int open_worker(struct worker *w)
{
	int err;

	w->epfd = epoll_create1(EPOLL_CLOEXEC);
	w->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	err = w->epfd < 0 || w->timer_fd < 0 || wake_on(w, w->timer_fd) ||
	      wake_on(w, w->cfg->kick_fd);
	for (unsigned int i = 0; i < w->cfg->opt->vms * w->cfg->opt->nics && !err; i++)
		err = wake_on(w, w->cfg->nics[i].doorbell_fd);
	if (err)
		sim_warn("worker: waiting for doorbells: %s", strerror(errno));
	return err ? -1 : open_ctl(w);
}

static int simulate(struct worker *w)
{
	struct control *control = w->cfg->control;

	while (!atomic_load(&control->stop)) {
		vtime_t wall = wall_clock(w);

		if (serve_control(w) || w->cluster.broken)
			return EXIT_FAILURE;
		bool asleep = !pace_step(w->cluster.sim, wall, look_at_doorbells, w);

		faults_keep(&w->cluster);
		if (asleep)
			sleep_a_while(w);
		else if (wall - w->ctl_served >= CTL_PERIOD)
			serve_ctl(w);
	}
	return EXIT_SUCCESS;
}

int worker_run(const struct worker_cfg *cfg)
{
	struct worker w = { .cfg = cfg, .epfd = -1, .timer_fd = -1 };
	int status = EXIT_FAILURE;

	if (!cluster_build(&w.cluster, cfg) && !open_worker(&w)) {
		w.start_ns = monotonic_ns();
		eventfd_write(cfg->up_fd, 1);
		status = simulate(&w);
	}
	ctl_free(w.ctl);
	cluster_free(&w.cluster);
	if (w.epfd >= 0)
		close(w.epfd);
	if (w.timer_fd >= 0)
		close(w.timer_fd);
	return status;
}
