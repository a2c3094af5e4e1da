// SPDX-License-Identifier: BSD-2-Clause
#include "hosts/test/chain.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/params.h"
#include "hosts/tree.h"
#include "wire/roce.h"
#include "wire/roce_layout.h"

#define PD	1
#define IOVA	0x10000

struct chain_setup chain_setup;

static void on_error(void *arg, struct host *h, const char *what)
{
	(void)arg;
	(void)h;
	fail_msg("%s", what);
}

static void answered(void *arg, const struct tally_admin_cqe *cqe)
{
	(void)arg;
	assert_non_null(cqe);
	if (cqe->status)
		fail_msg("refused: status %u, field at %u", le16toh(cqe->status),
			 le16toh(cqe->bad_offset));
}

static void group_event(void *arg, enum tally_eqe_type type, uint64_t data)
{
	(void)arg;
	if (!chain_setup.may_end)
		fail_msg("event %d of a group, data %ju", type, (uintmax_t)data);
}

static void no_event(void *arg)
{
	(void)arg;
}

/* Returns the member at whose end @port is; a packet is recorded when its first bit leaves. */
static unsigned int member_at(const struct chain *c, const struct fab_port *port)
{
	for (unsigned int i = 0; i < CHAIN; i++)
		if (c->member[i].host->cfg.port == port || c->member[i].host->cfg.port2 == port)
			return i;
	fail_msg("a port of nobody");
	return 0;
}

static bool note(void *arg, struct fab_transit *p)
{
	struct tally_tch tch;
	struct chain *c = arg;

	memcpy(&tch, p->f->data + ETH_HEADER_BYTES + IP6_BYTES + UDP_BYTES + BTH_BYTES,
	       sizeof(tch));
	assert_true(c->num_sent < CHAIN_SENT);
	c->sent[c->num_sent++] = (struct chain_packet){
		.from = member_at(c, p->port), .kind = tch.kind, .first_bit = sim_now(c->sim),
		.arrival = p->at,
	};
	return true;
}

static void build_hosts(struct chain *c)
{
	static const char *const names[CHAIN] = { "root", "middle", "leaf" };
	struct fab_link_params params = FAB_LINK_DEFAULTS;
	struct host_cfg cfg = {
		.link_mbps = 100000, .timing = nic_timing_default, .memory = 1 << 20,
		.irq_ns = 500, .on_error = on_error, .units = chain_setup.units,
	};

	for (unsigned int i = 0; i < 2; i++) {
		c->link[i] = fab_link_new(c->sim, &params, names[i], names[i + 1]);
		assert_non_null(c->link[i]);
		for (unsigned int end = 0; end < 2; end++)
			fab_port_set_pass(fab_link_port(c->link[i], end), note, c);
	}
	for (unsigned int i = 0; i < CHAIN; i++) {
		memcpy(cfg.mac, (uint8_t[]){ 2, 0, 0, 0, 0, i + 1 }, 6);
		cfg.name = names[i];
		cfg.seed = i;
		cfg.port = fab_link_port(c->link[i ? i - 1 : 0], i ? 1 : 0);
		cfg.port2 = i == MIDDLE ? fab_link_port(c->link[1], 0) : NULL;
		c->member[i].host = host_new(c->sim, &cfg);
		assert_non_null(c->member[i].host);
		host_start(c->member[i].host, answered, NULL);
	}
}

static void plan(struct chain *c, struct tree *t)
{
	tree_plan(t, CHAIN, 1);
	for (unsigned int i = 0; i < CHAIN; i++) {
		t->node[i].host = c->member[i].host;
		t->node[i].ranks = 1;
	}
	tree_count_ranks(t);
}

static void build_objects(struct chain *c, const struct tree *t, unsigned int i, bool push)
{
	static const struct tree_group group = {
		.jid = CHAIN_JID, .epoch = 5, .num_segs = 16, .timeout_ms = 1000, .retry_limit = 7,
		.rto_us = 1000, .mtu = 4096,
	};
	const struct host_mr_cfg mr = { .pd = PD, .access = TALLY_ACCESS_LOCAL_WRITE,
					.iova = IOVA, .length = CHAIN_MR };
	struct host_qp_cfg qp = { .pd = PD, .ranks = 1, .depth = 64, .stride = 256, .push = push };
	struct chain_member *m = &c->member[i];
	const struct host_group_hook hook = { group_event, m };
	struct tree_config config;
	size_t bytes = tree_config(t, &group, i, &config);

	assert_int_equal(host_group_create(m->host, &m->group, &config, bytes, &hook, answered, m),
			 0);
	assert_int_equal(host_cq_create(m->host, &m->cq, 64, no_event, NULL, answered, m), 0);
	assert_int_equal(host_mr_register(m->host, &m->mr, &mr, answered, m), 0);
	qp.group = m->group;
	assert_int_equal(host_qp_create(m->host, &m->qp, &m->cq, &qp, answered, m), 0);
}

void chain_build(struct chain *c, bool push, struct sim_trace *trace)
{
	static struct tree t;

	memset(c, 0, sizeof(*c));
	c->sim = sim_new(1);
	assert_non_null(c->sim);
	sim_set_trace(c->sim, trace);
	build_hosts(c);
	plan(c, &t);
	for (unsigned int i = 0; i < CHAIN; i++)
		build_objects(c, &t, i, push);
	chain_run(c);
}

void chain_free(struct chain *c)
{
	for (unsigned int i = 0; i < CHAIN; i++) {
		struct chain_member *m = &c->member[i];

		host_qp_forget(&m->qp);
		host_cq_forget(&m->cq);
		host_mr_forget(&m->mr);
		host_free(m->host);
	}
	for (unsigned int i = 0; i < 2; i++)
		fab_link_free(c->link[i]);
	sim_free(c->sim);
}

void chain_post(struct chain *c, unsigned int i, uint32_t mid, uint32_t count)
{
	struct chain_member *m = &c->member[i];
	uint32_t data[CHAIN_MR / 4];
	struct host_wr wr = {
		.w = {
			.opcode = TALLY_OPCODE_ALLREDUCE,
			.op = TALLY_OP_SUM,
			.dtype = TALLY_TYPE_INT32,
			.flags = htole32(TALLY_WQE_F_SIGNALED | TALLY_WQE_F_INLINE),
			.count = htole64(count),
			.jid = htole32(CHAIN_JID),
			.mid = htole32(mid),
			.rank_mask = htole64(1),
		},
		.num_result = 1,
		.result = { { .addr = htole64(IOVA), .length = htole32(4 * count),
			      .lkey = htole32(m->mr.lkey) } },
		.data = data,
		.data_len = 4 * count,
		.id = mid,
	};

	assert_true(4 * count <= sizeof(data));
	for (uint32_t k = 0; k < count; k++)
		data[k] = htole32(i + 1);
	host_post(&m->qp, &wr);
}

void chain_run(struct chain *c)
{
	sim_run_until(c->sim, sim_now(c->sim) + 500 * VT_US);
}

const struct chain_packet *chain_packet(const struct chain *c, unsigned int since,
					unsigned int from, enum tally_kind kind)
{
	const struct chain_packet *found = NULL;

	for (unsigned int k = since; k < c->num_sent; k++) {
		if (c->sent[k].from != from || c->sent[k].kind != kind)
			continue;
		assert_null(found);
		found = &c->sent[k];
	}
	assert_non_null(found);
	return found;
}
