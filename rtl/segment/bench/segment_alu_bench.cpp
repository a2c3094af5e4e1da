// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_segment_alu: compares contributions of all operations and types with the model, and checks that a slot
// waits for the ALU no longer than its pipeline is long.
#include "segment_tester.h"

// From tally_alu_pkg. The measured clocks depend on it.
constexpr unsigned int alu_latency = 12;

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("segment_alu", argc, argv);

	reset_segment(bench);
	Tester tester(bench, alu_latency);
	return run_segment(bench, tester);
}
