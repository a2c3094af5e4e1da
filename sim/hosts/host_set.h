/* SPDX-License-Identifier: BSD-2-Clause */
/* Scripted hosts on a fabric. Host i has the MAC address 02:54:53:00:i / 256:i % 256. */
#ifndef TALLY_SIM_HOSTS_HOST_SET_H
#define TALLY_SIM_HOSTS_HOST_SET_H

#include "fabric/topology.h"
#include "hosts/host.h"

#define HOST_SET_WHY_BYTES 160

struct host_set_cfg {
	unsigned int hosts;
	size_t memory;			/* of each host, in bytes */
	struct topo_cfg topo;		/* hosts is filled in */
	struct nic_timing timing;
	uint32_t irq_ns;
	void (*trouble)(void *arg, struct host *h, const char *what);
	void *trouble_arg;
};

#define HOST_SET_DEFAULTS {		\
	.memory = 64 << 20,		\
	.topo = TOPO_DEFAULTS,		\
	.irq_ns = 1000,			\
}

struct host_set {
	struct sim *sim;
	unsigned int num_hosts;
	struct host **host;
	struct topo *topo;
	char why[HOST_SET_WHY_BYTES];	/* if host_set_build() failed: what topo_new() says */
};

/* Builds it; the NICs wait for host_start(). Returns 0 or -errno; host_set_free() in either case. */
int host_set_build(struct host_set *f, struct sim *sim, const struct host_set_cfg *cfg);
void host_set_free(struct host_set *f);

/* topo_join() for the multicast GID @gid. */
int host_set_join(struct host_set *f, const uint8_t gid[16], const unsigned int *hosts,
		  unsigned int n);

/* The same faults at both ends of every cable from now on. Returns as fab_port_set_faults(). */
int host_set_set_faults(struct host_set *f, const struct fab_faults *faults);

/* Sum of a counter over the NICs. */
uint64_t host_set_counter(const struct host_set *f, enum tally_counter c);

/* Sums over both ends of all cables. */
struct fab_port_stats host_set_port_stats(const struct host_set *f);

#endif
