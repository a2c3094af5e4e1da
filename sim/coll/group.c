// SPDX-License-Identifier: BSD-2-Clause
/* Groups, as libtally makes them: a shared plan of all modes, nodes in the caller's order. */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll/priv.h"
#include "hosts/group_config.h"

#define RETRY_LIMIT	30
#define RTO_US		200

/* ---- Plans ---- */
static struct coll_plan *find_plan(const struct sim_coll *s, const struct tc_group_cfg *cfg)
{
	struct coll_plan *p = s->plan;

	while (p && (p->num_nodes != cfg->num_nodes ||
		     memcmp(p->ranks, cfg->ranks, cfg->num_nodes)))
		p = p->next;
	return p;
}

static struct coll_plan *make_plan(struct sim_coll *s, const struct tc_group_cfg *cfg, char *why,
				   size_t size)
{
	struct plan_request req = {
		.num_nodes = cfg->num_nodes,
		.ranks = cfg->ranks,
		.modes = TALLY_CAP_TREE | TALLY_CAP_EXCHANGE | TALLY_CAP_RING,
		.keep_order = true,
	};
	struct coll_plan *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->ranks = malloc(cfg->num_nodes);
	if (!p->ranks || plan_make(&p->plan, &req, why, size)) {
		free(p->ranks);
		free(p);
		return NULL;
	}
	memcpy(p->ranks, cfg->ranks, cfg->num_nodes);
	p->num_nodes = cfg->num_nodes;
	p->next = s->plan;
	s->plan = p;
	return p;
}

/* ---- Opening ---- */
static struct coll_group *find_group(const struct coll_node *n, uint32_t jid)
{
	struct coll_group *g = n->group;

	while (g && g->jid != jid)
		g = g->next;
	return g;
}

static void group_event(void *arg, enum tally_eqe_type type, uint64_t data)
{
	struct coll_group *g = arg;

	if (type == TALLY_EQE_GROUP_DEAD) {
		g->status = data;
		for (uint32_t i = 0; i < g->node->num_ranks; i++)
			coll_changed(g->node->rank[i]);
		return;
	}
	g->drained = true;
	if (g->closes)
		coll_wake(g->closes);
}

static size_t configure(const struct coll_plan *p, const struct tc_group_cfg *cfg,
			const struct group_config_node *nodes, struct group_config *config)
{
	const struct group_config_common common = {
		.jid = cfg->jid,
		.epoch = 1,
		.timeout_ms = 0,	/* a rank may be late */
		.retry_limit = RETRY_LIMIT,
		.rto_us = RTO_US,
	};
	size_t length = group_config_make(&p->plan, p->plan.place[cfg->node], &common, nodes, config);

	config->cfg.flags |= htole32(TALLY_GROUP_F_SHARED);
	return length;
}

/* The creator attaches all ranks of its node: the NIC of the bench has no processes. */
static int create(struct coll_rank *r, struct coll_group *g, const struct coll_plan *p,
		  const struct tc_group_cfg *cfg)
{
	struct group_config_node *nodes = calloc(cfg->num_nodes, sizeof(*nodes));
	struct group_config *config = calloc(1, sizeof(*config));
	const struct host_group_hook hook = { group_event, g };
	struct coll_answer answer = { .rank = r };
	int err = nodes && config ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < cfg->num_nodes; i++) {
		memcpy(nodes[i].gid, cfg->nodes[i].gid, sizeof(nodes[i].gid));
		memcpy(nodes[i].mac, cfg->nodes[i].mac, sizeof(nodes[i].mac));
	}
	if (!err) {
		size_t length = configure(p, cfg, nodes, config);

		err = host_group_create(r->node->host, &g->number, config, length, &hook,
					coll_answered, &answer);
	}
	if (!err) {
		err = coll_await(&answer, 0);
		if (err)
			host_group_forget(r->node->host, g->number);
	}
	free(nodes);
	free(config);
	return err;
}

static struct coll_group *new_group(struct coll_rank *r, const struct tc_group_cfg *cfg, char *why,
				    size_t size)
{
	struct coll_plan *p = find_plan(r->s, cfg);
	struct coll_group *g = calloc(1, sizeof(*g));
	int err = -ENOMEM;

	snprintf(why, size, "no memory");
	if (!p)
		p = make_plan(r->s, cfg, why, size);
	if (g && p) {
		*g = (struct coll_group){ .node = r->node, .jid = cfg->jid,
					  .join_key = cfg->join_key };
		err = create(r, g, p, cfg);
		if (err)
			snprintf(why, size, "node %u: no group: %s", cfg->node, strerror(-err));
	}
	if (err) {
		free(g);
		return NULL;
	}
	g->next = r->node->group;
	r->node->group = g;
	return g;
}

int coll_group_open(struct tc_net *net, const struct tc_group_cfg *cfg, struct tc_group **group,
		    char *why, size_t size)
{
	struct coll_rank *r = coll_rank_of_net(net);
	struct coll_group *g = find_group(r->node, cfg->jid);
	struct tc_group *t;

	if (cfg->create == !!g || (g && g->join_key != cfg->join_key)) {
		snprintf(why, size, "job id %#x: %s", cfg->jid,
			 cfg->create ? "the group exists" : "there is no such group");
		return cfg->create ? -EEXIST : -ENOENT;
	}
	if (r->num_groups == net->max_groups) {
		snprintf(why, size, "the process has %u groups", r->num_groups);
		return -EDQUOT;
	}
	t = calloc(1, sizeof(*t));
	if (t && !g)
		g = new_group(r, cfg, why, size);
	if (!t || !g) {
		free(t);
		return -ENOMEM;
	}
	g->users++;
	r->num_groups++;
	g->attached |= cfg->held;
	*t = (struct tc_group){ .rank = r, .shared = g, .held = cfg->held };
	*group = t;
	return 0;
}

/* ---- Closing ---- */
static void destroy(struct coll_rank *r, struct coll_group *g)
{
	struct coll_answer answer = { .rank = r };
	struct coll_group **at = &g->node->group;

	while (*at != g)
		at = &(*at)->next;
	*at = g->next;
	g->closes = r;
	host_group_destroy(g->node->host, g->number, coll_answered, &answer);
	if (coll_await(&answer, 0))
		coll_fail(r, "DESTROY_GROUP: status %u", answer.status);
	while (!g->drained && !answer.status)
		coll_block(r, VT_NEVER);
	host_group_forget(g->node->host, g->number);
	free(g);
}

/* The last process of the node destroys the group. */
void coll_group_close(struct tc_group *t)
{
	t->rank->num_groups--;
	if (!--t->shared->users)
		destroy(t->rank, t->shared);
	free(t);
}

/* ---- State ---- */
int coll_group_state(struct tc_group *t, struct tc_group_state *state)
{
	*state = (struct tc_group_state){ .status = t->shared->status,
					  .attached = t->shared->attached };
	return 0;
}

void coll_group_abort(struct tc_group *t, enum tally_coll_status reason)
{
	if (!t->shared->status)
		coll_queue_abort(t, reason);
}
