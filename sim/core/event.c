// SPDX-License-Identifier: BSD-2-Clause
#include "core/event.h"

#include <errno.h>
#include <stdlib.h>

#include "core/event_queue.h"
#include "core/pool.h"
#include "core/trace.h"

#define NETWORK		0		/* domain of the network; others are those of nodes */

/* What a node expects to touch; fn is NULL if that is not known. */
struct expectation {
	void (*fn)(void *arg, unsigned int ahead);
	void *arg;
};

struct sim {
	vtime_t now;			/* in windows: time of the event that runs */
	uint64_t running;		/* order of the event that runs; UINT64_MAX: none does */
	uint64_t next_order;
	uint64_t events;		/* that have run */
	unsigned int domain;		/* of the event that runs; NETWORK if none does */
	struct event_queue *queue;	/* by domain */
	struct event_queue network;	/* queue[NETWORK], if there are no windows */
	struct sim_windows win;		/* nodes == 0: no windows */
	vtime_t *next;			/* by node: time of its earliest event, unless it runs */
	struct expectation *expect;	/* by node */
	uint16_t *due;			/* nodes that have events in the window */
	struct rng rng;
	struct sim_trace *trace;
};

struct sim *sim_new(uint64_t seed)
{
	struct sim *sim = calloc(1, sizeof(*sim));

	if (!sim)
		return NULL;
	rng_seed(&sim->rng, seed);
	sim->running = UINT64_MAX;
	sim->next_order = SIM_FIXED_ORDERS;
	sim->queue = &sim->network;
	return sim;
}

void sim_free(struct sim *sim)
{
	if (!sim)
		return;
	for (unsigned int i = 0; i <= sim->win.nodes; i++)
		event_queue_free(&sim->queue[i]);
	if (sim->queue != &sim->network)
		free(sim->queue);
	free(sim->next);
	free(sim->expect);
	free(sim->due);
	free(sim);
	pool_trim();
}

int sim_set_windows(struct sim *sim, const struct sim_windows *win)
{
	struct event_queue *queue;

	if (sim->win.nodes || sim->network.count || !win->nodes || win->nodes > SIM_MAX_NODES ||
	    !win->to_network || !win->to_node)
		return -EINVAL;
	queue = calloc(win->nodes + 1, sizeof(*queue));
	sim->next = calloc(win->nodes + 1, sizeof(*sim->next));
	sim->expect = calloc(win->nodes + 1, sizeof(*sim->expect));
	sim->due = calloc(win->nodes, sizeof(*sim->due));
	if (!queue || !sim->next || !sim->expect || !sim->due) {
		free(queue);
		return -ENOMEM;
	}
	queue[NETWORK] = sim->network;
	sim->queue = queue;
	sim->win = *win;
	for (unsigned int i = 1; i <= win->nodes; i++)
		sim->next[i] = VT_NEVER;
	return 0;
}

void sim_set_expect(struct sim *sim, unsigned int node, void (*fn)(void *arg, unsigned int ahead),
		    void *arg)
{
	if (node && node <= sim->win.nodes)
		sim->expect[node] = (struct expectation){ fn, arg };
}

vtime_t sim_now(const struct sim *sim)
{
	return sim->now;
}

struct rng *sim_rng(struct sim *sim)
{
	return &sim->rng;
}

void sim_set_trace(struct sim *sim, struct sim_trace *t)
{
	sim->trace = t;
}

struct sim_trace *sim_trace(const struct sim *sim)
{
	return sim->trace;
}

void sim_event_init(struct sim_event *ev, void (*fn)(void *arg), void *arg)
{
	*ev = (struct sim_event){ .fn = fn, .arg = arg };
}

uint64_t sim_reserve(struct sim *sim)
{
	return sim->next_order++;
}

bool sim_passed(const struct sim *sim, vtime_t at, uint64_t order)
{
	return at < sim->now || (at == sim->now && order <= sim->running);
}

/* Add times; a sum beyond the end of time is VT_NEVER. */
static vtime_t later(vtime_t at, vtime_t by)
{
	return __builtin_add_overflow(at, by, &at) ? VT_NEVER : at;
}

/* ---- Domains ---- */

/* Stop if an event that runs touches, at @at, an event of another domain that may run already. */
static void check_distance(const struct sim *sim, const struct sim_event *ev, vtime_t at)
{
	vtime_t least = sim->domain == NETWORK ? sim->win.to_node : sim->win.to_network;

	if (ev->domain <= sim->win.nodes &&
	    (sim->running == UINT64_MAX ||
	     (at >= later(sim->now, least) && (sim->domain == NETWORK || ev->domain == NETWORK))))
		return;
	abort();
}

static void note_next(struct sim *sim, unsigned int domain)
{
	if (domain != NETWORK)
		sim->next[domain] = event_queue_time(&sim->queue[domain]);
}

void sim_schedule_reserved(struct sim *sim, struct sim_event *ev, vtime_t at, uint64_t order)
{
	bool foreign = ev->domain != sim->domain;

	if (foreign)
		check_distance(sim, ev, at);
	event_queue_put(&sim->queue[ev->domain], ev, at < sim->now ? sim->now : at, order);
	if (foreign)
		note_next(sim, ev->domain);
}

void sim_schedule(struct sim *sim, struct sim_event *ev, vtime_t at)
{
	sim_schedule_reserved(sim, ev, at, sim_reserve(sim));
}

void sim_schedule_in(struct sim *sim, struct sim_event *ev, vtime_t delay)
{
	sim_schedule(sim, ev, later(sim->now, delay));
}

void sim_cancel(struct sim *sim, struct sim_event *ev)
{
	if (!sim_pending(ev))
		return;
	if (ev->domain != sim->domain)
		check_distance(sim, ev, sim->now);
	event_queue_remove(&sim->queue[ev->domain], ev);
	if (ev->domain != sim->domain)
		note_next(sim, ev->domain);
}

static vtime_t earlier_of(vtime_t a, vtime_t b)
{
	return a < b ? a : b;
}

/* Return the time of the earliest event of all nodes; VT_NEVER if there is none. */
static vtime_t nodes_time(const struct sim *sim)
{
	vtime_t t = VT_NEVER;

	for (unsigned int i = 1; i <= sim->win.nodes; i++)
		t = earlier_of(t, sim->next[i]);
	return t;
}

static bool any_pending(const struct sim *sim)
{
	for (unsigned int i = 0; i <= sim->win.nodes; i++)
		if (sim->queue[i].count)
			return true;
	return false;
}

bool sim_next_time(const struct sim *sim, vtime_t *t)
{
	if (!any_pending(sim))
		return false;
	*t = earlier_of(nodes_time(sim), event_queue_time(&sim->queue[NETWORK]));
	return true;
}

uint64_t sim_events(const struct sim *sim)
{
	return sim->events;
}

/* ---- Running ---- */

/* Run the events of a domain up to @t. */
static void run_domain(struct sim *sim, unsigned int domain, vtime_t t)
{
	struct event_queue *q = &sim->queue[domain];
	struct event_entry first;
	struct sim_event *ev;

	sim->domain = domain;
	while (event_queue_due(q, t)) {
		ev = event_queue_take(q, &first);
		sim->now = first.at;
		sim->running = first.order;
		sim->events++;
		ev->fn(ev->arg);
	}
}

/* The same in windows. The clock of each domain advances by itself. */
static void run_in_window(struct sim *sim, unsigned int domain, vtime_t t, vtime_t *last)
{
	run_domain(sim, domain, t);
	note_next(sim, domain);
	if (sim->now > *last)
		*last = sim->now;
}

/* The caches fetch, step by step, what the first event of a node and the node itself will touch. */
static void expect(const struct sim *sim, unsigned int node, unsigned int ahead)
{
	const struct event_queue *q = &sim->queue[node];
	const struct expectation *x = &sim->expect[node];

	if (ahead == 4)
		__builtin_prefetch(q);
	else if (ahead == 3)
		event_queue_expect(q);
	else if (ahead == 2)
		event_queue_expect_first(q);
	if (x->fn)
		x->fn(x->arg, ahead);
}

/* Run the events of the nodes up to @end. */
static void run_nodes(struct sim *sim, vtime_t end, vtime_t *last)
{
	unsigned int n = 0, i, ahead;

	for (i = 1; i <= sim->win.nodes; i++)
		if (sim->next[i] <= end)
			sim->due[n++] = i;
	for (i = 0; i < n; i++) {
		for (ahead = SIM_MAX_AHEAD; ahead; ahead--)
			if (i + ahead < n)
				expect(sim, sim->due[i + ahead], ahead);
		run_in_window(sim, sim->due[i], end, last);
	}
}

/*
 * Run a window, where the earliest events are at @nodes and @network. First the nodes, each up to
 * the time before which it cannot receive anything: a frame is delivered by an event of the network,
 * which is pending or follows from what a node sends. Then the network, up to the time before which
 * nothing that a node sends later can arrive. Nothing after @t runs.
 */
static void run_window(struct sim *sim, vtime_t nodes, vtime_t network, vtime_t t, vtime_t *last)
{
	vtime_t delivery = earlier_of(network, later(nodes, sim->win.to_network));
	vtime_t end = earlier_of(t, later(delivery, sim->win.to_node - 1));

	run_nodes(sim, end, last);
	run_in_window(sim, NETWORK, earlier_of(t, later(end, sim->win.to_network)), last);
}

static void run_windows(struct sim *sim, vtime_t t)
{
	vtime_t last = sim->now, nodes, network, first;

	for (;;) {
		nodes = nodes_time(sim);
		network = event_queue_time(&sim->queue[NETWORK]);
		first = earlier_of(nodes, network);
		if (first > t || (first == VT_NEVER && !any_pending(sim)))
			break;
		run_window(sim, nodes, network, t, &last);
	}
	sim->now = last;
}

/* Run all events up to @t. */
static void run(struct sim *sim, vtime_t t)
{
	if (sim->win.nodes)
		run_windows(sim, t);
	else
		run_domain(sim, NETWORK, t);
	sim->running = UINT64_MAX;
	sim->domain = NETWORK;
}

uint64_t sim_run_until(struct sim *sim, vtime_t t)
{
	uint64_t before = sim->events;

	run(sim, t);
	if (sim->now < t)
		sim->now = t;
	return sim->events - before;
}

bool sim_run_idle(struct sim *sim, vtime_t limit)
{
	run(sim, limit);
	if (!any_pending(sim))
		return true;
	if (sim->now < limit)
		sim->now = limit;
	return false;
}
