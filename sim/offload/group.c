// SPDX-License-Identifier: BSD-2-Clause
#include "offload/group.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/group_config.h"
#include "offload/group_int.h"

#define SQ_DEPTH	64
_Static_assert(sizeof(((struct bench_group *)NULL)->trouble) == HOST_SET_WHY_BYTES,
	       "one is copied to the other");

#define BIG_PAGE_SHIFT	21
#define SETUP_LIMIT	VT_S
#define QUIET		(50 * VT_US)	/* longer than any wait except for a retransmission */
#define IN_IOVA		0x100000000000ull
#define OUT_IOVA	0x200000000000ull
#define MCAST_GID	{ 0xff, 0x15, [13] = 0x74, 0x61, 0x6c }	/* transient, site-local */

static void complain(struct bench_group *t, const char *what, int number)
{
	if (!t->trouble[0])
		snprintf(t->trouble, sizeof(t->trouble), "%.120s: %d", what, number);
}

static void on_error(void *arg, struct host *h, const char *what)
{
	(void)h;
	complain(arg, what, 0);
}

static void answered(void *arg, const struct tally_admin_cqe *cqe)
{
	struct bench_group *t = arg;

	t->pending--;
	if (cqe && cqe->status)
		complain(t, "a command was refused, status", le16toh(cqe->status));
}

static void outcome(void *arg, struct host_qp *qp, uint64_t id, const struct tally_cqe *cqe)
{
	struct bench_group_rank *r = arg;

	(void)qp;
	(void)id;
	r->outstanding--;
	r->last = *cqe;
	r->completed = r->group->cfg.units ? r->written : le64toh(cqe->timestamp) * VT_NS;
	if (!cqe->coll_status)
		return;
	r->errors++;
	complain(r->group, "a request ended with status", le16toh(cqe->coll_status));
}

/* Units of hardware write in a completion when it leaves, not when it arrives in memory. */
static void note_write(void *arg, const void *at, size_t len)
{
	struct bench_group *t = arg;

	if (len != sizeof(struct tally_cqe))
		return;
	for (uint32_t i = 0; i < t->total_ranks; i++)
		if (host_cq_holds(&t->rank[i].cq, at))
			t->rank[i].written = sim_now(t->sim);
}

/* No queue is armed: bench_group_finish() polls. */
static void poll(void *arg)
{
	struct bench_group_rank *r = arg;
	struct tally_cqe cqe;

	while (host_cq_poll(&r->cq, &cqe))
		if (!host_qp_complete(&r->qp, &cqe, outcome, r))
			complain(r->group, "a completion without an outstanding request, QP", r->qp.qpn);
}

static void group_event(void *arg, enum tally_eqe_type type, uint64_t data)
{
	if (type == TALLY_EQE_GROUP_DEAD)
		complain(arg, "the group died, status", (int)data);
}

/* ---- Setup ---- */

static int wait_for_answers(struct bench_group *t)
{
	vtime_t limit = sim_now(t->sim) + SETUP_LIMIT;

	while (t->pending && !t->trouble[0] && sim_now(t->sim) < limit)
		sim_run_until(t->sim, sim_now(t->sim) + VT_US);
	if (t->pending)
		complain(t, "missing answers", (int)t->pending);
	return t->trouble[0] ? -1 : 0;
}

/* Blocks are powers of two, and the alignment of each may waste its size again. */
static size_t host_memory(const struct bench_group_cfg *cfg)
{
	uint64_t own = cfg->window ? cfg->window : cfg->buffer;

	return (8ull << 20) + cfg->ranks * (4 * own + 4ull * SQ_DEPTH * cfg->stride);
}

static int build_host_set(struct bench_group *t)
{
	struct host_set_cfg fc = HOST_SET_DEFAULTS;
	int err;

	fc.topo = t->cfg.topo;
	fc.hosts = t->cfg.nodes;
	fc.order = t->cfg.order;
	fc.timing = t->cfg.timing;
	fc.units = t->cfg.units;
	fc.commits = t->cfg.commits;
	fc.memory = host_memory(&t->cfg);
	fc.on_error = on_error;
	fc.on_error_arg = t;
	if (t->cfg.trace)
		sim_set_trace(t->sim, t->cfg.trace);
	err = host_set_build(&t->host_set, t->sim, &fc);
	for (unsigned int i = 0; !err && i < t->cfg.nodes; i++) {
		if (t->cfg.units) {
			t->host_set.host[i]->cfg.on_write = note_write;
			t->host_set.host[i]->cfg.on_write_arg = t;
		}
		t->pending += HOST_NUM_EQ;
		host_start(t->host_set.host[i], answered, t);
	}
	return err;
}

static int create_mr(struct bench_group *t, struct host *h, struct host_mr *mr, uint32_t access)
{
	struct host_mr_cfg cfg = {
		.access = access,
		.iova = access ? OUT_IOVA : IN_IOVA,
		.length = t->cfg.buffer,
		.levels = t->cfg.window ? 1 : 0,
		.page_shift = BIG_PAGE_SHIFT,
		.window = t->cfg.window,
	};

	t->pending++;
	return host_mr_register(h, mr, &cfg, answered, t);
}

bool bench_group_posts(const struct bench_group *t, uint32_t rank)
{
	return !t->cfg.leader || !t->rank[rank].local;
}

static uint64_t all_ranks(const struct bench_group *t)
{
	return ~0ull >> (64 - t->cfg.ranks);
}

static int create_queues(struct bench_group *t, struct host *h, struct bench_group_rank *r)
{
	struct host_qp_cfg cfg = {
		.group = t->number[r->node],
		.ranks = t->cfg.leader ? all_ranks(t) : 1ull << r->local,
		.depth = SQ_DEPTH,
		.stride = t->cfg.stride,
		.port = r->local,
		.push = t->cfg.push,
	};
	int err;

	t->pending += 2;
	err = host_cq_create(h, &r->cq, 2 * SQ_DEPTH, poll, r, answered, t);
	return err ? err : host_qp_create(h, &r->qp, &r->cq, &cfg, answered, t);
}

static int create_rank(struct bench_group *t, uint32_t k)
{
	struct bench_group_rank *r = &t->rank[k];
	struct host *h;
	int err;

	r->group = t;
	r->node = t->plan.node[k / t->cfg.ranks];
	r->local = k % t->cfg.ranks;
	h = t->host_set.host[r->node];
	err = create_mr(t, h, &r->in, 0);
	if (!err)
		err = create_mr(t, h, &r->out, TALLY_ACCESS_LOCAL_WRITE);
	return !err && bench_group_posts(t, k) ? create_queues(t, h, r) : err;
}

static int join_multicast(struct bench_group *t, const uint8_t gid[16])
{
	unsigned int hosts[TOPO_MAX_HOSTS];

	if (!(t->plan.flags & TALLY_GROUP_F_MULTICAST))
		return 0;
	for (unsigned int i = 0; i < t->cfg.nodes; i++)
		hosts[i] = i;
	return host_set_join(&t->host_set, gid, hosts, t->cfg.nodes);
}

static int create_groups(struct bench_group *t)
{
	struct host_group_hook hook = { group_event, t };
	struct group_config_common g = {
		.jid = t->jid,
		.epoch = 1,
		.timeout_ms = t->cfg.timeout_ms,
		.retry_limit = 12,
		.rto_us = t->cfg.rto_us,
		.mcast_gid = MCAST_GID,
	};
	struct group_config_node *nodes = calloc(t->cfg.nodes, sizeof(*nodes));
	int err = nodes ? join_multicast(t, g.mcast_gid) : -ENOMEM;

	for (unsigned int i = 0; i < t->cfg.nodes && !err; i++)
		nodes[i] = group_config_node_of(t->host_set.host[i]);
	for (unsigned int place = 0; place < t->cfg.nodes && !err; place++) {
		unsigned int node = t->plan.node[place];
		struct group_config config;
		size_t len = group_config_make(&t->plan, place, &g, nodes, &config);

		t->pending++;
		err = host_group_create(t->host_set.host[node], &t->number[node], &config, len,
					&hook, answered, t);
	}
	free(nodes);
	return err;
}

static int create_ranks(struct bench_group *t)
{
	int err = 0;

	t->rank = calloc(t->total_ranks, sizeof(*t->rank));
	if (!t->rank)
		return -ENOMEM;
	for (uint32_t k = 0; k < t->total_ranks && !err; k++)
		err = create_rank(t, k);
	return err;
}

int bench_group_build(struct bench_group *t, const struct bench_group_cfg *cfg)
{
	int err;

	*t = (struct bench_group){ .cfg = *cfg, .jid = 1 };
	t->cfg.topo.hosts = cfg->nodes;
	if (topo_check(&t->cfg.topo, t->trouble, sizeof(t->trouble)))
		return -1;
	t->number = calloc(cfg->nodes, sizeof(*t->number));
	t->sim = t->number ? sim_new(cfg->seed) : NULL;
	err = t->sim ? build_host_set(t) : -ENOMEM;
	if (!err)
		err = bench_group_plan(t);
	if (!err)
		err = create_groups(t);
	if (!err)
		err = create_ranks(t);
	if (err && t->host_set.why[0])
		memcpy(t->trouble, t->host_set.why, sizeof(t->trouble));
	if (err)
		complain(t, strerror(-err), err);
	return err ? -1 : wait_for_answers(t);
}

void bench_group_free(struct bench_group *t)
{
	for (uint32_t k = 0; t->rank && k < t->total_ranks; k++) {
		host_qp_forget(&t->rank[k].qp);
		host_cq_forget(&t->rank[k].cq);
		host_mr_forget(&t->rank[k].in);
		host_mr_forget(&t->rank[k].out);
	}
	free(t->rank);
	free(t->number);
	if (t->sim)
		host_set_free(&t->host_set);
	sim_free(t->sim);
	plan_free(&t->plan);
}

/* ---- Use ---- */

static void entry(struct tally_sge *sge, const struct host_mr *mr, uint64_t offset, uint64_t len)
{
	*sge = (struct tally_sge){ .addr = htole64(mr->iova + offset),
				   .length = htole32((uint32_t)len),
				   .lkey = htole32(mr->lkey) };
}

/* Returns the number of ranks that a posting rank posts for. */
static unsigned int posted_for(const struct bench_group *t)
{
	return t->cfg.leader ? t->cfg.ranks : 1;
}

uint32_t bench_group_request_bytes(const struct bench_group *t, uint32_t rank,
				   const struct message *m, bool inlined)
{
	unsigned int give = 0, get = 0;

	for (unsigned int i = 0; i < posted_for(t); i++) {
		give += message_gives(m, rank + i);
		get += message_gets(m, rank + i);
	}
	if (inlined)
		return host_wqe_bytes(0, get, give * message_give_bytes(m));
	return host_wqe_bytes(give, get, 0);
}

static void fill_lists(struct bench_group *t, uint32_t rank, const struct message *m,
		       uint64_t offset, struct host_wr *wr)
{
	for (unsigned int i = 0; i < posted_for(t); i++) {
		const struct bench_group_rank *r = &t->rank[rank + i];

		if (message_gives(m, rank + i))
			entry(&wr->gather[wr->num_gather++], &r->in, offset,
			      message_give_bytes(m));
		if (message_gets(m, rank + i))
			entry(&wr->result[wr->num_result++], &r->out, offset,
			      message_get_bytes(m));
	}
}

void bench_group_post(struct bench_group *t, uint32_t rank, const struct message *m, uint32_t mid,
		      uint64_t offset, bool inlined)
{
	struct bench_group_rank *r = &t->rank[rank];
	uint32_t flags = TALLY_WQE_F_SIGNALED;
	uint8_t data[TALLY_MAX_INLINE];
	struct host_wr wr;

	wr.num_gather = wr.num_result = wr.data_len = 0;
	wr.id = mid;
	wr.w = message_wqe(m, t->jid, mid);
	wr.w.rank_mask = htole64(t->cfg.leader ? all_ranks(t) : 1ull << r->local);
	fill_lists(t, rank, m, offset, &wr);
	if (inlined && wr.num_gather) {
		wr.num_gather = 0;
		wr.data = data;
		wr.data_len = message_give_bytes(m);
		host_mr_read(&r->in, r->in.iova + offset, data, wr.data_len);
		flags |= TALLY_WQE_F_INLINE;
	}
	wr.w.flags = htole32(flags);
	r->outstanding++;
	host_post(&r->qp, &wr);
	host_qp_push(&r->qp);
}

static bool busy(struct bench_group *t)
{
	bool any = false;

	for (uint32_t k = 0; k < t->total_ranks; k++) {
		if (t->rank[k].outstanding)
			poll(&t->rank[k]);
		any |= t->rank[k].outstanding != 0;
	}
	return any;
}

bool bench_group_finish(struct bench_group *t, vtime_t limit)
{
	vtime_t end = sim_now(t->sim) + limit;
	bool waits;

	while ((waits = busy(t)) && !t->trouble[0] && sim_now(t->sim) < end) {
		sim_run_until(t->sim, sim_now(t->sim) + VT_US);
		if (t->cfg.tick)
			t->cfg.tick(t);
	}
	if (waits)
		complain(t, "requests did not end in time", 0);
	return !t->trouble[0];
}

void bench_group_settle(struct bench_group *t)
{
	uint64_t before;

	do {
		before = topo_totals(t->host_set.topo).frames;
		sim_run_until(t->sim, sim_now(t->sim) + QUIET);
	} while (topo_totals(t->host_set.topo).frames != before);
}
