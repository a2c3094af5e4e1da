// SPDX-License-Identifier: BSD-2-Clause
/*
 * CREATE_GROUP as the device checks it, without a driver: each invalid field is refused, and the
 * answer has its offset. Drivers rely on this: they check only the fields that they use themselves.
 */
#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/link.h"
#include "fabric/params.h"
#include "firmware/test/groups.h"
#include "hosts/group_config.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define OF_COMMAND(field)                                                                          \
	(offsetof(struct tally_admin_cmd, body) + offsetof(struct tally_cmd_group, field))
#define NOWHERE 0xffff

/* A host without neighbours. */
static struct fab_link *link_;
static struct host *host;
static struct tally_admin_cqe answer;

static void on_error(void *arg, struct host *h, const char *what)
{
	(void)arg;
	(void)h;
	fail_msg("%s", what);
}

static void answered(void *arg, const struct tally_admin_cqe *cqe)
{
	(void)arg;
	assert_non_null(cqe);
	answer = *cqe;
}

static void group_event(void *arg, enum tally_eqe_type type, uint64_t data)
{
	(void)arg;
	(void)type;
	(void)data;
}

static int setup(void **state)
{
	struct fab_link_params params = FAB_LINK_DEFAULTS;
	struct host_cfg cfg = {
		.mac = { 2, 0, 0, 0, 0, 1 }, .link_mbps = 100000, .timing = nic_timing_default,
		.memory = 1 << 20, .on_error = on_error,
	};
	struct sim *sim = sim_new(1);

	(void)state;
	assert_non_null(sim);
	link_ = fab_link_new(sim, &params, "nic", "nobody");
	assert_non_null(link_);
	cfg.port = fab_link_port(link_, 0);
	host = host_new(sim, &cfg);
	assert_non_null(host);
	host_start(host, answered, NULL);
	sim_run_until(sim, VT_MS);
	return 0;
}

static int teardown(void **state)
{
	struct sim *sim = host->sim;

	(void)state;
	host_free(host);
	fab_link_free(link_);
	sim_free(sim);
	return 0;
}

/* Returns the status and the reported offset, relative to the configuration if in it. */
static uint16_t create_of(const struct group_config *config, size_t bytes)
{
	const struct host_group_hook hook = { .fn = group_event };
	uint32_t group;

	answer.status = htole16(NOWHERE);
	assert_int_equal(host_group_create(host, &group, config, bytes, &hook, answered, NULL), 0);
	sim_run_until(host->sim, sim_now(host->sim) + VT_MS / 10);
	assert_int_not_equal(le16toh(answer.status), NOWHERE);
	if (answer.status)
		host_group_forget(host, group);
	return le16toh(answer.status);
}

_Static_assert(offsetof(struct group_config, edge) == sizeof(struct tally_group_cfg),
	       "offsets in an answer are those of the firmware");

/* Return the bytes of a description including the edges. */
static size_t config_bytes(const struct group_config *config)
{
	return offsetof(struct group_config, edge) +
	       le16toh(config->cfg.num_edges) * sizeof(config->edge[0]);
}

static uint16_t create(const struct group_config *config)
{
	return create_of(config, config_bytes(config));
}

static void expect_refused(const struct group_config *config, const char *name, size_t blamed)
{
	if (create(config) != TALLY_ADMIN_STATUS_BAD_FIELD ||
	    le16toh(answer.bad_offset) != blamed || le64toh(answer.value[0]) != 1)
		fail_msg("%s: status %u, offset %u; not %zu", name, le16toh(answer.status),
			 le16toh(answer.bad_offset), blamed);
}

/* ---- Valid descriptions ---- */
/* Each is tried on a device of its own, as they would have to share segments otherwise. */
static void expect_taken(const struct group_config *config, const char *name)
{
	void *state = NULL;

	if (create(config))
		fail_msg("%s: status %u, offset %u", name, le16toh(answer.status),
			 le16toh(answer.bad_offset));
	teardown(&state);
	setup(&state);
}

static void right_ones(void **state)
{
	struct group_config config;

	(void)state;
	for (enum groups_base base = 0; base < GROUPS_NUM_BASES; base++) {
		groups_describe(&config.cfg, config.edge, base);
		expect_taken(&config, "as it is");
	}
	for (size_t i = 0; i < groups_num_good; i++) {
		groups_change(&config.cfg, config.edge, &groups_good[i]);
		expect_taken(&config, groups_good[i].name);
	}
}

/* ---- Invalid fields ---- */
/* Addresses, which the NIC checks; the firmware checks all other fields. */
static const struct groups_change addresses[] = {
	GROUP_AT("multicast of a root without address", TREE_ROOT, flags,
		 TALLY_GROUP_F_ROOT | TALLY_GROUP_F_MULTICAST, OF_GROUP(source_gid)),
	EDGE("no GID", TREE_ROOT, 0, gid, 0),
	EDGE("a GID of many stations", TREE_LEAF, 0, gid, 0xff),
	EDGE("a MAC of zeros", TREE_ROOT, 0, mac, 0),
	EDGE("a MAC of zeros, of the parent", TREE_INNER, 1, mac, 0),
	EDGE("a MAC of many stations", TREE_ROOT, 0, mac, 1),
};

static void wrong_ones(void **state)
{
	struct group_config config;

	(void)state;
	for (size_t i = 0; i < groups_num_bad; i++) {
		groups_change(&config.cfg, config.edge, &groups_bad[i]);
		expect_refused(&config, groups_bad[i].name, groups_bad[i].blamed);
	}
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		groups_change(&config.cfg, config.edge, &addresses[i]);
		expect_refused(&config, addresses[i].name, addresses[i].blamed);
	}
	/* the refused descriptions took no resources */
	groups_describe(&config.cfg, config.edge, TREE_ROOT);
	expect_taken(&config, "afterwards");
}

/* ---- Conditions on two fields ---- */
/* Each value alone is within its limit, but both together are not. */
static void retry_spans(void **state)
{
	static const struct { uint32_t retry_limit, rto_us; bool good; } cases[] = {
		{ 8, 1000000, true }, { 9, 1000000, false },
		{ TALLY_MAX_RETRIES, 31372, true }, { TALLY_MAX_RETRIES, 31373, false },
	};
	struct group_config config;

	(void)state;
	groups_describe(&config.cfg, config.edge, TREE_ROOT);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		config.cfg.retry_limit = htole32(cases[i].retry_limit);
		config.cfg.rto_us = htole32(cases[i].rto_us);
		if (cases[i].good)
			expect_taken(&config, "a span");
		else
			expect_refused(&config, "a span", OF_GROUP(rto_us));
	}
}

/* A node without ranks is valid if it is SPARSE and forwards data of others. */
static void no_ranks(void **state)
{
	struct group_config config;

	(void)state;
	groups_describe(&config.cfg, config.edge, TREE_ROOT);
	config.cfg.rank_mask = config.cfg.owner_ranks = 0;
	expect_refused(&config, "no rank", OF_GROUP(rank_mask));
	config.cfg.flags |= htole32(TALLY_GROUP_F_SPARSE);
	config.cfg.total_ranks = htole32(4);
	config.edge[0].rank_first = 0;
	config.edge[1].rank_first = htole32(2);
	expect_taken(&config, "no rank, and SPARSE");
	groups_describe(&config.cfg, config.edge, TREE_LEAF);
	config.cfg.rank_mask = config.cfg.owner_ranks = 0;
	config.cfg.flags |= htole32(TALLY_GROUP_F_SPARSE);
	expect_refused(&config, "nothing at all", OF_GROUP(rank_mask));
}

/* Each node of a subtree must have a rank, unless the group is SPARSE. */
static void ranks_of_subtrees(void **state)
{
	struct group_config config;

	(void)state;
	groups_describe(&config.cfg, config.edge, TREE_INNER);
	config.cfg.num_nodes = htole16(4);
	config.edge[0].subtree_count = htole16(2);
	expect_taken(&config, "two ranks of two nodes");
	config.edge[0].rank_count = htole32(1);
	expect_refused(&config, "one rank of two nodes", OF_EDGE(0, rank_count));
	config.cfg.flags |= htole32(TALLY_GROUP_F_SPARSE);
	expect_taken(&config, "one rank of two nodes, and SPARSE");
}

/* All nodes must have the same number of ranks, as far as one node can check. */
static void uniform(void **state)
{
	struct group_config config;

	(void)state;
	groups_describe(&config.cfg, config.edge, TREE_LEAF);
	config.cfg.flags |= htole32(TALLY_GROUP_F_UNIFORM);
	expect_taken(&config, "uniform");
	config.cfg.rank_first = htole32(3);
	expect_refused(&config, "wrong first rank", OF_GROUP(flags));
	config.cfg.rank_first = htole32(4);
	config.cfg.total_ranks = htole32(7);
	expect_refused(&config, "wrong total", OF_GROUP(flags));
}

/* The multicast address of results, and the source address, which must be the root's own. */
static void multicast(void **state)
{
	struct group_config config;

	(void)state;
	groups_describe(&config.cfg, config.edge, TREE_ROOT);
	config.cfg.flags |= htole32(TALLY_GROUP_F_MULTICAST);
	config.cfg.mcast_gid[0] = 0xff;
	memcpy(config.cfg.source_gid, host->gid, sizeof(host->gid));
	expect_taken(&config, "multicast");
	config.cfg.source_gid[15] ^= 1;
	expect_refused(&config, "another's address", OF_GROUP(source_gid));
	/* at other nodes, the source is another node */
	groups_describe(&config.cfg, config.edge, TREE_LEAF);
	config.cfg.flags |= htole32(TALLY_GROUP_F_MULTICAST);
	config.cfg.mcast_gid[0] = 0xff;
	config.cfg.source_gid[0] = 0xfe;
	expect_taken(&config, "multicast of a leaf");
	config.cfg.mcast_gid[0] = 0xfe;
	expect_refused(&config, "to one station", OF_GROUP(mcast_gid));
	config.cfg.mcast_gid[0] = 0xff;
	config.cfg.source_gid[0] = 0xff;
	expect_refused(&config, "from many stations", OF_GROUP(source_gid));
	config.cfg.source_gid[0] = 0;
	expect_refused(&config, "from nobody", OF_GROUP(source_gid));
}

/* Each input of a round needs a position of its own. */
static void positions(void **state)
{
	struct group_config config;

	(void)state;
	groups_describe(&config.cfg, config.edge, EXCHANGE);
	/* both inputs in round 1, which has three */
	config.cfg.rounds = 1;
	config.edge[1].round = 1;
	expect_taken(&config, "two positions");
	config.edge[0].position = 2;
	expect_taken(&config, "the last position");
	config.edge[1].position = 2;
	expect_refused(&config, "one position twice", OF_EDGE(1, position));
	config.edge[1].position = 3;
	expect_refused(&config, "no position", OF_EDGE(1, position));
}

/* Inputs of a round must cover different ranks, adjacent to the ranks combined so far. */
static void inputs_of_a_round(void **state)
{
	struct group_config config;

	(void)state;
	groups_describe(&config.cfg, config.edge, EXCHANGE);
	config.cfg.rounds = 1;
	config.edge[1].round = 1;
	/* one rank twice and one missing, so that the number of ranks is right */
	config.edge[0].part_first = htole32(5);
	config.edge[1].part_first = htole32(6);
	config.edge[1].part_count = htole32(2);
	expect_refused(&config, "one rank from two", OF_EDGE(1, part_first));
	groups_describe(&config.cfg, config.edge, EXCHANGE);
	config.cfg.total_ranks = htole32(10);
	config.edge[1].part_first = htole32(6);
	expect_refused(&config, "a gap", OF_EDGE(1, part_first));
}

/* An edge without a role has no round; an edge that is no input has no position. */
static void no_inputs(void **state)
{
	struct group_config config;

	(void)state;
	groups_describe(&config.cfg, config.edge, EXCHANGE);
	config.edge[0].roles = htole16(TALLY_ROLE_EPOCH);
	expect_refused(&config, "a round of no role", OF_EDGE(0, round));
	config.edge[0].roles = htole16(TALLY_ROLE_EPOCH | TALLY_ROLE_OUT);
	config.edge[0].position = 1;
	expect_refused(&config, "a position of no input", OF_EDGE(0, position));
}

/* A neighbour outside the tree must have no nodes and no ranks. */
static void peers_of_a_tree(void **state)
{
	struct group_config config;

	(void)state;
	groups_describe(&config.cfg, config.edge, TREE_ROOT);
	config.cfg.total_ranks = htole32(4);
	config.edge[0].rank_first = config.edge[0].rank_count = 0;
	config.edge[0].remote_index = htole16(1);
	config.edge[0].subtree_first = config.edge[0].subtree_count = 0;
	config.edge[1].rank_first = htole32(2);
	expect_taken(&config, "a peer");
	config.edge[0].subtree_count = htole16(1);
	expect_refused(&config, "a peer with a node", OF_EDGE(0, subtree_count));
	config.edge[0].subtree_count = 0;
	config.edge[0].rank_first = htole32(4);
	expect_refused(&config, "a peer with a first rank", OF_EDGE(0, rank_first));
	config.edge[0].rank_first = 0;
	config.edge[0].rank_count = htole32(1);
	expect_refused(&config, "a peer with a rank", OF_EDGE(0, rank_count));
}

/* ---- Number of edges ---- */
static void numbers_of_edges(void **state)
{
	struct {
		struct group_config config;
		struct tally_group_edge more;
	} long_one = { 0 };
	struct group_config config;

	(void)state;
	groups_describe(&config.cfg, config.edge, TREE_LEAF);
	config.cfg.num_edges = 0;
	expect_refused(&config, "no parent", OF_GROUP(num_edges));
	groups_describe(&config.cfg, config.edge, TREE_ROOT);
	config.cfg.num_edges = 0;
	expect_refused(&config, "a root of three without children", OF_GROUP(total_ranks));
	groups_describe(&config.cfg, config.edge, TREE_ROOT);
	for (unsigned int i = 0; i <= TALLY_MAX_CONTRIBUTORS; i++)
		config.edge[i] = config.edge[0];
	config.cfg.num_edges = htole16(TALLY_MAX_CONTRIBUTORS + 1);
	expect_refused(&config, "a contributor too many", OF_GROUP(num_edges));
	config.cfg.num_edges = htole16(3);
	assert_int_equal(create_of(&config, sizeof(config)), TALLY_ADMIN_STATUS_BAD_FIELD);
	assert_int_equal(le16toh(answer.bad_offset), OF_GROUP(num_edges));
	/* an error in the command itself is reported by its offset in the command */
	long_one.config = config;
	assert_int_equal(create_of(&long_one.config, sizeof(long_one)),
			 TALLY_ADMIN_STATUS_BAD_FIELD);
	assert_int_equal(le16toh(answer.bad_offset), OF_COMMAND(length));
	assert_int_equal(le64toh(answer.value[0]), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(right_ones, setup, teardown),
		cmocka_unit_test_setup_teardown(wrong_ones, setup, teardown),
		cmocka_unit_test_setup_teardown(retry_spans, setup, teardown),
		cmocka_unit_test_setup_teardown(no_ranks, setup, teardown),
		cmocka_unit_test_setup_teardown(ranks_of_subtrees, setup, teardown),
		cmocka_unit_test_setup_teardown(uniform, setup, teardown),
		cmocka_unit_test_setup_teardown(multicast, setup, teardown),
		cmocka_unit_test_setup_teardown(positions, setup, teardown),
		cmocka_unit_test_setup_teardown(inputs_of_a_round, setup, teardown),
		cmocka_unit_test_setup_teardown(no_inputs, setup, teardown),
		cmocka_unit_test_setup_teardown(peers_of_a_tree, setup, teardown),
		cmocka_unit_test_setup_teardown(numbers_of_edges, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
