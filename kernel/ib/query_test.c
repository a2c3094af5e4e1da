// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queries of the verbs device and its port. */
#include "test/fake_ib.h"

#include "query.c"

static void query_gid(struct kunit *test)
{
	static const u8 mac[] = { 0x02, 0x11, 0x22, 0x33, 0x44, 0x55 };
	static const u8 want[] = { 0xfe, 0x80, 0, 0, 0, 0, 0, 0,
				   0x00, 0x11, 0x22, 0xff, 0xfe, 0x33, 0x44, 0x55 };
	struct ib_device *ibdev = &tally_fake_ib(test)->ibdev;
	struct tally_fake *fake = test->priv;
	union ib_gid gid;

	memcpy(fake->pf.pub.caps.mac, mac, ETH_ALEN);
	KUNIT_ASSERT_EQ(test, tally_ib_query_gid(ibdev, 1, 0, &gid), 0);
	KUNIT_EXPECT_EQ(test, memcmp(gid.raw, want, sizeof(want)), 0);
	KUNIT_EXPECT_EQ(test, tally_ib_query_gid(ibdev, 1, 1, &gid), -EINVAL);
	KUNIT_EXPECT_EQ(test, tally_ib_query_gid(ibdev, 1, -1, &gid), -EINVAL);
}

static void query_port(struct kunit *test)
{
	struct ib_device *ibdev = &tally_fake_ib(test)->ibdev;
	struct tally_fake *fake = test->priv;
	struct ib_port_attr attr = {};

	fake->pf.pub.link_up = true;
	KUNIT_ASSERT_EQ(test, tally_ib_query_port(ibdev, 1, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.state, IB_PORT_ACTIVE);
	KUNIT_EXPECT_EQ(test, attr.max_mtu, IB_MTU_4096);
	KUNIT_EXPECT_EQ(test, attr.max_msg_sz, U32_MAX);
	fake->pf.pub.link_up = false;
	KUNIT_ASSERT_EQ(test, tally_ib_query_port(ibdev, 1, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.state, IB_PORT_DOWN);
	/* The port of a failed device is down, whatever its last state was. */
	fake->pf.pub.link_up = true;
	tally_fail(&fake->pf, "test");
	KUNIT_ASSERT_EQ(test, tally_ib_query_port(ibdev, 1, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.state, IB_PORT_DOWN);
}

static void query_rates(struct kunit *test)
{
	static const struct { u32 mbps; u8 width, speed; } cases[] = {
		{ 0, IB_WIDTH_1X, IB_SPEED_FDR10 },
		{ 10000, IB_WIDTH_1X, IB_SPEED_FDR10 },
		{ 10001, IB_WIDTH_1X, IB_SPEED_EDR },
		{ 100000, IB_WIDTH_4X, IB_SPEED_EDR },
		{ 400000, IB_WIDTH_4X, IB_SPEED_NDR },
		{ U32_MAX, IB_WIDTH_4X, IB_SPEED_NDR },
	};
	struct ib_port_attr attr;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		attr = (struct ib_port_attr){};
		port_set_rate(&attr, cases[i].mbps);
		KUNIT_EXPECT_EQ(test, attr.active_width, cases[i].width);
		KUNIT_EXPECT_EQ(test, attr.active_speed, cases[i].speed);
	}
}

static struct kunit_case query_cases[] = {
	KUNIT_CASE(query_gid),
	KUNIT_CASE(query_port),
	KUNIT_CASE(query_rates),
	{}
};

static struct kunit_suite query_suite = {
	.name = "tally_ib_query",
	.init = tally_fake_ib_init,
	.exit = tally_fake_ib_exit,
	.test_cases = query_cases,
};

kunit_test_suite(query_suite);
