// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_segment_alu: compares contributions of all operations and types, and the division of AVG, with the
// model, and checks that a slot waits for the ALU no longer than its pipeline is long.
#include <cstring>

#include "segment_tester.h"

// Latency of the divider, from tally_alu_pkg. The ALU is slowed down to it. The measured clocks depend on it.
constexpr unsigned int alu_latency = 13;

// Writes the inverse of the model's number of ranks for each group.
static void write_inverses(tally::Bench<Vdut> &bench, uint32_t n)
{
	unsigned int up = __builtin_clz(n);
	unsigned __int128 inverse = (static_cast<unsigned __int128>(1) << 118) / (n << up);
	Vdut &dut = *bench.dut;

	dut.inverse_write_i = 1;
	dut.inverse_down_i = 31 - up;
	std::memcpy(&dut.inverse_i, &inverse, sizeof(dut.inverse_i));
	for (unsigned int group = 0; group < Groups; group++) {
		dut.inverse_group_i = group;
		bench.tick();
	}
	dut.inverse_write_i = 0;
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("segment_alu", argc, argv);
	segment_model *model = segment_model_new(Slots);

	bench.dut->inverse_write_i = 0;
	reset_segment(bench);
	write_inverses(bench, segment_model_divisor(model));
	segment_model_free(model);
	Tester tester(bench, alu_latency);
	return run_segment(bench, tester);
}
