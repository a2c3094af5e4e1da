// SPDX-License-Identifier: BSD-2-Clause
#include "hosts/host.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "hosts/priv.h"

static void *bus_map(void *ctx, uint64_t bus_addr, size_t len)
{
	const struct host *h = ctx;
	void *at = arena_at(&h->mem, bus_addr, len);

	return at ? at : host_outside_at(h, bus_addr, len);
}

/* The NIC must not be called from here, so the handler runs as an event of its own. */
static void bus_interrupt(void *ctx, unsigned int vector)
{
	struct host *h = ctx;

	(void)vector;
	if (!sim_pending(&h->irq))
		sim_schedule_in(h->sim, &h->irq, h->cfg.irq_ns * VT_NS);
}

static void bus_written(void *ctx, const void *at, size_t len)
{
	const struct host *h = ctx;

	if (h->cfg.on_write)
		h->cfg.on_write(h->cfg.on_write_arg, at, len);
}

static const struct nic_bus host_bus = {
	.map = bus_map,
	.interrupt = bus_interrupt,
	.written = bus_written,
};

static void run_irq(void *arg)
{
	struct host *h = arg;

	host_aq_poll(h);
	for (uint32_t eqn = 0; eqn < HOST_NUM_EQ; eqn++)
		host_eq_poll(h, eqn);
}

static int new_nic(struct host *h)
{
	struct nic_cfg cfg = {
		.bar = h->bar,
		.bus = &host_bus,
		.bus_ctx = h,
		.port = h->cfg.port,
		.port2 = h->cfg.port2,
		.name = h->cfg.name,
		.domain = h->cfg.domain,
		.link_mbps = h->cfg.link_mbps,
		.timing = h->cfg.timing,
		.seed = h->cfg.seed++,
		.units = h->cfg.units,
		.commits = h->cfg.commits,
		.max_groups = h->cfg.max_groups,
		.max_segs = h->cfg.max_segs,
		.no_opcodes = h->cfg.no_opcodes,
	};

	memcpy(cfg.mac, h->cfg.mac, sizeof(cfg.mac));
	h->nic = nic_new(h->sim, &cfg);
	return h->nic ? 0 : -errno;
}

static void forget_numbers(struct host *h)
{
	memset(h->cq, 0, sizeof(h->cq));
	memset(h->group, 0, sizeof(h->group));
	h->cqns = (struct ids){ .limit = TALLY_MAX_CQ };
	h->qpns = (struct ids){ .limit = TALLY_MAX_QP };
	h->push_uars = (struct ids){ .limit = TALLY_NUM_UARS - HOST_PUSH_UAR };
	h->mrs = (struct ids){ .limit = TALLY_MAX_MR };
	h->pds = (struct ids){ .limit = TALLY_MAX_PD };
	h->groups = (struct ids){ .limit = h->cfg.max_groups ? h->cfg.max_groups : TALLY_MAX_GROUP };
	h->max_segs = h->cfg.max_segs ? h->cfg.max_segs : TALLY_MAX_SEG;
	h->segs_used = 0;
}

static int set_up(struct host *h)
{
	int err = arena_init(&h->mem, h->cfg.memory);

	if (err)
		return err;
	h->bar = mmap(NULL, TALLY_BAR_SIZE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (h->bar == MAP_FAILED) {
		h->bar = NULL;
		return -errno;
	}
	madvise(h->bar, TALLY_BAR_SIZE, MADV_NOHUGEPAGE);
	h->ident = (void *)(h->bar + TALLY_BAR_IDENT_OFFSET);
	h->control = (void *)(h->bar + TALLY_BAR_CONTROL_OFFSET);
	err = host_queues_alloc(h);
	return err ? err : new_nic(h);
}

struct host *host_new(struct sim *sim, const struct host_cfg *cfg)
{
	struct host *h = calloc(1, sizeof(*h));
	int err;

	if (!h)
		return NULL;
	h->sim = sim;
	h->cfg = *cfg;
	nic_gid(h->gid, cfg->mac);
	sim_event_init(&h->irq, run_irq, h);
	h->irq.domain = cfg->domain;
	forget_numbers(h);
	host_queues_init(h);
	err = set_up(h);
	if (!err)
		return h;
	host_free(h);
	errno = -err;
	return NULL;
}

void host_free(struct host *h)
{
	if (!h)
		return;
	sim_cancel(h->sim, &h->irq);
	nic_free(h->nic);
	host_queues_drop(h, false);
	if (h->bar)
		munmap(h->bar, TALLY_BAR_SIZE);
	arena_free(&h->mem);
	free(h);
}

/* Sets the BAR to its state after power-up, except for the epoch, which keeps counting. */
static void wipe_bar(struct host *h)
{
	const struct tally_ident kept = { .magic = htole64(TALLY_MAGIC),
					  .epoch = h->ident->epoch };

	/* Anonymous pages read as zeroes after MADV_DONTNEED. */
	if (madvise(h->bar, TALLY_BAR_SIZE, MADV_DONTNEED))
		memset(h->bar, 0, TALLY_BAR_SIZE);
	*h->ident = kept;
}

int host_power_cycle(struct host *h)
{
	nic_free(h->nic);
	h->nic = NULL;
	sim_cancel(h->sim, &h->irq);
	host_queues_drop(h, true);
	forget_numbers(h);
	wipe_bar(h);
	return new_nic(h);
}

bool host_offers(const struct host *h, uint64_t caps)
{
	return !(caps & ~le64toh(h->ident->caps));
}

bool host_segs_take(struct host *h, uint32_t n)
{
	if (n > h->max_segs - h->segs_used)
		return false;
	h->segs_used += n;
	return true;
}

void host_segs_give(struct host *h, uint32_t n)
{
	h->segs_used -= n;
}

void host_ring_device(struct host *h)
{
	nic_doorbells(h->nic);
}

void host_error(struct host *h, const char *what)
{
	h->cfg.on_error(h->cfg.on_error_arg, h, what);
}
