/* SPDX-License-Identifier: BSD-2-Clause */
/* Which port a MAC address is behind; filled by hand, never by looking at traffic. */
#ifndef TALLY_SIM_FABRIC_MAC_TABLE_H
#define TALLY_SIM_FABRIC_MAC_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct mac_entry {
	uint64_t mac;
	unsigned int port;
};

/* All-zero is an empty table. */
struct mac_table {
	struct mac_entry *entry;	/* sorted by mac */
	size_t count, room;
};

/* Sets the port of @mac, in place of what was known. Returns 0 or -ENOMEM. */
int mac_table_set(struct mac_table *t, const uint8_t mac[6], unsigned int port);

/* The port of @mac, or -1. */
int mac_table_find(const struct mac_table *t, const uint8_t mac[6]);

/* Frees what the table holds and leaves it empty. */
void mac_table_clear(struct mac_table *t);

#endif
