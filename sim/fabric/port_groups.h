/* SPDX-License-Identifier: BSD-2-Clause */
/* Which ports of a switch are members of a group address. */
#ifndef TALLY_SIM_FABRIC_PORT_GROUPS_H
#define TALLY_SIM_FABRIC_PORT_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/mac_table.h"

struct port_group {
	unsigned int count, room;
	uint16_t port[];
};

/* All-zero: no group has members. */
struct port_groups {
	struct mac_table macs;		/* their places in group */
	struct port_group **group;	/* NULL: the place is free */
	unsigned int room;
};

/* The members of @mac; NULL: none. */
const struct port_group *port_groups_find(const struct port_groups *g, const uint8_t mac[6]);

bool port_group_has(const struct port_group *g, unsigned int port);

/* Adds @port, unless it is a member. Returns 0, -ENOSPC (FAB_SWITCH_GROUPS_MAX), -ENOMEM. */
int port_groups_join(struct port_groups *g, const uint8_t mac[6], unsigned int port);

/* @mac has no members any more. */
void port_groups_leave(struct port_groups *g, const uint8_t mac[6]);

/* Frees what it holds and leaves it empty. */
void port_groups_clear(struct port_groups *g);

#endif
