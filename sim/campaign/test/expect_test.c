// SPDX-License-Identifier: BSD-2-Clause
/* The expectations of the campaign: no more than the protocol promises, and no less. */
#include "campaign/campaign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* Makes a job whose nodes form a chain. */
static struct job *new_job(unsigned int nodes)
{
	struct campaign *c = calloc(1, sizeof(*c));
	struct job *job;

	assert_non_null(c);
	job = &c->job[0];
	c->opt.jobs = 1;
	job->c = c;
	job->mode = JOB_TREE;
	job->group.rto_us = 40;
	job->tree.num_nodes = nodes;
	for (unsigned int i = 0; i < nodes; i++) {
		job->node[i].index = i;
		job->tree.node[i].parent = (int)i - 1;
	}
	return job;
}

static void join_ring(struct job *job)
{
	unsigned int nodes = job->tree.num_nodes;

	job->mode = JOB_RING;
	job->planned = true;
	for (unsigned int i = 0; i < nodes; i++) {
		job->at[i].num_edges = 2;
		job->at[i].edge[0].node = (i + 1) % nodes;
		job->at[i].edge[1].node = (i + nodes - 1) % nodes;
	}
}

static void failure(struct job *job, struct poster *culprit, enum failure_kind how)
{
	job->failure = how;
	job->injected = true;
	job->culprit = culprit;
	job_await_deaths(job);
}

static void dies(struct job_node *n, struct job *job)
{
	n->group_dead = true;
	n->awaits_death = false;
	job->pending--;
}

static void loses_power(struct job *job, unsigned int node)
{
	job->node[node].lost = job->node[node].group_dead = true;
	job_await_fewer_deaths(job);
}

/* Returns a bit for each node whose group must end. */
static unsigned int awaited(const struct job *job)
{
	unsigned int nodes = 0;

	for (unsigned int i = 0; i < job->tree.num_nodes; i++)
		nodes |= (unsigned int)job->node[i].awaits_death << i;
	assert_int_equal(job->pending, __builtin_popcount(nodes));
	return nodes;
}

/* The second of five nodes aborts; the third loses power before the KILL has passed it. */
static void no_news_behind_a_lost_node(void **state)
{
	struct job *job = new_job(5);
	struct poster culprit = { .node = 1 };

	(void)state;
	failure(job, &culprit, FAILURE_ABORT);
	assert_int_equal(awaited(job), 0x1f);
	loses_power(job, 2);
	assert_int_equal(awaited(job), 0x3);
	free(job->c);
}

static void news_on_both_sides(void **state)
{
	struct job *job = new_job(5);
	struct poster culprit = { .node = 0 };

	(void)state;
	failure(job, &culprit, FAILURE_MISMATCH);
	dies(&job->node[1], job);
	dies(&job->node[3], job);
	loses_power(job, 2);
	assert_int_equal(awaited(job), 0x11);
	free(job->c);
}

/* A ring has a second way round, but only one. */
static void news_around_a_ring(void **state)
{
	struct job *job = new_job(4);
	struct poster culprit = { .node = 0 };

	(void)state;
	join_ring(job);
	failure(job, &culprit, FAILURE_ABORT);
	loses_power(job, 1);
	assert_int_equal(awaited(job), 0xd);
	loses_power(job, 3);
	assert_int_equal(awaited(job), 0x1);
	free(job->c);
}

/*
 * The first and the last of three nodes post; the last one falls silent, and the middle one loses
 * power. The campaign still waits for the requests of the first node, but not for the silent
 * process.
 */
static void silence_behind_a_lost_node(void **state)
{
	struct job *job = new_job(3);
	struct poster *silent = &job->poster[1];

	(void)state;
	job->state = JOB_RUNNING;
	job->num_msgs = 2;
	job->num_posters = 2;
	job->poster[0] = (struct poster){ .job = job, .next = 2 };
	*silent = (struct poster){ .job = job, .node = 2, .next = 1 };
	job->outstanding = 1;
	poster_silence(silent);
	assert_false(job_quiet(job));
	job->outstanding = 0;
	assert_false(job_quiet(job));
	job->outstanding = 1;
	loses_power(job, 1);
	assert_int_equal(awaited(job), 0);
	assert_false(job_quiet(job));
	job->outstanding = 0;
	assert_true(job_quiet(job));
	job->state = JOB_ENDING; /* a late end of its group must not make it post */
	job->node[2].job = job;
	job_end_silence(&job->node[2]);
	assert_true(silent->silent);
	free(job->c);
}

/* The process that posted the ABORT has ended; unless a group has ended, none needs to. */
static void no_news_of_a_dead_culprit(void **state)
{
	struct job *job = new_job(3);
	struct poster culprit = { .node = 1 };

	(void)state;
	failure(job, &culprit, FAILURE_ABORT);
	job_await_fewer_deaths(job); /* the end of another process does not matter */
	assert_int_equal(awaited(job), 0x7);
	culprit.dead = true;
	job_await_fewer_deaths(job);
	assert_int_equal(awaited(job), 0);
	failure(job, &culprit, FAILURE_ABORT);
	dies(&job->node[0], job);
	job_await_fewer_deaths(job);
	assert_int_equal(awaited(job), 0x6);
	free(job->c);
}

/* One entry for each rank, or two for descriptors, and two for a QUERY and an ABORT. */
static void room_for_all_that_may_come(void **state)
{
	struct job *job = new_job(1);
	struct poster p = { .job = job, .ranks = 0x10, .num_qps = 1,
			    .qp = { { .depth = 16, .posted = 29, .retired = 16 } } };

	(void)state;
	assert_true(poster_has_room(&p));
	job->msg[0].triggered = true;
	assert_false(poster_has_room(&p));
	p.qp[0].retired++;
	assert_true(poster_has_room(&p));
	job->msg[0].triggered = false;
	p.ranks = 0x7;
	assert_false(poster_has_room(&p));
	p.ranks = 0x3;
	p.num_qps = 2;
	p.qp[1] = (struct host_qp){ .depth = 8, .posted = 5 };
	assert_false(poster_has_room(&p));
	p.qp[1].retired++;
	assert_true(poster_has_room(&p));
	free(job->c);
}

/* A rank has at most 1 MiB of data and result; the results of all ranks must fit in memory too. */
static void results_that_can_be_held(void **state)
{
	struct job *job = new_job(8);
	struct tally_ident ident = { .caps = UINT64_MAX };
	struct host h = { .ident = &ident };
	struct message m = { .opcode = TALLY_OPCODE_REDUCE_SCATTER, .op = TALLY_OP_MINLOC,
			     .type = TALLY_TYPE_INT8, .total_ranks = 8, .loc_values = true };

	(void)state;
	job->mode = JOB_RING;
	job->planned = true;
	job->weight = JOB_LONG;
	job->group.mtu = TALLY_MAX_MTU;
	job->node[0].host = &h;
	m.count = JOB_LONG_BYTES / 8;
	assert_int_equal(message_give_bytes(&m), JOB_LONG_BYTES);
	assert_true(message_get_bytes(&m) <= JOB_LONG_BYTES);
	assert_true(message_expect_bytes(&m) > CAMPAIGN_EXPECT_BYTES);
	assert_false(job_fits(job, &m));
	m.count = m.count * CAMPAIGN_EXPECT_BYTES / message_expect_bytes(&m);
	assert_true(job_fits(job, &m));
	free(job->c);
}

/* Losses alone exhaust neither the tries of a packet nor the time limit of a chunk. */
static void limits_follow_the_losses(void **state)
{
	struct job *job = new_job(2);
	struct campaign_options *opt = &job->c->opt;
	uint32_t quiet_ms, two_nodes_ms;

	(void)state;
	job_choose_limits(job);
	quiet_ms = job->group.timeout_ms;
	assert_in_range(job->group.retry_limit, 12, 20);
	opt->drop = 0.3;
	opt->corrupt = 0.05;
	job_choose_limits(job);
	two_nodes_ms = job->group.timeout_ms;
	/* 0.7^4 * 0.95^4 of tries succeed: 127 fail in a row once in 10^12; each may take 41 ms */
	assert_in_range(job->group.retry_limit, 125, 129);
	assert_true(two_nodes_ms > quiet_ms && two_nodes_ms / 2 * 3 / 4 > 127 * 41);
	job->tree.num_nodes = 8;
	job_choose_limits(job);
	assert_true(job->group.timeout_ms > two_nodes_ms);
	assert_in_range(job->group.retry_limit, 125, 129);
	free(job->c);
}

/* A group without a limit may still not hang. */
static void hangs_without_a_limit(void **state)
{
	struct job *job = new_job(2);

	(void)state;
	job->c->opt.unlimited = 1;
	job->c->sim = sim_new(1);
	job_choose_limits(job);
	assert_int_equal(job->group.timeout_ms, 0);
	assert_true(job->limit_ms > 0 && job->silent_timeout_ms > 0);
	job_await_progress(job);
	assert_true(job->deadline > TALLY_HANDSHAKE_MS * VT_MS);
	assert_true(job->deadline < 2 * TALLY_HANDSHAKE_MS * VT_MS);
	sim_free(job->c->sim);
	free(job->c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_news_behind_a_lost_node),
		cmocka_unit_test(news_on_both_sides),
		cmocka_unit_test(news_around_a_ring),
		cmocka_unit_test(silence_behind_a_lost_node),
		cmocka_unit_test(no_news_of_a_dead_culprit),
		cmocka_unit_test(room_for_all_that_may_come),
		cmocka_unit_test(results_that_can_be_held),
		cmocka_unit_test(limits_follow_the_losses),
		cmocka_unit_test(hangs_without_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
