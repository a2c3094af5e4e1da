// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * States of a collective queue pair. The device knows RESET, RTS and ERROR; a new queue pair is in
 * RTS. INIT and RTR exist in this driver only, for programs that step through them: the device
 * stays in RESET. A reset restarts the count of posted work requests, including the count in the
 * doorbell slot. When the epoch of its group ends, a queue pair enters ERROR. Once the group has
 * been reset, the owner moves the queue pair to RESET and RTS.
 */
#include "ib.h"

#define MODIFY_MASK (IB_QP_STATE | IB_QP_CUR_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | \
		     IB_QP_ACCESS_FLAGS | IB_QP_QKEY | IB_QP_SQ_PSN)

/* States that can be reached from each state; ib_modify_qp_is_ok() has no table for driver QPs. */
static const u8 next_states[IB_QPS_ERR + 1] = {
	[IB_QPS_RESET] = BIT(IB_QPS_RESET) | BIT(IB_QPS_INIT) | BIT(IB_QPS_RTS) | BIT(IB_QPS_ERR),
	[IB_QPS_INIT] = BIT(IB_QPS_RESET) | BIT(IB_QPS_INIT) | BIT(IB_QPS_RTR) | BIT(IB_QPS_ERR),
	[IB_QPS_RTR] = BIT(IB_QPS_RESET) | BIT(IB_QPS_RTS) | BIT(IB_QPS_ERR),
	[IB_QPS_RTS] = BIT(IB_QPS_RESET) | BIT(IB_QPS_RTS) | BIT(IB_QPS_ERR),
	[IB_QPS_ERR] = BIT(IB_QPS_RESET) | BIT(IB_QPS_ERR),
};

static enum tally_qp_state qp_device_state(enum ib_qp_state state)
{
	switch (state) {
	case IB_QPS_RTS:
		return TALLY_QPS_RTS;
	case IB_QPS_ERR:
		return TALLY_QPS_ERROR;
	default:
		return TALLY_QPS_RESET;
	}
}

static int qp_check_modify(struct tally_qp *qp, const struct ib_qp_attr *attr, int mask,
			   struct ib_udata *udata)
{
	struct ib_device *ibdev = qp->ibqp.device;
	u32 qpn = qp->ibqp.qp_num;

	if (udata->inlen && !ib_is_udata_cleared(udata, 0, udata->inlen))
		return tally_refuse(ibdev, -EINVAL, "QP %u: request with unknown data", qpn);
	if (mask & ~MODIFY_MASK)
		return tally_refuse(ibdev, -EOPNOTSUPP,
				    "QP %u: attributes %#x, only %#x can be set", qpn, mask,
				    MODIFY_MASK);
	if ((mask & IB_QP_PORT && attr->port_num != 1) ||
	    (mask & IB_QP_PKEY_INDEX && attr->pkey_index))
		return tally_refuse(ibdev, -EINVAL, "QP %u: there is only port 1 and P_Key index 0",
				    qpn);
	return 0;
}

static int qp_check_step(struct tally_qp *qp, const struct ib_qp_attr *attr, int mask,
			 enum ib_qp_state now)
{
	struct ib_device *ibdev = qp->ibqp.device;
	u32 qpn = qp->ibqp.qp_num;

	if (mask & IB_QP_CUR_STATE && attr->cur_qp_state != now)
		return tally_refuse(ibdev, -EINVAL, "QP %u: is in state %d, not in %d", qpn, now,
				    attr->cur_qp_state);
	if (attr->qp_state > IB_QPS_ERR || !(next_states[now] & BIT(attr->qp_state)))
		return tally_refuse(ibdev, -EINVAL, "QP %u: cannot go from state %d to %d", qpn, now,
				    attr->qp_state);
	return 0;
}

/* In a group whose epoch has ended, a queue pair cannot be used until the group is reset. */
static int qp_check_group(struct tally_qp *qp)
{
	struct tally_group_info info;
	int err;

	err = tally_group_query(qp->handle, &info);
	if (err)
		return err;
	if (info.state == TALLY_GROUP_COLLECT || info.state == TALLY_GROUP_DEAD)
		return tally_refuse(qp->ibqp.device, -EBUSY,
				    "QP %u: the epoch of its group %#x has ended, reset the group first",
				    qp->ibqp.qp_num, le32_to_cpu(info.jid));
	return 0;
}

/*
 * Finishes a reset of the queue pair. The event of an earlier error may still be pending, and must
 * not be taken for an error after the reset.
 */
static void qp_finish_reset(struct tally_qp *qp, enum ib_qp_state next)
{
	struct tally_dev *tdev = to_tdev(qp->ibqp.device)->tdev;

	tally_events_flush(tdev);
	WRITE_ONCE(qp->state, next);
	tally_doorbell_clear(tdev, qp->db.slot);
}

/* Moves the queue pair to state @next. Called with modifying held. */
static int qp_change_state(struct tally_qp *qp, enum ib_qp_state now, enum ib_qp_state next)
{
	struct tally_dev *tdev = to_tdev(qp->ibqp.device)->tdev;
	enum tally_qp_state to = qp_device_state(next);
	int err = 0;

	if (to == TALLY_QPS_RTS && qp_device_state(now) != TALLY_QPS_RTS)
		err = qp_check_group(qp);
	if (err)
		return err;
	/*
	 * This precedes the command, so that it does not overwrite an error that follows the
	 * command.
	 */
	WRITE_ONCE(qp->state, next);
	if (to != qp_device_state(now))
		err = tally_modify_qp(tdev, qp->ibqp.qp_num, to);
	if (err)
		cmpxchg(&qp->state, next, now);
	else if (to == TALLY_QPS_RESET && qp_device_state(now) != TALLY_QPS_RESET)
		qp_finish_reset(qp, next);
	return err;
}

/*
 * Asks the device for the state, because a failed request puts the queue pair into error without an
 * event.
 */
static int qp_refresh_state(struct tally_qp *qp)
{
	enum tally_qp_state state;
	int err;

	if (READ_ONCE(qp->state) != IB_QPS_RTS)
		return 0;
	err = tally_query_qp(to_tdev(qp->ibqp.device)->tdev, qp->ibqp.qp_num, &state);
	if (!err && state == TALLY_QPS_ERROR)
		cmpxchg(&qp->state, IB_QPS_RTS, IB_QPS_ERR);
	return err;
}

int tally_ib_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		       struct ib_udata *udata)
{
	struct tally_qp *qp = to_tqp(ibqp);
	enum ib_qp_state now;
	int err;

	err = qp_check_modify(qp, attr, mask, udata);
	if (err || !(mask & IB_QP_STATE))
		return err;
	mutex_lock(&qp->modifying);
	err = qp_refresh_state(qp);
	if (err)
		goto out;
	now = READ_ONCE(qp->state);
	err = qp_check_step(qp, attr, mask, now);
	if (!err)
		err = qp_change_state(qp, now, attr->qp_state);
out:
	mutex_unlock(&qp->modifying);
	return err;
}

int tally_ib_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		      struct ib_qp_init_attr *init_attr)
{
	struct tally_qp *qp = to_tqp(ibqp);
	int err;

	mutex_lock(&qp->modifying);
	err = qp_refresh_state(qp);
	mutex_unlock(&qp->modifying);
	if (err)
		return err;
	memset(attr, 0, sizeof(*attr));
	memset(init_attr, 0, sizeof(*init_attr));
	attr->qp_state = READ_ONCE(qp->state);
	attr->cur_qp_state = attr->qp_state;
	attr->path_mtu = ib_mtu_int_to_enum(to_tdev(ibqp->device)->tdev->caps.mtu);
	attr->port_num = 1;
	attr->cap = qp->cap;
	init_attr->qp_type = ibqp->qp_type;
	init_attr->qp_context = ibqp->qp_context;
	init_attr->send_cq = ibqp->send_cq;
	init_attr->recv_cq = ibqp->recv_cq;
	init_attr->cap = qp->cap;
	init_attr->sq_sig_type = qp->sig_type;
	init_attr->port_num = 1;
	return 0;
}
