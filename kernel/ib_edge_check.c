// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Whether the neighbours that a process gives a group make sense: in a tree children, peers and the
 * parent, else edges with roles.
 */
#include <linux/bitmap.h>
#include <linux/etherdevice.h>

#include "ib_group_check.h"

/**
 * struct group_edges - What is checked.
 * @c: the group
 * @req: description of the group
 * @edge: its neighbours
 * @num: how many
 */
struct group_edges {
	const struct tally_group_check *c;
	const struct tally_ureq_group *req;
	const struct tally_group_edge *edge;
	unsigned int num;
};

static void blame_edge(const struct group_edges *g, unsigned int n, u32 offset, u64 value)
{
	g->c->why->where = TALLY_WHY_EDGE;
	g->c->why->edge = n;
	g->c->why->offset = offset;
	g->c->why->value = value;
}

/* A field of edge n at fault, or several from there on: name it, the value and what would do. */
#define bad_edge(g, n, field, name, val, rule) ({ \
	u64 __value = (val); \
\
	blame_edge(g, n, offsetof(struct tally_ureq_edge, field), __value); \
	refuse_group((g)->c, "edge %u: " name " is %#llx, must be " rule, n, __value); \
})

static u64 ranks_of(const struct tally_group_edge *edge)
{
	return (u64)le32_to_cpu(edge->rank_first) << 32 | le32_to_cpu(edge->rank_count);
}

static u32 subtree_of(const struct tally_group_edge *edge)
{
	return (u32)le16_to_cpu(edge->subtree_first) << 16 | le16_to_cpu(edge->subtree_count);
}

static bool overlap(u32 first, u32 count, u32 other_first, u32 other_count)
{
	return first < other_first + other_count && other_first < first + count;
}

/* ---- Any edge ---- */

/* The address whose field is at fault. */
static int bad_station(const struct group_edges *g, unsigned int n)
{
	const struct tally_group_edge *edge = &g->edge[n];
	bool gid = memchr_inv(edge->gid, 0, sizeof(edge->gid));

	blame_edge(g, n, gid ? offsetof(struct tally_ureq_edge, mac) :
			       offsetof(struct tally_ureq_edge, gid), 0);
	return refuse_group(g->c, "edge %u leads to GID %pI6 at %pM, no station's address", n,
			    edge->gid, edge->mac);
}

static int check_address(const struct group_edges *g, unsigned int n)
{
	const struct tally_group_edge *edge = &g->edge[n];
	u16 remote = le16_to_cpu(edge->remote_index);

	if (edge->rsvd2)
		return bad_edge(g, n, reserved, "the reserved field", le64_to_cpu(edge->rsvd2), "0");
	if (!memchr_inv(edge->gid, 0, sizeof(edge->gid)) || !is_valid_ether_addr(edge->mac))
		return bad_station(g, n);
	if (remote > TALLY_CONTRIB_PARENT)
		return bad_edge(g, n, remote_index, "remote_index", remote,
				"a contributor's index or CONTRIB_PARENT");
	return 0;
}

static int check_no_subtree(const struct group_edges *g, unsigned int n)
{
	if (subtree_of(&g->edge[n]))
		return bad_edge(g, n, subtree_first, "the subtree", subtree_of(&g->edge[n]),
				"0 unless it leads to a child in a tree");
	return 0;
}

static int check_no_ranks(const struct group_edges *g, unsigned int n)
{
	if (ranks_of(&g->edge[n]))
		return bad_edge(g, n, rank_first, "rank_first and rank_count", ranks_of(&g->edge[n]),
				"0 unless ranks' data come by it");
	return 0;
}

static int check_range(const struct group_edges *g, unsigned int n, u32 at_least)
{
	u32 first = le32_to_cpu(g->edge[n].rank_first), count = le32_to_cpu(g->edge[n].rank_count);

	if (count > g->req->total_ranks || first > g->req->total_ranks - count)
		return bad_edge(g, n, rank_first, "rank_first and rank_count", ranks_of(&g->edge[n]),
				"of ranks of the group");
	if (count < at_least)
		return bad_edge(g, n, rank_count, "rank_count", count,
				"1 at least, and unless the group is SPARSE 1 for each node");
	return 0;
}

/* ---- TREE ---- */

/* A contributor that is no child: a neighbour of triggered descriptors, outside the tree. */
static bool is_peer(const struct tally_group_edge *edge)
{
	return le16_to_cpu(edge->remote_index) != TALLY_CONTRIB_PARENT;
}

static int check_subtree(const struct group_edges *g, unsigned int n)
{
	u32 first = le16_to_cpu(g->edge[n].subtree_first);
	u32 count = le16_to_cpu(g->edge[n].subtree_count);

	if (!count || first + count > g->req->num_nodes)
		return bad_edge(g, n, subtree_first, "the subtree", subtree_of(&g->edge[n]),
				"of 1 and more nodes of the group");
	if (g->req->node >= first && g->req->node < first + count)
		return bad_edge(g, n, subtree_first, "the subtree", subtree_of(&g->edge[n]), "without this node");
	/* A subtree without any rank has no reason to be there. */
	return check_range(g, n, g->req->flags & TALLY_GROUP_F_SPARSE ? 1 : count);
}

static int check_tree_edge(const struct group_edges *g, unsigned int n)
{
	const struct tally_group_edge *edge = &g->edge[n];

	if (edge->round || edge->position || edge->roles)
		return bad_edge(g, n, roles, "round, position and roles",
				edge->round << 24 | edge->position << 16 | le16_to_cpu(edge->roles),
				"0 in a tree");
	if (n == num_contributors(g->req, g->num))
		return 0;
	if (is_peer(edge))
		return check_no_subtree(g, n) ?: check_no_ranks(g, n);
	return check_subtree(g, n);
}

/* Whether ranks of a subtree are this node's, or those of a subtree before it. */
static bool ranks_twice(const struct group_edges *g, unsigned int n)
{
	u32 first = le32_to_cpu(g->edge[n].rank_first), count = le32_to_cpu(g->edge[n].rank_count);
	unsigned int i;

	if (overlap(first, count, g->req->rank_first, hweight64(g->req->rank_mask)))
		return true;
	for (i = 0; i < n; i++)
		if (overlap(first, count, le32_to_cpu(g->edge[i].rank_first),
			    le32_to_cpu(g->edge[i].rank_count)))
			return true;
	return false;
}

/*
 * Ranks are counted node by node: this node's and those of its subtrees are consecutive, and at the
 * root they are all. Called when each of them is within total_ranks.
 */
static int check_tree_numbering(const struct group_edges *g)
{
	const struct tally_ureq_group *req = g->req;
	u32 sum = hweight64(req->rank_mask), low = req->rank_first, high = low + sum;
	unsigned int i;

	for (i = 0; i < num_contributors(req, g->num); i++) {
		u32 first = le32_to_cpu(g->edge[i].rank_first);
		u32 count = le32_to_cpu(g->edge[i].rank_count);

		if (is_peer(&g->edge[i]))
			continue;
		if (ranks_twice(g, i))
			return bad_edge(g, i, rank_first, "rank_first and rank_count", ranks_of(&g->edge[i]),
					"of ranks that nobody else has");
		sum += count;
		low = min(low, first);
		high = max(high, first + count);
	}
	if (high - low != sum)
		return bad_field(g->c, rank_first, "such that the ranks here and below are consecutive");
	if (req->flags & TALLY_GROUP_F_ROOT && sum != req->total_ranks)
		return bad_field(g->c, total_ranks, "at the root the ranks of all nodes");
	return 0;
}

/* ---- EXCHANGE and RING ---- */

static unsigned int count_roles(const struct group_edges *g, u16 roles)
{
	unsigned int i, count = 0;

	for (i = 0; i < g->num; i++)
		count += edge_has(&g->edge[i], roles);
	return count;
}

static int check_roles(const struct group_edges *g, unsigned int n)
{
	u16 known = TALLY_ROLE_IN | TALLY_ROLE_OUT | TALLY_ROLE_EPOCH;
	const struct tally_group_edge *edge = &g->edge[n];
	bool in_rounds = g->req->mode == TALLY_MODE_EXCHANGE &&
			 edge_has(edge, TALLY_ROLE_IN | TALLY_ROLE_OUT);

	if (!is_peer(edge))
		return bad_edge(g, n, remote_index, "remote_index", le16_to_cpu(edge->remote_index),
				"a contributor's index: only a tree has parents");
	if (le16_to_cpu(edge->roles) & ~known)
		return bad_edge(g, n, roles, "roles", le16_to_cpu(edge->roles), "of known bits");
	if (in_rounds ? !edge->round || edge->round > g->req->rounds : edge->round)
		return bad_edge(g, n, round, "round", edge->round,
				"from 1 to the group's rounds with role IN or OUT in EXCHANGE, else 0");
	if (in_rounds && edge_has(edge, TALLY_ROLE_IN))
		return check_no_subtree(g, n) ?: check_range(g, n, 1);
	if (edge->position)
		return bad_edge(g, n, position, "position", edge->position,
				"0 unless it has role IN in EXCHANGE");
	return check_no_subtree(g, n) ?: check_no_ranks(g, n);
}

/* One neighbour tells the epoch, but to node 0, which draws it. */
static int check_epoch_edges(const struct group_edges *g)
{
	unsigned int want = !(g->req->flags & TALLY_GROUP_F_ROOT);

	if (count_roles(g, TALLY_ROLE_EPOCH) != want)
		return bad_edges(g->c, "number of edges with role EPOCH",
				 count_roles(g, TALLY_ROLE_EPOCH), "1, and 0 at node 0");
	return 0;
}

/* Inputs of a round have each a place of its own, and leave one for this node's. */
static int check_positions(const struct group_edges *g, unsigned int round)
{
	DECLARE_BITMAP(taken, TALLY_MAX_CONTRIBUTORS + 1) = {};
	unsigned int i, inputs = 1;

	for (i = 0; i < g->num; i++)
		inputs += g->edge[i].round == round && edge_has(&g->edge[i], TALLY_ROLE_IN);
	for (i = 0; i < g->num; i++) {
		if (g->edge[i].round != round || !edge_has(&g->edge[i], TALLY_ROLE_IN))
			continue;
		if (g->edge[i].position >= inputs || test_and_set_bit(g->edge[i].position, taken))
			return bad_edge(g, i, position, "position", g->edge[i].position,
					"below the number of its round's inputs, and no other's");
	}
	return 0;
}

/**
 * struct covered - Ranks whose data a node has combined after some rounds.
 * @low: first one
 * @high: behind the last one
 */
struct covered {
	u32 low;
	u32 high;
};

/* Whether ranks that edge n brings are combined already, or come from one before it. */
static bool part_twice(const struct group_edges *g, unsigned int n, const struct covered *ranks)
{
	u32 first = le32_to_cpu(g->edge[n].rank_first), count = le32_to_cpu(g->edge[n].rank_count);
	unsigned int i;

	if (overlap(first, count, ranks->low, ranks->high - ranks->low))
		return true;
	for (i = 0; i < n; i++)
		if (g->edge[i].round == g->edge[n].round &&
		    overlap(first, count, le32_to_cpu(g->edge[i].rank_first),
			    le32_to_cpu(g->edge[i].rank_count)))
			return true;
	return false;
}

/*
 * The parts that a round combines are disjoint and consecutive. Called when each of them is within
 * total_ranks.
 */
static int check_parts(const struct group_edges *g, unsigned int round, struct covered *ranks)
{
	struct covered all = *ranks;
	u32 sum = all.high - all.low;
	unsigned int i;

	for (i = 0; i < g->num; i++) {
		u32 first = le32_to_cpu(g->edge[i].rank_first);
		u32 count = le32_to_cpu(g->edge[i].rank_count);

		if (g->edge[i].round != round || !count)
			continue;
		if (part_twice(g, i, ranks))
			return bad_edge(g, i, rank_first, "rank_first and rank_count", ranks_of(&g->edge[i]),
					"of ranks that come from nobody else");
		sum += count;
		all.low = min(all.low, first);
		all.high = max(all.high, first + count);
	}
	if (all.high - all.low != sum)
		return bad_edges(g->c, "number of ranks that a round combines", sum,
				 "consecutive ranks");
	*ranks = all;
	return 0;
}

static int check_exchange(const struct group_edges *g)
{
	u32 here = hweight64(g->req->rank_mask);
	struct covered ranks = { g->req->rank_first, g->req->rank_first + here };
	unsigned int round;
	int err = 0;

	for (round = 1; !err && round <= g->req->rounds; round++)
		err = check_positions(g, round) ?: check_parts(g, round, &ranks);
	if (!err && ranks.high - ranks.low != g->req->total_ranks)
		return bad_field(g->c, total_ranks, "the ranks that come together in all rounds");
	return err;
}

/* From the left, to the right; of two nodes each is both to the other. */
static int check_ring(const struct group_edges *g)
{
	unsigned int want = g->req->num_nodes > 1, both = 0, i;

	for (i = 0; i < g->num; i++)
		both += (le16_to_cpu(g->edge[i].roles) & (TALLY_ROLE_IN | TALLY_ROLE_OUT)) ==
			(TALLY_ROLE_IN | TALLY_ROLE_OUT);
	if (count_roles(g, TALLY_ROLE_IN) != want || count_roles(g, TALLY_ROLE_OUT) != want)
		return bad_edges(g->c, "numbers of edges with role IN and OUT",
				 (u64)count_roles(g, TALLY_ROLE_IN) << 32 |
				 count_roles(g, TALLY_ROLE_OUT),
				 "1 each in a RING of more nodes than one, else 0");
	if (both != (g->req->num_nodes == 2))
		return bad_edges(g->c, "number of edges with roles IN and OUT",
				 both, "1 in a RING of two nodes, else 0");
	return 0;
}

/* ---- All ---- */

/* How many there are, before any is looked at. */
int tally_check_num_edges(const struct tally_group_check *c,
			  unsigned int num_edges)
{
	const struct tally_ureq_group *req = c->req;

	if (has_parent(req) && !num_edges)
		return bad_edges(c, "number of edges", num_edges,
				 "at least 1, the parent's, unless this is the root");
	if (num_contributors(req, num_edges) > c->dev->tdev->caps.max_contributors)
		return bad_edges(c, "number of contributors",
				 num_contributors(req, num_edges), "what the device takes");
	if (!num_contributors(req, num_edges) && !req->rank_mask)
		return bad_field(c, rank_mask, "other than 0 where there is no contributor");
	return 0;
}

/* The edges themselves; called when the group and their number have been checked. */
int tally_check_edges(const struct tally_group_check *c,
		      const struct tally_group_edge *edges, unsigned int num_edges)
{
	const struct tally_ureq_group *req = c->req;
	const struct group_edges g = { .c = c, .req = c->req, .edge = edges, .num = num_edges };
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < num_edges; i++)
		err = check_address(&g, i) ?:
		      (is_tree(req) ? check_tree_edge(&g, i) : check_roles(&g, i));
	if (err)
		return err;
	if (is_tree(req))
		return check_tree_numbering(&g);
	return check_epoch_edges(&g) ?:
	       (req->mode == TALLY_MODE_RING ? check_ring(&g) : check_exchange(&g));
}
