// SPDX-License-Identifier: BSD-2-Clause
/*
 * Early arrivals: data that arrive a second before their rank has posted. They wait in their
 * segments, or at their senders if no segment is free. Nothing is lost, there are no errors, and
 * ranks that depend on the late ranks complete after these have posted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "offload/group.h"

#define NODES		7
#define LATE		VT_S
#define MESSAGES	6
#define ROOM		(64u << 10)	/* of a message */

/* Counters that must stay 0 for packets that are merely early. */
static const enum tally_counter losses[] = {
	TALLY_CTR_drop_state, TALLY_CTR_drop_window, TALLY_CTR_drop_slot, TALLY_CTR_drop_epoch,
	TALLY_CTR_duplicates, TALLY_CTR_retransmits, TALLY_CTR_busy_sent,
	TALLY_CTR_messages_failed, TALLY_CTR_kills_sent,
};

static struct bench_group group;

static struct message message_of(enum tally_opcode opcode, unsigned int i, uint32_t root)
{
	struct message m = {
		.opcode = opcode,
		.op = opcode == TALLY_OPCODE_REDUCE ? TALLY_OP_SUM : TALLY_OP_NONE,
		.type = TALLY_TYPE_INT32,
		.count = i % 3 == 2 ? ROOM / sizeof(uint32_t) : 100 * i + 1,
		.total_ranks = NODES,
		.root = root,
		.root_node = (uint16_t)root,
		.seed = 1000 + i,
	};

	return m;
}

static void post_all(uint32_t rank, enum tally_opcode opcode, uint32_t root)
{
	for (unsigned int i = 0; i < MESSAGES; i++) {
		struct message m = message_of(opcode, i, root);
		uint8_t data[ROOM];

		if (message_gives(&m, rank)) {
			message_input(&m, rank, data);
			host_mr_write(&group.rank[rank].in, group.rank[rank].in.iova + i * ROOM,
				      data, message_give_bytes(&m));
		}
		bench_group_post(&group, rank, &m, i, i * ROOM, false);
	}
}

static void check_all(enum tally_opcode opcode, uint32_t root)
{
	struct oracle oracle = { 0 };

	for (unsigned int i = 0; i < MESSAGES; i++) {
		struct message m = message_of(opcode, i, root);
		uint8_t want[ROOM], got[ROOM];

		assert_true(message_expect(&m, &oracle, want));
		for (uint32_t rank = 0; rank < NODES; rank++) {
			const struct host_mr *out = &group.rank[rank].out;

			if (!message_gets(&m, rank))
				continue;
			host_mr_read(out, out->iova + i * ROOM, got, message_get_bytes(&m));
			assert_memory_equal(got, want, message_get_bytes(&m));
		}
	}
	oracle_free(&oracle);
}

/* Ranks for which late(rank, root) is true post when the others have waited for LATE. */
static void run(enum tally_opcode opcode, uint32_t root, uint32_t num_segs,
		bool (*late)(uint32_t rank, uint32_t root))
{
	struct bench_group_cfg cfg = BENCH_GROUP_DEFAULTS;
	vtime_t start;

	cfg.nodes = NODES;
	cfg.plan.num_segs = num_segs;
	cfg.buffer = MESSAGES * ROOM;
	if (bench_group_build(&group, &cfg))
		fail_msg("%s", group.trouble);
	start = sim_now(group.sim);
	for (uint32_t rank = 0; rank < NODES; rank++)
		if (!late(rank, root))
			post_all(rank, opcode, root);
	sim_run_until(group.sim, start + LATE);
	for (uint32_t rank = 0; rank < NODES; rank++)
		if (late(rank, root))
			post_all(rank, opcode, root);
	if (!bench_group_finish(&group, VT_S))
		fail_msg("%s", group.trouble);
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		assert_int_equal(host_set_counter(&group.host_set, losses[i]), 0);
	for (uint32_t rank = 0; rank < NODES; rank++)
		if (late(rank, root))
			assert_true(group.rank[rank].completed > start + LATE);
	check_all(opcode, root);
	bench_group_free(&group);
}

static bool all_but_root(uint32_t rank, uint32_t root)
{
	return rank != root;
}

static bool the_root(uint32_t rank, uint32_t root)
{
	return rank == root;
}

static void bcast_to_late_ranks(void **state)
{
	(void)state;
	run(TALLY_OPCODE_BCAST, 0, 64, all_but_root);
	run(TALLY_OPCODE_BCAST, NODES - 1, 64, all_but_root);
}

static void reduce_to_a_late_root(void **state)
{
	(void)state;
	run(TALLY_OPCODE_REDUCE, 0, 64, the_root);
	run(TALLY_OPCODE_REDUCE, NODES / 2, 64, the_root);
}

/* There are more chunks than segments: the remaining chunks wait at their senders. */
static void few_segments(void **state)
{
	(void)state;
	run(TALLY_OPCODE_BCAST, 2, 2, all_but_root);
	run(TALLY_OPCODE_REDUCE, 3, 2, the_root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bcast_to_late_ranks),
		cmocka_unit_test(reduce_to_a_late_root),
		cmocka_unit_test(few_segments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
