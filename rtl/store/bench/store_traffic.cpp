// SPDX-License-Identifier: BSD-2-Clause
// Traffic of tally_store: the stores of a group's nodes, joined by links that delay and duplicate packets. The ranks of all
// nodes post the same messages: ALLREDUCE, REDUCE, BCAST and BARRIER, of one or several chunks, in TREE and RING. Each rank
// must get the result that the functions of the model's ALU compute, once, and not before all have posted; each chunk is
// finished at each node, in order. In EXCHANGE and in groups in fixed order, the result has the bits of the fixed shape. A
// node whose output stands still takes packets all the same. A post that disagrees with its chunk changes nothing. In some
// epochs that end amid their chunks, neighbours disagree about the mode of one. The group is created anew with other nodes and
// neighbours, after a reset or in stores that go on.
#include <algorithm>
#include <cstring>

#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
#include "scale_vectors.h"
#include "store_world.h"

constexpr unsigned int part_bits = __builtin_ctz(Parts);

static void tick(World &w)
{
	for (auto &n : w.nodes)
		n->settle();
	for (auto &n : w.nodes)
		n->clock(1);
	for (auto &n : w.nodes)
		n->clock(0);
	w.now++;
	w.bench.tick();
}

// A value for each mode, side by side.
template <typename Value> static uint32_t lanes(const Node &n, Value value, unsigned int bits)
{
	uint32_t all = 0;

	for (unsigned int m = 0; m < PARTS_MODES; m++)
		all |= (value(n.parts[m]) & ((1u << bits) - 1)) << bits * m;
	return all;
}

static void configure(World &w, Node &n, unsigned int index, const plan_group &group)
{
	tally::Divisor d = tally::divisor_of(w.total_ranks);

	n.dut.group_write_i = 1;
	n.dut.group_index_i = index;
	pack_group(group, n.dut.group_i);
	n.dut.group_edges_i = n.group.edges;
	n.dut.group_mtu_i = most_bytes;
	n.dut.group_ordered_i = w.ordered;
	n.dut.group_last_i = lanes(n, [](const parts_rows &rows) { return rows.num - 1; }, part_bits);
	n.dut.group_shift_i = w.part_shift;
	n.dut.inverse_write_i = 1;
	n.dut.inverse_group_i = index;
	n.dut.inverse_down_i = d.down;
	std::memcpy(&n.dut.inverse_i, &d.inverse, sizeof(n.dut.inverse_i));
}

// Returns the most children of a node.
static unsigned int children_of(const Tree &tree)
{
	unsigned int most = 0;

	for (unsigned int n = 0; n < tree.size(); n++) {
		unsigned int children = 0;

		for (unsigned int c = n + 1; c < tree.size() && tree[c] > tree[n]; c++)
			children += tree[c] == tree[n] + 1;
		most = std::max(most, children);
	}
	return most;
}

// Writes row i of the parts of all modes, of the edges and of the ranks, as far as there is one.
void World::write_row(Node &n, unsigned int i)
{
	const bool is_round = i >= first_round_edge && i < first_round_edge + n.rounds.size();
	const parts_rows &rows = n.parts[i / Parts % PARTS_MODES];
	const unsigned int part = i % Parts;

	n.dut.part_write_i = i < PARTS_MODES * Parts;
	n.dut.edge_write_i = i < Contributors;
	n.dut.rank_write_i = i < Ranks;
	n.dut.part_group_i = n.dut.edge_group_i = n.dut.rank_group_i = index_of_group;
	n.dut.part_mode_i = i / Parts % PARTS_MODES;
	n.dut.part_index_i = part;
	n.dut.edge_index_i = i % Contributors;
	n.dut.rank_index_i = i % Ranks;
	n.dut.part_ins_i = rows.ins[part];
	n.dut.part_outs_i = rows.outs[part];
	n.dut.part_inner_i = rows.inner[part];
	n.dut.part_next_i = rows.next[part];
	n.dut.part_right_i = rows.right[part];
	n.dut.edge_round_i = is_round ? n.rounds[i - first_round_edge].round : 0;
	n.dut.edge_part_i = lanes(n, [i](const parts_rows &r) { return r.edge_part[i]; }, part_bits);
	n.dut.rank_part_i = lanes(n, [i](const parts_rows &r) { return r.rank_part[i]; }, part_bits);
	n.dut.rank_right_i = lanes(n, [i](const parts_rows &r) { return r.rank_right[i]; }, 1);
}

void World::write_parts()
{
	for (unsigned int i = 0; i < std::max<unsigned int>(Contributors, PARTS_MODES * Parts); i++) {
		for (auto &n : nodes)
			write_row(*n, i);
		tick(*this);
	}
	for (auto &n : nodes)
		n->dut.part_write_i = n->dut.edge_write_i = n->dut.rank_write_i = 0;
}

// Nothing enters the store.
static void quiet(Vdut &dut)
{
	dut.read_valid_i = dut.in_tvalid_i = dut.cmd_valid_i = dut.out_tready_i = dut.res_tready_i = 0;
	dut.acked_valid_i = dut.again_valid_i = dut.wake_i = dut.ask_ready_i = 0;
	dut.group_write_i = dut.route_write_i = dut.inverse_write_i = 0;
	dut.part_write_i = dut.edge_write_i = dut.rank_write_i = 0;
}

World::World(tally::Bench<Vdut> &bench) : bench(bench), rng(bench.rng)
{
	for (unsigned int i = 0; i < most_nodes; i++)
		stores_.push_back(std::make_unique<Vdut>());
	reset();
}

// Resets all stores, whatever they do.
void World::reset()
{
	for (auto &s : stores_) {
		s->rst_ni = 1;
		s->eval(); // so that the reset has an edge
		s->rst_ni = 0;
		s->eval();
		quiet(*s);
		for (int level : { 1, 0, 1, 0 }) {
			s->clk_i = level;
			s->eval();
		}
		s->rst_ni = 1;
	}
}

void World::write_routes()
{
	for (unsigned int e = 0; e < Contributors; e++) {
		for (auto &n : nodes) {
			n->dut.route_write_i = 1;
			n->dut.route_group_i = index_of_group;
			n->dut.route_edge_i = e;
			n->dut.route_first_i = n->group.first[e];
			n->dut.route_count_i = n->group.count[e];
		}
		tick(*this);
	}
	for (auto &n : nodes)
		n->dut.route_write_i = 0;
}

// Begins an epoch of the other group, which has no chunks.
static void begin_other(World &w)
{
	for (auto &n : w.nodes) {
		n->dut.cmd_valid_i = 1;
		n->dut.cmd_i = TALLY_FW_STORE_CMD_BEGIN;
		n->dut.cmd_group_i = other_group;
	}
	while (std::any_of(w.nodes.begin(), w.nodes.end(), [](auto &n) { return n->dut.cmd_valid_i; })) {
		std::vector<bool> taken;

		for (auto &n : w.nodes) {
			n->settle();
			taken.push_back(n->dut.cmd_ready_o);
		}
		tick(w);
		for (auto &n : w.nodes)
			n->dut.cmd_valid_i = n->dut.cmd_valid_i && !taken[n->index];
	}
}

// Most groups have all modes, and half of them are in fixed order.
void World::choose_modes()
{
	ordered = rng.one_in(2);
	group_modes = { TALLY_MODE_TREE, TALLY_MODE_EXCHANGE, TALLY_MODE_RING };
	if (rng.one_in(4))
		group_modes.erase(group_modes.begin() + rng.below(group_modes.size()));
	else if (rng.one_in(4))
		group_modes = { group_modes[rng.below(group_modes.size())] };
}

// Creates the group anew: other nodes, ranks, trees and rounds. No epoch runs.
void World::begin()
{
	nodes.clear();
	chunks.clear();
	total_ranks = 0;
	do
		tree = random_tree(rng, most_nodes);
	while (children_of(tree) > first_round_edge);
	choose_modes();
	rounds = random_rounds(rng, tree.size(), left_edge - first_round_edge);
	for (unsigned int i = 0; i < tree.size(); i++)
		nodes.push_back(std::make_unique<Node>(*this, i));
	auto too_long = [&](auto &n) { return n->most_parts << part_shift > Words; };
	for (part_shift = rng.below(3); std::any_of(nodes.begin(), nodes.end(), too_long); part_shift--)
		;
	for (auto &n : nodes) {
		plan_group leaf = n->group;	// has other plans

		leaf.root = false;
		leaf.children = 0;
		leaf.parent = TALLY_CONTRIB_PARENT;
		quiet(n->dut);
		n->dut.cmd_num_i = 0;
		configure(*this, *n, other_group, leaf);
	}
	begin_other(*this);
	for (auto &n : nodes)
		configure(*this, *n, index_of_group, n->group);
	write_routes();
	write_parts();
	for (auto &n : nodes)
		n->dut.group_write_i = n->dut.inverse_write_i = 0;
}

// Each rank has the results of all chunks that it shall get.
void World::check_results()
{
	for (auto &c : chunks)
		for (auto &n : nodes) {
			uint64_t due = n->group.rank_mask;
			uint64_t root = c.h.root_node == n->index ? 1ULL << c.h.root_rank : 0;

			if (c.h.opcode == TALLY_OPCODE_REDUCE)
				due = root;
			else if (c.h.opcode == TALLY_OPCODE_BCAST)
				due &= ~root;
			due &= ~n->who_quits(c);
			CHECK(n->got[c.h.num] == due, "node %u: chunk %u reached the ranks %llx, not %llx", n->index, c.h.num,
			      (unsigned long long)n->got[c.h.num], (unsigned long long)due);
		}
}

void World::cycle()
{
	for (auto &n : nodes)
		n->drive();
	for (auto &n : nodes)
		n->settle();
	for (auto &n : nodes)
		n->observe();
	tick(*this);
	CHECK(now < moved + 20000, "nothing moves");
}

// Half of the epochs have messages of one mode, whose chunks need the same parts of the store at once. In a quarter, divisions
// are so many that other chunks have to wait for them, also those that are cleared.
void World::begin_epoch(unsigned int messages)
{
	modes = group_modes;
	if (rng.one_in(2))
		modes = { modes[rng.below(modes.size())] };
	divides = rng.one_in(4);
	chunks.clear();
	for (unsigned int mid = 0; mid < messages; mid++)
		add_message(mid);
	moved = now;
	torn = UINT32_MAX;
	for (auto &n : nodes)
		n->begin_epoch();
}

// Runs until all messages are done.
void World::complete_epoch(unsigned int messages)
{
	begin_epoch(messages);
	while (std::any_of(nodes.begin(), nodes.end(), [&](auto &n) { return n->done != chunks.size(); }))
		cycle();
	check_results();
}

// Ends the epoch at each node after this moment, however many chunks are open.
void World::end_epoch(uint64_t at)
{
	for (auto &n : nodes)
		n->end_at = at + rng.below(400);
	moved = now;
	while (std::any_of(nodes.begin(), nodes.end(), [](auto &n) { return !n->at_rest(); }))
		cycle();
}

int store_traffic(const char *name, unsigned int most_ended, int argc, char **argv)
{
	tally::Bench<Vdut> bench(name, argc, argv);
	World world(bench);

	quiet(*bench.dut);
	bench.reset();
	for (uint64_t left = bench.times(30); left; left--) {
		world.begin();
		for (unsigned int left_amid = world.rng.below(most_ended + 1); left_amid; left_amid--) {
			world.begin_epoch(8);
			world.torn = world.rng.one_in(4) ? world.rng.below(GroupSegs) : UINT32_MAX;
			world.end_epoch(world.now + world.rng.below(world.rng.one_in(2) ? 4000 : 800)); // often amid many chunks
		}
		world.complete_epoch(16);
		if (world.rng.one_in(3))
			world.reset();
		else
			world.end_epoch(world.now);
	}
	world.end();
	CHECK(world.looked > 1000, "%llu chunks were read", (unsigned long long)world.looked);
	return bench.finish();
}
