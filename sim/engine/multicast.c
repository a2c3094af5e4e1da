// SPDX-License-Identifier: BSD-2-Clause
/*
 * Results that go down the tree as one multicast packet, which switches replicate. It is accepted
 * only from the tree's root, and a second copy changes nothing. Every node acknowledges to its
 * parent, which after a time-out sends a copy to the children that have not acknowledged. The
 * packet goes to whole subtrees, so a node tells its parent the lowest done in its subtree. The
 * packet belongs to no edge, so it carries a key of the group, which the root draws and OPEN
 * carries down the tree.
 */
#include "engine/multicast.h"
#include "engine/chunk_send.h"
#include "engine/common.h"
#include "engine/encap.h"
#include "engine/random.h"

void multicast_begin(struct engine *e, struct group *g)
{
	g->mcast_ack_at = NEVER;
	g->mcast_key = has_multicast(g) && is_root(g) ? engine_key(e) : 0;
}

bool multicast_applies(const struct group *g, const struct slot *s)
{
	return has_multicast(g) && s->mode == TALLY_MODE_TREE &&
	       (s->opcode == TALLY_OPCODE_ALLREDUCE || s->opcode == TALLY_OPCODE_BCAST ||
		s->opcode == TALLY_OPCODE_BARRIER);
}

static bool windows_open(const struct group *g, const struct slot *s)
{
	uint64_t left = s->down_todo;

	for (; left; left &= left - 1) {
		const struct edge *ed = &g->edges[__builtin_ctzll(left)];

		if (ed->state != TALLY_EDGE_OPEN || ed->unconfirmed ||
		    !serial_lt(s->num, ed->peer_limit))
			return false;
	}
	return true;
}

static void send_result(struct engine *e, struct group *g, struct slot *s)
{
	struct edge to = { .addr = g->mcast, .remote_index = EDGE_PARENT, .peer_key = g->mcast_key };
	struct tch t;

	slot_fill_tch(g, &to, s, &t, TALLY_KIND_RESULT);
	t.flags |= TALLY_TCH_F_MULTICAST;
	packet_send(e, g, &to, &t, slot_down(s), s->count * s->elem);
	count(e, TALLY_CTR_mcast_sent, 1);
}

void multicast_send(struct engine *e, struct group *g, struct slot *s)
{
	if (s->mcast_sent || !s->down_todo)
		return;
	s->repair_at = NEVER;
	if (is_root(g)) {
		if (!windows_open(g, s))
			return;
		send_result(e, g, s);
	}
	s->mcast_sent = true;
	s->repair_at = e->now + g->rto;
}
