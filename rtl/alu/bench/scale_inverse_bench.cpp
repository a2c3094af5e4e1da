// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_scale_inverse: compares it with a 128-bit division. The divisors are small ones, corner values and
// random ones, with stalls on both sides and at full rate.
#include "Vdut.h"
#include "scale_vectors.h"

constexpr uint64_t kInverseBits = 88; // tally_alu_pkg::InverseW

class InverseBench {
public:
	InverseBench(int argc, char **argv) : bench("scale_inverse", argc, argv), source_(bench.rng), sink_(bench.rng)
	{
		rng_seed(&alu_rng, bench.options.seed);
		bench.dut->valid_i = 0;
		bench.dut->ready_i = 0;
		bench.reset();
	}

	// Inverts one divisor. The inputs are random except when the block takes the divisor.
	void divide(uint32_t n, bool stalls)
	{
		Vdut &dut = *bench.dut;

		dut.valid_i = 0;
		while (stalls && !source_.go())
			cycle(false);
		dut.valid_i = 1;
		dut.divisor_i = n;
		cycle(false);
		dut.valid_i = 0;
		await(tally::divisor_of(n), stalls);
	}

	tally::Bench<Vdut> bench;

private:
	void await(const tally::Divisor &want, bool stalls)
	{
		const uint64_t latency = kInverseBits + 2 + 31 - want.down;

		for (uint64_t k = 1; k < latency; k++)
			cycle(true);
		bench.dut->ready_i = 0;
		do {
			bench.dut->ready_i = !stalls || sink_.go();
			bench.settle();
			check(want);
			bench.tick();
		} while (!bench.dut->ready_i);
		bench.dut->ready_i = 0;
	}

	// Runs a cycle in which no result may leave. If @busy, the block must not take a divisor either.
	void cycle(bool busy)
	{
		Vdut &dut = *bench.dut;

		if (busy) {
			dut.valid_i = bench.rng.one_in(2);
			dut.divisor_i = static_cast<uint32_t>(bench.rng.next());
		}
		dut.ready_i = bench.rng.one_in(2);
		bench.settle();
		CHECK(dut.ready_o == !busy, "ready_o is %d", dut.ready_o);
		CHECK(!dut.valid_o, "a result too early");
		bench.tick();
		dut.valid_i = 0;
	}

	void check(const tally::Divisor &want)
	{
		const Vdut &dut = *bench.dut;
		unsigned __int128 inverse = 0;

		std::memcpy(&inverse, &dut.inverse_o, sizeof(dut.inverse_o));
		CHECK(dut.valid_o && !dut.ready_o, "valid_o is %d, ready_o %d", dut.valid_o, dut.ready_o);
		CHECK(dut.down_o == want.down, "%u: down_o is %u, not %u", want.n, dut.down_o, want.down);
		CHECK(inverse == want.inverse, "%u: wrong inverse", want.n);
	}

	tally::Throttle source_, sink_;
};

int main(int argc, char **argv)
{
	InverseBench inverse(argc, argv);

	for (uint32_t n : tally::corner_divisors())
		inverse.divide(n, false);
	for (uint32_t n = 1; n <= 1000; n++)
		inverse.divide(n, true);
	for (uint64_t left = inverse.bench.times(5000); left; left--)
		inverse.divide(tally::random_divisor(inverse.bench.rng), inverse.bench.rng.one_in(2));
	return inverse.bench.finish();
}
