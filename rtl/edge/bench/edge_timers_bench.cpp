// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_edge_timers: compares it with edge_timers() and edge_backoff(): which timers expire, when, how often,
// and when they stop. The time wraps around many times. No expiry may be early, or later than the block guarantees. While the
// block is not busy, time may leap to its deadline, as if the clock had stood still; no timer may be due earlier. A reset amid
// the traffic stops all timers.
#include <array>

#include "Vdut.h"
#include "bench.h"
#include "edge_model.h"

static_assert(Edges <= EDGE_MODEL_MAX, "the model has an edge for each");

enum { CONFIG, START, STOP, ARM };	// tally_edge_pkg::timer_op_e

struct Command {
	bool valid, fresh;
	unsigned int op, edge;
	uint64_t rto, cap;
	unsigned int limit;
};

static void perform(const Command &c, uint64_t now)
{
	if (!c.valid)
		return;
	if (c.op == CONFIG)
		edge_model_config(c.edge, c.rto, c.cap, c.limit);
	if (c.op == CONFIG || c.op == STOP)
		edge_model_stop(c.edge);
	else if (c.op == START || edge_model_due(c.edge) == UINT64_MAX)
		edge_model_start(c.edge, now);
}

// Expiries in the order in which they come out.
class Watch {
public:
	// `now` is the time. An expiry that is first seen in a clock was found in the one before, at the time `before`.
	void look(const Vdut &dut, uint64_t now, uint64_t before, bool command)
	{
		if (dut.expired_valid_o && !waits_)
			found(dut, before);
		if (waits_)
			CHECK(dut.expired_valid_o && dut.expired_edge_o == edge_ && dut.expired_tries_o == tries_ &&
			      dut.expired_over_o == over_, "an offer changes");
		edge_ = dut.expired_edge_o;
		tries_ = dut.expired_tries_o;
		over_ = dut.expired_over_o;
		bool stalled = dut.expired_valid_o && !dut.expired_ready_i;
		for (unsigned int i = 0; i < Edges; i++)
			promise(i, now, stalled || waits_, command);
		waits_ = stalled;
	}

private:
	void found(const Vdut &dut, uint64_t at)
	{
		unsigned int edge = dut.expired_edge_o, tries;

		CHECK(edge < Edges, "edge %u expires", edge);
		CHECK(edge_model_due(edge) <= at, "edge %u expires, not due at %llu but %llu", edge,
		      static_cast<unsigned long long>(at), static_cast<unsigned long long>(edge_model_due(edge)));
		bool over = !edge_model_expire(edge, at, &tries);
		CHECK(dut.expired_over_o == over, "edge %u: expired_over_o is %d", edge, dut.expired_over_o);
		CHECK(dut.expired_tries_o == tries, "edge %u: %d tries, not %u", edge, dut.expired_tries_o, tries);
		late_[edge] = 0;
	}

	void promise(unsigned int edge, uint64_t now, bool stalled, bool command)
	{
		if (edge_model_due(edge) > now || edge_model_due(edge) != due_[edge])
			late_[edge] = commands_[edge] = 0;
		due_[edge] = edge_model_due(edge);
		commands_[edge] += command;
		if (due_[edge] <= now && !stalled)
			CHECK(late_[edge]++ < 3 * (Edges + 1) + commands_[edge], "edge %u is late", edge);
	}

	bool waits_ = false;
	unsigned int edge_ = 0, tries_ = 0;
	bool over_ = false;
	std::array<uint64_t, Edges> due_ = {};
	std::array<unsigned int, Edges> late_ = {};	// clocks since it was due, as the block counts them
	std::array<unsigned int, Edges> commands_ = {};	// and commands
};

static Command random_command(tally::Rng &rng, unsigned int rate)
{
	Command c = {};

	c.valid = rng.below(1000) < rate;
	c.op = rng.one_in(8) ? +CONFIG : START + static_cast<unsigned int>(rng.below(3));
	c.edge = rng.below(Edges);
	c.rto = 1 + rng.below(rng.one_in(3) ? 100 : 3);
	c.cap = 1 + rng.below(rng.one_in(3) ? 100 : 2000);
	c.limit = rng.below(rng.one_in(3) ? 15 : 3);
	if (rng.one_in(4)) { // longest back-off: all doublings
		c.rto = 1;
		c.cap = 1000 + rng.below(3000);
		c.limit = 15;
	}
	return c;
}

static void give(Vdut &dut, const Command &c)
{
	dut.cmd_valid_i = c.valid;
	dut.cmd_fresh_i = c.fresh;
	dut.cmd_op_i = c.op;
	dut.cmd_edge_i = c.edge;
	dut.cmd_rto_i = c.rto;
	dut.cmd_cap_i = c.cap;
	dut.cmd_limit_i = c.limit;
}

// The first command of each edge, while the others already have some, if there are.
static Command beginning(tally::Rng &rng, unsigned int &configured, unsigned int rate)
{
	Command c = random_command(rng, configured ? rate : 1000);

	if (!configured || rng.one_in(20)) {
		c.valid = c.fresh = true;
		c.op = CONFIG;
		c.edge = configured++;
	} else {
		c.edge %= configured;
	}
	return c;
}

constexpr uint64_t mask = (1ULL << TimeW) - 1;

// When the block says that the clock is needed again; UINT64_MAX: never.
static uint64_t deadline(const Vdut &dut, uint64_t now)
{
	uint64_t at = dut.deadline_valid_o ? now + ((dut.deadline_o - now) & mask) : UINT64_MAX;

	for (unsigned int i = 0; i < Edges; i++)
		CHECK(edge_model_due(i) >= at, "edge %u is due before the deadline", i);
	return at;
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("edge_timers", argc, argv);
	Vdut &dut = *bench.dut;
	tally::Throttle sink(bench.rng);
	Watch watch;
	Command last, before;
	unsigned int configured, rate = 0;
	uint64_t now, previous, leaps = 0;

	edge_model_init();
	auto restart = [&] {
		dut.cmd_valid_i = dut.expired_ready_i = 0;
		bench.reset();
		for (unsigned int i = 0; i < Edges; i++)
			edge_model_open(i, 0);
		watch = {};
		last = before = {};
		configured = 0;
		now = previous = 0;
	};
	auto cycle = [&] {
		static const unsigned int rates[] = { 0, 1, 3, 20, 300, 1000 };
		Command c;

		if (bench.rng.one_in(3000))
			rate = rates[bench.rng.below(sizeof(rates) / sizeof(*rates))];
		dut.now_i = now & mask;
		bench.settle();
		c = configured < Edges ? beginning(bench.rng, configured, rate) : random_command(bench.rng, rate);
		give(dut, c);
		dut.expired_ready_i = sink.go();
		bench.settle();
		CHECK(!dut.expired_valid_o || dut.busy_o, "idle with an expiry");
		perform(before, previous);
		watch.look(dut, now, previous, before.valid);
		before = last;
		last = c;
		bool leap = !dut.busy_o && !before.valid && !last.valid && bench.rng.one_in(4);
		uint64_t until = leap ? deadline(dut, now) : UINT64_MAX;

		bench.tick();
		previous = now;
		now = until == UINT64_MAX ? now + 1 : until;
		leaps += until != UINT64_MAX;
	};
	bench.live(bench.times(300000), restart, cycle);
	CHECK(leaps > 100, "time has leapt %llu times", static_cast<unsigned long long>(leaps));
	return bench.finish();
}
