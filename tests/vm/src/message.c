/* SPDX-License-Identifier: BSD-2-Clause */
#include "message.h"

#include "check.h"
#include "oracle.h"

#define GUARD 0xa5
#define GUARD_BYTES 64

/* Offsets of a rank's data and result in the memory. Length 0 means that it has none. */
struct place {
	size_t give, get;
	size_t give_len, get_len;
};

void stage_open(struct stage *s, struct cluster *c, uint64_t ranks, uint8_t *memory, size_t size)
{
	*s = (struct stage){ .nodes = c->count, .ranks = ranks, .memory = memory, .size = size };
	for (unsigned int node = 0; node < c->count; node++) {
		s->mr[node] = ibv_reg_mr(c->nic[node].pd, memory, size, IBV_ACCESS_LOCAL_WRITE);
		REQUIRE(s->mr[node], "%zu bytes at node %u", size, node);
	}
}

void stage_close(struct stage *s)
{
	for (unsigned int node = 0; node < s->nodes; node++)
		REQUIRE(!ibv_dereg_mr(s->mr[node]), "node %u", node);
}

/* ---- Layout of the data ---- */
static unsigned int local_ranks(const struct stage *s)
{
	return __builtin_popcountll(s->ranks);
}

static uint32_t total_ranks(const struct stage *s)
{
	return s->nodes * local_ranks(s);
}

static uint32_t global_rank(const struct stage *s, unsigned int node, unsigned int rank)
{
	return node * local_ranks(s) + __builtin_popcountll(s->ranks & ((1ULL << rank) - 1));
}

/* Returns whether the message has one block for each rank. */
static bool is_blocked(const struct message *m)
{
	return m->opcode == TALLY_OPCODE_GATHER || m->opcode == TALLY_OPCODE_SCATTER ||
	       m->opcode == TALLY_OPCODE_ALLGATHER || m->opcode == TALLY_OPCODE_REDUCE_SCATTER;
}

/* Returns whether every rank has all blocks, not only the root. */
static bool is_everywhere(const struct message *m)
{
	return m->opcode == TALLY_OPCODE_ALLGATHER || m->opcode == TALLY_OPCODE_REDUCE_SCATTER;
}

static bool is_root(const struct message *m, unsigned int node, unsigned int rank)
{
	return node == m->root_node && rank == m->root_rank;
}

static size_t give_size(const struct message *m)
{
	return m->count * (m->loc_values ? oracle_value_size(m->dtype) :
					   oracle_elem_size(m->op, m->dtype));
}

static size_t get_size(const struct message *m)
{
	return m->count * oracle_elem_size(m->op, m->dtype);
}

static bool gives(const struct message *m, bool root)
{
	return m->opcode == TALLY_OPCODE_BCAST || m->opcode == TALLY_OPCODE_SCATTER ?
		       root : m->opcode != TALLY_OPCODE_BARRIER;
}

static bool gets(const struct message *m, bool root)
{
	if (m->opcode == TALLY_OPCODE_REDUCE || m->opcode == TALLY_OPCODE_GATHER)
		return root;
	if (m->opcode == TALLY_OPCODE_BCAST)
		return !root;
	return m->opcode != TALLY_OPCODE_BARRIER;
}

/* Returns the room for the data or the result of one rank. The addresses may be odd. */
static size_t room(const struct message *m)
{
	return (get_size(m) + 2 * GUARD_BYTES - 1) / GUARD_BYTES * GUARD_BYTES;
}

/* Returns the offset of all blocks in order, at the root or at each rank. */
static size_t all_blocks(const struct stage *s, const struct message *m, uint32_t global)
{
	size_t each = is_everywhere(m) ? total_ranks(s) * get_size(m) + GUARD_BYTES : 0;

	return m->at + m->mid % 7 + 2 * total_ranks(s) * room(m) + global * each;
}

size_t message_size(const struct stage *s, const struct message *m)
{
	size_t blocks = is_blocked(m) ? total_ranks(s) * get_size(m) : 0;

	return all_blocks(s, m, total_ranks(s) - 1) - m->at + blocks + GUARD_BYTES;
}

static struct place place_of(const struct stage *s, const struct message *m, unsigned int node,
			     unsigned int rank)
{
	uint32_t global = global_rank(s, node, rank);
	size_t all = all_blocks(s, m, global), block = all + global * get_size(m);
	bool root = is_root(m, node, rank);
	struct place p = { .give = m->at + m->mid % 7 + 2 * global * room(m) };

	p.get = m->in_place ? p.give : p.give + room(m);
	p.give_len = gives(m, root) ? give_size(m) : 0;
	p.get_len = gets(m, root) ? get_size(m) : 0;
	if ((root && m->opcode == TALLY_OPCODE_GATHER) || m->opcode == TALLY_OPCODE_ALLGATHER) {
		p.get = all;
		p.get_len *= total_ranks(s);
		p.give = m->in_place ? block : p.give;
	} else if ((root && m->opcode == TALLY_OPCODE_SCATTER) ||
		   m->opcode == TALLY_OPCODE_REDUCE_SCATTER) {
		p.give = all;
		p.give_len *= total_ranks(s);
		p.get = m->in_place ? block : p.get;
	}
	return p;
}

#define FOR_EACH_RANK(rank, mask)                                 \
	for (unsigned int rank = 0; rank < TALLY_MAX_RANKS; rank++) \
		if ((mask) >> rank & 1)

/* ---- Expected results ---- */
static struct arith arith_of(const struct stage *s, const struct message *m)
{
	return (struct arith){ m->op, m->dtype, total_ranks(s) };
}

/* Returns the number of reduced elements: those of all blocks, if there are blocks. */
static uint64_t num_reduced(const struct stage *s, const struct message *m)
{
	return is_blocked(m) ? m->count * total_ranks(s) : m->count;
}

static uint32_t loc_index(const struct message *m, unsigned int node)
{
	return m->loc_values ? 1000 * (node ^ 1) + m->mid : 0;
}

static void fill_rank(const struct stage *s, const struct message *m, unsigned int node,
		      unsigned int rank)
{
	struct place p = place_of(s, m, node, rank);
	uint32_t global = global_rank(s, node, rank);
	struct arith a = arith_of(s, m);

	if (!p.give_len)
		return;
	if (m->op == TALLY_OP_NONE)
		for (size_t i = 0; i < p.give_len; i++)
			s->memory[p.give + i] = i * 31 + (i >> 8) + global * 7 + m->mid;
	else if (oracle_is_loc(m->op) && !m->loc_values)
		oracle_fill_pairs(&a, global, num_reduced(s, m), s->memory + p.give);
	else
		oracle_fill_values(&a, global, num_reduced(s, m), s->memory + p.give);
}

static uint8_t *reduced(const struct stage *s, const struct message *m)
{
	size_t size = num_reduced(s, m) * oracle_elem_size(m->op, m->dtype);
	uint8_t *sum = malloc(size + 1), *own = malloc(size + 1);
	uint64_t count = num_reduced(s, m);
	struct arith a = arith_of(s, m);
	bool first = true;

	REQUIRE(sum && own, "%zu bytes", size);
	for (unsigned int node = 0; node < s->nodes; node++) {
		FOR_EACH_RANK(rank, s->ranks) {
			const uint8_t *data = s->memory + place_of(s, m, node, rank).give;

			if (m->loc_values)
				oracle_expand(m->dtype, count, loc_index(m, node), data, own);
			else
				memcpy(own, data, size);
			if (first)
				memcpy(sum, own, size);
			else
				oracle_fold(&a, count, sum, own);
			first = false;
		}
	}
	free(own);
	if (m->op == TALLY_OP_AVG)
		oracle_average(&a, count, sum);
	return sum;
}

/* Computes the result of one rank from the data of all ranks. */
static void expect_result(const struct stage *s, const struct message *m, unsigned int node,
			  unsigned int rank, const uint8_t *sum, uint8_t *to)
{
	struct place root = place_of(s, m, m->root_node, m->root_rank);
	size_t block = get_size(m);

	switch (m->opcode) {
	case TALLY_OPCODE_BCAST:
		memcpy(to, s->memory + root.give, block);
		break;
	case TALLY_OPCODE_SCATTER:
		memcpy(to, s->memory + root.give + global_rank(s, node, rank) * block, block);
		break;
	case TALLY_OPCODE_REDUCE_SCATTER:
		memcpy(to, sum + global_rank(s, node, rank) * block, block);
		break;
	case TALLY_OPCODE_GATHER:
	case TALLY_OPCODE_ALLGATHER:
		for (unsigned int n = 0; n < s->nodes; n++)
			FOR_EACH_RANK(r, s->ranks)
				memcpy(to + global_rank(s, n, r) * block,
				       s->memory + place_of(s, m, n, r).give, block);
		break;
	default:
		memcpy(to, sum, block);
	}
}

uint8_t *message_fill(const struct stage *s, const struct message *m)
{
	size_t size = message_size(s, m);
	uint8_t *wanted = malloc(size), *sum;

	REQUIRE(wanted && m->at + size <= s->size, "%zu bytes", size);
	memset(s->memory + m->at, GUARD, size);
	for (unsigned int node = 0; node < s->nodes; node++)
		FOR_EACH_RANK(rank, s->ranks)
			fill_rank(s, m, node, rank);
	sum = m->op == TALLY_OP_NONE ? NULL : reduced(s, m);
	memcpy(wanted, s->memory + m->at, size);
	for (unsigned int node = 0; node < s->nodes; node++)
		FOR_EACH_RANK(rank, s->ranks) {
			struct place p = place_of(s, m, node, rank);

			if (p.get_len)
				expect_result(s, m, node, rank, sum, wanted + p.get - m->at);
		}
	free(sum);
	return wanted;
}

/* Reports the rank whose result is wrong. */
static void blame(const struct stage *s, const struct message *m, size_t at, uint8_t wanted)
{
	for (unsigned int node = 0; node < s->nodes; node++)
		FOR_EACH_RANK(rank, s->ranks) {
			struct place p = place_of(s, m, node, rank);

			if (at >= p.get && at - p.get < p.get_len)
				fprintf(stderr, "byte %zu of the result of rank %u.%u\n",
					at - p.get, node, rank);
		}
	REQUIRE(false, "%s %s %s of %lu elements, message %u, root %u.%u, in place %d, chunks of %u: byte %zu is %#x, not %#x",
		tallydv_opcode_str(m->opcode), tallydv_op_str(m->op), tallydv_type_str(m->dtype),
		m->count, m->mid, m->root_node, m->root_rank, m->in_place, m->chunk_len, at,
		s->memory[at], wanted);
}

void message_check(const struct stage *s, const struct message *m, uint8_t *wanted)
{
	size_t size = message_size(s, m);

	if (memcmp(s->memory + m->at, wanted, size))
		for (size_t i = 0; i < size; i++)
			if (s->memory[m->at + i] != wanted[i])
				blame(s, m, m->at + i, wanted[i]);
	free(wanted);
}

/* ---- Posting ---- */
struct lists {
	struct ibv_sge give[TALLY_MAX_SGE], get[TALLY_MAX_SGE];
	unsigned int num_give, num_get;
	size_t bytes; /* bytes of results */
};

static void make_lists(const struct stage *s, const struct message *m, unsigned int node,
		       uint64_t ranks, struct lists *l)
{
	uint32_t lkey = s->mr[node]->lkey;
	uintptr_t base = (uintptr_t)s->memory;

	l->num_give = l->num_get = l->bytes = 0;
	FOR_EACH_RANK(rank, ranks) {
		struct place p = place_of(s, m, node, rank);

		if (p.give_len)
			l->give[l->num_give++] =
				(struct ibv_sge){ base + p.give, p.give_len, lkey };
		if (p.get_len)
			l->get[l->num_get++] = (struct ibv_sge){ base + p.get, p.get_len, lkey };
		l->bytes += p.get_len;
	}
}

static void post_extended(struct port *port, const struct tallydv_send_wr *w, struct lists *l)
{
	int err;

	ibv_wr_start(port->ex);
	port->ex->wr_id = w->wr.wr_id;
	port->ex->wr_flags = w->wr.send_flags & ~IBV_SEND_INLINE;
	tallydv_wr_coll(port->dv, &w->coll);
	if (w->wr.send_flags & IBV_SEND_INLINE)
		ibv_wr_set_inline_data(port->ex, (void *)(uintptr_t)l->give[0].addr,
				       l->give[0].length);
	else
		ibv_wr_set_sge_list(port->ex, l->num_give, l->give);
	tallydv_wr_set_result(port->dv, l->num_get, l->get);
	err = ibv_wr_complete(port->ex);
	REQUIRE(!err, "message %u: error %d", w->coll.mid, err);
}

void message_post(const struct stage *s, const struct message *m, struct port *port,
		  unsigned int node, uint64_t ranks, unsigned int send_flags)
{
	struct tallydv_send_wr w = {};
	struct ibv_send_wr *bad;
	struct lists l;
	int err;

	make_lists(s, m, node, ranks, &l);
	if (m->inlined && l.num_give == 1 && l.give[0].length <= TALLY_MAX_INLINE)
		send_flags |= IBV_SEND_INLINE;
	w.wr.wr_id = m->mid;
	w.wr.opcode = IBV_WR_DRIVER1;
	w.wr.send_flags = send_flags;
	w.wr.sg_list = l.give;
	w.wr.num_sge = l.num_give;
	w.coll = (struct tallydv_coll_attr){
		.opcode = m->opcode, .op = m->op, .dtype = m->dtype, .root_rank = m->root_rank,
		.flags = m->loc_values ? TALLY_WQE_F_LOC_VALUES : 0, .count = m->count,
		.mid = m->mid, .root_node = m->root_node, .num_result = l.num_get,
		.rank_mask = ranks, .chunk_len = m->chunk_len,
		.loc_index = loc_index(m, node), .result_list = l.get,
	};
	if (m->mid & 1)
		return post_extended(port, &w, &l);
	err = ibv_post_send(port->qp, &w.wr, &bad);
	REQUIRE(!err, "message %u: error %d", m->mid, err);
}

static uint64_t chunks_of(const struct stage *s, const struct message *m)
{
	uint64_t total = num_reduced(s, m);
	uint32_t each = (m->chunk_len ? m->chunk_len : TALLY_MAX_MTU) /
			oracle_elem_size(m->op, m->dtype);

	return total ? (total + each - 1) / each : 1;
}

void message_outcome(const struct stage *s, const struct message *m, const struct outcome *out,
		     unsigned int node, uint64_t ranks)
{
	struct lists l;

	make_lists(s, m, node, ranks, &l);
	REQUIRE(out->status == IBV_WC_SUCCESS && out->coll == TALLY_COLL_OK &&
		out->wr_id == m->mid && out->mid == m->mid && out->opcode == m->opcode &&
		out->bytes == l.bytes && out->sid == chunks_of(s, m) - 1,
		"%s %s %s of %lu elements, node %u: %s; message %u of %u, %u bytes of %zu, chunk %u of %lu",
		tallydv_opcode_str(m->opcode), tallydv_op_str(m->op), tallydv_type_str(m->dtype),
		m->count, node, tallydv_coll_status_str(out->coll), out->mid, m->mid, out->bytes,
		l.bytes, out->sid, chunks_of(s, m));
}

void message_complete(const struct stage *s, const struct message *m, struct port *port,
		      unsigned int node, uint64_t ranks)
{
	struct outcome out;

	REQUIRE(wait_outcome(port->nic, &out, MESSAGE_PATIENCE_MS),
		"message %u, node %u: no completion", m->mid, node);
	message_outcome(s, m, &out, node, ranks);
}
