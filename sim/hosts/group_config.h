/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the configuration of each node of a group, as CREATE_GROUP takes it, from a plan. */
#ifndef TALLY_SIM_HOSTS_GROUP_CONFIG_H
#define TALLY_SIM_HOSTS_GROUP_CONFIG_H

#include "hosts/host.h"
#include "plan/plan.h"

/* Parameters that the nodes of a group have in common and that a plan does not contain. */
struct group_config_common {
	uint32_t jid, epoch;		/* not 0 */
	uint32_t timeout_ms, retry_limit, rto_us;
	uint32_t max_segs;		/* most that the group holds; 0: what it owns */
	uint32_t msg_cells;		/* at each node; a plan that needs more cells gets more */
	uint8_t mcast_gid[16];		/* for a plan with MULTICAST */
};

/* Addresses and resources of a node, indexed by its number in the plan's request. */
struct group_config_node {
	uint8_t gid[16];
	uint8_t mac[6];
	uint64_t rank_mask;		/* number as in the request; 0: the lowest ones */
};

struct group_config {
	struct tally_group_cfg cfg;
	struct tally_group_edge edge[PLAN_MAX_EDGES];
};

/* Returns the addresses of a host; the other fields are zero. */
struct group_config_node group_config_node_of(const struct host *h);

/*
 * Writes the configuration of the node at `place`; `nodes` holds all nodes of the request. Returns
 * its length in bytes: config->cfg and the edges of the node.
 */
size_t group_config_make(const struct plan *plan, uint16_t place,
			 const struct group_config_common *g, const struct group_config_node *nodes,
			 struct group_config *config);

#endif
