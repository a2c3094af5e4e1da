// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Hardware counters of the port. */
#include "ib.h"

#define STAT_DESC(counter, value, text) \
	[value].name = #counter,

static const struct rdma_stat_desc descs[] = { TALLY_CTR_LIST(STAT_DESC) };

struct rdma_hw_stats *tally_ib_alloc_port_stats(struct ib_device *ibdev, u32 port)
{
	return rdma_alloc_hw_stats_struct(descs, ARRAY_SIZE(descs), RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

int tally_ib_get_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port, int index)
{
	int err = tally_query_counters(to_tdev(ibdev)->tdev, stats->value, ARRAY_SIZE(descs));

	return err ?: ARRAY_SIZE(descs);
}
