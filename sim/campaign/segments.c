// SPDX-License-Identifier: BSD-2-Clause
/*
 * Few segments: with --segments, the NICs are small ones. The groups of all jobs may own all
 * segments together. What they do not own is lent, and then owed to groups that are created later.
 */
#include "campaign/campaign.h"

#define RETRY		(20 * VT_US)
#define GROUPS_SHARE	4	/* segments for each group that a small NIC may have */
#define MOST_HELD	32	/* segments of a group, borrowed ones included, if there are few */

bool campaign_has_few_segs(const struct campaign *c)
{
	return c->opt.segs < TALLY_MAX_SEG;
}

uint32_t campaign_groups_of(uint32_t segs)
{
	return segs < TALLY_MAX_SEG ? segs / GROUPS_SHARE : TALLY_MAX_GROUP;
}

uint32_t campaign_most_owned(const struct campaign *c)
{
	uint32_t all = campaign_has_few_segs(c) ? c->opt.segs : TALLY_MAX_SEG / 4, n = all;

	while (n * c->opt.jobs > all)
		n /= 2;
	return n < TALLY_MAX_GROUP_SEGS ? n : TALLY_MAX_GROUP_SEGS;
}

uint32_t campaign_random_owned(struct campaign *c)
{
	uint32_t most = campaign_most_owned(c);

	if (campaign_has_few_segs(c))
		return campaign_one_in(c, 4) ? 1 + campaign_below(c, most) : most;
	return 1 + campaign_below(c, campaign_one_in(c, 4) ? most / 4 : 4);
}

uint32_t campaign_most_held(const struct campaign *c)
{
	uint32_t most = campaign_most_owned(c);

	return campaign_has_few_segs(c) && most < MOST_HELD ? MOST_HELD : most;
}

bool node_takes_segs(struct job_node *n)
{
	struct campaign *c = n->job->c;
	const struct ids *groups = &n->host->groups;

	if (groups->used < groups->limit && host_segs_take(n->host, n->job->segs))
		return true;
	c->count.delayed_for_segs++;
	sim_schedule_in(c->sim, &n->start, 1 + campaign_below(c, RETRY));
	return false;
}
