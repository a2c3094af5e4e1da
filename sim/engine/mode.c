// SPDX-License-Identifier: BSD-2-Clause
/* Modes of messages: their table, and the choice of one of them. */
#include "engine/mode.h"
#include "engine/common.h"

uint8_t mode_of_flags(uint16_t flags)
{
	switch (flags & (TALLY_TCH_F_EXCHANGE | TALLY_TCH_F_RING)) {
	case 0:
		return TALLY_MODE_TREE;
	case TALLY_TCH_F_EXCHANGE:
		return TALLY_MODE_EXCHANGE;
	case TALLY_TCH_F_RING:
		return TALLY_MODE_RING;
	default:
		return 0;
	}
}

/* Whether `count` elements of `elem` bytes have at most two to the power of `log` bytes. */
static bool is_up_to(uint64_t count, uint32_t elem, uint8_t log)
{
	uint64_t most = 1ULL << log;

	return !elem || (count <= most && count * elem <= most);
}

uint8_t mode_choose(const struct group *g, uint8_t opcode, uint64_t count, uint32_t elem)
{
	const struct choice *c = &g->choice[opcode - 1];
	uint8_t mode = c->large;

	if (is_up_to(count, elem, c->small_log))
		mode = c->small;
	else if (is_up_to(count, elem, c->middle_log))
		mode = c->middle;
	return mode ? mode : g->mode;
}

uint8_t *mode_sum(struct engine *e, const struct group *g, struct slot *s)
{
	(void)e;
	(void)g;
	return slot_up(s);
}

uint8_t *mode_only_sum(struct engine *e, const struct group *g, struct slot *s, unsigned int round)
{
	(void)round;
	return mode_sum(e, g, s);
}

uint8_t *mode_down(struct engine *e, const struct group *g, struct slot *s)
{
	(void)e;
	(void)g;
	return slot_down(s);
}
