// SPDX-License-Identifier: BSD-2-Clause
/* Tests memory regions, accesses in virtual time, doorbells and fetching. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nic/test/host.h"

static int setup(void **state)
{
	struct host *h = host_new(NULL, sim_new(1));

	host_objects(h);
	*state = h;
	return 0;
}

static int teardown(void **state)
{
	struct host *h = *state;
	struct sim *sim = h->sim;

	host_free(h);
	sim_free(sim);
	return 0;
}

static enum tally_coll_status check(struct host *h, uint32_t pd, uint64_t addr, uint32_t len,
				    uint32_t lkey, bool write)
{
	struct engine_sge sge = { addr, len, lkey };
	enum tally_coll_status status = h->engine->host->check(h->engine->ctx, pd, &sge, write);

	/* An access that the check refuses is refused when it is made, too. */
	if (write)
		h->engine->host->write(h->engine->ctx, pd, &sge, h->bar, 17, 0);
	else
		h->engine->host->read(h->engine->ctx, pd, &sge, 17, 0);
	host_run(h);
	assert_int_equal(write ? h->engine->write_status : h->engine->read_status, status);
	return status;
}

static void region_bounds(void **state)
{
	struct host *h = *state;
	const uint64_t start = HOST_IOVA, end = HOST_IOVA + HOST_MR_BYTES;
	const uint32_t key = HOST_LKEY;

	assert_int_equal(check(h, HOST_PD, start, HOST_MR_BYTES, key, true), TALLY_COLL_OK);
	assert_int_equal(check(h, HOST_PD, start, HOST_MR_BYTES, key, false), TALLY_COLL_OK);
	assert_int_equal(check(h, HOST_PD, end - 1, 1, key, true), TALLY_COLL_OK);
	assert_int_equal(check(h, HOST_PD, end, 0, key, false), TALLY_COLL_OK);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_dma_errors), 0);
	assert_int_equal(check(h, HOST_PD, start - 1, 1, key, false), TALLY_COLL_MR_RANGE);
	assert_int_equal(check(h, HOST_PD, start, HOST_MR_BYTES + 1, key, false),
			 TALLY_COLL_MR_RANGE);
	assert_int_equal(check(h, HOST_PD, end, 1, key, true), TALLY_COLL_MR_RANGE);
	assert_int_equal(check(h, HOST_PD, end + 1, 0, key, false), TALLY_COLL_MR_RANGE);
	assert_int_equal(check(h, HOST_PD, end - 1, 8192, key, false), TALLY_COLL_MR_RANGE);
	assert_int_equal(check(h, HOST_PD, UINT64_MAX, 16, key, false), TALLY_COLL_MR_RANGE);
	assert_int_equal(check(h, HOST_PD, 0, 0, key, false), TALLY_COLL_MR_RANGE);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_dma_errors), 7);
}

static void keys(void **state)
{
	struct host *h = *state;
	union admin_body id = { .raw = { 0 } };

	assert_int_equal(check(h, HOST_PD + 1, HOST_IOVA, 8, HOST_LKEY, false),
			 TALLY_COLL_BAD_LKEY);
	assert_int_equal(check(h, HOST_PD - 1, HOST_IOVA, 8, HOST_LKEY, true),
			 TALLY_COLL_BAD_LKEY);
	assert_int_equal(check(h, HOST_PD, HOST_IOVA, 8, HOST_LKEY ^ 1, false),
			 TALLY_COLL_BAD_LKEY);
	assert_int_equal(check(h, HOST_PD, HOST_IOVA, 8, 0, false), TALLY_COLL_BAD_LKEY);
	assert_int_equal(check(h, HOST_PD, HOST_IOVA, 8, UINT32_MAX, false), TALLY_COLL_BAD_LKEY);
	id.object.id = htole32(HOST_LKEY);
	host_must(h, TALLY_ADMIN_DEREG_MR, &id);
	assert_int_equal(check(h, HOST_PD, HOST_IOVA, 8, HOST_LKEY, true), TALLY_COLL_BAD_LKEY);
}

static void read_only_region(void **state)
{
	struct host *h = *state;
	union admin_body mr = host_reg_mr(h);

	mr.reg_mr.lkey = htole32(0x500);
	mr.reg_mr.access = htole32(TALLY_ACCESS_REMOTE_READ | TALLY_ACCESS_REMOTE_WRITE);
	host_must(h, TALLY_ADMIN_REG_MR, &mr);
	assert_int_equal(check(h, HOST_PD, HOST_IOVA, 8, 0x500, false), TALLY_COLL_OK);
	assert_int_equal(check(h, HOST_PD, HOST_IOVA, 8, 0x500, true), TALLY_COLL_MR_ACCESS);
}

/* A key is deregistered while an access is in flight: memory is not touched. */
static void stale_key(void **state)
{
	struct host *h = *state;
	struct engine_sge sge = { HOST_IOVA, 64, HOST_LKEY };
	uint8_t data[64];

	memset(data, 0xaa, sizeof(data));
	assert_int_equal(h->engine->host->check(h->engine->ctx, HOST_PD, &sge, true), 0);
	h->engine->host->write(h->engine->ctx, HOST_PD, &sge, data, 1, 0);
	mr_free(h->nic, mr_index(HOST_LKEY));
	host_run(h);
	assert_int_equal(h->engine->write_status, TALLY_COLL_BAD_LKEY);
	assert_int_equal(*(uint8_t *)host_ptr(h, h->mr), 0);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_dma_errors), 1);
}

static void write_then_read(void **state)
{
	struct host *h = *state;
	struct engine_sge sge = { HOST_IOVA + 4000, 5000, HOST_LKEY };
	uint8_t data[5000];
	size_t i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 3);
	h->engine->host->write(h->engine->ctx, HOST_PD, &sge, data, 7, 0);
	memset(data, 0, sizeof(data));		/* copied before the call returned */
	host_run(h);
	assert_int_equal(h->engine->write_tag, 7);
	assert_int_equal(h->engine->write_status, TALLY_COLL_OK);
	h->engine->host->read(h->engine->ctx, HOST_PD, &sge, 8, 0);
	host_run(h);
	assert_int_equal(h->engine->read_tag, 8);
	assert_int_equal(h->engine->read_len, sizeof(data));
	for (i = 0; i < sizeof(data); i++) {
		assert_int_equal(h->engine->read_data[i], (uint8_t)(i * 3));
		assert_int_equal(((uint8_t *)host_ptr(h, h->mr))[4000 + i], (uint8_t)(i * 3));
	}
}

static void memory_gone(void **state)
{
	struct host *h = *state;

	h->hole = h->mr + 4096;
	h->hole_bytes = 4096;
	assert_int_equal(h->engine->host->check(h->engine->ctx, HOST_PD,
				&(struct engine_sge){ HOST_IOVA, 8192, HOST_LKEY }, true), 0);
	h->engine->host->write(h->engine->ctx, HOST_PD,
			       &(struct engine_sge){ HOST_IOVA, 8192, HOST_LKEY }, h->bar, 1, 0);
	h->engine->host->read(h->engine->ctx, HOST_PD,
			      &(struct engine_sge){ HOST_IOVA, 8192, HOST_LKEY }, 2, 0);
	host_run(h);
	assert_int_equal(h->engine->write_status, TALLY_COLL_DMA_ERROR);
	assert_int_equal(h->engine->read_status, TALLY_COLL_DMA_ERROR);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_dma_errors), 2);
}

/* 4096 bytes at 200 Gb/s take 163.84 ns, and the accesses of a direction use the bus in turn. */
static void latencies(void **state)
{
	struct host *h = *state;
	struct engine_sge sge = { HOST_IOVA, 4096, HOST_LKEY };
	vtime_t start = sim_now(h->sim);
	const uint8_t *mr = host_ptr(h, h->mr);
	uint8_t data[4096];

	h->engine->host->read(h->engine->ctx, HOST_PD, &sge, 1, 0);
	host_run(h);
	assert_int_equal(h->engine->done_at - start, 450 * VT_NS + 163840);
	start = sim_now(h->sim);
	memset(data, 0x5a, sizeof(data));
	h->engine->host->write(h->engine->ctx, HOST_PD, &sge, data, 1, 0);
	memset(data, 0xa5, sizeof(data));
	h->engine->host->write(h->engine->ctx, HOST_PD, &sge, data, 2, 0);
	h->engine->host->read(h->engine->ctx, HOST_PD, &(struct engine_sge){ HOST_IOVA, 0,
			      HOST_LKEY }, 3, 0);
	/* A write is answered when the bus accepts it, and is in memory later. */
	sim_run_until(h->sim, start + 163839);
	assert_int_equal(h->engine->write_tag, 1);
	sim_run_until(h->sim, start + 163840);
	assert_int_equal(h->engine->write_tag, 2);
	sim_run_until(h->sim, start + 200 * VT_NS + 163839);
	assert_int_equal(*mr, 0);
	sim_run_until(h->sim, start + 200 * VT_NS + 163840);
	assert_int_equal(*mr, 0x5a);
	sim_run_until(h->sim, start + 450 * VT_NS - 1);
	assert_int_equal(h->engine->reads, 1);
	sim_run_until(h->sim, start + 450 * VT_NS);
	assert_int_equal(h->engine->read_tag, 3);
	assert_int_equal(*mr, 0x5a);
	host_run(h);
	assert_int_equal(*mr, 0xa5);
	assert_int_equal(sim_now(h->sim) - start, 200 * VT_NS + 2 * 163840);
}

/* Reads are faster than writes here, but a read still returns what was written before. */
static void read_behind_write(void **state)
{
	struct host *h = *state;
	struct engine_sge sge = { HOST_IOVA, 64, HOST_LKEY };
	uint8_t data[64];

	memset(data, 0x5a, sizeof(data));
	h->nic->timing.pcie_read_ns = 1;
	h->engine->host->write(h->engine->ctx, HOST_PD, &sge, data, 1, 0);
	while (!h->engine->writes)
		sim_run_until(h->sim, sim_now(h->sim) + VT_NS);
	h->engine->host->read(h->engine->ctx, HOST_PD, &sge, 2, 0);
	host_run(h);
	assert_memory_equal(h->engine->read_data, data, sizeof(data));
	/* Answered and carried out at the same time. */
	h->nic->timing.pcie_write_ns = 0;
	h->nic->timing.pcie_mbps = 0;
	memset(data, 0xa5, sizeof(data));
	h->engine->host->write(h->engine->ctx, HOST_PD, &sge, data, 3, 0);
	h->engine->host->write(h->engine->ctx, HOST_PD, &sge, data, 4, 0);
	host_run(h);
	assert_int_equal(h->engine->writes, 3);
	assert_memory_equal(host_ptr(h, h->mr), data, sizeof(data));
}

/* A region is deregistered, or the device is reset, between the answer and the data. */
static void between(void **state)
{
	struct host *h = *state;
	struct engine_sge sge = { HOST_IOVA, 64, HOST_LKEY };
	uint8_t data[64], *mr = host_ptr(h, h->mr);

	memset(data, 0x5a, sizeof(data));
	h->engine->host->write(h->engine->ctx, HOST_PD, &sge, data, 1, 0);
	sim_run_until(h->sim, sim_now(h->sim));
	assert_int_equal(h->engine->writes, 1);
	mr_free(h->nic, mr_index(HOST_LKEY));
	host_run(h);
	assert_int_equal(*mr, 0x5a);	/* permitted when it was answered */
	memset(mr, 0, sizeof(data));
	host_objects(h);
	mr = host_ptr(h, h->mr);
	h->engine->host->write(h->engine->ctx, HOST_PD, &sge, data, 2, 0);
	h->engine->host->write(h->engine->ctx, HOST_PD, &sge, data, 3, VT_US);
	sim_run_until(h->sim, sim_now(h->sim));
	host_reset(h);
	assert_int_equal(*mr, 0);
	assert_int_equal(h->engine->writes, 2);
}

static void write_after(struct host *h, uint64_t iova, uint32_t len, vtime_t delay)
{
	struct engine_sge sge = { iova, len, HOST_LKEY };
	uint8_t data[64] = { 1 };

	h->engine->host->write(h->engine->ctx, HOST_PD, &sge, data, 1, delay);
}

/* The engine's own time comes before that of the bus, and writes still keep their order. */
static void delays(void **state)
{
	struct tally_cqe cqe = { .qpn = htole32(HOST_QPN) };
	struct engine_sge sge = { HOST_IOVA, 4096, HOST_LKEY };
	struct host *h = *state;
	const uint8_t *mr = host_ptr(h, h->mr);
	vtime_t start = sim_now(h->sim), there;

	h->engine->host->read(h->engine->ctx, HOST_PD, &sge, 1, 1000 * VT_NS);
	h->engine->host->fetch_wqe(h->engine->ctx, HOST_QPN, 0);
	sim_run_until(h->sim, start + 999 * VT_NS);
	assert_int_equal(h->engine->wqes, 1);		/* not held up by a later read */
	host_run(h);
	assert_int_equal(h->engine->done_at - start, 1450 * VT_NS + 163840);

	start = sim_now(h->sim);
	write_after(h, HOST_IOVA, 64, 500 * VT_NS);
	write_after(h, HOST_IOVA + 64, 64, 0);
	h->engine->host->complete(h->engine->ctx, HOST_CQN, &cqe, false, 100 * VT_NS);
	there = start + 700 * VT_NS + 2560;
	sim_run_until(h->sim, start + 500 * VT_NS - 1);
	assert_int_equal(h->engine->writes, 0);
	sim_run_until(h->sim, start + 500 * VT_NS);
	assert_int_equal(h->engine->writes, 1);
	sim_run_until(h->sim, there - 1);
	assert_int_equal(mr[0], 0);
	sim_run_until(h->sim, there);
	assert_int_equal(mr[0], 1);
	assert_int_equal(mr[64], 0);
	sim_run_until(h->sim, there + 2560);
	assert_int_equal(mr[64], 1);
	assert_int_equal(h->engine->writes, 2);
	assert_int_equal(host_cqe(h, 0)->owner, 0);
	sim_run_until(h->sim, there + 2 * 2560);
	assert_int_equal(host_cqe(h, 0)->owner, TALLY_OWNER_PHASE);
	/* A reset forgets accesses that have not reached the bus. */
	h->engine->reads = 0;
	h->engine->host->read(h->engine->ctx, HOST_PD, &sge, 1, VT_MS);
	host_objects(h);
	assert_int_equal(h->engine->reads, 0);
}

static void doorbell(void **state)
{
	struct host *h = *state;
	vtime_t start = sim_now(h->sim);

	h->qp_slot->counter = htole64(2);
	assert_true(nic_doorbells(h->nic));
	assert_int_equal(h->engine->doorbells, 0);
	sim_run_until(h->sim, start + 100 * VT_NS);
	h->qp_slot->counter = htole64(3);
	nic_doorbells(h->nic);
	sim_run_until(h->sim, start + 150 * VT_NS);
	assert_int_equal(h->engine->posted, 2);
	assert_int_equal(h->engine->qpn, HOST_QPN);
	host_run(h);
	assert_int_equal(h->engine->posted, 3);
	assert_int_equal(h->engine->doorbell_at, start + 250 * VT_NS);
	assert_int_equal(h->engine->doorbells, 2);
	/* Backwards: stale. */
	h->qp_slot->counter = htole64(1);
	assert_false(nic_doorbells(h->nic));
}

/* Two doorbells at the same time become one, with the newest count. */
static void doorbells_merge(void **state)
{
	struct host *h = *state;

	h->qp_slot->counter = htole64(1);
	nic_doorbells(h->nic);
	h->qp_slot->counter = htole64(2);
	nic_doorbells(h->nic);
	host_run(h);
	assert_int_equal(h->engine->doorbells, 1);
	assert_int_equal(h->engine->posted, 2);
}

static void modify(struct host *h, enum tally_qp_state to)
{
	union admin_body m = { .raw = { 0 } };

	m.modify_qp.qpn = htole32(HOST_QPN);
	m.modify_qp.state = (uint8_t)to;
	host_must(h, TALLY_ADMIN_MODIFY_QP, &m);
	assert_int_equal(h->engine->modified_state, to);
}

/* In RESET doorbells are ignored, and afterwards the count begins at 0. */
static void reset_of_a_queue_pair(void **state)
{
	struct host *h = *state;

	h->qp_slot->counter = htole64(3);
	host_run(h);
	assert_int_equal(h->engine->posted, 3);
	modify(h, TALLY_QPS_RESET);
	h->qp_slot->counter = htole64(4);
	host_run(h);
	assert_int_equal(h->engine->posted, 3);
	h->qp_slot->counter = 0;
	modify(h, TALLY_QPS_RTS);
	assert_int_equal(h->engine->doorbells, 1);
	h->qp_slot->counter = htole64(1);
	host_run(h);
	assert_int_equal(h->engine->posted, 1);
	assert_int_equal(h->engine->doorbells, 2);
	/* A doorbell in flight is forgotten at a reset. */
	h->nic->timing.doorbell_ns = 1000000;
	h->qp_slot->counter = htole64(2);
	nic_doorbells(h->nic);
	h->nic->timing.doorbell_ns = 1;
	modify(h, TALLY_QPS_RESET);
	assert_int_equal(h->engine->doorbells, 2);
}

static void fetch(void **state)
{
	struct host *h = *state;
	uint8_t *sq = host_ptr(h, h->sq);
	size_t i;

	for (i = 0; i < HOST_SQ_DEPTH; i++)
		memset(sq + i * HOST_SQ_STRIDE, (int)(i + 1), HOST_SQ_STRIDE);
	h->engine->host->fetch_wqe(h->engine->ctx, HOST_QPN, 0xfffffffeu);
	host_run(h);
	assert_int_equal(h->engine->wqe_index, 0xfffffffeu);
	assert_int_equal(h->engine->wqe_len, HOST_SQ_STRIDE);
	for (i = 0; i < HOST_SQ_STRIDE; i++)
		assert_int_equal(h->engine->wqe[i], 3);
	h->hole = h->sq + 3 * HOST_SQ_STRIDE;
	h->hole_bytes = 1;
	h->engine->host->fetch_wqe(h->engine->ctx, HOST_QPN, 0xffffffffu);
	host_run(h);
	assert_int_equal(h->engine->wqes, 2);
	assert_int_equal(h->engine->wqe_len, 0);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_dma_errors), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(region_bounds), TEST(keys), TEST(read_only_region), TEST(stale_key),
		TEST(write_then_read), TEST(memory_gone), TEST(latencies), TEST(read_behind_write),
		TEST(between), TEST(delays), TEST(doorbell),
		TEST(doorbells_merge), TEST(reset_of_a_queue_pair), TEST(fetch),
	};

	return cmocka_run_group_tests_name("dma", tests, NULL, NULL);
}
