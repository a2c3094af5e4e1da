// SPDX-License-Identifier: BSD-2-Clause
/* Completion queues and doorbell slots. */
#include <errno.h>

#include "hosts/priv.h"

struct tally_uar_slot *host_slot(struct host *h, unsigned int uar, uint32_t n)
{
	struct tally_uar_slot *slots = (void *)(h->bar + TALLY_BAR_UAR_OFFSET);
	struct tally_uar_slot *slot = slots + (size_t)uar * TALLY_UAR_SLOTS + n;

	memset(slot, 0, sizeof(*slot));
	return slot;
}

static size_t ring_bytes(const struct host_cq *cq)
{
	return cq->depth * sizeof(struct tally_cqe) + sizeof(struct tally_cq_record);
}

static struct tally_cq_record *record_of(const struct host_cq *cq)
{
	return (struct tally_cq_record *)((struct tally_cqe *)arena_at(&cq->host->mem, cq->ring,
								       ring_bytes(cq)) +
					  cq->depth);
}

int host_cq_create(struct host *h, struct host_cq *cq, uint32_t depth, void (*event)(void *arg),
		   void *event_arg, host_answer *fn, void *arg)
{
	union host_body b = { .raw = { 0 } };

	*cq = (struct host_cq){ .host = h, .depth = depth, .event = event, .arg = event_arg };
	cq->ring = arena_alloc(&h->mem, ring_bytes(cq));
	if (!cq->ring)
		return -ENOMEM;
	cq->cqn = ids_take(&h->cqns, 1);
	if (cq->cqn == IDS_NONE) {
		arena_release(&h->mem, cq->ring, ring_bytes(cq));
		return -ENOMEM;
	}
	h->cq[cq->cqn] = cq;
	cq->slot = host_slot(h, HOST_CQ_UAR, cq->cqn);
	b.create_cq.cqn = htole32(cq->cqn);
	b.create_cq.depth = htole32(depth);
	b.create_cq.eqn = htole32(HOST_EQ_CQ);
	b.create_cq.uar = htole16(HOST_CQ_UAR + cq->cqn / TALLY_UAR_SLOTS);
	b.create_cq.slot = htole16(cq->cqn % TALLY_UAR_SLOTS);
	b.create_cq.ring = host_flat(cq->ring, ring_bytes(cq));
	host_command(h, TALLY_ADMIN_CREATE_CQ, &b, fn, arg);
	return 0;
}

void host_cq_destroy(struct host_cq *cq, host_answer *fn, void *arg)
{
	union host_body b = { .raw = { 0 } };

	b.object.id = htole32(cq->cqn);
	host_command(cq->host, TALLY_ADMIN_DESTROY_CQ, &b, fn, arg);
}

void host_cq_forget(struct host_cq *cq)
{
	struct host *h = cq->host;

	if (!h)
		return;
	if (h->cq[cq->cqn] == cq) {
		h->cq[cq->cqn] = NULL;
		ids_give(&h->cqns, cq->cqn, 1);
	}
	arena_release(&h->mem, cq->ring, ring_bytes(cq));
	cq->host = NULL;
}

bool host_cq_holds(const struct host_cq *cq, const void *at)
{
	const uint8_t *ring;

	if (!cq->host)
		return false;
	ring = arena_at(&cq->host->mem, cq->ring, ring_bytes(cq));
	return (const uint8_t *)at >= ring &&
	       (const uint8_t *)at < ring + cq->depth * sizeof(struct tally_cqe);
}

bool host_cq_poll(struct host_cq *cq, struct tally_cqe *cqe)
{
	const struct tally_cqe *ring = arena_at(&cq->host->mem, cq->ring, ring_bytes(cq));
	const struct tally_cqe *at = &ring[cq->consumed % cq->depth];

	if (at->owner != host_owner(cq->consumed, cq->depth))
		return false;
	*cqe = *at;
	cq->consumed++;
	record_of(cq)->consumed = htole64(cq->consumed);
	return true;
}

void host_cq_arm(struct host_cq *cq)
{
	cq->slot->counter = htole64(cq->consumed);
	cq->slot->arm = htole64(++cq->armed << TALLY_CQ_ARM_SHIFT);
	host_ring_device(cq->host);
}
