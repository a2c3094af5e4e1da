// SPDX-License-Identifier: BSD-2-Clause
/*
 * Accesses to host memory in virtual time. Each direction is a queue: an access occupies the bus
 * for the time of its bytes, one access after the other, and is carried out a latency later. Writes
 * of all kinds share one queue, so data come before their completion, and a completion before its
 * event. A read does not pass the engine's writes that were answered before it.
 */
#include <string.h>

#include "nic/priv.h"

#define PS_PER_US	(VT_US / VT_PS)

/* Return the time of @bytes on the bus; 1 Mb/s is one bit per microsecond. */
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

vtime_t dma_read(struct nic *nic, struct delay_line_item *item, size_t bytes, vtime_t wait)
{
	vtime_t sent = take_bus(nic, &nic->read_busy, bytes, wait);
	vtime_t there = sent + nic->timing.pcie_read_ns * VT_NS;

	if (there <= nic->last_write)
		there = nic->last_write + VT_PS;
	delay_line_add(&nic->reads, item, there);
	return there;
}

vtime_t dma_write(struct nic *nic, struct delay_line_item *item, size_t bytes, vtime_t wait)
{
	vtime_t sent = take_bus(nic, &nic->write_busy, bytes, wait);

	delay_line_add(&nic->writes, item, sent + nic->timing.pcie_write_ns * VT_NS);
	return item->at;
}

/* A read of the engine, with room for its data. */
struct read {
	struct delay_line_item item;
	uint32_t pd;
	struct engine_sge sge;
	uint64_t tag;
	uint8_t data[];
};

static struct read *read_new(uint32_t pd, const struct engine_sge *sge, uint64_t tag, size_t room,
			     void (*run)(void *owner, struct delay_line_item *item))
{
	struct read *r = delay_line_item(sizeof(*r) + room, run);

	r->pd = pd;
	r->sge = *sge;
	r->tag = tag;
	return r;
}

static void run_read(void *owner, struct delay_line_item *item)
{
	struct read *r = (struct read *)item;
	struct nic *nic = owner;
	enum tally_coll_status status = mr_read(nic, r->pd, &r->sge, r->data);

	engine_read_done(nic_enter(nic), r->tag, status, status ? NULL : r->data,
			 status ? 0 : r->sge.length);
	nic_leave(nic);
}

static void ask(struct nic *nic, uint32_t pd, const struct engine_sge *sge, uint64_t tag)
{
	struct read *r = read_new(pd, sge, tag, sge->length, run_read);
	vtime_t there = dma_read(nic, &r->item, sge->length, 0);

	span(nic, SPAN_READ, "read", sim_now(nic->sim), there, "bytes", sge->length);
}

static void run_ask(void *owner, struct delay_line_item *item)
{
	const struct read *r = (const struct read *)item;

	ask(owner, r->pd, &r->sge, r->tag);
}

/*
 * A read of the engine enters the queue of the bus only after @delay, so that it does not hold up
 * other reads meanwhile. A write enters at once, because writes must not pass one another.
 */
void dma_engine_read(struct nic *nic, uint32_t pd, const struct engine_sge *sge, uint64_t tag,
		     vtime_t delay)
{
	vtime_t now = sim_now(nic->sim);
	struct read *r;

	span(nic, SPAN_ENGINE, "read", now, now + delay, "bytes", sge->length);
	if (!delay) {
		ask(nic, pd, sge, tag);
		return;
	}
	r = read_new(pd, sge, tag, 0, run_ask);
	delay_line_add(&nic->engine_reads, &r->item, now + delay);
}

/*
 * A write of the engine. It is posted: once the bus accepts it, its permission and its memory are
 * known, and everything that is written later comes after it. So the engine gets the answer at that
 * time, and the completion follows without waiting for the data to arrive.
 */
struct write {
	struct delay_line_item item;
	struct issue *issue;		/* NULL: the engine has its answer */
	uint32_t pd;
	struct engine_sge sge;
	uint64_t tag;
	uint8_t *data;			/* behind the pieces */
	size_t num;			/* number of pieces; 0: do not write */
	struct mem_piece pieces[];
};

struct issue {
	struct delay_line_item item;
	struct write *write;		/* NULL: issued or dropped */
};

static void issue(struct nic *nic, struct write *w)
{
	enum tally_coll_status status;

	w->issue->write = NULL;
	w->issue = NULL;
	nic->last_write = w->item.at;
	status = mr_find_memory(nic, w->pd, &w->sge, w->pieces, &w->num);
	if (status)
		w->num = 0;
	engine_write_done(nic_enter(nic), w->tag, status);
	nic_leave(nic);
}

static void run_issue(void *owner, struct delay_line_item *item)
{
	const struct issue *i = (const struct issue *)item;

	if (i->write)
		issue(owner, i->write);
}

/* The item that is released first clears the pointer of the other. */
static void release_issue(struct delay_line_item *item)
{
	struct issue *i = (struct issue *)item;

	if (i->write)
		i->write->issue = NULL;
}

static void run_write(void *owner, struct delay_line_item *item)
{
	struct write *w = (struct write *)item;
	const struct nic *nic = owner;
	const uint8_t *from = w->data;

	/* Both may be due at the same time. */
	if (w->issue)
		issue(owner, w);
	if (w->num)
		commit_write(nic, &w->sge, from);
	for (size_t i = 0; i < w->num; i++) {
		memcpy(w->pieces[i].at, from, w->pieces[i].len);
		bus_written(&nic->bus, w->pieces[i].at, w->pieces[i].len);
		from += w->pieces[i].len;
	}
}

static void release_write(struct delay_line_item *item)
{
	struct write *w = (struct write *)item;

	if (w->issue)
		w->issue->write = NULL;
}

static struct write *write_new(uint32_t pd, const struct engine_sge *sge, const void *data,
			       uint64_t tag)
{
	size_t pieces = mem_pieces(sge->length) * sizeof(struct mem_piece);
	struct write *w = delay_line_item(sizeof(*w) + pieces + sge->length, run_write);

	w->item.release = release_write;
	w->pd = pd;
	w->sge = *sge;
	w->tag = tag;
	w->data = (uint8_t *)w->pieces + pieces;
	if (sge->length)
		memcpy(w->data, data, sge->length);
	w->issue = delay_line_item(sizeof(*w->issue), run_issue);
	w->issue->write = w;
	w->issue->item.release = release_issue;
	return w;
}

void dma_engine_write(struct nic *nic, uint32_t pd, const struct engine_sge *sge, const void *data,
		      uint64_t tag, vtime_t delay)
{
	struct write *w = write_new(pd, sge, data, tag);
	vtime_t now = sim_now(nic->sim), start = now + delay, there;

	if (start < nic->write_busy)
		start = nic->write_busy;
	delay_line_add(&nic->write_issues, &w->issue->item, start);
	there = dma_write(nic, &w->item, sge->length, delay);
	span(nic, SPAN_ENGINE, "write", now, now + delay, "bytes", sge->length);
	span(nic, SPAN_WRITE, "write", now + delay, there, "bytes", sge->length);
}
