// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_pool: groups come and go, their epochs begin and end, their chunks are finished, and they ask for more segments than
// they own. The engine's pool is the reference: when nothing is left to do, the limit of each group must be the model's, and as many
// segments must be lent and left, and owed to each group. The bench is the map of segments, and checks that it has one for each rise of a limit.
#include <algorithm>
#include <deque>

#include "Vdut.h"
#include "bench.h"
#include "gen/tally_fw_hw.h"
#include "pool_model.h"

struct Group {
	bool exists = false, joined = false, runs = false, ending = false, begun = false;	// begun: the store has told of it
	uint32_t done = 0, limit = 0, max = 0, owned = 0, granted = 0;
};

struct Moved {
	unsigned int group;
	bool ended;
	uint32_t done;
	bool begins = false;	// of an epoch
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t owed = 0, lent = 0, rises = 0;

	void restart()
	{
		dut_.op_valid_i = dut_.ask_valid_i = dut_.moved_valid_i = dut_.cmd_ready_i = dut_.peek_valid_i = 0;
		dut_.groups_i = rng_.one_in(2) ? Groups : Groups / 2 + rng_.below(Groups / 2);
		dut_.segs_i = rng_.one_in(2) ? Segs : Groups + 1 + rng_.below(Segs - Groups);
		bench_.reset();
		pool_reset(dut_.groups_i, dut_.segs_i);
		moved_.clear();
		for (Group &g : groups_)
			g = {};
		lends_ = owes_ = 0;
		rests_ = peeks_ = false;
		few_ = rng_.one_in(2);
	}

	// One event, or several ends of chunks, until nothing is left to do.
	void step()
	{
		const unsigned int n = rng_.below(Groups);
		Group &g = groups_[n];

		if (rng_.one_in(60))
			crowd();
		else if (!g.exists)
			join(n);
		else if (!g.runs)
			rng_.one_in(4) ? leave(n) : begin(n);
		else if (rng_.one_in(20))
			end(n);
		else if (rng_.one_in(2))
			ask(n);
		else if (rng_.one_in(3))
			finish_and_ask(n);
		else
			for (unsigned int i = 1 + rng_.below(4); i; i--)
				finish(rng_.below(Groups));
		settle();
		compare();
		if (rng_.one_in(200)) { // amid an event
			dut_.moved_valid_i = 0;
			finish(rng_.below(Groups));
			for (unsigned int i = rng_.below(20); i; i--)
				cycle();
			for (unsigned int i = 0; i < Groups && rng_.one_in(2); i++)
				if (groups_[i].runs)
					ask(i);
			restart();
		}
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Group groups_[Groups];
	std::deque<Moved> moved_;
	uint64_t lends_ = 0, owes_ = 0;
	unsigned int quiet_ = 0, peeked_ = 0, waits_ = 0;
	bool few_ = false, was_moved_ = false, taken_ = false, late_ = false, soon_ = false, rests_ = false, peeks_ = false;
	tally::Throttle cmd_{ rng_ };

	void cycle()
	{
		dut_.moved_valid_i = !was_moved_ && !late_ && !moved_.empty() && (soon_ || !rng_.one_in(3));
		if (dut_.moved_valid_i) {
			dut_.moved_group_i = moved_.front().group;
			dut_.moved_ended_i = moved_.front().ended;
			dut_.moved_done_i = moved_.front().done;
			groups_[moved_.front().group].begun |= moved_.front().begins;
			moved_.pop_front();
		}
		was_moved_ = dut_.moved_valid_i;
		if (!dut_.peek_valid_i) {
			dut_.peek_valid_i = rng_.one_in(3);
			dut_.peek_group_i = rng_.below(Groups);
		}
		dut_.cmd_ready_i = cmd_.go() || rng_.one_in(16);
		bench_.settle();
		if (dut_.cmd_valid_o && dut_.cmd_ready_i)
			command();
		CHECK(!(rests_ && dut_.busy_o) && (!dut_.cmd_valid_o || dut_.busy_o), "something happens that nobody has waited for");
		rests_ = !dut_.busy_o && !dut_.op_valid_i && !dut_.ask_valid_i && !dut_.moved_valid_i;
		if (dut_.grant_valid_o)
			groups_[dut_.grant_group_o].granted = dut_.grant_num_o;
		lends_ += dut_.lends_o;
		owes_ += dut_.owes_o;
		taken_ = dut_.op_valid_i && dut_.op_ready_o;
		check_peeked();
		quiet_ = dut_.cmd_valid_o || dut_.moved_valid_i || !moved_.empty() || dut_.ask_valid_i ? 0 : quiet_ + 1;
		bench_.tick();
		dut_.ask_valid_i = 0;
		if (peeks_)
			dut_.peek_valid_i = 0;
	}

	// What a group is owed is what it owns less what it has been granted by then.
	void check_peeked()
	{
		const Group &g = groups_[peeked_];

		CHECK(dut_.peeked_valid_o == peeks_, "an answer to a read at the wrong time");
		if (peeks_ && g.joined)
			CHECK(dut_.peeked_owed_o == g.owned - g.granted, "group %u is owed %u segments, not %u", peeked_, dut_.peeked_owed_o,
			      g.owned - g.granted);
		peeks_ = dut_.peek_valid_i && dut_.peek_ready_o;
		peeked_ = dut_.peek_group_i;
		waits_ = dut_.peek_valid_i && !peeks_ && !dut_.busy_o && !dut_.op_valid_i ? waits_ + 1 : 0;
		CHECK(waits_ < 2, "a read waits though the block rests");
	}

	// The map of segments.
	void command()
	{
		Group &g = groups_[dut_.cmd_group_o];
		uint32_t inside = 1;

		CHECK(g.exists && !g.ending, "a command for group %u", dut_.cmd_group_o);
		if (dut_.cmd_o == TALLY_FW_STORE_CMD_BEGIN) {
			CHECK(g.done == g.limit, "group %u has segments when its epoch begins", dut_.cmd_group_o);
			g.done = g.limit = 0;
			g.begun = late_ = false;
		} else {
			CHECK(g.begun, "group %u rises before its epoch has begun", dut_.cmd_group_o);
			CHECK(dut_.cmd_o == TALLY_FW_STORE_CMD_RAISE && g.runs, "command %u", dut_.cmd_o);
			for (const Group &other : groups_)
				inside += other.limit - other.done;
			CHECK(inside <= dut_.segs_i, "group %u rises without a segment", dut_.cmd_group_o);
			g.limit++;
			rises++;
		}
		moved_.push_back({ dut_.cmd_group_o, false, g.done, dut_.cmd_o == TALLY_FW_STORE_CMD_BEGIN });
	}

	void operate(enum tally_fw_pool_code op, unsigned int group, uint32_t num = 0, uint32_t max = 0, uint32_t top = 0)
	{
		dut_.op_valid_i = 1;
		dut_.op_i = op;
		dut_.op_group_i = group;
		dut_.op_num_i = num;
		dut_.op_max_i = max;
		dut_.op_top_i = top;
		taken_ = false;
		for (unsigned int i = 0; !taken_; i++) {
			CHECK(i < 5000, "an operation is not taken");
			cycle();
		}
		dut_.op_valid_i = 0;
	}

	void settle()
	{
		for (quiet_ = 0; quiet_ < 40;)
			cycle();
		CHECK(!dut_.busy_o, "the block does not rest");
	}

	void compare()
	{
		for (unsigned int i = 0; i < Groups; i++)
			if (groups_[i].runs)
				CHECK(groups_[i].limit == pool_model_limit(i), "group %u has segments below %u, not %u", i, groups_[i].limit, pool_model_limit(i));
		for (unsigned int i = 0; i < Groups; i++)
			if (groups_[i].exists)
				CHECK(groups_[i].granted == pool_model_granted(i), "group %u has been granted %u, not %u", i, groups_[i].granted,
				      pool_model_granted(i));
		CHECK(dut_.left_o == pool_model_left(), "%u segments are left, not %u", dut_.left_o, pool_model_left());
		CHECK(lends_ == pool_model_lent() && owes_ == pool_model_owed(), "%llu segments are lent, not %llu; %llu groups are owed some, not %llu",
		      static_cast<unsigned long long>(lends_), static_cast<unsigned long long>(pool_model_lent()),
		      static_cast<unsigned long long>(owes_), static_cast<unsigned long long>(pool_model_owed()));
		lent = std::max(lent, lends_);
		owed = std::max(owed, owes_);
	}

	// ---- Events ----

	void join(unsigned int n, uint32_t share = 0)
	{
		const uint32_t left = pool_model_left();
		const uint32_t num = share ? std::min(share, left) : left ? 1 + rng_.below(few_ ? std::min(left, 4u) : rng_.one_in(3) ? left : left / 3 + 1) : 0;

		if (!num)
			return;
		groups_[n] = {};
		groups_[n].exists = true;
		groups_[n].owned = groups_[n].granted = num;
		groups_[n].max = num + rng_.below(Segs);
		operate(TALLY_FW_POOL_JOIN, n, num, groups_[n].max);
		groups_[n].joined = true;
		pool_model_join(n, num, groups_[n].max);
	}

	// Groups come while others have borrowed what they own, and some leave again.
	void crowd()
	{
		const unsigned int few = Groups - 1 - std::count_if(groups_, groups_ + Groups - 1, [](const Group &g) { return g.exists; });
		const uint32_t share = 1 + pool_model_left() / (few + 1);

		for (unsigned int n = 0; n < Groups; n++)
			if (!groups_[n].exists)
				join(n, rng_.one_in(2) ? share : 0);
		settle();
		compare();
		for (unsigned int i = rng_.below(4 * Groups); i; i--) {	// debts are paid by groups that want to borrow
			const unsigned int n = rng_.below(Groups);

			if (groups_[n].runs)
				finish_and_ask(n);
			settle();
			compare();
		}
		for (unsigned int n = 0; n < Groups; n++)
			if (groups_[n].runs && rng_.one_in(3)) {
				end(n);
				settle();	// what it borrows in its next epoch depends on who ends before
			}
		compare();
		for (unsigned int n = Groups; n; n--)
			if (groups_[n - 1].exists && !groups_[n - 1].runs && rng_.one_in(2))
				leave(n - 1);
	}

	void leave(unsigned int n)
	{
		operate(TALLY_FW_POOL_LEAVE, n);
		pool_model_leave(n);
		groups_[n].exists = groups_[n].joined = false;
	}

	void begin(unsigned int n)
	{
		const bool others = rng_.one_in(2);

		if (others) {	// they move while the store begins the epoch
			for (unsigned int i = 1 + rng_.below(3); i; i--)
				finish(rng_.below(Groups));
			late_ = true;
		}
		groups_[n].runs = true;
		operate(TALLY_FW_POOL_BEGIN, n);
		pool_model_begin(n);
		if (others)	// what it may borrow depends on them
			settle();
		else if (rng_.one_in(2))	// the store may not have told of the begin yet
			ask(n);
	}

	void end(unsigned int n)
	{
		Group &g = groups_[n];

		operate(TALLY_FW_POOL_END, n);
		g.ending = true;
		const bool goes_on = rng_.one_in(2);

		if (rng_.one_in(2))
			finish(n);
		if (!goes_on && rng_.one_in(2))
			ask(n);
		while (!moved_.empty())
			cycle();
		g.done = g.limit;
		moved_.push_back({ n, true, rng_.one_in(2) ? g.done : 0 });
		if (goes_on) {
			soon_ = true;
			while (!moved_.empty())
				cycle();
			soon_ = false;
		} else {
			settle();
		}
		pool_model_end(n);
		g.runs = g.ending = false;
		g.done = g.limit = 0;
		if (goes_on)	// at once
			rng_.one_in(2) ? begin(n) : leave(n);
	}

	// Some of the oldest chunks are finished.
	void finish(unsigned int n)
	{
		Group &g = groups_[n];

		if (!g.runs || g.done == g.limit)
			return;
		const uint32_t steps = 1 + rng_.below(rng_.one_in(2) ? 1 : g.limit - g.done);

		g.done += steps;
		for (uint32_t i = 0; i < steps && !g.ending; i++)
			pool_model_advance(n);
		moved_.push_back({ n, false, g.done });
	}

	// Both are told in succession, so that they are of one visit.
	void finish_and_ask(unsigned int n)
	{
		late_ = true;
		finish(n);
		ask(n);
		late_ = false;
		soon_ = true;
		cycle();
		soon_ = false;
	}

	void ask(unsigned int n)
	{
		Group &g = groups_[n];
		const uint32_t top = g.limit + 1 + rng_.below(rng_.one_in(3) ? Segs : 3);

		if (!late_ && rng_.one_in(3)) {
			operate(TALLY_FW_POOL_BORROW, n, 0, 0, top);
		} else {
			dut_.ask_valid_i = 1;
			dut_.ask_group_i = n;
			dut_.ask_top_i = top;
			cycle();
		}
		if (!g.ending)
			pool_model_borrow(n, top);
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("pool", argc, argv);
	World world(bench);

	bench.live(bench.times(10000), [&] { world.restart(); }, [&] { world.step(); });
	CHECK(world.owed && world.lent && world.rises > 1000, "owed to %llu groups, lent %llu segments, %llu rises", static_cast<unsigned long long>(world.owed),
	      static_cast<unsigned long long>(world.lent), static_cast<unsigned long long>(world.rises));
	return bench.finish();
}
