// SPDX-License-Identifier: BSD-2-Clause
#include "testing/operation.h"

#include <stdlib.h>
#include <string.h>

#include "testing/values.h"

#define GUARD 64
#define GUARD_BYTE 0xa5

bool operation_reduces(enum tally_opcode opcode)
{
	return opcode == TALLY_OPCODE_ALLREDUCE || opcode == TALLY_OPCODE_REDUCE ||
	       opcode == TALLY_OPCODE_REDUCE_SCATTER;
}

bool operation_rooted(enum tally_opcode opcode)
{
	return opcode == TALLY_OPCODE_REDUCE || opcode == TALLY_OPCODE_BCAST ||
	       opcode == TALLY_OPCODE_GATHER || opcode == TALLY_OPCODE_SCATTER;
}

bool operation_has_blocks(enum tally_opcode opcode)
{
	return opcode >= TALLY_OPCODE_ALLGATHER && opcode <= TALLY_OPCODE_SCATTER;
}

struct operation operation_sum(struct job_rank *r, struct tallycoll_team *team)
{
	return (struct operation){
		.r = r,
		.team = team,
		.rank = r->rank,
		.size = r->size,
		.opcode = TALLY_OPCODE_ALLREDUCE,
		.op = TALLY_OP_SUM,
		.dtype = TALLY_TYPE_INT32,
		.count = 10,
	};
}

static bool is_root(const struct operation *o)
{
	return o->rank == o->root;
}

/* ---- Who gives and gets what ---- */
static uint64_t num_given(const struct operation *o)
{
	switch (o->opcode) {
	case TALLY_OPCODE_BARRIER:
		return 0;
	case TALLY_OPCODE_BCAST:
		return is_root(o) ? o->count : 0;
	case TALLY_OPCODE_SCATTER:
		return is_root(o) ? o->count * o->size : 0;
	case TALLY_OPCODE_REDUCE_SCATTER:
		return o->count * o->size;
	default:
		return o->count;
	}
}

static uint64_t num_got(const struct operation *o)
{
	switch (o->opcode) {
	case TALLY_OPCODE_BARRIER:
		return 0;
	case TALLY_OPCODE_BCAST:
		return o->count;
	case TALLY_OPCODE_REDUCE:
		return is_root(o) ? o->count : 0;
	case TALLY_OPCODE_GATHER:
		return is_root(o) ? o->count * o->size : 0;
	case TALLY_OPCODE_ALLGATHER:
		return o->count * o->size;
	default:
		return o->count;
	}
}

/* Whether this rank says IN_PLACE; in REDUCE, GATHER and SCATTER the root does. */
static bool is_in_place(const struct operation *o)
{
	if (!o->in_place || o->opcode == TALLY_OPCODE_BCAST || o->opcode == TALLY_OPCODE_BARRIER)
		return false;
	return !operation_rooted(o->opcode) || is_root(o);
}

/* The first element of dst at which data that are given in place lie. */
static uint64_t place(const struct operation *o)
{
	bool gets_blocks = o->opcode == TALLY_OPCODE_GATHER || o->opcode == TALLY_OPCODE_ALLGATHER;

	return gets_blocks ? o->rank * o->count : 0;
}

static uint64_t room_for_result(const struct operation *o)
{
	if (o->opcode == TALLY_OPCODE_REDUCE_SCATTER && is_in_place(o))
		return num_given(o);
	if (o->opcode == TALLY_OPCODE_SCATTER && is_in_place(o))
		return 0;
	return num_got(o);
}

/* ---- Data ---- */
static uint8_t *new_area(size_t bytes)
{
	uint8_t *area = malloc(bytes + 2 * GUARD);

	memset(area, GUARD_BYTE, bytes + 2 * GUARD);
	return area;
}

/* Writes the data that the rank gives. In BCAST and SCATTER all data are the root's. */
static void write_data(const struct operation *o, uint8_t *to)
{
	const uint64_t all = num_given(o);

	for (uint64_t i = 0; i < all; i += VALUES_MOST)
		elements_write(o, o->rank, i, all - i < VALUES_MOST ? all - i : VALUES_MOST,
			       to + i * o->elem);
}

/* Writes elements of the blocks of all ranks. */
static void expect_blocks(const struct operation *o, uint64_t i, uint32_t num, uint8_t *to)
{
	while (num) {
		const uint64_t at = i % o->count, left = o->count - at;
		const uint32_t some = num < left ? num : left;

		elements_write(o, i / o->count, at, some, to);
		i += some;
		num -= some;
		to += some * o->elem;
	}
}

/* Writes what @num elements of the result must be, from element @i on. */
static void expect(const struct operation *o, uint64_t i, uint32_t num, uint8_t *to)
{
	switch (o->opcode) {
	case TALLY_OPCODE_BCAST:
		elements_write(o, o->root, i, num, to);
		break;
	case TALLY_OPCODE_SCATTER:
		elements_write(o, o->root, o->rank * o->count + i, num, to);
		break;
	case TALLY_OPCODE_GATHER:
	case TALLY_OPCODE_ALLGATHER:
		expect_blocks(o, i, num, to);
		break;
	case TALLY_OPCODE_REDUCE_SCATTER:
		elements_reduce(o, o->rank * o->count + i, num, to);
		break;
	default:
		elements_reduce(o, i, num, to);
		break;
	}
}

static bool is_guarded(const uint8_t *area, size_t bytes)
{
	for (size_t i = 0; i < GUARD; i++)
		if (area[i] != GUARD_BYTE || area[GUARD + bytes + i] != GUARD_BYTE)
			return false;
	return true;
}

/* ---- The operation ---- */
int operation_init(struct operation *o)
{
	bool has_dst, has_src = num_given(o) && !is_in_place(o) && o->opcode != TALLY_OPCODE_BCAST;
	enum tallycoll_status status;

	o->elem = operation_elem(o->op, o->dtype);
	o->src_bytes = has_src ? num_given(o) * o->elem : 0;
	o->src_bytes = o->opcode == TALLY_OPCODE_SCATTER ? num_given(o) * o->elem : o->src_bytes;
	o->dst_bytes = room_for_result(o) * o->elem;
	has_dst = o->dst_bytes;
	o->src = new_area(o->src_bytes);
	o->dst = new_area(o->dst_bytes);
	o->args = (struct tallycoll_args){
		.opcode = o->opcode,
		.op = o->op,
		.dtype = o->dtype,
		.flags = o->flags,
		.count = o->count,
		.root = o->root,
		.src = o->src_bytes ? o->src + GUARD : NULL,
		.dst = has_dst ? o->dst + GUARD : NULL,
	};
	if (is_in_place(o) && o->opcode == TALLY_OPCODE_SCATTER)
		o->args.dst = (void *)TALLYCOLL_IN_PLACE;
	else if (is_in_place(o))
		o->args.src = TALLYCOLL_IN_PLACE;
	o->reason = TALLYCOLL_REASON_NONE;
	o->request = NULL;
	status = tallycoll_collective_init(o->team, &o->args, &o->request, &o->reason);
	if (status == TALLYCOLL_NOT_OFFLOADED && o->reason)
		return 0;
	if (status || o->reason)
		return JOB_FAIL(o->r, "init of opcode %u: %d, reason %u", o->opcode, status,
				o->reason);
	return 0;
}

int operation_post(struct operation *o)
{
	bool from_dst = is_in_place(o) || o->opcode == TALLY_OPCODE_BCAST;

	if (o->opcode == TALLY_OPCODE_SCATTER)
		from_dst = false;
	memset(o->dst + GUARD, GUARD_BYTE, o->dst_bytes);
	write_data(o, from_dst ? o->dst + GUARD + place(o) * o->elem : o->src + GUARD);
	JOB_CHECK(o->r, tallycoll_collective_post(o->request) == TALLYCOLL_OK);
	return 0;
}

static int judge(struct operation *o, enum tallycoll_status status)
{
	if (status == TALLYCOLL_INPROGRESS && !job_failed(o->r))
		return 0;
	if (status == TALLYCOLL_OK)
		return 1;
	return JOB_FAIL(o->r, "opcode %u, op %u, type %#x, %llu elements, root %u of %u: %d %s",
			o->opcode, o->op, o->dtype, (unsigned long long)o->count, o->root, o->size,
			status, tallycoll_request_error(o->request));
}

int operation_test(struct operation *o)
{
	return judge(o, tallycoll_collective_test(o->request));
}

int operation_wait(struct operation *o)
{
	return judge(o, tallycoll_collective_wait(o->request)) == 1 ? 0 : -1;
}

static int wrong(const struct operation *o, const char *what, uint64_t i)
{
	return JOB_FAIL(
		o->r,
		"%s (element %llu): opcode %u, op %u, type %#x, %llu elements, root %u%s, rank %u of %u",
		what, (unsigned long long)i, o->opcode, o->op, o->dtype,
		(unsigned long long)o->count, o->root, o->in_place ? ", in place" : "", o->rank,
		o->size);
}

/* Compares many elements at once. Returns the first that differs, or @num. */
static uint64_t first_wrong(const struct operation *o, const uint8_t *at, uint64_t num,
			    void (*write)(const struct operation *o, uint64_t i, uint32_t num,
					  uint8_t *to))
{
	uint8_t want[VALUES_MOST * 16];

	for (uint64_t i = 0; i < num; i += VALUES_MOST) {
		uint64_t some = num - i < VALUES_MOST ? num - i : VALUES_MOST;

		write(o, i, some, want);
		if (!memcmp(at + i * o->elem, want, some * o->elem))
			continue;
		while (!memcmp(at + i * o->elem, want + i % VALUES_MOST * o->elem, o->elem))
			i++;
		return i;
	}
	return num;
}

static void write_own(const struct operation *o, uint64_t i, uint32_t num, uint8_t *to)
{
	elements_write(o, o->rank, i, num, to);
}

int operation_check(struct operation *o)
{
	uint64_t got = room_for_result(o) ? num_got(o) : 0, wrong_at;
	uint64_t given = o->src_bytes ? num_given(o) : 0;

	if (!is_guarded(o->src, o->src_bytes) || !is_guarded(o->dst, o->dst_bytes))
		return wrong(o, "memory beside a buffer was written", 0);
	wrong_at = first_wrong(o, o->dst + GUARD, got, expect);
	if (wrong_at < got)
		return wrong(o, "the result is wrong", wrong_at);
	wrong_at = first_wrong(o, o->src + GUARD, given, write_own);
	if (wrong_at < given)
		return wrong(o, "the data were changed", wrong_at);
	return 0;
}

void operation_free(struct operation *o)
{
	if (o->request)
		tallycoll_collective_finalize(o->request);
	free(o->src);
	free(o->dst);
	o->request = NULL;
	o->src = o->dst = NULL;
}

int operation_run(struct operation *o)
{
	int err = operation_init(o);

	if (!err && o->request)
		err = operation_post(o) || operation_wait(o) || operation_check(o) ? -1 : 0;
	if (!err)
		operation_free(o);
	return err;
}
