// SPDX-License-Identifier: BSD-2-Clause
/* Reports: what a NIC knows of its oldest chunk, which report is better, and which is plausible. */
#include "firmware/blame.h"
#include "firmware/handshake.h"
#include "firmware/test/registers/registers.h"

#define FIRST UINT32_MAX /* of the numbers that wrap */

static struct report report(uint16_t status, uint32_t mid, uint32_t sid, uint64_t contributors,
			    uint64_t ranks)
{
	return (struct report){ status, 0, 0, contributors, ranks, mid, sid };
}

static void expect(const struct report *r, uint16_t status, uint32_t mid, uint32_t sid,
		   uint64_t contributors, uint64_t ranks)
{
	assert_int_equal(r->status, status);
	assert_int_equal(r->mid, mid);
	assert_int_equal(r->sid, sid);
	assert_int_equal(r->contributors, contributors);
	assert_int_equal(r->ranks, ranks);
}

/* ---- The oldest chunk ---- */

/* Chunk 4 of message 9 lacks contributors 0 and 2; edges 0 to 2 and the parent's are open. */
static void stuck_chunk(void)
{
	regs_open_group(3);
	regs_add_parent();
	regs_group()->oldest_busy = 1;
	regs_group()->oldest_mid = 9;
	regs_group()->oldest_sid = 4;
	regs_group()->oldest_missing = 5;
	regs_group()->mid_done = 8;
	regs.late_mid = 9;
}

static void expect_oldest(uint16_t status, uint64_t contributors, uint64_t ranks)
{
	const struct report r = blame_oldest(G);

	expect(&r, status, regs_group()->oldest_busy ? 9 : 8, regs_group()->oldest_busy ? 4 : 0,
	       contributors, ranks);
}

static void oldest_chunk_is_reported(void **state)
{
	(void)state;
	stuck_chunk();
	expect_oldest(TALLY_COLL_TIMEOUT, 5, 0);
	regs.late_ranks = 2;
	expect_oldest(TALLY_COLL_TIMEOUT, 5, 2);
	regs_group()->oldest_busy = 0; /* nothing has begun: message 8 is the next one */
	expect_oldest(TALLY_COLL_TIMEOUT, 0, 0);
	regs.late_mid = 8;
	expect_oldest(TALLY_COLL_TIMEOUT, 0, 2);
}

static unsigned int changes;

/* The chunk is done just before the firmware has read all of it. */
static void chunk_is_done(uint32_t reg)
{
	if (reg != fw_group_base(G) + REG_AT(group, oldest_missing) || !changes)
		return;
	changes--;
	if (changes)
		regs_group()->oldest_sid++;
	else
		regs_group()->oldest_mid++;
	regs_group()->oldest_missing <<= 1;
}

static void report_is_of_one_chunk(void **state)
{
	struct report r;

	(void)state;
	for (changes = 1; changes <= 2; changes++) {
		unsigned int num = changes;

		stuck_chunk();
		regs.before_read = chunk_is_done;
		r = blame_oldest(G);
		expect(&r, TALLY_COLL_TIMEOUT, 10, 4 + num - 1, 5 << num, 0);
		changes = num;
	}
}

static void closed_edges_are_blamed(void **state)
{
	(void)state;
	stuck_chunk();
	regs_edge(1)->state = TALLY_EDGE_OPENING;
	expect_oldest(TALLY_COLL_TIMEOUT, 5, 0); /* the chunk does not wait for it */
	regs_group()->oldest_waits = 2;
	expect_oldest(TALLY_COLL_NO_HANDSHAKE, 2, 0);
	regs_edge(1)->awaits_epoch = 1;
	expect_oldest(TALLY_COLL_TIMEOUT, 5, 0);
	regs_edge(1)->awaits_epoch = AWAITS_MAX - 1;
	expect_oldest(TALLY_COLL_TIMEOUT, 5, 0);
	regs_edge(1)->awaits_epoch = AWAITS_MAX;
	expect_oldest(TALLY_COLL_NO_HANDSHAKE, 2, 0);
	regs_edge(1)->awaits_epoch = 0;
	regs.late_ranks = 1;
	expect_oldest(TALLY_COLL_TIMEOUT, 5, 1);
	regs.late_ranks = 0;
	regs_group()->oldest_waits = 6;
	regs_edge(2)->state = TALLY_EDGE_OPENING;
	expect_oldest(TALLY_COLL_NO_HANDSHAKE, 6, 0);
	regs_group()->oldest_busy = 0; /* a node waits for none but its parent */
	expect_oldest(TALLY_COLL_TIMEOUT, 0, 0);
}

static void last_edge_is_blamed(void **state)
{
	(void)state;
	stuck_chunk();
	regs_group()->num_edges = 64;
	regs_edge(63)->state = TALLY_EDGE_OPENING;
	regs_group()->oldest_waits = 1ULL << 63;
	expect_oldest(TALLY_COLL_NO_HANDSHAKE, 1ULL << 63, 0);
}

#define PATIENCE (TALLY_HANDSHAKE_MS * MS)

/* As stuck_chunk(), but nothing limits it, and it waits for the opening edge 1. */
static void unlimited_chunk(void)
{
	stuck_chunk();
	regs.control.now = 2 * PATIENCE;
	regs_group()->timeout = TALLY_FW_NEVER;
	regs_group()->oldest_started = PATIENCE;
	regs_group()->oldest_waits = 6;
	regs_edge(1)->state = TALLY_EDGE_OPENING;
}

static void nothing_begun(void)
{
	regs_group()->oldest_busy = regs_group()->oldest_started = 0;
}

static void younger(void)
{
	regs_group()->oldest_started++;
}

static void waits_for_others(void)
{
	regs_group()->oldest_waits = 4;
}

static void awaits_epoch(void)
{
	regs_edge(1)->awaits_epoch = 1;
}

static void opens(void)
{
	regs_edge(1)->state = TALLY_EDGE_OPEN;
}

/* The edge opens, the chunk is done, and the next one is the oldest: all while it is looked at. */
static void next_is_oldest(uint32_t reg)
{
	if (reg == fw_group_base(G) + REG_AT(group, oldest_waits))
		regs_group()->oldest_started = regs.control.now;
}

static void edges_open_in_time(void **state)
{
	static void (*const change[])(void) = { nothing_begun, younger, opens, waits_for_others,
						awaits_epoch };
	unsigned int i;

	(void)state;
	unlimited_chunk();
	assert_true(blame_unopened(G, 1));
	assert_false(blame_unopened(G, 2)); /* open */
	for (i = 0; i < sizeof(change) / sizeof(change[0]); i++) {
		unlimited_chunk();
		change[i]();
		assert_false(blame_unopened(G, 1));
	}
	unlimited_chunk();
	regs.before_read = next_is_oldest;
	assert_false(blame_unopened(G, 1));
}

/* The report names all such neighbours, and no rank that is late as well. */
static void unopened_edges_are_blamed(void **state)
{
	struct report r;

	(void)state;
	unlimited_chunk();
	regs.late_ranks = 1;
	r = blame_handshake(G);
	expect(&r, TALLY_COLL_NO_HANDSHAKE, 9, 4, 2, 0);
	assert_int_equal(r.detector, regs_group()->node);
	assert_int_equal(r.level, regs_group()->level);
	regs_edge(2)->state = TALLY_EDGE_OPENING;
	r = blame_handshake(G);
	expect(&r, TALLY_COLL_NO_HANDSHAKE, 9, 4, 6, 0);
}

static void closed_parent_is_blamed(void **state)
{
	(void)state;
	stuck_chunk();
	regs_edge(TALLY_MAX_CONTRIBUTORS)->state = TALLY_EDGE_OPENING;
	expect_oldest(TALLY_COLL_TIMEOUT, 5, 0);
	regs_group()->oldest_waits_parent = 1;
	expect_oldest(TALLY_COLL_NO_HANDSHAKE, 0, 0);
	regs_group()->oldest_waits_parent = 0;
	regs_group()->oldest_tree = 1;
	expect_oldest(TALLY_COLL_NO_HANDSHAKE, 0, 0);
	regs_group()->oldest_tree = 0;
	regs_group()->oldest_busy = 0;
	expect_oldest(TALLY_COLL_NO_HANDSHAKE, 0, 0);
	regs_group()->oldest_busy = 1;
	regs_group()->parent = 1; /* a parent with an index */
	expect_oldest(TALLY_COLL_TIMEOUT, 5, 0);
	regs_edge(1)->state = TALLY_EDGE_OPENING;
	regs_group()->oldest_tree = 1;
	expect_oldest(TALLY_COLL_NO_HANDSHAKE, 2, 0);
}

/* While the epoch is unknown, no node can begin, so only a closed edge is to blame. */
static void unknown_epoch_blames_nobody_else(void **state)
{
	(void)state;
	stuck_chunk();
	regs_group()->upstream = 1;
	regs_group()->epoch = 0;
	expect_oldest(TALLY_COLL_TIMEOUT, 0, 0);
	regs_edge(0)->state = TALLY_EDGE_OPENING; /* it waits for the epoch, too */
	expect_oldest(TALLY_COLL_TIMEOUT, 0, 0);
	regs_edge(1)->state = TALLY_EDGE_OPENING;
	expect_oldest(TALLY_COLL_NO_HANDSHAKE, 2, 0);
	regs.late_ranks = 3;
	expect_oldest(TALLY_COLL_TIMEOUT, 2, 3);
	regs.late_ranks = 0;
	regs_group()->epoch = EPOCH;
	expect_oldest(TALLY_COLL_TIMEOUT, 5, 0);
	regs_group()->flags = TALLY_GROUP_F_MULTICAST; /* the key is not known */
	expect_oldest(TALLY_COLL_NO_HANDSHAKE, 2, 0);
	regs_group()->group_key = 1;
	expect_oldest(TALLY_COLL_TIMEOUT, 5, 0);
}

/* ---- Exceptions ---- */

static void raise(enum tally_fw_cause cause)
{
	stuck_chunk();
	regs_group()->node = 6;
	regs_group()->level = 3;
	regs.late_ranks = 2;
	regs.event = (struct tally_fw_event){
		.cause = cause,
		.status = TALLY_COLL_OP_MISMATCH,
		.contributors = 6,
		.ranks = 1,
		.mid = 20,
		.sid = 21,
	};
}

static void causes_of_exceptions(void **state)
{
	struct report r;

	(void)state;
	raise(TALLY_FW_CAUSE_KNOWN);
	r = blame_cause(G);
	expect(&r, TALLY_COLL_OP_MISMATCH, 20, 21, 6, 1);
	raise(TALLY_FW_CAUSE_TIME_OUT);
	r = blame_cause(G);
	expect(&r, TALLY_COLL_TIMEOUT, 9, 4, 5, 2);
	raise(TALLY_FW_CAUSE_SILENCE);
	r = blame_cause(G);
	expect(&r, TALLY_COLL_RETRY_EXCEEDED, 9, 4, 6, 0);
	assert_int_equal(r.detector, 6);
	assert_int_equal(r.level, 3);
}

/* ---- What this NIC adds to a report ---- */

/* Expect that this NIC says something about message `mid`, on which another one has timed out. */
static void expect_view(uint32_t mid, uint16_t status, uint64_t contributors, uint64_t ranks)
{
	const struct report told = report(TALLY_COLL_TIMEOUT, mid, 0, 1, 1);
	struct report mine;

	assert_true(blame_view(G, &told, &mine));
	expect(&mine, status, regs_group()->oldest_mid, 4, contributors, ranks);
}

static void expect_no_view(uint32_t mid)
{
	const struct report told = report(TALLY_COLL_TIMEOUT, mid, 0, 1, 1);
	struct report mine;

	assert_false(blame_view(G, &told, &mine));
}

static void view_of_the_same_message(void **state)
{
	(void)state;
	stuck_chunk();
	expect_view(9, TALLY_COLL_TIMEOUT, 5, 0);
	expect_no_view(8); /* finished here */
	regs_group()->oldest_missing = 0;
	expect_no_view(9);
	regs.late_ranks = 2;
	expect_view(9, TALLY_COLL_TIMEOUT, 0, 2);
	expect_no_view(8);
	regs.late_ranks = 0;
	regs_edge(TALLY_MAX_CONTRIBUTORS)->state = TALLY_EDGE_OPENING;
	regs_group()->oldest_tree = 1;
	expect_view(9, TALLY_COLL_NO_HANDSHAKE, 0, 0);
}

/* An older message is blamed for a later one once it has waited for half its limit. */
static void view_of_a_later_message(void **state)
{
	(void)state;
	stuck_chunk();
	regs_group()->oldest_limit = 100 * MS;
	regs_group()->oldest_started = NOW - 50 * MS;
	expect_view(10, TALLY_COLL_TIMEOUT, 5, 0);
	regs_group()->oldest_started++;
	expect_no_view(10);
	expect_view(9, TALLY_COLL_TIMEOUT, 5, 0);
	regs.late_ranks = 2;
	expect_view(10, TALLY_COLL_TIMEOUT, 0, 2);
	regs.late_ranks = 0;
	regs_edge(TALLY_MAX_CONTRIBUTORS)->state = TALLY_EDGE_OPENING;
	regs_group()->oldest_tree = 1;
	expect_no_view(10);
	regs_group()->oldest_started--;
	expect_view(10, TALLY_COLL_NO_HANDSHAKE, 0, 0);
	regs_group()->oldest_busy = 0;
	regs_group()->oldest_started = 0;
	expect_no_view(10);
}

/* Nobody knows how long a chunk without a limit may take, so no neighbour is blamed for it. */
static void view_without_a_limit(void **state)
{
	(void)state;
	stuck_chunk();
	regs_group()->oldest_limit = TALLY_FW_NEVER;
	expect_no_view(10);
	expect_view(9, TALLY_COLL_TIMEOUT, 5, 0);
	regs.late_ranks = 2;
	expect_view(10, TALLY_COLL_TIMEOUT, 0, 2);
}

static void view_across_the_wrap(void **state)
{
	(void)state;
	stuck_chunk();
	regs_group()->oldest_mid = 1;
	expect_no_view(FIRST);
	expect_view(1, TALLY_COLL_TIMEOUT, 5, 0);
	regs_group()->oldest_mid = FIRST;
	expect_view(1, TALLY_COLL_TIMEOUT, 5, 0); /* nothing limits the wait, so it is over */
}

static void view_of_descriptors(void **state)
{
	const struct report told = report(TALLY_COLL_RMQ_OVERFLOW, 30, NO_CHUNK, 1, 1);
	struct report mine;

	(void)state;
	stuck_chunk();
	regs.late_ranks = 3;
	assert_false(blame_view(G, &told, &mine));
	regs_group()->lacking = 4;
	assert_true(blame_view(G, &told, &mine));
	expect(&mine, TALLY_COLL_RMQ_OVERFLOW, 30, NO_CHUNK, 4, 0);
}

/* ---- Which report is better ---- */

/* From the best one to the worst one, with their weights. */
static const struct {
	struct report r; /* status, detector, level, contributors, ranks, mid, sid */
	unsigned int weight;
} by_rank[] = {
	{ { TALLY_COLL_ABORTED, 9, 5, 0, 1, 500, 4 }, 8 },
	{ { TALLY_COLL_OP_MISMATCH, 3, 4, 0, 0, 600, NO_CHUNK }, 8 },
	{ { TALLY_COLL_RANK_GONE, 4, 4, 0, 3, 2, 0 }, 8 },
	{ { TALLY_COLL_TIMEOUT, 8, 0, 0, 0, 0xfffffffe, 9 }, 4 },
	{ { TALLY_COLL_TIMEOUT, 8, 0, 0, 0, 1, 1 }, 4 },
	{ { TALLY_COLL_TIMEOUT, 8, 0, 0, 1, 1, 2 }, 7 },
	{ { TALLY_COLL_RETRY_EXCEEDED, 1, 5, 1, 0, 1, 2 }, 6 },
	{ { TALLY_COLL_NO_HANDSHAKE, 1, 4, 0, 0, 1, 2 }, 6 },
	{ { TALLY_COLL_PEER_GONE, 1, 3, 0, 0, 1, 2 }, 6 },
	{ { TALLY_COLL_TIMEOUT, 1, 6, 1, 0, 1, 2 }, 5 },
	{ { TALLY_COLL_TIMEOUT, 6, 3, 0, 0, 1, 2 }, 4 },
	{ { TALLY_COLL_TIMEOUT, 2, 2, 0, 0, 1, 2 }, 4 },
	{ { TALLY_COLL_TIMEOUT, 3, 2, 0, 0, 1, 2 }, 4 },
	{ { TALLY_COLL_TIMEOUT, 1, 9, 1, 0, 2, 0 }, 5 },
	{ { TALLY_COLL_TIMEOUT, 1, 0, 0, 1, 100, NO_CHUNK }, 3 },
	{ { TALLY_COLL_RETRY_EXCEEDED, 1, 5, 1, 0, 60, NO_CHUNK }, 2 },
	{ { TALLY_COLL_TIMEOUT, 1, 6, 1, 0, 50, NO_CHUNK }, 1 },
	{ { TALLY_COLL_TIMEOUT, 1, 4, 0, 0, 1, NO_CHUNK }, 0 },
	{ { TALLY_COLL_TIMEOUT, 0, 3, 0, 0, 0, NO_CHUNK }, 0 },
};

#define NUM_RANKED (sizeof(by_rank) / sizeof(by_rank[0]))

static void order_of_reports(void **state)
{
	unsigned int i, k;

	(void)state;
	for (i = 0; i < NUM_RANKED; i++) {
		assert_int_equal(blame_weight(&by_rank[i].r), by_rank[i].weight);
		for (k = 0; k < NUM_RANKED; k++)
			if (blame_better(&by_rank[i].r, &by_rank[k].r) != (i < k))
				fail_msg("%u and %u", i, k);
	}
}

/* ---- Which report is plausible ---- */

static struct report plausible(void)
{
	return (struct report){ .status = TALLY_COLL_TIMEOUT, .detector = 5 };
}

static void expect_valid(const struct report *r, bool valid)
{
	if (report_valid(G, r) != valid)
		fail_msg("status %u, detector %u, level %u, sid %#x, ranks %#lx", r->status, r->detector,
			 r->level, r->sid, (unsigned long)r->ranks);
}

static void statuses_that_end_an_epoch(void **state)
{
	struct report r = plausible();
	unsigned int status;

	(void)state;
	regs_open_group(2);
	r.ranks = 1;
	for (status = 0; status <= UINT16_MAX; status++) {
		bool request = status && status <= 37 && status != 31;
		bool epoch = status >= 64 && status <= 85 && status != 75;

		r.status = status;
		expect_valid(&r, request || (epoch && status != TALLY_COLL_MISMATCH &&
					     status != TALLY_COLL_FLUSHED &&
					     status != TALLY_COLL_DEVICE_LOST));
	}
	r.ranks = 0;
	for (status = 64; status <= 67; status++) {
		r.status = status;
		expect_valid(&r, status != TALLY_COLL_RANK_GONE && status != TALLY_COLL_ABORTED);
	}
}

static void fields_of_a_report(void **state)
{
	struct report r = plausible();

	(void)state;
	regs_open_group(2);
	r.detector = 6;
	expect_valid(&r, true);
	r.detector = 7;
	expect_valid(&r, false);
	r = plausible();
	r.level = 6;
	expect_valid(&r, true);
	r.level = 7;
	expect_valid(&r, false);
	r = plausible();
	r.sid = TALLY_MAX_MESSAGE - 1;
	expect_valid(&r, true);
	r.sid = TALLY_MAX_MESSAGE;
	expect_valid(&r, false);
	r.sid = NO_CHUNK;
	expect_valid(&r, true);
}

/* Only a node whose epoch has ended gets its own report. */
static void own_report_comes_after_the_end(void **state)
{
	static const struct {
		uint32_t state;
		bool valid;
	} states[] = {
		{ TALLY_GROUP_OPENING, false }, { TALLY_GROUP_OPEN, false },
		{ TALLY_GROUP_DRAINING, false }, { TALLY_GROUP_COLLECT, true },
		{ TALLY_GROUP_DEAD, true },
	};
	struct report r = plausible();
	unsigned int i;

	(void)state;
	regs_open_group(2);
	r.detector = 1;
	r.ranks = UINT64_MAX;
	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		regs_group()->state = states[i].state;
		expect_valid(&r, states[i].valid);
	}
}

static void expect_most_ranks(uint16_t detector, unsigned int most)
{
	struct report r = plausible();

	r.detector = detector;
	r.ranks = most < 64 ? (1ULL << most) - 1 : UINT64_MAX;
	expect_valid(&r, true);
	r.ranks = r.ranks << 1 | 1;
	if (most < 64)
		expect_valid(&r, false);
}

/* Nodes 2 and 3 are below edge 0, node 4 below edge 1; the subtree has 6 of 14 ranks. */
static void ranks_that_a_node_can_have(void **state)
{
	(void)state;
	regs_open_group(3);
	*regs_edge(0) = (struct tally_fw_edge){ .subtree_first = 2, .subtree_count = 2, .rank_count = 3 };
	*regs_edge(1) = (struct tally_fw_edge){ .subtree_first = 4, .subtree_count = 1, .rank_count = 1 };
	*regs_edge(3) = (struct tally_fw_edge){ .subtree_first = 5, .subtree_count = 1, .rank_count = 1 };
	expect_most_ranks(0, 8);
	expect_most_ranks(2, 3);
	expect_most_ranks(3, 3);
	expect_most_ranks(4, 1);
	expect_most_ranks(5, 8);
	regs_group()->modes = TALLY_MODES_TREE | TALLY_MODES_RING;
	expect_most_ranks(3, 3);
	regs_group()->modes = TALLY_MODES_RING | TALLY_MODES_EXCHANGE;
	expect_most_ranks(3, 12);
	regs_group()->flags = TALLY_GROUP_F_UNIFORM;
	expect_most_ranks(3, 2);
	regs_group()->flags = TALLY_GROUP_F_ORDERED;
	regs_group()->total_ranks = 200;
	expect_most_ranks(3, 64);
	regs_group()->total_ranks = 65;
	expect_most_ranks(3, 63);
}

/* ---- Registers of a report ---- */

static void report_in_registers(void **state)
{
	static const struct report r = { 66, 0x102, 3, 0x400000005, 0x600000007, 0x80000008, 9 };
	const struct tally_fw_group *g = regs_group();
	struct report got;

	(void)state;
	regs_open_group(2);
	report_set(G, &r);
	assert_int_equal(g->status, 66);
	assert_int_equal(g->detector, 0x102);
	assert_int_equal(g->detector_level, 3);
	assert_int_equal(g->contributors, 0x400000005);
	assert_int_equal(g->ranks, 0x600000007);
	assert_int_equal(g->report_mid, 0x80000008);
	assert_int_equal(g->report_sid, 9);
	got = report_get(G);
	expect(&got, 66, 0x80000008, 9, 0x400000005, 0x600000007);
	assert_int_equal(got.detector, 0x102);
	assert_int_equal(got.level, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(oldest_chunk_is_reported),
		cmocka_unit_test(report_is_of_one_chunk),
		cmocka_unit_test(closed_edges_are_blamed),
		cmocka_unit_test(last_edge_is_blamed),
		cmocka_unit_test(edges_open_in_time),
		cmocka_unit_test(unopened_edges_are_blamed),
		cmocka_unit_test(closed_parent_is_blamed),
		cmocka_unit_test(unknown_epoch_blames_nobody_else),
		cmocka_unit_test(causes_of_exceptions),
		cmocka_unit_test(view_of_the_same_message),
		cmocka_unit_test(view_of_a_later_message),
		cmocka_unit_test(view_without_a_limit),
		cmocka_unit_test(view_across_the_wrap),
		cmocka_unit_test(view_of_descriptors),
		cmocka_unit_test(order_of_reports),
		cmocka_unit_test(statuses_that_end_an_epoch),
		cmocka_unit_test(fields_of_a_report),
		cmocka_unit_test(own_report_comes_after_the_end),
		cmocka_unit_test(ranks_that_a_node_can_have),
		cmocka_unit_test(report_in_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
