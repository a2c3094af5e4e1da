// SPDX-License-Identifier: BSD-2-Clause
/* The words of chunks that are in their slots. */
#include "engine/words.h"
#include "engine/mode.h"
#include "engine/ordered.h"
#include "engine/segment.h"
#include "engine/segment_rx.h"

static void post(struct engine *e, const struct group *g, const struct slot *s,
		 const struct posted *p)
{
	(void)e;
	(void)g;
	(void)s;
	(void)p;
}

static void pump(struct engine *e, struct group *g, struct slot *s)
{
	mode_of(s->mode)->pump(e, g, s);
}

static void delivered(struct engine *e, const struct slot *s, unsigned int rank)
{
	(void)e;
	(void)s;
	(void)rank;
}

const struct words words_of_slots = {
	.post = post,
	.give = slot_give,
	.take = slot_take,
	.pump = pump,
	.delivered = delivered,
	.finished = slot_finished,
	.clear = ordered_clear,
};
