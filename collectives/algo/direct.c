// SPDX-License-Identifier: BSD-2-Clause
/*
 * The direct way: every rank posts its own data, and the NIC gathers those of a node. Data go
 * into the request, through a buffer of the library, or directly from and to registered user memory.
 */
#include <errno.h>
#include <stdatomic.h>

#include "algo/copy.h"

/* From this size on, user memory is registered. */
#define REGISTER_FROM (64u << 10)
/* Of so many looks for the end, one is for the other ranks of the node. */
#define LOOKS 64

/* Data and result of a piece must fit into one buffer side by side. */
static uint64_t most(const struct tallycoll_request *r)
{
	bool blocks = r->give_blocks || r->get_blocks;

	return TC_STAGING_MOST / 2 / (blocks ? r->team->oob.size : 1);
}

/* ---- User memory ---- */
static struct tc_reg *find_reg(struct tallycoll_request *r, const void *start, uint64_t bytes)
{
	return bytes >= REGISTER_FROM ? tc_regs_get(&r->team->context->regs, start, bytes) : NULL;
}

/* Blocks whose pieces or order differ from those in messages pass through a buffer. */
static bool may_register(const struct tallycoll_request *r, bool blocks)
{
	return !blocks || (r->pieces == 1 && r->team->mg->shape.ordered);
}

static void begin(struct tallycoll_request *r)
{
	const struct tallycoll_args *a = &r->args;
	const uint64_t bytes = a->count * r->elem, all = bytes * r->team->oob.size;

	if (r->is_short)
		return;
	if (r->gives && !r->src_reg && may_register(r, r->give_blocks))
		r->src_reg = find_reg(r, a->src, r->give_blocks ? all : bytes);
	if (r->gets && !r->dst_reg && a->dst != TALLYCOLL_IN_PLACE &&
	    may_register(r, r->get_blocks))
		r->dst_reg = find_reg(r, a->dst, r->get_blocks ? all : bytes);
}

static struct tc_entry user_entry(const struct tc_reg *reg, const void *at, uint64_t bytes)
{
	return (struct tc_entry){ tc_reg_addr(reg, at), reg->region.key, bytes };
}

static struct tc_entry buffer_entry(const struct tc_buffer *b, uint64_t offset, uint64_t bytes)
{
	return (struct tc_entry){ tc_buffer_addr(b, offset), b->region.key, bytes };
}

/* ---- Pieces ---- */
/* Where the data of a piece are in its buffer: behind the result. */
static uint64_t data_offset(const struct tallycoll_request *r, uint32_t index)
{
	return r->dst_reg ? 0 : (tc_get_bytes(r, index) + TC_LINE - 1) / TC_LINE * TC_LINE;
}

static bool is_inline(const struct tallycoll_request *r, uint32_t index)
{
	return may_register(r, r->give_blocks) &&
	       tc_give_bytes(r, index) <= r->team->context->net->max_inline;
}

/* Returns the bytes of buffer that a piece needs. */
static uint64_t buffer_bytes(const struct tallycoll_request *r, uint32_t index)
{
	uint64_t bytes = data_offset(r, index);

	return is_inline(r, index) || r->src_reg ? bytes : bytes + tc_give_bytes(r, index);
}

static void set_data(struct tallycoll_request *r, struct tc_piece *p, struct tc_work *w)
{
	const uint64_t bytes = tc_give_bytes(r, p->index), at = data_offset(r, p->index);

	if (!bytes)
		return;
	w->flags |= TC_WORK_FROM;
	w->from.bytes = bytes;
	if (is_inline(r, p->index)) {
		w->flags |= TC_WORK_INLINE;
		w->data = tc_give_at(r, p->index);
	} else if (r->src_reg) {
		w->from = user_entry(r->src_reg, tc_give_at(r, p->index), bytes);
	} else {
		tc_copy_in(r, p->index, p->buffer->data + at);
		w->from = buffer_entry(p->buffer, at, bytes);
	}
}

static void set_result(struct tallycoll_request *r, struct tc_piece *p, struct tc_work *w)
{
	const uint64_t bytes = tc_get_bytes(r, p->index);

	if (bytes) {
		w->flags |= TC_WORK_TO;
		w->to = r->dst_reg ? user_entry(r->dst_reg, tc_get_at(r, p->index), bytes) :
				     buffer_entry(p->buffer, 0, bytes);
	}
	if (!p->flag)
		return;
	*p->flag = 0;
	w->flags |= TC_WORK_QUIET;
	w->flag = p->flag;
	w->flag_key = p->buffer->region.key;
	w->flag_value = 1;
}

static void release(struct tallycoll_request *r, struct tc_piece *p)
{
	if (p->buffer)
		tc_staging_put(&r->team->context->staging, p->buffer);
	p->buffer = NULL;
	p->busy = false;
}

/* Returns false if the piece has to wait. */
static bool start_piece(struct tallycoll_request *r)
{
	struct tallycoll_context *c = r->team->context;
	struct tc_member_group *mg = r->team->mg;
	struct tc_piece *p = tc_request_free_piece(r);
	struct tc_work w = tc_work_of(r, r->started);
	int err;

	if (!p || mg->next_post != w.mid)
		return false;
	*p = (struct tc_piece){ .request = r, .index = r->started, .busy = true };
	p->buffer = tc_staging_get(&c->staging, buffer_bytes(r, p->index));
	if (!p->buffer) {
		p->busy = false;
		return false;
	}
	if (c->caps & TALLY_CAP_FLAG_WORD)
		p->flag = (uint32_t *)p->buffer->memory;
	w.id = (uintptr_t)p;
	w.rank_mask = 1ULL << mg->shape.local;
	set_data(r, p, &w);
	set_result(r, p, &w);
	err = c->net->ops->post(mg->own, &w);
	if (err) {
		release(r, p);
		if (err != -EAGAIN)
			tc_give_up(r, TALLY_COLL_FLUSHED);
		return false;
	}
	r->started++;
	mg->next_post++;
	return true;
}

/* ---- Short operations ---- */
/* Their data go into the request, and their result is too short to be registered. */
static void prepare(struct tallycoll_request *r)
{
	struct tallycoll_context *c = r->team->context;
	struct tc_work *w = &r->work;

	r->is_short = r->pieces == 1 && is_inline(r, 0) && tc_get_bytes(r, 0) < REGISTER_FROM;
	if (!r->is_short)
		return;
	*w = tc_work_of(r, 0);
	w->id = (uintptr_t)&r->piece[0];
	w->rank_mask = 1ULL << r->team->mg->shape.local;
	w->from.bytes = tc_give_bytes(r, 0);
	w->to.bytes = tc_get_bytes(r, 0);
	w->flags = (w->from.bytes ? TC_WORK_FROM | TC_WORK_INLINE : 0) |
		   (w->to.bytes ? TC_WORK_TO : 0) |
		   (c->caps & TALLY_CAP_FLAG_WORD ? TC_WORK_QUIET : 0);
	w->flag_value = 1;
	r->piece[0] = (struct tc_piece){ .request = r };
}

static void start_short(struct tallycoll_request *r)
{
	struct tallycoll_context *c = r->team->context;
	struct tc_member_group *mg = r->team->mg;
	struct tc_piece *p = &r->piece[0];
	struct tc_work *w = &r->work;
	struct tc_buffer *b;
	int err;

	if (mg->next_post != r->first_mid)
		return;
	b = tc_staging_get_short(&c->staging, w->to.bytes);
	if (!b)
		return;
	w->mid = r->first_mid;
	w->data = r->args.src;
	w->to.addr = tc_buffer_addr(b, 0);
	w->to.key = w->flag_key = b->region.key;
	if (w->flags & TC_WORK_QUIET) {
		p->flag = w->flag = (uint32_t *)b->memory;
		*w->flag = 0;
	}
	p->buffer = b;
	p->busy = true;
	err = c->net->ops->post(mg->own, w);
	if (!err) {
		r->started = 1;
		mg->next_post++;
		return;
	}
	release(r, p);
	if (err != -EAGAIN)
		tc_give_up(r, TALLY_COLL_FLUSHED);
}

/* ---- The way ---- */
static void end_piece(struct tallycoll_request *r, struct tc_piece *p)
{
	if (r->gets && !r->dst_reg && r->status == TALLYCOLL_INPROGRESS)
		tc_copy_out(r, p->index, p->buffer->data);
	release(r, p);
	r->ended++;
}

static void look_at_flags(struct tallycoll_request *r)
{
	for (unsigned int i = 0; i < TC_DEPTH; i++) {
		struct tc_piece *p = &r->piece[i];

		if (p->busy && p->flag && __atomic_load_n(p->flag, __ATOMIC_ACQUIRE))
			end_piece(r, p);
	}
}

/*
 * Another rank of the node may have called an operation whose data it leaves in shared memory for one
 * that never posts them, and be done. Then the NIC waits for its part of this one.
 */
static void watch(struct tallycoll_request *r)
{
	if (r->ended < r->pieces && r->team->mg->party[TC_PARTY_NODE].area &&
	    !(++r->looks % LOOKS))
		tc_watch_calls(r);
}

static void step(struct tallycoll_request *r)
{
	if (r->ended < r->started)
		look_at_flags(r);
	watch(r);
	if (r->started == r->pieces)
		return;
	if (r->is_short)
		start_short(r);
	else
		while (r->started < r->pieces && start_piece(r))
			;
}

static void outcome(struct tallycoll_request *r, struct tc_piece *p, const struct tc_outcome *o)
{
	if (o->status)
		tc_outcome_failed(r, o);
	end_piece(r, p);
}

/* What is in flight ends with outcomes; a flag may have been written before the failure. */
static void drop(struct tallycoll_request *r)
{
	look_at_flags(r);
}

const struct tc_way tc_way_direct = {
	.name = "direct",
	.most = most,
	.prepare = prepare,
	.begin = begin,
	.step = step,
	.outcome = outcome,
	.drop = drop,
};
