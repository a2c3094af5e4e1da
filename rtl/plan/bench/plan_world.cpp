// SPDX-License-Identifier: BSD-2-Clause
#include "plan_world.h"

#include <algorithm>
#include <numeric>

#include "gen/tally_hw.h"

static_assert(TALLY_MAX_CONTRIBUTORS == 64 && TALLY_MAX_RANKS == 64, "the widths of tally_plan_pkg");

static void add_nodes(Tree &tree, unsigned int nodes, const std::function<void(const Tree &)> &use)
{
	if (tree.size() == nodes) {
		use(tree);
		return;
	}
	for (unsigned int depth = 1; depth <= tree.back() + 1; depth++) {
		tree.push_back(depth);
		add_nodes(tree, nodes, use);
		tree.pop_back();
	}
}

void all_trees(unsigned int nodes, const std::function<void(const Tree &)> &use)
{
	Tree tree = { 0 };

	add_nodes(tree, nodes, use);
}

Tree random_tree(tally::Rng &rng, unsigned int most)
{
	unsigned int nodes = 1 + rng.below(most), deep = 1 + rng.below(8);
	std::vector<unsigned int> children = { 0 };
	Tree tree = { 0 };

	while (tree.size() < nodes) {
		unsigned int depth = 1 + rng.below(std::min(tree.back() + 1, deep));

		while (depth <= tree.back() && children[depth - 1] == 60)
			depth++;
		children.resize(depth);
		children[depth - 1]++;
		children.push_back(0);
		tree.push_back(depth);
	}
	return tree;
}

static unsigned int end_of(const Tree &tree, unsigned int node)
{
	unsigned int end = node + 1;

	while (end < tree.size() && tree[end] > tree[node])
		end++;
	return end;
}

static void add_children(plan_group &g, const Tree &tree, const std::vector<unsigned int> &place)
{
	for (unsigned int n = g.node + 1; n < end_of(tree, g.node); n = end_of(tree, n)) {
		unsigned int at = place[g.edges++];

		g.first[at] = n;
		g.count[at] = end_of(tree, n) - n;
		g.children |= uint64_t(1) << at;
	}
}

plan_group group_of(tally::Rng &rng, const Tree &tree, unsigned int node)
{
	std::vector<unsigned int> place(PLAN_MAX_EDGES);
	plan_group g = {};

	g.node = node;
	g.nodes = tree.size();
	g.root = !node;
	g.rank_mask = rng.one_in(8) ? ~uint64_t(0) : rng.next() & rng.next();
	/* The children are among the first edges, in any order. */
	unsigned int children = 0;
	for (unsigned int n = node + 1; n < end_of(tree, node); n = end_of(tree, n))
		children++;
	unsigned int used = std::min<unsigned int>(PLAN_MAX_EDGES, children + rng.below(4));
	std::iota(place.begin(), place.end(), 0);
	for (unsigned int i = used; i > 1; i--)
		std::swap(place[i - 1], place[rng.below(i)]);
	add_children(g, tree, place);
	g.edges = used;
	g.exchange_ins = rng.next() & (used ? ~uint64_t(0) >> (64 - used) : 0);
	g.parent = g.root ? 0xff : used && rng.one_in(2) ? rng.below(used) : TALLY_CONTRIB_PARENT;
	g.left = g.nodes > 1 ? rng.below(PLAN_MAX_EDGES) : 0xff;
	g.right = g.nodes > 1 ? rng.below(PLAN_MAX_EDGES) : 0xff;
	return g;
}

plan_chunk random_chunk(tally::Rng &rng, const plan_group &g)
{
	static const uint8_t opcodes[] = { TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_REDUCE, TALLY_OPCODE_BCAST,
					   TALLY_OPCODE_BARRIER };
	plan_chunk c = {};

	c.mode = TALLY_MODE_TREE + rng.below(3);
	c.opcode = opcodes[rng.below(4)];
	if (c.mode == TALLY_MODE_EXCHANGE)
		c.opcode = rng.one_in(2) ? TALLY_OPCODE_ALLREDUCE : TALLY_OPCODE_BARRIER;
	c.root_node = rng.one_in(4) ? g.node : rng.below(g.nodes);
	c.root_rank = rng.below(64);
	c.sid = rng.one_in(2) ? rng.below(3 * g.nodes) : rng.next() >> rng.below(32);
	return c;
}

// Puts fields into words, the last field of a struct first.
class Packer {
public:
	explicit Packer(uint32_t *words) : words_(words) {}
	void put(unsigned int bits, uint64_t value)
	{
		for (unsigned int i = 0; i < bits; i++, at_++) {
			words_[at_ / 32] &= ~(1U << at_ % 32);
			words_[at_ / 32] |= uint32_t(value >> i & 1) << at_ % 32;
		}
	}

private:
	uint32_t *words_;
	unsigned int at_ = 0;
};

void pack_group(const plan_group &g, uint32_t *words)
{
	plan_divisor d = plan_model_divisor(g.nodes);
	Packer p(words);

	p.put(64, g.exchange_ins);
	p.put(64, g.children);
	p.put(64, g.rank_mask);
	p.put(8, g.right);
	p.put(8, g.left);
	p.put(8, g.parent);
	p.put(1, g.root);
	p.put(6, d.shift);
	p.put(32, d.inverse);
	p.put(16, g.nodes);
	p.put(16, g.node);
}

void pack_chunk(const plan_chunk &c, int route, uint32_t *words)
{
	Packer p(words);

	p.put(6, route < 0 ? 0x2a : route);
	p.put(1, route >= 0);
	p.put(32, c.sid);
	p.put(8, c.root_rank);
	p.put(16, c.root_node);
	p.put(8, c.opcode);
	p.put(8, c.mode);
}

plan_moves unpack_moves(const uint32_t *words)
{
	unsigned int at = 0;
	plan_moves m = {};
	auto get = [&](unsigned int bits) {
		uint64_t value = 0;

		for (unsigned int i = 0; i < bits; i++, at++)
			value |= uint64_t(words[at / 32] >> at % 32 & 1) << i;
		return value;
	};

	m.deliver = get(64);
	m.down_todo = get(64);
	m.down_expected = get(1);
	m.down_edge = get(8);
	m.turns = get(1);
	m.up_send = get(1);
	m.up_edge = get(8);
	m.up_contributors = get(64);
	m.up_ranks = get(64);
	return m;
}

bool operator==(const plan_moves &a, const plan_moves &b)
{
	return a.up_ranks == b.up_ranks && a.up_contributors == b.up_contributors && a.down_todo == b.down_todo &&
	       a.deliver == b.deliver && a.up_edge == b.up_edge && a.down_edge == b.down_edge && a.up_send == b.up_send &&
	       a.turns == b.turns && a.down_expected == b.down_expected;
}
