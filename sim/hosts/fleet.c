// SPDX-License-Identifier: BSD-2-Clause
#include "hosts/fleet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Locally administered, and the host's number. */
static void host_mac(unsigned int i, uint8_t mac[6])
{
	const uint8_t bytes[6] = { 0x02, 0x54, 0x53, 0, i >> 8, i };

	memcpy(mac, bytes, sizeof(bytes));
}

static int wire(struct fleet *f, unsigned int i, const struct fleet_cfg *cfg)
{
	uint8_t mac[6];
	char name[16];
	int err;

	snprintf(name, sizeof(name), "host%u", i);
	f->link[i] = fab_link_new(f->sim, &cfg->link, name, "switch");
	if (!f->link[i])
		return -errno;
	err = fab_switch_attach(f->sw, i, fab_link_port(f->link[i], 1));
	if (err)
		return err;
	host_mac(i, mac);
	return fab_switch_learn(f->sw, mac, i);
}

static int add_host(struct fleet *f, unsigned int i, const struct fleet_cfg *cfg)
{
	struct host_cfg hc = {
		.port = fab_link_port(f->link[i], 0),
		.link_mbps = cfg->link.bits_per_s / 1000000,
		.timing = cfg->timing,
		.memory = cfg->memory,
		.irq_ns = cfg->irq_ns,
		.seed = rng_next(sim_rng(f->sim)),
		.trouble = cfg->trouble,
		.trouble_arg = cfg->trouble_arg,
	};

	host_mac(i, hc.mac);
	f->host[i] = host_new(f->sim, &hc);
	return f->host[i] ? 0 : -errno;
}

int fleet_build(struct fleet *f, struct sim *sim, const struct fleet_cfg *cfg)
{
	struct fab_switch_params sw = cfg->sw;
	int err = 0;

	*f = (struct fleet){ .sim = sim, .num_hosts = cfg->hosts };
	sw.ports = cfg->hosts;
	f->host = calloc(cfg->hosts, sizeof(*f->host));
	f->link = calloc(cfg->hosts, sizeof(*f->link));
	f->sw = fab_switch_new(sim, &sw);
	if (!f->host || !f->link || !f->sw)
		return -ENOMEM;
	for (unsigned int i = 0; i < cfg->hosts && !err; i++) {
		err = wire(f, i, cfg);
		if (!err)
			err = add_host(f, i, cfg);
	}
	return err;
}

void fleet_free(struct fleet *f)
{
	for (unsigned int i = 0; f->host && i < f->num_hosts; i++)
		host_free(f->host[i]);
	fab_switch_free(f->sw);
	for (unsigned int i = 0; f->link && i < f->num_hosts; i++)
		fab_link_free(f->link[i]);
	free(f->host);
	free(f->link);
}

int fleet_set_faults(struct fleet *f, const struct fab_faults *faults)
{
	int err = 0;

	for (unsigned int i = 0; i < f->num_hosts && !err; i++) {
		err = fab_port_set_faults(fab_link_port(f->link[i], 0), faults);
		if (!err)
			err = fab_port_set_faults(fab_link_port(f->link[i], 1), faults);
	}
	return err;
}

uint64_t fleet_counter(const struct fleet *f, enum tally_counter c)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < f->num_hosts; i++)
		sum += nic_counter(f->host[i]->nic, c);
	return sum;
}

struct fab_port_stats fleet_port_stats(const struct fleet *f)
{
	struct fab_port_stats sum = { 0 };

	for (unsigned int i = 0; i < 2 * f->num_hosts; i++) {
		const struct fab_port_stats *s = &fab_link_port(f->link[i / 2], i % 2)->stats;

		sum.tx_frames += s->tx_frames;
		sum.tx_bytes += s->tx_bytes;
		sum.tx_queue_full += s->tx_queue_full;
		sum.rx_frames += s->rx_frames;
		sum.rx_bytes += s->rx_bytes;
		sum.rx_unattached += s->rx_unattached;
		sum.fault_drops += s->fault_drops;
		sum.fault_duplicates += s->fault_duplicates;
		sum.fault_corruptions += s->fault_corruptions;
		sum.fault_delays += s->fault_delays;
		sum.no_memory += s->no_memory;
	}
	return sum;
}
