// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "engine/test/units.h"
#include "plan_model.h"

static struct group group;

void plan_model_group(const struct plan_group *from)
{
	struct group *g = &group;
	unsigned int i;

	g->state = TALLY_GROUP_OPEN;
	g->modes = TALLY_MODES_TREE | TALLY_MODES_EXCHANGE | TALLY_MODES_RING;
	g->flags = from->root ? TALLY_GROUP_F_ROOT : 0;
	g->node = from->node;
	g->num_nodes = from->nodes;
	g->by_nodes = divisor_of(from->nodes);
	g->num_contributors = from->edges;
	g->parent = from->parent;
	g->left = from->left;
	g->right = from->right;
	g->rank_mask = from->rank_mask;
	g->children = from->children;
	g->exchange_ins = from->exchange_ins;
	for (i = 0; i < PLAN_MAX_EDGES; i++) {
		g->edges[i].first = from->first[i];
		g->edges[i].count = from->count[i];
	}
}

int plan_model_route(uint16_t node)
{
	return group_route(&group, node);
}

struct plan_moves plan_model_moves(const struct plan_chunk *chunk)
{
	static struct slot s;

	s = (struct slot){
		.mode = chunk->mode,
		.opcode = chunk->opcode,
		.root_node = chunk->root_node,
		.root_rank = chunk->root_rank,
		.sid = chunk->sid,
		.total = 64,
		.count = 1,
	};
	chunk_plan(&group, &s);
	return (struct plan_moves){
		.up_ranks = s.up_ranks,
		.up_contributors = s.up_contributors,
		.down_todo = s.down_todo,
		.deliver = s.deliver,
		.up_edge = s.up_edge,
		.down_edge = s.down_edge,
		.up_send = s.up_send,
		.turns = s.turns,
		.down_expected = s.down_expected,
	};
}

struct plan_divisor plan_model_divisor(uint32_t n)
{
	struct divisor d = divisor_of(n);

	return (struct plan_divisor){ d.n, d.inverse, d.shift };
}

uint32_t plan_model_quotient(struct plan_divisor d, uint32_t value)
{
	return quotient(&(const struct divisor){ d.n, d.inverse, d.shift }, value);
}

uint32_t plan_model_modulo(struct plan_divisor d, uint32_t value)
{
	return modulo(&(const struct divisor){ d.n, d.inverse, d.shift }, value);
}

struct plan_place plan_model_packet(uint32_t sid, uint32_t count, uint32_t total, bool last, uint8_t size, uint16_t mtu)
{
	static struct group g;
	const struct tch t = {
		.kind = TALLY_KIND_REDUCE,
		.opcode = TALLY_OPCODE_ALLREDUCE,
		.op = size < 4 ? TALLY_OP_BOR : TALLY_OP_MAXLOC,
		.dtype = size < 4 ? TALLY_TYPE_UINT8 + size : TALLY_TYPE_INT64,
		.sid = sid,
		.count = count,
		.total = total,
		.flags = last ? TALLY_TCH_F_LAST : 0,
	};
	struct message m = message_of_packet(&t);
	bool ok;

	g.modes = TALLY_MODES_TREE;
	g.num_nodes = 1;
	g.mtu = mtu;
	if (alu_elem_size(t.op, t.dtype) != 1U << size)
		abort();
	ok = message_plausible(&g, &t, &m);
	return (struct plan_place){ ok, last, m.first, m.count, m.count << size };
}

struct plan_place plan_model_request(uint32_t sid, uint32_t chunk, uint32_t total, uint8_t size)
{
	/* as in slot_post() */
	uint32_t first = sid * chunk, left = total - first;
	uint32_t count = left < chunk ? left : chunk;

	return (struct plan_place){ true, first + count == total, first, count, count << size };
}
