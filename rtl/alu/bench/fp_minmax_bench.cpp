// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_fp_minmax: compares it with the host's comparison, for minima and maxima in random order.
#include "fp_lane.h"

int main(int argc, char **argv)
{
	tally::LaneBench lane("fp_minmax", argc, argv);

	for (uint64_t left = lane.bench.times(200000); left; left--) {
		bool max = lane.bench.rng.one_in(2);

		lane.bench.dut->max_i = max;
		lane.step(max ? TALLY_OP_MAX : TALLY_OP_MIN);
	}
	lane.check_seen(TALLY_OP_MIN, TALLY_ERR_FP_INVALID);
	lane.check_seen(TALLY_OP_MAX, TALLY_ERR_FP_INVALID);
	return lane.bench.finish();
}
