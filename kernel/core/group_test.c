// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Groups: who may attach, what each handle holds, and when resources are free again. */
#include "test/fake.h"

#include "group.c"

#define JID 0x1234
#define KEY 0xfeedfacecafebeef
#define SEGS 8
#define CELLS 5
/* Time limit of an answer where a test waits until it has passed. */
#define LATE_MS 2000
/* Ranks of the group, and those of the creator. */
#define ALL_RANKS 0xff
#define OWN_RANKS 0x03

/* Resources of a test besides the device. */
struct owner {
	struct tally_quota *quota;
	struct tally_segs *segs;
};

static struct tally_dev *dev_of(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	return &fake->pf.pub;
}

static int group_init(struct kunit *test)
{
	tally_fake_init(test);
	tally_fake_serve(test->priv);
	return 0;
}

static struct owner owner_new(struct kunit *test)
{
	struct owner o;

	o.quota = tally_quota_create(dev_of(test));
	KUNIT_ASSERT_NOT_NULL(test, o.quota);
	o.segs = tally_segs_alloc(dev_of(test), o.quota, SEGS);
	KUNIT_ASSERT_FALSE(test, IS_ERR(o.segs));
	return o;
}

static void owner_free(const struct owner *o)
{
	tally_segs_put(o->segs);
	tally_quota_put(o->quota);
}

/* The reason for the last refusal. */
static struct tally_blame blame;

static struct tally_group_handle *create(struct kunit *test, const struct owner *o, u32 jid)
{
	struct tally_group_edge edges[2] = { { .round = 7 }, { .round = 8 } };
	struct tally_group_spec spec = {
		.join_key = KEY,
		.cfg = {
			.jid = cpu_to_le32(jid),
			.num_edges = cpu_to_le16(ARRAY_SIZE(edges)),
			.num_segs = cpu_to_le16(SEGS),
			.rank_mask = cpu_to_le64(ALL_RANKS),
			.owner_ranks = cpu_to_le64(OWN_RANKS),
			.msg_cells = cpu_to_le32(CELLS),
		},
		.edges = edges,
		.blame = &blame,
	};

	return tally_group_create(dev_of(test), o->quota, o->segs, &spec);
}

static struct tally_group_handle *must_create(struct kunit *test, const struct owner *o, u32 jid)
{
	struct tally_group_handle *handle = create(test, o, jid);

	KUNIT_ASSERT_FALSE(test, IS_ERR(handle));
	return handle;
}

static struct tally_group_handle *attach(struct kunit *test, u64 ranks)
{
	return tally_group_attach(dev_of(test), JID, KEY, ranks);
}

static struct tally_group_handle *must_attach(struct kunit *test, u64 ranks)
{
	struct tally_group_handle *handle = attach(test, ranks);

	KUNIT_ASSERT_FALSE(test, IS_ERR(handle));
	return handle;
}

static unsigned int segs_in_use(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	return bitmap_weight(fake->pf.seg_map, TALLY_MAX_SEG);
}

/* Reports that the group of the last DESTROY_GROUP has drained. */
static void drain(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	const struct tally_cmd_object *body = (const void *)
		fake->last[TALLY_ADMIN_DESTROY_GROUP].body;

	tally_group_drained(&fake->pf, le32_to_cpu(body->id));
}

/* ---- One process ---- */

static void group_create(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	const struct tally_cmd_group *body = (const void *)
		fake->last[TALLY_ADMIN_CREATE_GROUP].body;
	const struct tally_group_cfg *cfg = (const void *)fake->group;
	const struct tally_group_edge *edges = (const void *)(cfg + 1);
	struct owner o = owner_new(test);
	struct tally_group_handle *handle = must_create(test, &o, JID);

	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->group), tally_group_handle_num(handle));
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->length), sizeof(*cfg) + 2 * sizeof(*edges));
	KUNIT_EXPECT_EQ(test, le32_to_cpu(cfg->jid), JID);
	KUNIT_EXPECT_EQ(test, edges[0].round, 7);
	KUNIT_EXPECT_EQ(test, edges[1].round, 8);
	KUNIT_EXPECT_EQ(test, tally_group_handle_ranks(handle), OWN_RANKS);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(tally_group_handle_cfg(handle)->jid), JID);
	tally_group_handle_put(handle);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DESTROY_GROUP], 1);
	KUNIT_EXPECT_EQ(test, tally_fake_num_groups(test), 1);
	drain(test);
	KUNIT_EXPECT_EQ(test, tally_fake_num_groups(test), 0);
	owner_free(&o);
	KUNIT_EXPECT_EQ(test, segs_in_use(test), 0);
}

/* The owner's segments and quota live exactly as long as the group drains. */
static void group_outlives_owner(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct owner o = owner_new(test);
	struct tally_group_handle *handle = must_create(test, &o, JID);

	owner_free(&o);
	KUNIT_EXPECT_EQ(test, segs_in_use(test), SEGS);
	tally_group_handle_put(handle);
	KUNIT_EXPECT_EQ(test, segs_in_use(test), SEGS);
	/* An event of another group, or of a living one, frees nothing. */
	tally_group_drained(&fake->pf, TALLY_MAX_GROUP - 1);
	tally_group_drained(&fake->pf, TALLY_MAX_GROUP);
	KUNIT_EXPECT_EQ(test, segs_in_use(test), SEGS);
	drain(test);
	KUNIT_EXPECT_EQ(test, segs_in_use(test), 0);
	drain(test);	/* reported twice */
	KUNIT_EXPECT_EQ(test, tally_fake_num_groups(test), 0);
}

static void group_drained_while_alive(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct owner o = owner_new(test);
	struct tally_group_handle *handle = must_create(test, &o, JID);

	tally_group_drained(&fake->pf, tally_group_handle_num(handle));
	KUNIT_EXPECT_EQ(test, tally_fake_num_groups(test), 1);
	tally_groups_free_draining(&fake->pf);
	KUNIT_EXPECT_EQ(test, tally_fake_num_groups(test), 1);
	tally_group_handle_put(handle);
	/* The device was reset, so there will be no event. */
	tally_groups_free_draining(&fake->pf);
	KUNIT_EXPECT_EQ(test, tally_fake_num_groups(test), 0);
	owner_free(&o);
	KUNIT_EXPECT_EQ(test, segs_in_use(test), 0);
}

static void group_refused(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct owner o = owner_new(test);

	fake->status = TALLY_ADMIN_STATUS_NO_RESOURCE;
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(create(test, &o, JID)), -ENOSPC);
	KUNIT_EXPECT_EQ(test, tally_fake_num_groups(test), 0);
	fake->status = TALLY_ADMIN_STATUS_OK;
	/* Nothing of it remains: the same creation succeeds again. */
	tally_group_handle_put(must_create(test, &o, JID));
	drain(test);
	owner_free(&o);
	KUNIT_EXPECT_EQ(test, segs_in_use(test), 0);
}

/* ---- Lookups of groups ---- */

static void group_same_jid(struct kunit *test)
{
	struct owner a = owner_new(test), b = owner_new(test);
	struct tally_group_handle *handle = must_create(test, &a, JID);

	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(create(test, &b, JID)), -EEXIST);
	tally_group_handle_put(handle);
	/* The draining group cannot be found any more, but still has its segments. */
	KUNIT_EXPECT_FALSE(test, tally_segs_claim(a.segs));
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(attach(test, 0x4)), -ENOENT);
	handle = must_create(test, &b, JID);
	KUNIT_EXPECT_EQ(test, tally_fake_num_groups(test), 2);
	drain(test);
	tally_group_handle_put(handle);
	drain(test);
	owner_free(&a);
	owner_free(&b);
	KUNIT_EXPECT_EQ(test, segs_in_use(test), 0);
}

static void group_segs_taken(struct kunit *test)
{
	struct owner o = owner_new(test);
	struct tally_group_handle *handle = must_create(test, &o, JID);

	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(create(test, &o, JID + 1)), -EBUSY);
	KUNIT_EXPECT_EQ(test, tally_fake_num_groups(test), 1);
	tally_group_handle_put(handle);
	drain(test);
	tally_group_handle_put(must_create(test, &o, JID + 1));
	drain(test);
	owner_free(&o);
}

/* The edges of a group count, and return when it has drained. */
static void group_edges_quota(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct owner a, b;

	fake->pf.pub.caps.max_edges = 6; /* a process may hold 3 */
	a = owner_new(test);
	b = owner_new(test);
	tally_group_handle_put(must_create(test, &a, JID));
	tally_segs_put(a.segs);
	a.segs = tally_segs_alloc(dev_of(test), a.quota, SEGS);
	KUNIT_ASSERT_FALSE(test, IS_ERR(a.segs));
	KUNIT_EXPECT_FALSE(test, tally_quota_charge_group(a.quota, 2, 0, &blame));
	tally_group_handle_put(must_create(test, &b, JID + 1));
	tally_groups_free_draining(&fake->pf);
	tally_group_handle_put(must_create(test, &a, JID));
	tally_groups_free_draining(&fake->pf);
	owner_free(&a);
	owner_free(&b);
}

/* The quota ends before the room of the device does, so another context finds room. */
static void group_quota(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct owner a = owner_new(test), b, c;

	fake->pf.pub.caps.max_group = 2;
	b = owner_new(test);
	c = owner_new(test);	/* room for one group each */
	tally_group_handle_put(must_create(test, &b, JID));
	/* Draining groups count. */
	tally_segs_put(b.segs);
	b.segs = tally_segs_alloc(dev_of(test), b.quota, SEGS);
	KUNIT_ASSERT_FALSE(test, IS_ERR(b.segs));
	KUNIT_EXPECT_FALSE(test, tally_quota_charge_group(b.quota, 0, 0, &blame));
	tally_group_handle_put(must_create(test, &c, JID));
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(create(test, &a, JID)), -ENOSPC);
	KUNIT_EXPECT_TRUE(test, blame.no_group);
	tally_groups_free_draining(&fake->pf);
	KUNIT_EXPECT_EQ(test, tally_fake_num_groups(test), 0);
	owner_free(&a);
	owner_free(&b);
	owner_free(&c);
	KUNIT_EXPECT_EQ(test, segs_in_use(test), 0);
}

/* ---- Waits for draining groups of the same process ---- */

#define LATER (HZ / 10)

/* What happens to the draining groups while a call waits. */
struct later {
	struct delayed_work work;
	struct kunit *test;
};

static void drain_work(struct work_struct *work)
{
	drain(container_of(to_delayed_work(work), struct later, work)->test);
}

static void lose_device_work(struct work_struct *work)
{
	struct later *later = container_of(to_delayed_work(work), struct later, work);
	struct tally_fake *fake = later->test->priv;

	tally_fail(&fake->pf, "test");
	tally_groups_free_draining(&fake->pf);
}

static void do_later(struct later *later, struct kunit *test, work_func_t act)
{
	later->test = test;
	INIT_DELAYED_WORK_ONSTACK(&later->work, act);
	schedule_delayed_work(&later->work, LATER);
}

static void done_later(struct later *later)
{
	flush_delayed_work(&later->work);
	destroy_delayed_work_on_stack(&later->work);
}

/* The same segments and job id are available as soon as the predecessor has drained, not before. */
static void group_create_waits(struct kunit *test)
{
	struct owner o = owner_new(test);
	struct tally_group_handle *handle;
	unsigned long start = jiffies;
	struct later later;

	tally_group_handle_put(must_create(test, &o, JID));
	do_later(&later, test, drain_work);
	handle = must_create(test, &o, JID);
	KUNIT_EXPECT_TRUE(test, time_after_eq(jiffies, start + LATER));
	KUNIT_EXPECT_EQ(test, tally_fake_num_groups(test), 1);
	done_later(&later);
	tally_group_handle_put(handle);
	drain(test);
	owner_free(&o);
}

/* A call waits for groups, cells and segments of the quota that a draining group still holds. */
static void group_create_waits_for_quota(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_segs *segs;
	struct later later;
	struct owner o;

	fake->pf.pub.caps.max_group = 2;
	fake->pf.pub.caps.max_seg = 4 * SEGS;
	o = owner_new(test);	/* room for a group, and for two ranges */
	tally_group_handle_put(must_create(test, &o, JID));
	tally_segs_put(o.segs);
	o.segs = tally_segs_alloc(dev_of(test), o.quota, SEGS);
	KUNIT_ASSERT_FALSE(test, IS_ERR(o.segs));
	do_later(&later, test, drain_work);
	tally_group_handle_put(must_create(test, &o, JID));
	done_later(&later);
	segs = tally_segs_alloc(dev_of(test), o.quota, SEGS);
	KUNIT_ASSERT_FALSE(test, IS_ERR(segs));
	tally_segs_put(o.segs);
	do_later(&later, test, drain_work);
	o.segs = tally_segs_alloc(dev_of(test), o.quota, SEGS);
	KUNIT_ASSERT_FALSE(test, IS_ERR(o.segs));
	done_later(&later);
	tally_segs_put(segs);
	owner_free(&o);
	KUNIT_EXPECT_EQ(test, segs_in_use(test), 0);
}

/*
 * A call waits for a group that never drains as long as the device may take to drain it and to
 * answer, and does not wait for groups of other processes.
 */
static void group_create_waits_not_forever(struct kunit *test)
{
	struct owner a = owner_new(test), b = owner_new(test);
	unsigned int busy = tally_fake_timeout_ms;
	unsigned long start, bound = msecs_to_jiffies(TALLY_DRAIN_MS + TALLY_COLLECT_MS + LATE_MS);
	struct tally_group_handle *handle;

	tally_group_handle_put(must_create(test, &a, JID));
	tally_fake_timeout_ms = LATE_MS;
	start = jiffies;
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(create(test, &a, JID)), -EBUSY);
	KUNIT_EXPECT_TRUE(test, time_in_range(jiffies, start + bound, start + 2 * bound));
	tally_fake_timeout_ms = busy;
	handle = must_create(test, &b, JID);
	start = jiffies;
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(create(test, &b, JID + 1)), -EBUSY);
	KUNIT_EXPECT_TRUE(test, time_before(jiffies, start + bound));
	tally_group_handle_put(handle);
	tally_groups_free_draining(&((struct tally_fake *)test->priv)->pf);
	owner_free(&a);
	owner_free(&b);
	KUNIT_EXPECT_EQ(test, segs_in_use(test), 0);
}

static void group_create_is_interrupted(struct kunit *test)
{
	struct owner o = owner_new(test);

	tally_group_handle_put(must_create(test, &o, JID));
	allow_signal(SIGTERM);
	send_sig(SIGTERM, current, 0);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(create(test, &o, JID)), -ERESTARTSYS);
	flush_signals(current);
	disallow_signal(SIGTERM);
	KUNIT_EXPECT_EQ(test, tally_fake_num_groups(test), 1);
	drain(test);
	owner_free(&o);
	KUNIT_EXPECT_EQ(test, segs_in_use(test), 0);
}

/* The device fails during the wait: its groups are forgotten, and the call ends. */
static void group_create_waits_for_lost_device(struct kunit *test)
{
	struct owner o = owner_new(test);
	struct later later;

	tally_group_handle_put(must_create(test, &o, JID));
	do_later(&later, test, lose_device_work);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(create(test, &o, JID)), -EIO);
	done_later(&later);
	KUNIT_EXPECT_EQ(test, tally_fake_num_groups(test), 0);
	owner_free(&o);
	KUNIT_EXPECT_EQ(test, segs_in_use(test), 0);
}

/* ---- Sharing ---- */

static void group_attach(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	const struct tally_cmd_group_ranks *body;
	struct owner o = owner_new(test);
	struct tally_group_handle *handle = must_create(test, &o, JID), *other;

	other = must_attach(test, 0x0c);
	body = (const void *)fake->last[TALLY_ADMIN_ATTACH_RANK].body;
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->group), tally_group_handle_num(handle));
	KUNIT_EXPECT_EQ(test, le64_to_cpu(body->ranks), 0x0c);
	KUNIT_EXPECT_EQ(test, tally_group_handle_ranks(other), 0x0c);
	KUNIT_EXPECT_EQ(test, tally_group_handle_num(other), tally_group_handle_num(handle));
	/* The creator leaves first. */
	tally_group_handle_put(handle);
	body = (const void *)fake->last[TALLY_ADMIN_DETACH_RANK].body;
	KUNIT_EXPECT_EQ(test, le64_to_cpu(body->ranks), OWN_RANKS);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DESTROY_GROUP], 0);
	tally_group_handle_put(other);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DETACH_RANK], 2);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(body->ranks), 0x0c);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DESTROY_GROUP], 1);
	drain(test);
	owner_free(&o);
}

/* A process with a wrong key learns nothing else. */
static void group_attach_key(struct kunit *test)
{
	struct owner o = owner_new(test);
	struct tally_group_handle *handle = must_create(test, &o, JID);
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		u64 key = KEY ^ BIT_ULL(bit);

		KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(tally_group_attach(dev_of(test), JID, key,
									 0x04)), -EACCES);
	}
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(tally_group_attach(dev_of(test), JID, 0, 0)),
			-EACCES);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(tally_group_attach(dev_of(test), JID, 0, OWN_RANKS)),
			-EACCES);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(tally_group_attach(dev_of(test), JID + 1, KEY, 4)),
			-ENOENT);
	tally_group_handle_put(handle);
	drain(test);
	owner_free(&o);
}

static void group_attach_ranks(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct owner o = owner_new(test);
	struct tally_group_handle *handle = must_create(test, &o, JID), *other;

	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(attach(test, 0)), -EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(attach(test, 0x104)), -EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(attach(test, BIT_ULL(63))), -EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(attach(test, OWN_RANKS)), -EBUSY);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(attach(test, 0x06)), -EBUSY);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_ATTACH_RANK], 0);
	other = must_attach(test, 0xf0);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(attach(test, 0x18)), -EBUSY);
	tally_group_handle_put(other);
	other = must_attach(test, 0x18);
	tally_group_handle_put(handle);
	tally_group_handle_put(other);
	drain(test);
	owner_free(&o);
}

/* If the device refuses, the ranks are free again, and the group is unchanged. */
static void group_attach_refused(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct owner o = owner_new(test);
	struct tally_group_handle *handle = must_create(test, &o, JID);

	fake->status = TALLY_ADMIN_STATUS_BAD_STATE;
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(attach(test, 0x0c)), -EINVAL);
	fake->status = TALLY_ADMIN_STATUS_OK;
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DESTROY_GROUP], 0);
	tally_group_handle_put(must_attach(test, 0x0c));
	tally_group_handle_put(handle);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DESTROY_GROUP], 1);
	drain(test);
	owner_free(&o);
}

/* A handle that a queue pair also holds outlives its process. */
static void group_references(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct owner o = owner_new(test);
	struct tally_group_handle *handle = must_create(test, &o, JID);

	tally_group_handle_get(handle);
	tally_group_handle_put(handle);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DETACH_RANK], 0);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(attach(test, OWN_RANKS)), -EBUSY);
	tally_group_handle_put(handle);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DETACH_RANK], 1);
	drain(test);
	owner_free(&o);
}

/* If the device fails while groups live, handles are released without an error. */
static void group_device_fails(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct owner o = owner_new(test);
	struct tally_group_handle *handle = must_create(test, &o, JID);
	struct tally_group_handle *other = must_attach(test, 0x04);

	tally_fail(&fake->pf, "test");
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(attach(test, 0x08)), -EIO);
	tally_group_handle_put(other);
	tally_group_handle_put(handle);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DESTROY_GROUP], 0);
	tally_groups_free_draining(&fake->pf);
	KUNIT_EXPECT_EQ(test, tally_fake_num_groups(test), 0);
	owner_free(&o);
	KUNIT_EXPECT_EQ(test, segs_in_use(test), 0);
}

static struct kunit_case group_cases[] = {
	KUNIT_CASE(group_create),
	KUNIT_CASE(group_outlives_owner),
	KUNIT_CASE(group_drained_while_alive),
	KUNIT_CASE(group_refused),
	KUNIT_CASE(group_same_jid),
	KUNIT_CASE(group_segs_taken),
	KUNIT_CASE(group_edges_quota),
	KUNIT_CASE(group_quota),
	KUNIT_CASE(group_create_waits),
	KUNIT_CASE(group_create_waits_for_quota),
	KUNIT_CASE(group_create_waits_not_forever),
	KUNIT_CASE(group_create_is_interrupted),
	KUNIT_CASE(group_create_waits_for_lost_device),
	KUNIT_CASE(group_attach),
	KUNIT_CASE(group_attach_key),
	KUNIT_CASE(group_attach_ranks),
	KUNIT_CASE(group_attach_refused),
	KUNIT_CASE(group_references),
	KUNIT_CASE(group_device_fails),
	{}
};

static struct kunit_suite group_suite = {
	.name = "tally_group",
	.init = group_init,
	.exit = tally_fake_exit,
	.test_cases = group_cases,
};

kunit_test_suite(group_suite);
