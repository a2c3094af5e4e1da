// SPDX-License-Identifier: BSD-2-Clause
#include "engine/test/test_job.h"

#include <inttypes.h>

#define NO_BUFFER (~0ULL)
#define SQ_DEPTH (2 * WR_WINDOW)
#define MOST_CHUNKS 128 /* most chunks that pass within the time limit one at a time under loss */

uint32_t job_elem_size(uint8_t dtype)
{
	return 1u << (dtype & 0xf);
}

static uint8_t type_class(uint8_t dtype)
{
	return dtype >> 4;
}

/* ---- Sizes ---- */

static bool blocked(const struct job_msg *m)
{
	return m->opcode == TALLY_OPCODE_GATHER || m->opcode == TALLY_OPCODE_SCATTER ||
	       m->opcode == TALLY_OPCODE_ALLGATHER || m->opcode == TALLY_OPCODE_REDUCE_SCATTER;
}

static bool gives_all(const struct job_msg *m)
{
	return m->opcode == TALLY_OPCODE_SCATTER || m->opcode == TALLY_OPCODE_REDUCE_SCATTER;
}

static bool gets_all(const struct job_msg *m)
{
	return m->opcode == TALLY_OPCODE_GATHER || m->opcode == TALLY_OPCODE_ALLGATHER;
}

/* Return the elements of a message: those of one rank, or the blocks of all ranks. */
static uint32_t total(const struct job *j, const struct job_msg *m)
{
	return blocked(m) ? m->count * job_ranks(j) : m->count;
}

/* Return the elements in the buffer of a rank that gives data, or gets data. */
static uint32_t given(const struct job *j, const struct job_msg *m)
{
	return gives_all(m) ? total(j, m) : m->count;
}

static uint32_t got(const struct job *j, const struct job_msg *m)
{
	return gets_all(m) ? total(j, m) : m->count;
}

static uint32_t chunks(const struct job *j, const struct job_msg *m)
{
	uint32_t len = m->chunk_len ? m->chunk_len : j->g->cfg.mtu;
	uint32_t chunk = len / job_elem_size(m->dtype), all = total(j, m);

	return all ? (all + chunk - 1) / chunk : 1;
}

uint32_t job_chunks_before(const struct job *j, unsigned int mid)
{
	uint32_t sum = 0;
	unsigned int i;

	for (i = 0; i < mid; i++)
		sum += chunks(j, &j->msgs[i]);
	return sum;
}

/* Return the position of a rank among all ranks of the group. */
static uint32_t global_rank(const struct job *j, unsigned int node, unsigned int rank)
{
	return j->g->rank_first[node] +
	       __builtin_popcountll(j->g->rank_mask[node] & ((1ULL << rank) - 1));
}

/* ---- Values ---- */

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static uint64_t bits_of(uint8_t dtype, double v)
{
	uint64_t bits = 0;
	float f = v;

	if (dtype == TALLY_TYPE_FP32)
		memcpy(&bits, &f, sizeof(f));
	else
		memcpy(&bits, &v, sizeof(v));
	return bits;
}

static double value_of(uint8_t dtype, uint64_t bits)
{
	double v;
	float f;

	if (dtype == TALLY_TYPE_FP32) {
		memcpy(&f, &bits, sizeof(f));
		return f;
	}
	memcpy(&v, &bits, sizeof(v));
	return v;
}

/*
 * Return element i of a rank's contribution. Floating-point values are quarters of small integers.
 */
static uint64_t element(const struct job *j, unsigned int mid, unsigned int node, unsigned int rank,
			uint32_t i)
{
	const struct job_msg *m = &j->msgs[mid];
	uint64_t r = mix(j->seed + mix(mid * 64 + node + ((uint64_t)rank << 20) + 1) + i);

	if (type_class(m->dtype) == TALLY_TYPE_CLASS_FP)
		return bits_of(m->dtype, ((int)(r % 4001) - 2000) * 0.25);
	return r;
}

static int64_t sign_extended(uint8_t dtype, uint64_t bits)
{
	return dtype == TALLY_TYPE_INT32 ? (int32_t)bits : (int64_t)bits;
}

static bool less(uint8_t dtype, uint64_t a, uint64_t b)
{
	if (type_class(dtype) == TALLY_TYPE_CLASS_FP)
		return value_of(dtype, a) < value_of(dtype, b);
	return sign_extended(dtype, a) < sign_extended(dtype, b);
}

static uint64_t combined(uint8_t op, uint8_t dtype, uint64_t a, uint64_t b)
{
	switch (op) {
	case TALLY_OP_SUM:
		if (type_class(dtype) == TALLY_TYPE_CLASS_FP)
			return bits_of(dtype, value_of(dtype, a) + value_of(dtype, b));
		return a + b;
	case TALLY_OP_MIN:
		return less(dtype, b, a) ? b : a;
	case TALLY_OP_MAX:
		return less(dtype, a, b) ? b : a;
	case TALLY_OP_BAND:
		return a & b;
	case TALLY_OP_BOR:
		return a | b;
	default:
		return a ^ b;
	}
}

static uint64_t gathered(const struct job *j, unsigned int mid, uint32_t i)
{
	uint32_t count = j->msgs[mid].count, n = 0, k = i / count;
	uint64_t ranks;

	while (k >= j->g->rank_first[n + 1])
		n++;
	ranks = j->g->rank_mask[n];
	for (k -= j->g->rank_first[n]; k; k--)
		ranks &= ranks - 1;
	return element(j, mid, n, __builtin_ctzll(ranks), i % count);
}

static uint64_t expected(const struct job *j, unsigned int mid, uint32_t i)
{
	const struct job_msg *m = &j->msgs[mid];
	uint64_t acc = 0, ranks;
	bool first = true;
	unsigned int n;

	if (m->opcode == TALLY_OPCODE_BCAST || m->opcode == TALLY_OPCODE_SCATTER)
		return element(j, mid, m->root_node, m->root_rank, i);
	if (gets_all(m))
		return gathered(j, mid, i);
	for (n = 0; n < j->g->cfg.nodes; n++)
		for (ranks = j->g->rank_mask[n]; ranks; ranks &= ranks - 1) {
			uint64_t v = element(j, mid, n, __builtin_ctzll(ranks), i);

			acc = first ? v : combined(m->op, m->dtype, acc, v);
			first = false;
		}
	return acc;
}

/* ---- Creation ---- */

static void add_poster(struct job *j, unsigned int node, uint64_t ranks)
{
	struct job_poster *p = &j->posters[j->num_posters++];

	assert_true(j->num_posters <= JOB_MAX_POSTERS);
	p->node = node;
	p->ranks = ranks;
	p->qp = tb_qp_create(j->g, node, ranks, SQ_DEPTH, __builtin_ctzll(ranks));
}

static void begin(struct job *j, struct tb_group *g, uint64_t seed)
{
	memset(j, 0, sizeof(*j));
	memset(j->out, 0xff, sizeof(j->out));
	j->g = g;
	j->tb = g->tb;
	j->seed = seed;
}

void job_init_by_node(struct job *j, struct tb_group *g, uint64_t seed)
{
	unsigned int n;

	begin(j, g, seed);
	for (n = 0; n < g->cfg.nodes; n++)
		add_poster(j, n, g->rank_mask[n]);
}

void job_init(struct job *j, struct tb_group *g, uint64_t seed, bool leaders)
{
	unsigned int n;

	begin(j, g, seed);
	for (n = 0; n < g->cfg.nodes; n++) {
		uint64_t left = g->rank_mask[n];

		while (left) {
			uint64_t ranks = leaders ? left & (rng_next(sim_rng(j->tb->sim)) | 0x5) :
						   left & -left;

			if (!ranks)
				continue;
			add_poster(j, n, ranks);
			left &= ~ranks;
		}
	}
}

void job_next_batch(struct job *j)
{
	unsigned int i;

	j->first_num += job_chunks_before(j, j->num_msgs);
	j->first_mid += j->num_msgs;
	j->num_msgs = 0;
	for (i = 0; i < j->num_posters; i++)
		j->posters[i].next = 0;
	memset(j->out, 0xff, sizeof(j->out));
}

bool job_posted(const struct job *j)
{
	unsigned int i;

	for (i = 0; i < j->num_posters; i++)
		if (j->posters[i].next < j->num_msgs)
			return false;
	return true;
}

struct job_msg *job_add(struct job *j, uint8_t opcode, uint8_t op, uint8_t dtype, uint32_t count)
{
	struct job_msg *m = &j->msgs[j->num_msgs++];

	assert_true(j->num_msgs <= JOB_MAX_MSGS);
	*m = (struct job_msg){ .opcode = opcode, .op = op, .dtype = dtype, .count = count };
	return m;
}

unsigned int job_ranks(const struct job *j)
{
	return j->g->rank_first[j->g->cfg.nodes];
}

void job_root(const struct job *j, struct job_msg *m, unsigned int k)
{
	unsigned int n;

	k %= job_ranks(j);
	for (n = 0; n < j->g->cfg.nodes; n++) {
		uint64_t ranks = j->g->rank_mask[n];

		for (; ranks; ranks &= ranks - 1, k--)
			if (!k) {
				m->root_node = n;
				m->root_rank = __builtin_ctzll(ranks);
				return;
			}
	}
}

static const uint8_t all_types[] = {
	TALLY_TYPE_INT32,
	TALLY_TYPE_INT64,
	TALLY_TYPE_FP32,
	TALLY_TYPE_FP64,
};

static const uint8_t all_ops[] = {
	TALLY_OP_SUM, TALLY_OP_MIN, TALLY_OP_MAX, TALLY_OP_BAND, TALLY_OP_BOR, TALLY_OP_BXOR,
};

static uint32_t random_count(struct job *j, uint32_t size)
{
	uint32_t most = j->g->cfg.mtu / size;

	switch (tb_rand(j->tb, 6)) {
	case 5:
		return tb_rand(j->tb, 5 * most);
	case 0:
		return tb_rand(j->tb, 2);
	case 1:
		return most - tb_rand(j->tb, 2);
	case 2:
		return tb_rand(j->tb, most);
	default:
		return tb_rand(j->tb, 1 + 64 / size);
	}
}

static uint8_t random_opcode(struct job *j)
{
	static const uint8_t opcodes[] = { TALLY_OPCODE_ALLREDUCE,     TALLY_OPCODE_ALLREDUCE,
					   TALLY_OPCODE_REDUCE,	       TALLY_OPCODE_BCAST,
					   TALLY_OPCODE_BARRIER,       TALLY_OPCODE_GATHER,
					   TALLY_OPCODE_SCATTER,       TALLY_OPCODE_ALLGATHER,
					   TALLY_OPCODE_REDUCE_SCATTER };
	/* nodes without ranks do not take part in messages of blocks */
	bool sparse = j->g->cfg.flags & TALLY_GROUP_F_SPARSE;
	struct job_msg m;

	do
		m.opcode = opcodes[tb_rand(j->tb, sizeof(opcodes))];
	while (!opcode_offered(j->g->cfg.mode, m.opcode) || (sparse && blocked(&m)));
	return m.opcode;
}

void job_add_random(struct job *j)
{
	uint8_t opcode = random_opcode(j);
	uint8_t dtype = all_types[tb_rand(j->tb, sizeof(all_types))];
	bool fp = type_class(dtype) == TALLY_TYPE_CLASS_FP;
	uint8_t op = all_ops[tb_rand(j->tb, fp ? 3 : sizeof(all_ops))];
	uint32_t count = random_count(j, job_elem_size(dtype));
	struct job_msg *m;

	if (opcode == TALLY_OPCODE_BARRIER) {
		job_add(j, opcode, TALLY_OP_NONE, TALLY_TYPE_NONE, 0);
		return;
	}
	if (!opcode_reduces(opcode))
		op = TALLY_OP_NONE;
	m = job_add(j, opcode, op, dtype, count);
	if (blocked(m) && m->count > 4)
		m->count /= 4;
	if (!tb_rand(j->tb, 4))
		m->chunk_len = 8 + tb_rand(j->tb, j->g->cfg.mtu - 7);
	if (chunks(j, m) > MOST_CHUNKS)
		m->chunk_len = 0;
	m->in_place = tb_rand(j->tb, 2);
	m->inline_data = tb_rand(j->tb, 2);
	m->silent = !tb_rand(j->tb, 4);
	if (opcode_rooted(opcode))
		job_root(j, m, tb_rand(j->tb, ~0u));
}

/* ---- Posting ---- */

static bool is_root_rank(const struct job_msg *m, unsigned int node, unsigned int rank)
{
	return m->root_node == node && m->root_rank == rank;
}

static bool gives(const struct job_msg *m, unsigned int node, unsigned int rank)
{
	if (m->opcode == TALLY_OPCODE_BCAST || m->opcode == TALLY_OPCODE_SCATTER)
		return is_root_rank(m, node, rank);
	return m->opcode != TALLY_OPCODE_BARRIER;
}

static bool gets(const struct job_msg *m, unsigned int node, unsigned int rank)
{
	if (m->opcode == TALLY_OPCODE_BCAST)
		return !is_root_rank(m, node, rank);
	if (m->opcode == TALLY_OPCODE_REDUCE || m->opcode == TALLY_OPCODE_GATHER)
		return is_root_rank(m, node, rank);
	return m->opcode != TALLY_OPCODE_BARRIER;
}

static void put_elements(const struct job *j, unsigned int mid, unsigned int node,
			 unsigned int rank, uint8_t *at)
{
	const struct job_msg *m = &j->msgs[mid];
	uint32_t i, size = job_elem_size(m->dtype);

	for (i = 0; i < given(j, m); i++) {
		uint64_t v = htole64(element(j, mid, node, rank, i));

		memcpy(at + i * size, &v, size);
	}
}

/* In place: a rank's own data are inside its result, or the result is inside its data. */
static uint64_t shared_buffer(struct job *j, struct tb_node *n, const struct job_msg *m,
			      unsigned int node, unsigned int rank, size_t len[2])
{
	size_t own = (size_t)global_rank(j, node, rank) * m->count * job_elem_size(m->dtype);
	uint64_t at = tb_alloc(n, len[0] > len[1] ? len[0] : len[1]);

	return blocked(m) ? at + own : at;
}

static void add_lists(struct job *j, struct tb_node *n, const struct job_poster *p,
		      unsigned int mid, struct tb_post *post, uint8_t *data)
{
	const struct job_msg *m = &j->msgs[mid];
	size_t size = job_elem_size(m->dtype), len[2] = { given(j, m) * size, got(j, m) * size };
	uint64_t left = p->ranks;

	for (; left; left &= left - 1) {
		unsigned int rank = __builtin_ctzll(left);
		bool in = gives(m, p->node, rank), out = gets(m, p->node, rank);
		uint64_t from = NO_BUFFER, to = NO_BUFFER;

		if (in && out && m->in_place && !data) {
			from = to = shared_buffer(j, n, m, p->node, rank, len);
			if (gets_all(m))
				to -= global_rank(j, p->node, rank) * len[0];
			if (gives_all(m))
				from -= global_rank(j, p->node, rank) * len[1];
		}
		if (in && data) {
			put_elements(j, mid, p->node, rank, data);
			tb_inline(post, data, len[0]);
		} else if (in) {
			from = from == NO_BUFFER ? tb_alloc(n, len[0]) : from;
			put_elements(j, mid, p->node, rank, tb_at(n, from));
			tb_gather(post, from, len[0]);
		}
		if (out) {
			to = to == NO_BUFFER ? tb_alloc(n, len[1]) : to;
			tb_result(post, to, len[1]);
			j->out[p->node][rank][mid] = to;
		}
	}
}

/* ---- Combined entries ---- */

static bool is_combined(const struct job *j, const struct job_msg *m, const struct job_poster *p)
{
	return m->combined && m->opcode != TALLY_OPCODE_BARRIER &&
	       (!blocked(m) || p->ranks == j->g->rank_mask[p->node]);
}

/* Return the rank whose entry stands for all ranks of a request, or 64: none of them has one. */
static unsigned int stand_in(const struct job_msg *m, const struct job_poster *p,
			     bool (*has)(const struct job_msg *m, unsigned int node,
					 unsigned int rank))
{
	uint64_t left = p->ranks;

	if (has == gets && m->opcode == TALLY_OPCODE_BCAST && m->root_node == p->node &&
	    (left >> m->root_rank & 1))
		return 64;
	for (; left; left &= left - 1)
		if (has(m, p->node, __builtin_ctzll(left)))
			return __builtin_ctzll(left);
	return 64;
}

/* Return element i of the data of all ranks of a request: their blocks, or what they give combined. */
static uint64_t joint_element(const struct job *j, unsigned int mid, const struct job_poster *p,
			      uint32_t i)
{
	const struct job_msg *m = &j->msgs[mid];
	uint64_t ranks = p->ranks, v;
	uint32_t k;

	if (!opcode_reduces(m->opcode) && !gets_all(m))
		return element(j, mid, p->node, m->root_rank, i);
	for (k = gets_all(m) ? i / m->count : 0; k; k--)
		ranks &= ranks - 1;
	v = element(j, mid, p->node, __builtin_ctzll(ranks), gets_all(m) ? i % m->count : i);
	for (ranks &= ranks - 1; ranks && !gets_all(m); ranks &= ranks - 1)
		v = combined(m->op, m->dtype, v,
			     element(j, mid, p->node, __builtin_ctzll(ranks), i));
	return v;
}

static uint32_t joint_given(const struct job *j, const struct job_msg *m,
			    const struct job_poster *p)
{
	return given(j, m) * (gets_all(m) ? __builtin_popcountll(p->ranks) : 1);
}

static uint32_t joint_got(const struct job *j, const struct job_msg *m, const struct job_poster *p)
{
	return got(j, m) * (gives_all(m) ? __builtin_popcountll(p->ranks) : 1);
}

static void add_joint_lists(struct job *j, struct tb_node *n, const struct job_poster *p,
			    unsigned int mid, struct tb_post *post, uint8_t *data)
{
	const struct job_msg *m = &j->msgs[mid];
	uint32_t i, size = job_elem_size(m->dtype), num = joint_given(j, m, p);
	unsigned int out = stand_in(m, p, gets);

	if (stand_in(m, p, gives) < 64) {
		uint64_t from = data ? 0 : tb_alloc(n, num * size);
		uint8_t *at = data ? data : tb_at(n, from);

		for (i = 0; i < num; i++) {
			uint64_t v = htole64(joint_element(j, mid, p, i));

			memcpy(at + i * size, &v, size);
		}
		if (data)
			tb_inline(post, data, num * size);
		else
			tb_gather(post, from, num * size);
	}
	if (out < 64) {
		j->out[p->node][out][mid] = tb_alloc(n, joint_got(j, m, p) * size);
		tb_result(post, j->out[p->node][out][mid], joint_got(j, m, p) * size);
	}
	post->w.flags |= htole32(TALLY_WQE_F_COMBINED);
}

static bool can_inline(const struct job *j, const struct job_msg *m, const struct job_poster *p)
{
	unsigned int givers = 0;
	uint64_t left = p->ranks;

	if (is_combined(j, m, p))
		return m->inline_data && stand_in(m, p, gives) < 64 &&
		       joint_given(j, m, p) * job_elem_size(m->dtype) <= TB_INLINE;
	for (; left; left &= left - 1)
		givers += gives(m, p->node, __builtin_ctzll(left));
	return m->inline_data && givers == 1 && given(j, m) * job_elem_size(m->dtype) <= TB_INLINE;
}

void job_post(struct job *j, struct job_poster *p)
{
	struct tb_node *n = tb_group_node(j->g, p->node);
	unsigned int mid = p->next++;
	const struct job_msg *m = &j->msgs[mid];
	struct tb_post post = tb_request(j->g, m->opcode, j->first_mid + mid, p->ranks);
	uint8_t data[TB_INLINE];

	post.w.op = m->op;
	post.w.mode = m->mode;
	post.w.dtype = m->dtype;
	post.w.count = htole64(m->count);
	post.w.root_node = htole16(m->root_node);
	post.w.root_rank = m->root_rank;
	post.w.chunk_len = htole32(m->chunk_len);
	if (m->silent && mid + 1 < j->num_msgs)
		post.w.flags &= ~htole32(TALLY_WQE_F_SIGNALED);
	if (is_combined(j, m, p))
		add_joint_lists(j, n, p, mid, &post, can_inline(j, m, p) ? data : NULL);
	else
		add_lists(j, n, p, mid, &post, can_inline(j, m, p) ? data : NULL);
	p->posted[mid] = sim_now(j->tb->sim);
	p->index[mid] = tb_post_ring(n, p->qp, &post);
}

void job_post_all(struct job *j, vtime_t spread)
{
	vtime_t start = sim_now(j->tb->sim), at[JOB_MAX_POSTERS];
	unsigned int i, k;

	for (i = 0; i < j->num_posters; i++)
		at[i] = start + tb_rand(j->tb, spread + 1);
	for (;;) {
		k = j->num_posters;
		for (i = 0; i < j->num_posters; i++)
			if (j->posters[i].next < j->num_msgs &&
			    (k == j->num_posters || at[i] < at[k]))
				k = i;
		if (k == j->num_posters)
			return;
		sim_run_until(j->tb->sim, at[k]);
		job_post(j, &j->posters[k]);
		if (tb_rand(j->tb, 3)) /* often several requests at once */
			at[k] += tb_rand(j->tb, spread / j->num_msgs + 1);
	}
}

/* ---- Checking ---- */

static vtime_t last_needed(const struct job *j, unsigned int mid)
{
	const struct job_msg *m = &j->msgs[mid];
	vtime_t last = 0;
	unsigned int i;

	for (i = 0; i < j->num_posters; i++) {
		const struct job_poster *p = &j->posters[i];

		if (m->opcode == TALLY_OPCODE_SCATTER || (blocked(m) && !m->count))
			continue; /* no dependency, or on the root alone */
		if (m->opcode == TALLY_OPCODE_BCAST &&
		    !(p->node == m->root_node && (p->ranks >> m->root_rank & 1)))
			continue;
		last = p->posted[mid] > last ? p->posted[mid] : last;
	}
	return last;
}

/* Check a request: a rank with a result must not complete before all others have posted. */
static void check_request(const struct job *j, const struct job_poster *p, unsigned int mid,
			  vtime_t last)
{
	const struct tb_wr *wr = &p->qp->wrs[p->index[mid]];
	const struct job_msg *m = &j->msgs[mid];
	uint32_t len = got(j, m) * job_elem_size(m->dtype), bytes = 0;
	uint32_t last_num = j->first_num + job_chunks_before(j, mid + 1) - 1;
	uint64_t left = p->ranks;
	bool waits = m->opcode == TALLY_OPCODE_BARRIER;

	tb_assert_cqe(wr, TALLY_COLL_OK);
	for (; left; left &= left - 1)
		if (gets(m, p->node, __builtin_ctzll(left))) {
			bytes += len;
			waits = true;
		}
	if (is_combined(j, m, p)) {
		waits = stand_in(m, p, gets) < 64;
		bytes = waits ? joint_got(j, m, p) * job_elem_size(m->dtype) : 0;
	}
	if (waits && wr->completed < last)
		fail_msg("mid %u completed at node %u at %" PRIu64 ", before %" PRIu64, mid,
			 p->node, wr->completed, last);
	if (!wr->has_cqe)
		return;
	assert_int_equal(le32toh(wr->cqe.byte_cnt), bytes);
	assert_int_equal(le16toh(wr->cqe.detector), p->node);
	assert_int_equal(le32toh(wr->cqe.jid), j->g->cfg.jid);
	assert_int_equal(le16toh(wr->cqe.seg),
			 last_num % (j->g->cfg.max_segs ? j->g->cfg.max_segs : j->g->cfg.segs));
	assert_int_equal(le32toh(wr->cqe.sid), chunks(j, m) - 1);
	assert_int_equal(wr->cqe.contributors | wr->cqe.ranks, 0);
}

/* Return all elements of a message as they must arrive. The caller frees them. */
static uint8_t *expect_all(const struct job *j, unsigned int mid)
{
	uint32_t i, size = job_elem_size(j->msgs[mid].dtype), all = total(j, &j->msgs[mid]);
	uint8_t *want = malloc(all * size + 1);

	assert_non_null(want);
	for (i = 0; i < all; i++) {
		uint64_t v = htole64(expected(j, mid, i));

		memcpy(want + i * size, &v, size);
	}
	return want;
}

static void check_results(const struct job *j, const struct job_poster *p, unsigned int mid,
			  const uint8_t *all)
{
	const struct job_msg *m = &j->msgs[mid];
	uint32_t i, size = job_elem_size(m->dtype);
	uint64_t left = p->ranks;

	for (; left; left &= left - 1) {
		unsigned int rank = __builtin_ctzll(left);
		uint64_t at = j->out[p->node][rank][mid];
		const uint8_t *have, *want = all;
		uint32_t num = is_combined(j, m, p) ? joint_got(j, m, p) : got(j, m);

		if (at == NO_BUFFER)
			continue;
		have = tb_at(tb_group_node(j->g, p->node), at);
		if (gives_all(m))
			want += global_rank(j, p->node, rank) * m->count * size;
		for (i = 0; i < num; i++)
			if (memcmp(have + i * size, want + i * size, size))
				fail_msg("mid %u opcode %u op %u type %#x count %u: element %u at "
					 "node %u rank %u",
					 mid, m->opcode, m->op, m->dtype, m->count, i, p->node,
					 rank);
	}
}

static bool succeeded(const struct job_poster *p, unsigned int mid)
{
	const struct tb_wr *wr = &p->qp->wrs[p->index[mid]];

	return wr->retired && !wr->cqe.coll_status;
}

static void check(const struct job *j, bool all)
{
	unsigned int mid, i;

	for (mid = 0; mid < j->num_msgs; mid++) {
		vtime_t last = last_needed(j, mid);
		uint8_t *want = expect_all(j, mid);

		for (i = 0; i < j->num_posters; i++) {
			const struct job_poster *p = &j->posters[i];

			if (!all && (!p->qp->used || p->next <= mid || !succeeded(p, mid)))
				continue;
			check_request(j, p, mid, last);
			check_results(j, p, mid, want);
		}
		free(want);
	}
}

void job_check(const struct job *j)
{
	check(j, true);
}

void job_check_successful(const struct job *j)
{
	check(j, false);
}

void job_run(struct job *j, vtime_t limit, bool lossy)
{
	struct testbed *tb = j->tb;

	job_post_all(j, 50 * VT_US);
	tb_finish(tb, limit);
	job_check(j);
	tb_run_for(tb, 200 * VT_MS);
	tb_assert_all_empty(tb);
	tb_assert_done(j->g, job_chunks_before(j, j->num_msgs));
	if (lossy)
		return;
	assert_int_equal(tb_counter(tb, TALLY_CTR_retransmits), 0);
	assert_int_equal(tb_counter(tb, TALLY_CTR_drop_slot), 0);
	assert_int_equal(tb_counter(tb, TALLY_CTR_drop_window), 0);
	assert_int_equal(tb_counter(tb, TALLY_CTR_drop_tch), 0);
}

void job_end(struct job *j)
{
	unsigned int before[TB_MAX_NODES], i;

	for (i = 0; i < j->num_posters; i++)
		if (j->posters[i].qp->used)
			tb_qp_destroy(j->g, j->posters[i].node, j->posters[i].qp);
	for (i = 0; i < j->g->cfg.nodes; i++) {
		before[i] = tb_count_events(tb_group_node(j->g, i), TALLY_EQE_GROUP_DRAINED);
		tb_group_destroy(j->g, i);
	}
	tb_run_for(j->tb, 2 * (vtime_t)j->g->cfg.timeout_ms * VT_MS);
	for (i = 0; i < j->g->cfg.nodes; i++) {
		struct tb_node *n = tb_group_node(j->g, i);

		assert_int_equal(tb_count_events(n, TALLY_EQE_GROUP_DRAINED), before[i] + 1);
		assert_int_equal(tb_group_state(j->g, i)->state, TALLY_GROUP_NONE);
	}
	tb_recycle(j->tb);
}
