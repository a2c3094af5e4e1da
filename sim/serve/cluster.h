/* SPDX-License-Identifier: BSD-2-Clause */
/* What a worker simulates: the VMs' NICs, each with a link to one switch. */
#ifndef TALLY_SIM_SERVE_CLUSTER_H
#define TALLY_SIM_SERVE_CLUSTER_H

#include <stdbool.h>

#include "attach/guest_mem.h"
#include "core/event.h"
#include "fabric/link.h"
#include "fabric/rules.h"
#include "fabric/switch.h"
#include "nic/nic.h"
#include "serve/worker.h"

/* A NIC with its ways to the host and to the network. */
struct station {
	struct cluster *cluster;
	struct nic *nic;
	void *bar;			/* MAP_FAILED: not mapped */
	struct fab_link *link;
	const struct guest_mem *mem;
	const struct ivshmem *attachment;
	bool capture_failed;		/* and that was said */
	unsigned int vm, index;		/* which NIC of which VM */
};

struct cluster {
	const struct worker_cfg *cfg;
	struct sim *sim;
	struct fab_switch *sw;
	struct fab_rules *rules;
	bool broken;			/* a NIC could not be replaced; what failed was printed */
	struct guest_mem mem[MAX_VMS];
	struct station *stations;
	unsigned int num_stations;
};

/* Builds all of @cfg. Returns 0, or -1 after saying what failed; cluster_free() in either case. */
int cluster_build(struct cluster *cluster, const struct worker_cfg *cfg);

void cluster_free(struct cluster *cluster);

/* The name of a station's NIC and of its end of its link, vm<i>-nic<j>, in @name. */
#define STATION_NAME_MAX	32
void station_name(const struct station *st, char name[STATION_NAME_MAX]);

/* The name of the switch and of its end of each link. */
#define SWITCH_NAME	"switch"

/* Puts a new NIC in the place of that of @station, as cutting its power does. 0 or -1, said. */
int cluster_power_cycle(struct cluster *cluster, unsigned int station);

/* nic_doorbells() and nic_sleep() of all NICs. */
bool cluster_doorbells(struct cluster *cluster);
void cluster_sleep(struct cluster *cluster, bool asleep);

/* Hands captures to the system, and says so when frames are missing from one. */
void cluster_flush_captures(struct cluster *cluster);

#endif
