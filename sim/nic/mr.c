// SPDX-License-Identifier: BSD-2-Clause
/* Memory regions. Rights are checked when a request asks for an access and again at the access. */
#include <stdlib.h>

#include "nic/priv.h"

struct mr {
	uint32_t lkey;
	uint32_t pd;
	uint32_t access;
	uint64_t iova;
	struct host_mem mem;
};

struct mr *mr_new(uint32_t lkey, uint32_t pd, uint32_t access, uint64_t iova,
		  const struct host_mem *mem)
{
	struct mr *mr = malloc(sizeof(*mr));

	if (mr)
		*mr = (struct mr){ lkey, pd, access, iova, *mem };
	return mr;
}

struct mr *mr_find(const struct nic *nic, uint32_t lkey)
{
	uint32_t index = mr_index(lkey);
	struct mr *mr = index < TALLY_MAX_MR ? nic->mr[index] : NULL;

	return mr && mr->lkey == lkey ? mr : NULL;
}

void mr_free(struct nic *nic, uint32_t index)
{
	free(nic->mr[index]);
	nic->mr[index] = NULL;
}

static enum tally_coll_status check(const struct nic *nic, uint32_t pd,
				    const struct engine_sge *sge, bool write,
				    const struct mr **found)
{
	const struct mr *mr = mr_find(nic, sge->lkey);
	uint64_t offset;

	if (!mr || mr->pd != pd)
		return TALLY_COLL_BAD_LKEY;
	offset = sge->addr - mr->iova;
	if (sge->addr < mr->iova || offset > mr->mem.length ||
	    sge->length > mr->mem.length - offset)
		return TALLY_COLL_MR_RANGE;
	if (write && !(mr->access & TALLY_ACCESS_LOCAL_WRITE))
		return TALLY_COLL_MR_ACCESS;
	*found = mr;
	return TALLY_COLL_OK;
}

enum tally_coll_status mr_check(const struct nic *nic, uint32_t pd, const struct engine_sge *sge,
				bool write)
{
	const struct mr *mr;

	return check(nic, pd, sge, write, &mr);
}

/* Count an access that failed. */
static enum tally_coll_status outcome(struct nic *nic, enum tally_coll_status status)
{
	if (status)
		nic_count(nic, TALLY_CTR_dma_errors, 1);
	return status;
}

/* Return whether an injected fault makes the access fail. */
static bool fails(struct nic *nic, const struct engine_sge *sge)
{
	return inject(&nic->inject, TALLY_INJECT_DMA_ERROR, sge->lkey);
}

enum tally_coll_status mr_read(struct nic *nic, uint32_t pd, const struct engine_sge *sge,
			       void *to)
{
	const struct mr *mr = NULL;
	enum tally_coll_status status = check(nic, pd, sge, false, &mr);

	if (!status &&
	    (fails(nic, sge) ||
	     !mem_copy_in(&nic->bus, &mr->mem, sge->addr - mr->iova, to, sge->length)))
		status = TALLY_COLL_DMA_ERROR;
	return outcome(nic, status);
}

enum tally_coll_status mr_find_memory(struct nic *nic, uint32_t pd, const struct engine_sge *sge,
				      struct mem_piece *pieces, size_t *num)
{
	const struct mr *mr = NULL;
	enum tally_coll_status status = check(nic, pd, sge, true, &mr);

	if (!status &&
	    (fails(nic, sge) ||
	     !mem_find(&nic->bus, &mr->mem, sge->addr - mr->iova, sge->length, pieces, num)))
		status = TALLY_COLL_DMA_ERROR;
	return outcome(nic, status);
}
