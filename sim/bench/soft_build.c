// SPDX-License-Identifier: BSD-2-Clause
#include "bench/soft_build.h"

#include <stdlib.h>

static void add(struct soft_build *b, struct soft_step step)
{
	struct soft_plan *p = b->plan;

	if (p->used == p->room) {
		size_t room = p->room ? 2 * p->room : 1024;
		struct soft_step *more = reallocarray(p->step, room, sizeof(*more));

		if (!more) {
			b->no_memory = true;
			return;
		}
		p->step = more;
		p->room = room;
	}
	p->step[p->used++] = step;
}

static uint32_t global(const struct soft_team *t, uint32_t member)
{
	return t->base + (member + t->shift) % t->n * t->stride;
}

/* Numbers that do not fit are found at the end: tmp_max is then too large. */
void soft_send(struct soft_build *b, const struct soft_team *t, uint32_t peer, uint64_t from,
	       uint64_t count)
{
	add(b, (struct soft_step){ SOFT_SEND, global(t, peer), 0, from, count });
}

void soft_recv(struct soft_build *b, const struct soft_team *t, uint32_t peer, uint64_t to,
	       uint64_t count)
{
	add(b, (struct soft_step){ SOFT_RECV, global(t, peer), to, 0, count });
}

void soft_wait(struct soft_build *b)
{
	add(b, (struct soft_step){ .kind = SOFT_WAIT });
}

void soft_reduce(struct soft_build *b, uint64_t to, uint64_t from, uint64_t count)
{
	if (count)
		add(b, (struct soft_step){ SOFT_REDUCE, 0, to, from, count });
}

void soft_copy(struct soft_build *b, uint64_t to, uint64_t from, uint64_t count)
{
	if (count)
		add(b, (struct soft_step){ SOFT_COPY, 0, to, from, count });
}

void soft_share(struct soft_build *b, uint64_t from, uint64_t count)
{
	add(b, (struct soft_step){ SOFT_SHARE, 0, 0, from, count });
}

void soft_take(struct soft_build *b, const struct soft_team *t, uint32_t peer, uint64_t to,
	       uint64_t count)
{
	soft_recv(b, t, peer, to, count);
	soft_wait(b);
}

void soft_take_in(struct soft_build *b, uint32_t n, uint64_t from, uint64_t count)
{
	for (uint32_t i = 0; i < n; i++) {
		soft_wait(b);
		soft_reduce(b, 0, from + i * count, count);
	}
}

uint64_t soft_room(struct soft_build *b, uint64_t count)
{
	uint64_t at = b->tmp;

	b->tmp += count;
	if (b->tmp > b->tmp_max)
		b->tmp_max = b->tmp;
	return at;
}
