// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_store_tables: random rows, read while others are written, and the part of each kind of operation.
#include <array>
#include <cstring>

#include "Vdut.h"
#include "bench.h"
#include "gen/tally_fw_hw.h"

enum { JOB_OP, JOB_DIVIDED, JOB_OWN };

static constexpr unsigned int row_words = 9, row_bits = 287;

struct Row {
	std::array<uint32_t, row_words> group;
	unsigned int edges, mtu, rounds;
	unsigned int ins[Parts], outs[Parts];
};

static Row rows[Groups];

static void write_group(Vdut &dut, tally::Rng &rng, unsigned int g)
{
	Row &r = rows[g];

	for (auto &word : r.group)
		word = rng.next();
	r.group[row_words - 1] &= ~0U >> (32 * row_words - row_bits);
	r.edges = rng.below(Contributors + 1);
	r.mtu = rng.below(65536);
	r.rounds = rng.below(Parts);
	std::memcpy(&dut.group_i, r.group.data(), sizeof(r.group));
	dut.group_write_i = 1;
	dut.group_index_i = g;
	dut.group_edges_i = r.edges;
	dut.group_mtu_i = r.mtu;
	dut.group_rounds_i = r.rounds;
}

static void write_round(Vdut &dut, tally::Rng &rng, unsigned int g, unsigned int part)
{
	rows[g].ins[part] = rng.below(1 << Contributors);
	rows[g].outs[part] = rng.below(1 << Contributors);
	dut.round_write_i = 1;
	dut.round_group_i = g;
	dut.round_part_i = part;
	dut.round_ins_i = rows[g].ins[part];
	dut.round_outs_i = rows[g].outs[part];
}

// Returns the part that the inputs ask for, or -1.
static int part_of(const Vdut &dut, unsigned int rounds)
{
	bool in_rounds = dut.round_i && dut.round_i <= rounds;

	if (!dut.exchange_i)
		return dut.op_i == TALLY_FW_STORE_OP_REDUCE && dut.round_i ? -1 : 0;
	if (dut.job_i == JOB_OWN)
		return (dut.from_i + 1) % Parts;
	switch (dut.op_i) {
	case TALLY_FW_STORE_OP_REDUCE:
		return in_rounds ? dut.round_i : -1;
	case TALLY_FW_STORE_OP_POST:
		return dut.early_i ? 0 : rounds;
	case TALLY_FW_STORE_OP_DATA:
		return 0;
	case TALLY_FW_STORE_OP_TAKEN:
		return dut.rank_i ? int(rounds) : dut.sum_i && in_rounds ? dut.round_i - 1 : -1;
	default:
		return -1;
	}
}

static void ask(tally::Bench<Vdut> &bench, unsigned int g)
{
	Vdut &dut = *bench.dut;
	tally::Rng &rng = bench.rng;
	const Row &r = rows[g];

	dut.read_group_i = g;
	dut.choose_i = 0;
	bench.tick();
	CHECK(!std::memcmp(&dut.read_o, r.group.data(), sizeof(r.group)) && dut.read_edges_o == r.edges &&
		      dut.read_mtu_o == r.mtu && dut.read_rounds_o == r.rounds,
	      "another row than that of group %u", g);
	dut.group_write_i = dut.round_write_i = 0;
	dut.choose_i = 1;
	dut.exchange_i = rng.one_in(2);
	dut.early_i = rng.one_in(2);
	dut.job_i = rng.one_in(4) ? JOB_OWN : JOB_OP;
	dut.op_i = rng.below(5);
	dut.from_i = rng.below(Parts);
	dut.round_i = rng.one_in(4) ? rng.below(256) : rng.below(Parts + 1);
	dut.rank_i = rng.one_in(2);
	dut.sum_i = rng.one_in(2);
	bench.settle();
	int part = part_of(dut, r.rounds);
	bench.tick();
	dut.choose_i = 0;
	bench.settle();
	CHECK(dut.part_ok_o == (part >= 0), "operation %d, round %d: ok is %d", dut.op_i, dut.round_i, dut.part_ok_o);
	for (int i = 0; i < 2 && part >= 0; i++) { // the part stays
		CHECK(dut.part_o == part, "operation %d, round %d: part %d, not %d", dut.op_i, dut.round_i, dut.part_o, part);
		CHECK(dut.ins_o == r.ins[part] && dut.outs_o == r.outs[part], "wrong neighbours of part %d", part);
		dut.round_i = rng.below(256);
		bench.tick();
	}
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("store_tables", argc, argv);

	bench.dut->group_write_i = bench.dut->round_write_i = bench.dut->choose_i = 0;
	bench.reset();
	for (unsigned int g = 0; g < Groups; g++) {
		write_group(*bench.dut, bench.rng, g);
		for (unsigned int part = 0; part < Parts; part++) {
			write_round(*bench.dut, bench.rng, g, part);
			bench.tick();
		}
	}
	for (uint64_t left = bench.times(20000); left; left--) {
		unsigned int g = bench.rng.below(Groups), other = (g + 1 + bench.rng.below(Groups - 1)) % Groups;

		bench.dut->group_write_i = bench.dut->round_write_i = 0;
		if (bench.rng.one_in(4))
			write_group(*bench.dut, bench.rng, other);
		if (bench.rng.one_in(4))
			write_round(*bench.dut, bench.rng, other, bench.rng.below(Parts));
		ask(bench, g);
	}
	return bench.finish();
}
