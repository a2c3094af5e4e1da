// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_fw_timers: the firmware writes timers of groups, tombstones and their edges, and the hardware stops them, while time goes
// on, in steps of any length. The registers and events of the engine say which timer expires at what time, and what follows if the queue
// of events is full.
#include <cstddef>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "fw_timers_model.h"
#include "gen/tally_fw_hw.h"

#define AT(block, field) offsetof(struct tally_fw_##block, field)

constexpr uint64_t us = 1000000, never = UINT64_MAX;
constexpr unsigned int contexts = Groups + Tombs, own = EdgesOf, longest = 3000;
enum { stop_own, stop_edge, stop_edges, stop_all };

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t told = 0, of_edges = 0, full = 0, stops = 0, sleeps = 0;

	void restart()
	{
		model_reset(contexts, Groups);
		dut_.write_valid_i = dut_.stop_valid_i = dut_.tmr_ready_i = 0;
		dut_.now_i = now_;
		half_ = false;
		offered_ = false;
		over_.assign(contexts * (EdgesOf + 1), 0);
		waits_ = 0;
		bench_.reset();
		for (bench_.settle(); dut_.busy_o; bench_.settle()) // the calendar is cleared
			bench_.tick();
	}

	void step(bool leaps)
	{
		pass_time(leaps);
		if (rng_.one_in(300))
			rare_ = rng_.one_in(2) ? 4 : 40;
		if (!dut_.write_valid_i && (half_ || (write_.go() && rng_.one_in(rare_))))
			choose_write();
		if (!dut_.stop_valid_i && stop_.go() && rng_.one_in(3 * rare_))
			choose_stop();
		dut_.tmr_ready_i = take_.go();
		dut_.tmr_found_i = rng_.one_in(2);
		bench_.settle();
		watch();
		bench_.tick();
		if (written_)
			dut_.write_valid_i = 0;
		if (stopped_)
			dut_.stop_valid_i = 0;
	}

	// Registers that are not timers.
	void check_addresses()
	{
		for (unsigned int at = 0; at < TALLY_FW_GROUP_STRIDE; at += 4) {
			const bool of_edge = at >= TALLY_FW_EDGE_OFFSET && at < TALLY_FW_EDGE_OFFSET + EdgesOf * TALLY_FW_EDGE_STRIDE;
			const unsigned int in = (of_edge ? at % TALLY_FW_EDGE_STRIDE : at) & ~4u;
			const bool mine = of_edge ? in == AT(edge, timer) || in == AT(edge, delay) : in == AT(group, timer);

			for (unsigned int c : { 0u, contexts - 1, contexts }) {
				dut_.addr_i = TALLY_FW_GROUP_BASE + c * TALLY_FW_GROUP_STRIDE + at;
				bench_.settle();
				CHECK(dut_.mine_o == (mine && c < contexts), "register %x of context %u: mine_o is %d", at, c, dut_.mine_o);
			}
		}
		dut_.addr_i = AT(group, timer);
		bench_.settle();
		CHECK(!dut_.mine_o, "a register below those of groups");
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	tally::Throttle write_{ rng_ }, stop_{ rng_ }, take_{ rng_ };
	std::vector<unsigned int> over_; // clocks since each timer is over
	uint64_t now_ = 1, value_ = 0;
	unsigned int rare_ = 4, context_ = 0, edge_ = 0, waits_ = 0, at_ = 0;
	bool half_ = false, written_ = false, stopped_ = false, offered_ = false;

	// The row of an edge is a function of it, as the bench has no tally_edge_rows.
	static unsigned int row_of(unsigned int context, unsigned int edge) { return (context * EdgesOf + edge) * 5 % Rows; }

	void choose_write()
	{
		if (!half_) {
			context_ = rng_.below(contexts);
			edge_ = rng_.one_in(4) ? own : rng_.below(EdgesOf);
			at_ = edge_ == own ? AT(group, timer) : rng_.one_in(2) ? AT(edge, timer) : AT(edge, delay);
			if (at_ == AT(edge, delay))
				value_ = rng_.one_in(4) ? 0 : rng_.below(rng_.one_in(2) ? 5000 : 5);
			else
				value_ = rng_.one_in(4) ? never : now_ + rng_.below(rng_.one_in(2) ? us : 100 * us);
		}
		dut_.addr_i = TALLY_FW_GROUP_BASE + context_ * TALLY_FW_GROUP_STRIDE + at_ + 4 * half_ +
			      (edge_ == own ? 0 : TALLY_FW_EDGE_OFFSET + edge_ * TALLY_FW_EDGE_STRIDE);
		dut_.data_i = half_ ? value_ >> 32 : value_;
		dut_.row_i = edge_ == own || context_ >= Groups ? rng_.below(Rows) : row_of(context_, edge_);
		dut_.write_valid_i = 1;
	}

	void choose_stop()
	{
		dut_.stop_valid_i = 1;
		dut_.stop_i = rng_.below(4);
		dut_.stop_context_i = rng_.below(contexts);
		dut_.stop_edge_i = rng_.below(EdgesOf);
		dut_.stop_row_i = dut_.stop_context_i >= Groups ? rng_.below(Rows) : row_of(dut_.stop_context_i, dut_.stop_edge_i);
	}

	// A clock is 4 ns. A NIC that sleeps goes on at the deadline, or earlier.
	void pass_time(bool leaps)
	{
		now_ += 4000;
		dut_.now_i = now_;
		bench_.settle();
		if (!leaps || dut_.busy_o || dut_.write_valid_i || dut_.stop_valid_i || !rng_.one_in(4))
			return;
		uint64_t to = now_ + rng_.below(rng_.one_in(3) ? 40 * us : us);

		if (dut_.deadline_valid_o && dut_.deadline_o < to)
			to = dut_.deadline_o;
		CHECK(model_next() >= to, "a timer expires while the NIC sleeps");
		now_ = dut_.now_i = to;
		sleeps++;
	}

	void watch()
	{
		CHECK(dut_.tmr_valid_o || !offered_, "an event is withdrawn");
		if (dut_.tmr_valid_o)
			watch_event();
		offered_ = dut_.tmr_valid_o && !dut_.tmr_ready_i;
		watch_over();
		written_ = dut_.write_valid_i && dut_.write_ready_o;
		stopped_ = dut_.stop_valid_i && dut_.stop_ready_o;
		CHECK(!written_ || !stopped_, "two are taken at a time");
		waits_ = (dut_.write_valid_i && !written_) || (dut_.stop_valid_i && !stopped_) ? waits_ + 1 : 0;
		CHECK(waits_ < longest, "a write or a stop waits");
		if (written_) {
			CHECK(dut_.mine_o, "the register is not kept");
			if (half_)
				model_write(now_, context_, edge_ == own ? -1 : static_cast<int>(edge_), at_, value_);
			half_ = !half_;
		}
		if (stopped_)
			stop();
	}

	void stop()
	{
		const unsigned int c = dut_.stop_context_i;

		CHECK(!dut_.tmr_valid_o, "a stop overtakes an event");
		if (dut_.stop_i == stop_own || dut_.stop_i == stop_all)
			model_stop(c, -1);
		for (unsigned int i = 0; i < EdgesOf; i++)
			if (dut_.stop_i >= stop_edges || (dut_.stop_i == stop_edge && i == dut_.stop_edge_i))
				model_stop(c, i);
		stops++;
	}

	void watch_event()
	{
		const unsigned int c = dut_.tmr_context_o, edge = dut_.tmr_edge_o;
		const int of = edge == TALLY_FW_NO_EDGE ? -1 : static_cast<int>(edge);

		CHECK(c < contexts && (of < 0 || edge < EdgesOf) && dut_.busy_o, "an event of edge %u of context %u", edge, c);
		CHECK(model_time(c, of) <= now_, "the timer of edge %u of context %u is not over", edge, c);
		if (!dut_.tmr_ready_i)
			return;
		model_expire(now_, c, of, dut_.tmr_found_i);
		told += dut_.tmr_found_i;
		full += !dut_.tmr_found_i;
		of_edges += of >= 0;
	}

	void watch_over()
	{
		for (unsigned int k = 0; k < over_.size(); k++) {
			const unsigned int c = k / (EdgesOf + 1), edge = k % (EdgesOf + 1);
			const uint64_t at = model_time(c, edge == own ? -1 : static_cast<int>(edge));
			const bool over = at <= now_;

			CHECK(!over || dut_.busy_o, "a timer of context %u is forgotten", c);
			CHECK(dut_.busy_o || at == never || (dut_.deadline_valid_o && dut_.deadline_o <= at), "the deadline is later than that of context %u",
			      c);
			over_[k] = over ? over_[k] + !dut_.tmr_valid_o : 0;
			CHECK(over_[k] < 20000, "a timer of context %u does not expire", c);
		}
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("fw_timers", argc, argv);
	World world(bench);

	for (unsigned int i = 0; i < 8; i++)
		bench.live(bench.times(15000), [&] { world.restart(); }, [&] { world.step(i % 4); });
	world.restart();
	world.check_addresses();
	CHECK(world.told > 300 && world.of_edges > 300 && world.full > 300 && world.stops > 500 && world.sleeps > 1000,
	      "%llu told, %llu of edges, %llu found no place, %llu stops, %llu sleeps", static_cast<unsigned long long>(world.told),
	      static_cast<unsigned long long>(world.of_edges), static_cast<unsigned long long>(world.full), static_cast<unsigned long long>(world.stops),
	      static_cast<unsigned long long>(world.sleeps));
	return bench.finish();
}
