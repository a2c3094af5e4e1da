// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Driver-specific attributes of objects for `rdma resource`. */
#include <net/netlink.h>
#include <rdma/restrack.h>
#include <uapi/rdma/rdma_netlink.h>

#include "ib.h"

/**
 * struct res_attr - An attribute of an object.
 * @name: name of the attribute
 * @value: its value
 * @is_mask: the value has 64 bits and is shown in hexadecimal; otherwise it has 32 bits
 */
struct res_attr {
	const char *name;
	u64 value;
	bool is_mask;
};

static int res_put(struct sk_buff *msg, const struct res_attr *attr)
{
	if (attr->is_mask)
		return rdma_nl_put_driver_u64_hex(msg, attr->name, attr->value);
	return rdma_nl_put_driver_u32(msg, attr->name, attr->value);
}

/* Adds a table of driver data with these attributes, or nothing of it if it does not fit. */
static int res_fill(struct sk_buff *msg, const struct res_attr *attrs, size_t count)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	size_t i;
	int err;

	if (!table)
		return -EMSGSIZE;
	for (i = 0; i < count; i++) {
		err = res_put(msg, &attrs[i]);
		if (err) {
			nla_nest_cancel(msg, table);
			return err;
		}
	}
	nla_nest_end(msg, table);
	return 0;
}

int tally_ib_fill_mr(struct sk_buff *msg, struct ib_mr *ibmr)
{
	const struct tally_mem *mem = &to_tmr(ibmr)->buf.mem;
	const struct res_attr attrs[] = {
		{ "page_list_levels", mem->levels },
		{ "page_shift", mem->page_shift },
	};

	return res_fill(msg, attrs, ARRAY_SIZE(attrs));
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

	return res_fill(msg, attrs, ARRAY_SIZE(attrs));
}

int tally_ib_fill_qp(struct sk_buff *msg, struct ib_qp *ibqp)
{
	const struct tally_qp *qp = to_tqp(ibqp);
	const struct res_attr attrs[] = {
		{ "group", tally_group_handle_num(qp->handle) },
		{ "ranks", qp->ranks, true },
		{ "port", qp->port },
		{ "depth", qp->depth },
		{ "stride", qp->stride },
		{ "push", qp->db.push },
		{ "uar", qp->db.slot.uar },
		{ "slot", qp->db.slot.slot },
		{ "page_list_levels", qp->sq.mem.levels },
		{ "page_shift", qp->sq.mem.page_shift },
	};

	return res_fill(msg, attrs, ARRAY_SIZE(attrs));
}
