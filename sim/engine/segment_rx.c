// SPDX-License-Identifier: BSD-2-Clause
/* Contributions and results that arrive in packets and go into the segment buffer. */
#include "engine/segment_rx.h"
#include "engine/arrival.h"
#include "engine/chunk.h"
#include "engine/common.h"
#include "engine/exception.h"
#include "engine/mode.h"
#include "engine/ordered.h"
#include "engine/payload.h"
#include "engine/segment.h"
#include "engine/store.h"
#include "engine/words.h"
#include "alu/alu.h"

#include <string.h>

/* Whether a packet is of the chunk in a slot. What else they differ in is a disagreement. */
static bool is_chunk(const struct slot *s, const struct tch *t)
{
	return s->num == t->num && s->mid == t->mid;
}

static bool enters(const struct group *g, const struct slot *s, unsigned int idx,
		   const struct tch *t)
{
	if (!is_chunk(s, t))
		return false;
	if (t->kind == TALLY_KIND_RESULT)
		return idx == s->down_edge && s->down_expected && !s->turns && !s->down_have;
	if (t->round != (is_exchange(s) ? g->edges[idx].round : 0))
		return false;
	return s->up_contributors & contributor_bit(idx);
}

static bool take_part(struct engine *e, struct group *g, struct slot *s, unsigned int idx,
		      const void *payload, struct span sp)
{
	unsigned int input = ordered_input_of(g, s, idx);

	if (ordered_applies(g, s)) {
		if (!ordered_promise(e, g, s, input))
			return false;
		ordered_give(e, g, s, input, payload);
	} else {
		mode_of(s->mode)->take(e, g, s, sp, payload);
	}
	s->up_contributors &= ~(1ULL << idx);
	arrival_note(e, g, s, 0, 1ULL << idx);
	return true;
}

static enum rx_verdict put(struct engine *e, struct group *g, struct slot *s, unsigned int idx,
			   const struct tch *t, const void *payload, struct span sp)
{
	if (t->kind == TALLY_KIND_RESULT) {
		memcpy(slot_down(s) + (sp.lo - s->first) * s->elem, payload,
		       (sp.hi - sp.lo) * s->elem);
		s->down_have = true;
	} else if (!take_part(e, g, s, idx, payload, sp)) {
		return RX_BUSY;
	}
	s->err_vector |= t->err_vector;
	return RX_STORED;
}

/*
 * Whether a result changes nothing: it is a copy of one that came by multicast, or no receiver here
 * needs it.
 */
static bool is_spare(const struct group *g, const struct slot *s)
{
	return (has_multicast(g) && s->mode == TALLY_MODE_TREE && s->down_have) || slot_stands_aside(g, s);
}

enum rx_verdict slot_take(struct engine *e, struct group *g, struct slot *s, unsigned int idx,
			  const struct tch *t, const void *payload, uint16_t len)
{
	struct span sp;

	if (t->kind == TALLY_KIND_RESULT && is_chunk(s, t) && is_spare(g, s))
		return RX_STORED;
	sp = mode_of(s->mode)->across(g, s, idx, t->kind);
	if (s->state != TALLY_SEG_BUSY || !enters(g, s, idx, t) || len != (sp.hi - sp.lo) * s->elem) {
		count(e, TALLY_CTR_drop_slot, 1);
		return RX_DROP;
	}
	return put(e, g, s, idx, t, payload, sp);
}

/* Handle a chunk within the window: it enters its slot, or ends the epoch. */
static enum rx_verdict enter(struct engine *e, struct group *g, unsigned int idx,
			     const struct tch *t, const struct message *m, const void *payload,
			     uint16_t len)
{
	struct slot *s = slot_of(e, g, t->num);
	uint16_t status;

	if (store_does(g, t->opcode) && store_raises(e, g, &e->answer))
		return RX_DROP;
	if (s->state == TALLY_SEG_FREE)
		slot_open(e, g, s, m);
	if (!group_alive(g))
		return RX_DROP;
	status = is_chunk(s, t) ? message_disagrees(s, m) : TALLY_COLL_OK;
	if (status) {
		slot_disagree(e, g, s, status, contributor_bit(idx), 0);
		return RX_DROP;
	}
	return words_of(s)->take(e, g, s, idx, t, payload, len);
}

/* Whether the store of the host had no place for the packet that came last. */
static bool store_refused(const struct engine *e)
{
	enum tally_fw_store_answer v = e->answer.verdict;

	return v == TALLY_FW_STORE_ANSWER_WINDOW || v == TALLY_FW_STORE_ANSWER_BAD || v == TALLY_FW_STORE_ANSWER_ENDED ||
	       v == TALLY_FW_STORE_ANSWER_NONE;
}

/* Whether a packet takes a rank of this node for the root that the node does not have. */
static bool lacks_root(const struct group *g, const struct tch *t)
{
	return opcode_rooted(t->opcode) && t->root_node == g->node &&
	       !(g->rank_mask >> t->root_rank & 1);
}

enum rx_verdict slot_packet(struct engine *e, struct group *g, unsigned int idx,
			    const struct tch *t, const void *payload, uint16_t len)
{
	struct message m = message_of_packet(t);

	if (!message_plausible(g, t, &m)) {
		count(e, TALLY_CTR_drop_tch, 1);
		return RX_DROP;
	}
	/* The store of the host may answer before it tells that done has moved. */
	if (serial_lt(t->num, g->done) ||
	    (store_does(g, t->opcode) && e->answer.verdict == TALLY_FW_STORE_ANSWER_PAST))
		return RX_STORED;
	if (!has_slot(g, t->num) || (store_does(g, t->opcode) && store_refused(e))) {
		count(e, TALLY_CTR_drop_window, 1);
		return RX_DROP;
	}
	if (t->count * alu_elem_size(t->op, t->dtype) > payload_most(g, m.mode, t->opcode)) {
		exception_raise(e, g, TALLY_COLL_CHUNK_MISMATCH, contributor_bit(idx), 0, t->mid,
				t->sid);
		return RX_DROP;
	}
	if (lacks_root(g, t)) {
		exception_raise(e, g, TALLY_COLL_BAD_ROOT, contributor_bit(idx), 0, t->mid, t->sid);
		return RX_DROP;
	}
	return enter(e, g, idx, t, &m, payload, len);
}

void slot_compare(struct engine *e, struct group *g, unsigned int idx, const struct tch *t)
{
	struct message m = message_of_packet(t);
	struct slot *s;
	uint16_t status;

	if (!message_plausible(g, t, &m) || !has_slot(g, t->num))
		return;
	s = slot_of(e, g, t->num);
	/*
	 * A node without ranks learns of a broadcast only from a QUERY, and then sends queries
	 * itself. None of its ranks could refuse a request that names it as the root.
	 */
	if (s->state == TALLY_SEG_FREE && !g->rank_mask) {
		if (lacks_root(g, t)) {
			exception_raise(e, g, TALLY_COLL_BAD_ROOT, contributor_bit(idx), 0, t->mid,
					t->sid);
			return;
		}
		slot_open(e, g, s, &m);
	}
	if (!group_alive(g) || s->state != TALLY_SEG_BUSY || !is_chunk(s, t))
		return;
	status = message_disagrees(s, &m);
	if (status)
		slot_disagree(e, g, s, status, contributor_bit(idx), 0);
}
