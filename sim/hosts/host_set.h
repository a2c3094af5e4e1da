/* SPDX-License-Identifier: BSD-2-Clause */
/* A set of scripted hosts on a fabric. Host i has the MAC address 02:54:53:00:i / 256:i % 256. */
#ifndef TALLY_SIM_HOSTS_HOST_SET_H
#define TALLY_SIM_HOSTS_HOST_SET_H

#include "fabric/topology.h"
#include "hosts/host.h"

#define HOST_SET_WHY_BYTES 160

/* The order of events. */
enum host_set_order {
	HOST_SET_BY_TIME,	/* events of the same time in the order in which they were scheduled */
	HOST_SET_FIXED,		/* by time; frames as in windows, where the fabric permits these */
	/*
	 * In windows, where the fabric permits them: hosts may be called only by events of their own
	 * (host_cfg.domain) and from outside of events, and there may be no trace and no faults. Each
	 * host has the same times as with HOST_SET_FIXED.
	 */
	HOST_SET_WINDOWS,
};

struct host_set_cfg {
	unsigned int hosts;
	size_t memory;			/* of each host, in bytes */
	struct topo_cfg topo;		/* host_set_build() fills in hosts */
	struct nic_timing timing;
	uint32_t irq_ns;
	enum host_set_order order;
	const struct nic_units *units;	/* of each NIC (nic_cfg.units); NULL: none */
	FILE *commits;			/* of all NICs (nic_cfg.commits); NULL: nowhere */
	uint32_t max_groups, max_segs;	/* of each NIC; 0: those of the largest one */
	void (*on_error)(void *arg, struct host *h, const char *what);
	void *on_error_arg;
};

#define HOST_SET_DEFAULTS {		\
	.memory = 64 << 20,		\
	.topo = TOPO_DEFAULTS,		\
	.irq_ns = 1000,			\
}

struct host_set {
	struct sim *sim;
	unsigned int num_hosts;
	bool windows;
	struct host **host;
	struct topo *topo;
	char why[HOST_SET_WHY_BYTES];	/* the message of topo_new() if host_set_build() failed */
};

/*
 * Builds the set; the NICs wait for host_start(). Returns 0 or -errno. The caller must call
 * host_set_free() in either case.
 */
int host_set_build(struct host_set *f, struct sim *sim, const struct host_set_cfg *cfg);
void host_set_free(struct host_set *f);

/* Calls topo_join() for the multicast GID @gid. */
int host_set_join(struct host_set *f, const uint8_t gid[16], const unsigned int *hosts,
		  unsigned int n);

/* Sets the same faults at both ends of every cable. Returns as fab_port_set_faults(). */
int host_set_set_faults(struct host_set *f, const struct fab_faults *faults);

/* Returns the sum of a counter over the NICs. */
uint64_t host_set_counter(const struct host_set *f, enum tally_counter c);

/* Returns sums over both ends of all cables. */
struct fab_port_stats host_set_port_stats(const struct host_set *f);

#endif
