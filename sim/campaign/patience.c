// SPDX-License-Identifier: BSD-2-Clause
/*
 * How long things may take, by what docs/protocol.md promises.
 *
 * Losses alone must not end a group. A packet is sent again until it is acknowledged, after times
 * that double up to 1,024 rto_us; so the fault rates say how many tries a packet needs, and how
 * long a chunk takes on its way up and down, except in one chunk of 10^12. The group's retry limit
 * and time limit, and those of its requests, are chosen no smaller.
 *
 * A batch has no time limit as a whole: one counts for each chunk. Within a time limit, and the
 * sixteenth of it that collects reports, some node finishes a chunk, a request ends or a group
 * does, or it is a hang.
 */
#include <math.h>

#include "campaign/campaign.h"

#define RARE		1e-12
#define HOPS		2	/* links between two hosts: there is one switch */
#define LONGEST_WAIT	1024	/* between two tries, in rto_us */
#define FEWEST_TRIES	12
#define SHORTEST_MS	1000
#define SHORTEST_VAIN_MS	100

/* The chance that a packet and its acknowledgement get through. */
static double delivery(const struct campaign_options *opt)
{
	return pow((1 - opt->drop) * (1 - opt->corrupt), 2 * HOPS);
}

/* So many tries fail, at most, before @packets have got through one after the other. */
static unsigned int failures(double ok, unsigned int packets)
{
	double chance = pow(ok, packets), sum = chance;
	unsigned int n = 0;

	for (; sum < 1 - RARE && chance > 0; n++) {
		chance *= (1 - ok) * (n + packets) / (n + 1);
		sum += chance;
	}
	return n;
}

unsigned int campaign_tries(const struct campaign_options *opt)
{
	unsigned int n = failures(delivery(opt), 1);

	return n < FEWEST_TRIES ? FEWEST_TRIES : n;
}

void job_choose_limits(struct job *job)
{
	const struct campaign_options *opt = &job->c->opt;
	struct tree_group *g = &job->group;
	/* as many packets as a chain of all nodes takes, up and down */
	uint64_t tries = failures(delivery(opt), 2 * job->tree.num_nodes);
	uint32_t lost_ms = (uint32_t)(tries * LONGEST_WAIT * g->rto_us / 1000);

	g->retry_limit = campaign_tries(opt);
	/* A request may ask for half of it; a NIC waits for three quarters of that. */
	g->timeout_ms = lost_ms * 2 / 3 * 4;
	/* What is waited for in vain ends soon, but not before losses could have been made good. */
	job->vain_wait_ms = g->timeout_ms / 2;
	if (job->vain_wait_ms < SHORTEST_VAIN_MS)
		job->vain_wait_ms = SHORTEST_VAIN_MS;
	if (g->timeout_ms < SHORTEST_MS)
		g->timeout_ms = SHORTEST_MS;
}

/* ---- Hangs ---- */

static void hang(struct campaign *c, const struct job *job)
{
	campaign_fail(c, job, "a hang: %s, %u requests without outcome, %u answers or events "
		      "awaited",
		      (const char *[]){ "idle", "opening", "running", "ending" }[job->state],
		      job->outstanding, job->pending);
}

void campaign_nothing_left(struct campaign *c)
{
	for (unsigned int j = 0; j < CAMPAIGN_JOBS; j++)
		if (c->job[j].state != JOB_IDLE)
			hang(c, &c->job[j]);
	campaign_fail(c, NULL, "a hang: %u answers or events awaited, and nothing left to happen",
		      c->waiting);
}

static vtime_t time_limit(const struct job *job)
{
	return job->group.timeout_ms * VT_MS / 16 * 17;
}

void job_await_progress(struct job *job)
{
	job->progress_seen = UINT64_MAX;
	job->deadline = sim_now(job->c->sim) + time_limit(job);
}

void job_await_drained(struct job *job)
{
	/* Chunks begun have a time limit each; a tombstone lasts as long as one at most. */
	job->deadline = sim_now(job->c->sim) + time_limit(job) + job->group.timeout_ms * VT_MS +
			CAMPAIGN_COMMAND_TIME;
}

/* Outcomes, deaths and finished chunks of all nodes, as the devices say when asked. */
static uint64_t progress(struct campaign *c, const struct job *job)
{
	uint64_t sum = job->ends;

	for (unsigned int i = 0; i < job->tree.num_nodes; i++)
		sum += campaign_ask_done(c, &job->node[i]);
	return sum;
}

static bool moves(struct campaign *c, struct job *job)
{
	uint64_t now = progress(c, job);
	bool moved = now != job->progress_seen;

	job->progress_seen = now;
	job->deadline = sim_now(c->sim) + time_limit(job);
	return moved;
}

void campaign_look_for_hangs(struct campaign *c)
{
	for (unsigned int j = 0; j < CAMPAIGN_JOBS; j++) {
		struct job *job = &c->job[j];

		if (job->state == JOB_IDLE || sim_now(c->sim) <= job->deadline)
			continue;
		if (job->state != JOB_RUNNING || !moves(c, job))
			hang(c, job);
	}
}
