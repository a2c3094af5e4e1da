// SPDX-License-Identifier: BSD-2-Clause
/* Packets of kind OPEN, as far as they are formed and compared in hardware. */
#include "engine/open.h"
#include "engine/common.h"
#include "engine/encap.h"

#include <endian.h>
#include <string.h>

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
	    be32toh(o->flags) != (g->flags & ~TALLY_GROUP_F_ROOT))
		return false;
	if (node == g->node)
		return false;
	return !ed->count || (node >= ed->first && node - ed->first < ed->count);
}

void open_send(struct engine *e, struct group *g, struct edge *ed, const struct tally_tch_open *of)
{
	const struct fw_command *c = &e->command;
	const struct tally_tch_open o = {
		.nonce = htobe64(ed->nonce),
		.echo = c->challenge ? of->nonce : htobe64(ed->peer_nonce),
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
		.key = c->challenge ? 0 : htobe32(ed->key),
		.group_key = c->epoch ? htobe32(g->mcast_key) : 0,
	};
	struct tch t;

	packet_fill(g, ed, &t, TALLY_KIND_OPEN);
	t.flags = c->flags;
	t.epoch = c->epoch;
	t.key = 0; /* OPEN is trusted by its nonce alone */
	packet_send(e, g, ed, &t, &o, sizeof(o));
}
