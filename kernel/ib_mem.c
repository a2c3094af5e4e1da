// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory of a process as the device sees it: pinned, and described by one address if it is
 * contiguous, else by a tree of pages full of bus addresses. The pages of the tree lie in one
 * array, level 1 first, the root last.
 */
#include <rdma/iter.h>

#include "ib.h"

#define LIST_ENTRIES (TALLY_PAGE_SIZE / sizeof(__le64))
#define MAX_LEVELS 3

/* Whether one address describes it, and at a multiple of @entry bytes where entries of a ring lie. */
static bool is_contiguous(struct ib_umem *umem, u32 entry)
{
	dma_addr_t begin = sg_dma_address(umem->sgt_append.sgt.sgl) + ib_umem_offset(umem);
	struct scatterlist *sg;
	dma_addr_t end = 0;
	int i;

	if (!IS_ALIGNED(begin, entry))
		return false;
	for_each_sgtable_dma_sg(&umem->sgt_append.sgt, sg, i) {
		if (i && sg_dma_address(sg) != end)
			return false;
		end = sg_dma_address(sg) + sg_dma_len(sg);
	}
	return true;
}

static void free_list(struct tally_ibdev *dev, struct tally_umem *tumem)
{
	while (tumem->list_count) {
		tumem->list_count--;
		dma_pool_free(dev->list_pages, tumem->list[tumem->list_count],
			      tumem->list_dma[tumem->list_count]);
	}
	kvfree(tumem->list_dma);
	kvfree(tumem->list);
}

static int alloc_list(struct tally_ibdev *dev, struct tally_umem *tumem, u32 count)
{
	tumem->list = kvcalloc(count, sizeof(*tumem->list), GFP_KERNEL);
	tumem->list_dma = kvcalloc(count, sizeof(*tumem->list_dma), GFP_KERNEL);
	if (!tumem->list || !tumem->list_dma)
		goto err_free;
	while (tumem->list_count < count) {
		tumem->list[tumem->list_count] =
			dma_pool_zalloc(dev->list_pages, GFP_KERNEL,
					&tumem->list_dma[tumem->list_count]);
		if (!tumem->list[tumem->list_count])
			goto err_free;
		tumem->list_count++;
		cond_resched();
	}
	return 0;

err_free:
	free_list(dev, tumem);
	return -ENOMEM;
}

/* Level 1: the buffer's own pages. */
static void fill_leaves(struct tally_umem *tumem)
{
	struct ib_block_iter iter;
	size_t i = 0;

	rdma_umem_for_each_dma_block(tumem->umem, &iter, TALLY_PAGE_SIZE) {
		tumem->list[i / LIST_ENTRIES][i % LIST_ENTRIES] =
			cpu_to_le64(rdma_block_iter_dma_address(&iter));
		i++;
	}
}

/* A level above: the pages from @child on, @count of them, named in the pages after them. */
static void fill_nodes(struct tally_umem *tumem, u32 child, u32 count)
{
	u32 parent = child + count;
	u32 i;

	for (i = 0; i < count; i++)
		tumem->list[parent + i / LIST_ENTRIES][i % LIST_ENTRIES] =
			cpu_to_le64(tumem->list_dma[child + i]);
}

static int build_list(struct tally_ibdev *dev, struct tally_umem *tumem)
{
	size_t blocks = ib_umem_num_dma_blocks(tumem->umem, TALLY_PAGE_SIZE);
	u64 pages[MAX_LEVELS];
	unsigned int levels = 0;
	u32 first = 0;
	u64 total = 0;
	unsigned int i;
	int err;

	do {
		if (levels == MAX_LEVELS)
			return -E2BIG;
		blocks = DIV_ROUND_UP(blocks, LIST_ENTRIES);
		pages[levels++] = blocks;
		total += blocks;
	} while (blocks > 1);
	err = alloc_list(dev, tumem, total);
	if (err)
		return err;
	fill_leaves(tumem);
	for (i = 0; i < levels - 1; i++) {
		fill_nodes(tumem, first, pages[i]);
		first += pages[i];
	}
	tumem->mem.addr = cpu_to_le64(tumem->list_dma[total - 1]);
	tumem->mem.offset = cpu_to_le32(ib_umem_offset(tumem->umem));
	tumem->mem.levels = levels;
	return 0;
}

/* Describes what is pinned to the device, or lets go of it. */
static int describe(struct tally_ibdev *dev, struct tally_umem *tumem, struct ib_umem *umem,
		    u64 length, u32 entry)
{
	int err = 0;

	tumem->umem = umem;
	tumem->mem.length = cpu_to_le64(length);
	tumem->mem.page_shift = ilog2(TALLY_PAGE_SIZE);
	if (is_contiguous(umem, entry))
		tumem->mem.addr = cpu_to_le64(sg_dma_address(umem->sgt_append.sgt.sgl) +
					      ib_umem_offset(umem));
	else
		err = build_list(dev, tumem);
	if (err)
		ib_umem_release(umem);
	return err;
}

/**
 * tally_umem_get() - Pin memory of the calling process and describe it to the device.
 * @dev: device
 * @tumem: the result; zero at first
 * @addr: address in the process
 * @length: bytes, not 0
 * @entry: bytes of an entry, a power of two, if it is a ring, whose entries the device wants at
 *	multiples of that; else 1
 * @access: IB_ACCESS_ flags
 *
 * Return: 0 or a negative errno.
 */
int tally_umem_get(struct tally_ibdev *dev, struct tally_umem *tumem, u64 addr, u64 length,
		   u32 entry, int access)
{
	struct ib_umem *umem = ib_umem_get(&dev->ibdev, addr, length, access);

	if (IS_ERR(umem))
		return PTR_ERR(umem);
	return describe(dev, tumem, umem, length, entry);
}

/**
 * tally_umem_get_dmabuf() - Pin memory of another device, or of whoever exports it.
 * @dev: device
 * @tumem: the result; zero at first
 * @offset: where it begins in the buffer
 * @length: bytes, not 0
 * @fd: the buffer, a file of the calling process
 * @access: IB_ACCESS_ flags
 *
 * Return: 0 or a negative errno.
 */
int tally_umem_get_dmabuf(struct tally_ibdev *dev, struct tally_umem *tumem, u64 offset, u64 length,
			  int fd, int access)
{
	struct ib_umem_dmabuf *dmabuf =
		ib_umem_dmabuf_get_pinned(&dev->ibdev, offset, length, fd, access);

	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	return describe(dev, tumem, &dmabuf->umem, length, 1);
}

/**
 * tally_umem_put() - Undo tally_umem_get() or tally_umem_get_dmabuf().
 * @dev: device
 * @tumem: memory that the device does not access any more
 */
void tally_umem_put(struct tally_ibdev *dev, struct tally_umem *tumem)
{
	free_list(dev, tumem);
	ib_umem_release(tumem->umem);
}
