// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queries of a group, with entries of the length that the process knows, and resets to the next
 * epoch.
 */
#include "core/group.h"
#include "test/fake_uverbs.h"

#include "uobj_query.c"

#define NUM 5
#define SEGS 4
#define EPOCH 9

static struct tally_group group;
static struct tally_group_handle handle;
static struct tally_ib_group object;

/**
 * struct list_method - A method that returns a list.
 * @name: name of the list
 * @handler: the method
 * @opcode: command to the device
 * @entry: bytes of an entry in its first version
 * @count: number of entries in the device of the test
 */
struct list_method {
	const char *name;
	int (*handler)(struct uverbs_attr_bundle *attrs);
	enum tally_admin_opcode opcode;
	size_t entry;
	u32 count;
};

static const struct list_method methods[] = {
	{ "edges", UVERBS_HANDLER(TALLY_METHOD_GROUP_QUERY_EDGES), TALLY_ADMIN_QUERY_EDGES,
	  sizeof(struct tally_uresp_edge), 3 },
	{ "segments", UVERBS_HANDLER(TALLY_METHOD_GROUP_QUERY_SEGS), TALLY_ADMIN_QUERY_SEGS,
	  sizeof(struct tally_uresp_seg), SEGS },
	{ "arrivals", UVERBS_HANDLER(TALLY_METHOD_GROUP_QUERY_ARRIVALS),
	  TALLY_ADMIN_QUERY_ARRIVALS, sizeof(struct tally_uresp_arrival), 2 },
};

static void method_name(const struct list_method *method, char *text)
{
	strscpy(text, method->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(method, methods, method_name);

static u8 list[1024];
static u32 list_size, list_count;
static u32 epoch;

static int query_init(struct kunit *test)
{
	struct tally_fake *fake;

	fake_uverbs_init(test);
	fake = test->priv;
	group = (struct tally_group){
		.pf = &fake->pf,
		.num = NUM,
		.cfg.num_segs = cpu_to_le16(SEGS),
	};
	mutex_init(&group.resetting);
	handle = (struct tally_group_handle){ .group = &group };
	kref_init(&handle.ref);
	object.handle = &handle;
	memset(list, FAKE_UNWRITTEN, sizeof(list));
	list_count = U32_MAX;
	epoch = EPOCH;
	return 0;
}

static void query_exit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kref_read(&handle.ref), 1);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&group.resetting));
	fake_user_exit(test);
}

/* ---- Lists ---- */

/* Marks the entries. Entries of edges that do not exist lie between the others. */
static void set_device(struct kunit *test, const struct list_method *method)
{
	struct tally_fake *fake = test->priv;
	struct tally_edge_info *edges = (void *)fake->info;
	struct tally_seg_info *segs = (void *)fake->info;
	struct tally_arrival *arrivals = (void *)fake->info;
	u32 i;

	for (i = 0; i < method->count; i++) {
		switch (method->opcode) {
		case TALLY_ADMIN_QUERY_EDGES:
			edges[3 * i + 1].state = TALLY_EDGE_NONE + 1;
			edges[3 * i + 1].gid[0] = i + 1;
			break;
		case TALLY_ADMIN_QUERY_SEGS:
			segs[i].contributors = cpu_to_le64(i + 1);
			break;
		default:
			arrivals[i].opcode = 1;
			arrivals[i].count = cpu_to_le64(i + 1);
		}
	}
}

/* The first byte of each entry is its number, from 1. */
static int get_list(const struct list_method *method, size_t len, u32 size)
{
	list_size = size;
	fake_attr_set(TALLY_ATTR_GROUP_QUERY_LIST_HANDLE, &object, 0);
	fake_attr_set(TALLY_ATTR_GROUP_QUERY_LIST_ENTRY_SIZE, &list_size, sizeof(list_size));
	fake_attr_set(TALLY_ATTR_GROUP_QUERY_LIST_RESP_LIST, list, len);
	fake_attr_set(TALLY_ATTR_GROUP_QUERY_LIST_RESP_COUNT, &list_count, sizeof(list_count));
	return method->handler(user.attrs);
}

static void expect_untouched(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, memchr_inv(list, FAKE_UNWRITTEN, sizeof(list)));
	KUNIT_EXPECT_EQ(test, list_count, U32_MAX);
}

/* A process that knows more of an entry than the driver gets zeros there. */
static void query_list_sizes(struct kunit *test)
{
	const struct list_method *method = test->param_value;
	struct tally_fake *fake = test->priv;
	const struct tally_cmd_query *body = (const void *)fake->last[method->opcode].body;
	size_t size;
	u32 i;

	set_device(test, method);
	for (size = method->entry; size <= method->entry + 16; size += sizeof(u64)) {
		memset(list, FAKE_UNWRITTEN, sizeof(list));
		KUNIT_ASSERT_EQ(test, get_list(method, sizeof(list), size), 0);
		KUNIT_ASSERT_EQ(test, list_count, method->count);
		for (i = 0; i < method->count; i++) {
			KUNIT_EXPECT_EQ(test, list[i * size], i + 1);
			KUNIT_EXPECT_NULL(test, memchr_inv(list + i * size + method->entry, 0,
							   size - method->entry));
		}
		KUNIT_EXPECT_NULL(test, memchr_inv(list + i * size, FAKE_UNWRITTEN,
						   sizeof(list) - i * size));
	}
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->id), NUM);
}

/* Entries without room are counted, and an entry is never cut. */
static void query_list_room(struct kunit *test)
{
	const struct list_method *method = test->param_value;

	set_device(test, method);
	KUNIT_ASSERT_EQ(test, get_list(method, 2 * method->entry - 1, method->entry), 0);
	KUNIT_EXPECT_EQ(test, list_count, method->count);
	KUNIT_EXPECT_EQ(test, list[0], 1);
	KUNIT_EXPECT_NULL(test, memchr_inv(list + method->entry, FAKE_UNWRITTEN,
					   sizeof(list) - method->entry));
}

static void query_list_refused(struct kunit *test)
{
	const struct list_method *method = test->param_value;
	const u32 bad[] = {
		0, 1, method->entry - sizeof(u64), method->entry - 1, method->entry + 1,
		method->entry + sizeof(u32), sizeof(list) + sizeof(u64), U32_MAX & ~7,
	};
	unsigned int i;

	set_device(test, method);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		KUNIT_EXPECT_EQ_MSG(test, get_list(method, sizeof(list), bad[i]), -EINVAL,
				    "entries of %u bytes", bad[i]);
		expect_untouched(test);
	}
	KUNIT_EXPECT_EQ(test, get_list(method, method->entry - 1, method->entry), -EINVAL);
	expect_untouched(test);
}

/* Like get_list(), but copying an attribute fails, or the group does not exist. */
static int get_list_without(const struct list_method *method, u16 attr)
{
	struct fake_attr *failing = fake_attr(attr);
	int err;

	get_list(method, sizeof(list), method->entry);
	memset(list, FAKE_UNWRITTEN, sizeof(list));
	list_count = U32_MAX;
	failing->fails = true;
	err = method->handler(user.attrs);
	failing->fails = false;
	return err;
}

static void query_list_fails(struct kunit *test)
{
	const struct list_method *method = test->param_value;
	struct tally_fake *fake = test->priv;
	int n, err;

	set_device(test, method);
	KUNIT_EXPECT_EQ(test, get_list_without(method, TALLY_ATTR_GROUP_QUERY_LIST_HANDLE),
			-ENOENT);
	expect_untouched(test);
	KUNIT_EXPECT_EQ(test, get_list_without(method, TALLY_ATTR_GROUP_QUERY_LIST_ENTRY_SIZE),
			-EFAULT);
	expect_untouched(test);
	KUNIT_EXPECT_EQ(test, get_list_without(method, TALLY_ATTR_GROUP_QUERY_LIST_RESP_LIST),
			-EFAULT);
	expect_untouched(test);
	KUNIT_EXPECT_EQ(test, get_list_without(method, TALLY_ATTR_GROUP_QUERY_LIST_RESP_COUNT),
			-EFAULT);
	KUNIT_EXPECT_EQ(test, list_count, U32_MAX);
	memset(list, FAKE_UNWRITTEN, sizeof(list));
	fake->status = TALLY_ADMIN_STATUS_NOT_FOUND;
	KUNIT_EXPECT_EQ(test, get_list(method, sizeof(list), method->entry), -ENOENT);
	expect_untouched(test);
	fake->status = TALLY_ADMIN_STATUS_OK;
	/* Arrivals need memory only for the answer, the other lists for the query, too. */
	for (n = 1, err = -ENOMEM; err; n++) {
		call.no_memory = n;
		err = get_list(method, sizeof(list), method->entry);
		if (!err)
			break;
		KUNIT_EXPECT_EQ(test, err, -ENOMEM);
		expect_untouched(test);
	}
	KUNIT_EXPECT_EQ(test, n, method->opcode == TALLY_ADMIN_QUERY_ARRIVALS ? 2 : 3);
	call.no_memory = 0;
}

/* A group always has segments, but may have no edges and messages. */
static void query_list_empty(struct kunit *test)
{
	const struct list_method *method = test->param_value;

	KUNIT_ASSERT_EQ(test, get_list(method, sizeof(list), method->entry), 0);
	KUNIT_EXPECT_EQ(test, list_count, method->opcode == TALLY_ADMIN_QUERY_SEGS ? SEGS : 0);
	if (!list_count)
		KUNIT_EXPECT_NULL(test, memchr_inv(list, FAKE_UNWRITTEN, sizeof(list)));
}

static void query_list_without_device(struct kunit *test)
{
	const struct list_method *method = test->param_value;
	struct tally_fake *fake = test->priv;

	tally_fail(&fake->pf, "test");
	KUNIT_EXPECT_EQ(test, get_list(method, sizeof(list), method->entry), -EIO);
	expect_untouched(test);
}

/* The parent's edge comes after all possible contributors, and keeps its index. */
static void query_edges_parent(struct kunit *test)
{
	const struct list_method *edges_method = &methods[0];
	struct tally_fake *fake = test->priv;
	struct tally_edge_info *edges = (void *)fake->info;
	const struct tally_uresp_edge *got = (const void *)list;

	edges[2].state = TALLY_EDGE_NONE + 1;
	edges[2].index = 2;
	edges[TALLY_MAX_CONTRIBUTORS].state = TALLY_EDGE_NONE + 2;
	edges[TALLY_MAX_CONTRIBUTORS].index = TALLY_CONTRIB_PARENT;
	edges[TALLY_MAX_CONTRIBUTORS].retries = cpu_to_le32(9);
	KUNIT_ASSERT_EQ(test, get_list(edges_method, sizeof(list), sizeof(*got)), 0);
	KUNIT_ASSERT_EQ(test, list_count, 2);
	KUNIT_EXPECT_EQ(test, got[0].index, 2);
	KUNIT_EXPECT_EQ(test, got[1].index, TALLY_CONTRIB_PARENT);
	KUNIT_EXPECT_EQ(test, got[1].state, TALLY_EDGE_NONE + 2);
	KUNIT_EXPECT_EQ(test, got[1].retries, 9);
}

/* ---- Reset ---- */

static int reset(void)
{
	fake_attr_set(TALLY_ATTR_GROUP_RESET_HANDLE, &object, 0);
	fake_attr_set(TALLY_ATTR_GROUP_RESET_EPOCH, &epoch, sizeof(epoch));
	return UVERBS_HANDLER(TALLY_METHOD_GROUP_RESET)(user.attrs);
}

static struct tally_group_info *set_dead(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_group_info *info = (void *)fake->info;

	info->state = TALLY_GROUP_DEAD;
	info->epoch = cpu_to_le32(EPOCH - 1);
	return info;
}

static void query_reset(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	const struct tally_cmd_reset_group *body = (const void *)
		fake->last[TALLY_ADMIN_RESET_GROUP].body;

	set_dead(test);
	KUNIT_ASSERT_EQ(test, reset(), 0);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->group), NUM);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->epoch), EPOCH);
}

static void query_reset_fails(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_group_info *info = set_dead(test);

	fake_attr_set(TALLY_ATTR_GROUP_RESET_HANDLE, NULL, 0);
	KUNIT_EXPECT_EQ(test, UVERBS_HANDLER(TALLY_METHOD_GROUP_RESET)(user.attrs), -ENOENT);
	reset();
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_RESET_GROUP], 1);
	fake_attr(TALLY_ATTR_GROUP_RESET_EPOCH)->fails = true;
	KUNIT_EXPECT_EQ(test, UVERBS_HANDLER(TALLY_METHOD_GROUP_RESET)(user.attrs), -EFAULT);
	epoch = EPOCH - 1;
	KUNIT_EXPECT_EQ(test, reset(), -EINVAL);
	epoch = EPOCH;
	info->gone = cpu_to_le64(1);
	KUNIT_EXPECT_EQ(test, reset(), -EOWNERDEAD);
	info->gone = 0;
	info->state = TALLY_GROUP_DEAD - 1;
	KUNIT_EXPECT_EQ(test, reset(), -EBUSY);
	fake->status = TALLY_ADMIN_STATUS_NOT_FOUND;
	KUNIT_EXPECT_EQ(test, reset(), -ENOENT);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_RESET_GROUP], 1);
}

static struct kunit_case query_cases[] = {
	KUNIT_CASE_PARAM(query_list_sizes, method_gen_params),
	KUNIT_CASE_PARAM(query_list_room, method_gen_params),
	KUNIT_CASE_PARAM(query_list_refused, method_gen_params),
	KUNIT_CASE_PARAM(query_list_fails, method_gen_params),
	KUNIT_CASE_PARAM(query_list_empty, method_gen_params),
	KUNIT_CASE_PARAM(query_list_without_device, method_gen_params),
	KUNIT_CASE(query_edges_parent),
	KUNIT_CASE(query_reset),
	KUNIT_CASE(query_reset_fails),
	{}
};

static struct kunit_suite query_suite = {
	.name = "tally_ib_uobj_query",
	.init = query_init,
	.exit = query_exit,
	.test_cases = query_cases,
};

kunit_test_suite(query_suite);
