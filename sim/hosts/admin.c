// SPDX-License-Identifier: BSD-2-Clause
/* The admin queue: commands, their answers, and the reset before the first command. */
#include <errno.h>
#include <stdlib.h>

#include "hosts/priv.h"

#define COMMANDS_BYTES	(HOST_AQ_DEPTH * sizeof(struct tally_admin_cmd))
#define ANSWERS_BYTES	(HOST_AQ_DEPTH * sizeof(struct tally_admin_cqe))
#define EQ_BYTES	(HOST_EQ_DEPTH * sizeof(struct tally_eqe))

void host_queues_init(struct host *h)
{
	h->aq.head = NULL;
	h->aq.tail = &h->aq.head;
}

int host_queues_alloc(struct host *h)
{
	h->aq.commands = arena_alloc(&h->mem, COMMANDS_BYTES);
	h->aq.completions = arena_alloc(&h->mem, ANSWERS_BYTES);
	for (uint32_t i = 0; i < HOST_NUM_EQ; i++) {
		h->eq[i].ring = arena_alloc(&h->mem, EQ_BYTES);
		if (!h->eq[i].ring)
			return -ENOMEM;
	}
	return h->aq.commands && h->aq.completions ? 0 : -ENOMEM;
}

/* Frees the command, then calls its callback. */
static void finish(struct host *h, struct host_command *c, const struct tally_admin_cqe *cqe,
		   bool answer)
{
	host_answer *fn = c->fn;
	void *arg = c->arg;

	if (c->data_len)
		arena_release(&h->mem, c->data, c->data_len);
	free(c);
	if (fn && answer)
		fn(arg, cqe);
}

void host_queues_drop(struct host *h, bool answer)
{
	struct host_aq *aq = &h->aq;
	struct host_command *c;

	for (; aq->consumed != aq->posted; aq->consumed++) {
		c = aq->waiting[aq->consumed % HOST_AQ_DEPTH];
		finish(h, c, NULL, answer);
	}
	while ((c = aq->head)) {
		aq->head = c->next;
		finish(h, c, NULL, answer);
	}
	aq->tail = &aq->head;
	aq->posted = aq->consumed = 0;
	for (uint32_t i = 0; i < HOST_NUM_EQ; i++)
		h->eq[i].consumed = 0;
}

/* Moves commands into the ring while it has room. */
static void submit(struct host *h)
{
	struct host_aq *aq = &h->aq;
	struct tally_admin_cmd *ring = arena_at(&h->mem, aq->commands, COMMANDS_BYTES);
	struct host_command *c;

	while ((c = aq->head) && aq->posted - aq->consumed < HOST_AQ_DEPTH) {
		uint32_t at = aq->posted % HOST_AQ_DEPTH;

		aq->head = c->next;
		if (!aq->head)
			aq->tail = &aq->head;
		c->cmd.id = htole16((uint16_t)aq->posted);
		ring[at] = c->cmd;
		aq->waiting[at] = c;
		aq->posted++;
	}
	h->control->aq_ci = htole64(aq->consumed);
	h->control->aq_db = htole64(aq->posted);
	host_ring_device(h);
}

void host_command_data(struct host *h, enum tally_admin_opcode opcode, const void *body,
		       uint64_t data, size_t data_len, host_answer *fn, void *arg)
{
	struct host_command *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	c->cmd.opcode = htole16(opcode);
	if (body)
		memcpy(c->cmd.body, body, sizeof(c->cmd.body));
	c->data = data;
	c->data_len = data_len;
	c->fn = fn;
	c->arg = arg;
	*h->aq.tail = c;
	h->aq.tail = &c->next;
	submit(h);
}

void host_command(struct host *h, enum tally_admin_opcode opcode, const void *body,
		  host_answer *fn, void *arg)
{
	host_command_data(h, opcode, body, 0, 0, fn, arg);
}

/* Returns the oldest command if it was answered. */
static struct host_command *take_answer(struct host *h, struct tally_admin_cqe *cqe)
{
	struct host_aq *aq = &h->aq;
	const struct tally_admin_cqe *ring = arena_at(&h->mem, aq->completions, ANSWERS_BYTES);
	uint32_t at = aq->consumed % HOST_AQ_DEPTH;
	struct host_command *c;

	if (aq->consumed == aq->posted ||
	    ring[at].owner != host_owner(aq->consumed, HOST_AQ_DEPTH))
		return NULL;
	c = aq->waiting[at];
	*cqe = ring[at];
	if (cqe->id != c->cmd.id)
		host_error(h, "admin queue: an answer to another command");
	aq->consumed++;
	return c;
}

void host_aq_poll(struct host *h)
{
	struct tally_admin_cqe cqe;
	struct host_command *c;

	while ((c = take_answer(h, &cqe)))
		finish(h, c, &cqe, true);
	submit(h);
}

static void fill_control(struct host *h)
{
	struct tally_control *c = h->control;

	memset(arena_at(&h->mem, h->aq.completions, ANSWERS_BYTES), 0, ANSWERS_BYTES);
	c->aq_db = c->aq_ci = 0;
	memset(c->eq_db, 0, sizeof(c->eq_db));
	c->driver_abi = htole32(TALLY_ABI_VERSION);
	c->aq_depth = htole32(HOST_AQ_DEPTH);
	c->aq_sq_addr = htole64(h->aq.commands);
	c->aq_cq_addr = htole64(h->aq.completions);
	c->reset_req = htole32(le32toh(h->ident->reset_ack) + 1);
}

void host_start(struct host *h, host_answer *fn, void *arg)
{
	fill_control(h);
	host_ring_device(h);
	if (le32toh(h->ident->state) != TALLY_DEVICE_READY)
		host_error(h, "reset: the device is not ready");
	for (uint32_t eqn = 0; eqn < HOST_NUM_EQ; eqn++) {
		union host_body b = { .raw = { 0 } };

		arena_clear(&h->mem, h->eq[eqn].ring, EQ_BYTES);
		b.create_eq.eqn = htole32(eqn);
		b.create_eq.depth = htole32(HOST_EQ_DEPTH);
		b.create_eq.vector = htole32(eqn);
		b.create_eq.ring = host_flat(h->eq[eqn].ring, EQ_BYTES);
		host_command(h, TALLY_ADMIN_CREATE_EQ, &b, fn, arg);
	}
}
