// SPDX-License-Identifier: BSD-2-Clause
/* Answers to QUERY requests, out of turn. */
#include "firmware/query.h"
#include "firmware/group.h"

/* Tell what the oldest unfinished chunk of a message waits for. Returns false if there is none. */
static bool tell_chunk(uint32_t group, uint32_t mid)
{
	SEGMENT_SET(group, group);
	SEGMENT_SET(find, mid);
	if (SEGMENT_GET(index) == NO_CHUNK)
		return false;
	COMMAND_SET(contributors, SEGMENT_GET(waits));
	COMMAND_SET(sid, SEGMENT_GET(sid));
	COMMAND_SET(ranks, GROUP_GET(group, late));
	return true;
}

static uint32_t answer(uint32_t group, uint32_t mid)
{
	COMMAND_SET(contributors, 0);
	COMMAND_SET(ranks, 0);
	COMMAND_SET(sid, 0);
	if (serial_lt(mid, GROUP_GET(group, mid_done)))
		return 0;
	GROUP_SET(group, late_mid, mid);
	if (tell_chunk(group, mid) || GROUP_GET(group, begun))
		return TALLY_CQE_F_PENDING;
	return TALLY_CQE_F_UNKNOWN;
}

void query_answer(uint32_t group)
{
	COMMAND_SET(flags, answer(group, EVENT_GET(mid)));
	COMMAND_SET(qp, EVENT_GET(qp));
	fw_command(TALLY_FW_CMD_ANSWER, group, TALLY_FW_NO_EDGE);
}
