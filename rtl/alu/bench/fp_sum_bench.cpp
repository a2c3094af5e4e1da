// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_fp_sum: compares it with the host's arithmetic.
#include "fp_lane.h"

int main(int argc, char **argv)
{
	tally::LaneBench lane("fp_sum", argc, argv);

	for (uint64_t left = lane.bench.times(200000); left; left--)
		lane.step(TALLY_OP_SUM);
	lane.check_seen(TALLY_OP_SUM, tally::kAllFlags & ~TALLY_ERR_FP_UNDERFLOW);
	return lane.bench.finish();
}
