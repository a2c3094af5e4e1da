// SPDX-License-Identifier: BSD-2-Clause
/* The receive message queue alone: counting, firings, and ownership of cells. */
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

static enum rx_verdict message(unsigned int from, uint8_t counter, uint16_t flags)
{
	const struct tch t = {
		.kind = TALLY_KIND_TRIGGER,
		.opcode = TALLY_OPCODE_PUT_MP,
		.counter = counter,
		.port = PORT,
		.flags = flags,
	};

	return rmq_packet(e, g, from, &t, "", 0);
}

static enum rx_verdict counted(unsigned int from, uint8_t counter)
{
	return message(from, counter, TALLY_TCH_F_CP);
}

/* Take messages, and return their senders as a bitmap. */
static uint64_t take(uint8_t counter, uint32_t cpcnt)
{
	uint16_t list = rmq_take(e, qp, counter, cpcnt), i;
	uint64_t from = 0;

	for (i = list; i != NONE; i = e->cells[i].next)
		from |= 1ULL << e->cells[i].contributor;
	rmq_free(e, g, list);
	return from;
}

/* ---- Counters ---- */

/* CPCnt is subtracted, so messages beyond it count for the next firing. */
static void firing_leaves_what_is_beyond(void **state)
{
	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	counted(0, 1);
	counted(1, 1);
	counted(2, 1);
	counted(2, 2);
	assert_int_equal(qp->counters[1].count, 3);
	assert_int_equal(take(1, 1), 1);
	assert_int_equal(qp->counters[1].count, 2);
	assert_int_equal(take(1, 2), 6);
	assert_int_equal(qp->counters[1].count, 0);
	assert_int_equal(qp->counters[2].count, 1);
	assert_int_equal(take(2, 1), 4);
	assert_int_equal(qp->rmq_cells, 0);
	assert_int_equal(qp->rmq_head, NONE);
	counted(1, 0); /* the list has an end to append to */
	assert_int_equal(take(0, 1), 2);
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
	assert_int_equal(take(0, 2), 3);
	assert_int_equal(qp->counters[0].count, 1);
	assert_int_equal(take(0, 1), 1);
	assert_int_equal(qp->counters[0].count, 1);
	counted(1, 0);
	assert_int_equal(take(0, 2), 3);
	assert_int_equal(qp->counters[0].count, 0);
	tb_free(bed);
}

/*
 * A message that counts for nothing is accepted and forgotten. A message that is kept must count,
 * because no firing would take it otherwise.
 */
static void what_is_kept_counts(void **state)
{
	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	assert_int_equal(message(0, 0, 0), RX_STORED);
	assert_int_equal(qp->rmq_cells, 0);
	assert_int_equal(message(0, 0, TALLY_TCH_F_SWP_MP), RX_DROP);
	assert_int_equal(bed->nodes[0].counters[TALLY_CTR_drop_tch], 1);
	assert_int_equal(message(0, 0, TALLY_TCH_F_SWP_MP | TALLY_TCH_F_CP), RX_STORED);
	assert_int_equal(qp->rmq_cells, 1);
	tb_free(bed);
}

/* ---- Cells ---- */

static void take_shared_cells(uint32_t but)
{
	e->shared_promised = TALLY_RMQ_CELLS - e->cells_reserved - e->shared_used - but;
}

/* A full port answers BUSY, except to the messages that its next firing lacks. */
static void port_that_is_full(void **state)
{
	unsigned int k;

	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	assert_true(rmq_reserve(e, qp, 0, 2));
	for (k = 0; k < TALLY_RMQ_PORT_CAP; k++)
		assert_int_equal(counted(0, 1), RX_STORED);
	assert_int_equal(counted(0, 1), RX_BUSY);
	assert_int_equal(counted(1, 0), RX_STORED);
	assert_int_equal(counted(1, 0), RX_BUSY); /* would wait for a later firing */
	assert_int_equal(counted(2, 0), RX_STORED);
	assert_int_equal(qp->reserve, 0);
	tb_free(bed);
}

/*
 * Promised cells are for the counter of the pending firing, one for each contributor that it lacks.
 */
static void promised_cells_are_kept(void **state)
{
	(void)state;
	bed_new((struct tb_group_cfg){ 0 });
	assert_true(rmq_reserve(e, qp, 0, 2));
	take_shared_cells(0);
	assert_int_equal(counted(0, 1), RX_BUSY);
	assert_int_equal(counted(0, 0), RX_STORED);
	assert_int_equal(counted(0, 0), RX_BUSY);
	assert_int_equal(qp->reserve, 1);
	assert_int_equal(counted(2, 0), RX_STORED);
	assert_int_equal(qp->reserve, 0);
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
	assert_int_equal(counted(0, 0), RX_STORED);
	assert_false(ordered_promise(e, g, &younger, 1));
	assert_int_equal(counted(1, 0), RX_BUSY);
	assert_false(rmq_reserve(e, qp, 0, 2));
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
		cmocka_unit_test(what_is_kept_counts),
		cmocka_unit_test(port_that_is_full),
		cmocka_unit_test(promised_cells_are_kept),
		cmocka_unit_test(oldest_chunk_keeps_its_cells),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
