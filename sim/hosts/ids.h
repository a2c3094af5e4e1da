/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers for a device's objects: given out in turn, so that one given back is not used at once. */
#ifndef TALLY_SIM_HOSTS_IDS_H
#define TALLY_SIM_HOSTS_IDS_H

#include <stdbool.h>
#include <stdint.h>

#define IDS_MAX	4096
#define IDS_NONE UINT32_MAX

/* Zeroed but for @limit, at most IDS_MAX: all numbers below it are free. */
struct ids {
	uint32_t limit;
	uint32_t next;
	uint32_t used;		/* how many are */
	bool taken[IDS_MAX];
};

/* The first of @n free consecutive numbers, taken; IDS_NONE: there are none. */
uint32_t ids_take(struct ids *ids, uint32_t n);

/* Gives @n numbers from @first on back. */
void ids_give(struct ids *ids, uint32_t first, uint32_t n);

#endif
