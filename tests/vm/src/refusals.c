/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work requests that are wrong in one field each. Each request is refused with the status of that
 * field, and its queue pair flushes the following requests. Nothing else is affected: another queue
 * pair of the same rank completes the message, and another group works meanwhile. A request that no
 * device can perform is refused when it is posted, and the device refuses it with the same status
 * if it finds it in the queue. Without another queue pair, the other ranks are told at once whose
 * request failed, and why. The same holds for a queue that is overrun.
 */
#include "tally.h" /* private header of the provider, to write invalid queue entries */

#include "check.h"
#include "work.h"

#define SOON_MS 5000
#define COUNT 8
#define SIZE sizeof(int32_t)

static struct cluster cluster;
static struct team team, other_team;
static struct port ports[MAX_NICS], other_ports[MAX_NICS];
static struct ibv_mr *read_only, *foreign; /* buffer of node 0; `foreign`: of another domain */
static uint32_t mid;

/* ---- Faults in a request of the API ---- */
static void flag_unknown(struct request *r) { r->w.coll.flags = 1U << 31; }
static void flag_not_offered(struct request *r) { r->w.coll.flags = TALLY_WQE_F_ORDERED; }
static void count_huge(struct request *r) { r->w.coll.count = 1ULL << 62; }
static void chunk_short(struct request *r) { r->w.coll.chunk_len = SIZE - 1; }
static void chunk_long(struct request *r) { r->w.coll.chunk_len = TALLY_MAX_MTU + 1; }
static void index_without_loc(struct request *r) { r->w.coll.loc_index = 1; }
static void length_of_data(struct request *r) { r->give[0].length--; }
static void length_of_result(struct request *r) { r->get[0].length++; }
static void key_unknown(struct request *r) { r->give[0].lkey ^= 0x100000; }
static void key_stale(struct request *r) { r->get[0].lkey ^= 1; }
static void key_foreign(struct request *r) { r->give[0].lkey = foreign->lkey; }
static void result_read_only(struct request *r) { r->get[0].lkey = read_only->lkey; }
static void before_region(struct request *r) { r->give[0].addr--; }
static void beyond_region(struct request *r) { r->get[0].addr += BUF_SIZE / 2 - COUNT * SIZE + 1; }
static void address_wraps(struct request *r) { r->get[0].addr = UINT64_MAX - 3; }
static void segment_first(struct request *r) { r->w.coll.seg_first = 4; }
static void segment_count(struct request *r) { r->w.coll.seg_count = 64; }
static void rank_foreign(struct request *r) { r->w.coll.rank_mask = 2; }
static void node_foreign(struct request *r) { r->w.coll.node_mask = 1ULL << 63; }
static void limit_short(struct request *r) { r->w.coll.timeout_ms = TALLY_MIN_TIMEOUT_MS - 1; }
static void root_of_allreduce(struct request *r) { r->w.coll.root_node = 1; }
static void mid_behind(struct request *r) { r->w.coll.mid--; }

static void count_too_long(struct request *r)
{
	r->w.coll.count = TALLY_MAX_MESSAGE / SIZE + 1;
}

static void values_of_sum(struct request *r)
{
	r->w.coll.flags = TALLY_WQE_F_LOC_VALUES;
}

static void index_too_high(struct request *r)
{
	r->w.coll.op = TALLY_OP_MINLOC;
	r->w.coll.flags = TALLY_WQE_F_LOC_VALUES;
	r->w.coll.loc_index = (1ULL << 31) - COUNT + 1;
}

static void flag_word_unasked(struct request *r)
{
	r->w.coll.flag_addr = (uintptr_t)cluster.nic[0].buf;
}

static void flag_word(struct request *r, uint64_t at, uint32_t lkey)
{
	r->w.coll.flags = TALLY_WQE_F_FLAG_WORD;
	r->w.coll.flag_addr = (uintptr_t)cluster.nic[0].buf + at;
	r->w.coll.flag_lkey = lkey;
}

static void flag_word_crooked(struct request *r) { flag_word(r, 2, cluster.nic[0].mr->lkey); }
static void flag_word_beyond(struct request *r) { flag_word(r, BUF_SIZE, cluster.nic[0].mr->lkey); }
static void flag_word_foreign(struct request *r) { flag_word(r, 0, foreign->lkey); }
static void flag_word_read_only(struct request *r) { flag_word(r, 0, read_only->lkey); }

static void empty_with_data(struct request *r) { r->w.coll.flags = TALLY_WQE_F_EMPTY; }

static void empty_average(struct request *r)
{
	r->w.coll.flags = TALLY_WQE_F_EMPTY;
	r->w.coll.op = TALLY_OP_AVG;
	r->w.wr.num_sge = r->w.coll.num_result = 0;
}

static void empty_root(struct request *r)
{
	r->w.coll.opcode = TALLY_OPCODE_REDUCE;
	r->w.coll.flags = TALLY_WQE_F_EMPTY;
	r->w.wr.num_sge = r->w.coll.num_result = 0;
}

static void two_data(struct request *r)
{
	r->give[1] = r->give[0];
	r->w.wr.num_sge = 2;
}

static void result_missing(struct request *r)
{
	r->w.coll.num_result = 0;
}

static void root_node(struct request *r)
{
	r->w.coll.opcode = TALLY_OPCODE_REDUCE;
	r->w.coll.root_node = cluster.count;
}

static void root_rank(struct request *r)
{
	r->w.coll.opcode = TALLY_OPCODE_REDUCE;
	r->w.coll.root_rank = 1;
}

static void barrier_with_count(struct request *r)
{
	r->w.coll.opcode = TALLY_OPCODE_BARRIER;
	r->w.coll.op = TALLY_OP_NONE;
	r->w.coll.dtype = TALLY_TYPE_NONE;
}

/* ---- Faults in an entry of the send queue ---- */
static void raw_job(struct tally_wqe *w) { w->jid = htole32(other_team.group[0]->jid); }
static void raw_index(struct tally_wqe *w) { w->index = htole32(le32toh(w->index) + 1); }
static void raw_reserved(struct tally_wqe *w) { w->rsvd1 = htole32(1); }
static void raw_mode(struct tally_wqe *w) { w->mode = 255; }
static void raw_reserved_tail(struct tally_wqe *w) { w->__rsvd_68[sizeof(w->__rsvd_68) - 1] = 1; }
static void raw_many_data(struct tally_wqe *w) { w->num_gather = 255; }
static void raw_inline_length(struct tally_wqe *w) { w->inline_len = htole32(UINT32_MAX); }

static void raw_no_ranks(struct tally_wqe *w)
{
	w->rank_mask = 0;
}

static void raw_inline(struct tally_wqe *w)
{
	w->flags |= htole32(TALLY_WQE_F_INLINE);
	w->inline_len = htole32(COUNT * SIZE - 1);
}

/*
 * A fault, its statuses, and its kind: in the request, in the entry, or in the operation that the
 * entry asks for.
 */
struct wrong {
	const char *name;
	enum tally_coll_status coll;
	enum ibv_wc_status wc;
	void (*spoil)(struct request *r);
	void (*spoil_raw)(struct tally_wqe *w);
	const struct impossible *impossible;
};

#define CASE(name, coll, wc) { #name, TALLY_COLL_##coll, IBV_WC_##wc, name, NULL, NULL }
#define RAW_CASE(name, coll, wc) { #name, TALLY_COLL_##coll, IBV_WC_##wc, NULL, name, NULL }

static const struct wrong wrongs[] = {
	CASE(flag_unknown, BAD_FLAGS, LOC_QP_OP_ERR),
	CASE(flag_not_offered, NOT_ORDERED, LOC_QP_OP_ERR),
	CASE(count_too_long, TOO_LONG, LOC_LEN_ERR),
	CASE(count_huge, TOO_LONG, LOC_LEN_ERR),
	CASE(chunk_short, BAD_CHUNK, LOC_LEN_ERR),
	CASE(chunk_long, BAD_CHUNK, LOC_LEN_ERR),
	CASE(index_without_loc, BAD_LOC, LOC_QP_OP_ERR),
	CASE(values_of_sum, BAD_LOC, LOC_QP_OP_ERR),
	CASE(index_too_high, BAD_LOC, LOC_QP_OP_ERR),
	CASE(barrier_with_count, BAD_COUNT, LOC_LEN_ERR),
	CASE(length_of_data, BAD_SGE_LENGTH, LOC_LEN_ERR),
	CASE(length_of_result, BAD_SGE_LENGTH, LOC_LEN_ERR),
	CASE(two_data, BAD_NUM_SGE, LOC_QP_OP_ERR),
	CASE(result_missing, BAD_NUM_SGE, LOC_QP_OP_ERR),
	CASE(key_unknown, BAD_LKEY, LOC_PROT_ERR),
	CASE(key_stale, BAD_LKEY, LOC_PROT_ERR),
	CASE(key_foreign, BAD_LKEY, LOC_PROT_ERR),
	CASE(result_read_only, MR_ACCESS, LOC_PROT_ERR),
	CASE(before_region, MR_RANGE, LOC_PROT_ERR),
	CASE(beyond_region, MR_RANGE, LOC_PROT_ERR),
	CASE(address_wraps, MR_RANGE, LOC_PROT_ERR),
	CASE(flag_word_unasked, BAD_FLAGS, LOC_QP_OP_ERR),
	CASE(flag_word_crooked, MR_RANGE, LOC_PROT_ERR),
	CASE(flag_word_beyond, MR_RANGE, LOC_PROT_ERR),
	CASE(flag_word_foreign, BAD_LKEY, LOC_PROT_ERR),
	CASE(flag_word_read_only, MR_ACCESS, LOC_PROT_ERR),
	CASE(empty_with_data, BAD_NUM_SGE, LOC_QP_OP_ERR),
	CASE(empty_average, BAD_FLAGS, LOC_QP_OP_ERR),
	CASE(empty_root, BAD_ROOT, LOC_QP_OP_ERR),
	CASE(segment_first, BAD_SEG, LOC_QP_OP_ERR),
	CASE(segment_count, BAD_SEG, LOC_QP_OP_ERR),
	CASE(rank_foreign, BAD_RANK_MASK, LOC_QP_OP_ERR),
	CASE(node_foreign, BAD_NODE_MASK, LOC_QP_OP_ERR),
	CASE(limit_short, BAD_TIMEOUT, LOC_QP_OP_ERR),
	CASE(root_of_allreduce, BAD_ROOT, LOC_QP_OP_ERR),
	CASE(root_node, BAD_ROOT, LOC_QP_OP_ERR),
	CASE(root_rank, BAD_ROOT, LOC_QP_OP_ERR),
	CASE(mid_behind, MID_BEHIND, LOC_QP_OP_ERR),
	RAW_CASE(raw_job, BAD_JID, LOC_QP_OP_ERR),
	RAW_CASE(raw_index, BAD_WQE_INDEX, LOC_QP_OP_ERR),
	RAW_CASE(raw_reserved, BAD_RESERVED, LOC_QP_OP_ERR),
	RAW_CASE(raw_mode, BAD_MODE, LOC_QP_OP_ERR),
	RAW_CASE(raw_reserved_tail, BAD_RESERVED, LOC_QP_OP_ERR),
	RAW_CASE(raw_no_ranks, BAD_RANK_MASK, LOC_QP_OP_ERR),
	RAW_CASE(raw_many_data, BAD_NUM_SGE, LOC_QP_OP_ERR),
	RAW_CASE(raw_inline_length, BAD_INLINE, LOC_LEN_ERR),
	RAW_CASE(raw_inline, BAD_INLINE, LOC_LEN_ERR),
};

/* Operations that this device cannot perform with any other fields. */
static const struct impossible {
	const char *name;
	uint8_t opcode, op, dtype;
	enum tally_coll_status coll;
	int err; /* errno of a post */
} impossibles[] = {
#define IMPOSSIBLE(name, opcode, op, dtype, coll, err) \
	{ name, opcode, op, dtype, TALLY_COLL_##coll, err }
	IMPOSSIBLE("unknown opcode", 99, TALLY_OP_SUM, TALLY_TYPE_INT32, BAD_OPCODE, EINVAL),
	IMPOSSIBLE("opcode of another mode", TALLY_OPCODE_ALLGATHER, TALLY_OP_NONE,
		   TALLY_TYPE_INT32, BAD_MODE, EOPNOTSUPP),
	IMPOSSIBLE("other opcode of another mode", TALLY_OPCODE_REDUCE_SCATTER, TALLY_OP_SUM,
		   TALLY_TYPE_INT32, BAD_MODE, EOPNOTSUPP),
	IMPOSSIBLE("unknown operation", TALLY_OPCODE_ALLREDUCE, 77, TALLY_TYPE_INT32, BAD_OP,
		   EINVAL),
	IMPOSSIBLE("no operation", TALLY_OPCODE_ALLREDUCE, TALLY_OP_NONE, TALLY_TYPE_INT32, BAD_OP,
		   EOPNOTSUPP),
	IMPOSSIBLE("operation of a broadcast", TALLY_OPCODE_BCAST, TALLY_OP_SUM, TALLY_TYPE_INT32,
		   BAD_OP, EOPNOTSUPP),
	IMPOSSIBLE("unknown type", TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, 0x5f, BAD_TYPE, EINVAL),
	IMPOSSIBLE("sum of bytes", TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_NONE, BAD_TYPE,
		   EOPNOTSUPP),
	IMPOSSIBLE("type of a barrier", TALLY_OPCODE_BARRIER, TALLY_OP_NONE, TALLY_TYPE_INT32,
		   BAD_TYPE, EOPNOTSUPP),
	IMPOSSIBLE("bits of a float", TALLY_OPCODE_ALLREDUCE, TALLY_OP_BAND, TALLY_TYPE_FP32,
		   BAD_PAIR, EOPNOTSUPP),
};

/* ---- One refusal ---- */
static void good_request(struct request *r, unsigned int node)
{
	request_allreduce(r, &cluster.nic[node], TALLY_OP_SUM, TALLY_TYPE_INT32, COUNT, SIZE, mid);
}

static void spoil_what(struct tally_wqe *w, const struct impossible *what)
{
	w->opcode = what->opcode;
	w->op = what->op;
	w->dtype = what->dtype;
}

static void post_wrong(struct port *port, const struct wrong *wrong)
{
	struct request r;
	int err;

	good_request(&r, 0);
	if (wrong->spoil)
		wrong->spoil(&r);
	ibv_wr_start(port->ex);
	port->ex->wr_id = r.w.wr.wr_id;
	port->ex->wr_flags = 0; /* a refusal completes even if the request is not signaled */
	tallydv_wr_coll(port->dv, &r.w.coll);
	ibv_wr_set_sge_list(port->ex, r.w.wr.num_sge, r.give);
	tallydv_wr_set_result(port->dv, r.w.coll.num_result, r.get);
	if (wrong->spoil_raw)
		wrong->spoil_raw(to_tqp(port->qp)->wqe);
	if (wrong->impossible)
		spoil_what(to_tqp(port->qp)->wqe, wrong->impossible);
	err = ibv_wr_complete(port->ex);
	REQUIRE(!err, "%s: error %d", wrong->name, err);
}

static void expect_status(const char *what, uint32_t qp_num, enum tally_coll_status coll,
			  enum ibv_wc_status wc)
{
	struct outcome out;

	REQUIRE(wait_outcome(&cluster.nic[0], &out, SOON_MS), "%s: no completion", what);
	REQUIRE(out.coll == coll && out.status == wc && out.qp_num == qp_num && out.wr_id == mid,
		"%s: %s (%s), queue pair %u, not %s", what, tallydv_coll_status_name(out.coll),
		ibv_wc_status_str(out.status), out.qp_num, tallydv_coll_status_name(coll));
}

static void expect_state(const char *what, struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	REQUIRE(!ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), "%s: querying the queue pair", what);
	REQUIRE(!init.sq_sig_all, "%s: not all requests are signalled", what);
	REQUIRE(attr.qp_state == state, "%s: queue pair in state %d, not %d", what, attr.qp_state,
		state);
}

/*
 * Node 0 posts a wrong request while the others wait, then the right one through another queue
 * pair.
 */
static void refuse(const struct wrong *wrong)
{
	struct outcome out;
	struct request r;
	struct port port;

	for (unsigned int node = 1; node < cluster.count; node++) {
		good_request(&r, node);
		post(&ports[node], &r);
	}
	port_open(&port, &cluster.nic[0], team.group[0], 0, 1);
	expect_state(wrong->name, port.qp, IBV_QPS_RTS);
	post_wrong(&port, wrong);
	good_request(&r, 0);
	post(&port, &r);
	expect_status(wrong->name, port.qp->qp_num, wrong->coll, wrong->wc);
	expect_state(wrong->name, port.qp, IBV_QPS_ERR);
	expect_status(wrong->name, port.qp->qp_num, TALLY_COLL_FLUSHED, IBV_WC_WR_FLUSH_ERR);
	expect_barrier(other_ports, &other_team, mid);
	REQUIRE(!try_outcome(&cluster.nic[1], &out), "%s: node 1 is not waiting", wrong->name);
	post(&ports[0], &r);
	for (unsigned int node = 0; node < cluster.count; node++)
		expect_success(&cluster.nic[node], wrong->name);
	port_close(&port);
	mid++;
}

static void expect_no_post(const struct impossible *what, int err)
{
	enum tally_coll_status coll = tallydv_qp_last_refusal(ports[0].qp);

	REQUIRE(err == what->err && coll == what->coll, "%s: error %d, %s, not %d, %s", what->name,
		err, tallydv_coll_status_name(coll), what->err, tallydv_coll_status_name(what->coll));
}

/* Both ways to post refuse the request, and the device refuses it if it is in the queue. */
static void refuse_impossible(const struct impossible *what)
{
	const struct wrong raw = {
		what->name, what->coll, IBV_WC_LOC_QP_OP_ERR, NULL, NULL, what,
	};
	struct ibv_send_wr *bad = NULL;
	struct request r;

	good_request(&r, 0);
	r.w.coll.opcode = what->opcode;
	r.w.coll.op = what->op;
	r.w.coll.dtype = what->dtype;
	expect_no_post(what, ibv_post_send(ports[0].qp, &r.w.wr, &bad));
	REQUIRE(bad == &r.w.wr, "%s: another request is blamed", what->name);
	ibv_wr_start(ports[0].ex);
	tallydv_wr_coll(ports[0].dv, &r.w.coll);
	ibv_wr_set_sge_list(ports[0].ex, r.w.wr.num_sge, r.give);
	tallydv_wr_set_result(ports[0].dv, r.w.coll.num_result, r.get);
	expect_no_post(what, ibv_wr_complete(ports[0].ex));
	expect_state(what->name, ports[0].qp, IBV_QPS_RTS);
	refuse(&raw);
}

/* All other ranks are told about node 0, long before their time limit. */
static void expect_others_told(enum tally_coll_status coll)
{
	struct outcome out;

	for (unsigned int node = 1; node < cluster.count; node++) {
		REQUIRE(wait_outcome(&cluster.nic[node], &out, SOON_MS), "node %u waits", node);
		REQUIRE(out.coll == coll && out.status == IBV_WC_REM_ABORT_ERR && !out.detector &&
			out.ranks == 1, "node %u: %s (%s), detector %u, ranks %#lx", node,
			tallydv_coll_status_name(out.coll), ibv_wc_status_str(out.status),
			out.detector, out.ranks);
	}
}

static void refuse_last(void)
{
	struct request r;

	for (unsigned int node = 1; node < cluster.count; node++) {
		good_request(&r, node);
		post(&ports[node], &r);
	}
	good_request(&r, 0);
	key_unknown(&r);
	post(&ports[0], &r);
	expect_status("alone", ports[0].qp->qp_num, TALLY_COLL_BAD_LKEY, IBV_WC_LOC_PROT_ERR);
	expect_others_told(TALLY_COLL_BAD_LKEY);
	expect_barrier(other_ports, &other_team, mid);
}

/* The doorbell counts a request that was never posted, so the queue cannot be trusted. */
static void overrun(void)
{
	struct tally_doorbell *doorbell = &to_tqp(other_ports[0].qp)->doorbell;
	struct request r;

	for (unsigned int node = 1; node < cluster.count; node++) {
		request_barrier(&r, mid + 1);
		post(&other_ports[node], &r);
	}
	*doorbell->counter = htole64(le64toh(*doorbell->counter) + TALLY_MAX_SQ_DEPTH);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (*doorbell->need_wake)
		*doorbell->wake = doorbell->wake_value;
	expect_others_told(TALLY_COLL_SQ_OVERRUN);
	expect_state("overrun", other_ports[0].qp, IBV_QPS_ERR);
}

int main(void)
{
	struct team_spec spec = { .jid = random_jid() }, other_spec = { .jid = random_jid() };
	struct ibv_pd *other_pd;
	struct nic *nic;

	cluster_open(&cluster);
	nic = &cluster.nic[0];
	team_create(&team, &cluster, &spec, ALL_NODES);
	team_create(&other_team, &cluster, &other_spec, ALL_NODES);
	ports_open(ports, &team, 0);
	ports_open(other_ports, &other_team, 0);
	other_pd = ibv_alloc_pd(nic->context);
	REQUIRE(other_pd, "protection domain");
	foreign = ibv_reg_mr(other_pd, nic->buf, BUF_SIZE, IBV_ACCESS_LOCAL_WRITE);
	read_only = ibv_reg_mr(nic->pd, nic->buf, BUF_SIZE, 0);
	REQUIRE(foreign && read_only, "memory regions");

	expect_barrier(ports, &team, mid);
	expect_barrier(other_ports, &other_team, mid++);
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++)
		refuse(&wrongs[i]);
	for (size_t i = 0; i < sizeof(impossibles) / sizeof(impossibles[0]); i++)
		refuse_impossible(&impossibles[i]);
	refuse_last();
	overrun();

	ibv_dereg_mr(read_only);
	ibv_dereg_mr(foreign);
	ibv_dealloc_pd(other_pd);
	ports_close(ports, &team);
	ports_close(other_ports, &other_team);
	team_destroy(&team);
	team_destroy(&other_team);
	cluster_close(&cluster);
	return 0;
}
