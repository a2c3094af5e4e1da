// SPDX-License-Identifier: BSD-2-Clause
/* The configuration of groups and edges, which the firmware writes. */
#include "engine/registers_setup.h"

#include <endian.h>
#include <string.h>

#define AT(block, field) __builtin_offsetof(struct tally_fw_##block, field)
#define WRITE(block, field, to)                                                                    \
	case AT(block, field):                                                                     \
		(to) = value;                                                                      \
		return true
/* A register of an array is written by a function of its index. */
#define IN(block, field) (at - AT(block, field) < sizeof(((struct tally_fw_##block *)0)->field))
#define INDEX(block, field) ((at - AT(block, field)) / 4)

/* Write word i of an address, the first byte in the low byte of the first word. */
static bool write_bytes(uint8_t *bytes, size_t len, uint32_t i, uint32_t value)
{
	const uint32_t word = htole32(value);

	memcpy(bytes + 4 * i, &word, len - 4 * i < 4 ? len - 4 * i : 4);
	return true;
}

static bool write_modes(struct choice *c, uint32_t value)
{
	c->small = value;
	c->middle = value >> 8;
	c->large = value >> 16;
	return true;
}

static bool write_logs(struct choice *c, uint32_t value)
{
	c->small_log = value;
	c->middle_log = value >> 8;
	return true;
}

static bool array_write(struct group *g, uint32_t at, uint32_t value)
{
	if (IN(setup, source_gid))
		return write_bytes(g->source_gid, 16, INDEX(setup, source_gid), value);
	if (IN(setup, mcast_gid))
		return write_bytes(g->mcast.gid, 16, INDEX(setup, mcast_gid), value);
	if (IN(setup, mcast_mac))
		return write_bytes(g->mcast.mac, 6, INDEX(setup, mcast_mac), value);
	if (IN(setup, choice_modes))
		return write_modes(&g->choice[INDEX(setup, choice_modes)], value);
	if (IN(setup, choice_logs))
		return write_logs(&g->choice[INDEX(setup, choice_logs)], value);
	return false;
}

/* The hardware multiplies by the inverses, and subtracts multiples of the divisor itself. */
static bool divisor_write(struct group *g, uint32_t at, uint32_t value)
{
	switch (at) {
	WRITE(setup, nodes_inverse, g->by_nodes.inverse);
	WRITE(setup, nodes_shift, g->by_nodes.shift);
	WRITE(setup, ranks_inverse, g->by_ranks.inverse);
	WRITE(setup, ranks_shift, g->by_ranks.shift);
	WRITE(setup, segs_inverse, g->by_segs.inverse);
	WRITE(setup, segs_shift, g->by_segs.shift);
	default:
		return array_write(g, at, value);
	}
}

static bool setup_write(struct group *g, uint32_t at, uint64_t value)
{
	switch (at) {
	case AT(setup, max_segs):
		g->max_segs = g->by_segs.n = value;
		return true;
	WRITE(setup, jid, g->jid);
	WRITE(setup, mode, g->mode);
	WRITE(setup, rank_first, g->rank_first);
	WRITE(setup, subtree_first, g->subtree_first);
	WRITE(setup, msg_cells, g->msg_cells);
	WRITE(setup, all_edges, g->num_edges);
	WRITE(setup, left, g->left);
	WRITE(setup, right, g->right);
	default:
		return divisor_write(g, at, value);
	}
}

static bool round_write(struct round *r, uint32_t at, uint64_t value)
{
	switch (at) {
	WRITE(round, ins, r->ins);
	WRITE(round, outs, r->outs);
	WRITE(round, own, r->own);
	WRITE(round, parts, r->parts);
	WRITE(round, base, r->base);
	WRITE(round, rank_first, r->rank_first);
	WRITE(round, rank_count, r->rank_count);
	default:
		return false;
	}
}

static bool ranks_write(struct group *g, uint32_t at, uint64_t value)
{
	switch (at) {
	case AT(group, num_nodes):
		g->num_nodes = g->by_nodes.n = value;
		return true;
	case AT(group, total_ranks):
		g->total_ranks = g->by_ranks.n = value;
		return true;
	WRITE(group, node, g->node);
	WRITE(group, level, g->level);
	WRITE(group, subtree_ranks, g->subtree_ranks);
	WRITE(group, rank_mask, g->rank_mask);
	WRITE(group, attached, g->attached);
	WRITE(group, gone, g->gone);
	WRITE(group, num_edges, g->num_contributors);
	WRITE(group, parent, g->parent);
	WRITE(group, upstream, g->upstream);
	WRITE(group, children, g->children);
	WRITE(group, exchange_ins, g->exchange_ins);
	WRITE(group, combined, g->contributors);
	WRITE(group, peers, g->peers);
	default:
		return false;
	}
}

bool setup_group_write(struct group *g, uint32_t at, uint64_t value)
{
	uint32_t round = (at - TALLY_FW_ROUND_OFFSET) / TALLY_FW_ROUND_STRIDE;

	if (at >= TALLY_FW_ROUND_OFFSET)
		return round <= TALLY_MAX_ROUNDS &&
		       round_write(&g->round[round],
				   (at - TALLY_FW_ROUND_OFFSET) % TALLY_FW_ROUND_STRIDE, value);
	if (at >= TALLY_FW_SETUP_OFFSET)
		return setup_write(g, at - TALLY_FW_SETUP_OFFSET, value);
	switch (at) {
	WRITE(group, flags, g->flags);
	WRITE(group, mtu, g->mtu);
	WRITE(group, chunk, g->chunk);
	WRITE(group, plan, g->plan);
	WRITE(group, num_segs, g->num_segs);
	WRITE(group, modes, g->modes);
	WRITE(group, rounds, g->rounds);
	WRITE(group, retry_limit, g->retry_limit);
	WRITE(group, timeout, g->timeout);
	WRITE(group, rto, g->rto);
	WRITE(group, max_backoff, g->max_backoff);
	WRITE(group, destroyed, g->destroyed);
	default:
		return ranks_write(g, at, value);
	}
}

static bool neighbour_write(struct edge *ed, uint32_t at, uint64_t value)
{
	if (IN(neighbour, gid))
		return write_bytes(ed->addr.gid, 16, INDEX(neighbour, gid), value);
	if (IN(neighbour, mac))
		return write_bytes(ed->addr.mac, 6, INDEX(neighbour, mac), value);
	switch (at) {
	WRITE(neighbour, remote_index, ed->remote_index);
	WRITE(neighbour, roles, ed->roles);
	WRITE(neighbour, round, ed->round);
	WRITE(neighbour, position, ed->position);
	WRITE(neighbour, rank_first, ed->rank_first);
	WRITE(neighbour, part_first, ed->part_first);
	WRITE(neighbour, part_count, ed->part_count);
	default:
		return false;
	}
}

bool setup_edge_write(struct edge *ed, uint32_t at, uint64_t value)
{
	if (at >= TALLY_FW_NEIGHBOUR_OFFSET)
		return neighbour_write(ed, at - TALLY_FW_NEIGHBOUR_OFFSET, value);
	switch (at) {
	WRITE(edge, subtree_first, ed->first);
	WRITE(edge, subtree_count, ed->count);
	WRITE(edge, rank_count, ed->rank_count);
	default:
		return false;
	}
}
