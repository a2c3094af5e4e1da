// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_silence: time-outs and silent probes come at any time, and what is told is taken fast or slowly. Each time-out is passed
// on once, and each last one and each probe is one exception, which the engine raises, too.
#include <deque>

#include "Vdut.h"
#include "bench.h"
#include "event_fields.h"
#include "exceptions_model.h"
#include "silence_model.h"

constexpr unsigned int longest = 1000, edge_bits = 8, context_bits = 16, tries_bits = 9;

struct Told {
	unsigned int group, edge;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t passed = 0, raised = 0;

	void restart()
	{
		model_reset();
		dut_.expired_valid_i = dut_.silent_valid_i = dut_.passed_ready_i = dut_.exc_ready_i = 0;
		owed_.clear();
		passed_held_ = exc_held_ = false;
		expired_waits_ = silent_waits_ = 0;
		bench_.reset();
	}

	void step()
	{
		if (!dut_.expired_valid_i && expired_.go())
			expire();
		if (!dut_.silent_valid_i && silent_.go() && rng_.one_in(3)) {
			dut_.silent_valid_i = 1;
			dut_.silent_group_i = rng_.below(Groups);
			dut_.silent_edge_i = rng_.below(EdgesOf);
		}
		dut_.passed_ready_i = pass_.go();
		dut_.exc_ready_i = exc_.go();
		bench_.settle();
		watch_exc();
		watch_taken();
		const bool expired = dut_.expired_valid_i && dut_.expired_ready_o, silent = dut_.silent_valid_i && dut_.silent_ready_o;

		bench_.tick();
		dut_.expired_valid_i &= !expired;
		dut_.silent_valid_i &= !silent;
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	tally::Throttle expired_{ rng_ }, silent_{ rng_ }, pass_{ rng_ }, exc_{ rng_ };
	std::deque<Told> owed_;
	bool passed_held_ = false, exc_held_ = false, over_ = false;
	Told last_ = {};
	uint64_t expiry_ = 0;
	unsigned int expired_waits_ = 0, silent_waits_ = 0;

	void expire()
	{
		last_ = { static_cast<unsigned int>(rng_.below(Groups)), static_cast<unsigned int>(rng_.below(EdgesOf)) };
		over_ = rng_.one_in(2);
		dut_.expired_valid_i = 1;
		expiry_ = (static_cast<uint64_t>(last_.group) << edge_bits | last_.edge) << (tries_bits + 1) | rng_.below(1 << tries_bits) << 1 | over_;
		dut_.expired_i = expiry_;
	}

	void watch_taken()
	{
		const bool expired = dut_.expired_valid_i && dut_.expired_ready_o, silent = dut_.silent_valid_i && dut_.silent_ready_o;

		CHECK(dut_.passed_valid_o || !passed_held_, "a time-out is withdrawn");
		CHECK(!dut_.passed_valid_o || (dut_.expired_valid_i && dut_.passed_o == expiry_), "another time-out is passed on");
		CHECK((dut_.passed_valid_o && dut_.passed_ready_i) == expired, "a time-out is taken alone");
		CHECK(!dut_.expired_valid_i || over_ || dut_.passed_valid_o, "a time-out waits for an exception");
		passed_held_ = dut_.passed_valid_o && !dut_.passed_ready_i;
		passed += expired;
		if (expired && over_)
			owed_.push_back(last_);
		if (silent)
			owed_.push_back({ dut_.silent_group_i, dut_.silent_edge_i });
		CHECK(owed_.size() <= 1, "%zu exceptions have one place", owed_.size());
		expired_waits_ = dut_.expired_valid_i && !expired ? expired_waits_ + 1 : 0;
		silent_waits_ = dut_.silent_valid_i && !silent ? silent_waits_ + 1 : 0;
		CHECK(expired_waits_ < longest, "a time-out is not taken");
		CHECK(silent_waits_ < 10 * longest, "a probe is not taken");
	}

	void watch_exc()
	{
		CHECK(dut_.exc_valid_o == !owed_.empty(), "exc_valid_o is %d", dut_.exc_valid_o);
		CHECK(dut_.exc_valid_o || !exc_held_, "an exception is withdrawn");
		CHECK(dut_.busy_o == dut_.exc_valid_o, "busy_o is %d", dut_.busy_o);
		exc_held_ = dut_.exc_valid_o && !dut_.exc_ready_i;
		if (!dut_.exc_valid_o)
			return;
		Fields<decltype(dut_.exc_o)> fields(dut_.exc_o);
		const Told &t = owed_.front();
		model_raised x;

		silence_model(t.group, t.edge, &x);
		CHECK(dut_.exc_group_o == x.group, "group %d instead of %u", dut_.exc_group_o, x.group);
		CHECK(fields.get(64) == x.ranks && fields.get(64) == x.contributors && fields.get(32) == x.sid && fields.get(32) == x.mid &&
		      fields.get(16) == x.status && fields.get(2) == x.cause, "another exception of edge %u", t.edge);
		if (!dut_.exc_ready_i)
			return;
		owed_.pop_front();
		raised++;
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("silence", argc, argv);
	World world(bench);

	bench.live(bench.times(50000), [&] { world.restart(); }, [&] { world.step(); });
	CHECK(world.passed > 1000 && world.raised > 1000, "%llu passed, %llu raised", static_cast<unsigned long long>(world.passed),
	      static_cast<unsigned long long>(world.raised));
	return bench.finish();
}
