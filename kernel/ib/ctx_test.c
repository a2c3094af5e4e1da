// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Doorbells: UAR page, slot and initial state for an object. */
#include "test/fake_ib.h"

/* Mapping pages needs a process. Here mappings are counted, and can fail. */
static int map_err;
static int maps;
/* An answer needs a process, too. Here the last answer is kept, and copying it can fail. */
static struct tally_uresp_alloc_ucontext answer;
static int copy_err;

static int fake_mmap_insert(struct ib_ucontext *ucontext, struct rdma_user_mmap_entry *entry,
			    size_t length)
{
	if (map_err)
		return map_err;
	entry->start_pgoff = ++maps;
	return 0;
}

void tally_ib_mmap_free(struct rdma_user_mmap_entry *entry);

static void fake_mmap_remove(struct rdma_user_mmap_entry *entry)
{
	if (!entry)
		return;
	maps--;
	tally_ib_mmap_free(entry);
}

static int fake_copy_to_udata(struct ib_udata *udata, void *src, size_t len)
{
	memcpy(&answer, src, min(len, sizeof(answer)));
	return copy_err;
}

#define ib_copy_to_udata fake_copy_to_udata
#define rdma_user_mmap_entry_insert fake_mmap_insert
#define rdma_user_mmap_entry_remove fake_mmap_remove

#include "ctx.c"

/* UAR pages of a process; a device has twice as many. */
#define NUM_UARS 3

static int ctx_init(struct kunit *test)
{
	struct tally_fake *fake;

	tally_fake_ib_init(test);
	fake = test->priv;
	fake->pf.pub.caps.num_uars = 2 * NUM_UARS;
	map_err = 0;
	copy_err = 0;
	maps = 0;
	memset(&answer, 0, sizeof(answer));
	return 0;
}

static int ctx_alloc(struct tally_ucontext *ctx)
{
	struct ib_udata udata = { .outlen = sizeof(answer) };

	return tally_ib_alloc_ucontext(&ctx->ibucontext, &udata);
}

static struct tally_ucontext *ctx_new(struct kunit *test)
{
	struct tally_ucontext *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	ctx->ibucontext.device = &tally_fake_ib(test)->ibdev;
	KUNIT_ASSERT_EQ(test, ctx_alloc(ctx), 0);
	return ctx;
}

static void ctx_free(struct tally_ucontext *ctx)
{
	tally_ib_dealloc_ucontext(&ctx->ibucontext);
}

static void must_alloc(struct kunit *test, struct tally_ucontext *ctx, struct tally_doorbell *db)
{
	u64 offset = 0;

	KUNIT_ASSERT_EQ(test, tally_doorbell_alloc(ctx, db, &offset), 0);
	KUNIT_EXPECT_EQ(test, offset, (u64)db->uar->mmap->start_pgoff << PAGE_SHIFT);
}

static struct tally_uar_slot *slot_of(struct kunit *test, const struct tally_doorbell *db)
{
	return fake_slot(test->priv, db->slot.uar, db->slot.slot);
}

/* Every slot of a page is used once, then those of the next page. */
static void ctx_slots(struct kunit *test)
{
	struct tally_ucontext *ctx = ctx_new(test);
	DECLARE_BITMAP(seen, NUM_UARS * TALLY_UAR_SLOTS) = {};
	struct tally_doorbell db;
	u64 offset;
	u32 i, n;

	for (i = 0; i < NUM_UARS * TALLY_UAR_SLOTS; i++) {
		must_alloc(test, ctx, &db);
		KUNIT_EXPECT_EQ(test, db.slot.uar, i / TALLY_UAR_SLOTS);
		n = db.slot.uar * TALLY_UAR_SLOTS + db.slot.slot;
		KUNIT_ASSERT_LT(test, n, NUM_UARS * TALLY_UAR_SLOTS);
		KUNIT_EXPECT_FALSE(test, test_and_set_bit(n, seen));
	}
	KUNIT_EXPECT_EQ(test, tally_doorbell_alloc(ctx, &db, &offset), -EDQUOT);
	ctx_free(ctx);
	KUNIT_EXPECT_EQ(test, maps, 0);
	KUNIT_EXPECT_TRUE(test, ida_is_empty(&tally_fake_ib(test)->uars));
}

/* A new user of a page or slot does not find old counts. */
static void ctx_slots_are_clear(struct kunit *test)
{
	struct tally_ucontext *ctx = ctx_new(test);
	struct tally_fake *fake = test->priv;
	struct tally_doorbell db;

	memset(fake_slot(fake, 0, 0), 0xff, TALLY_PAGE_SIZE);
	must_alloc(test, ctx, &db);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(fake_slot(fake, 0, 0), 0, TALLY_PAGE_SIZE), NULL);
	memset(fake_slot(fake, 0, 0), 0xff, TALLY_PAGE_SIZE);
	tally_doorbell_free(&db);
	must_alloc(test, ctx, &db);
	KUNIT_EXPECT_EQ(test, slot_of(test, &db)->counter, 0);
	KUNIT_EXPECT_EQ(test, slot_of(test, &db)->arm, 0);
	/* The other slots of the page are in use. */
	KUNIT_EXPECT_EQ(test, fake_slot(fake, 0, db.slot.slot + 1)->counter, cpu_to_le64(-1));
	ctx_free(ctx);
}

static void ctx_slots_come_back(struct kunit *test)
{
	struct tally_ucontext *ctx = ctx_new(test);
	struct tally_doorbell db[TALLY_UAR_SLOTS + 1], again;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(db); i++)
		must_alloc(test, ctx, &db[i]);
	KUNIT_EXPECT_EQ(test, maps, 3);		/* the status page and two UARs */
	tally_doorbell_free(&db[20]);
	tally_doorbell_free(&db[TALLY_UAR_SLOTS]);
	/* Free slots on pages of the context are used before another page. */
	must_alloc(test, ctx, &again);
	must_alloc(test, ctx, &again);
	KUNIT_EXPECT_TRUE(test, again.slot.uar < 2);
	KUNIT_EXPECT_EQ(test, maps, 3);
	ctx_free(ctx);
	KUNIT_EXPECT_EQ(test, maps, 0);
}

/* Contexts do not share pages. */
static void ctx_contexts(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_doorbell of_a, of_b, of_c, of_d;
	struct tally_ucontext *a, *b, *c, *d;
	u64 offset;

	fake->pf.pub.caps.num_uars = 8;		/* so the quota is 4 */
	a = ctx_new(test);
	b = ctx_new(test);
	c = ctx_new(test);
	d = ctx_new(test);
	fake->pf.pub.caps.num_uars = 3;
	must_alloc(test, a, &of_a);
	must_alloc(test, b, &of_b);
	must_alloc(test, c, &of_c);
	KUNIT_EXPECT_NE(test, of_a.slot.uar, of_b.slot.uar);
	KUNIT_EXPECT_NE(test, of_a.slot.uar, of_c.slot.uar);
	KUNIT_EXPECT_NE(test, of_b.slot.uar, of_c.slot.uar);
	KUNIT_EXPECT_EQ(test, tally_doorbell_alloc(d, &of_d, &offset), -ENOSPC);
	/* A page is free when its context is. */
	tally_doorbell_free(&of_b);
	KUNIT_EXPECT_EQ(test, tally_doorbell_alloc(d, &of_d, &offset), -ENOSPC);
	ctx_free(b);
	must_alloc(test, d, &of_d);
	KUNIT_EXPECT_EQ(test, of_d.slot.uar, of_b.slot.uar);
	ctx_free(a);
	ctx_free(c);
	ctx_free(d);
	KUNIT_EXPECT_EQ(test, maps, 0);
}

static u8 *push_of(struct kunit *test, const struct tally_doorbell *db)
{
	struct tally_fake *fake = test->priv;

	return fake->bar + TALLY_BAR_PUSH_OFFSET + db->slot.uar * TALLY_PUSH_SIZE;
}

static void must_alloc_push(struct kunit *test, struct tally_ucontext *ctx,
			    struct tally_doorbell *db, bool push)
{
	u64 offset = 0, push_offset = 0;

	KUNIT_ASSERT_EQ(test, tally_doorbell_alloc_push(ctx, db, &offset, &push_offset), 0);
	KUNIT_EXPECT_EQ(test, offset, (u64)db->uar->mmap->start_pgoff << PAGE_SHIFT);
	KUNIT_EXPECT_EQ(test, db->push, push);
	if (!push) {
		KUNIT_EXPECT_EQ(test, push_offset, 0);
		return;
	}
	KUNIT_EXPECT_EQ(test, push_offset, (u64)db->uar->push_mmap->start_pgoff << PAGE_SHIFT);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(push_of(test, db), 0, TALLY_PUSH_SIZE), NULL);
}

/*
 * A push buffer belongs to one object at a time, and is empty at first. Only half of the device's
 * UARs serve objects that push; further objects get no push buffer.
 */
static void ctx_push_buffers(struct kunit *test)
{
	struct tally_ucontext *ctx = ctx_new(test);
	struct tally_fake *fake = test->priv;
	struct tally_doorbell db[NUM_UARS], more, again;
	int i;

	memset(fake->bar + TALLY_BAR_PUSH_OFFSET, 0xff, 2 * NUM_UARS * TALLY_PUSH_SIZE);
	/* A page with a slot that does not push is used, too. */
	must_alloc(test, ctx, &more);
	for (i = 0; i < NUM_UARS; i++) {
		must_alloc_push(test, ctx, &db[i], true);
		KUNIT_EXPECT_EQ(test, db[i].slot.uar, i);
	}
	must_alloc_push(test, ctx, &more, false);
	KUNIT_EXPECT_LT(test, more.slot.uar, NUM_UARS);
	KUNIT_EXPECT_NE(test, more.slot.slot, db[more.slot.uar].slot.slot);
	memset(push_of(test, &db[1]), 0xff, TALLY_PUSH_SIZE);
	tally_doorbell_free(&db[1]);
	must_alloc_push(test, ctx, &again, true);
	KUNIT_EXPECT_EQ(test, again.slot.uar, db[1].slot.uar);
	ctx_free(ctx);
	KUNIT_EXPECT_EQ(test, maps, 0);
}

/* If a push buffer cannot be mapped, the object gets none. */
static void ctx_push_map_fails(struct kunit *test)
{
	struct tally_ucontext *ctx = ctx_new(test);
	struct tally_doorbell db;

	must_alloc(test, ctx, &db);
	map_err = -ENOMEM;
	must_alloc_push(test, ctx, &db, false);
	map_err = 0;
	must_alloc_push(test, ctx, &db, true);
	ctx_free(ctx);
	KUNIT_EXPECT_EQ(test, maps, 0);
}

/* All contexts of a process have the same quota. */
static void ctx_quota(struct kunit *test)
{
	struct tally_ucontext *a = ctx_new(test), *b = ctx_new(test);
	struct tally_doorbell db;
	unsigned int i;
	u64 offset;

	KUNIT_EXPECT_PTR_EQ(test, a->quota, b->quota);
	for (i = 0; i < NUM_UARS * TALLY_UAR_SLOTS; i++)
		must_alloc(test, a, &db);
	KUNIT_EXPECT_EQ(test, tally_doorbell_alloc(b, &db, &offset), -EDQUOT);
	ctx_free(a);
	must_alloc(test, b, &db);
	ctx_free(b);
	KUNIT_EXPECT_EQ(test, maps, 0);
}

/* A page that cannot be mapped is freed. */
static void ctx_map_fails(struct kunit *test)
{
	struct tally_ucontext *ctx = ctx_new(test);
	struct tally_doorbell db;
	u64 offset;
	int i;

	map_err = -ENOMEM;
	for (i = 0; i < 2 * NUM_UARS; i++)
		KUNIT_EXPECT_EQ(test, tally_doorbell_alloc(ctx, &db, &offset), -ENOMEM);
	KUNIT_EXPECT_TRUE(test, list_empty(&ctx->uars));
	map_err = 0;
	must_alloc(test, ctx, &db);
	KUNIT_EXPECT_EQ(test, db.slot.uar, 0);
	ctx_free(ctx);
	/* A context whose pages cannot be mapped is not created. */
	map_err = -ENOMEM;
	ctx->status_mmap = NULL;
	KUNIT_EXPECT_EQ(test, ctx_alloc(ctx), -ENOMEM);
	KUNIT_EXPECT_EQ(test, maps, 0);
}

/*
 * The wake-up register is mapped if there is one. A device whose register cannot be mapped is
 * refused.
 */
static void ctx_ring(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_ucontext *ctx;

	fake->pf.pub.wake_value = 1;
	fake->pf.pub.wake_phys = 0x1000;
	ctx = ctx_new(test);
	KUNIT_EXPECT_EQ(test, maps, 2);
	ctx_free(ctx);
	fake->pf.pub.wake_phys = 0;
	KUNIT_EXPECT_EQ(test, ctx_alloc(ctx), -ENXIO);
	KUNIT_EXPECT_EQ(test, maps, 0);
}

/* The answer to a process that opens the device. If it cannot be copied, nothing remains. */
static void ctx_answer(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_ucontext *ctx;

	fake->pf.pub.epoch = 0x5a5a;
	fake->pf.pub.caps.max_seg = 100;
	fake->pf.pub.caps.opcodes = 0x1234;
	ctx = ctx_new(test);
	KUNIT_EXPECT_EQ(test, answer.epoch, 0x5a5a);
	KUNIT_EXPECT_EQ(test, answer.opcodes, 0x1234);
	KUNIT_EXPECT_EQ(test, answer.max_segs, 50);
	KUNIT_EXPECT_EQ(test, answer.caps, fake->pf.pub.caps.caps);
	KUNIT_EXPECT_EQ(test, answer.max_cells, TALLY_RMQ_CELLS / 2);
	KUNIT_EXPECT_EQ(test, answer.wake_value, 0);
	ctx_free(ctx);
	copy_err = -EFAULT;
	KUNIT_EXPECT_EQ(test, ctx_alloc(ctx), -EFAULT);
	KUNIT_EXPECT_EQ(test, maps, 0);
}

static struct kunit_case ctx_cases[] = {
	KUNIT_CASE(ctx_answer),
	KUNIT_CASE(ctx_slots),
	KUNIT_CASE(ctx_slots_are_clear),
	KUNIT_CASE(ctx_slots_come_back),
	KUNIT_CASE(ctx_contexts),
	KUNIT_CASE(ctx_push_buffers),
	KUNIT_CASE(ctx_push_map_fails),
	KUNIT_CASE(ctx_quota),
	KUNIT_CASE(ctx_map_fails),
	KUNIT_CASE(ctx_ring),
	{}
};

static struct kunit_suite ctx_suite = {
	.name = "tally_ib_ctx",
	.init = ctx_init,
	.exit = tally_fake_ib_exit,
	.test_cases = ctx_cases,
};

kunit_test_suite(ctx_suite);
