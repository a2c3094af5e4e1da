// SPDX-License-Identifier: BSD-2-Clause
/* Windows: which events of the fabric belong to a host, and how far they are from the others. */
#include "fabric/topo_int.h"

#define MIN_WINDOW	(100 * VT_NS)	/* shorter ones contain few events of a host */

enum { HOST_END, SWITCH_END };

static bool has_leaves(const struct topo *t)
{
	return t->cfg.kind == TOPO_SWITCH || topo_is_tree(t);
}

/* A host has one port, so of the frames that it receives, no two arrive at the same time. */
bool topo_fix_order(struct topo *t)
{
	if (!has_leaves(t))
		return false;
	for (unsigned int i = 0; i < t->cfg.hosts; i++) {
		fab_port_set_order(fab_link_port(t->cable[i], HOST_END), i + 1);
		fab_port_set_order(fab_link_port(t->cable[i], SWITCH_END), 1);
	}
	return true;
}

/*
 * A frame occupies the wire, travels along the cable and waits for the latency of the switch; this
 * is one event of the network. There a cut-through switch may find that the last bit leaves at once.
 */
static void distances(const struct topo *t, struct sim_windows *win)
{
	const struct fab_link_params *link = &t->cfg.link;

	win->nodes = t->cfg.hosts;
	win->to_network = fab_wire_time(link->bits_per_s, 0) + link->propagation +
			  t->cfg.sw.latency;
	win->to_node = link->propagation;
}

bool topo_windows(struct topo *t, struct sim_windows *win)
{
	distances(t, win);
	if (win->to_network + win->to_node < MIN_WINDOW || !win->to_node || !topo_fix_order(t))
		return false;
	for (unsigned int i = 0; i < t->cfg.hosts; i++) {
		fab_port_set_domains(fab_link_port(t->cable[i], HOST_END), i + 1, 0);
		fab_port_set_domains(fab_link_port(t->cable[i], SWITCH_END), 0, i + 1);
	}
	return true;
}
