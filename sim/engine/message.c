// SPDX-License-Identifier: BSD-2-Clause
/*
 * Comparison of the contributions to a message: what a packet may claim about its chunk, where that
 * chunk lies, and in which field two contributions disagree.
 */
#include "engine/message.h"
#include "engine/chunk.h"
#include "engine/common.h"
#include "engine/mode.h"
#include "alu/alu.h"

struct message message_of_packet(const struct tch *t)
{
	return (struct message){
		.mode = mode_of_flags(t->flags),
		.opcode = t->opcode,
		.op = t->op,
		.dtype = t->dtype,
		.root_rank = t->root_rank,
		.root_node = t->root_node,
		.num = t->num,
		.mid = t->mid,
		.sid = t->sid,
		.total = t->total,
		.count = t->count,
	};
}

/*
 * Compute where a chunk lies in its message. All chunks have the same length, except that the last
 * may be shorter. Returns false if the chunk is impossible.
 */
static bool place_chunk(struct message *m, bool last)
{
	uint64_t end = ((uint64_t)m->sid + 1) * m->count;

	m->first = last ? m->total - m->count : m->sid * m->count;
	if (!last)
		return m->count && end < m->total;
	if (!m->sid)
		return m->count == m->total;
	return m->count && m->count < m->total && (uint64_t)m->sid * m->count <= m->first;
}

bool message_plausible(const struct group *g, const struct tch *t, struct message *m)
{
	if (!group_has(g, mode_bit(m->mode)) || !opcode_offered(m->mode, t->opcode) ||
	    (m->mode != TALLY_MODE_TREE && (t->flags & TALLY_TCH_F_MULTICAST)) || t->root_node >= g->num_nodes || t->root_rank >= TALLY_MAX_RANKS ||
	    !place_chunk(m, t->flags & TALLY_TCH_F_LAST))
		return false;
	if ((uint64_t)t->count * alu_elem_size(t->op, t->dtype) > g->mtu)
		return false;
	if (opcode_blocked(t->opcode) &&
	    (modulo(&g->by_ranks, t->total) || (g->flags & TALLY_GROUP_F_SPARSE)))
		return false;
	if (opcode_reduces(t->opcode))
		return alu_check(t->op, t->dtype) == TALLY_COLL_OK;
	if (t->op != TALLY_OP_NONE)
		return false;
	if (t->opcode == TALLY_OPCODE_BARRIER)
		return t->dtype == TALLY_TYPE_NONE && !t->total;
	return t->opcode == TALLY_OPCODE_BCAST || opcode_blocked(t->opcode);
}

/* Return OK, or the status of the field in which two contributions to a message disagree. */
uint16_t message_disagrees(const struct slot *s, const struct message *m)
{
	if (s->opcode != m->opcode)
		return TALLY_COLL_OPCODE_MISMATCH;
	if (s->op != m->op)
		return TALLY_COLL_OP_MISMATCH;
	if (s->dtype != m->dtype)
		return TALLY_COLL_TYPE_MISMATCH;
	if (s->total != m->total)
		return TALLY_COLL_COUNT_MISMATCH;
	if (s->root_node != m->root_node || s->root_rank != m->root_rank)
		return TALLY_COLL_ROOT_MISMATCH;
	/* the mode is chosen by what is compared before */
	if (s->mode != m->mode)
		return TALLY_COLL_MODE_MISMATCH;
	if (s->sid != m->sid || s->first != m->first || s->count != m->count)
		return TALLY_COLL_CHUNK_MISMATCH;
	return TALLY_COLL_OK;
}
