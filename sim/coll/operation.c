// SPDX-License-Identifier: BSD-2-Clause
#include "coll/operation.h"

#include <stdlib.h>
#include <string.h>

#define WRONG_BYTE 0x5a

void coll_expected_free(struct coll_expected *e)
{
	oracle_free(&e->oracle);
	free(e->result);
	*e = (struct coll_expected){ 0 };
}

static bool is_barrier(const struct coll_operation *o)
{
	return o->m.opcode == TALLY_OPCODE_BARRIER;
}

/* In place, the root's or rank's data are where the result will be. */
static bool shares_buffer(const struct coll_operation *o)
{
	return o->m.opcode == TALLY_OPCODE_BCAST ||
	       (o->in_place && message_gets(&o->m, o->rank) && message_gives(&o->m, o->rank) &&
		o->m.opcode != TALLY_OPCODE_SCATTER);
}

/* The root of a SCATTER in place leaves its block where it is. */
static bool keeps_block(const struct coll_operation *o)
{
	return o->in_place && o->m.opcode == TALLY_OPCODE_SCATTER && o->rank == o->m.root;
}

bool coll_operation_new(struct coll_operation *o)
{
	bool gives = !is_barrier(o) && message_gives(&o->m, o->rank);
	bool gets = !is_barrier(o) && message_gets(&o->m, o->rank);

	o->in = o->out = NULL;
	o->in_bytes = gives ? message_give_bytes(&o->m) : 0;
	o->out_bytes = gets ? message_get_bytes(&o->m) : 0;
	if (shares_buffer(o)) {
		if (o->in_bytes > o->out_bytes)
			o->out_bytes = o->in_bytes;
		o->in_bytes = 0;
	}
	if (o->in_bytes)
		o->in = coll_alloc(o->r, o->in_bytes);
	if (o->out_bytes)
		o->out = coll_alloc(o->r, o->out_bytes);
	return (!o->in_bytes || o->in) && (!o->out_bytes || o->out);
}

void coll_operation_free(struct coll_operation *o)
{
	if (o->in)
		coll_release(o->r, o->in, o->in_bytes);
	if (o->out)
		coll_release(o->r, o->out, o->out_bytes);
	o->in = o->out = NULL;
}

/* Where the rank's data are. */
static uint8_t *data_at(const struct coll_operation *o)
{
	if (!shares_buffer(o))
		return o->in;
	if (message_gets_blocks(&o->m))
		return (uint8_t *)o->out + o->rank * message_give_bytes(&o->m);
	return o->out;
}

void coll_operation_fill(struct coll_operation *o)
{
	if (o->out)
		memset(o->out, WRONG_BYTE, o->out_bytes);
	if (!is_barrier(o) && message_gives(&o->m, o->rank) && data_at(o))
		message_input(&o->m, o->rank, data_at(o));
}

enum tallycoll_status coll_operation_init(struct coll_operation *o, struct tallycoll_team *team,
					  enum tallycoll_reason *reason)
{
	const struct tallycoll_args args = {
		.opcode = o->m.opcode,
		.op = o->m.op,
		.dtype = o->m.type,
		.count = o->m.count,
		.root = o->m.root,
		.flags = o->flags,
		.src = shares_buffer(o) ? TALLYCOLL_IN_PLACE : o->in,
		.dst = keeps_block(o) ? (void *)TALLYCOLL_IN_PLACE : o->out,
	};

	return tallycoll_collective_init(team, &args, &o->request, reason);
}

static bool same(const struct message *a, const struct message *b)
{
	return a->opcode == b->opcode && a->op == b->op && a->type == b->type &&
	       a->count == b->count && a->total_ranks == b->total_ranks && a->root == b->root &&
	       a->seed == b->seed;
}

static bool expect(const struct coll_operation *o, struct coll_expected *e)
{
	uint64_t bytes = message_expect_bytes(&o->m);

	if (e->result && same(&e->m, &o->m))
		return true;
	free(e->result);
	e->result = malloc(bytes);
	e->bytes = bytes;
	e->m = o->m;
	return e->result && message_expect(&o->m, &e->oracle, e->result);
}

bool coll_operation_check(const struct coll_operation *o, struct coll_expected *e)
{
	const uint8_t *got = o->out, *want;
	uint64_t bytes;

	if (is_barrier(o) || !message_gets(&o->m, o->rank) || !o->m.count || keeps_block(o))
		return true;
	if (!expect(o, e)) {
		coll_fail(o->r, "no memory for the expected result");
		return false;
	}
	want = e->result + message_expect_offset(&o->m, o->rank);
	bytes = message_get_bytes(&o->m);
	for (uint64_t i = 0; i < bytes; i++) {
		if (got[i] == want[i])
			continue;
		coll_fail(o->r, "opcode %u, op %u, type %#x, count %u: byte %llu of %llu is wrong",
			  o->m.opcode, o->m.op, o->m.type, o->m.count, (unsigned long long)i,
			  (unsigned long long)bytes);
		return false;
	}
	return true;
}
