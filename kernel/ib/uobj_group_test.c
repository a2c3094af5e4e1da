// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Groups as uverbs objects: arguments and results of calls, reasons for refusals, and cleanup. */
#include "core/group.h"
#include "core/quota.h"
#include "test/fake_group.h"
#include "test/fake_uverbs.h"

#include "uobj_group.c"

#define CELLS 8
#define MATE_RANKS 0x2

/* An edge of a later version. */
struct later_edge {
	struct tally_ureq_edge edge;
	u64 more;
};

static struct fake_group base;
static struct later_edge later_edges[FAKE_NUM_EDGES];
/* The neighbours that the device received. */
static struct tally_group_edge device_edges[FAKE_NUM_EDGES];
static struct tally_ureq_group_attach attach_req;
static struct tally_uresp_group resp;
static struct tally_uresp_why told;
static struct tally_segs *segs;
/* Blamed offset in the device's refusal. */
static u16 bad_offset;

static bool reply_blame(struct tally_fake *fake, const struct tally_admin_cmd *cmd,
			struct tally_admin_cqe *answer)
{
	tally_fake_reply_status(fake, cmd, answer);
	answer->bad_offset = cpu_to_le16(bad_offset);
	answer->value[0] = cpu_to_le64(1);
	return true;
}

static void set_create_attrs(void)
{
	fake_attr_set(TALLY_ATTR_GROUP_CREATE_SEG, segs, 0);
	fake_attr_set(TALLY_ATTR_GROUP_CREATE_REQ, &base.req, sizeof(base.req));
	fake_attr_set(TALLY_ATTR_GROUP_CREATE_EDGES, base.edges, sizeof(base.edges));
	fake_attr_set(TALLY_ATTR_GROUP_CREATE_RESP, &resp, sizeof(resp));
	fake_attr_set(TALLY_ATTR_GROUP_CREATE_RESP_WHY, &told, sizeof(told));
}

/* A process with a range of segments and a correct request. */
static int group_init(struct kunit *test)
{
	struct tally_fake *fake;
	unsigned int i;

	fake_uverbs_init(test);
	fake = test->priv;
	fake->reply = reply_blame;
	bad_offset = 0;
	tally_fake_group(&base);
	base.req.msg_cells = CELLS;
	for (i = 0; i < FAKE_NUM_EDGES; i++) {
		tally_edge_from_user(&device_edges[i], &base.edges[i]);
		later_edges[i] = (struct later_edge){ .edge = base.edges[i] };
	}
	segs = tally_segs_alloc(&fake->pf.pub, user.ctx.quota, FAKE_ROOM);
	KUNIT_ASSERT_FALSE(test, IS_ERR(segs));
	set_create_attrs();
	return 0;
}

/* All created groups have drained, and nothing of them remains, in the driver or in the context. */
static void group_exit(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	KUNIT_EXPECT_TRUE(test, xa_empty(&user.ctx.groups));
	tally_groups_free_draining(&fake->pf);
	tally_segs_put(segs);
	fake_user_exit(test);
}

static int create_group(void)
{
	memset(&resp, FAKE_UNWRITTEN, sizeof(resp));
	memset(&told, FAKE_UNWRITTEN, sizeof(told));
	return fake_call_new(UVERBS_HANDLER(TALLY_METHOD_GROUP_CREATE), uobj_group_free);
}

static void expect_why(struct kunit *test, u32 where, u32 offset, u64 value)
{
	KUNIT_EXPECT_EQ(test, told.where, where);
	KUNIT_EXPECT_EQ(test, told.offset, offset);
	KUNIT_EXPECT_EQ(test, told.value, value);
}

#define expect_why_field(test, type, field, value) \
	expect_why(test, TALLY_WHY_REQUEST, offsetof(struct type, field), value)

/* ---- Create and destroy ---- */

static void group_life(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	const struct tally_group_cfg *cfg = (const void *)fake->group;
	struct tally_ib_group *group;

	KUNIT_ASSERT_EQ(test, create_group(), 0);
	group = call.uobject.object;
	KUNIT_EXPECT_PTR_EQ(test, xa_load(&user.ctx.groups, resp.group_handle), group->handle);
	KUNIT_EXPECT_EQ(test, resp.num_segs, FAKE_ROOM);
	KUNIT_EXPECT_EQ(test, resp.max_segs, FAKE_ROOM);
	KUNIT_EXPECT_EQ(test, resp.mtu, base.req.mtu);
	KUNIT_EXPECT_EQ(test, resp.timeout_ms, base.req.timeout_ms);
	KUNIT_EXPECT_EQ(test, resp.num_nodes, base.req.num_nodes);
	KUNIT_EXPECT_EQ(test, resp.flags, base.req.flags);
	KUNIT_EXPECT_EQ(test, resp.rank_mask, base.req.rank_mask);
	KUNIT_EXPECT_EQ(test, resp.total_ranks, base.req.total_ranks);
	KUNIT_EXPECT_EQ(test, resp.msg_cells, CELLS);
	KUNIT_EXPECT_EQ(test, resp.mode, TALLY_MODE_TREE);
	KUNIT_EXPECT_EQ(test, tally_group_handle_ranks(group->handle), base.req.owner_ranks);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(cfg->retry_limit), TALLY_DEFAULT_RETRY_LIMIT);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(cfg->rto_us), TALLY_DEFAULT_RTO_US);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(cfg->num_edges), FAKE_NUM_EDGES);
	KUNIT_EXPECT_EQ(test, memcmp(cfg + 1, device_edges, sizeof(device_edges)), 0);
	/* No reason is written, because the call succeeded. */
	KUNIT_EXPECT_NULL(test, memchr_inv(&told, FAKE_UNWRITTEN, sizeof(told)));
	KUNIT_EXPECT_EQ(test, uobj_group_free(&call.uobject, RDMA_REMOVE_DESTROY, user.attrs), 0);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DESTROY_GROUP], 1);
}

/* What a group of several modes has in addition reaches the device, and other processes. */
static void group_of_several_modes(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	const struct tally_group_cfg *cfg = (const void *)fake->group;
	const struct tally_group_edge *edges = (const void *)(cfg + 1);

	base.req.modes = TALLY_MODES_TREE | TALLY_MODES_RING;
	base.req.plan = 0x10203;
	base.req.chunk = 0x70809;
	base.req.choice_small[2] = TALLY_MODE_TREE;
	base.req.choice_middle[3] = TALLY_MODE_TREE;
	base.req.choice_large[2] = TALLY_MODE_RING;
	base.req.choice_small_log[7] = 11;
	base.req.choice_middle_log[6] = 17;
	base.edges[1].roles = TALLY_ROLE_IN | TALLY_ROLE_RING_OUT;
	base.edges[1].part_count = 9;
	KUNIT_ASSERT_EQ(test, create_group(), 0);
	KUNIT_EXPECT_EQ(test, cfg->modes, TALLY_MODES_TREE | TALLY_MODES_RING);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(cfg->plan), 0x10203);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(cfg->chunk), 0x70809);
	KUNIT_EXPECT_EQ(test, cfg->choice_small[2], TALLY_MODE_TREE);
	KUNIT_EXPECT_EQ(test, cfg->choice_middle[3], TALLY_MODE_TREE);
	KUNIT_EXPECT_EQ(test, cfg->choice_large[2], TALLY_MODE_RING);
	KUNIT_EXPECT_EQ(test, cfg->choice_small_log[7], 11);
	KUNIT_EXPECT_EQ(test, cfg->choice_middle_log[6], 17);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(edges[1].roles), TALLY_ROLE_IN | TALLY_ROLE_RING_OUT);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(edges[1].part_count), 9);
	KUNIT_EXPECT_EQ(test, resp.modes, TALLY_MODES_TREE | TALLY_MODES_RING);
	uobj_group_free(&call.uobject, RDMA_REMOVE_DESTROY, user.attrs);
}

/* A process of the first version: a shorter request, and the roles of a ring as they were. */
static void group_of_first_version(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	const struct tally_group_cfg *cfg = (const void *)fake->group;
	const struct tally_group_edge *edges = (const void *)(cfg + 1);

	base.req.mode = TALLY_MODE_RING;
	base.req.plan = 7;
	base.edges[0].roles = TALLY_ROLE_IN;
	base.edges[1].roles = TALLY_ROLE_OUT;
	fake_attr(TALLY_ATTR_GROUP_CREATE_REQ)->len = offsetof(struct tally_ureq_group, max_segs);
	fake_attr(TALLY_ATTR_GROUP_CREATE_RESP)->len = offsetof(struct tally_uresp_group, max_segs);
	KUNIT_ASSERT_EQ(test, create_group(), 0);
	KUNIT_EXPECT_EQ(test, cfg->modes, 0);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(cfg->plan), 0);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(edges[0].roles), TALLY_ROLE_RING_IN);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(edges[1].roles), TALLY_ROLE_RING_OUT);
	KUNIT_EXPECT_EQ(test, resp.modes, 0);
	KUNIT_EXPECT_EQ(test, resp.mode, TALLY_MODE_RING);
	uobj_group_free(&call.uobject, RDMA_REMOVE_DESTROY, user.attrs);
}

/* A queue pair that holds the handle keeps the group. */
static void group_kept_by_qp(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_group_handle *handle;

	KUNIT_ASSERT_EQ(test, create_group(), 0);
	handle = ((struct tally_ib_group *)call.uobject.object)->handle;
	tally_group_handle_get(handle);
	KUNIT_EXPECT_EQ(test, uobj_group_free(&call.uobject, RDMA_REMOVE_DESTROY, user.attrs), 0);
	KUNIT_EXPECT_TRUE(test, xa_empty(&user.ctx.groups));
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DESTROY_GROUP], 0);
	tally_group_handle_put(handle);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DESTROY_GROUP], 1);
}

/* After the loss of the device there is no event that the group has drained. */
static void group_without_device(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	KUNIT_ASSERT_EQ(test, create_group(), 0);
	tally_fail(&fake->pf, "test");
	KUNIT_EXPECT_EQ(test, tally_fake_num_groups(test), 1);
	KUNIT_EXPECT_EQ(test, uobj_group_free(&call.uobject, RDMA_REMOVE_DRIVER_REMOVE, user.attrs), 0);
	KUNIT_EXPECT_EQ(test, tally_fake_num_groups(test), 0);
	/* No group can be created, and the only reason is the errno. */
	KUNIT_EXPECT_EQ(test, create_group(), -EIO);
	expect_why(test, TALLY_WHY_UNKNOWN, 0, 0);
	KUNIT_EXPECT_EQ(test, tally_fake_num_groups(test), 0);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DESTROY_GROUP], 0);
}

/* Edges of a later version are accepted if their additional members are 0. */
static void group_later_edges(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	base.req.edge_size = sizeof(later_edges[0]);
	fake_attr_set(TALLY_ATTR_GROUP_CREATE_EDGES, later_edges, sizeof(later_edges));
	KUNIT_ASSERT_EQ(test, create_group(), 0);
	KUNIT_EXPECT_EQ(test, memcmp(fake->group + sizeof(struct tally_group_cfg), device_edges,
				     sizeof(device_edges)), 0);
	uobj_group_free(&call.uobject, RDMA_REMOVE_DESTROY, user.attrs);
	tally_groups_free_draining(&fake->pf);
	later_edges[1].more = 1;
	KUNIT_EXPECT_EQ(test, create_group(), -EOPNOTSUPP);
	expect_why_field(test, tally_ureq_group, edge_size, sizeof(later_edges[0]));
}

static void group_bad_edges(struct kunit *test)
{
	const size_t size = sizeof(base.edges[0]);

	/* Complete entries that are shorter than those of the first version. */
	base.req.edge_size = size - 1;
	fake_attr(TALLY_ATTR_GROUP_CREATE_EDGES)->len = FAKE_NUM_EDGES * (size - 1);
	KUNIT_EXPECT_EQ(test, create_group(), -EINVAL);
	expect_why_field(test, tally_ureq_group, edge_size, size - 1);
	base.req.edge_size = 0;
	KUNIT_EXPECT_EQ(test, create_group(), -EINVAL);
	expect_why_field(test, tally_ureq_group, edge_size, 0);
	/* The length is not a multiple of the entry size. */
	base.req.edge_size = size;
	fake_attr(TALLY_ATTR_GROUP_CREATE_EDGES)->len--;
	KUNIT_EXPECT_EQ(test, create_group(), -EINVAL);
	expect_why_field(test, tally_ureq_group, edge_size, size);
}

/* The number of edges that a command has room for. */
static void group_many_edges(struct kunit *test)
{
	static struct tally_ureq_edge many[TALLY_MAX_CONTRIBUTORS + 2];
	const size_t size = sizeof(many[0]);

	fake_attr_set(TALLY_ATTR_GROUP_CREATE_EDGES, many, sizeof(many));
	KUNIT_EXPECT_EQ(test, create_group(), -EINVAL);
	expect_why(test, TALLY_WHY_EDGES, 0, ARRAY_SIZE(many));
	fake_attr_set(TALLY_ATTR_GROUP_CREATE_EDGES, many, sizeof(many) - size);
	KUNIT_ASSERT_EQ(test, create_group(), 0);
	uobj_group_free(&call.uobject, RDMA_REMOVE_DESTROY, user.attrs);
}

/* Refusals of the driver and of the device. */
static void group_refused(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	base.req.num_segs = 2 * FAKE_ROOM;
	KUNIT_EXPECT_EQ(test, create_group(), -EINVAL);
	expect_why_field(test, tally_ureq_group, num_segs, 2 * FAKE_ROOM);
	KUNIT_EXPECT_EQ(test, told.status, 0);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_CREATE_GROUP], 0);
	base.req.num_segs = 0;
	fake->status = TALLY_ADMIN_STATUS_BAD_FIELD;
	bad_offset = offsetof(struct tally_group_cfg, mtu);
	KUNIT_EXPECT_EQ(test, create_group(), -EINVAL);
	expect_why_field(test, tally_ureq_group, mtu, base.req.mtu);
	KUNIT_EXPECT_EQ(test, told.status, TALLY_ADMIN_STATUS_BAD_FIELD);
	bad_offset = sizeof(struct tally_group_cfg) + sizeof(struct tally_group_edge) +
		     offsetof(struct tally_group_edge, mac);
	KUNIT_EXPECT_EQ(test, create_group(), -EINVAL);
	expect_why(test, TALLY_WHY_EDGE, offsetof(struct tally_ureq_edge, mac), 0);
	KUNIT_EXPECT_EQ(test, told.edge, 1);
	KUNIT_EXPECT_EQ(test, tally_fake_num_groups(test), 0);
}

/* The errno is the same if the process does not ask for the reason, or has no memory for it. */
static void group_why_is_optional(struct kunit *test)
{
	base.req.jid = 0;
	fake_attr(TALLY_ATTR_GROUP_CREATE_RESP_WHY)->fails = true;
	KUNIT_EXPECT_EQ(test, create_group(), -EINVAL);
	fake_attr_set(TALLY_ATTR_GROUP_CREATE_RESP_WHY, NULL, 0);
	KUNIT_EXPECT_EQ(test, create_group(), -EINVAL);
	KUNIT_EXPECT_NULL(test, memchr_inv(&told, FAKE_UNWRITTEN, sizeof(told)));
}

static void group_copies_fail(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	fake_attr(TALLY_ATTR_GROUP_CREATE_REQ)->fails = true;
	KUNIT_EXPECT_EQ(test, create_group(), -EFAULT);
	fake_attr(TALLY_ATTR_GROUP_CREATE_REQ)->fails = false;
	fake_attr(TALLY_ATTR_GROUP_CREATE_SEG)->fails = true;
	KUNIT_EXPECT_EQ(test, create_group(), -ENOENT);
	fake_attr(TALLY_ATTR_GROUP_CREATE_SEG)->fails = false;
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_CREATE_GROUP], 0);
	/* The process does not learn of the group, so it is destroyed. */
	fake_attr(TALLY_ATTR_GROUP_CREATE_RESP)->fails = true;
	KUNIT_EXPECT_EQ(test, create_group(), -EFAULT);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_CREATE_GROUP], 1);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DESTROY_GROUP], 1);
}

/*
 * Allocations of edges, object and number fail. A group that the device has created is destroyed.
 */
static void group_no_memory(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	int n;

	for (n = 1; n <= 3; n++) {
		call.no_memory = n;
		KUNIT_EXPECT_EQ_MSG(test, create_group(), -ENOMEM, "allocation %d", n);
		KUNIT_EXPECT_FALSE(test, call.finalized);
		KUNIT_EXPECT_TRUE(test, xa_empty(&user.ctx.groups));
		KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_CREATE_GROUP], n - 1);
		KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DESTROY_GROUP], n - 1);
		tally_groups_free_draining(&fake->pf);
	}
	call.no_memory = 0;
}

static void group_quota(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_blame blame;
	u32 n = 0;

	while (tally_quota_charge_group(user.ctx.quota, 0, 0, &blame))
		n++;
	KUNIT_EXPECT_EQ(test, create_group(), -EDQUOT);
	expect_why(test, TALLY_WHY_GROUPS, 0, 0);
	while (n--)
		tally_quota_uncharge_group(user.ctx.quota, 0, 0);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_CREATE_GROUP], 0);
	KUNIT_ASSERT_EQ(test, create_group(), 0);
	uobj_group_free(&call.uobject, RDMA_REMOVE_CLOSE, user.attrs);
}

/* ---- Attach and query ---- */

static int attach_group(void)
{
	memset(&resp, FAKE_UNWRITTEN, sizeof(resp));
	memset(&told, FAKE_UNWRITTEN, sizeof(told));
	return fake_call_new(UVERBS_HANDLER(TALLY_METHOD_GROUP_ATTACH), uobj_group_free);
}

/* Creates a group of another process, and prepares a correct request to attach. */
static struct ib_uobject create_for_mate(struct kunit *test)
{
	struct ib_uobject owner;

	KUNIT_ASSERT_EQ(test, create_group(), 0);
	owner = call.uobject;
	attach_req = (struct tally_ureq_group_attach){
		.join_key = base.req.join_key,
		.ranks = MATE_RANKS,
		.jid = base.req.jid,
	};
	fake_attr_set(TALLY_ATTR_GROUP_ATTACH_REQ, &attach_req, sizeof(attach_req));
	fake_attr_set(TALLY_ATTR_GROUP_ATTACH_RESP, &resp, sizeof(resp));
	fake_attr_set(TALLY_ATTR_GROUP_ATTACH_RESP_WHY, &told, sizeof(told));
	return owner;
}

static void group_attach(struct kunit *test)
{
	struct ib_uobject owner = create_for_mate(test);
	struct tally_ib_group *of_owner = owner.object, *group;

	KUNIT_ASSERT_EQ(test, attach_group(), 0);
	group = call.uobject.object;
	KUNIT_EXPECT_NE(test, group->num, of_owner->num);
	KUNIT_EXPECT_EQ(test, resp.group_handle, group->num);
	KUNIT_EXPECT_EQ(test, resp.total_ranks, base.req.total_ranks);
	KUNIT_EXPECT_EQ(test, tally_group_handle_ranks(group->handle), MATE_RANKS);
	KUNIT_EXPECT_EQ(test, tally_group_handle_num(group->handle),
			tally_group_handle_num(of_owner->handle));
	uobj_group_free(&owner, RDMA_REMOVE_DESTROY, user.attrs);
	KUNIT_EXPECT_PTR_EQ(test, xa_load(&user.ctx.groups, resp.group_handle), group->handle);
	uobj_group_free(&call.uobject, RDMA_REMOVE_DESTROY, user.attrs);
}

/* The field that belongs to each errno. Nothing of the key is copied back. */
static void group_attach_refused(struct kunit *test)
{
	struct ib_uobject owner = create_for_mate(test);
	struct tally_fake *fake = test->priv;

	attach_req.jid++;
	KUNIT_EXPECT_EQ(test, attach_group(), -ENOENT);
	expect_why_field(test, tally_ureq_group_attach, jid, attach_req.jid);
	attach_req.jid--;
	attach_req.join_key++;
	KUNIT_EXPECT_EQ(test, attach_group(), -EACCES);
	expect_why_field(test, tally_ureq_group_attach, join_key, 0);
	attach_req.join_key--;
	attach_req.ranks = 0;
	KUNIT_EXPECT_EQ(test, attach_group(), -EINVAL);
	expect_why_field(test, tally_ureq_group_attach, ranks, 0);
	attach_req.ranks = base.req.owner_ranks;
	KUNIT_EXPECT_EQ(test, attach_group(), -EBUSY);
	expect_why_field(test, tally_ureq_group_attach, ranks, base.req.owner_ranks);
	attach_req.ranks = MATE_RANKS;
	attach_req.reserved = 1;
	KUNIT_EXPECT_EQ(test, attach_group(), -EINVAL);
	expect_why_field(test, tally_ureq_group_attach, reserved, 1);
	attach_req.reserved = 0;
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_ATTACH_RANK], 0);
	fake->status = TALLY_ADMIN_STATUS_NO_RESOURCE;
	KUNIT_EXPECT_EQ(test, attach_group(), -ENOSPC);
	expect_why(test, TALLY_WHY_UNKNOWN, 0, 0);
	fake->status = TALLY_ADMIN_STATUS_OK;
	uobj_group_free(&owner, RDMA_REMOVE_DESTROY, user.attrs);
}

/* Ranks that a failed call has taken are free again. */
static void group_attach_fails(struct kunit *test)
{
	struct ib_uobject owner = create_for_mate(test);
	struct tally_fake *fake = test->priv;
	unsigned int n;

	fake_attr(TALLY_ATTR_GROUP_ATTACH_REQ)->fails = true;
	KUNIT_EXPECT_EQ(test, attach_group(), -EFAULT);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_ATTACH_RANK], 0);
	fake_attr(TALLY_ATTR_GROUP_ATTACH_REQ)->fails = false;
	fake_attr(TALLY_ATTR_GROUP_ATTACH_RESP)->fails = true;
	KUNIT_EXPECT_EQ(test, attach_group(), -EFAULT);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DETACH_RANK], 1);
	fake_attr(TALLY_ATTR_GROUP_ATTACH_RESP)->fails = false;
	for (n = 1; n <= 2; n++) {
		call.no_memory = n;
		KUNIT_EXPECT_EQ(test, attach_group(), -ENOMEM);
		KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DETACH_RANK], 1 + n);
	}
	call.no_memory = 0;
	KUNIT_ASSERT_EQ(test, attach_group(), 0);
	uobj_group_free(&call.uobject, RDMA_REMOVE_DESTROY, user.attrs);
	uobj_group_free(&owner, RDMA_REMOVE_DESTROY, user.attrs);
}

static void group_query(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_group_info *from = (void *)fake->info;
	struct tally_uresp_group_info to = {};

	KUNIT_ASSERT_EQ(test, create_group(), 0);
	from->jid = cpu_to_le32(base.req.jid);
	from->gone = cpu_to_le64(2);
	fake_attr_set(TALLY_ATTR_GROUP_QUERY_HANDLE, call.uobject.object, 0);
	fake_attr_set(TALLY_ATTR_GROUP_QUERY_RESP, &to, sizeof(to));
	KUNIT_EXPECT_EQ(test, UVERBS_HANDLER(TALLY_METHOD_GROUP_QUERY)(user.attrs), 0);
	KUNIT_EXPECT_EQ(test, to.jid, base.req.jid);
	KUNIT_EXPECT_EQ(test, to.gone, 2);
	fake_attr(TALLY_ATTR_GROUP_QUERY_RESP)->fails = true;
	KUNIT_EXPECT_EQ(test, UVERBS_HANDLER(TALLY_METHOD_GROUP_QUERY)(user.attrs), -EFAULT);
	fake->status = TALLY_ADMIN_STATUS_NOT_FOUND;
	KUNIT_EXPECT_EQ(test, UVERBS_HANDLER(TALLY_METHOD_GROUP_QUERY)(user.attrs), -ENOENT);
	fake->status = TALLY_ADMIN_STATUS_OK;
	fake_attr(TALLY_ATTR_GROUP_QUERY_HANDLE)->fails = true;
	KUNIT_EXPECT_EQ(test, UVERBS_HANDLER(TALLY_METHOD_GROUP_QUERY)(user.attrs), -ENOENT);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_QUERY_GROUP], 3);
	uobj_group_free(&call.uobject, RDMA_REMOVE_DESTROY, user.attrs);
}

static struct kunit_case group_cases[] = {
	KUNIT_CASE(group_life),
	KUNIT_CASE(group_of_several_modes),
	KUNIT_CASE(group_of_first_version),
	KUNIT_CASE(group_kept_by_qp),
	KUNIT_CASE(group_without_device),
	KUNIT_CASE(group_later_edges),
	KUNIT_CASE(group_bad_edges),
	KUNIT_CASE(group_many_edges),
	KUNIT_CASE(group_refused),
	KUNIT_CASE(group_why_is_optional),
	KUNIT_CASE(group_copies_fail),
	KUNIT_CASE(group_no_memory),
	KUNIT_CASE(group_quota),
	KUNIT_CASE(group_attach),
	KUNIT_CASE(group_attach_refused),
	KUNIT_CASE(group_attach_fails),
	KUNIT_CASE(group_query),
	{}
};

static struct kunit_suite group_suite = {
	.name = "tally_ib_uobj_group",
	.init = group_init,
	.exit = group_exit,
	.test_cases = group_cases,
};

kunit_test_suite(group_suite);
