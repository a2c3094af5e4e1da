// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Doorbell slots, and the register that wakes a sleeping device. */
#include "test/fake.h"

/* The push buffers are in the fake BAR, too. Their mapping can fail. */
static bool wc_fails;
#undef ioremap_wc
#define ioremap_wc(phys, size) \
	(wc_fails ? NULL : to_pf(tdev)->bar2 + ((phys) - tdev->bar2_phys))
#undef iounmap
#define iounmap(addr) ((void)(addr))

#include "attach.c"

/* Fills UAR pages 1 to 3 with ones. */
static void fill_uars(struct tally_fake *fake)
{
	memset(fake_slot(fake, 1, 0), 0xff, 3 * TALLY_PAGE_SIZE);
}

static bool is_full(const void *from, const void *to)
{
	return !memchr_inv(from, 0xff, to - from);
}

static void attach_slot_clear(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_uar_slot *slot = fake_slot(fake, 2, 63);

	fill_uars(fake);
	tally_doorbell_clear(&fake->pf.pub, (struct tally_doorbell_id){ .uar = 2, .slot = 63 });
	KUNIT_EXPECT_EQ(test, le64_to_cpu(slot->counter), 0);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(slot->arm), 0);
	/* No other slot changes. */
	KUNIT_EXPECT_TRUE(test, is_full(fake_slot(fake, 1, 0), slot));
	KUNIT_EXPECT_TRUE(test, is_full(fake_slot(fake, 3, 0), fake_slot(fake, 4, 0)));
}

static void attach_uar_clear(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	fill_uars(fake);
	tally_uar_clear(&fake->pf.pub, 2);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(fake_slot(fake, 2, 0), 0, TALLY_PAGE_SIZE), NULL);
	KUNIT_EXPECT_TRUE(test, is_full(fake_slot(fake, 1, 0), fake_slot(fake, 2, 0)));
	KUNIT_EXPECT_TRUE(test, is_full(fake_slot(fake, 3, 0), fake_slot(fake, 4, 0)));
}

/* Each UAR has a page of its own, after the pages that processes must not map. */
static void attach_uar_phys(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	phys_addr_t bar = fake->pf.pub.bar2_phys;
	u32 uar;

	for (uar = 0; uar < TALLY_NUM_UARS; uar++) {
		phys_addr_t phys = tally_uar_phys(&fake->pf.pub, uar);

		KUNIT_EXPECT_EQ(test, phys - bar, (u8 *)fake_slot(fake, uar, 0) - fake->bar);
		KUNIT_EXPECT_TRUE(test, IS_ALIGNED(phys, TALLY_PAGE_SIZE));
	}
	KUNIT_EXPECT_GE(test, tally_uar_phys(&fake->pf.pub, 0), bar + TALLY_BAR_UAR_OFFSET);
	KUNIT_EXPECT_LE(test, tally_uar_phys(&fake->pf.pub, TALLY_NUM_UARS),
			bar + TALLY_BAR_PUSH_OFFSET);
}

/* Each UAR has a push buffer of its own, after all UARs, and it is cleared completely. */
static void attach_push_clear(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_dev *tdev = &fake->pf.pub;
	u8 *buf = fake->bar + TALLY_BAR_PUSH_OFFSET;

	memset(buf, 0xff, 3 * TALLY_PUSH_SIZE);
	KUNIT_EXPECT_EQ(test, tally_push_clear(tdev, 1), 0);
	KUNIT_EXPECT_TRUE(test, is_full(buf, buf + TALLY_PUSH_SIZE));
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(buf + TALLY_PUSH_SIZE, 0, TALLY_PUSH_SIZE), NULL);
	KUNIT_EXPECT_TRUE(test, is_full(buf + 2 * TALLY_PUSH_SIZE, buf + 3 * TALLY_PUSH_SIZE));
	wc_fails = true;
	KUNIT_EXPECT_EQ(test, tally_push_clear(tdev, 2), -ENOMEM);
	wc_fails = false;
	KUNIT_EXPECT_TRUE(test, is_full(buf + 2 * TALLY_PUSH_SIZE, buf + 3 * TALLY_PUSH_SIZE));
	KUNIT_EXPECT_LE(test, tally_push_phys(tdev, TALLY_NUM_UARS),
			tdev->bar2_phys + TALLY_BAR_SIZE);
}

/* The driver wakes the device if it sleeps, and does not if it is awake or never sleeps. */
static void attach_ring(struct kunit *test)
{
	static const struct tally_attach attach = { .wake_offset = 0x40, .wake_value = 0xabcd };
	struct tally_fake *fake = test->priv;
	/* Any register of the BAR is suitable. */
	__le32 *reg = (__le32 *)(fake->bar + TALLY_BAR_PUSH_OFFSET + attach.wake_offset);
	struct tally_status_page *status =
		(struct tally_status_page *)(fake->bar + TALLY_BAR_STATUS_OFFSET);

	fake->pf.attach = &attach;
	status->need_wake = cpu_to_le32(1);
	tally_wake(&fake->pf);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(*reg), 0);
	fake->pf.wake_reg = fake->pf.bar2 + TALLY_BAR_PUSH_OFFSET;
	status->need_wake = 0;
	tally_wake(&fake->pf);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(*reg), 0);
	status->need_wake = cpu_to_le32(1);
	tally_wake(&fake->pf);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(*reg), attach.wake_value);
}

static struct kunit_case attach_cases[] = {
	KUNIT_CASE(attach_slot_clear),
	KUNIT_CASE(attach_uar_clear),
	KUNIT_CASE(attach_uar_phys),
	KUNIT_CASE(attach_push_clear),
	KUNIT_CASE(attach_ring),
	{}
};

static struct kunit_suite attach_suite = {
	.name = "tally_attach",
	.init = tally_fake_init,
	.exit = tally_fake_exit,
	.test_cases = attach_cases,
};

kunit_test_suite(attach_suite);
