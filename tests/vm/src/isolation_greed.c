/* SPDX-License-Identifier: BSD-2-Clause */
/* Attacks that ask for more than their share of objects, or of the NIC's time. */
#include "isolation.h"

#define MANY 5000
#define PAGE 4096UL
#define SETS 3 /* sets that the victim must be able to create meanwhile */
#define LONG_SEGS 256
#define LONG_COUNT (1 << 17)
#define LONG_BYTES (LONG_COUNT * sizeof(int32_t))
#define LONGS 4
#define LIMIT_SECONDS 240

static struct cluster cluster;

/* A kind of object to exhaust. */
struct thing {
	const char *name;
	void *(*make)(struct nic *nic);
	int (*unmake)(void *it); /* NULL: not possible at once, or not alone */
};

static void refused(const struct thing *thing, unsigned int had)
{
	REQUIRE(errno == EDQUOT, "%s: took %u, then error %d", thing->name, had, errno);
	add(&stage->refused, 1);
}

/*
 * Creates objects until the quota, not the device, refuses one. After one is given back, one more
 * can be created.
 */
static void take(const struct thing *thing, struct nic *nic)
{
	void *it = NULL, *last = NULL;
	unsigned int n = 0;

	while (n < MANY && (it = thing->make(nic))) {
		last = it;
		n++;
	}
	REQUIRE(n && n < MANY, "%s: took %u", thing->name, n);
	refused(thing, n);
	if (!thing->unmake)
		return;
	REQUIRE(!thing->unmake(last), "%s: giving one back", thing->name);
	REQUIRE(thing->make(nic), "%s: taking one that was given back", thing->name);
	REQUIRE(!thing->make(nic), "%s: more than the quota", thing->name);
	refused(thing, n);
}

static void *make_pd(struct nic *nic)
{
	return ibv_alloc_pd(nic->context);
}

static int unmake_pd(void *it)
{
	return ibv_dealloc_pd(it);
}

/*
 * Each region has a page of its own, because a debug kernel reports pages that are mapped many
 * times.
 */
static void *make_mr(struct nic *nic)
{
	static uint8_t *page;

	if (!page)
		page = aligned_alloc(PAGE, MANY * PAGE);
	REQUIRE(page, "memory");
	page += PAGE;
	return ibv_reg_mr(nic->pd, page - PAGE, PAGE, 0);
}

static int unmake_mr(void *it)
{
	return ibv_dereg_mr(it);
}

static void *make_cq(struct nic *nic)
{
	return ibv_create_cq(nic->context, 1, NULL, NULL, 0);
}

static int unmake_cq(void *it)
{
	return ibv_destroy_cq(it);
}

static void *make_seg(struct nic *nic)
{
	return tallydv_alloc_seg(nic->context, 1);
}

static int unmake_seg(void *it)
{
	return tallydv_free_seg(it);
}

static struct tallydv_group *last_group;

static void *make_group(struct nic *nic)
{
	struct tallydv_group_attr attr = {
		.jid = random_jid(),
		.seg = tallydv_alloc_seg(nic->context, 1),
		.mode = TALLY_MODE_TREE,
		.num_nodes = 1,
		.rank_mask = 1,
		.owner_ranks = 1,
		.total_ranks = 1,
		.timeout_ms = 1000,
		.rto_us = 1,
	};
	struct tallydv_group *group;

	REQUIRE(attr.seg, "segments");
	group = tallydv_create_group(nic->context, &attr, NULL, 0);
	if (group)
		last_group = group;
	return group;
}

static void *make_qp(struct nic *nic)
{
	static uint16_t port;
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = nic->pd,
		.send_cq = ibv_cq_ex_to_cq(nic->cq),
		.cap = { .max_send_wr = 1 },
	};
	struct tallydv_qp_init_attr dv = { .group = last_group, .port = ++port };

	return tallydv_create_qp(nic->context, &attr, &dv, NULL, 0);
}

static int unmake_qp(void *it)
{
	return ibv_destroy_qp(it);
}

/* A context with a page of doorbells. */
static void *make_context(struct nic *nic)
{
	struct ibv_context *context = ibv_open_device(nic->context->device);

	return context ? ibv_create_cq(context, 1, NULL, NULL, 0) : NULL;
}

static const struct thing things[] = {
	{ "groups", make_group, NULL },
	{ "segments", make_seg, unmake_seg },
	{ "protection domains", make_pd, unmake_pd },
	{ "memory regions", make_mr, unmake_mr },
	{ "queue pairs", make_qp, unmake_qp },
	{ "completion queues", make_cq, unmake_cq },
};

static const struct thing contexts = { "contexts with a doorbell page", make_context, NULL };

/*
 * Keeps the objects until the victim has created its sets. The process then ends with all objects
 * open.
 */
static void keep(void)
{
	unsigned int made = look(&stage->made);

	while (look(&stage->made) < made + SETS || under_way())
		usleep(1000);
}

void everything_taken(void)
{
	limit_time(LIMIT_SECONDS);
	cluster_open(&cluster);
	for (unsigned int i = 0; i < sizeof(things) / sizeof(things[0]); i++)
		take(&things[i], &cluster.nic[0]);
	keep();
}

void pages_taken(void)
{
	limit_time(LIMIT_SECONDS);
	cluster_open(&cluster);
	take(&contexts, &cluster.nic[0]);
	keep();
}

/* ---- Load ---- */
struct load {
	struct team team;
	struct port ports[MAX_NICS];
	struct ibv_mr *mr[MAX_NICS];
	uint8_t *buf[MAX_NICS];
	uint32_t mid;
};

static void load_open(struct load *load)
{
	struct team_spec spec = { .jid = random_jid(), .segs = LONG_SEGS, .timeout_ms = 60000 };

	team_create(&load->team, &cluster, &spec, ALL_NODES);
	ports_open(load->ports, &load->team, 0);
	for (unsigned int node = 0; node < cluster.count; node++) {
		REQUIRE(load->buf[node] = calloc(2, LONG_BYTES), "buffer");
		load->mr[node] = ibv_reg_mr(cluster.nic[node].pd, load->buf[node], 2 * LONG_BYTES,
					    IBV_ACCESS_LOCAL_WRITE);
		REQUIRE(load->mr[node], "memory region");
	}
}

/* Posts several messages at all nodes without waiting for them. */
static void load_post(struct load *load)
{
	struct request r;

	for (unsigned int i = 0; i < LONGS; i++, load->mid++)
		for (unsigned int node = 0; node < cluster.count; node++) {
			request_allreduce(&r, &cluster.nic[node], TALLY_OP_SUM, TALLY_TYPE_INT32,
					  LONG_COUNT, sizeof(int32_t), load->mid);
			r.give[0].addr = (uintptr_t)load->buf[node];
			r.get[0].addr = r.give[0].addr + LONG_BYTES;
			r.give[0].lkey = r.get[0].lkey = load->mr[node]->lkey;
			post(&load->ports[node], &r);
		}
}

void heavy_load(void)
{
	struct load loads[2] = {};
	struct outcome out;

	limit_time(LIMIT_SECONDS);
	cluster_open(&cluster);
	for (unsigned int i = 0; i < 2; i++)
		load_open(&loads[i]);
	do {
		for (unsigned int i = 0; i < 2; i++)
			load_post(&loads[i]);
		for (unsigned int node = 0; node < cluster.count; node++)
			for (unsigned int i = 0; i < 2 * LONGS; i++)
				REQUIRE(wait_outcome(&cluster.nic[node], &out, 120000) &&
						out.status == IBV_WC_SUCCESS,
					"node %u: %s", node, tallydv_coll_status_str(out.coll));
	} while (under_way());
	/* The process ends with all objects open. */
}
