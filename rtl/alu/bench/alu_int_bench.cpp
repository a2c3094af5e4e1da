// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_alu_int: compares it with alu_reduce(). Each clock has another operation and type, with random gaps.
#include "Vdut.h"
#include "alu_stream.h"

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("alu_int", argc, argv);
	auto pairs = tally::alu_pairs([](int op, const alu_type &type) {
		return !type.man && op != TALLY_OP_MINLOC && op != TALLY_OP_MAXLOC;
	});

	CHECK(pairs.size() == 8 * 11, "%zu pairs of operation and type", pairs.size());
	tally::AluStream<Vdut> stream(bench, pairs);
	stream.corners();
	stream.lengths();
	stream.full_rate(1000);
	stream.random(bench.times(1000000));
	stream.end();
	return bench.finish();
}
