/* SPDX-License-Identifier: BSD-2-Clause */
/* What the engine does when a descriptor fires, and the header of its messages. */
#ifndef TALLY_RTL_TRIGGER_FIRED_MODEL_H
#define TALLY_RTL_TRIGGER_FIRED_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fired_descriptor {
	uint8_t opcode, op, dtype, branch, dest_counter, elem;
	bool has_result;
	uint16_t dest_port, err_vector;
	uint32_t flags, mid, count;
	uint64_t node_mask;
};

/* What the message queue says; the last four are of an intermediate result. */
struct fired_sum {
	uint16_t err_vector;
	uint8_t op, dtype, messages;
	uint32_t count;
	uint64_t disagree;
};

struct fired {
	bool spoilt, writes, parent, self;
	uint64_t contributors, disagree;
	uint8_t opcode, op, dtype, branch, counter;
	uint16_t flags, err_vector, port;
	uint32_t mid, total, count, bytes;
};

struct fired fired_follow(const struct fired_descriptor *d, const struct fired_sum *s);

#ifdef __cplusplus
}
#endif

#endif
