// SPDX-License-Identifier: BSD-2-Clause
/*
 * A lower bound of a plan's time: the maximum of the time that a cable needs for its bytes, and of
 * the longest path through the plan if no two frames ever meet.
 *
 * On that path a rank's CPU does its steps one after the other. It takes in a message after its
 * arrival, and only while the rank waits. Thus if the rank's last wait ended at t, a message that
 * arrived after t is taken in after the steps since then.
 */
#include <stdlib.h>

#include "baseline/cost.h"
#include "baseline/rank.h"
#include "wire/roce_layout.h"

#define NOBODY	UINT32_MAX

/* The earliest arrival of a message of the plan. */
struct message_bound {
	uint32_t from;
	uint32_t waiter;	/* the rank that waits for it, or NOBODY */
	vtime_t seen;		/* time at which it can be taken in; VT_NEVER: not known */
};

/* A message that a wait takes in, and combines. */
struct job {
	vtime_t seen, take, reduce;
};

struct rank_state {
	size_t at;		/* next step */
	size_t wait;		/* the RECV of the next WAIT, or a step before it */
	vtime_t clock, since;	/* present time; end of its last wait */
};

/* Bytes on a node's cable. */
struct load {
	uint64_t out, in;
};

struct bound {
	const struct bench_params *p;
	const struct baseline_task *task;
	const struct baseline_plan *plan;
	const struct topo *topo;
	vtime_t cycle;
	struct message_bound *message;
	uint32_t *first;	/* index of the first message to a rank */
	uint32_t *slot;		/* message of each SEND and RECV; unused for a SHARE */
	struct rank_state *rank;
	struct load *load;
	struct job *job;
	uint32_t *todo;		/* ranks that can continue */
	uint32_t todos;
};

static vtime_t most(vtime_t a, vtime_t b)
{
	return a > b ? a : b;
}

static uint64_t bytes_of(const struct bound *b, const struct baseline_step *s)
{
	return (uint64_t)s->count * b->task->elem;
}

static uint32_t node_of(const struct bound *b, uint32_t rank)
{
	return rank / b->task->ranks;
}

/* Time of a message on the fabric: the last packet follows the wire time of the earlier ones. */
static vtime_t fabric_time(const struct bound *b, uint32_t from, uint32_t to,
			   enum baseline_message_kind kind, uint64_t bytes)
{
	uint64_t n = baseline_packets(b->p, kind, bytes), last = bytes - (n - 1) * b->p->mtu;
	uint64_t frame = baseline_frame_bytes(kind, n == 1, true, baseline_has_data(kind) ? last : 0);
	uint64_t before = baseline_wire_bytes(b->p, kind, bytes) - ETH_OVERHEAD_BYTES -
			  most(frame, FRAME_MIN);

	return bench_bytes_time(8 * before, b->p->link_rate) +
	       topo_path_time(b->topo, from, to, frame);
}

/* Time from the post of a message to its visible completion, if the receiver is ready for it. */
static vtime_t transfer_time(const struct bound *b, uint32_t from, uint32_t to, uint64_t bytes)
{
	const struct bench_params *p = b->p;
	vtime_t out = p->doorbell + (p->message_request + p->message_encap) * b->cycle;
	vtime_t in = (p->message_parse + p->message_status) * b->cycle + p->pcie_write;
	vtime_t read = p->pcie_read + bench_bytes_time(bytes < p->mtu ? bytes : p->mtu,
						       p->pcie_rate);

	if (from == to)
		return p->share;
	if (bytes <= p->mpi_eager)
		return out + (bytes && !baseline_pushes(p, bytes) ? read : 0) + in +
		       fabric_time(b, from, to, BASELINE_EAGER, bytes);
	return out + fabric_time(b, from, to, BASELINE_READY, 0) + in +
	       baseline_arrival_cost(p, BASELINE_READY, 0) + baseline_read_cost(p) + out +
	       fabric_time(b, to, from, BASELINE_READ, 0) + p->message_parse * b->cycle + read +
	       p->message_encap * b->cycle + fabric_time(b, from, to, BASELINE_DATA, bytes) + in;
}

static vtime_t take_cost(const struct bound *b, bool local, uint64_t bytes)
{
	return baseline_arrival_cost(b->p, local ? BASELINE_LOCAL : bytes <= b->p->mpi_eager ?
				 BASELINE_EAGER : BASELINE_DATA, bytes);
}

/* Calls fn for every message of the plan, in order for each rank. */
static void each_message(struct bound *b, void (*fn)(struct bound *b, uint32_t from, uint32_t to,
						     size_t step))
{
	for (uint32_t from = 0; from < b->plan->ranks; from++)
		for (size_t i = b->plan->first[from]; i < b->plan->first[from + 1]; i++) {
			uint32_t ranks = b->task->ranks, base = from / ranks * ranks;

			if (b->plan->step[i].kind == BASELINE_SEND)
				fn(b, from, b->plan->step[i].peer, i);
			for (uint32_t to = base;
			     b->plan->step[i].kind == BASELINE_SHARE && to < base + ranks; to++)
				if (to != from)
					fn(b, from, to, i);
		}
}

static void count_message(struct bound *b, uint32_t from, uint32_t to, size_t step)
{
	(void)from;
	(void)step;
	b->first[to + 2]++;
}

/* Here first[] is shifted by one entry, so that each entry has its right value at the end. */
static void place_message(struct bound *b, uint32_t from, uint32_t to, size_t step)
{
	uint32_t at = b->first[to + 1]++;

	b->message[at] = (struct message_bound){ .from = from, .waiter = NOBODY, .seen = VT_NEVER };
	b->slot[step] = at;
}

/* Returns the first message to @to from @from, or from a higher rank if there is none. */
static uint32_t first_from(const struct bound *b, uint32_t to, uint32_t from)
{
	uint32_t lo = b->first[to], hi = b->first[to + 1];

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (b->message[mid].from < from)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Assigns its message to every RECV. */
static void place_receives(struct bound *b, uint32_t *next, uint32_t *owner)
{
	for (uint32_t to = 0; to < b->plan->ranks; to++)
		for (size_t i = b->plan->first[to]; i < b->plan->first[to + 1]; i++) {
			uint32_t peer = b->plan->step[i].peer;

			if (b->plan->step[i].kind != BASELINE_RECV)
				continue;
			if (owner[peer] != to + 1)
				next[peer] = first_from(b, to, peer);
			owner[peer] = to + 1;
			b->slot[i] = next[peer]++;
		}
}

static void sent(struct bound *b, struct message_bound *w, vtime_t seen)
{
	w->seen = seen;
	if (w->waiter != NOBODY)
		b->todo[b->todos++] = w->waiter;
}

static void do_send(struct bound *b, uint32_t rank, size_t step)
{
	struct rank_state *k = &b->rank[rank];
	const struct baseline_step *s = &b->plan->step[step];
	uint32_t from = node_of(b, rank), to = node_of(b, s->peer);
	uint64_t bytes = bytes_of(b, s);

	k->clock += from == to ? baseline_copy_cost(b->p, bytes) : baseline_send_cost(b->p, bytes);
	sent(b, &b->message[b->slot[step]], k->clock + transfer_time(b, from, to, bytes));
	if (from == to)
		return;
	b->load[from].out += baseline_wire_bytes(b->p, bytes <= b->p->mpi_eager ? BASELINE_EAGER :
					     BASELINE_DATA, bytes);
	b->load[to].in += baseline_wire_bytes(b->p, bytes <= b->p->mpi_eager ? BASELINE_EAGER :
					  BASELINE_DATA, bytes);
}

static void do_share(struct bound *b, uint32_t rank, const struct baseline_step *s)
{
	uint32_t ranks = b->task->ranks, base = rank / ranks * ranks;
	struct rank_state *k = &b->rank[rank];

	k->clock += baseline_copy_cost(b->p, bytes_of(b, s));
	for (uint32_t to = base; to < base + ranks; to++) {
		uint32_t at = first_from(b, to, rank);

		if (to == rank)
			continue;
		while (b->message[at].seen != VT_NEVER)
			at++;
		sent(b, &b->message[at], k->clock + b->p->share);
	}
}

static int latest_first(const void *a, const void *b)
{
	const struct job *x = a, *y = b;

	return x->seen < y->seen ? 1 : x->seen > y->seen ? -1 : 0;
}

/* Advances the clock of a rank to the end of all @n jobs. */
static void finish_jobs(struct bound *b, struct rank_state *k, size_t n)
{
	vtime_t after = k->clock, sum = 0, end = 0;

	for (size_t i = 0; i < n; i++)
		after += b->job[i].reduce + (b->job[i].seen >= k->since ? b->job[i].take : 0);
	qsort(b->job, n, sizeof(*b->job), latest_first);
	for (size_t i = 0; i < n; i++) {
		sum += b->job[i].take + b->job[i].reduce;
		end = most(end, b->job[i].seen + sum);
	}
	k->clock = k->since = most(after, end);
}

/*
 * Handles consecutive waits, each with the reduction that follows it. Returns false if one of the
 * messages has not been sent yet.
 */
static bool do_waits(struct bound *b, uint32_t rank)
{
	struct rank_state *k = &b->rank[rank];
	const struct baseline_step *step = b->plan->step;
	size_t at = k->at, wait = k->wait, n = 0;

	for (; at < b->plan->first[rank + 1]; at++) {
		struct message_bound *w;

		if (step[at].kind == BASELINE_REDUCE) {
			b->job[n - 1].reduce += baseline_reduce_cost(b->p, bytes_of(b, &step[at]));
			continue;
		}
		if (step[at].kind != BASELINE_WAIT)
			break;
		while (step[wait].kind != BASELINE_RECV)
			wait++;
		w = &b->message[b->slot[wait]];
		w->waiter = rank;
		if (w->seen == VT_NEVER)
			return false;
		b->job[n++] = (struct job){ w->seen, take_cost(b, node_of(b, w->from) ==
							       node_of(b, rank),
							       bytes_of(b, &step[wait++])), 0 };
	}
	finish_jobs(b, k, n);
	k->at = at;
	k->wait = wait;
	return true;
}

static void walk(struct bound *b, uint32_t rank)
{
	struct rank_state *k = &b->rank[rank];

	while (k->at < b->plan->first[rank + 1]) {
		const struct baseline_step *s = &b->plan->step[k->at];

		if (s->kind == BASELINE_WAIT) {
			if (!do_waits(b, rank))
				return;
			continue;
		}
		if (s->kind == BASELINE_SEND)
			do_send(b, rank, k->at);
		else if (s->kind == BASELINE_SHARE)
			do_share(b, rank, s);
		else if (s->kind == BASELINE_REDUCE)
			k->clock += baseline_reduce_cost(b->p, bytes_of(b, s));
		else if (s->kind == BASELINE_COPY)
			k->clock += baseline_copy_cost(b->p, bytes_of(b, s));
		k->at++;
	}
}

static vtime_t walk_all(struct bound *b)
{
	vtime_t bound = 0;

	for (uint32_t r = 0; r < b->plan->ranks; r++) {
		b->rank[r] = (struct rank_state){ b->plan->first[r], b->plan->first[r],
						b->p->mpi_call, b->p->mpi_call };
		b->todo[b->todos++] = b->plan->ranks - 1 - r;
	}
	while (b->todos)
		walk(b, b->todo[--b->todos]);
	for (uint32_t r = 0; r < b->plan->ranks; r++)
		bound = most(bound, b->rank[r].clock);
	for (uint32_t n = 0; n < b->task->nodes; n++)
		bound = most(bound, bench_bytes_time(8 * most(b->load[n].out, b->load[n].in),
						     b->p->link_rate));
	return bound;
}

static bool prepare(struct bound *b)
{
	uint32_t n = b->plan->ranks, *next = calloc(n, sizeof(*next)), *owner;
	bool ok;

	owner = calloc(n, sizeof(*owner));
	b->first = calloc(n + 2, sizeof(*b->first));
	b->slot = calloc(b->plan->used + 1, sizeof(*b->slot));
	b->rank = calloc(n, sizeof(*b->rank));
	b->load = calloc(b->task->nodes, sizeof(*b->load));
	b->todo = calloc(2 * n, sizeof(*b->todo));
	ok = next && owner && b->first && b->slot && b->rank && b->load && b->todo;
	if (ok) {
		each_message(b, count_message);
		for (uint32_t r = 0; r < n; r++)
			b->first[r + 2] += b->first[r + 1];
		b->message = calloc(b->first[n + 1] + 1, sizeof(*b->message));
		b->job = calloc(b->first[n + 1] + 1, sizeof(*b->job));
		ok = b->message && b->job;
	}
	if (ok) {
		each_message(b, place_message);
		place_receives(b, next, owner);
	}
	free(next);
	free(owner);
	return ok;
}

vtime_t baseline_bound(const struct baseline_cluster *cluster, const struct baseline_plan *plan)
{
	struct bound b = {
		.p = cluster->c->params, .task = &cluster->task, .plan = plan,
		.topo = baseline_net_topo(cluster->net),
		.cycle = VT_US / cluster->c->params->nic_clock,
	};
	vtime_t bound = prepare(&b) ? walk_all(&b) : 0;

	free(b.message);
	free(b.first);
	free(b.slot);
	free(b.rank);
	free(b.load);
	free(b.job);
	free(b.todo);
	/* A rank that called early may have done part of the work when the last one called. */
	return bound > cluster->c->skew ? bound - cluster->c->skew : 0;
}
