/* SPDX-License-Identifier: BSD-2-Clause */
/* The configuration of each node of a group, as CREATE_GROUP takes it, from a plan. */
#ifndef TALLY_SIM_HOSTS_IMAGE_H
#define TALLY_SIM_HOSTS_IMAGE_H

#include "hosts/host.h"
#include "plan/plan.h"

/* What the nodes of a group have in common and a plan does not say. */
struct image_group {
	uint32_t jid, epoch;		/* not 0 */
	uint32_t timeout_ms, retry_limit, rto_us;
	uint32_t msg_cells;		/* at each node; a plan that needs more gets it */
	uint8_t mcast_gid[16];		/* of a plan with MULTICAST */
};

/* A node, by its number in the plan's request. */
struct image_node {
	uint8_t gid[16];
	uint8_t mac[6];
	uint32_t seg_base;		/* of num_segs * max(1, rounds) segments */
	uint64_t rank_mask;		/* as many ranks as the request says; 0: the lowest ones */
};

struct image {
	struct tally_group_cfg cfg;
	struct tally_group_edge edge[PLAN_MAX_EDGES];
};

/* The addresses of a host; the rest is zero. */
struct image_node image_node_of(const struct host *h);

/*
 * Writes the configuration of the node at `place`; `nodes` are all those of the request. Returns
 * its bytes: image->cfg and the edges there are.
 */
size_t image_make(const struct plan *plan, uint16_t place, const struct image_group *g,
		  const struct image_node *nodes, struct image *image);

#endif
