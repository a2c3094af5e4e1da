// SPDX-License-Identifier: BSD-2-Clause
/* Packets of a chunk. */
#include "engine/chunk_send.h"
#include "engine/common.h"
#include "engine/edge.h"
#include "engine/encap.h"
#include "engine/mode.h"

void slot_fill_tch(const struct group *g, const struct edge *ed, const struct slot *s,
		   struct tch *t, uint8_t kind)
{
	packet_fill(g, ed, t, kind);
	t->opcode = s->opcode;
	t->op = s->op;
	t->dtype = s->dtype;
	t->err_vector = s->err_vector;
	t->mid = s->mid;
	t->sid = s->sid;
	t->num = s->num;
	t->total = s->total;
	t->count = s->count;
	t->root_node = s->root_node;
	t->root_rank = s->root_rank;
	t->flags |= mode_of(s->mode)->flag;
	if (kind == TALLY_KIND_REDUCE && is_exchange(s))
		t->round = ed->round;
	if (s->first + s->count == s->total)
		t->flags |= TALLY_TCH_F_LAST;
	if (is_ordered(g))
		t->flags |= TALLY_TCH_F_ORDERED;
}

bool slot_send(struct engine *e, struct group *g, struct slot *s, unsigned int idx, uint8_t kind,
	       struct span sp, const uint8_t *data)
{
	struct edge *ed = &g->edges[idx];
	struct tch t;

	if (!edge_can_send_chunk(g, ed, s->num) || !serial_lt(s->num, ed->peer_limit))
		return false;
	slot_fill_tch(g, ed, s, &t, kind);
	edge_send(e, g, idx, &t, data + (sp.lo - s->first) * s->elem, (sp.hi - sp.lo) * s->elem);
	edge_chunk_sent(ed, s, idx);
	return true;
}
