/* SPDX-License-Identifier: BSD-2-Clause */
/* The victim: a group over all NICs except the last one. It checks every byte of its memory. */
#include "isolation.h"

#define COUNT 3000
#define BYTES (COUNT * sizeof(uint32_t))
#define LIMIT_MS 60000 /* virtual time */
#define PATIENCE_MS 60000
#define LIMIT_SECONDS 300
#define PAGE 4096
#define MAKE_EACH 4 /* messages for each set of objects */

static struct cluster cluster;
static struct team team;
static struct port ports[MAX_NICS];
static uint8_t *shadow[MAX_NICS]; /* expected contents of the buffers */
static uint64_t *secret;
static uint32_t mid;

static uint32_t value(unsigned int node, unsigned int i)
{
	return mid * 1000003 + node * 10007 + i;
}

static uint32_t total(unsigned int i)
{
	uint32_t sum = 0;

	for (unsigned int node = 0; node < cluster.count; node++)
		sum += value(node, i);
	return sum;
}

/*
 * Fills the buffer with data at the beginning and the mark elsewhere. The expected contents have
 * the result in the middle.
 */
static void fill(unsigned int node)
{
	uint32_t *data = (uint32_t *)shadow[node];

	for (unsigned int i = 0; i < BUF_SIZE / sizeof(MARK); i++)
		((uint64_t *)data)[i] = MARK;
	for (unsigned int i = 0; i < COUNT; i++)
		data[i] = value(node, i);
	memcpy(cluster.nic[node].buf, data, BUF_SIZE);
	for (unsigned int i = 0; i < COUNT; i++)
		data[BUF_SIZE / 2 / sizeof(*data) + i] = total(i);
}

static void check(unsigned int node)
{
	for (unsigned int i = 0; i < BUF_SIZE; i++)
		REQUIRE(cluster.nic[node].buf[i] == shadow[node][i],
			"message %u at node %u: byte %u is %#x, not %#x", mid, node, i,
			cluster.nic[node].buf[i], shadow[node][i]);
	for (unsigned int i = 0; i < PAGE / sizeof(MARK); i++)
		REQUIRE(secret[i] == MARK, "the protected page, word %u: %#lx", i, secret[i]);
}

static uint32_t wait_success(unsigned int node)
{
	struct outcome out;

	REQUIRE(wait_outcome(&cluster.nic[node], &out, PATIENCE_MS),
		"message %u at node %u: no completion", mid, node);
	REQUIRE(out.status == IBV_WC_SUCCESS && out.mid == mid && out.bytes == BYTES,
		"message %u at node %u: completion of %u, %u bytes, %s", mid, node, out.mid,
		out.bytes, tallydv_coll_status_str(out.coll));
	return out.elapsed_ns;
}

/*
 * Runs a message over all nodes. Returns the shortest time, that of the rank which posted last: it
 * includes no waiting for other ranks.
 */
static uint32_t work(void)
{
	uint32_t least = UINT32_MAX;
	struct request r;

	for (unsigned int node = 0; node < cluster.count; node++)
		fill(node);
	for (unsigned int node = 0; node < cluster.count; node++) {
		request_allreduce(&r, &cluster.nic[node], TALLY_OP_SUM, TALLY_TYPE_UINT32, COUNT,
				  sizeof(uint32_t), mid);
		post(&ports[node], &r);
	}
	for (unsigned int node = 0; node < cluster.count; node++) {
		uint32_t elapsed = wait_success(node);

		if (elapsed < least)
			least = elapsed;
	}
	for (unsigned int node = 0; node < cluster.count; node++)
		check(node);
	mid++;
	return least;
}

/* Creates one object of each kind, and sends a message with them. */
static void make_objects(void)
{
	struct ibv_context *context = cluster.nic[0].context;
	struct cluster more;
	struct lone lone;

	more.nic[0] = cluster.nic[0];
	more.nic[0].pd = ibv_alloc_pd(context);
	REQUIRE(more.nic[0].pd, "protection domain");
	more.nic[0].mr = ibv_reg_mr(more.nic[0].pd, secret, PAGE, 0);
	REQUIRE(more.nic[0].mr, "memory region");
	more.nic[0].cq = ibv_create_cq_ex(context, &(struct ibv_cq_init_attr_ex){ .cqe = 16 });
	REQUIRE(more.nic[0].cq, "completion queue");
	lone_open(&lone, &more.nic[0]);
	more.count = 1;
	expect_barrier(&lone.port,
		       &(struct team){ .cluster = &more, .group = { lone.group } }, 0);
	lone_close(&lone);
	REQUIRE(!ibv_destroy_cq(ibv_cq_ex_to_cq(more.nic[0].cq)), "completion queue");
	REQUIRE(!ibv_dereg_mr(more.nic[0].mr), "memory region");
	REQUIRE(!ibv_dealloc_pd(more.nic[0].pd), "protection domain");
	add(&stage->made, 1);
}

static void publish(struct ibv_mr *secret_mr)
{
	for (unsigned int node = 0; node < cluster.count; node++) {
		stage->victim.addr[node] = (uintptr_t)cluster.nic[node].buf;
		stage->victim.lkey[node] = cluster.nic[node].mr->lkey;
	}
	stage->victim.secret_addr = (uintptr_t)secret;
	stage->victim.secret_lkey = secret_mr->lkey;
	stage->victim.nodes = cluster.count;
	meet(stage->ready);
}

static void record(unsigned int attack, uint32_t elapsed)
{
	if (attack != look(&stage->attack))
		return;
	if (elapsed > stage->of[attack].worst_ns)
		stage->of[attack].worst_ns = elapsed;
	add(&stage->of[attack].ops, 1);
}

static struct ibv_mr *prepare(void)
{
	struct team_spec spec = { .jid = random_jid(), .segs = 8, .timeout_ms = LIMIT_MS };
	struct ibv_mr *mr;

	REQUIRE(cluster.count > 2, "%u NICs", cluster.count);
	cluster.count--;
	spec.join_key = (uint64_t)random_jid() << 32 | random_jid();
	stage->victim.jid = spec.jid;
	stage->victim.join_key = spec.join_key;
	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	for (unsigned int node = 0; node < cluster.count; node++)
		REQUIRE(shadow[node] = malloc(BUF_SIZE), "shadow");
	secret = aligned_alloc(PAGE, PAGE);
	REQUIRE(secret, "secret");
	for (unsigned int i = 0; i < PAGE / sizeof(MARK); i++)
		secret[i] = MARK;
	mr = ibv_reg_mr(cluster.nic[0].pd, secret, PAGE, 0);
	REQUIRE(mr, "secret");
	return mr;
}

void victim(void *arg)
{
	struct ibv_mr *secret_mr;

	(void)arg;
	limit_time(LIMIT_SECONDS);
	cluster_open(&cluster);
	secret_mr = prepare();
	publish(secret_mr);
	while (!look(&stage->over)) {
		unsigned int attack = look(&stage->attack);

		record(attack, work());
		if (mid % MAKE_EACH == 0)
			make_objects();
	}
	ports_close(ports, &team);
	team_destroy(&team);
	REQUIRE(!ibv_dereg_mr(secret_mr), "secret");
	cluster.count++;
	cluster_close(&cluster);
}
