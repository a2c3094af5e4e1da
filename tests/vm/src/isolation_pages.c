/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks through pages of the device: mapping pages of others, and writing to all that can be
 * mapped.
 */
#include "isolation.h"

#include <fcntl.h>
#include <sys/mman.h>

#define PAGE 4096UL
#define OFFSETS 256
#define UAR_STORES 20000
#define RING_STORES 200

static struct cluster cluster;

static void *map(struct ibv_context *context, uint64_t offset, size_t len, int prot,
		 int flags)
{
	return mmap(NULL, len, prot, flags, context->cmd_fd, offset);
}

static void no_map(struct ibv_context *context, uint64_t offset, size_t len, int prot,
		   int flags)
{
	REQUIRE(map(context, offset, len, prot, flags) == MAP_FAILED,
		"%zu bytes at offset %#lx could be mapped, prot %d, flags %d", len, offset, prot,
		flags);
	add(&stage->refused, 1);
}

static bool is_uar(const struct tally_context *ctx, uint64_t offset)
{
	for (const struct tally_uar *uar = ctx->uars; uar; uar = uar->next)
		if (uar->mmap_offset == offset)
			return true;
	return false;
}

/*
 * The status page holds the epoch and the need to ring. Every process may read it, and none may
 * write it.
 */
static void try_status(struct ibv_context *context, uint64_t offset)
{
	uint64_t word = UINT64_MAX;
	int self = open("/proc/self/mem", O_RDWR);
	void *at;

	no_map(context, offset, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED);
	at = map(context, offset, PAGE, PROT_READ, MAP_SHARED);
	REQUIRE(at != MAP_FAILED, "the status page");
	REQUIRE(mprotect(at, PAGE, PROT_READ | PROT_WRITE), "the status page became writable");
	REQUIRE(self >= 0 && pwrite(self, &word, sizeof(word), (uintptr_t)at) < 0,
		"the status page was written to through /proc");
	add(&stage->refused, 2);
	munmap(at, PAGE);
	close(self);
}

/*
 * Returns whether both mappings are the same push buffer: data stored in one appear in the other.
 */
static bool is_same(volatile struct tally_push_buf *a, volatile struct tally_push_buf *b)
{
	volatile uint8_t *store = &a->line[2 * TALLY_PUSH_LINES - 1].data[0];
	volatile uint8_t *load = &b->line[2 * TALLY_PUSH_LINES - 1].data[0];

	for (unsigned int i = 1; i < 3; i++) {
		*store = i;
		if (*load != i)
			return false;
	}
	return true;
}

/*
 * Two pages can only be mapped at this offset if they are the push buffer of a queue pair of this
 * context.
 */
static bool is_push(struct ibv_context *context, uint64_t offset)
{
	struct tally_push_buf *at =
		map(context, offset, sizeof(*at), PROT_READ | PROT_WRITE, MAP_SHARED);
	bool own = false;

	if (at == MAP_FAILED)
		return false;
	for (unsigned int i = 0; i < TALLY_MAX_QP && !own; i++) {
		const struct tally_qp *qp = to_tctx(context)->qps[i];

		own = qp && qp->push && is_same(qp->push, at);
	}
	REQUIRE(own, "two pages at offset %#lx could be mapped", offset);
	munmap(at, sizeof(*at));
	return true;
}

/* Returns the number of queue pairs of this context that have a push buffer. */
static unsigned int num_pushing(struct ibv_context *context)
{
	unsigned int num = 0;

	for (unsigned int i = 0; i < TALLY_MAX_QP; i++)
		num += to_tctx(context)->qps[i] && to_tctx(context)->qps[i]->push;
	return num;
}

/*
 * Tries every offset. At the offsets of this context's own pages, tries all mappings except the
 * valid one.
 */
static void try_offsets(struct ibv_context *context)
{
	struct tally_context *ctx = to_tctx(context);
	const int rw = PROT_READ | PROT_WRITE;
	unsigned int buffers = 0;

	for (uint64_t offset = 0; offset < OFFSETS * PAGE; offset += PAGE) {
		bool own = offset == ctx->info.status_mmap_offset ||
			   offset == ctx->info.wake_mmap_offset || is_uar(ctx, offset);

		if (is_push(context, offset))
			buffers++;
		else
			no_map(context, offset, 2 * PAGE, PROT_READ, MAP_SHARED);
		no_map(context, offset, PAGE, PROT_READ, MAP_PRIVATE);
		if (!own)
			no_map(context, offset, PAGE, PROT_READ, MAP_SHARED);
	}
	for (unsigned int bit = 31; bit < 63; bit++)
		no_map(context, 1UL << bit, PAGE, rw, MAP_SHARED);
	REQUIRE(buffers == num_pushing(context), "%u push buffers could be mapped", buffers);
	try_status(context, ctx->info.status_mmap_offset);
}

/* A fresh page holds nothing of its previous owner. Afterwards any data may be stored there. */
static void scribble_uar(struct ibv_context *context)
{
	volatile uint64_t *words = to_tctx(context)->uars->page;

	for (unsigned int i = 0; i < PAGE / sizeof(*words); i++)
		REQUIRE(!words[i], "word %u of a fresh page is %#lx", i, words[i]);
	for (unsigned int i = 0; i < UAR_STORES; i++)
		words[random64() % (PAGE / sizeof(*words))] = random64() >> random64() % 64;
}

/* Stores all values to all registers of the wake-up register's page. */
static void scribble_ring(struct ibv_context *context)
{
	volatile uint32_t *page = to_tctx(context)->wake_page;

	for (unsigned int i = 0; i < RING_STORES; i++) {
		page[random64() % 8] = random64() >> random64() % 64;
		page[3] = (random64() & 1) << 16 | random64() % 16;
	}
}

void foreign_pages(void)
{
	struct lone lone;

	cluster_open(&cluster);
	lone_open(&lone, &cluster.nic[0]);
	try_offsets(lone.nic->context);
	do {
		struct cluster again;

		scribble_ring(lone.nic->context);
		cluster_open(&again);
		scribble_uar(again.nic[0].context);
		cluster_close(&again);
	} while (under_way());
	lone_close(&lone);
	cluster_close(&cluster);
}
