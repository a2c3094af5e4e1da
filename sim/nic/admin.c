// SPDX-License-Identifier: BSD-2-Clause
/*
 * The admin queue. The device fetches and carries out one command at a time, in order. It does not
 * fetch a command while the completion ring has no room for the answer. A count of the driver that
 * goes backwards is stale and ignored; a count beyond what the rings hold stops the device.
 */
#include <string.h>

#include "nic/admin.h"

/* A command, and the number of bytes that it uses in its body; the other bytes must be zero. */
struct admin_op {
	admin_handler *run;
	size_t used;
};

#define OP(handler, type, last)                                                                    \
	{ handler, offsetof(struct tally_cmd_##type, last) +                                       \
		   sizeof(((struct tally_cmd_##type *)NULL)->last) }

static struct admin_reply admin_nop(struct nic *nic, const union admin_body *body)
{
	(void)nic;
	(void)body;
	return admin_ok();
}

static const struct admin_op ops[] = {
	[TALLY_ADMIN_NOP] = { admin_nop, 0 },
	[TALLY_ADMIN_CREATE_EQ] = OP(admin_create_eq, create_eq, ring),
	[TALLY_ADMIN_DESTROY_EQ] = OP(admin_destroy_eq, object, id),
	[TALLY_ADMIN_CREATE_CQ] = OP(admin_create_cq, create_cq, ring),
	[TALLY_ADMIN_DESTROY_CQ] = OP(admin_destroy_cq, object, id),
	[TALLY_ADMIN_REG_MR] = OP(admin_reg_mr, reg_mr, buf),
	[TALLY_ADMIN_DEREG_MR] = OP(admin_dereg_mr, object, id),
	[TALLY_ADMIN_CREATE_QP] = OP(admin_create_qp, create_qp, holder),
	[TALLY_ADMIN_MODIFY_QP] = OP(admin_modify_qp, modify_qp, state),
	[TALLY_ADMIN_DESTROY_QP] = OP(admin_destroy_qp, object, id),
	[TALLY_ADMIN_CREATE_GROUP] = OP(admin_create_group, group, addr),
	[TALLY_ADMIN_DESTROY_GROUP] = OP(admin_destroy_group, object, id),
	[TALLY_ADMIN_RESET_GROUP] = OP(admin_reset_group, reset_group, epoch),
	[TALLY_ADMIN_QUERY_GROUP] = OP(admin_query_group, query, addr),
	[TALLY_ADMIN_ATTACH_RANK] = OP(admin_attach_rank, group_ranks, ranks),
	[TALLY_ADMIN_DETACH_RANK] = OP(admin_detach_rank, group_ranks, ranks),
	[TALLY_ADMIN_QUERY_COUNTERS] = OP(admin_query_counters, query, addr),
	[TALLY_ADMIN_INJECT] = OP(admin_inject, inject, value),
	[TALLY_ADMIN_QUERY_QP] = OP(admin_query_qp, object, id),
	[TALLY_ADMIN_QUERY_EDGES] = OP(admin_query_edges, query, addr),
	[TALLY_ADMIN_QUERY_SEGS] = OP(admin_query_segs, query, addr),
	[TALLY_ADMIN_QUERY_ARRIVALS] = OP(admin_query_arrivals, query, addr),
};

static struct admin_reply dispatch(struct nic *nic, const struct tally_admin_cmd *cmd)
{
	uint16_t opcode = le16toh(cmd->opcode);
	const struct admin_op *op;
	union admin_body body;
	size_t i;

	if (opcode >= sizeof(ops) / sizeof(ops[0]) || !ops[opcode].run)
		return (struct admin_reply){ TALLY_ADMIN_STATUS_BAD_OPCODE,
					     offsetof(struct tally_admin_cmd, opcode), { 0 } };
	if (cmd->rsvd0)
		return (struct admin_reply){ TALLY_ADMIN_STATUS_BAD_FIELD,
					     offsetof(struct tally_admin_cmd, rsvd0), { 0 } };
	op = &ops[opcode];
	for (i = op->used; i < sizeof(cmd->body); i++)
		if (cmd->body[i])
			return admin_blame(TALLY_ADMIN_STATUS_BAD_FIELD, i);
	memcpy(&body, cmd->body, sizeof(body));
	return op->run(nic, &body);
}

struct answer_item {
	struct delay_line_item item;
	uint64_t number;
	struct tally_admin_cqe cqe;
};

static void run_answer(void *owner, struct delay_line_item *item)
{
	const struct answer_item *a = (const struct answer_item *)item;
	struct nic *nic = owner;

	if (!mem_ring_write(&nic->bus, &nic->aq.completions, a->number % nic->aq.depth, &a->cqe,
			    sizeof(a->cqe))) {
		nic_fatal(nic, TALLY_FATAL_AQ_DMA);
		return;
	}
	nic->bus.ops->interrupt(nic->bus.ctx, 0);
}

static struct delay_line_item *answer_new(const struct nic *nic, __le16 id,
					  const struct admin_reply *reply)
{
	struct answer_item *a = delay_line_item(sizeof(*a), run_answer);

	a->number = nic->aq.done;
	a->cqe = (struct tally_admin_cqe){
		.id = id,
		.status = htole16(reply->status),
		.bad_offset = htole16(reply->bad_offset),
		.value = { htole64(reply->value[0]), htole64(reply->value[1]) },
		.owner = ring_owner(a->number, nic->aq.depth),
	};
	return &a->item;
}

static void fetch_next(struct nic *nic, vtime_t wait);

/* Answer behind all writes that the command has caused. */
static void answer(struct nic *nic, struct delay_line_item *item)
{
	struct aq *aq = &nic->aq;

	dma_write(nic, item, sizeof(struct tally_admin_cqe), 0);
	aq->done++;
	aq->busy = false;
	fetch_next(nic, 0);
}

void aq_written(struct nic *nic)
{
	struct delay_line_item *item = nic->aq.held;

	nic->aq.held = NULL;
	if (item)
		answer(nic, item);
}

void aq_drop(struct nic *nic)
{
	if (nic->aq.held)
		delay_line_free(nic->aq.held);
	nic->aq.held = NULL;
}

static void run_fetch(void *owner, struct delay_line_item *item)
{
	struct nic *nic = owner;
	struct aq *aq = &nic->aq;
	struct tally_admin_cmd cmd;
	struct admin_reply reply;

	if (!mem_copy_in(&nic->bus, &aq->commands, aq->done % aq->depth * sizeof(cmd), &cmd,
			 sizeof(cmd))) {
		nic_fatal(nic, TALLY_FATAL_AQ_DMA);
		return;
	}
	reply = dispatch(nic, &cmd);
	item = answer_new(nic, cmd.id, &reply);
	if (units_writing(nic))
		aq->held = item; /* what it has written to registers must have its effect */
	else
		answer(nic, item);
}

static void fetch_next(struct nic *nic, vtime_t wait)
{
	struct aq *aq = &nic->aq;

	if (aq->busy || aq->done == aq->posted || aq->done - aq->consumed >= aq->depth)
		return;
	aq->busy = true;
	dma_read(nic, delay_line_item(sizeof(struct delay_line_item), run_fetch),
		 sizeof(struct tally_admin_cmd), wait);
}

/* Accept a count of the driver if it is new. Returns false if it is impossible. */
static bool take_count(uint64_t *count, uint64_t value, uint64_t limit, bool *news)
{
	if (value <= *count)
		return true;
	if (value > limit)
		return false;
	*count = value;
	*news = true;
	return true;
}

bool aq_poll(struct nic *nic)
{
	struct aq *aq = &nic->aq;
	uint64_t posted = bar_load64(&nic->control->aq_db);
	uint64_t consumed = bar_load64(&nic->control->aq_ci);
	bool news = false;

	if (!take_count(&aq->posted, posted, aq->done + aq->depth, &news) ||
	    !take_count(&aq->consumed, consumed, aq->done, &news)) {
		nic_fatal(nic, TALLY_FATAL_BAD_CONTROL);
		return true;
	}
	if (news)
		fetch_next(nic, nic->timing.doorbell_ns * VT_NS);
	return news;
}
