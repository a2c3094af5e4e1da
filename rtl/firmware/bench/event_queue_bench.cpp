// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_event_queue: compares it with a list. Rows enter and leave in any clock, fast or slowly, and contexts are
// dropped at any moment, also of a queue that is full or empty.
#include <algorithm>
#include <deque>

#include "Vdut.h"
#include "bench.h"

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t lost = 0, dropped = 0, full_drops = 0, empty_drops = 0;

	void restart()
	{
		dut_.in_valid_i = dut_.out_take_i = dut_.drop_valid_i = 0;
		bench_.reset();
		rows_.clear();
		waits_ = 0;
	}

	void step()
	{
		offer();
		bench_.settle();
		watch();
		bench_.tick();
		dut_.in_valid_i = dut_.in_valid_i && !entered_;
		dut_.drop_valid_i = dut_.drop_valid_i && !drops_;
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	tally::Throttle source_{ rng_ }, sink_{ rng_ };
	std::deque<uint32_t> rows_;
	bool entered_ = false, drops_ = false;
	unsigned int waits_ = 0;	// clocks of the drop

	static unsigned int context(uint32_t row) { return row >> (Width - ContextW); }

	void offer()
	{
		if (!dut_.in_valid_i) {
			dut_.in_valid_i = source_.go();
			dut_.in_i = rng_.next();
		}
		if (!dut_.drop_valid_i) {
			dut_.drop_valid_i = rng_.one_in(30);
			dut_.drop_context_i = rng_.below(1 << ContextW);
		}
		dut_.out_take_i = sink_.go();
	}

	void watch()
	{
		const bool full = rows_.size() == Depth;

		CHECK(dut_.in_ready_o == !dut_.drop_valid_i, "in_ready_o is %d", dut_.in_ready_o);
		CHECK(dut_.out_valid_o == (!dut_.drop_valid_i && !rows_.empty()), "%zu rows are inside, and out_valid_o is %d",
		      rows_.size(), dut_.out_valid_o);
		entered_ = dut_.in_valid_i && dut_.in_ready_o;
		if (entered_)
			CHECK(dut_.in_lost_o == full, "%zu rows are inside, and in_lost_o is %d", rows_.size(), dut_.in_lost_o);
		lost += entered_ && full;
		if (dut_.out_valid_o)
			CHECK(dut_.out_o == rows_.front(), "%08x is offered, not %08x", dut_.out_o, rows_.front());
		if (dut_.out_valid_o && dut_.out_take_i)
			rows_.pop_front();
		if (entered_ && !full)
			rows_.push_back(dut_.in_i);
		drop();
	}

	void drop()
	{
		drops_ = dut_.drop_valid_i && dut_.drop_ready_o;
		CHECK(!dut_.drop_ready_o || dut_.drop_valid_i, "a drop of nobody");
		if (!dut_.drop_valid_i)
			return;
		waits_++;
		CHECK(drops_ == (waits_ == rows_.size() + 2), "a drop among %zu rows after %u clocks", rows_.size(), waits_);
		if (!drops_)
			return;

		const size_t before = rows_.size();

		full_drops += before == Depth;
		empty_drops += !before;
		rows_.erase(std::remove_if(rows_.begin(), rows_.end(), [&](uint32_t row) { return context(row) == dut_.drop_context_i; }),
			    rows_.end());
		dropped += before - rows_.size();
		waits_ = 0;
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("event_queue", argc, argv);
	World world(bench);

	bench.live(bench.times(100000), [&] { world.restart(); }, [&] { world.step(); });
	CHECK(world.lost > 100 && world.dropped > 500 && world.full_drops > 20 && world.empty_drops > 20,
	      "%llu were lost, %llu dropped, %llu drops of a full, %llu of an empty queue",
	      static_cast<unsigned long long>(world.lost), static_cast<unsigned long long>(world.dropped),
	      static_cast<unsigned long long>(world.full_drops), static_cast<unsigned long long>(world.empty_drops));
	return bench.finish();
}
