// SPDX-License-Identifier: BSD-2-Clause
/*
 * Chunks whose words are in the segment store of the host: what the slot asks of it, and what it makes of
 * the answers. The node has the ranks 0, 1 and 4, two children and a parent.
 */
#include "engine/common.h"
#include "engine/pool.h"
#include "engine/segment.h"
#include "engine/segment_rx.h"
#include "engine/store.h"
#include "engine/store_parts.h"
#include "engine/test/alone.h"
#include "engine/words.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RANKS 0x13u
#define KEPT 32

static struct alone a;
static struct engine_host host;
static struct wr *wr;
static struct slot *s;
static struct engine_operation ops[KEPT];
static unsigned int num_ops, commands[TALLY_FW_STORE_CMD_END + 1];
static bool has_store;

static bool stores(void *ctx)
{
	(void)ctx;
	return has_store;
}

static void operate(void *ctx, const struct engine_operation *op, const void *data, uint64_t delay)
{
	(void)ctx;
	(void)delay;
	assert_true(num_ops < KEPT);
	assert_true(!op->bytes || data);
	ops[num_ops++] = *op;
}

static void command(void *ctx, enum tally_fw_store_command c, uint32_t group, uint32_t num)
{
	(void)ctx;
	(void)num;
	assert_int_equal(group, a.g - a.e->groups);
	commands[c]++;
}

static int setup(void **state)
{
	(void)state;
	wr = alone_sum(&a);
	host = *a.e->host;
	host.stores = stores;
	host.operate = operate;
	host.command = command;
	a.e->host = &host;
	has_store = true;
	a.g->modes = TALLY_MODES_TREE;
	a.g->stored = store_does_group(a.e, a.g);
	num_ops = 0;
	memset(commands, 0, sizeof(commands));
	s = slot_of(a.e, a.g, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

static void groups_of_the_store(void **state)
{
	(void)state;
	assert_true(a.g->stored);
	a.g->flags |= TALLY_GROUP_F_ORDERED;
	assert_false(store_does_group(a.e, a.g));
	a.g->flags = TALLY_GROUP_F_MULTICAST;
	assert_false(store_does_group(a.e, a.g));
	a.g->flags = 0;
	a.g->modes |= TALLY_MODES_RING;
	assert_true(store_does_group(a.e, a.g));
	a.g->modes = TALLY_MODES_RING;
	assert_true(store_does_group(a.e, a.g));
	a.g->modes |= TALLY_MODES_EXCHANGE;
	a.g->chunk = 64;
	assert_true(store_does_group(a.e, a.g));
	a.g->chunk = 0; /* as long as a packet */
	assert_false(store_does_group(a.e, a.g));
	a.g->modes = TALLY_MODES_TREE;
	has_store = false;
	assert_false(store_does_group(a.e, a.g));
	assert_true(store_does(a.g, TALLY_OPCODE_BARRIER));
	assert_false(store_does(a.g, TALLY_OPCODE_GATHER));
	a.g->stored = false;
	assert_false(store_does(a.g, TALLY_OPCODE_BARRIER));
}

/* One round: this node is the second of three, and edge 2 gets its partial result, too. */
static void set_rounds(void)
{
	a.g->modes = TALLY_MODES_EXCHANGE;
	a.g->chunk = 256;
	a.g->rank_mask = RANKS;
	a.g->rounds = 1;
	a.g->round[1] = (struct round){ .ins = 3, .outs = 7, .own = 1, .parts = 3 };
	a.g->edges[1].position = 2;
	a.g->exchange_ins = 3;
}

static void is_input(struct store_input in, unsigned int part, bool right)
{
	assert_int_equal(in.part, part);
	assert_int_equal(in.right, right);
}

/* Ranks 0 and 1, then 4; edge 0 and this node, then edge 1. */
static void parts_of_rounds(void **state)
{
	struct store_parts p;

	(void)state;
	set_rounds();
	assert_true(store_parts(a.g, &p));
	assert_int_equal(p.num, 4);
	assert_int_equal(p.words_log, 2);
	is_input(p.rank[0], 0, false);
	is_input(p.rank[1], 0, true);
	is_input(p.part[0].next, 1, false);
	is_input(p.rank[4], 1, true);
	is_input(p.part[1].next, 2, true);
	is_input(p.part[2].next, 3, false);
	assert_int_equal(p.edge[0], 2);
	assert_int_equal(p.edge[1], 3);
	assert_int_equal(p.part[1].outs, 7);
	assert_int_equal(p.part[1].inner, 3);
	assert_int_equal(p.part[2].ins, 1);
	assert_int_equal(p.part[2].inner, 2);
	assert_int_equal(p.part[3].ins, 2);
	assert_int_equal(p.part[3].inner, 1);
	assert_int_equal(p.part[0].ins | p.part[0].outs | p.part[2].outs | p.part[3].outs, 0);
}

static void parts_that_do_not_fit(void **state)
{
	struct store_parts p;

	(void)state;
	set_rounds();
	a.g->chunk = 1024;
	assert_true(store_parts(a.g, &p));
	a.g->chunk = 2048;
	assert_false(store_parts(a.g, &p));
	a.g->chunk = 16; /* a word each */
	a.g->rank_mask = 0x7f; /* with the two of round 1, there are 8 */
	assert_true(store_parts(a.g, &p));
	a.g->rank_mask = 0xff;
	assert_false(store_parts(a.g, &p));
	a.g->rank_mask = 4;
	assert_true(store_parts(a.g, &p));
	assert_int_equal(p.num, 3);
	is_input(p.rank[2], 0, false);
	assert_int_equal(p.part[0].inner, 1);
	a.g->rank_mask = 0;
	assert_false(store_parts(a.g, &p));
}

static void post(void)
{
	assert_true(slot_post(a.e, a.g, &a.e->qps[0], wr, 0));
	slot_pump(a.e, a.g, s);
}

static void answer(const struct engine_operation *op, enum tally_fw_store_answer v, uint16_t status,
		   uint16_t err)
{
	const struct engine_answer ans = { v, status, err };

	engine_operated(a.e, op, &ans);
}

/* A post, and the data of each rank, which are missing until the store has them. */
static void a_post_and_its_data(void **state)
{
	unsigned int i;

	(void)state;
	post();
	assert_int_equal(num_ops, 4);
	assert_int_equal(ops[0].kind, TALLY_FW_STORE_OP_POST);
	assert_int_equal(ops[0].ranks, RANKS);
	assert_int_equal(ops[0].count, 5);
	assert_int_equal(ops[0].total, 5);
	for (i = 1; i < 4; i++) {
		assert_int_equal(ops[i].kind, TALLY_FW_STORE_OP_DATA);
		assert_int_equal(ops[i].bytes, 20);
	}
	assert_int_equal(ops[1].edge, 0);
	assert_int_equal(ops[3].edge, 4);
	assert_int_equal(s->up_ranks, RANKS);
	answer(&ops[3], TALLY_FW_STORE_ANSWER_STORED, 0, 2);
	assert_int_equal(s->up_ranks, 3);
	assert_int_equal(s->err_vector, 2);
	assert_false(s->up_complete);
}

static enum rx_verdict arrive(uint8_t kind, unsigned int idx, enum tally_fw_store_answer v)
{
	struct tch t = { .kind = kind,
			 .opcode = TALLY_OPCODE_ALLREDUCE,
			 .op = TALLY_OP_SUM,
			 .dtype = TALLY_TYPE_INT32,
			 .total = 5,
			 .count = 5,
			 .flags = TALLY_TCH_F_LAST };

	a.e->answer = (struct engine_answer){ v, TALLY_COLL_OP_MISMATCH, 1 };
	return slot_packet(a.e, a.g, idx, &t, NULL, 20);
}

static void the_store_says_what_is_stored(void **state)
{
	(void)state;
	assert_int_equal(arrive(TALLY_KIND_REDUCE, 1, TALLY_FW_STORE_ANSWER_WINDOW), RX_DROP);
	assert_int_equal(s->state, TALLY_SEG_FREE);
	assert_int_equal(arrive(TALLY_KIND_REDUCE, 1, TALLY_FW_STORE_ANSWER_NONE), RX_DROP);
	assert_int_equal(arrive(TALLY_KIND_REDUCE, 1, TALLY_FW_STORE_ANSWER_ENDED), RX_DROP);
	assert_int_equal(arrive(TALLY_KIND_REDUCE, 1, TALLY_FW_STORE_ANSWER_BAD), RX_DROP);
	assert_int_equal(a.counters[TALLY_CTR_drop_window], 4);
	assert_int_equal(arrive(TALLY_KIND_REDUCE, 1, TALLY_FW_STORE_ANSWER_STORED), RX_STORED);
	assert_int_equal(s->up_contributors, 1);
	assert_int_equal(s->err_vector, 1);
	assert_int_equal(arrive(TALLY_KIND_REDUCE, 1, TALLY_FW_STORE_ANSWER_DUPLICATE), RX_STORED);
	assert_int_equal(arrive(TALLY_KIND_REDUCE, 0, TALLY_FW_STORE_ANSWER_DROPPED), RX_DROP);
	assert_int_equal(a.counters[TALLY_CTR_drop_slot], 1);
	assert_int_equal(arrive(TALLY_KIND_RESULT, EDGE_PARENT, TALLY_FW_STORE_ANSWER_STORED), RX_STORED);
	assert_true(s->down_have);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_OK);
	assert_int_equal(arrive(TALLY_KIND_REDUCE, 0, TALLY_FW_STORE_ANSWER_DISAGREES), RX_DROP);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_OP_MISMATCH);
}

static void come_out(uint64_t ranks)
{
	static const uint32_t words[5] = { 11, 12, 13, 14, 15 };
	const struct engine_store_out o = { .group = a.g - a.e->groups, .ranks = ranks };

	engine_store_out(a.e, &o, words, sizeof(words));
}

static struct engine_passage passage(unsigned int edge, bool sum)
{
	return (struct engine_passage){ .group = a.g - a.e->groups, .edge = edge, .sum = sum };
}

/* The chunk waits for each neighbour to which a partial result is to leave, until it has. */
static void partial_results_leave(void **state)
{
	struct engine_passage p = passage(2, false);

	(void)state;
	set_rounds();
	wr->w.mode = TALLY_MODE_EXCHANGE;
	post();
	assert_int_equal(s->out_todo, 7);
	assert_true(slot_waits_on(a.g, s, 2));
	engine_store_left(a.e, &p);
	assert_int_equal(s->out_todo, 3);
	assert_int_equal(s->out_waiting, 4);
	assert_false(slot_waits_on(a.g, s, 2));
	engine_store_there(a.e, &p);
	assert_int_equal(s->out_waiting, 0);
	assert_false(s->down_have);
	come_out(RANKS);
	assert_true(s->up_complete && s->down_have);
}

/* The store sends its sum. The neighbour is not probed until it has acknowledged it. */
static void a_sum_leaves(void **state)
{
	struct engine_passage p = passage(EDGE_PARENT, true);
	struct edge *ed = &a.g->edges[EDGE_PARENT];

	(void)state;
	post();
	assert_true(s->up_send);
	num_ops = 0;
	a.sent = 0;
	engine_store_left(a.e, &p);
	assert_true(s->up_complete && s->up_waiting);
	assert_false(s->up_send);
	assert_true(edge_unacked(ed));
	assert_int_equal(ed->sent, 1);
	p.again = true;
	engine_store_left(a.e, &p);
	assert_int_equal(ed->sent, 1);
	assert_int_equal(ed->retransmits, 1);
	assert_int_equal(a.counters[TALLY_CTR_retransmits], 1);
	engine_store_there(a.e, &p);
	assert_false(s->up_waiting);
	assert_false(edge_unacked(ed));
	assert_int_equal(a.sent, 0);
	assert_int_equal(num_ops, 0);
}

/* What is told of a chunk that the store does not have, or not any more, changes nothing. */
static void passages_of_other_chunks(void **state)
{
	struct engine_passage p = passage(1, false);

	(void)state;
	engine_store_left(a.e, &p);
	engine_store_there(a.e, &p);
	post();
	p.mid = 1;
	engine_store_left(a.e, &p);
	p.mid = 0;
	p.num = 1;
	engine_store_left(a.e, &p);
	engine_store_there(a.e, &p);
	assert_int_equal(a.g->edges[1].sent, 0);
	assert_int_equal(a.g->edges[1].away, 0);
}

/* Copies leave for the children; ranks get the result from the store, unless it is not for them. */
static void results_come_out(void **state)
{
	const struct engine_passage p = passage(1, false);

	(void)state;
	post();
	arrive(TALLY_KIND_RESULT, EDGE_PARENT, TALLY_FW_STORE_ANSWER_STORED);
	slot_pump(a.e, a.g, s);
	num_ops = 0;
	a.sent = 0;
	assert_int_equal(s->down_todo, 3);
	engine_store_left(a.e, &p);
	assert_int_equal(s->down_todo, 1);
	assert_int_equal(s->down_waiting, 2);
	engine_store_there(a.e, &p);
	assert_int_equal(s->down_waiting, 0);
	assert_int_equal(a.sent, 0);
	s->deliver = 1; /* the others have posted it as EMPTY */
	come_out(RANKS);
	assert_int_equal(num_ops, 3);
	assert_true(ops[0].rank && ops[1].rank && ops[2].rank);
	assert_int_equal(1u << ops[0].edge | 1u << ops[1].edge | 1u << ops[2].edge, RANKS);
	assert_int_equal(s->state, TALLY_SEG_BUSY); /* until the store says that it is finished */
}

/*
 * The host numbers packets of its store, too, so it gives other numbers to those of the engine than the
 * engine does. Both know them by their entries.
 */
static void packets_by_their_entries(void **state)
{
	struct tch t = { .kind = TALLY_KIND_RESULT };
	struct tx_entry *first, *second;
	struct acked acked;

	(void)state;
	first = edge_send(a.e, a.g, 1, &t, NULL, 0);
	second = edge_send(a.e, a.g, 1, &t, NULL, 0);
	a.sent = 0;
	assert_true(edge_send_again(a.e, a.g, 1, 77, second - a.g->tx));
	assert_int_equal(a.sent, 1);
	assert_int_equal(be32toh(a.last.edge_seq), 77);
	assert_false(edge_send_again(a.e, a.g, 1, 77, second - a.g->tx + 1));
	assert_false(edge_send_again(a.e, a.g, 0, 77, second - a.g->tx));
	assert_true(edge_take_acked(a.g, 1, 77, second - a.g->tx, &acked));
	assert_false(edge_take_acked(a.g, 1, 77, second - a.g->tx, &acked));
	assert_true(edge_unacked(&a.g->edges[1]));
	assert_true(edge_take_acked(a.g, 1, 70, first - a.g->tx, &acked));
	assert_false(edge_unacked(&a.g->edges[1]));
}

/* The host tells neighbours what its store has finished, and acknowledges; the engine does not. */
static void the_host_announces(void **state)
{
	unsigned int i;

	(void)state;
	post();
	engine_store_done(a.e, a.g - a.e->groups, 1);
	edge_hurry_limit(a.e, a.g, TALLY_MODE_TREE);
	for_each_edge(a.g, i)
		assert_int_equal(a.g->edges[i].announce_at, NEVER);
	a.g->stored = false;
	edge_announce(a.e, a.g);
	assert_int_not_equal(a.g->edges[1].announce_at, NEVER);
}

/* done is that of the store, and each segment that returns is set aside again. */
static void chunks_are_done(void **state)
{
	uint32_t limit = a.g->limit;

	(void)state;
	post();
	engine_store_done(a.e, a.g - a.e->groups, 0);
	assert_int_equal(a.g->done, 0);
	engine_store_done(a.e, a.g - a.e->groups, limit + 1);
	assert_int_equal(a.g->done, 0);
	engine_store_done(a.e, a.g - a.e->groups, 1);
	assert_int_equal(a.g->done, 1);
	assert_int_equal(s->state, TALLY_SEG_FREE);
	assert_int_equal(commands[TALLY_FW_STORE_CMD_RAISE], a.g->limit - limit);
	assert_int_equal(commands[TALLY_FW_STORE_CMD_FINISH], 0);
}

/* A post names the neighbours that are left out, and the ranks that give or get nothing. */
static void post_says_who_takes_no_part(void **state)
{
	(void)state;
	wr->w.node_mask = 2;
	wr->w.flags |= TALLY_WQE_F_EMPTY;
	post();
	assert_int_equal(ops[0].kind, TALLY_FW_STORE_OP_POST);
	assert_int_equal(ops[0].out, 1);
	assert_int_equal(ops[0].absent, ops[0].ranks);
	assert_int_equal(ops[0].quits, ops[0].ranks);
}

static void a_post_that_disagrees(void **state)
{
	(void)state;
	post();
	answer(&ops[0], TALLY_FW_STORE_ANSWER_DISAGREES, TALLY_COLL_TYPE_MISMATCH, 0);
	assert_int_equal(a.g->report.status, TALLY_COLL_TYPE_MISMATCH);
	assert_false(group_alive(a.g));
	num_ops = 0;
	come_out(3); /* the epoch is frozen: no rank gets it */
	assert_int_equal(num_ops, 2);
	assert_int_equal(ops[0].kind, TALLY_FW_STORE_OP_TAKEN);
	assert_true(ops[0].rank);
}

/* What ranks have not got counts as taken when the epoch ends. */
static void the_epoch_ends(void **state)
{
	(void)state;
	post();
	s->results_away = ~1ULL;
	num_ops = 0;
	slots_clear(a.e, a.g);
	assert_int_equal(num_ops, 1);
	assert_int_equal(ops[0].edge, 0);
	assert_true(ops[0].rank);
	assert_int_equal(commands[TALLY_FW_STORE_CMD_END], 1);
	slots_clear(a.e, a.g);
	assert_int_equal(commands[TALLY_FW_STORE_CMD_END], 1);
	pool_begin(a.e, a.g);
	assert_int_equal(commands[TALLY_FW_STORE_CMD_BEGIN], 1);
	assert_int_equal(commands[TALLY_FW_STORE_CMD_RAISE], a.g->granted);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(groups_of_the_store),    TEST(a_post_and_its_data),
		TEST(parts_of_rounds),
		TEST(parts_that_do_not_fit),
		TEST(partial_results_leave),
		TEST(the_store_says_what_is_stored), TEST(a_sum_leaves),
		TEST(passages_of_other_chunks), TEST(results_come_out),
		TEST(packets_by_their_entries), TEST(the_host_announces),
		TEST(chunks_are_done),
		TEST(post_says_who_takes_no_part), TEST(a_post_that_disagrees),
		TEST(the_epoch_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
