// SPDX-License-Identifier: BSD-2-Clause
/*
 * Refused work requests, each with its status and without effect on others; requests behind, ahead
 * of and beside their turn; QUERY.
 */
#include "engine/test/test_job.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define LEN 16 /* bytes of the usual message: four int32 */

static uint64_t seed;

/* Node 0 is the root of nodes 1 and 2. Rank 1 of node 1 posts the requests that are refused. */
struct bench {
	struct testbed *tb;
	struct tb_group g, other;
	struct tb_qp *qp[3][2]; /* by node and rank */
	uint64_t buf;		/* in the memory of node 1 */
};

static struct bench *bench_new(void)
{
	const struct tb_group_cfg cfg = { .nodes = 3, .ranks = 2, .timeout_ms = 200 };
	struct tb_group_cfg other = cfg;
	struct bench *b = calloc(1, sizeof(*b));
	unsigned int i, r;

	assert_non_null(b);
	other.group = 1;
	b->tb = tb_new(3, seed);
	tb_group_plan(b->tb, &b->g, &cfg);
	tb_group_plan(b->tb, &b->other, &other);
	tb_group_create_all(&b->g);
	tb_group_create_all(&b->other);
	for (i = 0; i < 3; i++)
		for (r = 0; r < 2; r++)
			b->qp[i][r] = tb_qp_create(&b->g, i, 1ULL << r, 64, r);
	b->buf = tb_alloc(tb_group_node(&b->g, 1), 8 * 4096);
	tb_run_for(b->tb, VT_MS);
	return b;
}

static void bench_free(struct bench *b)
{
	tb_free(b->tb);
	free(b);
}

static struct tb_post allreduce(const struct bench *b, uint32_t mid, unsigned int rank)
{
	return tb_sum(&b->g, mid, 1ULL << rank, b->buf, b->buf + 4096 * (1 + rank), LEN / 4);
}

static struct tb_post barrier(const struct bench *b, uint32_t mid, unsigned int rank)
{
	return tb_request(&b->g, TALLY_OPCODE_BARRIER, mid, 1ULL << rank);
}

/* Check a barrier of all ranks of a group, each through its own queue pair. */
static void barrier_works(struct bench *b, struct tb_group *g, uint32_t mid,
			  struct tb_qp *qp[3][2])
{
	unsigned int i, r;

	for (i = 0; i < 3; i++)
		for (r = 0; r < 2; r++) {
			struct tb_post p = tb_request(g, TALLY_OPCODE_BARRIER, mid, 1ULL << r);

			tb_post_ring(tb_group_node(g, i), qp[i][r], &p);
		}
	tb_finish(b->tb, VT_MS);
	for (i = 0; i < 3; i++)
		for (r = 0; r < 2; r++)
			tb_assert_cqe(&qp[i][r]->wrs[qp[i][r]->posted - 1], TALLY_COLL_OK);
}

/* ---- Refusals ---- */

static struct bench *now; /* the bench whose requests are changed */

static void become(struct tb_post *p, uint8_t opcode)
{
	*p = tb_request(&now->g, opcode, 0, 1 << 1);
}

static void become_bcast(struct tb_post *p, unsigned int node, unsigned int rank)
{
	become(p, TALLY_OPCODE_BCAST);
	p->w.dtype = TALLY_TYPE_UINT8;
	p->w.count = htole64(LEN);
	p->w.root_node = htole16(node);
	p->w.root_rank = rank;
	if (node == 1 && rank == 1)
		tb_gather(p, now->buf, LEN);
	else
		tb_result(p, now->buf, LEN);
}

static void become_reduce(struct tb_post *p)
{
	p->w.opcode = TALLY_OPCODE_REDUCE;
	p->w.num_result = 0;
}

/* Turn a request into this rank's block of a GATHER to another rank. */
static void become_gather(struct tb_post *p)
{
	become(p, TALLY_OPCODE_GATHER);
	p->w.dtype = TALLY_TYPE_UINT8;
	p->w.count = htole64(LEN);
	tb_gather(p, now->buf, LEN);
}

static void become_flag_word(struct tb_post *p, uint64_t addr)
{
	p->w.flags |= htole32(TALLY_WQE_F_FLAG_WORD);
	p->w.flag_addr = htole64(addr);
	p->w.flag_lkey = htole32(TB_ANYWHERE);
}

/* Turn a request into a leaf's REDUCE_MP with its own data to the parent. */
static void become_trigger(struct tb_post *p)
{
	become(p, TALLY_OPCODE_REDUCE_MP);
	p->w.op = TALLY_OP_SUM;
	p->w.dtype = TALLY_TYPE_INT32;
	p->w.count = htole64(LEN / 4);
	p->w.branch = 2;
	p->w.flags |= htole32(TALLY_WQE_F_TO_PARENT | TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP);
	tb_gather(p, now->buf, LEN);
}

static void become_bcast_mp(struct tb_post *p)
{
	become(p, TALLY_OPCODE_BCAST_MP);
	p->w.dtype = TALLY_TYPE_INT32;
	p->w.count = htole64(LEN / 4);
	p->w.cpcnt = htole32(1);
	p->w.flags |= htole32(TALLY_WQE_F_SWP_FLAG);
	tb_result(p, now->buf, LEN);
}

#define SPOIL(name, ...)                                                                           \
	static void name(struct tb_post *p)                                                        \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
	}

SPOIL(opcode_0, p->w.opcode = 0)
SPOIL(opcode_allgather, p->w.opcode = TALLY_OPCODE_ALLGATHER)
SPOIL(opcode_reduce_scatter, p->w.opcode = TALLY_OPCODE_REDUCE_SCATTER)
SPOIL(opcode_255, p->w.opcode = 255)
SPOIL(op_none, p->w.op = TALLY_OP_NONE)
SPOIL(op_unknown, p->w.op = 200)
SPOIL(op_of_bcast, become_bcast(p, 0, 0); p->w.op = TALLY_OP_SUM)
SPOIL(op_of_barrier, become(p, TALLY_OPCODE_BARRIER); p->w.op = TALLY_OP_SUM)
SPOIL(type_unknown, p->w.dtype = 0x99)
SPOIL(type_none, p->w.dtype = TALLY_TYPE_NONE)
SPOIL(type_of_barrier, become(p, TALLY_OPCODE_BARRIER); p->w.dtype = TALLY_TYPE_INT32)
SPOIL(type_of_bcast, become_bcast(p, 0, 0); p->w.dtype = 0x14)
SPOIL(band_of_floats, p->w.dtype = TALLY_TYPE_FP32; p->w.op = TALLY_OP_BAND)
SPOIL(count_of_barrier, become(p, TALLY_OPCODE_BARRIER); p->w.count = htole64(1))
SPOIL(chunk_long, p->w.chunk_len = htole32(4100))
SPOIL(chunk_short, p->w.chunk_len = htole32(3))
SPOIL(chunk_of_trigger, become_trigger(p); p->w.chunk_len = htole32(1024))
SPOIL(too_long, p->w.count = htole64(TALLY_MAX_MESSAGE / 4 + 1))
SPOIL(too_long_for_blocks, become_gather(p); p->w.count = htole64(TALLY_MAX_MESSAGE / 6 + 1))
SPOIL(too_long_for_trigger, become_trigger(p); p->w.count = htole64(1025))
SPOIL(count_overflow, p->w.count = htole64((1ULL << 62) + 4))
SPOIL(flag_unknown, p->w.flags |= htole32(1u << 31))
SPOIL(flag_ordered, p->w.flags |= htole32(TALLY_WQE_F_ORDERED))
SPOIL(flag_word_key, p->w.flags |= htole32(TALLY_WQE_F_FLAG_WORD))
SPOIL(flag_word_odd, become_flag_word(p, now->buf + 2))
SPOIL(flag_word_beyond, become_flag_word(p, TB_MEM_SIZE))
SPOIL(flag_word_unasked, p->w.flag_value = htole32(1))
SPOIL(flag_word_of_query, become(p, TALLY_OPCODE_QUERY); become_flag_word(p, now->buf))
SPOIL(empty_average, p->w.op = TALLY_OP_AVG; p->w.flags |= htole32(TALLY_WQE_F_EMPTY))
SPOIL(empty_gather, become_gather(p); p->w.flags |= htole32(TALLY_WQE_F_EMPTY))
SPOIL(empty_root, become_bcast(p, 1, 1); p->w.flags |= htole32(TALLY_WQE_F_EMPTY))
SPOIL(empty_with_data, p->w.flags |= htole32(TALLY_WQE_F_EMPTY))
SPOIL(loc_values_of_sum, p->w.flags |= htole32(TALLY_WQE_F_LOC_VALUES))
SPOIL(loc_index_of_sum, p->w.loc_index = htole64(1))
SPOIL(loc_index_beyond, p->w.op = TALLY_OP_MINLOC; p->w.flags |= htole32(TALLY_WQE_F_LOC_VALUES);
      p->w.loc_index = htole64(0x80000000 - LEN / 4 + 1))
SPOIL(loc_index_wraps, p->w.op = TALLY_OP_MINLOC; p->w.flags |= htole32(TALLY_WQE_F_LOC_VALUES);
      p->w.loc_index = htole64(-(uint64_t)LEN / 4))
SPOIL(loc_index_wraps_to_1, p->w.op = TALLY_OP_MAXLOC; p->w.flags |= htole32(TALLY_WQE_F_LOC_VALUES);
      p->w.loc_index = htole64(1 - (uint64_t)LEN / 4))
SPOIL(loc_pairs_short, p->w.op = TALLY_OP_MINLOC)
SPOIL(type_of_minloc, p->w.op = TALLY_OP_MINLOC; p->w.dtype = TALLY_TYPE_NONE)
SPOIL(flag_of_trigger, p->w.flags |= htole32(TALLY_WQE_F_CP))
SPOIL(flag_of_barrier, become(p, TALLY_OPCODE_BARRIER); tb_inline(p, NULL, 0))
SPOIL(flag_rflag_alone, become_trigger(p); p->w.flags |= htole32(TALLY_WQE_F_RFLAG))
SPOIL(flag_neither_kept_nor_counted, become_trigger(p);
      p->w.flags &= ~htole32(TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP); p->w.count = 0; p->w.num_gather = 0)
SPOIL(flag_data_not_kept, become_trigger(p); p->w.flags &= ~htole32(TALLY_WQE_F_SWP_MP))
SPOIL(mode_unknown, p->w.mode = 77)
SPOIL(mode_of_no_message, p->w.mode = TALLY_MODE_SWITCH)
SPOIL(mode_of_other_groups, p->w.mode = TALLY_MODE_RING)
SPOIL(mode_of_a_trigger, become_trigger(p); p->w.mode = TALLY_MODE_TREE)
SPOIL(reserved_1, p->w.rsvd1 = htole32(1))
SPOIL(reserved_end, p->w.__rsvd_68[23] = 1)
SPOIL(wrong_index, p->w.index = htole32(1))
SPOIL(no_gather, p->w.num_gather = 0)
SPOIL(two_gathers, p->w.num_gather = 2)
SPOIL(many_gathers, p->w.num_gather = 255)
SPOIL(no_result, p->w.num_result = 0)
SPOIL(many_results, p->w.num_result = 255)
SPOIL(result_of_reduce, p->w.opcode = TALLY_OPCODE_REDUCE)
SPOIL(gather_of_bcast, become_bcast(p, 0, 0); tb_gather(p, now->buf, LEN))
SPOIL(two_results_of_trigger, become_bcast_mp(p); tb_result(p, now->buf, LEN))
SPOIL(short_gather, p->gather[0].length = LEN - 4)
SPOIL(long_result, p->result[0].length = LEN + 4)
SPOIL(inline_longer, tb_inline(p, "0123456789abcdefghij", 20); p->w.num_gather = 0)
SPOIL(inline_huge, tb_inline(p, NULL, 1u << 30); p->w.num_gather = 0)
SPOIL(inline_without_flag, p->w.inline_len = htole32(LEN))
SPOIL(inline_beyond_limit, tb_inline(p, NULL, TALLY_MAX_INLINE + 4); p->w.count = htole64(TALLY_MAX_INLINE / 4 + 1);
      p->w.num_gather = 0; p->result[0].length = 260)
SPOIL(inline_of_receiver, become_bcast(p, 0, 0); tb_inline(p, NULL, LEN))
SPOIL(key_unknown, p->gather[0].lkey = 0xdead)
SPOIL(key_unknown_result, p->result[0].lkey = 0xdead)
SPOIL(beyond_region, p->result[0].addr = TB_MEM_SIZE - LEN + 4)
SPOIL(wraps_around, p->gather[0].addr = ~0ULL - 7)
SPOIL(not_writable, p->result[0].lkey = tb_mr_add(&now->tb->nodes[1], 0, TB_MEM_SIZE, 0))
SPOIL(other_job, p->w.jid = now->other.cfg.jid)
SPOIL(some_segs, p->w.seg_first = htole16(1))
SPOIL(more_segs, p->w.seg_count = htole16(5))
SPOIL(segs_of_trigger, become_trigger(p); p->w.seg_count = htole16(1))
SPOIL(no_rank, p->w.rank_mask = 0)
SPOIL(not_my_rank, p->w.rank_mask = htole64(1))
SPOIL(no_such_rank, p->w.rank_mask = htole64(1ULL << 63))
SPOIL(no_such_contributor, p->w.node_mask = htole64(1))
SPOIL(none_and_all, p->w.flags |= htole32(TALLY_WQE_F_NO_CONTRIBUTORS))
SPOIL(root_of_allreduce, p->w.root_node = htole16(1))
SPOIL(root_beyond, become_reduce(p); p->w.root_node = htole16(3))
SPOIL(root_rank_beyond, become_reduce(p); p->w.root_rank = 64)
SPOIL(root_rank_missing, become_reduce(p); p->w.root_node = htole16(1); p->w.root_rank = 2)
SPOIL(counter_beyond, become_trigger(p); p->w.counter = TALLY_NUM_CP_COUNTERS)
SPOIL(dest_counter_beyond, become_trigger(p); p->w.dest_counter = TALLY_NUM_CP_COUNTERS)
SPOIL(cpcnt_beyond, become_trigger(p); p->w.cpcnt = htole32(TALLY_MAX_CPCNT + 1))
SPOIL(dest_beyond, become_trigger(p); p->w.node_mask = htole64(1))
SPOIL(dests_of_put, become_trigger(p); p->w.opcode = TALLY_OPCODE_PUT_MP;
      p->w.flags |= htole32(TALLY_WQE_F_TO_SELF))
SPOIL(dest_none_of_put, become_bcast_mp(p); p->w.opcode = TALLY_OPCODE_PUT_MP)
SPOIL(dest_none, become_trigger(p); p->w.flags &= ~htole32(TALLY_WQE_F_TO_PARENT))
SPOIL(branch_none, become_trigger(p); p->w.branch = 0)
SPOIL(pair_of_trigger, become_trigger(p); p->w.op = TALLY_OP_BXOR; p->w.dtype = TALLY_TYPE_FP64)
SPOIL(op_of_bcast_mp, become_bcast_mp(p); p->w.cpcnt = htole32(2))
SPOIL(limit_short, p->w.timeout_ms = htole32(TALLY_MIN_TIMEOUT_MS - 1))
SPOIL(limit_long, p->w.timeout_ms = htole32(TALLY_MAX_TIMEOUT_MS + 1))
SPOIL(query_other_job, become(p, TALLY_OPCODE_QUERY); p->w.jid = 0)
SPOIL(abort_no_rank, become(p, TALLY_OPCODE_ABORT); p->w.rank_mask = 0)

static const struct refusal {
	const char *name;
	void (*spoil)(struct tb_post *p);
	enum tally_coll_status status;
	enum tally_wc_status wc;
} refusals[] = {
#define CASE(spoil, status, wc) { #spoil, spoil, TALLY_COLL_##status, TALLY_WC_##wc }
	CASE(opcode_0, BAD_OPCODE, LOC_QP_OP_ERR),
	CASE(opcode_allgather, BAD_MODE, LOC_QP_OP_ERR),
	CASE(opcode_reduce_scatter, BAD_MODE, LOC_QP_OP_ERR),
	CASE(opcode_255, BAD_OPCODE, LOC_QP_OP_ERR),
	CASE(op_none, BAD_OP, LOC_QP_OP_ERR),
	CASE(op_unknown, BAD_OP, LOC_QP_OP_ERR),
	CASE(op_of_bcast, BAD_OP, LOC_QP_OP_ERR),
	CASE(op_of_barrier, BAD_OP, LOC_QP_OP_ERR),
	CASE(type_unknown, BAD_TYPE, LOC_QP_OP_ERR),
	CASE(type_none, BAD_TYPE, LOC_QP_OP_ERR),
	CASE(type_of_barrier, BAD_TYPE, LOC_QP_OP_ERR),
	CASE(type_of_bcast, BAD_TYPE, LOC_QP_OP_ERR),
	CASE(band_of_floats, BAD_PAIR, LOC_QP_OP_ERR),
	CASE(count_of_barrier, BAD_COUNT, LOC_LEN_ERR),
	CASE(chunk_long, BAD_CHUNK, LOC_LEN_ERR),
	CASE(chunk_short, BAD_CHUNK, LOC_LEN_ERR),
	CASE(chunk_of_trigger, BAD_CHUNK, LOC_LEN_ERR),
	CASE(too_long, TOO_LONG, LOC_LEN_ERR),
	CASE(too_long_for_blocks, TOO_LONG, LOC_LEN_ERR),
	CASE(too_long_for_trigger, TOO_LONG, LOC_LEN_ERR),
	CASE(count_overflow, TOO_LONG, LOC_LEN_ERR),
	CASE(flag_unknown, BAD_FLAGS, LOC_QP_OP_ERR),
	CASE(flag_ordered, NOT_ORDERED, LOC_QP_OP_ERR),
	CASE(flag_word_key, BAD_LKEY, LOC_PROT_ERR),
	CASE(flag_word_odd, MR_RANGE, LOC_PROT_ERR),
	CASE(flag_word_beyond, MR_RANGE, LOC_PROT_ERR),
	CASE(flag_word_unasked, BAD_FLAGS, LOC_QP_OP_ERR),
	CASE(flag_word_of_query, BAD_FLAGS, LOC_QP_OP_ERR),
	CASE(empty_average, BAD_FLAGS, LOC_QP_OP_ERR),
	CASE(empty_gather, BAD_FLAGS, LOC_QP_OP_ERR),
	CASE(empty_root, BAD_ROOT, LOC_QP_OP_ERR),
	CASE(empty_with_data, BAD_NUM_SGE, LOC_QP_OP_ERR),
	CASE(loc_values_of_sum, BAD_LOC, LOC_QP_OP_ERR),
	CASE(loc_index_of_sum, BAD_LOC, LOC_QP_OP_ERR),
	CASE(loc_index_beyond, BAD_LOC, LOC_QP_OP_ERR),
	CASE(loc_index_wraps, BAD_LOC, LOC_QP_OP_ERR),
	CASE(loc_index_wraps_to_1, BAD_LOC, LOC_QP_OP_ERR),
	CASE(loc_pairs_short, BAD_SGE_LENGTH, LOC_LEN_ERR),
	CASE(type_of_minloc, BAD_TYPE, LOC_QP_OP_ERR),
	CASE(flag_of_trigger, BAD_FLAGS, LOC_QP_OP_ERR),
	CASE(flag_of_barrier, BAD_FLAGS, LOC_QP_OP_ERR),
	CASE(flag_rflag_alone, BAD_FLAGS, LOC_QP_OP_ERR),
	CASE(flag_neither_kept_nor_counted, BAD_FLAGS, LOC_QP_OP_ERR),
	CASE(flag_data_not_kept, BAD_FLAGS, LOC_QP_OP_ERR),
	CASE(mode_unknown, BAD_MODE, LOC_QP_OP_ERR),
	CASE(mode_of_no_message, BAD_MODE, LOC_QP_OP_ERR),
	CASE(mode_of_other_groups, BAD_MODE, LOC_QP_OP_ERR),
	CASE(mode_of_a_trigger, BAD_RESERVED, LOC_QP_OP_ERR),
	CASE(reserved_1, BAD_RESERVED, LOC_QP_OP_ERR),
	CASE(reserved_end, BAD_RESERVED, LOC_QP_OP_ERR),
	CASE(wrong_index, BAD_WQE_INDEX, LOC_QP_OP_ERR),
	CASE(no_gather, BAD_NUM_SGE, LOC_QP_OP_ERR),
	CASE(two_gathers, BAD_NUM_SGE, LOC_QP_OP_ERR),
	CASE(many_gathers, BAD_NUM_SGE, LOC_QP_OP_ERR),
	CASE(no_result, BAD_NUM_SGE, LOC_QP_OP_ERR),
	CASE(many_results, BAD_NUM_SGE, LOC_QP_OP_ERR),
	CASE(result_of_reduce, BAD_NUM_SGE, LOC_QP_OP_ERR),
	CASE(gather_of_bcast, BAD_NUM_SGE, LOC_QP_OP_ERR),
	CASE(two_results_of_trigger, BAD_NUM_SGE, LOC_QP_OP_ERR),
	CASE(short_gather, BAD_SGE_LENGTH, LOC_LEN_ERR),
	CASE(long_result, BAD_SGE_LENGTH, LOC_LEN_ERR),
	CASE(inline_longer, BAD_INLINE, LOC_LEN_ERR),
	CASE(inline_huge, BAD_INLINE, LOC_LEN_ERR),
	CASE(inline_without_flag, BAD_INLINE, LOC_LEN_ERR),
	CASE(inline_beyond_limit, BAD_INLINE, LOC_LEN_ERR),
	CASE(inline_of_receiver, BAD_INLINE, LOC_LEN_ERR),
	CASE(key_unknown, BAD_LKEY, LOC_PROT_ERR),
	CASE(key_unknown_result, BAD_LKEY, LOC_PROT_ERR),
	CASE(beyond_region, MR_RANGE, LOC_PROT_ERR),
	CASE(wraps_around, MR_RANGE, LOC_PROT_ERR),
	CASE(not_writable, MR_ACCESS, LOC_PROT_ERR),
	CASE(other_job, BAD_JID, LOC_QP_OP_ERR),
	CASE(some_segs, BAD_SEG, LOC_QP_OP_ERR),
	CASE(more_segs, BAD_SEG, LOC_QP_OP_ERR),
	CASE(segs_of_trigger, BAD_SEG, LOC_QP_OP_ERR),
	CASE(no_rank, BAD_RANK_MASK, LOC_QP_OP_ERR),
	CASE(not_my_rank, BAD_RANK_MASK, LOC_QP_OP_ERR),
	CASE(no_such_rank, BAD_RANK_MASK, LOC_QP_OP_ERR),
	CASE(no_such_contributor, BAD_NODE_MASK, LOC_QP_OP_ERR),
	CASE(none_and_all, BAD_NODE_MASK, LOC_QP_OP_ERR),
	CASE(root_of_allreduce, BAD_ROOT, LOC_QP_OP_ERR),
	CASE(root_beyond, BAD_ROOT, LOC_QP_OP_ERR),
	CASE(root_rank_beyond, BAD_ROOT, LOC_QP_OP_ERR),
	CASE(root_rank_missing, BAD_ROOT, LOC_QP_OP_ERR),
	CASE(counter_beyond, BAD_COUNTER, LOC_QP_OP_ERR),
	CASE(dest_counter_beyond, BAD_COUNTER, LOC_QP_OP_ERR),
	CASE(cpcnt_beyond, BAD_CPCNT, LOC_QP_OP_ERR),
	CASE(dest_beyond, BAD_DEST, LOC_QP_OP_ERR),
	CASE(dests_of_put, BAD_DEST, LOC_QP_OP_ERR),
	CASE(dest_none_of_put, BAD_DEST, LOC_QP_OP_ERR),
	CASE(dest_none, BAD_DEST, LOC_QP_OP_ERR),
	CASE(branch_none, BAD_BRANCH, LOC_QP_OP_ERR),
	CASE(pair_of_trigger, BAD_PAIR, LOC_QP_OP_ERR),
	CASE(op_of_bcast_mp, BAD_OP, LOC_QP_OP_ERR),
	CASE(limit_short, BAD_TIMEOUT, LOC_QP_OP_ERR),
	CASE(limit_long, BAD_TIMEOUT, LOC_QP_OP_ERR),
	CASE(query_other_job, BAD_JID, LOC_QP_OP_ERR),
	CASE(abort_no_rank, BAD_RANK_MASK, LOC_QP_OP_ERR),
#undef CASE
};

/* Check that a request is refused, with other requests behind it. */
static void check_refusal(struct bench *b, const struct tb_post *p, enum tally_coll_status status,
			  enum tally_wc_status wc)
{
	struct tb_node *n = tb_group_node(&b->g, 1);
	struct tb_qp *qp = b->qp[1][1];
	struct tb_post good = allreduce(b, 1, 1);
	const struct tb_wr *wr;
	unsigned int k;

	tb_qp_create(&b->g, 1, 2, 16, 9); /* the rank may still take part */
	tb_post(n, qp, p);
	tb_post(n, qp, &good);
	tb_post_ring(n, qp, &good);
	tb_finish(b->tb, VT_MS);
	wr = &qp->wrs[0];
	assert_int_equal(le16toh(wr->cqe.coll_status), status);
	assert_int_equal(wr->cqe.status, wc);
	assert_int_equal(wr->cqe.byte_cnt, 0);
	for (k = 1; k < 3; k++) {
		assert_int_equal(qp->wrs[k].cqe.status, TALLY_WC_WR_FLUSH_ERR);
		assert_int_equal(le16toh(qp->wrs[k].cqe.coll_status), TALLY_COLL_FLUSHED);
		assert_int_equal(le32toh(qp->wrs[k].cqe.mid), qp->no_fetch ? 0 : 1);
	}
	assert_int_equal(n->e->qps[qp->qpn].state, TALLY_QPS_ERROR);
	assert_int_equal(n->counters[TALLY_CTR_wqe_refused], 1);
	assert_int_equal(tb_counter(b->tb, TALLY_CTR_kills_sent), 0);
}

/* The message is not used up: the rank posts it through another queue pair. */
static void check_unharmed(struct bench *b)
{
	struct tb_qp *others[3][2];
	unsigned int i, r;

	tb_qp_destroy(&b->g, 1, b->qp[1][1]);
	b->qp[1][1] = tb_qp_create(&b->g, 1, 2, 64, 1);
	for (i = 0; i < 3; i++)
		for (r = 0; r < 2; r++)
			others[i][r] = tb_qp_create(&b->other, i, 1ULL << r, 64, r);
	barrier_works(b, &b->g, 0, b->qp);
	barrier_works(b, &b->other, 0, others);
	tb_run_for(b->tb, VT_MS);
	tb_assert_all_empty(b->tb);
}

static void every_refusal(void **state)
{
	unsigned int k;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(refusals); k++) {
		struct bench *b = bench_new();
		struct tb_post p = allreduce(b, 0, 1);

		now = b;
		print_message("             %s\n", refusals[k].name);
		refusals[k].spoil(&p);
		check_refusal(b, &p, refusals[k].status, refusals[k].wc);
		check_unharmed(b);
		bench_free(b);
	}
}

static void queue_that_cannot_be_read(void **state)
{
	struct bench *b = bench_new();
	struct tb_post p = allreduce(b, 0, 1);

	(void)state;
	b->qp[1][1]->no_fetch = true;
	check_refusal(b, &p, TALLY_COLL_WQE_FETCH, TALLY_WC_LOC_ACCESS_ERR);
	check_unharmed(b);
	bench_free(b);
}

/* Parse a copy of exactly the length of the entry. */
static enum tally_coll_status parse(struct bench *b, const struct tb_post *p, size_t len)
{
	const struct qp *qp = &b->tb->nodes[1].e->qps[b->qp[1][1]->qpn];
	const unsigned int sges = p->w.num_gather + p->w.num_result;
	struct tally_sge list[2] = { 0 };
	static struct wqe w;
	uint8_t *entry = malloc(len); /* of the exact length, for the sanitizer */
	enum tally_coll_status st;
	unsigned int i;

	assert_non_null(entry);
	assert_true(sges <= ARRAY_SIZE(list) && len <= sizeof(p->w) + sizeof(list));
	for (i = 0; i < sges; i++) {
		const struct engine_sge *s = i < p->w.num_gather ? &p->gather[i] :
								   &p->result[i - p->w.num_gather];

		list[i] = (struct tally_sge){ htole64(s->addr), htole32(s->length), htole32(s->lkey) };
	}
	memcpy(entry, &p->w, sizeof(p->w));
	memcpy(entry + sizeof(p->w), list, len - sizeof(p->w));
	st = wqe_parse(b->tb->nodes[1].e, qp, 0, entry, len, &w);
	free(entry);
	return st;
}

/* Lists must end with the entry: no element may begin or end behind it. */
static void lists_end_with_the_entry(void **state)
{
	struct bench *b = bench_new();
	struct tb_post p = allreduce(b, 0, 1);
	size_t sge = sizeof(struct tally_sge), len = sizeof(p.w) + 2 * sge, k;

	(void)state;
	assert_int_equal(parse(b, &p, len), TALLY_COLL_OK);
	for (k = 1; k <= 2 * sge; k++)
		assert_int_equal(parse(b, &p, len - k), TALLY_COLL_BAD_NUM_SGE);
	bench_free(b);
}

/* A doorbell with an older or the same count changes nothing. */
static void stale_doorbell(void **state)
{
	struct bench *b = bench_new();
	struct tb_node *n = tb_group_node(&b->g, 1);
	struct tb_qp *qp = b->qp[1][1];
	const struct qp *inside = &n->e->qps[qp->qpn];
	struct tb_post p;
	unsigned int k;

	(void)state;
	for (k = 0; k < 3; k++) {
		p = barrier(b, k, 1);
		tb_post(n, qp, &p);
	}
	tb_ring(n, qp);
	tb_run_for(b->tb, 10 * VT_US);
	for (k = 0; k <= 3; k++) {
		engine_doorbell(tb_enter(n), qp->qpn, k);
		tb_leave(n);
		assert_int_equal(inside->posted, 3);
		assert_int_equal(inside->state, TALLY_QPS_RTS);
	}
	assert_int_equal(inside->admit, 3);
	assert_int_equal(tb_count_events(n, TALLY_EQE_QP_FATAL), 0);
	bench_free(b);
}

/* Values at the limits are allowed. */
static void limits_are_within(void **state)
{
	struct bench *b = bench_new();
	struct tb_node *n = tb_group_node(&b->g, 1);
	uint8_t data[TB_INLINE] = { 0 };
	struct tb_post p = allreduce(b, 0, 1);

	(void)state;
	p.w.count = htole64(1024);
	p.gather[0].length = p.result[0].length = 4096;
	p.result[0].addr = TB_MEM_SIZE - 4096;
	p.w.seg_count = htole16(4);
	p.w.node_mask = 0; /* a leaf has no contributors */
	p.w.timeout_ms = htole32(TALLY_MIN_TIMEOUT_MS);
	tb_post(n, b->qp[1][1], &p);
	p = allreduce(b, 1, 1);
	p.w.num_gather = 0;
	p.w.count = htole64(64);
	p.result[0].length = 256;
	p.w.chunk_len = htole32(4096);
	p.w.timeout_ms = htole32(TALLY_MAX_TIMEOUT_MS);
	tb_inline(&p, data, 256);
	tb_post_ring(n, b->qp[1][1], &p);
	tb_run_for(b->tb, 10 * VT_US);
	assert_int_equal(n->counters[TALLY_CTR_wqe_refused], 0);
	assert_int_equal(n->e->qps[b->qp[1][1]->qpn].wrs[1].state, WR_ACTIVE);
	bench_free(b);
}

/* Only the root's node can know that the root rank does not exist, and it ends the group. */
static void root_rank_missing_elsewhere(void **state)
{
	struct bench *b = bench_new();
	struct tb_post p = allreduce(b, 0, 1);
	unsigned int r;

	(void)state;
	become_reduce(&p);
	p.w.root_rank = 7;
	for (r = 0; r < 2; r++) {
		p.w.rank_mask = htole64(1ULL << r);
		tb_post_ring(tb_group_node(&b->g, 1), b->qp[1][r], &p);
	}
	p = barrier(b, 0, 0);
	tb_post_ring(tb_group_node(&b->g, 2), b->qp[2][0], &p);
	tb_finish(b->tb, 200 * VT_MS);
	tb_assert_cqe(&b->qp[2][0]->wrs[0], TALLY_COLL_BAD_ROOT);
	assert_int_equal(le16toh(b->qp[2][0]->wrs[0].cqe.detector), 0);
	assert_int_equal(le64toh(b->qp[2][0]->wrs[0].cqe.contributors), 1); /* reported by node 1 */
	bench_free(b);
}

/* ---- Turns ---- */

/* A request that is refused far behind requests that wait for the window does not disturb them. */
static void qp_failure_waits_for_its_turn(void **state)
{
	struct bench *b = bench_new();
	struct tb_node *n = tb_group_node(&b->g, 1);
	struct tb_post p;
	uint32_t mid;
	unsigned int i, r;

	(void)state;
	for (mid = 0; mid < 10; mid++) {
		p = barrier(b, mid, 1);
		tb_post_ring(n, b->qp[1][1], &p);
	}
	p.w.jid ^= 1;
	tb_post_ring(n, b->qp[1][1], &p);
	tb_run_for(b->tb, 50 * VT_US);
	assert_int_equal(b->qp[1][1]->retired, 0);
	for (mid = 0; mid < 10; mid++)
		for (i = 0; i < 3; i++)
			for (r = 0; r < 2; r++) {
				p = barrier(b, mid, r);
				if (i != 1 || !r)
					tb_post_ring(tb_group_node(&b->g, i), b->qp[i][r], &p);
			}
	tb_finish(b->tb, 50 * VT_MS);
	for (mid = 0; mid < 10; mid++)
		tb_assert_cqe(&b->qp[1][1]->wrs[mid], TALLY_COLL_OK);
	assert_int_equal(le16toh(b->qp[1][1]->wrs[10].cqe.coll_status), TALLY_COLL_BAD_JID);
	bench_free(b);
}

static void mid_behind(void **state)
{
	struct bench *b = bench_new();
	struct tb_node *n = tb_group_node(&b->g, 1);
	struct tb_post p = barrier(b, 0, 1);

	(void)state;
	barrier_works(b, &b->g, 0, b->qp);
	barrier_works(b, &b->g, 1, b->qp);
	tb_post_ring(n, b->qp[1][1], &p);
	tb_finish(b->tb, VT_MS);
	tb_assert_cqe(&b->qp[1][1]->wrs[2], TALLY_COLL_MID_BEHIND);
	assert_int_equal(b->qp[1][1]->wrs[2].cqe.status, TALLY_WC_LOC_QP_OP_ERR);
	bench_free(b);
}

static void rank_twice(void **state)
{
	struct bench *b = bench_new();
	struct tb_node *n = tb_group_node(&b->g, 1);
	struct tb_qp *leader = tb_qp_create(&b->g, 1, 3, 16, 9);
	struct tb_post p = barrier(b, 0, 1);

	(void)state;
	tb_post_ring(n, b->qp[1][1], &p);
	tb_run_for(b->tb, 10 * VT_US);
	p.w.rank_mask = htole64(3);
	tb_post_ring(n, leader, &p);
	tb_run_for(b->tb, 10 * VT_US);
	tb_assert_cqe(&leader->wrs[0], TALLY_COLL_RANK_TWICE);
	p.w.rank_mask = htole64(1); /* the refused request has not posted for its other rank */
	tb_post_ring(n, b->qp[1][0], &p);
	for (unsigned int i = 0; i < 3; i += 2)
		for (unsigned int r = 0; r < 2; r++) {
			p = barrier(b, 0, r);
			tb_post_ring(tb_group_node(&b->g, i), b->qp[i][r], &p);
		}
	tb_finish(b->tb, 50 * VT_MS);
	tb_assert_cqe(&b->qp[1][0]->wrs[0], TALLY_COLL_OK);
	bench_free(b);
}

/* A rank's messages come through two queue pairs, whose doorbells ring in the wrong order. */
static void ahead_of_its_mid_waits(void **state)
{
	struct bench *b = bench_new();
	struct tb_node *n = tb_group_node(&b->g, 1);
	struct tb_qp *second = tb_qp_create(&b->g, 1, 2, 16, 9);
	struct tb_post p = barrier(b, 1, 1);

	(void)state;
	tb_post_ring(n, second, &p);
	tb_run_for(b->tb, 20 * VT_MS);
	assert_false(second->wrs[0].retired);
	tb_qp_destroy(&b->g, 0, b->qp[0][0]); /* nothing had begun on it */
	b->qp[0][0] = tb_qp_create(&b->g, 0, 1, 16, 0);
	for (unsigned int mid = 0; mid < 2; mid++)
		for (unsigned int i = 0; i < 3; i++)
			for (unsigned int r = 0; r < 2; r++) {
				p = barrier(b, mid, r);
				if (!mid || i != 1 || !r)
					tb_post_ring(tb_group_node(&b->g, i), b->qp[i][r], &p);
			}
	tb_finish(b->tb, 50 * VT_MS);
	tb_assert_cqe(&second->wrs[0], TALLY_COLL_OK);
	tb_run_for(b->tb, VT_MS);
	tb_assert_done(&b->g, 2);
	bench_free(b);
}

static void ahead_for_ever(void **state)
{
	struct bench *b = bench_new();
	struct tb_node *n = tb_group_node(&b->g, 1);
	struct tb_post p = barrier(b, 5, 1);

	(void)state;
	tb_qp_create(&b->g, 1, 2, 16, 9); /* could bring the message before, but does not */
	tb_post_ring(n, b->qp[1][1], &p);
	tb_finish(b->tb, 200 * VT_MS);
	tb_assert_flushed(&b->qp[1][1]->wrs[0], TALLY_COLL_TIMEOUT);
	assert_int_equal(tb_group_state(&b->g, 1)->report.mid, 0);
	bench_free(b);
}

/* ---- QUERY ---- */

static const struct tb_wr *query(struct bench *b, uint32_t mid)
{
	struct tb_post p = tb_request(&b->g, TALLY_OPCODE_QUERY, mid, 2);
	struct tb_qp *qp = b->qp[1][1];
	uint32_t index = tb_post_ring(tb_group_node(&b->g, 1), qp, &p);

	tb_run_for(b->tb, 20 * VT_US);
	tb_assert_cqe(&qp->wrs[index], TALLY_COLL_OK);
	return &qp->wrs[index];
}

static void expect_query(struct bench *b, uint32_t mid, uint8_t flags, uint64_t ranks)
{
	const struct tb_wr *wr = query(b, mid);

	assert_int_equal(wr->cqe.flags, flags | TALLY_CQE_F_NO_RETIRE);
	assert_int_equal(le64toh(wr->cqe.ranks), ranks);
	assert_int_equal(le16toh(wr->cqe.detector), 1);
}

/*
 * A QUERY is answered at once, behind `waiting` requests that cannot proceed, and takes nobody's
 * place.
 */
static void query_behind(unsigned int waiting)
{
	struct bench *b = bench_new();
	struct tb_node *n = tb_group_node(&b->g, 1);
	struct tb_post p;
	unsigned int k, i, r;

	expect_query(b, 0, TALLY_CQE_F_UNKNOWN, 0);
	for (k = 0; k < waiting; k++) {
		p = barrier(b, k, 1);
		tb_post_ring(n, b->qp[1][1], &p);
	}
	tb_run_for(b->tb, 20 * VT_US);
	expect_query(b, 0, TALLY_CQE_F_PENDING, 1);
	expect_query(b, 3, waiting > 3 ? TALLY_CQE_F_PENDING : TALLY_CQE_F_UNKNOWN,
		     waiting > 3 ? 1 : 0);
	expect_query(b, 4, TALLY_CQE_F_UNKNOWN, 0); /* outside the window */
	for (k = 0; k < waiting; k++)
		for (i = 0; i < 3; i++)
			for (r = 0; r < 2; r++) {
				p = barrier(b, k, r);
				if (i != 1 || !r)
					tb_post_ring(tb_group_node(&b->g, i), b->qp[i][r], &p);
			}
	tb_finish(b->tb, 100 * VT_MS);
	expect_query(b, 0, 0, 0);
	expect_query(b, waiting - 1, 0, 0);
	expect_query(b, waiting, TALLY_CQE_F_UNKNOWN, 0);
	tb_run_for(b->tb, VT_MS);
	tb_assert_all_empty(b->tb);
	bench_free(b);
}

static void query_answers_while_others_wait(void **state)
{
	(void)state;
	query_behind(2);
	query_behind(10);
	query_behind(31);
	query_behind(32);
	query_behind(50);
}

/* At the root, a QUERY names the contributors that are missing. */
static void query_names_contributors(void **state)
{
	struct bench *b = bench_new();
	struct tb_post p = barrier(b, 0, 0);
	struct tb_qp *qp = b->qp[0][0];
	uint32_t index;

	(void)state;
	tb_post_ring(tb_group_node(&b->g, 0), qp, &p);
	for (unsigned int r = 0; r < 2; r++) {
		p = barrier(b, 0, r);
		tb_post_ring(tb_group_node(&b->g, 2), b->qp[2][r], &p);
	}
	tb_run_for(b->tb, 20 * VT_US);
	p = tb_request(&b->g, TALLY_OPCODE_QUERY, 0, 1);
	index = tb_post_ring(tb_group_node(&b->g, 0), qp, &p);
	tb_run_for(b->tb, 20 * VT_US);
	assert_int_equal(qp->wrs[index].cqe.flags, TALLY_CQE_F_NO_RETIRE | TALLY_CQE_F_PENDING);
	assert_int_equal(le64toh(qp->wrs[index].cqe.contributors), 1);
	assert_int_equal(le64toh(qp->wrs[index].cqe.ranks), 2);
	bench_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_refusal),
		cmocka_unit_test(queue_that_cannot_be_read),
		cmocka_unit_test(lists_end_with_the_entry),
		cmocka_unit_test(stale_doorbell),
		cmocka_unit_test(limits_are_within),
		cmocka_unit_test(root_rank_missing_elsewhere),
		cmocka_unit_test(qp_failure_waits_for_its_turn),
		cmocka_unit_test(mid_behind),
		cmocka_unit_test(rank_twice),
		cmocka_unit_test(ahead_of_its_mid_waits),
		cmocka_unit_test(ahead_for_ever),
		cmocka_unit_test(query_answers_while_others_wait),
		cmocka_unit_test(query_names_contributors),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
