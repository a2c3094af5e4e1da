// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_exceptions: commands, exceptions and other events of a few groups, each fast or slowly, compared with the engine's
// exception.c and its queue of events. What is raised must be what the engine has, in its order, and a group must be frozen, before its
// exception is raised, if the engine freezes it, and only then.
#include <optional>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "event_fields.h"
#include "exceptions_model.h"

constexpr unsigned int group_bits = 7, longest_wait = 3000, sides = Sources + 3;

// The stream of one side: it offers, stays, and is taken.
struct Side {
	explicit Side(tally::Rng &rng) : throttle(rng) {}
	tally::Throttle throttle;
	bool valid = false, taken = false;
	unsigned int group = 0, waits = 0;
	bool begins = false;
	model_raised x = {};
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut)
	{
		for (unsigned int k = 0; k < sides; k++)
			sides_.emplace_back(rng_);
	}

	uint64_t frozen = 0, dropped = 0, seen[16] = {};

	void restart()
	{
		model_reset();
		for (Side &s : sides_)
			s.valid = false;
		frozen_.reset();
		expects_ = froze_ = raised_ = false;
		drive();
		dut_.freeze_ready_i = dut_.raise_ready_i = 0;
		bench_.reset();
	}

	void step(bool more = true)
	{
		for (unsigned int k = 0; k < sides && more; k++)
			if (!sides_[k].valid && sides_[k].throttle.go() && rng_.one_in(4))
				choose(k);
		drive();
		dut_.freeze_ready_i = rng_.one_in(3);
		dut_.raise_ready_i = raise_.go();
		bench_.settle();
		watch();
		bench_.tick();
		for (Side &s : sides_)
			s.valid &= !s.taken;
	}

	void finish()
	{
		for (unsigned int i = 0; i < longest_wait; i++)
			step(false);
		CHECK(!expects_ && !frozen_ && !dut_.busy_o, "an event is never raised");
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	std::vector<Side> sides_; // sources, then set, fenced, drained
	tally::Throttle raise_{ rng_ };
	std::optional<unsigned int> frozen_; // group that must be frozen
	model_raised expected_ = {};
	bool expects_ = false, froze_ = false, raised_ = false;

	Side &set() { return sides_[Sources]; }
	Side &fenced() { return sides_[Sources + 1]; }
	Side &drained() { return sides_[Sources + 2]; }

	void choose(unsigned int k)
	{
		Side &s = sides_[k];

		s.valid = true;
		s.waits = 0;
		s.group = rng_.one_in(4) ? rng_.below(Groups) : 62 + rng_.below(4); // of two words
		s.begins = rng_.one_in(2);
		s.x = {};
		s.x.cause = rng_.below(3);
		if (s.x.cause != TALLY_FW_CAUSE_TIME_OUT)
			s.x.contributors = rng_.next();
		if (s.x.cause != TALLY_FW_CAUSE_KNOWN)
			return;
		s.x.status = rng_.next() & 0xffff;
		s.x.mid = rng_.next();
		s.x.sid = rng_.next();
		s.x.ranks = rng_.next();
	}

	void drive()
	{
		Fields<decltype(dut_.exc_i)> fields(dut_.exc_i);

		dut_.exc_valid_i = dut_.exc_group_i = 0;
		for (unsigned int k = 0; k < Sources; k++) {
			const Side &s = sides_[k];

			dut_.exc_valid_i |= s.valid << k;
			dut_.exc_group_i |= s.group << k * group_bits;
			fields.put(64, s.x.ranks);
			fields.put(64, s.x.contributors);
			fields.put(32, s.x.sid);
			fields.put(32, s.x.mid);
			fields.put(16, s.x.status);
			fields.put(2, s.x.cause);
		}
		dut_.set_valid_i = set().valid;
		dut_.set_begins_i = set().begins;
		dut_.set_group_i = set().group;
		dut_.fenced_valid_i = fenced().valid;
		dut_.fenced_group_i = fenced().group;
		dut_.drained_valid_i = drained().valid;
		dut_.drained_group_i = drained().group;
	}

	void watch()
	{
		watch_freeze();
		watch_raise();
		const unsigned int ready = dut_.exc_ready_o | dut_.set_ready_o << Sources | dut_.fenced_ready_o << (Sources + 1) |
					   dut_.drained_ready_o << (Sources + 2);
		unsigned int takes = 0;

		for (unsigned int k = 0; k < sides; k++) {
			Side &s = sides_[k];

			s.taken = s.valid && (ready >> k & 1);
			takes += s.taken;
			CHECK(!s.valid || s.taken || ++s.waits < longest_wait, "side %u is never taken", k);
			if (s.taken)
				take(k);
		}
		CHECK(takes <= 1, "%u sides are taken at a time", takes);
	}

	void take(unsigned int k)
	{
		Side &s = sides_[k];

		CHECK(!expects_ && !frozen_, "side %u is taken before the event is raised", k);
		if (k < Sources) {
			if (model_exception(s.group, &s.x))
				frozen_ = s.group;
			else
				dropped++;
		} else if (&s == &set()) {
			s.begins ? model_begin(s.group) : model_end(s.group);
		} else if (&s == &fenced()) {
			model_fenced(s.group);
		} else {
			model_drained(s.group);
		}
		expects_ = model_next(&expected_);
	}

	void watch_freeze()
	{
		CHECK(dut_.freeze_valid_o || !froze_, "a freeze is withdrawn");
		froze_ = dut_.freeze_valid_o && !dut_.freeze_ready_i;
		if (!dut_.freeze_valid_o)
			return;
		CHECK(frozen_ && dut_.freeze_group_o == *frozen_, "group %d is frozen", dut_.freeze_group_o);
		CHECK(dut_.busy_o, "it freezes and is not busy");
		if (!dut_.freeze_ready_i)
			return;
		frozen_.reset();
		frozen++;
	}

	void watch_raise()
	{
		const uint32_t types[] = { TALLY_FW_EV_BEGIN, TALLY_FW_EV_EXCEPTION, TALLY_FW_EV_FENCED, TALLY_FW_EV_DRAINED };

		CHECK(dut_.raise_valid_o || !raised_, "an event is withdrawn");
		raised_ = dut_.raise_valid_o && !dut_.raise_ready_i;
		if (!dut_.raise_valid_o)
			return;
		CHECK(expects_ && !frozen_, "an event that is not due, or before its group is frozen");
		CHECK(types[dut_.raise_kind_o] == expected_.type && dut_.raise_group_o == expected_.group, "kind %d of group %d instead of type %u of group %u",
		      dut_.raise_kind_o, dut_.raise_group_o, expected_.type, expected_.group);
		CHECK(dut_.busy_o, "it raises and is not busy");
		check_row();
		if (!dut_.raise_ready_i)
			return;
		seen[expected_.type]++;
		expects_ = false;
	}

	void check_row()
	{
		Fields<decltype(dut_.raise_exception_o)> fields(dut_.raise_exception_o);
		const model_raised &x = expected_;

		CHECK(fields.get(64) == x.ranks && fields.get(64) == x.contributors && fields.get(32) == x.sid && fields.get(32) == x.mid &&
		      fields.get(16) == x.status && fields.get(2) == x.cause, "another row of group %u", x.group);
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("exceptions", argc, argv);
	World world(bench);

	bench.live(bench.times(100000), [&] { world.restart(); }, [&] { world.step(); });
	world.finish();
	for (unsigned int type : { TALLY_FW_EV_BEGIN, TALLY_FW_EV_EXCEPTION, TALLY_FW_EV_FENCED, TALLY_FW_EV_DRAINED })
		CHECK(world.seen[type] > 100, "type %u came only %llu times", type, static_cast<unsigned long long>(world.seen[type]));
	CHECK(world.frozen > 100 && world.dropped > 100, "%llu groups frozen, %llu exceptions dropped", static_cast<unsigned long long>(world.frozen),
	      static_cast<unsigned long long>(world.dropped));
	return bench.finish();
}
