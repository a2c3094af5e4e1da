// SPDX-License-Identifier: BSD-2-Clause
/*
 * Memory of a slot, which has room for two payloads of the largest MTU. They are the sum and the
 * result; in EXCHANGE, a reduction has a partial result before the first round and after each. A
 * reduction of fixed shape whose inputs fit as well has them behind these, and needs no cells.
 *
 * A group with a chunk length for fixed order has chunks for which everything fits. Other groups
 * have cells for the inputs of long chunks; in EXCHANGE, the partial results of such chunks stay in
 * the cells in which they were combined, except the first and the last.
 */
#include "engine/payload.h"
#include "engine/chunk.h"
#include "engine/common.h"
#include "engine/ordered.h"

/* Return the number of sums and results that a reduction of fixed shape keeps. */
static uint32_t num_results(const struct group *g, uint8_t mode)
{
	return mode == TALLY_MODE_EXCHANGE ? g->rounds + 1 : 2;
}

uint32_t payload_most(const struct group *g, uint8_t mode, uint8_t opcode)
{
	bool fixed = opcode_reduces(opcode) && (is_ordered(g) || mode == TALLY_MODE_EXCHANGE);

	return fixed && g->chunk && g->chunk < g->mtu ? g->chunk : g->mtu;
}

void payload_lay_out(const struct group *g, struct slot *s)
{
	uint32_t len = (s->count * s->elem + PAYLOAD_ALIGN - 1) / PAYLOAD_ALIGN * PAYLOAD_ALIGN;
	uint32_t results = num_results(g, s->mode);

	s->stride = TALLY_MAX_MTU;
	if (!ordered_applies(g, s))
		return;
	s->inputs_at = results;
	s->inputs_inside = len * (results + ordered_inputs(g)) <= SLOT_BYTES;
	s->spread = is_exchange(s) && len * results > SLOT_BYTES;
	if (s->inputs_inside || (is_exchange(s) && !s->spread))
		s->stride = len;
}
