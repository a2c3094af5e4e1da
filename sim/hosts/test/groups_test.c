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
#include "hosts/test/groups.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_TOTAL_RANKS ((uint64_t)TALLY_MAX_NODES * TALLY_MAX_RANKS)
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

static uint16_t create(const struct group_config *config)
{
	return create_of(config, groups_bytes(config));
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

static const struct groups_change good[] = {
	GROUP("largest jid", TREE_ROOT, jid, UINT32_MAX),
	GROUP("most cells", TREE_LEAF, msg_cells, TALLY_MAX_GROUP_CELLS),
	GROUP("no rank of the owner's", TREE_ROOT, owner_ranks, 0),
	GROUP("all ranks the owner's", TREE_ROOT, owner_ranks, 3),
	GROUP("shortest timeout", TREE_ROOT, timeout_ms, TALLY_MIN_TIMEOUT_MS),
	GROUP("longest timeout", TREE_ROOT, timeout_ms, TALLY_MAX_TIMEOUT_MS),
	GROUP("smallest mtu", TREE_ROOT, mtu, 256),
	GROUP("largest mtu", TREE_ROOT, mtu, TALLY_MAX_MTU),
	GROUP("largest retry_limit", TREE_ROOT, retry_limit, TALLY_MAX_RETRIES),
	GROUP("largest rto_us", TREE_ROOT, rto_us, TALLY_MAX_RTO_US),
	GROUP("most segments", TREE_ROOT, num_segs, TALLY_MAX_GROUP_SEGS),
	GROUP("one segment", RING, num_segs, 1),
	GROUP("segments no power of two", RING, num_segs, 3),
	GROUP("the cells that two rounds hold", EXCHANGE, msg_cells, 6),
	GROUP("lent segments", TREE_ROOT, max_segs, TALLY_MAX_GROUP_SEGS),
	GROUP("no lent segment", TREE_ROOT, max_segs, GROUPS_SEGS),
	GROUP("the longest chunk of two rounds", EXCHANGE, chunk, 512),
	GROUP("the shortest chunk", EXCHANGE, chunk, 16),
	GROUP("exchange, most segments", EXCHANGE, num_segs, TALLY_MAX_GROUP_SEGS),
	GROUP("the lowest level", TREE_LEAF, level, 2),
	EDGE("the last index at a parent", TREE_INNER, 1, remote_index, TALLY_CONTRIB_PARENT - 1),
	GROUP("a part of a larger tree", TREE_INNER, num_nodes, 4),
};

static void right_ones(void **state)
{
	struct group_config config;

	(void)state;
	for (enum groups_base base = 0; base < GROUPS_NUM_BASES; base++) {
		groups_describe(&config, base);
		expect_taken(&config, "as it is");
	}
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		groups_change(&config, &good[i]);
		expect_taken(&config, good[i].name);
	}
}

/* ---- Invalid fields ---- */
#define ROOT(flags) (TALLY_GROUP_F_ROOT | (flags))
#define IN TALLY_ROLE_IN
#define OUT TALLY_ROLE_OUT
#define EPOCH TALLY_ROLE_EPOCH
#define RING_IN TALLY_ROLE_RING_IN
#define RING_OUT TALLY_ROLE_RING_OUT

static const struct groups_change bad[] = {
	GROUP("jid 0", TREE_ROOT, jid, 0),
	GROUP("a reserved byte", TREE_ROOT, rsvd1, 1),
	GROUP("a chunk length", TREE_ROOT, chunk, 256),
	GROUP("an unknown flag", TREE_ROOT, flags, ROOT(1u << 31)),
	GROUP("mode 0", TREE_ROOT, mode, TALLY_MODE_TREE - 1),
	GROUP("an unknown mode", TREE_ROOT, mode, TALLY_MODE_RING + 1),
	GROUP("largest mode", TREE_ROOT, mode, 0xff),
	GROUP("no node", TREE_ROOT, num_nodes, 0),
	GROUP("too many nodes", TREE_ROOT, num_nodes, TALLY_MAX_NODES + 1),
	GROUP("node behind the last", TREE_LEAF, node, 3),
	GROUP("largest node", TREE_LEAF, node, UINT16_MAX),
	GROUP("a level of no node", TREE_LEAF, level, 3),
	GROUP("largest level", TREE_ROOT, level, 0xff),
	GROUP("root of a ring at another node", RING, flags, TALLY_GROUP_F_ROOT),
	GROUP("node 0 of a ring without root", RING_OF_2, flags, 0),
	GROUP("a root without epoch", TREE_ROOT, epoch, 0),
	GROUP("an epoch but no root", TREE_LEAF, epoch, 1),
	GROUP("rounds in a tree", TREE_ROOT, rounds, 1),
	GROUP("rounds in a ring", RING, rounds, 1),
	GROUP("an exchange without rounds", EXCHANGE, rounds, 0),
	GROUP("too many rounds", EXCHANGE, rounds, TALLY_MAX_ROUNDS + 1),
	GROUP("largest rounds", EXCHANGE, rounds, 0xff),
	GROUP("no segment", TREE_ROOT, num_segs, 0),
	GROUP("too many segments", TREE_ROOT, num_segs, 2 * TALLY_MAX_GROUP_SEGS),
	GROUP("most segments", TREE_ROOT, num_segs, UINT16_MAX),
	GROUP("mcast_gid without multicast", TREE_ROOT, mcast_gid, 0xff),
	GROUP("source_gid without multicast", TREE_ROOT, source_gid, 0xfe),
	GROUP_AT("multicast without addresses", TREE_LEAF, flags, TALLY_GROUP_F_MULTICAST,
		 OF_GROUP(mcast_gid)),
	GROUP_AT("multicast of a root without address", TREE_ROOT, flags,
		 ROOT(TALLY_GROUP_F_MULTICAST), OF_GROUP(source_gid)),
	GROUP("multicast in a ring", RING, flags, TALLY_GROUP_F_MULTICAST),
	GROUP_AT("no rank, but one of the owner's", TREE_ROOT, rank_mask, 0, OF_GROUP(owner_ranks)),
	GROUP("the owner of another's ranks", TREE_ROOT, owner_ranks, 4),
	GROUP("a sparse ring", RING, flags, TALLY_GROUP_F_SPARSE),
	GROUP("a sparse exchange", EXCHANGE, flags, TALLY_GROUP_F_SPARSE),
	GROUP("no rank at all", TREE_ROOT, total_ranks, 0),
	GROUP("fewer ranks than here", TREE_ROOT, total_ranks, 1),
	GROUP("fewer ranks than here, in a ring", RING, total_ranks, 1),
	GROUP("more ranks than there are", TREE_LEAF, total_ranks, MAX_TOTAL_RANKS + 1),
	GROUP("most ranks", TREE_LEAF, total_ranks, UINT32_MAX),
	GROUP("most ranks of a ring", RING, total_ranks, UINT32_MAX),
	GROUP("rank_first behind the last", TREE_LEAF, rank_first, 5),
	GROUP("largest rank_first", TREE_LEAF, rank_first, UINT32_MAX),
	GROUP("largest rank_first of a ring", RING, rank_first, UINT32_MAX),
	GROUP("a short timeout", TREE_ROOT, timeout_ms, TALLY_MIN_TIMEOUT_MS - 1),
	GROUP("a long timeout", TREE_ROOT, timeout_ms, TALLY_MAX_TIMEOUT_MS + 1),
	GROUP("no timeout", TREE_ROOT, timeout_ms, 0),
	GROUP("mtu 0", TREE_ROOT, mtu, 0),
	GROUP("a small mtu", TREE_ROOT, mtu, 128),
	GROUP("a large mtu", TREE_ROOT, mtu, 2 * TALLY_MAX_MTU),
	GROUP("mtu no power of two", TREE_ROOT, mtu, 1000),
	GROUP("no retry_limit", TREE_ROOT, retry_limit, 0),
	GROUP("retry_limit", TREE_ROOT, retry_limit, TALLY_MAX_RETRIES + 1),
	GROUP("no rto_us", TREE_ROOT, rto_us, 0),
	GROUP("rto_us", TREE_ROOT, rto_us, TALLY_MAX_RTO_US + 1),
	GROUP("too many cells", TREE_ROOT, msg_cells, TALLY_MAX_GROUP_CELLS + 1),
	GROUP("most cells", TREE_ROOT, msg_cells, UINT32_MAX),
	GROUP_AT("a tree's order without cells", TREE_ROOT, flags, ROOT(TALLY_GROUP_F_ORDERED),
		 OF_GROUP(msg_cells)),
	GROUP_AT("a ring's order without cells", RING, flags, TALLY_GROUP_F_ORDERED,
		 OF_GROUP(msg_cells)),
	GROUP("fewer segments than the group owns", TREE_ROOT, max_segs, GROUPS_SEGS - 1),
	GROUP("too many lent segments", TREE_ROOT, max_segs, TALLY_MAX_GROUP_SEGS + 1),
	GROUP("a long chunk of two rounds", EXCHANGE, chunk, 1024),
	GROUP("a short chunk", EXCHANGE, chunk, 8),
	GROUP("a chunk no power of two", EXCHANGE, chunk, 48),
	GROUP("largest chunk", EXCHANGE, chunk, UINT32_MAX),
	GROUP("a chunk without fixed order", TREE_ROOT, chunk, 16),
	GROUP("a cell too few for two rounds", EXCHANGE, msg_cells, 5),
	GROUP("ranks of a root that are not all", TREE_ROOT, total_ranks, 7),
	GROUP("ranks that are not consecutive", TREE_INNER, rank_first, 0),
	GROUP("ranks that never come together", EXCHANGE, total_ranks, 9),

	EDGE("no GID", TREE_ROOT, 0, gid, 0),
	EDGE("a GID of many stations", TREE_LEAF, 0, gid, 0xff),
	EDGE("a MAC of zeros", TREE_ROOT, 0, mac, 0),
	EDGE("a MAC of zeros, of the parent", TREE_INNER, 1, mac, 0),
	EDGE("a MAC of many stations", TREE_ROOT, 0, mac, 1),
	EDGE("a part in a tree", TREE_ROOT, 1, part_first, 1),
	EDGE("ranks of a part in a tree", TREE_LEAF, 0, part_count, 1u << 31),
	EDGE("an index behind the parent's", TREE_ROOT, 0, remote_index, TALLY_CONTRIB_PARENT + 1),
	EDGE("largest index", TREE_ROOT, 0, remote_index, UINT16_MAX),
	EDGE("a parent that is a child", TREE_LEAF, 0, remote_index, TALLY_CONTRIB_PARENT),
	EDGE("a role in a tree", TREE_ROOT, 0, roles, IN),
	EDGE("a round in a tree", TREE_ROOT, 0, round, 1),
	EDGE("a position in a tree", TREE_ROOT, 0, position, 1),
	EDGE("an empty subtree", TREE_ROOT, 0, subtree_count, 0),
	EDGE("a subtree that ends outside", TREE_ROOT, 1, subtree_count, 2),
	EDGE("largest subtree", TREE_ROOT, 1, subtree_count, UINT16_MAX),
	EDGE("a subtree that begins outside", TREE_ROOT, 1, subtree_first, 3),
	EDGE("largest first node", TREE_ROOT, 1, subtree_first, UINT16_MAX),
	EDGE_AT("a subtree with this node", TREE_ROOT, 0, subtree_first, 0,
		OF_EDGE(0, subtree_count)),
	EDGE("a subtree with nodes of another", TREE_ROOT, 1, subtree_first, 1),
	EDGE("a subtree without ranks", TREE_ROOT, 0, rank_count, 0),
	EDGE("ranks of this node", TREE_ROOT, 0, rank_first, 1),
	EDGE("ranks of another subtree", TREE_ROOT, 1, rank_first, 3),
	EDGE("ranks behind the last", TREE_ROOT, 1, rank_first, 6),
	EDGE("largest rank_first", TREE_ROOT, 1, rank_first, UINT32_MAX),
	EDGE_AT("largest rank_count", TREE_ROOT, 1, rank_count, UINT32_MAX, OF_EDGE(1, rank_first)),
	EDGE_AT("a rank left out", TREE_ROOT, 1, rank_count, 1, OF_GROUP(total_ranks)),
	EDGE_AT("a peer with a subtree", TREE_ROOT, 0, remote_index, 1, OF_EDGE(0, subtree_first)),
	EDGE("an edge to a parent in a ring", RING, 0, remote_index, TALLY_CONTRIB_PARENT),
	EDGE("an unknown role", RING, 0, roles, RING_IN | EPOCH | 1u << 15),
	EDGE_AT("nobody who tells the epoch", RING, 0, roles, RING_IN, OF_GROUP(num_edges)),
	EDGE("two who tell the epoch", RING, 1, roles, RING_OUT | EPOCH),
	EDGE("somebody who tells node 0", RING_OF_2, 0, roles, RING_IN | RING_OUT | EPOCH),
	EDGE_AT("no way out of a ring", RING, 1, roles, 0, OF_GROUP(num_edges)),
	EDGE("two ways out of a ring", RING, 0, roles, RING_IN | RING_OUT | EPOCH),
	EDGE_AT("no way into a ring", RING, 0, roles, EPOCH, OF_GROUP(num_edges)),
	EDGE("half an edge of two nodes", RING_OF_2, 0, roles, RING_IN),
	EDGE("a round in a ring", RING, 0, round, 1),
	EDGE("a position in a ring", RING, 0, position, 1),
	EDGE("a first rank in a ring", RING, 0, rank_first, 1),
	EDGE("ranks in a ring", RING, 0, rank_count, 1),
	EDGE("a part in a ring", RING, 0, part_first, 1),
	EDGE("ranks of a part in a ring", RING, 0, part_count, 1),
	EDGE("a role of an exchange in a ring", RING, 0, roles, RING_IN | IN | EPOCH),
	EDGE("a role of a ring in an exchange", EXCHANGE, 0, roles, IN | OUT | EPOCH | RING_IN),
	EDGE("a child in an exchange", EXCHANGE, 0, roles, IN | OUT | EPOCH | TALLY_ROLE_CHILD),
	EDGE("a subtree in a ring", RING, 0, subtree_count, 1),
	EDGE("an exchange in round 0", EXCHANGE, 0, round, 0),
	EDGE("an exchange behind the last round", EXCHANGE, 1, round, 3),
	EDGE("largest round", EXCHANGE, 1, round, 0xff),
	EDGE("a position for nobody", EXCHANGE, 0, position, 2),
	EDGE("largest position", EXCHANGE, 0, position, 0xff),
	EDGE("an input without ranks", EXCHANGE, 0, part_count, 0),
	EDGE("an input of this node's ranks", EXCHANGE, 0, part_first, 1),
	EDGE("an input of ranks combined before", EXCHANGE, 1, part_first, 3),
	EDGE_AT("an input that leaves ranks out", EXCHANGE, 1, part_count, 3,
		OF_GROUP(total_ranks)),
	EDGE("an input that begins too late", EXCHANGE, 1, part_first, 5),
	EDGE_AT("largest part_count of an input", EXCHANGE, 1, part_count, UINT32_MAX,
		OF_EDGE(1, part_first)),
	EDGE("a child's ranks in an exchange", EXCHANGE, 0, rank_first, 1),
	EDGE("a child's number of ranks in an exchange", EXCHANGE, 0, rank_count, 1),
	EDGE("a subtree in an exchange", EXCHANGE, 0, subtree_first, 1),
};

static void wrong_ones(void **state)
{
	struct group_config config;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		groups_change(&config, &bad[i]);
		expect_refused(&config, bad[i].name, bad[i].blamed);
	}
	/* the refused descriptions took no resources */
	groups_describe(&config, TREE_ROOT);
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
	groups_describe(&config, TREE_ROOT);
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
	groups_describe(&config, TREE_ROOT);
	config.cfg.rank_mask = config.cfg.owner_ranks = 0;
	expect_refused(&config, "no rank", OF_GROUP(rank_mask));
	config.cfg.flags |= htole32(TALLY_GROUP_F_SPARSE);
	config.cfg.total_ranks = htole32(4);
	config.edge[0].rank_first = 0;
	config.edge[1].rank_first = htole32(2);
	expect_taken(&config, "no rank, and SPARSE");
	groups_describe(&config, TREE_LEAF);
	config.cfg.rank_mask = config.cfg.owner_ranks = 0;
	config.cfg.flags |= htole32(TALLY_GROUP_F_SPARSE);
	expect_refused(&config, "nothing at all", OF_GROUP(rank_mask));
}

/* Each node of a subtree must have a rank, unless the group is SPARSE. */
static void ranks_of_subtrees(void **state)
{
	struct group_config config;

	(void)state;
	groups_describe(&config, TREE_INNER);
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
	groups_describe(&config, TREE_LEAF);
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
	groups_describe(&config, TREE_ROOT);
	config.cfg.flags |= htole32(TALLY_GROUP_F_MULTICAST);
	config.cfg.mcast_gid[0] = 0xff;
	memcpy(config.cfg.source_gid, host->gid, sizeof(host->gid));
	expect_taken(&config, "multicast");
	config.cfg.source_gid[15] ^= 1;
	expect_refused(&config, "another's address", OF_GROUP(source_gid));
	/* at other nodes, the source is another node */
	groups_describe(&config, TREE_LEAF);
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
	groups_describe(&config, EXCHANGE);
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
	groups_describe(&config, EXCHANGE);
	config.cfg.rounds = 1;
	config.edge[1].round = 1;
	/* one rank twice and one missing, so that the number of ranks is right */
	config.edge[0].part_first = htole32(5);
	config.edge[1].part_first = htole32(6);
	config.edge[1].part_count = htole32(2);
	expect_refused(&config, "one rank from two", OF_EDGE(1, part_first));
	groups_describe(&config, EXCHANGE);
	config.cfg.total_ranks = htole32(10);
	config.edge[1].part_first = htole32(6);
	expect_refused(&config, "a gap", OF_EDGE(1, part_first));
}

/* An edge without a role has no round; an edge that is no input has no position. */
static void no_inputs(void **state)
{
	struct group_config config;

	(void)state;
	groups_describe(&config, EXCHANGE);
	config.edge[0].roles = htole16(EPOCH);
	expect_refused(&config, "a round of no role", OF_EDGE(0, round));
	config.edge[0].roles = htole16(EPOCH | OUT);
	config.edge[0].position = 1;
	expect_refused(&config, "a position of no input", OF_EDGE(0, position));
}

/* A neighbour outside the tree must have no nodes and no ranks. */
static void peers_of_a_tree(void **state)
{
	struct group_config config;

	(void)state;
	groups_describe(&config, TREE_ROOT);
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
	groups_describe(&config, TREE_LEAF);
	config.cfg.num_edges = 0;
	expect_refused(&config, "no parent", OF_GROUP(num_edges));
	groups_describe(&config, TREE_ROOT);
	config.cfg.num_edges = 0;
	expect_refused(&config, "a root of three without children", OF_GROUP(total_ranks));
	groups_describe(&config, TREE_ROOT);
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
