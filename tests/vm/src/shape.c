/* SPDX-License-Identifier: BSD-2-Clause */
#include "shape.h"

#include "check.h"

/* ---- TREE ---- */
unsigned int peer_index(unsigned int at, unsigned int num_children, unsigned int to)
{
	return num_children + to - (to > at);
}

/* Fills in all other nodes as peers. Returns their number. */
static unsigned int mesh(const struct cluster *c, unsigned int node,
			 struct tallydv_neighbour *peers)
{
	struct tallydv_tree_pos pos;
	unsigned int num = 0;

	for (unsigned int i = 0; i < c->count; i++) {
		if (i == node)
			continue;
		REQUIRE(!tallydv_plan_tree(c->count, TREE_DEGREE, i, &pos), "node %u", i);
		peers[num++] = (struct tallydv_neighbour){
			.gid = c->nic[i].gid,
			.remote_index = peer_index(i, pos.num_children, node),
		};
	}
	return num;
}

static void fill_tree(struct shape *shape, struct tallydv_group_attr *attr,
		      const struct cluster *c, const struct team_spec *spec)
{
	struct tallydv_tree_pos pos;

	REQUIRE(!tallydv_plan_tree(c->count, TREE_DEGREE, attr->node, &pos), "node %u", attr->node);
	for (unsigned int i = 0; i < pos.num_children; i++)
		shape->children[i] = (struct tallydv_neighbour){
			.gid = c->nic[pos.child[i].node].gid,
			.subtree_first = pos.child[i].node,
			.subtree_count = pos.child[i].count,
		};
	shape->parent = (struct tallydv_neighbour){
		.gid = c->nic[pos.parent].gid,
		.remote_index = pos.index,
	};
	attr->level = pos.level;
	attr->num_children = pos.num_children;
	attr->children = shape->children;
	attr->parent = attr->node ? &shape->parent : NULL;
	attr->num_peers = spec->mesh ? mesh(c, attr->node, shape->peers) : 0;
	if (spec->flags & TALLY_GROUP_F_MULTICAST) {
		attr->mcast_gid = multicast_gid(spec->jid);
		attr->source_gid = c->nic[0].gid;
	}
}

/* ---- RING: the left neighbour, then the right one ---- */
static void fill_ring(struct shape *shape, struct tallydv_group_attr *attr,
		      const struct cluster *c)
{
	unsigned int n = c->count, epoch = attr->node ? TALLY_ROLE_EPOCH : 0;

	attr->num_peers = n > 2 ? 2 : n - 1;
	shape->peers[0] = (struct tallydv_neighbour){
		.gid = c->nic[(attr->node + n - 1) % n].gid,
		.remote_index = n > 2 ? 1 : 0,
		.roles = TALLY_ROLE_IN | epoch | (n > 2 ? 0 : TALLY_ROLE_OUT),
	};
	shape->peers[1] = (struct tallydv_neighbour){
		.gid = c->nic[(attr->node + 1) % n].gid,
		.roles = TALLY_ROLE_OUT,
	};
}

/* ---- EXCHANGE ---- */
struct part shape_part(const struct team_spec *spec, unsigned int num_nodes, unsigned int round,
		       unsigned int node)
{
	unsigned int size = 1, first;

	for (unsigned int r = 0; r < round; r++)
		size *= spec->radix[r];
	first = node / size * size;
	return (struct part){ first, num_nodes - first < size ? num_nodes - first : size };
}

/*
 * Returns whether `node` takes the sum of `other`, which is of another part, after the rounds
 * before `round`.
 */
static bool takes(const struct team_spec *spec, unsigned int n, unsigned int round,
		  unsigned int node, unsigned int other)
{
	struct part own = shape_part(spec, n, round - 1, node);
	struct part part = shape_part(spec, n, round - 1, other);

	return other - part.first == (node - own.first) % part.count;
}

/* Returns the roles of `other` at `node`, and the round in which the two nodes meet. */
static uint16_t roles_of(const struct team_spec *spec, unsigned int n, unsigned int node,
			 unsigned int other, unsigned int *round)
{
	for (*round = 1; *round < spec->rounds; ++*round)
		if (shape_part(spec, n, *round, node).first == shape_part(spec, n, *round, other).first)
			break;
	return (takes(spec, n, *round, node, other) ? TALLY_ROLE_IN : 0) |
	       (takes(spec, n, *round, other, node) ? TALLY_ROLE_OUT : 0);
}

/* Returns the contributor index of `other` at `node`, in the order of nodes. */
static unsigned int index_of(const struct team_spec *spec, unsigned int n, unsigned int node,
			     unsigned int other)
{
	unsigned int index = 0, round;

	for (unsigned int i = 0; i < other; i++)
		index += i != node && roles_of(spec, n, node, i, &round);
	return index;
}

static struct tallydv_neighbour partner(const struct team_spec *spec, const struct cluster *c,
					unsigned int node, unsigned int other)
{
	unsigned int n = c->count, round, roles = roles_of(spec, n, node, other, &round);
	struct part part = shape_part(spec, n, round - 1, other);
	struct tallydv_neighbour partner = {
		.gid = c->nic[other].gid,
		.remote_index = index_of(spec, n, other, node),
		.round = round,
		.roles = roles,
	};

	if (!(roles & TALLY_ROLE_IN))
		return partner;
	/* Positions count parts in the order of their nodes. The library counts the ranks. */
	partner.position = (part.first - shape_part(spec, n, round, node).first) /
			   shape_part(spec, n, round - 1, 0).count;
	partner.subtree_first = part.first;
	partner.subtree_count = part.count;
	return partner;
}

/*
 * The epoch comes from the first node that this node takes data from, which is in an earlier part.
 */
static void fill_exchange(struct shape *shape, struct tallydv_group_attr *attr,
			  const struct cluster *c, const struct team_spec *spec)
{
	bool has_epoch = !attr->node;
	unsigned int round;

	for (unsigned int i = 0; i < c->count; i++) {
		struct tallydv_neighbour *peer = &shape->peers[attr->num_peers];

		if (i == attr->node || !roles_of(spec, c->count, attr->node, i, &round))
			continue;
		*peer = partner(spec, c, attr->node, i);
		if (!has_epoch && peer->roles & TALLY_ROLE_IN) {
			peer->roles |= TALLY_ROLE_EPOCH;
			has_epoch = true;
		}
		attr->num_peers++;
	}
	attr->rounds = spec->rounds;
}

/* ---- All modes ---- */
/* Returns the cells that a fixed order of combination needs. */
static uint32_t cells_needed(const struct tallydv_group_attr *attr)
{
	uint32_t cells = __builtin_popcountll(attr->rank_mask) + attr->rounds;

	if (attr->mode == TALLY_MODE_TREE)
		return cells + attr->num_children + attr->num_peers;
	for (unsigned int i = 0; i < attr->num_peers; i++)
		cells += !!(attr->peers[i].roles & TALLY_ROLE_IN);
	return cells;
}

void shape_fill(struct shape *shape, struct tallydv_group_attr *attr, const struct team *team,
		const struct team_spec *spec, unsigned int node)
{
	const struct cluster *c = team->cluster;

	*attr = (struct tallydv_group_attr){
		.jid = spec->jid,
		.join_key = spec->join_key,
		.seg = team->seg[node],
		.mode = spec->mode ? spec->mode : TALLY_MODE_TREE,
		.node = node,
		.num_nodes = c->count,
		.peers = shape->peers,
		.rank_mask = team->ranks,
		.owner_ranks = spec->owned ? spec->owned : team->ranks,
		.total_ranks = c->count * __builtin_popcountll(team->ranks),
		.timeout_ms = spec->timeout_ms || spec->no_limit ? spec->timeout_ms : 10000,
		.rto_us = spec->rto_us,
		.flags = spec->flags,
		.msg_cells = spec->cells,
		.epoch = node ? 0 : spec->epoch,
	};
	if (attr->mode == TALLY_MODE_TREE)
		fill_tree(shape, attr, c, spec);
	else if (attr->mode == TALLY_MODE_RING)
		fill_ring(shape, attr, c);
	else
		fill_exchange(shape, attr, c, spec);
	if (!attr->msg_cells &&
	    (attr->mode == TALLY_MODE_EXCHANGE || attr->flags & TALLY_GROUP_F_ORDERED))
		attr->msg_cells = cells_needed(attr);
}
