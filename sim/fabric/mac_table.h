/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps MAC addresses to small numbers. Callers fill the table; it does not learn from traffic. */
#ifndef TALLY_SIM_FABRIC_MAC_TABLE_H
#define TALLY_SIM_FABRIC_MAC_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define MAC_TABLE_MAX_VALUE	0xfffe

/* A hash table; all-zero means empty. */
struct mac_table {
	uint64_t *slot;		/* address and value + 1; 0: free */
	unsigned int bits;	/* log2 of the number of slots */
	size_t count;
};

/* Sets or replaces the value of @mac, at most MAC_TABLE_MAX_VALUE. Returns 0 or -ENOMEM. */
int mac_table_set(struct mac_table *t, const uint8_t mac[6], unsigned int value);

/* Returns the value of @mac, or -1. */
int mac_table_find(const struct mac_table *t, const uint8_t mac[6]);

/* Removes @mac, if it is in the table. */
void mac_table_remove(struct mac_table *t, const uint8_t mac[6]);

/* Empties the table and frees its memory. */
void mac_table_clear(struct mac_table *t);

#endif
