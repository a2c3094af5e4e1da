// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What is wrong with the description of a group, as far as neither kernel nor device sees it, or
 * they would blame something else. Whether the rest makes sense is for the device to say.
 */
#include "group_check.h"

#include <string.h>

#include "tally.h"
#include "why.h"

bool tally_is_root(const struct tallydv_group_attr *attr)
{
	return attr->mode == TALLY_MODE_TREE ? !attr->parent : !attr->node;
}

/* Everything else is judged by these. */
static int check_place(const struct tally_call *call, const struct tallydv_group_attr *attr)
{
	if (attr->mode < TALLY_MODE_TREE || attr->mode > TALLY_MODE_RING)
		return tally_refuse(call, EINVAL, "mode: is %u, and must be TREE, EXCHANGE or RING",
				    attr->mode);
	if (!attr->num_nodes || attr->num_nodes > TALLY_MAX_NODES)
		return tally_refuse(call, EINVAL, "num_nodes: is %u, and must be 1 to %u",
				    attr->num_nodes, TALLY_MAX_NODES);
	if (attr->node >= attr->num_nodes)
		return tally_refuse(call, EINVAL, "node: is %u, and must be below num_nodes, %u",
				    attr->node, attr->num_nodes);
	if (attr->mode != TALLY_MODE_TREE && attr->num_children)
		return tally_refuse(call, EINVAL, "num_children: is for TREE; elsewhere all neighbours are peers");
	if (attr->mode != TALLY_MODE_TREE && attr->parent)
		return tally_refuse(call, EINVAL, "parent: is for TREE; elsewhere all neighbours are peers");
	return 0;
}

/* What the root has, in a tree the one without a parent. */
static int check_root(const struct tally_call *call, const struct tallydv_group_attr *attr)
{
	bool root = tally_is_root(attr), below = attr->mode == TALLY_MODE_TREE && !root;

	if (!root && attr->flags & TALLY_GROUP_F_ROOT)
		return tally_refuse(call, EINVAL, "flags: ROOT is set by the library, at a tree's node without parent or at node 0");
	if (!root && attr->epoch)
		return tally_refuse(call, EINVAL, "epoch: is for the root only: the tree's, or node 0");
	if (!attr->level != !below)
		return tally_refuse(call, EINVAL, "level: is %u, and must be %s", attr->level,
				    below ? "1 or more below a tree's root" :
					    "0 at a tree's root, in EXCHANGE and in RING");
	return 0;
}

static int check_numbers(const struct tally_call *call, const struct tallydv_group_attr *attr)
{
	/*
	 * Every node before this one has a rank. A number left out would misplace blocks,
	 * silently.
	 */
	if (!(attr->flags & TALLY_GROUP_F_SPARSE) && tally_group_rank_first(attr) < attr->node)
		return tally_refuse(call, EINVAL, "rank_first: %u is less than there are nodes before this one; nodes differ in ranks",
				    attr->rank_first);
	if (attr->rounds > TALLY_MAX_ROUNDS)
		return tally_refuse(call, EINVAL, "rounds: %u is more than %u", attr->rounds,
				    TALLY_MAX_ROUNDS);
	return 0;
}

/* ---- Neighbours ---- */
/* The i-th neighbour: children, peers, the parent; NULL behind the last. Says which in `whose`. */
static const struct tallydv_neighbour *neighbour(const struct tallydv_group_attr *attr,
						 unsigned int i, char *whose, size_t size)
{
	tally_whose_neighbour(whose, size, attr, i);
	if (i < attr->num_children)
		return &attr->children[i];
	i -= attr->num_children;
	if (i < attr->num_peers)
		return &attr->peers[i];
	return i == attr->num_peers ? attr->parent : NULL;
}

/* A GID of zeroes is no station's, which the device says. */
static bool is_gid(const union ibv_gid *gid, const union ibv_gid *other)
{
	static const union ibv_gid none;

	return !memcmp(gid, other, sizeof(*gid)) && memcmp(gid, &none, sizeof(none));
}

static bool is_peer(const struct tallydv_group_attr *attr, unsigned int i)
{
	return i >= attr->num_children && i < (unsigned int)attr->num_children + attr->num_peers;
}

/* `own`: this node's GID, zero if it is not known. */
static int check_neighbour(const struct tally_call *call, const struct tallydv_group_attr *attr,
			   unsigned int i, const union ibv_gid *own)
{
	char whose[TALLY_WHOSE_SIZE], other[TALLY_WHOSE_SIZE];
	const struct tallydv_neighbour *n = neighbour(attr, i, whose, sizeof(whose));

	if (!tally_has_mac(n))
		return tally_refuse(call, EINVAL, "%smac: is 0, and gid is not a link-local one made of a MAC",
				    whose);
	if (is_peer(attr, i) && n->remote_index >= TALLY_MAX_CONTRIBUTORS)
		return tally_refuse(call, EINVAL, "%sremote_index: is %u, and must be below %u", whose,
				    n->remote_index, TALLY_MAX_CONTRIBUTORS);
	if (is_gid(&n->gid, own))
		return tally_refuse(call, EINVAL, "%sgid: is this node's own", whose);
	/* A peer may be several things to this node, each at an edge of its own. */
	for (unsigned int k = 0; k < i && !is_peer(attr, i); k++)
		if (!is_peer(attr, k) &&
		    is_gid(&n->gid, &neighbour(attr, k, other, sizeof(other))->gid))
			return tally_refuse(call, EINVAL, "%sgid: is that of another neighbour, %.*s",
					    whose, (int)strlen(other) - 2, other);
	return 0;
}

int tally_check_group(const struct tally_call *call, const struct tallydv_group_attr *attr)
{
	union ibv_gid own;
	char whose[TALLY_WHOSE_SIZE];
	int err = check_place(call, attr);

	if (!err)
		err = check_root(call, attr);
	if (!err)
		err = check_numbers(call, attr);
	if (ibv_query_gid(call->context, 1, 0, &own))
		memset(&own, 0, sizeof(own));
	for (unsigned int i = 0; !err && neighbour(attr, i, whose, sizeof(whose)); i++)
		err = check_neighbour(call, attr, i, &own);
	return err;
}
