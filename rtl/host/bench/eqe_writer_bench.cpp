// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_eqe_writer: compares it with a scoreboard that repeats the rules of sim/nic/eq.c. The owner byte and the
// consumer's count come from the model's own functions. There are slow and hostile drivers, overruns, failing writes,
// stalls of all interfaces, queues that are destroyed and created, and resets amid all of it.
//
// The block does one thing after the other, and what becomes of an event shows two clocks after it was taken.
#include <array>
#include <cstring>
#include <deque>
#include <utility>

#include "Vdut.h"
#include "bench.h"
#include "cqe_writer_model.h"
#include "gen/tally_hw.h"
#include "quiet.h"

struct Eq {
	bool enabled = false;
	unsigned int log_depth = 0, vector = 0;
	uint64_t ring_low = 0, first = 0, placed = 0, consumed = 0, in_memory = 0;
	uint8_t ring_high = 0;

	uint64_t depth() const { return 1ull << log_depth; }
	uint64_t half() const { return (depth() + 1) / 2; }
};

struct Write {
	unsigned int eqn, vector;
	tally_eqe eqe;
	uint64_t start;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	bool stalls = true, requests = true;
	unsigned int consume_one_in = 8, error_one_in = 0;
	uint64_t placed = 0, dropped = 0, interrupts = 0, overruns = 0, failures = 0, told = 0, refused = 0, behind = 0;

	void restart()
	{
		dut_.cfg_valid_i = dut_.db_valid_i = dut_.in_valid_i = dut_.wr_ready_i = dut_.done_valid_i = dut_.irq_ready_i = 0;
		eqs_ = {};
		expected_.clear();
		unanswered_.clear();
		interrupts_.clear();
		quiet_.restart();
		fatal_ = TALLY_FATAL_NONE;
		taken_ = 0;
		in_offered_ = done_offered_ = cfg_offered_ = db_offered_ = free_next_ = false;
		bench_.reset();
		born_ = bench_.cycle();
	}

	bool stopped() const { return fatal_ != TALLY_FATAL_NONE; }

	void cycle()
	{
		offer_event();
		offer_cfg();
		offer_doorbell();
		offer_done();
		dut_.wr_ready_i = go(wr_);
		dut_.irq_ready_i = go(irq_);
		bench_.settle();
		CHECK(bench_.cycle() >= born_ + NumEq || !(dut_.in_ready_o || dut_.db_ready_o || dut_.cfg_ready_o),
		      "something is taken before the table is empty");
		refuse_ = false;
		if (taken_ && bench_.cycle() == taken_ + 1)
			judge();
		CHECK(dut_.refused_o == refuse_, "refused_o is %d", dut_.refused_o);
		CHECK(dut_.freed_o == free_next_, "freed_o is %d", dut_.freed_o);
		free_next_ = false;
		quiet_.look(dut_.busy_o, dut_.cfg_valid_i || dut_.db_valid_i || dut_.in_valid_i || dut_.done_valid_i,
			    dut_.wr_valid_o || dut_.irq_valid_o);
		CHECK(dut_.fatal_code_o == fatal_, "fatal_code_o is %d instead of %d", dut_.fatal_code_o, fatal_);
		if (overran_ && !stopped())
			fatal_ = TALLY_FATAL_EQ_OVERRUN;
		overran_ = false;
		take_write();
		take_done();
		take_irq();
		take_doorbell();
		take_cfg();
		if (dut_.in_valid_i && dut_.in_ready_o) {
			taken_ = bench_.cycle();
			in_offered_ = false;
		}
		bench_.tick();
	}

	void finish()
	{
		requests = false;
		for (unsigned int i = 0; i < 3000 && (!is_quiet() || dut_.busy_o); i++)
			cycle();
		CHECK(is_quiet(), "%zu writes and %zu interrupts never come", unanswered_.size(), interrupts_.size());
		CHECK(!dut_.busy_o, "busy_o with nothing inside");
		requests = true;
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	std::array<Eq, NumEq> eqs_;
	std::deque<Write> expected_;	// placed, not taken by the memory
	std::deque<Write> unanswered_;	// in memory
	std::deque<std::pair<unsigned int, unsigned int>> interrupts_;	// queue, vector
	Quiet quiet_;
	tally_fatal fatal_ = TALLY_FATAL_NONE;
	uint64_t taken_ = 0, born_ = 0;	// clocks
	bool in_offered_ = false, done_offered_ = false, cfg_offered_ = false, db_offered_ = false, overran_ = false;
	tally::Throttle in_{ rng_ }, wr_{ rng_ }, done_{ rng_ }, irq_{ rng_ };

	bool go(tally::Throttle &throttle) { return !stalls || throttle.go(); }

	bool is_quiet() const
	{
		return !in_offered_ && !cfg_offered_ && !db_offered_ && expected_.empty() && unanswered_.empty() && interrupts_.empty();
	}

	void offer_event()
	{
		if (!in_offered_ && requests && go(in_)) {
			in_offered_ = true;
			dut_.in_eqn_i = rng_.below(NumEq);
			dut_.in_type_i = 1 + rng_.below(rng_.one_in(4) ? 7 : 6);
			if (stopped() && rng_.one_in(2))
				dut_.in_type_i = TALLY_EQE_DEVICE_FATAL;
			dut_.in_id_i = rng_.next();
			dut_.in_data_i = rng_.next();
			dut_.in_asked_i = dut_.in_type_i != TALLY_EQE_DEVICE_FATAL && rng_.one_in(2);
			dut_.in_behind_i = dut_.in_asked_i && rng_.one_in(4);
		}
		dut_.in_valid_i = in_offered_;
	}

	// What becomes of the event that was taken a clock ago; its write is offered in the next one.
	void judge()
	{
		Eq &eq = eqs_[event_.eqn];

		if (!eq.enabled || (stopped() && event_.eqe.etype != TALLY_EQE_DEVICE_FATAL)) {
			dropped++;
			return;
		}
		bool full = eq.placed - eq.consumed >= eq.half();

		if (asked_ && (full || behind_)) {
			refuse_ = true;
			free_next_ = !full;
			refused++;
			behind += !full;
			return;
		}
		if (eq.placed - eq.consumed >= eq.depth()) {
			overran_ = true;
			overruns++;
			return;
		}
		told += stopped();
		event_.eqe.owner = model_owner(eq.placed, eq.depth());
		event_.vector = eq.vector;
		event_.start = eq.first + eq.placed % eq.depth() * sizeof(tally_eqe);
		eq.placed++;
		placed++;
		expected_.push_back(event_);
	}
	Write event_;
	bool asked_ = false, behind_ = false, refuse_ = false, free_next_ = false;

	void take_write()
	{
		if (dut_.in_valid_i && dut_.in_ready_o) {
			event_ = Write();
			event_.eqn = dut_.in_eqn_i;
			event_.eqe.etype = dut_.in_type_i;
			event_.eqe.id = dut_.in_id_i;
			event_.eqe.data = dut_.in_data_i;
			asked_ = dut_.in_asked_i;
			behind_ = dut_.in_behind_i;
		}
		if (!dut_.wr_valid_o)
			return;
		CHECK(!expected_.empty(), "a write of no event");
		const Write &w = expected_.front();
		const Eq &eq = eqs_[w.eqn];

		CHECK(!std::memcmp(&dut_.wr_data_o, &w.eqe, sizeof(w.eqe)), "wrong event");
		CHECK(dut_.wr_start_o == w.start, "an event is at %llx", (unsigned long long)(dut_.wr_start_o - eq.first));
		CHECK((dut_.wr_ring_o[0] | uint64_t(dut_.wr_ring_o[1]) << 32) == eq.ring_low && dut_.wr_ring_o[2] == eq.ring_high,
		      "the ring of another EQ");
		if (!dut_.wr_ready_i)
			return;
		unanswered_.push_back(w);
		expected_.pop_front();
		eqs_[w.eqn].in_memory++;
	}

	void offer_done()
	{
		if (!done_offered_ && !unanswered_.empty() && go(done_)) {
			done_offered_ = true;
			dut_.done_error_i = error_one_in && rng_.one_in(error_one_in);
		}
		dut_.done_valid_i = done_offered_;
	}

	void take_done()
	{
		if (!dut_.done_valid_i || !dut_.done_ready_o)
			return;
		if (!dut_.done_error_i)
			interrupts_.push_back({ unanswered_.front().eqn, unanswered_.front().vector });
		else if (!stopped())
			fatal_ = TALLY_FATAL_EQ_DMA;
		failures += dut_.done_error_i;
		unanswered_.pop_front();
		done_offered_ = false;
	}

	void take_irq()
	{
		if (!dut_.irq_valid_o || !dut_.irq_ready_i)
			return;
		CHECK(!interrupts_.empty(), "interrupt %d of nothing", dut_.irq_vector_o);
		CHECK(dut_.irq_eqn_o == interrupts_.front().first && dut_.irq_vector_o == interrupts_.front().second,
		      "interrupt %d of EQ %d", dut_.irq_vector_o, dut_.irq_eqn_o);
		interrupts_.pop_front();
		interrupts++;
	}

	void offer_doorbell()
	{
		unsigned int eqn = rng_.below(NumEq);
		const Eq &eq = eqs_[eqn];

		if (!db_offered_ && requests && rng_.one_in(consume_one_in)) {
			db_offered_ = true;
			dut_.db_eqn_i = eqn;
			// Some counts are invalid.
			dut_.db_count_i = rng_.one_in(8) ? rng_.one_in(2) ? eq.consumed - 1 : rng_.next() : eq.in_memory;
		}
		dut_.db_valid_i = db_offered_;
	}

	void take_doorbell()
	{
		if (!dut_.db_valid_i || !dut_.db_ready_o)
			return;
		Eq &eq = eqs_[dut_.db_eqn_i];

		uint64_t before = eq.consumed;

		db_offered_ = false;
		eq.consumed = model_consumed(eq.consumed, eq.placed, dut_.db_count_i);
		free_next_ = eq.consumed != before;
	}

	void offer_cfg()
	{
		unsigned int eqn = rng_.below(NumEq);

		if (!cfg_offered_ && requests && rng_.one_in(eqs_[eqn].enabled ? 600 : 30)) {
			cfg_offered_ = true;
			dut_.cfg_eqn_i = eqn;
			dut_.cfg_enable_i = !rng_.one_in(4);
			rng_.fill(&dut_.cfg_ring_i, sizeof(dut_.cfg_ring_i));
			dut_.cfg_ring_i[2] &= 0x7f; // 71 bits
			dut_.cfg_first_i = rng_.next() >> 1 & ~31ull;
			dut_.cfg_log_depth_i = rng_.below(__builtin_ctz(MaxDepth) + 1);
			dut_.cfg_vector_i = rng_.below(TALLY_NUM_VECTORS);
		}
		dut_.cfg_valid_i = cfg_offered_;
	}

	void take_cfg()
	{
		CHECK(!cfg_offered_ || !dut_.in_ready_o, "an event is taken while a queue is configured");
		if (!dut_.cfg_valid_i || !dut_.cfg_ready_o)
			return;
		Eq &eq = eqs_[dut_.cfg_eqn_i];

		CHECK(expected_.empty() && unanswered_.empty(), "a queue is configured amid its writes");
		eq = Eq();
		eq.enabled = dut_.cfg_enable_i;
		eq.log_depth = dut_.cfg_log_depth_i;
		eq.vector = dut_.cfg_vector_i;
		eq.ring_low = dut_.cfg_ring_i[0] | uint64_t(dut_.cfg_ring_i[1]) << 32;
		eq.ring_high = dut_.cfg_ring_i[2];
		eq.first = dut_.cfg_first_i;
		cfg_offered_ = false;
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("eqe_writer", argc, argv);
	World world(bench);
	uint64_t left = 0, run = 0, stopped = 0;

	bench.live(bench.times(60000), [&] { world.restart(); },
		   [&] {
			   // A device that has stopped is reset some time later.
			   if (!left || (world.stopped() && ++stopped % 60 == 0)) {
				   world.finish();
				   world.restart();
				   world.consume_one_in = run % 3 == 1 ? 1 : 16;
				   world.error_one_in = run % 3 ? 20 : 0;
				   world.stalls = run % 4 != 3;
				   run++;
				   left = 4000;
			   }
			   left--;
			   world.cycle();
		   });
	world.finish();
	CHECK(world.placed > 1000 && world.dropped > 200 && world.interrupts > 1000 && world.overruns > 10 && world.failures > 10 &&
		      world.told > 10 && world.refused > 100 && world.behind > 100,
	      "%llu placed, %llu dropped, %llu interrupts, %llu overruns, %llu failures, %llu told, %llu refused, "
	      "%llu behind",
	      (unsigned long long)world.placed, (unsigned long long)world.dropped, (unsigned long long)world.interrupts, (unsigned long long)world.overruns,
	      (unsigned long long)world.failures, (unsigned long long)world.told, (unsigned long long)world.refused,
	      (unsigned long long)world.behind);
	return bench.finish();
}
