// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds resources that remain after the end of all jobs. Hosts count their memory and numbers.
 * Devices must create groups of one node that use all segments and cells, and must then destroy
 * event queue 0, which they refuse while a group or queue pair exists.
 */
#include "campaign/campaign.h"

#define PROBES	(TALLY_MAX_SEG / TALLY_MAX_GROUP_SEGS)

_Static_assert(TALLY_RMQ_CELLS / PROBES <= TALLY_MAX_GROUP_CELLS, "the probes reserve all cells");

static void probed(void *arg, const struct tally_admin_cqe *cqe)
{
	struct campaign *c = arg;

	c->waiting--;
	if (cqe->status)
		campaign_fail(c, NULL, "a device still holds segments, cells, groups or queue pairs: "
			      "status %u, offset %u", le16toh(cqe->status),
			      le16toh(cqe->bad_offset));
}

static void ended(void *arg, const struct tally_admin_cqe *cqe)
{
	struct campaign *c = arg;

	c->waiting--;
	if (cqe->status)
		campaign_fail(c, NULL, "a device refuses to destroy its event queue: status %u",
			      le16toh(cqe->status));
}

/* Groups of a host that must be drained before its last command. */
struct probe {
	struct campaign *c;
	struct host *host;
	uint32_t group[PROBES];
	unsigned int left;		/* remaining groups */
	uint64_t owed;			/* number of groups that were owed segments before */
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
	if (nic_counter(p->host->nic, TALLY_CTR_groups_owed) != p->owed)
		campaign_fail(p->c, NULL, "a device still lends segments");
	p->c->waiting++;
	host_command(p->host, TALLY_ADMIN_DESTROY_EQ, &body, ended, p->c);
}

/* Returns the part of probe @i of all segments. */
static uint32_t part(uint32_t segs, unsigned int i)
{
	return segs * (i + 1) / PROBES - segs * i / PROBES;
}

static void probe_host(struct campaign *c, struct probe *p)
{
	struct host_group_hook hook = { drained, p };

	for (unsigned int i = 0; i < PROBES; i++) {
		const struct lone_group lone = { .jid = 1 + i,
						 .num_segs = part(p->host->max_segs, i),
						 .cells = TALLY_RMQ_CELLS / PROBES };

		c->waiting += 2; /* an answer and an event */
		if (campaign_lone_group(p->host, &lone, &hook, &p->group[i], probed, c))
			campaign_fail(c, NULL, "a host has no free numbers for groups");
	}
	for (unsigned int i = 0; i < PROBES; i++) {
		c->waiting++;
		host_group_destroy(p->host, p->group[i], probed, c);
	}
}

void campaign_leaks_probe(struct campaign *c)
{
	static struct probe probe[CAMPAIGN_MAX_NODES];

	for (unsigned int i = 0; i < c->host_set.num_hosts; i++) {
		struct host *h = c->host_set.host[i];

		if (h->mem.used != c->memory_at_start || h->cqns.used || h->qpns.used ||
		    h->mrs.used || h->pds.used || h->groups.used || h->segs_used ||
		    h->push_uars.used)
			campaign_fail(c, NULL, "host %u still holds resources: %zu bytes, %u CQs, "
				      "%u QPs, %u MRs, %u PDs, %u groups, %u segments, "
				      "%u push buffers",
				      i,
				      h->mem.used - c->memory_at_start, h->cqns.used, h->qpns.used,
				      h->mrs.used, h->pds.used, h->groups.used, h->segs_used,
				      h->push_uars.used);
		if (h->mem.written_after_free)
			campaign_fail(c, NULL, "host %u: the block at bus address %#jx was written "
				      "after it had been freed", i,
				      (uintmax_t)h->mem.written_after_free);
		probe[i] = (struct probe){ .c = c, .host = h, .left = PROBES,
					   .owed = nic_counter(h->nic, TALLY_CTR_groups_owed) };
		probe_host(c, &probe[i]);
	}
}
