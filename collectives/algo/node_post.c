// SPDX-License-Identifier: BSD-2-Clause
/* The node way's messages: what one rank posts for all of its party. */
#include <errno.h>

#include "algo/copy.h"
#include "algo/node.h"

static uint64_t from_bytes(const struct tallycoll_request *r, const struct tc_piece *p)
{
	switch (r->args.opcode) {
	case TALLY_OPCODE_BARRIER:
		return 0;
	case TALLY_OPCODE_BCAST:
		return tc_node_near_root(r) ? tc_node_part(r, p) : 0;
	case TALLY_OPCODE_SCATTER:
		return tc_node_near_root(r) ? tc_node_part(r, p) * r->team->oob.size : 0;
	case TALLY_OPCODE_ALLGATHER:
	case TALLY_OPCODE_GATHER:
		return tc_node_part(r, p) * r->party->num;
	default:
		return tc_give_bytes(r, p->index);
	}
}

static uint64_t to_bytes(const struct tallycoll_request *r, const struct tc_piece *p)
{
	switch (r->args.opcode) {
	case TALLY_OPCODE_BARRIER:
		return 0;
	case TALLY_OPCODE_BCAST:
		return tc_node_near_root(r) ? 0 : tc_node_part(r, p);
	case TALLY_OPCODE_REDUCE:
		return tc_node_near_root(r) ? tc_node_part(r, p) : 0;
	case TALLY_OPCODE_GATHER:
		return tc_node_near_root(r) ? tc_node_part(r, p) * r->team->oob.size : 0;
	case TALLY_OPCODE_ALLGATHER:
		return tc_node_part(r, p) * r->team->oob.size;
	case TALLY_OPCODE_SCATTER:
	case TALLY_OPCODE_REDUCE_SCATTER:
		return tc_node_part(r, p) * r->party->num;
	default:
		return tc_node_part(r, p);
	}
}

static struct tc_entry entry(const struct tc_area *a, const uint8_t *at, uint64_t bytes)
{
	return (struct tc_entry){ tc_area_addr(a, at), a->region.key, bytes };
}

/*
 * The messages of a BCAST that scatters. Blocks of vectors that differ by a few elements have the same
 * length. So the first message has as many bytes as the blocks have elements too many, and one, whose
 * values do not matter: the NICs compare the counts. A rank's block is that of its place, so all blocks are the vector. The
 * root's node has it; the others put theirs where the root has its data, and all nodes gather into
 * the place of the result.
 */
static void set_blocks(const struct tallycoll_request *r, const struct tc_piece *p,
		       struct tc_work *w)
{
	const struct tc_shape *s = &r->team->mg->shape;
	struct tc_area *a = r->party->area;
	const uint64_t count = (w->count + s->size - 1) / s->size, part = count * r->elem;
	uint8_t *from = tc_area_from(a, tc_node_slot(r, p));
	uint8_t *to = tc_area_to(a, tc_node_slot(r, p));
	uint8_t *own = tc_node_near_root(r) ? from + s->node_first[s->node] * part : from;

	if (p->messages == TC_NODE_LENGTH) {
		w->mode = 0;
		w->dtype = TALLY_TYPE_UINT8;
		w->count = 1 + count * s->size - w->count;
		w->from = entry(a, from, tc_node_near_root(r) ? w->count : 0);
		w->to = entry(a, to, tc_node_near_root(r) ? 0 : w->count);
		return;
	}
	w->count = count;
	if (p->messages == TC_NODE_SCATTER) {
		w->opcode = TALLY_OPCODE_SCATTER;
		w->mode = 0;
		w->from = entry(a, from, tc_node_near_root(r) ? part * s->size : 0);
		w->to = entry(a, tc_node_near_root(r) ? to : own, part * s->num_local);
		return;
	}
	w->opcode = TALLY_OPCODE_ALLGATHER;
	w->root_node = w->root_rank = 0;
	w->from = entry(a, own, part * s->num_local);
	w->to = entry(a, to, part * s->size);
}

bool tc_node_post(struct tallycoll_request *r, struct tc_piece *p)
{
	struct tc_member_group *mg = r->team->mg;
	struct tc_area *a = r->party->area;
	struct tc_work w = tc_work_of(r, p->index);
	uint32_t slot = tc_node_slot(r, p);
	int err = tc_area_register(a);

	w.id = (uintptr_t)p;
	w.mid = tc_node_mid(r, p);
	w.rank_mask = r->party->mask;
	w.from = entry(a, tc_area_from(a, slot), from_bytes(r, p));
	w.to = entry(a, tc_area_to(a, slot), to_bytes(r, p));
	if (tc_node_scatters(r))
		set_blocks(r, p, &w);
	if (r->args.opcode != TALLY_OPCODE_BARRIER)
		w.flags = TC_WORK_COMBINED;
	w.flags |= (w.from.bytes ? TC_WORK_FROM : 0) | (w.to.bytes ? TC_WORK_TO : 0);
	if (!err)
		err = r->team->context->net->ops->post(mg->node, &w);
	if (err && err != -EAGAIN)
		tc_give_up(r, TALLY_COLL_FLUSHED);
	if (err)
		return false;
	mg->next_post++;
	p->messages++;
	return true;
}
