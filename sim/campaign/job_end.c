// SPDX-License-Identifier: BSD-2-Clause
/* The end of a batch, the reset after an abort, the loss of a node, and the end of a job. */
#include "campaign/campaign.h"

void poster_forget_qps(struct poster *p)
{
	for (unsigned int k = 0; k < p->num_qps; k++)
		host_qp_forget(&p->qp[k]);
}

void poster_destroy_qps(struct poster *p)
{
	for (unsigned int k = 0; k < p->num_qps; k++) {
		p->job->pending++;
		host_qp_destroy(&p->qp[k], job_answered, p->job);
	}
}

/* ---- End ---- */

static void gone(struct job *job)
{
	struct campaign *c = job->c;

	for (unsigned int i = 0; i < job->num_posters; i++)
		poster_forget_qps(&job->poster[i]);
	for (unsigned int i = 0; i < job->tree.num_nodes; i++) {
		struct job_node *n = &job->node[i];

		host_cq_forget(&n->cq);
		host_mr_forget(&n->in);
		host_mr_forget(&n->out);
		if (!n->lost)
			ids_give(&n->host->pds, n->pd, 1);
	}
	job_forget_group(job);
	job->state = JOB_IDLE;
	c->running--;
	if (c->count.collectives < c->opt.collectives)
		job_start(job);
}

static void give_up_memory(struct job *job)
{
	job->step = gone;
	job->pending++;
	for (unsigned int i = 0; i < job->tree.num_nodes; i++) {
		struct job_node *n = &job->node[i];

		if (n->lost)
			continue;
		node_check_silent(n);
		job->pending += 3;
		host_mr_deregister(&n->in, job_answered, job);
		host_mr_deregister(&n->out, job_answered, job);
		host_cq_destroy(&n->cq, job_answered, job);
	}
	job_arrived(job);
}

static void take_down(struct job *job)
{
	job->state = JOB_ENDING;
	job->step = give_up_memory;
	job_await_drained(job);
	job->pending++;
	for (unsigned int i = 0; i < job->num_posters; i++) {
		struct poster *p = &job->poster[i];

		if (p->dead)
			continue;
		poster_destroy_qps(p);
	}
	for (unsigned int i = 0; i < job->tree.num_nodes; i++) {
		struct job_node *n = &job->node[i];

		sim_cancel(job->c->sim, &n->poll);
		if (n->lost)
			continue;
		job->pending += 2; /* the answer and GROUP_DRAINED */
		host_group_destroy(n->host, n->group, job_answered, job);
	}
	job_arrived(job);
}

/* ---- Reset ---- */

static void resume(struct job *job)
{
	job->c->count.resets++;
	job->injected = job->aborted = false;
	job->cause = TALLY_COLL_OK;
	job->next_mid = job->next_num = 0;
	job->state = JOB_RUNNING;
	job_new_batch(job);
}

static void modify_qps(struct job *job, enum tally_qp_state state)
{
	for (unsigned int i = 0; i < job->num_posters; i++) {
		struct poster *p = &job->poster[i];

		for (unsigned int k = 0; k < p->num_qps; k++) {
			job->pending++;
			host_qp_modify(&p->qp[k], state, job_answered, job);
		}
	}
}

static void reset_groups(struct job *job)
{
	job->step = resume;
	job->pending++;
	job->group.epoch += 1 + campaign_below(job->c, 5);
	if (!job->group.epoch)
		job->group.epoch = 1;
	for (unsigned int i = 0; i < job->num_posters; i++)
		for (unsigned int k = 0; k < job->poster[i].num_qps; k++)
			host_qp_cleared(&job->poster[i].qp[k]);
	for (unsigned int i = 0; i < job->tree.num_nodes; i++) {
		struct job_node *n = &job->node[i];

		n->group_dead = false;
		job->pending++;
		host_group_reset(n->host, n->group, job->group.epoch, job_answered, job);
	}
	modify_qps(job, TALLY_QPS_RTS);
	job_arrived(job);
}

static void reset(struct job *job)
{
	job->state = JOB_OPENING;
	job->step = reset_groups;
	job->deadline = sim_now(job->c->sim) + CAMPAIGN_COMMAND_TIME;
	job->pending++;
	modify_qps(job, TALLY_QPS_RESET);
	job_arrived(job);
}

void job_batch_over(struct job *job)
{
	struct campaign *c = job->c;

	job_check(job);
	if (c->failed)
		return;
	if (job->aborted && !job->hurt && campaign_below(c, 4) &&
	    host_offers(job_host(job, 0), TALLY_CAP_GROUP_RESET))
		reset(job);
	else if (job->injected || job->hurt || !--job->batches ||
		 c->count.collectives >= c->opt.collectives)
		take_down(job);
	else
		job_new_batch(job);
}

/* ---- Power ---- */

static void lose_poster(struct poster *p)
{
	struct job *job = p->job;

	sim_cancel(job->c->sim, &p->event);
	job->outstanding -= p->outstanding;
	p->outstanding = 0;
	p->dead = true;
	poster_forget_qps(p);
}

void job_lose_node(struct job *job, struct job_node *n)
{
	/* Pending commands have been answered; there will be no more events. */
	n->lost = n->group_dead = true;
	n->has_group = false;
	job_await_fewer_deaths(job);
	job->hurt = true;
	for (unsigned int i = 0; i < job->num_posters; i++)
		if (job->poster[i].node == n->index && !job->poster[i].dead)
			lose_poster(&job->poster[i]);
	sim_cancel(job->c->sim, &n->poll);
	host_cq_forget(&n->cq);
	host_mr_forget(&n->in);
	host_mr_forget(&n->out);
	job_schedule_step(job);
}
