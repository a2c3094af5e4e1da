/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of MAC addresses: a small number for each; filled by hand, never by traffic. */
#ifndef TALLY_SIM_FABRIC_MAC_TABLE_H
#define TALLY_SIM_FABRIC_MAC_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define MAC_TABLE_MAX_VALUE	0xfffe

/* A hash table; all-zero is an empty one. */
struct mac_table {
	uint64_t *slot;		/* address and value + 1; 0: free */
	unsigned int bits;	/* log2 of the number of slots */
	size_t count;
};

/*
 * Sets the value of @mac, at most MAC_TABLE_MAX_VALUE, in place of what was known. Returns 0 or
 * -ENOMEM.
 */
int mac_table_set(struct mac_table *t, const uint8_t mac[6], unsigned int value);

/* The value of @mac, or -1. */
int mac_table_find(const struct mac_table *t, const uint8_t mac[6]);

/* Forgets @mac, if it is known. */
void mac_table_remove(struct mac_table *t, const uint8_t mac[6]);

/* Frees what the table holds and leaves it empty. */
void mac_table_clear(struct mac_table *t);

#endif
