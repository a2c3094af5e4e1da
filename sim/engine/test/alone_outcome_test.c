// SPDX-License-Identifier: BSD-2-Clause
/*
 * A host that retires and completes requests: what it is told of them, and what becomes of what it
 * tells. The node has the ranks 0, 1 and 4, whose queue pair has an ALLREDUCE of five INT32.
 */
#include "engine/common.h"
#include "engine/fetch.h"
#include "engine/local.h"
#include "engine/mirror.h"
#include "engine/outcome.h"
#include "engine/qp.h"
#include "engine/sender.h"
#include "engine/status.h"
#include "engine/test/alone.h"
#include "engine/wr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RANKS 0x13u
#define ENTRY 77
#define KEPT 64

static struct alone a;
static struct engine_host host;
static struct qp *qp;
static struct wr *wr;
static struct slot *s;
static struct engine_update updates[KEPT];
static struct engine_end ends[KEPT];
static unsigned int num_updates, num_ends;
/* Commands of struct status, with the registers as they were then. */
static struct tally_fw_status regs, commands[KEPT];
static unsigned int num_commands;

static bool yes(void *ctx)
{
	(void)ctx;
	return true;
}

static void update(void *ctx, const struct engine_update *u)
{
	(void)ctx;
	assert_true(num_updates < KEPT);
	updates[num_updates++] = *u;
}

static void end(void *ctx, const struct engine_end *x)
{
	(void)ctx;
	assert_true(num_ends < KEPT);
	ends[num_ends++] = *x;
}

static void table(void *ctx, uint32_t reg, uint32_t value)
{
	const uint32_t at = reg - TALLY_FW_STATUS_BASE;

	(void)ctx;
	if (at >= sizeof(regs))
		return;
	memcpy((char *)&regs + at, &value, sizeof(value));
	if (at != offsetof(struct tally_fw_status, go))
		return;
	assert_true(num_commands < KEPT);
	commands[num_commands++] = regs;
}

static int setup(void **state)
{
	(void)state;
	wr = alone_sum(&a);
	qp = &a.e->qps[0];
	host = *a.e->host;
	host.fetches = host.completes = yes;
	host.update = update;
	host.end = end;
	host.table = table;
	a.e->host = &host;
	wr->entry = ENTRY;
	wr->to_go = 3;
	wr->w.num_result = 3;
	s = slot_of(a.e, a.g, 0);
	s->group = 0;
	s->mode = TALLY_MODE_TREE;
	s->opcode = TALLY_OPCODE_ALLREDUCE;
	s->count = s->total = 5;
	s->elem = 4;
	for (unsigned int rank = 0; rank < TALLY_MAX_RANKS; rank++)
		s->by[rank] = (struct wr_ref){ 0, wr - qp->wrs };
	a.e->firmware = (struct fiber *)&a; /* it is busy with something else */
	num_updates = num_ends = num_commands = 0;
	memset(&regs, 0, sizeof(regs));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	a.e->firmware = NULL;
	alone_teardown(&a);
	return 0;
}

static void command_was(unsigned int k, enum tally_fw_status_code code, uint32_t n)
{
	assert_true(k < num_commands);
	assert_int_equal(commands[k].go, code | n << 16);
}

static void a_chunk_has_begun(void **state)
{
	(void)state;
	wr->num = 40;
	wr->begun = 2;
	wr->w.chunks = 3;
	outcome_chunk(a.e, qp, wr);
	assert_int_equal(num_updates, 1);
	assert_int_equal(updates[0].qpn, 0);
	assert_int_equal(updates[0].entry, ENTRY);
	assert_int_equal(updates[0].num, 41);
	assert_int_equal(updates[0].ranks, 3);
	assert_false(updates[0].last || updates[0].refused);
	wr->begun = 3;
	outcome_chunk(a.e, qp, wr);
	assert_true(updates[1].last);
}

static void ranks_finish(void **state)
{
	(void)state;
	s->err_vector = TALLY_ERR_FP_INEXACT;
	local_finished(a.e, s, 0x11);
	assert_int_equal(num_ends, 2);
	assert_int_equal(ends[0].entry, ENTRY);
	assert_int_equal(ends[0].ranks, 1);
	assert_int_equal(ends[0].bytes, 20);
	assert_int_equal(ends[0].err_vector, TALLY_ERR_FP_INEXACT);
	assert_false(ends[0].flag || ends[0].failed);
	assert_int_equal(wr->state, WR_ACTIVE);
	wr->status = TALLY_COLL_DMA_ERROR; /* memory has refused a result */
	local_finished(a.e, s, 2);
	assert_true(ends[2].failed);
	assert_int_equal(wr->state, WR_DONE);
	assert_true(qp->failing);
	assert_int_equal(a.cqes, 0);
	assert_int_equal(qp->head, 0);
}

/* A root that gets nothing, and a rank for which another one's entry stands, have no bytes. */
static void bytes_of_those_who_get_some(void **state)
{
	(void)state;
	wr->w.flags = TALLY_WQE_F_COMBINED;
	wr->w.num_result = 1;
	local_finished(a.e, s, RANKS);
	assert_int_equal(ends[0].bytes, 20);
	assert_int_equal(ends[1].bytes, 0);
	assert_int_equal(ends[2].bytes, 0);
	wr->state = WR_ACTIVE;
	wr->to_go = 3;
	wr->w.flags = 0;
	wr->w.num_result = 0;
	local_finished(a.e, s, 1);
	assert_int_equal(ends[3].bytes, 0);
}

static void a_flag_word_is_due(void **state)
{
	(void)state;
	wr->w.flags = TALLY_WQE_F_FLAG_WORD;
	wr->w.flag_value = 0x12345678;
	wr->w.flag = (struct engine_sge){ 0x4000, 4, 9 };
	local_finished(a.e, s, RANKS);
	assert_int_equal(wr->state, WR_ACTIVE);
	assert_int_equal(a.writes, 0); /* the host says when */
	engine_flag_due(a.e, 0, ENTRY);
	assert_int_equal(a.writes, 1);
	assert_int_equal(a.write[0].sge.addr, 0x4000);
	assert_memory_equal(a.write[0].data, "\x78\x56\x34\x12", 4);
	engine_write_done(a.e, a.write[0].tag, TALLY_COLL_DMA_ERROR);
	assert_int_equal(num_ends, 4);
	assert_true(ends[3].flag && ends[3].failed);
	assert_int_equal(ends[3].entry, ENTRY);
	assert_int_equal(wr->state, WR_DONE);
}

static void a_request_is_refused(void **state)
{
	(void)state;
	wr->status = TALLY_COLL_MID_BEHIND;
	outcome_refused(a.e, qp, wr);
	assert_true(updates[0].refused);
	assert_int_equal(updates[0].status, TALLY_COLL_MID_BEHIND);
}

static void descriptors(void **state)
{
	(void)state;
	wr->bytes = 64;
	outcome_descriptor_begins(a.e, qp, wr);
	assert_true(updates[0].last && updates[0].ranks == 1);
	outcome_descriptor_ends(a.e, qp, wr);
	assert_int_equal(ends[0].bytes, 64);
	wr->status = TALLY_COLL_MISMATCH;
	wr->err_vector = TALLY_ERR_MISMATCH;
	wr->report.contributors = 6;
	outcome_descriptor_ends(a.e, qp, wr);
	assert_int_equal(num_ends, 1);
	assert_true(updates[1].refused);
	assert_int_equal(updates[1].contributors, 6);
	assert_int_equal(updates[1].err_vector, TALLY_ERR_MISMATCH);
}

/* The host learns of the end when memory is touched no more, but by flag words. */
static void an_epoch_ends(void **state)
{
	struct wr *other = alone_wr(qp, WR_ACTIVE, TALLY_OPCODE_ALLREDUCE, 1, RANKS);

	(void)state;
	a.g->report = (struct report){ .status = TALLY_COLL_TIMEOUT,
				       .detector = 2,
				       .contributors = 1,
				       .ranks = 0x10,
				       .sid = 8 };
	wr->io = 1;
	other->io = 1;
	other->flag_written = true;
	sender_group_dead(a.e, qp);
	assert_int_equal(num_commands, 0);
	assert_true(qp->left_behind);
	assert_int_equal(qp->state, TALLY_QPS_ERROR);
	assert_int_equal(other->state, WR_ACTIVE); /* it succeeds */
	wr->io = 0;
	a.g->report.status = 0; /* the next epoch has begun */
	status_retire(a.e, qp);
	assert_int_equal(num_commands, 1);
	command_was(0, TALLY_FW_STATUS_END_EPOCH, 0);
	assert_int_equal(commands[0].status, TALLY_COLL_TIMEOUT);
	assert_int_equal(commands[0].detector, 2);
	assert_int_equal(commands[0].contributors, 1);
	assert_int_equal(commands[0].ranks, 0x10);
	assert_int_equal(commands[0].sid, 8);
	status_retire(a.e, qp);
	assert_int_equal(num_commands, 1);
}

static void a_reset_forgets_the_end(void **state)
{
	(void)state;
	a.g->report.status = TALLY_COLL_TIMEOUT;
	wr->io = 1;
	sender_group_dead(a.e, qp);
	qp_discard(a.e, 0);
	qp_set_state(a.e, qp, TALLY_QPS_RESET);
	status_retire(a.e, qp);
	assert_int_equal(num_commands, 1);
	command_was(0, TALLY_FW_STATUS_RESET_QP, 0);
}

static void states(void **state)
{
	(void)state;
	qp_set_state(a.e, qp, TALLY_QPS_ERROR);
	qp_set_state(a.e, qp, TALLY_QPS_RESET);
	qp_set_state(a.e, qp, TALLY_QPS_RTS);
	command_was(0, TALLY_FW_STATUS_FAIL_QP, 0);
	command_was(1, TALLY_FW_STATUS_RESET_QP, 0);
	command_was(2, TALLY_FW_STATUS_START_QP, 0);
	qp->left_behind = true; /* the end of its epoch is told by itself */
	qp_set_state(a.e, qp, TALLY_QPS_ERROR);
	assert_int_equal(num_commands, 3);
}

static void a_report_reaches_queue_pairs_in_error(void **state)
{
	(void)state;
	a.g->report = (struct report){ .status = TALLY_COLL_TIMEOUT, .detector = 3, .ranks = 8 };
	mirror_report(a.e, a.g);
	assert_int_equal(num_commands, 0); /* it is in RTS */
	qp_set_state(a.e, qp, TALLY_QPS_ERROR);
	a.g->report.status = TALLY_COLL_RANK_GONE;
	mirror_report(a.e, a.g);
	qp->left_behind = true; /* it has the last report */
	mirror_report(a.e, a.g);
	assert_int_equal(num_commands, 2);
	for (unsigned int k = 0; k < 2; k++) {
		command_was(k, TALLY_FW_STATUS_FAIL_QP, 0);
		assert_int_equal(commands[k].detector, 3);
		assert_int_equal(commands[k].ranks, 8);
	}
	assert_int_equal(commands[0].status, TALLY_COLL_TIMEOUT);
	assert_int_equal(commands[1].status, TALLY_COLL_RANK_GONE);
}

static void requests_retire(void **state)
{
	(void)state;
	alone_wr(qp, WR_SKIP, TALLY_OPCODE_QUERY, 1, RANKS);
	engine_retired(a.e, 0);
	assert_int_equal(qp->head, 1);
	assert_int_equal(wr->state, WR_FREE);
	engine_retired(a.e, 0);
	assert_int_equal(qp->head, 2);
	assert_int_equal(qp->wrs_used, 0);
}

static void a_queue_pair_fails(void **state)
{
	(void)state;
	engine_failed(a.e, 0, TALLY_COLL_BAD_LKEY, 2, 5);
	assert_int_equal(qp->state, TALLY_QPS_ERROR);
	command_was(0, TALLY_FW_STATUS_FAIL_QP, 0);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_BAD_LKEY);
	assert_int_equal(alone_exception(&a)->ranks, 2);
	assert_int_equal(alone_exception(&a)->mid, 5);
}

static void places_are_given_once(void **state)
{
	struct qp first = { .requests = TALLY_QP_REQUESTS },
		  second = { .requests = TALLY_REQUEST_STEP };

	(void)state;
	outcome_take_places(a.e, &first);
	outcome_take_places(a.e, &second);
	assert_int_equal(first.places[0], 0);
	assert_int_equal(first.places[7], 7);
	assert_int_equal(second.places[0], 8);
	outcome_give_places(a.e, &first);
	outcome_take_places(a.e, &second);
	assert_int_equal(second.places[0], 0);
}

static void create_tells_all(void **state)
{
	struct qp *new = &a.e->qps[5];

	(void)state;
	new->cfg = (struct engine_qp_cfg){
		.group = 0, .cqn = 3, .ranks = 1, .holder = 1, .depth = 16
	};
	new->requests = 2 * TALLY_REQUEST_STEP;
	new->state = TALLY_QPS_RTS;
	qp_create(a.e, 5);
	assert_int_equal(num_commands, 2);
	command_was(0, TALLY_FW_STATUS_CREATE_QP, 5);
	assert_int_equal(commands[0].cqn, 3);
	assert_int_equal(commands[0].log_places, 1);
	assert_int_equal(commands[0].places[0], 0 | 1 << 16);
	command_was(1, TALLY_FW_STATUS_START_QP, 5);
	qp_forget(a.e, 5);
	command_was(2, TALLY_FW_STATUS_RESET_QP, 5);
}

/* What the host says of a request counts. */
static void requests_are_judged_by_the_host(void **state)
{
	struct engine_request r = { .entry = 12, .begins = true };

	(void)state;
	r.w.opcode = TALLY_OPCODE_ALLREDUCE;
	fetch_taken_in(a.e, qp, &r);
	assert_int_equal(wr_at(qp, 1)->state, WR_READY);
	assert_int_equal(wr_at(qp, 1)->entry, 12);
	assert_false(qp->failing);
	r.begins = false;
	r.status = TALLY_COLL_BAD_COUNT;
	fetch_taken_in(a.e, qp, &r);
	assert_int_equal(wr_at(qp, 2)->state, WR_DONE);
	assert_true(qp->failing);
	qp->failing = false;
	r.status = TALLY_COLL_OK; /* it has found a failure before */
	fetch_taken_in(a.e, qp, &r);
	assert_int_equal(wr_at(qp, 3)->state, WR_READY);
	assert_true(qp->failing);
	r.verdict = TALLY_FW_VERDICT_ASK;
	r.asks = true;
	r.w.opcode = TALLY_OPCODE_ABORT;
	r.w.count = TALLY_COLL_ABORTED;
	fetch_taken_in(a.e, qp, &r);
	assert_int_equal(wr_at(qp, 4)->state, WR_SKIP);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_ABORTED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_chunk_has_begun),
		TEST(ranks_finish),
		TEST(bytes_of_those_who_get_some),
		TEST(a_flag_word_is_due),
		TEST(a_request_is_refused),
		TEST(descriptors),
		TEST(an_epoch_ends),
		TEST(a_reset_forgets_the_end),
		TEST(states),
		TEST(a_report_reaches_queue_pairs_in_error),
		TEST(requests_retire),
		TEST(a_queue_pair_fails),
		TEST(places_are_given_once),
		TEST(create_tells_all),
		TEST(requests_are_judged_by_the_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
