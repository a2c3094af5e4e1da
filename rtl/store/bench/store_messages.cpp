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

static Bytes combine(const Header &h, const std::vector<Bytes> &give, uint32_t count, uint32_t total_ranks)
{
	size_t first = 0;

	while (give[first].empty())
		first++;
	Bytes sum = give[first];

	sum.resize(most_bytes + 64);
	for (size_t r = first + 1; r < give.size(); r++) {
		Bytes in = give[r];

		if (in.empty())
			continue;

		in.resize(most_bytes + 64);
		alu_reduce(h.op, h.dtype, sum.data(), in.data(), count);
	}
	if (h.op == TALLY_OP_AVG)
		alu_scale(h.dtype, sum.data(), count, total_ranks);
	sum.resize(give[first].size());
	return sum;
}

// Lets some ranks take no part in a chunk: they give nothing, and some get nothing. So may a whole subtree of TREE, but not that of
// the root.
void World::leave_out(Chunk &c)
{
	const unsigned int gone = nodes.size() > 1 ? 1 + rng.below(nodes.size() - 1) : 0;
	bool reaches_root = c.h.opcode == TALLY_OPCODE_REDUCE && c.h.root_node >= gone && c.h.root_node < gone + (gone ? nodes[gone]->subtree : 0);
	const bool leaves = c.h.mode == TALLY_MODE_TREE && gone && !reaches_root && rng.one_in(2);

	for (const auto &n : nodes) {
		const bool all = leaves && n->index >= gone && n->index < gone + nodes[gone]->subtree;
		unsigned int r = 0;

		for (uint64_t left = n->group.rank_mask; left; left &= left - 1, r++) {
			const bool is_root = c.h.root_node == n->index && c.h.root_rank == __builtin_ctzll(left);

			if (!all && (!r || is_root || rng.one_in(2))) // one of each node that is not gone takes part
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

void World::add_message(unsigned int mid)
{
	Header h;
	uint32_t size, chunk, total, root = 0, most = most_bytes;

	choose_plan(h, !mid);
	if (h.mode == TALLY_MODE_EXCHANGE)
		most = part_bytes;
	h.mid = mid;
	if (h.opcode != TALLY_OPCODE_BARRIER)
		h.dtype = pick(rng, { TALLY_TYPE_UINT8, TALLY_TYPE_UINT16, TALLY_TYPE_INT32, TALLY_TYPE_INT64 });
	if (h.opcode == TALLY_OPCODE_ALLREDUCE || h.opcode == TALLY_OPCODE_REDUCE)
		h.op = pick(rng, { TALLY_OP_SUM, TALLY_OP_MAX, TALLY_OP_BXOR, TALLY_OP_AVG });
	size = h.opcode == TALLY_OPCODE_BARRIER ? 1 : alu_value_size(h.dtype);
	chunk = rng.one_in(2) ? 8 / size : 1 + rng.below(most / size);
	total = h.opcode == TALLY_OPCODE_BARRIER ? 0 : rng.one_in(2) ? chunk : 1 + rng.below(3 * chunk);
	if (h.opcode == TALLY_OPCODE_REDUCE || h.opcode == TALLY_OPCODE_BCAST)
		root = nodes[h.root_node]->first_rank +
		       __builtin_popcountll(nodes[h.root_node]->group.rank_mask & ((1ULL << h.root_rank) - 1));
	h.total = total;
	h.count = chunk;
	for (h.sid = 0; !h.sid || h.sid * chunk < total; h.sid++) {
		Chunk c = { h, h.sid * chunk, std::min(chunk, total - h.sid * chunk), {}, {}, std::vector<bool>(total_ranks), 0, false };

		c.h.num = chunks.size();
		c.last = c.first + c.count == total;
		for (uint32_t r = 0; r < total_ranks; r++) {
			c.give.emplace_back(c.count * size);
			rng.fill(c.give.back().data(), c.give.back().size());
		}
		if ((h.mode == TALLY_MODE_TREE || (h.mode == TALLY_MODE_EXCHANGE && absent_in_rounds)) && c.count &&
		    h.op != TALLY_OP_AVG && h.opcode != TALLY_OPCODE_BCAST && rng.one_in(3))
			leave_out(c);
		if (h.opcode == TALLY_OPCODE_BCAST)
			c.result = c.give[root];
		else if (h.opcode != TALLY_OPCODE_BARRIER)
			c.result = combine(h, c.give, c.count, total_ranks);
		chunks.push_back(c);
	}
}
