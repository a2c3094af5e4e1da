// SPDX-License-Identifier: BSD-2-Clause
/* The engine of exceptions_model.c. */
#include "exceptions_model.c"
#include "silence_model.h"

void silence_model(uint32_t group, uint32_t edge, struct model_raised *x)
{
	struct group *g = &e->groups[group];

	g->state = TALLY_GROUP_OPEN;
	exception_silence(e, g, contributor_bit(edge));
	model_next(x);
}
