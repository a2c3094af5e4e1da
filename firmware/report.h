/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports of the cause of an epoch's end. */
#ifndef TALLY_FIRMWARE_REPORT_H
#define TALLY_FIRMWARE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

struct report {
	uint16_t status;   /* TALLY_COLL_ */
	uint16_t detector; /* node */
	uint8_t level;	   /* of the detector */
	uint64_t contributors, ranks; /* of the detector: at fault or missing */
	uint32_t mid, sid;
};

/* Read or write the report of a group. */
struct report report_get(uint32_t group);
void report_set(uint32_t group, const struct report *r);
/* Return a report whose detector is this node. */
struct report report_of_this_node(uint32_t group, uint16_t status);
/*
 * Whether a neighbour's report is plausible, as far as a node can judge without asking the
 * detector. It cannot judge the message, which may be any number that a user gave or one that will
 * come, nor the contributors of another node.
 */
bool report_valid(uint32_t group, const struct report *r);

#endif
