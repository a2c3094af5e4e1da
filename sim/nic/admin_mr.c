// SPDX-License-Identifier: BSD-2-Clause
/*
 * REG_MR, DEREG_MR. The pages are looked up at each access, not here. Units learn of regions by
 * their registers, and the answer to a command leaves when these have been written (admin.c).
 */
#include "nic/admin.h"

#define ACCESS_BITS                                                                                \
	(TALLY_ACCESS_LOCAL_WRITE | TALLY_ACCESS_REMOTE_WRITE | TALLY_ACCESS_REMOTE_READ)

static struct admin_reply check_reg(const struct nic *nic, const struct tally_cmd_reg_mr *c)
{
	uint32_t index = mr_index(le32toh(c->lkey));

	if (index >= TALLY_MAX_MR)
		return ADMIN_BLAME(BAD_FIELD, reg_mr, lkey);
	if (mr_at(nic, index))
		return ADMIN_BLAME(ID_BUSY, reg_mr, lkey);
	if (le32toh(c->pd) >= TALLY_MAX_PD)
		return ADMIN_BLAME(BAD_FIELD, reg_mr, pd);
	if (le32toh(c->access) & ~ACCESS_BITS)
		return ADMIN_BLAME(BAD_FIELD, reg_mr, access);
	if (c->rsvd0)
		return ADMIN_BLAME(BAD_FIELD, reg_mr, rsvd0);
	if (c->rsvd1)
		return ADMIN_BLAME(BAD_FIELD, reg_mr, rsvd1);
	return admin_ok();
}

struct admin_reply admin_reg_mr(struct nic *nic, const union admin_body *body)
{
	const struct tally_cmd_reg_mr *c = &body->reg_mr;
	uint32_t lkey = le32toh(c->lkey);
	struct admin_reply reply = check_reg(nic, c);
	uint64_t iova = le64toh(c->iova);
	struct host_mem mem;
	uint16_t bad;

	if (reply.status)
		return reply;
	if (!mem_decode(&mem, &c->buf, &bad))
		return admin_blame(TALLY_ADMIN_STATUS_BAD_FIELD,
				   offsetof(struct tally_cmd_reg_mr, buf) + bad);
	if (mem.length - 1 > UINT64_MAX - iova)
		return ADMIN_BLAME(BAD_FIELD, reg_mr, iova);
	if (!mr_register(nic, lkey, le32toh(c->pd), le32toh(c->access), iova, &mem))
		return admin_fail(TALLY_ADMIN_STATUS_NO_RESOURCE);
	unit_mr_enter(nic, lkey, le32toh(c->pd), le32toh(c->access), iova, &mem);
	return admin_ok();
}

struct admin_reply admin_dereg_mr(struct nic *nic, const union admin_body *body)
{
	uint32_t lkey = le32toh(body->object.id);

	if (!mr_find(nic, lkey))
		return ADMIN_BLAME(NOT_FOUND, object, id);
	mr_free(nic, mr_index(lkey));
	unit_mr_remove(nic, lkey);
	return admin_ok();
}
