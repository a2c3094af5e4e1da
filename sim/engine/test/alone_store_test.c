// SPDX-License-Identifier: BSD-2-Clause
/*
 * Chunks whose words are in the segment store of the host: what the slot asks of it, and what it makes of
 * the answers. The node has the ranks 0, 1 and 4, two children and a parent.
 */
#include "engine/common.h"
#include "engine/events.h"
#include "engine/mirror.h"
#include "engine/mode.h"
#include "engine/ordered.h"
#include "engine/pool.h"
#include "engine/pool_host.h"
#include "engine/probe.h"
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
#define WRITES 256
#define AT(block, field) offsetof(struct tally_fw_##block, field)

static struct alone a;
static struct engine_host host;
static struct wr *wr;
static struct slot *s;
static struct engine_operation ops[KEPT];
static unsigned int num_ops, commands[TALLY_FW_STORE_CMD_END + 1];
static bool has_store;
static unsigned int pool_commands[TALLY_FW_POOL_BORROW + 1];
static struct write {
	uint32_t reg, value;
} writes[WRITES];
static unsigned int num_writes, raises;
static uint32_t pool_regs[sizeof(struct tally_fw_pool) / 4]; /* what was written last */

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

static void table(void *ctx, uint32_t reg, uint32_t value)
{
	(void)ctx;
	if (num_writes < WRITES)
		writes[num_writes++] = (struct write){ reg, value };
	if (reg < TALLY_FW_POOL_BASE || reg >= TALLY_FW_POOL_BASE + sizeof(pool_regs))
		return;
	pool_regs[(reg - TALLY_FW_POOL_BASE) / 4] = value;
	if (reg == TALLY_FW_POOL_BASE)
		pool_commands[value & 0xff]++;
}

/* What was written last to a register, which must be among the first ones of this test. */
static uint32_t written(uint32_t reg)
{
	unsigned int i = num_writes;

	while (i && writes[i - 1].reg != reg)
		i--;
	assert_true(i && num_writes < WRITES);
	return writes[i - 1].value;
}

static uint32_t pool_reg(size_t at)
{
	return pool_regs[at / 4];
}

static void raise_event(void *ctx, const struct engine_event *ev)
{
	(void)ctx;
	(void)ev;
	raises++;
}

static int setup(void **state)
{
	(void)state;
	wr = alone_sum(&a);
	host = *a.e->host;
	host.stores = stores;
	host.operate = operate;
	host.command = command;
	host.table = table;
	a.e->host = &host;
	has_store = true;
	a.g->modes = TALLY_MODES_TREE;
	a.g->stored = store_does_group(a.e, a.g);
	num_ops = num_writes = raises = 0;
	memset(commands, 0, sizeof(commands));
	memset(pool_commands, 0, sizeof(pool_commands));
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

/* Those in fixed order may have any modes, but need chunks of a fixed length. */
static void groups_in_fixed_order(void **state)
{
	uint32_t modes;

	(void)state;
	a.g->flags |= TALLY_GROUP_F_ORDERED;
	a.g->left = 0;
	for (modes = 1; modes < 1u << TALLY_FW_PART_MODES; modes++) {
		a.g->modes = modes;
		a.g->chunk = 0;
		assert_false(store_does_group(a.e, a.g));
		a.g->chunk = 64;
		assert_true(store_does_group(a.e, a.g));
	}
	a.g->modes = TALLY_MODES_TREE;
	a.g->flags |= TALLY_GROUP_F_MULTICAST;
	assert_false(store_does_group(a.e, a.g));
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

/* The parts of a mode, if the store has parts for all modes of the group. */
static bool has_parts(uint8_t mode, struct store_parts *p)
{
	struct store_tables t;
	bool has = store_tables(a.g, &t);

	*p = t.mode[mode - TALLY_MODE_TREE];
	return has;
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
	assert_true(has_parts(TALLY_MODE_EXCHANGE, &p));
	assert_int_equal(p.num, 4);
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
	assert_true(has_parts(TALLY_MODE_EXCHANGE, &p));
	a.g->chunk = 2048;
	assert_false(has_parts(TALLY_MODE_EXCHANGE, &p));
	a.g->chunk = 16; /* a word each */
	a.g->rank_mask = 0x7f; /* with the two of round 1, there are 8 */
	assert_true(has_parts(TALLY_MODE_EXCHANGE, &p));
	a.g->rank_mask = 0xff;
	assert_false(has_parts(TALLY_MODE_EXCHANGE, &p));
	a.g->rank_mask = 4;
	assert_true(has_parts(TALLY_MODE_EXCHANGE, &p));
	assert_int_equal(p.num, 3);
	is_input(p.rank[2], 0, false);
	assert_int_equal(p.part[0].inner, 1);
	a.g->rank_mask = 0;
	assert_false(has_parts(TALLY_MODE_EXCHANGE, &p));
}

static void set_order(uint32_t modes)
{
	a.g->flags = TALLY_GROUP_F_ORDERED;
	a.g->modes = modes;
	a.g->chunk = 256;
}

/* Ranks 0 and 1, then 4 and edge 0; both, then edge 1 by itself. */
static void parts_of_a_tree(void **state)
{
	struct store_parts p;

	(void)state;
	set_order(TALLY_MODES_TREE);
	assert_true(has_parts(TALLY_MODE_TREE, &p));
	assert_int_equal(p.num, 4);
	is_input(p.rank[0], 0, false);
	is_input(p.rank[1], 0, true);
	is_input(p.rank[4], 1, false);
	assert_int_equal(p.part[1].ins, 1);
	assert_int_equal(p.part[1].inner, 1);
	is_input(p.part[0].next, 2, false);
	is_input(p.part[1].next, 2, true);
	is_input(p.part[2].next, 3, false);
	assert_int_equal(p.part[3].ins, 2);
	assert_int_equal(p.part[3].inner, 1);
	assert_int_equal(p.edge[0], 1);
	assert_int_equal(p.edge[1], 3);
	assert_int_equal(p.part[0].outs | p.part[1].outs | p.part[2].outs | p.part[3].outs, 0);
}

/* Edges that give nothing have their places in the shape, but no parts. */
static void parts_without_peers(void **state)
{
	struct store_parts p;

	(void)state;
	set_order(TALLY_MODES_TREE);
	a.g->children = 2;
	assert_true(has_parts(TALLY_MODE_TREE, &p));
	assert_int_equal(p.num, 3);
	is_input(p.rank[4], 1, true);
	is_input(p.part[1].next, 2, false);
	assert_int_equal(p.edge[1], 2);
	set_order(TALLY_MODES_RING);
	a.g->left = 0;
	assert_true(has_parts(TALLY_MODE_RING, &p));
	assert_int_equal(p.num, 3);
	is_input(p.rank[4], 1, false);
	assert_int_equal(p.edge[0], 1);
	is_input(p.part[1].next, 2, true);
	set_order(TALLY_MODES_TREE);
	a.g->rank_mask = 0;
	assert_true(has_parts(TALLY_MODE_TREE, &p)); /* a copy of what comes */
	assert_int_equal(p.num, 1);
	assert_int_equal(p.part[0].ins, 2);
	a.g->children = 0;
	assert_false(has_parts(TALLY_MODE_TREE, &p));
	a.g->rank_mask = RANKS;
	a.g->flags = 0;
	assert_true(has_parts(TALLY_MODE_TREE, &p)); /* none are needed */
	assert_int_equal(p.num, 0);
}

/* Each mode has its shape. In fixed order, all of them must fit; otherwise EXCHANGE alone has parts. */
static void parts_of_several_modes(void **state)
{
	struct store_tables t;

	(void)state;
	set_rounds();
	set_order(TALLY_MODES_TREE | TALLY_MODES_EXCHANGE | TALLY_MODES_RING);
	a.g->children = 2;
	a.g->left = 0;
	assert_true(store_tables(a.g, &t));
	assert_int_equal(t.words_log, 2);
	assert_int_equal(t.mode[0].num, 3);
	assert_int_equal(t.mode[1].num, 4);
	assert_int_equal(t.mode[2].num, 3);
	is_input(t.mode[0].rank[4], 1, true);
	is_input(t.mode[1].rank[4], 1, true);
	is_input(t.mode[2].rank[4], 1, false);
	assert_int_equal(t.mode[0].edge[1], 2);
	assert_int_equal(t.mode[1].edge[1], 3);
	assert_int_equal(t.mode[0].part[2].outs, 0);
	assert_int_equal(t.mode[1].part[1].outs, 7);
	a.g->children = 0; /* those of TREE would still fit */
	a.g->chunk = 2048;
	assert_false(store_tables(a.g, &t));
	assert_int_equal(t.mode[0].num, 0);
	a.g->chunk = 256;
	a.g->flags = 0;
	assert_true(store_tables(a.g, &t));
	assert_int_equal(t.mode[0].num, 0);
	assert_int_equal(t.mode[1].num, 4);
	assert_int_equal(t.mode[2].num, 0);
}

/* The values of some registers that describe parts. */
static void registers_of_parts(void **state)
{
	const uint32_t reg = TALLY_FW_GROUP_BASE + events_number(a.e, a.g) * TALLY_FW_GROUP_STRIDE;
	const uint32_t edge = reg + TALLY_FW_EDGE_OFFSET + TALLY_FW_EDGE_STRIDE;
	const uint32_t exchange = TALLY_FW_STORE_PARTS * TALLY_FW_PART_STRIDE;

	(void)state;
	set_rounds();
	set_order(TALLY_MODES_TREE | TALLY_MODES_EXCHANGE | TALLY_MODES_RING);
	a.g->children = 2;
	a.g->left = 0;
	a.g->edges[1].round = 1;
	a.g->stored = true;
	mirror_store(a.e, a.g);
	assert_int_equal(written(reg + TALLY_FW_SETUP_OFFSET + AT(setup, parts)), 0x030403);
	assert_int_equal(written(reg + TALLY_FW_SETUP_OFFSET + AT(setup, part_log)), 2);
	assert_int_equal(written(reg + TALLY_FW_INPUTS_OFFSET + AT(inputs, rank[4])), 0x018181);
	assert_int_equal(written(edge + TALLY_FW_NEIGHBOUR_OFFSET + AT(neighbour, part)),
			 0x01000302);
	assert_int_equal(written(reg + TALLY_FW_PART_OFFSET + AT(part, link)), 0x030001);
	assert_int_equal(written(reg + TALLY_FW_PART_OFFSET + exchange + AT(part, outs)), 0);
	assert_int_equal(written(reg + TALLY_FW_PART_OFFSET + exchange + TALLY_FW_PART_STRIDE +
				 AT(part, outs)),
			 7);
	a.g->chunk = 0;
	mirror_store(a.e, a.g);
	assert_int_equal(written(reg + TALLY_FW_SETUP_OFFSET + AT(setup, parts)), 0);
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
	/* done has passed the chunk, and is told a moment later */
	assert_int_equal(arrive(TALLY_KIND_REDUCE, 1, TALLY_FW_STORE_ANSWER_PAST), RX_STORED);
	assert_int_equal(s->state, TALLY_SEG_FREE);
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

/* A host that raises exceptions has raised that of a packet that disagrees by itself, and no other one. */
static void the_host_raises_what_disagrees(void **state)
{
	(void)state;
	host.raises = stores;
	host.raise = raise_event;
	assert_int_equal(arrive(TALLY_KIND_REDUCE, 1, TALLY_FW_STORE_ANSWER_STORED), RX_STORED);
	assert_int_equal(arrive(TALLY_KIND_REDUCE, 0, TALLY_FW_STORE_ANSWER_DISAGREES), RX_DROP);
	assert_int_equal(raises, 0);
	assert_true(group_alive(a.g));
	s->op = TALLY_OP_MAX; /* the slot knows what the store does not */
	assert_int_equal(arrive(TALLY_KIND_REDUCE, 0, TALLY_FW_STORE_ANSWER_STORED), RX_DROP);
	assert_int_equal(raises, 1);
	assert_false(group_alive(a.g));
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

/* The store has the inputs of a chunk, so the slot keeps none, whoever takes no part. */
static void no_cells_in_fixed_order(void **state)
{
	(void)state;
	set_order(TALLY_MODES_TREE);
	a.g->stored = store_does_group(a.e, a.g);
	wr->w.node_mask = 2;
	wr->w.flags |= TALLY_WQE_F_COMBINED;
	post();
	assert_false(ordered_applies(a.g, s));
	assert_int_equal(ops[0].absent, 0x12);
	assert_int_equal(ops[0].out, 1);
	assert_int_equal(arrive(TALLY_KIND_REDUCE, 1, TALLY_FW_STORE_ANSWER_STORED), RX_STORED);
	assert_int_equal(s->cells, 0);
	assert_int_equal(s->up_contributors, 0);
	come_out(1);
	assert_memory_equal(mode_of(s->mode)->result(a.e, a.g, s), "\x0b\0\0\0\x0c", 5);
}

/* In EXCHANGE, too, the result is where the store has put it, after however many rounds. */
static void result_of_rounds(void **state)
{
	(void)state;
	set_rounds();
	a.g->rounds = 3;
	wr->w.mode = TALLY_MODE_EXCHANGE;
	post();
	come_out(1);
	assert_memory_equal(mode_of(s->mode)->result(a.e, a.g, s), "\x0b\0\0\0\x0c", 5);
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

static void moved(uint32_t done, uint32_t limit)
{
	engine_moved(a.e, a.g - a.e->groups, done, limit);
}

/* The host tells neighbours what its store has finished, and acknowledges; the engine does not. */
static void the_host_announces(void **state)
{
	unsigned int i;

	(void)state;
	post();
	moved(1, a.g->limit);
	edge_hurry_limit(a.e, a.g, TALLY_MODE_TREE);
	for_each_edge(a.g, i)
		assert_int_equal(a.g->edges[i].announce_at, NEVER);
	a.g->stored = false;
	edge_announce(a.e, a.g);
	assert_int_not_equal(a.g->edges[1].announce_at, NEVER);
}

/* done and limit are those of the host. */
static void chunks_are_done(void **state)
{
	uint32_t limit = a.g->limit;

	(void)state;
	post();
	moved(0, limit);
	assert_int_equal(a.g->done, 0);
	moved(limit + 1, limit + 1);
	moved(0, limit - 1);
	moved(0, TALLY_MAX_GROUP_SEGS + 1);
	assert_int_equal(a.g->done, 0);
	assert_int_equal(a.g->limit, limit);
	moved(1, limit);
	assert_int_equal(a.g->done, 1);
	assert_int_equal(a.g->limit, limit);
	assert_int_equal(s->state, TALLY_SEG_FREE);
	assert_int_equal(commands[TALLY_FW_STORE_CMD_FINISH], 0);
	moved(1, limit + 1);
	assert_int_equal(a.g->limit, limit + 1);
	assert_int_equal(slot_of(a.e, a.g, limit)->state, TALLY_SEG_FREE);
}

/* The slot of another group waits for the host, too, before done moves. */
static void chunks_that_the_slots_finish(void **state)
{
	(void)state;
	a.g->stored = false;
	post();
	s->posted = a.g->rank_mask;
	s->up_complete = true;
	s->up_send = s->up_waiting = s->down_expected = false;
	slot_pump(a.e, a.g, s);
	assert_int_equal(commands[TALLY_FW_STORE_CMD_FINISH], 1);
	assert_int_equal(a.g->done, 0);
	assert_false(slots_idle(a.e, a.g));
	moved(1, a.g->limit);
	assert_int_equal(a.g->done, 1);
	assert_int_equal(a.g->mid_done, 1);
	assert_true(slots_idle(a.e, a.g));
}

/* Segments of a frozen epoch return when the host says so, but its chunks do not end. */
static void a_frozen_epoch_follows(void **state)
{
	const uint32_t limit = a.g->limit;

	(void)state;
	post();
	a.g->state = TALLY_GROUP_COLLECT;
	moved(1, limit);
	moved(1, limit + 1);
	assert_int_equal(a.g->done, 1);
	assert_int_equal(a.g->limit, limit + 1);
	assert_int_equal(a.g->mid_done, 0);
	assert_int_equal(s->state, TALLY_SEG_FREE);
	slots_clear(a.e, a.g);
	moved(2, limit + 2);
	assert_int_equal(a.g->done, 1);
	assert_int_equal(a.g->limit, 1);
}

/* Without a segment for the oldest number, there is no oldest chunk. */
static void an_empty_window(void **state)
{
	const uint32_t limit = a.g->limit;

	(void)state;
	post();
	moved(limit, limit);
	slot_of(a.e, a.g, limit)->state = TALLY_SEG_BUSY; /* of another group */
	edge_announce(a.e, a.g);
	probe_watch(a.e, a.g);
	assert_int_equal(a.g->edges[0].probe_at, NEVER);
	moved(limit, limit + 1);
	assert_int_equal(slot_of(a.e, a.g, limit)->group, a.g - a.e->groups);
}

/* ---- The pool of segments ---- */

static void groups_are_counted(void **state)
{
	struct group *g = &a.e->groups[7];

	(void)state;
	g->num_segs = 5;
	g->max_segs = 9;
	pool_join(a.e, g); /* the device has a group that it was told before */
	assert_int_equal(pool_commands[TALLY_FW_POOL_SET_LIMITS], 0);
	assert_int_equal(pool_reg(0), TALLY_FW_POOL_JOIN | 7 << 16);
	assert_int_equal(pool_reg(offsetof(struct tally_fw_pool, num)), 5);
	assert_int_equal(pool_reg(offsetof(struct tally_fw_pool, max)), 9);
	assert_int_equal(g->granted, 5);
	engine_granted(a.e, 7, 2);
	assert_int_equal(g->granted, 2);
	assert_int_equal(pool_left(a.e), a.e->max_segs - 5 - a.g->num_segs);
	pool_leave(a.e, g);
	assert_int_equal(pool_reg(0), TALLY_FW_POOL_LEAVE | 7 << 16);
	assert_int_equal(pool_left(a.e), a.e->max_segs - a.g->num_segs);
	pool_leave(a.e, a.g);
	pool_join(a.e, g); /* the first one */
	assert_int_equal(pool_commands[TALLY_FW_POOL_SET_LIMITS], 1);
	assert_int_equal(pool_reg(offsetof(struct tally_fw_pool, groups)), a.e->max_groups);
	assert_int_equal(pool_reg(offsetof(struct tally_fw_pool, segs)), a.e->max_segs);
	assert_int_equal(a.counters[TALLY_CTR_groups_owed], 0);
}

/* In vain, until done has moved. */
static void the_host_is_asked_for_segments(void **state)
{
	const uint32_t limit = a.g->limit;

	(void)state;
	a.g->max_segs = limit + 3;
	assert_false(pool_borrow(a.e, a.g, limit));
	assert_int_equal(pool_commands[TALLY_FW_POOL_BORROW], 0);
	assert_false(pool_borrow(a.e, a.g, limit + 2));
	assert_int_equal(pool_reg(0), TALLY_FW_POOL_BORROW | (a.g - a.e->groups) << 16);
	assert_int_equal(pool_reg(offsetof(struct tally_fw_pool, top)), limit + 2);
	pool_host_borrow(a.e, a.g, limit + 2);
	assert_int_equal(pool_commands[TALLY_FW_POOL_BORROW], 1);
	pool_borrow(a.e, a.g, limit + 10);
	assert_int_equal(pool_reg(offsetof(struct tally_fw_pool, top)), limit + 3);
	assert_int_equal(pool_commands[TALLY_FW_POOL_BORROW], 2);
	assert_int_equal(a.g->limit, limit);
	moved(0, limit + 1);
	pool_borrow(a.e, a.g, limit + 3);
	assert_int_equal(pool_commands[TALLY_FW_POOL_BORROW], 2);
	moved(1, limit + 1);
	pool_borrow(a.e, a.g, limit + 3);
	assert_int_equal(pool_commands[TALLY_FW_POOL_BORROW], 3);
	assert_int_equal(a.counters[TALLY_CTR_segs_lent], 0);
}

/* The firmware waits until the epochs have begun. */
static void an_epoch_begins(void **state)
{
	(void)state;
	slots_clear(a.e, a.g);
	assert_int_equal(pool_commands[TALLY_FW_POOL_END], 1);
	events_drop(a.e, a.g);
	a.g->asked = 50;
	pool_begin(a.e, a.g);
	assert_int_equal(pool_reg(0), TALLY_FW_POOL_BEGIN | (a.g - a.e->groups) << 16);
	assert_int_equal(a.g->limit, 0);
	assert_int_equal(a.g->asked, 0);
	events_of_group(a.e, a.g, TALLY_FW_EV_DRAINED);
	assert_false(events_wait(a.e));
	moved(0, 1);
	assert_int_equal(a.g->limit, 1);
	assert_false(events_wait(a.e));
	a.e->firmware = (struct fiber *)&a; /* it is busy with something else */
	engine_begun_epoch(a.e, a.g - a.e->groups);
	a.e->firmware = NULL;
	assert_true(events_wait(a.e));
	events_drop(a.e, a.g);
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
	assert_int_equal(pool_commands[TALLY_FW_POOL_END], 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(groups_of_the_store),    TEST(a_post_and_its_data),
		TEST(groups_in_fixed_order),
		TEST(parts_of_rounds),
		TEST(parts_of_a_tree),
		TEST(parts_without_peers),
		TEST(parts_of_several_modes),
		TEST(registers_of_parts),
		TEST(no_cells_in_fixed_order),
		TEST(parts_that_do_not_fit),
		TEST(result_of_rounds),
		TEST(partial_results_leave),
		TEST(the_store_says_what_is_stored),
		TEST(the_host_raises_what_disagrees), TEST(a_sum_leaves),
		TEST(passages_of_other_chunks), TEST(results_come_out),
		TEST(packets_by_their_entries), TEST(the_host_announces),
		TEST(chunks_are_done),
		TEST(chunks_that_the_slots_finish),
		TEST(a_frozen_epoch_follows),
		TEST(an_empty_window),
		TEST(groups_are_counted),
		TEST(the_host_is_asked_for_segments),
		TEST(an_epoch_begins),
		TEST(post_says_who_takes_no_part), TEST(a_post_that_disagrees),
		TEST(the_epoch_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
