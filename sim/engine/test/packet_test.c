// SPDX-License-Identifier: BSD-2-Clause
/* A hostile network: dropped packets and their reasons, replays, strangers, and mutated packets. */
#include "engine/test/test_job.h"
#include "firmware/blame.h"
#include "firmware/handshake.h"
#include "firmware/kill.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t seed;

struct packet {
	struct tally_tch tch;
	union {
		uint8_t payload[TALLY_MAX_MTU];
		struct tally_tch_kill kill;
		struct tally_tch_open open;
	};
	size_t len; /* of the payload */
	size_t cut; /* bytes at the end of the whole packet that are not sent */
	struct engine_addr from;
};

/* ---- Drops ---- */

/*
 * Node 0 is the root, node 1 its contributor 0; node 2 is no neighbour. A REDUCE of node 1 would be
 * accepted.
 */
static struct testbed *bed;
static struct tb_group group;

static void bed_new_with(uint32_t flags)
{
	const struct tb_group_cfg cfg = { .nodes = 2, .timeout_ms = 200, .flags = flags };

	bed = tb_open(&group, &cfg, 3, seed);
	assert_int_equal(tb_group_state(&group, 0)->state, TALLY_GROUP_OPEN);
}

static void bed_new(void)
{
	bed_new_with(0);
}

static int opened(void **state)
{
	(void)state;
	bed_new();
	return 0;
}

/* The neighbour does not exist yet. */
static int alone(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 2 };

	(void)state;
	bed = tb_new(3, seed);
	tb_group_plan(bed, &group, &cfg);
	tb_group_create(&group, 0);
	tb_run_for(bed, VT_MS);
	return 0;
}

static int bed_free(void **state)
{
	(void)state;
	tb_free(bed);
	return 0;
}

#define SCENE(test, setup) cmocka_unit_test_setup_teardown(test, setup, bed_free)

static struct tally_tch_kill *kill_of(struct packet *p)
{
	return &p->kill;
}

static struct packet welcome(uint8_t kind)
{
	const struct edge *ed = &tb_group_state(&group, 0)->edges[0];
	struct packet p = { .tch = {
		.tag = htobe32(TALLY_TCH_TAG),
		.version = TALLY_WIRE_VERSION,
		.kind = kind,
		.jid = htobe32(group.cfg.jid),
		.epoch = htobe32(group.cfg.epoch),
		.key = htobe32(ed->key),
	}, .from = bed->nodes[1].addr };

	if (kind == TALLY_KIND_KILL) {
		*kill_of(&p) = (struct tally_tch_kill){
			.status = htobe16(TALLY_COLL_ABORTED),
			.detector = htobe16(1),
			.level = 1,
			.ranks = htobe64(1),
		};
		p.len = sizeof(struct tally_tch_kill);
	}
	if (kind != TALLY_KIND_REDUCE && kind != TALLY_KIND_TRIGGER)
		return p;
	p.tch.opcode = TALLY_OPCODE_ALLREDUCE;
	p.tch.op = TALLY_OP_SUM;
	p.tch.dtype = TALLY_TYPE_INT32;
	p.tch.count = p.tch.total = htobe32(4);
	p.tch.edge_seq = p.tch.num = htobe32(ed->rx_top + 1);
	p.tch.flags = htobe16(TALLY_TCH_F_LAST);
	p.len = 16;
	if (kind == TALLY_KIND_TRIGGER)
		p.tch.opcode = TALLY_OPCODE_REDUCE_MP;
	else
		p.tch.num = 0;
	return p;
}

static void inject(unsigned int to, const struct packet *p)
{
	uint8_t body[sizeof(p->tch) + sizeof(p->payload)];

	memcpy(body, &p->tch, sizeof(p->tch));
	memcpy(body + sizeof(p->tch), p->payload, p->len);
	tb_inject(&bed->nodes[to], &p->from, body, sizeof(p->tch) + p->len - p->cut);
}

#define SPOIL(name, kind, ...)                                                                     \
	static struct packet name(void)                                                            \
	{                                                                                          \
		struct packet p = welcome(TALLY_KIND_##kind);                                      \
                                                                                                   \
		__VA_ARGS__;                                                                       \
		return p;                                                                          \
	}

SPOIL(empty, REDUCE, p.cut = 80)
SPOIL(half_header, REDUCE, p.cut = 17)
SPOIL(bad_tag, REDUCE, p.tch.tag ^= 1)
SPOIL(bad_version, REDUCE, p.tch.version++)
SPOIL(kind_0, REDUCE, p.tch.kind = 0)
SPOIL(kind_config, REDUCE, p.tch.kind = TALLY_KIND_CONFIG)
SPOIL(kind_255, REDUCE, p.tch.kind = 255)
SPOIL(round_beyond, REDUCE, p.tch.round = TALLY_MAX_ROUNDS + 1)
SPOIL(round_1, REDUCE, p.tch.round = 1)
SPOIL(round_of_result, RESULT, p.tch.round = 1)
SPOIL(contributor_beyond, REDUCE, p.tch.contributor = TALLY_CONTRIB_SELF)
SPOIL(contributor_255, REDUCE, p.tch.contributor = 255)
SPOIL(shorter, REDUCE, p.cut = 1)
SPOIL(longer, REDUCE, p.len++)
SPOIL(count_longer, REDUCE, p.tch.count = p.tch.total = htobe32(5))
SPOIL(count_huge, REDUCE, p.tch.count = p.tch.total = htobe32(0x40000004))
SPOIL(total_shorter, REDUCE, p.tch.total = htobe32(3))
SPOIL(chunk_beyond, REDUCE, p.tch.sid = htobe32(1); p.tch.total = htobe32(8); p.tch.flags = 0)
SPOIL(last_unsaid, REDUCE, p.tch.flags = 0)
SPOIL(chunk_longer_than_before, REDUCE, p.tch.sid = htobe32(2); p.tch.total = htobe32(10))
SPOIL(chunk_empty, REDUCE, p.tch.count = 0; p.len = 0)
SPOIL(blocks_uneven, REDUCE, p.tch.opcode = TALLY_OPCODE_GATHER; p.tch.op = 0; p.tch.total = htobe32(5))
SPOIL(part_of_an_element, REDUCE, p.tch.opcode = TALLY_OPCODE_GATHER; p.tch.op = 0; p.len = 14)
SPOIL(sid_huge, REDUCE, p.tch.sid = ~0u)
SPOIL(type_unknown, REDUCE, p.tch.dtype = 0x77)
SPOIL(op_unknown, REDUCE, p.tch.op = 77)
SPOIL(opcode_unknown, REDUCE, p.tch.opcode = TALLY_OPCODE_ALLGATHER)
SPOIL(opcode_triggered, REDUCE, p.tch.opcode = TALLY_OPCODE_REDUCE_MP)
SPOIL(barrier_with_data, REDUCE, p.tch.opcode = TALLY_OPCODE_BARRIER)
SPOIL(bcast_with_op, REDUCE, p.tch.opcode = TALLY_OPCODE_BCAST)
SPOIL(chunk_1, REDUCE, p.tch.sid = htobe32(1))
SPOIL(root_beyond, REDUCE, p.tch.root_node = htobe16(2))
SPOIL(root_rank_beyond, REDUCE, p.tch.root_rank = 64)
SPOIL(short_ack, ACK, p.len = 7)
SPOIL(empty_ack, ACK)
SPOIL(kill_ack_with_data, ACK, p.tch.flags = htobe16(TALLY_TCH_F_KILL_ACK); p.len = 8)
SPOIL(short_open, OPEN, p.len = sizeof(struct tally_tch_open) - 1)
SPOIL(long_kill, KILL, p.len++)
SPOIL(kill_status_unknown, KILL, kill_of(&p)->status = htobe16(0xbeef))
SPOIL(kill_status_of_no_cause, KILL, kill_of(&p)->status = htobe16(TALLY_COLL_TIMEOUT - 1))
SPOIL(kill_for_success, KILL, kill_of(&p)->status = 0)
SPOIL(kill_for_flush, KILL, kill_of(&p)->status = htobe16(TALLY_COLL_FLUSHED))
SPOIL(kill_for_lost_device, KILL, kill_of(&p)->status = htobe16(TALLY_COLL_DEVICE_LOST))
SPOIL(kill_for_mismatch, KILL, kill_of(&p)->status = htobe16(TALLY_COLL_MISMATCH))
SPOIL(kill_of_no_node, KILL, kill_of(&p)->detector = htobe16(2);
      kill_of(&p)->status = htobe16(TALLY_COLL_TIMEOUT); kill_of(&p)->ranks = 0)
SPOIL(kill_of_this_node, KILL, kill_of(&p)->detector = 0)
SPOIL(kill_too_deep, KILL, kill_of(&p)->level = 2)
SPOIL(kill_of_ranks_beyond, KILL, kill_of(&p)->ranks = htobe64(3))
SPOIL(kill_of_gone_nobody, KILL, kill_of(&p)->status = htobe16(TALLY_COLL_RANK_GONE);
      kill_of(&p)->ranks = 0)
SPOIL(kill_of_aborting_nobody, KILL, kill_of(&p)->ranks = 0)
SPOIL(kill_of_chunk_beyond, KILL, kill_of(&p)->sid = htobe32(TALLY_MAX_MESSAGE))
SPOIL(busy_with_data, BUSY, p.len = 1)
SPOIL(query_with_data, QUERY, p.len = 1)
SPOIL(notify_with_data, NOTIFY, p.len = 1)
SPOIL(counter_beyond, TRIGGER, p.tch.counter = TALLY_NUM_CP_COUNTERS)
SPOIL(trigger_of_collective, TRIGGER, p.tch.opcode = TALLY_OPCODE_REDUCE)
SPOIL(trigger_op_unknown, TRIGGER, p.tch.op = 77)
SPOIL(other_job, REDUCE, p.tch.jid ^= htobe32(1))
SPOIL(other_epoch, REDUCE, p.tch.epoch ^= htobe32(1))
SPOIL(no_epoch, REDUCE, p.tch.epoch = 0)
SPOIL(kill_of_other_epoch, KILL, p.tch.epoch ^= htobe32(1))
SPOIL(stranger, REDUCE, p.from = bed->nodes[2].addr)
SPOIL(stranger_kills, KILL, p.from = bed->nodes[2].addr)
SPOIL(stranger_opens, OPEN, p.len = sizeof(struct tally_tch_open); p.from = bed->nodes[2].addr)
SPOIL(no_such_contributor, REDUCE, p.tch.contributor = 1)
SPOIL(parent_of_root, REDUCE, p.tch.contributor = TALLY_CONTRIB_PARENT)
SPOIL(wrong_key, REDUCE, p.tch.key ^= htobe32(1u << 31))
SPOIL(no_key, REDUCE, p.tch.key = 0)
SPOIL(key_of_the_sender, REDUCE, p.tch.key = htobe32(tb_group_state(&group, 0)->edges[0].peer_key))
SPOIL(wrong_key_in_trigger, TRIGGER, p.tch.key ^= htobe32(1))
SPOIL(wrong_key_in_ack, ACK, p.tch.key ^= htobe32(1); p.len = sizeof(struct tally_tch_ack))
SPOIL(wrong_key_in_kill_ack, ACK, p.tch.key ^= htobe32(1); p.tch.flags = htobe16(TALLY_TCH_F_KILL_ACK))
SPOIL(wrong_key_in_busy, BUSY, p.tch.key ^= htobe32(1))
SPOIL(wrong_key_in_query, QUERY, p.tch.key ^= htobe32(1))
SPOIL(wrong_key_in_notify, NOTIFY, p.tch.key ^= htobe32(1))
SPOIL(wrong_key_in_kill, KILL, p.tch.key ^= htobe32(1))
SPOIL(number_ahead, REDUCE, p.tch.edge_seq = htobe32(be32toh(p.tch.edge_seq) + 64))
SPOIL(number_behind, REDUCE, p.tch.edge_seq = htobe32(be32toh(p.tch.edge_seq) - 65))
SPOIL(number_far, REDUCE, p.tch.edge_seq ^= htobe32(0x80000000))
SPOIL(chunk_ahead, REDUCE, p.tch.num = htobe32(4))
SPOIL(out_of_turn, TRIGGER, p.tch.edge_seq = htobe32(be32toh(p.tch.edge_seq) + 1))
SPOIL(result_from_child, REDUCE, p.tch.kind = TALLY_KIND_RESULT)
SPOIL(seen_before, REDUCE, p.tch.edge_seq = htobe32(be32toh(p.tch.edge_seq) - 1))

static const struct {
	const char *name;
	struct packet (*make)(void);
	enum tally_counter counter;
} drops[] = {
#define CASE(make, counter) { #make, make, TALLY_CTR_##counter }
	CASE(empty, drop_tch),
	CASE(half_header, drop_tch),
	CASE(bad_tag, drop_tch),
	CASE(bad_version, drop_tch),
	CASE(kind_0, drop_tch),
	CASE(kind_config, drop_tch),
	CASE(kind_255, drop_tch),
	CASE(round_beyond, drop_tch),
	CASE(round_1, drop_slot),
	CASE(round_of_result, drop_tch),
	CASE(contributor_beyond, drop_tch),
	CASE(contributor_255, drop_tch),
	CASE(shorter, drop_tch),
	CASE(longer, drop_tch),
	CASE(count_longer, drop_tch),
	CASE(count_huge, drop_tch),
	CASE(total_shorter, drop_tch),
	CASE(chunk_beyond, drop_tch),
	CASE(last_unsaid, drop_tch),
	CASE(chunk_longer_than_before, drop_tch),
	CASE(chunk_empty, drop_tch),
	CASE(blocks_uneven, drop_tch),
	CASE(part_of_an_element, drop_tch),
	CASE(sid_huge, drop_tch),
	CASE(type_unknown, drop_tch),
	CASE(op_unknown, drop_tch),
	CASE(opcode_unknown, drop_tch),
	CASE(opcode_triggered, drop_tch),
	CASE(barrier_with_data, drop_tch),
	CASE(bcast_with_op, drop_tch),
	CASE(chunk_1, drop_tch),
	CASE(root_beyond, drop_tch),
	CASE(root_rank_beyond, drop_tch),
	CASE(short_ack, drop_tch),
	CASE(empty_ack, drop_tch),
	CASE(kill_ack_with_data, drop_tch),
	CASE(short_open, drop_tch),
	CASE(long_kill, drop_tch),
	CASE(kill_status_unknown, drop_kill),
	CASE(kill_status_of_no_cause, drop_kill),
	CASE(kill_for_success, drop_kill),
	CASE(kill_for_flush, drop_kill),
	CASE(kill_for_lost_device, drop_kill),
	CASE(kill_for_mismatch, drop_kill),
	CASE(kill_of_no_node, drop_kill),
	CASE(kill_of_this_node, drop_kill),
	CASE(kill_too_deep, drop_kill),
	CASE(kill_of_ranks_beyond, drop_kill),
	CASE(kill_of_gone_nobody, drop_kill),
	CASE(kill_of_aborting_nobody, drop_kill),
	CASE(kill_of_chunk_beyond, drop_kill),
	CASE(busy_with_data, drop_tch),
	CASE(query_with_data, drop_tch),
	CASE(notify_with_data, drop_tch),
	CASE(counter_beyond, drop_tch),
	CASE(trigger_of_collective, drop_tch),
	CASE(trigger_op_unknown, drop_tch),
	CASE(other_job, drop_jid),
	CASE(other_epoch, drop_epoch),
	CASE(no_epoch, drop_epoch),
	CASE(kill_of_other_epoch, drop_epoch),
	CASE(stranger, drop_source),
	CASE(stranger_kills, drop_source),
	CASE(stranger_opens, drop_source),
	CASE(no_such_contributor, drop_source),
	CASE(parent_of_root, drop_source),
	CASE(wrong_key, drop_key),
	CASE(no_key, drop_key),
	CASE(key_of_the_sender, drop_key),
	CASE(wrong_key_in_trigger, drop_key),
	CASE(wrong_key_in_ack, drop_key),
	CASE(wrong_key_in_kill_ack, drop_key),
	CASE(wrong_key_in_busy, drop_key),
	CASE(wrong_key_in_query, drop_key),
	CASE(wrong_key_in_notify, drop_key),
	CASE(wrong_key_in_kill, drop_key),
	CASE(number_ahead, drop_window),
	CASE(number_behind, drop_window),
	CASE(number_far, drop_window),
	CASE(chunk_ahead, drop_window),
	CASE(out_of_turn, drop_window),
	CASE(result_from_child, drop_slot),
	CASE(seen_before, duplicates),
#undef CASE
};

static uint64_t all_drops(const struct tb_node *n)
{
	uint64_t sum = n->counters[TALLY_CTR_duplicates] + n->counters[TALLY_CTR_drop_kill] +
		       n->counters[TALLY_CTR_drop_key];
	unsigned int c;

	for (c = TALLY_CTR_drop_tch; c <= TALLY_CTR_drop_slot; c++)
		sum += n->counters[c];
	return sum;
}

/* Each packet is counted once under its reason, and has no other effect. */
static void every_drop(void **state)
{
	struct tb_node *n;
	unsigned int k;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(drops); k++) {
		struct packet p;

		bed_new();
		n = &bed->nodes[0];
		p = drops[k].make();
		memset(n->counters, 0, sizeof(n->counters));
		inject(0, &p);
		if (n->counters[drops[k].counter] != 1 || all_drops(n) != 1)
			fail_msg("%s is not dropped once for its reason", drops[k].name);
		assert_int_equal(tb_group_state(&group, 0)->state, TALLY_GROUP_OPEN);
		if (drops[k].counter != TALLY_CTR_drop_slot)
			tb_assert_empty(n);
		tb_free(bed);
	}
}

static void the_welcome_packet_is_taken(void **state)
{
	struct tb_node *n;
	struct packet p;

	(void)state;
	n = &bed->nodes[0];
	p = welcome(TALLY_KIND_REDUCE);
	inject(0, &p);
	assert_int_equal(all_drops(n), 0);
	assert_int_equal(n->e->slots[0].state, TALLY_SEG_BUSY);
	inject(0, &p);
	assert_int_equal(n->counters[TALLY_CTR_duplicates], 1);
	/* the same contribution under another number */
	p.tch.edge_seq = htobe32(be32toh(p.tch.edge_seq) + 1);
	inject(0, &p);
	assert_int_equal(n->counters[TALLY_CTR_drop_slot], 1);
	/* another message in the same chunk */
	p.tch.mid = htobe32(1);
	inject(0, &p);
	assert_int_equal(n->counters[TALLY_CTR_drop_slot], 2);
	assert_int_equal(tb_group_state(&group, 0)->state, TALLY_GROUP_OPEN);
}

/* The ranks get the report of a neighbour if it is plausible. */
static void the_welcome_kill_is_taken(void **state)
{
	struct tb_node *n;
	struct tb_post post;
	struct packet p;
	struct tb_qp *qp;

	(void)state;
	n = &bed->nodes[0];
	qp = tb_qp_create(&group, 0, 1, 16, 0);
	post = tb_request(&group, TALLY_OPCODE_BARRIER, 0, 1);
	tb_post_ring(n, qp, &post);
	tb_run_for(bed, 10 * VT_US);
	p = welcome(TALLY_KIND_KILL);
	inject(0, &p);
	assert_int_equal(all_drops(n), 0);
	assert_int_equal(n->counters[TALLY_CTR_kills_received], 1);
	assert_int_equal(tb_group_state(&group, 0)->state, TALLY_GROUP_COLLECT);
	/*
	 * meanwhile, a better report is dropped if it is not plausible, and one that names this
	 * node changes nothing
	 */
	kill_of(&p)->detector = htobe16(0xbeef);
	kill_of(&p)->level = 255;
	inject(0, &p);
	assert_int_equal(n->counters[TALLY_CTR_drop_kill], 1);
	kill_of(&p)->detector = 0;
	kill_of(&p)->level = 1;
	inject(0, &p);
	assert_int_equal(n->counters[TALLY_CTR_kills_received], 2);
	tb_finish(bed, 200 * VT_MS);
	tb_assert_cqe(&qp->wrs[0], TALLY_COLL_ABORTED);
	assert_int_equal(le16toh(qp->wrs[0].cqe.detector), 1);
	assert_int_equal(le64toh(qp->wrs[0].cqe.ranks), 1);
}

static void acknowledge_kill(uint32_t detector, uint32_t weight)
{
	struct packet p = welcome(TALLY_KIND_ACK);

	p.tch.flags = htobe16(TALLY_TCH_F_KILL_ACK);
	p.tch.mid = htobe32(detector);
	p.tch.sid = htobe32(weight);
	inject(0, &p);
}

/*
 * The second report of a detector is better than its first, so a late acknowledgement of the first
 * is not enough.
 */
static void acknowledgement_names_the_report(void **state)
{
	const struct edge *ed;
	uint32_t first, second;
	struct packet p;
	struct group *g;

	(void)state;
	g = tb_group_state(&group, 0);
	ed = &g->edges[0];
	bed->nodes[1].dead = true;
	exception_raise(tb_enter(&bed->nodes[0]), g, TALLY_COLL_TIMEOUT, 0, 0, 0, 0);
	firmware_run(bed->nodes[0].e);
	tb_leave(&bed->nodes[0]);
	first = blame_weight(&g->report);
	/* The time-out of a neighbour makes this node add that its rank has not posted. */
	p = welcome(TALLY_KIND_KILL);
	*kill_of(&p) = (struct tally_tch_kill){ .status = htobe16(TALLY_COLL_TIMEOUT),
						.detector = htobe16(1), .level = 1 };
	inject(0, &p);
	assert_int_equal(g->report.detector, 0);
	second = blame_weight(&g->report);
	assert_true(second > first);
	acknowledge_kill(0, first);
	assert_int_equal(ed->kill, KILL_SENDING);
	acknowledge_kill(1, second);
	assert_int_equal(ed->kill, KILL_SENDING);
	p = welcome(TALLY_KIND_REDUCE); /* the flag belongs to ACK only */
	p.tch.flags |= htobe16(TALLY_TCH_F_KILL_ACK);
	p.tch.mid = htobe32(0);
	p.tch.sid = htobe32(second);
	inject(0, &p);
	assert_int_equal(ed->kill, KILL_SENDING);
	acknowledge_kill(0, second);
	assert_int_equal(ed->kill, KILL_ACKED);
}

static unsigned int kills_for_query(uint32_t num)
{
	struct tb_node *n = &bed->nodes[0];
	uint64_t before = n->counters[TALLY_CTR_kills_sent];
	struct packet p = welcome(TALLY_KIND_QUERY);

	p.tch.num = htobe32(num);
	inject(0, &p);
	return n->counters[TALLY_CTR_kills_sent] - before;
}

/*
 * A neighbour that queries a chunk after the end is told that the chunk is done, or that the epoch
 * has ended.
 */
static void queries_after_the_end(void **state)
{
	struct group *g;

	(void)state;
	g = tb_group_state(&group, 0);
	g->done = 5;
	g->state = TALLY_GROUP_DEAD;
	g->ended_well = true;
	assert_int_equal(kills_for_query(4), 0);
	assert_int_equal(kills_for_query(5), 1);
	assert_int_equal(g->report.status, TALLY_COLL_PEER_GONE);
	g->ended_well = false;
	g->report.status = TALLY_COLL_ABORTED;
	assert_int_equal(kills_for_query(4), 1);
	assert_int_equal(g->report.status, TALLY_COLL_ABORTED);
}

/*
 * How many ranks a report may name: at node 1 of a tree, with two nodes below and four elsewhere.
 */
static void ranks_that_a_kill_may_name(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 7, .ranks = 2 };
	struct report r = { .status = TALLY_COLL_TIMEOUT };
	static const struct {
		uint16_t detector;
		uint8_t mode;
		unsigned int most;
	} rows[] = {
		{ 2, TALLY_MODE_TREE, 2 },
		{ 0, TALLY_MODE_TREE, 8 },
		{ 5, TALLY_MODE_TREE, 8 },
		{ 2, TALLY_MODE_EXCHANGE, 12 },
		{ 0, TALLY_MODE_RING, 12 },
	};
	struct group *g;
	unsigned int k;

	(void)state;
	bed = tb_new(7, seed);
	tb_group_plan(bed, &group, &cfg);
	tb_group_create(&group, 1);
	g = tb_group_state(&group, 1);
	firmware_attach(bed->nodes[1].e);
	for (k = 0; k < ARRAY_SIZE(rows); k++) {
		g->modes = mode_bit(rows[k].mode);
		g->flags &= ~TALLY_GROUP_F_UNIFORM;
		r.detector = rows[k].detector;
		r.ranks = (1ULL << rows[k].most) - 1;
		assert_true(report_valid(group.cfg.group, &r));
		r.ranks = r.ranks << 1 | 1;
		assert_false(report_valid(group.cfg.group, &r));
		g->flags |= TALLY_GROUP_F_UNIFORM;
		r.ranks = 7;
		assert_false(report_valid(group.cfg.group, &r));
		r.ranks = 5ULL << 61;
		assert_true(report_valid(group.cfg.group, &r));
	}
	tb_free(bed);
}

/* A chunk that is done is acknowledged, whatever its number, and has no other effect. */
static void chunk_that_is_done(void **state)
{
	struct tb_node *n;
	struct packet p;
	uint64_t sent;

	(void)state;
	n = &bed->nodes[0];
	while (tb_group_state(&group, 0)->done != 7)
		pool_advance(n->e, tb_group_state(&group, 0));
	p = welcome(TALLY_KIND_REDUCE);
	p.tch.num = htobe32(6);
	sent = tb_group_state(&group, 0)->edges[0].rx_top;
	inject(0, &p);
	assert_int_equal(all_drops(n), 0);
	assert_int_equal(tb_group_state(&group, 0)->edges[0].rx_top, (uint32_t)(sent + 1));
	tb_assert_empty(n);
}

/*
 * The last chunk does not begin at a multiple of the length of the others, as far as its number
 * shows. The NIC does not divide to find out: the place differs from that of the local request.
 */
static void last_chunk_in_an_odd_place(void **state)
{
	struct packet p = welcome(TALLY_KIND_REDUCE);
	struct tb_qp *qp = tb_qp_create(&group, 0, 1, 16, 0);
	struct tb_post post = tb_request(&group, TALLY_OPCODE_ALLREDUCE, 0, 1);

	(void)state;
	p.tch.num = p.tch.sid = htobe32(2);
	p.tch.total = htobe32(13);
	inject(0, &p);
	assert_int_equal(all_drops(&bed->nodes[0]), 0);
	post.w.op = TALLY_OP_SUM;
	post.w.dtype = TALLY_TYPE_INT32;
	post.w.count = htole64(13);
	post.w.chunk_len = htole32(16);
	tb_gather(&post, tb_alloc(&bed->nodes[0], 52), 52);
	tb_result(&post, tb_alloc(&bed->nodes[0], 52), 52);
	tb_post_ring(&bed->nodes[0], qp, &post);
	tb_finish(bed, VT_S);
	tb_assert_cqe(&qp->wrs[0], TALLY_COLL_CHUNK_MISMATCH);
}

static void edge_that_is_not_open(void **state)
{
	struct packet p;

	(void)state;
	p = welcome(TALLY_KIND_REDUCE);
	inject(0, &p);
	assert_int_equal(bed->nodes[0].counters[TALLY_CTR_drop_state], 1);
	tb_assert_empty(&bed->nodes[0]);
	/* KILL may come before the edge is open */
	p = welcome(TALLY_KIND_KILL);
	inject(0, &p);
	assert_int_equal(tb_group_state(&group, 0)->state, TALLY_GROUP_COLLECT);
}

/*
 * A port in error accepts no messages, but its NIC answers. A message that neither counts nor is
 * kept is not acknowledged, because it would be lost.
 */
static void trigger_to_a_port_in_error(void **state)
{
	struct tb_qp *qp;
	struct packet p;

	(void)state;
	qp = tb_qp_create(&group, 0, 1, 16, 0);
	p = welcome(TALLY_KIND_TRIGGER);
	inject(0, &p);
	assert_int_equal(all_drops(&bed->nodes[0]), 1);
	assert_int_equal(bed->nodes[0].counters[TALLY_CTR_drop_tch], 1);
	tb_assert_empty(&bed->nodes[0]);
	tb_qp_modify(&group, 0, qp, TALLY_QPS_ERROR);
	p = welcome(TALLY_KIND_TRIGGER);
	p.tch.branch = 1;
	p.tch.flags = htobe16(TALLY_TCH_F_CP | TALLY_TCH_F_SWP_MP);
	inject(0, &p);
	assert_int_equal(all_drops(&bed->nodes[0]), 1);
	assert_int_equal(bed->nodes[0].counters[TALLY_CTR_busy_sent], 1);
	tb_assert_empty(&bed->nodes[0]);
}

/* ---- Keys ---- */

/* Before the edge is open nothing is accepted. */
static void key_before_the_edge_is_open(void **state)
{
	struct packet p;

	(void)state;
	p = welcome(TALLY_KIND_REDUCE);
	p.tch.key ^= htobe32(1);
	inject(0, &p);
	assert_int_equal(bed->nodes[0].counters[TALLY_CTR_drop_key], 1);
}

struct watch {
	struct tb_group g;
	unsigned int packets, multicasts;
};

/*
 * Check that OPEN tells a key, and that all other packets carry the key that their receiver has
 * told.
 */
static bool carries_key(void *arg, struct tb_packet *p)
{
	const struct tally_tch_open *o = (const struct tally_tch_open *)p->payload;
	struct watch *w = arg;
	const struct group *g; /* or its tombstone */

	if (p->tch.kind == TALLY_KIND_OPEN) {
		assert_int_equal(p->tch.key, 0);
		assert_true(o->key);
		assert_int_equal(!o->group_key,
				 !p->tch.epoch || !(w->g.cfg.flags & TALLY_GROUP_F_MULTICAST));
		return true;
	}
	w->packets++;
	if (p->to) {
		g = jid_first(p->to->e, be32toh(p->tch.jid));
		assert_non_null(g);
		assert_int_equal(be32toh(p->tch.key), g->edges[p->tch.contributor].key);
		return true;
	}
	w->multicasts++;
	assert_int_equal(be32toh(p->tch.key), tb_group_state(&w->g, 0)->mcast_key);
	return true;
}

static void every_packet_carries_its_key(void **state)
{
	static const struct tb_group_cfg cfgs[] = {
		{ .nodes = 7 },
		{ .nodes = 7, .flags = TALLY_GROUP_F_MULTICAST },
		{ .nodes = 7, .mode = TALLY_MODE_EXCHANGE },
		{ .nodes = 7, .mode = TALLY_MODE_RING },
	};
	static struct job j;
	unsigned int k;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(cfgs); k++) {
		struct tb_group_cfg cfg = cfgs[k];
		struct watch w = { 0 };

		cfg.ranks = 2;
		cfg.timeout_ms = 100;
		bed = tb_new(7, seed);
		tb_lossy(bed, 0.05, 0.05, 0.05);
		tb_group_plan(bed, &w.g, &cfg);
		bed->net.hook = carries_key;
		bed->net.hook_arg = &w;
		tb_group_create_all(&w.g);
		job_init(&j, &w.g, seed, false);
		while (j.num_msgs < 20)
			job_add_random(&j);
		job_post_all(&j, 100 * VT_US);
		tb_finish(bed, 200 * VT_MS);
		job_check(&j);
		job_end(&j);
		assert_int_equal(tb_counter(bed, TALLY_CTR_drop_key), 0);
		assert_true(w.packets > 100);
		assert_int_equal(!w.multicasts, !(cfg.flags & TALLY_GROUP_F_MULTICAST));
		tb_free(bed);
	}
}

static struct tb_packet kept;

static bool keep_open(void *arg, struct tb_packet *p)
{
	(void)arg;
	if (p->from == &bed->nodes[0] && p->tch.kind == TALLY_KIND_OPEN)
		kept = *p;
	return true;
}

/*
 * An OPEN with an unknown nonce on an open edge gets a challenge, which contains nothing that would
 * let a new life of the neighbour, or a sender who pretends to be it, into the epoch.
 */
static void challenge_tells_nothing(void **state)
{
	const struct tally_tch_open *o = (const struct tally_tch_open *)kept.payload;
	const struct edge *ed;
	struct packet p;

	(void)state;
	bed_new_with(TALLY_GROUP_F_MULTICAST);
	ed = &tb_group_state(&group, 0)->edges[0];
	bed->net.hook = keep_open;
	p = welcome(TALLY_KIND_OPEN);
	p.tch.key = 0;
	p.len = sizeof(struct tally_tch_open);
	p.open.nonce = htobe64(0x1234);
	kept = (struct tb_packet){ 0 };
	inject(0, &p);
	assert_int_equal(kept.tch.kind, TALLY_KIND_OPEN);
	assert_int_equal(be64toh(o->nonce), ed->nonce);
	assert_int_equal(be64toh(o->echo), 0x1234);
	assert_int_equal(kept.tch.epoch, 0);
	assert_int_equal(kept.tch.key, 0);
	assert_int_equal(o->key, 0);
	assert_int_equal(o->group_key, 0);
	tb_run_for(bed, VT_MS);
	assert_int_equal(tb_group_state(&group, 0)->state, TALLY_GROUP_OPEN);
	assert_int_equal(tb_group_state(&group, 1)->state, TALLY_GROUP_OPEN);
	tb_free(bed);
}

/*
 * An answer of an older life of the neighbour, which had ended, may come after the edge was opened
 * with the next one, and changes nothing. A new life is one that sends OPEN without CONFIRM and
 * knows this life's nonce.
 */
static void late_answer_of_an_older_life(void **state)
{
	struct group *g;
	struct packet p;

	(void)state;
	bed_new();
	g = tb_group_state(&group, 0);
	g->edges[0].unconfirmed = true;
	timer_touch(bed->nodes[0].e, &g->edges[0].timer);
	p = welcome(TALLY_KIND_OPEN);
	p.tch.key = 0;
	p.tch.epoch ^= htobe32(1);
	p.tch.flags = htobe16(TALLY_TCH_F_CONFIRM);
	p.len = sizeof(struct tally_tch_open);
	p.open.nonce = htobe64(0x1234);
	p.open.echo = htobe64(g->edges[0].nonce);
	inject(0, &p);
	assert_int_equal(g->state, TALLY_GROUP_OPEN);
	assert_true(g->edges[0].unconfirmed);
	p.tch.flags = 0;
	inject(0, &p);
	assert_int_equal(g->state, TALLY_GROUP_COLLECT);
	assert_int_equal(g->report.status, TALLY_COLL_EPOCH_CHANGED);
	tb_free(bed);
}

static void result_by_multicast(struct packet *p, uint32_t key)
{
	struct group *g = tb_group_state(&group, 1);

	*p = welcome(TALLY_KIND_REDUCE);
	p->tch.kind = TALLY_KIND_RESULT;
	p->tch.flags |= htobe16(TALLY_TCH_F_MULTICAST);
	p->tch.contributor = EDGE_PARENT;
	p->tch.epoch = htobe32(g->epoch);
	p->tch.key = htobe32(key);
	p->from = bed->nodes[0].addr;
}

/* A multicast result belongs to no edge, so it carries the group's key. */
static void key_of_multicast(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 3, .degree = 1, .flags = TALLY_GROUP_F_MULTICAST };
	struct group *g;
	struct packet p;

	(void)state;
	bed = tb_open(&group, &cfg, 3, seed);
	g = tb_group_state(&group, 1);
	firmware_attach(bed->nodes[1].e);
	assert_int_equal(g->state, TALLY_GROUP_OPEN);
	assert_true(g->mcast_key);
	assert_int_equal(tb_group_state(&group, 2)->mcast_key, g->mcast_key);
	result_by_multicast(&p, g->edges[EDGE_PARENT].key);
	inject(1, &p);
	result_by_multicast(&p, 0);
	inject(1, &p);
	assert_int_equal(bed->nodes[1].counters[TALLY_CTR_drop_key], 2);
	tb_assert_empty(&bed->nodes[1]);
	result_by_multicast(&p, g->mcast_key);
	inject(1, &p);
	assert_int_equal(all_drops(&bed->nodes[1]), 2);
	assert_true(slot_of(bed->nodes[1].e, g, 0)->down_have);
	g->mcast_key = 0; /* not known yet */
	result_by_multicast(&p, 0);
	inject(1, &p);
	assert_int_equal(bed->nodes[1].counters[TALLY_CTR_drop_key], 3);
	tb_free(bed);
}

static bool keep_ack(void *arg, struct tb_packet *p)
{
	(void)arg;
	if (p->from == &bed->nodes[1] && p->tch.kind == TALLY_KIND_ACK &&
	    (be16toh(p->tch.flags) & TALLY_TCH_F_MULTICAST))
		kept = *p;
	return true;
}

/*
 * Results that come together, in any order, are acknowledged together: the newest accepted one, and
 * a bitmap.
 */
static void acknowledgement_of_multicasts(void **state)
{
	static const uint32_t orders[][3] = { { 4, 0, 2 }, { 2, 0, 4 } }; /* 4: beyond the window */
	const struct tally_tch_ack *ack = (const struct tally_tch_ack *)kept.payload;
	unsigned int k, i;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(orders); k++) {
		bed_new_with(TALLY_GROUP_F_MULTICAST);
		bed->net.hook = keep_ack;
		kept = (struct tb_packet){ 0 };
		for (i = 0; i < 3; i++) {
			struct packet p;

			result_by_multicast(&p, tb_group_state(&group, 1)->mcast_key);
			p.tch.num = p.tch.mid = htobe32(orders[k][i]);
			inject(1, &p);
		}
		tb_run_for(bed, 10 * VT_US);
		assert_int_equal(kept.tch.kind, TALLY_KIND_ACK);
		assert_int_equal(be32toh(kept.tch.num), 2);
		assert_int_equal(be64toh(ack->seen) & 7, 5);
		tb_free(bed);
	}
}

/* ---- Recording, replaying, mutating ---- */

#define MAX_RECORDS 4000

struct recorder {
	struct testbed *tb;
	struct tb_group g;
	struct job j;
	struct tb_packet *records;
	size_t num;
	double chance; /* probability that a mutated copy follows a packet */
	struct tb_node *stranger; /* sender of the copies; NULL: the packet's sender */
	struct sim_event ev;
	struct {
		struct tb_node *to;
		struct engine_addr from;
		size_t len;
		_Alignas(8) uint8_t body[sizeof(struct tally_tch) + TALLY_MAX_MTU + 64];
	} evil;
};

static struct recorder *recorder_new(unsigned int nodes, unsigned int members)
{
	const struct tb_group_cfg cfg = { .nodes = members, .ranks = 2, .timeout_ms = 100 };
	struct recorder *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	r->records = calloc(MAX_RECORDS, sizeof(*r->records));
	assert_non_null(r->records);
	r->tb = tb_new(nodes, seed);
	tb_group_plan(r->tb, &r->g, &cfg);
	return r;
}

static void recorder_free(struct recorder *r)
{
	tb_free(r->tb);
	free(r->records);
	free(r);
}

static bool record(void *arg, struct tb_packet *p)
{
	struct recorder *r = arg;

	if (p->to && r->num < MAX_RECORDS)
		r->records[r->num++] = *p;
	return true;
}

static void replay(struct recorder *r, const struct tb_packet *p)
{
	uint8_t body[sizeof(p->tch) + sizeof(p->payload)];

	memcpy(body, &p->tch, sizeof(p->tch));
	memcpy(body + sizeof(p->tch), p->payload, p->len);
	tb_inject(p->to, &p->from->addr, body, sizeof(p->tch) + p->len);
	(void)r;
}

static void run_job(struct recorder *r, unsigned int messages)
{
	while (messages--)
		job_add_random(&r->j);
	job_post_all(&r->j, 100 * VT_US);
	tb_finish(r->tb, 200 * VT_MS);
	job_check(&r->j);
}

/* All packets of a group's first half are repeated in its second half, and once more at the end. */
static void replay_in_the_same_epoch(void **state)
{
	struct recorder *r = recorder_new(4, 4);
	size_t i, first;

	(void)state;
	tb_group_create_all(&r->g);
	r->tb->net.hook = record;
	r->tb->net.hook_arg = r;
	job_init(&r->j, &r->g, seed, false);
	run_job(r, 20);
	first = r->num;
	while (r->j.num_msgs < 40)
		job_add_random(&r->j);
	for (i = 0; i < first; i++) {
		unsigned int k = tb_rand(r->tb, r->j.num_posters);

		replay(r, &r->records[tb_rand(r->tb, first)]);
		if (r->j.posters[k].next < 40)
			job_post(&r->j, &r->j.posters[k]);
		tb_run_for(r->tb, tb_rand(r->tb, 300 * VT_NS));
	}
	job_post_all(&r->j, 10 * VT_US);
	tb_finish(r->tb, 200 * VT_MS);
	job_check(&r->j);
	for (i = 0; i < r->num; i++)
		replay(r, &r->records[i]);
	tb_run_for(r->tb, 20 * VT_MS);
	tb_assert_all_empty(r->tb);
	tb_assert_done(&r->g, job_chunks_before(&r->j, 40));
	job_end(&r->j);
	recorder_free(r);
}

/* All packets are repeated in a later life of the same job id, including handshakes. */
static void replay_in_a_later_epoch(void **state)
{
	struct recorder *r = recorder_new(4, 4);
	size_t i, k, first;

	(void)state;
	tb_group_create_all(&r->g);
	r->tb->net.hook = record;
	r->tb->net.hook_arg = r;
	job_init(&r->j, &r->g, seed, false);
	run_job(r, 20);
	job_end(&r->j);
	first = r->num;
	r->g.cfg.epoch += 5;
	for (i = 0; i < 4; i++) {
		tb_group_create(&r->g, i);
		for (k = 0; k < first; k += 7)
			replay(r, &r->records[k]);
		tb_run_for(r->tb, 10 * VT_US);
	}
	job_init(&r->j, &r->g, seed + 1, false);
	while (r->j.num_msgs < 20)
		job_add_random(&r->j);
	for (i = 0; i < first; i++) {
		k = tb_rand(r->tb, r->j.num_posters);
		replay(r, &r->records[i]);
		if (r->j.posters[k].next < 20)
			job_post(&r->j, &r->j.posters[k]);
		tb_run_for(r->tb, tb_rand(r->tb, 300 * VT_NS));
	}
	job_post_all(&r->j, 10 * VT_US);
	tb_finish(r->tb, 200 * VT_MS);
	job_check(&r->j);
	assert_true(tb_counter(r->tb, TALLY_CTR_drop_epoch) > first / 2);
	job_end(&r->j);
	tb_assert_all_empty(r->tb);
	recorder_free(r);
}

static void send_evil(void *arg)
{
	struct recorder *r = arg;

	tb_inject(r->evil.to, &r->evil.from, r->evil.body, r->evil.len);
}

static void mutate(struct recorder *r)
{
	static const uint8_t odd[] = { 0, 1, 0x7f, 0x80, 0xff, 0x40, 0x41 };
	unsigned int times = 1 + tb_rand(r->tb, 3);

	/* often so that the packet is not dropped as a duplicate */
	if (tb_rand(r->tb, 2)) {
		struct tally_tch *t = (struct tally_tch *)r->evil.body;

		t->edge_seq = htobe32(be32toh(t->edge_seq) + tb_rand(r->tb, 4));
		t->num = htobe32(be32toh(t->num) + tb_rand(r->tb, 3));
	}
	if (!tb_rand(r->tb, 8))
		r->evil.len = tb_rand(r->tb, r->evil.len + 1);
	else if (!tb_rand(r->tb, 8))
		r->evil.len += tb_rand(r->tb, 64);
	while (times-- && r->evil.len) {
		/* mostly in the headers */
		size_t at = tb_rand(r->tb, tb_rand(r->tb, 4) && r->evil.len > 96 ? 96 : r->evil.len);

		if (tb_rand(r->tb, 2))
			r->evil.body[at] ^= 1 << tb_rand(r->tb, 8);
		else
			r->evil.body[at] = odd[tb_rand(r->tb, sizeof(odd))];
	}
}

/* Sometimes a mutated copy follows, at a random time. */
static bool tamper(void *arg, struct tb_packet *p)
{
	struct recorder *r = arg;

	if (!p->to || sim_pending(&r->ev) || !tb_chance(r->tb, r->chance))
		return true;
	r->evil.to = tb_rand(r->tb, 4) ? p->to : &r->tb->nodes[tb_rand(r->tb, r->tb->num_nodes)];
	r->evil.from = r->stranger ? r->stranger->addr : p->from->addr;
	r->evil.len = sizeof(p->tch) + p->len;
	memset(r->evil.body, 0, sizeof(r->evil.body));
	memcpy(r->evil.body, &p->tch, sizeof(p->tch));
	memcpy(r->evil.body + sizeof(p->tch), p->payload, p->len);
	mutate(r);
	sim_schedule_in(r->tb->sim, &r->ev, tb_rand(r->tb, 3 * VT_US));
	return true;
}

static void start_tampering(struct recorder *r, double chance)
{
	sim_event_init(&r->ev, send_evil, r);
	r->chance = chance;
	r->tb->net.hook = tamper;
	r->tb->net.hook_arg = r;
}

/*
 * NICs restart, and a job is created again with the epoch of its former life. Only the keys
 * distinguish the packets of that life.
 */
static void replay_in_the_same_epoch_of_another_life(void **state)
{
	struct recorder *r = recorder_new(4, 4);
	size_t i, first, opens = 0;

	(void)state;
	tb_group_create_all(&r->g);
	r->tb->net.hook = record;
	r->tb->net.hook_arg = r;
	job_init(&r->j, &r->g, seed, false);
	run_job(r, 20);
	tb_run_for(r->tb, 10 * VT_MS);
	first = r->num;
	for (i = 0; i < 4; i++)
		tb_node_reset(&r->tb->nodes[i]);
	tb_group_create_all(&r->g);
	tb_run_for(r->tb, 10 * VT_MS);
	for (i = 0; i < first; i++) {
		opens += r->records[i].tch.kind == TALLY_KIND_OPEN;
		replay(r, &r->records[i]);
	}
	/* OPEN carries no key */
	assert_int_equal(tb_counter(r->tb, TALLY_CTR_drop_key), first - opens);
	tb_run_for(r->tb, 10 * VT_MS);
	tb_assert_all_empty(r->tb);
	job_init(&r->j, &r->g, seed, false);
	run_job(r, 20);
	job_end(&r->j);
	recorder_free(r);
}

/* A stranger sees every packet and sends mutated copies, without any effect. */
static void strangers_change_nothing(void **state)
{
	unsigned int k;

	(void)state;
	for (k = 0; k < 10; k++, seed++) {
		struct recorder *r = recorder_new(5, 4);

		r->stranger = &r->tb->nodes[4];
		start_tampering(r, 0.8);
		tb_group_create_all(&r->g);
		job_init(&r->j, &r->g, seed, false);
		run_job(r, 20);
		assert_int_equal(tb_counter(r->tb, TALLY_CTR_kills_sent), 0);
		tb_run_for(r->tb, 50 * VT_MS);
		job_end(&r->j);
		tb_assert_all_empty(r->tb);
		recorder_free(r);
	}
}

/*
 * Mutated copies come from a neighbour's address. The results may be wrong and the group may end,
 * but every request has one outcome in time, and nothing remains.
 */
static void mutated_packets(void **state)
{
	unsigned int k, ended = 0;

	(void)state;
	for (k = 0; k < 150; k++, seed++) {
		struct recorder *r = recorder_new(4, 4);

		if (k % 3 == 0)
			tb_lossy(r->tb, 0.05, 0.05, 0.05);
		start_tampering(r, k % 2 ? 0.5 : 0.02);
		tb_group_create_all(&r->g);
		job_init(&r->j, &r->g, seed, k % 4 == 0);
		while (r->j.num_msgs < 20)
			job_add_random(&r->j);
		r->j.msgs[19].silent = false;
		job_post_all(&r->j, 100 * VT_US);
		tb_finish(r->tb, 20 * 100 * VT_MS);
		ended += tb_group_state(&r->g, 0)->state == TALLY_GROUP_DEAD;
		r->chance = 0;
		job_end(&r->j);
		tb_assert_all_empty(r->tb);
		recorder_free(r);
	}
	print_message("             %u of 150 groups ended early\n", ended);
	assert_in_range(ended, 10, 149);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_drop),
		SCENE(the_welcome_packet_is_taken, opened),
		SCENE(the_welcome_kill_is_taken, opened),
		SCENE(acknowledgement_names_the_report, opened),
		SCENE(queries_after_the_end, opened),
		cmocka_unit_test(ranks_that_a_kill_may_name),
		SCENE(chunk_that_is_done, opened),
		SCENE(last_chunk_in_an_odd_place, opened),
		SCENE(edge_that_is_not_open, alone),
		SCENE(trigger_to_a_port_in_error, opened),
		SCENE(key_before_the_edge_is_open, alone),
		cmocka_unit_test(every_packet_carries_its_key),
		cmocka_unit_test(challenge_tells_nothing),
		cmocka_unit_test(late_answer_of_an_older_life),
		cmocka_unit_test(key_of_multicast),
		cmocka_unit_test(acknowledgement_of_multicasts),
		cmocka_unit_test(replay_in_the_same_epoch),
		cmocka_unit_test(replay_in_a_later_epoch),
		cmocka_unit_test(replay_in_the_same_epoch_of_another_life),
		cmocka_unit_test(strangers_change_nothing),
		cmocka_unit_test(mutated_packets),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
