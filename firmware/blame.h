/* SPDX-License-Identifier: BSD-2-Clause */
/* Blame for the end of an epoch. */
#ifndef TALLY_FIRMWARE_BLAME_H
#define TALLY_FIRMWARE_BLAME_H

#include "firmware/group.h"
#include "firmware/report.h"

/* Report the oldest unfinished chunk, and the neighbours and late ranks that it waits for. */
struct report blame_oldest(uint32_t group);
/* Return the report on the cause of the exception that is handled. */
struct report blame_cause(uint32_t group);
/*
 * Whether the oldest chunk has waited for too long for this edge to open. If messages have no time
 * limit, the group then ends with the report of blame_handshake(), whichever ranks are late.
 */
bool blame_unopened(uint32_t group, uint32_t edge);
struct report blame_handshake(uint32_t group);
/*
 * Report what this NIC knows in addition to the report of a NIC that has timed out. Returns false
 * if it knows nothing.
 */
bool blame_view(uint32_t group, const struct report *told, struct report *mine);
/* Return how close a report is to the cause. */
unsigned int blame_weight(const struct report *r);
bool blame_better(const struct report *a, const struct report *b);

#endif
