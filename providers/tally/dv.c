// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What the device can do, and texts for its codes. */
#include "tally.h"

int tallydv_query_device(struct ibv_context *context, struct tallydv_device_attr *attr)
{
	const struct tally_uresp_alloc_ucontext *info;

	if (!tallydv_is_supported(context->device))
		return EOPNOTSUPP;
	if (attr->comp_mask)
		return EINVAL;
	info = &to_tctx(context)->info;
	*attr = (struct tallydv_device_attr){
		.caps = info->caps,
		.mtu = info->mtu,
		.max_message = info->max_message,
		.max_inline = info->max_inline,
		.max_sge = info->max_sge,
		.max_sq_depth = info->max_sq_depth,
		.max_cq_depth = info->max_cq_depth,
		.max_segs = info->max_segs,
		.max_groups = info->max_groups,
		.clock_khz = info->clock_khz,
	};
	return 0;
}

#define DOC_CASE(name, value, doc) case value: return doc;
#define NAME_CASE(name, value, doc) case value: return #name;

const char *tallydv_coll_status_str(uint32_t status)
{
	switch (status) {
	TALLY_COLL_LIST(DOC_CASE)
	default:
		return "The status is unknown to this library.";
	}
}

const char *tallydv_coll_status_name(uint32_t status)
{
	switch (status) {
	TALLY_COLL_LIST(NAME_CASE)
	default:
		return "?";
	}
}

const char *tallydv_opcode_str(uint32_t opcode)
{
	switch (opcode) {
	TALLY_OPCODE_LIST(NAME_CASE)
	default:
		return "?";
	}
}

const char *tallydv_op_str(uint32_t op)
{
	switch (op) {
	TALLY_OP_LIST(NAME_CASE)
	default:
		return "?";
	}
}

const char *tallydv_type_str(uint32_t type)
{
	switch (type) {
	TALLY_TYPE_LIST(NAME_CASE)
	default:
		return "?";
	}
}

const char *tallydv_group_state_str(uint32_t state)
{
	switch (state) {
	TALLY_GROUP_LIST(NAME_CASE)
	default:
		return "?";
	}
}
