// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Whether a process's description of a group makes sense. The device checks it again; here each
 * field gets a message that names it.
 */
#include <linux/etherdevice.h>
#include <linux/log2.h>

#include "ib.h"

#define KNOWN_FLAGS (TALLY_GROUP_F_ROOT | TALLY_GROUP_F_ORDERED | TALLY_GROUP_F_MULTICAST)
#define MIN_MTU 256
#define MAX_RETRY_LIMIT 255
#define MAX_RTO_US 1000000

/* A field at fault: name it, the value and what would do. */
#define bad_field(dev, jid, name, value, rule) \
	tally_refuse(&(dev)->ibdev, -EINVAL, "group %#x: " name " is %#llx, must be " rule, jid, \
		     (u64)(value))

static int check_identity(struct tally_ibdev *dev, const struct tally_ureq_group *req)
{
	bool root = req->flags & TALLY_GROUP_F_ROOT;

	if (!req->jid)
		return bad_field(dev, req->jid, "jid", req->jid, "other than 0");
	if (req->reserved)
		return bad_field(dev, req->jid, "reserved", req->reserved, "0");
	if (req->flags & ~KNOWN_FLAGS)
		return bad_field(dev, req->jid, "flags", req->flags, "of known bits");
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

	if (req->rank_mask & ~possible)
		return bad_field(dev, req->jid, "rank_mask", req->rank_mask,
				 "of ranks that the device has");
	if (req->owner_ranks & ~req->rank_mask)
		return bad_field(dev, req->jid, "owner_ranks", req->owner_ranks,
				 "a subset of rank_mask");
	if (req->total_ranks < max(hweight64(req->rank_mask), 1UL))
		return bad_field(dev, req->jid, "total_ranks", req->total_ranks,
				 "at least the number of local ranks, and 1");
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

static int check_edge(struct tally_ibdev *dev, const struct tally_ureq_group *req,
		      const struct tally_group_edge *edge, bool is_parent)
{
	u16 remote = le16_to_cpu(edge->remote_index);

	if (edge->rsvd0 || edge->rsvd1)
		return bad_field(dev, req->jid, "an edge's reserved field",
				 edge->rsvd0 | le16_to_cpu(edge->rsvd1), "0");
	if (!memchr_inv(edge->gid, 0, sizeof(edge->gid)) || !is_valid_ether_addr(edge->mac))
		return tally_refuse(&dev->ibdev, -EINVAL,
				    "group %#x: an edge leads to GID %pI6 at %pM, no station's address",
				    req->jid, edge->gid, edge->mac);
	if (remote > TALLY_CONTRIB_PARENT)
		return bad_field(dev, req->jid, "an edge's remote_index", remote,
				 "a contributor's index or CONTRIB_PARENT");
	return is_parent ? 0 : check_subtree(dev, req, edge);
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
	      check_num_edges(dev, req, num_edges);
	for (i = 0; !err && i < num_edges; i++)
		err = check_edge(dev, req, &edges[i], i == num_contributors(req, num_edges));
	return err;
}
