// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_keep: compares ready, valid and the order of words with a std::deque of one word, with random stalls on
// both sides, and resets amid the traffic. A word that comes to the empty block may leave at once.
#include <deque>

#include "Vdut.h"
#include "bench.h"

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("keep", argc, argv);
	Vdut &dut = *bench.dut;
	tally::Throttle source(bench.rng), sink(bench.rng);
	std::deque<uint32_t> model;
	bool offers = false; // what was offered and not taken stays

	auto restart = [&] {
		dut.in_valid_i = dut.out_ready_i = 0;
		bench.reset();
		model.clear();
		offers = false;
	};
	auto cycle = [&] {
		if (!offers) {
			dut.in_valid_i = source.go();
			dut.in_i = static_cast<uint32_t>(bench.rng.next());
		}
		dut.out_ready_i = sink.go();
		bench.settle();
		CHECK(dut.kept_o == !model.empty(), "kept_o is %d with %zu words", dut.kept_o, model.size());
		CHECK(dut.in_ready_o == model.empty(), "in_ready_o is %d with %zu words", dut.in_ready_o, model.size());
		offers = dut.in_valid_i && !dut.in_ready_o;
		if (dut.in_valid_i && dut.in_ready_o)
			model.push_back(dut.in_i);
		CHECK(dut.out_valid_o == !model.empty(), "out_valid_o is %d with %zu words", dut.out_valid_o, model.size());
		CHECK(model.empty() || dut.out_o == model.front(), "a wrong word leaves");
		if (dut.out_valid_o && dut.out_ready_i)
			model.pop_front();
		bench.tick();
	};
	bench.live(bench.times(200000), restart, cycle);
	return bench.finish();
}
