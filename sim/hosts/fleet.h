/* SPDX-License-Identifier: BSD-2-Clause */
/* Scripted hosts, each with a link to one switch. */
#ifndef TALLY_SIM_HOSTS_FLEET_H
#define TALLY_SIM_HOSTS_FLEET_H

#include "fabric/link.h"
#include "fabric/switch.h"
#include "hosts/host.h"

struct fleet_cfg {
	unsigned int hosts;
	size_t memory;			/* of each host, in bytes */
	struct fab_link_params link;
	struct fab_switch_params sw;	/* ports is filled in */
	struct nic_timing timing;
	uint32_t irq_ns;
	void (*trouble)(void *arg, struct host *h, const char *what);
	void *trouble_arg;
};

#define FLEET_DEFAULTS {		\
	.memory = 64 << 20,		\
	.link = FAB_LINK_DEFAULTS,	\
	.sw = FAB_SWITCH_DEFAULTS,	\
	.irq_ns = 1000,			\
}

struct fleet {
	struct sim *sim;
	unsigned int num_hosts;
	struct host **host;
	struct fab_link **link;		/* end 0 is the host's */
	struct fab_switch *sw;
};

/* Builds it; the NICs wait for host_start(). Returns 0 or -errno; fleet_free() in either case. */
int fleet_build(struct fleet *f, struct sim *sim, const struct fleet_cfg *cfg);
void fleet_free(struct fleet *f);

/* The same faults at both ends of every link from now on. Returns as fab_port_set_faults(). */
int fleet_set_faults(struct fleet *f, const struct fab_faults *faults);

/* Sum of a counter over the NICs. */
uint64_t fleet_counter(const struct fleet *f, enum tally_counter c);

/* Sums over both ends of all links. */
struct fab_port_stats fleet_port_stats(const struct fleet *f);

#endif
