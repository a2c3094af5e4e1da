// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Programs compiled against an older or newer header. A future ABI has longer structures. What it
 * says beyond today's ABI must not be lost silently.
 */
#include <stdlib.h>
#include <string.h>

#include "objects.h"
#include "versions.h"

struct first { uint32_t a; };
struct second { uint32_t a, b; };

static void given_structures(void **state)
{
	const struct second own = { 1, 2 };
	struct first old = { 9 };
	struct { struct second s; uint32_t c; } newer = { { 9, 9 }, 9 };

	(void)state;
	assert_int_equal(tally_copy_out(&old, sizeof(old), &own, sizeof(own), sizeof(old)), 0);
	assert_int_equal(old.a, 1);
	assert_int_equal(tally_copy_out(&newer, sizeof(newer), &own, sizeof(own), sizeof(old)), 0);
	assert_int_equal(newer.s.b, 2);
	assert_int_equal(newer.c, 0);
	assert_int_equal(tally_copy_out(&old, 3, &own, sizeof(own), sizeof(old)), EINVAL);
}

static void taken_structures(void **state)
{
	struct { struct second s; uint32_t c; } newer = { { 1, 2 }, 0 };
	const struct first old = { 7 };
	struct second own = { 9, 9 };

	(void)state;
	assert_int_equal(tally_copy_in(&own, sizeof(own), &old, sizeof(old), sizeof(old)), 0);
	assert_int_equal(own.a, 7);
	assert_int_equal(own.b, 0);
	assert_int_equal(tally_copy_in(&own, sizeof(own), &newer, sizeof(newer), sizeof(old)), 0);
	assert_int_equal(own.b, 2);
	newer.c = 1;
	assert_int_equal(tally_copy_in(&own, sizeof(own), &newer, sizeof(newer), sizeof(old)),
			 EOPNOTSUPP);
	assert_int_equal(tally_copy_in(&own, sizeof(own), &old, 3, sizeof(old)), EINVAL);
}

/* ---- Results ---- */
#define TAIL 16

/* Returns memory for `size` bytes and a tail, filled with 0xff. */
static void *longer(size_t size)
{
	void *p = malloc(size + TAIL);

	assert_non_null(p);
	return memset(p, 0xff, size + TAIL);
}

static void assert_tail_cleared(void *p, size_t size)
{
	static const char zero[TAIL];

	assert_memory_equal((char *)p + size, zero, TAIL);
	free(p);
}

/* A call that fills in one structure of `type` accepts longer structures, and no shorter ones. */
#define ASSERT_GROWS(type, ...) do { \
	struct type *to = longer(sizeof(*to)); \
	size_t size = sizeof(*to) + TAIL; \
	assert_int_equal(__VA_ARGS__, 0); \
	assert_tail_cleared(to, sizeof(*to)); \
	to = longer(sizeof(*to)); \
	size = sizeof(*to) - 1; \
	assert_int_equal(__VA_ARGS__, EINVAL); \
	free(to); \
} while (0)

static void results(void **state)
{
	struct objects *o = *state;

	ASSERT_GROWS(tallydv_device_attr, _tallydv_query_device(o->context, to, size));
	ASSERT_GROWS(tallydv_type_attr,
		     _tallydv_query_type(o->context, TALLY_TYPE_FP64, to, size));
	ASSERT_GROWS(tallydv_group_info, _tallydv_query_group(o->group, to, size));
	ASSERT_GROWS(tallydv_tree_pos, _tallydv_plan_tree(7, 2, 3, to, size));
}

/* The library writes comp_mask of a result. */
static void result_masks(void **state)
{
	struct objects *o = *state;
	struct tallydv_device_attr device = { .comp_mask = UINT64_MAX };
	struct tallydv_type_attr type = { .comp_mask = UINT64_MAX };

	assert_int_equal(tallydv_query_device(o->context, &device), 0);
	assert_int_equal(device.comp_mask, 0);
	assert_int_equal(tallydv_query_type(o->context, TALLY_TYPE_FP64, &type), 0);
	assert_int_equal(type.comp_mask, 0);
	assert_int_equal(o->seg->comp_mask, 0);
	assert_int_equal(o->group->comp_mask, TALLYDV_GROUP_MODES | TALLYDV_GROUP_MAX_SEGS);
}

/* Entries are placed by the program's size of an entry. */
static void lists(void **state)
{
	struct objects *o = *state;
	struct { struct tallydv_edge_info e; char tail[TAIL]; } edges[3];
	struct { struct tallydv_arrival a; char tail[TAIL]; } arrivals[3];
	struct { struct tallydv_seg_info s; char tail[TAIL]; } segs[3];
	uint32_t count = 3;

	memset(edges, 0xff, sizeof(edges));
	memset(segs, 0xff, sizeof(segs));
	memset(arrivals, 0xff, sizeof(arrivals));
	assert_int_equal(_tallydv_query_edges(o->group, &edges[0].e, &count, sizeof(edges[0])), 0);
	assert_int_equal(edges[1].e.retries, 0x02020202);
	assert_int_equal(edges[1].tail[0] | edges[1].tail[TAIL - 1], 0);
	assert_int_equal(_tallydv_query_segs(o->group, &segs[0].s, &count, sizeof(segs[0])), 0);
	assert_int_equal(segs[1].s.mid, 0x02020202);
	assert_int_equal(_tallydv_query_arrivals(o->group, &arrivals[0].a, &count,
						 sizeof(arrivals[0])), 0);
	assert_int_equal(arrivals[1].a.mid, 0x02020202);
	assert_int_equal(_tallydv_query_segs(o->group, &segs[0].s, &count, 8), EINVAL);
}

/* ---- Arguments ---- */
#define NEIGHBOUR_V1_SIZE offsetof(struct tallydv_neighbour, part_first)

struct wide_neighbour {
	struct tallydv_neighbour n;
	char tail[TAIL];
};

static void neighbours(void **state)
{
	struct objects *o = *state;
	struct wide_neighbour children[2] = {};
	struct tallydv_group_attr attr = group_attr(o);
	struct tallydv_group *group;
	char why[128];

	children[0].n = children[1].n = attr.children[0];
	children[1].n.mac[5] = 8;
	children[1].n.subtree_first = 2;
	attr.num_children = 2;
	attr.num_nodes = 3;
	attr.children = &children[0].n;
	group = _tallydv_create_group(o->context, &attr, sizeof(children[0]), why, sizeof(why));
	assert_non_null(group);
	assert_int_equal(kernel.num_edges, 2);
	assert_int_equal(kernel.edges[1].mac[5], 8);
	assert_int_equal(tallydv_destroy_group(group), 0);
	children[1].tail[TAIL - 1] = 1;
	errno = 0;
	assert_null(_tallydv_create_group(o->context, &attr, sizeof(children[0]), why,
					  sizeof(why)));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_string_equal(why, "children: entry 1 has a member that this library does not know");
	assert_null(_tallydv_create_group(o->context, &attr, NEIGHBOUR_V1_SIZE - 1, NULL, 0));
	assert_int_equal(errno, EINVAL);
}

/* Returns a copy that ends after `size` bytes. The compiler must not know the size. */
__attribute__((noinline, noipa)) static void *copy_of(const void *from, size_t size)
{
	void *to = malloc(size);

	assert_non_null(to);
	return memcpy(to, from, size);
}

/*
 * A program of the first version, whose structures end before the members of today. The memory
 * behind them is not read, as AddressSanitizer checks.
 */
static void first_version(void **state)
{
	struct objects *o = *state;
	const size_t size = offsetof(struct tallydv_group_attr, max_segs);
	struct tallydv_group_attr today = group_attr(o), *attr;
	struct tallydv_neighbour *child = copy_of(today.children, NEIGHBOUR_V1_SIZE);
	struct tallydv_send_wr w = { .wr.opcode = IBV_WR_DRIVER1 }, *wr;
	struct ibv_send_wr *bad;

	today.children = child;
	attr = copy_of(&today, size);
	memset(&kernel.group_req, 0xff, sizeof(kernel.group_req));
	assert_int_equal(tallydv_destroy_group(_tallydv_create_group(o->context, attr,
								     NEIGHBOUR_V1_SIZE, NULL, 0)), 0);
	assert_int_equal(kernel.group_req.modes | kernel.group_req.plan | kernel.group_req.max_segs, 0);
	assert_int_equal(kernel.group_req.choice_small[0] | kernel.group_req.choice_middle_log[7], 0);
	assert_int_equal(kernel.edges[0].part_count, 0);
	free(attr);
	free(child);
	w.coll.opcode = TALLY_OPCODE_BARRIER;
	wr = copy_of(&w, offsetof(struct tallydv_send_wr, coll.mode));
	assert_int_equal(tally_post_send(o->qp, &wr->wr, &bad), 0);
	free(wr);
}

/* A node's part of a plan, with entries of the program's size. */
static void planned_neighbours(void **state)
{
	static const union ibv_gid gids[3] = { { .raw = { 1 } }, { .raw = { 2 } }, { .raw = { 3 } } };
	struct tallydv_plan_attr want = { .num_nodes = 3, .gids = gids, .mode = TALLY_MODE_TREE };
	struct tallydv_plan *plan = tallydv_plan_group(&want, NULL, 0);
	struct wide_neighbour n[2];
	struct { struct tallydv_group_attr a; char tail[TAIL]; } attr;

	(void)state;
	assert_non_null(plan);
	memset(n, 0xff, sizeof(n));
	memset(&attr, 0xff, sizeof(attr));
	assert_int_equal(_tallydv_plan_node(plan, plan->node[0], &attr.a, sizeof(attr), &n[0].n,
					    sizeof(n[0]), 2), 0);
	assert_int_equal(attr.a.num_children, 2);
	assert_int_equal(attr.tail[0] | n[0].tail[0] | n[1].tail[TAIL - 1], 0);
	assert_int_equal(n[1].n.subtree_first, 2);
	assert_int_equal(_tallydv_plan_node(plan, plan->node[0], &attr.a, sizeof(attr), &n[0].n,
					    sizeof(n[0]), 1), EINVAL);
	ASSERT_GROWS(tallydv_missing, _tallydv_plan_missing(plan, 0, 3, 1, to, size));
	tallydv_free_plan(plan);
}

/* comp_mask of an argument: bits that are not known. */
static void argument_masks(void **state)
{
	struct objects *o = *state;
	const struct tallydv_group_attach_attr attach = { .comp_mask = 1, .jid = 42, .ranks = 4 };
	struct tallydv_plan_attr plan = { .comp_mask = 1ULL << 63, .num_nodes = 1 };
	struct tallydv_group_attr group = group_attr(o);
	struct tallydv_qp_init_attr dv = qp_dv_attr(o);
	struct ibv_qp_init_attr_ex attr = qp_attr(o);
	char why[128];

	group.comp_mask = 4;
	dv.comp_mask = 1;
#define ASSERT_UNKNOWN(call) do { \
	errno = 0; \
	assert_null(call); \
	assert_int_equal(errno, EOPNOTSUPP); \
	assert_non_null(strstr(why, "comp_mask: ")); \
	why[0] = 0; \
} while (0)
	ASSERT_UNKNOWN(tallydv_plan_group(&plan, why, sizeof(why)));
	ASSERT_UNKNOWN(tallydv_create_group(o->context, &group, why, sizeof(why)));
	ASSERT_UNKNOWN(tallydv_attach_group(o->context, &attach, why, sizeof(why)));
	ASSERT_UNKNOWN(tallydv_create_qp(o->context, &attr, &dv, why, sizeof(why)));
#undef ASSERT_UNKNOWN
}

static void request_masks(void **state)
{
	struct objects *o = *state;
	struct tallydv_send_wr w = {
		.wr = { .opcode = IBV_WR_DRIVER1 },
		.coll = { .opcode = TALLY_OPCODE_BARRIER, .comp_mask = 2 },
	};
	struct ibv_qp_ex *qp_ex = ibv_qp_to_qp_ex(o->qp);
	struct ibv_send_wr *bad = NULL;

	assert_int_equal(tally_post_send(o->qp, &w.wr, &bad), EOPNOTSUPP);
	assert_ptr_equal(bad, &w.wr);
	assert_int_equal(tallydv_qp_last_refusal(o->qp), TALLY_COLL_BAD_FLAGS);
	ibv_wr_start(qp_ex);
	tallydv_wr_coll(tallydv_qp_from_ibv_qp_ex(qp_ex), &w.coll);
	assert_int_equal(ibv_wr_complete(qp_ex), EOPNOTSUPP);
	w.coll.comp_mask = 0;
	assert_int_equal(tally_post_send(o->qp, &w.wr, &bad), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(given_structures),
		cmocka_unit_test(taken_structures),
		cmocka_unit_test_setup_teardown(results, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(result_masks, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(lists, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(neighbours, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(first_version, objects_setup, objects_teardown),
		cmocka_unit_test(planned_neighbours),
		cmocka_unit_test_setup_teardown(argument_masks, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(request_masks, objects_setup, objects_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
