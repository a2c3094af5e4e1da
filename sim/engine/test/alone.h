/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One node of a group without a network: tests call its units directly, and look at its tables. It
 * counts the packets that the node sends, and keeps the last one.
 */
#ifndef TALLY_SIM_ENGINE_TEST_ALONE_H
#define TALLY_SIM_ENGINE_TEST_ALONE_H

#include "engine/tables.h"

#define ALONE_JID 7
#define ALONE_EPOCH 3

struct alone {
	struct engine *e;
	struct group *g; /* group 0 of the engine, of TREE mode, with rank 0 and without edges */
	unsigned int sent;
	struct tally_tch last;
	uint64_t counters[64]; /* by enum tally_counter */
};

void alone_setup(struct alone *a);
void alone_teardown(struct alone *a);
/* Give the group edges 0 to num - 1, which are open; all of them are children. */
void alone_children(struct alone *a, unsigned int num);
/* Open edge `idx`, which becomes the parent. */
void alone_parent(struct alone *a, unsigned int idx);
/* Return the exception that was raised; its status is OK if there was none. */
const struct fw_event *alone_exception(const struct alone *a);
/* Return the header of chunk 0 of message 0, an ALLREDUCE of `num` INT32. */
struct tch alone_chunk(uint8_t kind, uint32_t num);

#endif
