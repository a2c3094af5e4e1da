// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What `rdma resource` shows of an object beyond what every device has. */
#include <net/netlink.h>
#include <rdma/restrack.h>
#include <uapi/rdma/rdma_netlink.h>

#include "ib.h"

static int fill_mem(struct sk_buff *msg, const struct tally_mem *mem)
{
	return rdma_nl_put_driver_u32(msg, "page_list_levels", mem->levels) ?:
	       rdma_nl_put_driver_u32(msg, "page_shift", mem->page_shift);
}

static int fill_db(struct sk_buff *msg, const struct tally_db *db)
{
	return rdma_nl_put_driver_u32(msg, "uar", db->slot.uar) ?:
	       rdma_nl_put_driver_u32(msg, "slot", db->slot.slot);
}

/* Ends the table of driver data, or takes it back if it did not fit. */
static int finish(struct sk_buff *msg, struct nlattr *table, int err)
{
	if (err)
		nla_nest_cancel(msg, table);
	else
		nla_nest_end(msg, table);
	return err;
}

int tally_ib_fill_mr(struct sk_buff *msg, struct ib_mr *ibmr)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);

	if (!table)
		return -EMSGSIZE;
	return finish(msg, table, fill_mem(msg, &to_tmr(ibmr)->buf.mem));
}

int tally_ib_fill_cq(struct sk_buff *msg, struct ib_cq *ibcq)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	struct tally_cq *cq = to_tcq(ibcq);
	int err;

	if (!table)
		return -EMSGSIZE;
	err = rdma_nl_put_driver_u32(msg, "cqn", cq->cqn) ?:
	      rdma_nl_put_driver_u32(msg, "comp_vector", cq->comp_vector) ?:
	      fill_db(msg, &cq->db) ?: fill_mem(msg, &cq->ring.mem);
	return finish(msg, table, err);
}

int tally_ib_fill_qp(struct sk_buff *msg, struct ib_qp *ibqp)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	struct tally_qp *qp = to_tqp(ibqp);
	int err;

	if (!table)
		return -EMSGSIZE;
	err = rdma_nl_put_driver_u32(msg, "group", tally_group_handle_num(qp->handle)) ?:
	      rdma_nl_put_driver_u64_hex(msg, "ranks", qp->ranks) ?:
	      rdma_nl_put_driver_u32(msg, "port", qp->port) ?:
	      rdma_nl_put_driver_u32(msg, "depth", qp->depth) ?:
	      rdma_nl_put_driver_u32(msg, "stride", qp->stride) ?:
	      rdma_nl_put_driver_u32(msg, "push", qp->db.push) ?:
	      fill_db(msg, &qp->db) ?: fill_mem(msg, &qp->sq.mem);
	return finish(msg, table, err);
}
