// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_alu_loc: compares it with alu_reduce(), for MINLOC and MAXLOC of mixed types, with random gaps.
#include "Vdut.h"
#include "alu_stream.h"

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("alu_loc", argc, argv);
	auto pairs = tally::alu_pairs([](int op, const alu_type &) {
		return op == TALLY_OP_MINLOC || op == TALLY_OP_MAXLOC;
	});

	CHECK(pairs.size() == NUM_ALU_TYPES * 2, "%zu pairs of operation and type", pairs.size());
	tally::AluStream<Vdut> stream(bench, pairs);
	stream.corners();
	stream.lengths();
	stream.full_rate(1000);
	stream.random(bench.times(1000000));
	stream.end();
	return bench.finish();
}
