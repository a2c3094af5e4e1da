// SPDX-License-Identifier: BSD-2-Clause
/* Open addressing with linear probing; at most half of the slots are in use. */
#include "fabric/mac_table.h"

#include <errno.h>
#include <stdlib.h>

#define VALUE_BITS	16
#define VALUE_MASK	0xffffu
#define FIRST_BITS	4

static uint64_t key_of(const uint8_t mac[6])
{
	uint64_t key = 0;

	for (int i = 0; i < 6; i++)
		key = key << 8 | mac[i];
	return key;
}

static size_t next(const struct mac_table *t, size_t at)
{
	return (at + 1) & (((size_t)1 << t->bits) - 1);
}

/* Returns the home slot of @key: the upper bits of its product with 2^64 over the golden ratio. */
static size_t home(const struct mac_table *t, uint64_t key)
{
	return key * 0x9e3779b97f4a7c15u >> (64 - t->bits);
}

/* Returns the slot of @key, or the free slot where it would be inserted. */
static size_t probe(const struct mac_table *t, uint64_t key)
{
	size_t at = home(t, key);

	while (t->slot[at] && t->slot[at] >> VALUE_BITS != key)
		at = next(t, at);
	return at;
}

static int grow(struct mac_table *t)
{
	struct mac_table bigger = {
		.bits = t->slot ? t->bits + 1 : FIRST_BITS, .count = t->count,
	};

	bigger.slot = calloc((size_t)1 << bigger.bits, sizeof(*bigger.slot));
	if (!bigger.slot)
		return -ENOMEM;
	for (size_t i = 0; t->slot && i < (size_t)1 << t->bits; i++)
		if (t->slot[i])
			bigger.slot[probe(&bigger, t->slot[i] >> VALUE_BITS)] = t->slot[i];
	free(t->slot);
	*t = bigger;
	return 0;
}

int mac_table_set(struct mac_table *t, const uint8_t mac[6], unsigned int value)
{
	uint64_t key = key_of(mac);
	size_t at;

	if ((!t->slot || 2 * t->count >= (size_t)1 << t->bits) && grow(t))
		return -ENOMEM;
	at = probe(t, key);
	t->count += !t->slot[at];
	t->slot[at] = key << VALUE_BITS | (value + 1);
	return 0;
}

int mac_table_find(const struct mac_table *t, const uint8_t mac[6])
{
	return t->slot ? (int)(t->slot[probe(t, key_of(mac))] & VALUE_MASK) - 1 : -1;
}

void mac_table_remove(struct mac_table *t, const uint8_t mac[6])
{
	size_t hole, at;

	if (mac_table_find(t, mac) < 0)
		return;
	hole = probe(t, key_of(mac));
	t->slot[hole] = 0;
	t->count--;
	/* Move back the entries that linear probing placed behind the hole. */
	for (at = next(t, hole); t->slot[at]; at = next(t, at)) {
		uint64_t moved = t->slot[at];

		t->slot[at] = 0;
		t->slot[probe(t, moved >> VALUE_BITS)] = moved;
	}
}

void mac_table_clear(struct mac_table *t)
{
	free(t->slot);
	*t = (struct mac_table){ 0 };
}
