// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_local_fence: compares it with a std::set of groups whose results are not written. Each FENCE must be answered once,
// after a clock in which nothing of its group was under way. Resets come amid the traffic.
#include <optional>
#include <set>

#include "Vdut.h"
#include "bench.h"

constexpr unsigned int longest_wait = 2000;

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t fences = 0, begins = 0, shut = 0, open = 0;

	void restart()
	{
		dut_.cmd_valid_i = dut_.look_i = dut_.fenced_ready_i = 0;
		bench_.reset();
		shut_.clear();
		expected_.reset();
		fence_.reset();
		offers_ = quiet_ = told_ = false;
		waits_ = 0;
	}

	void cycle()
	{
		if (!offers_ && rng_.one_in(4)) {
			dut_.cmd_begins_i = rng_.one_in(2);
			dut_.cmd_group_i = group();
			offers_ = true;
		}
		dut_.cmd_valid_i = offers_;
		dut_.look_i = rng_.one_in(2);
		dut_.look_group_i = rng_.one_in(3) ? unsigned(dut_.cmd_group_i) : group();
		dut_.quiet_i = rng_.one_in(6);
		dut_.fenced_ready_i = rng_.one_in(3);
		bench_.settle();
		observe();
		CHECK(!offers_ || ++waits_ < longest_wait, "a command is never taken");
		bench_.tick();
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	std::set<unsigned int> shut_;
	std::optional<bool> expected_;		// of the last look
	std::optional<unsigned int> fence_;	// that was not answered
	bool offers_ = false, quiet_ = false, told_ = false;
	unsigned int waits_ = 0;

	unsigned int group() { return rng_.one_in(2) ? rng_.below(Groups) : rng_.below(4) * (Groups / 4); }

	void observe()
	{
		CHECK(!expected_ || dut_.shut_o == *expected_, "shut_o is %d", dut_.shut_o);
		if (expected_)
			(*expected_ ? shut : open)++;
		if (dut_.look_i)
			expected_ = shut_.count(dut_.look_group_i) > 0;
		observe_answer();
		if (!dut_.cmd_valid_i || !dut_.cmd_ready_o)
			return;
		CHECK(!fence_ && !dut_.fenced_valid_o, "a command is taken before the answer to FENCE");
		offers_ = false;
		waits_ = 0;
		if (dut_.cmd_begins_i) {
			shut_.erase(dut_.cmd_group_i);
			begins++;
			return;
		}
		shut_.insert(dut_.cmd_group_i);
		fence_ = dut_.cmd_group_i;
		quiet_ = false;
	}

	void observe_answer()
	{
		CHECK(dut_.fenced_valid_o || !told_, "an answer is withdrawn");
		CHECK(dut_.busy_o || !(dut_.fenced_valid_o || (fence_ && dut_.quiet_i)), "it has an answer and is not busy");
		told_ = dut_.fenced_valid_o && !dut_.fenced_ready_i;
		if (dut_.fenced_valid_o)
			CHECK(fence_ && quiet_ && dut_.fenced_group_o == *fence_, "group %d is fenced", dut_.fenced_group_o);
		else if (fence_)
			CHECK(!quiet_ && dut_.fenced_group_o == *fence_, "group %u is not fenced", *fence_);
		quiet_ |= fence_ && dut_.quiet_i;
		if (!dut_.fenced_valid_o || !dut_.fenced_ready_i)
			return;
		fence_.reset();
		fences++;
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("local_fence", argc, argv);
	World world(bench);

	bench.live(bench.times(100000), [&] { world.restart(); }, [&] { world.cycle(); });
	CHECK(world.fences > 1000 && world.begins > 1000 && world.shut > 1000 && world.open > 1000, "%llu fences, %llu begins, %llu shut, "
	      "%llu open", (unsigned long long)world.fences, (unsigned long long)world.begins, (unsigned long long)world.shut,
	      (unsigned long long)world.open);
	return bench.finish();
}
