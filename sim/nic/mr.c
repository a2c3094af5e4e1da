// SPDX-License-Identifier: BSD-2-Clause
/* Memory regions. Rights are checked when a request asks for an access and again at the access. */
#include <stdlib.h>
#include <string.h>

#include "nic/priv.h"

struct mr {
	uint32_t lkey;
	uint32_t pd;
	uint32_t access;
	uint64_t iova;
	struct host_mem mem;
};

#define FIRST_ROOM	16

/* Make the table long enough for @index, which is below TALLY_MAX_MR. */
static bool make_room(struct nic *nic, uint32_t index)
{
	uint32_t room = nic->mr_room ? nic->mr_room : FIRST_ROOM;
	struct mr **table;

	if (index < nic->mr_room)
		return true;
	while (room <= index)
		room *= 2;
	table = reallocarray(nic->mr, room, sizeof(struct mr *));
	if (!table)
		return false;
	memset(table + nic->mr_room, 0, (room - nic->mr_room) * sizeof(struct mr *));
	nic->mr = table;
	nic->mr_room = room;
	return true;
}

bool mr_register(struct nic *nic, uint32_t lkey, uint32_t pd, uint32_t access, uint64_t iova,
		 const struct host_mem *mem)
{
	struct mr *mr = make_room(nic, mr_index(lkey)) ? malloc(sizeof(*mr)) : NULL;

	if (!mr)
		return false;
	*mr = (struct mr){ lkey, pd, access, iova, *mem };
	nic->mr[mr_index(lkey)] = mr;
	return true;
}

struct mr *mr_at(const struct nic *nic, uint32_t index)
{
	return index < nic->mr_room ? nic->mr[index] : NULL;
}

struct mr *mr_find(const struct nic *nic, uint32_t lkey)
{
	struct mr *mr = mr_at(nic, mr_index(lkey));

	return mr && mr->lkey == lkey ? mr : NULL;
}

void mr_free(struct nic *nic, uint32_t index)
{
	free(nic->mr[index]);
	nic->mr[index] = NULL;
}

void mr_free_all(struct nic *nic)
{
	for (uint32_t i = 0; i < nic->mr_room; i++)
		free(nic->mr[i]);
	free(nic->mr);
	nic->mr = NULL;
	nic->mr_room = 0;
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

const uint8_t *mr_fault(struct nic *nic, uint32_t pd, const struct engine_sge *sge, bool write)
{
	struct mem_piece first[2]; /* mem_pieces(1) */
	const struct mr *mr = NULL;
	size_t num;

	if (!sge->length || check(nic, pd, sge, write, &mr) || !fails(nic, sge))
		return NULL;
	if (!mem_find(&nic->bus, &mr->mem, sge->addr - mr->iova, 1, first, &num))
		return NULL;
	return first[0].at;
}
