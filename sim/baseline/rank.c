// SPDX-License-Identifier: BSD-2-Clause
#include "baseline/rank.h"

#include <stdlib.h>
#include <string.h>

#include "baseline/cost.h"
#include "baseline/step.h"

static const struct bench_params *params(const struct baseline_rank *r)
{
	return r->cluster->c->params;
}

static void append(struct baseline_message **list, struct baseline_message *m)
{
	while (*list)
		list = &(*list)->next;
	m->next = NULL;
	*list = m;
}

/* Completes a receive. */
static void finish(struct baseline_rank *r, struct baseline_receive *rx, struct baseline_message *m)
{
	if (r->memory && m->bytes)
		memcpy(r->memory + (uint64_t)rx->to * r->cluster->task.elem, m->got, m->bytes);
	rx->done = true;
	baseline_message_free(r->cluster->net, m);
}

/* Matches @m, which is eager, local or ready, with @rx. */
static void match(struct baseline_rank *r, uint32_t index, struct baseline_message *m)
{
	struct baseline_receive *rx = &r->receive[index];

	/* A mismatch would be an error of the plan; tests check plans. */
	if (m->bytes != (uint64_t)rx->count * r->cluster->task.elem)
		abort();
	rx->matched = true;
	if (m->kind != BASELINE_READY) {
		finish(r, rx, m);
		return;
	}
	m->kind = BASELINE_READ;
	m->receive = index;
	baseline_post(r->cluster->net, m, baseline_spend(r, "read", baseline_read_cost(params(r))));
}

/* Returns the first pending receive from the message's sender, or -1. */
static int64_t find_receive(const struct baseline_rank *r, const struct baseline_message *m)
{
	for (uint32_t i = r->head; i < r->tail; i++)
		if (r->receive[i].peer == m->from && !r->receive[i].matched)
			return i;
	return -1;
}

/* Takes in @m, which the CPU has found. */
static void take_in(struct baseline_rank *r, struct baseline_message *m)
{
	int64_t i;

	baseline_spend(r, "receive", baseline_arrival_cost(params(r), m->kind, m->bytes));
	if (m->kind == BASELINE_DATA) {
		finish(r, &r->receive[m->receive], m);
		return;
	}
	i = find_receive(r, m);
	if (i < 0)
		append(&r->early, m);
	else
		match(r, i, m);
}

static void make_room(struct baseline_rank *r)
{
	if (r->head == r->tail)
		r->head = r->tail = 0;
	if (r->tail < r->room)
		return;
	r->room = r->room ? 2 * r->room : 8;
	r->receive = reallocarray(r->receive, r->room, sizeof(*r->receive));
	if (!r->receive)
		abort();
}

static void begin_receive(struct baseline_rank *r, const struct baseline_step *s)
{
	struct baseline_message **m = &r->early, *found;

	make_room(r);
	r->receive[r->tail++] = (struct baseline_receive){ s->peer, s->to, s->count, false, false };
	while (*m && (*m)->from != s->peer)
		m = &(*m)->next;
	found = *m;
	if (!found)
		return;
	*m = found->next;
	match(r, r->tail - 1, found);
}

/* Does steps until one has to wait. Returns false then. */
static bool steps(struct baseline_rank *r)
{
	for (; r->at < r->end; r->at++) {
		const struct baseline_step *s = &r->cluster->plan->step[r->at];

		if (s->kind == BASELINE_RECV) {
			begin_receive(r, s);
		} else if (s->kind == BASELINE_WAIT) {
			if (r->head == r->tail)
				abort();
			if (!r->receive[r->head].done)
				return false;
			r->head++;
		} else {
			baseline_do_step(r, s);
		}
	}
	return true;
}

static void leave_until(struct baseline_rank *r, vtime_t at)
{
	r->away = true;
	sim_schedule(baseline_net_sim(r->cluster->net), &r->back, at);
}

/*
 * A non-blocking operation: the call starts it and does the steps that need no wait. There is no
 * progress while the program computes.
 */
static bool compute(struct baseline_rank *r)
{
	const struct bench_workload *c = r->cluster->c;

	if (!c->overlap || r->computed)
		return false;
	r->computed = true;
	leave_until(r, baseline_spend(r, "compute", c->compute));
	return true;
}

/* Does steps and, while one waits, takes in messages that have arrived. */
static void go_on(struct baseline_rank *r)
{
	struct baseline_message *m;

	while (!steps(r)) {
		if (compute(r))
			return;
		m = r->held;
		if (!m)
			return;
		r->held = m->next;
		take_in(r, m);
	}
	if (compute(r))
		return;
	r->finish = baseline_spend(r, "", 0);
	r->cluster->left--;
}

static void come_back(void *arg)
{
	struct baseline_rank *r = arg;

	r->away = false;
	if (!r->computed)
		baseline_spend(r, "call", params(r)->mpi_call);
	go_on(r);
}

void baseline_rank_arrived(struct baseline_rank *r, struct baseline_message *m)
{
	append(&r->held, m);
	if (!r->away)
		go_on(r);
}

void baseline_rank_start(struct baseline_rank *r, vtime_t at)
{
	r->call = at;
	r->computed = false;
	sim_event_init(&r->back, come_back, r);
	leave_until(r, at);
}

void baseline_rank_reset(struct baseline_rank *r)
{
	sim_cancel(baseline_net_sim(r->cluster->net), &r->back);
	free(r->receive);
	free(r->memory);
	r->receive = NULL;
	r->memory = NULL;
	r->head = r->tail = r->room = 0;
	r->spent = 0;
}
