// SPDX-License-Identifier: BSD-2-Clause
/* Includes the engine's message queue, whose check of messages is static. */
#include "engine/rmq.c"

#include "trigger_in_model.h"

bool in_possible(const struct in_message *m, uint32_t mtu)
{
	const struct group g = { .mtu = mtu };
	const struct tch t = {
		.opcode = m->opcode,
		.op = m->op,
		.dtype = m->dtype,
		.branch = m->branch,
		.counter = m->counter,
		.flags = m->flags,
		.count = m->count,
	};

	return plausible(&g, &t, m->len);
}
