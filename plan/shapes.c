// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * EXCHANGE: chooses the best parts. Candidates are built between *anchors*: single nodes, units,
 * pods, and all nodes. Units are leaves, leaves with small neighbours, or pieces of them. Rounds
 * between two anchors have radices that are as equal as possible. All candidates get a rough
 * estimate, and the best of them an exact one.
 */
#include "plan/plan_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NUM_FINALISTS 4
#define HARDLY 32	/* a time that is longer by one part in so many is hardly longer */
#define MANY_NEIGHBOURS 34

struct candidate {
	struct parts parts;
	uint64_t ns;
};

struct shape_search {
	const struct plan_topo *topo;
	const struct plan_work *work;
	uint32_t num_nodes, max_edges;
	struct round_parts singles, all;
	struct candidate best[NUM_FINALISTS];	/* in ascending order */
	uint32_t num;
	bool chosen;				/* the shape has parts of this search */
};

/* The units and pods, derived from the leaves and pods of the topology. */
struct anchors {
	struct round_parts unit, pod;
};

/* Returns the parts that share a switch of a level, or a single part above the highest level. */
static int switches(const struct shape_search *c, uint32_t level, struct round_parts *out)
{
	if (plan_parts_alloc(out, c->num_nodes))
		return -ENOMEM;
	for (uint32_t i = 0; i < c->num_nodes; i++)
		if (!i || (level < c->topo->levels &&
			   c->topo->sw[level][i] != c->topo->sw[level][i - 1]))
			out->start[out->num++] = i;
	out->start[out->num] = c->num_nodes;
	return 0;
}

/*
 * Joins parts until they have `least` nodes. A part that is much smaller is joined to the previous
 * part; so is the last part if it is too small.
 */
static void merge_small(struct round_parts *level, uint32_t least)
{
	uint32_t num = 0, end = level->start[level->num];

	for (uint32_t p = 1; p < level->num; p++) {
		uint32_t own = level->start[p] - level->start[num];
		uint32_t next = level->start[p + 1] - level->start[p];

		if (own >= least && (next * 2 >= least || own + next > least + least / 2))
			level->start[++num] = level->start[p];
	}
	if (num && end < level->start[num] + least)
		num--;
	level->num = num + 1;
	level->start[level->num] = end;
}

/* Cuts parts of more than `most` nodes into equal pieces. */
static int cut_large(struct round_parts *level, uint32_t most)
{
	struct round_parts out;

	if (plan_parts_alloc(&out, level->start[level->num]))
		return -ENOMEM;
	for (uint32_t p = 0; p < level->num; p++) {
		uint32_t at = level->start[p], count = level->start[p + 1] - at;
		uint32_t pieces = (count + most - 1) / most;

		for (uint32_t i = 0; i < pieces; i++) {
			out.start[out.num++] = at;
			at += count / pieces + (i < count % pieces);
		}
	}
	out.start[out.num] = level->start[level->num];
	free(level->start);
	*level = out;
	return 0;
}

/* Removes borders that are not borders of `low`. */
static void align(struct round_parts *high, const struct round_parts *low)
{
	uint32_t num = 0, at = 0;

	for (uint32_t p = 0; p < high->num; p++) {
		while (at < low->num && low->start[at] < high->start[p])
			at++;
		if (low->start[at] == high->start[p])
			high->start[num++] = high->start[p];
	}
	high->start[num] = high->start[high->num];
	high->num = num;
}

static bool same(const struct round_parts *a, const struct round_parts *b)
{
	return a->num == b->num && !memcmp(a->start, b->start, a->num * sizeof(*a->start));
}

/* Returns whether an equal candidate exists already, which was built in another way. */
static bool is_double(const struct shape_search *c, const struct candidate *new)
{
	for (uint32_t i = 0; i < c->num; i++) {
		const struct candidate *old = &c->best[i];
		uint32_t r = 0;

		if (old->ns != new->ns || old->parts.rounds != new->parts.rounds)
			continue;
		while (r < new->parts.rounds && same(&old->parts.level[r], &new->parts.level[r]))
			r++;
		if (r == new->parts.rounds)
			return true;
	}
	return false;
}

/* Keeps the candidate if it is among the best so far, and frees it otherwise. */
static int add_candidate(struct shape_search *c, struct parts *parts)
{
	struct candidate new = { .parts = *parts };
	struct plan_time time;
	int err = plan_exchange_rough(c->topo, &c->work->costs, parts, c->max_edges, &time);
	uint32_t at = c->num;

	new.ns = err ? 0 : plan_total(c->work, &time);
	while (!err && at && c->best[at - 1].ns > new.ns)
		at--;
	if (err || at == NUM_FINALISTS || is_double(c, &new)) {
		plan_parts_free(parts);
		return err == -E2BIG ? 0 : err;
	}
	*parts = (struct parts){ 0 };
	if (c->num == NUM_FINALISTS)
		plan_parts_free(&c->best[--c->num].parts);
	for (uint32_t i = c->num++; i > at; i--)
		c->best[i] = c->best[i - 1];
	c->best[at] = new;
	return 0;
}

/* Adds rounds between two anchors. Returns false if this number of rounds is impossible. */
static bool refine(struct parts *parts, const struct round_parts *low,
		   const struct round_parts *high, uint32_t rounds, int *err)
{
	uint8_t radix[TALLY_MAX_ROUNDS];
	uint32_t most = plan_parts_most(low, high);

	if (most == 1)
		return !rounds;
	/* More rounds than halvings are never better. */
	if (!rounds || rounds > plan_levels(most) || !plan_radices(most, rounds, radix))
		return false;
	*err = plan_parts_refine(parts, low, high, rounds, radix);
	return !*err;
}

/* Tries one candidate, with these numbers of rounds to the units, to the pods, and to all nodes. */
static int try_rounds(struct shape_search *c, const struct anchors *a, uint32_t r1, uint32_t r2,
		      uint32_t r3)
{
	struct parts parts = { 0 };
	int err = 0;

	if (refine(&parts, &c->singles, &a->unit, r1, &err) &&
	    refine(&parts, &a->unit, &a->pod, r2, &err) &&
	    refine(&parts, &a->pod, &c->all, r3, &err))
		err = add_candidate(c, &parts);
	plan_parts_free(&parts);
	return err;
}

static int try_anchors(struct shape_search *c, const struct anchors *a)
{
	int err = 0;

	for (uint32_t r1 = 0; r1 <= 2; r1++)
		for (uint32_t r2 = 0; r2 <= 2; r2++)
			for (uint32_t r3 = 0; r3 <= 2 && !err; r3++)
				err = try_rounds(c, a, r1, r2, r3);
	return err;
}

/*
 * Builds units of leaves: leaves below `least` nodes are joined, leaves above `most` nodes are cut.
 */
static int make_units(const struct shape_search *c, uint32_t least, uint32_t most,
		      struct round_parts *unit)
{
	int err = switches(c, 0, unit);

	if (err)
		return err;
	merge_small(unit, least);
	return cut_large(unit, most);
}

/* Tries these units with the pods of each level, and without pods. */
static int try_units(struct shape_search *c, const struct round_parts *unit, uint32_t least_pod)
{
	struct anchors a = { .unit = *unit };
	int err = 0;

	for (uint32_t level = 1; level <= PLAN_MAX_LEVELS && !err; level++) {
		if (level >= c->topo->levels && level < PLAN_MAX_LEVELS)
			continue;
		err = switches(c, level, &a.pod);
		if (!err) {
			align(&a.pod, &a.unit);
			merge_small(&a.pod, least_pod);
			err = try_anchors(c, &a);
		}
		free(a.pod.start);
	}
	return err;
}

static int try_leaves(struct shape_search *c)
{
	struct round_parts unit[6] = { 0 };
	uint32_t leaf, num = 0;
	int err = switches(c, 0, &unit[0]);

	leaf = err ? 0 : plan_parts_most(&c->singles, &unit[0]);
	free(unit[0].start);
	unit[0].start = NULL;
	for (uint32_t i = 0; i < 6 && !err; i++) {
		bool seen = false;

		err = make_units(c, 1 + (leaf - 1) * (i / 2) / 2, i % 2 ? 2 * leaf : leaf,
				 &unit[num]);
		for (uint32_t k = 0; k < num && !err; k++)
			seen |= same(&unit[k], &unit[num]);
		if (!err && !seen)
			err = try_units(c, &unit[num++], leaf);
		else
			free(unit[num].start);
	}
	while (num)
		free(unit[--num].start);
	return err;
}

/* Tries parts without regard to switches. This is always possible, if necessary by halving. */
static int try_even(struct shape_search *c)
{
	const struct anchors a = { c->all, c->all };
	int err = 0;

	for (uint32_t r = 1; r <= TALLY_MAX_ROUNDS && !err; r++)
		err = try_rounds(c, &a, r, 0, 0);
	return err;
}

/* Tries the requested radices. If r is not 0, the first `r` rounds lead to the leaves. */
static int try_given(struct shape_search *c, const struct plan_request *req, uint32_t r)
{
	struct round_parts unit = { 0 };
	struct parts parts = { 0 };
	uint64_t low = 1, high = 1;
	int err = r ? switches(c, 0, &unit) : plan_parts_singles(&unit, c->num_nodes);

	for (uint32_t i = 0; i < req->num_rounds; i++)
		*(i < r ? &low : &high) *= req->radix[i];
	if (!err && plan_parts_most(&c->singles, &unit) <= low &&
	    plan_parts_most(&unit, &c->all) <= high) {
		err = plan_parts_refine(&parts, &c->singles, &unit, r, req->radix);
		if (!err)
			err = plan_parts_refine(&parts, &unit, &c->all, req->num_rounds - r,
					   req->radix + r);
		if (!err)
			err = add_candidate(c, &parts);
	}
	plan_parts_free(&parts);
	free(unit.start);
	return err;
}

static int find_candidates(struct shape_search *c, const struct plan_request *req)
{
	int err = plan_parts_singles(&c->singles, c->num_nodes);

	if (!err)
		err = plan_parts_all(&c->all, c->num_nodes);
	for (uint32_t r = 0; r < req->num_rounds && !err; r++)
		err = try_given(c, req, r);
	if (err || req->num_rounds)
		return err;
	err = try_even(c);
	return err ? err : try_leaves(c);
}

/*
 * Returns whether a plan with many neighbours is hardly faster than one with at most half as many
 * packets at the busiest port, which then also has about half as many edges.
 */
static bool is_wasteful(const struct plan_work *work, const struct plan_time *fast,
			const struct plan_time *slow)
{
	uint64_t fast_ns = plan_total(work, fast);

	return plan_total(work, slow) <= fast_ns + fast_ns / HARDLY &&
	       2 * slow->next_ns <= fast->next_ns &&
	       fast->next_ns > (uint64_t)MANY_NEIGHBOURS * work->costs.packet_ns;
}

static bool is_better(const struct plan_work *work, const struct plan_time *a,
		      const struct plan_time *b)
{
	if (plan_total(work, a) < plan_total(work, b))
		return !is_wasteful(work, a, b);
	return plan_total(work, a) > plan_total(work, b) && is_wasteful(work, b, a);
}

/*
 * Compares the exact estimates. *least, the time of the plan so far or UINT64_MAX, does not change
 * if no candidate is possible.
 */
static int compare_finalists(struct shape_search *c, struct plan_shape *shape, uint64_t *least)
{
	struct plan_time time;
	int err = 0;

	for (uint32_t i = 0; i < c->num && !err; i++) {
		struct parts *parts = &c->best[i].parts, swap = *parts;

		err = plan_exchange_edges(parts, c->max_edges, shape->exchange);
		if (err == -E2BIG) {
			err = 0;
			continue;
		}
		if (!err)
			err = plan_exchange_estimate(c->topo, &c->work->costs, parts,
						     shape->exchange, &time);
		if (!err && (*least == UINT64_MAX || is_better(c->work, &time, &shape->time))) {
			*least = plan_total(c->work, &time);
			c->chosen = true;
			shape->time = time;
			*parts = shape->parts;
			shape->parts = swap;
		}
	}
	return err;
}

static int run_search(struct shape_search *c, const struct plan_request *req, struct plan *plan,
		      uint64_t *least)
{
	int err = find_candidates(c, req);

	if (!err)
		err = compare_finalists(c, plan->shape, least);
	while (c->num)
		plan_parts_free(&c->best[--c->num].parts);
	free(c->singles.start);
	free(c->all.start);
	return err;
}

/* Tries other places. If they are better, stores them in shape->rebalanced. */
static int try_rebalance(struct shape_search c, const struct plan_request *req, struct plan *plan,
			 uint64_t *least)
{
	struct placement *rebalanced = &plan->shape->rebalanced;
	bool any;
	int err = plan_rebalance(plan, rebalanced, &any);

	if (!err && any) {
		c.topo = &rebalanced->topo;
		err = run_search(&c, req, plan, least);
	}
	if (!c.chosen) {
		plan_placement_free(rebalanced);
		*rebalanced = (struct placement){ 0 };
	}
	return err;
}

int plan_parts_choose(struct plan *plan, const struct plan_request *req, const struct refusal *to)
{
	const struct shape_search c = {
		.topo = &plan->shape->topo,
		.work = &plan->shape->work,
		.num_nodes = plan->num_nodes,
		.max_edges = plan->shape->max_edges,
	};
	struct shape_search base = c;
	uint64_t least = UINT64_MAX;
	int err;

	if (plan->num_nodes == 1) {
		plan->shape->time = (struct plan_time){
			.first_ns = c.work->costs.request_ns, .parallel = 1 };
		return plan_parts_singles(&plan->shape->parts.level[0], 1);
	}
	err = run_search(&base, req, plan, &least);
	if (!err && !req->keep_order)
		err = try_rebalance(c, req, plan, &least);
	if (!err && least == UINT64_MAX)
		err = plan_refuse(to, "radix: some node would have more than %u neighbours",
				  c.max_edges);
	return err;
}
