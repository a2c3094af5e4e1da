// SPDX-License-Identifier: BSD-2-Clause
/*
 * Accesses to host memory in virtual time. Each direction is a queue: an access takes its bytes'
 * time on the bus, one after the other, and is carried out a latency later. Writes of all kinds
 * share one queue, so that data precede their completion and that its event.
 */
#include <string.h>

#include "nic/priv.h"

#define PS_PER_US	(VT_US / VT_PS)

/* Time of @bytes on the bus; 1 Mb/s is one bit a microsecond. */
static vtime_t bus_time(const struct nic *nic, size_t bytes)
{
	if (!nic->timing.pcie_mbps)
		return 0;
	return (vtime_t)bytes * 8 * PS_PER_US / nic->timing.pcie_mbps;
}

static vtime_t take_bus(const struct nic *nic, vtime_t *busy, size_t bytes, vtime_t wait)
{
	vtime_t start = sim_now(nic->sim) + wait;

	if (start < *busy)
		start = *busy;
	*busy = start + bus_time(nic, bytes);
	return *busy;
}

void dma_read(struct nic *nic, struct line_item *item, size_t bytes, vtime_t wait)
{
	vtime_t sent = take_bus(nic, &nic->read_busy, bytes, wait);

	line_add(&nic->reads, item, sent + nic->timing.pcie_read_ns * VT_NS);
}

void dma_write(struct nic *nic, struct line_item *item, size_t bytes, vtime_t wait)
{
	vtime_t sent = take_bus(nic, &nic->write_busy, bytes, wait);

	line_add(&nic->writes, item, sent + nic->timing.pcie_write_ns * VT_NS);
}

/* An engine's read or write; for a write the data follow. */
struct access {
	struct line_item item;
	uint32_t pd;
	struct engine_sge sge;
	uint64_t tag;
	uint8_t data[];
};

static struct access *access_new(uint32_t pd, const struct engine_sge *sge, uint64_t tag,
				 void (*run)(void *owner, struct line_item *item))
{
	struct access *a = line_item(sizeof(*a) + sge->length, run);

	a->pd = pd;
	a->sge = *sge;
	a->tag = tag;
	return a;
}

static void run_read(void *owner, struct line_item *item)
{
	struct access *a = (struct access *)item;
	struct nic *nic = owner;
	enum tally_coll_status status = mr_read(nic, a->pd, &a->sge, a->data);

	engine_read_done(nic_enter(nic), a->tag, status, status ? NULL : a->data,
			 status ? 0 : a->sge.length);
	nic_leave(nic);
}

static void run_write(void *owner, struct line_item *item)
{
	struct access *a = (struct access *)item;
	struct nic *nic = owner;
	enum tally_coll_status status = mr_write(nic, a->pd, &a->sge, a->data);

	engine_write_done(nic_enter(nic), a->tag, status);
	nic_leave(nic);
}

void dma_engine_read(struct nic *nic, uint32_t pd, const struct engine_sge *sge, uint64_t tag)
{
	struct access *a = access_new(pd, sge, tag, run_read);

	dma_read(nic, &a->item, sge->length, 0);
}

void dma_engine_write(struct nic *nic, uint32_t pd, const struct engine_sge *sge, const void *data,
		      uint64_t tag)
{
	struct access *a = access_new(pd, sge, tag, run_write);

	if (sge->length)
		memcpy(a->data, data, sge->length);
	dma_write(nic, &a->item, sge->length, 0);
}
