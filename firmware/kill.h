/* SPDX-License-Identifier: BSD-2-Clause */
/* End of an epoch. */
#ifndef TALLY_FIRMWARE_KILL_H
#define TALLY_FIRMWARE_KILL_H

#include "firmware/group.h"

/* State of the KILL on an edge, register `kill`. */
enum { KILL_NONE, KILL_SENDING, KILL_ACKED };

/* End the epoch for a cause that the firmware has found. */
void kill_cause(uint32_t group, uint16_t status, uint64_t contributors);
/* End the epoch because the oldest chunk has waited for too long for edges to open. */
void kill_unopened(uint32_t group);
/* The hardware has frozen the group. */
void kill_exception(const struct event *ev);
/* Handle a KILL, and the acknowledgement of one. */
void kill_packet(const struct event *ev);
void kill_acked(const struct event *ev);
/* Tell a neighbour that opens its edge only now, unless both know of a mismatch. */
void kill_tell_late(uint32_t group, uint32_t edge);
/* Answer a neighbour that sends data to a group that has ended, or asks for a chunk. */
void kill_answer(uint32_t group, uint32_t edge);
/* Repeat KILL on an edge. */
void kill_edge_timer(uint32_t group, uint32_t edge);
/* The time of a group to collect reports or to drain is over, or that of a tombstone. */
void kill_group_timer(uint32_t group);
/* A destroyed group has finished all its chunks. */
void kill_drained(uint32_t group);
/* No result of the group is being written any more. */
void kill_finish(uint32_t group);

#endif
