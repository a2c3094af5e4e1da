// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Verbs device of a fake device. */
#include "fake_ib.h"

/* Device of the current test; tests run one after the other. */
static struct tally_ibdev *ibdev;

/**
 * tally_fake_ib() - Return the verbs device of a test.
 * @test: test whose suite has tally_fake_ib_init() and tally_fake_ib_exit(); its priv is the device
 *
 * Return: the verbs device.
 */
struct tally_ibdev *tally_fake_ib(struct kunit *test)
{
	return ibdev;
}

int tally_fake_ib_init(struct kunit *test)
{
	struct tally_fake *fake;

	tally_fake_init(test);
	fake = test->priv;
	ibdev = kzalloc(sizeof(*ibdev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ibdev);
	ibdev->ibdev.dev.init_name = "fake_ib";
	ibdev->ibdev.dev.parent = &fake->pdev->dev;
	ibdev->tdev = &fake->pf.pub;
	spin_lock_init(&ibdev->event_lock);
	ida_init(&ibdev->pds);
	ida_init(&ibdev->uars);
	ida_init(&ibdev->mrs);
	xa_init_flags(&ibdev->cqs, XA_FLAGS_ALLOC);
	xa_init_flags(&ibdev->qps, XA_FLAGS_ALLOC);
	return 0;
}

void tally_fake_ib_exit(struct kunit *test)
{
	if (ibdev) {
		KUNIT_EXPECT_TRUE(test, ida_is_empty(&ibdev->pds));
		KUNIT_EXPECT_TRUE(test, ida_is_empty(&ibdev->uars));
		KUNIT_EXPECT_TRUE(test, ida_is_empty(&ibdev->mrs));
		KUNIT_EXPECT_TRUE(test, xa_empty(&ibdev->cqs));
		KUNIT_EXPECT_TRUE(test, xa_empty(&ibdev->qps));
		ida_destroy(&ibdev->pds);
		ida_destroy(&ibdev->uars);
		ida_destroy(&ibdev->mrs);
		xa_destroy(&ibdev->cqs);
		xa_destroy(&ibdev->qps);
		kfree(ibdev);
		ibdev = NULL;
	}
	tally_fake_exit(test);
}
