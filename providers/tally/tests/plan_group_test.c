// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* tallydv_plan_group(): the attributes for tallydv_create_group() at every node. */
#include <stdlib.h>

#include "rig.h"

#define MAX_NODES 80

static union ibv_gid gids[MAX_NODES];
static uint8_t macs[MAX_NODES][6];
static uint32_t leaf[MAX_NODES];
static uint8_t ranks[MAX_NODES];

static int set_up(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < MAX_NODES; i++) {
		/*
		 * fe80::5054:ff:fe00:xx, derived from the MAC 52:54:00:00:00:xx with a bit inverted
		 */
		gids[i] = (union ibv_gid){ .raw = { 0xfe, 0x80, 0, 0, 0, 0, 0, 0,
						    0x50, 0x54, 0, 0xff, 0xfe, 0, 0, i } };
		macs[i][0] = 2;
		macs[i][5] = 100 + i;
		leaf[i] = i % 5;
		ranks[i] = 1 + i % 3;
	}
	return 0;
}

static struct tallydv_plan_attr attr_of(uint32_t n, enum tally_mode mode)
{
	return (struct tallydv_plan_attr){
		.num_nodes = n, .gids = gids, .mode = mode, .num_levels = 1, .switches = { leaf },
	};
}

/* ---- Refusals ---- */
static void refused(const struct tallydv_plan_attr *attr, const char *field)
{
	char why[128] = "";

	errno = 0;
	assert_null(tallydv_plan_group(attr, why, sizeof(why)));
	assert_int_equal(errno, EINVAL);
	assert_memory_equal(why, field, strlen(field));
	assert_int_equal(why[strlen(field)], ':');
	assert_null(tallydv_plan_group(attr, NULL, 0));
}

static void bad_input(void **state)
{
	struct tallydv_plan_attr attr = attr_of(4, 0);
	struct tallydv_node_plan node;
	struct tallydv_plan *plan;

	(void)state;
	attr.gids = NULL;
	refused(&attr, "gids");
	attr = attr_of(4, 0);
	attr.mcast_gid.raw[0] = 0xfe;
	refused(&attr, "mcast_gid");
	attr = attr_of(4, 0);
	attr.flags = TALLY_GROUP_F_MULTICAST;
	refused(&attr, "mcast_gid");
	attr = attr_of(4, 0);
	attr.degree = 65;
	refused(&attr, "degree");
	attr = attr_of(0, 0);
	refused(&attr, "num_nodes");
	refused(NULL, "attr");
	attr = attr_of(4, 256 + TALLY_MODE_TREE);
	refused(&attr, "mode");
	attr = attr_of(4, 0);
	attr.caps = TALLY_CAP_MULTICAST;
	refused(&attr, "caps");
	attr.caps = 1ULL << 63;
	refused(&attr, "caps");
	attr = attr_of(4, 0);
	plan = tallydv_plan_group(&attr, NULL, 0);
	assert_non_null(plan);
	assert_int_equal(tallydv_plan_node(plan, 4, &node), EINVAL);
	assert_int_equal(_tallydv_plan_node(plan, 0, NULL, sizeof(node.attr), node.neighbours,
					    sizeof(node.neighbours[0]), 65), EINVAL);
	tallydv_free_plan(plan);
}

/* A GID is the address of one node. */
static void equal_gids(void **state)
{
	struct tallydv_plan_attr attr = attr_of(5, TALLY_MODE_RING);
	union ibv_gid doubled[5];
	char why[128] = "";

	(void)state;
	memcpy(doubled, gids, sizeof(doubled));
	doubled[4] = doubled[1];
	attr.gids = doubled;
	attr.macs = (const uint8_t (*)[6])macs;
	refused(&attr, "gids");
	assert_null(tallydv_plan_group(&attr, why, sizeof(why)));
	assert_true(!strcmp(why, "gids: nodes 1 and 4 have the same") ||
		    !strcmp(why, "gids: nodes 4 and 1 have the same"));
}

/* ---- Neighbours' descriptions of each other ---- */
struct nodes {
	const struct tallydv_plan *plan;
	struct tallydv_node_plan node[MAX_NODES];	/* by index in the group */
};

static uint32_t index_of(const struct nodes *all, const union ibv_gid *gid)
{
	return all->plan->place[gid->raw[15]];
}

static bool is_about(const struct nodes *all, const struct tallydv_neighbour *n, uint32_t index)
{
	return !memcmp(&n->gid, &gids[all->plan->node[index]], sizeof(n->gid));
}

static void check_child(const struct nodes *all, uint32_t i, uint32_t k)
{
	const struct tallydv_neighbour *child = &all->node[i].attr.children[k];
	const struct tallydv_group_attr *there = &all->node[index_of(all, &child->gid)].attr;

	assert_int_equal(child->remote_index, 0);
	assert_int_equal(child->subtree_first, there->node);
	assert_int_equal(child->rank_first, there->rank_first);
	assert_non_null(there->parent);
	assert_true(is_about(all, there->parent, i));
	assert_int_equal(there->parent->remote_index, k);
	assert_int_equal(there->level, all->node[i].attr.level + 1);
}

static void check_peer(const struct nodes *all, uint32_t i, uint32_t k)
{
	const struct tallydv_neighbour *peer = &all->node[i].attr.peers[k];
	const struct tallydv_group_attr *there = &all->node[index_of(all, &peer->gid)].attr;
	const struct tallydv_neighbour *back;

	assert_true(peer->remote_index < there->num_peers);
	back = &there->peers[peer->remote_index];
	assert_true(is_about(all, back, i));
	assert_int_equal(back->remote_index, k);
	assert_int_equal(back->round, peer->round);
	assert_int_equal(!(peer->roles & TALLY_ROLE_IN), !(back->roles & TALLY_ROLE_OUT));
	assert_int_equal(!(peer->roles & TALLY_ROLE_RING_IN), !(back->roles & TALLY_ROLE_RING_OUT));
}

static void check_attr(const struct nodes *all, uint32_t i)
{
	const struct tallydv_group_attr *attr = &all->node[i].attr;
	struct tally_ureq_edge edges[TALLY_MAX_CONTRIBUTORS + 1];
	bool tree = all->plan->mode == TALLY_MODE_TREE;

	assert_int_equal(attr->node, i);
	assert_int_equal(attr->mode, all->plan->mode);
	assert_int_equal(attr->num_nodes, all->plan->num_nodes);
	assert_int_equal(attr->rounds, all->plan->rounds);
	assert_int_equal(attr->num_segs, all->plan->num_segs);
	assert_int_equal(attr->owner_ranks, attr->rank_mask);
	assert_int_equal(!attr->parent, !tree || !i);
	assert_true(tree ? !attr->num_peers : !attr->num_children);
	for (uint32_t k = 0; k < attr->num_children; k++)
		check_child(all, i, k);
	for (uint32_t k = 0; k < attr->num_peers; k++)
		check_peer(all, i, k);
	/* Convert it for the kernel. */
	tally_group_edges(attr, edges);
	assert_int_equal(tally_group_rank_first(attr), attr->rank_first);
	for (uint32_t k = 0; k < attr->num_peers; k++) {
		assert_int_equal(edges[k].rank_first, attr->peers[k].rank_first);
		assert_int_equal(edges[k].rank_count, attr->peers[k].rank_count);
		assert_int_equal(edges[k].roles, attr->peers[k].roles);
	}
}

static void check_plan(const struct tallydv_plan_attr *attr)
{
	struct nodes *all = calloc(1, sizeof(*all));
	struct tallydv_plan *plan = tallydv_plan_group(attr, NULL, 0);
	uint32_t total = 0;

	assert_non_null(plan);
	all->plan = plan;
	assert_int_equal(plan->seg_count & (plan->seg_count - 1), 0);
	assert_true(plan->seg_count <= TALLY_MAX_GROUP_SEGS);
	assert_int_equal(plan->num_segs, plan->seg_count);
	assert_int_equal(plan->max_segs, plan->seg_count);
	for (uint32_t k = 0; k < plan->num_nodes; k++) {
		assert_int_equal(plan->node[plan->place[k]], k);
		assert_int_equal(tallydv_plan_node(plan, k, &all->node[plan->place[k]]), 0);
	}
	for (uint32_t i = 0; i < plan->num_nodes; i++) {
		uint32_t here = attr->ranks ? attr->ranks[plan->node[i]] : 1;

		check_attr(all, i);
		assert_int_equal(all->node[i].attr.rank_mask, (1ULL << here) - 1);
		assert_int_equal(all->node[i].attr.rank_first, total);
		total += here;
	}
	assert_int_equal(total, plan->total_ranks);
	tallydv_free_plan(plan);
	free(all);
}

static void every_mode(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= MAX_NODES; n++)
		for (uint32_t mode = 0; mode <= TALLY_MODE_RING; mode++) {
			struct tallydv_plan_attr attr = attr_of(n, mode);

			check_plan(&attr);
			attr.ranks = ranks;
			attr.flags = TALLY_GROUP_F_ORDERED;
			check_plan(&attr);
		}
}

/* ---- Shared plans: one group for all operations ---- */
#define ALL_MODES (TALLY_MODES_TREE | TALLY_MODES_EXCHANGE | TALLY_MODES_RING)

static struct tallydv_plan_attr shared_attr(uint32_t n, uint32_t modes)
{
	struct tallydv_plan_attr attr = attr_of(n, 0);

	attr.comp_mask = TALLYDV_PLAN_ATTR_MODES;
	attr.modes = modes;
	return attr;
}

/* Returns the neighbour of node i with contributor index k, or its parent for 64. */
static const struct tallydv_neighbour *neighbour_at(const struct nodes *all, uint32_t i, uint32_t k)
{
	const struct tallydv_group_attr *attr = &all->node[i].attr;

	if (k == TALLY_CONTRIB_PARENT)
		return attr->parent;
	return k < attr->num_peers ? &attr->peers[k] : NULL;
}

/* The parent without an index has no other role, so it needs none. */
static uint16_t roles_at(const struct tallydv_neighbour *n, uint32_t k)
{
	return k == TALLY_CONTRIB_PARENT ? TALLY_ROLE_PARENT : n->roles;
}

/* Both ends of an edge describe it alike. */
static void check_shared_edge(const struct nodes *all, uint32_t i, uint32_t k)
{
	static const uint16_t pairs[][2] = {
		{ TALLY_ROLE_IN, TALLY_ROLE_OUT }, { TALLY_ROLE_RING_IN, TALLY_ROLE_RING_OUT },
		{ TALLY_ROLE_CHILD, TALLY_ROLE_PARENT },
	};
	const struct tallydv_neighbour *n = neighbour_at(all, i, k), *back;
	uint32_t there = index_of(all, &n->gid);
	uint16_t to = roles_at(n, k), from;

	back = neighbour_at(all, there, n->remote_index);
	assert_non_null(back);
	assert_true(is_about(all, back, i));
	assert_int_equal(back->remote_index, k);
	from = roles_at(back, n->remote_index);
	for (unsigned int p = 0; p < 3; p++) {
		assert_int_equal(!(to & pairs[p][0]), !(from & pairs[p][1]));
		assert_int_equal(!(to & pairs[p][1]), !(from & pairs[p][0]));
	}
	if (n->roles & TALLY_ROLE_CHILD)
		assert_int_equal(n->subtree_first, there);
	assert_int_equal(!n->part_count, !(n->roles & TALLY_ROLE_IN));
}

static void check_shared_node(const struct nodes *all, uint32_t i)
{
	const struct tallydv_group_attr *attr = &all->node[i].attr;
	struct tally_ureq_edge edges[TALLY_MAX_CONTRIBUTORS + 1];

	assert_int_equal(attr->comp_mask, TALLYDV_GROUP_ATTR_MODES | TALLYDV_GROUP_ATTR_MAX_SEGS);
	assert_int_equal(attr->modes, all->plan->modes);
	assert_int_equal(attr->plan, all->plan->hash);
	assert_int_not_equal(attr->plan, 0);
	assert_int_equal(attr->chunk, all->plan->chunk);
	assert_int_equal(attr->max_segs, all->plan->max_segs);
	assert_memory_equal(attr->choice, all->plan->choice, sizeof(attr->choice));
	assert_int_equal(attr->num_children, 0);
	for (uint32_t k = 0; k < attr->num_peers; k++)
		check_shared_edge(all, i, k);
	if (attr->parent)
		check_shared_edge(all, i, TALLY_CONTRIB_PARENT);
	assert_int_equal(!attr->level, !i);
	/* The kernel gets the same. */
	tally_group_edges(attr, edges);
	for (uint32_t k = 0; k < attr->num_peers; k++) {
		assert_int_equal(edges[k].roles, attr->peers[k].roles);
		assert_int_equal(edges[k].rank_count, attr->peers[k].rank_count);
		assert_int_equal(edges[k].part_first, attr->peers[k].part_first);
		assert_int_equal(edges[k].part_count, attr->peers[k].part_count);
	}
}

static void check_shared(const struct tallydv_plan_attr *attr)
{
	struct nodes *all = calloc(1, sizeof(*all));
	struct tallydv_plan *plan = tallydv_plan_group(attr, NULL, 0);

	assert_non_null(plan);
	all->plan = plan;
	assert_int_equal(plan->comp_mask, TALLYDV_PLAN_MODES);
	assert_int_equal(plan->modes, ALL_MODES);
	assert_true(plan->num_segs <= plan->seg_count && plan->seg_count <= plan->max_segs);
	assert_true(plan->seg_count < 2 * plan->num_segs);
	for (uint32_t k = 0; k < plan->num_nodes; k++)
		assert_int_equal(tallydv_plan_node(plan, k, &all->node[plan->place[k]]), 0);
	for (uint32_t i = 0; i < plan->num_nodes; i++)
		check_shared_node(all, i);
	tallydv_free_plan(plan);
	free(all);
}

static void shared(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= MAX_NODES; n++) {
		struct tallydv_plan_attr attr = shared_attr(n, ALL_MODES);

		check_shared(&attr);
		attr.ranks = ranks;
		check_shared(&attr);
	}
}

/* A shared plan of one mode is a group of that mode, as in a plan for one operation. */
static void shared_by_one_mode(void **state)
{
	(void)state;
	for (uint32_t mode = TALLY_MODE_TREE; mode <= TALLY_MODE_RING; mode++) {
		struct tallydv_plan_attr attr = shared_attr(6, 1U << (mode - 1));
		struct tallydv_plan *plan = tallydv_plan_group(&attr, NULL, 0);
		struct tallydv_node_plan node;

		assert_non_null(plan);
		assert_int_equal(plan->mode, mode);
		assert_int_equal(tallydv_plan_node(plan, plan->node[5], &node), 0);
		assert_int_equal(node.attr.modes, 1U << (mode - 1));
		assert_int_equal(!node.attr.parent, mode != TALLY_MODE_TREE);
		for (uint32_t k = 0; k < node.attr.num_peers; k++)
			assert_int_equal(node.attr.peers[k].roles &
					 (TALLY_ROLE_RING_IN | TALLY_ROLE_RING_OUT), 0);
		tallydv_free_plan(plan);
	}
}

static void refused_modes(void **state)
{
	struct tallydv_plan_attr attr = shared_attr(4, 8);
	struct tallydv_node_plan node;
	struct tallydv_plan *plan;
	char why[128];

	(void)state;
	refused(&attr, "modes");
	assert_null(tallydv_plan_group(&attr, why, sizeof(why)));
	assert_string_equal(why, "modes: is 0x8, and must be of TREE, EXCHANGE and RING");
	attr.modes = TALLY_MODES_RING;
	attr.caps = TALLY_CAP_TREE;
	refused(&attr, "modes");
	attr.caps = 0;
	attr.reserved = 1;
	refused(&attr, "reserved");
	/* Without the bit, the members may be anything. */
	attr.comp_mask = 0;
	attr.modes = 8;
	plan = tallydv_plan_group(&attr, NULL, 0);
	assert_non_null(plan);
	assert_int_equal(plan->hash, 0);
	tallydv_free_plan(plan);
	/* A program whose structures have no place for what such a plan says. */
	attr = shared_attr(4, ALL_MODES);
	plan = tallydv_plan_group(&attr, NULL, 0);
	assert_non_null(plan);
	assert_int_equal(_tallydv_plan_node(plan, 0, &node.attr, sizeof(node.attr), node.neighbours,
					    offsetof(struct tallydv_neighbour, part_first), 65),
			 EOPNOTSUPP);
	assert_int_equal(_tallydv_plan_node(plan, 0, &node.attr,
					    offsetof(struct tallydv_group_attr, max_segs),
					    node.neighbours, sizeof(node.neighbours[0]), 65),
			 EOPNOTSUPP);
	tallydv_free_plan(plan);
}

/* ---- Addresses and choices ---- */
/* The caller's arrays are copied, and MACs follow their GIDs. */
static void addresses(void **state)
{
	struct tallydv_plan_attr attr = attr_of(6, TALLY_MODE_RING);
	union ibv_gid *own = malloc(6 * sizeof(*own));
	struct tallydv_node_plan node;
	struct tallydv_plan *plan;

	(void)state;
	memcpy(own, gids, 6 * sizeof(*own));
	attr.gids = own;
	attr.macs = (const uint8_t (*)[6])macs;
	plan = tallydv_plan_group(&attr, NULL, 0);
	assert_non_null(plan);
	memset(own, 0, 6 * sizeof(*own));
	free(own);
	assert_int_equal(tallydv_plan_node(plan, 2, &node), 0);
	assert_int_equal(node.attr.num_peers, 2);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t k = node.attr.peers[i].gid.raw[15];

		assert_memory_equal(&node.attr.peers[i].gid, &gids[k], sizeof(gids[k]));
		assert_memory_equal(node.attr.peers[i].mac, macs[k], 6);
	}
	tallydv_free_plan(plan);
}

static void assert_macs(uint8_t first, uint8_t last, const char *text)
{
	struct tallydv_plan_attr attr = attr_of(3, TALLY_MODE_RING);
	uint8_t odd[3][6] = { { 2, 0, 0, 0, 0, 1 }, { first, 0, 0, 0, 0, last }, { 2 } };
	struct tallydv_plan *plan;
	char why[128] = "";

	attr.macs = (const uint8_t (*)[6])odd;
	errno = 0;
	plan = tallydv_plan_group(&attr, why, sizeof(why));
	assert_string_equal(why, text);
	assert_int_equal(!plan, !!text[0]);
	if (plan)
		tallydv_free_plan(plan);
	else
		assert_int_equal(errno, EINVAL);
}

/* MACs must be those of stations. */
static void odd_macs(void **state)
{
	(void)state;
	assert_macs(2, 9, "");
	assert_macs(3, 9, "macs: node 1 has a multicast one");
	assert_macs(0xff, 0xff, "macs: node 1 has a multicast one");
	gids[1].raw[0] = 0x20;
	assert_macs(0, 0, "macs: node 1 has none, nor a link-local GID made of one");
	gids[1].raw[0] = 0xfe;
}

static void multicast(void **state)
{
	struct tallydv_plan_attr attr = attr_of(30, 0);
	struct tallydv_node_plan node;
	struct tallydv_plan *plan;

	(void)state;
	attr.opcode = TALLY_OPCODE_BCAST;
	plan = tallydv_plan_group(&attr, NULL, 0);
	assert_false(plan->flags & TALLY_GROUP_F_MULTICAST);
	tallydv_free_plan(plan);
	attr.mcast_gid.raw[0] = 0xff;
	attr.mcast_gid.raw[15] = 9;
	plan = tallydv_plan_group(&attr, NULL, 0);
	assert_true(plan->flags & TALLY_GROUP_F_MULTICAST);
	assert_int_equal(tallydv_plan_node(plan, 17, &node), 0);
	assert_int_equal(node.attr.flags, plan->flags);
	assert_memory_equal(&node.attr.mcast_gid, &attr.mcast_gid, 16);
	assert_memory_equal(&node.attr.source_gid, &gids[plan->node[0]], 16);
	tallydv_free_plan(plan);
	/* Not all devices have MULTICAST. */
	attr.caps = TALLY_CAP_TREE | TALLY_CAP_RING;
	plan = tallydv_plan_group(&attr, NULL, 0);
	assert_false(plan->flags & TALLY_GROUP_F_MULTICAST);
	tallydv_free_plan(plan);
}

/* Every choice of the caller reaches the planner. */
static void choices(void **state)
{
	struct tallydv_plan_attr attr = attr_of(12, TALLY_MODE_EXCHANGE);
	struct tallydv_plan *plan;

	(void)state;
	attr.num_rounds = 2;
	attr.radix[0] = 3;
	attr.radix[1] = 4;
	attr.num_segs = 8;
	attr.mtu = 1024;
	attr.keep_order = 1;
	plan = tallydv_plan_group(&attr, NULL, 0);
	assert_non_null(plan);
	assert_int_equal(plan->rounds, 2);
	assert_int_equal(plan->radix[0], 3);
	assert_int_equal(plan->radix[1], 4);
	assert_int_equal(plan->num_segs, 8);
	assert_int_equal(plan->seg_count, 8);
	assert_int_equal(plan->mtu, 1024);
	assert_string_equal(plan->reason, "EXCHANGE was asked for");
	for (uint32_t k = 0; k < 12; k++)
		assert_int_equal(plan->place[k], k);
	tallydv_free_plan(plan);
	attr = attr_of(64, 0);
	attr.opcode = TALLY_OPCODE_ALLREDUCE;
	attr.bytes = 64 << 20;
	attr.max_segs = 32;
	plan = tallydv_plan_group(&attr, NULL, 0);
	assert_non_null(plan);
	assert_true(plan->seg_count <= 32);
	assert_true(plan->mode != TALLY_MODE_EXCHANGE);
	tallydv_free_plan(plan);
	/* Whatever the limit is, the allocation is within it. */
	attr = attr_of(8, 0);
	attr.num_rounds = 3;
	memset(attr.radix, 2, 3);
	attr.max_segs = 12;
	plan = tallydv_plan_group(&attr, NULL, 0);
	assert_non_null(plan);
	assert_int_equal(plan->num_segs, 8);
	assert_int_equal(plan->seg_count, 8);
	tallydv_free_plan(plan);
	attr = attr_of(64, TALLY_MODE_TREE);
	attr.degree = 5;
	plan = tallydv_plan_group(&attr, NULL, 0);
	assert_non_null(plan);
	assert_int_equal(plan->degree, 5);
	tallydv_free_plan(plan);
}

/* ---- Translation of reports ---- */
static struct tallydv_plan *missing_plan(enum tally_mode mode, uint32_t n)
{
	struct tallydv_plan_attr attr = attr_of(n, mode);
	struct tallydv_plan *plan;

	attr.keep_order = 1;
	attr.ranks = ranks;
	attr.degree = mode == TALLY_MODE_TREE ? 2 : 0;
	plan = tallydv_plan_group(&attr, NULL, 0);
	assert_non_null(plan);
	return plan;
}

/* Here the indices of nodes are those of the caller, which knows the ranks of each node. */
static uint32_t rank_first(uint32_t node)
{
	uint32_t sum = 0;

	for (uint32_t k = 0; k < node; k++)
		sum += ranks[k];
	return sum;
}

static void assert_nodes(const struct tallydv_missing_nodes *nodes, uint32_t first, uint32_t count)
{
	assert_int_equal(nodes->first, first);
	assert_int_equal(nodes->count, count);
	assert_int_equal(nodes->rank_first, rank_first(first));
	assert_int_equal(nodes->rank_count, rank_first(first + count) - rank_first(first));
}

static void missing_in_a_tree(void **state)
{
	struct tallydv_plan *plan = missing_plan(TALLY_MODE_TREE, 7);
	struct tallydv_missing m;

	(void)state;
	assert_int_equal(tallydv_plan_missing(plan, 0, 3, 1, &m), 0);
	assert_int_equal(m.num_nodes, 2);
	assert_nodes(&m.nodes[0], 1, 3);
	assert_nodes(&m.nodes[1], 4, 3);
	assert_int_equal(m.num_ranks, 1);
	assert_int_equal(m.ranks[0], 0);
	/*
	 * Node 4 has two ranks and two children. The bits are those of node 4, not of the node that
	 * gets the report.
	 */
	assert_int_equal(tallydv_plan_missing(plan, 4, 2, 2, &m), 0);
	assert_int_equal(m.num_nodes, 1);
	assert_nodes(&m.nodes[0], 6, 1);
	assert_int_equal(m.num_ranks, 1);
	assert_int_equal(m.ranks[0], rank_first(4) + 1);
	assert_int_equal(tallydv_plan_missing(plan, 4, 0, 0, &m), 0);
	assert_int_equal(m.num_nodes + m.num_ranks, 0);
	/* Its parent is the root, which has no parent. */
	assert_int_equal(m.parent, 0);
	assert_int_equal(tallydv_plan_missing(plan, 6, 0, 0, &m), 0);
	assert_int_equal(m.parent, 4);
	assert_int_equal(tallydv_plan_missing(plan, 0, 0, 0, &m), 0);
	assert_int_equal(m.parent, 0);
	tallydv_free_plan(plan);
}

static void missing_elsewhere(void **state)
{
	struct tallydv_plan *plan = missing_plan(TALLY_MODE_RING, 5);
	struct tallydv_missing m;
	uint32_t sum = 0;

	(void)state;
	assert_int_equal(tallydv_plan_missing(plan, 3, 3, 0, &m), 0);
	assert_int_equal(m.num_nodes, 2);
	assert_int_equal(m.parent, 3);
	/* Left and right neighbour, in any order. */
	assert_int_equal(m.nodes[0].first + m.nodes[1].first, 2 + 4);
	assert_nodes(&m.nodes[0], m.nodes[0].first, 1);
	assert_nodes(&m.nodes[1], m.nodes[1].first, 1);
	tallydv_free_plan(plan);
	plan = missing_plan(TALLY_MODE_EXCHANGE, 4);
	assert_int_equal(tallydv_plan_missing(plan, 1, 1, 3, &m), 0);
	assert_int_equal(m.num_nodes, 1);
	assert_nodes(&m.nodes[0], m.nodes[0].first, 1);
	assert_int_not_equal(m.nodes[0].first, 1);
	for (uint32_t i = 0; i < m.num_ranks; i++)
		sum += m.ranks[i];
	assert_int_equal(sum, 1 + 2);
	tallydv_free_plan(plan);
}

/*
 * In a group of several modes, a child stands for all nodes below it, and a parent may have a bit.
 * Without a bit it is named as the parent.
 */
static void missing_in_several_modes(void **state)
{
	struct tallydv_plan_attr attr = shared_attr(40, ALL_MODES);
	unsigned int with_bit = 0, without = 0;
	struct tallydv_plan *plan;
	struct tallydv_missing m;

	(void)state;
	attr.keep_order = 1;
	attr.ranks = ranks;
	plan = tallydv_plan_group(&attr, NULL, 0);
	assert_non_null(plan);
	for (uint32_t i = 0; i < 40; i++) {
		struct tallydv_node_plan node;
		uint32_t n;

		assert_int_equal(tallydv_plan_node(plan, i, &node), 0);
		n = node.attr.num_peers;
		for (uint32_t k = 0; k < n; k++) {
			const struct tallydv_neighbour *peer = &node.attr.peers[k];
			bool child = peer->roles & TALLY_ROLE_CHILD;

			assert_int_equal(tallydv_plan_missing(plan, i, 1ULL << k, 0, &m), 0);
			assert_int_equal(m.num_nodes, 1);
			assert_nodes(&m.nodes[0], peer->gid.raw[15], child ? peer->subtree_count : 1);
			with_bit += !!(peer->roles & TALLY_ROLE_PARENT);
		}
		assert_int_equal(m.parent, node.attr.parent ? node.attr.parent->gid.raw[15] : i);
		without += !!node.attr.parent;
		assert_int_equal(tallydv_plan_missing(plan, i, 1ULL << n, 0, &m), EINVAL);
	}
	assert_int_equal(with_bit + without, 39);
	assert_true(with_bit && without);
	tallydv_free_plan(plan);
}

/* All 64 ranks of a node may be missing, and none of a node without ranks. */
static void missing_ranks_at_the_limits(void **state)
{
	static const uint8_t some[3] = { 0, TALLY_MAX_RANKS, 1 };
	struct tallydv_plan_attr attr = attr_of(3, TALLY_MODE_TREE);
	struct tallydv_plan *plan;
	struct tallydv_missing m;

	(void)state;
	attr.ranks = some;
	attr.keep_order = 1;
	plan = tallydv_plan_group(&attr, NULL, 0);
	assert_non_null(plan);
	assert_int_equal(tallydv_plan_missing(plan, 1, 0, UINT64_MAX, &m), 0);
	assert_int_equal(m.num_ranks, 64);
	assert_int_equal(m.ranks[63], 63);
	assert_int_equal(tallydv_plan_missing(plan, 0, 0, 1, &m), EINVAL);
	assert_int_equal(tallydv_plan_missing(plan, 0, 0, 0, &m), 0);
	tallydv_free_plan(plan);
}

static void missing_nonsense(void **state)
{
	struct tallydv_plan *plan = missing_plan(TALLY_MODE_TREE, 7);
	struct tallydv_missing m;

	(void)state;
	assert_int_equal(tallydv_plan_missing(plan, 7, 0, 0, &m), EINVAL);
	assert_int_equal(tallydv_plan_missing(plan, 0, 4, 0, &m), EINVAL);
	assert_int_equal(tallydv_plan_missing(plan, 0, 1ULL << 63, 0, &m), EINVAL);
	assert_int_equal(tallydv_plan_missing(plan, 0, 0, 2, &m), EINVAL);
	/* The parent of a leaf is no contributor. */
	assert_int_equal(tallydv_plan_missing(plan, 6, 1, 0, &m), EINVAL);
	tallydv_free_plan(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_input),
		cmocka_unit_test(equal_gids),
		cmocka_unit_test(every_mode),
		cmocka_unit_test(shared),
		cmocka_unit_test(shared_by_one_mode),
		cmocka_unit_test(refused_modes),
		cmocka_unit_test(addresses),
		cmocka_unit_test(odd_macs),
		cmocka_unit_test(multicast),
		cmocka_unit_test(choices),
		cmocka_unit_test(missing_in_a_tree),
		cmocka_unit_test(missing_elsewhere),
		cmocka_unit_test(missing_in_several_modes),
		cmocka_unit_test(missing_ranks_at_the_limits),
		cmocka_unit_test(missing_nonsense),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
