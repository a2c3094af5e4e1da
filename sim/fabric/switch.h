/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An Ethernet switch. A frame that has arrived whole spends the switch's latency inside, then
 * goes to the queue of its output port, which is the transmit queue of the link end there. A
 * switch that cuts through begins to send on a free port as soon as the latency after the first
 * bit: the last bit leaves the latency after it came, or later by what the output is slower.
 *
 * A unicast address must be in the static table. What is sent to a group address with members
 * goes to each other member port, if it came from one; without members, to every attached port
 * but the one it came from, unless that is switched off.
 */
#ifndef TALLY_SIM_FABRIC_SWITCH_H
#define TALLY_SIM_FABRIC_SWITCH_H

#include "core/event.h"
#include "fabric/params.h"
#include "fabric/port.h"

#define FAB_SWITCH_PORTS_MAX	1024
#define FAB_SWITCH_GROUPS_MAX	4096	/* group addresses with members */

/* Counts of frames since the switch was made. Dropped for want of queue: see the port's own. */
#define FAB_SWITCH_STAT_LIST(X)									\
	X(received, "Frames received.")								\
	X(forwarded, "Unicast frames given to one port.")					\
	X(flooded, "Frames to a group address, given to all other ports.")			\
	X(multicast, "Frames to a group address with members, given to them.")			\
	X(unjoined, "Frames dropped: to a group address without members.")			\
	X(stranger, "Frames dropped: to a group address, from a port that is no member.")	\
	X(unknown, "Frames dropped: destination not in the table.")				\
	X(hairpin, "Frames dropped: destination is where the frame came from.")			\
	X(runt, "Frames dropped: shorter than an Ethernet header.")				\
	X(queue_full, "Copies that an output port's queue had no room for.")			\
	X(dead, "Frames lost inside, or not received, because the switch was dead.")		\
	X(no_memory, "Frames dropped: the host is out of memory.")

#define FAB_SWITCH_STAT(name, doc)	uint64_t name;
struct fab_switch_stats {
	FAB_SWITCH_STAT_LIST(FAB_SWITCH_STAT)
};

struct fab_switch;

/*
 * A switch without links. NULL: errno is EINVAL (no ports, or more than FAB_SWITCH_PORTS_MAX) or
 * ENOMEM.
 */
struct fab_switch *fab_switch_new(struct sim *sim, const struct fab_switch_params *params);

/* Detaches and frees the switch with the frames inside; before its links. NULL is allowed. */
void fab_switch_free(struct fab_switch *sw);

/*
 * Makes @end, the end of a link, the switch's port @index: takes its arrivals and sets its queue.
 * Returns 0, -ERANGE (no such port), -EBUSY (that port, or @end, is taken).
 */
int fab_switch_attach(struct fab_switch *sw, unsigned int index, struct fab_port *end);

/*
 * Sends frames for @mac to port @index from now on. Returns 0, -ERANGE (no such port), -ENOTCONN
 * (nothing attached there), -EINVAL (a group address), -ENOMEM.
 */
int fab_switch_learn(struct fab_switch *sw, const uint8_t mac[6], unsigned int index);

/*
 * Makes port @index a member of the group address @mac; nothing changes if it is one. Returns 0,
 * -ERANGE (no such port), -ENOTCONN (nothing attached there), -EINVAL (no group address), -ENOSPC
 * (FAB_SWITCH_GROUPS_MAX addresses have members), -ENOMEM.
 */
int fab_switch_join(struct fab_switch *sw, const uint8_t mac[6], unsigned int index);

/* The group address @mac has no members any more. */
void fab_switch_leave(struct fab_switch *sw, const uint8_t mac[6]);

/* Whether frames to group addresses without members are flooded; true at first. */
void fab_switch_set_flooding(struct fab_switch *sw, bool flooding);

/*
 * Makes the switch a part of the NIC at port @index, which is attached: frames from or to there
 * lose no time in it, and no queue of it is ever full.
 */
void fab_switch_set_inner(struct fab_switch *sw, unsigned int index);

/*
 * One more reason (@dead) or one less why the switch does nothing. With the first one, all that is
 * in it and in its ports' queues is lost; a dead switch loses all that arrives.
 */
void fab_switch_set_dead(struct fab_switch *sw, bool dead);
bool fab_switch_is_dead(const struct fab_switch *sw);

/* The counters; valid as long as the switch. */
const struct fab_switch_stats *fab_switch_stats(const struct fab_switch *sw);

#endif
