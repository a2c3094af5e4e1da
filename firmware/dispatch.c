// SPDX-License-Identifier: BSD-2-Clause
/* The firmware takes one event of the hardware after the other. All its state is in registers. */
#include "firmware/firmware.h"
#include "firmware/handshake.h"
#include "firmware/kill.h"

static void take(struct event *ev)
{
	uint32_t i, words = 0;

	ev->group = EVENT_GET(group);
	ev->edge = EVENT_GET(edge);
	if (ev->type == TALLY_FW_EV_OPEN || ev->type == TALLY_FW_EV_KILL)
		words = TALLY_FW_DATA_WORDS;
	if (words || ev->type == TALLY_FW_EV_KILL_ACK) {
		ev->flags = EVENT_GET(flags);
		ev->epoch = EVENT_GET(epoch);
	}
	ev->mid = EVENT_GET(mid);
	ev->sid = EVENT_GET(sid);
	if (ev->type == TALLY_FW_EV_EXCEPTION) {
		ev->cause = EVENT_GET(cause);
		ev->status = EVENT_GET(status);
		ev->contributors = EVENT_GET(contributors);
		ev->ranks = EVENT_GET(ranks);
	}
	for (i = 0; i < words; i++)
		ev->data[i] = port_read(TALLY_FW_EVENT_BASE + REG_AT(event, data) + 4 * i, 4);
	port_write(TALLY_FW_EVENT_BASE + REG_AT(event, pop), REG_BYTES(event, pop), 1);
}

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
	case TALLY_FW_EV_EARLY_DATA:
		handshake_hurry(ev->group, ev->edge);
		break;
	case TALLY_FW_EV_FENCED:
		kill_finish(ev->group);
		break;
	case TALLY_FW_EV_NONE:
		break;
	}
}

bool firmware_step(void)
{
	struct event ev = { .type = EVENT_GET(type) };

	if (ev.type == TALLY_FW_EV_NONE)
		return false;
	take(&ev);
	handle(&ev);
	return true;
}
