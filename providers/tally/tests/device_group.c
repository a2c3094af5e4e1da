// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Groups with several ranks at each node, for which one leader posts, reduced in fixed order. */
#include <errno.h>
#include <string.h>

#include "device.h"

enum { RANKS = 4, COUNT = 2 };

/* A second group at each node, besides that of the fixture, and its queue pairs. */
struct leaders {
	struct tallydv_seg *seg[DEMO_MAX_NODES];
	struct tallydv_group *group[DEMO_MAX_NODES];
	struct ibv_qp *qp[DEMO_MAX_NODES];
};

/* Returns the attributes of node i's group, and fills in `children` and `parent`. */
static struct tallydv_group_attr attr_of(const struct fixture *f, unsigned int i,
					 struct tallydv_seg *seg,
					 struct tallydv_neighbour *children,
					 struct tallydv_neighbour *parent)
{
	const struct tallydv_tree_pos *pos = &f->pos[i];

	for (unsigned int k = 0; k < pos->num_children; k++) {
		children[k] = (struct tallydv_neighbour){
			.gid = f->job.gid[pos->child[k].node],
			.subtree_first = pos->child[k].node,
			.subtree_count = pos->child[k].count,
		};
	}
	*parent = (struct tallydv_neighbour){
		.gid = f->job.gid[pos->parent], .remote_index = pos->index
	};
	return (struct tallydv_group_attr){
		.jid = f->job.jid ^ 0x5a5a5a5a,
		.flags = TALLY_GROUP_F_ORDERED,
		.seg = seg,
		.mode = TALLY_MODE_TREE,
		.node = i,
		.num_nodes = f->job.num_nodes,
		.level = pos->level,
		.num_children = pos->num_children,
		.children = children,
		.parent = pos->level ? parent : NULL,
		.rank_mask = (1 << RANKS) - 1,
		.owner_ranks = (1 << RANKS) - 1,
		.total_ranks = RANKS * f->job.num_nodes,
		.timeout_ms = DEMO_TIMEOUT_MS,
		.msg_cells = RANKS + pos->num_children,
	};
}

static void open_leader(struct fixture *f, unsigned int i, struct leaders *l)
{
	struct demo_node *node = &f->nodes[i];
	struct tallydv_neighbour children[DEMO_DEGREE], parent;
	struct tallydv_qp_init_attr dv_attr = { .port = 2 };
	struct ibv_qp_init_attr_ex qp_attr = {
		.qp_type = IBV_QPT_DRIVER,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = node->pd,
		.send_cq = ibv_cq_ex_to_cq(node->cq),
		.cap = { .max_send_wr = 3, .max_send_sge = RANKS },
	};
	struct tallydv_group_attr attr;

	l->seg[i] = tallydv_alloc_seg(node->context, 4);
	assert_non_null(l->seg[i]);
	attr = attr_of(f, i, l->seg[i], children, &parent);
	l->group[i] = tallydv_create_group(node->context, &attr, NULL, 0);
	assert_non_null(l->group[i]);
	dv_attr.group = l->group[i];
	l->qp[i] = tallydv_create_qp(node->context, &qp_attr, &dv_attr, NULL, 0);
	assert_non_null(l->qp[i]);
	assert_int_equal(qp_attr.cap.max_send_sge, RANKS);
}

static void close_leader(struct leaders *l, unsigned int i)
{
	assert_int_equal(ibv_destroy_qp(l->qp[i]), 0);
	assert_int_equal(tallydv_destroy_group(l->group[i]), 0);
	assert_int_equal(tallydv_free_seg(l->seg[i]), 0);
}

/* Rank r of node i contributes i * RANKS + r + 1 and a half, or with EMPTY nothing. */
static void post_leader(struct fixture *f, struct leaders *l, unsigned int i, uint32_t mid,
			bool empty)
{
	struct demo_node *node = &f->nodes[i];
	struct ibv_sge give[RANKS], get[RANKS];
	struct tallydv_send_wr wr = {
		.wr = {
			.wr_id = mid,
			.opcode = IBV_WR_DRIVER1,
			.send_flags = IBV_SEND_SIGNALED,
			.sg_list = give,
			.num_sge = empty ? 0 : RANKS,
		},
		.coll = {
			.opcode = TALLY_OPCODE_ALLREDUCE,
			.op = TALLY_OP_SUM,
			.dtype = TALLY_TYPE_FP64,
			.flags = empty ? TALLY_WQE_F_EMPTY : TALLY_WQE_F_ORDERED,
			.count = COUNT,
			.mid = mid,
			.result_list = get,
			.num_result = empty ? 0 : RANKS,
		},
	};
	struct ibv_send_wr *bad_wr;

	memset(&node->buf->out, 0xff, sizeof(node->buf->out));
	for (unsigned int r = 0; r < RANKS; r++) {
		double *in = &node->buf->in.fp64[r * COUNT], *out = &node->buf->out.fp64[r * COUNT];

		in[0] = i * RANKS + r + 1;
		in[1] = 0.5;
		give[r] = (struct ibv_sge){ .addr = (uintptr_t)in, .length = COUNT * sizeof(*in),
					    .lkey = node->mr->lkey };
		get[r] = give[r];
		get[r].addr = (uintptr_t)out;
	}
	assert_int_equal(ibv_post_send(l->qp[i], &wr.wr, &bad_wr), 0);
}

/* Expects success, and the sum of the nodes from `first` on. */
static void assert_leaders(struct fixture *f, uint32_t mid, unsigned int first)
{
	unsigned int n = f->job.num_nodes * RANKS, out = first * RANKS;

	for (unsigned int i = 0; i < f->job.num_nodes; i++)
		assert_next(f, i, mid, TALLY_COLL_OK);
	for (unsigned int i = first; i < f->job.num_nodes; i++) {
		const double *got = f->nodes[i].buf->out.fp64;

		for (unsigned int r = 0; r < RANKS; r++) {
			assert_true(got[r * COUNT] == n * (n + 1) / 2 - out * (out + 1) / 2);
			assert_true(got[r * COUNT + 1] == 0.5 * (n - out));
		}
	}
}

static void leaders(void **state)
{
	struct fixture *f = *state;
	struct leaders l;

	for (unsigned int i = 0; i < f->job.num_nodes; i++) {
		open_leader(f, i, &l);
		/* The library has numbered the ranks. */
		assert_int_equal(l.group[i]->rank_first, i * RANKS);
		assert_int_equal(l.group[i]->total_ranks, f->job.num_nodes * RANKS);
		assert_int_equal(l.group[i]->flags & TALLY_GROUP_F_ORDERED, TALLY_GROUP_F_ORDERED);
		assert_int_equal(l.group[i]->msg_cells, RANKS + f->pos[i].num_children);
		assert_int_equal(l.group[i]->mode, TALLY_MODE_TREE);
		assert_int_equal(l.group[i]->level, f->pos[i].level);
	}
	for (uint32_t mid = 0; mid < 5; mid++) {
		for (unsigned int i = 0; i < f->job.num_nodes; i++)
			post_leader(f, &l, i, mid, false);
		assert_leaders(f, mid, 0);
	}
	/* The ranks of node 0 post, as they must, but contribute nothing and get nothing. */
	if (f->job.num_nodes > 1) {
		for (unsigned int i = 0; i < f->job.num_nodes; i++)
			post_leader(f, &l, i, 5, i == 0);
		assert_leaders(f, 5, 1);
		assert_memory_equal(&f->nodes[0].buf->out, "\xff\xff\xff\xff", 4);
	}
	for (unsigned int i = 0; i < f->job.num_nodes; i++)
		close_leader(&l, i);
}

static void assert_not_created(struct ibv_context *context, const struct tallydv_group_attr *attr,
			       int err)
{
	errno = 0;
	assert_null(tallydv_create_group(context, attr, NULL, 0));
	assert_int_equal(errno, err);
}

static void bad_groups(void **state)
{
	struct fixture *f = *state;
	unsigned int last = f->job.num_nodes - 1;
	struct ibv_context *context = f->nodes[last].context;
	struct tallydv_seg *seg = tallydv_alloc_seg(context, 4);
	struct tallydv_neighbour children[DEMO_DEGREE], parent;
	const struct tallydv_group_attr good = attr_of(f, last, seg, children, &parent);
	struct tallydv_group_attr bad = good;

	bad.msg_cells = RANKS - 1; /* ORDERED needs a cell for each rank */
	assert_not_created(context, &bad, EINVAL);
	bad = good;
	bad.msg_cells = TALLY_MAX_GROUP_CELLS + 1;
	assert_not_created(context, &bad, EINVAL);
	bad = good;
	bad.seg = NULL;
	assert_not_created(context, &bad, EINVAL);
	bad = good;
	bad.comp_mask = 1ULL << 63;
	assert_not_created(context, &bad, EOPNOTSUPP);
	bad = good;
	bad.rank_first = good.total_ranks; /* after all ranks */
	assert_not_created(context, &bad, EINVAL);
	if (last) {
		bad = good;
		bad.total_ranks++; /* if nodes differ in ranks, rank_first must be set */
		assert_not_created(context, &bad, EINVAL);
		bad = good;
		bad.epoch = 7; /* only the root may set it */
		assert_not_created(context, &bad, EINVAL);
	}
	assert_int_equal(tallydv_free_seg(seg), 0);
}

int device_group_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(leaders, device_setup, device_teardown),
		cmocka_unit_test_setup_teardown(bad_groups, device_setup, device_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
