// SPDX-License-Identifier: BSD-2-Clause
#include "engine/testbed.h"

#include <inttypes.h>

#define FETCH_TIME (300 * VT_NS)
#define READ_TIME (400 * VT_NS)
#define WRITE_TIME (200 * VT_NS)

/* Something under way: an answer of the host, or a packet. */
struct tb_op {
	struct sim_event ev;
	struct tb_op *next, **link;
	struct tb_node *node;
	enum { OP_FETCH, OP_READ, OP_WRITE, OP_PACKET } kind;
	uint32_t qpn, index;
	unsigned int life;
	struct engine_sge sge;
	uint64_t tag;
	struct tb_node *from;
	size_t len;
	uint8_t data[];
};

static void op_free(struct tb_op *op)
{
	*op->link = op->next;
	if (op->next)
		op->next->link = op->link;
	free(op);
}

static struct tb_op *op_new(struct tb_node *n, int kind, size_t len, void (*fn)(void *))
{
	struct testbed *tb = n->tb;
	struct tb_op *op = malloc(sizeof(*op) + len);

	assert_non_null(op);
	memset(op, 0, sizeof(*op));
	op->node = n;
	op->kind = kind;
	op->len = len;
	op->link = &tb->ops;
	op->next = tb->ops;
	if (op->next)
		op->next->link = &op->next;
	tb->ops = op;
	sim_event_init(&op->ev, fn, op);
	return op;
}

/* ---- Calls into the engine ---- */

struct engine *tb_enter(struct tb_node *n)
{
	engine_advance(n->e, sim_now(n->tb->sim));
	return n->e;
}

void tb_leave(struct tb_node *n)
{
	uint64_t next = engine_next(n->e);

	if (next == NEVER)
		sim_cancel(n->tb->sim, &n->timer);
	else
		sim_schedule(n->tb->sim, &n->timer, next);
}

static void run_timer(void *arg)
{
	tb_enter(arg);
	tb_leave(arg);
}

void tb_inject(struct tb_node *to, const struct engine_addr *from, const void *body, size_t len)
{
	void *copy = malloc(len ? len : 1); /* exactly as long, for the sanitizer */

	assert_non_null(copy);
	memcpy(copy, body, len);
	engine_packet(tb_enter(to), from, copy, len);
	tb_leave(to);
	free(copy);
}

void tb_node_reset(struct tb_node *n)
{
	struct tb_op *op, *next;
	unsigned int q;

	engine_reset(n->e);
	for (op = n->tb->ops; op; op = next) {
		next = op->next;
		if (op->node != n || op->kind == OP_PACKET)
			continue;
		sim_cancel(n->tb->sim, &op->ev);
		op_free(op);
	}
	for (q = 0; q < TB_MAX_QPS; q++)
		n->qps[q].used = false;
	n->open = 0;
	sim_cancel(n->tb->sim, &n->timer);
}

/* ---- Work requests as the bed watches them ---- */

static struct tb_wr *wr_of(struct tb_qp *qp, uint32_t index)
{
	if (index >= qp->posted)
		fail_msg("QP %u: completion of request %u, posted %u", qp->qpn, index, qp->posted);
	return &qp->wrs[index];
}

static void outcome(struct tb_node *n, struct tb_wr *wr)
{
	wr->retired = true;
	wr->completed = sim_now(n->tb->sim);
	wr->nth = n->outcomes++;
	n->open--;
}

/* All before a completion in turn are done: those without a CQE of their own, with success. */
static void retire_up_to(struct tb_node *n, struct tb_qp *qp, uint32_t index)
{
	for (; qp->retired != index; qp->retired++) {
		struct tb_wr *wr = &qp->wrs[qp->retired];

		if (wr->retired || wr->opcode == TALLY_OPCODE_ABORT) /* whose own comes last */
			continue;
		if (wr->signaled)
			fail_msg("node %u QP %u: request %u skipped by the completion of %u", n->index,
				 qp->qpn, qp->retired, index);
		outcome(n, wr);
	}
	qp->retired++;
}

static void note_completion(struct tb_node *n, const struct tally_cqe *cqe)
{
	uint32_t qpn = le32toh(cqe->qpn), index = le32toh(cqe->wqe_index);
	struct tb_qp *qp = &n->qps[qpn];
	struct tb_wr *wr = wr_of(qp, index);

	if (wr->retired)
		fail_msg("node %u QP %u: second outcome of request %u, status %u", n->index, qpn,
			 index, le16toh(cqe->coll_status));
	wr->has_cqe = true;
	wr->cqe = *cqe;
	outcome(n, wr);
	if (cqe->flags & TALLY_CQE_F_NO_RETIRE)
		return;
	if (index < qp->retired)
		fail_msg("node %u QP %u: request %u completes after %u", n->index, qpn, index,
			 qp->retired);
	retire_up_to(n, qp, index);
}

/* A result may reach memory only while its request has no outcome. */
static void check_write(struct tb_node *n, const struct engine_sge *sge)
{
	unsigned int q, k;
	uint32_t i;

	for (q = 0; q < TB_MAX_QPS; q++) {
		struct tb_qp *qp = &n->qps[q];

		for (i = 0; i < qp->posted; i++)
			for (k = 0; k < qp->wrs[i].num_result; k++)
				if (qp->wrs[i].result[k].addr == sge->addr &&
				    (!qp->wrs[i].retired || !qp->used))
					return;
	}
	fail_msg("node %u: a result was written to %#" PRIx64 " after its request's completion",
		 n->index, sge->addr);
}

/* ---- The host ---- */

static const struct tb_mr *find_mr(const struct tb_node *n, uint32_t lkey)
{
	unsigned int i;

	for (i = 0; i < n->num_mrs; i++)
		if (n->mrs[i].lkey == lkey)
			return &n->mrs[i];
	return NULL;
}

static enum tally_coll_status host_check(void *ctx, uint32_t pd, const struct engine_sge *sge,
					 bool write)
{
	const struct tb_mr *mr = find_mr(ctx, sge->lkey);

	assert_int_equal(pd, TB_PD);
	if (!mr)
		return TALLY_COLL_BAD_LKEY;
	if (sge->addr < mr->first || sge->addr - mr->first > mr->length ||
	    sge->length > mr->length - (sge->addr - mr->first))
		return TALLY_COLL_MR_RANGE;
	if (write && !(mr->access & TALLY_ACCESS_LOCAL_WRITE))
		return TALLY_COLL_MR_ACCESS;
	return TALLY_COLL_OK;
}

static void run_fetch(void *arg)
{
	struct tb_op *op = arg;
	struct tb_node *n = op->node;
	struct tb_qp *qp = &n->qps[op->qpn];

	if (qp->used && qp->life == op->life) {
		tb_enter(n);
		if (qp->no_fetch)
			engine_wqe(n->e, op->qpn, op->index, NULL, 0);
		else
			engine_wqe(n->e, op->qpn, op->index, op->data, op->len);
		tb_leave(n);
	}
	op_free(op);
}

static void host_fetch_wqe(void *ctx, uint32_t qpn, uint32_t index)
{
	struct tb_node *n = ctx;
	struct tb_op *op = op_new(n, OP_FETCH, TB_STRIDE, run_fetch);
	const struct tb_qp *qp = &n->qps[qpn];

	assert_true(qpn < TB_MAX_QPS && qp->used);
	op->qpn = qpn;
	op->index = index;
	op->life = qp->life;
	memcpy(op->data, n->mem + qp->sq + index % qp->depth * TB_STRIDE, TB_STRIDE);
	sim_schedule_in(n->tb->sim, &op->ev, FETCH_TIME);
}

static void run_read(void *arg)
{
	struct tb_op *op = arg;
	struct tb_node *n = op->node;
	enum tally_coll_status st = host_check(n, TB_PD, &op->sge, false);

	if (n->fail_reads)
		st = TALLY_COLL_DMA_ERROR;
	tb_enter(n);
	if (st == TALLY_COLL_OK)
		engine_read_done(n->e, op->tag, st, n->mem + op->sge.addr, op->sge.length);
	else
		engine_read_done(n->e, op->tag, st, NULL, 0);
	tb_leave(n);
	op_free(op);
}

static void host_read(void *ctx, uint32_t pd, const struct engine_sge *sge, uint64_t tag)
{
	struct tb_node *n = ctx;
	struct tb_op *op = op_new(n, OP_READ, 0, run_read);

	assert_int_equal(pd, TB_PD);
	op->sge = *sge;
	op->tag = tag;
	sim_schedule_in(n->tb->sim, &op->ev, READ_TIME + n->slow);
}

static void run_write(void *arg)
{
	struct tb_op *op = arg;
	struct tb_node *n = op->node;
	enum tally_coll_status st = host_check(n, TB_PD, &op->sge, true);

	if (n->fail_writes)
		st = TALLY_COLL_DMA_ERROR;
	if (st == TALLY_COLL_OK) {
		check_write(n, &op->sge);
		memcpy(n->mem + op->sge.addr, op->data, op->sge.length);
	}
	engine_write_done(tb_enter(n), op->tag, st);
	tb_leave(n);
	op_free(op);
}

static void host_write(void *ctx, uint32_t pd, const struct engine_sge *sge, const void *data,
		       uint64_t tag)
{
	struct tb_node *n = ctx;
	struct tb_op *op = op_new(n, OP_WRITE, sge->length, run_write);

	assert_int_equal(pd, TB_PD);
	op->sge = *sge;
	op->tag = tag;
	memcpy(op->data, data, sge->length);
	sim_schedule_in(n->tb->sim, &op->ev, WRITE_TIME + n->slow);
}

static void *grown(void *array, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return array;
	*room = *room ? 2 * *room : 64;
	array = realloc(array, *room * size);
	assert_non_null(array);
	return array;
}

static void host_complete(void *ctx, uint32_t cqn, const struct tally_cqe *cqe, bool solicited)
{
	struct tb_node *n = ctx;

	(void)solicited;
	assert_int_equal(cqn, n->index);
	n->cqes = grown(n->cqes, n->num_cqes, &n->cqe_room, sizeof(*n->cqes));
	n->cqes[n->num_cqes++] = *cqe;
	note_completion(n, cqe);
}

static void host_event(void *ctx, enum tally_eqe_type type, uint32_t id, uint64_t data)
{
	struct tb_node *n = ctx;

	n->events = grown(n->events, n->num_events, &n->event_room, sizeof(*n->events));
	n->events[n->num_events++] = (struct tb_event){ type, id, data, sim_now(n->tb->sim) };
}

static void host_count(void *ctx, enum tally_counter counter, uint64_t by)
{
	struct tb_node *n = ctx;

	assert_true(counter < TB_NUM_COUNTERS);
	n->counters[counter] += by;
}

/* ---- The network ---- */

static void run_packet(void *arg)
{
	struct tb_op *op = arg;
	struct tb_node *to = op->node;

	if (!to->dead)
		tb_inject(to, &op->from->addr, op->data, op->len);
	op_free(op);
}

static void transmit(struct testbed *tb, const struct tb_packet *p)
{
	struct tb_op *op = op_new(p->to, OP_PACKET, sizeof(p->tch) + p->len, run_packet);
	vtime_t time = tb->net.latency + tb_rand(tb, tb->net.jitter + 1);

	if (tb_chance(tb, tb->net.reorder))
		time += tb_rand(tb, tb->net.delay + 1);
	op->from = p->from;
	memcpy(op->data, &p->tch, sizeof(p->tch));
	memcpy(op->data + sizeof(p->tch), p->payload, p->len);
	sim_schedule_in(tb->sim, &op->ev, time);
}

static struct tb_node *by_addr(struct testbed *tb, const struct engine_addr *addr)
{
	unsigned int i;

	for (i = 0; i < tb->num_nodes; i++)
		if (!memcmp(tb->nodes[i].addr.gid, addr->gid, sizeof(addr->gid)))
			return &tb->nodes[i];
	return NULL;
}

static void host_send(void *ctx, const struct engine_addr *to, const struct tally_tch *tch,
		      const void *payload, size_t len)
{
	struct tb_node *n = ctx;
	struct testbed *tb = n->tb;
	struct tb_packet p = { .from = n, .to = by_addr(tb, to), .tch = *tch, .len = len };

	assert_true(len <= sizeof(p.payload));
	if (len)
		memcpy(p.payload, payload, len);
	if (tb->net.hook && !tb->net.hook(tb->net.hook_arg, &p))
		return;
	if (n->dead || !p.to || tb_chance(tb, tb->net.drop))
		return;
	transmit(tb, &p);
	if (tb_chance(tb, tb->net.dup))
		transmit(tb, &p);
}

static const struct engine_host host_calls = {
	.fetch_wqe = host_fetch_wqe,
	.check = host_check,
	.read = host_read,
	.write = host_write,
	.complete = host_complete,
	.send = host_send,
	.event = host_event,
	.count = host_count,
};

/* ---- The bed ---- */

uint64_t tb_seed(void)
{
	const char *text = getenv("TALLY_TEST_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 0) : 0x7a111;

	printf("TALLY_TEST_SEED=%#" PRIx64 "\n", seed);
	return seed;
}

uint64_t tb_rand(struct testbed *tb, uint64_t bound)
{
	return rng_below(sim_rng(tb->sim), bound);
}

bool tb_chance(struct testbed *tb, double probability)
{
	return rng_chance(sim_rng(tb->sim), probability);
}

static void node_init(struct testbed *tb, unsigned int i)
{
	struct tb_node *n = &tb->nodes[i];

	n->tb = tb;
	n->index = i;
	n->addr.gid[0] = 0xfe;
	n->addr.gid[1] = 0x80;
	n->addr.gid[15] = n->addr.mac[5] = i + 1;
	n->addr.mac[0] = 2;
	n->mem = calloc(1, TB_MEM_SIZE);
	assert_non_null(n->mem);
	n->mrs[n->num_mrs++] = (struct tb_mr){ TB_ANYWHERE, TALLY_ACCESS_LOCAL_WRITE, 0,
					       TB_MEM_SIZE };
	n->e = engine_new(&host_calls, n, rng_next(sim_rng(tb->sim)));
	assert_non_null(n->e);
	sim_event_init(&n->timer, run_timer, n);
}

struct testbed *tb_new(unsigned int nodes, uint64_t seed)
{
	struct testbed *tb = calloc(1, sizeof(*tb));
	unsigned int i;

	assert_non_null(tb);
	assert_true(nodes <= TB_MAX_NODES);
	tb->sim = sim_new(seed);
	assert_non_null(tb->sim);
	tb->net = (struct tb_net){ .latency = 1 * VT_US, .jitter = 200 * VT_NS,
				   .delay = 30 * VT_US };
	tb->num_nodes = nodes;
	for (i = 0; i < nodes; i++)
		node_init(tb, i);
	return tb;
}

void tb_free(struct testbed *tb)
{
	unsigned int i, q;

	while (tb->ops)
		op_free(tb->ops);
	for (i = 0; i < tb->num_nodes; i++) {
		struct tb_node *n = &tb->nodes[i];

		engine_free(n->e);
		for (q = 0; q < TB_MAX_QPS; q++)
			free(n->qps[q].wrs);
		free(n->mem);
		free(n->cqes);
		free(n->events);
	}
	sim_free(tb->sim);
	free(tb);
}

void tb_lossy(struct testbed *tb, double drop, double dup, double reorder)
{
	tb->net.drop = drop;
	tb->net.dup = dup;
	tb->net.reorder = reorder;
}

void tb_run_for(struct testbed *tb, vtime_t time)
{
	sim_run_until(tb->sim, sim_now(tb->sim) + time);
}

/* ---- Memory ---- */

uint64_t tb_alloc(struct tb_node *n, size_t len)
{
	uint64_t at = n->mem_used;

	n->mem_used += (len + 63) / 64 * 64 + 64; /* no two buffers at one address */
	assert_true(n->mem_used <= TB_MEM_SIZE);
	return at;
}

void tb_recycle(struct testbed *tb)
{
	unsigned int i, q, used;

	for (i = 0; i < tb->num_nodes; i++) {
		for (q = 0, used = 0; q < TB_MAX_QPS; q++)
			used += tb->nodes[i].qps[q].used;
		if (!used)
			tb->nodes[i].mem_used = 0;
	}
}

void *tb_at(struct tb_node *n, uint64_t addr)
{
	return n->mem + addr;
}

uint32_t tb_mr_add(struct tb_node *n, uint64_t first, uint64_t length, uint32_t access)
{
	uint32_t lkey = 0x100 * (n->num_mrs + 1);

	assert_true(n->num_mrs < TB_MAX_MRS);
	n->mrs[n->num_mrs++] = (struct tb_mr){ lkey, access, first, length };
	return lkey;
}

void tb_mr_remove(struct tb_node *n, uint32_t lkey)
{
	unsigned int i;

	for (i = 0; i < n->num_mrs; i++)
		if (n->mrs[i].lkey == lkey)
			n->mrs[i].lkey = ~0u;
}

/* ---- Groups ---- */

/* A subtree of `count` nodes from `first` on; what is left is shared out among its children. */
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

void tb_group_plan(struct testbed *tb, struct tb_group *g, const struct tb_group_cfg *cfg)
{
	uint64_t any = 0;
	unsigned int i;

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
		g->rank_mask[i] = any ? g->cfg.rank_mask[i] : (1ULL << g->cfg.ranks) - 1;
	plan_subtree(g, 0, g->cfg.nodes, -1);
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

static void fill_addr(struct tally_group_edge *edge, const struct tb_node *n)
{
	memset(edge, 0, sizeof(*edge));
	memcpy(edge->gid, n->addr.gid, sizeof(edge->gid));
	memcpy(edge->mac, n->addr.mac, sizeof(edge->mac));
}

unsigned int tb_group_config(const struct tb_group *g, unsigned int i, struct tally_group_cfg *cfg,
			     struct tally_group_edge *edges)
{
	unsigned int n = 0, total = 0, k;

	for (k = 0; k < g->children[i]; k++, n++) {
		unsigned int c = g->child[i][k];

		fill_addr(&edges[n], tb_group_node(g, c));
		edges[n].remote_index = htole16(TALLY_CONTRIB_PARENT);
		edges[n].subtree_first = htole16(c);
		edges[n].subtree_count = htole16(g->subtree[c]);
	}
	if (g->parent[i] >= 0) {
		fill_addr(&edges[n], tb_group_node(g, g->parent[i]));
		edges[n++].remote_index = htole16(tb_group_slot(g, i));
	}
	for (k = 0; k < g->cfg.nodes; k++)
		total += __builtin_popcountll(g->rank_mask[k]);
	*cfg = (struct tally_group_cfg){
		.jid = htole32(g->cfg.jid),
		.flags = htole32(i ? 0 : TALLY_GROUP_F_ROOT),
		.mode = TALLY_MODE_TREE,
		.level = g->level[i],
		.node = htole16(i),
		.num_nodes = htole16(g->cfg.nodes),
		.num_edges = htole16(n),
		.seg_base = htole16(g->cfg.seg_base),
		.num_segs = htole16(g->cfg.segs),
		.timeout_ms = htole32(g->cfg.timeout_ms),
		.rank_mask = htole64(g->rank_mask[i]),
		.epoch = htole32(i ? 0 : g->cfg.epoch),
		.retry_limit = htole32(g->cfg.retry_limit),
		.rto_us = htole32(g->cfg.rto_us),
		.mtu = htole32(g->cfg.mtu),
		.owner_ranks = htole64(g->rank_mask[i]),
		.total_ranks = htole32(total),
	};
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

static void forget_posted(struct tb_node *n, const struct tb_qp *qp)
{
	uint32_t k;

	for (k = 0; k < qp->posted; k++)
		n->open -= !qp->wrs[k].retired;
}

void tb_qp_destroy(struct tb_group *g, unsigned int i, struct tb_qp *qp)
{
	struct tb_node *n = tb_group_node(g, i);
	struct engine_result r = engine_destroy_qp(tb_enter(n), qp->qpn);

	tb_leave(n);
	assert_int_equal(r.status, TALLY_ADMIN_STATUS_OK);
	forget_posted(n, qp);
	qp->used = false;
}

enum tally_admin_status tb_qp_modify(struct tb_group *g, unsigned int i, struct tb_qp *qp,
				     enum tally_qp_state state)
{
	struct tb_node *n = tb_group_node(g, i);
	struct engine_result r = engine_modify_qp(tb_enter(n), qp->qpn, state);

	tb_leave(n);
	if (r.status == TALLY_ADMIN_STATUS_OK && state == TALLY_QPS_RESET) {
		forget_posted(n, qp);
		qp->posted = qp->retired = 0;
	}
	return r.status;
}

/* ---- Work ---- */

struct tb_post tb_request(const struct tb_group *g, uint8_t opcode, uint32_t mid, uint64_t ranks)
{
	struct tb_post p = { .w = {
		.opcode = opcode,
		.flags = htole32(TALLY_WQE_F_SIGNALED),
		.jid = htole32(g->cfg.jid),
		.mid = htole32(mid),
		.rank_mask = htole64(ranks),
	} };

	if (!is_triggered(opcode))
		p.w.node_mask = ~0ULL;
	return p;
}

void tb_inline(struct tb_post *p, const void *data, size_t len)
{
	p->w.flags |= htole32(TALLY_WQE_F_INLINE);
	p->w.inline_len = htole32(len);
	p->data = data;
}

void tb_gather(struct tb_post *p, uint64_t addr, size_t len)
{
	p->gather[p->w.num_gather++] = (struct engine_sge){ addr, len, TB_ANYWHERE };
}

void tb_result(struct tb_post *p, uint64_t addr, size_t len)
{
	p->result[p->w.num_result++] = (struct engine_sge){ addr, len, TB_ANYWHERE };
}

static uint8_t *put_list(uint8_t *at, const uint8_t *end, const struct engine_sge *list,
			 unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n && i < TALLY_MAX_SGE; i++, at += sizeof(struct tally_sge)) {
		struct tally_sge sge = { htole64(list[i].addr), htole32(list[i].length),
					 htole32(list[i].lkey) };

		if (at + sizeof(sge) <= end)
			memcpy(at, &sge, sizeof(sge));
	}
	return at;
}

static void watch(struct tb_node *n, struct tb_qp *qp, const struct tb_post *p)
{
	struct tb_wr *wr;

	if (qp->posted == qp->room) {
		qp->room = qp->room ? 2 * qp->room : 16;
		qp->wrs = realloc(qp->wrs, qp->room * sizeof(*qp->wrs));
		assert_non_null(qp->wrs);
	}
	wr = &qp->wrs[qp->posted];
	*wr = (struct tb_wr){
		.index = qp->posted,
		.mid = le32toh(p->w.mid),
		.opcode = p->w.opcode,
		.signaled = le32toh(p->w.flags) & TALLY_WQE_F_SIGNALED,
		.posted = sim_now(n->tb->sim),
		.num_result = p->w.num_result <= TALLY_MAX_SGE ? p->w.num_result : 0,
	};
	memcpy(wr->result, p->result, sizeof(wr->result));
	n->open++;
}

uint32_t tb_post(struct tb_node *n, struct tb_qp *qp, const struct tb_post *p)
{
	uint8_t *wqe = n->mem + qp->sq + qp->posted % qp->depth * TB_STRIDE;
	uint8_t *end = wqe + TB_STRIDE, *at = wqe + sizeof(p->w);
	uint32_t len = le32toh(p->w.inline_len);

	memset(wqe, 0, TB_STRIDE);
	memcpy(wqe, &p->w, sizeof(p->w));
	((struct tally_wqe *)wqe)->index = htole32(qp->posted + le32toh(p->w.index));
	if (p->data && len <= (size_t)(end - at)) {
		memcpy(at, p->data, len);
		at += (len + 15) / 16 * 16;
	}
	at = put_list(at, end, p->gather, p->w.num_gather);
	put_list(at, end, p->result, p->w.num_result);
	watch(n, qp, p);
	return qp->posted++;
}

void tb_ring(struct tb_node *n, struct tb_qp *qp)
{
	engine_doorbell(tb_enter(n), qp->qpn, qp->posted);
	tb_leave(n);
}

uint32_t tb_post_ring(struct tb_node *n, struct tb_qp *qp, const struct tb_post *p)
{
	uint32_t index = tb_post(n, qp, p);

	tb_ring(n, qp);
	return index;
}

static bool busy(const struct testbed *tb)
{
	unsigned int i;

	for (i = 0; i < tb->num_nodes; i++)
		if (tb->nodes[i].open)
			return true;
	return false;
}

static void name_open(const struct testbed *tb)
{
	unsigned int i, q;
	uint32_t k;

	for (i = 0; i < tb->num_nodes; i++)
		for (q = 0; q < TB_MAX_QPS; q++) {
			const struct tb_qp *qp = &tb->nodes[i].qps[q];

			for (k = 0; qp->used && k < qp->posted; k++)
				if (!qp->wrs[k].retired)
					print_error("node %u QP %u: request %u (opcode %u, mid %u) has "
						    "no outcome\n", i, q, k, qp->wrs[k].opcode,
						    qp->wrs[k].mid);
		}
}

void tb_finish(struct testbed *tb, vtime_t limit)
{
	vtime_t end = sim_now(tb->sim) + limit, next;

	while (busy(tb)) {
		if (!sim_next_time(tb->sim, &next) || next > end) {
			name_open(tb);
			fail_msg("work requests hang at %" PRIu64 " ns", sim_now(tb->sim) / VT_NS);
		}
		sim_run_until(tb->sim, next);
	}
}

/* ---- What must hold ---- */

static unsigned int list_length(uint16_t first, const void *array, size_t size, size_t next_at)
{
	unsigned int n = 0;

	for (; first != NONE; n++)
		memcpy(&first, (const uint8_t *)array + first * size + next_at, sizeof(first));
	return n;
}

#define FREE_LENGTH(e, head, array)                                                                \
	list_length((e)->head, (e)->array, sizeof((e)->array[0]),                                  \
		    offsetof(typeof((e)->array[0]), next))

void tb_assert_empty(struct tb_node *n)
{
	struct engine *e = n->e;
	unsigned int i, k;

	assert_int_equal(FREE_LENGTH(e, tx_free, tx), TX_ENTRIES);
	assert_int_equal(FREE_LENGTH(e, cell_free, cells), TALLY_RMQ_CELLS);
	assert_int_equal(FREE_LENGTH(e, buf_free, bufs), SEND_BUFS);
	assert_int_equal(e->cells_used, 0);
	assert_int_equal(e->cells_reserved, 0);
	for (i = 0; i < TALLY_MAX_SEG; i++)
		if (e->slots[i].state != SLOT_FREE)
			fail_msg("node %u: slot %u is in state %u", n->index, i, e->slots[i].state);
	for (i = 0; i < TB_MAX_QPS; i++)
		for (k = 0; k < WR_WINDOW; k++)
			assert_int_equal(e->qps[i].wrs[k].state, WR_FREE);
	assert_int_equal(n->open, 0);
}

void tb_assert_all_empty(struct testbed *tb)
{
	unsigned int i;

	for (i = 0; i < tb->num_nodes; i++)
		if (!tb->nodes[i].dead)
			tb_assert_empty(&tb->nodes[i]);
}

void tb_assert_done(const struct tb_group *g, uint32_t done)
{
	unsigned int i;

	for (i = 0; i < g->cfg.nodes; i++)
		if (tb_group_state(g, i)->done != done)
			fail_msg("group node %u has done %u, not %u", i, tb_group_state(g, i)->done,
				 done);
}

void tb_assert_cqe(const struct tb_wr *wr, enum tally_coll_status status)
{
	assert_true(wr->retired);
	if (status == TALLY_COLL_OK && !wr->signaled && !wr->has_cqe)
		return;
	assert_true(wr->has_cqe);
	if (le16toh(wr->cqe.coll_status) != status)
		fail_msg("request %u: status %u, not %u", wr->index, le16toh(wr->cqe.coll_status),
			 status);
	assert_int_equal(wr->cqe.status, status_wc(status));
	if (status == TALLY_COLL_FLUSHED) /* it may not even have been fetched */
		return;
	assert_int_equal(le32toh(wr->cqe.mid), wr->mid);
	assert_int_equal(wr->cqe.opcode, wr->opcode);
}

unsigned int tb_count_events(const struct tb_node *n, enum tally_eqe_type type)
{
	unsigned int found = 0;
	size_t i;

	for (i = 0; i < n->num_events; i++)
		found += n->events[i].type == type;
	return found;
}

uint64_t tb_counter(const struct testbed *tb, enum tally_counter c)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < tb->num_nodes; i++)
		sum += tb->nodes[i].counters[c];
	return sum;
}
