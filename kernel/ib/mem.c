// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory of a process for the device. The memory is pinned. A single address describes it if it is
 * contiguous; otherwise a tree of pages with bus addresses does. The pages of the tree are
 * consecutive in the driver's memory, from level 1 to the root, and mapped for the device to read.
 * They exist as long as the memory that they describe.
 *
 * Level 1 lists the largest pages that the memory consists of, so huge pages need few entries.
 */
#include <linux/dma-mapping.h>
#include <linux/vmalloc.h>
#include <rdma/iter.h>

#include "ib.h"

#define LIST_ENTRIES (TALLY_PAGE_SIZE / sizeof(__le64))
#define PAGE_SIZES GENMASK(TALLY_MAX_PAGE_SHIFT, TALLY_MIN_PAGE_SHIFT)

/*
 * Returns whether the memory is contiguous and, for a ring, begins at a multiple of @entry bytes.
 */
static bool mem_is_contiguous(struct ib_umem *umem, u32 entry)
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

/*
 * Computes the pages of each level of a tree with @leaves entries in level 1. Returns the number of
 * levels.
 */
static int mem_plan_levels(u64 leaves, u64 pages[TALLY_MEM_LEVELS])
{
	int levels = 0;

	do {
		if (levels == TALLY_MEM_LEVELS)
			return -E2BIG;
		leaves = DIV_ROUND_UP_ULL(leaves, LIST_ENTRIES);
		pages[levels++] = leaves;
	} while (leaves > 1);
	return levels;
}

static void mem_free_list(struct tally_ibdev *dev, struct tally_umem *tumem)
{
	if (!tumem->list)
		return;
	dma_unmap_sgtable(&dev->tdev->pdev->dev, &tumem->list_sgt, DMA_TO_DEVICE, 0);
	sg_free_table(&tumem->list_sgt);
	vfree(tumem->list);
	tumem->list = NULL;
}

/* Maps the pages of the list for the device. They need not be consecutive. */
static int mem_map_list(struct tally_ibdev *dev, struct tally_umem *tumem, u32 count)
{
	struct page **pages = kvmalloc_array(count, sizeof(*pages), GFP_KERNEL | __GFP_NOWARN);
	u32 i;
	int err;

	if (!pages)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		pages[i] = vmalloc_to_page((u8 *)tumem->list + i * TALLY_PAGE_SIZE);
	err = sg_alloc_table_from_pages(&tumem->list_sgt, pages, count, 0,
					(size_t)count * TALLY_PAGE_SIZE, GFP_KERNEL);
	kvfree(pages);
	if (err)
		return err;
	err = dma_map_sgtable(&dev->tdev->pdev->dev, &tumem->list_sgt, DMA_TO_DEVICE, 0);
	if (err)
		sg_free_table(&tumem->list_sgt);
	return err;
}

static int mem_alloc_list(struct tally_ibdev *dev, struct tally_umem *tumem, u32 count)
{
	int err;

	/* No warning in the log, because the process gets an error. */
	tumem->list = __vmalloc((unsigned long)count * TALLY_PAGE_SIZE,
				GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!tumem->list)
		return -ENOMEM;
	err = mem_map_list(dev, tumem, count);
	if (err) {
		vfree(tumem->list);
		tumem->list = NULL;
	}
	return err;
}

/* Fills level 1 with the pages of the memory. */
static void mem_fill_leaves(struct tally_umem *tumem, unsigned long page_size)
{
	struct ib_block_iter iter;
	size_t i = 0;

	rdma_umem_for_each_dma_block(tumem->umem, &iter, page_size)
		tumem->list[i++] = cpu_to_le64(rdma_block_iter_dma_address(&iter));
}

/*
 * Fills the levels above with the pages of the list, in their order: the pages of one level are the
 * entries of the next. Returns the address of the last page, which is the root.
 */
static u64 mem_fill_nodes(struct tally_umem *tumem, const u64 *pages, int levels)
{
	struct sg_dma_page_iter iter;
	u64 first = 0, page = 0;
	dma_addr_t addr = 0;
	int level = 0;

	for_each_sgtable_dma_page(&tumem->list_sgt, &iter, 0) {
		addr = sg_page_iter_dma_address(&iter);
		if (page == first + pages[level]) {
			first = page;
			level++;
		}
		if (level < levels - 1)
			tumem->list[(first + pages[level]) * LIST_ENTRIES + page - first] =
				cpu_to_le64(addr);
		page++;
	}
	return addr;
}

/*
 * Builds the page list. A ring begins at a small page, but not always at a multiple of its entry
 * size within a large page.
 */
static int mem_build_list(struct tally_ibdev *dev, struct tally_umem *tumem, u32 entry)
{
	unsigned long sizes = entry > 1 ? TALLY_PAGE_SIZE : PAGE_SIZES;
	unsigned long page_size = ib_umem_find_best_pgoff(tumem->umem, sizes, U64_MAX);
	u64 pages[TALLY_MEM_LEVELS];
	u64 total = 0;
	int levels, i;
	int err;

	if (!page_size)
		return -EINVAL;
	levels = mem_plan_levels(ib_umem_num_dma_blocks(tumem->umem, page_size), pages);
	if (levels < 0)
		return levels;
	for (i = 0; i < levels; i++)
		total += pages[i];
	err = mem_alloc_list(dev, tumem, total);
	if (err)
		return err;
	mem_fill_leaves(tumem, page_size);
	tumem->mem.addr = cpu_to_le64(mem_fill_nodes(tumem, pages, levels));
	tumem->mem.offset = cpu_to_le32(ib_umem_dma_offset(tumem->umem, page_size));
	tumem->mem.levels = levels;
	tumem->mem.page_shift = ilog2(page_size);
	dma_sync_sgtable_for_device(&dev->tdev->pdev->dev, &tumem->list_sgt, DMA_TO_DEVICE);
	return 0;
}

/* Describes the pinned memory for the device, or releases it on error. */
static int mem_describe(struct tally_ibdev *dev, struct tally_umem *tumem, struct ib_umem *umem,
			u64 length, u32 entry)
{
	int err = 0;

	tumem->umem = umem;
	tumem->mem.length = cpu_to_le64(length);
	tumem->mem.page_shift = TALLY_MIN_PAGE_SHIFT;
	if (mem_is_contiguous(umem, entry))
		tumem->mem.addr = cpu_to_le64(sg_dma_address(umem->sgt_append.sgt.sgl) +
					      ib_umem_offset(umem));
	else
		err = mem_build_list(dev, tumem, entry);
	if (err)
		ib_umem_release(umem);
	return err;
}

/**
 * tally_umem_max() - Return the largest memory that can be described with pages of any size.
 *
 * Return: size in bytes.
 */
u64 tally_umem_max(void)
{
	u64 max = 1ULL << TALLY_MIN_PAGE_SHIFT;
	int level;

	for (level = 0; level < TALLY_MEM_LEVELS; level++)
		max *= LIST_ENTRIES;
	return max;
}

/**
 * tally_umem_get() - Pin memory of the calling process and describe it to the device.
 * @dev: device
 * @tumem: the result; zero on entry
 * @addr: address in the process
 * @length: bytes, not 0
 * @entry: bytes of an entry of a ring, a power of two, because the device needs entries at
 *	multiples of their size; 1 otherwise
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
	return mem_describe(dev, tumem, umem, length, entry);
}

/**
 * tally_umem_get_dmabuf() - Pin memory of another device, which is exported as a dma-buf.
 * @dev: device
 * @tumem: the result; zero on entry
 * @offset: offset of the memory in the buffer
 * @length: bytes, not 0
 * @fd: file descriptor of the buffer
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
	return mem_describe(dev, tumem, &dmabuf->umem, length, 1);
}

/**
 * tally_umem_put() - Undo tally_umem_get() or tally_umem_get_dmabuf().
 * @dev: device
 * @tumem: memory that the device does not access any more
 */
void tally_umem_put(struct tally_ibdev *dev, struct tally_umem *tumem)
{
	mem_free_list(dev, tumem);
	ib_umem_release(tumem->umem);
}
