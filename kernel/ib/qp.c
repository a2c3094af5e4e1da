// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Collective queue pairs: virtual ports of a group. */
#include <linux/log2.h>

#include "ib.h"
#include "uabi.h"

/* Sets @why to a field of the process's request. */
#define blame_field(why, req, field) \
	(*(why) = (struct tally_uresp_why){ \
		.where = TALLY_WHY_REQUEST, \
		.offset = offsetof(struct tally_ureq_create_qp, field), \
		.value = (req)->field, \
	})

static int qp_check_attr(struct tally_ibdev *dev, const struct ib_qp_init_attr *attr)
{
	const struct tally_caps *caps = &dev->tdev->caps;
	struct ib_device *ibdev = &dev->ibdev;

	if (attr->qp_type != IB_QPT_DRIVER)
		return tally_refuse(ibdev, -EOPNOTSUPP, "QP: type %d, only driver QPs are offered",
				    attr->qp_type);
	if (attr->create_flags || attr->srq || attr->rwq_ind_tbl || !attr->send_cq)
		return tally_refuse(ibdev, -EOPNOTSUPP,
				    "QP: create flags %#x, an SRQ, an indirection table or no send CQ",
				    attr->create_flags);
	if (attr->cap.max_recv_wr || attr->cap.max_recv_sge)
		return tally_refuse(ibdev, -EINVAL,
				    "QP: %u receives asked for, there is no receive queue",
				    attr->cap.max_recv_wr);
	if (attr->cap.max_send_sge > caps->max_sge || attr->cap.max_inline_data > caps->max_inline)
		return tally_refuse(ibdev, -EINVAL,
				    "QP: %u gather entries and %u inline bytes, the device takes %u and %u",
				    attr->cap.max_send_sge, attr->cap.max_inline_data,
				    caps->max_sge, caps->max_inline);
	return 0;
}

static int qp_copy_request(struct tally_ibdev *dev, struct tally_ureq_create_qp *req,
			   struct ib_udata *udata)
{
	struct ib_device *ibdev = &dev->ibdev;

	if (udata->inlen < sizeof(*req) ||
	    !ib_is_udata_cleared(udata, sizeof(*req), udata->inlen - sizeof(*req)))
		return tally_refuse(ibdev, -EINVAL,
				    "QP: request of %zu bytes, or with unknown data", udata->inlen);
	if (ib_copy_from_udata(req, udata, sizeof(*req)))
		return -EFAULT;
	if (req->flags & ~TALLY_QP_F_PUSH)
		return tally_refuse(ibdev, -EINVAL, "QP: flags %#x, only %#x are known", req->flags,
				    TALLY_QP_F_PUSH);
	return 0;
}

/*
 * Returns the size of a request with full lists, or with a full result list and full inline data.
 */
static u32 qp_largest_request(const struct ib_qp_cap *cap)
{
	u32 list = cap->max_send_sge * sizeof(struct tally_sge);
	u32 data = round_up(cap->max_inline_data, sizeof(struct tally_sge));

	return sizeof(struct tally_wqe) + max(list, data) + list;
}

static int qp_check_request(struct tally_ibdev *dev, const struct ib_qp_init_attr *attr,
			    const struct tally_ureq_create_qp *req, struct tally_uresp_why *why)
{
	u32 max_depth = dev->tdev->caps.max_sq_depth;
	struct ib_device *ibdev = &dev->ibdev;

	blame_field(why, req, sq_depth);
	if (!is_power_of_2(req->sq_depth) || req->sq_depth > max_depth ||
	    attr->cap.max_send_wr > req->sq_depth)
		return tally_refuse(ibdev, -EINVAL,
				    "QP: send queue of %u for %u requests, not a power of two up to %u",
				    req->sq_depth, attr->cap.max_send_wr, max_depth);
	blame_field(why, req, sq_stride);
	if (!is_power_of_2(req->sq_stride) || req->sq_stride < TALLY_MIN_WQE_SIZE ||
	    req->sq_stride > TALLY_MAX_WQE_SIZE)
		return tally_refuse(ibdev, -EINVAL,
				    "QP: stride %u, not a power of two from %u to %u",
				    req->sq_stride, TALLY_MIN_WQE_SIZE, TALLY_MAX_WQE_SIZE);
	if (req->sq_stride < qp_largest_request(&attr->cap))
		return tally_refuse(ibdev, -EINVAL,
				    "QP: stride %u, a request with lists of %u and %u inline bytes takes %u",
				    req->sq_stride, attr->cap.max_send_sge,
				    attr->cap.max_inline_data, qp_largest_request(&attr->cap));
	blame_field(why, req, sq_addr);
	if (!IS_ALIGNED(req->sq_addr, TALLY_PAGE_SIZE))
		return tally_refuse(ibdev, -EINVAL,
				    "QP: send queue at %#llx does not begin a page", req->sq_addr);
	*why = (struct tally_uresp_why){};
	return 0;
}

/* Takes a reference to the handle with this number in the context. */
static int qp_take_handle(struct tally_ucontext *ctx, struct tally_qp *qp,
			  const struct tally_ureq_create_qp *req, struct tally_uresp_why *why)
{
	struct ib_device *ibdev = ctx->ibucontext.device;
	u64 ranks;

	/* The number is removed before the reference is dropped, under the same lock. */
	xa_lock(&ctx->groups);
	qp->handle = xa_load(&ctx->groups, req->group_handle);
	if (qp->handle)
		tally_group_handle_get(qp->handle);
	xa_unlock(&ctx->groups);
	if (!qp->handle) {
		blame_field(why, req, group_handle);
		return tally_refuse(ibdev, -ENOENT, "QP: no group handle %u in this context",
				    req->group_handle);
	}
	ranks = tally_group_handle_may_post(qp->handle);
	if (!req->ranks || req->ranks & ~ranks) {
		tally_group_handle_put(qp->handle);
		blame_field(why, req, ranks);
		return tally_refuse(ibdev, -EINVAL,
				    "QP: ranks %#llx, group handle %u may post for %#llx", req->ranks,
				    req->group_handle, ranks);
	}
	return 0;
}

static int qp_take_slot(struct tally_ucontext *ctx, struct tally_qp *qp,
			const struct tally_ureq_create_qp *req, struct tally_uresp_create_qp *resp)
{
	struct tally_dev *tdev = to_tdev(qp->ibqp.device)->tdev;
	int err;

	if (!(req->flags & TALLY_QP_F_PUSH) || !(tdev->caps.caps & TALLY_CAP_PUSH))
		return tally_doorbell_alloc(ctx, &qp->db, &resp->db_mmap_offset);
	err = tally_doorbell_alloc_push(ctx, &qp->db, &resp->db_mmap_offset,
					&resp->push_mmap_offset);
	if (!err && qp->db.push)
		resp->push_size = TALLY_PUSH_SIZE;
	return err;
}

static int qp_create_in_device(struct tally_ibdev *dev, struct tally_qp *qp,
			       const struct ib_qp_init_attr *attr, struct tally_blame *blame)
{
	struct tally_qp_params params = {
		.qpn = qp->ibqp.qp_num,
		.pd = to_tpd(qp->ibqp.pd)->pdn,
		.cqn = to_tcq(attr->send_cq)->cqn,
		.handle = qp->handle,
		.ranks = qp->ranks,
		.depth = qp->depth,
		.stride = qp->stride,
		.port = qp->port,
		.slot = qp->db.slot,
		.push = qp->db.push,
		.sq = qp->sq.mem,
	};

	return tally_create_qp(dev->tdev, &params, blame);
}

/* Returns the number of request entries of the device that a queue pair owns. */
static u32 qp_requests(const struct tally_qp *qp)
{
	return clamp_t(u32, qp->depth, TALLY_REQUEST_STEP, TALLY_QP_REQUESTS);
}

static int qp_charge(struct tally_ucontext *ctx, const struct tally_qp *qp)
{
	int err;

	err = tally_charge(ctx, TALLY_QUOTA_QP, 1, "QPs");
	if (err)
		return err;
	err = tally_charge(ctx, TALLY_QUOTA_REQUEST, qp_requests(qp), "request entries");
	if (err)
		tally_quota_uncharge_objects(ctx->quota, TALLY_QUOTA_QP, 1);
	return err;
}

static void qp_uncharge(struct tally_ucontext *ctx, const struct tally_qp *qp)
{
	tally_quota_uncharge_objects(ctx->quota, TALLY_QUOTA_REQUEST, qp_requests(qp));
	tally_quota_uncharge_objects(ctx->quota, TALLY_QUOTA_QP, 1);
}

static int qp_take_number(struct tally_ibdev *dev, struct tally_qp *qp)
{
	struct tally_ucontext *ctx = qp->db.ctx;
	u32 max = dev->tdev->caps.max_qp;
	int err;

	err = qp_charge(ctx, qp);
	if (err)
		return err;
	err = xa_alloc_cyclic(&dev->qps, &qp->ibqp.qp_num, qp,
			      XA_LIMIT(TALLY_IB_FIRST_QPN, max - 1), &dev->next_qpn, GFP_KERNEL);
	if (err >= 0)
		return 0;
	qp_uncharge(ctx, qp);
	if (err == -EBUSY)
		return tally_refuse(&dev->ibdev, -ENOSPC, "all %u QPs are in use",
				    max - TALLY_IB_FIRST_QPN);
	return err;
}

/* When this returns, no event refers to the queue pair any more. */
static void qp_drop_number(struct tally_ibdev *dev, struct tally_qp *qp)
{
	xa_erase(&dev->qps, qp->ibqp.qp_num);
	tally_events_flush(dev->tdev);
	qp_uncharge(qp->db.ctx, qp);
}

static void qp_take_request(struct tally_qp *qp, const struct ib_qp_init_attr *attr,
			    const struct tally_ureq_create_qp *req)
{
	mutex_init(&qp->modifying);
	qp->state = IB_QPS_RTS;
	qp->depth = req->sq_depth;
	qp->stride = req->sq_stride;
	qp->ranks = req->ranks;
	qp->port = req->port;
	qp->cap = attr->cap;
	qp->sig_type = attr->sq_sig_type;
}

/* Copies and checks the process's request. */
static int qp_get_request(struct tally_ibdev *dev, const struct ib_qp_init_attr *attr,
			  struct tally_ureq_create_qp *req, struct ib_udata *udata,
			  struct tally_uresp_why *why)
{
	int err;

	err = qp_check_attr(dev, attr);
	if (err)
		return err;
	err = qp_copy_request(dev, req, udata);
	if (err)
		return err;
	return qp_check_request(dev, attr, req, why);
}

static int qp_create(struct tally_qp *qp, struct ib_qp_init_attr *attr, struct ib_udata *udata,
		     struct tally_uresp_why *why)
{
	struct tally_ucontext *ctx =
		rdma_udata_to_drv_context(udata, struct tally_ucontext, ibucontext);
	struct tally_ibdev *dev = to_tdev(qp->ibqp.device);
	struct tally_uresp_create_qp resp = {};
	struct tally_ureq_create_qp req;
	struct tally_blame blame = {};
	int err;

	err = qp_get_request(dev, attr, &req, udata, why);
	if (err)
		return err;
	err = qp_take_handle(ctx, qp, &req, why);
	if (err)
		return err;
	qp_take_request(qp, attr, &req);
	err = tally_umem_get(dev, &qp->sq, req.sq_addr, (u64)req.sq_depth * req.sq_stride,
			     req.sq_stride, IB_ACCESS_LOCAL_WRITE);
	if (err) {
		tally_refuse(&dev->ibdev, err, "QP: cannot pin the send queue at %#llx",
			     req.sq_addr);
		blame_field(why, &req, sq_addr);
		goto err_handle;
	}
	err = qp_take_slot(ctx, qp, &req, &resp);
	if (err)
		goto err_umem;
	err = qp_take_number(dev, qp);
	if (err)
		goto err_db;
	err = qp_create_in_device(dev, qp, attr, &blame);
	tally_blame_to_user_qp(why, &blame, &req);
	if (err)
		goto err_number;
	resp.qpn = qp->ibqp.qp_num;
	resp.db_slot = qp->db.slot.slot;
	err = ib_copy_to_udata(udata, &resp, min(sizeof(resp), udata->outlen));
	if (err)
		goto err_destroy;
	return 0;

err_destroy:
	tally_destroy_qp(dev->tdev, qp->ibqp.qp_num);
err_number:
	qp_drop_number(dev, qp);
err_db:
	tally_doorbell_free(&qp->db);
err_umem:
	tally_umem_put(dev, &qp->sq);
err_handle:
	tally_group_handle_put(qp->handle);
	return err;
}

int tally_ib_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	struct tally_uresp_create_qp resp = {};
	int err;

	err = qp_create(to_tqp(ibqp), attr, udata, &resp.why);
	/* The core copies no response of a failed call, so the reason is copied here. */
	if (err && ib_copy_to_udata(udata, &resp, min(sizeof(resp), udata->outlen)))
		ibdev_dbg(ibqp->device, "QP: cannot copy the reason to the process\n");
	return err;
}

int tally_ib_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct tally_ibdev *dev = to_tdev(ibqp->device);
	struct tally_qp *qp = to_tqp(ibqp);

	tally_destroy_qp(dev->tdev, ibqp->qp_num);
	qp_drop_number(dev, qp);
	tally_doorbell_free(&qp->db);
	tally_umem_put(dev, &qp->sq);
	tally_group_handle_put(qp->handle);
	return 0;
}

/* Called in interrupts. The queue pair may have been destroyed meanwhile. */
void tally_ib_qp_fatal_event(void *ctx, u32 qpn)
{
	struct tally_ibdev *dev = ctx;
	struct tally_qp *qp = xa_load(&dev->qps, qpn);
	struct ib_event event = {
		.device = &dev->ibdev,
		.event = IB_EVENT_QP_FATAL,
	};

	if (!qp) {
		ibdev_dbg(&dev->ibdev, "error of QP %u, which does not exist\n", qpn);
		return;
	}
	WRITE_ONCE(qp->state, IB_QPS_ERR);
	event.element.qp = &qp->ibqp;
	qp->ibqp.event_handler(&event, qp->ibqp.qp_context);
}
