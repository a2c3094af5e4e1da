// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completion queues: creation and destruction. */
#include <stdlib.h>

#include "uverbs.h"

#define SUPPORTED_INIT_MASK (IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD)
#define SUPPORTED_WC_FLAGS (IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)

static int check_attr(const struct tally_context *ctx, const struct ibv_cq_init_attr_ex *attr)
{
	if (attr->comp_mask & ~(uint32_t)SUPPORTED_INIT_MASK ||
	    attr->wc_flags & ~(uint64_t)SUPPORTED_WC_FLAGS)
		return EOPNOTSUPP;
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
	    attr->flags & ~(uint32_t)IBV_CREATE_CQ_ATTR_SINGLE_THREADED)
		return EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > ctx->info.max_cq_depth)
		return EINVAL;
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD &&
	    (attr->parent_domain->context != &ctx->vctx.context ||
	     !tally_is_parent_domain(attr->parent_domain)))
		return EINVAL;
	/*
	 * The kernel knows a channel as a file of its context, so it cannot be used with another
	 * context.
	 */
	if (attr->channel && attr->channel->context != &ctx->vctx.context)
		return EINVAL;
	return 0;
}

static size_t buffer_size(const struct tally_cq *cq)
{
	return cq->depth * sizeof(*cq->ring) + sizeof(*cq->record);
}

int tally_cq_alloc_queue(struct tally_cq *cq, uint32_t depth)
{
	cq->depth = depth;
	cq->stale = calloc(depth, 1);
	cq->ring = tally_alloc_ring(buffer_size(cq));
	if (!cq->stale || !cq->ring)
		return ENOMEM;
	cq->record = (struct tally_cq_record *)(cq->ring + depth);
	return 0;
}

void tally_cq_free_queue(struct tally_cq *cq)
{
	if (cq->ring)
		tally_free_ring(cq->ring, buffer_size(cq));
	free(cq->stale);
}

/* Creates the kernel's object. The library provides the ring and the doorbell. */
static int create_in_kernel(struct tally_cq *cq, const struct ibv_cq_init_attr_ex *attr)
{
	/* The kernel need not know of time stamps, which all completions have, nor of locks. */
	struct ibv_cq_init_attr_ex plain = {
		.cqe = attr->cqe,
		.cq_context = attr->cq_context,
		.channel = attr->channel,
		.comp_vector = attr->comp_vector,
	};
	struct tally_create_cq req = {
		.drv_payload = { .buf_addr = (uintptr_t)cq->ring, .depth = cq->depth },
	};
	struct tally_create_cq_resp resp = {};
	int err;

	err = tally_cmd_create_cq_ex(&cq->ctx->vctx.context, &plain, &cq->vcq, &req.ibv_cmd,
				     sizeof(req), &resp.ibv_resp, sizeof(resp), 0);
	if (err)
		return err;
	cq->cqn = resp.drv_payload.cqn;
	cq->uar = tally_get_uar(cq->ctx, resp.drv_payload.db_mmap_offset);
	err = cq->uar ? tally_set_doorbell(&cq->doorbell, cq->ctx, cq->uar,
					   resp.drv_payload.db_slot)
		      : errno;
	if (!err)
		return 0;
	if (cq->uar)
		tally_put_uar(cq->ctx, cq->uar);
	ibv_cmd_destroy_cq(&cq->vcq.cq);
	return err;
}

/* Returns whether the program promises, by a flag or a thread domain, to use one thread at a time. */
static bool has_one_thread(const struct ibv_cq_init_attr_ex *attr)
{
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
	    attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED)
		return true;
	return attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD &&
	       tally_has_one_thread(attr->parent_domain);
}

struct ibv_cq_ex *tally_create_cq_ex(struct ibv_context *context,
				     struct ibv_cq_init_attr_ex *attr)
{
	struct tally_context *ctx = to_tctx(context);
	struct tally_cq *cq = NULL;
	int err = check_attr(ctx, attr);

	if (err)
		goto err_out;
	cq = calloc(1, sizeof(*cq));
	err = cq ? 0 : ENOMEM;
	if (err)
		goto err_out;
	cq->ctx = ctx;
	err = tally_cq_alloc_queue(cq, tally_round_up_pow2(attr->cqe));
	if (err)
		goto err_free;
	err = tally_lock_init(&cq->lock, has_one_thread(attr));
	if (err)
		goto err_free;
	err = create_in_kernel(cq, attr);
	if (err)
		goto err_free;
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD) {
		cq->pd = to_tpd(attr->parent_domain);
		tally_ref(&cq->pd->users);
	}
	tally_set_poll_ops(&cq->vcq.cq_ex, attr->wc_flags);
	return &cq->vcq.cq_ex;

err_free:
	tally_cq_free_queue(cq);
	free(cq);
err_out:
	errno = err;
	return NULL;
}

struct ibv_cq *tally_create_cq(struct ibv_context *context, int cqe,
			       struct ibv_comp_channel *channel, int comp_vector)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe,
		.channel = channel,
		.comp_vector = comp_vector,
	};
	struct ibv_cq_ex *cq = tally_create_cq_ex(context, &attr);

	return cq ? ibv_cq_ex_to_cq(cq) : NULL;
}

int tally_destroy_cq(struct ibv_cq *ibcq)
{
	struct tally_cq *cq = to_tcq(ibcq);
	int err;

	/* The kernel checks this too, but not after the loss of the device. */
	if (__atomic_load_n(&cq->users, __ATOMIC_ACQUIRE))
		return EBUSY;
	err = tally_destroy_errno(cq->ctx, ibv_cmd_destroy_cq(ibcq));
	if (err)
		return err;
	if (cq->pd)
		tally_unref(&cq->pd->users);
	tally_put_uar(cq->ctx, cq->uar);
	tally_cq_free_queue(cq);
	free(cq);
	return 0;
}
