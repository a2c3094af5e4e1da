// SPDX-License-Identifier: BSD-2-Clause
/*
 * Memory regions. The pages of a region with a page list are allocated in an order that differs
 * from the order of its addresses, so that a device that does not walk the list finds the wrong
 * memory.
 */
#include <errno.h>
#include <stdlib.h>

#include "hosts/priv.h"

#define OUTSIDE_BUS_BASE (1ull << 56)	/* bus address of the caller's memory at address 0 */
#define ENTRIES	(TALLY_PAGE_SIZE / sizeof(uint64_t))	/* in a page of the page list */

static uint64_t page_bytes(const struct host_mr *mr)
{
	return 1ull << mr->page_shift;
}

static bool alloc_one_piece(struct host_mr *mr)
{
	mr->num_pages = mr->num_own = 1;
	mr->page = calloc(1, sizeof(*mr->page));
	if (!mr->page)
		return false;
	mr->page[0] = arena_alloc(&mr->host->mem, mr->length);
	return mr->page[0];
}

/* ---- Memory of the caller ---- */
static bool is_inside(const struct arena *a, const uint8_t *at, uint64_t len)
{
	return at >= a->base && at < a->base + a->size && len <= a->size - (at - a->base);
}

static bool use_memory(struct host_mr *mr, uint8_t *at)
{
	struct host *h = mr->host;

	mr->num_pages = 1;
	mr->page = calloc(1, sizeof(*mr->page));
	if (!mr->page)
		return false;
	if (is_inside(&h->mem, at, mr->length)) {
		mr->page[0] = ARENA_BUS_BASE + (at - h->mem.base);
		return true;
	}
	mr->page[0] = OUTSIDE_BUS_BASE + (uintptr_t)at;
	mr->outside = at;
	mr->next_outside = h->outside;
	h->outside = mr;
	return true;
}

static void leave_memory(struct host_mr *mr)
{
	struct host_mr **at = &mr->host->outside;

	if (!mr->outside)
		return;
	while (*at != mr)
		at = &(*at)->next_outside;
	*at = mr->next_outside;
	mr->outside = NULL;
}

void *host_outside_at(const struct host *h, uint64_t bus_addr, size_t len)
{
	for (const struct host_mr *mr = h->outside; mr; mr = mr->next_outside) {
		uint64_t offset = bus_addr - mr->page[0];

		if (offset < mr->length && len <= mr->length - offset)
			return mr->outside + offset;
	}
	return NULL;
}

static bool alloc_pages(struct host_mr *mr, uint64_t window)
{
	uint64_t offset = mr->iova % page_bytes(mr);

	mr->num_pages = (offset + mr->length + page_bytes(mr) - 1) / page_bytes(mr);
	mr->num_own = window ? window / page_bytes(mr) : mr->num_pages;
	if (mr->num_own > mr->num_pages)
		mr->num_own = mr->num_pages;
	mr->page = calloc(mr->num_pages, sizeof(*mr->page));
	if (!mr->page || mr->num_pages > ENTRIES)
		return false;
	for (unsigned int i = 0; i < mr->num_own; i++) {
		/* Every second page counts from the end, so no two neighbours are consecutive. */
		unsigned int k = i % 2 ? i / 2 : mr->num_own - 1 - i / 2;

		mr->page[k] = arena_alloc(&mr->host->mem, page_bytes(mr));
		if (!mr->page[k])
			return false;
	}
	for (unsigned int i = mr->num_own; i < mr->num_pages; i++)
		mr->page[i] = mr->page[i - mr->num_own];
	return true;
}

/* Level 1 lists the pages; each further level lists the pages of the level below. */
static bool write_tables(struct host_mr *mr)
{
	const uint64_t *below = mr->page;
	unsigned int n = mr->num_pages;

	mr->table = calloc(mr->levels, sizeof(*mr->table));
	if (!mr->table)
		return false;
	for (unsigned int level = 0; level < mr->levels; level++) {
		uint64_t at = arena_alloc(&mr->host->mem, TALLY_PAGE_SIZE);
		uint64_t *entries;

		if (!at)
			return false;
		entries = arena_at(&mr->host->mem, at, TALLY_PAGE_SIZE);
		for (unsigned int i = 0; i < n; i++)
			entries[i] = htole64(below[i]);
		mr->table[mr->num_tables++] = at;
		below = &mr->table[level];
		n = 1;
	}
	return true;
}

static void free_memory(struct host_mr *mr)
{
	struct arena *mem = &mr->host->mem;

	leave_memory(mr);
	for (unsigned int i = 0; mr->page && i < mr->num_own; i++)
		if (mr->page[i])
			arena_release(mem, mr->page[i], mr->levels ? page_bytes(mr) : mr->length);
	for (unsigned int i = 0; i < mr->num_tables; i++)
		arena_release(mem, mr->table[i], TALLY_PAGE_SIZE);
	free(mr->page);
	free(mr->table);
	mr->host = NULL;
}

static struct tally_mem describe(const struct host_mr *mr)
{
	struct tally_mem m = host_flat(mr->page[0], mr->length);

	if (!mr->levels)
		return m;
	m.addr = htole64(mr->table[mr->levels - 1]);
	m.offset = htole32(mr->iova % page_bytes(mr));
	m.levels = mr->levels;
	m.page_shift = mr->page_shift;
	return m;
}

static bool alloc(struct host_mr *mr, const struct host_mr_cfg *cfg)
{
	if (cfg->memory)
		return use_memory(mr, cfg->memory);
	if (cfg->levels)
		return alloc_pages(mr, cfg->window) && write_tables(mr);
	return alloc_one_piece(mr);
}

int host_mr_register(struct host *h, struct host_mr *mr, const struct host_mr_cfg *cfg,
		     host_answer *fn, void *arg)
{
	union host_body b = { .raw = { 0 } };
	uint32_t index;

	*mr = (struct host_mr){ .host = h, .iova = cfg->iova, .length = cfg->length,
				.levels = cfg->levels, .page_shift = cfg->page_shift };
	if (!mr->page_shift)
		mr->page_shift = __builtin_ctz(TALLY_PAGE_SIZE);
	index = ids_take(&h->mrs, 1);
	if (index == IDS_NONE || !alloc(mr, cfg)) {
		if (index != IDS_NONE)
			ids_give(&h->mrs, index, 1);
		free_memory(mr);
		return -ENOMEM;
	}
	mr->lkey = index << 8 | h->key_variant++;
	b.reg_mr.lkey = htole32(mr->lkey);
	b.reg_mr.pd = htole32(cfg->pd);
	b.reg_mr.access = htole32(cfg->access);
	b.reg_mr.iova = htole64(mr->iova);
	b.reg_mr.buf = describe(mr);
	host_command(h, TALLY_ADMIN_REG_MR, &b, fn, arg);
	return 0;
}

void host_mr_deregister(struct host_mr *mr, host_answer *fn, void *arg)
{
	union host_body b = { .raw = { 0 } };

	b.object.id = htole32(mr->lkey);
	host_command(mr->host, TALLY_ADMIN_DEREG_MR, &b, fn, arg);
}

void host_mr_forget(struct host_mr *mr)
{
	if (!mr->host)
		return;
	if (ids_taken(&mr->host->mrs, mr->lkey >> 8))
		ids_give(&mr->host->mrs, mr->lkey >> 8, 1);
	free_memory(mr);
}

/* Returns the memory at @iova, and reduces *len to the contiguous bytes there. */
static uint8_t *piece_at(const struct host_mr *mr, uint64_t iova, size_t *len)
{
	uint64_t offset = iova - mr->iova, in_page;

	if (mr->outside)
		return mr->outside + offset;
	if (!mr->levels)
		return (uint8_t *)arena_at(&mr->host->mem, mr->page[0], mr->length) + offset;
	offset += mr->iova % page_bytes(mr);
	in_page = offset % page_bytes(mr);
	if (*len > page_bytes(mr) - in_page)
		*len = page_bytes(mr) - in_page;
	return (uint8_t *)arena_at(&mr->host->mem, mr->page[offset / page_bytes(mr)],
				   page_bytes(mr)) + in_page;
}

void host_mr_write(const struct host_mr *mr, uint64_t iova, const void *from, size_t len)
{
	const uint8_t *at = from;

	while (len) {
		size_t n = len;
		uint8_t *piece = piece_at(mr, iova, &n);

		memcpy(piece, at, n);
		iova += n;
		at += n;
		len -= n;
	}
}

void host_mr_read(const struct host_mr *mr, uint64_t iova, void *to, size_t len)
{
	uint8_t *at = to;

	while (len) {
		size_t n = len;
		const uint8_t *piece = piece_at(mr, iova, &n);

		memcpy(at, piece, n);
		iova += n;
		at += n;
		len -= n;
	}
}
