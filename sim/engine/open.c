// SPDX-License-Identifier: BSD-2-Clause
/* Packets of kind OPEN, as far as they are formed and compared in hardware. */
#include "engine/open.h"
#include "engine/common.h"
#include "engine/encap.h"

#include <endian.h>
#include <string.h>

/* Flags in which nodes need not agree. */
#define OF_ONE_NODE (TALLY_GROUP_F_ROOT | TALLY_GROUP_F_SHARED)

struct tally_tch_open open_of(const struct fw_event *ev)
{
	struct tally_tch_open o;

	memcpy(&o, ev->data, sizeof(o));
	return o;
}

bool open_agrees(const struct group *g, const struct edge *ed, const struct tally_tch_open *o)
{
	uint16_t node = be16toh(o->node);

	/* the limits of a subtree count together, from the beginning on */
	if (has_multicast(g) && be16toh(o->num_segs) != g->num_segs)
		return false;
	if (be32toh(o->chunk) != g->chunk || o->rounds != g->rounds || be32toh(o->mtu) != g->mtu ||
	    o->modes != g->modes || be32toh(o->plan) != g->plan ||
	    be16toh(o->num_nodes) != g->num_nodes || be32toh(o->total_ranks) != g->total_ranks ||
	    be32toh(o->flags) != (g->flags & ~OF_ONE_NODE))
		return false;
	if (node == g->node)
		return false;
	return !ed->count || (node >= ed->first && node - ed->first < ed->count);
}

uint32_t open_state(const struct group *g, const struct edge *ed, const struct fw_event *ev)
{
	const struct tally_tch_open o = open_of(ev);
	bool known = be64toh(o.nonce) == ed->peer_nonce;
	bool learned = known && be32toh(o.key) == ed->peer_key;
	uint32_t sum = 0;

	sum |= known ? TALLY_FW_OPEN_KNOWN : 0;
	sum |= learned ? TALLY_FW_OPEN_LEARNED : 0;
	sum |= be64toh(o.echo) == ed->nonce ? TALLY_FW_OPEN_ECHOED : 0;
	sum |= open_agrees(g, ed, &o) ? TALLY_FW_OPEN_AGREES : 0;
	sum |= ev->flags & TALLY_TCH_F_CONFIRM ? TALLY_FW_OPEN_CONFIRM : 0;
	sum |= ev->epoch ? TALLY_FW_OPEN_EPOCH : 0;
	sum |= ev->epoch && ev->epoch == g->epoch ? TALLY_FW_OPEN_SAME_EPOCH : 0;
	sum |= ed->state == TALLY_EDGE_OPEN ? TALLY_FW_OPEN_EDGE : 0;
	sum |= ed->unconfirmed ? TALLY_FW_OPEN_UNCONFIRMED : 0;
	sum |= ed->awaits_epoch == 1 ? TALLY_FW_OPEN_AWAITS : 0;
	sum |= group_alive(g) ? TALLY_FW_OPEN_ALIVE : 0;
	sum |= knows_epoch(g) ? TALLY_FW_OPEN_KNOWS_EPOCH : 0;
	return sum;
}

/*
 * Return the epoch that an OPEN tells; 0: none. A challenge opens nothing: a neighbour that was
 * created anew must not enter the old epoch. A group that has ended tells its epoch without the key
 * of results by multicast, so that its KILL is accepted.
 */
static uint32_t told_epoch(const struct group *g, bool challenge)
{
	return challenge || (group_alive(g) && !knows_epoch(g)) ? 0 : g->epoch;
}

void open_send(struct engine *e, struct group *g, struct edge *ed, enum tally_fw_command_code code,
	       const struct tally_tch_open *of)
{
	bool challenge = code == TALLY_FW_CMD_CHALLENGE;
	uint32_t epoch = told_epoch(g, challenge);
	const struct tally_tch_open o = {
		.nonce = htobe64(ed->nonce),
		.echo = challenge ? of->nonce : htobe64(ed->peer_nonce),
		.first_seq = htobe32(ed->tx_una),
		.num_segs = htobe16(g->num_segs),
		.node = htobe16(g->node),
		.mtu = htobe32(g->mtu),
		.modes = g->modes,
		.rounds = g->rounds,
		.num_nodes = htobe16(g->num_nodes),
		.total_ranks = htobe32(g->total_ranks),
		.flags = htobe32(g->flags & ~OF_ONE_NODE),
		.plan = htobe32(g->plan),
		.chunk = htobe32(g->chunk),
		.key = challenge ? 0 : htobe32(ed->key),
		.group_key = epoch ? htobe32(g->mcast_key) : 0,
	};
	struct tch t;

	packet_fill(g, ed, &t, TALLY_KIND_OPEN);
	t.flags = code == TALLY_FW_CMD_CONFIRM ? TALLY_TCH_F_CONFIRM : 0;
	t.epoch = epoch;
	t.key = 0; /* OPEN is trusted by its nonce alone */
	packet_send(e, g, ed, &t, &o, sizeof(o));
}
