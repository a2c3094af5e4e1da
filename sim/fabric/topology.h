/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fabrics: cables and switches between up to TOPO_MAX_HOSTS hosts, with routes that never change.
 *
 * A host is a number and has one fab_port, to which a NIC or anything else can be attached. Frames
 * find it by the MAC addresses that topo_learn() makes known.
 *
 *	direct		two hosts and a cable
 *	ring		a cable to each of two neighbours: host i's right one leads to host i + 1,
 *			the last host's to host 0 (two hosts: one cable). The NIC passes on what is
 *			not for it, the shorter way round, to the right if both are the same.
 *	switch		all hosts at one switch
 *	fattree2	leaves with half their ports down, to hosts, and one port up to each spine
 *	fattree3	pods of such leaves and as many aggregation switches; each of these has half
 *			its ports up to cores, of which each has one port for every pod
 *
 * Fat trees have as much room up as down (1:1). Hosts fill leaves in order, leaves fill pods in
 * order; what nobody needs is not built: no spine with one leaf. The way up to a host depends on
 * nothing but the host: upper switches are chosen by its number modulo theirs, digit by digit
 * (d-mod-k).
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
	 * Every switch. ports: 0 means as many as there are hosts, with TOPO_SWITCH only. On a
	 * ring, latency and cut_through are those of a NIC that passes a frame on, the rest is
	 * not used.
	 */
	struct fab_switch_params sw;
};

/* One switch with a port for every host; hosts is to be filled in. */
#define TOPO_DEFAULTS {				\
	.link = FAB_LINK_DEFAULTS,		\
	.trunk = FAB_LINK_DEFAULTS,		\
	.sw = FAB_SWITCH_DEFAULTS_WITH(0),	\
}

struct topo;

/* "direct", "ring", "switch", "fattree2", "fattree3"; NULL for anything else. */
const char *topo_kind_name(enum topo_kind kind);
/* The other way round: 0, or -EINVAL. */
int topo_kind_parse(const char *name, enum topo_kind *kind);

/*
 * 0 if such a fabric can be, else -EINVAL with a sentence in @why (of @size bytes) that says what
 * does not fit: "fattree2 of 32-port switches has room for 512 hosts, not 600".
 */
int topo_check(const struct topo_cfg *cfg, char *why, size_t size);

/* Builds it. NULL: EINVAL as topo_check(), or ENOMEM; a sentence is in @why in either case. */
struct topo *topo_new(struct sim *sim, const struct topo_cfg *cfg, char *why, size_t size);

/* After those who send there, before the sim. NULL is allowed. */
void topo_free(struct topo *t);

unsigned int topo_hosts(const struct topo *t);
const struct topo_cfg *topo_config(const struct topo *t);

/* The host's port. It takes frames of at most one cable's rate on every cable of the host. */
struct fab_port *topo_port(struct topo *t, unsigned int host);

/* The host's cable (ring: its right one), NULL if it has none. End 0 is the host's, except host 1's
 * of a direct cable. */
struct fab_link *topo_host_link(struct topo *t, unsigned int host);

/*
 * Makes every switch send frames for @mac to @host, from now on. A host may have several addresses.
 * Returns 0, -ERANGE (no such host), -EINVAL (a group address), -ENOMEM.
 */
int topo_learn(struct topo *t, unsigned int host, const uint8_t mac[6]);

/* Levels of switches between hosts: 0 (direct, ring), 1 (switch), 2, 3. */
unsigned int topo_levels(const struct topo *t);

/*
 * What two hosts share if and only if the way between them need not go above @level, 0 for the
 * lowest: number of the leaf, then that of the pod; 0 for all at the highest level. @level is below
 * TOPO_MAX_LEVELS; from topo_levels() on all share 0.
 */
uint32_t topo_switch_of(const struct topo *t, unsigned int level, unsigned int host);

/* What is between two hosts. On a ring, the switches are the NICs that pass frames on. */
struct topo_path {
	unsigned int switches, links;
};

/* All zero from a host to itself. */
struct topo_path topo_path(const struct topo *t, unsigned int from, unsigned int to);

/*
 * From the begin of sending to the arrival of a frame of @bytes (without ETH_OVERHEAD_BYTES) that
 * meets no other: to the picosecond what the simulation does.
 */
vtime_t topo_path_time(const struct topo *t, unsigned int from, unsigned int to, size_t bytes);

/* The longest such time between any two of the @n hosts; 0 if there are no two. */
vtime_t topo_longest_time(const struct topo *t, const unsigned int *hosts, unsigned int n,
			  size_t bytes);

/*
 * The same over a way whose highest switch is of level @level, 1 for leaves; 0: over one cable. Not
 * above topo_levels().
 */
vtime_t topo_level_time(const struct topo *t, unsigned int level, size_t bytes);

/*
 * The members of the group address @mac (33:33:...) are the @n hosts from now on, in place of those
 * there were; what one of them sends there reaches each other one once, over one tree. Frames to an
 * address without members, or from a host that is not one, are dropped by the first switch (counted
 * there: unjoined, stranger), except that TOPO_SWITCH floods those without members. A direct cable
 * passes everything and this does nothing. Returns 0, -ERANGE (no such host), -EINVAL (no group
 * address), -EBUSY (a host twice), -ENOMEM; then the address has no members.
 */
int topo_join(struct topo *t, const uint8_t mac[6], const unsigned int *hosts, unsigned int n);
/* The address has no members any more. */
void topo_leave(struct topo *t, const uint8_t mac[6]);

/* Sums over both directions of all cables and over all switches, since topo_new(). */
struct topo_totals {
	uint64_t frames, bytes;			/* put on the cables; bytes as in fab_port_stats */
	uint64_t trunk_frames, trunk_bytes;	/* of these, between switches */
	uint64_t ecn_marked;
	uint64_t queue_full;			/* frames dropped by full queues */
	uint64_t lost;				/* frames lost otherwise: faults, tables, memory */
};

struct topo_totals topo_totals(const struct topo *t);

/* All cables, those of hosts first; for captures, faults and traces. */
unsigned int topo_num_links(const struct topo *t);
struct fab_link *topo_link(struct topo *t, unsigned int index);

/* All switches, leaves first (ring: none). Names are "switch", "leaf0", "agg0", "core0", ... */
unsigned int topo_num_switches(const struct topo *t);
struct fab_switch *topo_switch(struct topo *t, unsigned int index);
void topo_switch_name(const struct topo *t, unsigned int index, char *name, size_t size);

#endif
