// SPDX-License-Identifier: BSD-2-Clause
/* The NIC as the library sees it: memory, what the NIC writes, what it can do. */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alu/alu.h"
#include "coll/priv.h"

#define MOST_GROUPS 64	/* of a process */

/* ---- Memory ---- */
/* Addresses in work requests are those of the program. */
static int region_open(struct tc_net *net, void *start, size_t bytes, struct tc_region *region)
{
	struct coll_rank *r = coll_rank_of_net(net);
	struct host *h = r->node->host;
	struct host_mr_cfg cfg = {
		.access = TALLY_ACCESS_LOCAL_WRITE,
		.iova = (uintptr_t)start,
		.length = bytes,
		.memory = start,
	};
	struct coll_answer answer = { .rank = r };
	struct host_mr *mr = calloc(1, sizeof(*mr));
	int err;

	if (!mr)
		return -ENOMEM;
	err = coll_await(&answer, host_mr_register(h, mr, &cfg, coll_answered, &answer));
	if (err) {
		host_mr_forget(mr);
		free(mr);
		return err;
	}
	*region = (struct tc_region){ .start = cfg.iova, .key = mr->lkey, .priv = mr };
	return 0;
}

static void region_close(struct tc_net *net, struct tc_region *region)
{
	struct coll_answer answer = { .rank = coll_rank_of_net(net) };
	struct host_mr *mr = region->priv;

	host_mr_deregister(mr, coll_answered, &answer);
	if (coll_await(&answer, 0))
		coll_fail(answer.rank, "DEREG_MR: status %u", answer.status);
	host_mr_forget(mr);
	free(mr);
}

static size_t whole_pages(size_t bytes)
{
	return (bytes + TALLY_PAGE_SIZE - 1) / TALLY_PAGE_SIZE * TALLY_PAGE_SIZE;
}

static void *memory_new(struct tc_net *net, size_t bytes, struct tc_region *region)
{
	struct coll_rank *r = coll_rank_of_net(net);
	void *memory = coll_take(r, whole_pages(bytes));

	if (memory && !region_open(net, memory, bytes, region))
		return memory;
	coll_release(r, memory, whole_pages(bytes));
	return NULL;
}

static void memory_free(struct tc_net *net, void *memory, size_t bytes, struct tc_region *region)
{
	region_close(net, region);
	coll_release(coll_rank_of_net(net), memory, whole_pages(bytes));
}

/* ---- What the NIC writes ---- */
static void cqe_written(struct coll_node *n, const void *at)
{
	for (uint32_t i = 0; i < n->num_ranks; i++) {
		struct coll_rank *r = n->rank[i];
		const uint8_t *ring;

		if (!r->cq.host)
			continue;
		ring = arena_at(&n->host->mem, r->cq.ring, 1);
		if ((const uint8_t *)at < ring ||
		    (const uint8_t *)at >= ring + COLL_CQ_DEPTH * sizeof(struct tally_cqe))
			continue;
		coll_changed(r);
		return;
	}
}

static void flag_written(struct coll_node *n, const void *at)
{
	for (uint32_t i = 0; i < n->num_awaited; i++) {
		struct coll_rank *r = n->awaited[i].rank;

		if (n->awaited[i].at != at)
			continue;
		n->awaited[i] = n->awaited[--n->num_awaited];
		r->flag_written = true;
		coll_changed(r);
		return;
	}
}

void coll_written(void *arg, const void *at, size_t len)
{
	if (len == sizeof(struct tally_cqe))
		cqe_written(arg, at);
	else if (len == sizeof(uint32_t))
		flag_written(arg, at);
}

/* ---- The NIC ---- */
static bool reduces(uint32_t opcode)
{
	return opcode == TALLY_OPCODE_ALLREDUCE || opcode == TALLY_OPCODE_REDUCE ||
	       opcode == TALLY_OPCODE_REDUCE_SCATTER;
}

static enum tally_coll_status can(struct tc_net *net, uint32_t opcode, uint32_t op, uint32_t dtype)
{
	(void)net;
	if (opcode < TALLY_OPCODE_ALLREDUCE || opcode > TALLY_OPCODE_SCATTER)
		return TALLY_COLL_BAD_OPCODE;
	if (reduces(opcode))
		return alu_check(op, dtype);
	return alu_value_size(dtype) ? TALLY_COLL_OK : TALLY_COLL_BAD_TYPE;
}

static const char *status_str(uint32_t status)
{
#define SENTENCE(name, value, text) case value: return text;
	switch (status) {
	TALLY_COLL_LIST(SENTENCE)
	default:
		return "The status is unknown.";
	}
#undef SENTENCE
}

static void close_net(struct tc_net *net)
{
	struct coll_rank *r = coll_rank_of_net(net);
	struct coll_answer answer = { .rank = r };

	host_cq_destroy(&r->cq, coll_answered, &answer);
	if (coll_await(&answer, 0))
		coll_fail(r, "DESTROY_CQ: status %u", answer.status);
	host_cq_forget(&r->cq);
	free(r->outcome);
	r->outcome = NULL;
}

static const struct tc_net_ops ops = {
	.group_open = coll_group_open,
	.group_close = coll_group_close,
	.group_state = coll_group_state,
	.group_abort = coll_group_abort,
	.queue_open = coll_queue_open,
	.queue_close = coll_queue_close,
	.post = coll_post,
	.poll = coll_poll,
	.memory_new = memory_new,
	.memory_free = memory_free,
	.region_open = region_open,
	.region_close = region_close,
	.can = can,
	.status_str = status_str,
	.close = close_net,
};

/* Queues are not armed: the ranks poll. */
static void event(void *arg)
{
	(void)arg;
}

/* A process may have so many groups that the NIC has two queue pairs for each. */
static uint32_t most_groups(uint32_t ranks)
{
	uint32_t most = TALLY_MAX_QP / 2 / ranks;

	return most < MOST_GROUPS ? most : MOST_GROUPS;
}

int coll_net_open(void *arg, struct tc_host *host, const struct tc_neighbours *neighbours,
		  struct tc_net **net, char *why, size_t size)
{
	struct coll_rank *r = arg;
	struct host *h = r->node->host;
	struct coll_answer answer = { .rank = r };
	int err;

	(void)host;
	(void)neighbours;
	r->net = (struct tc_net){
		.ops = &ops,
		.caps = le64toh(h->ident->caps),
		.opcodes = le32toh(h->ident->opcodes),
		.max_inline = coll_queue_inline(r->s),
		.queue_depth = coll_queue_depth(r->s),
		.max_groups = r->s->cfg.max_groups ? r->s->cfg.max_groups :
						     most_groups(r->node->num_ranks),
	};
	memcpy(r->net.address.gid, h->gid, sizeof(h->gid));
	memcpy(r->net.address.mac, h->cfg.mac, sizeof(h->cfg.mac));
	r->outcome = calloc(COLL_OUTCOMES, sizeof(*r->outcome));
	err = r->outcome ? 0 : -ENOMEM;
	if (!err)
		err = coll_await(&answer, host_cq_create(h, &r->cq, COLL_CQ_DEPTH, event, r,
							 coll_answered, &answer));
	if (err) {
		snprintf(why, size, "node %s has no completion queue: %s", (char *)host->id,
			 strerror(-err));
		free(r->outcome);
		r->outcome = NULL;
		return err;
	}
	*net = &r->net;
	return 0;
}

const struct tc_platform coll_platform = {
	.host_open = coll_host_open,
	.net_open = coll_net_open,
};
