// SPDX-License-Identifier: BSD-2-Clause
/*
 * Results that arrive by multicast, and their acknowledgements. Each node acknowledges to its
 * parent, by the newest number and a bitmap.
 */
#include "engine/multicast_rx.h"
#include "engine/common.h"
#include "engine/encap.h"
#include "engine/segment_rx.h"
#include "engine/multicast.h"
#include "engine/segment.h"
#include "engine/timer.h"

#include <endian.h>

static void want_ack(struct engine *e, struct group *g, uint32_t num)
{
	if (g->mcast_ack_at == NEVER) {
		g->mcast_ack_at = e->now + ACK_DELAY;
		timer_touch(e, &g->timer);
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
	slot_packet(e, g, g->parent, t, payload, len);
	if (!group_alive(g))
		return;
	if (has_result(e, g, t->num))
		want_ack(e, g, t->num);
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
	packet_fill(g, &g->edges[g->parent], &t, TALLY_KIND_ACK);
	t.flags = TALLY_TCH_F_MULTICAST;
	t.num = g->mcast_top;
	packet_send(e, g, &g->edges[g->parent], &t, &ack, sizeof(ack));
}

void multicast_ack(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
		   uint64_t seen)
{
	uint32_t i;

	for (i = 0; i < 64; i++) {
		uint32_t num = t->num - i;
		struct slot *s = slot_of(e, g, num);

		if ((seen >> i & 1) && has_slot(g, num) && s->state == TALLY_SEG_BUSY &&
		    multicast_applies(g, s))
			s->down_todo &= ~contributor_bit(idx);
	}
}
