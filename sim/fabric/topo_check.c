// SPDX-License-Identifier: BSD-2-Clause
/* Checks configurations of fabrics, and names their kinds. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fabric/topo_int.h"

static const char *const kind_names[TOPO_KINDS] = {
	[TOPO_SWITCH] = "switch",
	[TOPO_DIRECT] = "direct",
	[TOPO_RING] = "ring",
	[TOPO_FATTREE2] = "fattree2",
	[TOPO_FATTREE3] = "fattree3",
};

const char *topo_kind_name(enum topo_kind kind)
{
	return (unsigned int)kind < TOPO_KINDS ? kind_names[kind] : NULL;
}

int topo_kind_parse(const char *name, enum topo_kind *kind)
{
	for (unsigned int i = 0; i < TOPO_KINDS; i++)
		if (!strcmp(name, kind_names[i])) {
			*kind = i;
			return 0;
		}
	return -EINVAL;
}

static int check_link(const struct fab_link_params *p, const char *which, char *why, size_t size)
{
	if (!p->bits_per_s || p->bits_per_s > FAB_MAX_BITS_PER_S) {
		snprintf(why, size, "%s cannot have %ju bits a second", which,
			 (uintmax_t)p->bits_per_s);
		return -EINVAL;
	}
	if (p->propagation > VT_S) {
		snprintf(why, size, "%s takes longer than a second", which);
		return -EINVAL;
	}
	return 0;
}

/* Returns the number of hosts that the fabric can hold. */
static unsigned long capacity(const struct topo_cfg *cfg)
{
	unsigned long ports = cfg->sw.ports;

	switch (cfg->kind) {
	case TOPO_DIRECT:
		return 2;
	case TOPO_SWITCH:
		return ports ? ports : TOPO_MAX_HOSTS;
	case TOPO_FATTREE2:
		return ports * (ports / 2);
	case TOPO_FATTREE3:
		return ports * (ports / 2) * (ports / 2);
	default:
		return TOPO_MAX_HOSTS;
	}
}

static int check_ports(const struct topo_cfg *cfg, char *why, size_t size)
{
	unsigned int ports = cfg->sw.ports;

	if (cfg->kind == TOPO_DIRECT || cfg->kind == TOPO_RING)
		return 0;
	if (ports > FAB_SWITCH_PORTS_MAX) {
		snprintf(why, size, "a switch has %u ports at most, not %u", FAB_SWITCH_PORTS_MAX,
			 ports);
		return -EINVAL;
	}
	if (cfg->kind != TOPO_SWITCH && (ports < 2 || ports % 2)) {
		snprintf(why, size, "%s needs switches with an even number of ports, not %u",
			 kind_names[cfg->kind], ports);
		return -EINVAL;
	}
	return 0;
}

static int check_room(const struct topo_cfg *cfg, char *why, size_t size)
{
	unsigned long room = capacity(cfg);

	if (cfg->hosts <= room)
		return 0;
	if (cfg->kind == TOPO_SWITCH)
		snprintf(why, size, "one %u-port switch has room for %lu hosts, not %u",
			 cfg->sw.ports, room, cfg->hosts);
	else
		snprintf(why, size, "%s of %u-port switches has room for %lu hosts, not %u",
			 kind_names[cfg->kind], cfg->sw.ports, room, cfg->hosts);
	return -EINVAL;
}

int topo_check(const struct topo_cfg *cfg, char *why, size_t size)
{
	if (!topo_kind_name(cfg->kind)) {
		snprintf(why, size, "there is no fabric of kind %d", (int)cfg->kind);
		return -EINVAL;
	}
	if (cfg->kind == TOPO_DIRECT && cfg->hosts != 2) {
		snprintf(why, size, "a direct cable connects 2 hosts, not %u", cfg->hosts);
		return -EINVAL;
	}
	if (!cfg->hosts || cfg->hosts > TOPO_MAX_HOSTS) {
		snprintf(why, size, "a fabric has 1 to %u hosts, not %u", TOPO_MAX_HOSTS,
			 cfg->hosts);
		return -EINVAL;
	}
	if (cfg->sw.latency > VT_S) {
		snprintf(why, size, "a switch keeps frames for longer than a second");
		return -EINVAL;
	}
	if (check_link(&cfg->link, "a host's cable", why, size) ||
	    check_link(&cfg->trunk, "a cable between switches", why, size) ||
	    check_ports(cfg, why, size))
		return -EINVAL;
	return check_room(cfg, why, size);
}
