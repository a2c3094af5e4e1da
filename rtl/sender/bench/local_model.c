// SPDX-License-Identifier: BSD-2-Clause
/* Calls local_fetch() and local_deliver() of the engine, and what forms operations for the store. */
#include "engine/common.h"
#include "engine/local.h"
#include "engine/store.h"
#include "engine/wqe.h"
#include "engine/wr.h"

#include "local_model.h"

#include <stdlib.h>
#include <string.h>

#define GROUP 1
#define SLOT 7

static struct engine *e;
static struct local_access accesses[TALLY_MAX_RANKS];
static uint32_t places[TALLY_MAX_RANKS];
static unsigned int first, last;
static const uint8_t *written_from;
static uint32_t written; /* by the last write of 4 bytes */
static struct local_operation operation;

/* ---- What the engine asks of its host ---- */

static void add(uint32_t pd, const struct engine_sge *sge, bool write, uint32_t place)
{
	if (last == TALLY_MAX_RANKS)
		abort();
	places[last] = place;
	accesses[last++] = (struct local_access){ .write = write, .pd = pd, .lkey = sge->lkey, .len = sge->length, .addr = sge->addr };
}

static void read_memory(void *ctx, uint32_t pd, const struct engine_sge *sge, uint64_t tag, uint64_t delay)
{
	(void)ctx;
	(void)tag;
	(void)delay;
	add(pd, sge, false, 0);
}

static void write_memory(void *ctx, uint32_t pd, const struct engine_sge *sge, const void *data, uint64_t tag, uint64_t delay)
{
	(void)ctx;
	(void)tag;
	(void)delay;
	add(pd, sge, true, written_from ? (const uint8_t *)data - written_from : 0);
	if (sge->length == sizeof(written))
		memcpy(&written, data, sizeof(written));
}

static void operate(void *ctx, const struct engine_operation *op, const void *data, uint64_t delay)
{
	(void)ctx;
	(void)data;
	(void)delay;
	operation = (struct local_operation){
		.kind = op->kind, .group = op->group, .mode = op->mode, .opcode = op->opcode, .op = op->op, .dtype = op->dtype,
		.root_rank = op->root_rank, .root_node = op->root_node, .bytes = op->bytes, .num = op->num, .mid = op->mid,
		.sid = op->sid, .total = op->total, .count = op->count, .edge = op->edge, .ranks = op->ranks, .rank = op->rank,
		.sum = op->sum, .last = op->last
	};
}

static const struct engine_host host = {
	.read = read_memory,
	.write = write_memory,
	.operate = operate,
};

/* ---- A request and a chunk ---- */

static void set_request(struct qp *qp, const struct local_request *r)
{
	struct wr *wr = &qp->wrs[0];
	struct wqe *w = &wr->w;

	qp->used = true;
	qp->cfg.pd = r->pd;
	qp->cfg.group = GROUP;
	memset(wr, 0, offsetof(struct wr, w));
	memset(w, 0, offsetof(struct wqe, data));
	wr->state = WR_ACTIVE;
	wr->begun = 1;
	w->opcode = r->opcode;
	w->dtype = r->dtype;
	w->flags = r->flags;
	w->num_gather = r->num_gather;
	w->num_result = r->num_result;
	w->root_rank = r->root_rank;
	w->root_node = r->root_node;
	w->rank_mask = r->rank_mask;
	w->give = 1u << r->give_log;
	w->elem = 1u << r->elem_log;
	w->loc_index = r->loc_index;
	w->flag = (struct engine_sge){ .addr = r->flag.addr, .lkey = r->flag.lkey, .length = sizeof(written) };
	w->flag_value = r->flag_value;
	for (unsigned int k = 0; k < TALLY_MAX_SGE; k++) {
		w->gather[k] = (struct engine_sge){ .addr = r->gather[k].addr, .lkey = r->gather[k].lkey };
		w->result[k] = (struct engine_sge){ .addr = r->result[k].addr, .lkey = r->result[k].lkey };
	}
}

void local_set(const struct local_request *r, const struct local_chunk *c)
{
	struct slot *s;
	uint32_t left = c->total - c->first;

	if (!e)
		e = engine_new(&host, NULL, 1);
	if (!e)
		abort();
	s = &e->slots[SLOT];
	set_request(&e->qps[0], r);
	e->qps[0].wrs[0].num = c->num;
	e->groups[GROUP].node = r->node;
	memset(s, 0, offsetof(struct slot, data));
	s->state = TALLY_SEG_BUSY;
	s->group = c->group;
	s->mode = c->mode;
	s->op = c->op;
	s->opcode = r->opcode;
	s->dtype = r->dtype;
	s->root_rank = r->root_rank;
	s->root_node = r->root_node;
	s->num = c->num;
	s->mid = c->mid;
	s->sid = c->sid;
	s->total = c->total;
	s->first = c->first;
	s->whole = c->whole;
	s->count = left < c->whole ? left : c->whole;
	s->elem = 1u << r->elem_log;
	first = last = 0;
}

static struct slot *slot(void)
{
	return &e->slots[SLOT];
}

uint64_t local_givers(void)
{
	return wqe_givers(&e->groups[GROUP], &e->qps[0].wrs[0].w);
}

uint64_t local_takers(void)
{
	const struct wqe *w = &e->qps[0].wrs[0].w;

	if (w->flags & TALLY_WQE_F_EMPTY)
		return 0;
	return w->opcode == TALLY_OPCODE_BARRIER ? w->rank_mask : local_getters();
}

uint64_t local_getters(void)
{
	return wqe_getters(&e->groups[GROUP], &e->qps[0].wrs[0].w);
}

bool local_reads(unsigned int rank, struct local_access *access)
{
	static uint8_t data[TALLY_MAX_MTU];

	first = last = 0;
	if (local_fetch(e, &e->groups[GROUP], slot(), rank, data))
		return false;
	*access = accesses[0];
	return true;
}

bool local_inline(unsigned int rank, const uint8_t *line, uint8_t *data)
{
	memcpy(e->qps[0].wrs[0].w.data, line, TALLY_MAX_INLINE);
	return local_fetch(e, &e->groups[GROUP], slot(), rank, data);
}

struct local_operation local_gives(unsigned int rank)
{
	store_data(e, slot(), rank, NULL);
	return operation;
}

struct local_operation local_takes(unsigned int rank)
{
	store_taken_ranks(e, slot()->group, slot()->num, 1ULL << rank);
	return operation;
}

uint64_t local_writes(uint64_t ranks, const uint8_t *result)
{
	first = last = 0;
	written_from = result;
	return local_deliver(e, &e->groups[GROUP], slot(), ranks, result);
}

bool local_next_write(struct local_access *access, uint32_t *at)
{
	if (first == last)
		return false;
	*at = places[first];
	*access = accesses[first++];
	return true;
}

uint32_t local_flag(struct local_access *access)
{
	struct wr *wr = &e->qps[0].wrs[0];

	first = last = 0;
	written_from = NULL;
	wr->w.flags |= TALLY_WQE_F_FLAG_WORD;
	wr_complete(e, &e->qps[0], wr);
	*access = accesses[0];
	return written;
}
