// SPDX-License-Identifier: BSD-2-Clause
/*
 * Completion queues that are too short for their processes. An entry that finds no room is lost,
 * and so are all later ones; the device reports this once and moves the queue pairs to the error
 * state. The processes of the node are then ended, so that the others are told of ranks that are
 * gone.
 */
#include "campaign/campaign.h"

#define ONE_OF	8	/* one of this number of groups has such a queue */

uint32_t node_cq_depth(const struct job_node *n, uint32_t enough)
{
	return n->short_cq ? 2u << campaign_below(n->job->c, 3) : enough;
}

void job_choose_short_cq(struct job *job)
{
	struct campaign *c = job->c;

	if (c->opt.aborts > 0 && campaign_one_in(c, ONE_OF))
		job->node[campaign_below(c, job->tree.num_nodes)].short_cq = true;
}

void node_overran(void *node)
{
	struct job_node *n = node;
	struct job *job = n->job;

	if (!n->short_cq || n->overran) {
		campaign_fail(job->c, job, "node %u: its completion queue has overrun%s", n->index,
			      n->overran ? " twice" : "");
		return;
	}
	job_poll(n); /* entries precede the event */
	n->overran = true;
	job->hurt = true;
	job->ends++;
	job->c->count.overruns++;
	if (job->state != JOB_RUNNING) /* all lost entries were of processes that had ended */
		return;
	for (unsigned int i = 0; i < job->num_posters; i++)
		if (job->poster[i].node == n->index && !job->poster[i].dead)
			poster_die(&job->poster[i]);
	job_await_fewer_deaths(job);
}

void node_check_silent(struct job_node *n)
{
	struct tally_cqe cqe;

	if (n->overran && host_cq_poll(&n->cq, &cqe))
		campaign_fail(n->job->c, n->job, "node %u: a completion after an overrun "
			      "of its queue", n->index);
}

void campaign_check_overruns(struct campaign *c)
{
	uint64_t lost = c->count.replaced[TALLY_CTR_cq_overruns] +
			host_set_counter(&c->host_set, TALLY_CTR_cq_overruns);

	if (lost < c->count.overruns || (lost && !c->count.overruns))
		campaign_fail(c, NULL, "%ju queues have overrun, but %ju completions were lost",
			      (uintmax_t)c->count.overruns, (uintmax_t)lost);
}
