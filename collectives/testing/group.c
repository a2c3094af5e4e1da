// SPDX-License-Identifier: BSD-2-Clause
/* Groups of a test job: who holds which ranks, and how a group ends. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "testing/soft.h"

/* ---- Creation ---- */
static struct soft_group *find(struct job *j, uint32_t jid)
{
	struct soft_group *g = j->groups;

	while (g && g->jid != jid)
		g = g->next;
	return g;
}

static struct soft_group *group_new(struct job *j, const struct tc_group_cfg *cfg)
{
	struct soft_group *g = calloc(1, sizeof(*g));

	g->job = j;
	g->jid = cfg->jid;
	g->num_nodes = cfg->num_nodes;
	g->nodes = calloc(cfg->num_nodes, sizeof(*g->nodes));
	for (uint32_t k = 0; k < cfg->num_nodes; k++) {
		g->nodes[k].address = cfg->nodes[k];
		g->nodes[k].num_ranks = cfg->ranks[k];
		g->nodes[k].first = g->total_ranks;
		g->total_ranks += cfg->ranks[k];
	}
	g->next_mid = calloc(g->total_ranks, sizeof(*g->next_mid));
	g->next = j->groups;
	j->groups = g;
	return g;
}

static void group_free(struct soft_group *g)
{
	struct soft_group **at = &g->job->groups;

	while (*at != g)
		at = &(*at)->next;
	*at = g->next;
	free(g->nodes);
	free(g->next_mid);
	free(g);
}

static bool same_plan(const struct soft_group *g, const struct tc_group_cfg *cfg)
{
	if (g->num_nodes != cfg->num_nodes)
		return false;
	for (uint32_t k = 0; k < g->num_nodes; k++)
		if (g->nodes[k].num_ranks != cfg->ranks[k] ||
		    memcmp(&g->nodes[k].address, &cfg->nodes[k], sizeof(cfg->nodes[k])))
			return false;
	return true;
}

static int refuse(char *why, size_t size, int err, const char *sentence)
{
	snprintf(why, size, "%s", sentence);
	return -err;
}

static int check_cfg(const struct soft_net *net, const struct tc_group_cfg *cfg, char *why,
		     size_t size)
{
	if (soft_fault(net->rank, JOB_GROUP_OPEN))
		return refuse(why, size, ENOMEM, "The test wants no group.");
	if (net->num_groups == net->base.max_groups)
		return refuse(why, size, EDQUOT, "The process has no further group.");
	if (!cfg->jid || cfg->node >= cfg->num_nodes || !cfg->held ||
	    memcmp(&cfg->nodes[cfg->node], &net->base.address, sizeof(net->base.address)))
		return refuse(why, size, EINVAL, "jid, node or held");
	for (uint32_t k = 0; k < cfg->num_nodes; k++)
		if (!cfg->ranks[k] || cfg->ranks[k] > TALLY_MAX_RANKS)
			return refuse(why, size, EINVAL, "ranks");
	if (cfg->held & ~(~0ULL >> (64 - cfg->ranks[cfg->node])))
		return refuse(why, size, EINVAL, "held: the node has no such ranks");
	return 0;
}

static int check_node(const struct soft_group *g, const struct tc_group_cfg *cfg, char *why,
		      size_t size)
{
	const struct soft_node *node = g ? &g->nodes[cfg->node] : NULL;

	if (g && !same_plan(g, cfg))
		return refuse(why, size, EINVAL, "The nodes have different plans.");
	if (cfg->create)
		return node && node->created ? refuse(why, size, EEXIST, "jid is in use") : 0;
	if (!node || !node->created)
		return refuse(why, size, ENOENT, "There is no such group.");
	if (node->join_key != cfg->join_key)
		return refuse(why, size, EACCES, "The join key is wrong.");
	if ((node->attached | node->gone) & cfg->held)
		return refuse(why, size, EBUSY, "A rank is taken.");
	return 0;
}

static struct tc_group *handle_new(struct soft_group *g, struct soft_net *net,
				   const struct tc_group_cfg *cfg)
{
	struct tc_group *h = calloc(1, sizeof(*h));
	struct soft_node *node = &g->nodes[cfg->node];

	h->group = g;
	h->net = net;
	h->node = cfg->node;
	h->held = cfg->held;
	h->next = g->handles;
	g->handles = h;
	node->created = true;
	node->join_key = cfg->join_key;
	node->attached |= cfg->held;
	net->num_groups++;
	return h;
}

int soft_group_open(struct tc_net *net, const struct tc_group_cfg *cfg, struct tc_group **group,
		    char *why, size_t size)
{
	struct soft_net *n = (struct soft_net *)net;
	struct job *j = n->rank->job;
	struct soft_group *g;
	int err;

	pthread_mutex_lock(&j->lock);
	err = check_cfg(n, cfg, why, size);
	g = err ? NULL : find(j, cfg->jid);
	if (!err)
		err = check_node(g, cfg, why, size);
	if (!err)
		*group = handle_new(g ? g : group_new(j, cfg), n, cfg);
	pthread_mutex_unlock(&j->lock);
	return err;
}

/* ---- The end of all messages ---- */
static void end_message(struct soft_group *g, struct soft_message *m)
{
	struct soft_request *q;

	while ((q = soft_take(&m->requests)))
		soft_complete(q, &g->end);
	free(m);
}

void soft_group_end(struct soft_group *g, enum tally_coll_status status, uint32_t detector,
		    uint64_t ranks)
{
	struct soft_request *q;

	if (g->end.status)
		return;
	g->end = (struct tc_outcome){ .status = status, .detector = detector, .ranks = ranks };
	while (g->messages) {
		struct soft_message *m = g->messages;

		g->messages = m->next;
		end_message(g, m);
	}
	for (struct tc_queue *u = g->queues; u; u = u->next)
		while ((q = soft_take(&u->waiting)))
			soft_complete(q, &g->end);
}

static uint64_t missing(const struct soft_node *node, const struct soft_message *m)
{
	uint64_t ranks = 0;

	for (uint32_t k = 0; k < node->num_ranks; k++)
		if (!m->posted[node->first + k])
			ranks |= node->gone & 1ULL << k;
	return ranks;
}

void soft_check_gone(struct soft_group *g)
{
	for (const struct soft_message *m = g->messages; m; m = m->next)
		for (uint32_t k = 0; k < g->num_nodes; k++) {
			uint64_t ranks = missing(&g->nodes[k], m);

			if (ranks) {
				soft_group_end(g, TALLY_COLL_RANK_GONE, k, ranks);
				return;
			}
		}
}

/* ---- Departure ---- */
static void handle_close(struct tc_group *h)
{
	struct soft_group *g = h->group;
	struct soft_node *node = &g->nodes[h->node];
	struct tc_group **at = &g->handles;

	while (*at != h)
		at = &(*at)->next;
	*at = h->next;
	node->attached &= ~h->held;
	node->gone |= h->held;
	h->net->num_groups--;
	soft_check_gone(g);
	if (!g->handles) {
		soft_group_end(g, TALLY_COLL_PEER_GONE, h->node, 0);
		group_free(g);
	}
	free(h);
}

void soft_group_close(struct tc_group *h)
{
	struct job_rank *r = h->net->rank;
	bool has_queue = false;

	pthread_mutex_lock(&r->job->lock);
	for (struct tc_queue *u = h->group->queues; u; u = u->next)
		has_queue |= u->group == h;
	handle_close(h);
	pthread_mutex_unlock(&r->job->lock);
	if (has_queue)
		JOB_FAIL(r, "a group is closed before its queues");
}

static void queue_die(struct tc_queue *u)
{
	struct soft_request *q;

	u->failed = true;
	while ((q = soft_take(&u->waiting)))
		soft_request_free(q);
}

/*
 * The handles of a process that has died stay where its library refers to them, in memory that
 * nobody uses any more; its requests vanish.
 */
static void handle_die(struct tc_group *h)
{
	struct soft_group *g = h->group;
	struct soft_node *node = &g->nodes[h->node];
	bool begun = false;

	for (struct soft_message *m = g->messages; m; m = m->next)
		for (struct soft_request *q = m->requests.first; q; q = q->next)
			begun |= q->queue && q->queue->group == h;
	node->attached &= ~h->held;
	node->gone |= h->held;
	if (begun)
		soft_group_end(g, TALLY_COLL_RANK_GONE, h->node, h->held);
	for (struct tc_queue *u = g->queues; u; u = u->next)
		if (u->group == h)
			queue_die(u);
	soft_check_gone(g);
}

void soft_net_die(struct job *j, const struct soft_net *net)
{
	for (struct soft_group *g = j->groups; g; g = g->next)
		for (struct tc_group *h = g->handles; h; h = h->next)
			if (h->net == net)
				handle_die(h);
}

int soft_group_state(struct tc_group *h, struct tc_group_state *state)
{
	struct soft_group *g = h->group;

	pthread_mutex_lock(&g->job->lock);
	*state = (struct tc_group_state){
		.status = g->end.status,
		.attached = g->nodes[h->node].attached,
		.gone = g->nodes[h->node].gone,
	};
	pthread_mutex_unlock(&g->job->lock);
	return 0;
}

/* An ABORT is a request, which a queue that has failed does not perform. */
void soft_group_abort(struct tc_group *h, enum tally_coll_status reason)
{
	struct soft_group *g = h->group;
	bool leaves = false;

	pthread_mutex_lock(&g->job->lock);
	for (const struct tc_queue *u = g->queues; u; u = u->next)
		leaves |= u->group == h && !u->failed;
	if (leaves)
		soft_group_end(g, reason, h->node, h->held);
	pthread_mutex_unlock(&g->job->lock);
}
