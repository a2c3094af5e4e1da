// SPDX-License-Identifier: BSD-2-Clause
/*
 * Messages of a test job. The table "Lists" of tallydv.h says who gives and gets what; with COMBINED
 * the only entry of a list stands for all ranks of the request.
 */
#include <stdlib.h>
#include <string.h>

#include "alu/alu.h"
#include "testing/soft.h"

/* What a request gives or gets: ranks with an entry, and elements of each entry. */
struct share {
	uint32_t entries;
	uint64_t elements;
};

static bool is_combined(const struct tc_work *w)
{
	return w->flags & TC_WORK_COMBINED;
}

static bool reduces(uint8_t opcode)
{
	return opcode == TALLY_OPCODE_ALLREDUCE || opcode == TALLY_OPCODE_REDUCE ||
	       opcode == TALLY_OPCODE_REDUCE_SCATTER;
}

static bool has_blocks(uint8_t opcode)
{
	return opcode >= TALLY_OPCODE_ALLGATHER && opcode <= TALLY_OPCODE_SCATTER;
}

static bool has_root(uint8_t opcode)
{
	return opcode == TALLY_OPCODE_REDUCE || opcode == TALLY_OPCODE_BCAST ||
	       opcode == TALLY_OPCODE_GATHER || opcode == TALLY_OPCODE_SCATTER;
}

static const struct soft_node *node_of(const struct soft_request *q)
{
	const struct tc_group *h = q->queue->group;

	return &h->group->nodes[h->node];
}

static bool holds_root(const struct soft_request *q)
{
	const struct tc_work *w = &q->work;

	return w->root_node == q->queue->group->node && (w->rank_mask >> w->root_rank & 1);
}

/* Elements of one entry that has the block, or the data, of each rank of the request. */
static uint64_t own_elements(const struct tc_work *w)
{
	if (!is_combined(w) || !has_blocks(w->opcode))
		return w->count;
	return w->count * __builtin_popcountll(w->rank_mask);
}

static uint32_t own_entries(const struct tc_work *w)
{
	return is_combined(w) ? 1 : __builtin_popcountll(w->rank_mask);
}

static struct share gives(const struct soft_request *q)
{
	const struct tc_work *w = &q->work;
	const uint64_t all = w->count * q->queue->group->group->total_ranks;

	switch (w->opcode) {
	case TALLY_OPCODE_BARRIER:
		return (struct share){ 0 };
	case TALLY_OPCODE_BCAST:
		return (struct share){ holds_root(q), w->count };
	case TALLY_OPCODE_SCATTER:
		return (struct share){ holds_root(q), all };
	case TALLY_OPCODE_REDUCE_SCATTER:
		return (struct share){ own_entries(w), all };
	default:
		return (struct share){ own_entries(w), own_elements(w) };
	}
}

static struct share gets(const struct soft_request *q)
{
	const struct tc_work *w = &q->work;
	const uint64_t all = w->count * q->queue->group->group->total_ranks;

	switch (w->opcode) {
	case TALLY_OPCODE_BARRIER:
		return (struct share){ 0 };
	case TALLY_OPCODE_BCAST:
		if (is_combined(w))
			return (struct share){ !holds_root(q), w->count };
		return (struct share){ own_entries(w) - holds_root(q), w->count };
	case TALLY_OPCODE_REDUCE:
		return (struct share){ holds_root(q), w->count };
	case TALLY_OPCODE_GATHER:
		return (struct share){ holds_root(q), all };
	case TALLY_OPCODE_ALLGATHER:
		return (struct share){ own_entries(w), all };
	default:
		return (struct share){ own_entries(w), own_elements(w) };
	}
}

/* ---- Checks ---- */
static enum tally_coll_status check_root(const struct soft_request *q)
{
	const struct tc_work *w = &q->work;
	const struct soft_group *g = q->queue->group->group;

	if (!has_root(w->opcode))
		return w->root_node || w->root_rank ? TALLY_COLL_BAD_ROOT : TALLY_COLL_OK;
	if (w->root_node >= g->num_nodes || w->root_rank >= g->nodes[w->root_node].num_ranks)
		return TALLY_COLL_BAD_ROOT;
	return TALLY_COLL_OK;
}

/* Checks a list, which has one entry in all requests of the library. */
static enum tally_coll_status check_list(const struct soft_request *q, struct share want,
					 uint16_t flag, const struct tc_entry *entry)
{
	const struct tc_work *w = &q->work;
	const uint64_t bytes = want.elements * alu_elem_size(w->op, w->dtype);
	const bool is_inline = flag == TC_WORK_FROM && (w->flags & TC_WORK_INLINE);
	enum tally_coll_status status = TALLY_COLL_OK;

	if (want.entries != !!(w->flags & flag))
		return is_inline && want.entries != 1 ? TALLY_COLL_BAD_INLINE :
							TALLY_COLL_BAD_NUM_SGE;
	if (want.entries && entry->bytes != bytes)
		return is_inline ? TALLY_COLL_BAD_INLINE : TALLY_COLL_BAD_SGE_LENGTH;
	if (want.entries && !is_inline)
		soft_memory(q->queue->group->net, entry->addr, entry->key, bytes, &status);
	return status;
}

static uint64_t flag_addr(const struct tc_work *w)
{
	return (uintptr_t)w->flag + SOFT_IOVA;
}

static enum tally_coll_status check_memory(const struct soft_request *q)
{
	const struct tc_work *w = &q->work;
	enum tally_coll_status status = check_list(q, gives(q), TC_WORK_FROM, &w->from);

	if (!status)
		status = check_list(q, gets(q), TC_WORK_TO, &w->to);
	if (!status && w->flag && flag_addr(w) % sizeof(*w->flag))
		status = TALLY_COLL_MR_RANGE;
	if (!status && w->flag)
		soft_memory(q->queue->group->net, flag_addr(w), w->flag_key, sizeof(*w->flag),
			    &status);
	return status;
}

enum tally_coll_status soft_check(const struct soft_request *q)
{
	const struct tc_work *w = &q->work;
	const struct soft_node *node = node_of(q);
	enum tally_coll_status status = soft_can(NULL, w->opcode, w->op, w->dtype);

	if (status)
		return status;
	if (!w->rank_mask || (w->rank_mask & ~q->queue->ranks))
		return TALLY_COLL_BAD_RANK_MASK;
	if (w->opcode == TALLY_OPCODE_BARRIER && is_combined(w))
		return TALLY_COLL_BAD_FLAGS;
	if (w->opcode == TALLY_OPCODE_BARRIER && w->count)
		return TALLY_COLL_BAD_COUNT;
	if (is_combined(w) && has_blocks(w->opcode) &&
	    (uint32_t)__builtin_popcountll(w->rank_mask) != node->num_ranks)
		return TALLY_COLL_BAD_RANK_MASK;
	status = check_root(q);
	return status ? status : check_memory(q);
}

/* ---- Data ---- */
static void *memory(const struct soft_request *q, const struct tc_entry *entry)
{
	enum tally_coll_status status;

	return soft_memory(q->queue->group->net, entry->addr, entry->key, entry->bytes, &status);
}

static const void *data_of(const struct soft_request *q)
{
	return q->data ? q->data : memory(q, &q->work.from);
}

static uint32_t first_rank(const struct soft_request *q)
{
	return node_of(q)->first + __builtin_ctzll(q->work.rank_mask);
}

/* Combines the data of all requests in the order of their first ranks. */
static void reduce(const struct soft_group *g, const struct soft_message *m, uint8_t *acc,
		   uint64_t elements, uint32_t elem)
{
	const struct tc_work *w = &m->requests.first->work;
	bool begun = false;

	for (uint32_t k = 0; k < g->total_ranks; k++)
		for (const struct soft_request *q = m->requests.first; q; q = q->next) {
			if (first_rank(q) != k)
				continue;
			if (begun)
				alu_reduce(w->op, w->dtype, acc, data_of(q), elements);
			else
				memcpy(acc, data_of(q), elements * elem);
			begun = true;
		}
	if (w->op == TALLY_OP_AVG)
		alu_scale(w->dtype, acc, elements, g->total_ranks);
}

/* Puts the data of all requests that give any into their places. */
static void collect(const struct soft_message *m, uint8_t *all, uint32_t elem)
{
	for (const struct soft_request *q = m->requests.first; q; q = q->next) {
		const struct tc_work *w = &q->work;
		bool whole = w->opcode == TALLY_OPCODE_BCAST || w->opcode == TALLY_OPCODE_SCATTER;

		if (w->flags & TC_WORK_FROM)
			memcpy(all + (whole ? 0 : first_rank(q) * w->count * elem), data_of(q),
			       w->from.bytes);
	}
}

static void deliver(const struct soft_request *q, const uint8_t *all, uint32_t elem)
{
	const struct tc_work *w = &q->work;
	bool block = w->opcode == TALLY_OPCODE_SCATTER || w->opcode == TALLY_OPCODE_REDUCE_SCATTER;

	if (w->flags & TC_WORK_TO)
		memcpy(memory(q, &w->to), all + (block ? first_rank(q) * w->count * elem : 0),
		       w->to.bytes);
}

/* ---- The message ---- */
static struct soft_message *find_message(struct soft_group *g, uint32_t mid)
{
	struct soft_message **at = &g->messages;

	while (*at && (*at)->mid != mid)
		at = &(*at)->next;
	if (!*at) {
		*at = calloc(1, sizeof(**at) + g->total_ranks);
		(*at)->mid = mid;
		soft_list_init(&(*at)->requests);
	}
	return *at;
}

static enum tally_coll_status compare(const struct tc_work *a, const struct tc_work *b)
{
	if (a->opcode != b->opcode)
		return TALLY_COLL_OPCODE_MISMATCH;
	if (a->op != b->op)
		return TALLY_COLL_OP_MISMATCH;
	if (a->dtype != b->dtype)
		return TALLY_COLL_TYPE_MISMATCH;
	if (a->count != b->count)
		return TALLY_COLL_COUNT_MISMATCH;
	if (a->root_node != b->root_node || a->root_rank != b->root_rank)
		return TALLY_COLL_ROOT_MISMATCH;
	return a->mode == b->mode ? TALLY_COLL_OK : TALLY_COLL_MODE_MISMATCH;
}

/* Whether the memory of all requests is still registered. */
static bool is_intact(const struct soft_message *m)
{
	for (const struct soft_request *q = m->requests.first; q; q = q->next)
		if (check_memory(q))
			return false;
	return true;
}

static void finish(struct soft_group *g, struct soft_message *m)
{
	const struct tc_outcome good = { 0 };
	struct soft_message **at = &g->messages;
	struct soft_request *q;

	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	while ((q = soft_take(&m->requests))) {
		if (q->work.flag)
			__atomic_store_n(q->work.flag, q->work.flag_value, __ATOMIC_RELEASE);
		soft_complete(q, &good);
	}
	free(m);
}

static void perform(struct soft_group *g, struct soft_message *m)
{
	const struct tc_work *w = &m->requests.first->work;
	const uint32_t elem = alu_elem_size(w->op, w->dtype);
	const uint64_t elements = w->count * (has_blocks(w->opcode) ? g->total_ranks : 1);
	uint8_t *all = malloc(elements * elem + 1);

	if (reduces(w->opcode))
		reduce(g, m, all, elements, elem);
	else
		collect(m, all, elem);
	for (const struct soft_request *q = m->requests.first; q; q = q->next)
		deliver(q, all, elem);
	free(all);
	finish(g, m);
}

void soft_join(struct soft_group *g, struct soft_request *q)
{
	struct soft_message *m = find_message(g, q->work.mid);
	const struct soft_node *node = node_of(q);
	const uint32_t detector = q->queue->group->node;
	enum tally_coll_status status = TALLY_COLL_OK;

	if (m->requests.first)
		status = compare(&m->requests.first->work, &q->work);
	for (uint32_t k = 0; k < node->num_ranks; k++)
		if (q->work.rank_mask >> k & 1) {
			m->posted[node->first + k] = true;
			m->num_posted++;
			g->next_mid[node->first + k]++;
		}
	soft_append(&m->requests, q);
	if (status)
		soft_group_end(g, status, detector, 0);
	else if (m->num_posted == g->total_ranks && !is_intact(m))
		soft_group_end(g, TALLY_COLL_DMA_ERROR, detector, 0);
	else if (m->num_posted == g->total_ranks)
		perform(g, m);
}
