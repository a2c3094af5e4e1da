/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The port of a switch for each unicast address. All switches of a fabric learn the same addresses,
 * so they share the numbers of the addresses, and each has a small table by number.
 */
#ifndef TALLY_SIM_FABRIC_ROUTE_TABLE_H
#define TALLY_SIM_FABRIC_ROUTE_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct route_numbers;

struct route_table {
	struct route_numbers *numbers;
	uint16_t *port;			/* by number of the address: port + 1; 0: unknown */
	unsigned int room;
};

/* Makes an empty table with numbers of its own. Returns 0 or -ENOMEM. */
int route_table_init(struct route_table *t);

/* Frees the memory of @t. */
void route_table_free(struct route_table *t);

/* Lets the empty table @t use the numbers of @other. */
void route_table_share(struct route_table *t, const struct route_table *other);

/* Sets or replaces the port of @mac. Returns 0, -ENOSPC (too many addresses) or -ENOMEM. */
int route_table_set(struct route_table *t, const uint8_t mac[6], unsigned int port);

/* Returns the port of @mac, or -1. */
int route_table_find(const struct route_table *t, const uint8_t mac[6]);

#endif
