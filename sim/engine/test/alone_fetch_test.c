// SPDX-License-Identifier: BSD-2-Clause
/* The fetcher alone: which entry it fetches next, what it takes in, and what it finds ahead. */
#include "engine/common.h"
#include "engine/events.h"
#include "engine/fetch.h"
#include "engine/test/alone.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct scene {
	struct alone a;
	struct qp *qp;
};

/* A queue pair of which the user has posted `num` requests; all counts begin at `first`. */
static void scene_setup(struct scene *s, uint32_t first, uint32_t num)
{
	alone_setup(&s->a);
	s->qp = alone_qp(&s->a, 3, 1);
	s->qp->head = s->qp->admit = s->qp->scan = first;
	s->qp->posted = first + num;
}

static void scene_teardown(struct scene *s)
{
	alone_teardown(&s->a);
}

static struct tally_wqe entry(uint8_t opcode, uint32_t index)
{
	return (struct tally_wqe){
		.opcode = opcode,
		.index = htole32(index),
		.jid = htole32(ALONE_JID),
		.mid = htole32(index + 7),
		.rank_mask = htole64(1),
		.flags = htole32(TALLY_WQE_F_SIGNALED),
	};
}

/* Let the entry that is being fetched arrive; with an opcode of 0, it could not be read. */
static void arrive(struct scene *s, uint8_t opcode)
{
	uint8_t data[TALLY_MIN_WQE_SIZE] = { 0 };
	const struct tally_wqe w = entry(opcode, s->qp->fetch_index);

	assert_true(s->qp->fetching);
	memcpy(data, &w, sizeof(w));
	s->qp->fetching = false;
	fetch_arrived(s->a.e, s->qp, s->qp->fetch_index, opcode ? data : NULL, sizeof(data));
}

static void fetch_and_take(struct scene *s, uint8_t opcode)
{
	unsigned int before = s->a.fetches;

	fetch_next(s->a.e, s->qp);
	assert_int_equal(s->a.fetches, before + 1);
	arrive(s, opcode);
}

/* ---- What is fetched ---- */

static void nothing_is_posted(void **state)
{
	struct scene s;

	(void)state;
	scene_setup(&s, 5, 0);
	fetch_next(s.a.e, s.qp);
	assert_int_equal(s.a.fetches, 0);
	assert_false(s.qp->fetching);
	scene_teardown(&s);
}

static void one_entry_at_a_time(void **state)
{
	struct scene s;

	(void)state;
	scene_setup(&s, 5, 2);
	fetch_next(s.a.e, s.qp);
	fetch_next(s.a.e, s.qp);
	assert_int_equal(s.a.fetches, 1);
	assert_int_equal(s.a.fetch_qp, 3);
	assert_int_equal(s.a.fetch_index, 5);
	assert_true(s.qp->fetching);
	assert_int_equal(s.qp->fetch_index, 5);
	arrive(&s, TALLY_OPCODE_BARRIER);
	fetch_and_take(&s, TALLY_OPCODE_BARRIER);
	assert_int_equal(s.a.fetch_index, 6);
	assert_int_equal(s.qp->admit, 7);
	fetch_next(s.a.e, s.qp);
	assert_int_equal(s.a.fetches, 2);
	scene_teardown(&s);
}

static void nothing_behind_a_refused_request(void **state)
{
	struct scene s;

	(void)state;
	scene_setup(&s, 0, 2);
	s.qp->failing = true;
	fetch_next(s.a.e, s.qp);
	assert_int_equal(s.a.fetches, 0);
	scene_teardown(&s);
}

/*
 * 64 requests are taken in, those behind are only looked through, and the next is taken in once the
 * oldest has retired. Running counts wrap meanwhile.
 */
static void window_is_full_from(uint32_t first)
{
	struct scene s;
	uint32_t i;

	scene_setup(&s, first, WR_WINDOW + 3);
	for (i = 0; i < WR_WINDOW; i++) {
		fetch_and_take(&s, TALLY_OPCODE_BARRIER);
		assert_int_equal(s.a.fetch_index, first + i);
		assert_int_equal(wr_at(s.qp, first + i)->w.mid, first + i + 7);
		assert_int_equal(wr_at(s.qp, first + i)->state, WR_READY);
	}
	assert_int_equal(s.qp->wrs_used, ~0ULL);
	for (i = 0; i < 3; i++) {
		fetch_and_take(&s, TALLY_OPCODE_BARRIER);
		assert_int_equal(s.a.fetch_index, first + WR_WINDOW + i);
	}
	assert_int_equal(s.qp->admit, first + WR_WINDOW);
	assert_int_equal(s.qp->scan, s.qp->posted);
	fetch_next(s.a.e, s.qp);
	assert_int_equal(s.a.fetches, WR_WINDOW + 3);

	wr_return(s.qp, wr_at(s.qp, s.qp->head++));
	fetch_and_take(&s, TALLY_OPCODE_BARRIER);
	assert_int_equal(s.a.fetch_index, first + WR_WINDOW);
	assert_int_equal(s.qp->admit, first + WR_WINDOW + 1);
	assert_int_equal(s.qp->wrs_used, ~0ULL);
	fetch_next(s.a.e, s.qp); /* what was looked through is not looked through again */
	assert_int_equal(s.a.fetches, WR_WINDOW + 4);
	scene_teardown(&s);
}

static void window_is_full(void **state)
{
	(void)state;
	window_is_full_from(0);
	window_is_full_from(UINT32_MAX - 40); /* the counts wrap among those that are taken in */
	window_is_full_from(UINT32_MAX - WR_WINDOW); /* and among those that are looked through */
}

/* After everything was looked through, further requests are looked through from the first new one. */
static void scan_goes_on_where_it_was(void **state)
{
	struct scene s;
	uint32_t i;

	(void)state;
	scene_setup(&s, 0, WR_WINDOW + 1);
	for (i = 0; i <= WR_WINDOW; i++)
		fetch_and_take(&s, TALLY_OPCODE_BARRIER);
	s.qp->posted++;
	fetch_and_take(&s, TALLY_OPCODE_BARRIER);
	assert_int_equal(s.a.fetch_index, WR_WINDOW + 1);
	assert_int_equal(s.qp->scan, WR_WINDOW + 2);
	scene_teardown(&s);
}

/* An answer to an entry that is neither the next nor the one looked at changes nothing. */
static void answer_for_another_entry(void **state)
{
	uint8_t data[TALLY_MIN_WQE_SIZE] = { 0 };
	struct scene s;

	(void)state;
	scene_setup(&s, 5, 3);
	fetch_arrived(s.a.e, s.qp, 6, data, sizeof(data));
	fetch_arrived(s.a.e, s.qp, 4, data, sizeof(data));
	assert_int_equal(s.qp->admit, 5);
	assert_int_equal(s.qp->scan, 5);
	assert_int_equal(s.qp->wrs_used, 0);
	assert_int_equal(s.a.counters[TALLY_CTR_wqes], 0);
	scene_teardown(&s);
}

/* ---- What is taken in ---- */

static void request_is_parsed(void **state)
{
	struct scene s;
	struct wr *wr;

	(void)state;
	scene_setup(&s, 9, 1);
	s.a.e->generation = 41;
	fetch_and_take(&s, TALLY_OPCODE_BARRIER);
	wr = wr_at(s.qp, 9);
	assert_int_equal(wr->state, WR_READY);
	assert_int_equal(wr->w.opcode, TALLY_OPCODE_BARRIER);
	assert_int_equal(wr->w.index, 9);
	assert_int_equal(wr->generation, 42);
	assert_int_equal(s.a.e->generation, 42);
	assert_int_equal(s.a.counters[TALLY_CTR_wqes], 1);
	assert_int_equal(s.a.counters[TALLY_CTR_wqe_refused], 0);
	assert_false(s.qp->failing || s.qp->asked || s.qp->abort_pending);
	scene_teardown(&s);
}

/* A place that an earlier request used begins empty. */
static void place_is_cleared(void **state)
{
	struct scene s;
	struct wr *wr;

	(void)state;
	scene_setup(&s, 0, 1);
	wr = &s.qp->wrs[0];
	memset(wr, 0xff, offsetof(struct wr, w));
	fetch_and_take(&s, TALLY_OPCODE_BARRIER);
	assert_ptr_equal(wr_at(s.qp, 0), wr);
	assert_int_equal(wr->since | wr->num | wr->begun | wr->io | wr->to_go, 0);
	assert_int_equal(wr->status | wr->err_vector | wr->bytes | wr->report.status, 0);
	assert_int_equal(wr->buf | wr->send_todo | wr->send_waiting, 0);
	assert_false(wr->flag_written || wr->data_ready || wr->fired || wr->write_todo ||
		     wr->starved || wr->parent_todo || wr->parent_waiting || wr->self_todo);
	scene_teardown(&s);
}

static void check_refused(uint8_t opcode, uint16_t status)
{
	struct scene s;
	struct wr *wr;

	scene_setup(&s, 9, 2);
	fetch_and_take(&s, opcode);
	wr = wr_at(s.qp, 9);
	assert_int_equal(wr->state, WR_DONE);
	assert_int_equal(wr->status, status);
	assert_int_equal(wr->w.index, 9);
	assert_true(s.qp->failing);
	assert_int_equal(s.qp->admit, 10);
	assert_int_equal(s.a.counters[TALLY_CTR_wqes], 1);
	assert_int_equal(s.a.counters[TALLY_CTR_wqe_refused], 1);
	assert_int_equal(alone_exception(&s.a)->status, TALLY_COLL_OK);
	fetch_next(s.a.e, s.qp);
	assert_int_equal(s.a.fetches, 1);
	scene_teardown(&s);
}

static void request_is_refused(void **state)
{
	(void)state;
	check_refused(0, TALLY_COLL_WQE_FETCH);
	check_refused(99, TALLY_COLL_BAD_OPCODE);
}

/* ---- QUERY and ABORT ---- */

static void check_question(const struct request *q, uint8_t opcode, uint32_t index)
{
	assert_int_equal(q->opcode, opcode);
	assert_int_equal(q->index, index);
	assert_int_equal(q->mid, index + 7);
	assert_int_equal(q->flags, TALLY_WQE_F_SIGNALED);
}

static void query_in_its_turn(void **state)
{
	struct scene s;

	(void)state;
	scene_setup(&s, 9, 1);
	fetch_and_take(&s, TALLY_OPCODE_QUERY);
	assert_int_equal(wr_at(s.qp, 9)->state, WR_SKIP);
	assert_true(s.qp->asked);
	assert_false(s.qp->abort_pending || s.qp->failing);
	check_question(&s.qp->question, TALLY_OPCODE_QUERY, 9);
	s.qp->posted++;
	fetch_next(s.a.e, s.qp); /* the next one waits for the answer */
	assert_false(s.qp->fetching);
	events_next(s.a.e);
	assert_int_equal(s.a.e->event.type, TALLY_FW_EV_QUERY);
	assert_int_equal(s.a.e->event.group, 0);
	assert_int_equal(s.a.e->event.qp, 3);
	assert_int_equal(s.a.e->event.mid, 9 + 7);
	assert_false(events_wait(s.a.e));
	s.qp->asked = false;
	fetch_next(s.a.e, s.qp);
	assert_true(s.qp->fetching);
	scene_teardown(&s);
}

static void check_aborted(struct scene *s, uint32_t index)
{
	const struct fw_event *ev = alone_exception(&s->a);

	assert_true(s->qp->abort_pending);
	assert_false(s->qp->asked || s->qp->failing);
	check_question(&s->qp->abort, TALLY_OPCODE_ABORT, index);
	assert_int_equal(ev->type, TALLY_FW_EV_EXCEPTION);
	assert_int_equal(ev->status, TALLY_COLL_ABORTED);
	assert_int_equal(ev->ranks, 1);
	assert_int_equal(ev->contributors, 0);
	assert_int_equal(ev->mid, index + 7);
	assert_int_equal(ev->sid, 0);
	assert_false(group_alive(s->a.g));
}

static void abort_in_its_turn(void **state)
{
	struct scene s;

	(void)state;
	scene_setup(&s, 9, 1);
	fetch_and_take(&s, TALLY_OPCODE_ABORT);
	assert_int_equal(wr_at(s.qp, 9)->state, WR_SKIP);
	check_aborted(&s, 9);
	scene_teardown(&s);
}

/* Fill the window from `first` on, and post two more requests. */
static void full_scene(struct scene *s, uint32_t first)
{
	uint32_t i;

	scene_setup(s, first, WR_WINDOW + 2);
	for (i = 0; i < WR_WINDOW; i++)
		fetch_and_take(s, TALLY_OPCODE_BARRIER);
}

/* A QUERY is answered ahead of its turn. In its turn, it is neither fetched nor answered again. */
static void query_ahead_from(uint32_t first)
{
	const uint32_t ahead = first + WR_WINDOW;
	struct scene s;

	full_scene(&s, first);
	fetch_and_take(&s, TALLY_OPCODE_QUERY);
	assert_true(s.qp->asked);
	check_question(&s.qp->question, TALLY_OPCODE_QUERY, ahead);
	assert_int_equal(s.qp->admit, ahead);
	assert_int_equal(s.a.counters[TALLY_CTR_wqes], WR_WINDOW);
	s.qp->asked = false;
	fetch_and_take(&s, TALLY_OPCODE_BARRIER);
	assert_false(s.qp->asked);

	fetch_next(s.a.e, s.qp); /* the window is full */
	assert_int_equal(s.qp->admit, ahead);
	wr_return(s.qp, wr_at(s.qp, s.qp->head++));
	fetch_next(s.a.e, s.qp);
	assert_int_equal(wr_at(s.qp, ahead)->state, WR_SKIP);
	assert_int_equal(s.qp->admit, ahead + 1);
	assert_false(s.qp->fetching); /* the one behind has no place yet, and was looked at */
	wr_return(s.qp, wr_at(s.qp, s.qp->head++));
	fetch_and_take(&s, TALLY_OPCODE_BARRIER);
	assert_int_equal(s.a.fetch_index, ahead + 1);
	assert_int_equal(wr_at(s.qp, ahead + 1)->state, WR_READY);
	assert_false(s.qp->asked);
	assert_false(fetch_take_answered(s.qp, ahead));
	scene_teardown(&s);
}

static void query_ahead_of_its_turn(void **state)
{
	uint32_t first;

	(void)state;
	query_ahead_from(0);
	query_ahead_from(UINT32_MAX - WR_WINDOW);
	query_ahead_from(UINT32_MAX - WR_WINDOW + 1);
	/* around the ends of a word of the bitmap, and of the bitmap */
	for (first = TALLY_MAX_SQ_DEPTH - 66; first < TALLY_MAX_SQ_DEPTH + 1; first++)
		query_ahead_from(first);
}

/* Once a QUERY was answered and the requests behind it are posted, it is skipped among them. */
static void answered_one_is_skipped_at_once(void **state)
{
	struct scene s;

	(void)state;
	scene_setup(&s, 5, 3);
	s.qp->answered[0] = 3 << 5; /* 5 and 6 */
	fetch_next(s.a.e, s.qp);
	assert_int_equal(s.qp->admit, 7);
	assert_int_equal(s.a.fetch_index, 7);
	assert_int_equal(s.qp->scan, 7);
	assert_int_equal(s.qp->answered[0], 0);
	assert_int_equal(wr_at(s.qp, 5)->state, WR_SKIP);
	assert_int_equal(wr_at(s.qp, 6)->state, WR_SKIP);
	scene_teardown(&s);
}

/* Those that were answered need a place of the window, too, and are posted. */
static void skipped_ones_need_a_place(void **state)
{
	struct scene s;

	(void)state;
	full_scene(&s, 0);
	s.qp->answered[1] = 1;
	fetch_next(s.a.e, s.qp);
	assert_int_equal(s.qp->admit, WR_WINDOW);
	assert_int_equal(s.qp->answered[1], 1);
	scene_teardown(&s);

	scene_setup(&s, 5, 1);
	s.qp->answered[0] = 7 << 5;
	fetch_next(s.a.e, s.qp);
	assert_int_equal(s.qp->admit, 6);
	assert_int_equal(s.qp->answered[0], 6 << 5);
	scene_teardown(&s);
}

/* Nothing is looked for behind an ABORT: the epoch ends. */
static void abort_ahead_of_its_turn(void **state)
{
	struct scene s;

	(void)state;
	full_scene(&s, 0);
	fetch_and_take(&s, TALLY_OPCODE_ABORT);
	check_aborted(&s, WR_WINDOW);
	assert_int_equal(s.qp->answered[1], 1);
	fetch_next(s.a.e, s.qp);
	assert_false(s.qp->fetching);
	scene_teardown(&s);
}

/* What is refused, or cannot be read, ahead of its turn fails in its turn. */
static void refusal_waits_for_its_turn(void **state)
{
	struct scene s;

	(void)state;
	full_scene(&s, 0);
	fetch_and_take(&s, 0);
	fetch_and_take(&s, 99);
	assert_int_equal(s.qp->scan, WR_WINDOW + 2);
	assert_false(s.qp->failing || s.qp->asked);
	assert_int_equal(s.qp->answered[1], 0);
	assert_int_equal(s.a.counters[TALLY_CTR_wqe_refused], 0);
	scene_teardown(&s);
}

/* A QUERY with a field at fault is not answered. */
static void wrong_query_ahead(void **state)
{
	struct tally_wqe w = entry(TALLY_OPCODE_QUERY, WR_WINDOW);
	uint8_t data[TALLY_MIN_WQE_SIZE] = { 0 };
	struct scene s;

	(void)state;
	full_scene(&s, 0);
	fetch_next(s.a.e, s.qp);
	w.jid = htole32(ALONE_JID + 1);
	memcpy(data, &w, sizeof(w));
	fetch_arrived(s.a.e, s.qp, WR_WINDOW, data, sizeof(data));
	assert_int_equal(s.qp->scan, WR_WINDOW + 1);
	assert_false(s.qp->asked);
	assert_int_equal(s.qp->answered[1], 0);
	scene_teardown(&s);
}

static void answered_is_taken_once(void **state)
{
	struct scene s;
	uint32_t i;

	(void)state;
	scene_setup(&s, 0, 0);
	for (i = 0; i < TALLY_MAX_SQ_DEPTH; i++) {
		s.qp->answered[i / 64] |= 1ULL << i % 64;
		assert_false(fetch_take_answered(s.qp, i + 1));
		assert_false(fetch_take_answered(s.qp, i - 1));
		assert_true(fetch_take_answered(s.qp, i + 3 * TALLY_MAX_SQ_DEPTH));
		assert_false(fetch_take_answered(s.qp, i));
	}
	scene_teardown(&s);
}

/* ---- To flush ---- */

static void head_is_fetched_to_be_flushed(void **state)
{
	struct scene s;

	(void)state;
	scene_setup(&s, 5, 3);
	s.qp->failing = true;
	s.qp->scan = 7;
	fetch_to_flush(s.a.e, s.qp);
	assert_int_equal(s.a.fetches, 1);
	assert_int_equal(s.a.fetch_index, 5);
	assert_int_equal(s.qp->fetch_index, 5);
	assert_true(s.qp->fetching);
	fetch_to_flush(s.a.e, s.qp);
	assert_int_equal(s.a.fetches, 1);
	scene_teardown(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_posted),
		cmocka_unit_test(one_entry_at_a_time),
		cmocka_unit_test(nothing_behind_a_refused_request),
		cmocka_unit_test(window_is_full),
		cmocka_unit_test(scan_goes_on_where_it_was),
		cmocka_unit_test(answer_for_another_entry),
		cmocka_unit_test(request_is_parsed),
		cmocka_unit_test(place_is_cleared),
		cmocka_unit_test(request_is_refused),
		cmocka_unit_test(query_in_its_turn),
		cmocka_unit_test(abort_in_its_turn),
		cmocka_unit_test(query_ahead_of_its_turn),
		cmocka_unit_test(answered_one_is_skipped_at_once),
		cmocka_unit_test(skipped_ones_need_a_place),
		cmocka_unit_test(abort_ahead_of_its_turn),
		cmocka_unit_test(refusal_waits_for_its_turn),
		cmocka_unit_test(wrong_query_ahead),
		cmocka_unit_test(answered_is_taken_once),
		cmocka_unit_test(head_is_fetched_to_be_flushed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
