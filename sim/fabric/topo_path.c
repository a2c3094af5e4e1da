// SPDX-License-Identifier: BSD-2-Clause
/* Computes the length of paths without simulating them. */
#include "fabric/topo_int.h"

unsigned int topo_levels(const struct topo *t)
{
	switch (t->cfg.kind) {
	case TOPO_SWITCH:
		return 1;
	case TOPO_FATTREE2:
		return 2;
	case TOPO_FATTREE3:
		return 3;
	default:
		return 0;
	}
}

uint32_t topo_switch_of(const struct topo *t, unsigned int level, unsigned int host)
{
	/* All hosts are below the highest level: one switch, or several equivalent ones. */
	if (level + 1 >= topo_levels(t))
		return 0;
	return level ? host / (t->tree.half * t->tree.half) : host / t->tree.half;
}

/* Returns the level, from 1, of the highest switch between two hosts; 0 if there is no switch. */
static unsigned int level_between(const struct topo *t, unsigned int a, unsigned int b)
{
	unsigned int level = 0;

	if (!topo_levels(t))
		return 0;
	while (topo_switch_of(t, level, a) != topo_switch_of(t, level, b))
		level++;
	return level + 1;
}

/* Returns the number of cables between two hosts of a ring. */
static unsigned int distance(const struct topo *t, unsigned int from, unsigned int to)
{
	unsigned int right = topo_ring_right(t, from, to), left = t->cfg.hosts - right;

	return right < left ? right : left;
}

struct topo_path topo_path(const struct topo *t, unsigned int from, unsigned int to)
{
	unsigned int level, cables;

	if (from == to)
		return (struct topo_path){ 0 };
	if (!topo_levels(t)) {
		cables = t->cfg.kind == TOPO_RING ? distance(t, from, to) : 1;
		return (struct topo_path){ .switches = cables - 1, .links = cables };
	}
	level = level_between(t, from, to);
	return (struct topo_path){ .switches = 2 * level - 1, .links = 2 * level };
}

/* The path of a frame up to some point. */
struct walk {
	size_t bytes;
	vtime_t time;		/* time when the frame had arrived completely */
	vtime_t last_wire;	/* its wire time on the last cable; 0: none */
};

static void take_cable(struct walk *w, const struct fab_link_params *p)
{
	vtime_t wire = fab_wire_time(p->bits_per_s, w->bytes);

	w->time += wire + p->propagation;
	w->last_wire = wire;
}

/* Adds the way through a switch and over the cable behind it. */
static void take_hop(struct walk *w, const struct fab_switch_params *sw,
		     const struct fab_link_params *p)
{
	vtime_t wire = fab_wire_time(p->bits_per_s, w->bytes), early = 0;

	if (sw->cut_through)
		early = wire < w->last_wire ? wire : w->last_wire;
	w->time += sw->latency - early;
	take_cable(w, p);
}

static vtime_t ring_time(const struct topo *t, unsigned int cables, size_t bytes)
{
	struct walk w = { .bytes = bytes };

	if (!cables)
		return 0;
	take_cable(&w, &t->cfg.link);
	while (--cables)
		take_hop(&w, &t->cfg.sw, &t->cfg.link);
	return w.time;
}

vtime_t topo_level_time(const struct topo *t, unsigned int level, size_t bytes)
{
	struct walk w = { .bytes = bytes };

	take_cable(&w, &t->cfg.link);
	if (!level)
		return w.time;
	for (unsigned int trunks = 2 * (level - 1); trunks; trunks--)
		take_hop(&w, &t->cfg.sw, &t->cfg.trunk);
	take_hop(&w, &t->cfg.sw, &t->cfg.link);
	return w.time;
}

vtime_t topo_path_time(const struct topo *t, unsigned int from, unsigned int to, size_t bytes)
{
	if (from == to)
		return 0;
	if (t->cfg.kind == TOPO_RING)
		return ring_time(t, distance(t, from, to), bytes);
	return topo_level_time(t, level_between(t, from, to), bytes);
}

static vtime_t longest_on_ring(const struct topo *t, const unsigned int *hosts, unsigned int n,
			       size_t bytes)
{
	unsigned int longest = 0;

	for (unsigned int i = 0; i < n; i++)
		for (unsigned int k = 0; k < i; k++) {
			unsigned int d = distance(t, hosts[k], hosts[i]);

			longest = d > longest ? d : longest;
		}
	return ring_time(t, longest, bytes);
}

vtime_t topo_longest_time(const struct topo *t, const unsigned int *hosts, unsigned int n,
			  size_t bytes)
{
	vtime_t longest = 0;

	if (t->cfg.kind == TOPO_RING)
		return longest_on_ring(t, hosts, n, bytes);
	/* Of any two hosts, one is at least as far from host 0 as the two are from each other. */
	for (unsigned int i = 1; i < n; i++) {
		vtime_t time = topo_path_time(t, hosts[0], hosts[i], bytes);

		longest = time > longest ? time : longest;
	}
	return longest;
}
