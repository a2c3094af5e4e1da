// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_segment_map: random commands for all groups and a look-up in most clocks, compared with the pool of the
// C model. While a command is under way, a look-up may have the old or the new answer; but a slot that has left on
// freed_* must not be the answer of a later look-up. What the firmware reads of a group must be what the model had at one
// moment since it asked. After a reset amid the traffic, all groups begin again.
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "gen/tally_fw_hw.h"
#include "segment_map_model.h"

enum { MAP_SLOT, MAP_PAST, MAP_WINDOW };

struct Mapped {
	unsigned int verdict, slot;
	bool operator==(const Mapped &o) const { return verdict == o.verdict && (verdict || slot == o.slot); }
};

struct Look {
	unsigned int group;
	uint32_t num;
	Mapped before; // the model's answer when it entered
	bool during;   // it entered while a command was under way, which the model had finished
};

// What the firmware may read of a group at a moment.
struct View {
	uint32_t done, limit;
	std::vector<unsigned int> slots;	// from done on
};

class Tester {
public:
	explicit Tester(tally::Bench<Vdut> &bench) : bench_(bench), dut_(*bench.dut), rng_(bench.rng)
	{
		model_ = map_model_new(Groups, GroupSegs);
	}
	~Tester() { map_model_free(model_); }
	void restart();
	void cycle();

private:
	Mapped mapped(unsigned int group, uint32_t num) const;
	uint32_t held(unsigned int group) const { return map_model_limit(model_, group) - map_model_done(model_, group); }
	uint32_t all_held() const;
	void choose_command();
	bool run_command();
	void expect_freed(uint32_t first, uint32_t end, bool down);
	void choose_look();
	void check_looked();
	View view(unsigned int group) const;
	void choose_peek();
	void check_peeked();
	bool is_between(const View &from, const View &to) const;
	void check_freed();
	void check_answer();

	tally::Bench<Vdut> &bench_;
	Vdut &dut_;
	tally::Rng &rng_;
	map_model *model_;
	tally::Throttle look_go_{ rng_ }, freed_go_{ rng_ }, answer_go_{ rng_ };
	bool waiting_ = false, running_ = false, ok_ = false;
	unsigned int cmd_ = 0, group_ = 0;
	uint32_t num_ = 0;
	// Answers of the model before the last command, for the numbers around done in the group of that command.
	std::vector<Mapped> before_;
	uint32_t before_first_ = 0;
	unsigned int before_group_ = 0;
	std::deque<unsigned int> freed_, left_; // slots to come; those that have left during this command
	std::deque<Look> looks_;
	// The read of the firmware that is under way, and what the group has been since it began.
	bool peek_offered_ = false, peeking_ = false;
	unsigned int peek_group_ = 0, peek_clocks_ = 0;
	uint32_t peek_index_ = 0;
	View before_command_;
	std::vector<View> views_;
};

// No group has begun after a reset; each does before its first look-up.
void Tester::restart()
{
	dut_.look_valid_i = dut_.cmd_valid_i = dut_.freed_ready_i = dut_.answer_ready_i = dut_.peek_valid_i = 0;
	bench_.reset();
	map_model_free(model_);
	model_ = map_model_new(Groups, GroupSegs);
	waiting_ = running_ = peek_offered_ = peeking_ = false;
	freed_.clear();
	left_.clear();
	looks_.clear();
	before_.clear();
	for (unsigned int g = 0; g < Groups; g++) {
		dut_.cmd_valid_i = 1;
		dut_.answer_ready_i = 1;
		dut_.cmd_i = TALLY_FW_STORE_CMD_BEGIN;
		dut_.cmd_group_i = g;
		for (int i = 0; i < 3; i++, dut_.cmd_valid_i = 0)
			bench_.tick();
	}
}

Mapped Tester::mapped(unsigned int group, uint32_t num) const
{
	if (map_model_has(model_, group, num))
		return { MAP_SLOT, map_model_slot(model_, group, num) };
	return { map_model_past(model_, group, num) ? unsigned(MAP_PAST) : unsigned(MAP_WINDOW), 0 };
}

uint32_t Tester::all_held() const
{
	uint32_t sum = 0;

	for (unsigned int g = 0; g < Groups; g++)
		sum += held(g);
	return sum;
}

void Tester::choose_command()
{
	if (waiting_ || running_ || rng_.one_in(3))
		return;
	group_ = rng_.below(Groups);
	num_ = map_model_done(model_, group_) + rng_.below(held(group_) + 1);
	switch (rng_.below(16)) {
	case 0:
		cmd_ = rng_.one_in(4) ? TALLY_FW_STORE_CMD_END : TALLY_FW_STORE_CMD_FINISH;
		break;
	case 1:
		cmd_ = TALLY_FW_STORE_CMD_FINISH;
		num_ += GroupSegs * (rng_.below(3) - 1);
		break;
	case 2 ... 8:
		cmd_ = TALLY_FW_STORE_CMD_FINISH;
		break;
	default:
		cmd_ = TALLY_FW_STORE_CMD_RAISE;
	}
	if (!held(group_) && rng_.one_in(8))
		cmd_ = TALLY_FW_STORE_CMD_BEGIN;
	waiting_ = true;
}

void Tester::expect_freed(uint32_t first, uint32_t end, bool down)
{
	for (uint32_t num = first; num != end; num++) {
		unsigned int slot = before_[num - before_first_].slot;

		if (down)
			freed_.push_front(slot);
		else
			freed_.push_back(slot);
	}
}

// Lets the command take effect in the model. Returns whether the block must accept it.
bool Tester::run_command()
{
	uint32_t done = map_model_done(model_, group_), limit = map_model_limit(model_, group_);

	before_command_ = view(group_);
	before_first_ = done - GroupSegs;
	before_group_ = group_;
	before_.clear();
	for (unsigned int i = 0; i < 4 * GroupSegs; i++)
		before_.push_back(mapped(group_, before_first_ + i));
	left_.clear();
	switch (cmd_) {
	case TALLY_FW_STORE_CMD_BEGIN:
		map_model_begin(model_, group_);
		return true;
	case TALLY_FW_STORE_CMD_RAISE:
		if (limit - done == GroupSegs || all_held() == Slots)
			return false;
		CHECK(map_model_raise(model_, group_), "the model does not lend a segment");
		return true;
	case TALLY_FW_STORE_CMD_FINISH:
		if (!map_model_finish(model_, group_, num_))
			return false;
		expect_freed(done, map_model_done(model_, group_), false);
		return true;
	default:
		map_model_end(model_, group_);
		expect_freed(done, limit, true);
		return true;
	}
}

void Tester::choose_look()
{
	Look l = { unsigned(rng_.below(Groups)), 0, {}, running_ };

	if (running_ && rng_.one_in(2))
		l.group = group_;
	l.num = map_model_done(model_, l.group) + rng_.below(held(l.group) + 4) - 2;
	if (rng_.one_in(16))
		l.num = rng_.next();
	l.before = mapped(l.group, l.num);
	dut_.look_valid_i = look_go_.go();
	dut_.look_group_i = l.group;
	dut_.look_num_i = l.num;
	if (dut_.look_valid_i)
		looks_.push_back(l);
}

void Tester::check_looked()
{
	if (!dut_.looked_valid_o)
		return;
	CHECK(!looks_.empty(), "an answer without a look-up");
	Look l = looks_.front();
	Mapped got = { unsigned(dut_.looked_o), unsigned(dut_.looked_slot_o) }, now = mapped(l.group, l.num);
	uint32_t i = l.num - before_first_;
	bool far = i >= before_.size(); /* past or beyond the window, before the command as well as after it */
	bool old = got == l.before || (l.during && l.group == before_group_ && (far || got == before_[i]));

	looks_.pop_front();
	CHECK(got == now || old,
	      "group %d num %u: verdict %d slot %d, not %d, %d", l.group, l.num, got.verdict, got.slot, now.verdict, now.slot);
	CHECK(got.verdict != MAP_SLOT || !dut_.freed_valid_o || dut_.freed_slot_o != got.slot, "slot %d is being freed",
	      got.slot);
	for (unsigned int slot : left_)
		CHECK(got.verdict != MAP_SLOT || got.slot != slot, "slot %d was freed before", slot);
}

// ---- What the firmware reads ----

View Tester::view(unsigned int group) const
{
	View v = { map_model_done(model_, group), map_model_limit(model_, group), {} };

	for (uint32_t num = v.done; num != v.limit; num++)
		v.slots.push_back(map_model_slot(model_, group, num));
	return v;
}

void Tester::choose_peek()
{
	if (!peek_offered_ && !peeking_ && rng_.one_in(4)) {
		peek_offered_ = true;
		peek_group_ = running_ && rng_.one_in(2) ? group_ : rng_.below(Groups);
		peek_index_ = rng_.one_in(2) ? 0 : rng_.one_in(16) ? rng_.next() : rng_.below(held(peek_group_) + 2);
	}
	dut_.peek_valid_i = peek_offered_;
	dut_.peek_group_i = peek_group_;
	dut_.peek_index_i = peek_index_;
}

// Whether the answer is what a group has been on the way from one view to the next: done advances by single steps.
bool Tester::is_between(const View &from, const View &to) const
{
	const uint32_t limit = dut_.peeked_done_o + dut_.peeked_held_o;
	const bool steps = to.done - from.done <= from.slots.size();
	const View &all = from.slots.size() < to.slots.size() ? to : from;	// done stays if the limit rises
	const uint32_t num = dut_.peeked_done_o + peek_index_ - all.done;

	if (steps ? dut_.peeked_done_o - from.done > to.done - from.done : dut_.peeked_done_o != from.done && dut_.peeked_done_o != to.done)
		return false;
	if (limit != from.limit && limit != to.limit)
		return false;
	if (dut_.peeked_ok_o != (peek_index_ < dut_.peeked_held_o))
		return false;
	return !dut_.peeked_ok_o || (num < all.slots.size() && dut_.peeked_slot_o == all.slots[num]);
}

void Tester::check_peeked()
{
	bool fits = false;

	peek_clocks_ += !dut_.look_valid_i;
	CHECK(!peeking_ || peek_clocks_ <= 2 * GroupSegs + 8, "a read is not answered");
	if (!dut_.peeked_valid_o)
		return;
	CHECK(peeking_, "an answer without a read");
	peeking_ = false;
	for (size_t i = 0; i < views_.size(); i++)
		fits |= is_between(views_[i ? i - 1 : 0], views_[i]);
	CHECK(fits, "group %u, chunk %u: done %u, held %u, slot %u; done is %u, the limit %u", peek_group_, peek_index_, dut_.peeked_done_o,
	      dut_.peeked_held_o, dut_.peeked_slot_o, views_.back().done, views_.back().limit);
	for (unsigned int slot : left_)
		CHECK(!dut_.peeked_ok_o || dut_.peeked_slot_o != slot, "slot %u was freed before", slot);
	CHECK(!dut_.peeked_ok_o || !dut_.freed_valid_o || dut_.freed_slot_o != dut_.peeked_slot_o, "slot %u is being freed",
	      dut_.peeked_slot_o);
}

void Tester::check_freed()
{
	dut_.freed_ready_i = freed_go_.go();
	if (!dut_.freed_valid_o)
		return;
	CHECK(!freed_.empty() && dut_.freed_slot_o == freed_.front(), "slot %d is freed", dut_.freed_slot_o);
	if (!dut_.freed_ready_i)
		return;
	left_.push_back(freed_.front());
	freed_.pop_front();
}

void Tester::check_answer()
{
	dut_.answer_ready_i = answer_go_.go();
	if (!dut_.answer_valid_o)
		return;
	CHECK(running_ && freed_.empty(), "an answer too early");
	CHECK(dut_.answer_ok_o == ok_, "command %d: ok is %d", cmd_, dut_.answer_ok_o);
	CHECK(dut_.answer_done_o == map_model_done(model_, group_) && dut_.answer_limit_o == map_model_limit(model_, group_),
	      "done %u, limit %u, not %u, %u", dut_.answer_done_o, dut_.answer_limit_o, map_model_done(model_, group_),
	      map_model_limit(model_, group_));
	if (dut_.answer_ready_i)
		running_ = false;
}

void Tester::cycle()
{
	choose_command();
	choose_look();
	choose_peek();
	dut_.cmd_valid_i = waiting_;
	dut_.cmd_i = cmd_;
	dut_.cmd_group_i = group_;
	dut_.cmd_num_i = num_;
	bench_.settle();
	check_looked();
	check_peeked();
	check_freed();
	check_answer();
	if (peek_offered_ && dut_.peek_ready_o) {
		peek_offered_ = false;
		peeking_ = true;
		peek_clocks_ = 0;
		views_.clear();
		if (running_ && group_ == peek_group_)
			views_.push_back(before_command_);
		views_.push_back(view(peek_group_));
	}
	if (waiting_ && dut_.cmd_ready_o) {
		ok_ = run_command();
		waiting_ = false;
		running_ = true;
		if (peeking_ && group_ == peek_group_)
			views_.push_back(view(group_));
	}
	bench_.tick();
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("segment_map", argc, argv);
	Tester tester(bench);

	bench.live(bench.times(200000), [&] { tester.restart(); }, [&] { tester.cycle(); });
	return bench.finish();
}
