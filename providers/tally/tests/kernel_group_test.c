// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Groups: requests to the kernel, refusals before that, and queries. */
#include <string.h>

#include "objects.h"

static const struct tallydv_neighbour neighbour = { .mac = { 2, 0, 0, 0, 0, 9 } };

/* ---- Creation ---- */
static void destroy(struct tallydv_group *group)
{
	assert_non_null(group);
	assert_int_equal(tallydv_destroy_group(group), 0);
}

static void what_a_root_says(void **state)
{
	struct objects *o = *state;
	struct tallydv_group_attr attr = group_attr(o);

	attr.join_key = 0x1122334455667788;
	attr.mcast_gid.raw[0] = 0xff;
	attr.source_gid.raw[15] = 7;
	destroy(tallydv_create_group(o->context, &attr, NULL, 0));
	assert_int_equal(kernel.group_req.join_key, 0x1122334455667788);
	assert_int_equal(kernel.group_req.flags, TALLY_GROUP_F_ROOT);
	assert_int_not_equal(kernel.group_req.epoch, 0);
	assert_int_equal(kernel.group_req.mtu, TALLY_MAX_MTU);
	assert_int_equal(kernel.group_req.owner_ranks, 3);
	assert_int_equal(kernel.group_req.mcast_gid[0], 0xff);
	assert_int_equal(kernel.group_req.source_gid[15], 7);
	assert_int_equal(kernel.num_edges, 1);
	attr.epoch = 77;
	attr.mtu = 256;
	attr.num_children = 0;
	attr.children = NULL;
	attr.num_nodes = 1;
	destroy(tallydv_create_group(o->context, &attr, NULL, 0));
	assert_int_equal(kernel.group_req.epoch, 77);
	assert_int_equal(kernel.group_req.mtu, 256);
	assert_int_equal(kernel.num_edges, 0);
}

static void what_others_say(void **state)
{
	struct objects *o = *state;
	struct tallydv_group_attr attr = group_attr(o);

	attr.node = 1;
	attr.rank_first = 3;
	attr.num_children = 0;
	attr.parent = &neighbour;
	attr.level = 1;
	destroy(tallydv_create_group(o->context, &attr, NULL, 0));
	assert_int_equal(kernel.group_req.flags, 0);
	assert_int_equal(kernel.group_req.epoch, 0);
	assert_int_equal(kernel.num_edges, 1);
	/* In modes without parents, node 0 is the root. */
	attr.parent = NULL;
	attr.level = 0;
	attr.mode = TALLY_MODE_RING;
	attr.peers = &neighbour;
	attr.num_peers = 1;
	destroy(tallydv_create_group(o->context, &attr, NULL, 0));
	assert_int_equal(kernel.group_req.flags, 0);
	attr.node = 0;
	destroy(tallydv_create_group(o->context, &attr, NULL, 0));
	assert_int_equal(kernel.group_req.flags, TALLY_GROUP_F_ROOT);
}

/* Members of later versions reach the kernel only if comp_mask says that they are there. */
static void what_several_modes_say(void **state)
{
	struct objects *o = *state;
	struct tallydv_neighbour peer = neighbour;
	struct tallydv_group_attr attr = group_attr(o);
	const struct tally_ureq_group *req = &kernel.group_req;

	peer.roles = TALLY_ROLE_CHILD;
	peer.remote_index = TALLY_CONTRIB_PARENT;
	attr.num_children = 0;
	attr.num_peers = 1;
	attr.peers = &peer;
	attr.comp_mask = TALLYDV_GROUP_ATTR_MODES;
	attr.modes = TALLY_MODES_TREE | TALLY_MODES_RING;
	attr.plan = 0xabcdef;
	attr.chunk = 512;
	attr.max_segs = 64;
	attr.choice[1] = (struct tallydv_mode_choice){ .small = TALLY_MODE_TREE };
	attr.choice[2] = (struct tallydv_mode_choice){
		.small = TALLY_MODE_TREE, .middle = TALLY_MODE_RING, .large = TALLY_MODE_TREE,
		.small_log = 12, .middle_log = 15,
	};
	destroy(tallydv_create_group(o->context, &attr, NULL, 0));
	assert_int_equal(req->modes, TALLY_MODES_TREE | TALLY_MODES_RING);
	assert_int_equal(req->flags, TALLY_GROUP_F_ROOT);
	assert_int_equal(req->plan, 0xabcdef);
	assert_int_equal(req->chunk, 512);
	assert_int_equal(req->max_segs, 0);
	assert_int_equal(req->choice_small[1], TALLY_MODE_TREE);
	assert_int_equal(req->choice_small[2], TALLY_MODE_TREE);
	assert_int_equal(req->choice_middle[2], TALLY_MODE_RING);
	assert_int_equal(req->choice_large[2], TALLY_MODE_TREE);
	assert_int_equal(req->choice_small_log[2], 12);
	assert_int_equal(req->choice_middle_log[2], 15);
	assert_int_equal(kernel.edges[0].roles, TALLY_ROLE_CHILD);
	/* Below the root. */
	attr.node = attr.level = attr.rank_first = 1;
	peer.roles = TALLY_ROLE_PARENT;
	peer.remote_index = 0;
	destroy(tallydv_create_group(o->context, &attr, NULL, 0));
	assert_int_equal(req->flags, 0);
	assert_int_equal(req->level, 1);
	/* One mode of one is as in the first version. */
	attr = group_attr(o);
	attr.comp_mask = TALLYDV_GROUP_ATTR_MODES | TALLYDV_GROUP_ATTR_MAX_SEGS;
	attr.modes = TALLY_MODES_TREE;
	attr.max_segs = 64;
	destroy(tallydv_create_group(o->context, &attr, NULL, 0));
	assert_int_equal(req->modes, 0);
	assert_int_equal(req->max_segs, 64);
}

/* A kernel of the first version tells neither the modes nor the most segments. */
static void what_the_kernel_says(void **state)
{
	struct objects *o = *state;
	struct tallydv_group_attr attr = group_attr(o);
	struct tallydv_group *group = tallydv_create_group(o->context, &attr, NULL, 0);

	assert_int_equal(group->modes, TALLY_MODES_TREE);
	assert_int_equal(group->max_segs, 8);
	destroy(group);
	kernel.modes = TALLY_MODES_TREE | TALLY_MODES_EXCHANGE;
	kernel.max_segs = 40;
	group = tallydv_create_group(o->context, &attr, NULL, 0);
	assert_int_equal(group->modes, TALLY_MODES_TREE | TALLY_MODES_EXCHANGE);
	assert_int_equal(group->max_segs, 40);
	destroy(group);
}

static void what_a_group_is(void **state)
{
	struct objects *o = *state;

	assert_ptr_equal(o->group->context, o->context);
	assert_int_equal(o->group->jid, 42);
	assert_int_equal(o->group->ranks, 3);
	assert_int_equal(o->group->rank_mask, 7);
	assert_int_equal(o->group->node, 1);
	assert_int_equal(o->group->num_nodes, 3);
	assert_int_equal(o->group->num_segs, 8);
	assert_int_equal(o->group->timeout_ms, 30);
	assert_int_equal(o->attached->ranks, 4);
	assert_int_equal(o->seg->base, 64);
	assert_int_equal(o->seg->count, 8);
}

/* ---- Refusals ---- */
static void assert_no_group(struct objects *o, struct tallydv_group_attr attr)
{
	unsigned int before = kernel_objects();

	errno = 0;
	assert_null(tallydv_create_group(o->context, &attr, NULL, 0));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(kernel_objects(), before);
}

static void refused_groups(void **state)
{
	struct objects *o = *state;
	struct tallydv_neighbour nobody = { .remote_index = 1 };
	struct tallydv_seg foreign = *o->seg;
	const struct tallydv_group_attr good = group_attr(o);
	struct tallydv_group_attr a;

	foreign.context = NULL;
#define ASSERT_NO_GROUP(...) (a = good, __VA_ARGS__, assert_no_group(o, a))
	ASSERT_NO_GROUP(a.seg = NULL);
	ASSERT_NO_GROUP(a.seg = &foreign);
	ASSERT_NO_GROUP(a.num_children = TALLY_MAX_CONTRIBUTORS + 1);
	ASSERT_NO_GROUP(a.num_peers = TALLY_MAX_CONTRIBUTORS, a.peers = &neighbour);
	ASSERT_NO_GROUP(a.num_peers = UINT16_MAX, a.peers = &neighbour);
	ASSERT_NO_GROUP(a.children = NULL);
	ASSERT_NO_GROUP(a.num_peers = 1);
	ASSERT_NO_GROUP(a.node = 5, a.rank_first = 4, a.parent = &neighbour);
	ASSERT_NO_GROUP(a.mode = TALLY_MODE_EXCHANGE);
	ASSERT_NO_GROUP(a.mode = TALLY_MODE_EXCHANGE, a.num_children = 0, a.parent = &neighbour);
	ASSERT_NO_GROUP(a.rounds = TALLY_MAX_ROUNDS + 1);
	ASSERT_NO_GROUP(a.parent = &neighbour, a.epoch = 1);
	ASSERT_NO_GROUP(a.children = &nobody);
#undef ASSERT_NO_GROUP
}

static void refused_attachments(void **state)
{
	struct objects *o = *state;
	const struct tallydv_group_attach_attr attr = { .jid = 42, .ranks = 4, .reserved = 1 };

	errno = 0;
	assert_null(tallydv_attach_group(o->context, &attr, NULL, 0));
	assert_int_equal(errno, EINVAL);
}

/* A missing description is refused with a sentence. */
static void without_attributes(void **state)
{
	struct objects *o = *state;
	uint32_t count = 3;
	char why[80] = "";

	errno = 0;
	assert_null(tallydv_create_group(o->context, NULL, why, sizeof(why)));
	assert_int_equal(errno, EINVAL);
	assert_string_equal(why, "attr: is NULL");
	why[0] = 0;
	errno = 0;
	assert_null(tallydv_attach_group(o->context, NULL, why, sizeof(why)));
	assert_int_equal(errno, EINVAL);
	assert_string_equal(why, "attr: is NULL");
	assert_int_equal(tallydv_query_group(o->group, NULL), EINVAL);
	assert_int_equal(tallydv_query_edges(o->group, NULL, &count), EINVAL);
	assert_int_equal(tallydv_query_segs(o->group, NULL, &count), EINVAL);
	assert_int_equal(tallydv_query_arrivals(o->group, NULL, &count), EINVAL);
	assert_int_equal(tallydv_query_device(o->context, NULL), EINVAL);
	assert_int_equal(tallydv_query_type(o->context, TALLY_TYPE_FP64, NULL), EINVAL);
}

/* ---- Resets ---- */
/* A reset waits until the device has collected the reports on the end of the epoch. */
static void a_reset_waits(void **state)
{
	struct objects *o = *state;

	kernel.info.state = TALLY_GROUP_COLLECT;
	kernel.busy_resets = 3;
	assert_int_equal(tallydv_reset_group(o->group, 7), 0);
	assert_int_equal(kernel.resets, 4);
	/* The device finishes between a reset and the query. */
	kernel.info.state = TALLY_GROUP_DEAD;
	kernel.resets = 0;
	kernel.busy_resets = 1;
	assert_int_equal(tallydv_reset_group(o->group, 7), 0);
	assert_int_equal(kernel.resets, 2);
}

/* It does not wait for a group that works, nor forever. */
static void a_reset_gives_up(void **state)
{
	struct objects *o = *state;

	kernel.busy_resets = UINT32_MAX;
	kernel.info.state = TALLY_GROUP_OPEN;
	assert_int_equal(tallydv_reset_group(o->group, 7), EBUSY);
	assert_int_equal(kernel.resets, 1);
	kernel.info.state = TALLY_GROUP_COLLECT;
	assert_int_equal(tallydv_reset_group(o->group, 7), EBUSY);
	assert_true(kernel.resets > 2);
}

/* ---- Queries ---- */
static void queries(void **state)
{
	struct objects *o = *state;
	struct tallydv_group_info info;
	struct tallydv_edge_info edges[3] = {};
	struct tallydv_seg_info segs[3] = {};
	struct tallydv_arrival arrivals[3] = {};
	uint32_t count = 3;

	assert_int_equal(tallydv_query_group(o->group, &info), 0);
	assert_int_equal(info.jid, 42);
	assert_int_equal(info.state, TALLY_GROUP_OPEN);
	assert_int_equal(tallydv_query_edges(o->group, edges, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(edges[1].retries, 0x02020202);
	assert_int_equal(edges[2].retries, 0);
	count = 3;
	assert_int_equal(tallydv_query_segs(o->group, segs, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(segs[1].mid, 0x02020202);
	assert_int_equal(segs[2].mid, 0);
	count = 3;
	assert_int_equal(tallydv_query_arrivals(o->group, arrivals, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(arrivals[1].mid, 0x02020202);
	assert_int_equal(arrivals[2].mid, 0);
}

/*
 * If there are more entries than room, the library returns those that fit, and the number of all.
 */
static void queries_without_room(void **state)
{
	struct objects *o = *state;
	struct tallydv_edge_info edges[2] = {};
	struct tallydv_seg_info segs[2] = {};
	struct tallydv_arrival arrivals[2] = {};
	uint32_t count = 0;

	assert_int_equal(tallydv_query_edges(o->group, edges, &count), EINVAL);
	assert_int_equal(tallydv_query_segs(o->group, segs, &count), EINVAL);
	assert_int_equal(tallydv_query_arrivals(o->group, arrivals, &count), EINVAL);
	kernel.list_count = 50;
	count = 1;
	assert_int_equal(tallydv_query_edges(o->group, edges, &count), 0);
	assert_int_equal(count, 50);
	assert_int_equal(edges[0].retries, 0x01010101);
	assert_int_equal(edges[1].retries, 0);
	count = 1;
	assert_int_equal(tallydv_query_segs(o->group, segs, &count), 0);
	assert_int_equal(count, 50);
	assert_int_equal(segs[1].mid, 0);
	count = 1;
	assert_int_equal(tallydv_query_arrivals(o->group, arrivals, &count), 0);
	assert_int_equal(count, 50);
	assert_int_equal(arrivals[1].mid, 0);
}

/* More room than any list needs is allowed. The length of the request still fits an attribute. */
static void queries_with_much_room(void **state)
{
	static struct tallydv_edge_info edges[TALLY_MAX_CONTRIBUTORS + 1];
	static struct tallydv_seg_info segs[TALLY_MAX_GROUP_SEGS];
	static struct tallydv_arrival arrivals[TALLY_NUM_ARRIVALS];
	struct objects *o = *state;
	uint32_t count = UINT32_MAX;

	assert_int_equal(tallydv_query_edges(o->group, edges, &count), 0);
	assert_int_equal(count, 2);
	count = UINT32_MAX;
	assert_int_equal(tallydv_query_segs(o->group, segs, &count), 0);
	assert_int_equal(count, 2);
	count = UINT32_MAX;
	assert_int_equal(tallydv_query_arrivals(o->group, arrivals, &count), 0);
	assert_int_equal(count, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_a_root_says, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(what_others_say, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(what_several_modes_say, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(what_the_kernel_says, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(what_a_group_is, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(refused_groups, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(refused_attachments, objects_setup,
						objects_teardown),
		cmocka_unit_test_setup_teardown(without_attributes, objects_setup,
						objects_teardown),
		cmocka_unit_test_setup_teardown(a_reset_waits, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(a_reset_gives_up, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(queries, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(queries_without_room, objects_setup,
						objects_teardown),
		cmocka_unit_test_setup_teardown(queries_with_much_room, objects_setup,
						objects_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
