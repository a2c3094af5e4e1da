// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_written: compares it with a std::set of rows, with reads of rows that are written at the same time, and
// resets amid the traffic. Few rows are written in most lives, so that what was written before a reset would be found.
#include <optional>
#include <set>

#include "Vdut.h"
#include "bench.h"

constexpr unsigned int rows = 150, words = 3;	// of 64 bits

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("written", argc, argv);
	Vdut &dut = *bench.dut;
	std::set<unsigned int> written;
	std::optional<bool> expected;
	unsigned int busy = 0, one_in = 1;

	auto restart = [&] {
		dut.write_i = dut.read_i = 0;
		bench.reset();
		written.clear();
		expected.reset();
		busy = words;
		one_in = bench.rng.below(2) ? 2 : 20;
	};
	auto cycle = [&] {
		dut.write_at_i = bench.rng.below(rows);
		dut.read_at_i = bench.rng.below(4) ? bench.rng.below(rows) : dut.write_at_i;
		dut.read_i = bench.rng.below(2);
		dut.write_i = !busy && !bench.rng.below(one_in);
		bench.settle();
		CHECK(dut.busy_o == (busy > 0), "busy_o is %d %u clocks before the end of clearing", dut.busy_o, busy);
		CHECK(!expected || dut.written_o == *expected, "written_o is %d", dut.written_o);
		if (dut.read_i && busy)
			expected.reset();
		else if (dut.read_i)
			expected = written.count(dut.read_at_i) > 0;
		if (dut.write_i)
			written.insert(dut.write_at_i);
		busy -= busy > 0;
		bench.tick();
	};
	restart();
	bench.live(bench.times(200000), restart, cycle);
	return bench.finish();
}
