// SPDX-License-Identifier: BSD-2-Clause
#include "core/area.h"

#include <errno.h>
#include <stdlib.h>

#define PAGE 4096

static size_t head_bytes(uint32_t num_local)
{
	size_t bytes = sizeof(struct tc_area_head) + num_local * sizeof(struct tc_area_rank);

	return (bytes + PAGE - 1) / PAGE * PAGE;
}

int tc_area_open(struct tc_area **area, struct tc_host *host, struct tc_net *net,
		 const char *name, uint32_t num_local, bool create)
{
	const size_t net_bytes = (size_t)TC_AREA_SLOTS * TC_AREA_NET;
	struct tc_area *a = calloc(1, sizeof(*a) + num_local * sizeof(*a->agreed));

	if (!a)
		return -ENOMEM;
	a->host = host;
	a->net = net;
	a->num_local = num_local;
	a->bytes = head_bytes(num_local) + 2 * net_bytes +
		   (size_t)TC_AREA_SLOTS * num_local * TC_AREA_IN;
	a->head = host->ops->share(host, name, a->bytes, create);
	if (!a->head) {
		free(a);
		return -errno;
	}
	a->from = (uint8_t *)a->head + head_bytes(num_local);
	a->to = a->from + net_bytes;
	a->in = a->to + net_bytes;
	*area = a;
	return 0;
}

void tc_area_close(struct tc_area *a)
{
	if (a->registered)
		a->net->ops->region_close(a->net, &a->region);
	a->host->ops->unshare(a->host, a->head, a->bytes);
	free(a);
}

void tc_area_call(struct tc_area *a, uint32_t local, uint32_t number, const struct tc_call *call)
{
	struct tc_area_rank *rank = &a->head->rank[local];

	rank->call[number % TC_AREA_CALLS] = *call;
	a->host->ops->set(a->host, &rank->called, number);
	__sync_synchronize();	/* before a look at the calls of others */
}

static enum tally_coll_status compare(const struct tc_call *a, const struct tc_call *b)
{
	if (a->opcode != b->opcode)
		return TALLY_COLL_OPCODE_MISMATCH;
	if (a->op != b->op)
		return TALLY_COLL_OP_MISMATCH;
	if (a->dtype != b->dtype)
		return TALLY_COLL_TYPE_MISMATCH;
	if (a->count != b->count)
		return TALLY_COLL_COUNT_MISMATCH;
	return a->root == b->root ? TALLY_COLL_OK : TALLY_COLL_ROOT_MISMATCH;
}

/* Whether a rank has not overwritten a call, nor is about to. */
static bool is_kept(const struct tc_area_rank *rank, uint32_t number)
{
	return tc_flag_get(&rank->called) - number < TC_AREA_CALLS - 1;
}

/* Compares calls up to @last with those of rank @i that it has made and not overwritten yet. */
static enum tally_coll_status compare_with(struct tc_area *a, uint32_t local, uint32_t i,
					   uint32_t last)
{
	const struct tc_area_rank *mine = &a->head->rank[local], *rank = &a->head->rank[i];
	const uint32_t called = tc_flag_get(&rank->called);
	enum tally_coll_status status = TALLY_COLL_OK;

	if ((int32_t)(called - last) < 0)
		last = called;
	while ((int32_t)(last - a->agreed[i]) > 0) {
		const uint32_t n = a->agreed[i] + 1, k = n % TC_AREA_CALLS;

		if (is_kept(mine, n) && is_kept(rank, n))
			status = compare(&mine->call[k], &rank->call[k]);
		__sync_synchronize();
		if (status && is_kept(rank, n))
			return status;
		a->agreed[i] = n;
	}
	return TALLY_COLL_OK;
}

enum tally_coll_status tc_area_compare(struct tc_area *a, uint32_t local, uint32_t number)
{
	for (uint32_t i = 0; i < a->num_local; i++) {
		enum tally_coll_status status = compare_with(a, local, i, number);

		if (status)
			return status;
	}
	return TALLY_COLL_OK;
}

/* Flags of uses before the last ones were set before these could begin. */
bool tc_area_settled(const struct tc_area *a, uint32_t entered)
{
	if (tc_flag_get(&a->head->broken))
		return true;
	for (uint32_t i = 0; i < TC_AREA_SLOTS && i < entered; i++) {
		const uint32_t use = entered - i;
		const struct tc_area_slot *slot = &a->head->slot[(use - 1) % TC_AREA_SLOTS];

		if ((int32_t)(tc_flag_get(&slot->result) - use) < 0)
			return false;
	}
	return true;
}

int tc_area_register(struct tc_area *a)
{
	int err;

	if (a->registered)
		return 0;
	err = a->net->ops->region_open(a->net, a->from, 2 * (size_t)TC_AREA_SLOTS * TC_AREA_NET,
				       &a->region);
	a->registered = !err;
	return err;
}
