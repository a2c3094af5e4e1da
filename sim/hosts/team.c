// SPDX-License-Identifier: BSD-2-Clause
#include "hosts/team.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SQ_DEPTH	64
#define BIG_PAGE_SHIFT	21
#define SETUP_LIMIT	VT_S
#define IN_IOVA		0x100000000000ull
#define OUT_IOVA	0x200000000000ull

static void complain(struct team *t, const char *what, int number)
{
	if (!t->trouble[0])
		snprintf(t->trouble, sizeof(t->trouble), "%s: %d", what, number);
}

static void trouble(void *arg, struct host *h, const char *what)
{
	(void)h;
	complain(arg, what, 0);
}

static void answered(void *arg, const struct tally_admin_cqe *cqe)
{
	struct team *t = arg;

	t->pending--;
	if (cqe && cqe->status)
		complain(t, "a command was refused, status", le16toh(cqe->status));
}

static void outcome(void *arg, struct host_qp *qp, uint64_t id, const struct tally_cqe *cqe)
{
	struct team_rank *r = arg;

	(void)qp;
	(void)id;
	r->outstanding--;
	r->last = *cqe;
	r->completed = le64toh(cqe->timestamp) * VT_NS;
	if (!cqe->coll_status)
		return;
	r->errors++;
	complain(r->team, "a request ended with status", le16toh(cqe->coll_status));
}

static void poll(void *arg)
{
	struct team_rank *r = arg;
	struct tally_cqe cqe;

	while (host_cq_poll(&r->cq, &cqe))
		if (!host_qp_complete(&r->qp, &cqe, outcome, r))
			complain(r->team, "a completion of no request, QP", r->qp.qpn);
	host_cq_arm(&r->cq);
}

static void group_event(void *arg, enum tally_eqe_type type, uint64_t data)
{
	if (type == TALLY_EQE_GROUP_DEAD)
		complain(arg, "the group died, status", (int)data);
}

/* ---- Making ---- */

static int wait_for_answers(struct team *t)
{
	vtime_t limit = sim_now(t->sim) + SETUP_LIMIT;

	while (t->pending && !t->trouble[0] && sim_now(t->sim) < limit)
		sim_run_until(t->sim, sim_now(t->sim) + VT_US);
	if (t->pending)
		complain(t, "answers that did not come", (int)t->pending);
	return t->trouble[0] ? -1 : 0;
}

static int build_fleet(struct team *t)
{
	struct fleet_cfg fc = FLEET_DEFAULTS;
	uint64_t own = t->cfg.window ? t->cfg.window : t->cfg.buffer;
	int err;

	fc.hosts = t->cfg.nodes;
	fc.timing = t->cfg.timing;
	fc.memory = (8ull << 20) + 4 * t->cfg.ranks * own;
	fc.trouble = trouble;
	fc.trouble_arg = t;
	err = fleet_build(&t->fleet, t->sim, &fc);
	for (unsigned int i = 0; !err && i < t->cfg.nodes; i++) {
		t->pending += HOST_NUM_EQ;
		host_start(t->fleet.host[i], answered, t);
	}
	return err;
}

static int create_mr(struct team *t, struct host *h, struct host_mr *mr, uint32_t access)
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

static int create_rank(struct team *t, uint32_t k)
{
	struct team_rank *r = &t->rank[k];
	struct host_qp_cfg cfg = { .depth = SQ_DEPTH, .stride = 512, .port = k };
	struct host *h;
	int err;

	r->team = t;
	tree_rank(&t->tree, k, &r->node, &r->local);
	h = t->fleet.host[r->node];
	cfg.group = t->number[r->node];
	cfg.ranks = 1ull << r->local;
	t->pending += 2;
	err = host_cq_create(h, &r->cq, 2 * SQ_DEPTH, poll, r, answered, t);
	if (!err)
		err = create_mr(t, h, &r->in, 0);
	if (!err)
		err = create_mr(t, h, &r->out, TALLY_ACCESS_LOCAL_WRITE);
	return err ? err : host_qp_create(h, &r->qp, &r->cq, &cfg, answered, t);
}

static int create_groups(struct team *t)
{
	struct host_group_hook hook = { group_event, t };
	int err = 0;

	for (unsigned int i = 0; i < t->cfg.nodes && !err; i++) {
		struct tree_image image;
		size_t len = tree_image(&t->tree, &t->group, i, 0, &image);

		t->pending++;
		err = host_group_create(t->fleet.host[i], &t->number[i], &image, len, &hook,
					answered, t);
	}
	return err;
}

static void plan(struct team *t)
{
	tree_plan(&t->tree, t->cfg.nodes, t->cfg.degree);
	for (unsigned int i = 0; i < t->cfg.nodes; i++) {
		t->tree.node[i].host = t->fleet.host[i];
		t->tree.node[i].ranks = (1ull << t->cfg.ranks) - 1;
	}
	tree_count_ranks(&t->tree);
	t->group = (struct tree_group){
		.jid = 1,
		.epoch = 1,
		.flags = t->cfg.flags,
		.num_segs = t->cfg.num_segs,
		.timeout_ms = t->cfg.timeout_ms,
		.retry_limit = 12,
		.rto_us = t->cfg.rto_us,
		.mtu = t->cfg.mtu,
	};
}

int team_build(struct team *t, const struct team_cfg *cfg)
{
	int err;

	*t = (struct team){ .cfg = *cfg };
	t->sim = sim_new(cfg->seed);
	err = t->sim ? build_fleet(t) : -ENOMEM;
	if (!err) {
		plan(t);
		err = create_groups(t);
	}
	for (uint32_t k = 0; k < t->tree.total_ranks && !err; k++)
		err = create_rank(t, k);
	if (err)
		complain(t, strerror(-err), err);
	if (err || wait_for_answers(t))
		return -1;
	for (uint32_t k = 0; k < t->tree.total_ranks; k++)
		host_cq_arm(&t->rank[k].cq);
	return 0;
}

void team_free(struct team *t)
{
	for (uint32_t k = 0; k < t->tree.total_ranks; k++) {
		host_qp_forget(&t->rank[k].qp);
		host_cq_forget(&t->rank[k].cq);
		host_mr_forget(&t->rank[k].in);
		host_mr_forget(&t->rank[k].out);
	}
	if (t->sim)
		fleet_free(&t->fleet);
	sim_free(t->sim);
}

/* ---- Using ---- */

static void entry(struct tally_sge *sge, unsigned int *n, const struct host_mr *mr,
		  uint64_t offset, uint64_t len)
{
	sge[(*n)++] = (struct tally_sge){ .addr = htole64(mr->iova + offset),
					  .length = htole32((uint32_t)len),
					  .lkey = htole32(mr->lkey) };
}

void team_post(struct team *t, uint32_t rank, const struct message *m, uint32_t mid,
	       uint64_t offset)
{
	struct team_rank *r = &t->rank[rank];
	struct host_wr wr;

	wr.num_gather = wr.num_result = wr.data_len = 0;
	wr.id = mid;
	wr.w = message_wqe(m, t->group.jid, mid);
	wr.w.flags = htole32(TALLY_WQE_F_SIGNALED);
	wr.w.rank_mask = htole64(1ull << r->local);
	if (message_gives(m, rank))
		entry(wr.gather, &wr.num_gather, &r->in, offset, message_give_bytes(m));
	if (message_gets(m, rank))
		entry(wr.result, &wr.num_result, &r->out, offset, message_get_bytes(m));
	r->outstanding++;
	host_post(&r->qp, &wr);
	host_qp_ring(&r->qp);
}

static bool busy(const struct team *t)
{
	for (uint32_t k = 0; k < t->tree.total_ranks; k++)
		if (t->rank[k].outstanding)
			return true;
	return false;
}

bool team_finish(struct team *t, vtime_t limit)
{
	vtime_t end = sim_now(t->sim) + limit;

	while (busy(t) && !t->trouble[0] && sim_now(t->sim) < end)
		sim_run_until(t->sim, sim_now(t->sim) + VT_US);
	if (busy(t))
		complain(t, "requests did not end in time", 0);
	return !t->trouble[0];
}
