// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_status_wc: every status, as the fault of the request and of another, compared with the engine.
#include "Vdut.h"
#include "bench.h"

extern "C" {
#include "engine/coll_status.h"
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("status_wc", argc, argv);

	bench.reset();
	for (unsigned int status = 0; status < 1u << 16; status++)
		for (unsigned int other = 0; other < 2; other++) {
			const unsigned int wc = other ? coll_status_wc_of_end(status) : coll_status_wc(status);

			bench.dut->status_i = status;
			bench.dut->other_i = other;
			bench.tick();
			CHECK(bench.dut->wc_o == wc, "status %u, other %u: %u instead of %u", status, other, bench.dut->wc_o, wc);
		}
	return bench.finish();
}
