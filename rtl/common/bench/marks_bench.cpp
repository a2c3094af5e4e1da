// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_marks: compares it with a set. Marks come seldom or in almost every clock, to few numbers or to all, and the set is
// emptied now and then. While a number waits, each other one may be taken once.
#include <set>
#include <vector>

#include "Vdut.h"
#include "bench.h"

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut), sink_(bench.rng) {}

	uint64_t emptied = 0;

	void restart()
	{
		dut_.mark_valid_i = dut_.out_ready_i = 0;
		bench_.reset();
		in_.clear();
		seen_.assign(Num, {});
		idle_ = 0;
	}

	void step()
	{
		if (rng_.one_in(40))
			choose();
		dut_.mark_valid_i = percent_ > rng_.below(100);
		dut_.mark_i = rng_.one_in(3) && dut_.out_valid_o ? dut_.out_o : (base_ + rng_.below(span_)) % Num;
		dut_.out_ready_i = sink_.go();
		bench_.settle();
		watch();
		bench_.tick();
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	tally::Throttle sink_;
	std::set<unsigned int> in_;
	std::vector<std::set<unsigned int>> seen_;	// of each number that is in the set, those that were taken meanwhile
	unsigned int percent_ = 0, base_ = 0, span_ = 1, idle_ = 0;

	void choose()
	{
		const unsigned int percent[] = { 0, 0, 5, 30, 70, 95 };

		percent_ = percent[rng_.below(6)];
		base_ = rng_.below(Num);
		span_ = rng_.one_in(2) ? Num : 1 + rng_.below(4);
	}

	// Clocks with a mark do not count, as the search waits for one without.
	void watch()
	{
		if (dut_.out_valid_o) {
			CHECK(in_.count(dut_.out_o), "%u is offered, which is not in the set", dut_.out_o);
			idle_ = 0;
			if (dut_.out_ready_i)
				take(dut_.out_o);
		} else if (!in_.empty() && !dut_.mark_valid_i) {
			CHECK(++idle_ <= 4, "nothing of %zu numbers is offered", in_.size());
		}
		if (dut_.mark_valid_i)
			in_.insert(dut_.mark_i);
	}

	void take(unsigned int number)
	{
		in_.erase(number);
		seen_[number].clear();
		for (unsigned int waits : in_)
			CHECK(seen_[waits].insert(number).second, "%u is taken twice, while %u waits", number, waits);
		emptied += in_.empty();
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("marks", argc, argv);
	World world(bench);

	bench.live(bench.times(100000), [&] { world.restart(); }, [&] { world.step(); });
	CHECK(world.emptied > 500, "the set was emptied %llu times", static_cast<unsigned long long>(world.emptied));
	return bench.finish();
}
