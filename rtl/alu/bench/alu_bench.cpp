// SPDX-License-Identifier: BSD-2-Clause
// tally_alu against alu_reduce() and alu_check(): another operation and type each clock, with random gaps, and some
// that it does not have. Its units and tally_alu_ctl have benches of their own with more elements, and all codes.
#include "Vdut.h"
#include "alu_stream.h"

// As it is used, it takes its time; a word of 128 bits has all there is, too.
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
