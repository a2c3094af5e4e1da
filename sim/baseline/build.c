// SPDX-License-Identifier: BSD-2-Clause
#include "baseline/build.h"

#include <stdlib.h>

static void add(struct baseline_build *b, struct baseline_step step)
{
	struct baseline_plan *p = b->plan;

	if (p->used == p->room) {
		size_t room = p->room ? 2 * p->room : 1024;
		struct baseline_step *more = reallocarray(p->step, room, sizeof(*more));

		if (!more) {
			b->no_memory = true;
			return;
		}
		p->step = more;
		p->room = room;
	}
	p->step[p->used++] = step;
}

static uint32_t global(const struct baseline_group *t, uint32_t member)
{
	uint32_t at = (member + t->shift) % t->n;

	return (t->leader ? t->leader[at] : t->base) + at * t->stride;
}

/* If numbers do not fit, tmp_max is too large, which the caller checks at the end. */
void baseline_send(struct baseline_build *b, const struct baseline_group *t, uint32_t peer,
		   uint64_t from, uint64_t count)
{
	add(b, (struct baseline_step){ BASELINE_SEND, global(t, peer), 0, from, count });
}

void baseline_recv(struct baseline_build *b, const struct baseline_group *t, uint32_t peer,
		   uint64_t to, uint64_t count)
{
	add(b, (struct baseline_step){ BASELINE_RECV, global(t, peer), to, 0, count });
}

void baseline_wait(struct baseline_build *b)
{
	add(b, (struct baseline_step){ .kind = BASELINE_WAIT });
}

void baseline_reduce(struct baseline_build *b, uint64_t to, uint64_t from, uint64_t count)
{
	if (count)
		add(b, (struct baseline_step){ BASELINE_REDUCE, 0, to, from, count });
}

void baseline_copy(struct baseline_build *b, uint64_t to, uint64_t from, uint64_t count)
{
	if (count)
		add(b, (struct baseline_step){ BASELINE_COPY, 0, to, from, count });
}

void baseline_share(struct baseline_build *b, uint64_t from, uint64_t count)
{
	add(b, (struct baseline_step){ BASELINE_SHARE, 0, 0, from, count });
}

void baseline_recv_wait(struct baseline_build *b, const struct baseline_group *t, uint32_t peer,
			uint64_t to, uint64_t count)
{
	baseline_recv(b, t, peer, to, count);
	baseline_wait(b);
}

void baseline_wait_reduce(struct baseline_build *b, uint32_t n, uint64_t from, uint64_t count)
{
	for (uint32_t i = 0; i < n; i++) {
		baseline_wait(b);
		baseline_reduce(b, 0, from + i * count, count);
	}
}

uint64_t baseline_alloc(struct baseline_build *b, uint64_t count)
{
	uint64_t at = b->tmp;

	b->tmp += count;
	if (b->tmp > b->tmp_max)
		b->tmp_max = b->tmp;
	return at;
}
