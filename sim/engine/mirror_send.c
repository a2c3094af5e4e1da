// SPDX-License-Identifier: BSD-2-Clause
/*
 * Packets of the firmware that the host sends, and what it forms them from; what the host compares an OPEN with.
 */
#include "engine/common.h"
#include "engine/mirror.h"
#include "engine/mirror_put.h"
#include "engine/tombstone.h"

static void put_group(struct engine *e, uint32_t reg, const struct group *g)
{
	put(e, reg + AT(group, mtu), g->mtu);
	put(e, reg + AT(group, chunk), g->chunk);
	put(e, reg + AT(group, plan), g->plan);
	put(e, reg + AT(group, num_segs), g->num_segs);
	put(e, reg + AT(group, node), g->node);
	put(e, reg + AT(group, num_nodes), g->num_nodes);
	put(e, reg + AT(group, modes), g->modes);
	put(e, reg + AT(group, rounds), g->rounds);
	put(e, reg + AT(group, total_ranks), g->total_ranks);
}

/* Others write its gid, nonces and key, and in a group its first number. */
static void put_edge(struct engine *e, uint32_t reg, const struct edge *ed)
{
	const uint32_t next = reg + TALLY_FW_NEIGHBOUR_OFFSET;

	put_mac(e, next + AT(neighbour, mac), ed->addr.mac);
	put(e, next + AT(neighbour, remote_index), ed->remote_index);
}

static void put_subtree(struct engine *e, uint32_t reg, const struct edge *ed)
{
	put(e, reg + AT(edge, subtree_first), ed->first);
	put(e, reg + AT(edge, subtree_count), ed->count);
}

void mirror_packets(struct engine *e, const struct group *g)
{
	unsigned int i;

	if (host_sends(e, g) || host_compares(e))
		put_group(e, reg_of_group(e, g), g);
	for_each_edge(g, i) {
		const struct edge *ed = &g->edges[i];
		const uint32_t reg = reg_of_edge(e, g, ed);

		if (host_compares(e))
			put_subtree(e, reg, ed);
		if (!host_sends(e, g))
			continue;
		put_edge(e, reg, ed);
		if (is_tombstone(e, g))
			put(e, reg + AT(edge, own_first_seq), ed->own_first_seq);
	}
}

void mirror_compared(struct engine *e, const struct group *g, const struct edge *ed)
{
	const uint32_t reg = reg_of_edge(e, g, ed);

	if (!host_compares(e))
		return;
	put(e, reg + AT(edge, peer_key), ed->peer_key);
	put(e, reg + AT(edge, unconfirmed), ed->unconfirmed);
	put(e, reg + AT(edge, awaits_epoch), ed->awaits_epoch);
}

#define COMMAND(field) (TALLY_FW_COMMAND_BASE + AT(command, field))

static void put_command(struct engine *e, const struct fw_command *c)
{
	uint32_t i;

	put(e, COMMAND(kind), c->kind);
	put(e, COMMAND(flags), c->flags);
	put(e, COMMAND(epoch), c->epoch);
	put(e, COMMAND(key), c->key);
	put(e, COMMAND(mid), c->mid);
	put(e, COMMAND(sid), c->sid);
	put(e, COMMAND(length), c->length);
	for (i = 0; 4 * i < c->length; i++)
		put(e, COMMAND(data) + 4 * i, c->data[i]);
}

/* An OPEN consists of what is in the tables, and of the nonce that a challenge echoes. */
void mirror_send(struct engine *e, uint32_t go)
{
	if ((go & 0xff) == TALLY_FW_CMD_SEND)
		put_command(e, &e->command);
	put(e, COMMAND(go), go);
}
