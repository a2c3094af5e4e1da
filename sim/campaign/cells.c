// SPDX-License-Identifier: BSD-2-Clause
/*
 * Scarce cells of the receive message queue: there are few cells, or many groups. With --cells,
 * groups without requests reserve all but this number of cells at each host; a packet that finds no
 * cell is answered busy. Each job may reserve an equal share of the rest, so there is room for all
 * jobs. However, cells that no job has reserved may be in use: then the creation of a group is
 * refused, and repeated later.
 */
#include <errno.h>

#include "campaign/campaign.h"

#define RETRY		(20 * VT_US)
#define LONG_OPENING	(100 * VT_S)	/* until resources of other jobs were free for a moment */

bool campaign_is_scarce(const struct campaign *c)
{
	return c->opt.cells < TALLY_RMQ_CELLS || c->opt.jobs > TALLY_RMQ_CELLS / TALLY_MAX_GROUP_CELLS;
}

/* ---- Groups that hold cells ---- */

static void answered(void *arg, const struct tally_admin_cqe *cqe)
{
	struct campaign *c = arg;

	c->waiting--;
	if (cqe && cqe->status)
		campaign_fail(c, NULL, "a group that holds cells is refused: status %u, offset %u",
			      le16toh(cqe->status), le16toh(cqe->bad_offset));
}

static void ended(void *arg, enum tally_eqe_type type, uint64_t data)
{
	struct holder *r = arg;

	(void)data;
	if (type != TALLY_EQE_GROUP_DRAINED) {
		campaign_fail(r->c, NULL, "a group that holds cells has died");
		return;
	}
	host_group_forget(r->host, r->group);
	host_segs_give(r->host, 1);
	r->c->waiting--;
}

/* The jids of jobs are odd. */
static uint32_t holder_jid(unsigned int i)
{
	return 2 * i + 2;
}

static int hold(struct holder *r, uint32_t jid)
{
	const struct host_group_hook hook = { ended, r };
	struct lone_group lone = { .jid = jid, .num_segs = 1, .cells = r->cells };

	if (!host_segs_take(r->host, 1))
		return -ENOSPC;
	r->c->waiting++;
	return campaign_lone_group(r->host, &lone, &hook, &r->group, answered, r->c);
}

void campaign_hold_cells(struct campaign *c, unsigned int host)
{
	uint32_t left = TALLY_RMQ_CELLS - c->opt.cells, n;

	for (unsigned int i = 0; left; i++, left -= n) {
		struct holder *r = &c->holder[host][i];

		n = left < TALLY_MAX_GROUP_CELLS ? left : TALLY_MAX_GROUP_CELLS;
		*r = (struct holder){ .c = c, .host = c->host_set.host[host], .cells = n };
		if (hold(r, holder_jid(i)))
			campaign_fail(c, NULL, "no room for groups that hold cells");
	}
}

void campaign_release_cells(struct campaign *c)
{
	for (unsigned int k = 0; k < c->host_set.num_hosts; k++)
		for (unsigned int i = 0; i < CAMPAIGN_HOLDERS; i++) {
			struct holder *r = &c->holder[k][i];

			if (!r->cells)
				continue;
			c->waiting += 2; /* an answer and an event */
			host_group_destroy(r->host, r->group, answered, c);
		}
}

/* ---- Reservations of jobs ---- */

static uint32_t share(const struct campaign *c)
{
	return c->opt.cells / c->opt.jobs;
}

bool job_has_share(const struct job *job)
{
	for (unsigned int i = 0; i < job->tree.num_nodes && campaign_is_scarce(job->c); i++)
		if (job_least_cells(job, i) > share(job->c))
			return false;
	return true;
}

/*
 * Returns the largest reservation, so that few cells are left for others; or 0, so that the group
 * has only the cells that fixed order needs, and shares the rest.
 */
uint32_t job_random_cells(const struct job *job)
{
	uint32_t most = campaign_is_scarce(job->c) ? share(job->c) : TALLY_MAX_GROUP_CELLS;

	if (most > TALLY_MAX_GROUP_CELLS)
		most = TALLY_MAX_GROUP_CELLS;
	return campaign_one_in(job->c, 3) ? most : 0;
}

vtime_t campaign_opening_time(const struct campaign *c)
{
	bool scarce = campaign_is_scarce(c) || campaign_has_few_segs(c);

	return scarce ? LONG_OPENING : CAMPAIGN_COMMAND_TIME;
}

bool node_try_later(struct job_node *n, const struct tally_admin_cqe *cqe)
{
	struct campaign *c = n->job->c;

	if (!cqe || le16toh(cqe->status) != TALLY_ADMIN_STATUS_NO_RESOURCE ||
	    le16toh(cqe->bad_offset) != offsetof(struct tally_group_cfg, msg_cells))
		return false;
	c->count.delayed_for_cells++;
	sim_schedule_in(c->sim, &n->start, 1 + campaign_below(c, RETRY));
	return true;
}

/* ---- Lack of cells ---- */

bool job_may_starve(const struct job *job)
{
	return campaign_is_scarce(job->c) && job_has_triggered(job);
}

void job_ran_out_of_cells(struct job *job)
{
	job->c->count.ended_for_cells++;
	job->injected = true;
	job->failure = FAILURE_NONE;
	job_await_deaths(job);
}

bool job_permits_starving(const struct job *job, enum tally_coll_status status)
{
	return job_may_starve(job) &&
	       (status == TALLY_COLL_RMQ_OVERFLOW || status == TALLY_COLL_TIMEOUT ||
		status == TALLY_COLL_FLUSHED);
}
