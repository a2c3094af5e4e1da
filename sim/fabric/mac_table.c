// SPDX-License-Identifier: BSD-2-Clause
#include "fabric/mac_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t key_of(const uint8_t mac[6])
{
	uint64_t key = 0;

	for (int i = 0; i < 6; i++)
		key = key << 8 | mac[i];
	return key;
}

/* Index of the first entry not below @key. */
static size_t lower_bound(const struct mac_table *t, uint64_t key)
{
	size_t low = 0, high = t->count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (t->entry[mid].mac < key)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int grow(struct mac_table *t)
{
	size_t room = t->room ? 2 * t->room : 16;
	struct mac_entry *entry = reallocarray(t->entry, room, sizeof(*entry));

	if (!entry)
		return -ENOMEM;
	t->entry = entry;
	t->room = room;
	return 0;
}

int mac_table_set(struct mac_table *t, const uint8_t mac[6], unsigned int port)
{
	uint64_t key = key_of(mac);
	size_t at = lower_bound(t, key);

	if (at < t->count && t->entry[at].mac == key) {
		t->entry[at].port = port;
		return 0;
	}
	if (t->count == t->room && grow(t))
		return -ENOMEM;
	memmove(&t->entry[at + 1], &t->entry[at], (t->count - at) * sizeof(t->entry[0]));
	t->entry[at] = (struct mac_entry){ .mac = key, .port = port };
	t->count++;
	return 0;
}

int mac_table_find(const struct mac_table *t, const uint8_t mac[6])
{
	uint64_t key = key_of(mac);
	size_t at = lower_bound(t, key);

	return at < t->count && t->entry[at].mac == key ? (int)t->entry[at].port : -1;
}

void mac_table_clear(struct mac_table *t)
{
	free(t->entry);
	*t = (struct mac_table){ 0 };
}
