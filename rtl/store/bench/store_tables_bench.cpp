// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_store_tables: random rows, read while others are written, and the part of each kind of operation.
#include <array>
#include <cstring>

#include "Vdut.h"
#include "bench.h"
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"

enum { JOB_OP, JOB_DIVIDED, JOB_OWN };

static constexpr unsigned int row_words = 9, row_bits = 287, modes = TALLY_FW_PART_MODES;

struct Part {
	uint64_t ins, outs, inner, next, right;
};

struct Edge {
	uint64_t round;
	uint64_t part[modes];
};

struct Rank {
	uint64_t part[modes], right[modes];
};

struct Row {
	std::array<uint32_t, row_words> group;
	unsigned int edges, mtu, last[modes], shift;
	bool ordered;
	Part part[modes][Parts];
	Edge edge[Contributors];
	Rank rank[Ranks];
};

struct Choice {
	int part; // -1: there is none
	int right; // -1: it does not matter
};

static Row rows[Groups];

// One value for each mode, and all of them side by side.
template <typename Value> static void random_lanes(tally::Rng &rng, Value (&values)[modes], unsigned int most)
{
	for (auto &value : values)
		value = rng.below(most);
}

template <typename Value> static unsigned int lanes(const Value (&values)[modes], unsigned int most)
{
	unsigned int all = 0;

	for (unsigned int m = modes; m; m--)
		all = all * most + values[m - 1];
	return all;
}

static void write_group(Vdut &dut, tally::Rng &rng, unsigned int g)
{
	Row &r = rows[g];

	for (auto &word : r.group)
		word = rng.next();
	r.group[row_words - 1] &= ~0U >> (32 * row_words - row_bits);
	r.edges = rng.below(Contributors + 1);
	r.mtu = rng.below(65536);
	random_lanes(rng, r.last, Parts);
	r.shift = rng.below(8);
	std::memcpy(&dut.group_i, r.group.data(), sizeof(r.group));
	dut.group_write_i = 1;
	dut.group_index_i = g;
	dut.group_edges_i = r.edges;
	dut.group_mtu_i = r.mtu;
	r.ordered = rng.one_in(2);
	dut.group_ordered_i = r.ordered;
	dut.group_last_i = lanes(r.last, Parts);
	dut.group_shift_i = r.shift;
}

static void write_part(Vdut &dut, tally::Rng &rng, unsigned int g, unsigned int mode, unsigned int part)
{
	Part &p = rows[g].part[mode][part];

	p = { rng.below(1 << Contributors), rng.below(1 << Contributors), rng.below(4), rng.below(Parts), rng.below(2) };
	dut.part_write_i = 1;
	dut.part_group_i = g;
	dut.part_mode_i = mode;
	dut.part_index_i = part;
	dut.part_ins_i = p.ins;
	dut.part_outs_i = p.outs;
	dut.part_inner_i = p.inner;
	dut.part_next_i = p.next;
	dut.part_right_i = p.right;
}

static void write_edge(Vdut &dut, tally::Rng &rng, unsigned int g, unsigned int edge)
{
	Edge &e = rows[g].edge[edge];

	e.round = rng.below(4);
	random_lanes(rng, e.part, Parts);
	dut.edge_write_i = 1;
	dut.edge_group_i = g;
	dut.edge_index_i = edge;
	dut.edge_round_i = e.round;
	dut.edge_part_i = lanes(e.part, Parts);
}

static void write_rank(Vdut &dut, tally::Rng &rng, unsigned int g, unsigned int rank)
{
	Rank &r = rows[g].rank[rank];

	random_lanes(rng, r.part, Parts);
	random_lanes(rng, r.right, 2);
	dut.rank_write_i = 1;
	dut.rank_group_i = g;
	dut.rank_index_i = rank;
	dut.rank_part_i = lanes(r.part, Parts);
	dut.rank_right_i = lanes(r.right, 2);
}

static void write_nothing(Vdut &dut)
{
	dut.group_write_i = dut.part_write_i = dut.edge_write_i = dut.rank_write_i = 0;
}

// Returns the part that the inputs ask for.
static Choice choice_of(const Vdut &dut, const Row &r)
{
	const unsigned int m = dut.mode_i - TALLY_MODE_TREE;
	const Edge &e = r.edge[dut.from_edge_i % Contributors];
	const Rank &rank = r.rank[dut.from_edge_i % Ranks];
	const Part &from = r.part[m][dut.from_i];
	const bool exchange = dut.mode_i == TALLY_MODE_EXCHANGE;

	if (!dut.shaped_i)
		return { dut.job_i != JOB_OWN && dut.op_i == TALLY_FW_STORE_OP_REDUCE && dut.round_i ? -1 : 0, -1 };
	if (dut.job_i == JOB_OWN)
		return { int(from.next), int(from.right) };
	switch (dut.op_i) {
	case TALLY_FW_STORE_OP_REDUCE:
		return { (exchange ? dut.round_i && dut.round_i == e.round : !dut.round_i) ? int(e.part[m]) : -1, -1 };
	case TALLY_FW_STORE_OP_POST:
		if (!dut.early_i)
			return { int(r.last[m]), -1 };
		return dut.early_rank_i ? Choice{ int(rank.part[m]), int(rank.right[m]) } : Choice{ int(e.part[m]), -1 };
	case TALLY_FW_STORE_OP_DATA:
		return { int(rank.part[m]), int(rank.right[m]) };
	case TALLY_FW_STORE_OP_TAKEN:
		return { exchange && !dut.rank_i ? -1 : 0, -1 };
	default:
		return { exchange ? -1 : int(r.last[m]), -1 };
	}
}

static void ask(tally::Bench<Vdut> &bench, unsigned int g)
{
	Vdut &dut = *bench.dut;
	tally::Rng &rng = bench.rng;
	const Row &r = rows[g];

	dut.read_group_i = g;
	dut.mode_i = TALLY_MODE_TREE + rng.below(modes);
	dut.choose_i = 0;
	dut.load_i = 1;
	dut.from_i = rng.below(Parts);
	dut.from_edge_i = rng.below(256);
	bench.tick();
	dut.load_i = 0;
	CHECK(!std::memcmp(&dut.read_o, r.group.data(), sizeof(r.group)) && dut.read_edges_o == r.edges &&
		      dut.read_mtu_o == r.mtu && dut.read_ordered_o == r.ordered && dut.read_last_o == r.last[dut.mode_i - TALLY_MODE_TREE] &&
		      dut.read_shift_o == r.shift,
	      "another row than that of group %u", g);
	write_nothing(dut);
	dut.choose_i = 1;
	dut.shaped_i = dut.mode_i == TALLY_MODE_EXCHANGE || rng.one_in(2);
	dut.early_rank_i = rng.one_in(2);
	dut.early_i = rng.one_in(2);
	dut.job_i = rng.one_in(4) ? JOB_OWN : JOB_OP;
	dut.op_i = rng.below(5);
	dut.round_i = rng.one_in(4) ? rng.below(256) : rng.below(4);
	dut.rank_i = rng.one_in(2);
	bench.settle();
	const Choice c = choice_of(dut, r);
	bench.tick();
	dut.choose_i = 0;
	bench.settle();
	CHECK(dut.part_ok_o == (c.part >= 0), "operation %d, round %d: ok is %d", dut.op_i, dut.round_i, dut.part_ok_o);
	for (int i = 0; i < 2 && c.part >= 0; i++) { // the part stays
		const Part &p = r.part[dut.mode_i - TALLY_MODE_TREE][c.part];

		CHECK(dut.part_o == c.part, "operation %d, round %d: part %d, not %d", dut.op_i, dut.round_i, dut.part_o, c.part);
		CHECK(c.right < 0 || dut.right_o == c.right, "operation %d: the other input", dut.op_i);
		CHECK(dut.ins_o == p.ins && dut.outs_o == p.outs && dut.inner_o == p.inner, "wrong row of part %d", c.part);
		dut.round_i = rng.below(256);
		bench.tick();
	}
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("store_tables", argc, argv);

	write_nothing(*bench.dut);
	bench.dut->choose_i = bench.dut->load_i = 0;
	bench.reset();
	for (unsigned int g = 0; g < Groups; g++) {
		write_group(*bench.dut, bench.rng, g);
		for (unsigned int i = 0; i < Contributors; i++) { // the largest table
			write_part(*bench.dut, bench.rng, g, i / Parts % modes, i % Parts);
			write_edge(*bench.dut, bench.rng, g, i);
			write_rank(*bench.dut, bench.rng, g, i % Ranks);
			bench.tick();
		}
	}
	for (uint64_t left = bench.times(20000); left; left--) {
		unsigned int g = bench.rng.below(Groups), other = (g + 1 + bench.rng.below(Groups - 1)) % Groups;

		write_nothing(*bench.dut);
		if (bench.rng.one_in(4))
			write_group(*bench.dut, bench.rng, other);
		if (bench.rng.one_in(4))
			write_part(*bench.dut, bench.rng, other, bench.rng.below(modes), bench.rng.below(Parts));
		if (bench.rng.one_in(4))
			write_edge(*bench.dut, bench.rng, other, bench.rng.below(Contributors));
		if (bench.rng.one_in(4))
			write_rank(*bench.dut, bench.rng, other, bench.rng.below(Ranks));
		ask(bench, g);
	}
	return bench.finish();
}
