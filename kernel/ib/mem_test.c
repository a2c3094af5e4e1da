// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Description of a process's memory for the device: a single address, or a tree of pages. */
#include "test/fake_ib.h"

#include "mem.c"

/* Leaves of a tree of two levels that fill more than one page of the list. */
#define MANY_PAGES (LIST_ENTRIES + 3)

/* Bus address of page n. No two pages are adjacent. */
static dma_addr_t page_addr(unsigned int n)
{
	return 0x100000000 + (dma_addr_t)n * 3 * TALLY_PAGE_SIZE;
}

struct buffer {
	struct tally_umem tumem;
	struct ib_umem umem;
};

/*
 * Creates @count pages as ib_umem_get() returns them. The memory begins at byte @offset of the
 * first one.
 */
static struct buffer *buffer_new(struct kunit *test, unsigned int count, u32 offset, u64 length)
{
	struct buffer *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);
	struct scatterlist *sgl, *sg;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	sgl = kunit_kcalloc(test, count, sizeof(*sgl), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, sgl);
	sg_init_table(sgl, count);
	for_each_sg(sgl, sg, count, i) {
		sg_dma_address(sg) = page_addr(i);
		sg_dma_len(sg) = TALLY_PAGE_SIZE;
	}
	b->umem.address = 0x7f0000000000 + offset;
	b->umem.iova = b->umem.address;
	b->umem.length = length;
	b->umem.sgt_append.sgt.sgl = sgl;
	b->umem.sgt_append.sgt.nents = count;
	b->umem.sgt_append.sgt.orig_nents = count;
	b->tumem.umem = &b->umem;
	return b;
}

static void umem_contiguous(struct kunit *test)
{
	struct buffer *b = buffer_new(test, 3, 0x80, 2 * TALLY_PAGE_SIZE);
	struct scatterlist *sgl = b->umem.sgt_append.sgt.sgl;

	KUNIT_EXPECT_FALSE(test, mem_is_contiguous(&b->umem, 1));
	sg_dma_address(&sgl[1]) = sg_dma_address(&sgl[0]) + TALLY_PAGE_SIZE;
	KUNIT_EXPECT_FALSE(test, mem_is_contiguous(&b->umem, 1));
	sg_dma_address(&sgl[2]) = sg_dma_address(&sgl[1]) + TALLY_PAGE_SIZE;
	KUNIT_EXPECT_TRUE(test, mem_is_contiguous(&b->umem, 1));
	/* Ring entries must lie at multiples of their size; otherwise a list is needed. */
	KUNIT_EXPECT_TRUE(test, mem_is_contiguous(&b->umem, 0x80));
	KUNIT_EXPECT_FALSE(test, mem_is_contiguous(&b->umem, 0x100));
}

/* Bus address of page @n of the list, as the device reads it. */
static u64 list_addr(const struct tally_umem *t, unsigned int n)
{
	struct sg_dma_page_iter iter;

	for_each_sgtable_dma_page(&t->list_sgt, &iter, 0)
		if (!n--)
			return sg_page_iter_dma_address(&iter);
	return 0;
}

static __le64 entry_of(const struct tally_umem *t, unsigned int page, unsigned int i)
{
	return t->list[page * LIST_ENTRIES + i];
}

static void umem_one_level(struct kunit *test)
{
	struct buffer *b = buffer_new(test, 5, 0x10, 4 * TALLY_PAGE_SIZE + 0x20);
	unsigned int i;

	KUNIT_ASSERT_EQ(test, mem_build_list(tally_fake_ib(test), &b->tumem, 1), 0);
	KUNIT_EXPECT_EQ(test, b->tumem.mem.levels, 1);
	KUNIT_EXPECT_EQ(test, b->tumem.mem.page_shift, TALLY_MIN_PAGE_SHIFT);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(b->tumem.mem.addr), list_addr(&b->tumem, 0));
	KUNIT_EXPECT_EQ(test, le32_to_cpu(b->tumem.mem.offset), 0x10);
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, le64_to_cpu(entry_of(&b->tumem, 0, i)), page_addr(i));
	for (; i < LIST_ENTRIES; i++)
		KUNIT_EXPECT_EQ(test, entry_of(&b->tumem, 0, i), 0);
	mem_free_list(tally_fake_ib(test), &b->tumem);
	KUNIT_EXPECT_NULL(test, b->tumem.list);
}

/* A full page of the list needs no root; one more entry does. */
static void umem_two_levels(struct kunit *test)
{
	struct buffer *b = buffer_new(test, LIST_ENTRIES, 0, LIST_ENTRIES * TALLY_PAGE_SIZE);
	const struct tally_umem *t = &b->tumem;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, mem_build_list(tally_fake_ib(test), &b->tumem, 1), 0);
	KUNIT_EXPECT_EQ(test, t->mem.levels, 1);
	mem_free_list(tally_fake_ib(test), &b->tumem);
	b = buffer_new(test, MANY_PAGES, 0, MANY_PAGES * TALLY_PAGE_SIZE);
	t = &b->tumem;
	KUNIT_ASSERT_EQ(test, mem_build_list(tally_fake_ib(test), &b->tumem, 1), 0);
	KUNIT_EXPECT_EQ(test, t->mem.levels, 2);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(t->mem.addr), list_addr(t, 2));
	KUNIT_EXPECT_EQ(test, list_addr(t, 3), 0);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(entry_of(t, 2, 0)), list_addr(t, 0));
	KUNIT_EXPECT_EQ(test, le64_to_cpu(entry_of(t, 2, 1)), list_addr(t, 1));
	KUNIT_EXPECT_EQ(test, entry_of(t, 2, 2), 0);
	for (i = 0; i < MANY_PAGES; i++)
		KUNIT_ASSERT_EQ(test, le64_to_cpu(t->list[i]), page_addr(i));
	mem_free_list(tally_fake_ib(test), &b->tumem);
}

/* Two pages of level 2 below the root, with entries that name no memory. */
static void umem_three_levels(struct kunit *test)
{
	unsigned int leaves = LIST_ENTRIES * LIST_ENTRIES + 1;
	struct buffer *b = buffer_new(test, 1, 0, TALLY_PAGE_SIZE);
	const struct tally_umem *t = &b->tumem;
	u64 pages[TALLY_MEM_LEVELS];
	unsigned int i;

	KUNIT_ASSERT_EQ(test, mem_plan_levels(leaves, pages), 3);
	KUNIT_EXPECT_EQ(test, pages[0], LIST_ENTRIES + 1);
	KUNIT_EXPECT_EQ(test, pages[1], 2);
	KUNIT_EXPECT_EQ(test, pages[2], 1);
	KUNIT_ASSERT_EQ(test, mem_alloc_list(tally_fake_ib(test), &b->tumem, LIST_ENTRIES + 4), 0);
	KUNIT_EXPECT_EQ(test, mem_fill_nodes(&b->tumem, pages, 3), list_addr(t, LIST_ENTRIES + 3));
	for (i = 0; i < LIST_ENTRIES; i += LIST_ENTRIES - 1)
		KUNIT_EXPECT_EQ(test, le64_to_cpu(entry_of(t, LIST_ENTRIES + 1, i)),
				list_addr(t, i));
	KUNIT_EXPECT_EQ(test, le64_to_cpu(entry_of(t, LIST_ENTRIES + 2, 0)),
			list_addr(t, LIST_ENTRIES));
	KUNIT_EXPECT_EQ(test, entry_of(t, LIST_ENTRIES + 2, 1), 0);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, le64_to_cpu(entry_of(t, LIST_ENTRIES + 3, i)),
				list_addr(t, LIST_ENTRIES + 1 + i));
	mem_free_list(tally_fake_ib(test), &b->tumem);
}

/* Processes are told exactly the size that three levels can describe. */
static void umem_largest(struct kunit *test)
{
	u64 pages[TALLY_MEM_LEVELS];
	u64 leaves = tally_umem_max() >> TALLY_MIN_PAGE_SHIFT;

	KUNIT_EXPECT_EQ(test, tally_umem_max(), 1ULL << 39);
	KUNIT_EXPECT_EQ(test, mem_plan_levels(leaves, pages), 3);
	KUNIT_EXPECT_EQ(test, mem_plan_levels(leaves + 1, pages), -E2BIG);
}

/* A list uses the largest page size that suits all of the memory. */
static void umem_large_pages(struct kunit *test)
{
	struct buffer *b = buffer_new(test, 3, 0x5010, 3 * SZ_2M - 0x5010);
	struct scatterlist *sg, *sgl = b->umem.sgt_append.sgt.sgl;
	const struct tally_umem *t = &b->tumem;
	unsigned int i;

	for_each_sg(sgl, sg, 3, i) {
		sg_dma_address(sg) = (u64)(3 + 2 * i) * SZ_2M;
		sg_dma_len(sg) = SZ_2M;
	}
	/* The memory begins in the sixth small page of the first large one. */
	sg_dma_address(sgl) += 0x5000;
	sg_dma_len(sgl) -= 0x5000;
	KUNIT_ASSERT_EQ(test, mem_build_list(tally_fake_ib(test), &b->tumem, 1), 0);
	KUNIT_EXPECT_EQ(test, t->mem.page_shift, 21);
	KUNIT_EXPECT_EQ(test, t->mem.levels, 1);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(t->mem.offset), 0x5010);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, le64_to_cpu(entry_of(t, 0, i)), (u64)(3 + 2 * i) * SZ_2M);
	KUNIT_EXPECT_EQ(test, entry_of(t, 0, 3), 0);
	mem_free_list(tally_fake_ib(test), &b->tumem);
	/* A single small page elsewhere makes all pages small. */
	sg_dma_address(&sgl[1]) += TALLY_PAGE_SIZE;
	KUNIT_ASSERT_EQ(test, mem_build_list(tally_fake_ib(test), &b->tumem, 1), 0);
	KUNIT_EXPECT_EQ(test, t->mem.page_shift, TALLY_MIN_PAGE_SHIFT);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(t->mem.offset), 0x10);
	mem_free_list(tally_fake_ib(test), &b->tumem);
}

/*
 * A ring of the largest requests begins at a page boundary, but not at a multiple of a request,
 * within one large page. The device gets small pages, the first of which has no offset.
 */
static void umem_ring_pages(struct kunit *test)
{
	const u32 stride = 2 * TALLY_PAGE_SIZE, begin = 5 * TALLY_PAGE_SIZE;
	const unsigned int pages = 16 * stride / TALLY_PAGE_SIZE;
	struct buffer *b = buffer_new(test, 1, begin, 16 * stride);
	struct scatterlist *sgl = b->umem.sgt_append.sgt.sgl;
	const struct tally_umem *t = &b->tumem;
	unsigned int i;

	sg_dma_address(sgl) = (u64)3 * SZ_2M + begin;
	sg_dma_len(sgl) = 16 * stride;
	KUNIT_ASSERT_EQ(test, mem_describe(tally_fake_ib(test), &b->tumem, &b->umem, 16 * stride,
					   stride), 0);
	KUNIT_ASSERT_NOT_NULL(test, t->list);
	KUNIT_EXPECT_EQ(test, t->mem.levels, 1);
	KUNIT_EXPECT_EQ(test, t->mem.page_shift, TALLY_MIN_PAGE_SHIFT);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(t->mem.offset), 0);
	for (i = 0; i < pages; i++)
		KUNIT_ASSERT_EQ(test, le64_to_cpu(entry_of(t, 0, i)),
				sg_dma_address(sgl) + i * TALLY_PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, entry_of(t, 0, pages), 0);
	mem_free_list(tally_fake_ib(test), &b->tumem);
	/* With smaller requests it needs no list at all. */
	b->tumem.mem = (struct tally_mem){};
	KUNIT_ASSERT_EQ(test, mem_describe(tally_fake_ib(test), &b->tumem, &b->umem, 16 * stride,
					   stride / 2), 0);
	KUNIT_EXPECT_NULL(test, t->list);
	KUNIT_EXPECT_EQ(test, t->mem.levels, 0);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(t->mem.addr), sg_dma_address(sgl));
}

static struct kunit_case umem_cases[] = {
	KUNIT_CASE(umem_contiguous),
	KUNIT_CASE(umem_one_level),
	KUNIT_CASE(umem_two_levels),
	KUNIT_CASE(umem_three_levels),
	KUNIT_CASE(umem_largest),
	KUNIT_CASE(umem_large_pages),
	KUNIT_CASE(umem_ring_pages),
	{}
};

static struct kunit_suite umem_suite = {
	.name = "tally_ib_mem",
	.init = tally_fake_ib_init,
	.exit = tally_fake_ib_exit,
	.test_cases = umem_cases,
};

kunit_test_suite(umem_suite);
