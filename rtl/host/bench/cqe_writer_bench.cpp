// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_cqe_writer: compares it with a scoreboard that repeats the rules of sim/nic/cq.c. The owner byte and
// the consumer's count come from the model's own functions. There are slow and hostile consumers, overruns, arms, failing
// writes and reads, stalls of all interfaces, and CQs that are configured anew while an entry waits for room.
//
// The block does one thing after the other. What it takes shows in the clock in which it does, and what becomes of an
// entry in the clock after its turn, in which nothing else is taken. So the order of both is that of the block, and the
// scoreboard knows each event.
#include <algorithm>
#include <array>
#include <cstring>
#include <deque>

#include "Vdut.h"
#include "bench.h"
#include "cqe_writer_model.h"
#include "quiet.h"
#include "gen/tally_hw.h"

enum Arm { none, solicited, any };

struct Cq {
	bool enabled = false, failed = false, broken = false; // broken: a write failed
	unsigned int log_depth = 0, eqn = 0;
	uint64_t ring_low = 0, first = 0, written = 0, produced = 0, consumed = 0, solicited_end = 0;
	uint8_t ring_high = 0;
	unsigned int busy = 0;
	bool reading = false; // its record is being read in advance
	Arm armed = none;
	uint64_t arm_word = 0;
	uint64_t in_memory = 0, read = 0, record = 0; // entries; those that the consumer has read; its record

	uint64_t depth() const { return 1ull << log_depth; }
	bool has_room() const { return written - consumed < depth(); }
};

struct Write { // placed, not answered
	unsigned int cqn;
	bool solicited;
};

struct Read {
	unsigned int cqn;
	bool own;
};

struct Event {
	unsigned int eqn, type, cqn;
};

struct Request {
	unsigned int cqn;
	tally_cqe cqe;
	bool solicited, rung;
	uint64_t rung_at;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	bool stalls = true, requests = true, one_cq = false;
	unsigned int consume_one_in = 3, error_one_in = 0, bad_record_one_in = 8, now_step = 10;
	uint64_t placed = 0, lost = 0, events = 0, errors = 0, own_reads = 0, reads_ahead = 0, forgotten = 0, first_request = 0,
		 first_write = 0;

	void restart()
	{
		dut_.cfg_valid_i = dut_.db_valid_i = dut_.in_valid_i = dut_.wr_ready_i = dut_.done_valid_i = 0;
		dut_.rd_ready_i = dut_.rsp_valid_i = dut_.event_ready_i = 0;
		for (Cq &cq : cqs_)
			cq = Cq();
		writes_.clear();
		answers_.clear();
		reads_.clear();
		rd_taken_ = 0;
		due_.clear();
		quiet_.restart();
		offered_ = has_request_ = tried_ = waits_ = wr_offered_ = rd_offered_ = done_offered_ = rsp_offered_ = db_offered_ =
			cfg_offered_ = cqe_next_ = error_next_ = false;
		bench_.reset();
	}

	void cycle()
	{
		was_now_ = now_;
		dut_.now_i = now_ += rng_.below(now_step) + one_cq;
		consume();
		offer_request();
		offer_done();
		offer_record();
		offer_doorbell();
		offer_cfg();
		dut_.wr_ready_i = go(wr_);
		dut_.rd_ready_i = go(rd_);
		dut_.event_ready_i = go(events_);
		bench_.settle();
		quiet_.look(dut_.busy_o, dut_.cfg_valid_i || dut_.db_valid_i || dut_.in_valid_i || dut_.done_valid_i || dut_.rsp_valid_i,
			    dut_.wr_valid_o || dut_.rd_valid_o || dut_.event_valid_o);
		see_turn();
		take_event();
		take_cfg();
		take_done();
		take_record();
		take_doorbell();
		take_wr();
		take_rd();
		take_request();
		bench_.tick();
	}

	// Runs without new requests until everything is answered and all events have come.
	void finish()
	{
		requests = false;
		for (unsigned int i = 0; i < 6000 && !is_quiet(); i++)
			cycle();
		CHECK(is_quiet(), "%zu writes, %zu reads and %zu events never end, a request %s", writes_.size(), reads_.size(),
		      due_.size(), has_request_ ? "waits" : "has left");
		CHECK(quiet_.clocks, "busy_o was never low");
		requests = true;
	}

	bool is_quiet() const
	{
		return !offered_ && !has_request_ && writes_.empty() && reads_.empty() && due_.empty() && !cfg_offered_ &&
		       !db_offered_ && !rd_offered_;
	}

	// Enables CQ 0 with this depth.
	void enable(unsigned int log_depth)
	{
		requests = false;
		offer_this_cfg(0, true);
		dut_.cfg_log_depth_i = log_depth;
		finish();
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	std::array<Cq, NumCq> cqs_;
	std::deque<Write> writes_;	// placed, not answered
	std::deque<bool> answers_;	// of those in memory; true: an error
	std::deque<Read> reads_;	// begun, not answered
	size_t rd_taken_ = 0;		// of them, those that the memory has
	std::deque<Event> due_;
	Quiet quiet_;
	Request request_;
	bool offered_ = false, has_request_ = false, tried_ = false, waits_ = false;
	bool wr_offered_ = false, rd_offered_ = false, done_offered_ = false, rsp_offered_ = false, db_offered_ = false;
	bool cfg_offered_ = false, cqe_next_ = false, error_next_ = false;
	uint64_t now_ = 0, was_now_ = 0;
	tally::Throttle in_{ rng_ }, wr_{ rng_ }, done_{ rng_ }, rd_{ rng_ }, rsp_{ rng_ }, events_{ rng_ };

	bool go(tally::Throttle &throttle) { return !stalls || throttle.go(); }

	// ---- Inputs ----

	void offer_request()
	{
		if (!offered_ && requests && go(in_)) {
			tally_cqe &cqe = request_next_.cqe;
			unsigned int cqn = one_cq ? 0 : rng_.below(NumCq);

			if (cfg_offered_ && dut_.cfg_cqn_i == cqn)
				return; // requests for this CQ wait
			rng_.fill(&cqe, sizeof(cqe));
			if (!rng_.one_in(4))
				cqe.status = TALLY_WC_SUCCESS;
			request_next_.cqn = cqn;
			request_next_.solicited = rng_.one_in(4);
			request_next_.rung = !rng_.one_in(4);
			// Some are so old that elapsed saturates.
			request_next_.rung_at = now_ - rng_.below(rng_.one_in(2) ? now_ + 1 : 1000);
			std::memcpy(&dut_.in_cqe_i, &cqe, sizeof(cqe));
			dut_.in_cqn_i = cqn;
			dut_.in_solicited_i = request_next_.solicited;
			dut_.in_rung_i = request_next_.rung;
			dut_.in_rung_at_i = request_next_.rung_at;
			offered_ = true;
			first_request = first_request ? first_request : bench_.cycle();
		}
		dut_.in_valid_i = offered_;
	}
	Request request_next_;

	void offer_done()
	{
		if (!done_offered_ && !answers_.empty() && go(done_)) {
			done_offered_ = true;
			dut_.done_error_i = answers_.front();
		}
		dut_.done_valid_i = done_offered_;
	}

	void offer_record()
	{
		if (!rsp_offered_ && rd_taken_ && go(rsp_)) {
			const Read &r = reads_.front();
			uint64_t count = cqs_[r.cqn].record;

			rsp_offered_ = true;
			if (rng_.one_in(bad_record_one_in))
				count = rng_.one_in(2) ? cqs_[r.cqn].written + 1 + rng_.below(3) : rng_.next();
			dut_.rsp_tag_i = r.own * NumCq + r.cqn;
			dut_.rsp_error_i = error_one_in && rng_.one_in(10);
			dut_.rsp_count_i = count;
		}
		dut_.rsp_valid_i = rsp_offered_;
	}

	void offer_doorbell()
	{
		if (!db_offered_ && !one_cq && rng_.one_in(consume_one_in)) {
			unsigned int cqn = rng_.below(NumCq);
			const Cq &cq = cqs_[cqn];

			db_offered_ = true;
			dut_.db_cqn_i = cqn;
			// Some counts are invalid.
			dut_.db_count_i = rng_.one_in(8) ? rng_.one_in(2) ? cq.consumed - 1 : rng_.next() : cq.read;
			dut_.db_arms_i = rng_.one_in(2);
			dut_.db_counts_i = !dut_.db_arms_i || !rng_.one_in(4);
			// Some words are stale.
			dut_.db_arm_i = rng_.one_in(8) ? cq.arm_word - rng_.below(3) : cq.arm_word + 1 + rng_.below(4);
		}
		dut_.db_valid_i = db_offered_;
	}

	void offer_this_cfg(unsigned int cqn, bool enable)
	{
		cfg_offered_ = true;
		dut_.cfg_cqn_i = cqn;
		dut_.cfg_enable_i = enable;
		rng_.fill(&dut_.cfg_ring_i, sizeof(dut_.cfg_ring_i));
		dut_.cfg_ring_i[2] &= 0x7f; // 71 bits
		dut_.cfg_first_i = rng_.next() >> 1 & ~63ull;
		dut_.cfg_log_depth_i = rng_.below(__builtin_ctz(MaxDepth) + 1);
		dut_.cfg_eqn_i = rng_.below(TALLY_MAX_EQ);
	}

	void offer_cfg()
	{
		unsigned int cqn = rng_.below(NumCq);
		const Cq &cq = cqs_[cqn];
		bool waits = has_request_ && request_.cqn == cqn && waits_;

		if (!cfg_offered_ && requests && !one_cq && !(offered_ && dut_.in_cqn_i == cqn) &&
		    rng_.one_in(waits ? 4 : cq.enabled && !cq.failed ? 4000 : 60))
			offer_this_cfg(cqn, !rng_.one_in(5));
		dut_.cfg_valid_i = cfg_offered_;
	}

	// Consumers read entries, and store their counts in their records.
	void consume()
	{
		Cq &cq = cqs_[rng_.below(one_cq ? 1 : NumCq)];

		if (!rng_.one_in(consume_one_in))
			return;
		cq.read += rng_.below(cq.in_memory - cq.read + 1);
		if (one_cq)
			cq.read = cq.in_memory;
		if (rng_.one_in(2))
			cq.record = cq.read;
	}

	// ---- Outputs ----

	void fail(unsigned int cqn)
	{
		Cq &cq = cqs_[cqn];

		if (!cq.failed)
			due_.push_back({ cq.eqn, TALLY_EQE_CQ_ERROR, cqn });
		cq.failed = true;
	}

	void raise_if_due(unsigned int cqn)
	{
		Cq &cq = cqs_[cqn];

		if (cq.armed == none || (cq.armed == any ? cq.produced : cq.solicited_end) <= cq.consumed)
			return;
		due_.push_back({ cq.eqn, TALLY_EQE_CQ, cqn });
		cq.armed = none;
	}

	// What has become of the request.
	void see_turn()
	{
		bool wr_new = dut_.wr_valid_o && !wr_offered_, rd_new = dut_.rd_valid_o && !rd_offered_, own = dut_.rd_tag_o >= NumCq;

		CHECK(dut_.cqe_o == cqe_next_ && dut_.dma_error_o == error_next_, "cqe_o is %d, dma_error_o is %d", dut_.cqe_o,
		      dut_.dma_error_o);
		cqe_next_ = error_next_ = false;
		CHECK((!wr_new && !rd_new && !dut_.overrun_o) || has_request_, "an effect of no request");
		if (wr_new)
			see_place(rd_new);
		else if (rd_new)
			see_own_read(own);
		else if (dut_.overrun_o)
			see_loss();
		else if (has_request_ && dut_.in_ready_o && !ended_)
			CHECK(!cqs_[request_.cqn].enabled, "an entry vanishes");
		if (dut_.in_ready_o || dut_.overrun_o)
			has_request_ = false;
		ended_ = dut_.overrun_o;
	}
	bool ended_ = false;

	void see_place(bool rd_new)
	{
		Cq &cq = cqs_[request_.cqn];
		tally_cqe cqe = request_.cqe;
		uint64_t slot = cq.written % cq.depth();

		CHECK(cq.enabled && !cq.failed && cq.has_room(), "an entry of CQ %u has no place", request_.cqn);
		cqe.timestamp = was_now_;
		cqe.elapsed = request_.rung ? std::min<uint64_t>(was_now_ - request_.rung_at, UINT32_MAX) : 0;
		cqe.owner = model_owner(cq.written, cq.depth());
		CHECK(!std::memcmp(&dut_.wr_data_o, &cqe, sizeof(cqe)), "wrong entry");
		CHECK(dut_.wr_start_o == cq.first + 64 * slot, "entry %llu is at %llx", (unsigned long long)slot,
		      (unsigned long long)(dut_.wr_start_o - cq.first));
		check_ring(dut_.wr_ring_o, cq);
		cq.written++;
		cq.busy++;
		writes_.push_back({ request_.cqn, request_.solicited || cqe.status != TALLY_WC_SUCCESS });
		placed++;
		first_write = first_write ? first_write : bench_.cycle();
		tried_ = false;
		// The rule of find_room() in sim/nic/cq.c.
		bool ahead = cq.written - cq.consumed > cq.depth() / 2 && !cq.reading;

		CHECK(rd_new == ahead, "the record is%s read in advance", ahead ? " not" : "");
		if (rd_new)
			see_read(request_.cqn, false);
	}

	void see_own_read(bool own)
	{
		Cq &cq = cqs_[request_.cqn];

		CHECK(own && cq.enabled && !cq.failed && !cq.has_room() && !tried_ && !waits_, "a read without a reason");
		see_read(request_.cqn, true);
	}

	void see_read(unsigned int cqn, bool own)
	{
		Cq &cq = cqs_[cqn];

		CHECK(dut_.rd_tag_o == own * NumCq + cqn, "the read has tag %d", dut_.rd_tag_o);
		CHECK(dut_.rd_start_o == cq.first + 64 * cq.depth(), "the record is read at %llx",
		      (unsigned long long)(dut_.rd_start_o - cq.first));
		check_ring(dut_.rd_ring_o, cq);
		reads_.push_back({ cqn, own });
		(own ? waits_ : cq.reading) = true;
		(own ? own_reads : reads_ahead)++;
	}

	void see_loss()
	{
		const Cq &cq = cqs_[request_.cqn];

		CHECK(cq.enabled && (cq.failed || (!cq.has_room() && tried_)), "an entry of CQ %u is lost", request_.cqn);
		fail(request_.cqn);
		lost++;
		tried_ = false;
	}

	static void check_ring(const VlWide<3> &ring, const Cq &cq)
	{
		uint64_t low = ring[0] | uint64_t(ring[1]) << 32;

		CHECK(low == cq.ring_low && ring[2] == cq.ring_high, "the ring of another CQ");
	}

	void take_request()
	{
		if (!dut_.in_valid_i || !dut_.in_ready_o)
			return;
		CHECK(!has_request_, "a request is taken while another one waits");
		request_ = request_next_;
		has_request_ = true;
		tried_ = waits_ = offered_ = false;
	}

	void take_wr()
	{
		wr_offered_ = dut_.wr_valid_o && !dut_.wr_ready_i;
		if (!dut_.wr_valid_o || !dut_.wr_ready_i)
			return;
		const Write &w = writes_[answers_.size()];

		answers_.push_back(error_one_in && rng_.one_in(error_one_in));
		cqs_[w.cqn].in_memory++;
	}

	void take_rd()
	{
		rd_offered_ = dut_.rd_valid_o && !dut_.rd_ready_i;
		rd_taken_ += dut_.rd_valid_o && dut_.rd_ready_i;
	}

	void take_done()
	{
		if (!dut_.done_valid_i || !dut_.done_ready_o)
			return;
		Write w = writes_.front();
		Cq &cq = cqs_[w.cqn];

		writes_.pop_front();
		answers_.pop_front();
		done_offered_ = false;
		cq.busy--;
		error_next_ = dut_.done_error_i;
		if (dut_.done_error_i) {
			fail(w.cqn);
			cq.broken = true;
		}
		cqe_next_ = !cq.broken;
		if (cq.broken)
			return;
		cq.produced++;
		if (w.solicited)
			cq.solicited_end = cq.produced;
		raise_if_due(w.cqn);
	}

	void take_record()
	{
		if (!dut_.rsp_valid_i || !dut_.rsp_ready_o)
			return;
		Read r = reads_.front();
		Cq &cq = cqs_[r.cqn];

		reads_.pop_front();
		rd_taken_--;
		rsp_offered_ = false;
		if (!r.own)
			cq.reading = false;
		error_next_ = dut_.rsp_error_i;
		if (r.own) {
			waits_ = false;
			tried_ = true;
		}
		if (!dut_.rsp_error_i)
			cq.consumed = model_consumed(cq.consumed, cq.written, dut_.rsp_count_i);
	}

	void take_doorbell()
	{
		if (!dut_.db_valid_i || !dut_.db_ready_o)
			return;
		Cq &cq = cqs_[dut_.db_cqn_i];

		db_offered_ = false;
		if (!cq.enabled)
			return;
		if (dut_.db_counts_i)
			cq.consumed = model_consumed(cq.consumed, cq.written, dut_.db_count_i);
		if (dut_.db_arms_i && dut_.db_arm_i > cq.arm_word) {
			cq.arm_word = dut_.db_arm_i;
			cq.armed = std::max(cq.armed, dut_.db_arm_i & TALLY_CQ_ARM_SOLICITED ? solicited : any);
		}
		raise_if_due(dut_.db_cqn_i);
	}

	void take_event()
	{
		if (!dut_.event_valid_o || !dut_.event_ready_i)
			return;
		CHECK(!due_.empty(), "an event that is not due");
		Event e = due_.front();

		due_.pop_front();
		CHECK(dut_.event_type_o == e.type && dut_.event_cqn_o == e.cqn && dut_.event_eqn_o == e.eqn,
		      "event %d of CQ %d for EQ %d instead of %u of %u for %u", dut_.event_type_o, dut_.event_cqn_o,
		      dut_.event_eqn_o, e.type, e.cqn, e.eqn);
		events++;
		errors += e.type == TALLY_EQE_CQ_ERROR;
	}

	void take_cfg()
	{
		if (!dut_.cfg_valid_i || !dut_.cfg_ready_o)
			return;
		Cq &cq = cqs_[dut_.cfg_cqn_i];

		CHECK(!cq.busy && !cq.reading, "a CQ is configured amid its accesses");
		CHECK(due_.empty(), "a CQ is configured while an event waits");
		if (has_request_ && request_.cqn == dut_.cfg_cqn_i) {
			CHECK(!waits_, "a CQ is configured while its record is read");
			forgotten += tried_;
			has_request_ = false;
		}
		cq = Cq();
		cq.enabled = dut_.cfg_enable_i;
		cq.log_depth = dut_.cfg_log_depth_i;
		cq.ring_low = dut_.cfg_ring_i[0] | uint64_t(dut_.cfg_ring_i[1]) << 32;
		cq.ring_high = dut_.cfg_ring_i[2];
		cq.first = dut_.cfg_first_i;
		cq.eqn = dut_.cfg_eqn_i;
		cfg_offered_ = false;
	}
};

// One CQ without stalls: the clocks of an entry.
static void measure(tally::Bench<Vdut> &bench, World &world)
{
	world.restart();
	world.stalls = false;
	world.consume_one_in = 1;
	world.one_cq = true;
	world.enable(4);
	world.first_request = world.first_write = 0;
	while (!world.first_write)
		world.cycle();
	CHECK(world.first_write - world.first_request == 3, "an entry is offered after %llu clocks",
	      (unsigned long long)(world.first_write - world.first_request));
	uint64_t before = bench.cycle();
	for (world.placed = 0; world.placed < 200;)
		world.cycle();
	// The record is read now and then.
	CHECK(bench.cycle() - before <= 200 * 9 + 20, "200 entries take %llu clocks", (unsigned long long)(bench.cycle() - before));
	world.finish();
	world.one_cq = false;
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("cqe_writer", argc, argv);
	World world(bench);
	uint64_t left = 0, run = 0;

	measure(bench, world);
	bench.live(bench.times(80000), [&] { world.restart(); },
		   [&] {
			   if (!left) {
				   world.finish();
				   world.consume_one_in = run % 2 ? 2 : 12;
				   world.error_one_in = run % 3 == 2 ? 300 : 0;
				   world.bad_record_one_in = run % 3 == 1 ? 2 : 20;
				   world.stalls = run % 4 != 3;
				   world.now_step = run % 2 ? 10 : 1 << 20;
				   run++;
				   left = 4000;
			   }
			   left--;
			   world.cycle();
		   });
	world.finish();
	CHECK(world.errors > 20 && world.lost > 20 && world.events > 500 && world.placed > 2000 && world.own_reads > 50 &&
		      world.reads_ahead > 100 && world.forgotten,
	      "%llu errors, %llu lost, %llu events, %llu placed, %llu own reads, %llu in advance, %llu forgotten",
	      (unsigned long long)world.errors, (unsigned long long)world.lost, (unsigned long long)world.events,
	      (unsigned long long)world.placed, (unsigned long long)world.own_reads, (unsigned long long)world.reads_ahead,
	      (unsigned long long)world.forgotten);
	return bench.finish();
}
