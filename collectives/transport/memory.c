// SPDX-License-Identifier: BSD-2-Clause
/* Memory that the NIC may access. */
#include <errno.h>
#include <sys/mman.h>

#include "transport/objects.h"

int tc_dv_region_open(struct tc_net *net, void *start, size_t bytes, struct tc_region *region)
{
	struct ibv_mr *mr = ibv_reg_mr(tc_dv_net_of(net)->pd, start, bytes, IBV_ACCESS_LOCAL_WRITE);

	if (!mr)
		return -errno;
	*region = (struct tc_region){ .start = (uintptr_t)start, .key = mr->lkey, .priv = mr };
	return 0;
}

void tc_dv_region_close(struct tc_net *net, struct tc_region *region)
{
	(void)net;
	ibv_dereg_mr(region->priv);
}

void *tc_dv_memory_new(struct tc_net *net, size_t bytes, struct tc_region *region)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	if (tc_dv_region_open(net, memory, bytes, region)) {
		munmap(memory, bytes);
		return NULL;
	}
	return memory;
}

void tc_dv_memory_free(struct tc_net *net, void *memory, size_t bytes, struct tc_region *region)
{
	tc_dv_region_close(net, region);
	munmap(memory, bytes);
}
