// SPDX-License-Identifier: BSD-2-Clause
/*
 * Event queues. The device reads the consumer's count whenever it writes an entry. A full queue
 * would lose events, so the device stops instead. Processes can ask for events of completion queues
 * faster than a driver consumes them. Therefore an event that is asked for waits while half of the
 * queue is used. The other half is for events that processes cannot ask for.
 */
#include <stdlib.h>

#include "nic/priv.h"

struct eq {
	uint32_t eqn;
	uint32_t depth;
	uint32_t vector;
	struct host_mem ring;
	uint64_t produced;		/* in memory */
	uint64_t consumed;
	uint32_t flying;		/* on their way through the units */
	uint64_t told;			/* consumed, as the units know it */
};

struct eq *eq_new(uint32_t eqn, uint32_t depth, uint32_t vector, const struct host_mem *ring)
{
	struct eq *eq = malloc(sizeof(*eq));

	if (eq)
		*eq = (struct eq){ .eqn = eqn, .depth = depth, .vector = vector, .ring = *ring };
	return eq;
}

void eq_free(struct nic *nic, uint32_t eqn)
{
	free(nic->eq[eqn]);
	nic->eq[eqn] = NULL;
}

/* Return the number of entries that the driver has not consumed. */
static uint64_t waiting(const struct nic *nic, struct eq *eq)
{
	take_consumed(&eq->consumed, eq->produced, bar_load64(&nic->control->eq_db[eq->eqn].ci));
	return eq->produced - eq->consumed + eq->flying;
}

bool eq_poll(struct nic *nic)
{
	bool news = false;
	struct eq *eq;

	for (uint32_t i = 0; i < TALLY_MAX_EQ; i++) {
		eq = nic->eq[i];
		if (!eq)
			continue;
		waiting(nic, eq);
		if (eq->consumed == eq->told)
			continue;
		eq->told = eq->consumed;
		unit_eq_consumed(nic, i, eq->told);
		news = true;
	}
	return news;
}

void eq_flies(struct nic *nic, uint32_t eqn)
{
	if (nic->eq[eqn])
		nic->eq[eqn]->flying++;
}

void eq_landed(struct nic *nic, uint32_t eqn, uint32_t vector)
{
	struct eq *eq = nic->eq[eqn];

	if (eq && eq->flying) {
		eq->flying--;
		eq->produced++;
	}
	nic->bus.ops->interrupt(nic->bus.ctx, vector);
}

bool eq_has_room(const struct nic *nic, uint32_t eqn)
{
	struct eq *eq = nic->eq[eqn];

	return waiting(nic, eq) < (eq->depth + 1) / 2;
}

static enum tally_fatal eq_write(struct nic *nic, struct eq *eq, enum tally_eqe_type type,
				 uint32_t id, uint64_t data)
{
	struct tally_eqe eqe = {
		.etype = (uint8_t)type,
		.id = htole32(id),
		.data = htole64(data),
		.owner = ring_owner(eq->produced, eq->depth),
	};

	if (waiting(nic, eq) >= eq->depth)
		return TALLY_FATAL_EQ_OVERRUN;
	if (!mem_ring_write(&nic->bus, &eq->ring, eq->produced % eq->depth, &eqe, sizeof(eqe)))
		return TALLY_FATAL_EQ_DMA;
	eq->produced++;
	nic->bus.ops->interrupt(nic->bus.ctx, eq->vector);
	return TALLY_FATAL_NONE;
}

void eq_raise(struct nic *nic, uint32_t eqn, enum tally_eqe_type type, uint32_t id, uint64_t data)
{
	struct eq *eq = nic->eq[eqn];
	enum tally_fatal code;

	/* A stopped device raises no events; a destroyed queue has no consumer. */
	if (nic->state != TALLY_DEVICE_READY || !eq)
		return;
	if (nic->units) {
		eq_poll(nic);
		eq_flies(nic, eqn);
		units_event(nic, &(struct nic_event){ .eqn = eqn, .type = type, .id = id, .data = data });
		return;
	}
	code = eq_write(nic, eq, type, id, data);
	if (code)
		nic_fatal(nic, code);
}

/* The units are reset when the device stops, so what they had not written is gone. */
void eq_raise_fatal(struct nic *nic, enum tally_fatal code)
{
	struct eq *eq = nic->eq[0];

	if (eq)
		eq->flying = 0;
	if (!eq || eq_write(nic, eq, TALLY_EQE_DEVICE_FATAL, 0, code))
		nic->bus.ops->interrupt(nic->bus.ctx, 0);
}

struct event_item {
	struct delay_line_item item;
	enum tally_eqe_type type;
	uint32_t id;
	uint64_t data;
};

static void run_event(void *owner, struct delay_line_item *item)
{
	const struct event_item *e = (const struct event_item *)item;
	struct nic *nic = owner;

	if (e->type == TALLY_EQE_GROUP_DRAINED && nic->groups)
		nic->groups--;
	eq_raise(nic, 0, e->type, e->id, e->data);
}

void eq_post(struct nic *nic, enum tally_eqe_type type, uint32_t id, uint64_t data)
{
	struct event_item *e = delay_line_item(sizeof(*e), run_event);

	e->type = type;
	e->id = id;
	e->data = data;
	dma_write(nic, &e->item, sizeof(struct tally_eqe), 0);
}
