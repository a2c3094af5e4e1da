// SPDX-License-Identifier: BSD-2-Clause
/* Building, running and freeing the nodes and their ranks. */
#include "coll/coll.h"

#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll/priv.h"

#define SETUP_LIMIT	VT_S
#define NODE_MEMORY	(64ull << 20)	/* rings, and what the library shares */
#define RANK_MEMORY	(64ull << 20)	/* staging buffers */
#define STEP		VT_MS

void coll_trouble(struct sim_coll *s, const char *format, ...)
{
	va_list args;

	if (s->trouble[0])
		return;
	va_start(args, format);
	vsnprintf(s->trouble, sizeof(s->trouble), format, args);
	va_end(args);
}

const char *sim_coll_trouble(const struct sim_coll *s)
{
	return s->trouble;
}

struct host_set *sim_coll_hosts(struct sim_coll *s)
{
	return &s->hosts;
}

/* ---- Building ---- */
static void on_error(void *arg, struct host *h, const char *what)
{
	(void)h;
	coll_trouble(arg, "%s", what);
}

static void started(void *arg, const struct tally_admin_cqe *cqe)
{
	struct sim_coll *s = arg;

	s->pending--;
	if (!cqe || cqe->status)
		coll_trouble(s, "a NIC did not start");
}

/* Blocks are powers of two, so each may take twice its size. */
static size_t node_memory(const struct sim_coll *s)
{
	const struct sim_coll_cfg *cfg = &s->cfg;
	uint32_t ranks = cfg->node_of ? cfg->num_ranks : cfg->c.ranks;

	return NODE_MEMORY + ranks * RANK_MEMORY + 4 * cfg->memory;
}

static void build_hosts(struct sim_coll *s)
{
	struct host_set_cfg hc = HOST_SET_DEFAULTS;
	int err;

	hc.hosts = s->cfg.c.nodes;
	hc.memory = node_memory(s);
	hc.topo = bench_topology(&s->cfg.c);
	hc.timing = bench_nic_timing(s->cfg.c.params);
	hc.on_error = on_error;
	hc.on_error_arg = s;
	if (topo_check(&hc.topo, s->trouble, sizeof(s->trouble)))
		return;
	err = host_set_build(&s->hosts, s->sim, &hc);
	if (err)
		coll_trouble(s, "%s", s->hosts.why[0] ? s->hosts.why : strerror(-err));
	for (uint32_t i = 0; !err && i < hc.hosts; i++) {
		s->pending += HOST_NUM_EQ;
		host_start(s->hosts.host[i], started, s);
	}
	while (s->pending && !s->trouble[0] && sim_now(s->sim) < SETUP_LIMIT)
		sim_run_until(s->sim, sim_now(s->sim) + VT_US);
	if (s->pending)
		coll_trouble(s, "the NICs did not start");
}

static void build_nodes(struct sim_coll *s, struct coll_rank **room)
{
	for (uint32_t i = 0; i < s->cfg.c.nodes; i++) {
		struct coll_node *n = &s->node[i];

		n->s = s;
		n->host = s->hosts.host[i];
		n->host->cfg.on_write = coll_written;
		n->host->cfg.on_write_arg = n;
		n->rank = room;
		for (uint32_t k = 0; k < s->num_ranks; k++) {
			struct coll_rank *r = &s->rank[k];

			if (r->node != n)
				continue;
			r->local = n->num_ranks;
			n->rank[n->num_ranks++] = r;
		}
		room += n->num_ranks;
	}
}

static void build_ranks(struct sim_coll *s)
{
	const struct sim_coll_cfg *cfg = &s->cfg;

	for (uint32_t k = 0; k < s->num_ranks; k++) {
		struct coll_rank *r = &s->rank[k];

		r->s = s;
		r->node = &s->node[cfg->node_of ? cfg->node_of[k] : k / cfg->c.ranks];
		r->number = k;
		coll_rank_init(r);
	}
	build_nodes(s, s->room);
}

struct sim_coll *sim_coll_new(const struct sim_coll_cfg *cfg, char *why, size_t size)
{
	struct sim_coll *s = calloc(1, sizeof(*s));

	if (!s) {
		snprintf(why, size, "no memory");
		return NULL;
	}
	s->cfg = *cfg;
	s->num_ranks = cfg->node_of ? cfg->num_ranks : bench_total_ranks(&cfg->c);
	s->sim = sim_new(cfg->c.seed);
	s->node = calloc(cfg->c.nodes, sizeof(*s->node));
	s->rank = calloc(s->num_ranks, sizeof(*s->rank));
	s->room = calloc(s->num_ranks, sizeof(*s->room));
	if (!s->sim || !s->node || !s->rank || !s->room)
		coll_trouble(s, "no memory");
	else
		build_hosts(s);
	if (!s->trouble[0]) {
		build_ranks(s);
		return s;
	}
	snprintf(why, size, "%s", s->trouble);
	sim_coll_free(s);
	return NULL;
}

/* ---- Freeing ---- */
static void free_meetings(struct coll_meeting *m)
{
	while (m) {
		struct coll_meeting *next = m->next;

		free(m->member);
		free(m->call);
		free(m->seat);
		free(m);
		m = next;
	}
}

static void free_plans(struct coll_plan *p)
{
	while (p) {
		struct coll_plan *next = p->next;

		plan_free(&p->plan);
		free(p->ranks);
		free(p);
		p = next;
	}
}

/* After a failure, ranks may be suspended; what is on their stacks is lost. */
static void free_rank(struct coll_rank *r)
{
	if (r->fiber)
		fiber_free(r->fiber);
	coll_stores_free(r);
	free(r->outcome);
}

void sim_coll_free(struct sim_coll *s)
{
	if (!s)
		return;
	for (uint32_t k = 0; s->rank && k < s->num_ranks; k++)
		free_rank(&s->rank[k]);
	for (uint32_t i = 0; s->node && i < s->cfg.c.nodes; i++)
		free(s->node[i].awaited);
	free_meetings(s->meeting);
	free_plans(s->plan);
	if (s->hosts.sim)
		host_set_free(&s->hosts);
	sim_free(s->sim);
	free(s->node);
	free(s->rank);
	free(s->room);
	free(s);
}

/* ---- Running ---- */
const char *sim_coll_remains(const struct sim_coll *s)
{
	for (uint32_t i = 0; i < s->cfg.c.nodes; i++) {
		const struct coll_node *n = &s->node[i];

		if (n->group)
			return "a group";
		if (n->shared)
			return "shared memory";
		for (uint32_t k = 0; k < n->num_ranks; k++)
			if (n->rank[k]->queue || n->rank[k]->num_groups)
				return "a queue";
		if (n->host->mem.used != n->used)
			return "memory";
	}
	return NULL;
}

int sim_coll_run(struct sim_coll *s, void (*body)(struct coll_rank *r, void *arg), void *arg)
{
	const vtime_t limit = sim_now(s->sim) + (s->cfg.limit ? s->cfg.limit : COLL_LIMIT);

	if (host_set_set_faults(&s->hosts, &s->cfg.faults))
		coll_trouble(s, "the faults are none that a link can have");
	s->body = body;
	s->arg = arg;
	for (uint32_t i = 0; i < s->cfg.c.nodes; i++)
		s->node[i].used = s->node[i].host->mem.used;
	for (uint32_t k = 0; k < s->num_ranks && !s->trouble[0]; k++)
		if (!coll_rank_start(&s->rank[k]))
			coll_trouble(s, "no memory for the stack of rank %u", k);
	while (s->running && !s->trouble[0] && sim_now(s->sim) < limit)
		sim_run_until(s->sim, sim_now(s->sim) + STEP);
	if (s->running)
		coll_trouble(s, "%u ranks did not end in time", s->running);
	return s->trouble[0] ? -1 : 0;
}
