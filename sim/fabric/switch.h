/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An Ethernet switch. A frame that has arrived completely spends the switch's latency inside, then
 * enters the queue of its output port, which is the transmit queue of the link end there. A
 * cut-through switch starts sending on a free port when the latency after the first bit has passed:
 * the last bit leaves one latency after it arrived, or later if the output is slower.
 *
 * A unicast address must be in the static table. A frame from a member to a group address with
 * members is sent to each other member port. A frame to a group address without members is sent to
 * every attached port except its own, unless flooding is switched off.
 */
#ifndef TALLY_SIM_FABRIC_SWITCH_H
#define TALLY_SIM_FABRIC_SWITCH_H

#include "core/event.h"
#include "fabric/params.h"
#include "fabric/port.h"

#define FAB_SWITCH_PORTS_MAX	1024
#define FAB_SWITCH_GROUPS_MAX	4096	/* most group addresses with members */

/* Counters of frames since the switch was made. Ports count drops by full queues too. */
#define FAB_SWITCH_STAT_LIST(X)									\
	X(received, "Frames received.")							\
	X(forwarded, "Unicast frames forwarded to one port.")				\
	X(flooded, "Frames to a group address, sent to all other ports.")		\
	X(multicast, "Frames to a group address, sent to its members.")			\
	X(unjoined, "Frames dropped: the group address has no members.")		\
	X(stranger, "Frames dropped: the port of origin is no member of the group.")	\
	X(unknown, "Frames dropped: the destination is not in the table.")		\
	X(hairpin, "Frames dropped: the destination is at the port of origin.")		\
	X(runt, "Frames dropped: shorter than an Ethernet header.")			\
	X(queue_full, "Copies dropped because the queue of the output port was full.")	\
	X(dead, "Frames lost inside, or not received, because the switch was dead.")	\
	X(no_memory, "Frames dropped: the host is out of memory.")

#define FAB_SWITCH_STAT(name, doc)	uint64_t name;
struct fab_switch_stats {
	FAB_SWITCH_STAT_LIST(FAB_SWITCH_STAT)
};

struct fab_switch;

/*
 * Makes a switch without links. Returns NULL and sets errno to EINVAL (no ports, or more than
 * FAB_SWITCH_PORTS_MAX) or ENOMEM.
 */
struct fab_switch *fab_switch_new(struct sim *sim, const struct fab_switch_params *params);

/* Frees the switch with the frames inside; call it before its links are freed. Accepts NULL. */
void fab_switch_free(struct fab_switch *sw);

/*
 * Attaches @end, the end of a link, as port @index: receives its frames and sets its queue limit.
 * Returns 0, -ERANGE (no such port), or -EBUSY (the port or @end is in use).
 */
int fab_switch_attach(struct fab_switch *sw, unsigned int index, struct fab_port *end);

/*
 * Sends frames for @mac to port @index. Returns 0, -ERANGE (no such port), -ENOTCONN (nothing is
 * attached there), -EINVAL (a group address), -ENOSPC (more than 65535 addresses) or -ENOMEM.
 */
int fab_switch_learn(struct fab_switch *sw, const uint8_t mac[6], unsigned int index);

/*
 * Saves memory and time if @sw, which has not learned an address, is to learn the addresses that
 * @other knows.
 */
void fab_switch_share_numbers(struct fab_switch *sw, const struct fab_switch *other);

/*
 * Makes port @index a member of the group address @mac, if it is not. Returns 0, -ERANGE (no such
 * port), -ENOTCONN (nothing is attached there), -EINVAL (not a group address), -ENOSPC
 * (FAB_SWITCH_GROUPS_MAX addresses have members) or -ENOMEM.
 */
int fab_switch_join(struct fab_switch *sw, const uint8_t mac[6], unsigned int index);

/* Removes all members of the group address @mac. */
void fab_switch_leave(struct fab_switch *sw, const uint8_t mac[6]);

/* Sets whether frames to group addresses without members are flooded; initially true. */
void fab_switch_set_flooding(struct fab_switch *sw, bool flooding);

/*
 * Makes the switch part of the NIC at port @index, which is attached: frames from or to that port
 * pass it without latency, and none of its queues is ever full.
 */
void fab_switch_set_inner(struct fab_switch *sw, unsigned int index);

/*
 * Adds (@dead) or removes a reason why the switch is dead. The first reason loses all frames in the
 * switch and in its ports' queues; a dead switch loses all frames that arrive.
 */
void fab_switch_set_dead(struct fab_switch *sw, bool dead);
bool fab_switch_is_dead(const struct fab_switch *sw);

/* Returns the counters, which are valid as long as the switch. */
const struct fab_switch_stats *fab_switch_stats(const struct fab_switch *sw);

#endif
