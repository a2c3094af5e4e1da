// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_fifo: compares it with a std::deque, with random stalls on both sides, and resets amid the traffic.
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"

using Word = std::vector<uint8_t>;
constexpr size_t bytes = Width / 8;

static Word random_word(tally::Rng &rng)
{
	Word word(bytes);

	rng.fill(word.data(), bytes);
	return word;
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("fifo", argc, argv);
	Vdut &dut = *bench.dut;
	tally::Throttle source(bench.rng), sink(bench.rng);
	std::deque<Word> model;

	auto restart = [&] {
		dut.in_valid_i = dut.out_ready_i = 0;
		bench.reset();
		model.clear();
	};
	auto cycle = [&] {
		Word word = random_word(bench.rng);

		dut.in_valid_i = source.go();
		dut.out_ready_i = sink.go();
		std::memcpy(&dut.in_i, word.data(), bytes);
		bench.settle();
		CHECK(dut.used_o == model.size(), "used_o is %d, not %zu", dut.used_o, model.size());
		CHECK(dut.in_ready_o == (model.size() < Depth), "in_ready_o is %d with %zu words", dut.in_ready_o,
		      model.size());
		CHECK(dut.out_valid_o == !model.empty(), "out_valid_o is %d with %zu words", dut.out_valid_o,
		      model.size());
		CHECK(!dut.out_valid_o || !std::memcmp(&dut.out_o, model.front().data(), bytes), "a wrong word leaves");
		if (dut.out_valid_o && dut.out_ready_i)
			model.pop_front();
		if (dut.in_valid_i && dut.in_ready_o)
			model.push_back(word);
		bench.tick();
	};
	bench.live(bench.times(100000), restart, cycle);
	return bench.finish();
}
