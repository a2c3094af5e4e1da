/* SPDX-License-Identifier: BSD-2-Clause */
/* Which triggered messages the engine believes. */
#ifndef TALLY_RTL_TRIGGER_IN_MODEL_H
#define TALLY_RTL_TRIGGER_IN_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct in_message {
	uint8_t opcode, op, dtype, branch, counter;
	uint16_t flags, err_vector, len, port;
	uint32_t count;
};

/* Return whether a message is possible in a group with this MTU. */
bool in_possible(const struct in_message *m, uint32_t mtu);

#ifdef __cplusplus
}
#endif

#endif
