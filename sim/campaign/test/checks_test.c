// SPDX-License-Identifier: BSD-2-Clause
/* The checks of the campaign find what they are to find: each of these tests plants one error. */
#include "campaign/campaign.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MEMORY	(1 << 16)
#define AT	4096		/* of the first result */
#define STEP	4096
#define FLAG	0x51

/* An allreduce of two ranks of one node, which has succeeded. */
struct scene {
	struct campaign *c;
	struct job *job;
	struct host host;
	struct request r;
	struct part part[2];
};

static void write_results(struct scene *s)
{
	const struct message *m = &s->job->msg[0].m;
	const struct job_node *n = &s->job->node[0];
	uint8_t guard[JOB_GUARD];

	memset(guard, 0xa5, sizeof(guard));
	assert_true(message_expect(m, &s->c->oracle, s->c->expect));
	for (unsigned int i = 0; i < 2; i++) {
		uint64_t at = s->part[i].result;

		host_mr_write(&n->out, at - JOB_GUARD, guard, JOB_GUARD);
		host_mr_write(&n->out, at, s->c->expect, message_get_bytes(m));
		host_mr_write(&n->out, at + message_get_bytes(m), guard, JOB_GUARD);
	}
}

static struct scene *scene_new(enum tally_type type, bool rounded)
{
	struct scene *s = calloc(1, sizeof(*s));
	struct job_node *n;

	assert_non_null(s);
	s->c = calloc(1, sizeof(*s->c));
	assert_non_null(s->c);
	s->c->expect = calloc(1, MEMORY);
	s->c->got = calloc(1, MEMORY);
	s->job = &s->c->job[0];
	s->job->c = s->c;
	s->job->mode = JOB_TREE;
	s->job->tree.num_nodes = 1;
	s->job->num_msgs = 1;
	s->job->msg[0].m = (struct message){
		.opcode = TALLY_OPCODE_ALLREDUCE, .op = TALLY_OP_SUM, .type = type, .count = 4,
		.total_ranks = 2, .rounded = rounded, .seed = 5,
	};
	s->job->msg[0].requests = &s->r;
	n = &s->job->node[0];
	n->job = s->job;
	assert_int_equal(arena_init(&s->host.mem, MEMORY), 0);
	n->out = (struct host_mr){ .host = &s->host, .length = MEMORY / 2, .num_pages = 1 };
	n->out.page = calloc(1, sizeof(uint64_t));
	n->out.page[0] = arena_alloc(&s->host.mem, MEMORY / 2);
	s->job->poster[0] = (struct poster){ .job = s->job, .ranks = 3 };
	s->part[0] = (struct part){ .rank = 0, .result = AT };
	s->part[1] = (struct part){ .rank = 1, .result = AT + STEP };
	s->r = (struct request){ .poster = &s->job->poster[0], .done = true, .ok = true,
				 .num_parts = 2, .part = s->part };
	write_results(s);
	return s;
}

/* Returns whether the check finds an error. */
static bool finds(struct scene *s)
{
	job_check(s->job);
	return s->c->failed;
}

static void scene_free(struct scene *s)
{
	oracle_free(&s->c->oracle);
	arena_free(&s->host.mem);
	free(s->job->node[0].out.page);
	free(s->c->expect);
	free(s->c->got);
	free(s->c);
	free(s);
}

static void flip(struct scene *s, uint64_t at)
{
	const struct host_mr *mr = &s->job->node[0].out;
	uint8_t byte;

	host_mr_read(mr, at, &byte, 1);
	byte ^= 1;
	host_mr_write(mr, at, &byte, 1);
}

static void results_and_what_is_around(void **state)
{
	const struct { int offset; bool found; } cases[] = {
		{ 0, true }, { 15, true }, { -1, true }, { 16, true },
		{ -JOB_GUARD, true }, { 15 + JOB_GUARD, true },
		{ -JOB_GUARD - 1, false }, { 16 + JOB_GUARD, false },
	};
	struct scene *s;

	(void)state;
	s = scene_new(TALLY_TYPE_UINT32, false);
	assert_false(finds(s));
	scene_free(s);
	for (unsigned int k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		s = scene_new(TALLY_TYPE_UINT32, false);
		flip(s, AT + STEP + cases[k].offset);
		if (finds(s) != cases[k].found)
			fail_msg("offset %d: %sfound", cases[k].offset, cases[k].found ? "not " : "");
		scene_free(s);
	}
}

/* A rounded sum may differ from the exact one in the last bit, but not from rank to rank. */
static void rounded_results_are_the_same(void **state)
{
	struct scene *s = scene_new(TALLY_TYPE_FP32, true);

	(void)state;
	flip(s, AT);
	flip(s, AT + STEP);
	assert_false(finds(s));
	scene_free(s);
	s = scene_new(TALLY_TYPE_FP32, true);
	flip(s, AT + STEP);
	assert_true(finds(s));
	scene_free(s);
}

/* The flag word has its value after a success, and 0 after a failure. */
static void flag_words(void **state)
{
	(void)state;
	for (unsigned int k = 0; k < 4; k++) {
		struct scene *s = scene_new(TALLY_TYPE_UINT32, false);
		uint32_t word = htole32(k & 1 ? FLAG : 0);

		s->r.flag_addr = 64;
		s->r.flag_value = FLAG;
		s->r.ok = k & 2;
		s->r.num_parts = 0;
		host_mr_write(&s->job->node[0].out, 64, &word, sizeof(word));
		assert_int_equal(finds(s), s->r.ok != (word != 0));
		scene_free(s);
	}
}

/* TIMEOUT is permitted only if a NIC or a process that a descriptor waits for is gone. */
static void statuses_that_are_permitted(void **state)
{
	struct scene *s = scene_new(TALLY_TYPE_UINT32, false);

	(void)state;
	assert_false(job_permits(s->job, TALLY_COLL_TIMEOUT));
	s->job->hurt = true;
	assert_false(job_permits(s->job, TALLY_COLL_TIMEOUT));
	assert_true(job_permits(s->job, TALLY_COLL_RANK_GONE));
	s->job->msg[0].triggered = true;
	assert_true(job_permits(s->job, TALLY_COLL_TIMEOUT));
	s->job->msg[0].triggered = s->job->hurt = false;
	s->job->node[0].lost = true;
	assert_true(job_permits(s->job, TALLY_COLL_TIMEOUT));
	scene_free(s);
}

/* The completion of an error names the culprit: its node and one of its ranks. */
static void culprit_is_named(void **state)
{
	struct scene *s = scene_new(TALLY_TYPE_UINT32, false);
	struct tally_cqe cqe = { .coll_status = htole16(TALLY_COLL_TIMEOUT), .ranks = htole64(2) };

	(void)state;
	s->job->poster[1] = (struct poster){ .job = s->job, .node = 3, .ranks = 2 };
	s->job->culprit = &s->job->poster[1];
	s->job->failure = FAILURE_SILENT;
	s->job->cause = TALLY_COLL_TIMEOUT;
	assert_false(request_fits_error(&s->r, &cqe, TALLY_COLL_TIMEOUT));
	cqe.detector = htole16(3);
	assert_true(request_fits_error(&s->r, &cqe, TALLY_COLL_TIMEOUT));
	assert_false(request_fits_error(&s->r, &cqe, TALLY_COLL_RANK_GONE));
	cqe.ranks = htole64(1);
	assert_false(request_fits_error(&s->r, &cqe, TALLY_COLL_TIMEOUT));
	scene_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_and_what_is_around),
		cmocka_unit_test(rounded_results_are_the_same),
		cmocka_unit_test(flag_words),
		cmocka_unit_test(statuses_that_are_permitted),
		cmocka_unit_test(culprit_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
