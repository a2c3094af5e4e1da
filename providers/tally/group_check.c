// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Checks of a group's description that neither the kernel nor the device can make, or for which
 * they would name another field. The device checks everything else.
 */
#include "group_check.h"

#include <string.h>

#include "tally.h"
#include "why.h"

bool tally_is_root(const struct tallydv_group_attr *attr)
{
	return tally_is_tree_alone(attr) ? !attr->parent : !attr->node;
}

/* Checks the choice of a mode; 0 leaves it to the group. */
static int check_choice(const struct tally_call *call, const struct tallydv_group_attr *attr,
			unsigned int i)
{
	const struct tallydv_mode_choice *choice = &attr->choice[i];
	uint32_t opcode = TALLY_OPCODE_ALLREDUCE + i;
	uint8_t modes = tally_group_modes(attr);
	const struct {
		uint8_t mode;
		const char *name;
	} column[] = {
		{ choice->small, "small" }, { choice->middle, "middle" }, { choice->large, "large" },
	};

	if (choice->reserved[0] || choice->reserved[1] || choice->reserved[2])
		return tally_refuse(call, EINVAL, "choice: entry %u: reserved: is not 0", i);
	for (unsigned int k = 0; k < sizeof(column) / sizeof(column[0]); k++)
		if (column[k].mode && !tally_ops_mode_offers(modes, column[k].mode, opcode))
			return tally_refuse(call, EINVAL, "choice: entry %u: %s: is %u, and must be one of modes that offers %s, or 0",
					    i, column[k].name, column[k].mode,
					    tallydv_opcode_str(opcode));
	if (choice->small_log > TALLY_MAX_CHOICE_LOG)
		return tally_refuse(call, EINVAL, "choice: entry %u: small_log: is %u, and must be at most %u",
				    i, choice->small_log, TALLY_MAX_CHOICE_LOG);
	if (choice->middle_log > TALLY_MAX_CHOICE_LOG)
		return tally_refuse(call, EINVAL, "choice: entry %u: middle_log: is %u, and must be at most %u",
				    i, choice->middle_log, TALLY_MAX_CHOICE_LOG);
	return 0;
}

static int check_modes(const struct tally_call *call, const struct tallydv_group_attr *attr)
{
	int err = 0;

	if (!tally_mode_bit(attr->mode))
		return tally_refuse(call, EINVAL, "mode: is %u, and must be TREE, EXCHANGE or RING",
				    attr->mode);
	if (attr->modes & ~(TALLY_MODES_TREE | TALLY_MODES_EXCHANGE | TALLY_MODES_RING))
		return tally_refuse(call, EINVAL, "modes: is %#x, and must be of TREE, EXCHANGE and RING",
				    attr->modes);
	if (attr->modes && !(attr->modes & tally_mode_bit(attr->mode)))
		return tally_refuse(call, EINVAL, "mode: is %u, and must be one of modes, %#x",
				    attr->mode, attr->modes);
	for (unsigned int i = 0; !err && i < TALLYDV_NUM_CHOICES; i++)
		err = check_choice(call, attr, i);
	return err;
}

/* Checks the members that all further checks depend on. */
static int check_place(const struct tally_call *call, const struct tallydv_group_attr *attr)
{
	if (!attr->num_nodes || attr->num_nodes > TALLY_MAX_NODES)
		return tally_refuse(call, EINVAL, "num_nodes: is %u, and must be 1 to %u",
				    attr->num_nodes, TALLY_MAX_NODES);
	if (attr->node >= attr->num_nodes)
		return tally_refuse(call, EINVAL, "node: is %u, and must be below num_nodes, %u",
				    attr->node, attr->num_nodes);
	if (!tally_is_tree_alone(attr) && attr->num_children)
		return tally_refuse(call, EINVAL, "num_children: is for TREE; elsewhere all neighbours are peers");
	if (!(tally_group_modes(attr) & TALLY_MODES_TREE) && attr->parent)
		return tally_refuse(call, EINVAL, "parent: is for TREE; elsewhere all neighbours are peers");
	return 0;
}

/*
 * Checks the members that only the root may set. In a group of TREE alone, the root is the node
 * without a parent.
 */
static int check_root(const struct tally_call *call, const struct tallydv_group_attr *attr)
{
	bool root = tally_is_root(attr), below = tally_group_modes(attr) & TALLY_MODES_TREE && !root;

	if (root && attr->parent)
		return tally_refuse(call, EINVAL, "parent: is not NULL at node 0, the root of a group of several modes");

	if (!root && attr->flags & TALLY_GROUP_F_ROOT)
		return tally_refuse(call, EINVAL, "flags: ROOT is set by the library, at a tree's node without a parent or at node 0");
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
	 * Every node before this one has a rank. A missing rank_first would silently misplace
	 * blocks.
	 */
	if (!(attr->flags & TALLY_GROUP_F_SPARSE) && tally_group_rank_first(attr) < attr->node)
		return tally_refuse(call, EINVAL, "rank_first: is %u, and must be at least node, %u, because every earlier node has a rank",
				    attr->rank_first, attr->node);
	if (attr->rounds > TALLY_MAX_ROUNDS)
		return tally_refuse(call, EINVAL, "rounds: is %u, and must be at most %u", attr->rounds,
				    TALLY_MAX_ROUNDS);
	return 0;
}

/* ---- Neighbours ---- */
/*
 * Returns the i-th neighbour in the order children, peers, parent, or NULL after the last one.
 * Writes its name to `whose`.
 */
static const struct tallydv_neighbour *neighbour(const struct tallydv_group_attr *attr,
						 unsigned int i, char *whose, size_t size)
{
	tally_neighbour_name(whose, size, attr, i);
	if (i < attr->num_children)
		return &attr->children[i];
	i -= attr->num_children;
	if (i < attr->num_peers)
		return &attr->peers[i];
	return i == attr->num_peers ? attr->parent : NULL;
}

/*
 * Compares two GIDs. A zero GID equals none, because the device refuses it with a better sentence.
 */
static bool is_gid(const union ibv_gid *gid, const union ibv_gid *other)
{
	static const union ibv_gid none;

	return !memcmp(gid, other, sizeof(*gid)) && memcmp(gid, &none, sizeof(none));
}

/* Only a child for which this node has no other role knows it by no index. */
static bool has_index(const struct tallydv_group_attr *attr, const struct tallydv_neighbour *n)
{
	if (n->remote_index < TALLY_MAX_CONTRIBUTORS)
		return true;
	return !tally_has_one_mode(attr) && n->roles & TALLY_ROLE_CHILD &&
	       n->remote_index == TALLY_CONTRIB_PARENT;
}

static bool is_peer(const struct tallydv_group_attr *attr, unsigned int i)
{
	return i >= attr->num_children && i < (unsigned int)attr->num_children + attr->num_peers;
}

/* `own` is this node's GID, or zero if it is not known. */
static int check_neighbour(const struct tally_call *call, const struct tallydv_group_attr *attr,
			   unsigned int i, const union ibv_gid *own)
{
	char whose[TALLY_WHOSE_SIZE], other[TALLY_WHOSE_SIZE];
	const struct tallydv_neighbour *n = neighbour(attr, i, whose, sizeof(whose));

	if (!tally_has_mac(n))
		return tally_refuse(call, EINVAL, "%smac: is 0, and gid is not a link-local GID that contains a MAC",
				    whose);
	if (is_peer(attr, i) && !has_index(attr, n))
		return tally_refuse(call, EINVAL, "%sremote_index: is %u, and must be below %u", whose,
				    n->remote_index, TALLY_MAX_CONTRIBUTORS);
	if (is_gid(&n->gid, own))
		return tally_refuse(call, EINVAL, "%sgid: is this node's own", whose);
	/* A peer may have several edges to this node, one for each purpose. */
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
	int err = check_modes(call, attr);

	if (!err)
		err = check_place(call, attr);
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
