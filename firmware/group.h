/* SPDX-License-Identifier: BSD-2-Clause */
/* Small functions on groups, edges, packets and times. */
#ifndef TALLY_FIRMWARE_GROUP_H
#define TALLY_FIRMWARE_GROUP_H

#include "firmware/limits.h"
#include "firmware/port.h"

/* The event that is handled. Whatever else it has is in the registers of the event. */
struct event {
	enum tally_fw_event_type type;
	uint32_t group, edge;
};

/* A packet to a neighbour. `data` has `length` bytes, a multiple of four. */
struct fw_packet {
	uint32_t kind, flags, epoch, key, mid, sid, length;
	const uint32_t *data;
};

void fw_send(uint32_t group, uint32_t edge, const struct fw_packet *p);
/* Carry out a command that has only a group, or only a group and an edge. */
void fw_command(enum tally_fw_command_code code, uint32_t group, uint32_t edge);
void fw_count(enum tally_counter counter);

/* Whether the epoch runs. */
bool fw_group_alive(uint32_t group);
/* The epoch is known only together with the key of results by multicast. */
bool fw_group_knows_epoch(uint32_t group);
bool fw_group_has_multicast(uint32_t group);
/* Return how long to wait for a neighbour that has been told `tries` times. */
uint64_t fw_group_backoff(uint32_t group, uint32_t tries);

/* Return the bit of an edge in a bitmap of contributors. A parent without an index has none. */
static inline uint64_t fw_edge_bit(uint32_t edge)
{
	return edge < TALLY_MAX_CONTRIBUTORS ? 1ULL << edge : 0;
}

/* The edges of a group: those with an index in order, then that of a parent without one. */
struct fw_edges {
	uint32_t num, parent;
};

struct fw_edges fw_edges_of(uint32_t group);

static inline uint32_t fw_edges_next(const struct fw_edges *all, uint32_t edge)
{
	if (edge == TALLY_MAX_CONTRIBUTORS)
		return TALLY_FW_NO_EDGE;
	if (edge + 1 < all->num)
		return edge + 1;
	return all->parent == TALLY_MAX_CONTRIBUTORS ? all->parent : TALLY_FW_NO_EDGE;
}

#define fw_for_each_edge(all, edge)                                                                   \
	for ((edge) = fw_edges_next(all, UINT32_MAX); (edge) != TALLY_FW_NO_EDGE;                     \
	     (edge) = fw_edges_next(all, edge))

#endif
