// SPDX-License-Identifier: BSD-2-Clause
#include "engine/common.h"
#include "engine/open.h"

#include "open_model.h"

#include <endian.h>
#include <string.h>

void open_agreeing(const struct open_group *g, const struct open_edge *ed, uint16_t node, struct open_packet *p)
{
	const struct tally_tch_open o = {
		.nonce = htobe64(ed->peer_nonce),
		.echo = htobe64(ed->nonce),
		.num_segs = htobe16(g->num_segs),
		.node = htobe16(node),
		.mtu = htobe32(g->mtu),
		.modes = g->modes,
		.rounds = g->rounds,
		.num_nodes = htobe16(g->num_nodes),
		.total_ranks = htobe32(g->total_ranks),
		.flags = htobe32(g->flags & ~(TALLY_GROUP_F_ROOT | TALLY_GROUP_F_SHARED)),
		.key = htobe32(ed->peer_key),
		.plan = htobe32(g->plan),
		.chunk = htobe32(g->chunk),
	};

	memset(p->data, 0, sizeof(p->data));
	memcpy(p->data, &o, sizeof(o));
}

uint32_t open_model(const struct open_group *g, const struct open_edge *ed, const struct open_packet *p)
{
	static struct group group;
	static struct edge edge;
	struct fw_event ev = { .type = TALLY_FW_EV_OPEN, .flags = p->flags, .epoch = p->epoch };

	group.flags = g->flags;
	group.chunk = g->chunk;
	group.mtu = g->mtu;
	group.plan = g->plan;
	group.total_ranks = g->total_ranks;
	group.num_nodes = g->num_nodes;
	group.node = g->node;
	group.num_segs = g->num_segs;
	group.modes = g->modes;
	group.rounds = g->rounds;
	group.epoch = g->epoch;
	group.mcast_key = g->key;
	group.state = g->alive ? TALLY_GROUP_OPEN : TALLY_GROUP_COLLECT;
	edge.first = ed->first;
	edge.count = ed->count;
	edge.nonce = ed->nonce;
	edge.peer_nonce = ed->peer_nonce;
	edge.peer_key = ed->peer_key;
	edge.state = ed->state;
	edge.unconfirmed = ed->unconfirmed;
	edge.awaits_epoch = ed->awaits_epoch;
	memcpy(ev.data, p->data, sizeof(ev.data));
	return open_state(&group, &edge, &ev);
}
