/* SPDX-License-Identifier: BSD-2-Clause */
/* Comparison of the contributions to a message. */
#ifndef TALLY_SIM_ENGINE_MESSAGE_H
#define TALLY_SIM_ENGINE_MESSAGE_H

#include "engine/tables.h"

/* Fields in which all requests for a message agree, compared where contributions meet. */
struct message {
	uint8_t mode, opcode, op, dtype, root_rank;
	uint16_t root_node;
	uint32_t num, mid, sid, total, first, count;
};
struct message message_of_packet(const struct tch *t);
/* Return whether such a message, with such a chunk, is possible. Sets m->first. */
bool message_plausible(const struct group *g, const struct tch *t, struct message *m);
/* Return OK, or the status that says in which field a contribution disagrees with its slot. */
uint16_t message_disagrees(const struct slot *s, const struct message *m);

#endif
