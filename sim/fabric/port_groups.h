/* SPDX-License-Identifier: BSD-2-Clause */
/* The member ports of each group address of a switch. */
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

/* All-zero: no group address has members. */
struct port_groups {
	struct mac_table macs;		/* indices in group */
	struct port_group **group;	/* NULL: the entry is free */
	unsigned int room;
};

/* Returns the members of @mac; NULL: none. */
const struct port_group *port_groups_find(const struct port_groups *g, const uint8_t mac[6]);

bool port_group_has(const struct port_group *g, unsigned int port);

/* Adds @port, unless it is a member. Returns 0, -ENOSPC (FAB_SWITCH_GROUPS_MAX) or -ENOMEM. */
int port_groups_join(struct port_groups *g, const uint8_t mac[6], unsigned int port);

/* Removes all members of @mac. */
void port_groups_leave(struct port_groups *g, const uint8_t mac[6]);

/* Frees the memory of @g and leaves it empty. */
void port_groups_clear(struct port_groups *g);

#endif
