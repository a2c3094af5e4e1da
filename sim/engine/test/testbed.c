// SPDX-License-Identifier: BSD-2-Clause
#include "engine/test/testbed.h"

#include <inttypes.h>
#include <sys/mman.h>

#define FETCH_TIME (300 * VT_NS)
#define READ_TIME (400 * VT_NS)
#define MANY_EDGES 256
#define WRITE_TIME (200 * VT_NS)

/* An operation in flight: an answer of the host, or a packet. */
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

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t next_of_group(struct engine *e, struct group *g)
{
	uint64_t next = group_next(e, g);
	unsigned int i;

	for_each_edge(g, i)
		next = earlier(next, group_alive(g) ? edge_next(&g->edges[i]) : g->edges[i].fw_at);
	return next;
}

unsigned int tb_groups(struct engine *e, struct group **list)
{
	static struct group *const none[32];
	unsigned int b, i, num = 0;
	struct group *g;

	/* Nearly all buckets are empty, and tb_leave() looks at them after each call. */
	for (b = 0; b < 1 << JID_BITS; b += 32) {
		if (!memcmp(&e->by_jid[b], none, sizeof(none)))
			continue;
		for (i = b; i < b + 32; i++)
			for (g = e->by_jid[i]; g; g = g->next_of_jid)
				if (!is_tombstone(e, g))
					list[num++] = g;
	}
	return num;
}

/* Return what engine_next() must return, by asking every edge of every group. */
static uint64_t next_of_all(struct engine *e)
{
	uint64_t next = e->firmware ? earlier(e->firmware_at, e->tombs_next) : e->tombs_next;
	struct group *list[TALLY_MAX_GROUP];
	unsigned int num = tb_groups(e, list), i;

	for (i = 0; i < num; i++)
		next = earlier(next, next_of_group(e, list[i]));
	return next;
}

void tb_leave(struct tb_node *n)
{
	uint64_t next = engine_next(n->e);

	/*
	 * A unit that made a time earlier without timer_touch() shows here. If there are many
	 * edges, asking all of them takes too long to be done after each call.
	 */
	if (n->e->edges_used < MANY_EDGES || ++n->calls % MANY_EDGES == 0)
		assert_int_equal(next, next_of_all(n->e));
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
	void *copy = malloc(len ? len : 1); /* of the exact length, for the sanitizer */

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

static void host_read(void *ctx, uint32_t pd, const struct engine_sge *sge, uint64_t tag,
		      uint64_t delay)
{
	struct tb_node *n = ctx;
	struct tb_op *op = op_new(n, OP_READ, 0, run_read);

	(void)delay;
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
		tb_check_write(n, &op->sge);
		memcpy(n->mem + op->sge.addr, op->data, op->sge.length);
	}
	engine_write_done(tb_enter(n), op->tag, st);
	tb_leave(n);
	op_free(op);
}

static void host_write(void *ctx, uint32_t pd, const struct engine_sge *sge, const void *data,
		       uint64_t tag, uint64_t delay)
{
	struct tb_node *n = ctx;
	struct tb_op *op = op_new(n, OP_WRITE, sge->length, run_write);

	(void)delay;
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

static void host_complete(void *ctx, uint32_t cqn, const struct tally_cqe *cqe, bool solicited,
			  uint64_t delay)
{
	struct tb_node *n = ctx;

	(void)delay;
	n->solicited += solicited;
	assert_int_equal(cqn, n->index);
	n->cqes = grown(n->cqes, n->num_cqes, &n->cqe_room, sizeof(*n->cqes));
	n->cqes[n->num_cqes++] = *cqe;
	tb_note_completion(n, cqe);
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

static void to_one(struct testbed *tb, const struct tb_packet *p)
{
	if (tb_chance(tb, tb->net.drop))
		return;
	transmit(tb, p);
	if (tb_chance(tb, tb->net.dup))
		transmit(tb, p);
}

/* Deliver to a group address: the NIC of every node receives the packet. */
static void to_all(struct testbed *tb, struct tb_packet *p)
{
	unsigned int i;

	for (i = 0; i < tb->num_nodes; i++) {
		p->to = &tb->nodes[i];
		if (p->to != p->from)
			to_one(tb, p);
	}
}

static void host_send(void *ctx, const struct engine_addr *to, const struct tally_tch *tch,
		      const void *payload, size_t len, uint64_t delay)
{
	struct tb_node *n = ctx;
	struct testbed *tb = n->tb;
	struct tb_packet p = { .from = n, .to = by_addr(tb, to), .tch = *tch, .len = len };

	if (tch->kind == TALLY_KIND_TRIGGER)
		n->trigger_delay = delay;
	assert_true(len <= sizeof(p.payload));
	if (len)
		memcpy(p.payload, payload, len);
	if (tb->net.hook && !tb->net.hook(tb->net.hook_arg, &p))
		return;
	if (n->dead)
		return;
	if (to->gid[0] == 0xff)
		to_all(tb, &p);
	else if (p.to)
		to_one(tb, &p);
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
	/* Needs memory only for pages that are used, with sanitizers too. */
	n->mem = mmap(NULL, TB_MEM_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	assert_true(n->mem != MAP_FAILED);
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
		munmap(n->mem, TB_MEM_SIZE);
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

	n->mem_used += (len + 63) / 64 * 64 + 64; /* no two buffers have the same address */
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
