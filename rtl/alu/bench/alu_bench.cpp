// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_alu: compares it with alu_reduce() and alu_check(). Each clock has another operation and type, with
// random gaps, and some pairs that the ALU does not have. The units and tally_alu_ctl have their own benches, with more
// elements and all codes.
#include "Vdut.h"
#include "alu_stream.h"

// The bench of 512-bit words, as the ALU is used, is slow. The bench of 128-bit words does the rest of the work.
constexpr bool real_width = Width == 512;

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("alu", argc, argv);
	auto pairs = tally::alu_pairs([](int, const alu_type &) { return true; });

	CHECK(pairs.size() == 8 * 13 + 4 * 7, "%zu pairs of operation and type", pairs.size());
	tally::AluStream<Vdut> stream(bench, pairs);
	if (!real_width || bench.options.long_run)
		stream.corners();
	stream.lengths();
	stream.full_rate(1000);
	stream.random(bench.times(real_width ? 2000 : 20000, 100));
	stream.end();
	return bench.finish();
}
