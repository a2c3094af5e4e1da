// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory shared with the device: rings in host memory, and doorbell pages in the BAR. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tally.h"

/*
 * The memory is zeroed and page aligned. After ibv_fork_init() a fork does not share it with the
 * child.
 */
void *tally_alloc_ring(size_t size)
{
	void *ring;

	size = TALLY_ROUND_UP(size, (size_t)sysconf(_SC_PAGESIZE));
	ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ring == MAP_FAILED)
		return NULL;
	if (ibv_dontfork_range(ring, size)) {
		munmap(ring, size);
		return NULL;
	}
	return ring;
}

void tally_free_ring(void *ring, size_t size)
{
	size = TALLY_ROUND_UP(size, (size_t)sysconf(_SC_PAGESIZE));
	ibv_dofork_range(ring, size);
	munmap(ring, size);
}

static struct tally_uar *map_uar(struct tally_context *ctx, uint64_t mmap_offset)
{
	struct tally_uar *uar = calloc(1, sizeof(*uar));

	if (!uar)
		return NULL;
	uar->mmap_offset = mmap_offset;
	uar->page = mmap(NULL, TALLY_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
			 ctx->vctx.context.cmd_fd, mmap_offset);
	if (uar->page == MAP_FAILED) {
		free(uar);
		return NULL;
	}
	uar->next = ctx->uars;
	ctx->uars = uar;
	return uar;
}

/* The doorbells of many queues are in one page, which is mapped once. */
struct tally_uar *tally_get_uar(struct tally_context *ctx, uint64_t mmap_offset)
{
	struct tally_uar *uar;

	pthread_mutex_lock(&ctx->uar_lock);
	for (uar = ctx->uars; uar && uar->mmap_offset != mmap_offset; uar = uar->next)
		;
	if (!uar)
		uar = map_uar(ctx, mmap_offset);
	if (uar)
		uar->users++;
	pthread_mutex_unlock(&ctx->uar_lock);
	return uar;
}

void tally_put_uar(struct tally_context *ctx, struct tally_uar *uar)
{
	struct tally_uar **link = &ctx->uars;

	pthread_mutex_lock(&ctx->uar_lock);
	if (--uar->users == 0) {
		while (*link != uar)
			link = &(*link)->next;
		*link = uar->next;
		munmap(uar->page, TALLY_PAGE_SIZE);
		free(uar);
	}
	pthread_mutex_unlock(&ctx->uar_lock);
}

int tally_set_doorbell(struct tally_doorbell *doorbell, const struct tally_context *ctx,
		       const struct tally_uar *uar, unsigned int slot)
{
	struct tally_uar_slot *slots = uar->page;

	if (slot >= TALLY_UAR_SLOTS)
		return EPROTO;
	*doorbell = ctx->doorbell;
	doorbell->counter = &slots[slot].counter;
	doorbell->arm = &slots[slot].arm;
	return 0;
}
