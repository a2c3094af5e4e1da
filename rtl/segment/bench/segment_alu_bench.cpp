// SPDX-License-Identifier: BSD-2-Clause
// tally_segment_alu: what the ALU makes of contributions of all operations and types is what the model makes of them, and
// a slot waits no longer for it than its pipeline is long.
#include "segment_tester.h"

// Of tally_alu_pkg; the clocks measured would be others.
constexpr unsigned int alu_latency = 12;

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("segment_alu", argc, argv);

	reset_segment(bench);
	Tester tester(bench, alu_latency);
	return run_segment(bench, tester);
}
