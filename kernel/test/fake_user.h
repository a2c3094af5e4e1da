/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A process that creates objects of the verbs device. The test includes this file before the source
 * under test. It replaces everything that needs memory of a process: requests and answers are
 * copied, and pinned pages and doorbells are only counted. Each of these operations can fail.
 */
#ifndef TALLY_FAKE_USER_H
#define TALLY_FAKE_USER_H

#include "fake_ib.h"

/* The operation that fails when an object is created, in the order of execution. */
enum fake_fail {
	FAIL_NOTHING,
	FAIL_COPY_IN,
	FAIL_PIN,
	FAIL_DOORBELL,
	FAIL_QUOTA,
	FAIL_DEVICE,
	FAIL_COPY_OUT,
	NUM_FAILS,
};

/**
 * struct fake_user - The process.
 * @ctx: context of the process
 * @attrs: attributes of its calls
 * @req: its request
 * @resp: the answer
 * @fail: the operation that fails
 * @pins: number of pinned buffers
 * @doorbells: number of slots in use
 */
struct fake_user {
	struct tally_ucontext ctx;
	struct uverbs_attr_bundle *attrs;
	u8 req[128];
	u8 resp[128];
	enum fake_fail fail;
	int pins;
	int doorbells;
};

static struct fake_user user;

static inline int fake_copy_in(void *to, size_t len)
{
	memcpy(to, user.req, min(len, sizeof(user.req)));
	return user.fail == FAIL_COPY_IN ? -EFAULT : 0;
}

static inline int fake_copy_out(const void *from, size_t len)
{
	memcpy(user.resp, from, min(len, sizeof(user.resp)));
	return user.fail == FAIL_COPY_OUT ? -EFAULT : 0;
}

static inline int fake_pin(struct tally_umem *tumem, u64 length)
{
	if (user.fail == FAIL_PIN)
		return -ENOMEM;
	tumem->mem.addr = cpu_to_le64(0x7000);
	tumem->mem.length = cpu_to_le64(length);
	user.pins++;
	return 0;
}

static inline int fake_doorbell(struct tally_ucontext *ctx, struct tally_doorbell *db)
{
	if (user.fail == FAIL_DOORBELL)
		return -ENOSPC;
	db->ctx = ctx;
	db->slot = (struct tally_doorbell_id){ .uar = 1, .slot = 2 };
	user.doorbells++;
	return 0;
}

#define ib_copy_from_udata(to, udata, len) fake_copy_in(to, len)
#define ib_copy_to_udata(udata, from, len) fake_copy_out(from, len)
#define ib_is_udata_cleared(udata, offset, len) (!(len))
#define tally_umem_get(dev, tumem, addr, length, entry, access) fake_pin(tumem, length)
#define tally_umem_put(dev, tumem) (user.pins--)
#define tally_doorbell_alloc(ctx, db, ...) fake_doorbell(ctx, db)
#define tally_doorbell_free(db) (user.doorbells--)

/* Exhausts the quota of one kind of object if that is what fails, or restores it. */
static inline void fake_spend(enum tally_quota_kind kind, bool spend, unsigned int count)
{
	while (count--) {
		if (!spend)
			tally_quota_uncharge_objects(user.ctx.quota, kind, 1);
		else if (!tally_quota_charge_objects(user.ctx.quota, kind, 1))
			break;
	}
}

/* Begins a test. The quota of the process is half of the device's limits. */
static int fake_user_init(struct kunit *test)
{
	struct tally_fake *fake;

	tally_fake_ib_init(test);
	fake = test->priv;
	memset(&user, 0, sizeof(user));
	user.attrs = kunit_kzalloc(test, sizeof(*user.attrs), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, user.attrs);
	user.ctx.ibucontext.device = &tally_fake_ib(test)->ibdev;
	user.ctx.quota = tally_quota_of_process(&fake->pf.pub);
	KUNIT_ASSERT_NOT_NULL(test, user.ctx.quota);
	xa_init_flags(&user.ctx.groups, XA_FLAGS_ALLOC);
	user.attrs->context = &user.ctx.ibucontext;
	user.attrs->driver_udata.outlen = sizeof(user.resp);
	tally_fake_serve(fake);
	return 0;
}

static void fake_user_exit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, user.pins, 0);
	KUNIT_EXPECT_EQ(test, user.doorbells, 0);
	xa_destroy(&user.ctx.groups);
	if (user.ctx.quota)
		tally_quota_put(user.ctx.quota);
	tally_fake_ib_exit(test);
}

#endif
