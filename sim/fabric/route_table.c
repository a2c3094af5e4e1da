// SPDX-License-Identifier: BSD-2-Clause
#include "fabric/route_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/mac_table.h"

struct route_numbers {
	unsigned int refs;
	unsigned int count;
	struct mac_table macs;
};

int route_table_init(struct route_table *t)
{
	*t = (struct route_table){ .numbers = calloc(1, sizeof(*t->numbers)) };
	if (!t->numbers)
		return -ENOMEM;
	t->numbers->refs = 1;
	return 0;
}

static void drop_numbers(struct route_numbers *numbers)
{
	if (!numbers || --numbers->refs)
		return;
	mac_table_clear(&numbers->macs);
	free(numbers);
}

void route_table_free(struct route_table *t)
{
	drop_numbers(t->numbers);
	free(t->port);
	*t = (struct route_table){ 0 };
}

void route_table_share(struct route_table *t, const struct route_table *other)
{
	other->numbers->refs++;
	drop_numbers(t->numbers);
	t->numbers = other->numbers;
}

/* Returns the number of @mac, which is new if need be, or a negative error. */
static int number(struct route_numbers *numbers, const uint8_t mac[6])
{
	int n = mac_table_find(&numbers->macs, mac);

	if (n >= 0)
		return n;
	if (numbers->count > MAC_TABLE_MAX_VALUE)
		return -ENOSPC;
	n = mac_table_set(&numbers->macs, mac, numbers->count);
	return n ? n : (int)numbers->count++;
}

static int make_room(struct route_table *t, unsigned int n)
{
	unsigned int room = t->room ? t->room : 16;
	uint16_t *port;

	while (room <= n)
		room *= 2;
	if (room == t->room)
		return 0;
	port = reallocarray(t->port, room, sizeof(*port));
	if (!port)
		return -ENOMEM;
	memset(port + t->room, 0, (room - t->room) * sizeof(*port));
	t->port = port;
	t->room = room;
	return 0;
}

int route_table_set(struct route_table *t, const uint8_t mac[6], unsigned int port)
{
	int n = number(t->numbers, mac), err;

	if (n < 0)
		return n;
	err = make_room(t, n);
	if (err)
		return err;
	t->port[n] = port + 1;
	return 0;
}

int route_table_find(const struct route_table *t, const uint8_t mac[6])
{
	int n = mac_table_find(&t->numbers->macs, mac);

	return n >= 0 && (unsigned int)n < t->room ? (int)t->port[n] - 1 : -1;
}
