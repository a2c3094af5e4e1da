/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Triggered descriptors through the library. An allreduce of REDUCE_MP and BCAST_MP runs at every
 * node of the tree, for every operation on every type. PUT_MP runs up and down every edge and
 * between all peers. Children may be several rounds ahead.
 */
#include <unistd.h>

#include "check.h"
#include "oracle.h"
#include "work.h"

#define SEED 8
#define UP 0     /* counter of contributions */
#define DOWN 1   /* counter of results */
#define ASIDE 2  /* counter of puts */
#define GIVE 0   /* offsets in a NIC's buffer */
#define GET 8192
#define AT_ONCE 4 /* number of rounds */
#define ROUND_BYTES (2 * GET)
#define PATIENCE_MS 30000

static const uint32_t sizes[] = { 1, 40, 48, 56, 64, 256, 264, 1000, 4096 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct round {
	struct arith a;
	uint32_t mid;
	uint32_t count;
	uint32_t bytes;
	uint8_t want[TALLY_MAX_MTU];
};

static struct cluster cluster;
static struct team team;
static struct port ports[MAX_NICS];
static struct tallydv_tree_pos pos[MAX_NICS];
static uint32_t mid;

static uint8_t *at(unsigned int node, const struct round *r, unsigned int offset)
{
	return cluster.nic[node].buf + r->mid % AT_ONCE * ROUND_BYTES + offset;
}

static struct ibv_sge sge(unsigned int node, const struct round *r, unsigned int offset)
{
	return (struct ibv_sge){ (uintptr_t)at(node, r, offset), r->bytes,
				 cluster.nic[node].mr->lkey };
}

/* ---- An allreduce of descriptors ---- */
static void fill(struct round *r)
{
	for (unsigned int node = 0; node < cluster.count; node++) {
		uint8_t *data = at(node, r, GIVE);

		if (oracle_is_loc(r->a.op))
			oracle_fill_pairs(&r->a, node, r->count, data);
		else
			oracle_fill_values(&r->a, node, r->count, data);
		memset(at(node, r, GET), 0xa5, ROUND_BYTES - GET);
		if (node)
			oracle_fold(&r->a, r->count, r->want, data);
		else
			memcpy(r->want, data, r->bytes);
	}
}

static void plan(struct round *r, uint8_t op, uint8_t dtype)
{
	unsigned int size = oracle_elem_size(op, dtype);

	r->a = (struct arith){ op, dtype, cluster.count };
	r->mid = mid++;
	r->count = (sizes[lrand48() % COUNT(sizes)] + size - 1) / size;
	r->bytes = r->count * size;
	fill(r);
}

static void begin_request(struct port *p, const struct round *r)
{
	ibv_wr_start(p->ex);
	p->ex->wr_id = r->mid;
	p->ex->wr_flags = IBV_SEND_SIGNALED;
}

static void end_request(struct port *p, const struct round *r)
{
	int err = ibv_wr_complete(p->ex);

	REQUIRE(!err, "round %u: error %d", r->mid, err);
}

static void give_own(unsigned int node, const struct round *r)
{
	struct ibv_sge own = sge(node, r, GIVE);

	if (r->bytes <= TALLY_MAX_INLINE && r->mid % 2)
		ibv_wr_set_inline_data(ports[node].ex, at(node, r, GIVE), r->bytes);
	else
		ibv_wr_set_sge_list(ports[node].ex, 1, &own);
}

static void post_up(unsigned int node, const struct round *r)
{
	uint32_t flags = TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP;
	struct tallydv_trigger t = { .counter = UP, .cpcnt = pos[node].num_children };

	if (pos[node].num_children)
		flags |= TALLY_WQE_F_SWP_FLAG | TALLY_WQE_F_RFLAG;
	flags |= node ? TALLY_WQE_F_TO_PARENT : TALLY_WQE_F_TO_SELF;
	t.dest_counter = node ? UP : DOWN;
	t.branch = node ? pos[pos[node].parent].num_children : 1;
	begin_request(&ports[node], r);
	tallydv_wr_reduce_mp(ports[node].dv, r->a.op, r->a.dtype, r->count, r->mid, flags, 0, &t);
	give_own(node, r);
	end_request(&ports[node], r);
}

static void post_down(unsigned int node, const struct round *r)
{
	struct tallydv_trigger t = { .counter = DOWN, .cpcnt = 1, .dest_counter = DOWN };
	uint64_t children = (1U << pos[node].num_children) - 1;
	struct ibv_sge result = sge(node, r, GET);
	uint32_t flags = TALLY_WQE_F_SWP_FLAG;

	if (children) {
		flags |= TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP;
		t.branch = 1;
	}
	begin_request(&ports[node], r);
	tallydv_wr_bcast_mp(ports[node].dv, r->a.op, r->a.dtype, r->count, r->mid, flags, children,
			    &t);
	tallydv_wr_set_result(ports[node].dv, 1, &result);
	end_request(&ports[node], r);
}

static void expect(unsigned int node, const struct round *r, uint8_t opcode, uint32_t bytes)
{
	struct outcome out;

	REQUIRE(wait_outcome(&cluster.nic[node], &out, PATIENCE_MS), "round %u, node %u: nothing",
		r->mid, node);
	REQUIRE(out.status == IBV_WC_SUCCESS && out.wr_id == r->mid && out.mid == r->mid &&
		out.opcode == opcode && out.bytes == bytes,
		"round %u, %s %s, node %u: %s of %u, %u bytes: %s", r->mid, tallydv_op_str(r->a.op),
		tallydv_type_str(r->a.dtype), node, tallydv_opcode_str(out.opcode), out.mid,
		out.bytes, tallydv_coll_status_str(out.coll));
}

static void check(unsigned int node, const struct round *r)
{
	const uint8_t *got = at(node, r, GET);

	REQUIRE(!memcmp(got, r->want, r->bytes) && got[r->bytes] == 0xa5 && got[-1] != 0xa5,
		"round %u: %s %s of %u bytes: wrong at node %u", r->mid, tallydv_op_str(r->a.op),
		tallydv_type_str(r->a.dtype), r->bytes, node);
}

/*
 * Runs the rounds node by node, the last node first, so that leaves are rounds ahead of the root.
 */
static void run_rounds(struct round *rounds, unsigned int num)
{
	for (unsigned int node = cluster.count; node-- > 0;) {
		for (unsigned int i = 0; i < num; i++) {
			post_up(node, &rounds[i]);
			post_down(node, &rounds[i]);
		}
	}
	for (unsigned int node = 0; node < cluster.count; node++) {
		for (unsigned int i = 0; i < num; i++) {
			expect(node, &rounds[i], TALLY_OPCODE_REDUCE_MP, 0);
			expect(node, &rounds[i], TALLY_OPCODE_BCAST_MP, rounds[i].bytes);
			check(node, &rounds[i]);
		}
	}
}

static void run_types(void)
{
	static const uint8_t types[] = {
		TALLY_TYPE_INT8, TALLY_TYPE_INT16, TALLY_TYPE_INT32, TALLY_TYPE_INT64,
		TALLY_TYPE_UINT8, TALLY_TYPE_UINT16, TALLY_TYPE_UINT32, TALLY_TYPE_UINT64,
		TALLY_TYPE_FP16, TALLY_TYPE_FP32, TALLY_TYPE_FP64, TALLY_TYPE_BF16,
	};
	static struct round rounds[AT_ONCE];
	unsigned int num = 0;

	for (unsigned int t = 0; t < COUNT(types); t++) {
		struct tallydv_type_attr attr = {};

		REQUIRE(!tallydv_query_type(cluster.nic[0].context, types[t], &attr), "type");
		for (unsigned int op = 0; op < TALLY_OP_AVG; op++) {
			if (!(attr.ops >> op & 1))
				continue;
			plan(&rounds[num++], op, types[t]);
			if (num == AT_ONCE) {
				run_rounds(rounds, num);
				num = 0;
			}
		}
	}
	run_rounds(rounds, num);
}

/* ---- PUT_MP ---- */
/*
 * `to` begins to wait before or after the put. It is the parent of `from`, or its contributor
 * `child`.
 */
static void put(unsigned int from, unsigned int to, int child, bool waits)
{
	struct tallydv_trigger t = { .dest_counter = ASIDE, .branch = 1 };
	struct tallydv_trigger wait = { .counter = ASIDE, .cpcnt = 1 };
	uint32_t flags = TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP;
	struct ibv_sge result;
	static struct round r;

	plan(&r, TALLY_OP_SUM, TALLY_TYPE_UINT8);
	memcpy(r.want, at(from, &r, GIVE), r.bytes);
	result = sge(to, &r, GET);
	for (int step = 0; step < 2; step++) {
		if ((step == 0) == waits) {
			begin_request(&ports[to], &r);
			tallydv_wr_bcast_mp(ports[to].dv, TALLY_OP_NONE, r.a.dtype, r.count, r.mid,
					    TALLY_WQE_F_SWP_FLAG, 0, &wait);
			tallydv_wr_set_result(ports[to].dv, 1, &result);
			end_request(&ports[to], &r);
			continue;
		}
		begin_request(&ports[from], &r);
		tallydv_wr_put_mp(ports[from].dv, TALLY_OP_NONE, r.a.dtype, r.count, r.mid,
				  flags | (child < 0 ? TALLY_WQE_F_TO_PARENT : 0),
				  child < 0 ? 0 : 1ULL << child, &t);
		give_own(from, &r);
		end_request(&ports[from], &r);
	}
	expect(from, &r, TALLY_OPCODE_PUT_MP, 0);
	expect(to, &r, TALLY_OPCODE_BCAST_MP, r.bytes);
	check(to, &r);
}

static void run_puts(void)
{
	for (unsigned int node = 1; node < cluster.count; node++) {
		for (int i = 0; i < 4; i++) {
			put(node, pos[node].parent, -1, i % 2);
			put(pos[node].parent, node, pos[node].index, i % 2);
		}
	}
	for (unsigned int from = 0; from < cluster.count; from++)
		for (unsigned int to = 0; to < cluster.count; to++)
			if (to != from)
				put(from, to, peer_index(from, pos[from].num_children, to), from < to);
}

int main(void)
{
	struct team_spec spec = { .jid = random_jid(), .cells = 16, .mesh = true };

	srand48(SEED);
	cluster_open(&cluster);
	for (unsigned int node = 0; node < cluster.count; node++)
		REQUIRE(!tallydv_plan_tree(cluster.count, TREE_DEGREE, node, &pos[node]), "node %u",
			node);
	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	run_types();
	run_puts();
	ports_close(ports, &team);
	team_destroy(&team);
	cluster_close(&cluster);
	printf("%u rounds\n", mid);
	return 0;
}
