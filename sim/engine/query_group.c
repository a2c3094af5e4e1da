// SPDX-License-Identifier: BSD-2-Clause
/* The driver's queries of a group, which the firmware answers. */
#include "engine/firmware_run.h"
#include "firmware/group_query.h"

struct engine_result engine_query_group(struct engine *e, uint32_t group,
					struct tally_group_info *info)
{
	firmware_finish(e);
	firmware_attach(e);
	return fw_query_group(group, info);
}

struct engine_result engine_query_edges(struct engine *e, uint32_t group,
					struct tally_edge_info *edges)
{
	firmware_finish(e);
	firmware_attach(e);
	return fw_query_edges(group, edges);
}

struct engine_result engine_query_segs(struct engine *e, uint32_t group,
				       struct tally_seg_info *segs, uint32_t *num)
{
	firmware_finish(e);
	firmware_attach(e);
	return fw_query_segs(group, segs, num);
}

struct engine_result engine_query_arrivals(struct engine *e, uint32_t group,
					   struct tally_arrival *arrivals)
{
	firmware_finish(e);
	firmware_attach(e);
	return fw_query_arrivals(group, arrivals);
}
