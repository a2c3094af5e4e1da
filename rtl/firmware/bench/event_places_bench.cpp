// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_event_places: compares it with a table of events. Events are raised seldom or in almost every clock, of few
// objects or of all, and objects are dropped at any moment. Each event is offered, once, with the row of the first time; while
// an object waits, each other one gives at most one event.
#include <algorithm>
#include <map>
#include <set>

#include "Vdut.h"
#include "bench.h"

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t taken = 0, again = 0, dropped = 0;

	void restart()
	{
		dut_.raise_valid_i = dut_.drop_valid_i = dut_.out_take_i = 0;
		bench_.reset();
		events_.clear();
		passed_.clear();
		drop_percent_ = 0;	// until later, so that first offers are in time
		idle_ = since_ = waits_ = 0;
		quiet_ = any_drop_ = first_leaves_ = false;
	}

	void step(bool more = true)
	{
		if (more)
			choose();
		bench_.settle();
		dut_.out_take_i = dut_.out_valid_o && sink_.go();
		bench_.settle();
		watch();
		bench_.tick();
		since_++;
		dut_.raise_valid_i = dut_.raise_valid_i && !raised_;
		dut_.drop_valid_i = dut_.drop_valid_i && !drops_;
	}

	void finish()
	{
		for (unsigned int i = 0; i < 40 * Num; i++)
			step(false);
		CHECK(events_.empty(), "%zu objects keep events", events_.size());
		CHECK(!dut_.busy_o && !dut_.out_valid_o, "something stays inside");
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	tally::Throttle sink_{ rng_ };
	std::map<unsigned int, std::map<unsigned int, uint32_t>> events_;	// of each object, by kind, with the row
	std::map<unsigned int, std::set<unsigned int>> passed_;	// of each object that waits, those that gave an event meanwhile
	unsigned int raise_percent_ = 0, drop_percent_ = 0, base_ = 0, span_ = 1;
	unsigned int idle_ = 0, since_ = 0, waits_ = 0;
	bool quiet_ = false, raised_ = false, drops_ = false, any_drop_ = false;
	bool first_leaves_ = false;	// an event of kind 0 was taken in the last clock

	void choose()
	{
		const unsigned int percent[] = { 0, 2, 10, 40, 95 };

		if (rng_.one_in(60)) {
			raise_percent_ = percent[rng_.below(5)];
			base_ = rng_.below(Num);
			span_ = rng_.one_in(2) ? Num : 1 + rng_.below(4);
			if (rng_.one_in(60))
				drop_percent_ = 5;
		}
		if (!dut_.raise_valid_i) {
			dut_.raise_valid_i = raise_percent_ > rng_.below(100);
			dut_.raise_number_i = number();
			dut_.raise_kind_i = rng_.below(Kinds);
			dut_.raise_row_i = rng_.next();
		}
		if (!dut_.drop_valid_i) {
			dut_.drop_valid_i = drop_percent_ > rng_.below(100);
			dut_.drop_number_i = number();
		}
	}

	// Often the one that is offered.
	unsigned int number()
	{
		return dut_.out_valid_o && rng_.one_in(3) ? dut_.out_number_o : (base_ + rng_.below(span_)) % Num;
	}

	void watch()
	{
		const bool asks = dut_.raise_valid_i || dut_.drop_valid_i;

		CHECK(!dut_.busy_o || !quiet_, "busy_o without an input");
		quiet_ = !dut_.busy_o && !asks && !dut_.out_take_i;
		CHECK(dut_.first_o == (any_first() || first_leaves_), "first_o is %d", dut_.first_o);
		first_leaves_ = false;
		CHECK(!dut_.out_valid_o || !dut_.busy_o || raised_, "the clock is needed although the next event is known");
		CHECK(dut_.out_valid_o || dut_.busy_o || events_.empty(), "an event waits without a clock");
		waits_ = asks && !raised() && !dropped_now() ? waits_ + 1 : 0;
		CHECK(waits_ <= (since_ <= Num ? Num : 2), "nothing is taken for %u clocks", waits_);
		offered();
		raise();	// before what is taken in the same clock
		take();
		drop();
	}

	bool any_first() const
	{
		return std::any_of(events_.begin(), events_.end(), [](const auto &of) { return of.second.count(0); });
	}

	bool raised() const { return dut_.raise_valid_i && dut_.raise_ready_o; }
	bool dropped_now() const { return dut_.drop_valid_i && dut_.drop_ready_o; }

	// A drop leaves a mark, which the search passes later, so there is no bound for the first event behind drops.
	void offered()
	{
		if (!dut_.out_valid_o) {
			idle_ = events_.empty() || raised() || dropped_now() ? 0 : idle_ + 1;
			CHECK(idle_ <= (any_drop_ ? 8 * Num : 8), "nothing is offered for %u clocks", idle_);
			return;
		}
		idle_ = 0;

		const auto at = events_.find(dut_.out_number_o);

		CHECK(at != events_.end(), "%u is offered, which has nothing", dut_.out_number_o);
		CHECK(dut_.out_kind_o == at->second.begin()->first, "kind %u of %u is offered, not %u", dut_.out_kind_o,
		      dut_.out_number_o, at->second.begin()->first);
		if (dut_.out_kind_o == RowKind)
			CHECK(dut_.out_row_o == at->second.begin()->second, "row %08x, not %08x", dut_.out_row_o,
			      at->second.begin()->second);
	}

	void take()
	{
		const unsigned int n = dut_.out_number_o;

		if (!dut_.out_take_i)
			return;
		taken++;
		first_leaves_ = !dut_.out_kind_o;
		events_[n].erase(dut_.out_kind_o);
		if (events_[n].empty())
			events_.erase(n);
		passed_[n].clear();
		for (const auto &waits : events_)
			CHECK(waits.first == n || passed_[waits.first].insert(n).second, "%u gives twice, while %u waits", n, waits.first);
	}

	void raise()
	{
		raised_ = raised();
		if (!raised_)
			return;

		auto &events = events_[dut_.raise_number_i];

		if (events.empty())
			passed_[dut_.raise_number_i].clear();
		again += !events.emplace(dut_.raise_kind_i, dut_.raise_row_i).second;
	}

	void drop()
	{
		drops_ = dropped_now();
		if (!drops_)
			return;
		any_drop_ = true;
		first_leaves_ &= dut_.drop_number_i != dut_.out_number_o;
		dropped += events_.erase(dut_.drop_number_i);
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("event_places", argc, argv);
	World world(bench);

	bench.live(bench.times(150000), [&] { world.restart(); }, [&] { world.step(); });
	world.finish();
	CHECK(world.taken > 5000 && world.again > 1000 && world.dropped > 300, "%llu taken, %llu raised again, %llu dropped",
	      static_cast<unsigned long long>(world.taken), static_cast<unsigned long long>(world.again),
	      static_cast<unsigned long long>(world.dropped));
	return bench.finish();
}
