// SPDX-License-Identifier: BSD-2-Clause
/* Small functions on groups, edges, packets and times. */
#include "firmware/group.h"

#define BACKOFF_MAX 10 /* number of doublings of a time-out */

void fw_send(uint32_t group, uint32_t edge, const struct fw_packet *p)
{
	uint32_t i;

	COMMAND_SET(kind, p->kind);
	COMMAND_SET(flags, p->flags);
	COMMAND_SET(epoch, p->epoch);
	COMMAND_SET(key, p->key);
	COMMAND_SET(mid, p->mid);
	COMMAND_SET(sid, p->sid);
	COMMAND_SET(length, p->length);
	for (i = 0; i < p->length / 4; i++)
		port_write(TALLY_FW_COMMAND_BASE + REG_AT(command, data) + 4 * i, 4, p->data[i]);
	fw_command(TALLY_FW_CMD_SEND, group, edge);
}

void fw_command(enum tally_fw_command_code code, uint32_t group, uint32_t edge)
{
	COMMAND_SET(go, code | edge << 8 | group << 16);
}

void fw_count(enum tally_counter counter)
{
	port_write(TALLY_FW_CONTROL_BASE + REG_AT(control, count), REG_BYTES(control, count), counter);
}

bool fw_group_alive(uint32_t group)
{
	uint32_t state = GROUP_GET(group, state);

	return state == TALLY_GROUP_OPENING || state == TALLY_GROUP_OPEN ||
	       state == TALLY_GROUP_DRAINING;
}

bool fw_group_has_multicast(uint32_t group)
{
	return GROUP_GET(group, flags) & TALLY_GROUP_F_MULTICAST;
}

bool fw_group_knows_epoch(uint32_t group)
{
	return GROUP_GET(group, epoch) &&
	       (!fw_group_has_multicast(group) || GROUP_GET(group, group_key));
}

uint64_t fw_group_backoff(uint32_t group, uint32_t tries)
{
	uint64_t wait = GROUP_GET(group, rto) << (tries < BACKOFF_MAX ? tries : BACKOFF_MAX);
	uint64_t most = GROUP_GET(group, max_backoff);

	return wait < most ? wait : most;
}

struct fw_edges fw_edges_of(uint32_t group)
{
	return (struct fw_edges){ GROUP_GET(group, num_edges), GROUP_GET(group, parent) };
}
