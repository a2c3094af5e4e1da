// SPDX-License-Identifier: BSD-2-Clause
/* Sets up a job: the objects of its nodes and processes on the hosts. */
#include <errno.h>
#include <string.h>

#include "campaign/campaign.h"

#define LATE_START	(5 * VT_MS)
#define LONG_REGION	(4ull * JOB_LONG_BYTES)
#define LONG_PAGE_SHIFT	14

struct host *job_host(const struct job *job, unsigned int node)
{
	return job->node[node].host;
}

/* ---- Steps ---- */

/* Steps run as events of their own, so that no host function is on the stack. */
void job_schedule_step(struct job *job)
{
	if (!sim_pending(&job->next_step))
		sim_schedule_in(job->c->sim, &job->next_step, 0);
}

static void run_step(void *arg)
{
	struct job *job = arg;

	if (job->pending || job->c->failed)
		return;
	if (job->state == JOB_RUNNING) {
		if (job_quiet(job))
			job_batch_over(job);
	} else if (job->state != JOB_IDLE) {
		job->step(job);
	}
}

void job_arrived(struct job *job)
{
	job->pending--;
	job_schedule_step(job);
}

/* Handles the answer to a command that must succeed unless its NIC lost power. */
void job_answered(void *arg, const struct tally_admin_cqe *cqe)
{
	struct job *job = arg;

	if (cqe && cqe->status)
		campaign_fail(job->c, job, "a command was refused: status %u, offset %u",
			      le16toh(cqe->status), le16toh(cqe->bad_offset));
	job_arrived(job);
}

static void group_event(void *arg, enum tally_eqe_type type, uint64_t data)
{
	struct job_node *n = arg;
	struct job *job = n->job;

	if (type == TALLY_EQE_GROUP_DRAINED) {
		node_forget_group(n);
		job_arrived(job);
		return;
	}
	if (n->group_dead)
		campaign_fail(job->c, job, "node %u: the group died twice", n->index);
	if (!job->injected && !job->hurt && !job_may_starve(job))
		campaign_fail(job->c, job, "node %u: the group died, status %u", n->index,
			      (unsigned int)data);
	n->group_dead = true;
	if (!job->injected && !job->hurt)
		job_ran_out_of_cells(job);
	job_end_silence(n);
	job->ends++;
	if (n->awaits_death) {
		n->awaits_death = false;
		job_arrived(job);
	}
}

/* ---- Start ---- */

static unsigned int power_of_two_from(unsigned int n)
{
	unsigned int p = 1;

	while (p < n)
		p *= 2;
	return p;
}

/* Push buffers are few; the campaign leaves some free. */
static bool may_push(const struct host *h)
{
	return host_offers(h, TALLY_CAP_PUSH) && h->push_uars.used < h->push_uars.limit / 2;
}

static int create_qps(struct job_node *n)
{
	struct job *job = n->job;
	int err = 0;

	for (unsigned int i = 0; i < job->num_posters && !err; i++) {
		struct poster *p = &job->poster[i];
		unsigned int k = __builtin_popcountll(p->ranks);
		struct host_qp_cfg cfg = { .pd = n->pd, .group = n->group, .ranks = p->ranks,
					   .port = i };

		if (p->node != n->index)
			continue;
		p->num_qps = campaign_one_in(job->c, 4) ? POSTER_MAX_QPS : 1;
		cfg.depth = power_of_two_from(4 * (k + 2)) << campaign_below(job->c, 3);
		cfg.stride = TALLY_MIN_WQE_SIZE;
		while (cfg.stride < host_wqe_bytes(k, k, 0) ||
		       (cfg.stride < TALLY_MAX_WQE_SIZE && campaign_below(job->c, 3)))
			cfg.stride *= 2;
		for (unsigned int k = 0; k < p->num_qps && !err; k++) {
			cfg.port = poster_is_first(p) && !k ? JOB_TRIGGER_PORT : i + k * JOB_MAX_POSTERS;
			cfg.push = may_push(n->host) && campaign_one_in(job->c, 3);
			job->pending++;
			err = host_qp_create(n->host, &p->qp[k], &n->cq, &cfg, job_answered, job);
		}
	}
	return err;
}

static int create_mr(struct job_node *n, struct host_mr *mr, uint32_t access)
{
	struct campaign *c = n->job->c;
	struct host_mr_cfg cfg = {
		.pd = n->pd,
		.access = access,
		.iova = rng_next(&c->rng) >> 17,
		.length = 65536ull << campaign_below(c, 3),
		.levels = campaign_below(c, 3),
	};

	if (n->job->weight == JOB_LONG) {
		cfg.length = LONG_REGION;
		cfg.page_shift = LONG_PAGE_SHIFT;
	}
	n->job->pending++;
	return host_mr_register(n->host, mr, &cfg, job_answered, n->job);
}

static uint32_t cq_depth(const struct job_node *n)
{
	uint32_t k = 0;

	for (unsigned int i = 0; i < n->job->num_posters; i++)
		if (n->job->poster[i].node == n->index)
			k += POSTER_MAX_QPS * 4 *
			     (8 * (__builtin_popcountll(n->job->poster[i].ranks) + 2));
	return node_cq_depth(n, power_of_two_from(k + 1));
}

static void out_of_resources(const struct job_node *n, int err)
{
	campaign_fail(n->job->c, n->job, "node %u: out of resources: %s", n->index, strerror(-err));
}

/* The device executes commands in order, so all can be sent at once. */
static void make_objects(struct job_node *n)
{
	const struct host_group_hook hook = { group_event, n };
	struct job *job = n->job;
	int err;

	n->pd = ids_take(&n->host->pds, 1);
	job->pending++;
	err = host_cq_create(n->host, &n->cq, cq_depth(n), job_poll, n, job_answered, job);
	n->cq.overran = node_overran;
	if (!err)
		err = create_mr(n, &n->in, 0);
	if (!err)
		err = create_mr(n, &n->out, TALLY_ACCESS_LOCAL_WRITE);
	if (!err && !n->has_group)
		err = job_create_group(n, &hook, job_answered, job);
	if (!err)
		err = create_qps(n);
	if (err)
		out_of_resources(n, err);
	job_arrived(job);
}

static void group_answered(void *arg, const struct tally_admin_cqe *cqe)
{
	struct job_node *n = arg;
	struct job *job = n->job;

	if (node_try_later(n, cqe)) {
		node_forget_group(n);
		job->pending--;
		return;
	}
	job_answered(job, cqe);
	if (!job->c->failed)
		make_objects(n);
}

/* A group that may be refused because cells are short is created first. */
static void start_node(void *arg)
{
	struct job_node *n = arg;
	const struct host_group_hook hook = { group_event, n };
	int err;

	if (!node_takes_segs(n))
		return;
	if (!campaign_is_scarce(n->job->c)) {
		make_objects(n);
		return;
	}
	err = job_create_group(n, &hook, group_answered, n);
	if (err)
		out_of_resources(n, err);
}

static void begin(struct job *job)
{
	for (unsigned int i = 0; i < job->tree.num_nodes; i++)
		if (!job->node[i].poll_every)
			host_cq_arm(&job->node[i].cq);
	job->state = JOB_RUNNING;
	job_new_batch(job);
}

void job_init(struct campaign *c, unsigned int index)
{
	struct job *job = &c->job[index];

	job->c = c;
	job->index = index;
	job->state = JOB_IDLE;
	sim_event_init(&job->next_step, run_step, job);
}

static void init_members(struct job *job)
{
	for (unsigned int i = 0; i < job->tree.num_nodes; i++) {
		struct job_node *n = &job->node[i];

		n->job = job;
		n->index = i;
		sim_event_init(&n->start, start_node, n);
		sim_event_init(&n->poll, job_poll, n);
		if (campaign_one_in(job->c, 3))
			n->poll_every = (1 + campaign_below(job->c, 5)) * VT_US;
	}
	for (unsigned int i = 0; i < job->num_posters; i++) {
		job->poster[i].job = job;
		sim_event_init(&job->poster[i].event, poster_run, &job->poster[i]);
	}
}

void job_start(struct job *job)
{
	struct campaign *c = job->c;

	memset(job->node, 0, sizeof(job->node));
	memset(job->poster, 0, sizeof(job->poster));
	job->number = c->count.jobs++;
	job->next_mid = job->next_num = 0;
	job->injected = job->hurt = job->aborted = false;
	job->cause = TALLY_COLL_OK;
	job_choose_group(job);
	job->batches = job->weight ? 1 + campaign_below(c, 2) : 4 + campaign_below(c, 24);
	if (campaign_has_few_segs(c)) /* segments are owed to groups that are created */
		job->batches = 1 + campaign_below(c, 3);
	job_choose_short_cq(job);
	init_members(job);
	job->state = JOB_OPENING;
	job->step = begin;
	job->deadline = sim_now(c->sim) + campaign_opening_time(c);
	job->pending = job->tree.num_nodes;
	c->running++;
	for (unsigned int i = 0; i < job->tree.num_nodes; i++)
		sim_schedule_in(c->sim, &job->node[i].start,
				campaign_one_in(c, 16) ? campaign_below(c, LATE_START) :
							 campaign_below(c, 20 * VT_US));
}
