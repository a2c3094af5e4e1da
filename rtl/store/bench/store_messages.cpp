// SPDX-License-Identifier: BSD-2-Clause
// Messages of the bench of tally_store, and the results that the model's ALU computes of them.
#include <algorithm>

#include "gen/tally_hw.h"
#include "scale_vectors.h"
#include "store_world.h"

static uint32_t pick(tally::Rng &rng, std::initializer_list<int> of)
{
	return *(of.begin() + rng.below(of.size()));
}

// Combines operands, of which some may be missing, and gathers the flags.
static Bytes combine(const Header &h, uint32_t count, const Bytes &left, const Bytes &right, uint16_t &err)
{
	Bytes sum = left.empty() ? right : left, in = right;

	if (left.empty() || right.empty())
		return sum;
	sum.resize(most_bytes + 64);
	in.resize(most_bytes + 64);
	err |= alu_reduce(h.op, h.dtype, sum.data(), in.data(), count);
	sum.resize(left.size());
	return sum;
}

// Combines in the fixed shape: pairs, then pairs of these, and so on.
static Bytes combine_shape(const Header &h, uint32_t count, std::vector<Bytes> in, uint16_t &err)
{
	while (in.size() > 1) {
		std::vector<Bytes> out;

		for (size_t i = 0; i < in.size(); i += 2)
			out.push_back(i + 1 < in.size() ? combine(h, count, in[i], in[i + 1], err) : in[i]);
		in = out;
	}
	return in[0];
}

static void divide(const Header &h, uint32_t count, uint32_t ranks, Bytes &sum, uint16_t &err)
{
	size_t size = sum.size();

	if (h.op != TALLY_OP_AVG)
		return;
	sum.resize(most_bytes + 64);
	err |= alu_scale(h.dtype, sum.data(), count, ranks);
	sum.resize(size);
}

// What each node has after each round; after the last one, all have the same.
void World::combine_rounds(Chunk &c) const
{
	std::vector<Bytes> partial;

	for (const auto &n : nodes) {
		auto first = c.give.begin() + n->first_rank;

		partial.push_back(combine_shape(c.h, c.count, { first, first + n->ranks }, c.err));
	}
	for (unsigned int r = 1; r <= rounds.num; r++) {
		std::vector<Bytes> before = partial;

		for (const auto &n : nodes) {
			const OwnPart &own = rounds.own[n->index][r];
			std::vector<Bytes> in(own.parts);

			in[own.position] = before[n->index];
			for (const RoundEdge &e : n->rounds)
				if (e.round == r && e.in)
					in[e.position] = before[e.node];
			partial[n->index] = combine_shape(c.h, c.count, in, c.err);
		}
	}
	for (const Bytes &p : partial)
		CHECK(p == partial[0], "the rounds give different results");
	c.result = partial[0];
	divide(c.h, c.count, total_ranks, c.result, c.err);
}

// Returns the number of contributors of a node. In a group of TREE alone, they are its children. Otherwise those of the ring
// have the last places.
unsigned int World::contributors(const Node &n) const
{
	return group_modes == std::vector<uint8_t>{ TALLY_MODE_TREE } ? __builtin_popcountll(n.group.children) : Contributors;
}

// What a node makes of the data of its ranks and of sums, by edge: a tree over the ranks, and then over all contributors.
Bytes World::combine_node(Chunk &c, const Node &n, const std::map<unsigned int, Bytes> &sums) const
{
	auto first = c.give.begin() + n.first_rank;
	std::vector<Bytes> in(first, first + n.ranks);

	in.resize(n.ranks + contributors(n));
	for (const auto &[edge, sum] : sums)
		in[n.ranks + edge] = sum;
	return combine_shape(c.h, c.count, in, c.err);
}

Bytes World::combine_tree(Chunk &c, const Node &n) const
{
	std::map<unsigned int, Bytes> sums;

	for (unsigned int e = 0; n.group.children >> e; e++)
		sums[e] = combine_tree(c, *nodes[n.neighbour[e]]);
	return combine_node(c, n, sums);
}

Bytes World::combine_ring(Chunk &c) const
{
	const unsigned int num = nodes.size();
	const unsigned int first = c.h.opcode == TALLY_OPCODE_REDUCE ? c.h.root_node + 1 : c.h.sid;
	Bytes sum;

	for (unsigned int i = 0; i < num; i++) {
		const Node &n = *nodes[(first + i) % num];

		sum = combine_node(c, n, i ? std::map<unsigned int, Bytes>{ { left_edge, sum } } : std::map<unsigned int, Bytes>{});
	}
	return sum;
}

void World::combine_ordered(Chunk &c) const
{
	c.result = c.h.mode == TALLY_MODE_RING ? combine_ring(c) : combine_tree(c, *nodes[0]);
	divide(c.h, c.count, total_ranks, c.result, c.err);
}

// Whether a chunk has parts, so that its reduction has the fixed shape.
bool World::has_parts(const Header &h) const
{
	return h.mode == TALLY_MODE_EXCHANGE ||
	       (ordered && (h.opcode == TALLY_OPCODE_ALLREDUCE || h.opcode == TALLY_OPCODE_REDUCE));
}

// Lets some ranks take no part in a chunk: they give nothing, and some get nothing. So may a whole subtree of a tree, but not
// that of the root.
void World::leave_out(Chunk &c)
{
	const unsigned int gone = nodes.size() > 1 && c.h.mode == TALLY_MODE_TREE ? 1 + rng.below(nodes.size() - 1) : 0;
	bool reaches_root = c.h.opcode == TALLY_OPCODE_REDUCE && c.h.root_node >= gone && c.h.root_node < gone + (gone ? nodes[gone]->subtree : 0);
	const bool leaves = gone && !reaches_root && rng.one_in(2);

	for (const auto &n : nodes) {
		const bool all = leaves && n->index >= gone && n->index < gone + nodes[gone]->subtree;
		const bool alone = rng.one_in(2);
		unsigned int r = 0;

		for (uint64_t left = n->group.rank_mask; left; left &= left - 1, r++) {
			const bool is_root = c.h.root_node == n->index && c.h.root_rank == __builtin_ctzll(left);

			// one of each node that is not gone takes part
			if (!all && (!r || is_root || (!alone && rng.one_in(2))))
				continue;
			c.give[n->first_rank + r].clear();
			c.quits[n->first_rank + r] = all || rng.one_in(2);
		}
	}
}

bool World::is_rank(uint32_t node, uint32_t rank) const
{
	return node < nodes.size() && nodes[node]->group.rank_mask >> rank & 1;
}

// Mode, opcode and root: often those of the message before, first of all if it was one of an earlier epoch or group, as a
// store uses its last plan again.
void World::choose_plan(Header &h, bool first)
{
	bool rooted = last_.opcode == TALLY_OPCODE_REDUCE || last_.opcode == TALLY_OPCODE_BCAST;

	if ((first || rng.one_in(2)) && std::count(modes.begin(), modes.end(), last_.mode) &&
	    (!rooted || is_rank(last_.root_node, last_.root_rank))) {
		h = last_;
		return;
	}
	h.mode = modes[rng.below(modes.size())];
	h.opcode = pick(rng, { TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_REDUCE, TALLY_OPCODE_BCAST,
			       TALLY_OPCODE_BARRIER });
	if (h.mode == TALLY_MODE_EXCHANGE)
		h.opcode = pick(rng, { TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_BARRIER });
	if (h.opcode == TALLY_OPCODE_REDUCE || h.opcode == TALLY_OPCODE_BCAST) {
		h.root_node = rng.below(nodes.size());
		for (h.root_rank = rng.below(Ranks); !is_rank(h.root_node, h.root_rank); h.root_rank = (h.root_rank + 1) % Ranks)
			;
	}
	last_ = h;
}

void World::choose_type(Header &h)
{
	bool reduces = h.opcode == TALLY_OPCODE_ALLREDUCE || h.opcode == TALLY_OPCODE_REDUCE;

	if (h.opcode == TALLY_OPCODE_BARRIER)
		return;
	if (reduces)
		h.op = pick(rng, { TALLY_OP_SUM, TALLY_OP_MAX, TALLY_OP_BXOR, TALLY_OP_AVG, TALLY_OP_AVG });
	if (reduces && divides)
		h.op = TALLY_OP_AVG;
	h.dtype = pick(rng, { TALLY_TYPE_UINT8, TALLY_TYPE_UINT16, TALLY_TYPE_INT32, TALLY_TYPE_INT64 });
	if (!reduces || divides || !has_parts(h) || rng.one_in(3))
		return; // elsewhere, floating point depends on the order of arrival
	h.op = pick(rng, { TALLY_OP_SUM, TALLY_OP_SUM, TALLY_OP_PROD, TALLY_OP_MIN, TALLY_OP_AVG });
	h.dtype = pick(rng, { TALLY_TYPE_FP16, TALLY_TYPE_FP32, TALLY_TYPE_FP64, TALLY_TYPE_BF16 });
}

// Random bytes; of floating point, most numbers have nearly the same size, so that their sums are rounded.
void World::give_data(Chunk &c)
{
	size_t size = c.h.opcode == TALLY_OPCODE_BARRIER ? 1 : alu_value_size(c.h.dtype);
	bool wide = c.h.dtype == TALLY_TYPE_FP64 || c.h.dtype == TALLY_TYPE_FP32 || c.h.dtype == TALLY_TYPE_BF16;

	for (uint32_t r = 0; r < total_ranks; r++) {
		Bytes data(c.count * size);

		rng.fill(data.data(), data.size());
		for (size_t end = size; c.h.dtype >> 4 >= TALLY_TYPE_CLASS_FP && end <= data.size(); end += size)
			if (!rng.one_in(16)) // the exponents 0 and 1
				data[end - 1] = (data[end - 1] & 0x80) | (wide ? 0x3f : 0x3c);
		c.give.push_back(data);
	}
}

void World::add_message(unsigned int mid)
{
	Header h;
	uint32_t size, chunk, total, root = 0, most = most_bytes;

	choose_plan(h, !mid);
	if (has_parts(h))
		most = word_bytes << part_shift;
	h.mid = mid;
	choose_type(h);
	size = h.opcode == TALLY_OPCODE_BARRIER ? 1 : alu_value_size(h.dtype);
	chunk = rng.one_in(2) ? 8 / size : rng.one_in(2) ? most / size : 1 + rng.below(most / size);
	if (divides)
		chunk = most / size;
	total = h.opcode == TALLY_OPCODE_BARRIER ? 0 : rng.one_in(2) ? chunk : 1 + rng.below(3 * chunk);
	if (h.opcode == TALLY_OPCODE_REDUCE || h.opcode == TALLY_OPCODE_BCAST)
		root = nodes[h.root_node]->first_rank +
		       __builtin_popcountll(nodes[h.root_node]->group.rank_mask & ((1ULL << h.root_rank) - 1));
	h.total = total;
	h.count = chunk;
	for (h.sid = 0; !h.sid || h.sid * chunk < total; h.sid++) {
		Chunk c = { h, h.sid * chunk, std::min(chunk, total - h.sid * chunk), {}, 0, {}, std::vector<bool>(total_ranks), 0, false };

		c.h.num = chunks.size();
		c.last = c.first + c.count == total;
		give_data(c);
		if (h.mode != TALLY_MODE_RING && c.count && h.op != TALLY_OP_AVG && h.opcode != TALLY_OPCODE_BCAST &&
		    rng.one_in(h.mode == TALLY_MODE_TREE ? 3 : 2))
			leave_out(c);
		if (h.opcode == TALLY_OPCODE_BCAST)
			c.result = c.give[root];
		else if (h.mode == TALLY_MODE_EXCHANGE && c.count)
			combine_rounds(c);
		else if (has_parts(h))
			combine_ordered(c);
		else if (h.opcode != TALLY_OPCODE_BARRIER) {
			c.result = combine_shape(h, c.count, c.give, c.err); // any order gives the same
			divide(h, c.count, total_ranks, c.result, c.err);
		}
		chunks.push_back(c);
	}
}
