// SPDX-License-Identifier: BSD-2-Clause
/* Groups: every node makes the same plan and takes its part of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/objects.h"

static uint32_t modes_of(uint64_t caps)
{
	return (caps & TALLY_CAP_TREE ? TALLY_MODES_TREE : 0) |
	       (caps & TALLY_CAP_EXCHANGE ? TALLY_MODES_EXCHANGE : 0) |
	       (caps & TALLY_CAP_RING ? TALLY_MODES_RING : 0);
}

static struct tallydv_plan *make_plan(const struct tc_dv_net *net, const struct tc_group_cfg *cfg,
				      char *why, size_t size)
{
	struct tallydv_plan_attr attr = {
		.comp_mask = TALLYDV_PLAN_ATTR_MODES,
		.num_nodes = cfg->num_nodes,
		.ranks = cfg->ranks,
		.caps = net->net.caps,
		.modes = modes_of(net->net.caps),
		.keep_order = 1,
	};
	union ibv_gid *gids = calloc(cfg->num_nodes, sizeof(*gids));
	uint8_t (*macs)[6] = calloc(cfg->num_nodes, sizeof(*macs));
	struct tallydv_plan *plan = NULL;

	snprintf(why, size, "There is no memory left.");
	errno = ENOMEM;
	for (uint32_t i = 0; gids && macs && i < cfg->num_nodes; i++) {
		memcpy(&gids[i], cfg->nodes[i].gid, sizeof(gids[i]));
		memcpy(macs[i], cfg->nodes[i].mac, sizeof(macs[i]));
	}
	attr.gids = gids;
	attr.macs = macs;
	if (gids && macs)
		plan = tallydv_plan_group(&attr, why, size);
	free(gids);
	free(macs);
	return plan;
}

/* The group keeps its segments until it ends, so they need no handle. */
static struct tallydv_group *create_planned(struct tc_dv_net *net, const struct tc_group_cfg *cfg,
					    const struct tallydv_plan *plan, char *why, size_t size)
{
	struct tallydv_node_plan node;
	struct tallydv_group *dv;
	int err = tallydv_plan_node(plan, cfg->node, &node);

	if (!err) {
		node.attr.seg = tallydv_alloc_seg(net->context, plan->seg_count);
		err = node.attr.seg ? 0 : errno;
	}
	if (err) {
		snprintf(why, size, "%u segments: %s.", plan->seg_count, strerror(err));
		errno = err;
		return NULL;
	}
	node.attr.jid = cfg->jid;
	node.attr.join_key = cfg->join_key;
	node.attr.owner_ranks = cfg->held;
	node.attr.flags |= TALLY_GROUP_F_SHARED;
	node.attr.timeout_ms = 0;	/* a rank may be late for as long as it likes */
	dv = tallydv_create_group(net->context, &node.attr, why, size);
	err = errno;
	tallydv_free_seg(node.attr.seg);
	errno = err;
	return dv;
}

static struct tallydv_group *create(struct tc_dv_net *net, const struct tc_group_cfg *cfg, char *why,
				    size_t size)
{
	struct tallydv_plan *plan = make_plan(net, cfg, why, size);
	struct tallydv_group *dv;
	int err;

	if (!plan)
		return NULL;
	dv = create_planned(net, cfg, plan, why, size);
	err = errno;
	tallydv_free_plan(plan);
	errno = err;
	return dv;
}

static struct tallydv_group *attach(struct tc_dv_net *net, const struct tc_group_cfg *cfg, char *why,
				    size_t size)
{
	const struct tallydv_group_attach_attr attr = {
		.jid = cfg->jid,
		.join_key = cfg->join_key,
		.ranks = cfg->held,
	};

	return tallydv_attach_group(net->context, &attr, why, size);
}

int tc_dv_group_open(struct tc_net *net, const struct tc_group_cfg *cfg, struct tc_group **out,
		     char *why, size_t size)
{
	struct tc_group *group = calloc(1, sizeof(*group));
	int err;

	if (!group) {
		snprintf(why, size, "There is no memory left.");
		return -ENOMEM;
	}
	group->net = tc_dv_net_of(net);
	group->dv = cfg->create ? create(group->net, cfg, why, size) :
				  attach(group->net, cfg, why, size);
	if (!group->dv) {
		err = errno;
		free(group);
		return -err;
	}
	*out = group;
	return 0;
}

void tc_dv_group_close(struct tc_group *group)
{
	tallydv_destroy_group(group->dv);
	free(group);
}

int tc_dv_group_state(struct tc_group *group, struct tc_group_state *state)
{
	struct tallydv_group_info info;
	int err = tallydv_query_group(group->dv, &info);

	if (err)
		return -err;
	*state = (struct tc_group_state){
		.status = info.status,
		.attached = info.attached_ranks,
		.gone = info.gone_ranks,
	};
	return 0;
}
