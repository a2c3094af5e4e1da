/* SPDX-License-Identifier: BSD-2-Clause */
/* Layout of a slot's memory, and chunk lengths. */
#ifndef TALLY_SIM_ENGINE_PAYLOAD_H
#define TALLY_SIM_ENGINE_PAYLOAD_H

#include "engine/tables.h"

/* Return the longest chunk of an operation, in bytes. */
uint32_t payload_most(const struct group *g, uint8_t mode, uint8_t opcode);
/* Choose where the payloads of a chunk are. */
void payload_lay_out(const struct group *g, struct slot *s);

#endif
