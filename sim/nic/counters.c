// SPDX-License-Identifier: BSD-2-Clause
#include "nic/priv.h"

void nic_count(struct nic *nic, enum tally_counter counter, uint64_t n)
{
	nic->counters[counter] += n;
}

uint64_t nic_counter(const struct nic *nic, enum tally_counter counter)
{
	return nic->counters[counter];
}
