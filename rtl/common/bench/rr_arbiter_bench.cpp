// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_rr_arbiter: compares it with a search that begins after the requester granted last. Requesters come
// and go as the rules allow, and the grants stall. Resets come amid the traffic. The bench also counts how long each
// requester waits.
#include <array>

#include "Vdut.h"
#include "bench.h"

// Returns the first requester after `last`, in circular order.
static unsigned int next_after(unsigned int last, unsigned int requests)
{
	unsigned int i = (last + 1) % Num;

	while (!(requests >> i & 1))
		i = (i + 1) % Num;
	return i;
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("rr_arbiter", argc, argv);
	Vdut &dut = *bench.dut;
	tally::Throttle sink(bench.rng);
	std::array<unsigned int, Num> waited = {};	// grants of others since the requester asks
	unsigned int last, offered, percent = 50;

	auto restart = [&] {
		dut.request_valid_i = dut.grant_ready_i = 0;
		bench.reset();
		waited = {};
		last = Num - 1;
		offered = Num;
	};
	auto cycle = [&] {
		unsigned int requests = offered < Num ? 1u << offered : 0, expected;

		if (bench.rng.one_in(100))
			percent = bench.rng.below(101);
		for (unsigned int i = 0; i < Num; i++)
			requests |= (bench.rng.below(100) < percent) << i;
		dut.request_valid_i = requests;
		dut.grant_ready_i = sink.go();
		bench.settle();
		CHECK(dut.grant_valid_o == (requests != 0), "grant_valid_o is %d", dut.grant_valid_o);
		expected = offered < Num ? offered : requests ? next_after(last, requests) : Num;
		CHECK(!requests || dut.grant_o == expected, "grants %d, not %u", dut.grant_o, expected);
		bool granted = requests && dut.grant_ready_i;
		CHECK(dut.request_ready_o == (granted ? 1u << expected : 0), "ready is %x", dut.request_ready_o);
		for (unsigned int i = 0; i < Num; i++) {
			waited[i] = !(requests >> i & 1) || (granted && expected == i) ? 0 : waited[i] + granted;
			CHECK(waited[i] < Num, "requester %u starves", i);
		}
		offered = requests && !granted ? expected : Num;
		last = granted ? expected : last;
		bench.tick();
	};
	bench.live(bench.times(200000), restart, cycle);
	return bench.finish();
}
