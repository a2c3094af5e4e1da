// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "objects.h"

#include <stdlib.h>

static const struct tallydv_neighbour child = {
	.mac = { 2, 0, 0, 0, 0, 7 }, .subtree_first = 1, .subtree_count = 1
};

struct ibv_cq_init_attr_ex cq_attr(void)
{
	return (struct ibv_cq_init_attr_ex){
		.cqe = 10, .wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
	};
}

struct tallydv_group_attr group_attr(struct objects *o)
{
	return (struct tallydv_group_attr){
		.seg = o->seg, .jid = 42, .mode = TALLY_MODE_TREE, .num_nodes = 2, .num_children = 1,
		.children = &child, .rank_mask = 7, .owner_ranks = 3, .total_ranks = 9,
	};
}

struct ibv_qp_init_attr_ex qp_attr(struct objects *o)
{
	return (struct ibv_qp_init_attr_ex){
		.qp_type = IBV_QPT_DRIVER,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = o->pd,
		.send_cq = ibv_cq_ex_to_cq(o->cq),
		.cap = { .max_send_wr = 7, .max_send_sge = 1 },
	};
}

struct tallydv_qp_init_attr qp_dv_attr(struct objects *o)
{
	return (struct tallydv_qp_init_attr){ .group = o->group, .port = 1 };
}

static int create_pd(struct objects *o)
{
	o->pd = ibv_alloc_pd(o->context);
	return o->pd ? 0 : errno;
}

static int destroy_pd(struct objects *o)
{
	return ibv_dealloc_pd(o->pd);
}

static int create_mr(struct objects *o)
{
	o->mr = ibv_reg_mr(o->pd, o->buf, sizeof(o->buf), IBV_ACCESS_LOCAL_WRITE);
	return o->mr ? 0 : errno;
}

static int destroy_mr(struct objects *o)
{
	return ibv_dereg_mr(o->mr);
}

static int create_cq(struct objects *o)
{
	struct ibv_cq_init_attr_ex attr = cq_attr();

	o->cq = tally_create_cq_ex(o->context, &attr);
	return o->cq ? 0 : errno;
}

static int destroy_cq(struct objects *o)
{
	return ibv_destroy_cq(ibv_cq_ex_to_cq(o->cq));
}

static int create_seg(struct objects *o)
{
	o->seg = tallydv_alloc_seg(o->context, 8);
	return o->seg ? 0 : errno;
}

static int destroy_seg(struct objects *o)
{
	return tallydv_free_seg(o->seg);
}

static int create_group(struct objects *o)
{
	struct tallydv_group_attr attr = group_attr(o);

	o->group = tallydv_create_group(o->context, &attr, NULL, 0);
	return o->group ? 0 : errno;
}

static int destroy_group(struct objects *o)
{
	return tallydv_destroy_group(o->group);
}

static int attach_group(struct objects *o)
{
	const struct tallydv_group_attach_attr attr = { .jid = 42, .ranks = 4 };

	o->attached = tallydv_attach_group(o->context, &attr, NULL, 0);
	return o->attached ? 0 : errno;
}

static int detach_group(struct objects *o)
{
	return tallydv_destroy_group(o->attached);
}

static int create_qp(struct objects *o)
{
	struct ibv_qp_init_attr_ex attr = qp_attr(o);
	struct tallydv_qp_init_attr dv = qp_dv_attr(o);

	o->qp = tallydv_create_qp(o->context, &attr, &dv, NULL, 0);
	return o->qp ? 0 : errno;
}

static int destroy_qp(struct objects *o)
{
	return ibv_destroy_qp(o->qp);
}

const struct object_kind object_kinds[NUM_OBJECT_KINDS] = {
	{ "protection domain", create_pd, destroy_pd },
	{ "memory region", create_mr, destroy_mr },
	{ "completion queue", create_cq, destroy_cq },
	{ "segment range", create_seg, destroy_seg },
	{ "group", create_group, destroy_group },
	{ "attachment", attach_group, detach_group },
	{ "queue pair", create_qp, destroy_qp },
};

int context_setup(void **state)
{
	struct objects *o = calloc(1, sizeof(*o));

	kernel_reset();
	o->device = device_new();
	o->context = context_open(o->device);
	assert_non_null(o->context);
	*state = o;
	return 0;
}

int context_teardown(void **state)
{
	struct objects *o = *state;

	assert_int_equal(ibv_close_device(o->context), 0);
	device_free(o->device);
	free(o);
	if (!kernel.gone)
		assert_int_equal(kernel_objects(), 0);
	assert_int_equal(faults.mappings, 0);
	return 0;
}

int objects_setup(void **state)
{
	context_setup(state);
	for (unsigned int i = 0; i < NUM_OBJECT_KINDS; i++)
		assert_int_equal(object_kinds[i].create(*state), 0);
	return 0;
}

int objects_destroy(struct objects *o)
{
	for (unsigned int i = NUM_OBJECT_KINDS; i-- > 0;) {
		int err = object_kinds[i].destroy(o);

		if (err)
			return err;
	}
	return 0;
}

int objects_teardown(void **state)
{
	assert_int_equal(objects_destroy(*state), 0);
	return context_teardown(state);
}
