// SPDX-License-Identifier: BSD-2-Clause
/*
 * Determines which nodes' groups must end when a job's epoch ends. A KILL is passed on from
 * neighbour to neighbour and repeated until it is acknowledged, so normally all groups end. But a
 * NIC that has lost power passes nothing on, and a group behind it may wait for nothing, so that it
 * never detects the silence. There may also be no end at all, if the process that was to cause it
 * ended before the NIC read its request.
 */
#include "campaign/campaign.h"

void job_await_deaths(struct job *job)
{
	job->aborted = true;
	for (unsigned int i = 0; i < job->tree.num_nodes; i++) {
		struct job_node *n = &job->node[i];

		n->awaits_death = !n->group_dead;
		job->pending += n->awaits_death; /* the event of its end */
	}
}

static bool are_neighbours(const struct job *job, unsigned int a, unsigned int b)
{
	const struct plan_node *p = &job->at[a];

	if (!job->planned)
		return job->tree.node[a].parent == (int)b || job->tree.node[b].parent == (int)a;
	for (unsigned int k = 0; k < p->num_edges; k++)
		if (p->edge[k].node == b)
			return true;
	return false;
}

/* Returns whether the end of the epoch begins at this node, or has reached it. */
static bool knows(const struct job *job, const struct job_node *n)
{
	return !n->lost &&
	       (n->group_dead || (job->failure == FAILURE_ABORT && job->injected &&
				  job->culprit->node == n->index && !job->culprit->dead));
}

/* Marks one more node that a KILL can reach; returns false if there is none. */
static bool reach_one(const struct job *job, bool *reached)
{
	for (unsigned int i = 0; i < job->tree.num_nodes; i++) {
		if (reached[i] || job->node[i].lost)
			continue;
		reached[i] = knows(job, &job->node[i]);
		for (unsigned int k = 0; k < job->tree.num_nodes; k++)
			reached[i] |= reached[k] && are_neighbours(job, i, k);
		if (reached[i])
			return true;
	}
	return false;
}

void job_await_fewer_deaths(struct job *job)
{
	bool reached[CAMPAIGN_MAX_NODES] = { false };

	while (reach_one(job, reached))
		;
	for (unsigned int i = 0; i < job->tree.num_nodes; i++) {
		struct job_node *n = &job->node[i];

		if (!n->awaits_death || reached[i])
			continue;
		n->awaits_death = false;
		job->pending--;
	}
}
