// SPDX-License-Identifier: BSD-2-Clause
#include "fabric/topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/topo_int.h"

struct topo *topo_new(struct sim *sim, const struct topo_cfg *cfg, char *why, size_t size)
{
	struct topo *t;
	int err = topo_check(cfg, why, size);

	if (err) {
		errno = -err;
		return NULL;
	}
	t = calloc(1, sizeof(*t));
	if (t) {
		t->sim = sim;
		t->cfg = *cfg;
		err = topo_wire(t);
	}
	if (t && !err)
		return t;
	topo_free(t);
	errno = err ? -err : ENOMEM;
	snprintf(why, size, "%s of %u hosts: %s", topo_kind_name(cfg->kind), cfg->hosts,
		 strerror(errno));
	return NULL;
}

void topo_free(struct topo *t)
{
	if (!t)
		return;
	for (unsigned int i = 0; i < t->num_switches; i++)
		fab_switch_free(t->sw[i]);
	for (unsigned int i = 0; i < t->num_cables; i++)
		fab_link_free(t->cable[i]);
	for (unsigned int i = 0; t->inner && i < t->cfg.hosts; i++)
		fab_link_free(t->inner[i]);
	free(t->sw);
	free(t->cable);
	free(t->inner);
	free(t);
}

unsigned int topo_hosts(const struct topo *t)
{
	return t->cfg.hosts;
}

const struct topo_cfg *topo_config(const struct topo *t)
{
	return &t->cfg;
}

struct fab_port *topo_port(struct topo *t, unsigned int host)
{
	switch (t->cfg.kind) {
	case TOPO_DIRECT:
		return fab_link_port(t->cable[0], host);
	case TOPO_RING:
		return fab_link_port(t->inner[host], 0);
	default:
		return fab_link_port(t->cable[host], 0);
	}
}

struct fab_link *topo_host_link(struct topo *t, unsigned int host)
{
	if (!t->host_cables)
		return NULL;
	return t->cable[host < t->host_cables ? host : 0];
}

unsigned int topo_num_links(const struct topo *t)
{
	return t->num_cables;
}

struct fab_link *topo_link(struct topo *t, unsigned int index)
{
	return t->cable[index];
}

/* The switches of a ring are part of NICs and are not counted. */
unsigned int topo_num_switches(const struct topo *t)
{
	return t->cfg.kind == TOPO_RING ? 0 : t->num_switches;
}

struct fab_switch *topo_switch(struct topo *t, unsigned int index)
{
	return t->sw[index];
}

void topo_switch_name(const struct topo *t, unsigned int index, char *name, size_t size)
{
	const struct topo_tree *tree = &t->tree;
	bool pods = t->cfg.kind == TOPO_FATTREE3;
	unsigned int cores_at = topo_core(tree, 0, 0);

	if (!topo_is_tree(t))
		snprintf(name, size, "switch");
	else if (index < tree->leaves)
		snprintf(name, size, "leaf%u", index);
	else if (!pods)
		snprintf(name, size, "spine%u", index - tree->leaves);
	else if (index < cores_at)
		snprintf(name, size, "agg%u", index - tree->leaves);
	else
		snprintf(name, size, "core%u", index - cores_at);
}

static void add_port(struct topo_totals *sum, const struct fab_port_stats *s, bool trunk)
{
	sum->frames += s->tx_frames;
	sum->bytes += s->tx_bytes;
	if (trunk) {
		sum->trunk_frames += s->tx_frames;
		sum->trunk_bytes += s->tx_bytes;
	}
	sum->ecn_marked += s->ecn_marked;
	sum->queue_full += s->tx_queue_full;
	sum->lost += s->rx_unattached + s->fault_drops + s->down_drops + s->no_memory;
}

struct topo_totals topo_totals(const struct topo *t)
{
	struct topo_totals sum = { 0 };

	for (unsigned int i = 0; i < 2 * t->num_cables; i++)
		add_port(&sum, &fab_link_port(t->cable[i / 2], i % 2)->stats,
			 i / 2 >= t->host_cables);
	for (unsigned int i = 0; i < t->num_switches; i++) {
		const struct fab_switch_stats *s = fab_switch_stats(t->sw[i]);

		sum.lost += s->unjoined + s->stranger + s->unknown + s->hairpin + s->runt +
			    s->dead + s->no_memory;
	}
	return sum;
}
