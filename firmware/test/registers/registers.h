/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers without an engine: tests write what the hardware would show, call functions of the
 * firmware, and look at what they have written. An access outside the registers fails the test.
 * Commands are recorded. Those whose effect the firmware reads back have this effect, nothing else.
 */
#ifndef TALLY_FIRMWARE_TEST_REGISTERS_H
#define TALLY_FIRMWARE_TEST_REGISTERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "firmware/group.h"

#define REGS_GROUPS 4 /* the group that tests use is G, those beside it must not change */
#define REGS_QPS 8
#define REGS_MAX_COMMANDS 256
#define REGS_COUNTERS 128
#define REGS_FILL 0xa5 /* of registers that nobody has written */

#define G 2
#define EPOCH 0x1234
#define NOW (5000 * MS)

/* A command with its operands. Each OPEN is a SEND_OPEN with what the packet tells. */
struct regs_command {
	enum tally_fw_command_code go;
	uint32_t group, edge, kind, flags, epoch, key, mid, sid, length, qp;
	bool challenge;
	uint64_t contributors, ranks;
	uint32_t data[TALLY_FW_DATA_WORDS];
};

struct regs {
	struct tally_fw_control control;
	struct tally_fw_event event;
	struct tally_fw_command command;
	struct tally_fw_segment segment;
	struct tally_fw_arrival arrival;
	struct tally_fw_qp qp[REGS_QPS];
	uint8_t group[REGS_GROUPS][TALLY_FW_GROUP_STRIDE];
	/* what the hardware has */
	struct tally_fw_event waiting[4];
	unsigned int events, taken;
	uint32_t job;	     /* that exists */
	uint32_t late_mid;   /* message that `late_ranks` have not posted */
	uint64_t late_ranks;
	bool late_begun;     /* another rank has begun it */
	struct tally_fw_segment segments[TALLY_MAX_GROUP_SEGS]; /* of group G */
	struct tally_fw_arrival arrivals[TALLY_NUM_ARRIVALS];	/* of group G */
	uint32_t peer_key; /* of the OPEN that is handled */
	uint64_t peer_nonce;
	void (*before_read)(uint32_t reg); /* changes registers while the firmware reads them */
	/* what the firmware has done */
	struct regs_command done[REGS_MAX_COMMANDS];
	unsigned int commands;
	unsigned int counts[REGS_COUNTERS];
};

extern struct regs regs;

/* Registers without a group; those that a group has are filled with REGS_FILL. */
void regs_clear(void);
/* Group G is open: node 1 of 7, ranks 0 and 1 of two each. It has `num` open edges, no parent. */
void regs_open_group(unsigned int num);
/* Add the parent, edge MAX_CONTRIBUTORS. */
void regs_add_parent(void);

struct tally_fw_group *regs_group(void);
struct tally_fw_edge *regs_edge(unsigned int edge);
struct tally_fw_setup *regs_setup(void);
struct tally_fw_round *regs_round(unsigned int round);
struct tally_fw_neighbour *regs_neighbour(unsigned int edge);
struct tally_fw_traffic *regs_traffic(unsigned int edge);

/* Forget the commands and counts so far. */
void regs_forget(void);
/* Return the number of commands with a code, and the n-th of them, counted from 0. */
unsigned int regs_count(enum tally_fw_command_code code);
const struct regs_command *regs_command(enum tally_fw_command_code code, unsigned int n);

#endif
