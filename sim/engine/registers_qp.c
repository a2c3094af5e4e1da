// SPDX-License-Identifier: BSD-2-Clause
/* The registers of queue pairs. */
#include "engine/registers_qp.h"
#include "engine/mirror.h"
#include "engine/qp.h"

#define AT(field) __builtin_offsetof(struct tally_fw_qp, field)
#define READ(field, from)                                                                          \
	case AT(field):                                                                            \
		*value = (from);                                                                   \
		return true
#define WRITE(field, to)                                                                           \
	case AT(field):                                                                            \
		(to) = value;                                                                      \
		return true

bool qp_register_read(const struct engine *e, uint32_t reg, uint64_t *value)
{
	const struct qp *qp = &e->qps[reg / TALLY_FW_QP_STRIDE % TALLY_MAX_QP];

	if (reg / TALLY_FW_QP_STRIDE >= TALLY_MAX_QP)
		return false;
	switch (reg % TALLY_FW_QP_STRIDE) {
	READ(used, qp->used);
	READ(state, qp->state);
	READ(next, qp->next_in_group);
	READ(group, qp->cfg.group);
	READ(port, qp->cfg.port);
	default:
		return false;
	}
}

bool qp_register_write(struct engine *e, uint32_t reg, uint64_t value)
{
	struct qp *qp = &e->qps[reg / TALLY_FW_QP_STRIDE % TALLY_MAX_QP];

	if (reg / TALLY_FW_QP_STRIDE >= TALLY_MAX_QP)
		return false;
	mirror_qp_write(e, reg, value);
	switch (reg % TALLY_FW_QP_STRIDE) {
	case AT(state):
		qp_set_state(e, qp, value);
		return true;
	WRITE(group, qp->cfg.group);
	WRITE(pd, qp->cfg.pd);
	WRITE(cqn, qp->cfg.cqn);
	WRITE(depth, qp->cfg.depth);
	WRITE(stride, qp->cfg.stride);
	WRITE(ranks, qp->cfg.ranks);
	WRITE(holder, qp->cfg.holder);
	WRITE(port, qp->cfg.port);
	WRITE(requests, qp->requests);
	default:
		return false;
	}
}
