// SPDX-License-Identifier: BSD-2-Clause
#include "hosts/host_set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/gid.h"

/* Makes a locally administered address that contains the host's number. */
static void host_mac(unsigned int i, uint8_t mac[6])
{
	const uint8_t bytes[6] = { 0x02, 0x54, 0x53, 0, i >> 8, i };

	memcpy(mac, bytes, sizeof(bytes));
}

static int add_host(struct host_set *f, unsigned int i, const struct host_set_cfg *cfg)
{
	char name[16];
	struct host_cfg hc = {
		.port = topo_port(f->topo, i),
		.link_mbps = cfg->topo.link.bits_per_s / 1000000,
		.timing = cfg->timing,
		.memory = cfg->memory,
		.irq_ns = cfg->irq_ns,
		.max_groups = cfg->max_groups,
		.max_segs = cfg->max_segs,
		.units = cfg->units,
		.commits = cfg->commits,
		.seed = rng_next(sim_rng(f->sim)),
		.name = name,
		.domain = f->windows ? i + 1 : 0,
		.on_error = cfg->on_error,
		.on_error_arg = cfg->on_error_arg,
	};
	int err;

	snprintf(name, sizeof(name), "%u", i);
	host_mac(i, hc.mac);
	err = topo_learn(f->topo, i, hc.mac);
	if (err)
		return err;
	f->host[i] = host_new(f->sim, &hc);
	return f->host[i] ? 0 : -errno;
}

/* Returns 0 or -errno. */
static int set_order(struct host_set *f, enum host_set_order order)
{
	struct sim_windows win;

	if (order != HOST_SET_WINDOWS || !topo_windows(f->topo, &win)) {
		if (order != HOST_SET_BY_TIME)
			topo_fix_order(f->topo);
		return 0;
	}
	f->windows = true;
	return sim_set_windows(f->sim, &win);
}

int host_set_build(struct host_set *f, struct sim *sim, const struct host_set_cfg *cfg)
{
	struct topo_cfg topo = cfg->topo;
	int err = 0;

	*f = (struct host_set){ .sim = sim, .num_hosts = cfg->hosts };
	topo.hosts = cfg->hosts;
	f->topo = topo_new(sim, &topo, f->why, sizeof(f->why));
	if (!f->topo)
		return -errno;
	err = set_order(f, cfg->order);
	f->host = calloc(cfg->hosts, sizeof(*f->host));
	if (!f->host)
		return -ENOMEM;
	for (unsigned int i = 0; i < cfg->hosts && !err; i++)
		err = add_host(f, i, cfg);
	return err;
}

void host_set_free(struct host_set *f)
{
	for (unsigned int i = 0; f->host && i < f->num_hosts; i++)
		host_free(f->host[i]);
	topo_free(f->topo);
	free(f->host);
}

int host_set_join(struct host_set *f, const uint8_t gid[16], const unsigned int *hosts,
		  unsigned int n)
{
	uint8_t mac[6];

	if (!gid_is_multicast(gid))
		return -EINVAL;
	gid_multicast_mac(mac, gid);
	return topo_join(f->topo, mac, hosts, n);
}

int host_set_set_faults(struct host_set *f, const struct fab_faults *faults)
{
	int err = 0;

	for (unsigned int i = 0; i < 2 * topo_num_links(f->topo) && !err; i++)
		err = fab_port_set_faults(fab_link_port(topo_link(f->topo, i / 2), i % 2), faults);
	return err;
}

uint64_t host_set_counter(const struct host_set *f, enum tally_counter c)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < f->num_hosts; i++)
		sum += nic_counter(f->host[i]->nic, c);
	return sum;
}

#define ADD_STAT(name, doc)	sum.name += s->name;

struct fab_port_stats host_set_port_stats(const struct host_set *f)
{
	struct fab_port_stats sum = { 0 };

	for (unsigned int i = 0; i < 2 * topo_num_links(f->topo); i++) {
		const struct fab_port_stats *s =
			&fab_link_port(topo_link(f->topo, i / 2), i % 2)->stats;

		FAB_PORT_STAT_LIST(ADD_STAT)
	}
	return sum;
}
