// SPDX-License-Identifier: BSD-2-Clause
/* Connects switches and cables. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "fabric/topo_int.h"

#define NAME_MAX_BYTES	16

static unsigned int divide_up(unsigned int a, unsigned int b)
{
	return (a + b - 1) / b;
}

struct topo_tree topo_tree_of(const struct topo_cfg *cfg)
{
	unsigned int half = cfg->sw.ports / 2;
	struct topo_tree tree = { .half = half, .leaves = divide_up(cfg->hosts, half), .pods = 1 };

	if (tree.leaves > 1)
		tree.uppers = half;
	if (cfg->kind == TOPO_FATTREE3) {
		tree.pods = divide_up(tree.leaves, half);
		tree.cores = tree.pods > 1 ? half * half : 0;
	}
	return tree;
}

static int add_switches(struct topo *t, unsigned int n, unsigned int ports)
{
	struct fab_switch_params params = t->cfg.sw;

	params.ports = ports;
	t->sw = calloc(n, sizeof(*t->sw));
	if (!t->sw)
		return -ENOMEM;
	for (; t->num_switches < n; t->num_switches++) {
		struct fab_switch *sw = fab_switch_new(t->sim, &params);

		if (!sw)
			return -errno;
		t->sw[t->num_switches] = sw;
		fab_switch_share_numbers(sw, t->sw[0]);
		fab_switch_set_flooding(sw, t->cfg.kind == TOPO_SWITCH);
	}
	return 0;
}

static int keep(struct topo *t, struct fab_link *cable)
{
	unsigned int room = t->room ? 2 * t->room : 16;
	struct fab_link **all;

	if (t->num_cables == t->room) {
		all = reallocarray(t->cable, room, sizeof(*all));
		if (!all) {
			fab_link_free(cable);
			return -ENOMEM;
		}
		t->cable = all;
		t->room = room;
	}
	t->cable[t->num_cables++] = cable;
	return 0;
}

/* Appends a cable to the list. */
static int add_cable(struct topo *t, const struct fab_link_params *params, const char *a,
		     const char *b)
{
	struct fab_link *cable = fab_link_new(t->sim, params, a, b);

	return cable ? keep(t, cable) : -errno;
}

/* Attaches an end of the most recent cable to a switch. */
static int plug(struct topo *t, unsigned int end, unsigned int sw, unsigned int port)
{
	return fab_switch_attach(t->sw[sw], port,
				 fab_link_port(t->cable[t->num_cables - 1], end));
}

static void host_name(char name[NAME_MAX_BYTES], unsigned int host)
{
	snprintf(name, NAME_MAX_BYTES, "host%u", host);
}

static int cable_host(struct topo *t, unsigned int host, unsigned int sw, unsigned int port)
{
	char a[NAME_MAX_BYTES], b[NAME_MAX_BYTES];
	int err;

	host_name(a, host);
	topo_switch_name(t, sw, b, sizeof(b));
	err = add_cable(t, &t->cfg.link, a, b);
	return err ? err : plug(t, 1, sw, port);
}

static int cable_switches(struct topo *t, unsigned int low, unsigned int low_port,
			  unsigned int high, unsigned int high_port)
{
	char a[NAME_MAX_BYTES], b[NAME_MAX_BYTES];
	int err;

	topo_switch_name(t, low, a, sizeof(a));
	topo_switch_name(t, high, b, sizeof(b));
	err = add_cable(t, &t->cfg.trunk, a, b);
	if (!err)
		err = plug(t, 0, low, low_port);
	return err ? err : plug(t, 1, high, high_port);
}

static int wire_direct(struct topo *t)
{
	t->host_cables = 1;
	return add_cable(t, &t->cfg.link, "host0", "host1");
}

static int wire_switch(struct topo *t)
{
	unsigned int n = t->cfg.hosts;
	int err = add_switches(t, 1, t->cfg.sw.ports ? t->cfg.sw.ports : n);

	for (unsigned int i = 0; i < n && !err; i++)
		err = cable_host(t, i, 0, i);
	t->host_cables = n;
	return err;
}

/*
 * The link from the NIC to the switch inside it takes no time: the switch cuts through, and sends
 * at the same time as the NIC. It is fast enough for both cables at once.
 */
static int wire_ring_nic(struct topo *t, unsigned int host)
{
	const struct fab_link_params params = {
		.bits_per_s = 2 * t->cfg.link.bits_per_s,
		.queue_bytes = t->cfg.link.queue_bytes,
	};
	char name[NAME_MAX_BYTES];

	host_name(name, host);
	t->inner[host] = fab_link_new(t->sim, &params, name, "cables");
	if (!t->inner[host])
		return -errno;
	return fab_switch_attach(t->sw[host], RING_NIC, fab_link_port(t->inner[host], 1));
}

static int wire_ring_cable(struct topo *t, unsigned int host)
{
	char a[NAME_MAX_BYTES], b[NAME_MAX_BYTES];
	unsigned int right = (host + 1) % t->cfg.hosts;
	int err;

	host_name(a, host);
	host_name(b, right);
	err = add_cable(t, &t->cfg.link, a, b);
	if (!err)
		err = plug(t, 0, host, RING_RIGHT);
	return err ? err : plug(t, 1, right, RING_LEFT);
}

static int wire_ring(struct topo *t)
{
	unsigned int n = t->cfg.hosts;
	int err;

	t->cfg.sw.ecn_bytes = 0;
	t->host_cables = n > 2 ? n : n - 1;
	t->inner = calloc(n, sizeof(*t->inner));
	err = t->inner ? add_switches(t, n, RING_PORTS) : -ENOMEM;
	for (unsigned int i = 0; i < n && !err; i++)
		err = wire_ring_nic(t, i);
	for (unsigned int i = 0; i < t->host_cables && !err; i++)
		err = wire_ring_cable(t, i);
	for (unsigned int i = 0; i < n && !err; i++)
		fab_switch_set_inner(t->sw[i], RING_NIC);
	return err;
}

/* Connects the leaves of a pod, or of a two-level tree, to the upper switches. */
static int wire_uppers(struct topo *t)
{
	const struct topo_tree *tree = &t->tree;
	bool pods = t->cfg.kind == TOPO_FATTREE3;
	int err = 0;

	for (unsigned int l = 0; l < tree->leaves; l++)
		for (unsigned int u = 0; u < tree->uppers && !err; u++)
			err = cable_switches(t, l, tree->half + u,
					     pods ? topo_agg(tree, l / tree->half, u) :
						    topo_spine(tree, u),
					     pods ? l % tree->half : l);
	return err;
}

static int wire_cores(struct topo *t)
{
	const struct topo_tree *tree = &t->tree;
	int err = 0;

	for (unsigned int p = 0; p < tree->pods; p++)
		for (unsigned int i = 0; i < tree->cores && !err; i++) {
			unsigned int u = i / tree->half, c = i % tree->half;

			err = cable_switches(t, topo_agg(tree, p, u), tree->half + c,
					     topo_core(tree, u, c), p);
		}
	return err;
}

static int wire_tree(struct topo *t)
{
	struct topo_tree *tree = &t->tree;
	int err;

	*tree = topo_tree_of(&t->cfg);
	err = add_switches(t, topo_core(tree, 0, 0) + tree->cores, t->cfg.sw.ports);
	for (unsigned int i = 0; i < t->cfg.hosts && !err; i++)
		err = cable_host(t, i, i / tree->half, i % tree->half);
	t->host_cables = t->cfg.hosts;
	if (!err)
		err = wire_uppers(t);
	return err ? err : wire_cores(t);
}

int topo_wire(struct topo *t)
{
	switch (t->cfg.kind) {
	case TOPO_DIRECT:
		return wire_direct(t);
	case TOPO_RING:
		return wire_ring(t);
	case TOPO_SWITCH:
		return wire_switch(t);
	default:
		return wire_tree(t);
	}
}
