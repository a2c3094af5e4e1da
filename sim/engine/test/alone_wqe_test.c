// SPDX-License-Identifier: BSD-2-Clause
/*
 * The parser of requests alone: each check with values that it just permits and just refuses, and
 * what it makes of the fields.
 */
#include "engine/common.h"
#include "engine/mode.h"
#include "engine/test/alone.h"
#include "engine/wqe.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MTU 1024
#define NODE 1
#define INDEX 11
#define LKEY 0x55
#define ROOM 4096

/* An entry of a send queue: a request, and what follows it. */
struct entry {
	struct tally_wqe w;
	uint8_t tail[ROOM];
	size_t used; /* bytes of the tail */
};

/*
 * Node 1 of 4, which has three of six ranks, two children, and a neighbour in EXCHANGE and RING
 * that is no child. The queue pair may post for ranks 0 and 1.
 */
static struct alone a;
static struct qp *qp;
static struct wqe out;

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	alone_children(&a, 3);
	a.g->children = 3;
	a.g->contributors = 3;
	a.g->peers = 4;
	a.g->mtu = MTU;
	a.g->modes = TALLY_MODES_TREE | TALLY_MODES_EXCHANGE | TALLY_MODES_RING;
	a.g->node = NODE;
	a.g->rank_mask = 7;
	a.g->total_ranks = 6;
	a.g->by_ranks = divisor_of(6);
	qp = alone_qp(&a, 0, 3);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

static void list(struct entry *n, unsigned int entries, uint32_t len)
{
	for (; entries--; n->used += sizeof(struct tally_sge)) {
		const struct tally_sge sge = { .addr = htole64(0x1000 + n->used),
					       .length = htole32(len),
					       .lkey = htole32(LKEY) };

		memcpy(n->tail + n->used, &sge, sizeof(sge));
	}
}

/* Lists of one length for the gather and the result list. */
static void lists(struct entry *n, unsigned int gather, unsigned int result, uint32_t len)
{
	n->used = 0;
	n->w.num_gather = gather;
	n->w.num_result = result;
	list(n, gather + result, len);
}

static void inline_data(struct entry *n, uint32_t len)
{
	lists(n, 0, 0, 0);
	n->w.flags |= htole32(TALLY_WQE_F_INLINE);
	n->w.inline_len = htole32(len);
	for (n->used = 0; n->used < len; n->used++)
		n->tail[n->used] = n->used;
	n->used = (len + 15) / 16 * 16;
}

/* A request of rank 0 that needs no list. */
static struct entry bare(uint8_t opcode)
{
	return (struct entry){ .w = {
				       .opcode = opcode,
				       .index = htole32(INDEX),
				       .jid = htole32(ALONE_JID),
				       .mid = htole32(5),
				       .rank_mask = htole64(1),
			       } };
}

/* The usual request: four INT32 of rank 0. */
static struct entry usual(uint8_t opcode)
{
	struct entry n = bare(opcode);

	n.w.op = TALLY_OP_SUM;
	n.w.dtype = TALLY_TYPE_INT32;
	n.w.count = htole64(4);
	lists(&n, 1, 1, 16);
	return n;
}

static struct entry allreduce(void)
{
	return usual(TALLY_OPCODE_ALLREDUCE);
}

static struct entry barrier(void)
{
	return bare(TALLY_OPCODE_BARRIER);
}

static struct entry query(void)
{
	return bare(TALLY_OPCODE_QUERY);
}

static struct entry abort_request(void)
{
	return bare(TALLY_OPCODE_ABORT);
}

/* Four INT32 of another node's rank. */
static struct entry bcast(void)
{
	struct entry n = usual(TALLY_OPCODE_BCAST);

	n.w.op = TALLY_OP_NONE;
	lists(&n, 0, 1, 16);
	return n;
}

static struct entry reduce(void)
{
	struct entry n = usual(TALLY_OPCODE_REDUCE);

	lists(&n, 1, 0, 16);
	return n;
}

/* One block of each of the six ranks. */
static struct entry allgather(void)
{
	struct entry n = usual(TALLY_OPCODE_ALLGATHER);

	n.w.op = TALLY_OP_NONE;
	n.w.mode = TALLY_MODE_RING;
	lists(&n, 1, 0, 16);
	n.w.num_result = 1;
	list(&n, 1, 6 * 16);
	return n;
}

/* A descriptor that sends its own data to contributor 0. */
static struct entry trigger(uint8_t opcode)
{
	struct entry n = usual(opcode);

	n.w.node_mask = htole64(1);
	n.w.branch = 2;
	n.w.flags = htole32(TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP);
	lists(&n, 1, 0, 16);
	return n;
}

static struct entry reduce_mp(void)
{
	return trigger(TALLY_OPCODE_REDUCE_MP);
}

static struct entry bcast_mp(void)
{
	struct entry n = trigger(TALLY_OPCODE_BCAST_MP);

	n.w.op = TALLY_OP_NONE;
	return n;
}

static void expect(const struct entry *n, enum tally_coll_status want, const char *text)
{
	static uint8_t data[sizeof(n->w) + ROOM];
	enum tally_coll_status st;

	memcpy(data, &n->w, sizeof(n->w));
	memcpy(data + sizeof(n->w), n->tail, ROOM);
	memset(&out, 0xee, sizeof(out));
	a.checks = 0;
	st = wqe_parse(a.e, qp, INDEX, data, sizeof(n->w) + n->used, &out);
	if (st != want)
		fail_msg("%s: status %d instead of %d", text, st, want);
}

/* Parse a request that is like that of `make`, but changed. */
#define PARSE(make, status, ...)                                          \
	do {                                                              \
		struct entry n = make();                                  \
		struct tally_wqe *w = &n.w;                               \
                                                                          \
		(void)w;                                                  \
		__VA_ARGS__;                                              \
		expect(&n, TALLY_COLL_##status, #make ": " #__VA_ARGS__); \
	} while (0)
#define TAKEN(make, ...) PARSE(make, OK, __VA_ARGS__)
#define REFUSED(status, make, ...) PARSE(make, status, __VA_ARGS__)
#define FLAG(name) (w->flags |= htole32(TALLY_WQE_F_##name))

/* ---- Fields of every request ---- */

/* An ABORT gives its reason in the count. */
static void reasons(void **state)
{
	static const uint16_t reason[] = {
		TALLY_COLL_OK,
		TALLY_COLL_RANK_GONE,
		TALLY_COLL_ABORTED,
		TALLY_COLL_OPCODE_MISMATCH,
		TALLY_COLL_OP_MISMATCH,
		TALLY_COLL_TYPE_MISMATCH,
		TALLY_COLL_COUNT_MISMATCH,
		TALLY_COLL_ROOT_MISMATCH,
		TALLY_COLL_CHUNK_MISMATCH,
		TALLY_COLL_MASK_MISMATCH,
		TALLY_COLL_MODE_MISMATCH,
	};
	const unsigned int num = sizeof(reason) / sizeof(reason[0]);
	unsigned int value, known;

	(void)state;
	for (value = 0; value < 1000; value++) {
		for (known = 0; known < num && reason[known] != value; known++)
			;
		if (known < num)
			TAKEN(abort_request, w->count = htole64(value));
		else
			REFUSED(BAD_COUNT, abort_request, w->count = htole64(value));
	}
	REFUSED(BAD_COUNT, abort_request, w->count = htole64(1ULL << 16 | TALLY_COLL_ABORTED));
	REFUSED(BAD_COUNT, abort_request, w->count = htole64(1ULL << 32 | TALLY_COLL_ABORTED));
	REFUSED(BAD_COUNT, abort_request, w->count = htole64(1ULL << 63));
}

static void opcodes(void **state)
{
	unsigned int opcode;

	(void)state;
	TAKEN(allreduce, );
	TAKEN(barrier, );
	TAKEN(query, );
	TAKEN(query, w->opcode = TALLY_OPCODE_ABORT);
	REFUSED(BAD_OPCODE, query, w->opcode = 0);
	REFUSED(BAD_OPCODE, query, w->opcode = TALLY_OPCODE_ABORT + 1);
	REFUSED(BAD_OPCODE, reduce_mp, w->opcode = TALLY_OPCODE_REDUCE_MP - 1);
	TAKEN(bcast_mp, w->opcode = TALLY_OPCODE_PUT_MP);
	for (opcode = TALLY_OPCODE_PUT_MP + 1; opcode < 256; opcode++)
		REFUSED(BAD_OPCODE, bcast_mp, w->opcode = opcode);
}

/* An opcode that the engine lacks is as one that does not exist. */
static void lacking_opcodes(void **state)
{
	const uint32_t lacking = 1u << TALLY_OPCODE_GATHER | 1u << TALLY_OPCODE_PUT_MP | 1u << 31;
	const uint32_t all = engine_opcodes(a.e);

	(void)state;
	assert_int_equal(all, 0x707fe);
	engine_set_lacking(a.e, lacking);
	assert_int_equal(engine_opcodes(a.e), all & ~lacking);
	REFUSED(BAD_OPCODE, bcast_mp, w->opcode = TALLY_OPCODE_PUT_MP);
	TAKEN(bcast_mp, );
	TAKEN(allreduce, );
	TAKEN(query, );
	engine_set_lacking(a.e, 0);
	TAKEN(bcast_mp, w->opcode = TALLY_OPCODE_PUT_MP);
}

static void mode_of_a_request(void **state)
{
	(void)state;
	TAKEN(allreduce, w->mode = TALLY_MODE_TREE);
	assert_int_equal(out.mode, TALLY_MODE_TREE);
	TAKEN(allreduce, w->mode = TALLY_MODE_RING);
	assert_int_equal(out.mode, TALLY_MODE_RING);
	REFUSED(BAD_MODE, allreduce, w->mode = TALLY_MODE_SWITCH);
	REFUSED(BAD_MODE, allreduce, w->mode = 255);
	REFUSED(BAD_MODE, allgather, w->mode = TALLY_MODE_TREE);
	REFUSED(BAD_MODE, reduce, w->mode = TALLY_MODE_EXCHANGE);
	REFUSED(BAD_RESERVED, query, w->mode = TALLY_MODE_TREE);
	REFUSED(BAD_RESERVED, reduce_mp, w->mode = TALLY_MODE_TREE);
	a.g->modes = TALLY_MODES_TREE | TALLY_MODES_EXCHANGE;
	REFUSED(BAD_MODE, allreduce, w->mode = TALLY_MODE_RING);
}

/* A request that names no mode has the group's, which depends on the bytes of a rank. */
static void mode_of_the_group(void **state)
{
	struct choice *c = &a.g->choice[TALLY_OPCODE_ALLREDUCE - 1];

	(void)state;
	*c = (struct choice){ TALLY_MODE_EXCHANGE, TALLY_MODE_RING, 0, 4, 5 };
	TAKEN(allreduce, );
	assert_int_equal(out.mode, TALLY_MODE_EXCHANGE);
	TAKEN(allreduce, w->count = htole64(5); lists(&n, 1, 1, 20));
	assert_int_equal(out.mode, TALLY_MODE_RING);
	TAKEN(allreduce, w->count = htole64(9); lists(&n, 1, 1, 36));
	assert_int_equal(out.mode, TALLY_MODE_TREE);
	a.g->choice[TALLY_OPCODE_ALLGATHER - 1].small = TALLY_MODE_TREE; /* does not offer it */
	REFUSED(BAD_MODE, allgather, w->mode = 0; w->count = 0; lists(&n, 0, 0, 0));
	TAKEN(query, );
	assert_int_equal(out.mode, 0);
}

static void blocks_need_ranks_everywhere(void **state)
{
	(void)state;
	TAKEN(allgather, );
	a.g->flags |= TALLY_GROUP_F_SPARSE;
	REFUSED(BAD_MODE, allgather, );
	TAKEN(allreduce, );
}

static void common_fields(void **state)
{
	(void)state;
	REFUSED(BAD_WQE_INDEX, allreduce, w->index = htole32(INDEX + 1));
	REFUSED(BAD_WQE_INDEX, allreduce, w->index = htole32(INDEX | 1u << 31));
	REFUSED(BAD_RESERVED, allreduce, w->rsvd1 = htole32(1));
	REFUSED(BAD_RESERVED, allreduce, w->__rsvd_68[0] = 1);
	REFUSED(BAD_RESERVED, allreduce, w->__rsvd_68[sizeof(w->__rsvd_68) - 1] = 1);
	REFUSED(BAD_JID, allreduce, w->jid = htole32(ALONE_JID + 1));
	TAKEN(allreduce, w->timeout_ms = htole32(TALLY_MIN_TIMEOUT_MS));
	assert_int_equal(out.timeout, TALLY_MIN_TIMEOUT_MS * MS);
	TAKEN(allreduce, w->timeout_ms = htole32(TALLY_MAX_TIMEOUT_MS));
	assert_int_equal(out.timeout, TALLY_MAX_TIMEOUT_MS * MS);
	REFUSED(BAD_TIMEOUT, allreduce, w->timeout_ms = htole32(TALLY_MIN_TIMEOUT_MS - 1));
	REFUSED(BAD_TIMEOUT, allreduce, w->timeout_ms = htole32(1));
	REFUSED(BAD_TIMEOUT, allreduce, w->timeout_ms = htole32(TALLY_MAX_TIMEOUT_MS + 1));
	TAKEN(allreduce, w->rank_mask = htole64(2));
	TAKEN(allreduce, w->rank_mask = htole64(3); lists(&n, 2, 2, 16));
	REFUSED(BAD_RANK_MASK, allreduce, w->rank_mask = 0);
	REFUSED(BAD_RANK_MASK, allreduce, w->rank_mask = htole64(4));
	REFUSED(BAD_RANK_MASK, allreduce, w->rank_mask = htole64(5));
	REFUSED(BAD_RANK_MASK, query, w->rank_mask = htole64(1ULL << 63));
}

/* The first field at fault gives the status. */
static void order_of_checks(void **state)
{
	(void)state;
	REFUSED(BAD_OPCODE, query, w->opcode = 0; w->index = 0);
	REFUSED(BAD_WQE_INDEX, query, w->index = 0; w->flags = htole32(~0u));
	REFUSED(BAD_FLAGS, query, w->flags = htole32(~0u); w->rsvd1 = 1);
	REFUSED(BAD_RESERVED, query, w->rsvd1 = 1; w->jid = 0);
	REFUSED(BAD_JID, query, w->jid = 0; w->timeout_ms = htole32(1));
	REFUSED(BAD_TIMEOUT, query, w->timeout_ms = htole32(1); w->rank_mask = 0);
	REFUSED(BAD_RANK_MASK, allreduce, w->rank_mask = 0; w->dtype = 0x77);
	REFUSED(BAD_TYPE, allreduce, w->dtype = 0x77; w->count = htole64(~0ULL));
	REFUSED(TOO_LONG, allreduce, w->count = htole64(~0ULL); w->inline_len = htole32(~0u));
	REFUSED(BAD_INLINE, allreduce, w->inline_len = htole32(~0u); w->seg_first = htole16(1));
	REFUSED(BAD_SEG, allreduce, w->seg_first = htole16(1); w->flag_addr = htole64(4));
	REFUSED(BAD_FLAGS, allreduce, w->flag_addr = htole64(4); w->num_gather = 9);
}

/* ---- Flags ---- */

static void check_flags(struct entry (*make)(void), uint32_t permitted)
{
	unsigned int i;

	for (i = 0; i < 32; i++) {
		struct entry n = make();
		static uint8_t data[sizeof(n.w) + ROOM];
		enum tally_coll_status st;

		n.w.flags = htole32(le32toh(n.w.flags) | 1u << i);
		memcpy(data, &n.w, sizeof(n.w));
		st = wqe_parse(a.e, qp, INDEX, data, sizeof(n.w) + n.used, &out);
		/* a flag that belongs to the operation may miss what it needs, but is known */
		if (permitted >> i & 1)
			assert_false(st == TALLY_COLL_BAD_FLAGS && i < 2);
		else
			assert_int_equal(st, TALLY_COLL_BAD_FLAGS);
	}
}

#define ALWAYS (TALLY_WQE_F_SIGNALED | TALLY_WQE_F_SOLICITED)
#define COLL (ALWAYS | TALLY_WQE_F_FLAG_WORD | TALLY_WQE_F_EMPTY | TALLY_WQE_F_NO_CONTRIBUTORS)
#define DATA (COLL | TALLY_WQE_F_INLINE | TALLY_WQE_F_COMBINED)
#define TRIGGER                                                                                    \
	(ALWAYS | TALLY_WQE_F_FLAG_WORD | TALLY_WQE_F_INLINE | TALLY_WQE_F_CP |                    \
	 TALLY_WQE_F_SWP_FLAG | TALLY_WQE_F_SWP_MP | TALLY_WQE_F_TO_PARENT | TALLY_WQE_F_TO_SELF | \
	 TALLY_WQE_F_LOC_VALUES)

static void flags_of_each_operation(void **state)
{
	(void)state;
	a.g->flags |= TALLY_GROUP_F_ORDERED;
	check_flags(query, ALWAYS);
	check_flags(barrier, COLL);
	check_flags(bcast, DATA);
	check_flags(allreduce, DATA | TALLY_WQE_F_ORDERED | TALLY_WQE_F_LOC_VALUES);
	check_flags(reduce, DATA | TALLY_WQE_F_ORDERED | TALLY_WQE_F_LOC_VALUES);
	check_flags(allgather, DATA & ~(TALLY_WQE_F_EMPTY | TALLY_WQE_F_NO_CONTRIBUTORS));
	check_flags(reduce_mp, TRIGGER | TALLY_WQE_F_RFLAG);
	check_flags(bcast_mp, TRIGGER);
	TAKEN(allreduce, FLAG(SIGNALED); FLAG(SOLICITED); FLAG(ORDERED));
	TAKEN(barrier, FLAG(NO_CONTRIBUTORS); FLAG(EMPTY));
}

static void ordered_needs_an_ordered_group(void **state)
{
	(void)state;
	REFUSED(NOT_ORDERED, allreduce, FLAG(ORDERED));
	a.g->flags |= TALLY_GROUP_F_ORDERED;
	TAKEN(allreduce, FLAG(ORDERED));
	TAKEN(allreduce, );
}

static void flag_word(void **state)
{
	(void)state;
	REFUSED(BAD_FLAGS, barrier, w->flag_addr = htole64(4));
	REFUSED(BAD_FLAGS, barrier, w->flag_lkey = htole32(1));
	REFUSED(BAD_FLAGS, barrier, w->flag_value = htole32(1));
	TAKEN(barrier, FLAG(FLAG_WORD));
	TAKEN(barrier, FLAG(FLAG_WORD); w->flag_addr = htole64(0x104); w->flag_lkey = htole32(LKEY);
	      w->flag_value = htole32(0x01020304));
	assert_int_equal(a.checks, 1);
	assert_true(a.check_write);
	assert_int_equal(a.check_pd, 100);
	assert_int_equal(a.checked.addr, 0x104);
	assert_int_equal(a.checked.length, 4);
	assert_int_equal(a.checked.lkey, LKEY);
	assert_int_equal(out.flag_value, 0x01020304);
	REFUSED(MR_RANGE, barrier, FLAG(FLAG_WORD); w->flag_addr = htole64(0x102));
	REFUSED(MR_RANGE, barrier, FLAG(FLAG_WORD); w->flag_addr = htole64(0x101));
	a.refuse = 1;
	REFUSED(BAD_LKEY, barrier, FLAG(FLAG_WORD));
}

/* ---- Types and sizes ---- */

static void types_and_operations(void **state)
{
	(void)state;
	TAKEN(allreduce, w->dtype = TALLY_TYPE_FP32);
	assert_int_equal(out.elem, 4);
	REFUSED(BAD_TYPE, allreduce, w->dtype = 0x44);
	REFUSED(BAD_TYPE, allreduce, w->dtype = TALLY_TYPE_NONE);
	REFUSED(BAD_OP, allreduce, w->op = 77);
	REFUSED(BAD_OP, allreduce, w->op = TALLY_OP_NONE);
	REFUSED(BAD_PAIR, allreduce, w->op = TALLY_OP_BAND; w->dtype = TALLY_TYPE_FP32);
	REFUSED(BAD_OP, bcast, w->op = TALLY_OP_SUM);
	REFUSED(BAD_TYPE, bcast, w->dtype = 0x44);
	TAKEN(bcast, w->dtype = TALLY_TYPE_NONE; w->count = htole64(16));
	assert_int_equal(out.elem, 1);
	REFUSED(BAD_TYPE, barrier, w->dtype = TALLY_TYPE_INT32);
	REFUSED(BAD_OP, barrier, w->op = TALLY_OP_SUM);
	REFUSED(BAD_OP, allgather, w->op = TALLY_OP_SUM);
	TAKEN(bcast_mp, w->op = TALLY_OP_MAX);
	REFUSED(BAD_PAIR, bcast_mp, w->op = TALLY_OP_BAND; w->dtype = TALLY_TYPE_FP32);
	REFUSED(BAD_OP, reduce_mp, w->op = TALLY_OP_NONE);
}

static void counts(void **state)
{
	(void)state;
	REFUSED(BAD_COUNT, barrier, w->count = htole64(1));
	TAKEN(allreduce, w->count = htole64(1u << 29); lists(&n, 1, 1, 1u << 31));
	assert_int_equal(out.total, 1u << 29);
	assert_int_equal(out.count, 1u << 29);
	REFUSED(TOO_LONG, allreduce, w->count = htole64((1u << 29) + 1));
	TAKEN(bcast, w->dtype = TALLY_TYPE_INT8; w->count = htole64(1u << 31);
	      lists(&n, 0, 1, 1u << 31));
	REFUSED(TOO_LONG, bcast, w->dtype = TALLY_TYPE_INT8; w->count = htole64((1u << 31) + 1));
	REFUSED(TOO_LONG, allreduce, w->count = htole64(1ULL << 62)); /* 2^64 bytes */
	REFUSED(TOO_LONG, allreduce, w->count = htole64((1ULL << 32) + 4));
	TAKEN(allgather, w->count = htole64(0x80000000u / 24);
	      lists(&n, 1, 0, 0x80000000u / 24 * 4); w->num_result = 1;
	      list(&n, 1, 0x80000000u / 24 * 24));
	assert_int_equal(out.total, 0x80000000u / 24 * 6);
	REFUSED(TOO_LONG, allgather, w->count = htole64(0x80000000u / 24 + 1));
	TAKEN(reduce_mp, w->count = htole64(MTU / 4); lists(&n, 1, 0, MTU));
	REFUSED(TOO_LONG, reduce_mp, w->count = htole64(MTU / 4 + 1));
}

static void check_chunks(uint32_t chunk, uint32_t chunks)
{
	assert_int_equal(out.chunk, chunk);
	assert_int_equal(out.chunks, chunks);
}

static void chunks(void **state)
{
	(void)state;
	TAKEN(allreduce, );
	check_chunks(MTU / 4, 1);
	TAKEN(allreduce, w->count = 0; lists(&n, 0, 0, 0));
	check_chunks(MTU / 4, 1);
	TAKEN(allreduce, w->count = htole64(256); lists(&n, 1, 1, 1024));
	check_chunks(MTU / 4, 1);
	TAKEN(allreduce, w->count = htole64(257); lists(&n, 1, 1, 1028));
	check_chunks(MTU / 4, 2);
	TAKEN(allreduce, w->chunk_len = htole32(MTU));
	check_chunks(MTU / 4, 1);
	REFUSED(BAD_CHUNK, allreduce, w->chunk_len = htole32(MTU + 1));
	TAKEN(allreduce, w->chunk_len = htole32(4));
	check_chunks(1, 4);
	TAKEN(allreduce, w->chunk_len = htole32(11));
	check_chunks(2, 2);
	REFUSED(BAD_CHUNK, allreduce, w->chunk_len = htole32(3));
	TAKEN(reduce_mp, w->chunk_len = htole32(MTU));
	REFUSED(BAD_CHUNK, reduce_mp, w->chunk_len = htole32(MTU - 1));
	REFUSED(BAD_CHUNK, reduce_mp, w->chunk_len = htole32(MTU + 1));
}

/* A group may have shorter chunks in fixed order. */
static void chunks_in_fixed_order(void **state)
{
	(void)state;
	a.g->chunk = 32;
	TAKEN(allreduce, w->mode = TALLY_MODE_EXCHANGE; w->count = htole64(9); lists(&n, 1, 1, 36));
	check_chunks(8, 2);
	TAKEN(allreduce, w->mode = TALLY_MODE_EXCHANGE; w->chunk_len = htole32(16));
	check_chunks(4, 1);
	TAKEN(allreduce, w->count = htole64(9); lists(&n, 1, 1, 36));
	check_chunks(MTU / 4, 1);
}

static void become_minloc(struct tally_wqe *w)
{
	w->op = TALLY_OP_MINLOC;
}

static void indices(void **state)
{
	(void)state;
	TAKEN(allreduce, become_minloc(w); lists(&n, 1, 1, 32));
	assert_int_equal(out.elem, 8);
	assert_int_equal(out.give, 8);
	assert_int_equal(out.loc_index, 0);
	REFUSED(BAD_LOC, allreduce, become_minloc(w); w->loc_index = htole64(1));
	REFUSED(BAD_LOC, allreduce, FLAG(LOC_VALUES));
	TAKEN(allreduce, w->op = TALLY_OP_MAXLOC; FLAG(LOC_VALUES); lists(&n, 1, 0, 16);
	      w->num_result = 1; list(&n, 1, 32); w->loc_index = htole64((1u << 31) - 4));
	assert_int_equal(out.elem, 8);
	assert_int_equal(out.give, 4);
	assert_int_equal(out.give_len, 16);
	assert_int_equal(out.get_len, 32);
	assert_int_equal(out.loc_index, (1u << 31) - 4);
	REFUSED(BAD_LOC, allreduce, become_minloc(w); FLAG(LOC_VALUES);
		w->loc_index = htole64((1u << 31) - 3));
	TAKEN(allreduce, become_minloc(w); FLAG(LOC_VALUES); w->count = 0; lists(&n, 0, 0, 0);
	      w->loc_index = htole64(1u << 31));
	REFUSED(BAD_LOC, allreduce, become_minloc(w); FLAG(LOC_VALUES); w->count = 0;
		w->loc_index = htole64((1u << 31) + 1));
	REFUSED(BAD_LOC, allreduce, become_minloc(w); FLAG(LOC_VALUES);
		w->loc_index = htole64(1ULL << 32));
}

/* ---- Lists ---- */

static void gather_list(void **state)
{
	(void)state;
	REFUSED(BAD_NUM_SGE, allreduce, w->num_gather = 0);
	REFUSED(BAD_NUM_SGE, allreduce, w->num_gather = 2);
	REFUSED(BAD_NUM_SGE, allreduce, w->num_result = 0);
	REFUSED(BAD_NUM_SGE, allreduce, w->num_result = 2);
	REFUSED(BAD_SGE_LENGTH, allreduce, lists(&n, 1, 1, 15));
	REFUSED(BAD_SGE_LENGTH, allreduce, lists(&n, 1, 1, 17));
	REFUSED(BAD_SGE_LENGTH, allreduce, n.used = 16; list(&n, 1, 12));
	TAKEN(allreduce, w->count = 0; lists(&n, 0, 0, 0));
	TAKEN(allreduce, w->count = 0; lists(&n, 1, 1, 0));
	REFUSED(BAD_NUM_SGE, allreduce, w->count = 0; lists(&n, 2, 0, 0));
	REFUSED(BAD_NUM_SGE, allreduce, w->count = 0; lists(&n, 0, 2, 0));
	TAKEN(reduce, );
	REFUSED(BAD_NUM_SGE, reduce, w->num_result = 1);
	REFUSED(BAD_NUM_SGE, bcast, w->num_gather = 1);
}

/* The stride limits the lists. */
static void lists_end_in_the_entry(void **state)
{
	(void)state;
	TAKEN(allreduce, n.used = 32);
	REFUSED(BAD_NUM_SGE, allreduce, n.used = 31);
	REFUSED(BAD_NUM_SGE, allreduce, n.used = 16);
	REFUSED(BAD_NUM_SGE, allreduce, n.used = 15);
	REFUSED(BAD_NUM_SGE, allreduce, n.used = 0);
}

static void lists_are_checked(void **state)
{
	(void)state;
	TAKEN(allreduce, w->rank_mask = htole64(3); lists(&n, 2, 2, 16));
	assert_int_equal(a.checks, 4);
	assert_true(a.check_write);
	assert_int_equal(a.check_pd, 100);
	assert_int_equal(out.gather[0].addr, 0x1000);
	assert_int_equal(out.gather[1].addr, 0x1010);
	assert_int_equal(out.gather[1].length, 16);
	assert_int_equal(out.gather[1].lkey, LKEY);
	assert_int_equal(out.result[0].addr, 0x1020);
	assert_int_equal(out.result[1].addr, 0x1030);
	for (a.refuse = 1; a.refuse <= 4; a.refuse++) {
		REFUSED(BAD_LKEY, allreduce, w->rank_mask = htole64(3); lists(&n, 2, 2, 16));
		assert_int_equal(a.checks, a.refuse);
		assert_int_equal(a.check_write, a.refuse > 2);
	}
	a.refuse = 0;
}

static void as_many_as_ranks(void **state)
{
	(void)state;
	a.g->rank_mask = ~0ULL;
	qp->cfg.ranks = ~0ULL;
	TAKEN(allreduce, w->rank_mask = htole64(~0ULL); lists(&n, 64, 64, 16));
	assert_int_equal(a.checks, 128);
	assert_int_equal(out.num_gather, 64);
	assert_int_equal(out.num_result, 64);
	REFUSED(BAD_NUM_SGE, allreduce, w->count = 0; lists(&n, 65, 0, 0));
	REFUSED(BAD_NUM_SGE, allreduce, w->count = 0; lists(&n, 0, 65, 0));
}

static void data_in_the_request(void **state)
{
	(void)state;
	TAKEN(allreduce, inline_data(&n, 16); w->num_result = 1; list(&n, 1, 16));
	assert_int_equal(out.inline_len, 16);
	assert_int_equal(out.data[15], 15);
	assert_int_equal(out.result[0].addr, 0x1010);
	assert_int_equal(a.checks, 1);
	TAKEN(allreduce, w->dtype = TALLY_TYPE_INT8; w->count = htole64(17); inline_data(&n, 17);
	      w->num_result = 1; list(&n, 1, 17));
	assert_int_equal(out.data[16], 16);
	assert_int_equal(out.result[0].addr, 0x1020);
	REFUSED(BAD_INLINE, allreduce, inline_data(&n, 15); w->num_result = 1; list(&n, 1, 16));
	REFUSED(BAD_INLINE, allreduce, inline_data(&n, 17); w->num_result = 1; list(&n, 1, 16));
	REFUSED(BAD_INLINE, allreduce, w->inline_len = htole32(16));
	REFUSED(BAD_NUM_SGE, allreduce, inline_data(&n, 16); w->num_gather = 1; list(&n, 1, 16));
	REFUSED(BAD_INLINE, allreduce, w->rank_mask = htole64(3); inline_data(&n, 16));
	REFUSED(BAD_INLINE, bcast, inline_data(&n, 16));
	REFUSED(BAD_INLINE, reduce, inline_data(&n, 16); n.used = 15);
	TAKEN(reduce, inline_data(&n, 16); n.used = 16);
	REFUSED(BAD_INLINE, reduce, w->inline_len = htole32(TALLY_MAX_INLINE + 1));
	REFUSED(BAD_INLINE, reduce, w->inline_len = htole32(65536 + 16); FLAG(INLINE));
	a.g->mtu = 4096;
	TAKEN(reduce, w->count = htole64(1024); inline_data(&n, TALLY_MAX_INLINE));
	assert_int_equal(out.data[4095], 255);
}

static void lengths_of_blocks(void **state)
{
	(void)state;
	TAKEN(allgather, );
	assert_int_equal(out.give_len, 16);
	assert_int_equal(out.get_len, 96);
	assert_int_equal(out.total, 24);
	REFUSED(BAD_SGE_LENGTH, allgather, lists(&n, 1, 1, 16));
	TAKEN(allgather, w->opcode = TALLY_OPCODE_REDUCE_SCATTER; w->op = TALLY_OP_SUM;
	      lists(&n, 1, 0, 96); w->num_result = 1; list(&n, 1, 16));
	assert_int_equal(out.give_len, 96);
	assert_int_equal(out.get_len, 16);
	TAKEN(allgather, w->opcode = TALLY_OPCODE_GATHER; w->mode = 0; w->root_node = htole16(NODE);
	      lists(&n, 1, 0, 16); w->num_result = 1; list(&n, 1, 96));
	TAKEN(allgather, w->opcode = TALLY_OPCODE_SCATTER; w->mode = 0;
	      w->root_node = htole16(NODE); lists(&n, 1, 0, 96); w->num_result = 1;
	      list(&n, 1, 16));
}

/* ---- Root ---- */

static void roots(void **state)
{
	(void)state;
	REFUSED(BAD_ROOT, allreduce, w->root_node = htole16(1));
	REFUSED(BAD_ROOT, allreduce, w->root_rank = 1);
	TAKEN(reduce, w->root_node = htole16(3));
	REFUSED(BAD_ROOT, reduce, w->root_node = htole16(4));
	TAKEN(reduce, w->root_node = htole16(3); w->root_rank = 63);
	REFUSED(BAD_ROOT, reduce, w->root_node = htole16(3); w->root_rank = 64);
	TAKEN(reduce, w->root_node = htole16(NODE); w->root_rank = 2);
	REFUSED(BAD_ROOT, reduce, w->root_node = htole16(NODE); w->root_rank = 3);
	TAKEN(reduce, w->root_node = htole16(NODE); lists(&n, 1, 1, 16));
	REFUSED(BAD_NUM_SGE, reduce, w->root_node = htole16(NODE); lists(&n, 1, 0, 16));
	TAKEN(bcast, w->root_node = htole16(NODE); lists(&n, 1, 0, 16));
	TAKEN(bcast, w->root_node = htole16(NODE); w->root_rank = 1; lists(&n, 0, 1, 16));
}

/* ---- Who takes part ---- */

static void masks(void **state)
{
	(void)state;
	TAKEN(allreduce, );
	assert_int_equal(out.node_mask, ~0ULL);
	TAKEN(allreduce, w->node_mask = htole64(1));
	assert_int_equal(out.node_mask, 1);
	TAKEN(allreduce, w->node_mask = htole64(~0ULL));
	REFUSED(BAD_NODE_MASK, allreduce, w->node_mask = htole64(4)); /* no child */
	REFUSED(BAD_NODE_MASK, allreduce, w->node_mask = htole64(1 | 1ULL << 63));
	TAKEN(allreduce, FLAG(NO_CONTRIBUTORS));
	assert_int_equal(out.node_mask, 0);
	REFUSED(BAD_NODE_MASK, allreduce, FLAG(NO_CONTRIBUTORS); w->node_mask = htole64(1));
	TAKEN(allreduce, FLAG(EMPTY); lists(&n, 0, 0, 0));
}

/* Only TREE messages may be narrowed. */
static void masks_in_other_modes(void **state)
{
	(void)state;
	TAKEN(allreduce, w->mode = TALLY_MODE_RING; w->node_mask = htole64(~0ULL));
	REFUSED(BAD_NODE_MASK, allreduce, w->mode = TALLY_MODE_RING; w->node_mask = htole64(3));
	REFUSED(BAD_FLAGS, allreduce, w->mode = TALLY_MODE_EXCHANGE; FLAG(NO_CONTRIBUTORS));
	REFUSED(BAD_FLAGS, allreduce, w->mode = TALLY_MODE_EXCHANGE; FLAG(EMPTY));
}

/* AVG and messages of blocks need everybody. */
static void masks_that_are_too_narrow(void **state)
{
	(void)state;
	TAKEN(allreduce, w->op = TALLY_OP_AVG; w->node_mask = htole64(3));
	TAKEN(allreduce, w->op = TALLY_OP_AVG);
	REFUSED(BAD_NODE_MASK, allreduce, w->op = TALLY_OP_AVG; w->node_mask = htole64(1));
	REFUSED(BAD_NODE_MASK, allreduce, w->op = TALLY_OP_AVG; FLAG(NO_CONTRIBUTORS));
	REFUSED(BAD_FLAGS, allreduce, w->op = TALLY_OP_AVG; FLAG(EMPTY));
	REFUSED(BAD_NODE_MASK, allgather, w->mode = 0; w->opcode = TALLY_OPCODE_GATHER;
		w->node_mask = htole64(2));
	TAKEN(allgather, w->mode = 0; w->opcode = TALLY_OPCODE_GATHER; w->node_mask = htole64(3);
	      lists(&n, 1, 0, 16));
}

static void empty_root(void **state)
{
	(void)state;
	TAKEN(bcast, FLAG(EMPTY); w->root_node = htole16(NODE); w->root_rank = 1;
	      lists(&n, 0, 0, 0));
	REFUSED(BAD_ROOT, bcast, FLAG(EMPTY); w->root_node = htole16(NODE); lists(&n, 0, 0, 0));
	REFUSED(BAD_ROOT, bcast, FLAG(EMPTY); w->root_node = htole16(NODE); w->root_rank = 1;
		w->rank_mask = htole64(2); lists(&n, 0, 0, 0));
	TAKEN(bcast, FLAG(EMPTY); lists(&n, 0, 0, 0));
}

static void segments(void **state)
{
	(void)state;
	TAKEN(allreduce, w->seg_count = htole16(4));
	assert_int_equal(out.seg_count, 4);
	REFUSED(BAD_SEG, allreduce, w->seg_count = htole16(5));
	REFUSED(BAD_SEG, allreduce, w->seg_first = htole16(1));
	REFUSED(BAD_SEG, reduce_mp, w->seg_first = htole16(1));
	REFUSED(BAD_SEG, reduce_mp, w->seg_count = htole16(1));
}

/* ---- Triggered ---- */

static void counters(void **state)
{
	(void)state;
	TAKEN(reduce_mp, w->counter = 3; w->dest_counter = 2; w->dest_port = htole16(0x102));
	assert_int_equal(out.counter, 3);
	assert_int_equal(out.dest_counter, 2);
	assert_int_equal(out.dest_port, 0x102);
	REFUSED(BAD_COUNTER, reduce_mp, w->counter = TALLY_NUM_CP_COUNTERS);
	TAKEN(reduce_mp, w->dest_counter = 3);
	REFUSED(BAD_COUNTER, reduce_mp, w->dest_counter = TALLY_NUM_CP_COUNTERS);
	TAKEN(reduce_mp, w->cpcnt = htole32(TALLY_MAX_CPCNT));
	assert_int_equal(out.cpcnt, TALLY_MAX_CPCNT);
	REFUSED(BAD_CPCNT, reduce_mp, w->cpcnt = htole32(TALLY_MAX_CPCNT + 1));
	REFUSED(BAD_CPCNT, reduce_mp, w->cpcnt = htole32(1u << 31));
}

static void swapping(void **state)
{
	(void)state;
	TAKEN(reduce_mp, FLAG(SWP_FLAG); lists(&n, 0, 0, 0));
	REFUSED(BAD_NUM_SGE, reduce_mp, FLAG(SWP_FLAG));
	TAKEN(reduce_mp, FLAG(SWP_FLAG); FLAG(RFLAG));
	REFUSED(BAD_FLAGS, reduce_mp, FLAG(RFLAG));
	TAKEN(bcast_mp, FLAG(SWP_FLAG); w->cpcnt = htole32(1); lists(&n, 0, 0, 0));
	REFUSED(BAD_OP, bcast_mp, FLAG(SWP_FLAG); w->cpcnt = htole32(2); lists(&n, 0, 0, 0));
	TAKEN(bcast_mp, w->cpcnt = htole32(2));
	TAKEN(bcast_mp, FLAG(SWP_FLAG); w->op = TALLY_OP_SUM; w->cpcnt = htole32(2);
	      lists(&n, 0, 0, 0));
}

static void destinations(void **state)
{
	(void)state;
	TAKEN(bcast_mp, w->node_mask = htole64(7));
	REFUSED(BAD_DEST, bcast_mp, w->node_mask = htole64(8));
	REFUSED(BAD_DEST, bcast_mp, w->node_mask = 0);
	TAKEN(bcast_mp, w->node_mask = 0; FLAG(TO_SELF));
	REFUSED(BAD_DEST, bcast_mp, w->node_mask = 0; FLAG(TO_PARENT));
	TAKEN(bcast_mp, w->node_mask = 0; lists(&n, 1, 1, 16));
	TAKEN(bcast_mp, w->opcode = TALLY_OPCODE_PUT_MP; w->node_mask = htole64(4));
	REFUSED(BAD_DEST, bcast_mp, w->opcode = TALLY_OPCODE_PUT_MP; w->node_mask = htole64(3));
	REFUSED(BAD_DEST, bcast_mp, w->opcode = TALLY_OPCODE_PUT_MP; FLAG(TO_SELF));
	REFUSED(BAD_DEST, bcast_mp, w->opcode = TALLY_OPCODE_PUT_MP; w->node_mask = 0;
		lists(&n, 1, 1, 16));
	alone_parent(&a, EDGE_PARENT);
	TAKEN(bcast_mp, w->node_mask = 0; FLAG(TO_PARENT));
	assert_true(out.flags & TALLY_WQE_F_TO_PARENT);
	assert_int_equal(out.node_mask, 0);
	REFUSED(BAD_DEST, bcast_mp, w->opcode = TALLY_OPCODE_PUT_MP; FLAG(TO_PARENT));
	TAKEN(bcast_mp, w->opcode = TALLY_OPCODE_PUT_MP; w->node_mask = 0; FLAG(TO_PARENT));
	TAKEN(bcast_mp, w->opcode = TALLY_OPCODE_PUT_MP; w->node_mask = 0; FLAG(TO_SELF));
	REFUSED(BAD_DEST, bcast_mp, w->opcode = TALLY_OPCODE_PUT_MP; w->node_mask = 0;
		FLAG(TO_PARENT); FLAG(TO_SELF));
}

/* A parent that has an index is named by its bit. */
static void parent_with_an_index(void **state)
{
	(void)state;
	a.g->parent = 2;
	TAKEN(bcast_mp, FLAG(TO_PARENT));
	assert_int_equal(out.node_mask, 5);
	assert_false(out.flags & TALLY_WQE_F_TO_PARENT);
	REFUSED(BAD_DEST, bcast_mp, FLAG(TO_PARENT); w->node_mask = htole64(4));
	TAKEN(bcast_mp, w->node_mask = htole64(4));
	TAKEN(bcast_mp, w->opcode = TALLY_OPCODE_PUT_MP; w->node_mask = 0; FLAG(TO_PARENT));
}

static void messages(void **state)
{
	(void)state;
	REFUSED(BAD_BRANCH, bcast_mp, w->branch = 0);
	TAKEN(bcast_mp, w->branch = 1);
	assert_int_equal(out.branch, 1);
	REFUSED(BAD_FLAGS, bcast_mp, w->flags = 0);
	REFUSED(BAD_FLAGS, bcast_mp, w->flags = 0; w->count = 0; lists(&n, 0, 0, 0));
	TAKEN(bcast_mp, w->flags = htole32(TALLY_WQE_F_SWP_MP));
	/* a message that only counts has no data */
	REFUSED(BAD_FLAGS, bcast_mp, w->flags = htole32(TALLY_WQE_F_CP));
	TAKEN(bcast_mp, w->flags = htole32(TALLY_WQE_F_CP); w->branch = 0; w->count = 0;
	      lists(&n, 0, 0, 0));
	TAKEN(bcast_mp, w->flags = htole32(TALLY_WQE_F_CP); lists(&n, 1, 1, 16));
	TAKEN(bcast_mp, w->flags = 0; w->node_mask = 0; w->branch = 0; lists(&n, 1, 1, 16));
	TAKEN(bcast_mp, w->node_mask = 0; w->branch = 0; lists(&n, 1, 1, 16));
	REFUSED(BAD_NUM_SGE, bcast_mp, lists(&n, 1, 2, 16));
	REFUSED(BAD_NUM_SGE, bcast_mp, lists(&n, 2, 0, 16));
}

/* ---- What is passed on ---- */

static void fields_are_unpacked(void **state)
{
	(void)state;
	TAKEN(bcast, w->mid = htole32(0x01020304); w->err_vector = htole16(0x0506);
	      w->root_node = htole16(2); w->root_rank = 33; w->flag_value = htole32(7);
	      w->flag_addr = htole64(0x1122334455667788); w->flag_lkey = htole32(0x99);
	      FLAG(FLAG_WORD); FLAG(SIGNALED));
	assert_int_equal(out.opcode, TALLY_OPCODE_BCAST);
	assert_int_equal(out.dtype, TALLY_TYPE_INT32);
	assert_int_equal(out.mid, 0x01020304);
	assert_int_equal(out.jid, ALONE_JID);
	assert_int_equal(out.index, INDEX);
	assert_int_equal(out.err_vector, 0x0506);
	assert_int_equal(out.root_node, 2);
	assert_int_equal(out.root_rank, 33);
	assert_int_equal(out.rank_mask, 1);
	assert_int_equal(out.num_gather, 0);
	assert_int_equal(out.num_result, 1);
	assert_int_equal(out.flags, TALLY_WQE_F_FLAG_WORD | TALLY_WQE_F_SIGNALED);
	assert_int_equal(out.flag.addr, 0x1122334455667788);
	assert_int_equal(out.flag.lkey, 0x99);
	assert_int_equal(out.flag_value, 7);
	assert_int_equal(out.timeout, 0);
}

static void completion_repeats_fields(void **state)
{
	const struct wqe w = { .opcode = 3, .flags = 5, .index = 7, .mid = 9, .jid = 11 };
	const struct request q = wqe_request(&w);

	(void)state;
	assert_int_equal(q.opcode, 3);
	assert_int_equal(q.flags, 5);
	assert_int_equal(q.index, 7);
	assert_int_equal(q.mid, 9);
}

/* Ranks 0 and 1 post; rank 1 of this node or of another is the root. */
static void ranks_of_the_lists(void **state)
{
	static const struct {
		uint8_t opcode;
		uint8_t give_here, get_here, give_away, get_away;
	} rows[] = {
		{ TALLY_OPCODE_ALLREDUCE, 3, 3, 3, 3 }, { TALLY_OPCODE_REDUCE, 3, 2, 3, 0 },
		{ TALLY_OPCODE_BCAST, 2, 1, 0, 3 },	{ TALLY_OPCODE_BARRIER, 3, 0, 3, 0 },
		{ TALLY_OPCODE_ALLGATHER, 3, 3, 3, 3 }, { TALLY_OPCODE_REDUCE_SCATTER, 3, 3, 3, 3 },
		{ TALLY_OPCODE_GATHER, 3, 2, 3, 0 },	{ TALLY_OPCODE_SCATTER, 2, 3, 0, 3 },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wqe w = { .opcode = rows[i].opcode, .rank_mask = 3, .root_rank = 1 };

		w.root_node = NODE;
		assert_int_equal(wqe_givers(a.g, &w), rows[i].give_here);
		assert_int_equal(wqe_getters(a.g, &w), rows[i].get_here);
		w.root_node = NODE + 1;
		assert_int_equal(wqe_givers(a.g, &w), rows[i].give_away);
		assert_int_equal(wqe_getters(a.g, &w), rows[i].get_away);
		w.root_node = NODE;
		w.root_rank = 2; /* does not post here */
		assert_int_equal(wqe_givers(a.g, &w), rows[i].give_here == 2 ? 0 : 3);
		w.flags = TALLY_WQE_F_EMPTY;
		assert_int_equal(wqe_givers(a.g, &w), w.opcode == TALLY_OPCODE_BARRIER ? 3 : 0);
		assert_int_equal(wqe_getters(a.g, &w), 0);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reasons),
		TEST(opcodes),
		TEST(lacking_opcodes),
		TEST(mode_of_a_request),
		TEST(mode_of_the_group),
		TEST(blocks_need_ranks_everywhere),
		TEST(common_fields),
		TEST(order_of_checks),
		TEST(flags_of_each_operation),
		TEST(ordered_needs_an_ordered_group),
		TEST(flag_word),
		TEST(types_and_operations),
		TEST(counts),
		TEST(chunks),
		TEST(chunks_in_fixed_order),
		TEST(indices),
		TEST(gather_list),
		TEST(lists_end_in_the_entry),
		TEST(lists_are_checked),
		TEST(as_many_as_ranks),
		TEST(data_in_the_request),
		TEST(lengths_of_blocks),
		TEST(roots),
		TEST(masks),
		TEST(masks_in_other_modes),
		TEST(masks_that_are_too_narrow),
		TEST(empty_root),
		TEST(segments),
		TEST(counters),
		TEST(swapping),
		TEST(destinations),
		TEST(parent_with_an_index),
		TEST(messages),
		TEST(fields_are_unpacked),
		TEST(completion_repeats_fields),
		TEST(ranks_of_the_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
