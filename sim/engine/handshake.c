// SPDX-License-Identifier: BSD-2-Clause
/*
 * Opening of edges. Each side repeats OPEN with its own nonce until it has seen that nonce echoed
 * and both sides know the same epoch. The epoch comes down the tree, or from one neighbour in a group without a tree. A node
 * that does not know the epoch sends 0 and takes the neighbour's. An edge is open at this end once
 * the neighbour has proved to be alive and to agree; the flag CONFIRM in an answer tells the
 * neighbour so. This side repeats OPEN until CONFIRM arrives, so that a neighbour that knows an
 * earlier life of this group notices the new one.
 *
 * OPEN also tells the key that all other packets to its sender carry from then on.
 */
#include "engine/handshake.h"
#include "engine/common.h"
#include "engine/encap.h"
#include "engine/exception.h"
#include "engine/kill.h"
#include "engine/random.h"
#include "engine/timer.h"

#include <endian.h>
#include <string.h>

void handshake_begin(struct engine *e, const struct group *g, struct edge *ed)
{
	ed->state = TALLY_EDGE_OPENING;
	do
		ed->nonce = engine_random(e);
	while (!ed->nonce);
	ed->key = engine_key(e);
	ed->peer_nonce = ed->peer_key = 0;
	ed->tx_una = ed->tx_next = engine_random(e);
	ed->tx_held = 0;
	ed->chunk_top = ed->chunk_sent = 0;
	ed->peer_done = ed->told_done = 0;
	ed->peer_limit = ed->told_limit = g->num_segs;
	ed->retries = ed->probes = 0;
	ed->kill = KILL_NONE;
	ed->unconfirmed = ed->awaits_epoch = false;
	ed->open_at = e->now;
	ed->open_wait = OPEN_FIRST;
	ed->rto_at = ed->ack_at = ed->announce_at = ed->probe_at = NEVER;
	timer_touch(e, &ed->timer);
}

static void send_open(struct engine *e, struct group *g, struct edge *ed, uint64_t echo,
		      uint16_t flags)
{
	struct tally_tch_open o = {
		.nonce = htobe64(ed->nonce),
		.echo = htobe64(echo),
		.first_seq = htobe32(ed->tx_una),
		.num_segs = htobe16(g->num_segs),
		.node = htobe16(g->node),
		.mtu = htobe32(g->mtu),
		.modes = g->modes,
		.rounds = g->rounds,
		.num_nodes = htobe16(g->num_nodes),
		.total_ranks = htobe32(g->total_ranks),
		.flags = htobe32(g->flags & ~TALLY_GROUP_F_ROOT),
		.plan = htobe32(g->plan),
		.chunk = htobe32(g->chunk),
	};
	/*
	 * A challenge opens nothing: a neighbour that was created anew must not enter the old
	 * epoch.
	 */
	bool challenge = ed->state == TALLY_EDGE_OPEN && echo != ed->peer_nonce;
	struct tch t;

	packet_fill(g, ed, &t, TALLY_KIND_OPEN);
	t.flags = flags;
	t.key = 0; /* OPEN is trusted by its nonce alone */
	/* A group that has ended tells its epoch without the key, so that its KILL is accepted. */
	t.epoch = challenge || (group_alive(g) && !knows_epoch(g)) ? 0 : g->epoch;
	if (!challenge)
		o.key = htobe32(ed->key);
	if (t.epoch)
		o.group_key = htobe32(g->mcast_key);
	packet_send(e, g, ed, &t, &o, sizeof(o));
}

void handshake_timer(struct engine *e, struct group *g, unsigned int idx)
{
	struct edge *ed = &g->edges[idx];

	if ((ed->state != TALLY_EDGE_OPENING && !ed->unconfirmed) || ed->open_at > e->now)
		return;
	send_open(e, g, ed, ed->peer_nonce, 0);
	ed->open_at = e->now + ed->open_wait;
	ed->open_wait = ed->open_wait * 2 < OPEN_MAX ? ed->open_wait * 2 : OPEN_MAX;
}

void handshake_hurry(struct engine *e, struct edge *ed)
{
	uint64_t soon = e->now + OPEN_FIRST;

	ed->open_wait = OPEN_FIRST;
	if (ed->open_at > soon)
		ed->open_at = soon;
	timer_touch(e, &ed->timer);
}

static bool same_config(const struct group *g, const struct edge *ed,
			const struct tally_tch_open *o)
{
	uint16_t node = be16toh(o->node);

	/* the limits of a subtree count together, from the beginning on */
	if (has_multicast(g) && be16toh(o->num_segs) != g->num_segs)
		return false;
	if (be32toh(o->chunk) != g->chunk || o->rounds != g->rounds || be32toh(o->mtu) != g->mtu ||
	    o->modes != g->modes || be32toh(o->plan) != g->plan ||
	    be16toh(o->num_nodes) != g->num_nodes ||
	    be32toh(o->total_ranks) != g->total_ranks ||
	    be32toh(o->flags) != (g->flags & ~TALLY_GROUP_F_ROOT))
		return false;
	if (node == g->node)
		return false;
	return !ed->count || (node >= ed->first && node - ed->first < ed->count);
}

static void all_open(struct group *g)
{
	unsigned int i;

	for_each_edge(g, i)
		if (g->edges[i].state == TALLY_EDGE_OPENING)
			return;
	if (g->state == TALLY_GROUP_OPENING)
		g->state = TALLY_GROUP_OPEN;
}

/* After a reset the command has given the epoch, but the key still comes from upstream. */
static bool learn_epoch(struct group *g, unsigned int idx, const struct tch *t,
			const struct tally_tch_open *o)
{
	if (knows_epoch(g) || idx != g->upstream || !t->epoch ||
	    (g->epoch && g->epoch != t->epoch))
		return false;
	g->epoch = t->epoch;
	g->mcast_key = be32toh(o->group_key);
	return true;
}

/* The neighbour has proved to be alive: agree on the epoch and open the edge. */
static void confirmed(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
		      const struct tally_tch_open *o)
{
	struct edge *ed = &g->edges[idx];
	unsigned int i;

	if (!same_config(g, ed, o)) {
		/* The neighbour must see the mismatch too. */
		send_open(e, g, ed, be64toh(o->nonce), 0);
		exception_raise(e, g, TALLY_COLL_CONFIG_MISMATCH, contributor_bit(idx), 0, 0, 0);
		return;
	}
	if (learn_epoch(g, idx, t, o))
		for_each_edge(g, i) { /* the other neighbours wait for the epoch */
			g->edges[i].open_at = e->now;
			timer_touch(e, &g->edges[i].timer);
		}
	ed->awaits_epoch = !knows_epoch(g) || !t->epoch;
	if (ed->awaits_epoch || g->epoch != t->epoch)
		return;
	ed->state = TALLY_EDGE_OPEN;
	ed->peer_limit = be16toh(o->num_segs);
	ed->unconfirmed = true;
	handshake_hurry(e, ed);
	ed->rx_top = be32toh(o->first_seq) - 1;
	ed->rx_seen = ~0ULL; /* numbers before the first must not come */
	all_open(g);
}

/*
 * Whether an epoch that has ended may concern the neighbour with this nonce. If the neighbour was
 * heard of before, only that life of it is concerned. If not, it may be late for this epoch, or
 * early for the next group. If the group is destroyed and never had an epoch, the neighbour is left
 * to the next group.
 */
static bool concerns(const struct group *g, const struct edge *ed, uint64_t nonce)
{
	if (ed->peer_nonce)
		return nonce == ed->peer_nonce;
	return g->epoch || !g->destroyed;
}

/*
 * The epoch has ended here, or the group is buried. A neighbour that has not seen the edge open
 * gets an answer, so that it sees the edge open and can compare the configuration. If the edge was
 * never open here, the neighbour would wait until its time limit, so it also gets a KILL.
 */
static void answer_late(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
			const struct tally_tch_open *o)
{
	struct edge *ed = &g->edges[idx];
	bool knows_us = be64toh(o->echo) == ed->nonce;
	uint64_t nonce = be64toh(o->nonce);

	if ((t->flags & TALLY_TCH_F_CONFIRM) || !concerns(g, ed, nonce))
		return;
	ed->peer_nonce = nonce;
	ed->peer_key = be32toh(o->key);
	if (knows_us)
		learn_epoch(g, idx, t, o);
	send_open(e, g, ed, nonce, TALLY_TCH_F_CONFIRM);
	if (ed->state == TALLY_EDGE_OPEN || g->report.status == TALLY_COLL_CONFIG_MISMATCH)
		return;
	if (g->ended_well)
		kill_peer_gone(g);
	if (ed->peer_key && ed->kill != KILL_SENDING)
		kill_tell(e, g, ed); /* repeated: an open edge asks no more */
}

bool handshake_packet(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
		      const void *payload)
{
	struct edge *ed = &g->edges[idx];
	struct tally_tch_open o;
	uint64_t nonce;
	bool was_open, echoed;

	memcpy(&o, payload, sizeof(o));
	nonce = be64toh(o.nonce);
	if (!group_alive(g)) {
		answer_late(e, g, idx, t, &o);
		return false;
	}
	echoed = be64toh(o.echo) == ed->nonce;
	was_open = ed->state == TALLY_EDGE_OPEN;
	/* An OPEN with CONFIRM may be the late answer of an earlier life, which had ended. */
	if (was_open && nonce != ed->peer_nonce && echoed && !(t->flags & TALLY_TCH_F_CONFIRM)) {
		exception_raise(e, g, TALLY_COLL_EPOCH_CHANGED, contributor_bit(idx), 0, 0, 0);
		return false;
	}
	if (!was_open) {
		ed->peer_nonce = nonce;
		ed->peer_key = be32toh(o.key);
		if (echoed)
			confirmed(e, g, idx, t, &o);
	}
	if (!group_alive(g))
		return false;
	if (t->flags & TALLY_TCH_F_CONFIRM) {
		if (echoed && nonce == ed->peer_nonce && ed->state == TALLY_EDGE_OPEN)
			ed->unconfirmed = false;
	} else if (ed->state == TALLY_EDGE_OPEN && nonce == ed->peer_nonce) {
		send_open(e, g, ed, nonce, TALLY_TCH_F_CONFIRM);
	} else if (!echoed) { /* the neighbour does not have our nonce yet */
		send_open(e, g, ed, nonce, 0);
	}
	return !was_open && ed->state == TALLY_EDGE_OPEN;
}
