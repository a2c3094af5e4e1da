// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_cqe_writer: compares it with a scoreboard that repeats the rules of sim/nic/cq.c. The owner byte and
// the consumer's count come from the model's own functions. There are slow consumers, overruns, arms, failing writes,
// and stalls of AW, W, B and events.
#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "cqe_writer_model.h"
#include "gen/tally_hw.h"

constexpr uint64_t ring_room = 64 * MaxDepth, guard = 128;
enum Arm { none, solicited, any };

struct Entry { // an entry that was written and not answered
	unsigned int cqn;
	bool solicited;
};

struct Cq {
	bool enabled = false, failed = false, broken = false; // broken: a write failed
	unsigned int log_depth = 0, eqn = 0;
	uint64_t base = 0, written = 0, produced = 0, consumed = 0, solicited_end = 0, read = 0;
	Arm armed = none;
	unsigned int errors_due = 0;
	// An event was due at some time since the last event, so one may come.
	bool due = false;
	unsigned int due_for = 0;
	Arm armed_last = none; // arm request of the last cycle
	uint64_t born = 0;

	uint64_t depth() const { return 1ull << log_depth; }
	bool is_due() const { return armed != none && (armed == any ? produced : solicited_end) > consumed; }
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench)
		: bench_(bench), rng_(bench.rng), dut_(*bench.dut), memory_(NumCq * (ring_room + guard) + guard)
	{
		rng_.fill(memory_.data(), memory_.size());
		expected_ = memory_;
	}

	bool stalls = true, requests = true;
	unsigned int consume_one_in = 3, error_one_in = 0, now_step = 10;
	uint64_t written = 0, lost = 0, events = 0, errors = 0;

	void reset()
	{
		dut_.cfg_valid_i = dut_.db_valid_i = dut_.in_valid_i = dut_.awready_i = dut_.wready_i = 0;
		dut_.bvalid_i = dut_.event_ready_i = dut_.produced_cqn_i = 0;
		for (Cq &cq : cqs_)
			cq = Cq();
		unanswered_.clear();
		addresses_.clear();
		writes_.clear();
		in_offered_ = b_offered_ = event_offered_ = false;
		bench_.reset();
	}

	void cycle()
	{
		dut_.now_i = now_ += rng_.below(now_step);
		offer_request();
		dut_.awready_i = go(aw_);
		dut_.wready_i = go(w_);
		dut_.event_ready_i = go(events_);
		offer_answer();
		offer_doorbell();
		offer_cfg();
		dut_.produced_cqn_i = rng_.below(NumCq);
		bench_.settle();
		CHECK(!cqs_[dut_.produced_cqn_i].enabled || dut_.produced_o == cqs_[dut_.produced_cqn_i].produced,
		      "CQ %d: wrong produced_o", dut_.produced_cqn_i);
		take();
		bench_.tick();
	}

	// Runs without new requests until all events that are due have come.
	void finish()
	{
		requests = false;
		for (unsigned int i = 0; i < 4000 && (!unanswered_.empty() || i < 400); i++)
			cycle();
		for (unsigned int i = 0; i < NumCq; i++)
			CHECK(!cqs_[i].errors_due && !cqs_[i].is_due(), "an event of CQ %u never comes", i);
		CHECK(memory_ == expected_, "wrong contents of the memory");
		requests = true;
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	std::vector<uint8_t> memory_, expected_;
	std::array<Cq, NumCq> cqs_;
	std::deque<Entry> unanswered_;		  // in the order of the requests
	std::deque<uint64_t> addresses_;	  // addresses without data so far
	std::deque<bool> writes_;		  // in memory, not answered
	bool in_offered_ = false, b_offered_ = false, event_offered_ = false;
	uint64_t now_ = 0;
	struct Request {
		unsigned int cqn;
		tally_cqe cqe;
		bool solicited, valid = false;
	} request_; // taken, on its way to its place
	tally::Throttle in_{ rng_ }, aw_{ rng_ }, w_{ rng_ }, b_{ rng_ }, events_{ rng_ };

	bool go(tally::Throttle &throttle) { return !stalls || throttle.go(); }

	void offer_request()
	{
		if (!in_offered_ && requests && go(in_)) {
			tally_cqe cqe;

			rng_.fill(&cqe, sizeof(cqe));
			if (!rng_.one_in(4))
				cqe.status = TALLY_WC_SUCCESS;
			std::memcpy(&dut_.in_cqe_i, &cqe, sizeof(cqe));
			dut_.in_cqn_i = rng_.below(NumCq);
			dut_.in_solicited_i = rng_.one_in(4);
			dut_.in_rung_i = !rng_.one_in(4);
			// Some are so old that elapsed saturates.
			dut_.in_rung_at_i = now_ - rng_.below(rng_.one_in(2) ? now_ + 1 : 1000);
			in_offered_ = true;
		}
		dut_.in_valid_i = in_offered_;
	}

	void offer_answer()
	{
		if (!b_offered_ && !writes_.empty() && go(b_)) {
			b_offered_ = true;
			dut_.bresp_i = writes_.front() ? 2 : 0;
		}
		dut_.bvalid_i = b_offered_;
	}

	void offer_doorbell()
	{
		dut_.db_valid_i = rng_.one_in(consume_one_in);
		if (!dut_.db_valid_i)
			return;
		dut_.db_cqn_i = rng_.below(NumCq);
		const Cq &cq = cqs_[dut_.db_cqn_i];
		uint64_t ahead = cq.written - cq.consumed;

		// Some counts are invalid.
		dut_.db_count_i = rng_.one_in(8) ? rng_.one_in(2) ? cq.consumed - 1 : rng_.next() :
						   cq.consumed + rng_.below(ahead + 1);
		dut_.db_arm_i = rng_.one_in(2);
		dut_.db_solicited_i = rng_.one_in(2);
	}

	void offer_cfg()
	{
		unsigned int cqn = rng_.below(NumCq);

		dut_.cfg_valid_i = requests && rng_.one_in(cqs_[cqn].enabled && !cqs_[cqn].failed ? 4000 : 60) &&
				   !(in_offered_ && dut_.in_cqn_i == cqn);
		dut_.cfg_cqn_i = cqn;
		dut_.cfg_enable_i = !rng_.one_in(5);
		dut_.cfg_base_i = guard + cqn * (ring_room + guard);
		dut_.cfg_log_depth_i = rng_.below(__builtin_ctz(MaxDepth) + 1);
		dut_.cfg_eqn_i = rng_.below(TALLY_MAX_EQ);
	}

	void take()
	{
		CHECK(stalls || dut_.in_ready_o, "a request waits without a reason");
		take_event();
		place_request();
		take_write();
		take_answer();
		take_doorbell();
		take_cfg();
		if (dut_.in_valid_i && dut_.in_ready_o) {
			request_.cqn = dut_.in_cqn_i;
			std::memcpy(&request_.cqe, &dut_.in_cqe_i, sizeof(tally_cqe));
			request_.solicited = dut_.in_solicited_i || request_.cqe.status != TALLY_WC_SUCCESS;
			uint64_t elapsed = dut_.in_rung_i ? now_ - dut_.in_rung_at_i : 0;
			request_.cqe.timestamp = now_;
			request_.cqe.elapsed = std::min<uint64_t>(elapsed, UINT32_MAX);
			request_.valid = true;
			in_offered_ = false;
		}
		for (Cq &cq : cqs_) {
			cq.due = cq.due || cq.is_due();
			// An event that is due must come soon, provided that events are taken.
			cq.due_for = cq.is_due() || cq.errors_due ? cq.due_for + dut_.event_ready_i : 0;
			CHECK(cq.due_for <= 6 * NumCq + 8, "an event is late");
		}
	}

	// The request taken before gets its place, or is lost, as soon as a new one is taken.
	void place_request()
	{
		bool lost_now = dut_.overrun_o;

		if (!request_.valid || !dut_.in_ready_o) {
			CHECK(!lost_now, "overrun_o without a request");
			return;
		}
		request_.valid = false;
		Cq &cq = cqs_[request_.cqn];
		bool room = cq.written - cq.consumed < cq.depth();

		CHECK(lost_now == (cq.enabled && (cq.failed || !room)), "overrun is %d", lost_now);
		lost += lost_now;
		if (!cq.enabled)
			return;
		if (lost_now) {
			fail(cq);
			return;
		}
		request_.cqe.owner = model_owner(cq.written, cq.depth());
		std::memcpy(&expected_[cq.base + cq.written % cq.depth() * 64], &request_.cqe, 64);
		cq.written++;
		unanswered_.push_back({ request_.cqn, request_.solicited });
	}

	static void fail(Cq &cq)
	{
		if (!cq.failed)
			cq.errors_due++;
		cq.failed = true;
	}

	void take_write()
	{
		if (dut_.wvalid_o && dut_.wready_i) {
			CHECK(!addresses_.empty(), "data before their address");
			uint64_t address = addresses_.front();

			addresses_.pop_front();
			std::memcpy(&memory_[address], &dut_.wdata_o, 64);
			writes_.push_back(error_one_in && rng_.one_in(error_one_in));
			written++;
		}
		if (dut_.awvalid_o && dut_.awready_i) {
			CHECK(dut_.awaddr_o % 64 == 0 && dut_.awaddr_o + 64 <= memory_.size(), "address %llx",
			      static_cast<unsigned long long>(dut_.awaddr_o));
			addresses_.push_back(dut_.awaddr_o);
		}
	}

	void take_answer()
	{
		CHECK(dut_.bready_o, "bready_o is off");
		CHECK(dut_.dma_error_o == (dut_.bvalid_i && dut_.bresp_i), "dma_error_o is %d", dut_.dma_error_o);
		if (!dut_.bvalid_i) {
			CHECK(!dut_.cqe_o, "cqe_o without an answer");
			return;
		}
		Entry entry = unanswered_.front();
		Cq &cq = cqs_[entry.cqn];

		unanswered_.pop_front();
		writes_.pop_front();
		b_offered_ = false;
		if (dut_.bresp_i) {
			fail(cq);
			cq.broken = true;
		}
		CHECK(dut_.cqe_o == !cq.broken, "cqe_o is %d", dut_.cqe_o);
		if (cq.broken)
			return;
		cq.produced++;
		if (entry.solicited)
			cq.solicited_end = cq.produced;
	}

	void take_doorbell()
	{
		Cq &cq = cqs_[dut_.db_cqn_i];

		if (!dut_.db_valid_i || !cq.enabled)
			return;
		// The consumer may read an entry before the memory's answer arrives, but not in the cycle in which it
		// was placed.
		cq.due = cq.due || cq.is_due();
		cq.consumed = model_consumed(cq.consumed, cq.read, dut_.db_count_i);
		if (!dut_.db_arm_i)
			return;
		cq.armed_last = dut_.db_solicited_i ? solicited : any;
		cq.armed = std::max(cq.armed, cq.armed_last);
	}

	// An event is decided in the cycle before it is offered. It does not answer an arm request of that cycle.
	void take_event()
	{
		for (Cq &cq : cqs_)
			cq.read = cq.written;
		if (dut_.event_valid_o && !event_offered_)
			judge_event(cqs_[dut_.event_cqn_o]);
		event_offered_ = dut_.event_valid_o && !dut_.event_ready_i;
		for (Cq &cq : cqs_)
			cq.armed_last = none;
	}

	void judge_event(Cq &cq)
	{
		events++;
		if (cq.born == bench_.cycle()) // event of the CQ before
			return;
		CHECK(cq.enabled && dut_.event_eqn_o == cq.eqn, "an event goes to EQ %d", dut_.event_eqn_o);
		if (dut_.event_type_o == TALLY_EQE_CQ_ERROR) {
			CHECK(cq.errors_due, "unexpected CQ_ERROR event");
			cq.errors_due--;
			errors++;
			return;
		}
		CHECK(dut_.event_type_o == TALLY_EQE_CQ && cq.due, "unexpected event of CQ %d", dut_.event_cqn_o);
		cq.due = false;
		cq.armed = cq.armed_last;
	}

	void take_cfg()
	{
		if (!dut_.cfg_valid_i || !dut_.cfg_ready_o)
			return;
		Cq &cq = cqs_[dut_.cfg_cqn_i];

		cq = Cq();
		cq.enabled = dut_.cfg_enable_i;
		cq.log_depth = dut_.cfg_log_depth_i;
		cq.base = dut_.cfg_base_i;
		cq.eqn = dut_.cfg_eqn_i;
		cq.born = bench_.cycle() + 1;
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("cqe_writer", argc, argv);
	World world(bench);

	world.reset();
	for (uint64_t run = 0; run < bench.times(12); run++) {
		world.consume_one_in = run % 2 ? 2 : 8;
		world.error_one_in = run % 3 == 2 ? 300 : 0;
		world.stalls = run % 4 != 3;
		world.now_step = run % 2 ? 10 : 1 << 20;
		for (unsigned int left = 6000; left; left--)
			world.cycle();
		world.finish();
	}
	CHECK(world.errors && world.lost && world.events && world.written, "no error, overrun, event or write happened");
	return bench.finish();
}
