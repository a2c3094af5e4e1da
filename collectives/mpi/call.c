// SPDX-License-Identifier: BSD-2-Clause
#include "mpi/call.h"

#include <stdlib.h>

#include "mpi/types.h"

/* What one rank gives or gets: `count` elements for each of `blocks` ranks. */
struct data {
	void *at;	/* NULL is a valid address: MPI_BOTTOM */
	MPI_Count count;
	MPI_Datatype type;
	uint32_t blocks;	/* 0: none */
};

static bool has_root(enum tally_opcode opcode)
{
	return opcode == TALLY_OPCODE_REDUCE || opcode == TALLY_OPCODE_BCAST ||
	       opcode == TALLY_OPCODE_GATHER || opcode == TALLY_OPCODE_SCATTER;
}

/* ---- Reductions, whose types have no gaps that matter ---- */
static bool map_reduction(const struct tcm_args *a, struct tallycoll_args *t)
{
	struct tcm_reduction r;

	if (a->recvcount < 0 || a->recvtype == MPI_DATATYPE_NULL || a->op == MPI_OP_NULL)
		return false;
	r = tcm_reduction(a->op, a->recvtype);
	t->op = r.op;
	t->dtype = r.dtype;
	t->count = a->recvcount * r.values;
	t->src = a->sendbuf == MPI_IN_PLACE ? TALLYCOLL_IN_PLACE : a->sendbuf;
	t->dst = a->recvbuf;
	return true;
}

/* ---- Movements of data ---- */
/* What this rank gives and gets. In place it gives nothing, or, for SCATTER, gets nothing. */
static void find_data(const struct tcm_args *a, uint32_t rank, uint32_t size, struct data *gives,
		      struct data *gets)
{
	bool root = a->root == (int)rank;

	*gives = (struct data){ (void *)a->sendbuf, a->sendcount, a->sendtype, 1 };
	*gets = (struct data){ a->recvbuf, a->recvcount, a->recvtype, 1 };
	switch (a->opcode) {
	case TALLY_OPCODE_BCAST:
		*gives = *gets;
		gives->blocks = root;
		gets->blocks = !root;
		break;
	case TALLY_OPCODE_SCATTER:
		gives->blocks = root ? size : 0;
		break;
	case TALLY_OPCODE_GATHER:
		gets->blocks = root ? size : 0;
		break;
	default:
		gets->blocks = size;
		break;
	}
	if (gives->at == MPI_IN_PLACE)
		gives->blocks = 0;
	if (gets->at == MPI_IN_PLACE)
		gets->blocks = 0;
}

static bool good_data(const struct data *d)
{
	return !d->blocks || (d->count >= 0 && d->type != MPI_DATATYPE_NULL);
}

/* Bytes of a block. Ranks may give and get it as different types; their bytes are equal. */
static bool find_bytes(const struct data *gives, const struct data *gets, uint64_t *bytes)
{
	const struct data *d = gives->blocks == 1 || !gets->blocks ? gives : gets;
	MPI_Count size;

	if (!d->blocks || PMPI_Type_size_x(d->type, &size))
		return false;
	*bytes = d->count * size;
	return true;
}

/* Makes room for a packed copy if the layout of the data needs one. Returns false if there is none. */
static bool make_room(struct tcm_packed *p, const struct data *d, uint64_t bytes)
{
	if (!d->blocks || !bytes || tcm_contiguous(d->type))
		return true;
	p->at = d->at;
	p->count = d->count * d->blocks;
	p->memory = malloc(bytes * d->blocks);
	if (!p->memory)
		return false;
	if (!tcm_keep_type(d->type, &p->type))
		return true;
	free(p->memory);
	p->memory = NULL;
	return false;
}

static void free_room(struct tcm_packed *p)
{
	if (!p->memory)
		return;
	tcm_drop_type(&p->type);
	free(p->memory);
	p->memory = NULL;
}

static void use_room(struct tcm_call *call, const struct tcm_args *a, uint32_t rank,
		     const struct data *gives, const struct data *gets, struct tallycoll_args *t)
{
	bool own = gives->at == MPI_IN_PLACE && call->dst.memory;

	call->src.fill = gives->blocks;
	call->dst.empty = gets->blocks;
	if (own) {
		call->own_count = gets->count;
		call->own_first = rank * gets->count;
		call->own_offset = rank * t->count;
	}
	t->src = call->src.memory ? call->src.memory : gives->at;
	t->dst = call->dst.memory ? call->dst.memory : gets->at;
	if (a->opcode == TALLY_OPCODE_BCAST && gives->blocks)
		t->dst = (void *)t->src;
	if (gives->at == MPI_IN_PLACE)
		t->src = TALLYCOLL_IN_PLACE;
	if (gets->at == MPI_IN_PLACE)
		t->dst = (void *)TALLYCOLL_IN_PLACE;
}

static enum tallycoll_status map_movement(struct tcm_call *call, const struct tcm_args *a,
					  uint32_t rank, uint32_t size, struct tallycoll_args *t)
{
	struct data gives, gets;

	find_data(a, rank, size, &gives, &gets);
	if (!good_data(&gives) || !good_data(&gets) || !find_bytes(&gives, &gets, &t->count))
		return TALLYCOLL_NOT_OFFLOADED;
	if (!make_room(&call->src, &gives, t->count) || !make_room(&call->dst, &gets, t->count)) {
		free_room(&call->src);
		return TALLYCOLL_ERR_MEMORY;
	}
	use_room(call, a, rank, &gives, &gets, t);
	return TALLYCOLL_OK;
}

/* ---- Calls ---- */
static enum tallycoll_status map(struct tcm_call *call, const struct tcm_args *a, uint32_t rank,
				 uint32_t size, struct tallycoll_args *t)
{
	switch (a->opcode) {
	case TALLY_OPCODE_BARRIER:
		return TALLYCOLL_OK;
	case TALLY_OPCODE_ALLREDUCE:
	case TALLY_OPCODE_REDUCE:
	case TALLY_OPCODE_REDUCE_SCATTER:
		return map_reduction(a, t) ? TALLYCOLL_OK : TALLYCOLL_NOT_OFFLOADED;
	default:
		return map_movement(call, a, rank, size, t);
	}
}

static void free_rooms(struct tcm_call *call)
{
	free_room(&call->src);
	free_room(&call->dst);
}

enum tallycoll_status tcm_call_init(struct tcm_call *call, struct tallycoll_team *team,
				    uint32_t rank, uint32_t size, const struct tcm_args *args,
				    uint32_t flags)
{
	struct tallycoll_args t = { .opcode = args->opcode, .flags = flags };
	enum tallycoll_reason reason;
	enum tallycoll_status status;

	*call = (struct tcm_call){ 0 };
	if (has_root(args->opcode)) {
		if (args->root < 0 || (uint32_t)args->root >= size)
			return TALLYCOLL_NOT_OFFLOADED;
		t.root = args->root;
	}
	status = map(call, args, rank, size, &t);
	if (status)
		return status;
	status = tallycoll_collective_init(team, &t, &call->request, &reason);
	if (status)
		free_rooms(call);
	return status;
}

static bool pack(struct tcm_call *call)
{
	struct tcm_packed *src = &call->src, *dst = &call->dst;
	MPI_Aint low, extent;

	if (src->memory && src->fill && tcm_pack(src->at, src->count, src->type, src->memory))
		return false;
	if (!call->own_count)
		return true;
	if (PMPI_Type_get_extent(dst->type, &low, &extent))
		return false;
	return !tcm_pack((char *)dst->at + call->own_first * extent, call->own_count, dst->type,
			 (char *)dst->memory + call->own_offset);
}

enum tallycoll_status tcm_call_start(struct tcm_call *call)
{
	return pack(call) ? tallycoll_collective_post(call->request) : TALLYCOLL_ERR_PARAM;
}

enum tallycoll_status tcm_call_finish(struct tcm_call *call, enum tallycoll_status status)
{
	const struct tcm_packed *dst = &call->dst;

	if (!status && dst->memory && dst->empty &&
	    tcm_unpack(dst->memory, dst->at, dst->count, dst->type))
		status = TALLYCOLL_ERR_PARAM;
	return status;
}

void tcm_call_free(struct tcm_call *call)
{
	tallycoll_collective_finalize(call->request);
	free_rooms(call);
}

enum tallycoll_status tcm_call_post(struct tcm_call *call)
{
	enum tallycoll_status status = tcm_call_start(call);

	if (status)
		tcm_call_free(call);
	return status;
}

enum tallycoll_status tcm_call_end(struct tcm_call *call, enum tallycoll_status status)
{
	status = tcm_call_finish(call, status);
	tcm_call_free(call);
	return status;
}
