/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ALLREDUCE over all NICs, for each type, operation, size and kind of data transfer, with both ways
 * of posting and polling in turn. Results are compared with arithmetic of the host.
 */
#include <inttypes.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

#define GUARD 0xa5
#define ROOM 8192 /* bytes for the data, and for the result, in a NIC's buffer */

static const struct type {
	const char *name;
	enum tally_type code;
	unsigned int size;
	bool fp;
} types[] = {
	{ "int32", TALLY_TYPE_INT32, 4, false },
	{ "int64", TALLY_TYPE_INT64, 8, false },
	{ "fp32", TALLY_TYPE_FP32, 4, true },
	{ "fp64", TALLY_TYPE_FP64, 8, true },
};

static const struct {
	enum tally_op code;
	bool fp; /* also defined for floating point */
} ops[] = {
	{ TALLY_OP_SUM, true },   { TALLY_OP_MIN, true },  { TALLY_OP_MAX, true },
	{ TALLY_OP_BAND, false }, { TALLY_OP_BOR, false }, { TALLY_OP_BXOR, false },
};

static const unsigned int sizes[] = { 0, 8, 56, 256, 264, 1024, 4088, 4096 };
enum way { WAY_INLINE, WAY_GATHER, WAY_IN_PLACE, WAYS };

struct run {
	struct cluster cluster;
	struct team team;
	struct port ports[MAX_NICS];
	const struct type *type;
	enum tally_op op;
	enum way way;
	unsigned int bytes;
	uint32_t mid; /* also selects the offsets and the API */
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Oracle ---- */
static int64_t load_int(const struct type *t, const uint8_t *at)
{
	int32_t narrow;
	int64_t wide;

	memcpy(&narrow, at, sizeof(narrow));
	memcpy(&wide, at, t->size == 8 ? sizeof(wide) : 0);
	return t->size == 8 ? wide : narrow;
}

static double load_fp(const struct type *t, const uint8_t *at)
{
	double wide;
	float narrow;

	memcpy(&narrow, at, sizeof(narrow));
	memcpy(&wide, at, t->size == 8 ? sizeof(wide) : 0);
	return t->size == 8 ? wide : narrow;
}

static void store(const struct type *t, uint8_t *at, int64_t i, double d)
{
	float narrow = d;
	int32_t low = i;

	if (t->fp)
		memcpy(at, t->size == 8 ? (void *)&d : (void *)&narrow, t->size);
	else
		memcpy(at, t->size == 8 ? (void *)&i : (void *)&low, t->size);
}

static int64_t fold_int(enum tally_op op, int64_t a, int64_t b)
{
	switch (op) {
	case TALLY_OP_SUM:
		return (uint64_t)a + (uint64_t)b;
	case TALLY_OP_MIN:
		return a < b ? a : b;
	case TALLY_OP_MAX:
		return a > b ? a : b;
	case TALLY_OP_BAND:
		return a & b;
	case TALLY_OP_BOR:
		return a | b;
	default:
		return a ^ b;
	}
}

/* The values are small multiples of a quarter, so every sum is exact in any order. */
static double fold_fp(enum tally_op op, double a, double b)
{
	if (op == TALLY_OP_SUM)
		return a + b;
	return (op == TALLY_OP_MIN) == (a < b) ? a : b;
}

/* ---- Places of the data ---- */
static uint8_t *source(const struct run *r, unsigned int node)
{
	return r->cluster.nic[node].buf + 3500 + r->mid % 13 + node;
}

static uint8_t *target(const struct run *r, unsigned int node)
{
	return r->way == WAY_IN_PLACE ? source(r, node) : source(r, node) + 2 * ROOM;
}

static int64_t random_int(void)
{
	return (uint64_t)mrand48() << 32 ^ (uint32_t)mrand48();
}

static void fill(const struct run *r, uint8_t given[][ROOM])
{
	for (unsigned int node = 0; node < r->cluster.count; node++) {
		memset(r->cluster.nic[node].buf, GUARD, 4 * ROOM);
		for (unsigned int at = 0; at < r->bytes; at += r->type->size)
			store(r->type, &given[node][at], random_int(),
			      (mrand48() % 4001) / 4.0);
		memcpy(source(r, node), given[node], r->bytes);
	}
}

static void expected(const struct run *r, uint8_t given[][ROOM], uint8_t *out)
{
	const struct type *t = r->type;

	for (unsigned int at = 0; at < r->bytes; at += t->size) {
		int64_t i = load_int(t, &given[0][at]);
		double d = load_fp(t, &given[0][at]);

		for (unsigned int node = 1; node < r->cluster.count; node++) {
			i = fold_int(r->op, i, load_int(t, &given[node][at]));
			d = t->fp ? fold_fp(r->op, d, load_fp(t, &given[node][at])) : 0;
		}
		store(t, out + at, i, d);
	}
}

/* ---- Posting and polling, each in two ways ---- */
static void post_classic(struct run *r, unsigned int node, struct request *q)
{
	if (r->way == WAY_INLINE)
		q->w.wr.send_flags |= IBV_SEND_INLINE;
	post(&r->ports[node], q);
}

static void post_extended(struct run *r, unsigned int node, struct request *q)
{
	struct port *p = &r->ports[node];
	int err;

	ibv_wr_start(p->ex);
	p->ex->wr_id = q->w.wr.wr_id;
	p->ex->wr_flags = IBV_SEND_SIGNALED;
	tallydv_wr_allreduce(p->dv, r->op, r->type->code, r->bytes / r->type->size, r->mid);
	if (r->way == WAY_INLINE)
		ibv_wr_set_inline_data(p->ex, source(r, node), r->bytes);
	else
		ibv_wr_set_sge_list(p->ex, q->w.wr.num_sge, q->give);
	tallydv_wr_set_result(p->dv, q->w.coll.num_result, q->get);
	err = ibv_wr_complete(p->ex);
	REQUIRE(!err, "node %u: error %d", node, err);
}

static void post_node(struct run *r, unsigned int node)
{
	struct request q;

	request_allreduce(&q, &r->cluster.nic[node], r->op, r->type->code,
			  r->bytes / r->type->size, r->type->size, r->mid);
	q.give[0].addr = (uintptr_t)source(r, node);
	q.get[0].addr = (uintptr_t)target(r, node);
	if (!r->bytes)
		q.w.wr.num_sge = q.w.coll.num_result = 0;
	if (r->mid & 1)
		post_classic(r, node, &q);
	else
		post_extended(r, node, &q);
}

static void poll_classic(struct nic *nic, struct outcome *out)
{
	struct ibv_wc wc;
	int n;

	while ((n = ibv_poll_cq(ibv_cq_ex_to_cq(nic->cq), 1, &wc)) == 0)
		usleep(100);
	REQUIRE(n == 1 && wc.opcode == IBV_WC_DRIVER1, "poll: %d, opcode %d", n, wc.opcode);
	*out = (struct outcome){
		.wr_id = wc.wr_id,
		.status = wc.status,
		.coll = wc.vendor_err,
		.bytes = wc.byte_len,
	};
}

static void poll_extended(const struct run *r, struct nic *nic, struct outcome *out)
{
	while (!try_outcome(nic, out))
		usleep(100);
	REQUIRE(out->mid == r->mid && out->jid == r->team.group[0]->jid &&
		out->opcode == TALLY_OPCODE_ALLREDUCE, "mid %u, jid %#x, opcode %u", out->mid,
		out->jid, out->opcode);
}

static void poll_node(struct run *r, unsigned int node)
{
	struct nic *nic = &r->cluster.nic[node];
	struct outcome out;

	if (r->mid & 2)
		poll_classic(nic, &out);
	else
		poll_extended(r, nic, &out);
	REQUIRE(out.status == IBV_WC_SUCCESS && out.wr_id == r->mid && out.bytes == r->bytes,
		"%s %s of %u bytes, way %u, node %u: %s; wr_id %" PRIu64 " of %u, %u bytes",
		r->type->name, tallydv_op_str(r->op), r->bytes, r->way, node,
		tallydv_coll_status_str(out.coll), out.wr_id, r->mid, out.bytes);
}

/* ---- One message ---- */
static void check_node(const struct run *r, unsigned int node, const uint8_t *given,
		       const uint8_t *sum)
{
	const uint8_t *to = target(r, node), *from = source(r, node);
	const char *kept = r->way == WAY_IN_PLACE ? (const char *)sum : (const char *)given;

	REQUIRE(!memcmp(to, sum, r->bytes), "%s %s of %u bytes, way %u, node %u: wrong result",
		r->type->name, tallydv_op_str(r->op), r->bytes, r->way, node);
	REQUIRE(!memcmp(from, kept, r->bytes), "way %u, node %u: data were changed", r->way, node);
	REQUIRE(to[-1] == GUARD && to[r->bytes] == GUARD,
		"%u bytes, way %u, node %u: written beside the result", r->bytes, r->way, node);
}

static void run_one(struct run *r)
{
	static uint8_t given[MAX_NICS][ROOM], sum[ROOM];

	fill(r, given);
	expected(r, given, sum);
	for (unsigned int node = 0; node < r->cluster.count; node++)
		post_node(r, node);
	for (unsigned int node = 0; node < r->cluster.count; node++)
		poll_node(r, node);
	for (unsigned int node = 0; node < r->cluster.count; node++)
		check_node(r, node, given[node], sum);
	r->mid++;
}

static void run_sizes(struct run *r)
{
	for (unsigned int i = 0; i < COUNT(sizes); i++) {
		r->bytes = sizes[i];
		for (r->way = 0; r->way < WAYS; r->way++)
			if (r->way != WAY_INLINE || r->bytes <= QP_INLINE)
				run_one(r);
	}
}

int main(void)
{
	struct team_spec spec = { .jid = random_jid() };
	static struct run r;

	limit_time(60);
	cluster_open(&r.cluster);
	team_create(&r.team, &r.cluster, &spec, ALL_NODES);
	ports_open(r.ports, &r.team, 0);
	for (unsigned int t = 0; t < COUNT(types); t++) {
		for (unsigned int o = 0; o < COUNT(ops); o++) {
			if (types[t].fp && !ops[o].fp)
				continue;
			r.type = &types[t];
			r.op = ops[o].code;
			run_sizes(&r);
		}
	}
	ports_close(r.ports, &r.team);
	team_destroy(&r.team);
	cluster_close(&r.cluster);
	printf("%u messages over %u nodes\n", r.mid, r.cluster.count);
	return 0;
}
