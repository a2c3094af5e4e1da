// SPDX-License-Identifier: BSD-2-Clause
#include "nic/test/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

static void *host_map(void *ctx, uint64_t addr, size_t len)
{
	struct host *h = ctx;

	assert_true(len > 0 && addr % TALLY_PAGE_SIZE + len <= TALLY_PAGE_SIZE);
	if (addr < HOST_BASE || addr - HOST_BASE > HOST_BYTES - len)
		return NULL;
	if (h->hole_bytes && addr < h->hole + h->hole_bytes && h->hole < addr + len)
		return NULL;
	return h->mem + (addr - HOST_BASE);
}

static void host_interrupt(void *ctx, unsigned int vector)
{
	struct host *h = ctx;

	assert_true(vector < TALLY_NUM_VECTORS);
	h->interrupts[vector]++;
}

static const struct nic_bus host_bus = { .map = host_map, .interrupt = host_interrupt };

const struct nic_units *host_units;

/*
 * Map zeroed pages, which need memory only when they are used, and which end at an inaccessible
 * one.
 */
static void *pages(size_t len)
{
	uint8_t *p = mmap(NULL, len + TALLY_PAGE_SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(p != MAP_FAILED);
	assert_int_equal(mprotect(p + len, TALLY_PAGE_SIZE, PROT_NONE), 0);
	return p;
}

static void pages_free(void *p, size_t len)
{
	assert_int_equal(munmap(p, len + TALLY_PAGE_SIZE), 0);
}

void host_mac(unsigned int number, uint8_t mac[6])
{
	const uint8_t bytes[6] = { 0x02, 0x54, 0, 0, 0, 1 + number };

	memcpy(mac, bytes, sizeof(bytes));
}

static struct host *new_host(struct fab_port *port, struct fab_port *port2, struct sim *sim,
			     unsigned int number, uint32_t no_opcodes)
{
	struct host *h = calloc(1, sizeof(*h));
	struct nic_cfg cfg = {
		.bus = &host_bus,
		.bus_ctx = h,
		.port = port,
		.port2 = port2,
		.link_mbps = 100000,
		.timing = nic_timing_default,
		.seed = 1 + number,
		.no_opcodes = no_opcodes,
		.units = host_units,
	};

	assert_non_null(h);
	host_mac(number, cfg.mac);
	h->sim = sim;
	h->port = port;
	h->mem = pages(HOST_BYTES);
	h->bar = pages(TALLY_BAR_SIZE);
	h->ident = (void *)(h->bar + TALLY_BAR_IDENT_OFFSET);
	h->control = (void *)(h->bar + TALLY_BAR_CONTROL_OFFSET);
	h->status = (void *)(h->bar + TALLY_BAR_STATUS_OFFSET);
	h->aq_sq = host_alloc(h, HOST_AQ_DEPTH * sizeof(struct tally_admin_cmd), TALLY_PAGE_SIZE);
	h->aq_cq = host_alloc(h, HOST_AQ_DEPTH * sizeof(struct tally_admin_cqe), TALLY_PAGE_SIZE);
	cfg.bar = h->bar;
	h->nic = nic_new(h->sim, &cfg);
	assert_non_null(h->nic);
	h->engine = h->nic->engine;
	return h;
}

struct host *host_new(struct fab_port *port, struct sim *sim)
{
	return new_host(port, NULL, sim, 0, 0);
}

struct host *host_new_numbered(struct fab_port *port, struct sim *sim, unsigned int number)
{
	return new_host(port, NULL, sim, number, 0);
}

struct host *host_new_two(struct fab_port *port, struct fab_port *port2, struct sim *sim)
{
	return new_host(port, port2, sim, 0, 0);
}

struct host *host_new_lacking(struct sim *sim, uint32_t no_opcodes)
{
	return new_host(NULL, NULL, sim, 0, no_opcodes);
}

void host_free(struct host *h)
{
	nic_free(h->nic);
	pages_free(h->mem, HOST_BYTES);
	pages_free(h->bar, TALLY_BAR_SIZE);
	free(h);
}

uint64_t host_alloc(struct host *h, size_t len, size_t align)
{
	uint64_t at = (h->used + align - 1) / align * align;

	assert_true(at + len <= HOST_BYTES);
	h->used = at + len;
	memset(h->mem + at, 0, len);
	return HOST_BASE + at;
}

void *host_ptr(struct host *h, uint64_t addr)
{
	return h->mem + (addr - HOST_BASE);
}

void host_run(struct host *h)
{
	nic_doorbells(h->nic);
	if (h->run_for)
		sim_run_until(h->sim, sim_now(h->sim) + h->run_for);
	else
		assert_true(sim_run_idle(h->sim, sim_now(h->sim) + VT_S));
}

void host_reset(struct host *h)
{
	struct tally_control *c = h->control;

	memset(host_ptr(h, h->aq_cq), 0, HOST_AQ_DEPTH * sizeof(struct tally_admin_cqe));
	h->commands = 0;
	c->aq_db = 0;
	c->aq_ci = 0;
	memset(c->eq_db, 0, sizeof(c->eq_db));
	c->rsvd0 = 0;
	c->driver_abi = htole32(TALLY_ABI_VERSION);
	c->aq_depth = htole32(HOST_AQ_DEPTH);
	c->aq_sq_addr = htole64(h->aq_sq);
	c->aq_cq_addr = htole64(h->aq_cq);
	/* Not reset_ack of the page, because a fuzzer may have written there. */
	c->reset_req = htole32(h->nic->reset_ack + 1);
	host_run(h);
}

struct tally_admin_cqe host_command(struct host *h, unsigned int opcode, const void *body)
{
	struct tally_admin_cmd *cmd = host_ptr(h, h->aq_sq);
	const struct tally_admin_cqe *cqe = host_ptr(h, h->aq_cq);
	uint64_t n = h->commands++;
	unsigned int before = h->interrupts[0];

	cmd += n % HOST_AQ_DEPTH;
	cqe += n % HOST_AQ_DEPTH;
	*cmd = (struct tally_admin_cmd){ .opcode = htole16(opcode), .id = htole16(0x4000 + n) };
	if (body)
		memcpy(cmd->body, body, sizeof(cmd->body));
	h->control->aq_db = htole64(h->commands);
	host_run(h);
	assert_int_equal(cqe->owner, n / HOST_AQ_DEPTH % 2 ? 0 : TALLY_OWNER_PHASE);
	assert_int_equal(le16toh(cqe->id), 0x4000 + n);
	assert_int_equal(h->interrupts[0], before + 1);
	h->control->aq_ci = htole64(h->commands);
	return *cqe;
}

void host_must(struct host *h, unsigned int opcode, const void *body)
{
	struct tally_admin_cqe cqe = host_command(h, opcode, body);

	assert_int_equal(le16toh(cqe.status), TALLY_ADMIN_STATUS_OK);
	assert_int_equal(le16toh(cqe.bad_offset), 0xffff);
}

static struct tally_mem flat(uint64_t addr, uint64_t len)
{
	return (struct tally_mem){ .addr = htole64(addr), .length = htole64(len) };
}

union admin_body host_create_eq(struct host *h)
{
	union admin_body b = { .raw = { 0 } };
	size_t len = HOST_EQ_DEPTH * sizeof(struct tally_eqe);

	h->eq_ring = host_alloc(h, len, TALLY_PAGE_SIZE);
	b.create_eq.eqn = htole32(HOST_EQN);
	b.create_eq.depth = htole32(HOST_EQ_DEPTH);
	b.create_eq.vector = htole32(1);
	b.create_eq.ring = flat(h->eq_ring, len);
	return b;
}

union admin_body host_create_cq(struct host *h)
{
	union admin_body b = { .raw = { 0 } };
	size_t ring = HOST_CQ_DEPTH * sizeof(struct tally_cqe);
	size_t len = ring + sizeof(struct tally_cq_record);
	struct slot_id id = { .uar = 0, .slot = 1 };

	h->cq_ring = host_alloc(h, len, TALLY_PAGE_SIZE);
	h->cq_record = host_ptr(h, h->cq_ring + ring);
	h->cq_slot = slot_at(h->nic, id);
	memset(h->cq_slot, 0, sizeof(*h->cq_slot));
	b.create_cq.cqn = htole32(HOST_CQN);
	b.create_cq.depth = htole32(HOST_CQ_DEPTH);
	b.create_cq.eqn = htole32(HOST_EQN);
	b.create_cq.slot = htole16(id.slot);
	b.create_cq.ring = flat(h->cq_ring, len);
	return b;
}

union admin_body host_create_qp(struct host *h)
{
	union admin_body b = { .raw = { 0 } };
	size_t len = HOST_SQ_DEPTH * HOST_SQ_STRIDE;
	struct slot_id id = { .uar = TALLY_NUM_UARS - 1, .slot = TALLY_UAR_SLOTS - 1 };

	h->sq = host_alloc(h, len, TALLY_PAGE_SIZE);
	h->qp_slot = slot_at(h->nic, id);
	memset(h->qp_slot, 0, sizeof(*h->qp_slot));
	h->push = (struct tally_push_buf *)(h->bar + TALLY_BAR_PUSH_OFFSET) + id.uar;
	b.create_qp.qpn = htole32(HOST_QPN);
	b.create_qp.pd = htole32(HOST_PD);
	b.create_qp.cqn = htole32(HOST_CQN);
	b.create_qp.ranks = htole64(1);
	b.create_qp.holder = htole64(3);
	b.create_qp.depth = htole32(HOST_SQ_DEPTH);
	b.create_qp.stride = htole32(HOST_SQ_STRIDE);
	b.create_qp.uar = htole16(id.uar);
	b.create_qp.slot = htole16(id.slot);
	b.create_qp.port = htole16(9);
	b.create_qp.push = htole16(h->push_qp);
	b.create_qp.sq = flat(h->sq, len);
	return b;
}

union admin_body host_reg_mr(struct host *h)
{
	union admin_body b = { .raw = { 0 } };

	h->mr = host_alloc(h, HOST_MR_BYTES, TALLY_PAGE_SIZE);
	b.reg_mr.lkey = htole32(HOST_LKEY);
	b.reg_mr.pd = htole32(HOST_PD);
	b.reg_mr.access = htole32(TALLY_ACCESS_LOCAL_WRITE);
	b.reg_mr.iova = htole64(HOST_IOVA);
	b.reg_mr.buf = flat(h->mr, HOST_MR_BYTES);
	return b;
}

union admin_body host_create_group(struct host *h, uint32_t num_edges)
{
	union admin_body b = { .raw = { 0 } };
	size_t len = sizeof(struct tally_group_cfg) + num_edges * sizeof(struct tally_group_edge);
	uint64_t addr = host_alloc(h, len, sizeof(uint64_t));
	struct tally_group_cfg *cfg = host_ptr(h, addr);
	struct tally_group_edge *edges = (struct tally_group_edge *)(cfg + 1);
	uint32_t i;

	cfg->jid = htole32(0x1234);
	cfg->num_edges = htole16(num_edges);
	for (i = 0; i < num_edges; i++) {
		edges[i].gid[0] = 0xfe;
		edges[i].mac[0] = 0x02;
	}
	b.group.group = htole32(2);
	b.group.length = htole32(len);
	b.group.addr = htole64(addr);
	return b;
}

void host_objects(struct host *h)
{
	union admin_body eq, cq, qp, mr;

	host_reset(h);
	eq = host_create_eq(h);
	cq = host_create_cq(h);
	qp = host_create_qp(h);
	mr = host_reg_mr(h);
	host_must(h, TALLY_ADMIN_CREATE_EQ, &eq);
	host_must(h, TALLY_ADMIN_CREATE_CQ, &cq);
	host_must(h, TALLY_ADMIN_CREATE_QP, &qp);
	host_must(h, TALLY_ADMIN_REG_MR, &mr);
}

struct tally_cqe *host_cqe(struct host *h, uint32_t i)
{
	return (struct tally_cqe *)host_ptr(h, h->cq_ring) + i;
}

struct tally_eqe *host_eqe(struct host *h, uint32_t i)
{
	return (struct tally_eqe *)host_ptr(h, h->eq_ring) + i;
}

void host_complete(struct host *h, uint32_t index, bool solicited)
{
	struct tally_cqe cqe = { .qpn = htole32(HOST_QPN), .wqe_index = htole32(index) };

	h->engine->host->complete(h->engine->ctx, HOST_CQN, &cqe, solicited, 0);
}
