// SPDX-License-Identifier: BSD-2-Clause
/* Fills the tables of the switches: paths to hosts, and trees of groups. */
#include <errno.h>
#include <string.h>

#include "fabric/topo_int.h"

/* ---- Paths to a host ---- */

static int learn_ring(struct topo *t, unsigned int host, const uint8_t mac[6])
{
	int err = 0;

	for (unsigned int i = 0; i < t->cfg.hosts && !err; i++)
		err = fab_switch_learn(t->sw[i], mac, i == host ? RING_NIC :
				       topo_ring_turns_right(t, i, host) ? RING_RIGHT : RING_LEFT);
	return err;
}

/* Goes up at upper switch @u of the host's pod, and at the same switch of every other pod. */
static int learn_pods(struct topo *t, unsigned int host, const uint8_t mac[6])
{
	const struct topo_tree *tree = &t->tree;
	unsigned int leaf = host / tree->half, pod = leaf / tree->half;
	unsigned int u = host % tree->half, c = leaf % tree->half;
	int err = 0;

	for (unsigned int p = 0; p < tree->pods && !err; p++)
		err = fab_switch_learn(t->sw[topo_agg(tree, p, u)], mac,
				       p == pod ? leaf % tree->half : tree->half + c);
	if (!err && tree->cores)
		err = fab_switch_learn(t->sw[topo_core(tree, u, c)], mac, pod);
	return err;
}

/* Only the switches on a path to @host learn its address. */
static int learn_tree(struct topo *t, unsigned int host, const uint8_t mac[6])
{
	const struct topo_tree *tree = &t->tree;
	unsigned int leaf = host / tree->half, u = host % tree->half;
	int err = 0;

	for (unsigned int l = 0; l < tree->leaves && !err; l++)
		err = fab_switch_learn(t->sw[l], mac, l == leaf ? u : tree->half + u);
	if (err || !tree->uppers)
		return err;
	if (t->cfg.kind == TOPO_FATTREE3)
		return learn_pods(t, host, mac);
	return fab_switch_learn(t->sw[topo_spine(tree, u)], mac, leaf);
}

int topo_learn(struct topo *t, unsigned int host, const uint8_t mac[6])
{
	if (host >= t->cfg.hosts)
		return -ERANGE;
	if (mac[0] & MAC_GROUP_BIT)
		return -EINVAL;
	switch (t->cfg.kind) {
	case TOPO_DIRECT:
		return 0;
	case TOPO_RING:
		return learn_ring(t, host, mac);
	case TOPO_SWITCH:
		return fab_switch_learn(t->sw[0], mac, host);
	default:
		return learn_tree(t, host, mac);
	}
}

/* ---- Trees of groups ---- */

/* The members of a group, by number. */
struct members {
	const uint8_t *mac;
	bool is[TOPO_MAX_HOSTS];
};

/*
 * Finds the ends of the ring's longest stretch without members: the last member before it and the
 * first one after it.
 */
static void ends_of_arc(const struct topo *t, const struct members *m, unsigned int *first,
			unsigned int *last)
{
	unsigned int n = t->cfg.hosts, begin = 0, before, longest = 0;

	while (!m->is[begin])
		begin++;
	before = begin;
	for (unsigned int i = 1; i <= n; i++) {
		unsigned int at = (begin + i) % n, gap = topo_ring_right(t, before, at);

		if (!m->is[at])
			continue;
		/* With a single member, the stretch goes from it round to itself. */
		if (at == before)
			gap = n;
		if (gap > longest) {
			longest = gap;
			*last = before;
			*first = at;
		}
		before = at;
	}
}

/* Joins the members along the ring, without its longest stretch without members. */
static int join_ring(struct topo *t, const struct members *m)
{
	unsigned int first = 0, last = 0;
	int err = 0;

	ends_of_arc(t, m, &first, &last);
	for (unsigned int i = first; !err; i = (i + 1) % t->cfg.hosts) {
		if (m->is[i])
			err = fab_switch_join(t->sw[i], m->mac, RING_NIC);
		if (!err && i != first)
			err = fab_switch_join(t->sw[i], m->mac, RING_LEFT);
		if (i == last)
			break;
		if (!err)
			err = fab_switch_join(t->sw[i], m->mac, RING_RIGHT);
	}
	return err;
}

/* Groups are distributed over the upper switches by their addresses. */
static unsigned int number_of(const uint8_t mac[6])
{
	return (unsigned int)mac[3] << 16 | mac[4] << 8 | mac[5];
}

static int join_both(struct topo *t, const uint8_t mac[6], unsigned int low, unsigned int low_port,
		     unsigned int high, unsigned int high_port)
{
	int err = fab_switch_join(t->sw[low], mac, low_port);

	return err ? err : fab_switch_join(t->sw[high], mac, high_port);
}

/* Joins leaves with members, or pods, at one upper switch if there are at least two of them. */
static int join_uppers(struct topo *t, const struct members *m, const bool *leaf, const bool *pod)
{
	const struct topo_tree *tree = &t->tree;
	unsigned int g = number_of(m->mac), u = g % tree->half, c = g / tree->half % tree->half;
	bool pods = t->cfg.kind == TOPO_FATTREE3;
	int err = 0;

	for (unsigned int l = 0; l < tree->leaves && !err; l++)
		if (leaf[l])
			err = join_both(t, m->mac, l, tree->half + u,
					pods ? topo_agg(tree, l / tree->half, u) :
					       topo_spine(tree, u),
					pods ? l % tree->half : l);
	for (unsigned int p = 0; pod && p < tree->pods && !err; p++)
		if (pod[p])
			err = join_both(t, m->mac, topo_agg(tree, p, u), tree->half + c,
					topo_core(tree, u, c), p);
	return err;
}

static int join_tree(struct topo *t, const struct members *m)
{
	const struct topo_tree *tree = &t->tree;
	bool leaf[TOPO_MAX_HOSTS] = { false }, pod[TOPO_MAX_HOSTS] = { false };
	unsigned int leaves = 0, pods = 0;
	int err = 0;

	for (unsigned int i = 0; i < t->cfg.hosts && !err; i++) {
		unsigned int l = i / tree->half, p = l / tree->half;

		if (!m->is[i])
			continue;
		leaves += !leaf[l];
		pods += !pod[p];
		leaf[l] = pod[p] = true;
		err = fab_switch_join(t->sw[l], m->mac, i % tree->half);
	}
	if (err || leaves < 2)
		return err;
	return join_uppers(t, m, leaf, tree->cores && pods > 1 ? pod : NULL);
}

static int join_switch(struct topo *t, const struct members *m)
{
	int err = 0;

	for (unsigned int i = 0; i < t->cfg.hosts && !err; i++)
		if (m->is[i])
			err = fab_switch_join(t->sw[0], m->mac, i);
	return err;
}

static int join(struct topo *t, const struct members *m)
{
	switch (t->cfg.kind) {
	case TOPO_DIRECT:
		return 0;
	case TOPO_RING:
		return join_ring(t, m);
	case TOPO_SWITCH:
		return join_switch(t, m);
	default:
		return join_tree(t, m);
	}
}

int topo_join(struct topo *t, const uint8_t mac[6], const unsigned int *hosts, unsigned int n)
{
	struct members m = { .mac = mac };
	int err;

	topo_leave(t, mac);
	if (!(mac[0] & MAC_GROUP_BIT))
		return -EINVAL;
	for (unsigned int i = 0; i < n; i++) {
		if (hosts[i] >= t->cfg.hosts)
			return -ERANGE;
		if (m.is[hosts[i]])
			return -EBUSY;
		m.is[hosts[i]] = true;
	}
	err = n ? join(t, &m) : 0;
	if (err)
		topo_leave(t, mac);
	return err;
}

void topo_leave(struct topo *t, const uint8_t mac[6])
{
	for (unsigned int i = 0; i < t->num_switches; i++)
		fab_switch_leave(t->sw[i], mac);
}
