/* SPDX-License-Identifier: BSD-2-Clause */
/* Scripted hosts on a fabric. Host i has the MAC address 02:54:53:00:i / 256:i % 256. */
#ifndef TALLY_SIM_HOSTS_FLEET_H
#define TALLY_SIM_HOSTS_FLEET_H

#include "fabric/topology.h"
#include "hosts/host.h"

#define FLEET_WHY_BYTES	160

struct fleet_cfg {
	unsigned int hosts;
	size_t memory;			/* of each host, in bytes */
	struct topo_cfg topo;		/* hosts is filled in */
	struct nic_timing timing;
	uint32_t irq_ns;
	void (*trouble)(void *arg, struct host *h, const char *what);
	void *trouble_arg;
};

#define FLEET_DEFAULTS {		\
	.memory = 64 << 20,		\
	.topo = TOPO_DEFAULTS,		\
	.irq_ns = 1000,			\
}

struct fleet {
	struct sim *sim;
	unsigned int num_hosts;
	struct host **host;
	struct topo *topo;
	char why[FLEET_WHY_BYTES];	/* if fleet_build() failed: what topo_new() says */
};

/* Builds it; the NICs wait for host_start(). Returns 0 or -errno; fleet_free() in either case. */
int fleet_build(struct fleet *f, struct sim *sim, const struct fleet_cfg *cfg);
void fleet_free(struct fleet *f);

/* topo_join() for the multicast GID @gid. */
int fleet_join(struct fleet *f, const uint8_t gid[16], const unsigned int *hosts, unsigned int n);

/* The same faults at both ends of every cable from now on. Returns as fab_port_set_faults(). */
int fleet_set_faults(struct fleet *f, const struct fab_faults *faults);

/* Sum of a counter over the NICs. */
uint64_t fleet_counter(const struct fleet *f, enum tally_counter c);

/* Sums over both ends of all cables. */
struct fab_port_stats fleet_port_stats(const struct fleet *f);

#endif
