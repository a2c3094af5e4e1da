// SPDX-License-Identifier: BSD-2-Clause
#include "mr_model.h"

#include <stdlib.h>

#include "nic/admin.h"
#include "nic/priv.h"

enum { MAX_PIECES = 16 };

static struct nic *nic;
static const struct model_host *memory;
static struct host_mem mems[TALLY_MAX_MR];	/* of the regions, for the pieces of a read */
static uint64_t iovas[TALLY_MAX_MR];

void *model_map(const struct model_host *host, uint64_t addr, uint64_t len)
{
	uint64_t offset = addr - host->base;

	if (addr < host->base || offset >= host->size || len > host->size - offset ||
	    addr / TALLY_PAGE_SIZE == host->hole / TALLY_PAGE_SIZE)
		return NULL;
	return host->memory + offset;
}

static void *bus_map(void *ctx, uint64_t addr, size_t len)
{
	return model_map(ctx, addr, len);
}

static const struct nic_bus bus = { .map = bus_map };

void model_start(const struct model_host *host)
{
	if (nic)
		mr_free_all(nic);
	free(nic);
	nic = calloc(1, sizeof(*nic));
	if (!nic)
		abort();
	memory = host;
	nic->bus = (struct bus){ &bus, (void *)host };
	inject_init(&nic->inject, 1);
}

bool model_register(const struct tally_cmd_reg_mr *cmd)
{
	union admin_body body = { .reg_mr = *cmd };
	uint16_t bad;

	if (admin_reg_mr(nic, &body).status != TALLY_ADMIN_STATUS_OK)
		return false;
	mem_decode(&mems[mr_index(le32toh(cmd->lkey))], &cmd->buf, &bad);
	iovas[mr_index(le32toh(cmd->lkey))] = le64toh(cmd->iova);
	return true;
}

bool model_deregister(uint32_t lkey)
{
	union admin_body body = { .object = { .id = htole32(lkey) } };

	return admin_dereg_mr(nic, &body).status == TALLY_ADMIN_STATUS_OK;
}

static struct engine_sge sge_of(const struct model_access *a)
{
	return (struct engine_sge){ .addr = a->addr, .length = a->length, .lkey = a->lkey };
}

uint16_t model_check(const struct model_access *access)
{
	struct engine_sge sge = sge_of(access);

	return mr_check(nic, access->pd, &sge, access->write);
}

/* A read of the model copies, so its pieces are looked up once more. */
static uint16_t find(const struct engine_sge *sge, const struct model_access *access,
		     struct mem_piece *pieces, size_t *num)
{
	static uint8_t data[MAX_PIECES * TALLY_PAGE_SIZE];
	uint32_t index = mr_index(sge->lkey);
	uint16_t status;

	if (access->write)
		return mr_find_memory(nic, access->pd, sge, pieces, num);
	status = mr_read(nic, access->pd, sge, data);
	if (!status &&
	    !mem_find(&nic->bus, &mems[index], sge->addr - iovas[index], sge->length, pieces, num))
		abort();
	return status;
}

/* Return the number of pieces, as places on the bus. */
static uint64_t on_bus(const struct model_host *host, const struct mem_piece *found, size_t n,
		       struct model_piece *pieces)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t offset = (uint64_t)((uint8_t *)found[i].at - host->memory);

		pieces[i] = (struct model_piece){ host->base + offset, found[i].len };
	}
	return n;
}

uint16_t model_find(const struct model_access *access, struct model_piece *pieces, uint64_t *num)
{
	struct engine_sge sge = sge_of(access);
	struct mem_piece found[MAX_PIECES];
	size_t n = 0;
	uint16_t status;

	*num = 0;
	if (mem_pieces(sge.length) > MAX_PIECES)
		abort();
	status = find(&sge, access, found, &n);
	if (!status)
		*num = on_bus(memory, found, n, pieces);
	return status;
}

bool model_walk(const struct model_host *host, const struct tally_mem *raw, uint64_t offset,
		uint64_t len, struct model_piece *pieces, uint64_t *num)
{
	const struct bus host_bus = { &bus, (void *)host };
	struct mem_piece found[MAX_PIECES];
	struct host_mem mem;
	uint16_t bad;
	size_t n;

	if (!mem_decode(&mem, raw, &bad) || mem_pieces(len) > MAX_PIECES)
		abort();
	if (!mem_find(&host_bus, &mem, offset, len, found, &n))
		return false;
	*num = on_bus(host, found, n, pieces);
	return true;
}

bool model_mem_ok(const struct tally_mem *raw, uint64_t iova)
{
	struct host_mem mem;
	uint16_t bad;

	return mem_decode(&mem, raw, &bad) && mem.length - 1 <= UINT64_MAX - iova;
}
