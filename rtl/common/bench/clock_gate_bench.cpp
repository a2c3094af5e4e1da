// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_clock_gate: the enable changes at any time. An edge of the input clock is one of the output if the enable
// was high just before it; the output falls with the input, and does not change between two edges.
#include "Vdut.h"
#include "bench.h"

int main(int argc, char **argv)
{
	const tally::Options options = tally::parse(argc, argv);
	tally::Rng rng(options.seed);
	Vdut dut;
	unsigned int passed = 0;
	bool expected = false;

	tally::place = { "clock_gate", options.seed, 0 };
	dut.clk_i = dut.en_i = 0;
	dut.eval();
	for (uint64_t left = options.long_run ? 200000 : 20000; left; left--, tally::place.cycle++) {
		if (rng.one_in(2)) {
			dut.en_i = rng.one_in(2);
		} else {
			dut.clk_i = !dut.clk_i;
			expected = dut.clk_i && dut.en_i;
			passed += expected;
		}
		dut.eval();
		CHECK(dut.clk_o == expected, "clk_o is %d, clk_i %d, en_i %d", dut.clk_o, dut.clk_i, dut.en_i);
	}
	CHECK(passed > 1000, "only %u edges have passed", passed);
	dut.final();
	if (!options.coverage.empty())
		tally::write_coverage(options.coverage);
	std::printf("clock_gate: seed %llu: passed\n", static_cast<unsigned long long>(options.seed));
	return 0;
}
