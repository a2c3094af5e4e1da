// SPDX-License-Identifier: BSD-2-Clause
/* A single edge: numbers, windows, the effect of acknowledgements and BUSY, and `done`. */
#include "engine/test/test_job.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t seed;

/*
 * An open group from which nothing is delivered any more; packets are counted by kind. The tests
 * examine one node and its first edge.
 */
static struct testbed *bed;
static struct tb_group group;
static struct group *g;
static struct edge *ed;
static unsigned int sent[TALLY_KIND_KILL + 1];

static bool hear(void *arg, struct tb_packet *p)
{
	(void)arg;
	sent[p->tch.kind]++;
	return false;
}

static int bed_new(const struct tb_group_cfg *cfg, unsigned int node)
{
	bed = tb_open(&group, cfg, cfg->nodes, seed);
	bed->net.hook = hear;
	memset(sent, 0, sizeof(sent));
	g = tb_group_state(&group, node);
	ed = g->edges;
	return 0;
}

static int pair(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 2, .timeout_ms = 500 };

	(void)state;
	return bed_new(&cfg, 0);
}

/* Node 1, with two children. */
static int subtree(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 7, .timeout_ms = 500,
					  .flags = TALLY_GROUP_F_MULTICAST };

	(void)state;
	return bed_new(&cfg, 1);
}

/* The root, with two children. */
static int children(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 3, .degree = 2, .timeout_ms = 500,
					  .flags = TALLY_GROUP_F_MULTICAST };

	(void)state;
	return bed_new(&cfg, 0);
}

static int bed_free(void **state)
{
	(void)state;
	tb_free(bed);
	return 0;
}

static struct engine *engine_of(unsigned int node)
{
	return tb_group_node(&group, node)->e;
}

static uint64_t counted(unsigned int node, enum tally_counter c)
{
	return tb_group_node(&group, node)->counters[c];
}

/* ---- Receive ---- */

static void verdict(uint32_t seq, enum rx_verdict v)
{
	const struct tch t = { .kind = TALLY_KIND_REDUCE, .edge_seq = seq };

	edge_verdict(engine_of(0), g, 0, &t, v);
}

static bool is_new(uint32_t seq)
{
	const struct tch t = { .kind = TALLY_KIND_REDUCE, .edge_seq = seq };

	return edge_accept(engine_of(0), g, 0, &t);
}

/*
 * A packet answered with BUSY is accepted when it comes again, also if a later one was stored
 * before.
 */
static void busy_number_is_not_seen(void **state)
{
	uint32_t top = ed->rx_top;

	(void)state;
	verdict(top + 3, RX_STORED);
	verdict(top + 1, RX_BUSY);
	verdict(top + 2, RX_DROP);
	verdict(top + 5, RX_BUSY);
	assert_int_equal(sent[TALLY_KIND_BUSY], 2);
	assert_int_equal(ed->rx_top, (uint32_t)(top + 3));
	assert_true(is_new(top + 1) && is_new(top + 2) && is_new(top + 4) && is_new(top + 5));
	assert_false(is_new(top + 3) || is_new(top));
	verdict(top + 1, RX_STORED);
	assert_false(is_new(top + 1));
	assert_true(is_new(top + 2));
}

/* The anti-replay window is as wide as a sender may run ahead, in both directions. */
static void window_of_numbers(void **state)
{
	uint32_t top = ed->rx_top;

	(void)state;
	assert_true(is_new(top + TALLY_EDGE_WINDOW));
	assert_false(is_new(top + TALLY_EDGE_WINDOW + 1));
	assert_int_equal(counted(0, TALLY_CTR_drop_window), 1);
	verdict(top + TALLY_EDGE_WINDOW, RX_STORED);
	top += TALLY_EDGE_WINDOW;
	assert_true(is_new(top - TALLY_EDGE_WINDOW + 1));
	assert_false(is_new(top - TALLY_EDGE_WINDOW));
	assert_int_equal(counted(0, TALLY_CTR_drop_window), 2);
	verdict(top + TALLY_EDGE_WINDOW - 1, RX_STORED);
	assert_false(is_new(top)); /* the oldest number that is remembered */
	assert_int_equal(counted(0, TALLY_CTR_duplicates), 1);
}

/* A message is in turn if its predecessor is stored, or so old that it must be. */
static void turn_of_messages(void **state)
{
	struct tch t = { .kind = TALLY_KIND_TRIGGER };

	(void)state;
	verdict(ed->rx_top + 100, RX_STORED);
	t.edge_seq = ed->rx_top + 1;
	t.num = t.edge_seq; /* no predecessor */
	assert_true(edge_in_turn(ed, &t));
	t.num = ed->rx_top;
	assert_true(edge_in_turn(ed, &t));
	t.num = ed->rx_top - 1;
	assert_false(edge_in_turn(ed, &t));
	t.num = ed->rx_top - TALLY_EDGE_WINDOW + 1;
	assert_false(edge_in_turn(ed, &t));
	t.num = ed->rx_top - TALLY_EDGE_WINDOW;
	assert_true(edge_in_turn(ed, &t));
	t.num = ed->rx_top - TALLY_EDGE_WINDOW - 1;
	assert_true(edge_in_turn(ed, &t));
	t.edge_seq++;
	t.num = ed->rx_top + 1;
	assert_false(edge_in_turn(ed, &t));
}

/* ---- Transmit ---- */

static void send_messages(unsigned int n)
{
	while (n--) {
		struct tch t;

		packet_fill(g, ed, &t, TALLY_KIND_TRIGGER);
		t.opcode = TALLY_OPCODE_REDUCE_MP;
		edge_send(engine_of(0), g, 0, &t, NULL, 0);
	}
}

static void ack(uint32_t newest, uint64_t seen)
{
	const struct tch t = { .kind = TALLY_KIND_ACK, .edge_seq = newest };
	struct acked acked[TALLY_EDGE_WINDOW];

	edge_ack(engine_of(0), g, 0, &t, seen, acked);
}

/*
 * Each message to a counter names its predecessor if that may be in flight; other ports do not
 * matter.
 */
static void messages_name_the_one_before(void **state)
{
	static const struct {
		uint16_t port;
		uint8_t counter;
		int before; /* index of the predecessor, or of the message itself */
	} rows[] = { { 1, 0, 0 }, { 1, 1, 1 }, { 2, 0, 2 }, { 1, 0, 0 }, { 2, 0, 2 }, { 1, 0, 3 } };
	unsigned int k;
	uint32_t first = ed->tx_next;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(rows); k++) {
		struct tx_entry *tx;
		struct tch t;

		packet_fill(g, ed, &t, TALLY_KIND_TRIGGER);
		t.opcode = TALLY_OPCODE_REDUCE_MP;
		t.port = rows[k].port;
		t.counter = rows[k].counter;
		tx = edge_send(engine_of(0), g, 0, &t, NULL, 0);
		assert_int_equal(tx->tch.num, (uint32_t)(first + rows[k].before));
	}
}

/*
 * A packet that three later ones have overtaken is retransmitted once, and then only after its
 * time-out.
 */
static void overtaken_number_is_hurried_once(void **state)
{
	uint32_t first = ed->tx_next;

	(void)state;
	send_messages(6);
	ack(first + 2, 3); /* overtaken by two */
	assert_int_equal(ed->retransmits, 0);
	ack(first + 3, 7);
	assert_int_equal(ed->retransmits, 1);
	ack(first + 4, 0xf);
	assert_int_equal(ed->retransmits, 1);
	assert_int_equal(ed->tx_una, first);
}

/* A number a whole window later may be hurried again, although the one in the same place was. */
static void hurried_anew_in_the_next_window(void **state)
{
	unsigned int round;

	(void)state;
	for (round = 1; round <= 2; round++) {
		uint32_t first = ed->tx_next;

		send_messages(TALLY_EDGE_WINDOW);
		ack(first + 3, 7);
		assert_int_equal(ed->retransmits, round);
		ack(first + TALLY_EDGE_WINDOW - 1, ~0ULL);
		assert_int_equal(ed->tx_una, ed->tx_next);
	}
}

/* An acknowledgement covers the 64 numbers up to its newest, and no others. */
static void acknowledgement_of_other_numbers(void **state)
{
	uint64_t held;

	(void)state;
	send_messages(3);
	held = ed->tx_held;
	ack(ed->tx_una + TALLY_EDGE_WINDOW + 2, ~0ULL);
	ack(ed->tx_una - 1, ~0ULL);
	assert_int_equal(ed->tx_held, held);
	ack(ed->tx_una + TALLY_EDGE_WINDOW - 1, 1ULL << 63);
	assert_int_equal(__builtin_popcountll(ed->tx_held), 2);
	ack(ed->tx_next - 1, 3);
	assert_int_equal(ed->tx_held, 0);
	assert_int_equal(ed->tx_una, ed->tx_next);
	assert_true(ed->rto_at == NEVER);
}

/* Packets take the entries of acknowledged ones, so a group needs as many as were in flight. */
static void entries_follow_packets_in_flight(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 10 * TALLY_EDGE_WINDOW; i++) {
		send_messages(3);
		ack(ed->tx_next - 1, ~0ULL);
	}
	assert_int_equal(g->tx_fresh, 3);
	send_messages(TALLY_EDGE_WINDOW);
	edge_flush(g, ed);
	send_messages(TALLY_EDGE_WINDOW);
	assert_int_equal(g->tx_fresh, TALLY_EDGE_WINDOW);
}

/* BUSY costs no retry, and is ignored if its number is not in flight. */
static void busy_costs_no_retry(void **state)
{
	struct tch t = { .kind = TALLY_KIND_BUSY };

	(void)state;
	send_messages(2);
	ed->retries = 3;
	ed->rto_at = 1;
	t.edge_seq = ed->tx_next;
	edge_busy(engine_of(0), g, 0, &t);
	t.edge_seq = ed->tx_una - 1;
	edge_busy(engine_of(0), g, 0, &t);
	assert_int_equal(ed->retries, 3);
	assert_int_equal(ed->rto_at, 1);
	t.edge_seq = ed->tx_una + 1;
	edge_busy(engine_of(0), g, 0, &t);
	assert_int_equal(ed->retries, 0);
	assert_true(ed->rto_at > 1);
}

/* A time-out doubles with each retry, up to the group's maximum. */
static void backoff(void **state)
{
	(void)state;
	assert_int_equal(edge_backoff(g, 0), g->rto);
	assert_int_equal(edge_backoff(g, 3), 8 * g->rto);
	assert_int_equal(edge_backoff(g, 64), edge_backoff(g, 65));
	g->max_backoff = 5 * g->rto;
	assert_int_equal(edge_backoff(g, 2), 4 * g->rto);
	assert_int_equal(edge_backoff(g, 3), 5 * g->rto);
}

/* ---- done ---- */

static void heard_done(uint32_t done)
{
	const struct tch t = { .kind = TALLY_KIND_NOTIFY, .done = done };

	edge_heard(engine_of(0), g, 0, &t);
}

/* A packet that was overtaken does not reset a newer value; numbers wrap around. */
static void done_of_a_neighbour_only_advances(void **state)
{
	(void)state;
	heard_done(5);
	assert_int_equal(ed->peer_done, 5);
	heard_done(3);
	assert_int_equal(ed->peer_done, 5);
	ed->peer_done = 0xfffffffe;
	heard_done(1);
	assert_int_equal(ed->peer_done, 1);
	heard_done(0xffffffff);
	assert_int_equal(ed->peer_done, 1);
}

/* Any packet ends the silence, so probes are counted from 0 again. */
static void probes_count_silence(void **state)
{
	(void)state;
	ed->probes = 5;
	ed->probe_at = 1;
	heard_done(0);
	assert_int_equal(ed->probes, 0);
	assert_true(ed->probe_at > 1);
	ed->probe_at = NEVER;
	heard_done(0);
	assert_true(ed->probe_at == NEVER);
}

/* With multicast results, only the parent is told the lowest done of the subtree. */
static void done_told_to_the_parent(void **state)
{
	struct edge *up = &g->edges[EDGE_PARENT], *down = ed;

	(void)state;
	g->done = 9;
	down[0].peer_done = 7;
	down[1].peer_done = 5;
	assert_int_equal(window_done(g, up), 5);
	assert_int_equal(window_done(g, &down[0]), 9);
	down[1].peer_done = 12;
	assert_int_equal(window_done(g, up), 7);
	down[0].peer_done = 10;
	assert_int_equal(window_done(g, up), 9);
	g->done = 2;
	down[0].peer_done = 0xfffffffe;
	assert_int_equal(window_done(g, up), 0xfffffffe);
	g->flags &= ~TALLY_GROUP_F_MULTICAST;
	assert_int_equal(window_done(g, up), 2);
}

/* The root waits for done of a child's subtree, so a child whose done is behind is probed. */
static void subtree_behind_is_probed(void **state)
{
	(void)state;
	g->done = ed[1].peer_done = 3;
	ed[0].peer_done = 2;
	ed[0].probe_at = ed[1].probe_at = g->edges[EDGE_PARENT].probe_at = NEVER;
	g->watched = 0;
	probe_watch(engine_of(1), g);
	assert_true(ed[0].probe_at != NEVER);
	assert_true(ed[1].probe_at == NEVER);
	assert_true(g->edges[EDGE_PARENT].probe_at == NEVER);
	ed[0].probe_at = NEVER;
	g->watched = 0;
	g->flags &= ~TALLY_GROUP_F_MULTICAST;
	probe_watch(engine_of(1), g);
	assert_true(ed[0].probe_at == NEVER);
}

/* ---- Results by multicast ---- */

/* The root's packet goes to all nodes, so it waits for the window of each child. */
static void multicast_waits_for_all_windows(void **state)
{
	static struct slot s;

	(void)state;
	s = (struct slot){ .state = TALLY_SEG_BUSY, .mode = TALLY_MODE_TREE,
			   .opcode = TALLY_OPCODE_BARRIER, .num = 9, .down_todo = 3 };
	ed->peer_limit = 10;
	g->edges[1].peer_limit = 9;
	multicast_send(engine_of(0), g, &s);
	assert_int_equal(sent[TALLY_KIND_RESULT], 0);
	assert_false(s.mcast_sent);
	g->edges[1].peer_limit++;
	multicast_send(engine_of(0), g, &s);
	multicast_send(engine_of(0), g, &s);
	assert_int_equal(sent[TALLY_KIND_RESULT], 1);
	assert_true(s.mcast_sent);
	assert_int_equal(s.repair_at, engine_of(0)->now + g->rto);
}

/* ---- Numbers for the oldest chunk ---- */

static void post_of_nodes(struct job *job, unsigned int first, unsigned int last)
{
	unsigned int i;

	for (i = 0; i < job->num_posters; i++)
		if (job->posters[i].node >= first && job->posters[i].node <= last)
			job_post(job, &job->posters[i]);
}

/*
 * A ring reduces in a fixed shape, with chunks too long for their inputs to be in the slots. Node 2
 * has no cells for sums of younger chunks, because its rank
 * has not posted, and answers BUSY. Node 1 has more of them than its edge to node 2 has numbers.
 * Nevertheless there must be one for the result of the oldest chunk.
 */
static void oldest_chunk_has_a_number(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 3, .mode = TALLY_MODE_RING, .segs = 128,
					  .mtu = 4096, .timeout_ms = 500, .msg_cells = 2,
					  .flags = TALLY_GROUP_F_ORDERED };
	struct tb_group ring;
	struct testbed *tb = tb_open(&ring, &cfg, cfg.nodes, seed);
	struct engine *late = tb_group_node(&ring, 2)->e;
	static struct job job;

	(void)state;
	late->shared_used += TALLY_RMQ_CELLS - late->cells_reserved;
	job_init(&job, &ring, seed, false);
	job_add(&job, TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_INT64, 120 * 4096 / 8);
	post_of_nodes(&job, 0, 1);
	tb_run_for(tb, VT_MS);
	assert_true(tb_counter(tb, TALLY_CTR_busy_sent) > 0);
	post_of_nodes(&job, 2, 2);
	tb_finish(tb, VT_S);
	job_check(&job);
	late->shared_used -= TALLY_RMQ_CELLS - late->cells_reserved;
	job_end(&job);
	tb_free(tb);
}

#define SCENE(test, setup) cmocka_unit_test_setup_teardown(test, setup, bed_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(busy_number_is_not_seen, pair),
		SCENE(window_of_numbers, pair),
		SCENE(turn_of_messages, pair),
		SCENE(messages_name_the_one_before, pair),
		SCENE(overtaken_number_is_hurried_once, pair),
		SCENE(hurried_anew_in_the_next_window, pair),
		SCENE(acknowledgement_of_other_numbers, pair),
		SCENE(entries_follow_packets_in_flight, pair),
		SCENE(busy_costs_no_retry, pair),
		SCENE(backoff, pair),
		SCENE(done_of_a_neighbour_only_advances, pair),
		SCENE(probes_count_silence, pair),
		SCENE(done_told_to_the_parent, subtree),
		SCENE(subtree_behind_is_probed, subtree),
		SCENE(multicast_waits_for_all_windows, children),
		cmocka_unit_test(oldest_chunk_has_a_number),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
