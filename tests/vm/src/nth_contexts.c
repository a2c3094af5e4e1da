/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts, empty and with one object of each kind, for the sweeps. */
#include <sys/mman.h>
#include <unistd.h>

#include "tally.h" /* the provider's own: the pages that it has mapped */

#include "check.h"
#include "nth.h"

#define DEPTH 16

static struct ibv_context *context;

struct ibv_qp *create_qp(struct ibv_context *of, struct ibv_pd *pd, struct ibv_cq *cq,
			 struct tallydv_group *group)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = pd,
		.send_cq = cq,
		.cap = { .max_send_wr = DEPTH, .max_send_sge = 1 },
	};
	struct tallydv_qp_init_attr dv = { .group = group, .port = 1 };

	return tallydv_create_qp(of, &attr, &dv, NULL, 0);
}

/* If libibverbs cannot open a node, it looks elsewhere and reports ENOENT. */
static int make(void)
{
	context = ibv_open_device(world.nic->context->device);
	return context ? 0 : errno == ENOENT ? ENOMEM : errno;
}

/* The library closes the device, but its mappings keep the device open until they are unmapped. */
static void drop(int err)
{
	if (err)
		return;
	for (unsigned int i = 0; i < TALLY_MAX_QP; i++) {
		const struct tally_qp *qp = to_tctx(context)->qps[i];

		if (qp && qp->push)
			REQUIRE(!munmap(qp->push, sizeof(*qp->push)), "push buffer");
	}
	for (struct tally_uar *uar = to_tctx(context)->uars; uar; uar = uar->next)
		REQUIRE(!munmap(uar->page, TALLY_PAGE_SIZE), "page");
	REQUIRE(!ibv_close_device(context), "context");
}

static struct ibv_qp *fill(void)
{
	struct tallydv_group_attr attr = {
		.jid = world.spare_jid,
		.mode = TALLY_MODE_TREE,
		.num_nodes = 1,
		.rank_mask = 1,
		.owner_ranks = 1,
		.total_ranks = 1,
		.timeout_ms = 10000,
		.rto_us = 1,
	};
	struct ibv_comp_channel *channel = ibv_create_comp_channel(context);
	struct ibv_pd *pd = channel ? ibv_alloc_pd(context) : NULL;
	struct ibv_mr *mr = pd ? ibv_reg_mr(pd, world.nic->buf, 4096, 0) : NULL;
	struct ibv_cq *cq = mr ? ibv_create_cq(context, DEPTH, NULL, channel, 0) : NULL;
	struct tallydv_group *group;

	attr.seg = cq ? tallydv_alloc_seg(context, 1) : NULL;
	group = attr.seg ? tallydv_create_group(context, &attr, NULL, 0) : NULL;
	if (channel && !cq)
		ibv_destroy_comp_channel(channel);
	return group ? create_qp(context, pd, cq, group) : NULL;
}

/* If filling the context fails, the process closes it. */
static int make_full(void)
{
	int err = make();

	if (err || fill())
		return err;
	err = errno;
	drop(0);
	return err;
}

/*
 * In the end a single file descriptor keeps the device open, so that closing the device is a single
 * call.
 */
int open_full(void)
{
	int last;

	REQUIRE(!make_full(), "context");
	last = dup(context->cmd_fd);
	REQUIRE(last >= 0, "context");
	drop(0);
	return last;
}

static int last;

static void fill_last(void)
{
	last = open_full();
}

static int close_last(void)
{
	return close(last) ? errno : 0;
}

const struct nth_act nth_contexts[] = {
	{ "creating a context", make, NULL, drop },
	{ "creating a context with one object of each kind", make_full, NULL, drop },
};
const size_t nth_num_contexts = sizeof(nth_contexts) / sizeof(nth_contexts[0]);

const struct nth_act nth_closing = {
	"closing a context with one object of each kind", close_last, fill_last, NULL,
};
