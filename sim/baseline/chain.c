// SPDX-License-Identifier: BSD-2-Clause
/* Chains through all members, with the vector cut into segments that are pipelined. */
#include "baseline/build.h"

static uint32_t segments(const struct baseline_group *t)
{
	return t->param && t->count ? (t->count - 1) / t->param + 1 : 1;
}

static uint64_t begin(const struct baseline_group *t, uint32_t segment)
{
	uint64_t at = (uint64_t)segment * t->param;

	return segment && at < t->count ? at : segment ? t->count : 0;
}

static uint64_t length(const struct baseline_group *t, uint32_t segment)
{
	return segments(t) == 1 ? t->count : begin(t, segment + 1) - begin(t, segment);
}

void baseline_chain_bcast(struct baseline_build *b, const struct baseline_group *t)
{
	uint32_t v = t->me, n = segments(t);

	if (v)
		baseline_recv(b, t, v - 1, 0, length(t, 0));
	for (uint32_t s = 0; s < n; s++) {
		/* The next segment may arrive while this one is sent on. */
		if (v && s + 1 < n)
			baseline_recv(b, t, v - 1, begin(t, s + 1), length(t, s + 1));
		if (v)
			baseline_wait(b);
		if (v + 1 < t->n)
			baseline_send(b, t, v + 1, begin(t, s), length(t, s));
	}
}

/* Reduces from the last member to the root. */
void baseline_chain_reduce(struct baseline_build *b, const struct baseline_group *t)
{
	uint32_t v = t->me, n = segments(t);
	uint64_t base = b->tmp, tmp[2];
	bool last = v + 1 == t->n;

	tmp[0] = baseline_alloc(b, length(t, 0));
	tmp[1] = baseline_alloc(b, length(t, 0));
	if (!last)
		baseline_recv(b, t, v + 1, tmp[0], length(t, 0));
	for (uint32_t s = 0; s < n; s++) {
		if (!last && s + 1 < n)
			baseline_recv(b, t, v + 1, tmp[(s + 1) % 2], length(t, s + 1));
		if (!last) {
			baseline_wait(b);
			baseline_reduce(b, begin(t, s), tmp[s % 2], length(t, s));
		}
		if (v)
			baseline_send(b, t, v - 1, begin(t, s), length(t, s));
	}
	b->tmp = base;
}
