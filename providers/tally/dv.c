// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queries of the device's abilities, and texts for its codes. */
#include "tally.h"
#include "versions.h"

int _tallydv_query_device(struct ibv_context *context, struct tallydv_device_attr *attr,
			  size_t size)
{
	const struct tally_uresp_alloc_ucontext *info;
	struct tallydv_device_attr own;

	if (!tallydv_is_supported(context->device))
		return EOPNOTSUPP;
	info = &to_tctx(context)->info;
	own = (struct tallydv_device_attr){
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
		.opcodes = info->opcodes,
	};
	return tally_copy_out(attr, size, &own, sizeof(own), sizeof(own));
}

int _tallydv_query_type(struct ibv_context *context, uint32_t dtype,
			struct tallydv_type_attr *attr, size_t size)
{
	struct tallydv_type_attr own;
	int err;

	if (!tallydv_is_supported(context->device))
		return EOPNOTSUPP;
	err = tally_ops_query_type(&to_tctx(context)->ops, dtype, &own);
	return err ? err : tally_copy_out(attr, size, &own, sizeof(own), sizeof(own));
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
