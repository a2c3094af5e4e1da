// SPDX-License-Identifier: BSD-2-Clause
/* Admin commands on groups and queue pairs: what they refuse, what they write and in which order. */
#include "firmware/bytes.h"
#include "firmware/group_admin.h"
#include "firmware/qp_admin.h"
#include "firmware/test/groups.h"
#include "firmware/test/registers/registers.h"

#define NONE_OF_THE_FIELDS 0xffff

static void expect_result(struct engine_result r, enum tally_admin_status status, uint16_t offset)
{
	assert_int_equal(r.status, status);
	assert_int_equal(r.bad_offset, offset);
}

#define EXPECT_OK(call) expect_result(call, TALLY_ADMIN_STATUS_OK, NONE_OF_THE_FIELDS)
#define EXPECT_REFUSED(call, why, type, field)                                                     \
	expect_result(call, TALLY_ADMIN_STATUS_##why, offsetof(struct type, field))

static void expect_command(unsigned int n, enum tally_fw_command_code code)
{
	assert_int_equal(regs.done[n].go, code);
	assert_int_equal(regs.done[n].group, G);
	assert_int_equal(regs.done[n].edge, TALLY_FW_NO_EDGE);
}

/* ---- Creation ---- */

struct described {
	struct tally_group_cfg cfg;
	struct tally_group_edge edges[GROUPS_MAX_EDGES];
};

static struct engine_result create(struct described *d, enum groups_base base)
{
	groups_describe(&d->cfg, d->edges, base);
	d->cfg.msg_cells = le32(8);
	return fw_create_group(G, &d->cfg, d->edges, le16(d->cfg.num_edges));
}

static void room(uint32_t segs, uint32_t cells, uint32_t edges)
{
	regs_clear();
	regs.control.segs_left = segs;
	regs.control.cells_left = cells;
	regs.control.edges_left = edges;
}

/* The node has two edges, and asks for 8 segments and 8 cells. */
static void room_for_a_group(void **state)
{
	struct described d;

	(void)state;
	room(8, 8, 2);
	EXPECT_OK(create(&d, TREE_ROOT));
	assert_int_equal(regs_group()->state, TALLY_GROUP_OPENING);
	assert_int_equal(regs_setup()->jid, 0x42);
	assert_int_equal(regs_setup()->all_edges, 2);
	assert_int_equal(regs.commands, 1);
	expect_command(0, TALLY_FW_CMD_CREATE);
	room(7, 8, 2);
	EXPECT_REFUSED(create(&d, TREE_ROOT), NO_RESOURCE, tally_group_cfg, num_segs);
	room(8, 7, 2);
	EXPECT_REFUSED(create(&d, TREE_ROOT), NO_RESOURCE, tally_group_cfg, msg_cells);
	room(8, 8, 1);
	EXPECT_REFUSED(create(&d, TREE_ROOT), NO_RESOURCE, tally_group_cfg, num_edges);
	assert_int_equal(regs.commands, 0);
	assert_int_equal(regs_group()->state, TALLY_GROUP_NONE);
}

static void number_and_job_that_exist(void **state)
{
	struct described d;

	(void)state;
	room(8, 8, 2);
	regs_group()->state = TALLY_GROUP_DEAD;
	expect_result(create(&d, TREE_ROOT), TALLY_ADMIN_STATUS_ID_BUSY, NONE_OF_THE_FIELDS);
	assert_int_equal(regs_group()->state, TALLY_GROUP_DEAD);
	room(8, 8, 2);
	regs.job = 0x42;
	EXPECT_REFUSED(create(&d, TREE_ROOT), EXISTS, tally_group_cfg, jid);
	assert_int_equal(regs.commands, 0);
	assert_int_equal(regs_group()->state, TALLY_GROUP_NONE);
}

static void single_node_is_open_at_once(void **state)
{
	struct described d;

	(void)state;
	room(8, 8, 2);
	groups_describe(&d.cfg, d.edges, TREE_ROOT);
	d.cfg.num_nodes = le16(1);
	d.cfg.num_edges = 0;
	d.cfg.total_ranks = le32(2);
	EXPECT_OK(fw_create_group(G, &d.cfg, d.edges, 0));
	assert_int_equal(regs_group()->state, TALLY_GROUP_OPEN);
	assert_int_equal(regs.commands, 1);
}

/* ---- Ranks ---- */

static void ranks_are_attached(void **state)
{
	struct tally_fw_group *g = regs_group();

	(void)state;
	regs_open_group(1);
	g->rank_mask = 0x8000000f;
	g->attached = 1;
	g->gone = 2;
	EXPECT_REFUSED(fw_attach_ranks(G, 0), BAD_FIELD, tally_cmd_group_ranks, ranks);
	EXPECT_REFUSED(fw_attach_ranks(G, 0x14), BAD_FIELD, tally_cmd_group_ranks, ranks);
	EXPECT_REFUSED(fw_attach_ranks(G, 5), IN_USE, tally_cmd_group_ranks, ranks);
	EXPECT_REFUSED(fw_attach_ranks(G, 6), IN_USE, tally_cmd_group_ranks, ranks);
	EXPECT_OK(fw_attach_ranks(G, 0x80000004));
	assert_int_equal(g->attached, 0x80000005);
	assert_int_equal(g->gone, 2);
	g->destroyed = 1;
	EXPECT_REFUSED(fw_attach_ranks(G, 8), NOT_FOUND, tally_cmd_group_ranks, group);
	g->destroyed = 0;
	g->state = TALLY_GROUP_NONE;
	EXPECT_REFUSED(fw_attach_ranks(G, 8), NOT_FOUND, tally_cmd_group_ranks, group);
	assert_int_equal(g->attached, 0x80000005);
	assert_int_equal(regs.commands, 0);
}

static void ranks_are_detached(void **state)
{
	struct tally_fw_group *g = regs_group();

	(void)state;
	regs_open_group(1);
	g->rank_mask = 15;
	g->attached = 7;
	g->gone = 8;
	EXPECT_REFUSED(fw_detach_ranks(G, 0), BAD_FIELD, tally_cmd_group_ranks, ranks);
	EXPECT_REFUSED(fw_detach_ranks(G, 9), BAD_FIELD, tally_cmd_group_ranks, ranks);
	assert_int_equal(regs.commands, 0);
	EXPECT_OK(fw_detach_ranks(G, 5));
	assert_int_equal(g->attached, 2);
	assert_int_equal(g->gone, 13);
	assert_int_equal(regs.commands, 1);
	expect_command(0, TALLY_FW_CMD_RANKS);
	g->destroyed = 1;
	EXPECT_REFUSED(fw_detach_ranks(G, 2), NOT_FOUND, tally_cmd_group_ranks, group);
	g->destroyed = 0;
	g->state = TALLY_GROUP_NONE;
	EXPECT_REFUSED(fw_detach_ranks(G, 2), NOT_FOUND, tally_cmd_group_ranks, group);
	assert_int_equal(g->gone, 13);
}

/* ---- Reset ---- */

static void dead_group(uint32_t epoch)
{
	regs_open_group(1);
	regs_group()->state = TALLY_GROUP_DEAD;
	regs_group()->epoch = epoch;
	regs_group()->status = TALLY_COLL_ABORTED;
	regs_group()->ranks = regs_group()->contributors = 1;
	regs_group()->report_mid = regs_group()->report_sid = regs_group()->detector = 1;
}

static void expect_reset(uint32_t before, uint32_t epoch)
{
	dead_group(before);
	EXPECT_OK(fw_reset_group(G, epoch));
	assert_int_equal(regs_group()->epoch, epoch);
	assert_int_equal(regs_group()->state, TALLY_GROUP_OPENING);
	assert_int_equal(regs_group()->status, 0);
	assert_int_equal(regs_group()->ranks, 0);
	assert_int_equal(regs_group()->contributors, 0);
	assert_int_equal(regs.commands, 1);
	expect_command(0, TALLY_FW_CMD_BEGIN);
}

static void expect_no_reset(uint32_t before, uint32_t epoch)
{
	dead_group(before);
	EXPECT_REFUSED(fw_reset_group(G, epoch), BAD_FIELD, tally_cmd_reset_group, epoch);
	assert_int_equal(regs_group()->epoch, before);
	assert_int_equal(regs.commands, 0);
}

static void epoch_of_a_reset(void **state)
{
	(void)state;
	expect_reset(7, 8);
	expect_reset(7, 0x80000006);
	expect_reset(0xffffffff, 1);
	expect_reset(0, 1); /* a group that never learned its epoch */
	expect_reset(0, 0xffffffff);
	expect_no_reset(7, 7);
	expect_no_reset(7, 6);
	expect_no_reset(7, 0x80000007);
	expect_no_reset(7, 0);
	expect_no_reset(0xffffffff, 0);
	expect_no_reset(0, 0);
}

static void state_for_a_reset(void **state)
{
	static const uint32_t others[] = { TALLY_GROUP_OPENING, TALLY_GROUP_OPEN, TALLY_GROUP_COLLECT,
					   TALLY_GROUP_DRAINING };
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		dead_group(7);
		regs_group()->state = others[i];
		EXPECT_REFUSED(fw_reset_group(G, 8), BAD_STATE, tally_cmd_reset_group, group);
	}
	dead_group(7);
	regs_group()->gone = 1;
	EXPECT_REFUSED(fw_reset_group(G, 8), BAD_STATE, tally_cmd_reset_group, group);
	dead_group(7);
	regs_group()->destroyed = 1;
	EXPECT_REFUSED(fw_reset_group(G, 8), NOT_FOUND, tally_cmd_reset_group, group);
	dead_group(7);
	regs_group()->state = TALLY_GROUP_NONE;
	EXPECT_REFUSED(fw_reset_group(G, 8), NOT_FOUND, tally_cmd_reset_group, group);
	assert_int_equal(regs.commands, 0);
}

static void reset_of_few_edges(void **state)
{
	(void)state;
	dead_group(7);
	regs_group()->num_edges = 0;
	EXPECT_OK(fw_reset_group(G, 8));
	assert_int_equal(regs_group()->state, TALLY_GROUP_OPEN);
	dead_group(7);
	regs_group()->num_edges = 0;
	regs_group()->parent = TALLY_MAX_CONTRIBUTORS;
	EXPECT_OK(fw_reset_group(G, 8));
	assert_int_equal(regs_group()->state, TALLY_GROUP_OPENING);
}

/* ---- Destruction ---- */

static void busy_group(uint32_t group_state, uint32_t busy)
{
	regs_open_group(1);
	regs_group()->state = group_state;
	regs_group()->busy = busy;
	regs_group()->attached = 1;
	regs_group()->gone = 2;
	EXPECT_OK(fw_destroy_group(G));
	assert_int_equal(regs_group()->destroyed, 1);
	assert_int_equal(regs_group()->attached, 0);
	assert_int_equal(regs_group()->gone, 3);
	expect_command(0, TALLY_FW_CMD_RANKS);
}

static void idle_group_is_released(void **state)
{
	static const uint32_t states[] = { TALLY_GROUP_OPENING, TALLY_GROUP_OPEN, TALLY_GROUP_DEAD };
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		busy_group(states[i], states[i] == TALLY_GROUP_DEAD);
		assert_int_equal(regs.commands, 2);
		expect_command(1, TALLY_FW_CMD_RELEASE);
		assert_int_equal(regs_group()->timer, TALLY_FW_NEVER);
	}
}

static void busy_group_drains(void **state)
{
	uint32_t busy;

	(void)state;
	busy_group(TALLY_GROUP_OPEN, 1);
	assert_int_equal(regs.commands, 1);
	assert_int_equal(regs_group()->state, TALLY_GROUP_DRAINING);
	assert_int_equal(regs_group()->timer, NOW + TALLY_DRAIN_MS * MS);
	for (busy = 0; busy <= 1; busy++) { /* it is released at the end of the epoch */
		busy_group(TALLY_GROUP_COLLECT, busy);
		assert_int_equal(regs.commands, 1);
		assert_int_equal(regs_group()->state, TALLY_GROUP_COLLECT);
		assert_int_equal(regs_group()->timer, TALLY_FW_NEVER);
	}
}

static void groups_that_are_not_destroyed(void **state)
{
	(void)state;
	regs_open_group(1);
	regs_group()->first_qp = 0;
	EXPECT_REFUSED(fw_destroy_group(G), IN_USE, tally_cmd_object, id);
	regs_group()->first_qp = TALLY_FW_NO_QP;
	regs_group()->destroyed = 1;
	EXPECT_REFUSED(fw_destroy_group(G), NOT_FOUND, tally_cmd_object, id);
	regs_group()->destroyed = 0;
	regs_group()->state = TALLY_GROUP_NONE;
	EXPECT_REFUSED(fw_destroy_group(G), NOT_FOUND, tally_cmd_object, id);
	assert_int_equal(regs.commands, 0);
	assert_int_equal(regs_group()->destroyed, 0);
}

/* ---- Queue pairs ---- */

#define QP 3

static struct engine_qp_cfg qp_cfg(void)
{
	return (struct engine_qp_cfg){
		.pd = 0x11, .cqn = 0x22, .group = G, .ranks = 3, .depth = 64, .stride = 512, .port = 0x33,
	};
}

/* Queue pairs 5 and 6 of the group have ports 1 and 2. */
static void group_with_ports(void)
{
	regs_open_group(1);
	regs_group()->first_qp = 5;
	regs.qp[5] = (struct tally_fw_qp){ .used = 1, .next = 6, .port = 1 };
	regs.qp[6] = (struct tally_fw_qp){ .used = 1, .next = TALLY_FW_NO_QP, .port = 2 };
	regs.control.requests_left = TALLY_MAX_REQUESTS;
}

static void queue_pair_is_created(void **state)
{
	const struct engine_qp_cfg cfg = qp_cfg();
	const struct tally_fw_qp want = {
		.state = TALLY_QPS_RTS, .group = G, .pd = 0x11, .cqn = 0x22, .depth = 64,
		.stride = 512, .ranks = 3, .port = 0x33, .holder = 3, .requests = 64,
	};

	(void)state;
	group_with_ports();
	EXPECT_OK(fw_create_qp(QP, &cfg));
	assert_memory_equal(&regs.qp[QP], &want, sizeof(want));
	assert_int_equal(regs.commands, 1);
	expect_command(0, TALLY_FW_CMD_CREATE_QP);
	assert_int_equal(regs.done[0].qp, QP);
	regs.qp[QP].used = 1;
	EXPECT_REFUSED(fw_create_qp(QP, &cfg), ID_BUSY, tally_cmd_create_qp, qpn);
	assert_int_equal(regs.commands, 1);
}

#define EXPECT_FIELD(cfg, field, value, why)                                                       \
	do {                                                                                       \
		struct engine_qp_cfg changed = cfg;                                                \
		changed.field = value;                                                             \
		EXPECT_REFUSED(fw_create_qp(QP, &changed), why, tally_cmd_create_qp, field);       \
	} while (0)
#define EXPECT_TAKEN(cfg, field, value)                                                            \
	do {                                                                                       \
		struct engine_qp_cfg changed = cfg;                                                \
		changed.field = value;                                                             \
		EXPECT_OK(fw_create_qp(QP, &changed));                                             \
	} while (0)

static void fields_of_a_queue_pair(void **state)
{
	const struct engine_qp_cfg cfg = qp_cfg();

	(void)state;
	group_with_ports();
	EXPECT_FIELD(cfg, group, TALLY_MAX_GROUP, NOT_FOUND);
	EXPECT_FIELD(cfg, ranks, 0, BAD_FIELD);
	EXPECT_FIELD(cfg, ranks, 4, BAD_FIELD);
	EXPECT_FIELD(cfg, ranks, 5, BAD_FIELD);
	EXPECT_FIELD(cfg, depth, 0, BAD_FIELD);
	EXPECT_FIELD(cfg, depth, 48, BAD_FIELD);
	EXPECT_FIELD(cfg, depth, 2 * TALLY_MAX_SQ_DEPTH, BAD_FIELD);
	EXPECT_FIELD(cfg, stride, 0, BAD_FIELD);
	EXPECT_FIELD(cfg, stride, 384, BAD_FIELD);
	EXPECT_FIELD(cfg, stride, TALLY_MIN_WQE_SIZE / 2, BAD_FIELD);
	EXPECT_FIELD(cfg, stride, 2 * TALLY_MAX_WQE_SIZE, BAD_FIELD);
	EXPECT_FIELD(cfg, port, 1, IN_USE);
	EXPECT_FIELD(cfg, port, 2, IN_USE);
	assert_int_equal(regs.commands, 0);
	EXPECT_TAKEN(cfg, ranks, 2);
	EXPECT_TAKEN(cfg, depth, 1);
	EXPECT_TAKEN(cfg, depth, TALLY_MAX_SQ_DEPTH);
	EXPECT_TAKEN(cfg, stride, TALLY_MIN_WQE_SIZE);
	EXPECT_TAKEN(cfg, stride, TALLY_MAX_WQE_SIZE);
	EXPECT_TAKEN(cfg, port, 0);
	EXPECT_TAKEN(cfg, port, UINT16_MAX);
}

/* A queue pair owns as many request entries as its send queue has, from 8 to 64. */
static void requests_of_a_queue_pair(void **state)
{
	static const struct {
		uint32_t depth, requests;
	} cases[] = {
		{ 1, 8 }, { 8, 8 }, { 16, 16 }, { 32, 32 }, { 64, 64 }, { 128, 64 },
		{ TALLY_MAX_SQ_DEPTH, 64 },
	};
	struct engine_qp_cfg cfg = qp_cfg();
	unsigned int i;

	(void)state;
	group_with_ports();
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		regs.control.requests_left = cases[i].requests - 1;
		EXPECT_FIELD(cfg, depth, cases[i].depth, NO_RESOURCE);
		regs.control.requests_left = cases[i].requests;
		EXPECT_TAKEN(cfg, depth, cases[i].depth);
		assert_int_equal(regs.qp[QP].requests, cases[i].requests);
	}
}

/* A process posts for the ranks that it holds; if the group is shared, for all that anybody holds. */
static void holder_of_a_queue_pair(void **state)
{
	struct engine_qp_cfg cfg = qp_cfg();

	(void)state;
	group_with_ports();
	EXPECT_FIELD(cfg, holder, 4, BAD_FIELD);
	EXPECT_TAKEN(cfg, holder, 3);
	cfg.holder = 1;
	EXPECT_FIELD(cfg, ranks, 2, BAD_FIELD);
	EXPECT_FIELD(cfg, ranks, 3, BAD_FIELD);
	EXPECT_TAKEN(cfg, ranks, 1);
	assert_int_equal(regs.qp[QP].holder, 1);
	regs_group()->flags |= TALLY_GROUP_F_SHARED;
	EXPECT_TAKEN(cfg, ranks, 2);
	EXPECT_TAKEN(cfg, ranks, 3);
	assert_int_equal(regs.qp[QP].ranks, 3);
	assert_int_equal(regs.qp[QP].holder, 1);
	EXPECT_FIELD(cfg, ranks, 4, BAD_FIELD);
}

static void group_of_a_queue_pair(void **state)
{
	const struct engine_qp_cfg cfg = qp_cfg();
	uint32_t s;

	(void)state;
	for (s = TALLY_GROUP_NONE; s <= TALLY_GROUP_DRAINING; s++) {
		group_with_ports();
		regs_group()->state = s;
		if (s == TALLY_GROUP_NONE)
			EXPECT_REFUSED(fw_create_qp(QP, &cfg), NOT_FOUND, tally_cmd_create_qp, group);
		else if (s == TALLY_GROUP_COLLECT || s == TALLY_GROUP_DEAD)
			EXPECT_REFUSED(fw_create_qp(QP, &cfg), BAD_STATE, tally_cmd_create_qp, group);
		else
			EXPECT_OK(fw_create_qp(QP, &cfg));
	}
	regs_group()->destroyed = 1;
	EXPECT_REFUSED(fw_create_qp(QP, &cfg), BAD_STATE, tally_cmd_create_qp, group);
}

/* Expect these commands on the queue pair, in this order; 0 ends the list. */
static void expect_qp_commands(const uint32_t *codes)
{
	unsigned int n;

	for (n = 0; codes[n]; n++) {
		expect_command(n, codes[n]);
		assert_int_equal(regs.done[n].qp, QP);
	}
	assert_int_equal(regs.commands, n);
}

static void queue_pair(uint32_t qp_state)
{
	group_with_ports();
	regs.qp[QP] = (struct tally_fw_qp){ .used = 1, .state = qp_state, .group = G };
}

static void states_of_a_queue_pair(void **state)
{
	static const uint32_t reset[] = { TALLY_FW_CMD_ABANDON_QP, TALLY_FW_CMD_DISCARD_QP,
					  TALLY_FW_CMD_RETIRE_QP, 0 };
	static const uint32_t error[] = { TALLY_FW_CMD_ABANDON_QP, TALLY_FW_CMD_RETIRE_QP, 0 };
	static const uint32_t rts[] = { TALLY_FW_CMD_RETIRE_QP, 0 };

	(void)state;
	queue_pair(TALLY_QPS_RTS);
	EXPECT_OK(fw_modify_qp(QP, TALLY_QPS_RESET));
	assert_int_equal(regs.qp[QP].state, TALLY_QPS_RESET);
	expect_qp_commands(reset);
	regs_forget();
	EXPECT_OK(fw_modify_qp(QP, TALLY_QPS_RTS));
	assert_int_equal(regs.qp[QP].state, TALLY_QPS_RTS);
	expect_qp_commands(rts);
	regs_forget();
	EXPECT_OK(fw_modify_qp(QP, TALLY_QPS_ERROR));
	assert_int_equal(regs.qp[QP].state, TALLY_QPS_ERROR);
	expect_qp_commands(error);
}

static void states_that_are_refused(void **state)
{
	static const uint32_t not_reset[] = { TALLY_QPS_RTS, TALLY_QPS_ERROR };
	unsigned int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		queue_pair(not_reset[i]);
		expect_result(fw_modify_qp(QP, TALLY_QPS_RTS), TALLY_ADMIN_STATUS_BAD_STATE,
			      NONE_OF_THE_FIELDS);
		assert_int_equal(regs.qp[QP].state, not_reset[i]);
	}
	queue_pair(TALLY_QPS_RESET);
	regs_group()->state = TALLY_GROUP_DEAD;
	expect_result(fw_modify_qp(QP, TALLY_QPS_RTS), TALLY_ADMIN_STATUS_BAD_STATE, NONE_OF_THE_FIELDS);
	EXPECT_REFUSED(fw_modify_qp(QP, 3), BAD_FIELD, tally_cmd_modify_qp, state);
	regs.qp[QP].used = 0;
	EXPECT_REFUSED(fw_modify_qp(QP, TALLY_QPS_ERROR), NOT_FOUND, tally_cmd_modify_qp, qpn);
	assert_int_equal(regs.commands, 0);
	assert_int_equal(regs.qp[QP].state, TALLY_QPS_RESET);
}

static void queue_pair_is_destroyed(void **state)
{
	static const uint32_t codes[] = { TALLY_FW_CMD_ABANDON_QP, TALLY_FW_CMD_DISCARD_QP,
					  TALLY_FW_CMD_FORGET_QP, 0 };

	(void)state;
	queue_pair(TALLY_QPS_RTS);
	EXPECT_OK(fw_destroy_qp(QP));
	expect_qp_commands(codes);
	regs_forget();
	regs.qp[QP].used = 0;
	EXPECT_REFUSED(fw_destroy_qp(QP), NOT_FOUND, tally_cmd_object, id);
	assert_int_equal(regs.commands, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(room_for_a_group),
		cmocka_unit_test(number_and_job_that_exist),
		cmocka_unit_test(single_node_is_open_at_once),
		cmocka_unit_test(ranks_are_attached),
		cmocka_unit_test(ranks_are_detached),
		cmocka_unit_test(epoch_of_a_reset),
		cmocka_unit_test(state_for_a_reset),
		cmocka_unit_test(reset_of_few_edges),
		cmocka_unit_test(idle_group_is_released),
		cmocka_unit_test(busy_group_drains),
		cmocka_unit_test(groups_that_are_not_destroyed),
		cmocka_unit_test(queue_pair_is_created),
		cmocka_unit_test(fields_of_a_queue_pair),
		cmocka_unit_test(requests_of_a_queue_pair),
		cmocka_unit_test(holder_of_a_queue_pair),
		cmocka_unit_test(group_of_a_queue_pair),
		cmocka_unit_test(states_of_a_queue_pair),
		cmocka_unit_test(states_that_are_refused),
		cmocka_unit_test(queue_pair_is_destroyed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
