// SPDX-License-Identifier: BSD-2-Clause
/*
 * Time limits of the campaign, derived from docs/protocol.md.
 *
 * Losses alone must not end a group. A packet is retransmitted until it is acknowledged, after
 * timeouts that double up to 1,024 rto_us. From the fault rates follow the tries that a packet
 * needs, and the time of a chunk on its way up and down; all but one chunk of 10^12 need no more.
 * The retry limit and time limit of the group, and the time limits of its requests, are at least
 * these.
 *
 * Groups may have no time limit for messages. Then only the requests that may wait in vain have one:
 * those behind a failure, and descriptors that may miss messages or cells.
 *
 * A batch as a whole has no time limit; each chunk has one. Within a time limit, plus the sixteenth
 * of it that collects reports, some node must finish a chunk, or a request or a group must end;
 * otherwise it is a hang.
 */
#include <math.h>

#include "campaign/campaign.h"

#define RARE		1e-12
#define HOPS		2	/* links between two hosts: there is one switch */
#define LONGEST_WAIT	1024	/* most time between two tries, in rto_us */
#define FEWEST_TRIES	12
#define SHORTEST_MS	1000
#define SHORTEST_SILENT_MS	100

/* Returns the probability that a packet and its acknowledgement get through. */
static double delivery(const struct campaign_options *opt)
{
	return pow((1 - opt->drop) * (1 - opt->corrupt), 2 * HOPS);
}

/* Returns the most failed tries before @packets packets, one after the other, have got through. */
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
	/* the packets of a chain of all nodes, up and down */
	uint64_t tries = failures(delivery(opt), 2 * job->tree.num_nodes);
	uint32_t lost_ms = (uint32_t)(tries * LONGEST_WAIT * g->rto_us / 1000);

	g->retry_limit = campaign_tries(opt);
	/* A request may ask for half of this; a NIC waits for three quarters of that. */
	g->timeout_ms = lost_ms * 2 / 3 * 4;
	/* The wait for a silent rank is short, but longer than the recovery from losses. */
	job->silent_timeout_ms = g->timeout_ms / 2;
	if (job->silent_timeout_ms < SHORTEST_SILENT_MS)
		job->silent_timeout_ms = SHORTEST_SILENT_MS;
	if (g->timeout_ms < SHORTEST_MS)
		g->timeout_ms = SHORTEST_MS;
	job->limit_ms = g->timeout_ms;
	if (rng_chance(&job->c->rng, opt->unlimited))
		g->timeout_ms = 0;
}

/* ---- Hangs ---- */

static void hang(struct campaign *c, const struct job *job)
{
	campaign_fail(c, job, "a hang: job %s, %u requests without outcome, %u answers or events "
		      "awaited",
		      (const char *[]){ "idle", "opening", "running", "ending" }[job->state],
		      job->outstanding, job->pending);
}

void campaign_nothing_left(struct campaign *c)
{
	for (unsigned int j = 0; j < c->opt.jobs; j++)
		if (c->job[j].state != JOB_IDLE)
			hang(c, &c->job[j]);
	campaign_fail(c, NULL, "a hang: %u answers or events are awaited, and none is scheduled",
		      c->waiting);
}

/* Without a limit, a message that waits in vain still ends, but perhaps not within the other limit. */
static vtime_t time_limit(const struct job *job)
{
	uint32_t more = job->group.timeout_ms ? 0 : TALLY_HANDSHAKE_MS;

	return job->limit_ms * VT_MS / 16 * 17 + more * VT_MS;
}

void job_await_progress(struct job *job)
{
	job->progress_seen = UINT64_MAX;
	job->deadline = sim_now(job->c->sim) + time_limit(job);
}

void job_await_drained(struct job *job)
{
	/* Started chunks have one time limit each; a tombstone lasts for at most one. */
	job->deadline = sim_now(job->c->sim) + time_limit(job) + job->limit_ms * VT_MS +
			CAMPAIGN_COMMAND_TIME;
}

/* Counts outcomes, deaths, and the chunks finished at all nodes, for which it asks the devices. */
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
	for (unsigned int j = 0; j < c->opt.jobs; j++) {
		struct job *job = &c->job[j];

		if (job->state == JOB_IDLE || sim_now(c->sim) <= job->deadline)
			continue;
		if (job->state != JOB_RUNNING || !moves(c, job))
			hang(c, job);
	}
}
