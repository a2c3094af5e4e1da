// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_trigger_timers: descriptors start, lack messages, fire and end while the time goes on, in steps of any length. The
// engine's limit_of() says when each is out of time: it is told then and not before, once; and the deadline is never later.
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "trigger_timers_model.h"

constexpr uint64_t us = 1000000, ms = 1000 * us;

struct Desc {
	bool runs = false, lacks = false;
	uint64_t since = 0, group_limit = 0, over = 0; // clocks since it is out of time
	uint32_t own = 0;
	uint64_t due() const { return timers_limit(since, own, group_limit, lacks); }
};

class Timers {
public:
	Timers(int argc, char **argv) : bench("trigger_timers", argc, argv), dut(*bench.dut), rng(bench.rng) {}
	int run();

private:
	void restart();
	void cycle();
	void pass_time();
	void act();
	void check();
	void note();
	bool quiet() const { return !dut.start_valid_i && !dut.lacks_valid_i && !dut.fired_valid_i && !dut.stop_valid_i; }

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle take{ rng };
	Desc desc[Descs];
	uint64_t limits[Groups], now = 1;
	bool starting = false;
	Desc next;
	unsigned int next_desc = 0;
	bool jumps = false;
	uint64_t overs = 0, lacking = 0, sleeps = 0;
};

void Timers::restart()
{
	dut.group_write_i = dut.start_valid_i = dut.lacks_valid_i = dut.fired_valid_i = dut.stop_valid_i = dut.expired_ready_i = 0;
	for (Desc &d : desc)
		d = {};
	starting = false;
	dut.now_i = now;
	bench.reset();
	for (unsigned int i = 0; i < Groups; i++) {
		limits[i] = i ? (1 + rng.below(20)) * 10 * ms + rng.below(100) : TIMERS_NEVER;
		dut.group_write_i = 1;
		dut.group_index_i = i;
		dut.group_limit_i = limits[i];
		bench.tick();
	}
	dut.group_write_i = 0;
}

// A clock is 4 ns. A NIC that sleeps goes on at the deadline, or earlier.
void Timers::pass_time()
{
	now += 4000;
	if (!jumps || dut.busy_o || !quiet() || !rng.one_in(4))
		return;
	uint64_t to = now + rng.below(rng.one_in(3) ? 40 * ms : us);

	if (dut.deadline_valid_o && dut.deadline_o < to)
		to = dut.deadline_o > now ? dut.deadline_o : now;
	for (const Desc &d : desc)
		CHECK(!d.runs || d.due() == TIMERS_NEVER || d.due() >= to, "a time limit passes while the NIC sleeps");
	now = to;
	sleeps++;
}

void Timers::act()
{
	const unsigned int k = rng.below(Descs);
	Desc &d = desc[k];

	dut.lacks_valid_i = dut.fired_valid_i = dut.stop_valid_i = 0;
	if (dut.start_valid_i || starting)
		return;
	if (!rng.one_in(12))
		return;
	if (!d.runs && !(dut.expired_valid_o && dut.expired_desc_o == k)) {
		next = {};
		next_desc = k;
		next.runs = true;
		next.since = now - rng.below(rng.one_in(2) ? 1 : us);
		next.own = rng.one_in(2) ? 0 : 10 + rng.below(rng.one_in(2) ? 10 : 300);
		dut.start_valid_i = 1;
		dut.start_desc_i = k;
		dut.start_group_i = rng.below(Groups);
		next.group_limit = limits[dut.start_group_i];
		dut.start_since_i = next.since;
		dut.start_ms_i = next.own;
	} else if (rng.one_in(3)) {
		dut.stop_valid_i = 1;
		dut.stop_desc_i = k;
	} else if (!d.lacks) {
		dut.lacks_valid_i = 1;
		dut.lacks_desc_i = k;
	} else {
		dut.fired_valid_i = 1;
		dut.fired_desc_i = k;
	}
}

void Timers::check()
{
	if (dut.expired_valid_o) {
		const Desc &d = desc[dut.expired_desc_o];

		CHECK(d.runs && d.due() <= now, "descriptor %u is not out of time", dut.expired_desc_o);
		CHECK(dut.expired_lacks_o == d.lacks || d.lacks, "descriptor %u lacks %d", dut.expired_desc_o, d.lacks);
	}
	for (unsigned int k = 0; k < Descs; k++) {
		Desc &d = desc[k];
		const bool out = d.runs && d.due() <= now;

		CHECK(dut.busy_o || !out || (dut.deadline_valid_o && dut.deadline_o <= now), "descriptor %u is forgotten", k);
		d.over = out && quiet() && dut.expired_ready_i ? d.over + 1 : 0;
		CHECK(d.over < 6 * Descs + 12, "descriptor %u is not told of", k);
	}
}

// What the block has taken in this clock.
void Timers::note()
{
	const bool takes = dut.expired_valid_o && dut.expired_ready_i;

	if (starting) { // takes effect a clock later
		desc[next_desc] = next;
		starting = false;
	}
	if (dut.start_valid_i && dut.start_ready_o)
		starting = true;
	if (dut.lacks_valid_i)
		desc[dut.lacks_desc_i].lacks = true;
	if (dut.fired_valid_i)
		desc[dut.fired_desc_i].lacks = false;
	if (dut.stop_valid_i)
		desc[dut.stop_desc_i].runs = false;
	if (!takes)
		return;
	Desc &d = desc[dut.expired_desc_o];

	if (dut.expired_lacks_o)
		d.lacks = false;
	else
		d.runs = false;
	(dut.expired_lacks_o ? lacking : overs)++;
}

void Timers::cycle()
{
	bench.settle();
	pass_time();
	dut.now_i = now;
	act();
	dut.expired_ready_i = take.go();
	bench.settle();
	check();
	note();
	bench.tick();
	if (starting)
		dut.start_valid_i = 0;
}

int Timers::run()
{
	for (unsigned int i = 0; i < 20; i++) {
		jumps = i % 4;
		bench.live(bench.times(10000), [this] { restart(); }, [this] { cycle(); });
	}
	CHECK(overs > 100 && lacking > 100 && sleeps > 1000, "%llu times over, %llu lacking, %llu sleeps", static_cast<unsigned long long>(overs),
	      static_cast<unsigned long long>(lacking), static_cast<unsigned long long>(sleeps));
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Timers(argc, argv).run();
}
