// SPDX-License-Identifier: BSD-2-Clause
/*
 * Blocking operations, and non-blocking ones as generalized requests, which MPICH polls in the
 * program's calls of MPI_Wait() and MPI_Test().
 */
#include "mpi/mpich/perform.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define POLLS_PER_PROGRESS 16	/* of the library, for one of MPICH */
#define POLLS_UNTIL_YIELD 256	/* then the rank leaves its CPU to others */

/* Passes the time until the next poll of a rank that waits; @polls counts from 1. */
static void idle(unsigned int polls)
{
	if (polls % POLLS_PER_PROGRESS == 0)
		tcm_job_progress_mpi();
	if (polls > POLLS_UNTIL_YIELD)
		sched_yield();
}

static enum tallycoll_status wait_for(struct tallycoll_request *request)
{
	enum tallycoll_status status;

	for (unsigned int polls = 1;; polls++) {
		status = tallycoll_collective_test(request);
		if (status != TALLYCOLL_INPROGRESS)
			return status;
		idle(polls);
	}
}

/* Prepares and posts an operation. Returns false if it is MPICH's. */
static bool start(struct tcm_comm *c, struct tcm_call *call, const struct tcm_args *args,
		  uint32_t flags, int *err)
{
	enum tallycoll_status status;

	status = tcm_call_init(call, c->team, c->rank, c->size, args, flags);
	if (status == TALLYCOLL_NOT_OFFLOADED)
		return false;
	if (!status)
		status = tcm_call_post(call);
	*err = MPI_SUCCESS;
	if (status) {
		call->request = NULL;
		*err = tcm_raise_call(c, call, status);
	}
	return true;
}

static int finish(struct tcm_comm *c, struct tcm_call *call, enum tallycoll_status status)
{
	int err = status ? tcm_raise_call(c, call, status) : MPI_SUCCESS;

	if (status)
		tcm_call_end(call, status);
	else if ((status = tcm_call_end(call, status)))
		err = tcm_raise(c, status, NULL);
	return err;
}

bool tcm_perform(MPI_Comm comm, const struct tcm_args *args, int *err)
{
	struct tcm_comm *c = tcm_comm_get(comm, true);
	struct tcm_call call;

	if (!c || !start(c, &call, args, TALLYCOLL_F_BLOCKING, err))
		return false;
	if (call.request)
		*err = finish(c, &call, wait_for(call.request));
	return true;
}

/* ---- Non-blocking operations ---- */
struct pending {
	struct pending *next;
	struct tcm_call call;
	struct tcm_comm *comm;
	MPI_Request request;
	unsigned int polls;
	bool ended;
	int err;
};

static struct {
	pthread_mutex_t lock;
	struct pending *first;
} begun = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void enter(struct pending *p)
{
	pthread_mutex_lock(&begun.lock);
	p->next = begun.first;
	begun.first = p;
	pthread_mutex_unlock(&begun.lock);
}

static void leave(const struct pending *p)
{
	pthread_mutex_lock(&begun.lock);
	for (struct pending **link = &begun.first; *link; link = &(*link)->next)
		if (*link == p) {
			*link = p->next;
			break;
		}
	pthread_mutex_unlock(&begun.lock);
}

/* MPI_Wait() only repeats this function: it gives MPICH no progress, and leaves the CPU to nobody. */
static int poll(void *arg, MPI_Status *mpi_status)
{
	struct pending *p = arg;
	enum tallycoll_status status;

	(void)mpi_status;
	if (p->ended)
		return MPI_SUCCESS;
	status = tallycoll_collective_test(p->call.request);
	if (status == TALLYCOLL_INPROGRESS) {
		idle(++p->polls);
		return MPI_SUCCESS;
	}
	p->ended = true;
	p->err = finish(p->comm, &p->call, status);
	return PMPI_Grequest_complete(p->request);
}

void tcm_poll(MPI_Request request)
{
	struct pending *p;

	pthread_mutex_lock(&begun.lock);
	for (p = begun.first; p && p->request != request; p = p->next)
		;
	pthread_mutex_unlock(&begun.lock);
	if (p)
		poll(p, MPI_STATUS_IGNORE);
}

/* MPI_Waitall() leaves the waiting to this function, and does nothing beside it. */
static int wait_all(int count, void **args, double timeout, MPI_Status *mpi_status)
{
	(void)timeout;
	for (int i = 0; i < count; i++) {
		struct pending *p = args[i];

		while (!p->ended) {
			int err = poll(p, mpi_status);

			if (err)
				return err;
		}
	}
	return MPI_SUCCESS;
}

static int query(void *arg, MPI_Status *status)
{
	const struct pending *p = arg;

	PMPI_Status_set_elements(status, MPI_BYTE, 0);
	PMPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = MPI_UNDEFINED;
	status->MPI_TAG = MPI_UNDEFINED;
	return tcm_withhold(p->err, status);
}

static int release(void *arg)
{
	struct pending *p = arg;

	leave(p);
	tcm_progress_end();
	tcm_comm_put(p->comm);
	free(p);
	return MPI_SUCCESS;
}

static int cancel(void *arg, int complete)
{
	(void)arg, (void)complete;
	return MPI_SUCCESS;
}

bool tcm_begin(MPI_Comm comm, const struct tcm_args *args, MPI_Request *request, int *err)
{
	struct tcm_comm *c = tcm_comm_get(comm, false);
	struct pending *p;

	if (!c)
		return false;
	p = calloc(1, sizeof(*p));
	if (!p) {
		*err = tcm_raise(c, TALLYCOLL_ERR_MEMORY, NULL);
		return true;
	}
	if (!start(c, &p->call, args, tcm_job_progresses() ? 0 : TALLYCOLL_F_ALONE, err)) {
		free(p);
		return false;
	}
	if (!p->call.request) {
		free(p);
		return true;
	}
	p->comm = c;
	atomic_fetch_add(&c->users, 1);
	tcm_progress_begin();
	*err = PMPIX_Grequest_start(query, release, cancel, poll, wait_all, p, &p->request);
	enter(p);
	*request = p->request;
	return true;
}
