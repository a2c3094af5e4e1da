// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_divide: compares quotient, remainder and time with the division of C.
#include "Vdut.h"
#include "bench.h"

constexpr uint64_t steps = (DividendW + 1) / 2;

static void divide(tally::Bench<Vdut> &bench, uint64_t dividend, uint64_t divisor)
{
	Vdut &dut = *bench.dut;
	uint64_t expected = dividend < divisor ? 1 : steps + 1, began;

	dut.start_i = 1;
	dut.dividend_i = dividend;
	dut.divisor_i = divisor;
	began = bench.cycle();
	bench.tick();
	dut.start_i = 0;
	dut.dividend_i = bench.rng.next() & ((1ull << DividendW) - 1);
	dut.divisor_i = bench.rng.below(1ull << DivisorW);
	for (bench.settle(); !dut.done_o; bench.settle()) {
		CHECK(bench.cycle() - began < expected, "%llu / %llu does not end", (unsigned long long)dividend,
		      (unsigned long long)divisor);
		if (bench.rng.one_in(200))
			return; // the next one begins before this one has ended
		bench.tick();
	}
	CHECK(bench.cycle() - began == expected, "%llu clocks", (unsigned long long)(bench.cycle() - began));
	for (uint64_t left = bench.rng.below(3); left; left--)
		bench.tick(); // the result stays
	CHECK(dut.done_o && dut.quotient_o == dividend / divisor && dut.remainder_o == dividend % divisor,
	      "%llu / %llu = %llu, rest %llu", (unsigned long long)dividend, (unsigned long long)divisor,
	      (unsigned long long)dut.quotient_o, (unsigned long long)dut.remainder_o);
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("divide", argc, argv);
	constexpr uint64_t most = (1ull << DividendW) - 1, most_divisor = (1ull << DivisorW) - 1;

	bench.dut->start_i = 0;
	bench.reset();
	bench.settle();
	for (uint64_t n = bench.times(8000); n; n--) {
		uint64_t divisor = 1 + bench.rng.below(bench.rng.one_in(2) ? most_divisor : 8);
		uint64_t dividend = bench.rng.next() & most >> bench.rng.below(DividendW);

		if (bench.rng.one_in(4)) // just a multiple, or just none
			dividend = (dividend / divisor * divisor + bench.rng.below(3) - 1) & most;
		divide(bench, dividend, divisor);
	}
	for (uint64_t divisor : { uint64_t(1), uint64_t(2), most_divisor })
		for (uint64_t dividend : { uint64_t(0), uint64_t(1), divisor - 1, divisor, divisor + 1, most - 1, most })
			divide(bench, dividend, divisor);
	return bench.finish();
}
