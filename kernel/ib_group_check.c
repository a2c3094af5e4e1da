// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Whether a process's description of a group makes sense. The device checks it again; here each
 * field gets a message that names it. ib_edge_check.c looks at the neighbours.
 */
#include <linux/log2.h>
#include <net/ipv6.h>

#include "ib_group_check.h"

#define KNOWN_FLAGS (TALLY_GROUP_F_ROOT | TALLY_GROUP_F_ORDERED | TALLY_GROUP_F_MULTICAST | \
		     TALLY_GROUP_F_SPARSE | TALLY_GROUP_F_UNIFORM)
#define MAX_TOTAL_RANKS (TALLY_MAX_NODES * TALLY_MAX_RANKS)
#define MIN_MTU 256

/* Flags that the device must be capable of. */
static u32 impossible_flags(const struct tally_ibdev *dev)
{
	u64 caps = dev->tdev->caps.caps;

	return (caps & TALLY_CAP_ORDERED ? 0 : TALLY_GROUP_F_ORDERED) |
	       (caps & TALLY_CAP_MULTICAST ? 0 : TALLY_GROUP_F_MULTICAST);
}

static int check_identity(const struct tally_group_check *c)
{
	const struct tally_ureq_group *req = c->req;
	bool root = req->flags & TALLY_GROUP_F_ROOT;

	if (!req->jid)
		return bad_field(c, jid, "other than 0");
	if (req->reserved)
		return bad_field(c, reserved, "0");
	if (req->flags & ~KNOWN_FLAGS)
		return bad_field(c, flags, "of known bits");
	if (req->flags & impossible_flags(c->dev))
		return bad_field(c, flags, "without what the device does not offer");
	if (req->mode < TALLY_MODE_TREE || req->mode > TALLY_MODE_RING)
		return bad_field(c, mode, "TREE, EXCHANGE or RING");
	/* Capability bits of the modes come in the order of the modes. */
	if (!(c->dev->tdev->caps.caps & TALLY_CAP_TREE << (req->mode - TALLY_MODE_TREE)))
		return bad_field(c, mode, "one that the device offers");
	if (!req->num_nodes || req->num_nodes > TALLY_MAX_NODES)
		return bad_field(c, num_nodes, "in range");
	if (req->node >= req->num_nodes)
		return bad_field(c, node, "below num_nodes");
	if (!is_tree(req) && root != !req->node)
		return bad_field(c, flags, "with ROOT at node 0 alone unless the mode is TREE");
	if (!req->epoch == root)
		return bad_field(c, epoch, "0, but other than 0 at the root");
	return 0;
}

static int check_rounds(const struct tally_group_check *c)
{
	const struct tally_ureq_group *req = c->req;
	bool some = req->mode == TALLY_MODE_EXCHANGE && req->num_nodes > 1;

	if (req->rounds > TALLY_MAX_ROUNDS || some != !!req->rounds)
		return bad_field(c, rounds, "from 1 to " __stringify(TALLY_MAX_ROUNDS)
				 " in EXCHANGE with more nodes than one, else 0");
	return 0;
}

/* @room: segments that the group's range has */
static int check_segs(const struct tally_group_check *c, u32 room)
{
	const struct tally_ureq_group *req = c->req;
	u32 segs = tally_group_num_segs(req, room);

	if (!segs || segs > room / max_t(u32, req->rounds, 1))
		return bad_address(c, num_segs,
				   "the segment range has %u, too few for %u in each of %u rounds",
				   room, segs, req->rounds);
	if (!is_power_of_2(segs))
		return bad_value(c, num_segs, "num_segs", segs, "a power of two");
	return 0;
}

/* By what address results come down, and from whom. */
static int check_multicast(const struct tally_group_check *c)
{
	const struct tally_ureq_group *req = c->req;
	const struct in6_addr *from = (const struct in6_addr *)req->source_gid;
	const struct in6_addr *to = (const struct in6_addr *)req->mcast_gid;
	union ib_gid own;

	if (!is_tree(req))
		return bad_field(c, flags, "without MULTICAST unless the mode is TREE");
	if (!ipv6_addr_is_multicast(to))
		return bad_address(c, mcast_gid, "mcast_gid is %pI6c, must be in ff00::/8", to);
	if (ipv6_addr_any(from) || ipv6_addr_is_multicast(from))
		return bad_address(c, source_gid, "source_gid is %pI6c, no station's address", from);
	tally_ib_query_gid(&c->dev->ibdev, 1, 0, &own);
	if (req->flags & TALLY_GROUP_F_ROOT && memcmp(from, own.raw, sizeof(own)))
		return bad_address(c, source_gid,
				   "source_gid is %pI6c, must be the root's own, %pI6c", from,
				   own.raw);
	return 0;
}

static int check_way_down(const struct tally_group_check *c)
{
	const struct tally_ureq_group *req = c->req;

	if (req->flags & TALLY_GROUP_F_MULTICAST)
		return check_multicast(c);
	if (memchr_inv(req->mcast_gid, 0, sizeof(req->mcast_gid)) ||
	    memchr_inv(req->source_gid, 0, sizeof(req->source_gid)))
		return bad_address(c, mcast_gid,
				   "mcast_gid is %pI6c, source_gid %pI6c, must be 0 without MULTICAST",
				   req->mcast_gid, req->source_gid);
	return 0;
}

static int check_ranks(const struct tally_group_check *c)
{
	const struct tally_ureq_group *req = c->req;
	u64 possible = GENMASK_ULL(c->dev->tdev->caps.max_ranks - 1, 0);
	u32 local = hweight64(req->rank_mask);

	if (req->rank_mask & ~possible)
		return bad_field(c, rank_mask, "of ranks that the device has");
	if (req->owner_ranks & ~req->rank_mask)
		return bad_field(c, owner_ranks, "a subset of rank_mask");
	if (req->flags & TALLY_GROUP_F_SPARSE && !is_tree(req))
		return bad_field(c, flags, "without SPARSE unless the mode is TREE");
	if (!local && !(req->flags & TALLY_GROUP_F_SPARSE))
		return bad_field(c, rank_mask, "other than 0 unless the group is SPARSE");
	if (req->total_ranks < max(local, 1U) || req->total_ranks > MAX_TOTAL_RANKS)
		return bad_field(c, total_ranks, "at least the number of local ranks, and 1, and no more than nodes can have");
	if (req->rank_first > req->total_ranks - local)
		return bad_field(c, rank_first, "such that all local ranks are below total_ranks");
	if (req->flags & TALLY_GROUP_F_UNIFORM &&
	    (!local || local * req->num_nodes != req->total_ranks ||
	     local * req->node != req->rank_first))
		return bad_field(c, flags, "without UNIFORM unless total_ranks and rank_first say that all nodes have as many ranks");
	return 0;
}

/* How long a neighbour that does not answer is asked again. */
static int check_retries(const struct tally_group_check *c)
{
	const struct tally_ureq_group *req = c->req;
	u32 retries = req->retry_limit ?: TALLY_DEFAULT_RETRY_LIMIT;
	u32 rto = req->rto_us ?: TALLY_DEFAULT_RTO_US;

	if (retries > TALLY_MAX_RETRIES)
		return bad_field(c, retry_limit, "at most " __stringify(TALLY_MAX_RETRIES));
	if (rto > TALLY_MAX_RTO_US)
		return bad_field(c, rto_us, "at most " __stringify(TALLY_MAX_RTO_US));
	if (retries * rto > TALLY_MAX_RETRY_MS * USEC_PER_MSEC)
		return bad_field(c, rto_us,
				 "times retry_limit at most " __stringify(TALLY_MAX_RETRY_MS) " ms");
	return 0;
}

static int check_limits(const struct tally_group_check *c)
{
	const struct tally_ureq_group *req = c->req;

	if (req->timeout_ms < TALLY_MIN_TIMEOUT_MS || req->timeout_ms > TALLY_MAX_TIMEOUT_MS)
		return bad_field(c, timeout_ms, "in the device's range");
	if (!is_power_of_2(req->mtu) || req->mtu < MIN_MTU || req->mtu > c->dev->tdev->caps.mtu)
		return bad_field(c, mtu, "a power of two from 256 to the device's MTU");
	return check_retries(c);
}

/*
 * Cells for what the oldest chunk holds back until the last one has come: where the order is fixed,
 * every input of a reduction. EXCHANGE fixes it always, and has a reduction in each round.
 */
static u32 cells_needed(const struct tally_ureq_group *req, const struct tally_group_edge *edges,
			unsigned int num_edges)
{
	u32 held = hweight64(req->rank_mask);
	unsigned int i;

	if (req->mode == TALLY_MODE_EXCHANGE)
		held += req->rounds;
	else if (!(req->flags & TALLY_GROUP_F_ORDERED))
		return 0;
	if (is_tree(req))
		return held + num_contributors(req, num_edges);
	for (i = 0; i < num_edges; i++)
		held += edge_has(&edges[i], TALLY_ROLE_IN);
	return held;
}

static int check_cells(const struct tally_group_check *c,
		       const struct tally_group_edge *edges, unsigned int num_edges)
{
	const struct tally_ureq_group *req = c->req;

	if (req->msg_cells > TALLY_MAX_GROUP_CELLS)
		return bad_field(c, msg_cells, "at most " __stringify(TALLY_MAX_GROUP_CELLS));
	if (req->msg_cells < cells_needed(req, edges, num_edges))
		return bad_field(c, msg_cells, "at least the inputs of all reductions, as the order is fixed");
	return 0;
}

/**
 * tally_group_num_segs() - Segments that each round of a group gets.
 * @req: the description, of which rounds has been checked
 * @room: segments of the group's range
 *
 * Return: what the description says, or by default the largest power of two that finds room; 0 if
 * none does.
 */
u32 tally_group_num_segs(const struct tally_ureq_group *req, u32 room)
{
	u32 share = room / max_t(u32, req->rounds, 1);

	return req->num_segs || !share ? req->num_segs : rounddown_pow_of_two(share);
}

/**
 * tally_check_group() - Check a process's description of a group.
 * @c: the description, and where to tell what is wrong with it
 * @room: segments of the group's range
 * @edges: its neighbours
 * @num_edges: how many
 *
 * Return: 0 or -EINVAL; the field is named with dynamic debug.
 */
int tally_check_group(const struct tally_group_check *c, u32 room,
		      const struct tally_group_edge *edges, unsigned int num_edges)
{
	return check_identity(c) ?: check_rounds(c) ?: check_segs(c, room) ?:
	       check_way_down(c) ?: check_ranks(c) ?: check_limits(c) ?:
	       tally_check_num_edges(c, num_edges) ?:
	       tally_check_edges(c, edges, num_edges) ?:
	       check_cells(c, edges, num_edges);
}
