// SPDX-License-Identifier: BSD-2-Clause
/* The firmware takes one event of the hardware after the other. All its state is in registers. */
#include "firmware/firmware.h"
#include "firmware/handshake.h"
#include "firmware/kill.h"
#include "firmware/query.h"

static void timer(uint32_t group, uint32_t edge)
{
	if (edge == TALLY_FW_NO_EDGE)
		kill_group_timer(group);
	else if (fw_group_alive(group))
		handshake_timer(group, edge);
	else
		kill_edge_timer(group, edge);
}

static void handle(const struct event *ev)
{
	switch (ev->type) {
	case TALLY_FW_EV_BEGIN:
		handshake_begin(ev->group);
		break;
	case TALLY_FW_EV_OPEN:
		handshake_packet(ev);
		break;
	case TALLY_FW_EV_KILL:
		kill_packet(ev);
		break;
	case TALLY_FW_EV_KILL_ACK:
		kill_acked(ev);
		break;
	case TALLY_FW_EV_AFTER_END:
		kill_answer(ev->group, ev->edge);
		break;
	case TALLY_FW_EV_EXCEPTION:
		kill_exception(ev);
		break;
	case TALLY_FW_EV_TIMER:
		timer(ev->group, ev->edge);
		break;
	case TALLY_FW_EV_FENCED:
		kill_finish(ev->group);
		break;
	case TALLY_FW_EV_DRAINED:
		kill_drained(ev->group);
		break;
	case TALLY_FW_EV_QUERY:
		query_answer(ev->group);
		break;
	case TALLY_FW_EV_NONE:
		break;
	}
}

bool firmware_step(void)
{
	uint32_t next = EVENT_GET(next);
	const struct event ev = { .type = next & 0xff,
				  .group = next >> 16,
				  .edge = next >> 8 & 0xff };

	if (ev.type == TALLY_FW_EV_NONE)
		return false;
	handle(&ev);
	return true;
}
