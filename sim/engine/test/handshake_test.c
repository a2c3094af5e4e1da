// SPDX-License-Identifier: BSD-2-Clause
/*
 * Edges that do not open. A node that never creates its group is the one that is named, by every
 * node and in every mode, also if the epoch never came. Lives of a job that follow each other at
 * once do not accept each other's handshakes.
 */
#include "engine/test/testbed.h"
#include "firmware/blame.h"
#include "firmware/handshake.h"

#include <endian.h>

#define NODES 7
#define LIMIT_MS 200
#define EACH_NODE(i, but) \
	(i) = 0;          \
	(i) < NODES; (i)++) if ((i) != (but)

struct scene {
	struct testbed *tb;
	struct tb_group g;
	struct tb_qp *qp[NODES];
};

struct shape {
	uint8_t mode;
	uint32_t flags;
	uint8_t radix[TALLY_MAX_ROUNDS];
};

static const struct shape shapes[] = {
	{ .mode = TALLY_MODE_TREE },
	{ .mode = TALLY_MODE_TREE, .flags = TALLY_GROUP_F_MULTICAST },
	{ .mode = TALLY_MODE_RING },
	{ .mode = TALLY_MODE_EXCHANGE },
	{ .mode = TALLY_MODE_EXCHANGE, .radix = { 3, 3 } },
};

static void plan(struct scene *s, const struct shape *shape, double loss)
{
	struct tb_group_cfg cfg = { .nodes = NODES,
				    .degree = 2,
				    .ranks = 1,
				    .timeout_ms = LIMIT_MS,
				    .mode = shape->mode,
				    .flags = shape->flags };

	memcpy(cfg.radix, shape->radix, sizeof(cfg.radix));
	s->tb = tb_new(NODES, tb_seed());
	tb_lossy(s->tb, loss, loss, loss);
	tb_group_plan(s->tb, &s->g, &cfg);
}

static void join(struct scene *s, unsigned int node)
{
	tb_group_create(&s->g, node);
	s->qp[node] = tb_qp_create(&s->g, node, 1, 16, 0);
}

static void post(struct scene *s, unsigned int node)
{
	struct tb_post p = tb_request(&s->g, TALLY_OPCODE_BARRIER, 0, 1);

	tb_post_ring(tb_group_node(&s->g, node), s->qp[node], &p);
}

static void leave(struct scene *s, unsigned int node)
{
	tb_qp_destroy(&s->g, node, s->qp[node]);
	tb_group_destroy(&s->g, node);
}

/* Return the nodes that a report names: the detector's contributors, or without any its parent. */
static uint64_t nodes_named(const struct scene *s, const struct report *r)
{
	struct tally_group_edge edges[MAX_EDGES];
	struct tally_group_cfg cfg;
	uint64_t named = 0;
	unsigned int num = tb_group_config(&s->g, r->detector, &cfg, edges), i, k;

	if (!r->contributors && s->g.cfg.mode == TALLY_MODE_TREE && s->g.parent[r->detector] >= 0)
		return 1ULL << s->g.parent[r->detector];
	for (i = 0; i < num; i++)
		for (k = 0; k < NODES && (r->contributors >> i & 1); k++)
			if (!memcmp(edges[i].gid, tb_group_node(&s->g, k)->addr.gid, 16))
				named |= 1ULL << k;
	return named;
}

static void expect_named(const struct scene *s, unsigned int node, unsigned int absent)
{
	const struct report *r = &tb_group_state(&s->g, node)->report;

	if (r->status != TALLY_COLL_NO_HANDSHAKE || r->ranks || nodes_named(s, r) != 1ULL << absent)
		fail_msg(
			"mode %u, node %u absent: node %u reports status %u, detector %u, contributors %#llx, ranks %#llx",
			s->g.cfg.mode, absent, node, r->status, r->detector,
			(unsigned long long)r->contributors, (unsigned long long)r->ranks);
}

/* ---- A node that never creates the group ---- */

/* `hasty` posts well before the others, so that its time limit passes first. */
static void never_there(const struct shape *shape, unsigned int absent, int hasty, double loss)
{
	struct scene s;
	unsigned int i;

	plan(&s, shape, loss);
	for (EACH_NODE(i, absent))
		join(&s, i);
	tb_run_for(s.tb, 5 * VT_MS);
	if (hasty >= 0) {
		post(&s, hasty);
		tb_run_for(s.tb, LIMIT_MS / 4 * VT_MS);
	}
	for (EACH_NODE(i, absent))
		if ((int)i != hasty)
			post(&s, i);
	tb_finish(s.tb, (LIMIT_MS + 1) * VT_MS);
	for (EACH_NODE(i, absent))
		expect_named(&s, i, absent);
	tb_free(s.tb);
}

static void absent_node_is_named(void **state)
{
	unsigned int k, absent;

	(void)state;
	for (k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++)
		for (absent = 0; absent < NODES; absent++) {
			never_there(&shapes[k], absent, -1, 0);
			never_there(&shapes[k], absent, -1, 0.1);
		}
}

/* The first node to give up knows nothing, because it has no edge to the absent node. */
static void absent_node_is_named_from_afar(void **state)
{
	unsigned int k, absent, hasty;

	(void)state;
	for (k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++)
		for (absent = 0; absent < NODES; absent += 3)
			for (EACH_NODE(hasty, absent))
				never_there(&shapes[k], absent, hasty, 0);
}

/*
 * A node that was to learn the epoch from the absent node names it, whatever its oldest chunk waits for
 * first.
 */
static void absent_node_of_the_epoch(void **state)
{
	unsigned int k, absent, i, found = 0;
	struct report r;
	struct scene s;

	(void)state;
	for (k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++)
		for (absent = 0; absent < NODES; absent++) {
			plan(&s, &shapes[k], 0);
			for (EACH_NODE(i, absent))
				join(&s, i);
			for (EACH_NODE(i, absent))
				post(&s, i);
			tb_run_for(s.tb, 5 * VT_MS);
			for (EACH_NODE(i, absent)) {
				const struct group *g = tb_group_state(&s.g, i);

				if (!i || memcmp(g->edges[g->upstream].addr.gid,
						 tb_group_node(&s.g, absent)->addr.gid, 16))
					continue;
				firmware_attach(tb_group_node(&s.g, i)->e);
				r = blame_oldest(s.g.cfg.group);
				r.detector = i;
				assert_int_equal(r.status, TALLY_COLL_NO_HANDSHAKE);
				assert_int_equal(nodes_named(&s, &r), 1ULL << absent);
				found++;
			}
			tb_finish(s.tb, (LIMIT_MS + 1) * VT_MS);
			tb_free(s.tb);
		}
	assert_true(found > 4 * NODES);
}

/* A node that comes after the others have ended is told the same. */
static void late_node_is_told(void **state)
{
	unsigned int k, absent, i;
	struct scene s;

	(void)state;
	for (k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++)
		for (absent = 0; absent < NODES; absent++) {
			plan(&s, &shapes[k], 0);
			for (EACH_NODE(i, absent))
				join(&s, i);
			for (EACH_NODE(i, absent))
				post(&s, i);
			tb_finish(s.tb, (LIMIT_MS + 1) * VT_MS);
			join(&s, absent);
			tb_run_for(s.tb, LIMIT_MS / 4 * VT_MS);
			assert_int_equal(tb_group_state(&s.g, absent)->state, TALLY_GROUP_DEAD);
			expect_named(&s, absent, absent);
			tb_free(s.tb);
		}
}

/* ---- Configurations ---- */

#define CHANGE(name, ...)                                                                          \
	static void name(struct tally_tch_open *o)                                                 \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
	}

CHANGE(nothing, (void)o)
CHANGE(other_segs, o->num_segs ^= htobe16(1))
CHANGE(other_chunk, o->chunk ^= htobe32(16))
CHANGE(outside_the_subtree, o->node = 0)
CHANGE(beyond_the_subtree, o->node = htobe16(2))
CHANGE(other_mtu, o->mtu ^= htobe32(256))
CHANGE(other_mode, o->modes = TALLY_MODES_RING)
CHANGE(other_plan, o->plan ^= htobe32(1))
CHANGE(other_rounds, o->rounds = 1)
CHANGE(other_nodes, o->num_nodes = htobe16(3))
CHANGE(other_ranks, o->total_ranks = htobe32(3))
CHANGE(other_flags, o->flags ^= htobe32(TALLY_GROUP_F_ORDERED))

typedef void change(struct tally_tch_open *o);

static change *const changes[] = { other_chunk,	 outside_the_subtree, beyond_the_subtree,
				   other_mtu,	 other_mode,	      other_rounds,
				   other_nodes,	 other_ranks,	      other_flags,	  other_plan };

/* Change what the child's OPEN says of its group. */
static bool change_open(void *arg, struct tb_packet *p)
{
	change *const *how = arg;

	if (p->tch.kind == TALLY_KIND_OPEN && p->from->index == 1)
		(*how)((struct tally_tch_open *)p->payload);
	return true;
}

static uint16_t status_after(change *how, uint32_t flags)
{
	const struct tb_group_cfg cfg = {
		.nodes = 2, .ranks = 1, .timeout_ms = LIMIT_MS, .mode = TALLY_MODE_TREE,
		.flags = flags
	};
	struct testbed *tb = tb_new(2, tb_seed());
	struct tb_group g;
	uint16_t status;

	tb_group_plan(tb, &g, &cfg);
	tb->net.hook = change_open;
	tb->net.hook_arg = &how;
	tb_group_create_all(&g);
	tb_run_for(tb, 5 * VT_MS);
	status = tb_group_state(&g, 0)->report.status;
	if (!status)
		assert_int_equal(tb_group_state(&g, 0)->state, TALLY_GROUP_OPEN);
	tb_free(tb);
	return status;
}

/* Whatever two nodes tell each other of their group must be the same. */
static void every_difference_is_noticed(void **state)
{
	unsigned int k;

	(void)state;
	assert_int_equal(status_after(nothing, 0), 0);
	for (k = 0; k < sizeof(changes) / sizeof(changes[0]); k++)
		if (status_after(changes[k], 0) != TALLY_COLL_CONFIG_MISMATCH)
			fail_msg("change %u goes unnoticed", k);
}

/* Each node owns as many segments as it has, unless their limits count together. */
static void segments_may_differ(void **state)
{
	(void)state;
	assert_int_equal(status_after(other_segs, 0), 0);
	assert_int_equal(status_after(nothing, TALLY_GROUP_F_MULTICAST), 0);
	assert_int_equal(status_after(other_segs, TALLY_GROUP_F_MULTICAST),
			 TALLY_COLL_CONFIG_MISMATCH);
}

/* Create the group of all nodes, of which one is configured as another. */
static bool misnumbered(struct scene *s, unsigned int node, unsigned int as)
{
	struct tb_node *n = tb_group_node(&s->g, node);
	struct tally_group_edge edges[MAX_EDGES];
	struct tally_group_cfg cfg;
	unsigned int num = tb_group_config(&s->g, node, &cfg, edges), i;
	struct engine_result r;

	for (EACH_NODE(i, node))
		tb_group_create(&s->g, i);
	cfg.node = htole16(as);
	r = engine_create_group(tb_enter(n), s->g.cfg.group, &cfg, edges, num);
	tb_leave(n);
	tb_run_for(s->tb, 4 * TALLY_COLLECT_MS * VT_MS);
	return r.status == TALLY_ADMIN_STATUS_OK;
}

static void expect_mismatch(const struct scene *s, unsigned int i, unsigned int node,
			    unsigned int as)
{
	unsigned int status = tb_group_state(&s->g, i)->report.status;

	if (status != TALLY_COLL_CONFIG_MISMATCH)
		fail_msg("mode %u, node %u configured as %u: node %u has status %u",
			 s->g.cfg.mode, node, as, i, status);
}

/*
 * A node is configured as another, be it its parent. Both it and its parent are told of the
 * mismatch.
 */
static void node_with_another_number(void **state)
{
	unsigned int node, as, found = 0;
	struct scene s;

	(void)state;
	for (node = 1; node < NODES; node++)
		for (as = 0; as < NODES; as++) {
			if (as == node)
				continue;
			plan(&s, &shapes[0], 0);
			if (misnumbered(&s, node, as)) {
				expect_mismatch(&s, node, node, as);
				expect_mismatch(&s, s.g.parent[node], node, as);
				found++;
			}
			tb_free(s.tb);
		}
	assert_true(found > 4 * NODES);
}

/* Without subtrees, a node knows at least that a neighbour is another node than itself. */
static void node_with_the_number_of_a_neighbour(void **state)
{
	unsigned int k, node, other, found = 0;
	struct scene s;

	(void)state;
	for (k = 2; k < sizeof(shapes) / sizeof(shapes[0]); k++)
		for (node = 1; node < NODES; node++) {
			plan(&s, &shapes[k], 0);
			other = s.g.edge[node][0].node;
			if (misnumbered(&s, node, other)) {
				expect_mismatch(&s, node, node, other);
				expect_mismatch(&s, other, node, other);
				found++;
			}
			tb_free(s.tb);
		}
	assert_true(found >= NODES);
}

/* ---- Confirmation ---- */

/* A tree of two nodes, and what the network does to it and sees of it. */
struct pair {
	struct scene s;
	bool lose;	      /* confirmations to node 0 */
	uint64_t known;	      /* nonce of node 1, in wire order, that node 0 knows */
	unsigned int opens;   /* of node 0, not in answer to another */
	unsigned int strange; /* of node 0, that echo another nonce */
};

static bool watch_pair(void *arg, struct tb_packet *p)
{
	const struct tally_tch_open *o = (const void *)p->payload;
	bool confirms = be16toh(p->tch.flags) & TALLY_TCH_F_CONFIRM;
	struct pair *w = arg;

	if (p->tch.kind != TALLY_KIND_OPEN)
		return true;
	if (p->from->index == 1)
		return !(w->lose && confirms);
	w->opens += !confirms && o->echo == w->known;
	if (w->known && o->echo != w->known) {
		w->strange++;
		assert_int_equal(p->tch.epoch, 0);
		assert_int_equal(o->key, 0);
		assert_int_equal(o->group_key, 0);
	}
	return true;
}

static const struct edge *edge_to_child(const struct pair *w)
{
	return &tb_group_state(&w->s.g, 0)->edges[0];
}

/* Let the pair open, without confirmation to node 0. Node 1 comes `late` after node 0. */
static void pair_begin(struct pair *w, uint32_t flags, vtime_t late)
{
	const struct tb_group_cfg cfg = { .nodes = 2, .ranks = 1, .timeout_ms = LIMIT_MS,
					  .mode = TALLY_MODE_TREE, .flags = flags };

	*w = (struct pair){ .lose = true };
	w->s.tb = tb_new(2, tb_seed());
	tb_group_plan(w->s.tb, &w->s.g, &cfg);
	w->s.tb->net.hook = watch_pair;
	w->s.tb->net.hook_arg = w;
	tb_group_create(&w->s.g, 0);
	tb_run_for(w->s.tb, late);
	tb_group_create(&w->s.g, 1);
	while (edge_to_child(w)->state != TALLY_EDGE_OPEN)
		tb_run_for(w->s.tb, VT_US);
	w->known = htobe64(edge_to_child(w)->peer_nonce);
}

/*
 * The edge is open but not confirmed when the neighbour is created anew. The new neighbour is asked
 * who it is, but is told neither the epoch nor a key.
 */
static void stranger_before_the_confirmation(void **state)
{
	static const uint32_t flags[] = { 0, TALLY_GROUP_F_MULTICAST };
	unsigned int k;
	struct pair w;

	(void)state;
	for (k = 0; k < 2; k++) {
		pair_begin(&w, flags[k], 0);
		tb_run_for(w.s.tb, VT_MS);
		assert_true(edge_to_child(&w)->unconfirmed);
		tb_node_reset(tb_group_node(&w.s.g, 1));
		tb_group_create(&w.s.g, 1);
		tb_run_for(w.s.tb, VT_MS);
		assert_true(w.strange);
		assert_int_equal(tb_group_state(&w.s.g, 0)->report.status,
				 TALLY_COLL_EPOCH_CHANGED);
		tb_free(w.s.tb);
	}
}

/* OPEN has become rare when the neighbour comes at last, and then it is frequent again. */
static void hurry_after_a_long_wait(void **state)
{
	struct pair w;

	(void)state;
	pair_begin(&w, 0, 200 * VT_MS);
	w.opens = 0;
	tb_run_for(w.s.tb, 10 * OPEN_FIRST * VT_NS);
	assert_true(edge_to_child(&w)->unconfirmed);
	assert_true(w.opens >= 3);
	tb_free(w.s.tb);
}

static bool count_opens(void *arg, struct tb_packet *p)
{
	*(unsigned int *)arg += p->tch.kind == TALLY_KIND_OPEN;
	return true;
}

/* Once both ends have confirmed, no OPEN is repeated. */
static void confirmed_edges_are_silent(void **state)
{
	unsigned int k, i, idx, opens;
	struct scene s;

	(void)state;
	for (k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++) {
		plan(&s, &shapes[k], 0);
		for (i = 0; i < NODES; i++)
			join(&s, i);
		tb_run_for(s.tb, 50 * VT_MS);
		opens = 0;
		s.tb->net.hook = count_opens;
		s.tb->net.hook_arg = &opens;
		tb_run_for(s.tb, 50 * VT_MS);
		assert_int_equal(opens, 0);
		for (i = 0; i < NODES; i++) {
			const struct group *g = tb_group_state(&s.g, i);

			for_each_edge(g, idx)
				assert_false(g->edges[idx].unconfirmed);
		}
		tb_free(s.tb);
	}
}

/* ---- The source of the epoch ---- */

struct cut {
	const struct tb_node *from, *to;
};

static bool lose_at_cut(void *arg, struct tb_packet *p)
{
	const struct cut *c = arg;

	return p->from != c->from || p->to != c->to;
}

/* Return the node at the other end of an edge. */
static unsigned int node_at(const struct scene *s, const struct edge *ed)
{
	unsigned int i = 0;

	while (memcmp(tb_group_node(&s->g, i)->addr.gid, ed->addr.gid, 16))
		i++;
	return i;
}

static bool neighbour_knows(const struct scene *s, const struct group *g)
{
	unsigned int idx;

	for_each_edge(g, idx)
		if (idx != g->upstream && tb_group_state(&s->g, node_at(s, &g->edges[idx]))->epoch)
			return true;
	return false;
}

/* A node takes the epoch only from the neighbour that it is to come from. */
static void epoch_from_one_neighbour(void **state)
{
	unsigned int k, node, i, known = 0;
	const struct group *g;
	struct scene s;
	struct cut cut;

	(void)state;
	for (k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++)
		for (node = 1; node < NODES; node++) {
			plan(&s, &shapes[k], 0);
			for (i = 0; i < NODES; i++)
				join(&s, i);
			g = tb_group_state(&s.g, node);
			cut.from = tb_group_node(&s.g, node_at(&s, &g->edges[g->upstream]));
			cut.to = tb_group_node(&s.g, node);
			s.tb->net.hook = lose_at_cut;
			s.tb->net.hook_arg = &cut;
			tb_run_for(s.tb, 20 * VT_MS);
			known += neighbour_knows(&s, g);
			assert_int_equal(g->epoch, 0);
			tb_free(s.tb);
		}
	assert_true(known >= NODES / 2);
}

/* ---- A job id used again, with the same epoch ---- */

/*
 * The next life has another number and other segments, because the driver gets the former ones back
 * only when that life has drained.
 */
static void next_life(struct scene *s)
{
	s->g.cfg.group++;
}

/* Let a node leave the former life, if it took part, and join the next. */
static void change_life(struct scene *s, struct scene *next, unsigned int node, bool took_part)
{
	if (took_part)
		leave(s, node);
	join(next, node);
	tb_run_for(s->tb, 30 * VT_US);
}

/*
 * Change the life of each node in turn, from `first` on. The node that did not take part comes
 * last: while a neighbour has the former life, which is dead, the node is late for that.
 */
static void change_lives(struct scene *s, unsigned int first, unsigned int absent)
{
	struct scene next = *s;
	unsigned int i, k;

	next_life(&next);
	for (k = 0; k < NODES; k++) {
		i = (first + k) % NODES;
		if (i != absent)
			change_life(s, &next, i, true);
	}
	if (absent < NODES)
		change_life(s, &next, absent, false);
	*s = next;
}

/* Check that a barrier succeeds at once, whatever the former lives have left behind. */
static void expect_barrier(struct scene *s)
{
	unsigned int i;

	for (i = 0; i < NODES; i++)
		post(s, i);
	tb_run_for(s->tb, 5 * VT_MS);
	for (i = 0; i < NODES; i++) {
		const struct tb_wr *wr = &s->qp[i]->wrs[0];

		if (!wr->has_cqe || wr->cqe.coll_status)
			fail_msg("mode %u: node %u has %s %u", s->g.cfg.mode, i,
				 wr->has_cqe ? "status" : "no completion", wr->cqe.coll_status);
	}
}

static void lives_follow_at_once(void **state)
{
	unsigned int k, first, i;
	struct scene s;

	(void)state;
	for (k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++)
		for (first = 0; first < NODES; first++) {
			plan(&s, &shapes[k], 0);
			for (i = 0; i < NODES; i++)
				join(&s, i);
			expect_barrier(&s);
			for (i = 0; i < 3; i++) {
				change_lives(&s, first, NODES);
				expect_barrier(&s);
			}
			tb_free(s.tb);
		}
}

/*
 * The former life had no epoch, because a node was absent; that node takes part in the next life.
 */
static void life_after_one_without_epoch(void **state)
{
	unsigned int k, first, i;
	struct scene s;

	(void)state;
	for (k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++)
		for (first = 0; first < NODES; first++) {
			plan(&s, &shapes[k], 0);
			for (EACH_NODE(i, 0))
				join(&s, i);
			for (EACH_NODE(i, 0))
				post(&s, i);
			tb_finish(s.tb, (LIMIT_MS + 1) * VT_MS);
			change_lives(&s, first, 0);
			expect_barrier(&s);
			tb_free(s.tb);
		}
}

/*
 * The node that was absent is the first in the next life, while its neighbours have no more than
 * tombstones of the former one, which had no epoch. It is early, not late, and is left alone.
 */
static void early_in_the_next_life(void **state)
{
	struct scene s, next;
	unsigned int k, i;

	(void)state;
	for (k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++) {
		plan(&s, &shapes[k], 0);
		for (EACH_NODE(i, 0))
			join(&s, i);
		for (EACH_NODE(i, 0))
			post(&s, i);
		tb_finish(s.tb, (LIMIT_MS + 1) * VT_MS);
		for (EACH_NODE(i, 0))
			leave(&s, i);
		next = s;
		next_life(&next);
		join(&next, 0);
		tb_run_for(s.tb, 5 * VT_MS);
		for (EACH_NODE(i, 0))
			join(&next, i);
		expect_barrier(&next);
		tb_free(s.tb);
	}
}

/* Lose what is sent to the child, while *arg. */
static bool lose_to_child(void *arg, struct tb_packet *p)
{
	return !*(bool *)arg || p->to->index != 1;
}

/*
 * The child's OPEN reaches the root, but no answer reaches the child, which thus echoes no nonce. When
 * the root has gone on to its next life, the child is told of the end of the former one by its
 * tombstone, which has heard of the child's nonce.
 */
static void next_life_before_an_answer(void **state)
{
	const struct tb_group_cfg cfg = {
		.nodes = 2, .ranks = 1, .timeout_ms = LIMIT_MS, .mode = TALLY_MODE_TREE
	};
	struct scene s, next;
	bool lose = true;

	(void)state;
	s.tb = tb_new(2, tb_seed());
	tb_group_plan(s.tb, &s.g, &cfg);
	s.tb->net.hook = lose_to_child;
	s.tb->net.hook_arg = &lose;
	join(&s, 0);
	join(&s, 1);
	tb_run_for(s.tb, 5 * VT_MS);
	next = s;
	next_life(&next);
	change_life(&s, &next, 0, true);
	tb_run_for(s.tb, 5 * VT_MS);
	lose = false;
	tb_run_for(s.tb, LIMIT_MS / 4 * VT_MS);
	assert_int_equal(tb_group_state(&s.g, 1)->report.status, TALLY_COLL_RANK_GONE);
	tb_free(s.tb);
}

/* The configurations of the next life disagree, and both nodes of the edge are told. */
static void next_life_disagrees(void **state)
{
	const uint32_t mtu[2] = { 4096, 1024 };
	unsigned int k, i;
	struct scene s;

	(void)state;
	for (k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++) {
		plan(&s, &shapes[k], 0);
		for (i = 0; i < NODES; i++)
			join(&s, i);
		expect_barrier(&s);
		for (i = 0; i < NODES; i++)
			leave(&s, i);
		next_life(&s);
		for (i = 0; i < NODES; i++) {
			s.g.cfg.mtu = mtu[i == 1];
			join(&s, i);
		}
		tb_run_for(s.tb, 2 * TALLY_COLLECT_MS * VT_MS);
		for (i = 0; i < 2; i++)
			assert_int_equal(tb_group_state(&s.g, i)->report.status,
					 TALLY_COLL_CONFIG_MISMATCH);
		tb_free(s.tb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absent_node_is_named),
		cmocka_unit_test(absent_node_is_named_from_afar),
		cmocka_unit_test(absent_node_of_the_epoch),
		cmocka_unit_test(late_node_is_told),
		cmocka_unit_test(every_difference_is_noticed),
		cmocka_unit_test(segments_may_differ),
		cmocka_unit_test(node_with_another_number),
		cmocka_unit_test(node_with_the_number_of_a_neighbour),
		cmocka_unit_test(stranger_before_the_confirmation),
		cmocka_unit_test(hurry_after_a_long_wait),
		cmocka_unit_test(confirmed_edges_are_silent),
		cmocka_unit_test(epoch_from_one_neighbour),
		cmocka_unit_test(lives_follow_at_once),
		cmocka_unit_test(life_after_one_without_epoch),
		cmocka_unit_test(early_in_the_next_life),
		cmocka_unit_test(next_life_before_an_answer),
		cmocka_unit_test(next_life_disagrees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
