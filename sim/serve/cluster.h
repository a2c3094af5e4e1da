/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated cluster of a worker: the VMs' NICs, each with a link to one switch. */
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

/* A NIC with its connections to the host and to the network. */
struct station {
	struct cluster *cluster;
	struct nic *nic;
	void *bar;			/* MAP_FAILED: not mapped */
	struct fab_link *link;
	const struct guest_mem *mem;
	const struct ivshmem *attachment;
	bool capture_failed;		/* the failure of the capture has been printed */
	unsigned int vm, index;		/* numbers of the VM and of the NIC */
};

struct cluster {
	const struct worker_cfg *cfg;
	struct sim *sim;
	struct fab_switch *sw;
	struct fab_rules *rules;
	bool broken;			/* a NIC could not be replaced; the error was printed */
	struct guest_mem mem[MAX_VMS];
	struct station *stations;
	unsigned int num_stations;
};

/*
 * Builds all of @cfg. Returns 0, or -1 after printing the error. The caller must call
 * cluster_free() in either case.
 */
int cluster_build(struct cluster *cluster, const struct worker_cfg *cfg);

void cluster_free(struct cluster *cluster);

/* Writes the name of a station's NIC and of its end of its link, vm<i>-nic<j>, to @name. */
#define STATION_NAME_MAX	32
void station_name(const struct station *st, char name[STATION_NAME_MAX]);

/* The name of the switch and of its end of each link. */
#define SWITCH_NAME	"switch"

/* Replaces the NIC of @station by a new one, as a power cycle. Returns 0; -1: error printed. */
int cluster_power_cycle(struct cluster *cluster, unsigned int station);

/* Call nic_doorbells() and nic_sleep() for all NICs. */
bool cluster_doorbells(struct cluster *cluster);
void cluster_sleep(struct cluster *cluster, bool asleep);

/* Flushes captures to the system, and prints when frames are missing from one. */
void cluster_flush_captures(struct cluster *cluster);

#endif
