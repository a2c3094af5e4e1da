// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queries of the device and its port. */
#include <net/addrconf.h>

#include "ib.h"

#define DEFAULT_PKEY 0xffff

int tally_ib_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			  struct ib_udata *udata)
{
	struct tally_dev *tdev = to_tdev(ibdev)->tdev;
	const struct tally_caps *caps = &tdev->caps;

	if (udata->inlen && !ib_is_udata_cleared(udata, 0, udata->inlen))
		return tally_refuse(ibdev, -EINVAL, "query device: request with unknown data");
	memset(attr, 0, sizeof(*attr));
	attr->fw_ver = (u64)caps->abi_version << 32 | caps->engine_version << 16 |
		       caps->wire_version;
	attr->sys_image_guid = ibdev->node_guid;
	attr->max_mr_size = tally_umem_max();
	attr->page_size_cap = GENMASK(TALLY_MAX_PAGE_SHIFT, TALLY_MIN_PAGE_SHIFT);
	attr->vendor_id = tdev->pdev->vendor;
	attr->vendor_part_id = tdev->pdev->device;
	attr->hw_ver = caps->engine_kind;
	attr->max_qp = caps->max_qp - TALLY_IB_FIRST_QPN;
	/* One entry is kept for ABORT. */
	attr->max_qp_wr = caps->max_sq_depth - 1;
	attr->max_send_sge = caps->max_sge;
	/*
	 * The device does not receive, but the core reports the lesser of the two values to
	 * processes.
	 */
	attr->max_recv_sge = caps->max_sge;
	attr->max_cq = caps->max_cq;
	attr->max_cqe = caps->max_cq_depth;
	attr->max_mr = caps->max_mr;
	attr->max_pd = caps->max_pd;
	attr->max_pkeys = 1;
	attr->timestamp_mask = U64_MAX;
	attr->hca_core_clock = caps->clock_khz;
	return 0;
}

/* Sets the width and speed whose product is the lowest one that is not below the link rate. */
static void port_set_rate(struct ib_port_attr *attr, u32 mbps)
{
	static const struct {
		u32 mbps;
		u8 width;
		u8 speed;
	} rates[] = {
		{ 10000, IB_WIDTH_1X, IB_SPEED_FDR10 },
		{ 25000, IB_WIDTH_1X, IB_SPEED_EDR },
		{ 40000, IB_WIDTH_4X, IB_SPEED_FDR10 },
		{ 50000, IB_WIDTH_1X, IB_SPEED_HDR },
		{ 100000, IB_WIDTH_4X, IB_SPEED_EDR },
		{ 200000, IB_WIDTH_4X, IB_SPEED_HDR },
		{ 400000, IB_WIDTH_4X, IB_SPEED_NDR },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rates) - 1 && rates[i].mbps < mbps; i++)
		;
	attr->active_width = rates[i].width;
	attr->active_speed = rates[i].speed;
}

int tally_ib_query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr)
{
	struct tally_dev *tdev = to_tdev(ibdev)->tdev;
	bool up = READ_ONCE(tdev->link_up) && !tally_is_dead(tdev);

	attr->state = up ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	attr->phys_state = up ? IB_PORT_PHYS_STATE_LINK_UP : IB_PORT_PHYS_STATE_DISABLED;
	attr->max_mtu = ib_mtu_int_to_enum(tdev->caps.mtu);
	attr->active_mtu = attr->max_mtu;
	attr->max_msg_sz = tdev->caps.max_message ?: U32_MAX;
	attr->gid_tbl_len = 1;
	attr->pkey_tbl_len = 1;
	attr->max_vl_num = 1;
	port_set_rate(attr, tdev->caps.link_mbps);
	return 0;
}

/* Returns the link-local address that IPv6 derives from the MAC address. */
int tally_ib_query_gid(struct ib_device *ibdev, u32 port, int index, union ib_gid *gid)
{
	if (index)
		return -EINVAL;
	memset(gid, 0, sizeof(*gid));
	gid->raw[0] = 0xfe;
	gid->raw[1] = 0x80;
	addrconf_addr_eui48(&gid->raw[8], to_tdev(ibdev)->tdev->caps.mac);
	return 0;
}

int tally_ib_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = DEFAULT_PKEY;
	return 0;
}

int tally_ib_port_immutable(struct ib_device *ibdev, u32 port, struct ib_port_immutable *imm)
{
	/*
	 * RoCE's core_cap_flags are not set, because they would leave the GID table to a network
	 * interface.
	 */
	imm->gid_tbl_len = 1;
	imm->pkey_tbl_len = 1;
	return 0;
}

enum rdma_link_layer tally_ib_link_layer(struct ib_device *ibdev, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

void tally_ib_fw_str(struct ib_device *ibdev, char *str)
{
	const struct tally_caps *caps = &to_tdev(ibdev)->tdev->caps;

	snprintf(str, IB_FW_VERSION_NAME_MAX, "%u.%u.%u", caps->abi_version, caps->engine_version,
		 caps->wire_version);
}
