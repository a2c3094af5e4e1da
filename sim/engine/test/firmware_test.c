// SPDX-License-Identifier: BSD-2-Clause
/*
 * The firmware beside the hardware: it has no part in an undisturbed operation, its time passes while
 * the hardware goes on, and its queue of events is bounded.
 */
#include "engine/test/test_job.h"
#include "firmware/kill.h"
#include "plan/cycles.h"

#include <endian.h>

static uint64_t seed;

static const struct engine_timing hardware = {
	.clock_mhz = 250,
	.parse = ENGINE_CYCLES_PARSE,
	.encap = ENGINE_CYCLES_ENCAP,
	.access = ENGINE_CYCLES_ACCESS,
	.event = ENGINE_CYCLES_EVENT,
};

static struct tb_group_cfg config(void)
{
	return (struct tb_group_cfg){
		.nodes = 5,
		.ranks = 2,
		.segs = 8,
		.timeout_ms = 1000,
		.modes = TALLY_MODES_TREE | TALLY_MODES_EXCHANGE | TALLY_MODES_RING,
	};
}

/* A bed with a group, whose NICs have a timing. The edges are not open yet. */
static struct testbed *begin(struct tb_group *g, const struct tb_group_cfg *cfg,
			     const struct engine_timing *timing)
{
	struct testbed *tb = tb_new(cfg->nodes, seed);
	unsigned int i;

	for (i = 0; i < cfg->nodes; i++)
		engine_set_timing(tb->nodes[i].e, timing);
	tb_group_plan(tb, g, cfg);
	tb_group_create_all(g);
	return tb;
}

static bool is_open(const struct tb_group *g)
{
	unsigned int i;

	for (i = 0; i < g->cfg.nodes; i++)
		if (tb_group_state(g, i)->state != TALLY_GROUP_OPEN)
			return false;
	return true;
}

static uint64_t events(const struct testbed *tb)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < tb->num_nodes; i++)
		sum += tb->nodes[i].e->events_raised;
	return sum;
}

static void work(struct job *j, struct tb_group *g, unsigned int messages)
{
	unsigned int k;

	job_init(j, g, seed, false);
	for (k = 0; k < messages; k++)
		job_add_random(j);
	job_post_all(j, 50 * VT_US);
	tb_finish(g->tb, 2 * VT_S);
	job_check(j);
}

/* Losses are the hardware's matter, too. */
static void undisturbed_work_raises_no_event(void **state)
{
	static const double drop[] = { 0, 0.1 };
	static struct job j;
	unsigned int k;

	(void)state;
	for (k = 0; k < 2; k++) {
		struct tb_group_cfg cfg = config();
		struct tb_group g;
		struct testbed *tb = begin(&g, &cfg, &hardware);
		uint64_t before;

		tb_run_for(tb, VT_MS);
		assert_true(is_open(&g));
		before = events(tb);
		assert_true(before > 0);
		tb_lossy(tb, drop[k], drop[k], drop[k]);
		work(&j, &g, 40);
		assert_int_equal(events(tb), before);
		job_end(&j);
		tb_free(tb);
	}
}

/* A processor that takes longer for each access opens the edges later, and nothing else changes. */
static void the_firmware_takes_time(void **state)
{
	static struct job j;
	vtime_t last = 0;
	unsigned int cycles;

	(void)state;
	for (cycles = 16; cycles <= 4096; cycles *= 16) {
		struct engine_timing timing = hardware;
		struct tb_group_cfg cfg = config();
		struct tb_group g;
		struct testbed *tb;

		timing.access = cycles;
		tb = begin(&g, &cfg, &timing);
		while (!is_open(&g) && sim_now(tb->sim) < VT_S)
			tb_run_for(tb, 100 * VT_NS);
		assert_in_range(sim_now(tb->sim), 2 * last, VT_S - 1);
		last = sim_now(tb->sim);
		work(&j, &g, 10);
		job_end(&j);
		tb_free(tb);
	}
}

/*
 * The root is created last, and the others learn the epoch from it. No step of the handshake waits
 * for a repetition, so the firmware's processor alone limits how soon all edges are open.
 */
static void the_last_node_opens_soon(void **state)
{
	static const unsigned int edges[] = { 4, 20, 32 };
	unsigned int k, i;

	(void)state;
	for (k = 0; k < sizeof(edges) / sizeof(edges[0]); k++) {
		const struct tb_group_cfg cfg = { .nodes = edges[k] + 1, .degree = edges[k] };
		struct testbed *tb = tb_new(cfg.nodes, seed);
		struct tb_group g;
		vtime_t at;

		for (i = 0; i < cfg.nodes; i++)
			engine_set_timing(tb->nodes[i].e, &hardware);
		tb_group_plan(tb, &g, &cfg);
		for (i = 1; i < cfg.nodes; i++)
			tb_group_create(&g, i);
		tb_run_for(tb, 5 * VT_MS);
		at = sim_now(tb->sim);
		tb_group_create(&g, 0);
		while (!is_open(&g) && sim_now(tb->sim) < VT_S)
			tb_run_for(tb, 100 * VT_NS);
		print_message("%u edges are open after %.1f us\n", edges[k],
			      (double)(sim_now(tb->sim) - at) / VT_US);
		assert_in_range(sim_now(tb->sim) - at, 0, 8 * VT_US + edges[k] * 375 * VT_NS);
		tb_free(tb);
	}
}

/*
 * Work that is posted before the edges are open waits for them, although the ends of an edge open at
 * different times: nothing is sent to an end that would drop it.
 */
static void data_wait_for_both_ends(void **state)
{
	static struct job j;
	struct engine_timing timing = hardware;
	struct tb_group_cfg cfg = config();
	struct tb_group g;
	struct testbed *tb;

	(void)state;
	timing.access = 200;
	tb = begin(&g, &cfg, &timing);
	work(&j, &g, 10);
	assert_int_equal(tb_counter(tb, TALLY_CTR_retransmits), 0);
	job_end(&j);
	tb_free(tb);
}

/* Admin commands come between two events: the firmware first finishes the one that it handles. */
static void commands_interrupt_no_event(void **state)
{
	struct engine_timing timing = hardware;
	struct tb_group_cfg cfg = config();
	vtime_t wait;

	(void)state;
	timing.access = 250;
	for (wait = 0; wait < 400 * VT_US; wait += 7 * VT_US) {
		struct tb_group g;
		struct testbed *tb = begin(&g, &cfg, &timing);
		unsigned int i;

		tb_run_for(tb, wait);
		for (i = 0; i < cfg.nodes; i++) {
			tb_group_destroy(&g, i);
			tb_group_create(&g, i);
			tb_run_for(tb, 3 * VT_US);
		}
		for (i = 0; i < cfg.nodes; i++)
			tb_group_destroy(&g, i);
		tb_run_for(tb, 5 * VT_S);
		for (i = 0; i < cfg.nodes; i++) {
			const struct engine *e = tb->nodes[i].e;

			assert_int_equal(e->groups[cfg.group].state, TALLY_GROUP_NONE);
			assert_int_equal(e->tombs, 0);
			assert_null(e->firmware);
			assert_int_equal(e->event_head, e->event_tail);
		}
		tb_free(tb);
	}
}

/* Counts KILLs, and fails if one of them has an empty report. */
static bool has_status(void *arg, struct tb_packet *p)
{
	unsigned int *kills = arg;
	struct tally_tch_kill k;

	if (p->tch.kind != TALLY_KIND_KILL)
		return true;
	memcpy(&k, p->payload, sizeof(k));
	assert_int_equal(be16toh(k.status), TALLY_COLL_ABORTED);
	++*kills;
	return true;
}

/*
 * The hardware freezes a group at once, and the firmware hears of it behind events that came before. An
 * OPEN among these is answered, and the neighbour is told why the epoch has ended, not that it has ended
 * for no reason.
 */
static void a_kill_has_its_report(void **state)
{
	struct engine_timing timing = hardware;
	struct tb_group_cfg cfg = config();
	unsigned int kills = 0;
	vtime_t wait;

	(void)state;
	timing.access = 100;
	for (wait = 0; wait < 60 * VT_US; wait += 300 * VT_NS) {
		struct tb_group g;
		struct testbed *tb = begin(&g, &cfg, &timing);
		const struct tb_post p = tb_request(&g, TALLY_OPCODE_ABORT, 0, 1);
		struct tb_qp *qp = tb_qp_create(&g, 0, 1, 16, 0);

		tb->net.hook = has_status;
		tb->net.hook_arg = &kills;
		tb_run_for(tb, wait);
		tb_post_ring(tb_group_node(&g, 0), qp, &p);
		tb_run_for(tb, 5 * VT_MS);
		tb_free(tb);
	}
	assert_true(kills > 100);
}

/* A reset of the NIC ends the firmware wherever it is. */
static void reset_stops_the_firmware(void **state)
{
	struct engine_timing timing = hardware;
	struct tb_group_cfg cfg = config();
	static struct job j;
	struct tb_group g;
	struct testbed *tb;

	(void)state;
	timing.access = 200;
	tb = begin(&g, &cfg, &timing);
	tb_run_for(tb, 5 * VT_US);
	assert_non_null(tb->nodes[1].e->firmware);
	tb_node_reset(&tb->nodes[1]);
	assert_null(tb->nodes[1].e->firmware);
	tb_group_create(&g, 1);
	work(&j, &g, 10);
	job_end(&j);
	tb_free(tb);
}

/* A flood of packets for a slow firmware is dropped beyond the queue, and harms nobody. */
static void queue_is_bounded(void **state)
{
	struct engine_timing timing = hardware;
	struct tb_group_cfg cfg = { .nodes = 2 };
	static struct job j;
	struct tally_tch_kill kill = { .status = htobe16(0xbeef) };
	struct {
		struct tally_tch tch;
		struct tally_tch_kill kill;
	} packet;
	struct tb_group g;
	struct testbed *tb;
	const struct group *root;
	unsigned int k;

	(void)state;
	timing.access = 1000;
	tb = begin(&g, &cfg, &timing);
	tb_run_for(tb, 20 * VT_MS);
	assert_true(is_open(&g));
	root = tb_group_state(&g, 0);
	packet.kill = kill;
	packet.tch = (struct tally_tch){
		.tag = htobe32(TALLY_TCH_TAG),
		.version = TALLY_WIRE_VERSION,
		.kind = TALLY_KIND_KILL,
		.jid = htobe32(root->jid),
		.epoch = htobe32(root->epoch),
		.key = htobe32(root->edges[0].key),
	};
	for (k = 0; k < 2 * TALLY_FW_EVENT_DEPTH; k++)
		tb_inject(&tb->nodes[0], &tb->nodes[1].addr, &packet, sizeof(packet));
	assert_in_range(tb_counter(tb, TALLY_CTR_drop_event), TALLY_FW_EVENT_DEPTH - 1,
			TALLY_FW_EVENT_DEPTH);
	work(&j, &g, 10);
	tb_run_for(tb, 100 * VT_MS);
	assert_int_equal(tb_counter(tb, TALLY_CTR_drop_kill) + tb_counter(tb, TALLY_CTR_drop_event),
			 2 * TALLY_FW_EVENT_DEPTH);
	assert_int_equal(root->state, TALLY_GROUP_OPEN);
	job_end(&j);
	tb_free(tb);
}

/*
 * The hardware freezes the group while the firmware is slow: two nodes find different causes, and
 * all report the same one.
 */
static void two_causes_one_report(void **state)
{
	struct engine_timing timing = hardware;
	struct tb_group_cfg cfg = config();
	unsigned int i;
	struct tb_group g;
	struct testbed *tb;

	(void)state;
	timing.access = 100;
	tb = begin(&g, &cfg, &timing);
	tb_run_for(tb, 50 * VT_MS);
	assert_true(is_open(&g));
	for (i = 1; i < 3; i++) {
		exception_raise(tb_enter(&tb->nodes[i]), tb_group_state(&g, i), TALLY_COLL_ABORTED, 0,
				1, i, 0);
		firmware_run(tb->nodes[i].e);
		tb_leave(&tb->nodes[i]);
	}
	assert_int_equal(tb_group_state(&g, 1)->state, TALLY_GROUP_COLLECT);
	tb_run_for(tb, 500 * VT_MS);
	for (i = 0; i < cfg.nodes; i++) {
		const struct group *node = tb_group_state(&g, i);

		assert_int_equal(node->state, TALLY_GROUP_DEAD);
		assert_int_equal(node->report.status, TALLY_COLL_ABORTED);
		assert_int_equal(node->report.detector, tb_group_state(&g, 0)->report.detector);
		assert_int_equal(node->report.mid, tb_group_state(&g, 0)->report.mid);
	}
	tb_free(tb);
}

static void reset(const struct tb_group *g, unsigned int i, uint32_t epoch)
{
	struct tb_node *n = tb_group_node(g, i);
	struct engine_result r = engine_reset_group(tb_enter(n), g->cfg.group, epoch);

	tb_leave(n);
	assert_int_equal(r.status, TALLY_ADMIN_STATUS_OK);
}

/* Packets that came before a new epoch concern the former one, even if they wait in the queue. */
static void new_epoch_drops_what_waits(void **state)
{
	struct engine_timing timing = hardware;
	struct tb_group_cfg cfg = config();
	vtime_t wait;

	(void)state;
	timing.access = 100;
	for (wait = 0; wait < 100 * VT_US; wait += VT_US) {
		struct tb_group g;
		struct testbed *tb = begin(&g, &cfg, &timing);
		unsigned int i;

		tb_run_for(tb, 50 * VT_MS);
		exception_raise(tb_enter(&tb->nodes[1]), tb_group_state(&g, 1), TALLY_COLL_ABORTED, 0,
				1, 0, 0);
		firmware_run(tb->nodes[1].e);
		tb_leave(&tb->nodes[1]);
		tb_run_for(tb, 500 * VT_MS);
		for (i = cfg.nodes; i--; tb_run_for(tb, wait))
			reset(&g, i, tb_group_state(&g, i)->epoch + 1);
		tb_run_for(tb, 50 * VT_MS);
		assert_true(is_open(&g));
		tb_free(tb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(undisturbed_work_raises_no_event),
		cmocka_unit_test(the_firmware_takes_time),
		cmocka_unit_test(the_last_node_opens_soon),
		cmocka_unit_test(data_wait_for_both_ends),
		cmocka_unit_test(commands_interrupt_no_event),
		cmocka_unit_test(a_kill_has_its_report),
		cmocka_unit_test(reset_stops_the_firmware),
		cmocka_unit_test(queue_is_bounded),
		cmocka_unit_test(two_causes_one_report),
		cmocka_unit_test(new_epoch_drops_what_waits),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
