// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_calendar: times are set, earlier and later, and taken back, while time goes on, sometimes in leaps. What is offered must
// be due, what is due must be offered soon, and the deadline is never later than a time. If nothing is inside, the clock stops until the
// deadline, and no time may pass meanwhile.
#include <vector>

#include "Vdut.h"
#include "bench.h"

constexpr uint64_t never = UINT64_MAX, clock_time = 4;

constexpr unsigned int levels()
{
	unsigned int n = 1;

	while (1u << n < Num)
		n++;
	return n;
}
// Of the leaf of a number: how many nodes are above it.
constexpr unsigned int depth(unsigned int number)
{
	unsigned int n = 0;

	while (((Num > 1 ? Num : 2) + number) >> (n + 1))
		n++;
	return n;
}
constexpr unsigned int clear = 4 << levels();

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t due = 0, withdrawn = 0, sleeps = 0, moved = 0;

	void restart()
	{
		dut_.set_valid_i = dut_.due_ready_i = 0;
		dut_.now_i = now_;
		bench_.reset();
		at_.assign(Num, never);
		over_.assign(Num, 0);
		offered_ = false;
		cleared_ = 0;
		waits_ = 0;
	}

	void step()
	{
		if (rng_.one_in(300))
			choose();
		pass_time();
		if (!dut_.set_valid_i && set_.go() && rng_.one_in(rare_))
			set();
		dut_.due_ready_i = take_.go();
		bench_.settle();
		watch();
		bench_.tick();
		if (taken_)
			dut_.set_valid_i = 0;
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	tally::Throttle set_{ rng_ }, take_{ rng_ };
	std::vector<uint64_t> at_;
	std::vector<unsigned int> over_; // clocks since it is due, and could have been offered
	uint64_t now_ = 1000, base_ = 0, span_ = 1;
	unsigned int rare_ = 1, cleared_ = 0, waits_ = 0, offered_number_ = 0;
	bool offered_ = false, taken_ = false;

	void choose()
	{
		const unsigned int rare[] = { 1, 3, 20, 200 };

		rare_ = rare[rng_.below(4)];
		base_ = rng_.below(Num);
		span_ = rng_.one_in(2) ? Num : 1 + rng_.below(4);
	}

	void set()
	{
		dut_.set_valid_i = 1;
		dut_.set_number_i = rng_.one_in(4) && dut_.due_valid_o ? dut_.due_number_o : (base_ + rng_.below(span_)) % Num;
		const uint64_t old = at_[dut_.set_number_i];

		if (rng_.one_in(8))
			dut_.set_at_i = never;
		else if (rng_.one_in(4) && old != never)
			dut_.set_at_i = old + rng_.below(100);
		else
			dut_.set_at_i = now_ + rng_.below(rng_.one_in(2) ? 200 : 5000) - (rng_.one_in(4) ? 100 : 0);
	}

	// A NIC that sleeps goes on at the deadline, or earlier.
	void pass_time()
	{
		bench_.settle();
		now_ += clock_time;
		dut_.now_i = now_;
		bench_.settle();
		if (dut_.busy_o || dut_.set_valid_i || !rng_.one_in(4))
			return;
		uint64_t to = now_ + rng_.below(rng_.one_in(8) ? 3000 : 200);

		if (dut_.deadline_valid_o && dut_.deadline_o < to)
			to = dut_.deadline_o;
		for (uint64_t at : at_)
			CHECK(at >= to, "a time passes while the NIC sleeps");
		now_ = dut_.now_i = to;
		sleeps++;
	}

	void watch()
	{
		taken_ = dut_.set_valid_i && dut_.set_ready_o;
		CHECK(!offered_ || (dut_.due_valid_o && dut_.due_number_o == offered_number_), "an offer is withdrawn, or changes");
		cleared_ += cleared_ < clear;
		waits_ = dut_.set_valid_i && !taken_ ? waits_ + 1 : 0;
		CHECK(waits_ <= (cleared_ < clear ? clear : 2 * levels() + 8), "a time is not set for %u clocks", waits_);
		watch_due();
		watch_others();
		offered_ = dut_.due_valid_o && !dut_.due_ready_i;
		offered_number_ = dut_.due_number_o;
		if (!taken_)
			return;
		moved += dut_.set_at_i > at_[dut_.set_number_i];
		at_[dut_.set_number_i] = dut_.set_at_i;
		over_[dut_.set_number_i] = 0;
		if (offered_ && dut_.set_number_i == offered_number_) {
			offered_ = false;
			withdrawn++;
		}
	}

	void watch_due()
	{
		if (!dut_.due_valid_o)
			return;
		CHECK(dut_.due_number_o < Num && dut_.busy_o, "number %u is offered", dut_.due_number_o);
		uint64_t &at = at_[dut_.due_number_o];

		CHECK(at <= now_, "number %u is offered too early", dut_.due_number_o);
		if (!dut_.due_ready_i)
			return;
		at = never;
		over_[dut_.due_number_o] = 0;
		due++;
	}

	// Each of the others may be looked at before, as its time may have been moved back.
	void watch_others()
	{
		for (unsigned int n = 0; n < Num; n++) {
			const bool late = at_[n] <= now_;

			CHECK(dut_.busy_o || !late, "number %u is due, and nothing happens", n);
			CHECK(dut_.busy_o || at_[n] == never || (dut_.deadline_valid_o && dut_.deadline_o <= at_[n]), "the deadline is later than %u",
			      n);
			if (late && !dut_.due_valid_o)
				over_[n]++;
			CHECK(over_[n] <= (Num + 2) * 2 * (levels() + 4), "number %u is forgotten", n);
		}
	}
};

static void report(tally::Bench<Vdut> &bench)
{
	Vdut &dut = *bench.dut;
	uint64_t begin;

	dut.set_valid_i = dut.due_ready_i = 0;
	dut.now_i = 0;
	bench.reset();
	for (bench.settle(); dut.busy_o; bench.settle())
		bench.tick();
	dut.set_valid_i = 1;
	dut.set_number_i = 1;
	dut.set_at_i = 1;
	begin = bench.cycle();
	bench.tick();
	dut.set_valid_i = 0;
	for (bench.settle(); dut.busy_o; bench.settle())
		bench.tick();
	CHECK(bench.cycle() - begin == 2 + depth(1), "a time is set in %llu clocks", static_cast<unsigned long long>(bench.cycle() - begin));
	dut.now_i = 1;
	begin = bench.cycle();
	for (bench.settle(); !dut.due_valid_o; bench.settle())
		bench.tick();
	CHECK(bench.cycle() - begin == 2, "a number is offered after %llu clocks", static_cast<unsigned long long>(bench.cycle() - begin));
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("calendar", argc, argv);
	World world(bench);

	report(bench);
	bench.live(bench.times(200000), [&] { world.restart(); }, [&] { world.step(); });
	CHECK(world.due > 2000 && world.withdrawn > 50 && world.sleeps > 1000 && world.moved > 1000, "%llu due, %llu withdrawn, %llu sleeps, %llu moved",
	      static_cast<unsigned long long>(world.due), static_cast<unsigned long long>(world.withdrawn),
	      static_cast<unsigned long long>(world.sleeps), static_cast<unsigned long long>(world.moved));
	return bench.finish();
}
