// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Whether a process's description of a group makes sense. The device checks it again; here each
 * field gets a message that names it.
 */
#include <linux/etherdevice.h>
#include <linux/log2.h>

#include "ib.h"

#define KNOWN_FLAGS (TALLY_GROUP_F_ROOT | TALLY_GROUP_F_ORDERED | TALLY_GROUP_F_MULTICAST | \
		     TALLY_GROUP_F_SPARSE)
#define MAX_TOTAL_RANKS (TALLY_MAX_NODES * TALLY_MAX_RANKS)
#define MIN_MTU 256
#define MAX_RETRY_LIMIT 255
#define MAX_RTO_US 1000000

/* A field at fault: name it, the value and what would do. */
#define bad_field(dev, jid, name, value, rule) \
	tally_refuse(&(dev)->ibdev, -EINVAL, "group %#x: " name " is %#llx, must be " rule, jid, \
		     (u64)(value))

/* Flags that the device must be capable of. */
static u32 impossible_flags(const struct tally_ibdev *dev)
{
	u64 caps = dev->tdev->caps.caps;

	return (caps & TALLY_CAP_ORDERED ? 0 : TALLY_GROUP_F_ORDERED) |
	       (caps & TALLY_CAP_MULTICAST ? 0 : TALLY_GROUP_F_MULTICAST);
}

static int check_identity(struct tally_ibdev *dev, const struct tally_ureq_group *req)
{
	bool root = req->flags & TALLY_GROUP_F_ROOT;

	if (!req->jid)
		return bad_field(dev, req->jid, "jid", req->jid, "other than 0");
	if (req->reserved)
		return bad_field(dev, req->jid, "reserved", req->reserved, "0");
	if (req->flags & ~KNOWN_FLAGS)
		return bad_field(dev, req->jid, "flags", req->flags, "of known bits");
	if (req->flags & impossible_flags(dev))
		return bad_field(dev, req->jid, "flags", req->flags,
				 "without what the device does not offer");
	if (req->mode < TALLY_MODE_TREE || req->mode > TALLY_MODE_SWITCH)
		return bad_field(dev, req->jid, "mode", req->mode, "a known one");
	/* Capability bits of the modes come in the order of the modes. */
	if (!(dev->tdev->caps.caps & TALLY_CAP_TREE << (req->mode - TALLY_MODE_TREE)))
		return bad_field(dev, req->jid, "mode", req->mode, "one that the device offers");
	if (!req->num_nodes || req->num_nodes > TALLY_MAX_NODES)
		return bad_field(dev, req->jid, "num_nodes", req->num_nodes, "in range");
	if (req->node >= req->num_nodes)
		return bad_field(dev, req->jid, "node", req->node, "below num_nodes");
	if (!req->epoch == root)
		return bad_field(dev, req->jid, "epoch", req->epoch,
				 "0, but other than 0 at the root");
	return 0;
}

static int check_ranks(struct tally_ibdev *dev, const struct tally_ureq_group *req)
{
	u64 possible = GENMASK_ULL(dev->tdev->caps.max_ranks - 1, 0);
	u32 local = hweight64(req->rank_mask);

	if (req->rank_mask & ~possible)
		return bad_field(dev, req->jid, "rank_mask", req->rank_mask,
				 "of ranks that the device has");
	if (req->owner_ranks & ~req->rank_mask)
		return bad_field(dev, req->jid, "owner_ranks", req->owner_ranks,
				 "a subset of rank_mask");
	if (!local && !(req->flags & TALLY_GROUP_F_SPARSE))
		return bad_field(dev, req->jid, "rank_mask", req->rank_mask,
				 "other than 0 unless the group is SPARSE");
	if (req->total_ranks < max(local, 1U) || req->total_ranks > MAX_TOTAL_RANKS)
		return bad_field(dev, req->jid, "total_ranks", req->total_ranks,
				 "at least the number of local ranks, and 1, and no more than nodes can have");
	if (req->rank_first > req->total_ranks - local)
		return bad_field(dev, req->jid, "rank_first", req->rank_first,
				 "such that all local ranks are below total_ranks");
	return 0;
}

static int check_limits(struct tally_ibdev *dev, const struct tally_ureq_group *req)
{
	if (req->timeout_ms < TALLY_MIN_TIMEOUT_MS || req->timeout_ms > TALLY_MAX_TIMEOUT_MS)
		return bad_field(dev, req->jid, "timeout_ms", req->timeout_ms,
				 "in the device's range");
	if (!is_power_of_2(req->mtu) || req->mtu < MIN_MTU || req->mtu > dev->tdev->caps.mtu)
		return bad_field(dev, req->jid, "mtu", req->mtu,
				 "a power of two from 256 to the device's MTU");
	if (req->retry_limit > MAX_RETRY_LIMIT)
		return bad_field(dev, req->jid, "retry_limit", req->retry_limit, "at most 255");
	if (req->rto_us > MAX_RTO_US)
		return bad_field(dev, req->jid, "rto_us", req->rto_us, "at most a second");
	return 0;
}

/* The last edge of a node that is not the root leads to its parent. */
static unsigned int num_contributors(const struct tally_ureq_group *req, unsigned int num_edges)
{
	return num_edges - !(req->flags & TALLY_GROUP_F_ROOT);
}

static int check_num_edges(struct tally_ibdev *dev, const struct tally_ureq_group *req,
			   unsigned int num_edges)
{
	bool root = req->flags & TALLY_GROUP_F_ROOT;

	if (!root && !num_edges)
		return bad_field(dev, req->jid, "number of edges", num_edges,
				 "at least 1, the parent's, unless this is the root");
	if (num_contributors(req, num_edges) > dev->tdev->caps.max_contributors)
		return bad_field(dev, req->jid, "number of contributors",
				 num_contributors(req, num_edges), "what the device takes");
	if (!num_contributors(req, num_edges) && !req->rank_mask)
		return bad_field(dev, req->jid, "rank_mask", req->rank_mask,
				 "other than 0 where there is no contributor");
	return 0;
}

/* What ORDERED holds back until the last one has come finds room. */
static int check_cells(struct tally_ibdev *dev, const struct tally_ureq_group *req,
		       unsigned int num_edges)
{
	u32 held = hweight64(req->rank_mask) + num_contributors(req, num_edges);

	if (req->msg_cells > TALLY_MAX_GROUP_CELLS)
		return bad_field(dev, req->jid, "msg_cells", req->msg_cells,
				 "at most " __stringify(TALLY_MAX_GROUP_CELLS));
	if (req->flags & TALLY_GROUP_F_ORDERED && req->msg_cells < held)
		return bad_field(dev, req->jid, "msg_cells", req->msg_cells,
				 "at least the local ranks and contributors if ORDERED");
	return 0;
}

static int check_subtree(struct tally_ibdev *dev, const struct tally_ureq_group *req,
			 const struct tally_group_edge *edge)
{
	u32 first = le16_to_cpu(edge->subtree_first);
	u32 count = le16_to_cpu(edge->subtree_count);

	if (!count || first + count > req->num_nodes)
		return bad_field(dev, req->jid, "an edge's subtree", first << 16 | count,
				 "of 1 and more nodes of the group");
	if (req->node >= first && req->node < first + count)
		return bad_field(dev, req->jid, "an edge's subtree", first << 16 | count,
				 "without this node");
	return 0;
}

static int check_subtree_ranks(struct tally_ibdev *dev, const struct tally_ureq_group *req,
			       const struct tally_group_edge *edge)
{
	u32 first = le32_to_cpu(edge->rank_first), count = le32_to_cpu(edge->rank_count);
	bool sparse = req->flags & TALLY_GROUP_F_SPARSE;

	if (count > req->total_ranks || first > req->total_ranks - count)
		return bad_field(dev, req->jid, "an edge's rank_first and rank_count",
				 (u64)first << 32 | count, "of ranks of the group");
	/* A subtree without any rank has no reason to be there. */
	if (count < (sparse ? 1 : le16_to_cpu(edge->subtree_count)))
		return bad_field(dev, req->jid, "an edge's rank_count", count,
				 "1 at least, and unless the group is SPARSE 1 for each node");
	return 0;
}

/* A contributor that is no child: a neighbour of triggered descriptors, outside the tree. */
static bool is_peer(const struct tally_group_edge *edge)
{
	return le16_to_cpu(edge->remote_index) != TALLY_CONTRIB_PARENT;
}

static int check_peer(struct tally_ibdev *dev, const struct tally_ureq_group *req,
		      const struct tally_group_edge *edge)
{
	if (edge->subtree_first || edge->subtree_count)
		return bad_field(dev, req->jid, "a peer's subtree",
				 (u32)le16_to_cpu(edge->subtree_first) << 16 |
				 le16_to_cpu(edge->subtree_count), "0");
	if (edge->rank_first || edge->rank_count)
		return bad_field(dev, req->jid, "a peer's rank_first and rank_count",
				 (u64)le32_to_cpu(edge->rank_first) << 32 |
				 le32_to_cpu(edge->rank_count), "0");
	return 0;
}

static int check_edge(struct tally_ibdev *dev, const struct tally_ureq_group *req,
		      const struct tally_group_edge *edge, bool is_parent)
{
	u16 remote = le16_to_cpu(edge->remote_index);

	if (edge->rsvd0 || edge->rsvd1 || edge->rsvd2)
		return bad_field(dev, req->jid, "an edge's reserved field",
				 edge->rsvd0 | le16_to_cpu(edge->rsvd1) | le64_to_cpu(edge->rsvd2),
				 "0");
	if (!memchr_inv(edge->gid, 0, sizeof(edge->gid)) || !is_valid_ether_addr(edge->mac))
		return tally_refuse(&dev->ibdev, -EINVAL,
				    "group %#x: an edge leads to GID %pI6 at %pM, no station's address",
				    req->jid, edge->gid, edge->mac);
	if (remote > TALLY_CONTRIB_PARENT)
		return bad_field(dev, req->jid, "an edge's remote_index", remote,
				 "a contributor's index or CONTRIB_PARENT");
	if (is_parent)
		return 0;
	if (is_peer(edge))
		return check_peer(dev, req, edge);
	return check_subtree(dev, req, edge) ?: check_subtree_ranks(dev, req, edge);
}

static bool overlap(u32 first, u32 count, u32 other_first, u32 other_count)
{
	return first < other_first + other_count && other_first < first + count;
}

/* Whether ranks of a subtree are this node's, or those of a subtree before it. */
static bool ranks_twice(const struct tally_ureq_group *req, const struct tally_group_edge *edges,
			unsigned int n)
{
	u32 first = le32_to_cpu(edges[n].rank_first), count = le32_to_cpu(edges[n].rank_count);
	unsigned int i;

	if (overlap(first, count, req->rank_first, hweight64(req->rank_mask)))
		return true;
	for (i = 0; i < n; i++)
		if (overlap(first, count, le32_to_cpu(edges[i].rank_first),
			    le32_to_cpu(edges[i].rank_count)))
			return true;
	return false;
}

/*
 * Ranks are counted node by node: this node's and those of its subtrees are consecutive, and at the
 * root they are all. Called when each of them is within total_ranks.
 */
static int check_numbering(struct tally_ibdev *dev, const struct tally_ureq_group *req,
			   const struct tally_group_edge *edges, unsigned int num)
{
	u32 sum = hweight64(req->rank_mask), low = req->rank_first, high = low + sum;
	unsigned int i;

	for (i = 0; i < num; i++) {
		u32 first = le32_to_cpu(edges[i].rank_first);
		u32 count = le32_to_cpu(edges[i].rank_count);

		if (is_peer(&edges[i]))
			continue;
		if (ranks_twice(req, edges, i))
			return bad_field(dev, req->jid, "an edge's rank_first and rank_count",
					 (u64)first << 32 | count, "of ranks that nobody else has");
		sum += count;
		low = min(low, first);
		high = max(high, first + count);
	}
	if (high - low != sum)
		return bad_field(dev, req->jid, "rank_first", req->rank_first,
				 "such that the ranks here and below are consecutive");
	if (req->flags & TALLY_GROUP_F_ROOT && sum != req->total_ranks)
		return bad_field(dev, req->jid, "total_ranks", req->total_ranks,
				 "at the root the ranks of all nodes");
	return 0;
}

/**
 * tally_check_group() - Check a process's description of a group.
 * @dev: device
 * @req: the description
 * @edges: its neighbours
 * @num_edges: how many
 *
 * Return: 0, or -EINVAL, reported by the field's name.
 */
int tally_check_group(struct tally_ibdev *dev, const struct tally_ureq_group *req,
		      const struct tally_group_edge *edges, unsigned int num_edges)
{
	unsigned int i;
	int err;

	err = check_identity(dev, req) ?: check_ranks(dev, req) ?: check_limits(dev, req) ?:
	      check_num_edges(dev, req, num_edges) ?: check_cells(dev, req, num_edges);
	for (i = 0; !err && i < num_edges; i++)
		err = check_edge(dev, req, &edges[i], i == num_contributors(req, num_edges));
	return err ?: check_numbering(dev, req, edges, num_contributors(req, num_edges));
}
