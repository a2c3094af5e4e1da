// SPDX-License-Identifier: BSD-2-Clause
#include "hosts/ids.h"

bool ids_taken(const struct ids *ids, uint32_t id)
{
	return ids->taken[id / 64] >> id % 64 & 1;
}

static bool all_free(const struct ids *ids, uint32_t first, uint32_t n)
{
	uint32_t i;

	if (first + n > ids->limit)
		return false;
	for (i = first; i < first + n; i++)
		if (ids_taken(ids, i))
			return false;
	return true;
}

uint32_t ids_take(struct ids *ids, uint32_t n)
{
	uint32_t tries, first, i;

	for (tries = 0; tries < ids->limit; tries++) {
		first = (ids->next + tries) % ids->limit;
		if (!all_free(ids, first, n))
			continue;
		for (i = first; i < first + n; i++)
			ids->taken[i / 64] |= 1ULL << i % 64;
		ids->used += n;
		ids->next = (first + n) % ids->limit;
		return first;
	}
	return IDS_NONE;
}

void ids_give(struct ids *ids, uint32_t first, uint32_t n)
{
	uint32_t i;

	for (i = first; i < first + n; i++)
		ids->taken[i / 64] &= ~(1ULL << i % 64);
	ids->used -= n;
}
