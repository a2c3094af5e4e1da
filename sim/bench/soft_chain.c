// SPDX-License-Identifier: BSD-2-Clause
/* Chains through all members, the vector cut into segments that follow each other. */
#include "bench/soft_build.h"

static uint32_t segments(const struct soft_team *t)
{
	return t->param && t->count ? (t->count - 1) / t->param + 1 : 1;
}

static uint64_t begin(const struct soft_team *t, uint32_t segment)
{
	uint64_t at = (uint64_t)segment * t->param;

	return segment && at < t->count ? at : segment ? t->count : 0;
}

static uint64_t length(const struct soft_team *t, uint32_t segment)
{
	return segments(t) == 1 ? t->count : begin(t, segment + 1) - begin(t, segment);
}

void soft_chain_bcast(struct soft_build *b, const struct soft_team *t)
{
	uint32_t v = t->me, n = segments(t);

	if (v)
		soft_recv(b, t, v - 1, 0, length(t, 0));
	for (uint32_t s = 0; s < n; s++) {
		/* The next one may come while this one is passed on. */
		if (v && s + 1 < n)
			soft_recv(b, t, v - 1, begin(t, s + 1), length(t, s + 1));
		if (v)
			soft_wait(b);
		if (v + 1 < t->n)
			soft_send(b, t, v + 1, begin(t, s), length(t, s));
	}
}

/* From the last member to the root. */
void soft_chain_reduce(struct soft_build *b, const struct soft_team *t)
{
	uint32_t v = t->me, n = segments(t);
	uint64_t base = b->tmp, tmp[2];
	bool last = v + 1 == t->n;

	tmp[0] = soft_room(b, length(t, 0));
	tmp[1] = soft_room(b, length(t, 0));
	if (!last)
		soft_recv(b, t, v + 1, tmp[0], length(t, 0));
	for (uint32_t s = 0; s < n; s++) {
		if (!last && s + 1 < n)
			soft_recv(b, t, v + 1, tmp[(s + 1) % 2], length(t, s + 1));
		if (!last) {
			soft_wait(b);
			soft_reduce(b, begin(t, s), tmp[s % 2], length(t, s));
		}
		if (v)
			soft_send(b, t, v - 1, begin(t, s), length(t, s));
	}
	b->tmp = base;
}
