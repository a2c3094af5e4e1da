/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers to the driver's queries of a group: its state, edges, segments and arrivals. */
#ifndef TALLY_FIRMWARE_GROUP_QUERY_H
#define TALLY_FIRMWARE_GROUP_QUERY_H

#include "firmware/result.h"

struct engine_result fw_query_group(uint32_t group, struct tally_group_info *info);
/* `edges` has MAX_CONTRIBUTORS + 1 entries; entries of edges that do not exist become zero. */
struct engine_result fw_query_edges(uint32_t group, struct tally_edge_info *edges);
/*
 * `segs` has room for MAX_GROUP_SEGS entries. *num becomes the most segments of the group, as many
 * of which are written: those of the chunks from done on.
 */
struct engine_result fw_query_segs(uint32_t group, struct tally_seg_info *segs, uint32_t *num);
/* `arrivals` has NUM_ARRIVALS entries, the newest message first. */
struct engine_result fw_query_arrivals(uint32_t group, struct tally_arrival *arrivals);

#endif
