/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fabrics: cables and switches between up to TOPO_MAX_HOSTS hosts, with static routes.
 *
 * A host is a number and has one fab_port, to which a NIC or another station is attached. The
 * fabric delivers frames to it by the MAC addresses that topo_learn() sets.
 *
 *	direct		two hosts and a cable
 *	ring		a cable to each of two neighbours: the right cable of host i leads to host
 *			i + 1, that of the last host to host 0 (two hosts: one cable). NICs forward
 *			frames for others the shorter way round, to the right if both are equal.
 *	switch		all hosts at one switch
 *	fattree2	leaves with half their ports down, to hosts, and one port up to each spine
 *	fattree3	pods of such leaves and the same number of aggregation switches; each of
 *			these has half its ports up to cores, each of which has a port for every pod
 *
 * Fat trees are not oversubscribed (1:1). Hosts fill leaves in order, and leaves fill pods in
 * order. Switches that no host needs are not built; one leaf has no spine. The path to a host
 * depends only on that host: upper switches are chosen by the host's number modulo the number of
 * upper switches, digit by digit (d-mod-k).
 */
#ifndef TALLY_SIM_FABRIC_TOPOLOGY_H
#define TALLY_SIM_FABRIC_TOPOLOGY_H

#include <stddef.h>
#include <stdint.h>

#include "core/event.h"
#include "fabric/link.h"
#include "fabric/params.h"
#include "fabric/port.h"
#include "fabric/switch.h"

#define TOPO_MAX_HOSTS	1024
#define TOPO_MAX_LEVELS	3

enum topo_kind {
	TOPO_SWITCH,
	TOPO_DIRECT,
	TOPO_RING,
	TOPO_FATTREE2,
	TOPO_FATTREE3,
	TOPO_KINDS
};

struct topo_cfg {
	enum topo_kind kind;
	unsigned int hosts;
	struct fab_link_params link;	/* cables of hosts */
	struct fab_link_params trunk;	/* cables between switches */
	/*
	 * Parameters of every switch. With TOPO_SWITCH only, ports may be 0 for one port per host.
	 * On a ring, latency and cut_through are those of a NIC that forwards a frame, and the
	 * other fields are not used.
	 */
	struct fab_switch_params sw;
};

/* One switch with a port for every host; the user sets hosts. */
#define TOPO_DEFAULTS {				\
	.link = FAB_LINK_DEFAULTS,		\
	.trunk = FAB_LINK_DEFAULTS,		\
	.sw = FAB_SWITCH_DEFAULTS_WITH(0),	\
}

struct topo;

/* Returns "direct", "ring", "switch", "fattree2" or "fattree3"; NULL for any other value. */
const char *topo_kind_name(enum topo_kind kind);
/* Converts such a name to a kind. Returns 0 or -EINVAL. */
int topo_kind_parse(const char *name, enum topo_kind *kind);

/*
 * Returns 0 if the fabric is possible, otherwise -EINVAL with a sentence in @why (of @size bytes)
 * that names the conflict: "fattree2 of 32-port switches has room for 512 hosts, not 600".
 */
int topo_check(const struct topo_cfg *cfg, char *why, size_t size);

/* Builds a fabric. Returns NULL with a sentence in @why and errno as topo_check() or ENOMEM. */
struct topo *topo_new(struct sim *sim, const struct topo_cfg *cfg, char *why, size_t size);

/* Frees the fabric, after everything that sends there and before the sim. Accepts NULL. */
void topo_free(struct topo *t);

/*
 * Makes the order of frames that reach a switch at the same time depend on nothing but the hosts from
 * which they come there. Returns false, without effect, if a host is not connected to one switch.
 */
bool topo_fix_order(struct topo *t);

/*
 * Prepares windows (sim_set_windows()) where host i belongs to domain i + 1, and switches and cables to
 * the network. Fixes the order as topo_fix_order(). Returns false if they would be too short to be
 * of use, or the fabric does not permit them.
 */
bool topo_windows(struct topo *t, struct sim_windows *win);

unsigned int topo_hosts(const struct topo *t);
const struct topo_cfg *topo_config(const struct topo *t);

/* Returns the host's port, which can use all cables of the host at their full rate. */
struct fab_port *topo_port(struct topo *t, unsigned int host);

/*
 * Returns the host's cable (ring: the right one), or NULL if it has none. End 0 is at the host,
 * except for host 1 of a direct cable.
 */
struct fab_link *topo_host_link(struct topo *t, unsigned int host);

/*
 * Makes every switch send frames for @mac to @host. A host may have several addresses. Returns 0,
 * -ERANGE (no such host), -EINVAL (a group address) or -ENOMEM.
 */
int topo_learn(struct topo *t, unsigned int host, const uint8_t mac[6]);

/* Returns the levels of switches between hosts: 0 (direct, ring), 1 (switch), 2, 3. */
unsigned int topo_levels(const struct topo *t);

/*
 * Returns a number that two hosts share if and only if the path between them does not go above
 * @level; level 0 is the lowest. It is the number of the leaf, then that of the pod, and 0 for all
 * at the highest level. @level is below TOPO_MAX_LEVELS; from topo_levels() on, all hosts share 0.
 */
uint32_t topo_switch_of(const struct topo *t, unsigned int level, unsigned int host);

/* Number of parts between two hosts. On a ring, the NICs that forward frames count as switches. */
struct topo_path {
	unsigned int switches, links;
};

/* Returns all zeroes from a host to itself. */
struct topo_path topo_path(const struct topo *t, unsigned int from, unsigned int to);

/*
 * Returns the time from the start of sending to the arrival of a frame of @bytes (without
 * ETH_OVERHEAD_BYTES) on an idle fabric. The simulation takes the same time, to the picosecond.
 */
vtime_t topo_path_time(const struct topo *t, unsigned int from, unsigned int to, size_t bytes);

/* Returns the longest such time between any two of @n hosts; 0 if @n is below 2. */
vtime_t topo_longest_time(const struct topo *t, const unsigned int *hosts, unsigned int n,
			  size_t bytes);

/*
 * Returns such a time over a path whose highest switch is at level @level: 1 for leaves, 0 for a
 * single cable, at most topo_levels().
 */
vtime_t topo_level_time(const struct topo *t, unsigned int level, size_t bytes);

/*
 * Makes the @n hosts the members of the group address @mac (33:33:...), in place of earlier ones. A
 * frame of a member to the address reaches each other member once, over one tree. Frames to an
 * address without members, or from a host that is not a member, are dropped by the first switch
 * (counted there as unjoined or stranger), except that TOPO_SWITCH floods those without members. A
 * direct cable passes everything, so the call does nothing there. Returns 0, -ERANGE (no such
 * host), -EINVAL (not a group address), -EBUSY (a host is listed twice) or -ENOMEM; after an error
 * the address has no members.
 */
int topo_join(struct topo *t, const uint8_t mac[6], const unsigned int *hosts, unsigned int n);
/* Removes all members of the address. */
void topo_leave(struct topo *t, const uint8_t mac[6]);

/* Sums over both directions of all cables, and over all switches, since topo_new(). */
struct topo_totals {
	uint64_t frames, bytes;			/* put on the cables; bytes as in fab_port_stats */
	uint64_t trunk_frames, trunk_bytes;	/* part of these, between switches */
	uint64_t ecn_marked;
	uint64_t queue_full;			/* frames dropped by full queues */
	uint64_t lost;				/* frames lost otherwise: faults, tables, memory */
};

struct topo_totals topo_totals(const struct topo *t);

/* Return the number of cables, and a cable; those of hosts are first. For captures and faults. */
unsigned int topo_num_links(const struct topo *t);
struct fab_link *topo_link(struct topo *t, unsigned int index);

/* The same for switches, leaves first (ring: none). Names: "switch", "leaf0", "agg0", "core0". */
unsigned int topo_num_switches(const struct topo *t);
struct fab_switch *topo_switch(struct topo *t, unsigned int index);
void topo_switch_name(const struct topo *t, unsigned int index, char *name, size_t size);

#endif
