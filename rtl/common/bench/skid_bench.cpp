// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_skid: compares ready, valid and the order of words with a std::deque of two words, with random stalls
// on both sides, and resets amid the traffic. It also checks that the block never delays a word that could enter or leave.
#include <deque>

#include "Vdut.h"
#include "bench.h"

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("skid", argc, argv);
	Vdut &dut = *bench.dut;
	tally::Throttle source(bench.rng), sink(bench.rng);
	std::deque<uint32_t> model;

	auto restart = [&] {
		dut.in_valid_i = dut.out_ready_i = 0;
		bench.reset();
		model.clear();
	};
	auto cycle = [&] {
		dut.in_valid_i = source.go();
		dut.out_ready_i = sink.go();
		dut.in_i = static_cast<uint32_t>(bench.rng.next());
		bench.settle();
		CHECK(dut.in_ready_o == (model.size() < 2), "in_ready_o is %d with %zu words", dut.in_ready_o, model.size());
		CHECK(dut.out_valid_o == !model.empty(), "out_valid_o is %d with %zu words", dut.out_valid_o, model.size());
		CHECK(model.empty() || dut.out_o == model.front(), "a wrong word leaves");
		if (dut.out_valid_o && dut.out_ready_i)
			model.pop_front();
		if (dut.in_valid_i && dut.in_ready_o)
			model.push_back(dut.in_i);
		bench.tick();
	};
	bench.live(bench.times(200000), restart, cycle);
	return bench.finish();
}
