/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Access to the registers of the hardware (uapi/tally_fw.yaml, docs/registers.md). On the NIC's
 * processor they are memory; a simulator that runs the firmware natively provides two functions
 * for the NIC whose firmware runs.
 */
#ifndef TALLY_FIRMWARE_PORT_H
#define TALLY_FIRMWARE_PORT_H

#include <stdint.h>

#include "gen/tally_fw_hw.h"

#ifdef __riscv
static inline uint64_t port_read(uint32_t reg, unsigned int bytes)
{
	const volatile uint32_t *at = (const volatile uint32_t *)(uintptr_t)reg;
	uint64_t value = at[0];

	return bytes == 8 ? value | (uint64_t)at[1] << 32 : value;
}

static inline void port_write(uint32_t reg, unsigned int bytes, uint64_t value)
{
	volatile uint32_t *at = (volatile uint32_t *)(uintptr_t)reg;

	at[0] = value;
	if (bytes == 8)
		at[1] = value >> 32;
}
#else
/* Read or write a register of 4 or 8 bytes. */
uint64_t port_read(uint32_t reg, unsigned int bytes);
void port_write(uint32_t reg, unsigned int bytes, uint64_t value);
#endif

#define REG_BYTES(block, field) sizeof(((struct tally_fw_##block *)0)->field)
#define REG_AT(block, field) __builtin_offsetof(struct tally_fw_##block, field)

#define CONTROL_GET(field)                                                                         \
	port_read(TALLY_FW_CONTROL_BASE + REG_AT(control, field), REG_BYTES(control, field))
#define EVENT_GET(field)                                                                           \
	port_read(TALLY_FW_EVENT_BASE + REG_AT(event, field), REG_BYTES(event, field))
#define COMMAND_SET(field, value)                                                                  \
	port_write(TALLY_FW_COMMAND_BASE + REG_AT(command, field), REG_BYTES(command, field),      \
		   (value))

static inline uint32_t fw_group_base(uint32_t group)
{
	return TALLY_FW_GROUP_BASE + group * TALLY_FW_GROUP_STRIDE;
}

static inline uint32_t fw_edge_base(uint32_t group, uint32_t edge)
{
	return fw_group_base(group) + TALLY_FW_EDGE_OFFSET + edge * TALLY_FW_EDGE_STRIDE;
}

#define GROUP_GET(g, field)                                                                        \
	port_read(fw_group_base(g) + REG_AT(group, field), REG_BYTES(group, field))
#define GROUP_SET(g, field, value)                                                                 \
	port_write(fw_group_base(g) + REG_AT(group, field), REG_BYTES(group, field), (value))
#define EDGE_GET(g, i, field)                                                                      \
	port_read(fw_edge_base(g, i) + REG_AT(edge, field), REG_BYTES(edge, field))
#define EDGE_SET(g, i, field, value)                                                               \
	port_write(fw_edge_base(g, i) + REG_AT(edge, field), REG_BYTES(edge, field), (value))

/* A word of an array of registers. */
#define REG_WORD(block, field, i) (REG_AT(block, field) + 4 * (i))

#define CONTROL_SET(field, value)                                                                  \
	port_write(TALLY_FW_CONTROL_BASE + REG_AT(control, field), REG_BYTES(control, field),      \
		   (value))
#define SETUP_SET(g, field, value)                                                                 \
	port_write(fw_group_base(g) + TALLY_FW_SETUP_OFFSET + REG_AT(setup, field),                \
		   REG_BYTES(setup, field), (value))
#define SETUP_SET_AT(g, field, i, value)                                                           \
	port_write(fw_group_base(g) + TALLY_FW_SETUP_OFFSET + REG_WORD(setup, field, i), 4, (value))
#define ROUND_SET(g, r, field, value)                                                              \
	port_write(fw_group_base(g) + TALLY_FW_ROUND_OFFSET + (r) * TALLY_FW_ROUND_STRIDE +        \
			   REG_AT(round, field),                                                   \
		   REG_BYTES(round, field), (value))
#define NEIGHBOUR_SET(g, i, field, value)                                                          \
	port_write(fw_edge_base(g, i) + TALLY_FW_NEIGHBOUR_OFFSET + REG_AT(neighbour, field),      \
		   REG_BYTES(neighbour, field), (value))
#define NEIGHBOUR_SET_AT(g, i, field, n, value)                                                    \
	port_write(fw_edge_base(g, i) + TALLY_FW_NEIGHBOUR_OFFSET + REG_WORD(neighbour, field, n), \
		   4, (value))

#define SETUP_GET(g, field)                                                                        \
	port_read(fw_group_base(g) + TALLY_FW_SETUP_OFFSET + REG_AT(setup, field),                 \
		  REG_BYTES(setup, field))
#define NEIGHBOUR_GET_AT(g, i, field, n)                                                           \
	port_read(fw_edge_base(g, i) + TALLY_FW_NEIGHBOUR_OFFSET + REG_WORD(neighbour, field, n), 4)
#define TRAFFIC_GET(g, i, field)                                                                   \
	port_read(fw_edge_base(g, i) + TALLY_FW_TRAFFIC_OFFSET + REG_AT(traffic, field),           \
		  REG_BYTES(traffic, field))
#define SEGMENT_GET(field)                                                                         \
	port_read(TALLY_FW_SEGMENT_BASE + REG_AT(segment, field), REG_BYTES(segment, field))
#define SEGMENT_SET(field, value)                                                                  \
	port_write(TALLY_FW_SEGMENT_BASE + REG_AT(segment, field), REG_BYTES(segment, field),      \
		   (value))
#define ARRIVAL_GET(field)                                                                         \
	port_read(TALLY_FW_ARRIVAL_BASE + REG_AT(arrival, field), REG_BYTES(arrival, field))
#define ARRIVAL_SET(field, value)                                                                  \
	port_write(TALLY_FW_ARRIVAL_BASE + REG_AT(arrival, field), REG_BYTES(arrival, field),      \
		   (value))
#define QP_GET(n, field)                                                                           \
	port_read(TALLY_FW_QP_BASE + (n) * TALLY_FW_QP_STRIDE + REG_AT(qp, field),                 \
		  REG_BYTES(qp, field))
#define QP_SET(n, field, value)                                                                    \
	port_write(TALLY_FW_QP_BASE + (n) * TALLY_FW_QP_STRIDE + REG_AT(qp, field),                \
		   REG_BYTES(qp, field), (value))

#endif
