// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_fp_prod: compares it with the host's arithmetic.
#include "fp_lane.h"

int main(int argc, char **argv)
{
	tally::LaneBench lane("fp_prod", argc, argv);

	for (uint64_t left = lane.bench.times(200000); left; left--)
		lane.step(TALLY_OP_PROD);
	lane.check_seen(TALLY_OP_PROD, tally::kAllFlags);
	return lane.bench.finish();
}
