// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which nodes' groups must end when a job's epoch does. Kills are passed on from neighbour to
 * neighbour and repeated until they are acknowledged, so all do; but a NIC that has lost its power
 * passes nothing on, and a group behind it may wait for nothing and never ask why it is silent. Nor
 * need there be an end if the process that was to cause it has ended before the NIC read its request.
 */
#include "campaign/campaign.h"

void job_await_deaths(struct job *job)
{
	job->aborted = true;
	for (unsigned int i = 0; i < job->tree.num_nodes; i++) {
		struct job_node *n = &job->node[i];

		n->awaits_death = !n->group_dead;
		job->pending += n->awaits_death; /* each tells of its end */
	}
}

static bool are_neighbours(const struct job *job, unsigned int a, unsigned int b)
{
	const struct plan_node *p = &job->at[a];

	if (job_has_tree(job))
		return job->tree.node[a].parent == (int)b || job->tree.node[b].parent == (int)a;
	for (unsigned int k = 0; k < p->num_edges; k++)
		if (p->edge[k].node == b)
			return true;
	return false;
}

/* Does the end of the epoch begin here, or has it come here? */
static bool knows(const struct job *job, const struct job_node *n)
{
	return !n->lost &&
	       (n->group_dead || (job->failure == FAILURE_ABORT && job->injected &&
				  job->culprit->node == n->index && !job->culprit->dead));
}

/* Notes one more node that a kill can reach; false: there is none. */
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
