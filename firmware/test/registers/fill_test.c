// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tables that a configuration is written into: every register gets its own field, and no other
 * register changes.
 */
#include "firmware/bytes.h"
#include "firmware/group_fill.h"
#include "firmware/limits.h"
#include "firmware/test/registers/registers.h"

#define NO_ONE TALLY_FW_NO_EDGE
#define UNWRITTEN32 0xa5a5a5a5u
#define UNWRITTEN64 0xa5a5a5a5a5a5a5a5u

/* Expect that no register outside the tables of group G has changed. */
static void expect_nothing_else(void)
{
	const uint8_t *all = regs.group[0];
	size_t i;

	for (i = 0; i < sizeof(regs.group); i++)
		if (i / TALLY_FW_GROUP_STRIDE != G && all[i] != REGS_FILL)
			fail_msg("offset %#zx has changed", i);
	assert_int_equal(regs.commands, 0);
}

/* ---- A group with a tree alone ---- */

static struct tally_group_cfg tree_cfg(void)
{
	struct tally_group_cfg cfg = {
		.jid = le32(0x10203040), .flags = le32(TALLY_GROUP_F_MULTICAST | TALLY_GROUP_F_SPARSE),
		.mode = TALLY_MODE_TREE, .level = 5, .node = le16(0x102), .num_nodes = le16(0x203),
		.num_segs = le16(12), .timeout_ms = le32(2000), .rank_mask = le64(0x8000000000000007),
		.epoch = le32(0x50607080), .retry_limit = le32(4), .rto_us = le32(777),
		.mtu = le32(2048), .owner_ranks = le64(0x8000000000000001),
		.total_ranks = le32(0x1000), .rank_first = le32(0x640), .msg_cells = le32(0x123),
		.plan = le32(0x90a0b0c0), .chunk = le32(512),
	};
	unsigned int i;

	for (i = 0; i < 16; i++) {
		cfg.mcast_gid[i] = 0x20 + i;
		cfg.source_gid[i] = 0x40 + i;
	}
	for (i = 0; i < 8; i++) {
		cfg.choice_small[i] = 0x60 + i;
		cfg.choice_middle[i] = 0x70 + i;
		cfg.choice_large[i] = 0x80 + i;
		cfg.choice_small_log[i] = 0x10 + i;
		cfg.choice_middle_log[i] = 0x18 + i;
	}
	return cfg;
}

static void fill_tree(const struct tally_group_cfg *cfg, const struct tally_group_edge *edges,
		      uint32_t num)
{
	regs_clear();
	memset(regs_group(), REGS_FILL, sizeof(*regs_group()));
	group_fill(G, cfg, edges, num);
	expect_nothing_else();
}

static void configuration_of_a_group(void **state)
{
	const struct tally_group_cfg cfg = tree_cfg();
	const struct tally_fw_group *g = regs_group();

	(void)state;
	fill_tree(&cfg, NULL, 0);
	assert_int_equal(g->flags, TALLY_GROUP_F_MULTICAST | TALLY_GROUP_F_SPARSE);
	assert_int_equal(g->mtu, 2048);
	assert_int_equal(g->chunk, 512);
	assert_int_equal(g->plan, 0x90a0b0c0);
	assert_int_equal(g->num_segs, 12);
	assert_int_equal(g->node, 0x102);
	assert_int_equal(g->num_nodes, 0x203);
	assert_int_equal(g->modes, TALLY_MODES_TREE);
	assert_int_equal(g->rounds, 0);
	assert_int_equal(g->level, 5);
	assert_int_equal(g->total_ranks, 0x1000);
	assert_int_equal(g->retry_limit, 4);
	assert_int_equal(g->rank_mask, 0x8000000000000007);
	assert_int_equal(g->attached, 0x8000000000000001);
	assert_int_equal(g->gone, 0);
	assert_int_equal(g->timeout, 2000 * MS);
	assert_int_equal(g->rto, 777 * US);
	assert_int_equal(g->epoch, 0x50607080);
	assert_int_equal(g->destroyed, 0);
	assert_int_equal(g->state, UNWRITTEN32);
	assert_int_equal(g->timer, UNWRITTEN64);
	assert_int_equal(g->mid_done, UNWRITTEN32);
}

static void setup_of_a_group(void **state)
{
	const struct tally_group_cfg cfg = tree_cfg();
	const struct tally_fw_setup *s = regs_setup();
	unsigned int i;

	(void)state;
	fill_tree(&cfg, NULL, 0);
	assert_int_equal(s->jid, 0x10203040);
	assert_int_equal(s->max_segs, 12);
	assert_int_equal(s->mode, TALLY_MODE_TREE);
	assert_int_equal(s->rank_first, 0x640);
	assert_int_equal(s->msg_cells, 0x123);
	for (i = 0; i < 4; i++) {
		assert_int_equal(s->mcast_gid[i], 0x23222120 + 0x04040404 * i);
		assert_int_equal(s->source_gid[i], 0x43424140 + 0x04040404 * i);
	}
	assert_int_equal(s->mcast_mac[0], 0x2d2c3333);
	assert_int_equal(s->mcast_mac[1], 0x2f2e);
	for (i = 0; i < 8; i++) {
		assert_int_equal(s->choice_modes[i], 0x807060 + 0x10101 * i);
		assert_int_equal(s->choice_logs[i], 0x1810 + 0x101 * i);
	}
}

/* The divisors are 0x203 nodes, 0x1000 ranks and 12 segments, or the number that may be held. */
static void divisors_of_a_group(void **state)
{
	const struct tally_fw_setup *s = regs_setup();
	struct tally_group_cfg cfg = tree_cfg();

	(void)state;
	fill_tree(&cfg, NULL, 0);
	assert_int_equal(s->nodes_shift, 10);
	assert_int_equal(s->nodes_inverse, 4244928843);
	assert_int_equal(s->ranks_shift, 12);
	assert_int_equal(s->ranks_inverse, 1);
	assert_int_equal(s->segs_shift, 4);
	assert_int_equal(s->segs_inverse, 0x55555556);
	cfg.max_segs = le16(100);
	fill_tree(&cfg, NULL, 0);
	assert_int_equal(s->max_segs, 100);
	assert_int_equal(regs_group()->num_segs, 12);
	assert_int_equal(s->segs_shift, 7);
	assert_int_equal(s->segs_inverse, 1202590843);
}

static void expect_backoff(uint32_t timeout_ms, uint32_t retry_limit, uint64_t most)
{
	struct tally_group_cfg cfg = tree_cfg();

	cfg.timeout_ms = le32(timeout_ms);
	cfg.retry_limit = le32(retry_limit);
	fill_tree(&cfg, NULL, 0);
	assert_int_equal(regs_group()->max_backoff, most);
}

static void longest_backoff(void **state)
{
	(void)state;
	expect_backoff(2000, 4, 250 * MS);
	expect_backoff(1000, 1, 125 * MS);
	expect_backoff(3600000, 1, TALLY_MAX_RETRY_MS * MS);
	expect_backoff(3600000, 100, TALLY_MAX_RETRY_MS * MS / 100);
	expect_backoff(3600000, 7, TALLY_MAX_RETRY_MS * MS / 7);
	expect_backoff(0, 4, TALLY_MAX_RETRY_MS * MS / 4);
}

static void no_time_limit(void **state)
{
	struct tally_group_cfg cfg = tree_cfg();

	(void)state;
	cfg.timeout_ms = 0;
	fill_tree(&cfg, NULL, 0);
	assert_int_equal(regs_group()->timeout, TALLY_FW_NEVER);
}

/* ---- Edges of a tree alone ---- */

static struct tally_group_edge an_edge(unsigned int i)
{
	struct tally_group_edge e = { .remote_index = le16(TALLY_CONTRIB_PARENT) };
	unsigned int k;

	for (k = 0; k < 16; k++)
		e.gid[k] = 0x10 * (i + 1) + k;
	for (k = 0; k < 6; k++)
		e.mac[k] = 0x11 * (k + 1) + i;
	return e;
}

static struct tally_group_edge a_child(unsigned int i, uint16_t first, uint16_t count,
				       uint32_t rank_first, uint32_t rank_count)
{
	struct tally_group_edge e = an_edge(i);

	e.subtree_first = le16(first);
	e.subtree_count = le16(count);
	e.rank_first = le32(rank_first);
	e.rank_count = le32(rank_count);
	return e;
}

static void expect_address(unsigned int edge, unsigned int i)
{
	const struct tally_fw_neighbour *n = regs_neighbour(edge);
	unsigned int k;

	for (k = 0; k < 4; k++)
		assert_int_equal(n->gid[k], 0x03020100 + 0x04040404 * k + 0x10101010 * (i + 1));
	assert_int_equal(n->mac[0], 0x44332211 + 0x01010101 * i);
	assert_int_equal(n->mac[1], 0x6655 + 0x0101 * i);
}

/* Two children around a peer; the second one has the lowest ranks. The parent has no index. */
static void fill_inner_node(void)
{
	struct tally_group_cfg cfg = tree_cfg();
	struct tally_group_edge edges[4];

	edges[0] = a_child(0, 0x300, 0x21, 0x70000, 0x31);
	edges[1] = an_edge(1);
	edges[1].remote_index = le16(9);
	edges[2] = a_child(2, 0x400, 0x22, 0x600, 0x32);
	edges[3] = an_edge(3);
	edges[3].remote_index = le16(13);
	edges[3].subtree_first = edges[3].rank_first = 1; /* of a parent nothing counts */
	fill_tree(&cfg, edges, 4);
}

static void edges_of_a_tree(void **state)
{
	unsigned int i;

	(void)state;
	fill_inner_node();
	for (i = 0; i < 3; i++)
		expect_address(i, i);
	expect_address(TALLY_MAX_CONTRIBUTORS, 3);
	assert_int_equal(regs_neighbour(0)->remote_index, TALLY_CONTRIB_PARENT);
	assert_int_equal(regs_neighbour(1)->remote_index, 9);
	assert_int_equal(regs_neighbour(TALLY_MAX_CONTRIBUTORS)->remote_index, 13);
	assert_int_equal(regs_edge(0)->subtree_first, 0x300);
	assert_int_equal(regs_edge(0)->subtree_count, 0x21);
	assert_int_equal(regs_neighbour(0)->rank_first, 0x70000);
	assert_int_equal(regs_edge(0)->rank_count, 0x31);
	assert_int_equal(regs_edge(1)->subtree_count, 0);
	assert_int_equal(regs_edge(2)->subtree_first, 0x400);
	assert_int_equal(regs_edge(2)->rank_count, 0x32);
	assert_int_equal(regs_edge(TALLY_MAX_CONTRIBUTORS)->subtree_first, 0);
	assert_int_equal(regs_edge(TALLY_MAX_CONTRIBUTORS)->subtree_count, 0);
	assert_int_equal(regs_edge(TALLY_MAX_CONTRIBUTORS)->rank_count, 0);
	assert_int_equal(regs_neighbour(TALLY_MAX_CONTRIBUTORS)->roles, 0);
	assert_int_equal(regs_neighbour(TALLY_MAX_CONTRIBUTORS)->rank_first, 0);
	assert_int_equal(regs_edge(3)->subtree_first, UNWRITTEN32);
	assert_int_equal(regs_edge(0)->state, UNWRITTEN32);
}

static void edges_of_a_tree_by_purpose(void **state)
{
	const struct tally_fw_group *g = regs_group();
	const struct tally_fw_setup *s = regs_setup();

	(void)state;
	fill_inner_node();
	assert_int_equal(g->children, 5);
	assert_int_equal(g->exchange_ins, 0);
	assert_int_equal(g->combined, 5);
	assert_int_equal(g->peers, 2);
	assert_int_equal(g->num_edges, 3);
	assert_int_equal(s->all_edges, 4);
	assert_int_equal(g->parent, TALLY_MAX_CONTRIBUTORS);
	assert_int_equal(g->upstream, TALLY_MAX_CONTRIBUTORS);
	assert_int_equal(s->left, NO_ONE);
	assert_int_equal(s->right, NO_ONE);
	assert_int_equal(s->subtree_first, 0x600);
	assert_int_equal(g->subtree_ranks, 4 + 0x31 + 0x32);
}

/* The root of 64 children, whose own ranks are the lowest. */
static void most_edges(void **state)
{
	struct tally_group_cfg cfg = tree_cfg();
	struct tally_group_edge edges[64];
	const struct tally_fw_group *g = regs_group();
	unsigned int i;

	(void)state;
	cfg.flags = le32(TALLY_GROUP_F_ROOT);
	for (i = 0; i < 64; i++)
		edges[i] = a_child(0, i + 1, 1, 0x700 + i, 1);
	fill_tree(&cfg, edges, 64);
	assert_int_equal(g->children, UINT64_MAX);
	assert_int_equal(g->combined, UINT64_MAX);
	assert_int_equal(g->peers, 0);
	assert_int_equal(g->num_edges, 64);
	assert_int_equal(g->parent, NO_ONE);
	assert_int_equal(g->upstream, NO_ONE);
	assert_int_equal(regs_setup()->subtree_first, 0x640);
	assert_int_equal(g->subtree_ranks, 4 + 64);
	fill_tree(&cfg, edges, 63);
	edges[62].remote_index = le16(1);
	fill_tree(&cfg, edges, 63);
	assert_int_equal(g->children, (1ULL << 62) - 1);
	assert_int_equal(g->peers, 1ULL << 62);
	edges[62].remote_index = le16(TALLY_CONTRIB_PARENT);
	edges[63].remote_index = le16(1);
	fill_tree(&cfg, edges, 64);
	assert_int_equal(g->children, UINT64_MAX >> 1);
	assert_int_equal(g->peers, 1ULL << 63);
}

/* ---- Several modes ---- */

static struct tally_group_edge with_roles(unsigned int i, uint16_t roles, uint8_t round,
					  uint8_t position, uint32_t first, uint32_t count)
{
	struct tally_group_edge e = an_edge(i);

	e.remote_index = le16(i + 5);
	e.roles = le16(roles);
	e.round = round;
	e.position = position;
	e.part_first = le32(first);
	e.part_count = le32(count);
	return e;
}

static struct tally_group_cfg modes_cfg(uint8_t modes)
{
	struct tally_group_cfg cfg = tree_cfg();

	cfg.flags = 0;
	cfg.mode = TALLY_MODE_RING;
	cfg.modes = modes;
	cfg.rounds = 2;
	return cfg;
}

/* A parent, a child that is the left one, a neighbour of round 1, and the right one of round 2. */
static void fill_several(uint8_t modes, uint16_t parent_role)
{
	struct tally_group_cfg cfg = modes_cfg(modes);
	struct tally_group_edge edges[4];

	edges[0] = with_roles(0, parent_role, 0, 0, 0, 0);
	edges[1] = with_roles(1, TALLY_ROLE_CHILD | TALLY_ROLE_RING_IN, 0, 0, 0, 0);
	edges[1].rank_first = le32(0x630);
	edges[1].rank_count = le32(0x10);
	edges[2] = with_roles(2, TALLY_ROLE_IN, 1, 7, 0x80010203, 0x40506);
	edges[3] = with_roles(3, TALLY_ROLE_OUT | TALLY_ROLE_RING_OUT, 2, 0, 0, 0);
	fill_tree(&cfg, edges, 4);
}

static void edges_of_several_modes(void **state)
{
	const struct tally_fw_group *g = regs_group();

	(void)state;
	fill_several(TALLY_MODES_TREE | TALLY_MODES_EXCHANGE | TALLY_MODES_RING, TALLY_ROLE_PARENT);
	assert_int_equal(g->modes, TALLY_MODES_TREE | TALLY_MODES_EXCHANGE | TALLY_MODES_RING);
	assert_int_equal(regs_setup()->mode, TALLY_MODE_RING);
	assert_int_equal(g->children, 2);
	assert_int_equal(g->exchange_ins, 4);
	assert_int_equal(g->combined, 6);
	assert_int_equal(g->peers, 9);
	assert_int_equal(g->num_edges, 4);
	assert_int_equal(g->parent, 0);
	assert_int_equal(g->upstream, 0);
	assert_int_equal(regs_setup()->left, 1);
	assert_int_equal(regs_setup()->right, 3);
	assert_int_equal(regs_setup()->all_edges, 4);
	assert_int_equal(regs_setup()->subtree_first, 0x630);
	assert_int_equal(g->subtree_ranks, 4 + 0x10);
	assert_int_equal(regs_neighbour(2)->roles, TALLY_ROLE_IN);
	assert_int_equal(regs_neighbour(2)->round, 1);
	assert_int_equal(regs_neighbour(2)->position, 7);
	assert_int_equal(regs_neighbour(2)->part_first, 0x80010203);
	assert_int_equal(regs_neighbour(2)->part_count, 0x40506);
	assert_int_equal(regs_neighbour(3)->roles, TALLY_ROLE_OUT | TALLY_ROLE_RING_OUT);
	assert_int_equal(regs_neighbour(3)->round, 2);
	assert_int_equal(regs_neighbour(3)->remote_index, 8);
}

/* Without a tree the epoch comes from a neighbour with this role, and there is no subtree. */
static void edges_without_a_tree(void **state)
{
	const struct tally_fw_group *g = regs_group();

	(void)state;
	fill_several(TALLY_MODES_EXCHANGE | TALLY_MODES_RING, TALLY_ROLE_EPOCH);
	assert_int_equal(g->children, 0);
	assert_int_equal(g->exchange_ins, 4);
	assert_int_equal(g->combined, 6); /* the left one gives its sums */
	assert_int_equal(g->parent, NO_ONE);
	assert_int_equal(g->upstream, 0);
	assert_int_equal(regs_setup()->subtree_first, 0);
	assert_int_equal(g->subtree_ranks, 0);
}

/* A parent that has no other role has no index in such a group, either. */
static void parent_beside_a_ring(void **state)
{
	struct tally_group_cfg cfg = modes_cfg(TALLY_MODES_TREE | TALLY_MODES_RING);
	struct tally_group_edge edges[4];

	(void)state;
	edges[3] = with_roles(3, TALLY_ROLE_PARENT, 0, 0, 0, 0); /* that does not count */
	edges[0] = with_roles(0, TALLY_ROLE_RING_IN, 0, 0, 0, 0);
	edges[1] = with_roles(1, TALLY_ROLE_RING_OUT, 0, 0, 0, 0);
	edges[2] = with_roles(2, 0, 0, 0, 0, 0);
	fill_tree(&cfg, edges, 3);
	assert_int_equal(regs_group()->num_edges, 2);
	assert_int_equal(regs_group()->parent, TALLY_MAX_CONTRIBUTORS);
	assert_int_equal(regs_group()->upstream, TALLY_MAX_CONTRIBUTORS);
	assert_int_equal(regs_group()->combined, 1);
	assert_int_equal(regs_setup()->all_edges, 3);
	expect_address(TALLY_MAX_CONTRIBUTORS, 2);
}

/* ---- Rounds of EXCHANGE ---- */

static void expect_round(unsigned int round, const struct tally_fw_round *want)
{
	const struct tally_fw_round *r = regs_round(round);

	assert_int_equal(r->ins, want->ins);
	assert_int_equal(r->outs, want->outs);
	assert_int_equal(r->own, want->own);
	assert_int_equal(r->parts, want->parts);
	assert_int_equal(r->base, want->base);
	assert_int_equal(r->rank_first, want->rank_first);
	assert_int_equal(r->rank_count, want->rank_count);
}

/* Three parts in round 1, in which the own one is the last; in round 2 this node only gives. */
static void rounds_of_an_exchange(void **state)
{
	static const struct tally_fw_round want[] = {
		{ .parts = 4, .rank_first = 0x640, .rank_count = 4 },
		{ 3, 5, 2, 3, 4, 0x638, 14, { 0 } },
		{ 0, 8, 0, 1, 7, 0x638, 14, { 0 } },
		{ 0x10, 0x10, 0, 2, 8, 0x638, 20, { 0 } },
	};
	struct tally_group_cfg cfg = modes_cfg(TALLY_MODES_EXCHANGE);
	struct tally_group_edge edges[6];
	unsigned int i;

	(void)state;
	cfg.rounds = 3;
	edges[5] = with_roles(5, TALLY_ROLE_IN | TALLY_ROLE_OUT, 1, 3, 0, 1); /* that does not count */
	edges[0] = with_roles(0, TALLY_ROLE_IN | TALLY_ROLE_OUT, 1, 1, 0x63c, 4);
	edges[1] = with_roles(1, TALLY_ROLE_IN, 1, 0, 0x638, 6);
	edges[2] = with_roles(2, TALLY_ROLE_OUT, 1, 0, 0, 0);
	edges[3] = with_roles(3, TALLY_ROLE_OUT, 2, 0, 0, 0);
	edges[4] = with_roles(4, TALLY_ROLE_IN | TALLY_ROLE_OUT, 3, 1, 0x700, 6);
	fill_tree(&cfg, edges, 5);
	assert_int_equal(regs_group()->rounds, 3);
	for (i = 0; i < 4; i++)
		expect_round(i, &want[i]);
	assert_int_equal(regs_round(4)->parts, UNWRITTEN32);
}

/* Parts of 64 neighbours; this node's own part has one of the positions. */
static void own_position_among_many(void **state)
{
	static const unsigned int positions[] = { 0, 31, 32, 33, 63, 64 };
	struct tally_group_cfg cfg = modes_cfg(TALLY_MODES_EXCHANGE);
	struct tally_group_edge edges[64];
	unsigned int i, k;

	(void)state;
	cfg.rounds = 1;
	for (k = 0; k < sizeof(positions) / sizeof(positions[0]); k++) {
		for (i = 0; i < 64; i++)
			edges[i] = with_roles(0, TALLY_ROLE_IN, 1, i < positions[k] ? i : i + 1, 0x700, 1);
		fill_tree(&cfg, edges, 64);
		assert_int_equal(regs_round(1)->own, positions[k]);
		assert_int_equal(regs_round(1)->parts, 65);
		assert_int_equal(regs_round(1)->ins, UINT64_MAX);
		assert_int_equal(regs_round(1)->outs, 0);
	}
}

static void tree_has_no_rounds(void **state)
{
	(void)state;
	fill_inner_node();
	assert_int_equal(regs_round(0)->parts, UNWRITTEN32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(configuration_of_a_group),
		cmocka_unit_test(setup_of_a_group),
		cmocka_unit_test(divisors_of_a_group),
		cmocka_unit_test(longest_backoff),
		cmocka_unit_test(no_time_limit),
		cmocka_unit_test(edges_of_a_tree),
		cmocka_unit_test(edges_of_a_tree_by_purpose),
		cmocka_unit_test(most_edges),
		cmocka_unit_test(edges_of_several_modes),
		cmocka_unit_test(edges_without_a_tree),
		cmocka_unit_test(parent_beside_a_ring),
		cmocka_unit_test(rounds_of_an_exchange),
		cmocka_unit_test(own_position_among_many),
		cmocka_unit_test(tree_has_no_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
