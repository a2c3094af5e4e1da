// SPDX-License-Identifier: BSD-2-Clause
/* Answers to queries of the driver and of requests: every field comes from its own register. */
#include "firmware/bytes.h"
#include "firmware/firmware.h"
#include "firmware/group_query.h"
#include "firmware/test/registers/registers.h"

static void expect_not_found(struct engine_result r)
{
	assert_int_equal(r.status, TALLY_ADMIN_STATUS_NOT_FOUND);
	assert_int_equal(r.bad_offset, offsetof(struct tally_cmd_query, id));
}

static void expect_ok(struct engine_result r)
{
	assert_int_equal(r.status, TALLY_ADMIN_STATUS_OK);
	assert_int_equal(r.bad_offset, 0xffff);
}

static void expect_bytes(const void *got, const void *wanted, size_t bytes)
{
	assert_memory_equal(got, wanted, bytes);
}

static void group_that_does_not_exist(void **state)
{
	static struct tally_edge_info edges[TALLY_MAX_CONTRIBUTORS + 1];
	static struct tally_seg_info segs[TALLY_MAX_GROUP_SEGS];
	static struct tally_arrival arrivals[TALLY_NUM_ARRIVALS];
	struct tally_group_info info;
	uint32_t num = 5;

	(void)state;
	regs_open_group(2);
	regs_group()->state = TALLY_GROUP_NONE;
	expect_not_found(fw_query_group(G, &info));
	expect_not_found(fw_query_edges(G, edges));
	expect_not_found(fw_query_segs(G, segs, &num));
	expect_not_found(fw_query_arrivals(G, arrivals));
	assert_int_equal(num, 5);
}

/* ---- State ---- */

static void set_state(void)
{
	struct tally_fw_group *g = regs_group();

	regs_setup()->jid = 0x10203040;
	g->epoch = 0x50607080;
	g->state = TALLY_GROUP_COLLECT;
	g->status = 0x142;
	g->done = 0x90000001;
	g->detector = 0x3e7;
	g->held = 0x107;
	g->owed = 0x203;
	g->attached = 0xa00000001;
	g->gone = 0xb00000002;
	g->contributors = 0xc00000003;
	g->ranks = 0xd00000004;
}

static void state_of_a_group(void **state)
{
	struct tally_group_info want = {
		.jid = le32(0x10203040),
		.epoch = le32(0x50607080),
		.state = TALLY_GROUP_COLLECT,
		.status = le16(0x142),
		.done = le32(0x90000001),
		.open_edges = le64(1ULL << 63 | 5),
		.parent_open = 1,
		.detector = le16(0x3e7),
		.segs = le16(0x107),
		.segs_owed = le16(0x203),
		.attached = le64(0xa00000001),
		.gone = le64(0xb00000002),
		.contributors = le64(0xc00000003),
		.ranks = le64(0xd00000004),
	};
	struct tally_group_info info;

	(void)state;
	regs_open_group(3);
	regs_group()->num_edges = 64;
	regs_edge(1)->state = TALLY_EDGE_OPENING;
	regs_edge(63)->state = TALLY_EDGE_OPEN;
	set_state();
	expect_ok(fw_query_group(G, &info));
	expect_bytes(&info, &want, sizeof(info));
	regs_group()->num_edges = 63;
	expect_ok(fw_query_group(G, &info));
	assert_int_equal(le64(info.open_edges), 5);
	regs_group()->num_edges = 64;
	regs_add_parent();
	expect_ok(fw_query_group(G, &info));
	expect_bytes(&info, &want, sizeof(info));
	regs_edge(TALLY_MAX_CONTRIBUTORS)->state = TALLY_EDGE_OPENING;
	want.parent_open = 0;
	expect_ok(fw_query_group(G, &info));
	expect_bytes(&info, &want, sizeof(info));
	regs_group()->parent = 2; /* a parent with an index */
	want.parent_open = 1;
	expect_ok(fw_query_group(G, &info));
	expect_bytes(&info, &want, sizeof(info));
}

/* ---- Edges ---- */

/* Give an edge values that no other edge has, and return what is to be answered. */
static struct tally_edge_info set_edge(unsigned int i)
{
	struct tally_fw_neighbour *n = regs_neighbour(i);
	unsigned int k;

	regs_edge(i)->subtree_first = 0x101 + i;
	regs_edge(i)->subtree_count = 0x202 + i;
	*regs_traffic(i) = (struct tally_fw_traffic){
		.peer_done = 0x80000003 + i, .outstanding = 0x40000 + i, .retries = 500 + i, .probes = 3,
		.sent = 0x600000000 + i, .retransmits = 0x700000000 + i, .received = 0x800000000 + i,
		.duplicates = 0x900000000 + i, .busy = 0xa00000000 + i,
	};
	for (k = 0; k < 4; k++)
		n->gid[k] = 0x04030201 + 0x04040404 * k + i;
	n->mac[0] = 0x44332211 + i;
	n->mac[1] = 0x6655;
	return (struct tally_edge_info){
		.gid = { 1 + i, 2, 3, 4, 5 + i, 6, 7, 8, 9 + i, 10, 11, 12, 13 + i, 14, 15, 16 },
		.mac = { 0x11 + i, 0x22, 0x33, 0x44, 0x55, 0x66 },
		.state = TALLY_EDGE_OPEN, .index = i,
		.subtree_first = le16(0x101 + i), .subtree_count = le16(0x202 + i),
		.peer_done = le32(0x80000003 + i), .outstanding = le32(0x40000 + i),
		.retries = le32(500 + i), .sent = le64(0x600000000 + i),
		.retransmits = le64(0x700000000 + i), .received = le64(0x800000000 + i),
		.duplicates = le64(0x900000000 + i), .busy = le64(0xa00000000 + i),
	};
}

static void edges_of_a_group(void **state)
{
	static struct tally_edge_info edges[TALLY_MAX_CONTRIBUTORS + 1];
	struct tally_edge_info want[3], none = { 0 };
	unsigned int i;

	(void)state;
	regs_open_group(2);
	regs_add_parent();
	want[0] = set_edge(0);
	want[1] = set_edge(1);
	want[2] = set_edge(TALLY_MAX_CONTRIBUTORS);
	regs_traffic(1)->probes = 600; /* the larger number counts */
	want[1].retries = le32(600);
	memset(edges, 0xff, sizeof(edges));
	expect_ok(fw_query_edges(G, edges));
	expect_bytes(&edges[0], &want[0], sizeof(want[0]));
	expect_bytes(&edges[1], &want[1], sizeof(want[0]));
	expect_bytes(&edges[TALLY_MAX_CONTRIBUTORS], &want[2], sizeof(want[0]));
	for (i = 2; i < TALLY_MAX_CONTRIBUTORS; i++)
		expect_bytes(&edges[i], &none, sizeof(none));
}

static void parent_with_an_index_is_told_once(void **state)
{
	static struct tally_edge_info edges[TALLY_MAX_CONTRIBUTORS + 1];
	const struct tally_edge_info none = { 0 };

	(void)state;
	regs_open_group(2);
	regs_add_parent();
	regs_group()->parent = 1;
	memset(edges, 0xff, sizeof(edges));
	expect_ok(fw_query_edges(G, edges));
	assert_int_equal(edges[0].state, TALLY_EDGE_OPEN);
	assert_int_equal(edges[1].state, TALLY_EDGE_OPEN);
	expect_bytes(&edges[2], &none, sizeof(none));
	expect_bytes(&edges[TALLY_MAX_CONTRIBUTORS], &none, sizeof(none));
}

/* ---- Segments ---- */

static struct tally_fw_segment segment(unsigned int i)
{
	return (struct tally_fw_segment){
		.state = TALLY_SEG_BUSY, .opcode = 0x10 + i, .op = 0x20 + i, .dtype = 0x30 + i,
		.num = 0x80000000 + i, .mid = 0x90000000 + i, .sid = 0xa0000000 + i,
		.missing = 0x100000001 + i, .ranks = 0x200000002 + i,
		.receivers = 0x300000003 + i, .deliver = 0x400000004 + i,
	};
}

static struct tally_seg_info told_segment(unsigned int i)
{
	return (struct tally_seg_info){
		.state = TALLY_SEG_BUSY, .opcode = 0x10 + i, .op = 0x20 + i, .dtype = 0x30 + i,
		.num = le32(0x80000000 + i), .mid = le32(0x90000000 + i), .sid = le32(0xa0000000 + i),
		.contributors = le64(0x100000001 + i), .ranks = le64(0x200000002 + i),
		.receivers = le64(0x300000003 + i), .deliver = le64(0x400000004 + i),
	};
}

/* A group that may hold six segments has five, of which one is free. */
static void segments_of_a_group(void **state)
{
	static struct tally_seg_info segs[TALLY_MAX_GROUP_SEGS];
	const struct tally_seg_info none = { 0 };
	uint32_t num = 0, i;

	(void)state;
	regs_open_group(2);
	regs_group()->held = 5;
	regs_setup()->max_segs = 6;
	for (i = 0; i < 7; i++)
		regs.segments[i] = segment(i);
	regs.segments[3].state = TALLY_SEG_FREE;
	memset(segs, 0xff, sizeof(segs));
	expect_ok(fw_query_segs(G, segs, &num));
	assert_int_equal(num, 6);
	for (i = 0; i < 6; i++) {
		const struct tally_seg_info want = told_segment(i);

		expect_bytes(&segs[i], i == 3 || i == 5 ? &none : &want, sizeof(want));
	}
	assert_int_equal(segs[6].state, 0xff);
}

/* ---- Arrivals ---- */

static struct tally_fw_arrival arrival(uint32_t mid)
{
	return (struct tally_fw_arrival){
		.used = 1, .mid = mid, .opcode = 0x11, .op = 0x22, .dtype = 0x33, .last = 0x44,
		.count = 0x500000000 + mid, .first_at = 6000000999, .last_at = 7000001000,
		.done_at = 8000002001, .ranks = 0x900000009, .contributors = 0xa0000000a,
	};
}

static struct tally_arrival told_arrival(uint32_t mid)
{
	return (struct tally_arrival){
		.mid = le32(mid), .opcode = 0x11, .op = 0x22, .dtype = 0x33, .last = 0x44,
		.count = le64(0x500000000 + mid), .first_ns = le64(6000000), .last_ns = le64(7000001),
		.done_ns = le64(8000002), .ranks = le64(0x900000009),
		.contributors = le64(0xa0000000a),
	};
}

/* Expect the newest message, `newest`, first; `missing` is not there. */
static void expect_arrivals(uint32_t newest, uint32_t missing)
{
	static struct tally_arrival arrivals[TALLY_NUM_ARRIVALS + 1];
	const struct tally_arrival none = { 0 };
	unsigned int i;

	memset(arrivals, 0xff, sizeof(arrivals));
	expect_ok(fw_query_arrivals(G, arrivals));
	assert_int_equal(arrivals[TALLY_NUM_ARRIVALS].last, 0xff);
	for (i = 0; i < TALLY_NUM_ARRIVALS; i++) {
		const struct tally_arrival want = told_arrival(newest - i);

		expect_bytes(&arrivals[i], newest - i == missing ? &none : &want, sizeof(want));
	}
}

static void set_arrivals(uint32_t newest)
{
	unsigned int i;

	for (i = 0; i < TALLY_NUM_ARRIVALS; i++)
		regs.arrivals[(newest - i) % TALLY_NUM_ARRIVALS] = arrival(newest - i);
}

static void newest_arrival_first(void **state)
{
	(void)state;
	regs_open_group(2);
	regs_group()->mid_done = 40;
	set_arrivals(43);
	expect_arrivals(43, 1000);
	set_arrivals(38); /* message 39 has left no trace, and its place shows an older one */
	regs.arrivals[39 % TALLY_NUM_ARRIVALS] = arrival(39 - TALLY_NUM_ARRIVALS);
	expect_arrivals(39, 39);
	regs.arrivals[39 % TALLY_NUM_ARRIVALS] = arrival(39);
	regs.arrivals[39 % TALLY_NUM_ARRIVALS].used = 0;
	expect_arrivals(39, 39);
	regs.arrivals[41 % TALLY_NUM_ARRIVALS] = arrival(41); /* begun, unlike 40 */
	regs.arrivals[41 % TALLY_NUM_ARRIVALS].used = 0;
	regs.arrivals[39 % TALLY_NUM_ARRIVALS].used = 1;
	expect_arrivals(39, 41 - TALLY_NUM_ARRIVALS);
}

static void arrivals_across_the_wrap(void **state)
{
	(void)state;
	regs_open_group(2);
	regs_group()->mid_done = UINT32_MAX;
	set_arrivals(2);
	expect_arrivals(2, 1000);
	regs_group()->mid_done = 1;
	set_arrivals(0);
	expect_arrivals(0, 1000);
}

/* ---- Requests ---- */

/* Let the firmware answer a request about message `mid`; the registers hold an older answer. */
static const struct regs_command *ask(uint32_t mid)
{
	regs_forget();
	regs.command.contributors = regs.command.ranks = 99;
	regs.command.sid = regs.command.flags = regs.command.qp = 99;
	regs.taken = 0;
	regs.events = 1;
	regs.waiting[0] = (struct tally_fw_event){ .mid = mid, .qp = 0x123 };
	regs.waiting[0].next = TALLY_FW_EV_QUERY | TALLY_FW_NO_EDGE << 8 | G << 16;
	assert_true(firmware_step());
	assert_int_equal(regs.commands, 1);
	assert_int_equal(regs.done[0].go, TALLY_FW_CMD_ANSWER);
	assert_int_equal(regs.done[0].group, G);
	assert_int_equal(regs.done[0].qp, 0x123);
	return &regs.done[0];
}

static void expect_request(uint32_t mid, uint32_t flags, uint64_t contributors, uint64_t ranks,
			   uint32_t sid)
{
	const struct regs_command *c = ask(mid);

	assert_int_equal(c->flags, flags);
	assert_int_equal(c->contributors, contributors);
	assert_int_equal(c->ranks, ranks);
	assert_int_equal(c->sid, sid);
}

/* Of the messages from 40 on, 41 has chunks in segments 2 and 3. */
static void requests_are_answered(void **state)
{
	unsigned int i;

	(void)state;
	regs_open_group(2);
	regs_group()->mid_done = 40;
	for (i = 2; i < 4; i++) {
		regs.segments[i] = segment(i);
		regs.segments[i].mid = 41;
		regs.segments[i].waits = 0x500000000 + i;
	}
	regs.late_mid = 41;
	regs.late_ranks = 0x600000000;
	expect_request(41, TALLY_CQE_F_PENDING, 0x500000002, 0x600000000, 0xa0000002);
	expect_request(39, 0, 0, 0, 0);
	expect_request(40, TALLY_CQE_F_UNKNOWN, 0, 0, 0);
	expect_request(42, TALLY_CQE_F_UNKNOWN, 0, 0, 0);
	regs.late_mid = 42;
	regs.late_begun = true; /* without a chunk in a segment */
	expect_request(42, TALLY_CQE_F_PENDING, 0, 0, 0);
	expect_request(43, TALLY_CQE_F_UNKNOWN, 0, 0, 0);
	expect_request(41, TALLY_CQE_F_PENDING, 0x500000002, 0, 0xa0000002);
}

static void requests_across_the_wrap(void **state)
{
	(void)state;
	regs_open_group(2);
	regs_group()->mid_done = 1;
	expect_request(UINT32_MAX, 0, 0, 0, 0);
	regs_group()->mid_done = UINT32_MAX;
	expect_request(1, TALLY_CQE_F_UNKNOWN, 0, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(group_that_does_not_exist),
		cmocka_unit_test(state_of_a_group),
		cmocka_unit_test(edges_of_a_group),
		cmocka_unit_test(parent_with_an_index_is_told_once),
		cmocka_unit_test(segments_of_a_group),
		cmocka_unit_test(newest_arrival_first),
		cmocka_unit_test(arrivals_across_the_wrap),
		cmocka_unit_test(requests_are_answered),
		cmocka_unit_test(requests_across_the_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
