// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Collective queue pairs: creation, state, destruction. */
#include <stdlib.h>
#include <sys/mman.h>

#include "uverbs.h"
#include "why.h"

#define SUPPORTED_INIT_MASK (IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)

struct ibv_qp *tally_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	(void)attr;
	verbs_err(verbs_get_ctx(pd->context),
		  "only collective queue pairs are offered: tallydv_create_qp() makes them\n");
	errno = EOPNOTSUPP;
	return NULL;
}

struct ibv_qp *tally_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	(void)attr;
	verbs_err(verbs_get_ctx(context),
		  "only collective queue pairs are offered: tallydv_create_qp() makes them\n");
	errno = EOPNOTSUPP;
	return NULL;
}

/*
 * All objects of a queue pair must belong to one context. The kernel knows objects by handles,
 * which are numbers within a context, so a handle of another context would name an unrelated
 * object.
 */
static int check_objects(const struct tally_call *call, const struct ibv_qp_init_attr_ex *attr,
			 const struct tallydv_qp_init_attr *dv)
{
	const struct ibv_context *context = call->context;

	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD) || !attr->pd)
		return tally_refuse(call, EINVAL, "pd: is missing");
	if (attr->pd->context != context)
		return tally_refuse(call, EINVAL, "pd: is of another context");
	if (!attr->send_cq)
		return tally_refuse(call, EINVAL, "send_cq: is missing");
	if (attr->send_cq->context != context)
		return tally_refuse(call, EINVAL, "send_cq: is of another context");
	if (attr->recv_cq && attr->recv_cq->context != context)
		return tally_refuse(call, EINVAL, "recv_cq: is of another context");
	if (!dv->group || dv->group->context != context)
		return tally_refuse(call, EINVAL, "group: is missing or of another context");
	return 0;
}

static int check_kind(const struct tally_call *call, const struct ibv_qp_init_attr_ex *attr,
		      const struct tallydv_qp_init_attr *dv)
{
	if (attr->comp_mask & ~(uint32_t)SUPPORTED_INIT_MASK || dv->comp_mask)
		return tally_refuse(call, EOPNOTSUPP, "comp_mask: has bits that this library does not know");
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS && attr->send_ops_flags)
		return tally_refuse(call, EOPNOTSUPP, "send_ops_flags: is not 0; only the calls of tallydv.h are available");
	if (dv->flags & ~(uint32_t)TALLYDV_QP_SINGLE_THREADED)
		return tally_refuse(call, EOPNOTSUPP, "flags: %#x has unknown bits", dv->flags);
	if (dv->reserved)
		return tally_refuse(call, EINVAL, "reserved: is not 0");
	if (attr->qp_type != IBV_QPT_DRIVER)
		return tally_refuse(call, EOPNOTSUPP, "qp_type: is not IBV_QPT_DRIVER");
	if (attr->srq)
		return tally_refuse(call, EINVAL, "srq: is set, but nothing is received");
	if (attr->cap.max_recv_wr)
		return tally_refuse(call, EINVAL, "cap.max_recv_wr: is not 0, but nothing is received");
	return 0;
}

static uint64_t may_post(const struct tallydv_group *group)
{
	return group->flags & TALLY_GROUP_F_SHARED ? group->rank_mask : group->ranks;
}

static int check_attr(const struct tally_call *call, const struct ibv_qp_init_attr_ex *attr,
		      const struct tallydv_qp_init_attr *dv)
{
	int err = check_kind(call, attr, dv);

	if (!err)
		err = check_objects(call, attr, dv);
	if (err)
		return err;
	if (!dv->group->modes || dv->group->modes & ~TALLY_OPS_MODES)
		return tally_refuse(call, EINVAL, "group: has a mode that this library does not know");
	if (dv->ranks & ~may_post(dv->group))
		return tally_refuse(call, EINVAL, "ranks: is %#llx, and must be a subset of those the group handle may post for, %#llx",
			      (unsigned long long)dv->ranks,
			      (unsigned long long)may_post(dv->group));
	return 0;
}

static uint32_t wqe_size(const struct ibv_qp_cap *cap)
{
	uint32_t list = cap->max_send_sge * sizeof(struct tally_sge);
	uint32_t data = TALLY_ROUND_UP(cap->max_inline_data, sizeof(struct tally_sge));
	uint32_t size = sizeof(struct tally_wqe) + (data > list ? data : list) + list;

	return tally_round_up_pow2(size < TALLY_MIN_WQE_SIZE ? TALLY_MIN_WQE_SIZE : size);
}

/* A push of the last entry reads whole pieces, which may extend beyond the end of the entry. */
static size_t queue_size(const struct tally_qp *qp)
{
	return ((qp->tracker.mask + 1) << qp->stride_shift) + TALLY_PUSH_PIECE;
}

int tally_check_cap(const struct tally_call *call, const struct ibv_qp_cap *cap,
		    const struct tally_uresp_alloc_ucontext *limits)
{
	/* Depths are powers of two. One entry is reserved for ABORT. */
	uint32_t max_wr = tally_round_up_pow2(limits->max_sq_depth / 2 + 1) - 1;

	if (!cap->max_send_wr || cap->max_send_wr > max_wr)
		return tally_refuse(call, EINVAL, "cap.max_send_wr: is %u, and must be 1 to %u",
				    cap->max_send_wr, max_wr);
	if (cap->max_send_sge > limits->max_sge)
		return tally_refuse(call, EINVAL, "cap.max_send_sge: is %u, and must be at most %u",
				    cap->max_send_sge, limits->max_sge);
	if (cap->max_inline_data > limits->max_inline)
		return tally_refuse(call, EINVAL, "cap.max_inline_data: is %u, and must be at most %u",
				    cap->max_inline_data, limits->max_inline);
	if (wqe_size(cap) > TALLY_MAX_WQE_SIZE)
		return tally_refuse(call, EINVAL, "cap: %u of max_send_sge and %u of max_inline_data do not fit into a request of %u bytes",
				    cap->max_send_sge, cap->max_inline_data, TALLY_MAX_WQE_SIZE);
	return 0;
}

int tally_qp_alloc_queue(struct tally_qp *qp, struct ibv_qp_cap *cap,
			 const struct tally_uresp_alloc_ucontext *limits)
{
	uint32_t depth, stride, room;

	if (!cap->max_send_sge)
		cap->max_send_sge = 1;
	depth = tally_round_up_pow2(cap->max_send_wr + 1);
	stride = wqe_size(cap);
	room = stride - sizeof(struct tally_wqe) - cap->max_send_sge * sizeof(struct tally_sge);
	cap->max_send_wr = depth - 1;
	cap->max_inline_data = room < limits->max_inline ? room : limits->max_inline;
	cap->max_recv_sge = 0;
	qp->stride_shift = __builtin_ctz(stride);
	qp->max_sge = cap->max_send_sge;
	qp->max_inline = cap->max_inline_data;
	if (tally_wr_tracker_init(&qp->tracker, depth))
		return ENOMEM;
	qp->sq = tally_alloc_ring(queue_size(qp));
	if (qp->sq)
		return 0;
	tally_wr_tracker_free(&qp->tracker);
	return ENOMEM;
}

void tally_qp_free_queue(struct tally_qp *qp)
{
	tally_free_ring(qp->sq, queue_size(qp));
	tally_wr_tracker_free(&qp->tracker);
}

static int map_bell(struct tally_context *ctx, struct tally_qp *qp,
		    const struct tally_uresp_create_qp *resp)
{
	int err;

	if (qp->vqp.qp.qp_num >= TALLY_MAX_QP)
		return EPROTO;
	qp->uar = tally_get_uar(ctx, resp->db_mmap_offset);
	if (!qp->uar)
		return errno;
	err = tally_set_doorbell(&qp->doorbell, ctx, qp->uar, resp->db_slot);
	if (err)
		tally_put_uar(ctx, qp->uar);
	return err;
}

/* Maps the push buffer that the kernel gave the queue pair, if any. */
static int map_push(struct tally_context *ctx, struct tally_qp *qp,
		    const struct tally_uresp_create_qp *resp)
{
	void *push;

	if (!resp->push_size)
		return 0;
	if (resp->push_size != sizeof(*qp->push))
		return EPROTO;
	push = mmap(NULL, sizeof(*qp->push), PROT_READ | PROT_WRITE, MAP_SHARED,
		    ctx->vctx.context.cmd_fd, resp->push_mmap_offset);
	if (push == MAP_FAILED)
		return errno;
	qp->push = push;
	return 0;
}

static void unmap_push(struct tally_qp *qp)
{
	if (qp->push)
		munmap(qp->push, sizeof(*qp->push));
}

/*
 * The objects that a queue pair was created with must outlive it, even after the kernel has lost
 * the device.
 */
static void use_objects(struct tally_qp *qp)
{
	tally_ref(&to_tcq(qp->vqp.qp.send_cq)->users);
	tally_ref(&to_tcq(qp->vqp.qp.recv_cq)->users);
	tally_ref(&to_tpd(qp->vqp.qp.pd)->users);
}

static void unuse_objects(struct tally_qp *qp)
{
	tally_unref(&to_tcq(qp->vqp.qp.send_cq)->users);
	tally_unref(&to_tcq(qp->vqp.qp.recv_cq)->users);
	tally_unref(&to_tpd(qp->vqp.qp.pd)->users);
}

/*
 * Called with ctx->qp_lock held, so that the number is not reused before its old owner is
 * forgotten.
 */
static int create_in_kernel(const struct tally_call *call, struct tally_qp *qp,
			    struct ibv_qp_init_attr_ex *attr, struct tally_group *group,
			    uint16_t port)
{
	struct tally_context *ctx = to_tctx(call->context);
	struct tally_create_qp req = {
		.drv_payload = {
			.sq_addr = (uintptr_t)qp->sq,
			.ranks = qp->ranks,
			.group_handle = group->group_handle,
			.sq_depth = qp->tracker.mask + 1,
			.sq_stride = 1U << qp->stride_shift,
			.port = port,
			.flags = ctx->info.caps & TALLY_CAP_PUSH ? TALLY_QP_F_PUSH : 0,
		},
	};
	struct tally_create_qp_resp resp = {};
	int err;

	err = ibv_cmd_create_qp_ex(&ctx->vctx.context, &qp->vqp, attr, &req.ibv_cmd, sizeof(req),
				   &resp.ibv_resp, sizeof(resp));
	if (err)
		return tally_refuse_qp(call, err, &resp.drv_payload.why, &req.drv_payload,
				       &group->dv);
	err = map_push(ctx, qp, &resp.drv_payload);
	if (!err)
		err = map_bell(ctx, qp, &resp.drv_payload);
	if (err) {
		unmap_push(qp);
		ibv_cmd_destroy_qp(&qp->vqp.qp);
		return tally_refuse(call, err, "the doorbell cannot be mapped: %s", strerror(err));
	}
	/* The device creates a queue pair in a state that is ready to send. */
	qp->vqp.qp.state = IBV_QPS_RTS;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
		qp->vqp.comp_mask |= VERBS_QP_EX;
	tally_cq_attach(to_tcq(attr->send_cq), qp);
	use_objects(qp);
	return 0;
}

static int alloc_queue(const struct tally_call *call, struct tally_qp *qp, struct ibv_qp_cap *cap)
{
	const struct tally_uresp_alloc_ucontext *limits = &to_tctx(call->context)->info;
	int err = tally_check_cap(call, cap, limits);

	if (!err && tally_qp_alloc_queue(qp, cap, limits))
		err = tally_refuse(call, ENOMEM, "out of memory");
	return err;
}

/* Copies what a queue pair needs of its group. */
static void join_group(struct tally_context *ctx, struct tally_qp *qp,
		       const struct tallydv_group *group, uint64_t ranks)
{
	qp->jid = group->jid;
	qp->node = group->node;
	qp->ranks = ranks ? ranks : group->ranks;
	qp->modes = group->modes;
	qp->group_ops = &ctx->group_ops[group->modes - 1]
				       [!!(group->flags & TALLY_GROUP_F_SPARSE)];
	qp->ops = qp->group_ops;
}

/* Creates a queue pair. `qp` is zero on entry. */
static int create_qp(const struct tally_call *call, struct tally_qp *qp,
		     struct ibv_qp_init_attr_ex *attr, const struct tallydv_qp_init_attr *dv)
{
	struct tally_group *group = container_of(dv->group, struct tally_group, dv);
	struct ibv_qp_init_attr_ex local = *attr;
	struct tally_context *ctx = to_tctx(call->context);
	int err;

	join_group(ctx, qp, dv->group, dv->ranks);
	qp->flags = attr->sq_sig_all ? TALLY_WQE_F_SIGNALED : 0;
	if (!local.recv_cq)
		local.recv_cq = local.send_cq;
	err = tally_lock_init(&qp->lock, dv->flags & TALLYDV_QP_SINGLE_THREADED ||
					 tally_has_one_thread(attr->pd));
	if (err)
		return tally_refuse(call, err, "cannot create a lock: %s", strerror(err));
	err = alloc_queue(call, qp, &local.cap);
	if (err)
		return err;
	attr->cap = local.cap;
	tally_set_post_ops(qp);
	pthread_mutex_lock(&ctx->qp_lock);
	err = create_in_kernel(call, qp, &local, group, dv->port);
	pthread_mutex_unlock(&ctx->qp_lock);
	if (err)
		tally_qp_free_queue(qp);
	return err;
}

struct ibv_qp *tallydv_create_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
				 const struct tallydv_qp_init_attr *dv, char *why, size_t size)
{
	const struct tally_call call = { "tallydv_create_qp", context, why, size };
	struct tally_qp *qp = NULL;
	int err;

	if (!tallydv_is_supported(context->device)) {
		errno = tally_refuse_context(&call);
		return NULL;
	}
	if (!attr || !dv)
		err = tally_refuse(&call, EINVAL, "%s: is NULL", attr ? "dv_attr" : "attr");
	else
		err = check_attr(&call, attr, dv);
	if (!err) {
		qp = calloc(1, sizeof(*qp));
		err = qp ? create_qp(&call, qp, attr, dv) :
			   tally_refuse(&call, ENOMEM, "out of memory");
	}
	if (!err)
		return &qp->vqp.qp;
	free(qp);
	errno = err;
	return NULL;
}

struct tallydv_qp *tallydv_qp_from_ibv_qp_ex(struct ibv_qp_ex *qp)
{
	return &to_tqp_ex(qp)->dv;
}

/* Resets the place in the queue, as the device does. Called with the lock held. */
static void reset_queue(struct tally_qp *qp)
{
	struct tally_cq *cq = to_tcq(qp->vqp.qp.send_cq);

	tally_cq_detach(cq, qp);
	tally_wr_tracker_reset(&qp->tracker);
	mmio_write64_le(qp->doorbell.counter, 0);
	tally_cq_attach(cq, qp);
}

/*
 * The device reads the queue only in RTS and ERR. A request that is posted in another state would
 * never complete.
 */
static void enter_state(struct tally_qp *qp, enum ibv_qp_state state)
{
	bool looks = state == IBV_QPS_RTS || state == IBV_QPS_ERR;

	tally_lock(&qp->lock);
	if (state == IBV_QPS_RESET)
		reset_queue(qp);
	qp->ops = looks ? qp->group_ops : &tally_no_ops;
	tally_unlock(&qp->lock);
}

int tally_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int attr_mask)
{
	struct ibv_modify_qp cmd = {};
	int err = ibv_cmd_modify_qp(ibqp, attr, attr_mask, &cmd, sizeof(cmd));

	if (!err && attr_mask & IBV_QP_STATE)
		enter_state(to_tqp(ibqp), attr->qp_state);
	return err;
}

int tally_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int attr_mask,
		   struct ibv_qp_init_attr *init_attr)
{
	struct ibv_query_qp cmd = {};

	return ibv_cmd_query_qp(ibqp, attr, attr_mask, init_attr, &cmd, sizeof(cmd));
}

int tally_destroy_qp(struct ibv_qp *ibqp)
{
	struct tally_context *ctx = to_tctx(ibqp->context);
	struct tally_qp *qp = to_tqp(ibqp);
	int err;

	pthread_mutex_lock(&ctx->qp_lock);
	err = tally_destroy_errno(ctx, ibv_cmd_destroy_qp(ibqp));
	if (!err)
		tally_cq_detach(to_tcq(ibqp->send_cq), qp);
	pthread_mutex_unlock(&ctx->qp_lock);
	if (err)
		return err;
	unuse_objects(qp);
	unmap_push(qp);
	tally_put_uar(ctx, qp->uar);
	tally_qp_free_queue(qp);
	free(qp);
	return 0;
}
