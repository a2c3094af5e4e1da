/* SPDX-License-Identifier: BSD-2-Clause */
/* Admin commands: definitions that the queue (admin.c) and the handlers (admin_*.c) share. */
#ifndef TALLY_SIM_NIC_ADMIN_H
#define TALLY_SIM_NIC_ADMIN_H

#include "nic/priv.h"

#define ADMIN_NO_OFFSET	0xffff

/* Body of a command, copied out of host memory once. */
union admin_body {
	struct tally_cmd_create_eq create_eq;
	struct tally_cmd_create_cq create_cq;
	struct tally_cmd_reg_mr reg_mr;
	struct tally_cmd_create_qp create_qp;
	struct tally_cmd_modify_qp modify_qp;
	struct tally_cmd_object object;
	struct tally_cmd_group group;
	struct tally_cmd_group_ranks group_ranks;
	struct tally_cmd_reset_group reset_group;
	struct tally_cmd_query query;
	struct tally_cmd_inject inject;
	uint8_t raw[sizeof(((struct tally_admin_cmd *)NULL)->body)];
};

struct admin_reply {
	enum tally_admin_status status;
	uint16_t bad_offset;	/* in struct tally_admin_cmd, unless the handler says otherwise */
	uint64_t value[2];
};

typedef struct admin_reply admin_handler(struct nic *nic, const union admin_body *body);

admin_handler admin_create_eq, admin_destroy_eq;
admin_handler admin_create_cq, admin_destroy_cq;
admin_handler admin_reg_mr, admin_dereg_mr;
admin_handler admin_create_qp, admin_modify_qp, admin_query_qp, admin_destroy_qp;
admin_handler admin_create_group, admin_destroy_group, admin_attach_rank, admin_detach_rank;
admin_handler admin_reset_group;
admin_handler admin_query_group, admin_query_edges, admin_query_segs, admin_query_arrivals;
admin_handler admin_query_counters, admin_inject;

static inline struct admin_reply admin_ok(void)
{
	return (struct admin_reply){ TALLY_ADMIN_STATUS_OK, ADMIN_NO_OFFSET, { 0 } };
}

/* Reply with an error that no field is to blame for. */
static inline struct admin_reply admin_fail(enum tally_admin_status status)
{
	return (struct admin_reply){ status, ADMIN_NO_OFFSET, { 0 } };
}

/* Reply with an error in the field at @offset of the body. */
static inline struct admin_reply admin_blame(enum tally_admin_status status, size_t offset)
{
	offset += offsetof(struct tally_admin_cmd, body);
	return (struct admin_reply){ status, (uint16_t)offset, { 0 } };
}

#define ADMIN_BLAME(what, type, field)                                                             \
	admin_blame(TALLY_ADMIN_STATUS_##what, offsetof(struct tally_cmd_##type, field))

/*
 * Decode a ring of @depth entries of @size bytes from @raw, which is at @offset of the body, and
 * check that all of it is host memory now.
 */
static inline struct admin_reply admin_ring(struct nic *nic, struct host_mem *ring,
					    const struct tally_mem *raw, uint32_t depth,
					    uint32_t size, size_t offset)
{
	uint16_t bad;

	if (!mem_decode_ring(ring, raw, depth, size, &bad))
		return admin_blame(TALLY_ADMIN_STATUS_BAD_FIELD, offset + bad);
	if (!mem_present(&nic->bus, ring, (uint64_t)depth * size))
		return admin_blame(TALLY_ADMIN_STATUS_DMA_ERROR, offset);
	return admin_ok();
}

/* Reply with the engine's outcome, whose offset is one in the body. */
static inline struct admin_reply admin_engine(struct engine_result result)
{
	if (result.status == TALLY_ADMIN_STATUS_OK || result.bad_offset == ADMIN_NO_OFFSET)
		return admin_fail(result.status);
	return admin_blame(result.status, result.bad_offset);
}

#endif
