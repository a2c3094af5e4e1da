// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_edge_rows: edges take rows, look for them, and give them back, until none is left and again until all are
// free. No two have the same one; a row that an edge gets has its name. After a reset all are free, whatever the memories hold.
#include <algorithm>
#include <map>
#include <set>

#include "Vdut.h"
#include "bench.h"

enum { FIND, TAKE, GIVE };	// tally_edge_pkg::row_op_e

constexpr unsigned int places = Groups * EdgesOf;

struct State {
	std::map<unsigned int, unsigned int> of;	// by edge
	std::set<unsigned int> used, touched;		// at present, and since the reset
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("edge_rows", argc, argv);
	Vdut &dut = *bench.dut;
	tally::Throttle wants(bench.rng);
	State rows;
	unsigned int taking = 50;
	uint64_t fulls = 0, again = 0, looks = 0;

	auto restart = [&] {
		dut.op_valid_i = dut.look_valid_i = 0;
		dut.look_group_i = dut.look_edge_i = 0;
		dut.name_row_i = 0;
		rows = {};
		bench.reset();
	};
	auto idle = [&] {
		dut.op_valid_i = 0;
		bench.settle();
		CHECK(!dut.answer_valid_o, "an answer to nothing");
		bench.tick();
	};
	auto expect = [&](unsigned int op, unsigned int edge) {
		bool has = rows.of.count(edge), full = rows.used.size() == Rows;

		bench.settle();
		CHECK(dut.answer_valid_o, "no answer");
		CHECK(dut.found_o == (has || (op == TAKE && !full)), "op %u: found_o is %d", op, dut.found_o);
		CHECK(dut.taken_o == (op == TAKE && !has && !full), "op %u: taken_o is %d", op, dut.taken_o);
		if (op == TAKE && !has && !full) {
			CHECK(dut.row_o < Rows && rows.used.insert(dut.row_o).second, "row %u is used already", dut.row_o);
			CHECK(dut.fresh_o == rows.touched.insert(dut.row_o).second, "fresh_o is %d", dut.fresh_o);
			again += !dut.fresh_o;
			rows.of[edge] = dut.row_o;
		} else if (has) {
			CHECK(dut.row_o == rows.of[edge], "row %u, not %u", dut.row_o, rows.of[edge]);
			CHECK(op != TAKE || !dut.fresh_o, "a row becomes fresh");
		}
		fulls += op == TAKE && !has && full;
		if (op == GIVE && has) {
			rows.used.erase(rows.of[edge]);
			rows.of.erase(edge);
		}
	};
	// Another one looks for an edge, perhaps while an operation of a further edge is carried out.
	auto look = [&](unsigned int edge) {
		dut.look_valid_i = 1;
		dut.look_group_i = edge / EdgesOf;
		dut.look_edge_i = edge % EdgesOf;
		bench.settle();
		CHECK(dut.look_ready_o == !dut.op_valid_i, "look_ready_o is %d", dut.look_ready_o);
	};
	auto looked = [&](unsigned int edge, unsigned int row) {
		CHECK(dut.look_found_o == rows.of.count(edge), "look_found_o is %d", dut.look_found_o);
		CHECK(!dut.look_found_o || row == rows.of[edge], "another row is found");
		looks += dut.look_found_o;
	};
	auto look_alone = [&] {
		unsigned int edge = bench.rng.below(places), row;

		look(edge);
		bench.tick();
		dut.look_valid_i = 0;
		bench.settle();
		row = dut.look_row_o;
		bench.tick();
		bench.settle();
		looked(edge, row);
	};
	auto name = [&] {
		unsigned int row = bench.rng.below(Rows);
		auto at = std::find_if(rows.of.begin(), rows.of.end(), [&](const auto &of) { return of.second == row; });

		dut.name_row_i = row;
		idle();
		bench.settle();
		CHECK(dut.name_used_o == (at != rows.of.end()), "name_used_o is %d", dut.name_used_o);
		if (!dut.name_used_o)
			return;
		CHECK(dut.name_group_o == at->first / EdgesOf && dut.name_edge_o == at->first % EdgesOf, "the row is of another edge");
	};
	auto step = [&] {
		unsigned int edge = bench.rng.below(places), op = bench.rng.below(100) < taking ? TAKE : bench.rng.one_in(2) ? FIND : GIVE;

		if (bench.rng.one_in(100))
			taking = bench.rng.below(100);
		if (!wants.go()) {
			look_alone();
			return;
		}
		dut.op_valid_i = 1;
		dut.op_i = op;
		dut.op_group_i = edge / EdgesOf;
		dut.op_edge_i = edge % EdgesOf;
		look(bench.rng.below(places));	// must wait, and has no effect
		bench.tick();
		dut.op_valid_i = 0;
		// in the next clock it is taken; what it finds is of no edge of this operation
		unsigned int other = (edge + 1 + bench.rng.below(places - 1)) % places;
		look(other);
		idle();
		dut.look_valid_i = 0;
		bench.settle();
		unsigned int row = dut.look_row_o;
		idle();
		expect(op, edge);
		looked(other, row);
		bench.tick();
		if (bench.rng.one_in(3))
			name();
	};
	bench.live(bench.times(30000), restart, step);
	CHECK(fulls > 50, "%llu times no row was left", static_cast<unsigned long long>(fulls));
	CHECK(again > 100, "%llu rows were used again", static_cast<unsigned long long>(again));
	CHECK(looks > 1000, "%llu rows were found by the other one", static_cast<unsigned long long>(looks));
	return bench.finish();
}
