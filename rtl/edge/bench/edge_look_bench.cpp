// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_edge_look: two that ask, and a receiver that stalls. Each question gets there once, unchanged, and the first
// one waits for at most one of the second.
#include "Vdut.h"
#include "bench.h"

struct Side {
	bool valid = false;
	unsigned int group = 0, edge = 0, waited = 0;
	uint64_t taken = 0;
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("edge_look", argc, argv);
	tally::Throttle go[2]{ tally::Throttle(bench.rng), tally::Throttle(bench.rng) }, ready(bench.rng);
	Vdut &dut = *bench.dut;
	Side sides[2];
	auto restart = [&] {
		sides[0].valid = sides[1].valid = false;
		dut.first_valid_i = dut.second_valid_i = dut.look_ready_i = 0;
		bench.reset();
	};
	auto step = [&] {
		for (unsigned int i = 0; i < 2; i++)
			if (!sides[i].valid && go[i].go())
				sides[i] = { true, unsigned(bench.rng.below(Groups)), unsigned(bench.rng.below(EdgesOf)), 0, sides[i].taken };
		dut.first_valid_i = sides[0].valid;
		dut.first_group_i = sides[0].group;
		dut.first_edge_i = sides[0].edge;
		dut.second_valid_i = sides[1].valid;
		dut.second_group_i = sides[1].group;
		dut.second_edge_i = sides[1].edge;
		dut.look_ready_i = ready.go();
		bench.settle();
		CHECK(dut.look_valid_o == (sides[0].valid || sides[1].valid), "look_valid_o is %d", dut.look_valid_o);
		CHECK(!(dut.first_ready_o && dut.second_ready_o), "both are taken");
		const bool taken[2] = { dut.first_valid_i && dut.first_ready_o, dut.second_valid_i && dut.second_ready_o };

		CHECK((taken[0] || taken[1]) == (dut.look_valid_o && dut.look_ready_i), "a question is lost, or made up");
		for (unsigned int i = 0; i < 2; i++)
			if (taken[i]) {
				CHECK(dut.look_group_o == sides[i].group && dut.look_edge_o == sides[i].edge, "another edge");
				sides[i].valid = false;
				sides[i].taken++;
			}
		if (taken[1] && sides[0].valid)
			CHECK(++sides[0].waited <= 1, "the first one is overtaken twice");
		bench.tick();
	};

	bench.live(bench.times(20000), restart, step);
	CHECK(sides[0].taken > 100 && sides[1].taken > 100, "too few questions");
	return bench.finish();
}
