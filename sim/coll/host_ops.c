// SPDX-License-Identifier: BSD-2-Clause
/* The node as the library sees it: CPU work, shared memory, waiting. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alu/alu.h"
#include "coll/priv.h"

#define LONGEST_WAIT VT_MS

static uint64_t now_ns(struct tc_host *host)
{
	return coll_now(coll_rank_of_host(host)) / VT_NS;
}

/*
 * A change since the rank last looked returns at once: between its look and this call its CPU may
 * have worked.
 */
static void wait(struct tc_host *host, unsigned int idle)
{
	struct coll_rank *r = coll_rank_of_host(host);

	(void)idle;
	if (r->changes == r->looked)
		coll_block(r, coll_now(r) + LONGEST_WAIT);
	r->looked = r->changes;
}

static void copy(struct tc_host *host, void *to, const void *from, size_t bytes)
{
	struct coll_rank *r = coll_rank_of_host(host);

	coll_compute(r, bench_bytes_time(bytes, coll_params(r)->copy_rate));
	memcpy(to, from, bytes);
}

static void reduce(struct tc_host *host, uint8_t op, uint8_t dtype, void *acc, const void *in,
		   uint64_t count)
{
	struct coll_rank *r = coll_rank_of_host(host);
	const struct bench_params *p = coll_params(r);

	coll_compute(r, p->reduce_start + bench_bytes_time(count * alu_elem_size(op, dtype),
							   p->reduce_rate));
	alu_reduce(op, dtype, acc, in, count);
}

/* ---- Shared memory ---- */
static struct coll_shared *find(const struct coll_node *n, const char *name)
{
	struct coll_shared *sh = n->shared;

	while (sh && strcmp(sh->name, name))
		sh = sh->next;
	return sh;
}

static struct coll_shared *make(struct coll_rank *r, const char *name, size_t bytes)
{
	struct arena *mem = &r->node->host->mem;
	struct coll_shared *sh = calloc(1, sizeof(*sh));
	uint64_t at = sh ? arena_alloc(mem, bytes) : 0;

	if (!at) {
		free(sh);
		return NULL;
	}
	snprintf(sh->name, sizeof(sh->name), "%s", name);
	sh->memory = arena_at(mem, at, bytes);
	sh->bytes = bytes;
	sh->next = r->node->shared;
	r->node->shared = sh;
	return sh;
}

static void *share(struct tc_host *host, const char *name, size_t bytes, bool create)
{
	struct coll_rank *r = coll_rank_of_host(host);
	struct coll_shared *sh = find(r->node, name);

	if (create == !!sh) {
		errno = create ? EEXIST : ENOENT;
		return NULL;
	}
	if (create)
		sh = make(r, name, bytes);
	if (!sh || sh->bytes != bytes) {
		errno = sh ? EINVAL : ENOMEM;
		return NULL;
	}
	sh->users++;
	return sh->memory;
}

static void share_unlink(struct tc_host *host, const char *name)
{
	struct coll_shared *sh = find(coll_rank_of_host(host)->node, name);

	if (sh)
		sh->name[0] = '\0';
}

/* The last user frees it, with the stores that nobody will see. */
static void unshare(struct tc_host *host, void *memory, size_t bytes)
{
	struct coll_rank *r = coll_rank_of_host(host);
	struct coll_shared **at = &r->node->shared, *sh;

	while (*at && (*at)->memory != memory)
		at = &(*at)->next;
	sh = *at;
	if (!sh || sh->bytes != bytes) {
		coll_fail(r, "unshare: memory that is not shared");
		return;
	}
	if (--sh->users)
		return;
	for (uint32_t i = 0; i < r->node->num_ranks; i++)
		coll_stores_drop(r->node->rank[i], memory, bytes);
	coll_release(r, memory, bytes);
	*at = sh->next;
	free(sh);
}

/* ---- The rest ---- */
static void nothing(struct tc_host *host)
{
	(void)host;
}

static void random_bytes(struct tc_host *host, void *to, size_t bytes)
{
	struct coll_rank *r = coll_rank_of_host(host);
	uint8_t *at = to;

	while (bytes--)
		*at++ = rng_next(&r->rng);
}

static const struct tc_host_ops ops = {
	.now_ns = now_ns,
	.wait = wait,
	.copy = copy,
	.reduce = reduce,
	.set = coll_set,
	.add = coll_add,
	.share = share,
	.share_unlink = share_unlink,
	.unshare = unshare,
	.lock = nothing,
	.unlock = nothing,
	.random = random_bytes,
	.close = nothing,
};

int coll_host_open(void *arg, bool threads, struct tc_host **host, char *why, size_t size)
{
	struct coll_rank *r = arg;
	const uint32_t sockets = r->s->cfg.sockets ? r->s->cfg.sockets : 1;

	(void)threads;
	(void)why;
	(void)size;
	r->host = (struct tc_host){ .ops = &ops, .socket = r->local * sockets / r->node->num_ranks };
	snprintf((char *)r->host.id, sizeof(r->host.id), "node %u",
		 (unsigned int)(r->node - r->s->node));
	*host = &r->host;
	return 0;
}
