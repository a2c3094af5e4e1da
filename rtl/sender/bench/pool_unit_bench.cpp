// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_pool_unit: groups come and go by registers, their epochs begin and end, they ask and are asked for, and the engine
// has commands of its own for the store. The bench is the store. Which commands are good is known from the counts of the groups; a
// limit rises by what a group owns and borrows, within what it may hold and what the device has; what a group is owed can be read;
// the clock stands still while the unit is not busy and has no input, as it does in the NIC. The bench of tally_pool has the rules.
#include <cstddef>
#include <cstring>
#include <deque>

#include "Vdut.h"
#include "bench.h"
#include "rtl/axi_lite.h"

extern "C" {
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
}

#define AT(field) static_cast<uint32_t>(offsetof(struct tally_fw_pool, field))

struct Group {
	bool exists, runs;
	uint32_t num, max, granted, done, limit;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t refused = 0, lent = 0, owed = 0, grants = 0, others = 0, behind = 0;

	void restart()
	{
		dut_.axil_awvalid_i = dut_.axil_wvalid_i = dut_.axil_bready_i = 0;
		dut_.ask_valid_i = dut_.moved_valid_i = dut_.in_valid_i = dut_.out_ready_i = dut_.peek_valid_i = 0;
		moved_.clear();
		for (Group &g : groups_)
			g = {};
		limit_groups_ = Groups;
		limit_segs_ = Segs;
		bench_.reset();
		for (bench_.settle(); dut_.busy_o; bench_.settle())
			bench_.tick();
	}

	void step()
	{
		const unsigned int n = rng_.below(Groups);
		Group &g = groups_[n];

		if (rng_.one_in(12))
			unknown();
		else if (!count() && rng_.one_in(2))
			limits();
		else if (!g.exists)
			join(n);
		else if (!g.runs)
			rng_.one_in(3) ? leave(n) : begin(n);
		else if (rng_.one_in(8))
			end(n);
		else
			work(n);
		settle();
		check();
	}

private:
	struct Moved {
		unsigned int group;
		bool ended;
		uint32_t done;
	};

	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Group groups_[Groups];
	std::deque<Moved> moved_;
	uint32_t limit_groups_ = Groups, limit_segs_ = Segs;
	bool was_moved_ = false;
	tally::Throttle out_{ rng_ };

	// ---- The registers ----

	bool write(uint32_t at, uint32_t value)
	{
		return tally::axil_write(dut_, TALLY_FW_POOL_BASE + at, value, [this] { cycle(); });
	}
	void set(uint32_t at, uint32_t value) { CHECK(write(at, value), "register %x is refused", at); }
	void go(uint32_t code, uint32_t group, bool good = true)
	{
		CHECK(write(AT(go), code | group << 16) == good, "command %u of group %u is%s refused", code, group, good ? "" : " not");
		refused += !good;
	}

	void unknown()
	{
		switch (rng_.below(4)) {
		case 0:
			go(rng_.one_in(2) ? 0 : TALLY_FW_POOL_BORROW + 1, 0, false);
			break;
		case 1:
			go(TALLY_FW_POOL_BORROW, Groups, false);
			break;
		case 2:
			go(TALLY_FW_POOL_BORROW | 0x100, 0, false);
			break;
		default:
			set(AT(groups), Groups + rng_.below(2));
			set(AT(segs), Segs + 1);
			go(TALLY_FW_POOL_SET_LIMITS, 0, false);
			set(AT(groups), Groups + 1);
			set(AT(segs), Segs);
			go(TALLY_FW_POOL_SET_LIMITS, 0, false);
		}
	}

	void limits()
	{
		limit_groups_ = 2 + rng_.below(Groups - 1);
		limit_segs_ = Groups + 1 + rng_.below(Segs - Groups);
		set(AT(groups), limit_groups_);
		set(AT(segs), limit_segs_);
		go(TALLY_FW_POOL_SET_LIMITS, 0);
	}

	void join(unsigned int n)
	{
		const uint32_t left = count() < limit_groups_ ? limit_segs_ - owned() : 0;
		const uint32_t num = rng_.one_in(6) ? left + 1 : rng_.one_in(8) ? 0 : rng_.below(left / (1 + rng_.below(3)) + 1);
		const uint32_t max = rng_.one_in(8) && num ? num - 1 : rng_.one_in(8) ? TALLY_MAX_GROUP_SEGS + rng_.below(2) : num + rng_.below(Segs);
		const bool good = num && num <= left && num <= max && max <= TALLY_MAX_GROUP_SEGS;

		set(AT(num), num);
		set(AT(max), max);
		if (good)
			groups_[n] = { true, false, num, max, num, 0, 0 };
		go(TALLY_FW_POOL_JOIN, n, good);
	}

	void leave(unsigned int n)
	{
		go(TALLY_FW_POOL_LEAVE, n);
		groups_[n].exists = false;
	}

	void begin(unsigned int n)
	{
		groups_[n].runs = true;
		go(TALLY_FW_POOL_BEGIN, n);
	}

	// The engine's command for the store follows at once.
	void end(unsigned int n)
	{
		Group &g = groups_[n];

		go(TALLY_FW_POOL_END, n);
		command(TALLY_FW_STORE_CMD_END, n, 0);
		settle();
		CHECK(g.done == g.limit, "segments of group %u are left", n);
		g.runs = false;
	}

	// Chunks are finished, by the store or by the engine, and there is use for further segments, also in another group.
	void work(unsigned int n)
	{
		Group &g = groups_[n];

		const unsigned int other = rng_.below(Groups);

		if (groups_[other].runs && rng_.one_in(2))
			ask(other);
		if (groups_[other].done != groups_[other].limit && rng_.one_in(3))
			moved_.push_back({ other, false, ++groups_[other].done });
		for (unsigned int i = rng_.below(12); i; i--)
			cycle();
		if (g.done != g.limit && rng_.one_in(2)) {
			if (rng_.one_in(2))
				command(TALLY_FW_STORE_CMD_FINISH, n, g.done);
			else
				moved_.push_back({ n, false, ++g.done });
		}
		if (rng_.one_in(2)) {
			set(AT(top), g.limit + 1 + rng_.below(6));
			go(TALLY_FW_POOL_BORROW, n);
		} else {
			for (unsigned int i = 0; i < 4; i++)
				cycle();
			ask(n);
		}
	}

	void ask(unsigned int n)
	{
		dut_.ask_valid_i = 1;
		dut_.ask_group_i = n;
		dut_.ask_top_i = groups_[n].limit + 1 + rng_.below(6);
		cycle();
	}

	void command(uint32_t code, unsigned int group, uint32_t num)
	{
		dut_.in_valid_i = 1;
		dut_.in_i = static_cast<uint64_t>(code) << 48 | static_cast<uint64_t>(group) << 32 | num;
		for (unsigned int clocks = 0; dut_.in_valid_i; clocks++) {
			CHECK(clocks < 2000, "a command of the engine is not taken");
			cycle();
		}
	}

	// ---- The store ----

	void cycle()
	{
		dut_.moved_valid_i = !was_moved_ && !moved_.empty() && !rng_.one_in(3);
		if (dut_.moved_valid_i) {
			dut_.moved_group_i = moved_.front().group;
			dut_.moved_ended_i = moved_.front().ended;
			dut_.moved_done_i = moved_.front().done;
			moved_.pop_front();
		}
		was_moved_ = dut_.moved_valid_i;
		dut_.out_ready_i = out_.go() || rng_.one_in(8);
		bench_.settle();
		observe();
		const bool taken = dut_.in_valid_i && dut_.in_ready_o;

		if (dut_.busy_o || has_input())
			bench_.tick();
		dut_.ask_valid_i = 0;
		if (taken)
			dut_.in_valid_i = 0;
	}

	bool has_input() const { return dut_.ask_valid_i || dut_.moved_valid_i || dut_.axil_awvalid_i || dut_.peek_valid_i; }

	void observe()
	{
		const bool acts = (dut_.out_valid_o && !dut_.in_valid_i) || dut_.axil_bvalid_o || dut_.lends_o || dut_.owes_o || dut_.grant_valid_o;

		CHECK(!acts || dut_.busy_o || has_input(), "something happens that nobody has waited for");
		lent += dut_.lends_o;
		owed += dut_.owes_o;
		CHECK(!dut_.owes_o || dut_.grant_valid_o, "nobody learns what a group is owed");
		if (dut_.grant_valid_o) {
			Group &g = groups_[dut_.grant_group_o];

			CHECK(g.exists && dut_.grant_num_o && dut_.grant_num_o <= g.num && (dut_.owes_o == 0 || dut_.grant_num_o < g.num),
			      "group %u is granted %u", dut_.grant_group_o, dut_.grant_num_o);
			g.granted = dut_.grant_num_o;
			grants++;
		}
		if (dut_.out_valid_o && dut_.out_ready_i)
			carry_out(dut_.out_o >> 48 & 0xff, dut_.out_o >> 32 & 0xffff, dut_.out_o, dut_.in_valid_i && dut_.in_ready_o);
		behind += dut_.in_valid_i && dut_.out_valid_o && dut_.out_ready_i && !dut_.in_ready_o;
	}

	void settle()
	{
		for (unsigned int quiet = 0, clocks = 0; quiet < 8; clocks++) {
			CHECK(clocks < 5000, "the unit does not rest");
			cycle();
			quiet = dut_.busy_o || dut_.in_valid_i || !moved_.empty() || was_moved_ ? 0 : quiet + 1;
		}
	}

	void carry_out(uint32_t code, unsigned int group, uint32_t num, bool of_engine)
	{
		Group &g = groups_[group];

		CHECK(of_engine == (code == TALLY_FW_STORE_CMD_FINISH || code == TALLY_FW_STORE_CMD_END), "command %u is of somebody else", code);
		CHECK(group < Groups && g.exists && g.runs, "command %u for group %u", code, group);
		others += of_engine;
		switch (code) {
		case TALLY_FW_STORE_CMD_BEGIN:
			CHECK(g.done == g.limit, "group %u begins amid an epoch", group);
			g.done = g.limit = 0;
			break;
		case TALLY_FW_STORE_CMD_RAISE:
			CHECK(inside() < limit_segs_, "group %u rises without a segment", group);
			g.limit++;
			break;
		case TALLY_FW_STORE_CMD_FINISH:
			CHECK(num == g.done, "chunk %u is finished", num);
			g.done++;
			break;
		default:
			g.done = g.limit;
		}
		moved_.push_back({ group, code == TALLY_FW_STORE_CMD_END, g.done });
	}

	// ---- What must hold ----

	unsigned int count() const
	{
		unsigned int n = 0;

		for (const Group &g : groups_)
			n += g.exists;
		return n;
	}
	uint32_t owned() const
	{
		uint32_t n = 0;

		for (const Group &g : groups_)
			n += g.exists ? g.num : 0;
		return n;
	}
	uint32_t inside() const
	{
		uint32_t n = 0;

		for (const Group &g : groups_)
			n += g.limit - g.done;
		return n;
	}

	void check()
	{
		for (unsigned int n = 0; n < Groups; n++) {
			const Group &g = groups_[n];

			CHECK(!g.runs || (g.granted && g.limit - g.done >= g.granted), "group %u holds %u segments, not the %u that it was granted", n,
			      g.limit - g.done, g.granted);
			CHECK(g.limit - g.done <= g.max, "group %u holds %u segments", n, g.limit - g.done);
			if (g.exists && rng_.one_in(4))
				check_owed(n);
		}
	}

	void check_owed(unsigned int n)
	{
		const Group &g = groups_[n];

		dut_.peek_valid_i = 1;
		dut_.peek_group_i = n;
		bench_.settle();
		CHECK(dut_.peek_ready_o, "a read waits");
		cycle();
		dut_.peek_valid_i = 0;
		bench_.settle();
		CHECK(dut_.peeked_valid_o && dut_.peeked_owed_o == g.num - g.granted, "group %u is owed %u segments, not %u", n,
		      dut_.peeked_owed_o, g.num - g.granted);
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("pool_unit", argc, argv);
	World world(bench);
	const auto n = [](uint64_t x) { return static_cast<unsigned long long>(x); };

	bench.live(bench.times(6000), [&] { world.restart(); }, [&] { world.step(); });
	CHECK(world.refused > 50 && world.lent > 50 && world.owed && world.grants > world.owed && world.others > 100 && world.behind,
	      "%llu refused, %llu lent, %llu owed, %llu grants, %llu commands of the engine, %llu times behind", n(world.refused), n(world.lent),
	      n(world.owed), n(world.grants), n(world.others), n(world.behind));
	return bench.finish();
}
