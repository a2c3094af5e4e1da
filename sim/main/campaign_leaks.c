// SPDX-License-Identifier: BSD-2-Clause
/*
 * What is left when all jobs are gone. Hosts count their memory and numbers. Devices are asked for
 * all their segments at once, in groups of one node each, and then for the end of event queue 0,
 * which they refuse while a group or queue pair exists.
 */
#include "main/campaign.h"

#define PROBES	(TALLY_MAX_SEG / TALLY_MAX_GROUP_SEGS)

static void probed(void *arg, const struct tally_admin_cqe *cqe)
{
	struct campaign *c = arg;

	c->waiting--;
	if (cqe->status)
		campaign_fail(c, NULL, "a device still holds segments, groups or queue pairs: "
			      "status %u", le16toh(cqe->status));
}

static void ended(void *arg, const struct tally_admin_cqe *cqe)
{
	struct campaign *c = arg;

	c->waiting--;
	if (cqe->status)
		campaign_fail(c, NULL, "a device does not let go of its event queue: status %u",
			      le16toh(cqe->status));
}

/* What a host waits for before its last command. */
struct probe {
	struct campaign *c;
	struct host *host;
	uint32_t group[PROBES];
	unsigned int left;		/* groups not drained */
};

static void drained(void *arg, enum tally_eqe_type type, uint64_t data)
{
	struct probe *p = arg;
	struct tally_cmd_object body = { .id = htole32(HOST_EQ_ASYNC) };

	(void)type;
	(void)data;
	p->c->waiting--;
	if (--p->left)
		return;
	p->c->waiting++;
	host_command(p->host, TALLY_ADMIN_DESTROY_EQ, &body, ended, p->c);
}

static void probe_host(struct campaign *c, struct probe *p)
{
	struct host_group_hook hook = { drained, p };
	struct tree t;

	tree_plan(&t, 1, 1);
	t.node[0].host = p->host;
	t.node[0].ranks = 1;
	tree_count_ranks(&t);
	for (unsigned int i = 0; i < PROBES; i++) {
		struct tree_group g = { .jid = 1 + i, .epoch = 1, .mtu = 256, .rto_us = 10,
					.num_segs = TALLY_MAX_GROUP_SEGS, .retry_limit = 1,
					.timeout_ms = TALLY_MIN_TIMEOUT_MS };
		struct tree_image image;
		size_t len = tree_image(&t, &g, 0, i * TALLY_MAX_GROUP_SEGS, &image);

		c->waiting += 2; /* an answer and an event */
		if (host_group_create(p->host, &p->group[i], &image, len, &hook, probed, c))
			campaign_fail(c, NULL, "a host has no numbers left for groups");
	}
	for (unsigned int i = 0; i < PROBES; i++) {
		c->waiting++;
		host_group_destroy(p->host, p->group[i], probed, c);
	}
}

void campaign_leaks_probe(struct campaign *c)
{
	static struct probe probe[CAMPAIGN_MAX_NODES];

	for (unsigned int i = 0; i < c->fleet.num_hosts; i++) {
		struct host *h = c->fleet.host[i];

		if (h->mem.used != c->memory_at_start || h->cqns.used || h->qpns.used ||
		    h->mrs.used || h->pds.used || h->groups.used || h->segs.used ||
		    h->push_uars.used)
			campaign_fail(c, NULL, "host %u still holds something: %zu bytes, %u CQs, "
				      "%u QPs, %u MRs, %u PDs, %u groups, %u segments, "
				      "%u push buffers",
				      i,
				      h->mem.used - c->memory_at_start, h->cqns.used, h->qpns.used,
				      h->mrs.used, h->pds.used, h->groups.used, h->segs.used,
				      h->push_uars.used);
		if (h->mem.trespass)
			campaign_fail(c, NULL, "host %u: the block at bus address %#jx was written "
				      "after it had been given back", i,
				      (uintmax_t)h->mem.trespass);
		probe[i] = (struct probe){ .c = c, .host = h, .left = PROBES };
		probe_host(c, &probe[i]);
	}
}
