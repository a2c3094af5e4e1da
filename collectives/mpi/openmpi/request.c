// SPDX-License-Identifier: BSD-2-Clause
/* Blocking operations, and requests of the others, which Open MPI's progress drives. */
#include "mpi/openmpi/request.h"

#include <pthread.h>

#include "ompi/runtime/mpiruntime.h"
#include "opal/runtime/opal_progress.h"
#include "opal/util/output.h"

#include "mpi/types.h"

/* ---- Errors ---- */
static int class_of(enum tallycoll_status status)
{
	switch (status) {
	case TALLYCOLL_ERR_PARAM:
	case TALLYCOLL_ERR_MISMATCH:
		return MPI_ERR_ARG;
	case TALLYCOLL_ERR_MEMORY:
		return MPI_ERR_NO_MEM;
#ifdef MPI_ERR_PROC_FAILED
	case TALLYCOLL_ERR_RANK_GONE:
		return MPI_ERR_PROC_FAILED;
#endif
	default:
		return MPI_ERR_OTHER;
	}
}

int tally_error(struct tally_module *m, enum tallycoll_status status)
{
	const char *sentence = m->team ? tallycoll_team_error(m->team) : "";

	if (!m->failed) {
		m->failed = true;
		opal_output(0, "coll:tally: %s: %s", m->comm ? m->comm->c_name : "a communicator",
			    *sentence ? sentence : tallycoll_status_str(status));
	}
	return class_of(status);
}

/* ---- Beginning ---- */
/*
 * The layer beneath calls MPI's functions, which MPI forbids while it starts and ends. What Open MPI
 * performs by itself then is at all ranks in these functions, so this is the same everywhere.
 */
static bool mpi_is_up(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	return ompi_mpi_state == OMPI_MPI_STATE_INIT_COMPLETED &&
	       !pthread_once(&once, tcm_types_init);
}

/*
 * The first blocking collective makes the team. Collectives of a communicator have the same order at
 * all ranks, so those without a team are the previous module's everywhere.
 */
static enum tallycoll_status prepare(struct tally_module *m, const struct tcm_args *args,
				     uint32_t flags, struct tcm_call *call)
{
	if (!mpi_is_up() || (!m->team && !(flags & TALLYCOLL_F_BLOCKING)))
		return TALLYCOLL_NOT_OFFLOADED;
	if (!m->team) {
		enum tallycoll_status status = tally_make_team(m);

		if (status)
			return status;
	}
	return tcm_call_init(call, m->team, ompi_comm_rank(m->comm), ompi_comm_size(m->comm), args,
			     flags);
}

int tally_perform(struct tally_module *m, const struct tcm_args *args)
{
	struct tcm_call call;
	enum tallycoll_status status = prepare(m, args, TALLYCOLL_F_BLOCKING, &call);

	if (status == TALLYCOLL_NOT_OFFLOADED)
		return TALLY_PREVIOUS;
	if (!status)
		status = tcm_call_post(&call);
	if (!status) {
		while ((status = tallycoll_collective_test(call.request)) == TALLYCOLL_INPROGRESS)
			opal_progress();
		status = tcm_call_end(&call, status);
	}
	return status ? tally_error(m, status) : MPI_SUCCESS;
}

/* ---- Requests ---- */
static ompi_request_t *base_of(tally_request_t *r)
{
	return &r->super.super;
}

static enum tallycoll_status start(tally_request_t *r)
{
	struct tally_component *c = &mca_coll_tally_component;
	enum tallycoll_status status = tcm_call_start(&r->call);

	if (status)
		return status;
	base_of(r)->req_status.MPI_ERROR = MPI_SUCCESS;
	base_of(r)->req_complete = REQUEST_PENDING;
	base_of(r)->req_state = OMPI_REQUEST_ACTIVE;
	OPAL_THREAD_LOCK(&c->lock);
	opal_list_append(&c->active, &base_of(r)->super.super);
	OPAL_THREAD_UNLOCK(&c->lock);
	return TALLYCOLL_OK;
}

static void release(tally_request_t *r)
{
	OMPI_REQUEST_FINI(base_of(r));
	OBJ_RELEASE(r->module);
	opal_free_list_return(&mca_coll_tally_component.requests, &base_of(r)->super);
}

int tally_begin(struct tally_module *m, const struct tcm_args *args, bool persistent,
		ompi_request_t **request)
{
	struct tcm_call call;
	enum tallycoll_status status = prepare(m, args, 0, &call);
	tally_request_t *r;

	if (status == TALLYCOLL_NOT_OFFLOADED)
		return TALLY_PREVIOUS;
	if (status)
		return tally_error(m, status);
	r = (tally_request_t *)opal_free_list_wait(&mca_coll_tally_component.requests);
	OMPI_REQUEST_INIT(base_of(r), persistent);
	base_of(r)->req_type = OMPI_REQUEST_COLL;
	base_of(r)->req_status = ompi_status_empty;
	base_of(r)->req_mpi_object.comm = m->comm;
	r->call = call;
	r->module = m;
	OBJ_RETAIN(m);
	if (!persistent)
		status = start(r);
	if (status) {
		tcm_call_free(&r->call);
		release(r);
		return tally_error(m, status);
	}
	*request = base_of(r);
	return MPI_SUCCESS;
}

static int start_all(size_t count, ompi_request_t **requests)
{
	for (size_t i = 0; i < count; i++) {
		tally_request_t *r = (tally_request_t *)requests[i];
		enum tallycoll_status status = start(r);

		if (status)
			return tally_error(r->module, status);
	}
	return MPI_SUCCESS;
}

/* A request in progress cannot be freed, as with Open MPI's own collectives. */
static int free_request(ompi_request_t **request)
{
	tally_request_t *r = (tally_request_t *)*request;

	if (!REQUEST_COMPLETE(*request))
		return MPI_ERR_REQUEST;
	if ((*request)->req_persistent)
		tcm_call_free(&r->call);
	release(r);
	*request = MPI_REQUEST_NULL;
	return MPI_SUCCESS;
}

static int cancel(ompi_request_t *request, int complete)
{
	(void)request, (void)complete;
	return MPI_ERR_REQUEST;
}

/* ---- Progress ---- */
static void finish(tally_request_t *r, enum tallycoll_status status)
{
	if (base_of(r)->req_persistent)
		status = tcm_call_finish(&r->call, status);
	else
		status = tcm_call_end(&r->call, status);
	if (!status)
		return;
	base_of(r)->req_status.MPI_ERROR = tally_error(r->module, status);
	/* MPI_Wait() finds the communicator's error handler for requests of this type only. */
	if (r->module->comm)
		base_of(r)->req_type = OMPI_REQUEST_PML;
}

static void collect(opal_list_t *active, opal_list_t *ended)
{
	opal_list_item_t *item, *next;

	OPAL_LIST_FOREACH_SAFE(item, next, active, opal_list_item_t) {
		tally_request_t *r = (tally_request_t *)item;
		enum tallycoll_status status = tallycoll_collective_test(r->call.request);

		if (status == TALLYCOLL_INPROGRESS)
			continue;
		finish(r, status);
		opal_list_remove_item(active, item);
		opal_list_append(ended, item);
	}
}

/* Completing may call functions that begin further operations, so it is done without the lock. */
int tally_progress(void)
{
	struct tally_component *c = &mca_coll_tally_component;
	opal_list_item_t *item;
	opal_list_t ended;
	int count = 0;

	if (opal_list_is_empty(&c->active) || OPAL_THREAD_TRYLOCK(&c->lock))
		return 0;
	OBJ_CONSTRUCT(&ended, opal_list_t);
	collect(&c->active, &ended);
	OPAL_THREAD_UNLOCK(&c->lock);
	while ((item = opal_list_remove_first(&ended))) {
		ompi_request_complete((ompi_request_t *)item, true);
		count++;
	}
	OBJ_DESTRUCT(&ended);
	return count;
}

static void construct(tally_request_t *r)
{
	base_of(r)->req_start = start_all;
	base_of(r)->req_free = free_request;
	base_of(r)->req_cancel = cancel;
}

OBJ_CLASS_INSTANCE(tally_request_t, ompi_coll_base_nbc_request_t, construct, NULL);
