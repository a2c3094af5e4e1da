// SPDX-License-Identifier: BSD-2-Clause
/*
 * Operations and commands for the segment store of the host (docs/rtl-store.md). Those of one group
 * are carried out in order, but acknowledgements do not wait for commands.
 */
#include "engine/store.h"
#include "engine/common.h"
#include "engine/store_parts.h"
#include "engine/words.h"

#define OPCODES                                                          \
	(1u << TALLY_OPCODE_ALLREDUCE | 1u << TALLY_OPCODE_REDUCE | \
	 1u << TALLY_OPCODE_BCAST | 1u << TALLY_OPCODE_BARRIER)

bool store_does_group(struct engine *e, const struct group *g)
{
	struct store_tables tables;

	return host_stores(e) && !has_multicast(g) && store_tables(g, &tables);
}

bool store_does(const struct group *g, uint8_t opcode)
{
	return g->stored && opcode < 32 && OPCODES >> opcode & 1;
}

bool store_begins(struct engine *e, const struct group *g)
{
	return g->stored && host_delivers(e);
}

bool store_has_ranks(struct engine *e, const struct group *g, uint8_t opcode)
{
	return store_does(g, opcode) && host_delivers(e);
}

bool store_raises(struct engine *e, const struct group *g, const struct engine_answer *a)
{
	return g->stored && host_raises(e) && a->verdict == TALLY_FW_STORE_ANSWER_DISAGREES;
}

/* ---- Commands ---- */

void store_finish(struct engine *e, const struct group *g, uint32_t num)
{
	e->host->command(e->ctx, TALLY_FW_STORE_CMD_FINISH, g - e->groups, num);
}

void store_end(struct engine *e, const struct group *g)
{
	e->host->command(e->ctx, TALLY_FW_STORE_CMD_END, g - e->groups, 0);
}

/* ---- Operations ---- */

static struct engine_operation of_chunk(const struct slot *s, enum tally_fw_store_op op)
{
	return (struct engine_operation){
		.kind = op,
		.group = s->group,
		.mode = s->mode,
		.opcode = s->opcode,
		.op = s->op,
		.dtype = s->dtype,
		.root_rank = s->root_rank,
		.root_node = s->root_node,
		.num = s->num,
		.mid = s->mid,
		.sid = s->sid,
		.total = s->total,
		.count = s->whole,
	};
}

static void operate(struct engine *e, const struct engine_operation *op, const void *data)
{
	e->host->operate(e->ctx, op, data, after(e, 0));
}

void store_post(struct engine *e, const struct slot *s, const struct posted *p)
{
	struct engine_operation op = of_chunk(s, TALLY_FW_STORE_OP_POST);

	op.ranks = p->ranks;
	op.absent = p->absent;
	op.quits = p->quits;
	op.out = p->out;
	operate(e, &op, NULL);
}

void store_data(struct engine *e, const struct slot *s, unsigned int rank, const void *data)
{
	struct engine_operation op = of_chunk(s, TALLY_FW_STORE_OP_DATA);

	op.edge = rank;
	op.rank = true;
	op.bytes = s->count * s->elem;
	operate(e, &op, data);
}

void store_taken_ranks(struct engine *e, uint32_t group, uint32_t num, uint64_t ranks)
{
	struct engine_operation op = { .kind = TALLY_FW_STORE_OP_TAKEN,
				       .group = group,
				       .mode = TALLY_MODE_TREE,
				       .num = num,
				       .rank = true };

	for (; ranks; ranks &= ranks - 1) {
		op.edge = __builtin_ctzll(ranks);
		operate(e, &op, NULL);
	}
}
