// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_modulo: small divisors with all small values, corners, powers of two and random numbers. Compares with
// quotient() and modulo() of the model, and with the division of the processor.
#include "Vdut.h"
#include "plan_model.h"
#include "plan_stream.h"

struct Question {
	plan_divisor d;
	uint32_t value;
};

class Tester {
public:
	explicit Tester(tally::Bench<Vdut> &bench) : bench_(bench), dut_(*bench.dut), rng_(bench.rng) {}

	void ask(uint32_t divisor, uint32_t value)
	{
		const Question q = { plan_model_divisor(divisor), value };

		while (!go_.go())
			cycle();
		dut_.valid_i = 1;
		dut_.value_i = value;
		dut_.divisor_i = q.d.n;
		dut_.inverse_i = q.d.inverse;
		dut_.shift_i = q.d.shift;
		dut_.tag_i = stream_.tag();
		stream_.ask(bench_.cycle(), q);
		cycle();
		dut_.valid_i = 0;
		dut_.tag_i = ~0;
	}

	void finish()
	{
		while (!stream_.empty())
			cycle();
	}

	// A number of any length, often one beside a power of two.
	uint32_t number()
	{
		uint32_t n = rng_.next() >> rng_.below(32);

		return rng_.one_in(4) ? (1U << rng_.below(32)) + rng_.below(3) - 1 : n;
	}

private:
	void cycle()
	{
		bench_.settle();
		if (const Question *q = stream_.answered(bench_.cycle(), dut_.valid_o, dut_.tag_o))
			check(*q);
		bench_.tick();
	}

	void check(const Question &q)
	{
		CHECK(plan_model_quotient(q.d, q.value) == q.value / q.d.n, "the model's quotient");
		CHECK(dut_.quotient_o == plan_model_quotient(q.d, q.value), "%u / %u is %u", q.value, q.d.n, dut_.quotient_o);
		CHECK(dut_.remainder_o == plan_model_modulo(q.d, q.value), "%u mod %u is %u", q.value, q.d.n, dut_.remainder_o);
	}

	tally::Bench<Vdut> &bench_;
	Vdut &dut_;
	tally::Rng &rng_;
	tally::Throttle go_{ rng_ };
	Stream<Question> stream_{ 7 };
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("modulo", argc, argv);
	Tester tester(bench);

	bench.dut->valid_i = 0;
	bench.reset();
	for (uint32_t divisor = 1; divisor <= 40; divisor++)
		for (uint32_t value = 0; value <= 2 * divisor + 1; value++)
			tester.ask(divisor, value);
	for (uint64_t left = bench.times(100000); left; left--) {
		uint32_t divisor = tester.number(), value = tester.number();

		if (!divisor)
			divisor = UINT32_MAX;
		if (bench.rng.one_in(4)) /* beside a multiple */
			value = value / divisor * divisor + bench.rng.below(3) - 1;
		tester.ask(divisor, value);
	}
	tester.finish();
	return bench.finish();
}
