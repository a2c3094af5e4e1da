// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The identification page: the driver refuses a device unless it knows everything that the page
 * says.
 */
#include "test/fake.h"

/* The limits that others could see while the driver logged a mistake of the page. */
static struct tally_pf *watched;
static u32 seen_max_seg;

static void look_meanwhile(void)
{
	if (watched)
		seen_max_seg = watched->pub.caps.max_seg;
}

#undef dev_err
#define dev_err(dev, fmt, ...) do { \
	look_meanwhile(); \
	dev_printk(KERN_ERR, dev, fmt, ##__VA_ARGS__); \
} while (0)

#include "ident.c"

/* Reads the page as probe does. */
static int first_look(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	memset(&fake->pf.pub.caps, 0, sizeof(fake->pf.pub.caps));
	return tally_read_ident(&fake->pf);
}

static __le32 *field_of(struct kunit *test, const struct limit *l)
{
	return (__le32 *)((u8 *)fake_ident(test->priv) + l->from);
}

static u32 cap_of(struct kunit *test, const struct limit *l)
{
	struct tally_fake *fake = test->priv;

	return *(u32 *)((u8 *)&fake->pf.pub.caps + l->to);
}

/* A device with the lowest limits that this driver accepts. */
static int ident_init(struct kunit *test)
{
	static const u8 mac[] = { 0x02, 0x54, 0x41, 0x4c, 0x4c, 0x59 };
	struct tally_ident *ident;
	unsigned int i;

	tally_fake_init(test);
	ident = fake_ident(test->priv);
	for (i = 0; i < ARRAY_SIZE(limits); i++)
		*field_of(test, &limits[i]) = cpu_to_le32(limits[i].min);
	ident->magic = cpu_to_le64(TALLY_MAGIC);
	ident->abi_version = cpu_to_le32(TALLY_ABI_VERSION);
	ident->engine_version = cpu_to_le32(TALLY_ENGINE_VERSION);
	ident->wire_version = cpu_to_le32(TALLY_WIRE_VERSION);
	ident->bar_size = cpu_to_le32(TALLY_BAR_SIZE);
	ident->caps = cpu_to_le64(0x123456789abcdef0);
	ident->guid = cpu_to_le64(0x025441fffe4c4c59);
	memcpy(ident->mac, mac, sizeof(mac));
	ident->port_state = 1;
	return 0;
}

static void ident_accepts(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	const struct tally_caps *caps = &fake->pf.pub.caps;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, first_look(test), 0);
	for (i = 0; i < ARRAY_SIZE(limits); i++)
		KUNIT_EXPECT_EQ(test, cap_of(test, &limits[i]),
				le32_to_cpu(*field_of(test, &limits[i])));
	KUNIT_EXPECT_EQ(test, caps->abi_version, TALLY_ABI_VERSION);
	KUNIT_EXPECT_EQ(test, caps->engine_version, TALLY_ENGINE_VERSION);
	KUNIT_EXPECT_EQ(test, caps->wire_version, TALLY_WIRE_VERSION);
	KUNIT_EXPECT_EQ(test, caps->caps, 0x123456789abcdef0);
	KUNIT_EXPECT_EQ(test, caps->guid, 0x025441fffe4c4c59);
	KUNIT_EXPECT_EQ(test, memcmp(caps->mac, fake_ident(fake)->mac, ETH_ALEN), 0);
	KUNIT_EXPECT_TRUE(test, fake->pf.pub.link_up);
}

/* ---- Another device ---- */

/* A device of another vendor may have the same PCI id: the driver silently leaves it alone. */
static void ident_foreign(struct kunit *test)
{
	struct tally_ident *ident = fake_ident(test->priv);
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		ident->magic = cpu_to_le64(TALLY_MAGIC ^ BIT_ULL(bit));
		KUNIT_EXPECT_EQ(test, first_look(test), -ENODEV);
	}
	ident->magic = 0;
	KUNIT_EXPECT_EQ(test, first_look(test), -ENODEV);
}

static void ident_small_bar(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct resource *bar = &fake->pdev->resource[2];

	bar->end = bar->start + sizeof(struct tally_ident) - 2;
	KUNIT_EXPECT_EQ(test, first_look(test), -ENODEV);
	/* The BAR holds the page, but not all that the page describes. */
	bar->end = bar->start + TALLY_BAR_SIZE - 2;
	KUNIT_EXPECT_EQ(test, first_look(test), -EINVAL);
	bar->end++;
	KUNIT_EXPECT_EQ(test, first_look(test), 0);
}

/* ---- Versions ---- */

struct version {
	const char *name;
	size_t offset;
	u32 known;
};

static const struct version versions[] = {
	{ "abi", offsetof(struct tally_ident, abi_version), TALLY_ABI_VERSION },
	{ "engine", offsetof(struct tally_ident, engine_version), TALLY_ENGINE_VERSION },
	{ "wire", offsetof(struct tally_ident, wire_version), TALLY_WIRE_VERSION },
};

static void version_name(const struct version *version, char *text)
{
	strscpy(text, version->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(version, versions, version_name);

/* Neither older nor newer versions of a block are accepted. */
static void ident_version(struct kunit *test)
{
	const struct version *version = test->param_value;
	__le32 *field = (__le32 *)((u8 *)fake_ident(test->priv) + version->offset);
	static const u32 bad[] = { 0, 0x7fffffff, U32_MAX };
	unsigned int i;

	*field = cpu_to_le32(version->known - 1);
	KUNIT_EXPECT_EQ(test, first_look(test), -EINVAL);
	*field = cpu_to_le32(version->known + 1);
	KUNIT_EXPECT_EQ(test, first_look(test), -EINVAL);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		*field = cpu_to_le32(bad[i]);
		KUNIT_EXPECT_EQ(test, first_look(test), -EINVAL);
	}
	*field = cpu_to_le32(version->known);
	KUNIT_EXPECT_EQ(test, first_look(test), 0);
}

/* ---- Limits ---- */

static void limit_name(const struct limit *limit, char *text)
{
	strscpy(text, limit->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(limit, limits, limit_name);

static bool is_bar_size(const struct limit *l)
{
	return l->from == offsetof(struct tally_ident, bar_size);
}

/* For any accepted limit, the arrays and numbers that depend on it are large enough. */
static void ident_limit(struct kunit *test)
{
	const struct limit *l = test->param_value;
	__le32 *field = field_of(test, l);

	if (l->min) {
		*field = cpu_to_le32(l->min - 1);
		KUNIT_EXPECT_EQ(test, first_look(test), -EINVAL);
	}
	if (l->max != U32_MAX) {
		*field = cpu_to_le32(l->max);
		KUNIT_EXPECT_EQ(test, first_look(test), 0);
		*field = cpu_to_le32(l->max + 1);
		KUNIT_EXPECT_EQ(test, first_look(test), -EINVAL);
		*field = cpu_to_le32(U32_MAX);
		KUNIT_EXPECT_EQ(test, first_look(test), -EINVAL);
	}
	if (l->power_of_two) {
		*field = cpu_to_le32(l->max - 1);
		KUNIT_EXPECT_EQ(test, first_look(test), -EINVAL);
	}
	*field = cpu_to_le32(is_bar_size(l) ? TALLY_BAR_SIZE : l->min);
	KUNIT_EXPECT_EQ(test, first_look(test), 0);
}

/* The UARs must lie in the BAR. */
static void ident_uars_fit(struct kunit *test)
{
	struct tally_ident *ident = fake_ident(test->priv);
	u32 uars = 5;

	ident->caps = 0;
	ident->num_uars = cpu_to_le32(uars);
	ident->bar_size = cpu_to_le32(TALLY_BAR_UAR_OFFSET + uars * TALLY_PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, first_look(test), 0);
	ident->num_uars = cpu_to_le32(uars + 1);
	KUNIT_EXPECT_EQ(test, first_look(test), -EINVAL);
	ident->bar_size = cpu_to_le32(TALLY_BAR_SIZE + 1);
	KUNIT_EXPECT_EQ(test, first_look(test), -EINVAL);
	/* Their push buffers must, too, if there are any. */
	ident->bar_size = cpu_to_le32(TALLY_BAR_PUSH_OFFSET + uars * TALLY_PUSH_SIZE);
	KUNIT_EXPECT_EQ(test, first_look(test), 0);
	ident->caps = cpu_to_le64(TALLY_CAP_PUSH);
	KUNIT_EXPECT_EQ(test, first_look(test), -EINVAL);
	ident->num_uars = cpu_to_le32(uars);
	KUNIT_EXPECT_EQ(test, first_look(test), 0);
}

/* ---- Identity ---- */

static void ident_mac(struct kunit *test)
{
	struct tally_ident *ident = fake_ident(test->priv);

	ident->mac[0] |= 1;
	KUNIT_EXPECT_EQ(test, first_look(test), -EINVAL);
	memset(ident->mac, 0, ETH_ALEN);
	KUNIT_EXPECT_EQ(test, first_look(test), -EINVAL);
	memset(ident->mac, 0xff, ETH_ALEN);
	KUNIT_EXPECT_EQ(test, first_look(test), -EINVAL);
}

static void ident_port_down(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	fake_ident(fake)->port_state = 0;
	KUNIT_EXPECT_EQ(test, first_look(test), 0);
	KUNIT_EXPECT_FALSE(test, fake->pf.pub.link_up);
	fake_ident(fake)->port_state = 2;
	KUNIT_EXPECT_EQ(test, first_look(test), 0);
	KUNIT_EXPECT_FALSE(test, fake->pf.pub.link_up);
}

/* After a reset the device must be the same one. Only the state of the port may have changed. */
static void ident_comes_back(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_ident *ident = fake_ident(fake);
	struct tally_caps *caps = &fake->pf.pub.caps;
	u32 max_pd;
	u64 guid;

	KUNIT_ASSERT_EQ(test, first_look(test), 0);
	max_pd = caps->max_pd;
	guid = caps->guid;
	ident->port_state = 0;
	KUNIT_EXPECT_EQ(test, tally_check_ident(&fake->pf), 0);
	ident->max_pd = cpu_to_le32(max_pd + 1);
	KUNIT_EXPECT_EQ(test, tally_check_ident(&fake->pf), -ENODEV);
	KUNIT_EXPECT_EQ(test, caps->max_pd, max_pd);
	ident->max_pd = cpu_to_le32(max_pd);
	ident->guid = cpu_to_le64(guid + 1);
	KUNIT_EXPECT_EQ(test, tally_check_ident(&fake->pf), -ENODEV);
	KUNIT_EXPECT_EQ(test, caps->guid, guid);
	ident->guid = cpu_to_le64(guid);
	KUNIT_EXPECT_EQ(test, tally_check_ident(&fake->pf), 0);
}

/*
 * The limits never change, because a reader of debugfs sizes a buffer by them and fills it later.
 */
static void ident_limits_stand(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_ident *ident = fake_ident(fake);

	KUNIT_ASSERT_EQ(test, first_look(test), 0);
	watched = &fake->pf;
	seen_max_seg = 0;
	ident->max_seg = cpu_to_le32(fake->pf.pub.caps.max_seg + 1);
	KUNIT_EXPECT_EQ(test, tally_check_ident(&fake->pf), -ENODEV);
	KUNIT_EXPECT_EQ(test, seen_max_seg, fake->pf.pub.caps.max_seg);
	watched = NULL;
}

static struct kunit_case ident_cases[] = {
	KUNIT_CASE(ident_accepts),
	KUNIT_CASE(ident_foreign),
	KUNIT_CASE(ident_small_bar),
	KUNIT_CASE_PARAM(ident_version, version_gen_params),
	KUNIT_CASE_PARAM(ident_limit, limit_gen_params),
	KUNIT_CASE(ident_uars_fit),
	KUNIT_CASE(ident_mac),
	KUNIT_CASE(ident_port_down),
	KUNIT_CASE(ident_comes_back),
	KUNIT_CASE(ident_limits_stand),
	{}
};

static struct kunit_suite ident_suite = {
	.name = "tally_ident",
	.init = ident_init,
	.exit = tally_fake_exit,
	.test_cases = ident_cases,
};

kunit_test_suite(ident_suite);
