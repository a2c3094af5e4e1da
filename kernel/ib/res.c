// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What `rdma resource` shows of an object beyond what every device has. */
#include <net/netlink.h>
#include <rdma/restrack.h>
#include <uapi/rdma/rdma_netlink.h>

#include "ib.h"

/**
 * struct res_attr - A number of an object.
 * @name: its name
 * @value: the number
 */
struct res_attr {
	const char *name;
	u32 value;
};

static int res_put_all(struct sk_buff *msg, const struct res_attr *attrs, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (rdma_nl_put_driver_u32(msg, attrs[i].name, attrs[i].value))
			return -EMSGSIZE;
	return 0;
}

/* The table of driver data with these numbers; no part of it if it does not fit. */
static int res_fill(struct sk_buff *msg, const struct res_attr *attrs, size_t count,
		    const u64 *ranks)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);

	if (!table)
		return -EMSGSIZE;
	if (res_put_all(msg, attrs, count))
		goto err_cancel;
	if (ranks && rdma_nl_put_driver_u64_hex(msg, "ranks", *ranks))
		goto err_cancel;
	nla_nest_end(msg, table);
	return 0;

err_cancel:
	nla_nest_cancel(msg, table);
	return -EMSGSIZE;
}

int tally_ib_fill_mr(struct sk_buff *msg, struct ib_mr *ibmr)
{
	const struct tally_mem *mem = &to_tmr(ibmr)->buf.mem;
	const struct res_attr attrs[] = {
		{ "page_list_levels", mem->levels },
		{ "page_shift", mem->page_shift },
	};

	return res_fill(msg, attrs, ARRAY_SIZE(attrs), NULL);
}

int tally_ib_fill_cq(struct sk_buff *msg, struct ib_cq *ibcq)
{
	const struct tally_cq *cq = to_tcq(ibcq);
	const struct res_attr attrs[] = {
		{ "cqn", cq->cqn },
		{ "comp_vector", cq->comp_vector },
		{ "uar", cq->db.slot.uar },
		{ "slot", cq->db.slot.slot },
		{ "page_list_levels", cq->ring.mem.levels },
		{ "page_shift", cq->ring.mem.page_shift },
	};

	return res_fill(msg, attrs, ARRAY_SIZE(attrs), NULL);
}

int tally_ib_fill_qp(struct sk_buff *msg, struct ib_qp *ibqp)
{
	const struct tally_qp *qp = to_tqp(ibqp);
	const struct res_attr attrs[] = {
		{ "group", tally_group_handle_num(qp->handle) },
		{ "port", qp->port },
		{ "depth", qp->depth },
		{ "stride", qp->stride },
		{ "push", qp->db.push },
		{ "uar", qp->db.slot.uar },
		{ "slot", qp->db.slot.slot },
		{ "page_list_levels", qp->sq.mem.levels },
		{ "page_shift", qp->sq.mem.page_shift },
	};

	return res_fill(msg, attrs, ARRAY_SIZE(attrs), &qp->ranks);
}
