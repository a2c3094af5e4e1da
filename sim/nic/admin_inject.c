// SPDX-License-Identifier: BSD-2-Clause
/* INJECT. The object need not exist. */
#include "nic/admin.h"

/* Return the highest number of an object that a fault can name. */
static uint32_t max_object(enum tally_inject_fault fault)
{
	switch (fault) {
	case TALLY_INJECT_LOST_DOORBELL:
		return TALLY_MAX_QP - 1;
	case TALLY_INJECT_DMA_ERROR:
		return TALLY_MAX_MR * 256u - 1;
	case TALLY_INJECT_CORRUPT_CQE:
	case TALLY_INJECT_CQ_OVERRUN:
		break;
	}
	return TALLY_MAX_CQ - 1;
}

/* Changing the owner would hide the CQE, so that offset is refused. */
static bool good_value(enum tally_inject_fault fault, uint32_t value)
{
	if (fault != TALLY_INJECT_CORRUPT_CQE)
		return !value;
	return value < sizeof(struct tally_cqe) && value != offsetof(struct tally_cqe, owner);
}

static struct admin_reply set(struct nic *nic, enum tally_inject_fault fault,
			      const struct tally_cmd_inject *c)
{
	const struct inject_fault f = {
		.probability = le32toh(c->probability),
		.interval = c->interval ? le32toh(c->interval) : 1,
		.times = le32toh(c->times),
		.object = le32toh(c->object),
		.value = le32toh(c->value),
	};

	if (f.probability > 100)
		return ADMIN_BLAME(BAD_FIELD, inject, probability);
	if (f.object != TALLY_INJECT_ANY && f.object > max_object(fault))
		return ADMIN_BLAME(BAD_FIELD, inject, object);
	if (!good_value(fault, f.value))
		return ADMIN_BLAME(BAD_FIELD, inject, value);
	inject_set(&nic->inject, fault, &f);
	return admin_ok();
}

struct admin_reply admin_inject(struct nic *nic, const union admin_body *body)
{
	const struct tally_cmd_inject *c = &body->inject;
	uint32_t fault = le32toh(c->fault), action = le32toh(c->action);
	struct admin_reply reply = admin_ok();

	if (fault >= INJECT_NUM_FAULTS)
		return ADMIN_BLAME(BAD_FIELD, inject, fault);
	if (action > TALLY_INJECT_ACTION_QUERY)
		return ADMIN_BLAME(BAD_FIELD, inject, action);
	if (action == TALLY_INJECT_ACTION_SET)
		reply = set(nic, fault, c);
	if (!reply.status)
		reply.value[0] = nic->inject.faults[fault].count;
	return reply;
}
