// SPDX-License-Identifier: BSD-2-Clause
// tally_alu against alu_reduce() and alu_check(): another operation and type each clock, with random gaps, and some
// that it does not have. Its units and tally_alu_ctl have benches of their own with more elements, and all codes.
#include "Vdut.h"
#include "alu_stream.h"

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("alu", argc, argv);
	auto pairs = tally::alu_pairs([](int, const alu_type &) { return true; });

	CHECK(pairs.size() == 8 * 13 + 4 * 7, "%zu pairs of operation and type", pairs.size());
	tally::AluStream<Vdut> stream(bench, pairs);
	stream.corners();
	stream.lengths();
	stream.full_rate(1000);
	stream.random(bench.times(20000, 100));
	stream.end();
	return bench.finish();
}
