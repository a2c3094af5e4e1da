// SPDX-License-Identifier: BSD-2-Clause
/*
 * The receive message queue alone: counting, intermediate results, firings, and ownership of cells.
 */
#include "engine/test/testbed.h"

#define PORT 3

static uint64_t seed;

/* Node 0 with three contributors and a port. */
static struct testbed *bed;
static struct tb_group group;
static struct group *g;
static struct engine *e;
static struct qp *qp;

static void bed_new(struct tb_group_cfg cfg)
{
	struct tb_qp *made;

	cfg.nodes = 4;
	cfg.degree = 3;
	bed = tb_new(cfg.nodes, seed);
	tb_group_plan(bed, &group, &cfg);
	tb_group_create_all(&group);
	tb_run_for(bed, VT_MS);
	made = tb_qp_create(&group, 0, 1, 16, PORT);
	e = tb_group_node(&group, 0)->e;
	g = tb_group_state(&group, 0);
	qp = &e->qps[made->qpn];
}

static struct tch header(uint8_t counter, uint8_t branch, uint16_t flags)
{
	return (struct tch){
		.kind = TALLY_KIND_TRIGGER,
		.opcode = TALLY_OPCODE_REDUCE_MP,
		.op = TALLY_OP_SUM,
		.dtype = TALLY_TYPE_INT32,
		.counter = counter,
		.branch = branch,
		.port = PORT,
		.flags = flags,
		.count = flags & TALLY_TCH_F_SWP_MP ? 1 : 0,
	};
}

/* Let a contributor send one number. */
static enum rx_verdict message(unsigned int from, uint8_t counter, uint8_t branch, uint16_t flags,
			       int32_t value)
{
	const struct tch t = header(counter, branch, flags);

	return rmq_packet(e, g, from, &t, &value, t.count * sizeof(value));
}

static enum rx_verdict counted(unsigned int from, uint8_t counter)
{
	return message(from, counter, 0, TALLY_TCH_F_CP, 0);
}

/* Let a contributor send a message that is kept for reduction, one of `branch`. */
static enum rx_verdict kept(unsigned int from, uint8_t counter, uint8_t branch, int32_t value)
{
	return message(from, counter, branch, TALLY_TCH_F_CP | TALLY_TCH_F_SWP_MP, value);
}

/* ---- Descriptors ---- */

static struct wr wr;
static int32_t result;

/* Let a descriptor that takes data begin to wait. */
static void begin_to_wait(uint8_t counter, uint32_t cpcnt)
{
	memset(&wr, 0, sizeof(wr));
	wr.w.counter = counter;
	wr.w.cpcnt = cpcnt;
	rmq_wait(e, qp, &wr, (uint8_t *)&result);
}

/* Let it fire, and check the sum. Returns the error vector. */
static uint16_t take_sum(int32_t want)
{
	uint16_t err_vector;

	assert_true(rmq_reached(qp, &wr));
	assert_true(sum_is_complete(&qp->sum));
	err_vector = rmq_fire(e, qp, &wr);
	if (!(err_vector & TALLY_ERR_MISMATCH))
		assert_int_equal(result, want);
	return err_vector;
}

/* Let a descriptor that takes no data fire. Returns the contributors that still count. */
static uint64_t take_counts(uint8_t counter, uint32_t cpcnt)
{
	memset(&wr, 0, sizeof(wr));
	wr.w.counter = counter;
	wr.w.cpcnt = cpcnt;
	assert_true(rmq_reached(qp, &wr));
	assert_int_equal(rmq_fire(e, qp, &wr), 0);
	return qp->counters[counter].counted[0];
}

/* ---- Counters ---- */

/* CPCnt is subtracted, so messages beyond it count for the next firing. The oldest go first. */
static void firing_leaves_what_is_beyond(void **state)
{
	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	counted(2, 1);
	counted(0, 1);
	counted(1, 1);
	counted(2, 2);
	assert_int_equal(qp->counters[1].count, 3);
	assert_int_equal(take_counts(1, 1), 3);
	assert_int_equal(take_counts(1, 1), 2);
	assert_int_equal(take_counts(1, 1), 0);
	assert_int_equal(qp->counters[2].count, 1);
	assert_int_equal(take_counts(2, 1), 0);
	counted(1, 0);
	assert_int_equal(take_counts(0, 1), 0);
	tb_free(bed);
}

/* A second message of a contributor waits for the next firing, where it counts at once. */
static void second_message_waits(void **state)
{
	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	counted(0, 0);
	counted(0, 0);
	counted(0, 0);
	assert_int_equal(qp->counters[0].count, 1);
	counted(1, 0);
	assert_int_equal(qp->counters[0].count, 2);
	assert_int_equal(take_counts(0, 2), 1);
	assert_int_equal(take_counts(0, 1), 1);
	assert_int_equal(qp->counters[0].count, 1);
	counted(1, 0);
	assert_int_equal(take_counts(0, 2), 0);
	tb_free(bed);
}

/* ---- What is kept ---- */

/*
 * SwpMp alone decides what is kept, and only that has data. A message that neither counts nor is
 * kept, or whose data would be lost, is not accepted.
 */
static void swp_mp_alone_keeps(void **state)
{
	const struct tch data = { .opcode = TALLY_OPCODE_PUT_MP, .dtype = TALLY_TYPE_INT8,
				  .port = PORT, .count = 1, .flags = TALLY_TCH_F_CP };

	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	assert_int_equal(message(0, 0, 0, 0, 0), RX_DROP);
	assert_int_equal(rmq_packet(e, g, 0, &data, "x", 1), RX_DROP);
	assert_int_equal(kept(0, 0, 0, 1), RX_DROP); /* one of none */
	assert_int_equal(bed->nodes[0].counters[TALLY_CTR_drop_tch], 3);
	assert_int_equal(counted(0, 0), RX_STORED);
	assert_int_equal(qp->rmq_cells, 0);
	assert_int_equal(qp->counters[0].count, 1);
	assert_int_equal(message(1, 0, 1, TALLY_TCH_F_SWP_MP, 5), RX_STORED);
	assert_int_equal(qp->rmq_cells, 1);
	assert_int_equal(qp->counters[0].count, 1);
	begin_to_wait(0, 1); /* one message counts, another has the data */
	assert_int_equal(take_sum(5), 0);
	assert_int_equal(qp->counters[0].count, 0);
	tb_free(bed);
}

/* Data that no descriptor has taken stay, although their message was counted. */
static void data_stay_until_they_are_taken(void **state)
{
	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	kept(0, 0, 1, 7);
	assert_int_equal(take_counts(0, 1), 0);
	assert_int_equal(qp->rmq_cells, 1);
	begin_to_wait(0, 0);
	assert_int_equal(take_sum(7), 0);
	assert_int_equal(qp->rmq_cells, 0);
	tb_free(bed);
}

/* ---- Intermediate results ---- */

/* Messages are reduced when they arrive, those of children that are ahead into later results. */
static void rounds_ahead_are_reduced(void **state)
{
	unsigned int i, r;

	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	for (r = 0; r < 5; r++)
		kept(1, 0, 3, 100 + r);
	assert_int_equal(qp->rmq_cells, 5);
	for (i = 0; i < 3; i += 2)
		for (r = 0; r < 5; r++)
			kept(i, 0, 3, 1000 * i + r);
	assert_int_equal(qp->rmq_cells, 5);
	assert_int_equal(bed->nodes[0].counters[TALLY_CTR_alu_words], 10);
	for (r = 0; r < 5; r++) {
		begin_to_wait(0, 3);
		assert_int_equal(take_sum(2100 + 3 * r), 0);
	}
	assert_int_equal(bed->nodes[0].counters[TALLY_CTR_alu_words], 10);
	assert_int_equal(qp->rmq_cells, 0);
	tb_free(bed);
}

/* A descriptor takes fewer messages than have arrived: those that Branch says, the oldest. */
static void branch_divides_the_queue(void **state)
{
	unsigned int i;

	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	for (i = 0; i < 3; i++)
		kept(i, 0, 1, 10 + i);
	for (i = 0; i < 3; i++) {
		begin_to_wait(0, 1);
		assert_int_equal(take_sum(10 + i), 0);
	}
	assert_int_equal(qp->counters[0].count, 0);
	tb_free(bed);
}

/* Messages of any two contributors make a result; counts and data must stay together. */
static void any_two_of_three(void **state)
{
	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	kept(0, 0, 2, 1);
	kept(1, 0, 2, 2);
	kept(1, 0, 2, 4);
	kept(2, 0, 2, 8);
	kept(0, 0, 2, 16);
	begin_to_wait(0, 2);
	assert_int_equal(take_sum(3), 0);
	begin_to_wait(0, 2);
	assert_int_equal(take_sum(12), 0);
	begin_to_wait(0, 2);
	assert_false(rmq_reached(qp, &wr));
	kept(1, 0, 2, 32);
	assert_int_equal(take_sum(48), 0);
	tb_free(bed);
}

/* ---- Disagreements ---- */

/* CPCnt is smaller than Branch. The whole result is taken, and the next one is right. */
static void fewer_than_branch(void **state)
{
	unsigned int i, r;

	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	for (r = 0; r < 2; r++)
		for (i = 0; i < 3; i++)
			kept(i, 0, 3, r + 1);
	begin_to_wait(0, 2);
	assert_true(take_sum(0) & TALLY_ERR_MISMATCH);
	assert_int_equal(qp->sum.disagree, 4);
	begin_to_wait(0, 3);
	assert_int_equal(take_sum(6), 0);
	assert_int_equal(qp->counters[0].count, 0);
	tb_free(bed);
}

/* CPCnt is larger than Branch. The messages that belong to the firing do not reach the next. */
static void more_than_branch(void **state)
{
	unsigned int i;

	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	for (i = 0; i < 3; i++)
		kept(i, 0, 1, 1);
	begin_to_wait(0, 3);
	assert_true(take_sum(0) & TALLY_ERR_MISMATCH);
	assert_int_equal(qp->rmq_cells, 0);
	for (i = 0; i < 3; i++)
		kept(i, 0, 3, 5);
	begin_to_wait(0, 3);
	assert_int_equal(take_sum(15), 0);
	tb_free(bed);
}

/* The same, but a message of the next round has joined the one that came too early. */
static void next_round_is_not_mixed_up(void **state)
{
	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	kept(0, 0, 2, 1);
	kept(1, 0, 2, 1);
	kept(2, 0, 3, 1);
	kept(0, 0, 3, 2);
	begin_to_wait(0, 3);
	assert_true(take_sum(0) & TALLY_ERR_MISMATCH);
	kept(1, 0, 3, 2);
	kept(2, 0, 3, 2);
	assert_int_equal(qp->rmq_cells, 1);
	begin_to_wait(0, 3);
	assert_true(take_sum(0) & TALLY_ERR_MISMATCH);
	kept(0, 0, 3, 3);
	kept(1, 0, 3, 3);
	kept(2, 0, 3, 3);
	begin_to_wait(0, 3);
	assert_int_equal(take_sum(9), 0);
	tb_free(bed);
}

/*
 * After that, a message of a contributor still goes behind its earlier ones, although there is an
 * open intermediate result before them.
 */
static void order_is_kept_after_a_mix_up(void **state)
{
	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	kept(0, 0, 2, 1);
	kept(1, 0, 2, 1);
	kept(2, 0, 3, 1);
	kept(0, 0, 3, 2);
	kept(2, 0, 3, 2);
	begin_to_wait(0, 3);
	assert_true(take_sum(0) & TALLY_ERR_MISMATCH);
	assert_int_equal(qp->rmq_cells, 2);
	kept(2, 0, 3, 3);
	assert_int_equal(qp->rmq_cells, 3);
	kept(1, 0, 3, 2);
	begin_to_wait(0, 3); /* lacks a message, and waits for it no longer than for the counter */
	assert_true(take_sum(0) & TALLY_ERR_MISMATCH);
	tb_free(bed);
}

/* The newest intermediate result loses its only message, and others follow. */
static void newest_is_dropped(void **state)
{
	unsigned int i, r;

	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	for (r = 0; r < 2; r++)
		for (i = 0; i < 2; i++)
			kept(i, 0, 2, r + 1);
	kept(2, 0, 3, 1);
	begin_to_wait(0, 3);
	assert_true(take_sum(0) & TALLY_ERR_MISMATCH);
	assert_int_equal(qp->rmq_cells, 1);
	kept(2, 0, 1, 9);
	begin_to_wait(0, 2);
	assert_int_equal(take_sum(4), 0);
	begin_to_wait(0, 1);
	assert_int_equal(take_sum(9), 0);
	tb_free(bed);
}

/* Messages disagree in Branch: the result takes one of each contributor until CPCnt is reached. */
static void branches_disagree(void **state)
{
	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	kept(0, 0, 3, 1);
	kept(1, 0, 2, 1);
	kept(0, 0, 3, 2);
	kept(2, 0, 3, 1);
	begin_to_wait(0, 3);
	assert_true(take_sum(0) & TALLY_ERR_MISMATCH);
	assert_int_equal(qp->sum.disagree, 2);
	kept(1, 0, 3, 2);
	kept(2, 0, 3, 2);
	begin_to_wait(0, 3);
	assert_int_equal(take_sum(6), 0);
	kept(0, 0, 2, 1);
	kept(1, 0, 3, 1);
	kept(2, 0, 3, 1);
	assert_int_equal(qp->rmq_cells, 1);
	begin_to_wait(0, 3);
	assert_true(take_sum(0) & TALLY_ERR_MISMATCH);
	tb_free(bed);
}

/* A message without data says that there was a disagreement before. It has its part of Branch. */
static void mark_of_an_earlier_disagreement(void **state)
{
	struct tch mark = header(0, 2, TALLY_TCH_F_CP | TALLY_TCH_F_SWP_MP);

	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	mark.count = 0;
	mark.err_vector = TALLY_ERR_MISMATCH;
	assert_int_equal(rmq_packet(e, g, 1, &mark, NULL, 0), RX_STORED);
	kept(0, 0, 2, 1);
	begin_to_wait(0, 2);
	assert_true(take_sum(0) & TALLY_ERR_MISMATCH);
	assert_int_equal(qp->sum.disagree, 2);
	tb_free(bed);
}

/* Messages without an operation cannot be combined. */
static void two_without_an_operation(void **state)
{
	struct tch t = header(0, 2, TALLY_TCH_F_CP | TALLY_TCH_F_SWP_MP);
	unsigned int i;

	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	t.op = TALLY_OP_NONE;
	for (i = 0; i < 2; i++)
		assert_int_equal(rmq_packet(e, g, i, &t, "data", 4), RX_STORED);
	begin_to_wait(0, 2);
	assert_true(take_sum(0) & TALLY_ERR_MISMATCH);
	tb_free(bed);
}

/* A firing takes a message that only counts before data of the same contributor that came later. */
static void counts_before_later_data(void **state)
{
	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	kept(0, 0, 1, 3);
	counted(1, 0);
	kept(1, 0, 1, 4);
	begin_to_wait(0, 2);
	assert_int_equal(take_sum(3), 0);
	begin_to_wait(0, 1);
	assert_int_equal(take_sum(4), 0);
	tb_free(bed);
}

/* ---- Random rounds ---- */

/* What a contributor sends in each round. */
enum part { DATA_THAT_COUNT, DATA_THEN_COUNT, COUNT_ONLY, DATA_ONLY, NUM_PARTS };

static bool has_data(enum part part)
{
	return part != COUNT_ONLY;
}

static bool has_count(enum part part)
{
	return part != DATA_ONLY;
}

static void send_part(unsigned int from, enum part part, uint8_t branch, int32_t value)
{
	if (part == DATA_THAT_COUNT)
		assert_int_equal(kept(from, 0, branch, value), RX_STORED);
	if (part == DATA_THEN_COUNT || part == DATA_ONLY)
		assert_int_equal(message(from, 0, branch, TALLY_TCH_F_SWP_MP, value), RX_STORED);
	if (part == DATA_THEN_COUNT || part == COUNT_ONLY)
		assert_int_equal(counted(from, 0), RX_STORED);
}

/* Three contributors run ahead of each other and of the descriptors at random. */
static void random_rounds_of(const enum part *part, uint8_t branch, uint32_t cpcnt)
{
	unsigned int sent[3] = { 0 }, fired = 0, rounds = 20;
	bool waits = false;

	while (fired < rounds) {
		unsigned int i = tb_rand(bed, 5);
		int32_t want = 0;

		if (i < 3 && sent[i] < rounds) {
			send_part(i, part[i], branch, 1000 * i + sent[i]);
			sent[i]++;
		} else if (i == 3 && !waits) {
			begin_to_wait(0, cpcnt);
			waits = true;
		}
		if (!waits || !rmq_reached(qp, &wr) || !sum_is_complete(&qp->sum))
			continue;
		for (i = 0; i < 3; i++)
			want += has_data(part[i]) ? 1000 * i + fired : 0;
		assert_int_equal(take_sum(want), 0);
		waits = false;
		fired++;
	}
	assert_int_equal(qp->counters[0].count, 0);
	assert_int_equal(qp->rmq_cells, 0);
}

static void random_rounds(void **state)
{
	unsigned int k, i;

	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	for (k = 0; k < NUM_PARTS * NUM_PARTS * NUM_PARTS; k++) {
		const enum part part[] = { k % NUM_PARTS, k / NUM_PARTS % NUM_PARTS,
					   k / NUM_PARTS / NUM_PARTS };
		unsigned int branch = 0, cpcnt = 0;

		for (i = 0; i < 3; i++) {
			branch += has_data(part[i]);
			cpcnt += has_count(part[i]);
		}
		if (branch)
			random_rounds_of(part, branch, cpcnt);
	}
	tb_free(bed);
}

/* ---- Cells ---- */

static void take_shared_cells(uint32_t but)
{
	e->shared_used = TALLY_RMQ_CELLS - e->cells_reserved - but;
}

/* A full port answers BUSY, except to the messages that a descriptor waits for. */
static void port_that_is_full(void **state)
{
	unsigned int k;

	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	begin_to_wait(0, 2);
	for (k = 0; k < TALLY_RMQ_PORT_CAP; k++)
		assert_int_equal(kept(0, 1, 1, 0), RX_STORED);
	assert_int_equal(kept(0, 1, 1, 0), RX_BUSY);
	assert_int_equal(kept(1, 0, 2, 3), RX_STORED);
	assert_int_equal(kept(1, 0, 2, 3), RX_BUSY); /* would wait for a later firing */
	assert_int_equal(kept(2, 0, 2, 4), RX_STORED);
	assert_int_equal(take_sum(7), 0);
	tb_free(bed);
}

/* Messages that only count need no cell, but their number is limited too. */
static void counts_that_wait_are_limited(void **state)
{
	unsigned int k;

	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	take_shared_cells(0);
	for (k = 0; k < MAX_ALONE; k++)
		assert_int_equal(counted(0, 1), RX_STORED);
	assert_int_equal(counted(0, 1), RX_BUSY);
	assert_int_equal(counted(1, 1), RX_STORED);
	assert_int_equal(take_counts(1, 2), 1);
	assert_int_equal(counted(0, 1), RX_STORED);
	tb_free(bed);
}

/* A descriptor that waits needs no cell. Others use none that do not exist. */
static void waiting_needs_no_cell(void **state)
{
	unsigned int i;

	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	take_shared_cells(0);
	assert_int_equal(kept(0, 0, 3, 1), RX_BUSY);
	begin_to_wait(0, 3);
	for (i = 0; i < 3; i++)
		assert_int_equal(kept(i, 0, 3, 1), RX_STORED);
	assert_int_equal(kept(0, 0, 3, 1), RX_BUSY);
	assert_int_equal(take_sum(3), 0);
	tb_free(bed);
}

/*
 * A group in fixed order reserves a cell for each input of its oldest chunk. Neither younger chunks
 * nor messages take these cells.
 */
static void oldest_chunk_keeps_its_cells(void **state)
{
	static struct slot oldest, younger;
	unsigned int inputs, k;

	(void)state;
	bed_new((struct tb_group_cfg){ .flags = TALLY_GROUP_F_ORDERED, .msg_cells = 4 });
	inputs = ordered_inputs(g);
	assert_int_equal(inputs, 4);
	oldest.num = g->done;
	younger.num = g->done + 1;
	take_shared_cells(2);
	assert_true(ordered_promise(e, g, &younger, 0));
	assert_int_equal(kept(0, 0, 1, 0), RX_STORED);
	assert_false(ordered_promise(e, g, &younger, 1));
	assert_int_equal(kept(1, 1, 1, 0), RX_BUSY);
	for (k = 0; k < inputs; k++)
		assert_true(ordered_promise(e, g, &oldest, k));
	assert_false(ordered_promise(e, g, &oldest, inputs));
	assert_int_equal(g->own_cells, inputs);
	tb_free(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(firing_leaves_what_is_beyond),
		cmocka_unit_test(second_message_waits),
		cmocka_unit_test(swp_mp_alone_keeps),
		cmocka_unit_test(data_stay_until_they_are_taken),
		cmocka_unit_test(rounds_ahead_are_reduced),
		cmocka_unit_test(branch_divides_the_queue),
		cmocka_unit_test(any_two_of_three),
		cmocka_unit_test(fewer_than_branch),
		cmocka_unit_test(more_than_branch),
		cmocka_unit_test(next_round_is_not_mixed_up),
		cmocka_unit_test(order_is_kept_after_a_mix_up),
		cmocka_unit_test(newest_is_dropped),
		cmocka_unit_test(branches_disagree),
		cmocka_unit_test(mark_of_an_earlier_disagreement),
		cmocka_unit_test(two_without_an_operation),
		cmocka_unit_test(counts_before_later_data),
		cmocka_unit_test(random_rounds),
		cmocka_unit_test(port_that_is_full),
		cmocka_unit_test(counts_that_wait_are_limited),
		cmocka_unit_test(waiting_needs_no_cell),
		cmocka_unit_test(oldest_chunk_keeps_its_cells),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
