/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates numbers of device objects in ascending order, so that none is reused at once. */
#ifndef TALLY_SIM_HOSTS_IDS_H
#define TALLY_SIM_HOSTS_IDS_H

#include <stdbool.h>
#include <stdint.h>

#define IDS_MAX	4096
#define IDS_NONE UINT32_MAX

/* Must be zeroed except @limit, which is at most IDS_MAX: all numbers below it are free. */
struct ids {
	uint32_t limit;
	uint32_t next;
	uint32_t used;		/* number of taken ones */
	uint64_t taken[IDS_MAX / 64];	/* one bit for each number */
};

bool ids_taken(const struct ids *ids, uint32_t id);

/* Takes @n consecutive free numbers and returns the first; IDS_NONE if there are none. */
uint32_t ids_take(struct ids *ids, uint32_t n);

/* Frees @n numbers from @first on. */
void ids_give(struct ids *ids, uint32_t first, uint32_t n);

#endif
