// SPDX-License-Identifier: BSD-2-Clause
/* Requests: the checks of an operation, its division into pieces, its way and its end. */
#include <stdlib.h>
#include <string.h>

#include "alu/alu.h"
#include "core/area.h"
#include "core/args.h"
#include "core/choose.h"
#include "core/core.h"
#include "core/tracing.h"

static bool has_root(enum tally_opcode opcode)
{
	return opcode == TALLY_OPCODE_REDUCE || opcode == TALLY_OPCODE_BCAST ||
	       opcode == TALLY_OPCODE_GATHER || opcode == TALLY_OPCODE_SCATTER;
}

static bool reduces(enum tally_opcode opcode)
{
	return opcode == TALLY_OPCODE_ALLREDUCE || opcode == TALLY_OPCODE_REDUCE ||
	       opcode == TALLY_OPCODE_REDUCE_SCATTER;
}

/* ---- Data ---- */
static void find_data(struct tallycoll_request *r)
{
	const struct tallycoll_args *a = &r->args;
	bool root = a->root == r->team->oob.rank;

	r->gives = r->gets = true;
	switch (a->opcode) {
	case TALLY_OPCODE_BARRIER:
		r->gives = r->gets = false;
		break;
	case TALLY_OPCODE_BCAST:
		r->gives = root;
		r->gets = !root;
		break;
	case TALLY_OPCODE_REDUCE:
	case TALLY_OPCODE_GATHER:
		r->gets = root;
		break;
	case TALLY_OPCODE_SCATTER:
		r->gives = root;
		break;
	default:
		break;
	}
	r->give_blocks = a->opcode == TALLY_OPCODE_SCATTER || a->opcode == TALLY_OPCODE_REDUCE_SCATTER;
	r->get_blocks = a->opcode == TALLY_OPCODE_GATHER || a->opcode == TALLY_OPCODE_ALLGATHER;
}

/* Replaces TALLYCOLL_IN_PLACE by the place. A SCATTER's dst keeps it: the result is dropped. */
static void resolve_in_place(struct tallycoll_request *r)
{
	struct tallycoll_args *a = &r->args;

	if (a->opcode == TALLY_OPCODE_BCAST)
		a->src = a->dst;
	if (a->src != TALLYCOLL_IN_PLACE)
		return;
	a->src = a->dst;
	if (r->get_blocks)
		a->src = (uint8_t *)a->dst + r->team->oob.rank * a->count * r->elem;
}

/* ---- Pieces ---- */
uint64_t tc_piece_offset(const struct tallycoll_request *r, uint32_t index)
{
	return index * r->piece_count;
}

uint64_t tc_piece_elements(const struct tallycoll_request *r, uint32_t index)
{
	uint64_t left = r->args.count - tc_piece_offset(r, index);

	return left < r->piece_count ? left : r->piece_count;
}

static void divide(struct tallycoll_request *r)
{
	uint64_t most = r->way->most(r) / r->elem;

	r->piece_count = most ? most : 1;
	if (r->piece_count > r->args.count)
		r->piece_count = r->args.count;
	r->pieces = r->args.count ? (r->args.count + r->piece_count - 1) / r->piece_count : 1;
}

struct tc_piece *tc_request_free_piece(struct tallycoll_request *r)
{
	for (unsigned int i = 0; i < TC_DEPTH; i++)
		if (!r->piece[i].busy)
			return &r->piece[i];
	return NULL;
}

void tc_request_unregister(struct tallycoll_request *r)
{
	struct tc_regs *regs = &r->team->context->regs;

	if (r->src_reg)
		tc_regs_put(regs, r->src_reg);
	if (r->dst_reg)
		tc_regs_put(regs, r->dst_reg);
	r->src_reg = r->dst_reg = NULL;
}

/* ---- Errors ---- */
/* A request that was freed is kept for the next operation, and knows no team until then. */
static bool is_live(const struct tallycoll_request *r)
{
	return r && r->team;
}

bool tc_is_mismatch(enum tally_coll_status status)
{
	return (status >= TALLY_COLL_OPCODE_MISMATCH && status <= TALLY_COLL_MASK_MISMATCH) ||
	       status == TALLY_COLL_MODE_MISMATCH;
}

static enum tallycoll_status status_of(enum tally_coll_status status)
{
	if (status == TALLY_COLL_RANK_GONE)
		return TALLYCOLL_ERR_RANK_GONE;
	if (tc_is_mismatch(status))
		return TALLYCOLL_ERR_MISMATCH;
	return TALLYCOLL_ERR_NETWORK;
}

/* The first failure of a team counts: those after it only say that their requests were flushed. */
void tc_request_fail(struct tallycoll_request *r, enum tally_coll_status status,
		     const struct tc_outcome *outcome)
{
	struct tallycoll_team *t = r->team;
	const char *sentence = t->context->net->ops->status_str(status);

	if (!t->failed) {
		t->failed = status_of(status);
		if (outcome)
			snprintf(t->error, sizeof(t->error),
				 "%s: %s Node %u saw it and missed contributors %#llx, ranks %#llx.",
				 tc_opcode_name(r->args.opcode), sentence, outcome->detector,
				 (unsigned long long)outcome->nodes,
				 (unsigned long long)outcome->ranks);
		else
			snprintf(t->error, sizeof(t->error), "%s: %s",
				 tc_opcode_name(r->args.opcode), sentence);
	}
	t->reason = TALLYCOLL_REASON_TEAM_BROKEN;
	r->status = t->failed;
}

const char *tallycoll_request_error(const struct tallycoll_request *r)
{
	if (!is_live(r))
		return "The request has been freed, or is NULL.";
	return r->status < 0 ? r->team->error : tallycoll_status_str(r->status);
}

const char *tallycoll_team_error(const struct tallycoll_team *t)
{
	return t->failed || !t->fault ? t->error : t->fault;
}

/* ---- Calls ---- */
static struct tallycoll_request *new_request(struct tallycoll_context *c)
{
	struct tallycoll_request *r = c->spare;

	if (!r)
		return calloc(1, sizeof(*r));
	c->spare = r->next;
	memset(r, 0, sizeof(*r));
	return r;
}

/* Whether a buffer is one, neither NULL nor TALLYCOLL_IN_PLACE. */
static inline bool is_buffer(const void *at)
{
	return (uintptr_t)at - 1 < (uintptr_t)TALLYCOLL_IN_PLACE - 1;
}

static inline bool fits(const struct tallycoll_request *r, const struct tallycoll_team *t,
			const struct tallycoll_args *a)
{
	const struct tallycoll_args *b = &r->args;

	return r->was == t && a->opcode == b->opcode && a->op == b->op && a->dtype == b->dtype &&
	       a->flags == b->flags && a->count == b->count && a->root == b->root;
}

/*
 * An operation that differs from the last one by its buffers at most takes the request of that one,
 * since all that was decided for it holds again. Others, and buffers that are none, need a closer look.
 */
static inline struct tallycoll_request *again(struct tallycoll_team *t,
					      const struct tallycoll_args *args)
{
	struct tallycoll_context *c = t->context;
	struct tallycoll_request *r = c->spare;
	const void *src = args->opcode == TALLY_OPCODE_BCAST ? args->dst : args->src;

	if (!r || t->reason || t->destroyed || c->tune.trace || !fits(r, t, args))
		return NULL;
	if (args->count && (!is_buffer(src) || !is_buffer(args->dst)))
		return NULL;
	c->spare = r->next;
	c->count[args->opcode][TALLYCOLL_REASON_NONE]++;
	r->team = t;
	t->num_requests++;
	r->args.src = src;
	r->args.dst = args->dst;
	r->abandoned = false;
	return r;
}

static enum tallycoll_status prepare(struct tallycoll_team *t, const struct tallycoll_args *args,
				     struct tallycoll_request **request,
				     enum tallycoll_reason *reason)
{
	struct tallycoll_context *c = t->context;
	const struct tc_way *way = NULL;
	struct tallycoll_request *r;

	*reason = tc_choose(t, args, &way);
	c->count[args->opcode][*reason]++;
	tc_trace_choice(t, args, way, *reason);
	if (t->failed)
		return t->failed;
	if (*reason)
		return TALLYCOLL_NOT_OFFLOADED;
	r = new_request(c);
	if (!r)
		return TALLYCOLL_ERR_MEMORY;
	r->team = t;
	t->num_requests++;
	r->args = *args;
	r->way = way;
	r->elem = alu_elem_size(args->op, args->dtype);
	find_data(r);
	resolve_in_place(r);
	divide(r);
	if (way->prepare)
		way->prepare(r);
	*request = r;
	return TALLYCOLL_OK;
}

static enum tallycoll_status anew(struct tallycoll_team *t, const struct tallycoll_args *args,
				  struct tallycoll_request **request,
				  enum tallycoll_reason *reason)
{
	enum tallycoll_status status = TALLYCOLL_OK;

	t->fault = t->destroyed ? "The team has been destroyed." :
				  tc_args_fault(args, t->oob.rank, t->oob.size);
	/* A fault may be of this rank only. The others try, and need it. */
	if (t->reason == TALLYCOLL_REASON_NO_GROUP && !t->destroyed)
		status = tc_team_attempt(t, args->flags & TALLYCOLL_F_BLOCKING);
	if (t->fault)
		status = TALLYCOLL_ERR_PARAM;
	else if (!status)
		status = prepare(t, args, request, reason);
	return status;
}

enum tallycoll_status tallycoll_collective_init(struct tallycoll_team *t,
						const struct tallycoll_args *args,
						struct tallycoll_request **request,
						enum tallycoll_reason *reason)
{
	enum tallycoll_status status = TALLYCOLL_OK;
	struct tallycoll_context *c;

	if (!t)
		return TALLYCOLL_ERR_PARAM;
	c = t->context;
	if (!args || !request || !reason) {
		c->host->ops->lock(c->host);
		t->fault = "args, request or reason: it is NULL.";
		c->host->ops->unlock(c->host);
		return TALLYCOLL_ERR_PARAM;
	}
	*reason = TALLYCOLL_REASON_NONE;
	tc_context_lock(c);
	t->fault = NULL;
	*request = again(t, args);
	if (!*request)
		status = anew(t, args, request, reason);
	if (c->threads)
		c->host->ops->unlock(c->host);
	return status;
}

/* Lets the other ranks of the node see what this one called. */
static void tell_call(struct tallycoll_request *r, struct tc_area *area)
{
	struct tc_member_group *mg = r->team->mg;
	const struct tallycoll_args *a = &r->args;
	const struct tc_call call = {
		.count = a->count,
		.root = has_root(a->opcode) ? a->root : 0,
		.opcode = a->opcode,
		.op = reduces(a->opcode) ? a->op : 0,
		.dtype = a->dtype,
	};

	tc_area_call(area, mg->shape.local, r->call, &call);
}

static void enqueue(struct tallycoll_request *r)
{
	struct tallycoll_team *t = r->team;
	struct tc_member_group *mg = t->mg;
	struct tc_area *area = mg->party[TC_PARTY_NODE].area;

	r->started = r->ended = r->tests = 0;
	r->in_progress = true;
	r->status = TALLYCOLL_INPROGRESS;
	r->first_mid = mg->next_mid;
	mg->next_mid += r->pieces * tc_way_messages(r->way, r->args.opcode);
	r->next = NULL;
	if (!t->first) {
		t->next = t->context->active;
		t->context->active = t;
		t->looked_ns = 0;
	}
	*t->last = r;
	t->last = &r->next;
	r->call = ++mg->next_call;
	if (area)
		tell_call(r, area);
	tc_regs_look(&t->context->regs);
	r->way->begin(r);
	r->way->step(r);
	/* Requests that have ended fill the queue until they are polled, and nobody may do so later. */
	if ((r->args.flags & TALLYCOLL_F_ALONE) && !r->started)
		tc_progress(t->context);
}

enum tallycoll_status tallycoll_collective_post(struct tallycoll_request *r)
{
	enum tallycoll_status status = TALLYCOLL_OK;
	struct tallycoll_context *c;

	if (!is_live(r))
		return TALLYCOLL_ERR_PARAM;
	c = r->team->context;
	tc_context_lock(c);
	if (r->in_progress)
		status = TALLYCOLL_ERR_PARAM;
	else
		enqueue(r);
	if (c->threads)
		c->host->ops->unlock(c->host);
	return status;
}

/*
 * Whether the only thing to wait for is a flag word that the NIC has not written. Then most tests do
 * not look for errors, or at other requests.
 */
static bool just_waits(struct tallycoll_request *r)
{
	const uint32_t *flag = r->piece[0].flag;

	return r->pieces == 1 && r->started && flag && !r->piece[0].posts &&
	       !__atomic_load_n(flag, __ATOMIC_ACQUIRE) && ++r->tests % TC_TESTS;
}

enum tallycoll_status tallycoll_collective_test(struct tallycoll_request *r)
{
	enum tallycoll_status status;
	struct tallycoll_context *c;

	if (!is_live(r))
		return TALLYCOLL_ERR_PARAM;
	c = r->team->context;
	if (!c->threads && r->in_progress && just_waits(r))
		return TALLYCOLL_INPROGRESS;
	tc_context_lock(c);
	if (r->in_progress)
		tc_progress(c);
	/* After a failure, messages in flight still use the buffers. */
	status = r->in_progress ? TALLYCOLL_INPROGRESS : r->status;
	tc_context_unlock(c);
	return status;
}

enum tallycoll_status tallycoll_collective_wait(struct tallycoll_request *r)
{
	enum tallycoll_status status = tallycoll_collective_test(r);
	struct tc_host *host = is_live(r) ? r->team->context->host : NULL;

	for (unsigned int idle = 0; status == TALLYCOLL_INPROGRESS; idle++) {
		host->ops->wait(host, idle);
		status = tallycoll_collective_test(r);
	}
	return status;
}

void tc_request_free(struct tallycoll_request *r)
{
	struct tallycoll_team *t = r->team;
	struct tallycoll_context *c = t->context;

	tc_request_unregister(r);
	r->was = t;
	r->team = NULL;
	r->next = c->spare;
	c->spare = r;
	if (--t->num_requests == 0 && t->destroyed)
		tc_team_free(t);
}

void tallycoll_collective_finalize(struct tallycoll_request *r)
{
	struct tallycoll_context *c;

	if (!is_live(r))
		return;
	c = r->team->context;
	tc_context_lock(c);
	if (r->in_progress)
		r->abandoned = true;
	else
		tc_request_free(r);
	tc_context_unlock(c);
}
