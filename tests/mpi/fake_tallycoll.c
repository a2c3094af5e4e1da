// SPDX-License-Identifier: BSD-2-Clause
/*
 * A libtallycoll for tests of the layers below MPIs, on a machine without NICs. It performs every
 * operation on bytes by the MPI's own non-blocking collectives, and reduces by the ALU. So whatever a
 * layer hands over (types, operations, places, packed data) shows in the results of the program.
 *
 * FAKE_FAIL=N: operation N of a team, from 1, ends with MISMATCH at all ranks, and so do those after
 * it. FAKE_LATE=N: the result of an operation comes at the Nth test after it is there.
 * FAKE_LAZY=1: an operation ends only at a rank that has given MPICH progress beside it, as it is with a NIC.
 * FAKE_NO_CONTEXT=N: the context cannot be created at rank N - 1. FAKE_REASON=N: no team offloads anything, for this reason.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "alu/alu.h"
#include "tallycoll.h"

struct tallycoll_context {
	struct tallycoll_oob oob;
	unsigned long offloaded, refused, alone;
	struct tallycoll_team *destroyed;
};

struct tallycoll_team {
	struct tallycoll_context *context;
	struct tallycoll_team *next;
	MPI_Comm comm;
	uint32_t rank, size;
	unsigned long operations;
	bool failed;
};

struct tallycoll_request {
	struct tallycoll_team *team;
	struct tallycoll_args args;
	size_t bytes;	/* of `count` elements */
	void *all;	/* contributions of all ranks to a reduction */
	MPI_Request request;
	unsigned int late;
	bool fails, posted;
	enum tallycoll_status status;
};

static unsigned long number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 0) : 0;
}

enum tallycoll_status tallycoll_context_create(const struct tallycoll_context_params *params,
					       struct tallycoll_context **context, char *why,
					       size_t size)
{
	uint32_t *all = calloc(params->oob.size, sizeof(*all));
	struct tallycoll_context *c = calloc(1, sizeof(*c));
	bool good = all && c;

	snprintf(why, size, "A test wants it so.");
	if (params->oob.allgather(params->oob.arg, &params->oob.rank, all, sizeof(*all)))
		good = false;
	for (uint32_t r = 0; good && r < params->oob.size; r++)
		good = all[r] == r;
	free(all);
	if (number("FAKE_NO_CONTEXT") == params->oob.rank + 1)
		good = false;
	if (!good) {
		free(c);
		return TALLYCOLL_ERR_PARAM;
	}
	c->oob = params->oob;
	*context = c;
	return TALLYCOLL_OK;
}

void tallycoll_context_destroy(struct tallycoll_context *c)
{
	while (c->destroyed) {
		struct tallycoll_team *t = c->destroyed;

		c->destroyed = t->next;
		PMPI_Comm_free(&t->comm);
		free(t);
	}
	free(c);
}

void tallycoll_context_summary(const struct tallycoll_context *c, FILE *to)
{
	fprintf(to, "fake: %lu offloaded, %lu refused, %lu alone\n", c->offloaded, c->refused, c->alone);
}

/* A communicator of the same ranks. The allgather must be that of the team's ranks, in order. */
enum tallycoll_status tallycoll_team_create(struct tallycoll_context *context,
					    const struct tallycoll_team_params *params,
					    struct tallycoll_team **team)
{
	const struct tallycoll_oob *oob = &params->oob;
	struct tallycoll_team *t = calloc(1, sizeof(*t));
	int *ranks = calloc(oob->size, sizeof(*ranks));
	uint32_t *all = calloc(oob->size, sizeof(*all));
	MPI_Group world, group;

	t->context = context;
	t->rank = oob->rank;
	t->size = oob->size;
	for (uint32_t r = 0; r < oob->size; r++)
		ranks[r] = params->ranks ? (int)params->ranks[r] : (int)r;
	if (oob->size > 1) {
		if (oob->allgather(oob->arg, &context->oob.rank, all, sizeof(*all)))
			abort();
		for (uint32_t r = 0; r < oob->size; r++)
			if (all[r] != (uint32_t)ranks[r])
				abort();
	}
	PMPI_Comm_group(MPI_COMM_WORLD, &world);
	PMPI_Group_incl(world, oob->size, ranks, &group);
	PMPI_Comm_create_group(MPI_COMM_WORLD, group, 77, &t->comm);
	PMPI_Group_free(&world);
	PMPI_Group_free(&group);
	free(ranks);
	free(all);
	*team = t;
	return TALLYCOLL_OK;
}

/* May be called where MPI forbids calls of MPI. */
void tallycoll_team_destroy(struct tallycoll_team *t)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	t->next = t->context->destroyed;
	t->context->destroyed = t;
	pthread_mutex_unlock(&lock);
}

enum tallycoll_reason tallycoll_team_reason(const struct tallycoll_team *t)
{
	return t->size == 1 ? TALLYCOLL_REASON_ONE_RANK : number("FAKE_REASON");
}

const char *tallycoll_team_error(const struct tallycoll_team *t)
{
	return t->failed ? "The test's sentence." : "";
}

static bool reduces(enum tally_opcode opcode)
{
	return opcode == TALLY_OPCODE_ALLREDUCE || opcode == TALLY_OPCODE_REDUCE ||
	       opcode == TALLY_OPCODE_REDUCE_SCATTER;
}

enum tallycoll_status tallycoll_collective_init(struct tallycoll_team *t,
						const struct tallycoll_args *a,
						struct tallycoll_request **request,
						enum tallycoll_reason *reason)
{
	struct tallycoll_request *r;

	*reason = tallycoll_team_reason(t);
	if (!*reason && a->opcode != TALLY_OPCODE_BARRIER && !a->count)
		*reason = TALLYCOLL_REASON_EMPTY;
	if (!*reason && reduces(a->opcode) && !alu_supported(a->op, a->dtype))
		*reason = a->op ? TALLYCOLL_REASON_UNSUPPORTED_TYPE : TALLYCOLL_REASON_UNSUPPORTED_OP;
	if (t->failed)
		return TALLYCOLL_ERR_MISMATCH;
	if (*reason) {
		t->context->refused++;
		return TALLYCOLL_NOT_OFFLOADED;
	}
	r = calloc(1, sizeof(*r));
	r->team = t;
	r->args = *a;
	r->bytes = a->count * (reduces(a->opcode) ? alu_elem_size(a->op, a->dtype) : 1);
	r->fails = ++t->operations == number("FAKE_FAIL");
	t->context->offloaded++;
	t->context->alone += a->flags & TALLYCOLL_F_ALONE ? 1 : 0;
	*request = r;
	return TALLYCOLL_OK;
}

static void post_reduction(struct tallycoll_request *r)
{
	const struct tallycoll_args *a = &r->args;
	const void *src = a->src == TALLYCOLL_IN_PLACE ? a->dst : a->src;
	size_t bytes = r->bytes;

	if (a->opcode == TALLY_OPCODE_REDUCE_SCATTER)
		bytes *= r->team->size;
	r->all = malloc(bytes * r->team->size);
	PMPI_Iallgather(src, bytes, MPI_BYTE, r->all, bytes, MPI_BYTE, r->team->comm, &r->request);
}

enum tallycoll_status tallycoll_collective_post(struct tallycoll_request *r)
{
	const struct tallycoll_args *a = &r->args;
	const void *src = a->src == TALLYCOLL_IN_PLACE ? MPI_IN_PLACE : a->src;
	void *dst = a->dst == TALLYCOLL_IN_PLACE ? MPI_IN_PLACE : a->dst;
	MPI_Comm comm = r->team->comm;
	int n = r->bytes;

	r->posted = true;
	r->status = TALLYCOLL_INPROGRESS;
	r->late = number("FAKE_LATE");
	switch (a->opcode) {
	case TALLY_OPCODE_BARRIER:
		PMPI_Ibarrier(comm, &r->request);
		break;
	case TALLY_OPCODE_BCAST:
		PMPI_Ibcast(dst, n, MPI_BYTE, a->root, comm, &r->request);
		break;
	case TALLY_OPCODE_ALLGATHER:
		PMPI_Iallgather(src, n, MPI_BYTE, dst, n, MPI_BYTE, comm, &r->request);
		break;
	case TALLY_OPCODE_GATHER:
		PMPI_Igather(src, n, MPI_BYTE, dst, n, MPI_BYTE, a->root, comm, &r->request);
		break;
	case TALLY_OPCODE_SCATTER:
		PMPI_Iscatter(src, n, MPI_BYTE, dst, n, MPI_BYTE, a->root, comm, &r->request);
		break;
	default:
		post_reduction(r);
	}
	return TALLYCOLL_OK;
}

static void reduce(struct tallycoll_request *r)
{
	const struct tallycoll_args *a = &r->args;
	bool scatters = a->opcode == TALLY_OPCODE_REDUCE_SCATTER;
	size_t step = scatters ? r->bytes * r->team->size : r->bytes;
	char *from = (char *)r->all + (scatters ? r->team->rank * r->bytes : 0);

	for (uint32_t i = 1; i < r->team->size; i++)
		alu_reduce(a->op, a->dtype, from, from + i * step, a->count);
	if (a->opcode != TALLY_OPCODE_REDUCE || a->root == r->team->rank)
		memcpy(a->dst, from, r->bytes);
}

static atomic_bool progressed;

/* What the layer calls to give MPICH progress. */
int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	int (*next)(int, int, MPI_Comm, int *, MPI_Status *) = dlsym(RTLD_NEXT, "PMPI_Iprobe");

	atomic_store(&progressed, true);
	return next(source, tag, comm, flag, status);
}

enum tallycoll_status tallycoll_collective_test(struct tallycoll_request *r)
{
	int flag;

	if (r->status != TALLYCOLL_INPROGRESS)
		return r->status;
	if (number("FAKE_LAZY") && !atomic_exchange(&progressed, false))
		return r->status;
	PMPI_Request_get_status(r->request, &flag, MPI_STATUS_IGNORE);
	if (!flag || r->late-- > 0)
		return r->status;
	PMPI_Wait(&r->request, MPI_STATUS_IGNORE);
	if (reduces(r->args.opcode))
		reduce(r);
	free(r->all);
	r->all = NULL;
	r->team->failed |= r->fails;
	r->status = r->team->failed ? TALLYCOLL_ERR_MISMATCH : TALLYCOLL_OK;
	return r->status;
}

/* MPICH makes its operations progress itself; a wrong handle would crash. */
unsigned int tallycoll_progress(struct tallycoll_context *c)
{
	if (c->offloaded == 0)
		abort();
	return 0;
}

enum tallycoll_status tallycoll_collective_wait(struct tallycoll_request *r)
{
	while (tallycoll_collective_test(r) == TALLYCOLL_INPROGRESS)
		;
	return r->status;
}

void tallycoll_collective_finalize(struct tallycoll_request *r)
{
	if (r->posted && r->status == TALLYCOLL_INPROGRESS)
		abort();
	free(r);
}

const char *tallycoll_request_error(const struct tallycoll_request *r)
{
	return tallycoll_team_error(r->team);
}

const char *tallycoll_status_str(enum tallycoll_status status)
{
	return status ? "A failure." : "Success.";
}
