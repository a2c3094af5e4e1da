// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_limits: chunks begin, are posted, become whole and end, and requests wait ahead of their turn, while time goes on, in
// steps of any length. The engine says when each is out of time: it is told then and not before, once, and the deadline is never later. No
// two chunks or requests at a time are of one group, so the bench knows who was meant.
#include <optional>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "event_fields.h"
#include "gen/tally_fw_hw.h"
#include "limits_model.h"

constexpr uint64_t us = 1000000, ms = 1000 * us;
constexpr unsigned int slot_open = 0, slot_post = 1, slot_whole = 2, slot_end = 3, longest = 1000;

struct Thing {
	bool runs = false, told = false;
	unsigned int group = 0, over = 0; // clocks since it is out of time
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t chunks = 0, asked = 0, late = 0, withdrawn = 0, sleeps = 0;

	void restart()
	{
		model_reset();
		dut_.group_write_i = dut_.slot_valid_i = dut_.wait_valid_i = dut_.exc_ready_i = dut_.late_ready_i = 0;
		dut_.now_i = now_;
		slots_.assign(Slots, {});
		requests_.assign(Requests, {});
		exc_.reset();
		asked_.reset();
		raised_.reset();
		slot_waits_ = wait_waits_ = 0;
		bench_.reset();
		limits_.assign(Groups, LIMITS_NEVER);
		for (unsigned int g = 0; g < Groups; g++)
			write_limit(g);
		while (dut_.busy_o) // the calendar is cleared
			bench_.tick();
	}

	void step(bool leaps)
	{
		pass_time(leaps);
		if (!dut_.slot_valid_i && slot_.go() && rng_.one_in(rare_))
			choose_slot();
		if (!dut_.wait_valid_i && wait_.go() && rng_.one_in(rare_))
			choose_wait();
		if (rng_.one_in(300))
			rare_ = rng_.one_in(2) ? 4 : 40;
		dut_.exc_ready_i = exc_take_.go();
		dut_.late_ready_i = late_take_.go();
		dut_.late_i = rng_.one_in(2);
		bench_.settle();
		watch();
		bench_.tick();
		if (slot_taken_)
			dut_.slot_valid_i = 0;
		if (wait_taken_)
			dut_.wait_valid_i = 0;
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	tally::Throttle slot_{ rng_ }, wait_{ rng_ }, exc_take_{ rng_ }, late_take_{ rng_ };
	std::vector<Thing> slots_, requests_;
	std::vector<uint64_t> limits_;
	std::optional<unsigned int> exc_, asked_, raised_; // group that is told, request that is asked for, group that will be told
	uint64_t now_ = 1;
	bool slot_taken_ = false, wait_taken_ = false;
	unsigned int rare_ = 4, slot_waits_ = 0, wait_waits_ = 0;

	void write_limit(unsigned int group)
	{
		limits_[group] = rng_.one_in(8) ? LIMITS_NEVER : (1 + rng_.below(20)) * 10 * ms + rng_.below(100);
		dut_.group_write_i = 1;
		dut_.group_index_i = group;
		dut_.group_limit_i = limits_[group];
		bench_.tick();
		dut_.group_write_i = 0;
	}

	// A group that nothing is told of, and of which nothing is inside.
	unsigned int free_group()
	{
		for (;;) {
			const unsigned int g = rng_.below(Groups);
			bool used = g == exc_ || g == raised_ || (dut_.slot_valid_i && g == dut_.slot_group_i) ||
				    (dut_.wait_valid_i && g == dut_.wait_group_i);

			for (const Thing &t : slots_)
				used |= t.runs && t.group == g;
			for (const Thing &t : requests_)
				used |= t.runs && t.group == g;
			if (!used)
				return g;
		}
	}

	uint32_t own() { return rng_.one_in(2) ? 0 : 10 + rng_.below(rng_.one_in(2) ? 10 : 300); }

	void choose_slot()
	{
		const unsigned int k = rng_.below(Slots);
		const unsigned int ops[] = { slot_post, slot_post, slot_whole, slot_end };

		dut_.slot_i = k;
		dut_.slot_op_i = slots_[k].runs ? ops[rng_.below(4)] : slot_open;
		dut_.slot_group_i = slots_[k].runs ? rng_.below(Groups) : free_group();
		dut_.slot_ms_i = own();
		dut_.slot_valid_i = 1;
	}

	void choose_wait()
	{
		const unsigned int k = asked_ && rng_.one_in(4) ? *asked_ : rng_.below(Requests);

		dut_.wait_request_i = k;
		dut_.wait_ends_i = requests_[k].runs;
		dut_.wait_group_i = requests_[k].runs ? rng_.below(Groups) : free_group();
		dut_.wait_ms_i = own();
		dut_.wait_valid_i = 1;
	}

	// A clock is 4 ns. A NIC that sleeps goes on at the deadline, or earlier.
	void pass_time(bool leaps)
	{
		now_ += 4000;
		dut_.now_i = now_;
		bench_.settle();
		if (!leaps || dut_.busy_o || dut_.slot_valid_i || dut_.wait_valid_i || !rng_.one_in(4))
			return;
		uint64_t to = now_ + rng_.below(rng_.one_in(3) ? 40 * ms : us);

		if (dut_.deadline_valid_o && dut_.deadline_o < to)
			to = dut_.deadline_o;
		for (unsigned int k = 0; k < Slots; k++)
			CHECK(!expects(slots_[k]) || model_slot_due(k) >= to, "the limit of slot %u passes while the NIC sleeps", k);
		for (unsigned int k = 0; k < Requests; k++)
			CHECK(!expects(requests_[k]) || model_wait_due(k) >= to, "that of request %u passes while the NIC sleeps", k);
		now_ = dut_.now_i = to;
		sleeps++;
	}

	static bool expects(const Thing &t) { return t.runs && !t.told; }

	void watch()
	{
		watch_exc();
		watch_late();
		for (unsigned int k = 0; k < Slots; k++)
			watch_over(slots_[k], model_slot_due(k), "slot", k);
		for (unsigned int k = 0; k < Requests; k++)
			watch_over(requests_[k], model_wait_due(k), "request", k);
		watch_ops();
	}

	void watch_over(Thing &t, uint64_t due, const char *what, unsigned int k)
	{
		const bool out = expects(t) && due <= now_;

		CHECK(!out || dut_.busy_o, "%s %u is forgotten", what, k);
		CHECK(dut_.busy_o || !expects(t) || due == LIMITS_NEVER || (dut_.deadline_valid_o && dut_.deadline_o <= due),
		      "the deadline is later than that of %s %u", what, k);
		t.over = !out ? 0 : t.over + (!dut_.exc_valid_o && !dut_.late_valid_o);
		CHECK(t.over < longest, "%s %u is not told of", what, k);
	}

	void watch_exc()
	{
		Fields<decltype(dut_.exc_o)> fields(dut_.exc_o);

		CHECK(dut_.exc_valid_o || !exc_, "an exception is withdrawn");
		CHECK(dut_.exc_valid_o || !raised_, "an answer raises nothing");
		if (!dut_.exc_valid_o)
			return;
		CHECK(dut_.busy_o && !dut_.late_valid_o, "it tells and is not busy, or tells two");
		CHECK(!fields.get(64) && !fields.get(64) && !fields.get(32) && !fields.get(32) && !fields.get(16) &&
		      fields.get(2) == TALLY_FW_CAUSE_TIME_OUT, "another exception");
		if (!exc_)
			begins_exc(dut_.exc_group_o);
		CHECK(exc_ == dut_.exc_group_o, "the group changes");
		if (dut_.exc_ready_i)
			exc_.reset();
	}

	void begins_exc(unsigned int group)
	{
		exc_ = group;
		if (raised_) {
			CHECK(raised_ == group, "another group than the one that was asked for");
			raised_.reset();
			return;
		}
		for (unsigned int k = 0; k < Slots; k++) {
			Thing &t = slots_[k];

			if (!expects(t) || t.group != group)
				continue;
			CHECK(model_slot_due(k) <= now_ && model_slot_timer(k, now_), "slot %u is told too early", k);
			t.told = true;
			chunks++;
			return;
		}
		CHECK(false, "nothing of group %u has a limit", group);
	}

	void watch_late()
	{
		CHECK(dut_.late_valid_o || !asked_, "a question is withdrawn");
		if (!dut_.late_valid_o)
			return;
		CHECK(dut_.busy_o, "it asks and is not busy");
		if (!asked_)
			begins_late(dut_.late_group_o);
		CHECK(asked_ && requests_[*asked_].group == dut_.late_group_o, "the group changes");
		if (!dut_.late_ready_i)
			return;
		if (model_wait_timer(*asked_, dut_.late_i)) {
			raised_ = dut_.late_group_o;
			late++;
		}
		asked_.reset();
		asked++;
	}

	void begins_late(unsigned int group)
	{
		for (unsigned int k = 0; k < Requests; k++) {
			Thing &t = requests_[k];

			if (!expects(t) || t.group != group)
				continue;
			CHECK(model_wait_due(k) <= now_, "request %u has waited less", k);
			t.told = true;
			asked_ = k;
			return;
		}
		CHECK(false, "no request of group %u waits", group);
	}

	void watch_ops()
	{
		slot_taken_ = dut_.slot_valid_i && dut_.slot_ready_o;
		wait_taken_ = dut_.wait_valid_i && dut_.wait_ready_o;
		CHECK(!slot_taken_ || !wait_taken_, "two are taken at a time");
		slot_waits_ = dut_.slot_valid_i && !slot_taken_ ? slot_waits_ + 1 : 0;
		wait_waits_ = dut_.wait_valid_i && !wait_taken_ ? wait_waits_ + 1 : 0;
		CHECK(slot_waits_ < 100 && wait_waits_ < 100, "what is told waits");
		if (slot_taken_)
			take_slot(slots_[dut_.slot_i], dut_.slot_i);
		if (wait_taken_)
			take_wait(requests_[dut_.wait_request_i], dut_.wait_request_i);
	}

	void take_slot(Thing &t, unsigned int k)
	{
		t.told = false;
		switch (dut_.slot_op_i) {
		case slot_open:
			t = { .runs = true, .group = dut_.slot_group_i };
			model_open(k, now_, limits_[t.group]);
			break;
		case slot_post:
			model_post(k, dut_.slot_ms_i);
			break;
		case slot_whole:
			model_whole(k);
			break;
		default:
			t.runs = false;
			model_end(k);
			break;
		}
	}

	void take_wait(Thing &t, unsigned int k)
	{
		if (asked_ == k) {
			asked_.reset();
			withdrawn++;
		}
		if (dut_.wait_ends_i) {
			t.runs = false;
			model_wait_end(k);
		} else {
			t = { .runs = true, .group = dut_.wait_group_i };
			model_wait(k, now_, dut_.wait_ms_i, limits_[t.group]);
		}
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("limits", argc, argv);
	World world(bench);

	for (unsigned int i = 0; i < 8; i++)
		bench.live(bench.times(25000), [&] { world.restart(); }, [&] { world.step(i % 4); });
	CHECK(world.chunks > 200 && world.asked > 200 && world.late > 50 && world.withdrawn > 5 && world.sleeps > 1000,
	      "%llu chunks, %llu questions, %llu late, %llu withdrawn, %llu sleeps", static_cast<unsigned long long>(world.chunks),
	      static_cast<unsigned long long>(world.asked), static_cast<unsigned long long>(world.late),
	      static_cast<unsigned long long>(world.withdrawn), static_cast<unsigned long long>(world.sleeps));
	return bench.finish();
}
