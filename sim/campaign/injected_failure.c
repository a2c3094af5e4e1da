// SPDX-License-Identifier: BSD-2-Clause
/* Failures that end a group early, and the statuses that its members may then get. */
#include "campaign/campaign.h"

/* Returns whether an event of probability @rate per collective occurs in this batch. */
static bool happens(struct job *job, double rate)
{
	for (unsigned int i = 0; i < job->num_msgs; i++)
		if (rng_chance(&job->c->rng, rate))
			return true;
	return false;
}

static bool is_error(enum failure_kind failure)
{
	return failure == FAILURE_MISMATCH || failure == FAILURE_REFUSED ||
	       failure == FAILURE_SILENT;
}

void job_choose_failure(struct job *job)
{
	struct campaign *c = job->c;

	job->failure = FAILURE_NONE;
	if (job->hurt)
		return;
	if (happens(job, c->opt.deaths))
		job->failure = campaign_one_in(c, 4) ? FAILURE_POWER : FAILURE_DEATH;
	else if (happens(job, c->opt.aborts))
		job->failure = (const enum failure_kind[]){ FAILURE_ABORT, FAILURE_ABORT,
							    FAILURE_MISMATCH, FAILURE_REFUSED,
							    FAILURE_SILENT }[campaign_below(c, 5)];
	if (!job->failure)
		return;
	job->culprit = &job->poster[campaign_below(c, job->num_posters)];
	job->failure_at = campaign_below(c, job->num_msgs);
	if (is_error(job->failure) && !job_can_err(job, job->failure_at))
		job->failure = FAILURE_ABORT;
}

void poster_die(struct poster *p)
{
	struct job *job = p->job;
	struct job_node *n = &job->node[p->node];

	sim_cancel(job->c->sim, &p->event);
	p->dead = true;
	job->hurt = true;
	job->outstanding -= p->outstanding;
	p->outstanding = 0;
	poster_destroy_qps(p);
	job->pending++;
	host_group_detach(n->host, n->group, p->ranks, job_answered, job);
	job_schedule_step(job);
}

static void abort_group(struct poster *p)
{
	job_await_deaths(p->job);
	poster_abort(p);
}

/* Returns false while a job of the host starts or ends: nothing would answer its commands. */
static bool may_lose_power(const struct campaign *c, const struct host *h)
{
	for (unsigned int j = 0; j < c->opt.jobs; j++) {
		const struct job *job = &c->job[j];

		if (job->state == JOB_IDLE || job->state == JOB_RUNNING)
			continue;
		for (unsigned int i = 0; i < job->tree.num_nodes; i++)
			if (job->node[i].host == h)
				return false;
	}
	return true;
}

void poster_fail(struct poster *p)
{
	struct job *job = p->job;
	struct campaign *c = job->c;

	job->injected = true;
	if (job->failure == FAILURE_SILENT) {
		poster_silence(p);
	} else if (is_error(job->failure)) {
		p->errs = true;
	} else if (job->failure == FAILURE_ABORT) {
		c->count.aborts++;
		abort_group(p);
	} else if (job->failure == FAILURE_POWER && c->power_host == c->host_set.num_hosts &&
		   may_lose_power(c, job_host(job, p->node))) {
		while (c->host_set.host[--c->power_host] != job_host(job, p->node))
			;
	} else {
		c->count.deaths++;
		poster_die(p);
	}
}

void campaign_cut_power(struct campaign *c)
{
	unsigned int host = c->power_host;
	struct host *h = c->host_set.host[host];
	int err;

	c->power_host = c->host_set.num_hosts;
	if (!may_lose_power(c, h))
		return;
	c->count.power_losses++;
	campaign_keep_counters(c, h);
	err = host_power_cycle(h);
	if (err) {
		campaign_fail(c, NULL, "a NIC cannot be replaced: error %d", -err);
		return;
	}
	for (unsigned int j = 0; j < c->opt.jobs; j++) {
		struct job *job = &c->job[j];

		for (unsigned int i = 0; i < job->tree.num_nodes && job->state == JOB_RUNNING; i++)
			if (job->node[i].host == h && !job->node[i].lost)
				job_lose_node(job, &job->node[i]);
	}
	campaign_start_host(c, h);
	campaign_hold_cells(c, host);
}

/*
 * The cause itself is permitted, and FLUSHED for later requests. A NIC that lost power is silent,
 * and does not know the group when it is back.
 */
bool job_permits(const struct job *job, enum tally_coll_status status)
{
	bool power = false;

	for (unsigned int i = 0; i < job->tree.num_nodes; i++)
		power |= job->node[i].lost;
	switch (status) {
	case TALLY_COLL_FLUSHED:
		return job->injected || job->hurt;
	case TALLY_COLL_ABORTED:
		return job->aborted && job->failure == FAILURE_ABORT;
	case TALLY_COLL_RANK_GONE:
		return job->hurt;
	case TALLY_COLL_TIMEOUT: /* a descriptor waits for data of a process that is gone */
		return power || (job->hurt && job_has_triggered(job));
	case TALLY_COLL_NO_HANDSHAKE:
	case TALLY_COLL_RETRY_EXCEEDED:
	case TALLY_COLL_PEER_GONE:
		return power;
	default:
		return false;
	}
}
