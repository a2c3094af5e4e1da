// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* How a process's memory is described to the device: by one address, or a tree of pages. */
#include "test/fake_ib.h"

#include "ib_mem.c"

/* Leaves of a tree of two levels: more than one page of the list is full. */
#define MANY_PAGES (LIST_ENTRIES + 3)

/* Bus address of page n: no two of them are neighbours. */
static dma_addr_t page_addr(unsigned int n)
{
	return 0x100000000 + (dma_addr_t)n * 3 * TALLY_PAGE_SIZE;
}

struct buffer {
	struct tally_umem tumem;
	struct ib_umem umem;
};

static int umem_init(struct kunit *test)
{
	struct tally_ibdev *dev;
	struct tally_fake *fake;

	tally_fake_ib_init(test);
	fake = test->priv;
	dev = tally_fake_ib(test);
	dev->list_pages = dma_pool_create("tally_test", &fake->pdev->dev, TALLY_PAGE_SIZE,
					  TALLY_PAGE_SIZE, 0);
	KUNIT_ASSERT_NOT_NULL(test, dev->list_pages);
	return 0;
}

static void umem_exit(struct kunit *test)
{
	struct tally_ibdev *dev = tally_fake_ib(test);

	if (dev)
		dma_pool_destroy(dev->list_pages);
	tally_fake_ib_exit(test);
}

/* @count pages from byte @offset of the first one on, as ib_umem_get() leaves them. */
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

	KUNIT_EXPECT_FALSE(test, is_contiguous(&b->umem, 1));
	sg_dma_address(&sgl[1]) = sg_dma_address(&sgl[0]) + TALLY_PAGE_SIZE;
	KUNIT_EXPECT_FALSE(test, is_contiguous(&b->umem, 1));
	sg_dma_address(&sgl[2]) = sg_dma_address(&sgl[1]) + TALLY_PAGE_SIZE;
	KUNIT_EXPECT_TRUE(test, is_contiguous(&b->umem, 1));
	/* Entries of a ring lie at multiples of their size, or they are described otherwise. */
	KUNIT_EXPECT_TRUE(test, is_contiguous(&b->umem, 0x80));
	KUNIT_EXPECT_FALSE(test, is_contiguous(&b->umem, 0x100));
}

static void umem_one_level(struct kunit *test)
{
	struct buffer *b = buffer_new(test, 5, 0x10, 4 * TALLY_PAGE_SIZE + 0x20);
	unsigned int i;

	KUNIT_ASSERT_EQ(test, build_list(tally_fake_ib(test), &b->tumem), 0);
	KUNIT_EXPECT_EQ(test, b->tumem.mem.levels, 1);
	KUNIT_EXPECT_EQ(test, b->tumem.list_count, 1);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(b->tumem.mem.addr), b->tumem.list_dma[0]);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(b->tumem.mem.offset), 0x10);
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, le64_to_cpu(b->tumem.list[0][i]), page_addr(i));
	for (; i < LIST_ENTRIES; i++)
		KUNIT_EXPECT_EQ(test, b->tumem.list[0][i], 0);
	free_list(tally_fake_ib(test), &b->tumem);
	KUNIT_EXPECT_EQ(test, b->tumem.list_count, 0);
}

/* A page of the list that is just full needs no root; one more entry does. */
static void umem_two_levels(struct kunit *test)
{
	struct buffer *b = buffer_new(test, LIST_ENTRIES, 0, LIST_ENTRIES * TALLY_PAGE_SIZE);
	const struct tally_umem *t = &b->tumem;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, build_list(tally_fake_ib(test), &b->tumem), 0);
	KUNIT_EXPECT_EQ(test, t->mem.levels, 1);
	free_list(tally_fake_ib(test), &b->tumem);
	b = buffer_new(test, MANY_PAGES, 0, MANY_PAGES * TALLY_PAGE_SIZE);
	t = &b->tumem;
	KUNIT_ASSERT_EQ(test, build_list(tally_fake_ib(test), &b->tumem), 0);
	KUNIT_EXPECT_EQ(test, t->mem.levels, 2);
	KUNIT_ASSERT_EQ(test, t->list_count, 3);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(t->mem.addr), t->list_dma[2]);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(t->list[2][0]), t->list_dma[0]);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(t->list[2][1]), t->list_dma[1]);
	KUNIT_EXPECT_EQ(test, t->list[2][2], 0);
	for (i = 0; i < MANY_PAGES; i++)
		KUNIT_ASSERT_EQ(test, le64_to_cpu(t->list[i / LIST_ENTRIES][i % LIST_ENTRIES]),
				page_addr(i));
	free_list(tally_fake_ib(test), &b->tumem);
}

static struct kunit_case umem_cases[] = {
	KUNIT_CASE(umem_contiguous),
	KUNIT_CASE(umem_one_level),
	KUNIT_CASE(umem_two_levels),
	{}
};

static struct kunit_suite umem_suite = {
	.name = "tally_ib_mem",
	.init = umem_init,
	.exit = umem_exit,
	.test_cases = umem_cases,
};

kunit_test_suite(umem_suite);
