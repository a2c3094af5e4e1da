// SPDX-License-Identifier: BSD-2-Clause
#include "nic/nic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/cycles.h"
#include "nic/priv.h"

/*
 * Default timing, used for VMs; a benchmark sets its own. Doorbell: 137 ns one way over PCIe
 * (Zambre et al., "Breaking Band", ICPP 2019, table 1), rounded up. Read: an assumption, somewhat
 * better than the median of 547 ns for 64 bytes in 2018 (Neugebauer et al., "Understanding PCIe
 * performance for end host networking", SIGCOMM 2018, section 6.2), which includes the device's own
 * time. Write: an assumption, the time of a doorbell plus 50 ns until the data are in a CPU's
 * cache. Rate: 16 lanes of 16 GT/s carry 252 Gb/s after the 128b/130b code, of which 80% remain for
 * payload, as in section 3 of the latter. Engine: 250 MHz, at which FPGA NICs run (Forencich et
 * al., "Corundum", FCCM 2020); the cycles are those of the hardware.
 */
const struct nic_timing nic_timing_default = {
	.doorbell_ns = 150,
	.pcie_read_ns = 450,
	.pcie_write_ns = 200,
	.pcie_mbps = 200000,
	.engine = { .clock_mhz = 250,
		    .request = ENGINE_CYCLES_REQUEST,
		    .parse = ENGINE_CYCLES_PARSE,
		    .alu = ENGINE_CYCLES_ALU,
		    .chain = ENGINE_CYCLES_CHAIN,
		    .encap = ENGINE_CYCLES_ENCAP,
		    .status = ENGINE_CYCLES_STATUS,
		    .access = ENGINE_CYCLES_ACCESS,
		    .event = ENGINE_CYCLES_EVENT },
};

#define CACHE_LINE	64

struct engine *nic_enter(struct nic *nic)
{
	engine_advance(nic->engine, sim_now(nic->sim));
	return nic->engine;
}

void nic_leave(struct nic *nic)
{
	vtime_t next = engine_next(nic->engine);

	if (next == nic->timer_at)
		return;
	nic->timer_at = next;
	if (next == VT_NEVER)
		sim_cancel(nic->sim, &nic->timer);
	else
		sim_schedule(nic->sim, &nic->timer, next);
}

static void timer_fired(void *arg)
{
	struct nic *nic = arg;

	nic->timer_at = VT_NEVER;
	nic_enter(nic);
	nic_leave(nic);
}

#define NUM_LINES	9

static struct delay_line *line_at(struct nic *nic, unsigned int i)
{
	struct delay_line *const lines[NUM_LINES] = {
		&nic->doorbells, &nic->engine_reads, &nic->pushes, &nic->reads, &nic->write_issues,
		&nic->writes, &nic->completions, &nic->tx, &nic->rx
	};

	return lines[i];
}

/* Drop everything in flight: the engine must get no answer after its reset. */
static void stop_work(struct nic *nic)
{
	for (unsigned int i = 0; i < NUM_LINES; i++)
		delay_line_clear(line_at(nic, i));
	tx_drop(nic);
	ports_forget(nic);
	nic->read_busy = nic->write_busy = nic->last_write = 0;
	units_reset(nic);
	engine_reset(nic->engine);
	nic_leave(nic);
}

void nic_drop_all(struct nic *nic)
{
	struct qp *qp;
	struct cq *cq;

	stop_work(nic);
	while ((qp = TAILQ_FIRST(&nic->qps)))
		qp_free(nic, qp);
	while ((cq = TAILQ_FIRST(&nic->cqs)))
		cq_free(nic, cq);
	for (uint32_t i = 0; i < TALLY_MAX_EQ; i++)
		eq_free(nic, i);
	mr_free_all(nic);
	nic->groups = 0;
	aq_drop(nic);
	memset(&nic->aq, 0, sizeof(nic->aq));
	memset(nic->counters, 0, sizeof(nic->counters));
	inject_clear(&nic->inject);
}

/* The objects stay until the driver's reset, the only request that the device still obeys. */
void nic_fatal(struct nic *nic, enum tally_fatal code)
{
	if (nic->state != TALLY_DEVICE_READY)
		return;
	ident_state(nic, TALLY_DEVICE_FATAL, code);
	stop_work(nic);
	eq_raise_fatal(nic, code);
}

bool nic_doorbells(struct nic *nic)
{
	bool news = reset_poll(nic);

	ident_seen(nic);
	if (nic->state == TALLY_DEVICE_READY)
		news |= aq_poll(nic);
	if (nic->state != TALLY_DEVICE_READY)
		return news;
	news |= cq_poll(nic);
	if (nic->state == TALLY_DEVICE_READY)
		news |= qp_poll(nic);
	return news;
}

void nic_sleep(struct nic *nic, bool asleep)
{
	bar_store32(&nic->status->need_wake, asleep);
	/* Pairs with the host's fence between its doorbell and its read of need_wake. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static int check_cfg(const struct nic_cfg *cfg)
{
	static const uint8_t zero[6];

	if (cfg->mac[0] & 1 || !memcmp(cfg->mac, zero, sizeof(zero)))
		return EINVAL;
	if ((uintptr_t)cfg->bar % TALLY_PAGE_SIZE)
		return EINVAL;
	return 0;
}

static void init_bar(struct nic *nic, void *bar)
{
	nic->bar = bar;
	nic->ident = (void *)(nic->bar + TALLY_BAR_IDENT_OFFSET);
	nic->control = (const void *)(nic->bar + TALLY_BAR_CONTROL_OFFSET);
	nic->status = (void *)(nic->bar + TALLY_BAR_STATUS_OFFSET);
}

static void init_work(struct nic *nic, struct sim *sim)
{
	for (unsigned int i = 0; i < NUM_LINES; i++)
		delay_line_init(line_at(nic, i), sim, nic);
	sim_event_init(&nic->timer, timer_fired, nic);
	nic->timer.touches = nic->engine;
	nic->timer_at = VT_NEVER;
	TAILQ_INIT(&nic->cqs);
	TAILQ_INIT(&nic->qps);
}

/* Let the caches fetch what events will use: the NIC's first line, then the rest, then the engine's. */
static void expect(void *arg, unsigned int ahead)
{
	const struct nic *nic = arg;
	const char *at = arg, *end = (const char *)&nic->aq;

	if (ahead > 3) {
		__builtin_prefetch(nic);
		return;
	}
	for (; ahead > 2 && at < end; at += CACHE_LINE)
		__builtin_prefetch(at);
	engine_expect(nic->engine, ahead);
}

static void set_domain(struct nic *nic, uint16_t domain)
{
	for (unsigned int i = 0; i < NUM_LINES; i++)
		line_at(nic, i)->event.domain = domain;
	nic->timer.domain = domain;
	nic->carrier.domain = domain;
	nic->clock.domain = domain;
	sim_set_expect(nic->sim, domain, expect, nic);
}

/* Create the engine, with the units that are not its own. Returns 0 or an errno. */
static int init_engine(struct nic *nic, const struct nic_cfg *cfg)
{
	struct engine_timing timing = cfg->timing.engine;
	int err;

	memcpy(nic->mac, cfg->mac, sizeof(nic->mac));
	nic_gid(nic->gid, nic->mac);
	nic->engine = engine_new(&nic_engine_host, nic, cfg->seed);
	if (!nic->engine)
		return ENOMEM;
	units_timing(cfg, &timing);
	engine_set_timing(nic->engine, &timing);
	err = units_open(nic, cfg);
	if (err)
		engine_free(nic->engine);
	return err;
}

struct nic *nic_new(struct sim *sim, const struct nic_cfg *cfg)
{
	int err = check_cfg(cfg);
	struct nic *nic;

	if (err) {
		errno = err;
		return NULL;
	}
	nic = calloc(1, sizeof(*nic));
	if (!nic)
		return NULL;
	err = init_engine(nic, cfg);
	if (err) {
		free(nic);
		errno = err;
		return NULL;
	}
	nic->sim = sim;
	nic->bus = (struct bus){ .ops = cfg->bus, .ctx = cfg->bus_ctx };
	nic->link_mbps = cfg->link_mbps;
	nic->max_groups = cfg->max_groups ? cfg->max_groups : TALLY_MAX_GROUP;
	nic->max_segs = cfg->max_segs ? cfg->max_segs : TALLY_MAX_SEG;
	engine_set_limits(nic->engine, nic->max_groups, nic->max_segs);
	engine_set_lacking(nic->engine, cfg->no_opcodes);
	nic->timing = cfg->timing;
	nic->commits = cfg->commits;
	inject_init(&nic->inject, cfg->seed);
	init_bar(nic, cfg->bar);
	init_work(nic, sim);
	spans_start(nic, cfg->name);
	ports_attach(nic, (struct fab_port *const[NIC_PORTS]){ cfg->port, cfg->port2 });
	set_domain(nic, cfg->domain);
	ident_start(nic);
	nic_sleep(nic, false);
	return nic;
}

void nic_free(struct nic *nic)
{
	if (!nic)
		return;
	ports_detach(nic);
	nic_drop_all(nic);
	sim_cancel(nic->sim, &nic->timer);
	units_close(nic);
	engine_free(nic->engine);
	free(nic);
}
