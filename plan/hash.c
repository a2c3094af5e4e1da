// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The hash of a shared plan, which neighbours compare when they open an edge: everything that must
 * be the same at all nodes, but not segments, which may differ.
 */
#include "plan/plan_int.h"

static uint32_t mix(uint32_t hash, uint32_t value)
{
	for (uint32_t i = 0; i < 4; i++, value >>= 8)
		hash = (hash ^ (value & 0xff)) * 16777619;	/* FNV-1a */
	return hash;
}

static uint32_t mix_node(uint32_t hash, const struct plan *plan, uint16_t place)
{
	struct plan_node n;

	plan_node(plan, place, &n);
	hash = mix(hash, n.ranks << 8 | n.level);
	hash = mix(hash, n.num_edges);
	for (uint32_t i = 0; i < n.num_edges; i++) {
		const struct plan_edge *e = &n.edge[i];

		/* Subtrees and parts follow from these. */
		hash = mix(hash, (uint32_t)e->node << 16 | e->remote_index);
		hash = mix(hash, (uint32_t)e->round << 24 | (uint32_t)e->position << 16 | e->roles);
	}
	return hash;
}

uint32_t plan_hash(const struct plan *plan)
{
	uint32_t hash = 2166136261;

	hash = mix(hash, plan->num_nodes);
	hash = mix(hash, plan->modes << 16 | plan->mode << 8 | plan->rounds);
	hash = mix(hash, plan->flags);
	hash = mix(hash, plan->mtu);
	hash = mix(hash, plan->chunk);
	for (uint32_t i = 0; i < PLAN_NUM_CHOICES; i++) {
		hash = mix(hash, plan->choice_small[i] << 16 | plan->choice_middle[i] << 8 |
				 plan->choice_large[i]);
		hash = mix(hash, plan->choice_small_log[i] << 8 | plan->choice_middle_log[i]);
	}
	for (uint32_t i = 0; i < plan->num_nodes; i++)
		hash = mix_node(hash, plan, i);
	return hash ? hash : 1;
}
