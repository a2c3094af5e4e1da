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
		.max_cells = info->max_cells,
	};
	return 0;
}

int tallydv_query_type(struct ibv_context *context, uint32_t dtype, struct tallydv_type_attr *attr)
{
	if (!tallydv_is_supported(context->device))
		return EOPNOTSUPP;
	if (attr->comp_mask)
		return EINVAL;
	return tally_ops_query_type(&to_tctx(context)->ops, dtype, attr);
}

enum tally_coll_status tallydv_query_op(struct ibv_context *context, uint32_t opcode, uint32_t op,
					uint32_t dtype)
{
	if (!tallydv_is_supported(context->device))
		return TALLY_COLL_NO_GROUP;
	return tally_ops_check(&to_tctx(context)->ops, opcode, op, dtype);
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
