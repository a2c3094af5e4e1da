// SPDX-License-Identifier: BSD-2-Clause
/* The group of a job: its mode, its nodes with ranks and processes, its configuration. */
#include <errno.h>
#include <string.h>

#include "campaign/campaign.h"
#include "core/log.h"
#include "hosts/group_config.h"
#include "hosts/values.h"

#define MAX_NODE_RANKS	16
#define LONG_NODES	8	/* of a group with long messages */
#define FULL_NODES	2	/* of a wide group: they have up to TALLY_MAX_RANKS ranks */
#define MIXED_CAPS	(TALLY_CAP_TREE | TALLY_CAP_EXCHANGE | TALLY_CAP_RING)

static const struct {
	const char *name;
	enum tally_mode mode;
	uint64_t caps;
} modes[JOB_MODES] = {
	[JOB_TREE] = { "tree", TALLY_MODE_TREE, TALLY_CAP_TREE },
	[JOB_MULTICAST] = { "multicast", TALLY_MODE_TREE, TALLY_CAP_TREE | TALLY_CAP_MULTICAST },
	[JOB_EXCHANGE] = { "exchange", TALLY_MODE_EXCHANGE, TALLY_CAP_EXCHANGE },
	[JOB_RING] = { "ring", TALLY_MODE_RING, TALLY_CAP_RING },
	[JOB_MIXED] = { "mixed", 0, MIXED_CAPS },
};

const char *job_mode_name(unsigned int mode)
{
	return mode < JOB_MODES ? modes[mode].name : NULL;
}

bool campaign_find_modes(struct campaign *c)
{
	for (unsigned int k = 0; k < JOB_MODES; k++)
		if (host_offers(c->host_set.host[0], modes[k].caps))
			c->modes |= c->opt.modes & 1u << k;
	if (!c->modes)
		sim_warn("campaign: the devices do not offer mode %s",
			 modes[__builtin_ctz(c->opt.modes)].name);
	return c->modes;
}

/* ---- Nodes ---- */

static unsigned int random_number(struct campaign *c, unsigned int most)
{
	return 1 + campaign_below(c, campaign_one_in(c, 8) ? most : 3);
}

static uint64_t random_ranks(struct campaign *c, unsigned int k)
{
	uint64_t ranks = 0;

	while ((unsigned int)__builtin_popcountll(ranks) < k)
		ranks |= 1ull << campaign_below(c, TALLY_MAX_RANKS);
	return ranks;
}

/* Draws the processes of a node: each posts for one rank or for several. */
static void add_posters(struct job *job, unsigned int node)
{
	uint64_t left = job->tree.node[node].ranks;
	bool one_each = campaign_one_in(job->c, 2), leader = campaign_one_in(job->c, 3);

	while (left) {
		struct poster *p = &job->poster[job->num_posters++];
		uint64_t take = left & -left;

		for (uint64_t r = left & (left - 1); r && !one_each; r &= r - 1)
			if (leader || campaign_one_in(job->c, 2))
				take |= r & -r;
		p->node = node;
		p->ranks = take;
		left &= ~take;
	}
}

/* Assigns hosts in random order. */
static void choose_hosts(struct job *job)
{
	struct campaign *c = job->c;
	unsigned int order[CAMPAIGN_MAX_NODES] = { 0 };

	for (unsigned int i = 0; i < c->opt.nodes; i++) {
		unsigned int k = campaign_below(c, i + 1);

		order[i] = order[k];
		order[k] = i;
	}
	for (unsigned int i = 0; i < job->tree.num_nodes; i++)
		job->tree.node[i].host = job->node[i].host = c->host_set.host[order[i]];
}

/* Draws ranks: sometimes the same number at each node, from which a ring benefits. */
static void choose_ranks(struct job *job)
{
	struct campaign *c = job->c;
	unsigned int all = campaign_one_in(c, 3) ? 1 + campaign_below(c, 3) : 0;
	unsigned int full = job->weight == JOB_WIDE ? campaign_below(c, FULL_NODES + 1) : 0;

	for (unsigned int i = 0; i < job->tree.num_nodes; i++) {
		unsigned int n = all ? all : random_number(c, i < 4 ? MAX_NODE_RANKS : 3);

		if (i < full)
			n = TALLY_MAX_RANKS - (campaign_one_in(c, 2) ? campaign_below(c, 32) : 0);
		job->tree.node[i].ranks = random_ranks(c, n);
	}
}

/* Removes the ranks of some inner nodes. */
static void make_sparse(struct job *job)
{
	for (unsigned int i = 0; i < job->tree.num_nodes; i++) {
		struct tree_node *t = &job->tree.node[i];

		if (!t->children || campaign_one_in(job->c, 2))
			continue;
		t->ranks = 0;
		job->group.flags |= TALLY_GROUP_F_SPARSE;
	}
}

static unsigned int random_degree(struct job *job)
{
	if (job->weight == JOB_WIDE)
		return TALLY_MAX_CONTRIBUTORS -
		       campaign_below(job->c, campaign_one_in(job->c, 2) ? 1 : 63);
	return 1 + campaign_below(job->c, 8);
}

static unsigned int random_nodes(struct job *job)
{
	unsigned int most = job->c->opt.nodes;

	if (job->weight == JOB_LONG && most > LONG_NODES)
		most = LONG_NODES;
	if (job->weight == JOB_WIDE && campaign_one_in(job->c, 2))
		return most;
	return 1 + campaign_below(job->c, most);
}

static enum job_weight random_weight(struct campaign *c)
{
	if (!rng_chance(&c->rng, c->opt.heavy))
		return JOB_LIGHT;
	return JOB_LIGHT + 1 + campaign_below(c, JOB_WEIGHTS - 1);
}

static void choose_multicast(struct job *job)
{
	uint8_t *gid = job->group.mcast_gid;

	job->group.flags |= TALLY_GROUP_F_MULTICAST;
	values_bytes(rng_next(&job->c->rng), gid, sizeof(job->group.mcast_gid));
	gid[0] = 0xff;
	gid[1] = 0x0e; /* transient, of global scope */
}

/* ---- Plans ---- */

/* Draws numbers of parts until all nodes have room. A wide group has one large round. */
static void random_radices(struct job *job, struct plan_request *req)
{
	struct campaign *c = job->c;
	unsigned int room = 1, most = 2 + campaign_below(c, 4);

	req->num_rounds = 0;
	if (job->weight == JOB_WIDE && req->num_nodes > 1) {
		req->radix[req->num_rounds++] = TALLY_MAX_CONTRIBUTORS - campaign_below(c, 40);
		room = req->radix[0];
		most = 2;
	}
	for (; room < req->num_nodes; room *= req->radix[req->num_rounds++])
		req->radix[req->num_rounds] = 2 + campaign_below(c, most);
}

/*
 * Draws the modes of a mixed group, and its segments: a few of its own, and a random number that
 * it may borrow. In few plans the choice of radices is left to the planner.
 */
static void mix(struct job *job, struct plan_request *req)
{
	static const uint8_t sets[] = {
		TALLY_CAP_TREE | TALLY_CAP_EXCHANGE, TALLY_CAP_TREE | TALLY_CAP_RING,
		TALLY_CAP_EXCHANGE | TALLY_CAP_RING,
	};
	static const uint8_t alone[] = { TALLY_CAP_TREE, TALLY_CAP_EXCHANGE, TALLY_CAP_RING };
	struct campaign *c = job->c;

	req->modes = campaign_below(c, 4) ? MIXED_CAPS : sets[campaign_below(c, 3)];
	/* In fixed order, the shape depends on the neighbours of all modes. */
	if (c->opt.ordered && campaign_one_in(c, 2))
		req->modes = alone[campaign_below(c, 3)];
	req->num_segs = campaign_random_owned(c);
	req->max_segs = req->num_segs + campaign_below(c, campaign_most_held(c) - req->num_segs + 1);
	if (req->modes & TALLY_CAP_TREE && campaign_below(c, 4))
		req->degree = 1 + campaign_below(c, job->weight == JOB_WIDE ? 16 : 8);
	/* In wide groups, random radices would need too many edges. */
	if (req->modes & TALLY_CAP_EXCHANGE && job->weight != JOB_WIDE && campaign_below(c, 4))
		random_radices(job, req);
	if (req->modes & TALLY_CAP_TREE &&
	    host_offers(c->host_set.host[0], TALLY_CAP_MULTICAST) && campaign_one_in(c, 4)) {
		choose_multicast(job);
		req->flags = job->group.flags;
	}
}

/* Copies the edges of the plan to the tree. */
static void adopt_tree(struct job *job)
{
	for (unsigned int i = 0; i < job->tree.num_nodes; i++) {
		const struct plan_node *n = &job->at[i];

		job->tree.node[i].level = n->level;
		job->tree.node[i].children = 0;
		for (unsigned int k = 0; k < n->num_edges; k++) {
			struct tree_node *child = &job->tree.node[n->edge[k].node];

			if (!n->edge[k].subtree_count)
				continue;
			job->tree.node[i].children++;
			child->parent = (int)i;
			child->slot = k;
			child->subtree = n->edge[k].subtree_count;
		}
	}
}

/* Plans the group. The nodes have their ranks; the plan determines their places. */
static void make_plan(struct job *job)
{
	struct campaign *c = job->c;
	uint64_t ranks[CAMPAIGN_MAX_NODES];
	uint8_t num[CAMPAIGN_MAX_NODES];
	uint32_t leaf[CAMPAIGN_MAX_NODES];
	struct plan_request req = {
		.num_nodes = job->tree.num_nodes,
		.ranks = num,
		.sw = { leaf },
		.num_levels = campaign_one_in(c, 2),
		.mode = modes[job->mode].mode,
		.flags = job->group.flags,
		.num_segs = job->group.num_segs,
		.mtu = job->group.mtu,
		.keep_order = campaign_one_in(c, 2),
	};
	char why[128];

	for (unsigned int i = 0; i < req.num_nodes; i++) {
		ranks[i] = job->tree.node[i].ranks;
		num[i] = __builtin_popcountll(ranks[i]);
		leaf[i] = campaign_below(c, 3);
	}
	if (job->mode == JOB_EXCHANGE)
		random_radices(job, &req);
	else if (job->mode == JOB_MIXED)
		mix(job, &req);
	else if (job_has_tree(job))
		req.degree = random_degree(job);
	if (plan_make(&job->plan, &req, why, sizeof(why))) {
		campaign_fail(c, job, "the planner refuses %u nodes in mode %s: %s", req.num_nodes,
			      modes[job->mode].name, why);
		return;
	}
	job->planned = true;
	for (unsigned int i = 0; i < req.num_nodes; i++)
		plan_node(&job->plan, i, &job->at[i]);
	job->group.num_segs = job->plan.num_segs;
	job->segs = job->plan.num_segs;
	for (unsigned int i = 0; i < req.num_nodes; i++)
		job->tree.node[i].ranks = ranks[job->plan.node[i]];
	if (job_has_tree(job))
		adopt_tree(job);
}

uint32_t job_most_segs(const struct job *job)
{
	return job->mode == JOB_MIXED ? job->plan.max_segs : job->group.num_segs;
}

void job_forget_group(struct job *job)
{
	if (job->planned)
		plan_free(&job->plan);
	job->planned = false;
}

static size_t planned_config(const struct job *job, unsigned int place,
			     struct group_config *config)
{
	const struct tree_group *g = &job->group;
	struct group_config_node nodes[CAMPAIGN_MAX_NODES];
	struct group_config_common group = {
		.jid = g->jid,
		.epoch = g->epoch,
		.timeout_ms = g->timeout_ms,
		.retry_limit = g->retry_limit,
		.rto_us = g->rto_us,
		.msg_cells = g->msg_cells,
	};

	memcpy(group.mcast_gid, g->mcast_gid, sizeof(group.mcast_gid));
	for (unsigned int i = 0; i < job->tree.num_nodes; i++) {
		struct group_config_node *node = &nodes[job->plan.node[i]];

		*node = group_config_node_of(job->tree.node[i].host);
		node->rank_mask = job->tree.node[i].ranks;
	}
	return group_config_make(&job->plan, place, &group, nodes, config);
}

/* ---- Configuration ---- */

static enum job_mode random_mode(struct campaign *c)
{
	enum job_mode mode;

	if (c->modes == 1u << JOB_MIXED)
		return JOB_MIXED;
	do
		mode = campaign_below(c, JOB_SINGLE_MODES);
	while (!(c->modes >> mode & 1));
	return mode;
}

static void at_least(uint64_t *most, uint64_t n)
{
	*most = n > *most ? n : *most;
}

static void note_extent(const struct job *job)
{
	struct campaign_count *n = &job->c->count;

	n->weight[job->weight]++;
	for (unsigned int i = 0; i < job->tree.num_nodes; i++) {
		at_least(&n->most_ranks, __builtin_popcountll(job->tree.node[i].ranks));
		at_least(&n->most_neighbours, job->planned ? job->at[i].num_edges :
							     job->tree.node[i].children + (i > 0));
	}
}

static bool must_plan(const struct job *job)
{
	return job->weight == JOB_WIDE || job->mode == JOB_EXCHANGE || job->mode == JOB_RING ||
	       job->mode == JOB_MIXED;
}

/* Draws everything about the group except its cells. */
static void choose(struct job *job, enum job_weight weight)
{
	struct campaign *c = job->c;

	job->weight = weight;
	job->num_posters = 0;
	job->group = (struct tree_group){
		.jid = (uint32_t)rng_next(&c->rng) | 1,
		.epoch = (uint32_t)rng_next(&c->rng) | 1,
		.flags = c->opt.ordered ? TALLY_GROUP_F_ORDERED : 0,
		.num_segs = 1u << campaign_below(c, 7),
		.rto_us = 10 + campaign_below(c, 30),
		.mtu = 256u << campaign_below(c, 5),
	};
	while (job->group.num_segs > campaign_most_owned(c))
		job->group.num_segs /= 2;
	if (job->weight == JOB_LONG && job->group.mtu < 1024)
		job->group.mtu *= 4;
	job->segs = job->group.num_segs;
	if (job->mode == JOB_MULTICAST)
		choose_multicast(job);
	tree_random(&job->tree, random_nodes(job), random_degree(job), &c->rng);
	job_choose_limits(job);
	choose_ranks(job);
	if (must_plan(job) || campaign_one_in(c, 3))
		make_plan(job);
	else if (host_offers(c->host_set.host[0], TALLY_CAP_CHUNKED) && campaign_one_in(c, 6))
		make_sparse(job);
	choose_hosts(job);
	for (unsigned int i = 0; i < job->tree.num_nodes; i++)
		add_posters(job, i);
	tree_count_ranks(&job->tree);
}

void job_choose_group(struct job *job)
{
	struct campaign *c = job->c;

	job->mode = random_mode(c);
	choose(job, random_weight(c));
	while (!c->failed && !job_has_share(job)) {
		job_forget_group(job);
		choose(job, JOB_LIGHT);
	}
	job->group.msg_cells = job_random_cells(job);
	note_extent(job);
	c->count.unlimited += !job->group.timeout_ms;
}

union job_config {
	struct tally_group_cfg cfg;
	struct tree_config by_tree;
	struct group_config by_plan;
};

static size_t make_config(const struct job *job, unsigned int node,
			  union job_config *config)
{
	if (job->planned)
		return planned_config(job, node, &config->by_plan);
	return tree_config(&job->tree, &job->group, node, &config->by_tree);
}

uint32_t job_least_cells(const struct job *job, unsigned int node)
{
	union job_config config;

	make_config(job, node, &config);
	return le32toh(config.cfg.msg_cells);
}

int job_create_group(struct job_node *n, const struct host_group_hook *hook, host_answer *fn,
		     void *arg)
{
	struct job *job = n->job;
	union job_config config;
	size_t len;
	int err;

	len = make_config(job, n->index, &config);
	job->pending++;
	err = host_group_create(n->host, &n->group, &config, len, hook, fn, arg);
	n->has_group = !err;
	return err;
}

void node_forget_group(struct job_node *n)
{
	host_group_forget(n->host, n->group);
	host_segs_give(n->host, n->job->segs);
	n->has_group = false;
}
