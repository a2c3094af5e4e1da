// SPDX-License-Identifier: BSD-2-Clause
/* Groups and queue pairs of the bed. */
#include "engine/test/testbed.h"

/* ---- Groups ---- */

/*
 * Plan a subtree of `count` nodes from `first` on; the nodes below its top are divided among its
 * children.
 */
static void plan_subtree(struct tb_group *g, unsigned int first, unsigned int count, int parent)
{
	unsigned int left = count - 1, parts = g->cfg.degree, at = first + 1;

	g->parent[first] = parent;
	g->level[first] = parent < 0 ? 0 : g->level[parent] + 1;
	g->subtree[first] = count;
	g->children[first] = 0;
	for (; left; parts--) {
		unsigned int part = (left + parts - 1) / parts;

		g->child[first][g->children[first]++] = at;
		plan_subtree(g, at, part, first);
		at += part;
		left -= part;
	}
}

#define DEFAULT(field, value)                                                                      \
	do {                                                                                       \
		if (!(field))                                                                      \
			(field) = (value);                                                         \
	} while (0)

static bool is_uniform(const struct tb_group *g)
{
	unsigned int i;

	for (i = 0; i < g->cfg.nodes; i++)
		if (g->rank_first[i + 1] != (i + 1) * g->rank_first[1] || !g->rank_mask[0])
			return false;
	return true;
}

void tb_group_plan(struct testbed *tb, struct tb_group *g, const struct tb_group_cfg *cfg)
{
	uint64_t any = 0;
	unsigned int i;
	uint8_t modes;

	memset(g, 0, sizeof(*g));
	g->tb = tb;
	g->cfg = *cfg;
	DEFAULT(g->cfg.degree, 2);
	DEFAULT(g->cfg.ranks, 1);
	DEFAULT(g->cfg.segs, 4);
	DEFAULT(g->cfg.jid, 1 + tb_rand(tb, ~0u));
	DEFAULT(g->cfg.epoch, 1 + tb_rand(tb, ~0u));
	DEFAULT(g->cfg.mtu, 4096);
	DEFAULT(g->cfg.timeout_ms, 2000);
	DEFAULT(g->cfg.retry_limit, 12);
	DEFAULT(g->cfg.rto_us, 20);
	for (i = 0; i < g->cfg.nodes; i++)
		any |= g->cfg.rank_mask[i];
	for (i = 0; i < g->cfg.nodes; i++)
		g->rank_mask[i] = any ? g->cfg.rank_mask[i] : ~0ULL >> (64 - g->cfg.ranks);
	DEFAULT(g->cfg.mode, TALLY_MODE_TREE);
	modes = g->cfg.modes ? g->cfg.modes : mode_bit(g->cfg.mode);
	plan_subtree(g, 0, g->cfg.nodes, -1);
	for (i = 0; i < g->cfg.nodes; i++) {
		g->rank_first[i + 1] =
			g->rank_first[i] + __builtin_popcountll(g->rank_mask[i]);
		if (!g->rank_mask[i])
			g->cfg.flags |= TALLY_GROUP_F_SPARSE;
	}
	if (modes != TALLY_MODES_TREE)
		tb_modes_plan(g);
	if ((modes & TALLY_MODES_RING) && is_uniform(g) && tb_rand(tb, 4))
		g->cfg.flags |= TALLY_GROUP_F_UNIFORM;
	if ((g->cfg.flags & TALLY_GROUP_F_ORDERED) || (modes & TALLY_MODES_EXCHANGE))
		DEFAULT(g->cfg.msg_cells, TALLY_MAX_RANKS + g->cfg.degree + 16);
}

struct tb_node *tb_group_node(const struct tb_group *g, unsigned int i)
{
	return &g->tb->nodes[g->cfg.first_node + i];
}

struct group *tb_group_state(const struct tb_group *g, unsigned int i)
{
	return &tb_group_node(g, i)->e->groups[g->cfg.group];
}

unsigned int tb_group_slot(const struct tb_group *g, unsigned int i)
{
	unsigned int k, p = g->parent[i];

	for (k = 0; g->child[p][k] != i; k++)
		;
	return k;
}

static bool is_peer(const struct tb_group *g, unsigned int i, unsigned int k)
{
	unsigned int p;

	for (p = 0; p < g->peers[i]; p++)
		if (g->peer[i][p] == k)
			return true;
	return false;
}

void tb_group_peer(struct tb_group *g, unsigned int i, unsigned int k)
{
	if (is_peer(g, i, k))
		return;
	assert_true(g->peers[i] < TB_MAX_PEERS && g->peers[k] < TB_MAX_PEERS);
	g->peer[i][g->peers[i]++] = k;
	g->peer[k][g->peers[k]++] = i;
}

unsigned int tb_group_peer_index(const struct tb_group *g, unsigned int i, unsigned int k)
{
	unsigned int p;

	for (p = 0; g->peer[i][p] != k; p++)
		assert_true(p < g->peers[i]);
	return g->children[i] + p;
}

void tb_fill_addr(struct tally_group_edge *edge, const struct tb_node *n)
{
	memset(edge, 0, sizeof(*edge));
	memcpy(edge->gid, n->addr.gid, sizeof(edge->gid));
	memcpy(edge->mac, n->addr.mac, sizeof(edge->mac));
}

static unsigned int tree_edges(const struct tb_group *g, unsigned int i,
			       struct tally_group_edge *edges)
{
	unsigned int n = 0, k;

	for (k = 0; k < g->children[i]; k++, n++) {
		unsigned int c = g->child[i][k];

		tb_fill_addr(&edges[n], tb_group_node(g, c));
		edges[n].remote_index = htole16(TALLY_CONTRIB_PARENT);
		edges[n].subtree_first = htole16(c);
		edges[n].subtree_count = htole16(g->subtree[c]);
		edges[n].rank_first = htole32(g->rank_first[c]);
		edges[n].rank_count =
			htole32(g->rank_first[c + g->subtree[c]] - g->rank_first[c]);
	}
	for (k = 0; k < g->peers[i]; k++, n++) {
		unsigned int p = g->peer[i][k];

		tb_fill_addr(&edges[n], tb_group_node(g, p));
		edges[n].remote_index = htole16(tb_group_peer_index(g, p, i));
	}
	if (g->parent[i] >= 0) {
		tb_fill_addr(&edges[n], tb_group_node(g, g->parent[i]));
		edges[n++].remote_index = htole16(tb_group_slot(g, i));
	}
	return n;
}

static void set_multicast(const struct tb_group *g, struct tally_group_cfg *cfg)
{
	if (!(g->cfg.flags & TALLY_GROUP_F_MULTICAST))
		return;
	cfg->mcast_gid[0] = 0xff;
	memcpy(cfg->mcast_gid + 12, &g->cfg.jid, 4);
	memcpy(cfg->source_gid, tb_group_node(g, 0)->addr.gid, sizeof(cfg->source_gid));
}

static void set_modes(const struct tb_group *g, struct tally_group_cfg *cfg)
{
	cfg->modes = g->cfg.modes;
	memcpy(cfg->choice_small, g->cfg.small, sizeof(cfg->choice_small));
	memcpy(cfg->choice_middle, g->cfg.middle, sizeof(cfg->choice_middle));
	memcpy(cfg->choice_large, g->cfg.large, sizeof(cfg->choice_large));
	memcpy(cfg->choice_small_log, g->cfg.small_log, sizeof(cfg->choice_small_log));
	memcpy(cfg->choice_middle_log, g->cfg.middle_log, sizeof(cfg->choice_middle_log));
}

unsigned int tb_group_config(const struct tb_group *g, unsigned int i, struct tally_group_cfg *cfg,
			     struct tally_group_edge *edges)
{
	uint8_t modes = g->cfg.modes ? g->cfg.modes : mode_bit(g->cfg.mode);
	bool tree = modes & TALLY_MODES_TREE, alone = modes == TALLY_MODES_TREE;
	unsigned int n = alone ? tree_edges(g, i, edges) : tb_modes_edges(g, i, edges);

	*cfg = (struct tally_group_cfg){
		.jid = htole32(g->cfg.jid),
		.flags = htole32(g->cfg.flags | (i ? 0 : TALLY_GROUP_F_ROOT)),
		.mode = g->cfg.mode,
		.rounds = g->rounds,
		.level = tree ? g->level[i] : 0,
		.node = htole16(i),
		.num_nodes = htole16(g->cfg.nodes),
		.num_edges = htole16(n),
		.num_segs = htole16(g->cfg.segs),
		.max_segs = htole16(g->cfg.max_segs),
		.timeout_ms = htole32(g->cfg.no_limit ? 0 : g->cfg.timeout_ms),
		.rank_mask = htole64(g->rank_mask[i]),
		.epoch = htole32(i ? 0 : g->cfg.epoch),
		.retry_limit = htole32(g->cfg.retry_limit),
		.rto_us = htole32(g->cfg.rto_us),
		.mtu = htole32(g->cfg.mtu),
		.owner_ranks = htole64(g->rank_mask[i]),
		.total_ranks = htole32(g->rank_first[g->cfg.nodes]),
		.rank_first = htole32(g->rank_first[i]),
		.msg_cells = htole32(g->cfg.msg_cells),
	};
	set_multicast(g, cfg);
	set_modes(g, cfg);
	return n;
}

struct engine_result tb_group_try(struct tb_group *g, unsigned int i)
{
	struct tally_group_edge edges[TB_MAX_NODES];
	struct tally_group_cfg cfg;
	unsigned int n = tb_group_config(g, i, &cfg, edges);
	struct tb_node *node = tb_group_node(g, i);
	struct engine_result r;

	r = engine_create_group(tb_enter(node), g->cfg.group, &cfg, edges, n);
	tb_leave(node);
	return r;
}

void tb_group_create(struct tb_group *g, unsigned int i)
{
	struct engine_result r = tb_group_try(g, i);

	if (r.status != TALLY_ADMIN_STATUS_OK)
		fail_msg("group node %u: status %u, offset %u", i, r.status, r.bad_offset);
}

void tb_group_create_all(struct tb_group *g)
{
	unsigned int i;

	for (i = 0; i < g->cfg.nodes; i++)
		tb_group_create(g, i);
}

struct testbed *tb_open(struct tb_group *g, const struct tb_group_cfg *cfg, unsigned int nodes,
			uint64_t seed)
{
	struct testbed *tb = tb_new(nodes, seed);

	tb_group_plan(tb, g, cfg);
	tb_group_create_all(g);
	tb_run_for(tb, VT_MS);
	return tb;
}

void tb_group_destroy(struct tb_group *g, unsigned int i)
{
	struct tb_node *n = tb_group_node(g, i);
	struct engine_result r = engine_destroy_group(tb_enter(n), g->cfg.group);

	tb_leave(n);
	assert_int_equal(r.status, TALLY_ADMIN_STATUS_OK);
}

/* ---- Queue pairs ---- */

struct tb_qp *tb_qp_create(struct tb_group *g, unsigned int i, uint64_t ranks, uint32_t depth,
			   uint16_t port)
{
	struct tb_node *n = tb_group_node(g, i);
	struct engine_qp_cfg cfg = { .pd = TB_PD, .cqn = n->index, .group = g->cfg.group,
				     .ranks = ranks, .depth = depth, .stride = TB_STRIDE,
				     .port = port };
	struct engine_result r;
	unsigned int q = 0;
	struct tb_qp *qp;

	while (n->qps[q].used)
		q++;
	assert_true(q < TB_MAX_QPS);
	qp = &n->qps[q];
	r = engine_create_qp(tb_enter(n), q, &cfg);
	tb_leave(n);
	if (r.status != TALLY_ADMIN_STATUS_OK)
		fail_msg("QP %u: status %u, offset %u", q, r.status, r.bad_offset);
	free(qp->wrs);
	*qp = (struct tb_qp){ .used = true, .life = qp->life + 1, .qpn = q,
			      .group = g->cfg.group, .depth = depth, .stride = TB_STRIDE };
	qp->sq = tb_alloc(n, (size_t)depth * TB_STRIDE);
	return qp;
}

void tb_qp_destroy(struct tb_group *g, unsigned int i, struct tb_qp *qp)
{
	struct tb_node *n = tb_group_node(g, i);
	struct engine_result r = engine_destroy_qp(tb_enter(n), qp->qpn);

	tb_leave(n);
	assert_int_equal(r.status, TALLY_ADMIN_STATUS_OK);
	n->open -= tb_unfinished(qp);
	qp->used = false;
}

enum tally_admin_status tb_qp_modify(struct tb_group *g, unsigned int i, struct tb_qp *qp,
				     enum tally_qp_state state)
{
	struct tb_node *n = tb_group_node(g, i);
	struct engine_result r = engine_modify_qp(tb_enter(n), qp->qpn, state);

	tb_leave(n);
	if (r.status == TALLY_ADMIN_STATUS_OK && state == TALLY_QPS_RESET) {
		n->open -= tb_unfinished(qp);
		qp->posted = qp->retired = 0;
	}
	return r.status;
}
