// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues. The process polls and arms them itself; the driver only handles their events.
 */
#include <linux/log2.h>

#include "ib.h"

/* Every completion has a time stamp. The device offers nothing else. */
#define SUPPORTED_FLAGS IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION

static int cq_copy_request(struct tally_ibdev *dev, const struct ib_cq_init_attr *attr,
			   struct tally_ureq_create_cq *req, struct ib_udata *udata)
{
	struct ib_device *ibdev = &dev->ibdev;

	if (udata->inlen < sizeof(*req) ||
	    !ib_is_udata_cleared(udata, sizeof(*req), udata->inlen - sizeof(*req)))
		return tally_refuse(ibdev, -EINVAL,
				    "CQ: request of %zu bytes, or with unknown data", udata->inlen);
	if (ib_copy_from_udata(req, udata, sizeof(*req)))
		return -EFAULT;
	if (attr->flags & ~SUPPORTED_FLAGS)
		return tally_refuse(ibdev, -EOPNOTSUPP, "CQ: flags %#x, only %#x are supported",
				    attr->flags, SUPPORTED_FLAGS);
	if (req->reserved)
		return tally_refuse(ibdev, -EINVAL, "CQ: reserved field is %#x", req->reserved);
	if (!is_power_of_2(req->depth) || req->depth > dev->tdev->caps.max_cq_depth ||
	    attr->cqe < 1 || attr->cqe > req->depth)
		return tally_refuse(ibdev, -EINVAL,
				    "CQ: depth %u for %d entries, not a power of two up to %u",
				    req->depth, attr->cqe, dev->tdev->caps.max_cq_depth);
	if (!IS_ALIGNED(req->buf_addr, TALLY_PAGE_SIZE))
		return tally_refuse(ibdev, -EINVAL, "CQ: buffer at %#llx does not begin a page",
				    req->buf_addr);
	return 0;
}

static int cq_create_in_device(struct tally_ibdev *dev, struct tally_cq *cq)
{
	struct tally_cq_params params = {
		.cqn = cq->cqn,
		.depth = cq->depth,
		.comp_vector = cq->comp_vector,
		.slot = cq->db.slot,
		.ring = cq->ring.mem,
	};

	return tally_create_cq(dev->tdev, &params);
}

static int cq_take_number(struct tally_ibdev *dev, struct tally_cq *cq)
{
	struct tally_ucontext *ctx = cq->db.ctx;
	u32 max = dev->tdev->caps.max_cq;
	int err;

	err = tally_charge(ctx, TALLY_QUOTA_CQ, 1, "CQs");
	if (err)
		return err;
	err = xa_alloc_cyclic(&dev->cqs, &cq->cqn, cq, XA_LIMIT(0, max - 1), &dev->next_cqn,
			      GFP_KERNEL);
	if (err >= 0)
		return 0;
	tally_quota_uncharge_objects(ctx->quota, TALLY_QUOTA_CQ, 1);
	if (err == -EBUSY)
		return tally_refuse(&dev->ibdev, -ENOSPC, "all %u CQs are in use", max);
	return err;
}

/* When this returns, no event refers to the queue any more. */
static void cq_drop_number(struct tally_ibdev *dev, struct tally_cq *cq)
{
	xa_erase(&dev->cqs, cq->cqn);
	tally_events_flush(dev->tdev);
	tally_quota_uncharge_objects(cq->db.ctx->quota, TALLY_QUOTA_CQ, 1);
}

int tally_ib_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		       struct tally_create_cq_attrs *attrs)
{
	struct ib_udata *udata = tally_create_cq_udata(attrs);
	struct tally_ucontext *ctx =
		rdma_udata_to_drv_context(udata, struct tally_ucontext, ibucontext);
	struct tally_ibdev *dev = to_tdev(ibcq->device);
	struct tally_uresp_create_cq resp = {};
	struct tally_ureq_create_cq req;
	struct tally_cq *cq = to_tcq(ibcq);
	int err;

	err = cq_copy_request(dev, attr, &req, udata);
	if (err)
		return err;
	cq->depth = req.depth;
	cq->comp_vector = attr->comp_vector;
	err = tally_umem_get(dev, &cq->ring, req.buf_addr,
			     (u64)req.depth * sizeof(struct tally_cqe) +
			     sizeof(struct tally_cq_record), sizeof(struct tally_cqe),
			     IB_ACCESS_LOCAL_WRITE);
	if (err)
		return tally_refuse(&dev->ibdev, err, "CQ: cannot pin the buffer at %#llx",
				    req.buf_addr);
	err = tally_doorbell_alloc(ctx, &cq->db, &resp.db_mmap_offset);
	if (err)
		goto err_umem;
	err = cq_take_number(dev, cq);
	if (err)
		goto err_db;
	err = cq_create_in_device(dev, cq);
	if (err)
		goto err_number;
	resp.cqn = cq->cqn;
	resp.db_slot = cq->db.slot.slot;
	err = ib_copy_to_udata(udata, &resp, min(sizeof(resp), udata->outlen));
	if (err)
		goto err_destroy;
	ibcq->cqe = cq->depth;
	return 0;

err_destroy:
	tally_destroy_cq(dev->tdev, cq->cqn);
err_number:
	cq_drop_number(dev, cq);
err_db:
	tally_doorbell_free(&cq->db);
err_umem:
	tally_umem_put(dev, &cq->ring);
	return err;
}

int tally_ib_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct tally_ibdev *dev = to_tdev(ibcq->device);
	struct tally_cq *cq = to_tcq(ibcq);

	tally_destroy_cq(dev->tdev, cq->cqn);
	cq_drop_number(dev, cq);
	tally_doorbell_free(&cq->db);
	tally_umem_put(dev, &cq->ring);
	return 0;
}

/* Called in interrupts. The queue may have been destroyed meanwhile. */
void tally_ib_cq_event(void *ctx, u32 cqn)
{
	struct tally_ibdev *dev = ctx;
	struct tally_cq *cq = xa_load(&dev->cqs, cqn);

	if (cq)
		cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
	else
		ibdev_dbg(&dev->ibdev, "event for CQ %u, which does not exist\n", cqn);
}

void tally_ib_cq_error_event(void *ctx, u32 cqn)
{
	struct tally_ibdev *dev = ctx;
	struct tally_cq *cq = xa_load(&dev->cqs, cqn);
	struct ib_event event = {
		.device = &dev->ibdev,
		.event = IB_EVENT_CQ_ERR,
	};

	if (!cq) {
		ibdev_dbg(&dev->ibdev, "error of CQ %u, which does not exist\n", cqn);
		return;
	}
	ibdev_dbg(&dev->ibdev, "CQ %u overran\n", cqn);
	event.element.cq = &cq->ibcq;
	cq->ibcq.event_handler(&event, cq->ibcq.cq_context);
}
