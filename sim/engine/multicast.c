// SPDX-License-Identifier: BSD-2-Clause
/*
 * Results that go down the tree as one multicast packet, which switches replicate. It is accepted
 * only from the tree's root, and a second copy changes nothing. Every node acknowledges to its
 * parent, which after a time-out sends a copy to the children that have not acknowledged. The
 * packet goes to whole subtrees, so a node tells its parent the lowest done in its subtree. The
 * packet belongs to no edge, so it carries a key of the group, which the root draws and OPEN
 * carries down the tree.
 */
#include "engine/engine_int.h"

#include <endian.h>
#include <string.h>

void multicast_begin(struct engine *e, struct group *g)
{
	g->mcast_ack_at = NEVER;
	g->mcast_key = has_multicast(g) && is_root(g) ? engine_key(e) : 0;
}

bool multicast_applies(const struct group *g, const struct slot *s)
{
	return has_multicast(g) &&
	       (s->opcode == TALLY_OPCODE_ALLREDUCE || s->opcode == TALLY_OPCODE_BCAST ||
		s->opcode == TALLY_OPCODE_BARRIER);
}

static bool windows_open(const struct group *g, const struct slot *s)
{
	uint64_t left = s->down_todo;

	for (; left; left &= left - 1) {
		const struct edge *ed = &g->edges[__builtin_ctzll(left)];

		if (ed->state != TALLY_EDGE_OPEN ||
		    !serial_lt(s->num, ed->peer_done + g->num_segs))
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

/* ---- Receive ---- */

static void want_ack(struct engine *e, struct group *g, uint32_t num)
{
	if (g->mcast_ack_at == NEVER) {
		g->mcast_ack_at = e->now + ACK_DELAY;
		g->mcast_top = num;
	} else if (serial_lt(g->mcast_top, num)) {
		g->mcast_top = num;
	}
}

static bool has_result(struct engine *e, const struct group *g, uint32_t num)
{
	const struct slot *s = slot_of(e, g, num);

	if (serial_lt(num, g->done))
		return true;
	return has_slot(g, num) && s->state != TALLY_SEG_FREE && s->num == num &&
	       (s->down_have || slot_stands_aside(g, s));
}

void multicast_packet(struct engine *e, struct group *g, const struct tch *t, const void *payload,
		      uint16_t len)
{
	slot_packet(e, g, EDGE_PARENT, t, payload, len);
	if (!group_alive(g))
		return;
	if (has_result(e, g, t->num))
		want_ack(e, g, t->num);
	group_pump(e, g);
}

void multicast_timer(struct engine *e, struct group *g)
{
	struct tally_tch_ack ack = { 0 };
	uint64_t seen = 0;
	struct tch t;
	uint32_t i;

	if (g->mcast_ack_at > e->now)
		return;
	g->mcast_ack_at = NEVER;
	for (i = 0; i < 64; i++)
		if (has_result(e, g, g->mcast_top - i))
			seen |= 1ULL << i;
	ack.seen = htobe64(seen);
	packet_fill(g, &g->edges[EDGE_PARENT], &t, TALLY_KIND_ACK);
	t.flags = TALLY_TCH_F_MULTICAST;
	t.num = g->mcast_top;
	packet_send(e, g, &g->edges[EDGE_PARENT], &t, &ack, sizeof(ack));
}

void multicast_ack(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
		   uint64_t seen)
{
	uint32_t i;

	for (i = 0; i < 64; i++) {
		uint32_t num = t->num - i;
		struct slot *s = slot_of(e, g, num);

		if ((seen >> i & 1) && has_slot(g, num) && s->state == TALLY_SEG_BUSY && s->num == num &&
		    multicast_applies(g, s))
			s->down_todo &= ~contributor_bit(idx);
	}
}
