// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_push: producers on all UARs write lines and doorbells, well and badly, in any interleaving. A scoreboard
// repeats the rules of the block's header. sim/nic/push.c sees the same stores: whatever the block takes as pushed, the
// model takes, too, with the same bytes, and where nothing went wrong the block takes all that the model takes.
#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "gen/tally_hw.h"
#include "push_model.h"
#include "tally-push.h"

enum { SLOT_PUSH, SLOT_PLAIN, SLOT_CQ, SLOT_NONE, NUM_SLOTS };

struct Store {
	uint32_t offset;
	uint8_t data[64];
	uint64_t strb;
};

struct Half {
	bool open = false;
	uint64_t count = 0, lines = 0;
	unsigned int used = 0;
	bool doubtful = false; // what the model may take, and the block does not
};

struct Producer {
	uint64_t count = 0, highest = 0; // of the push slot: posted, and highest doorbell
	std::deque<Store> stores;
	unsigned int stride = 0;
	bool pushes = false;
	Half half[2];
};

struct Doorbell {
	bool cq, counts, arms, pushed;
	unsigned int object;
	uint64_t count, arm;
	std::vector<uint8_t> request;
};

struct Answer {
	unsigned int id, resp;
};

static unsigned int object_of(unsigned int uar, unsigned int slot)
{
	return uar * NUM_SLOTS + slot + 3;
}

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	bool faults = false, stalls = true, hoards = false;
	uint64_t pushed = 0, fetched = 0, full = 0, errors = 0;

	void begin()
	{
		dut_.awvalid_i = dut_.wvalid_i = dut_.bready_i = dut_.cfg_valid_i = dut_.db_ready_i = 0;
		dut_.free_valid_i = dut_.take_valid_i = dut_.word_ready_i = 0;
		bench_.reset();
		for (unsigned int uar = 0; uar < Uars; uar++)
			for (unsigned int slot = 0; slot < SLOT_NONE; slot++)
				configure(uar, slot, true);
	}

	// Binds a slot, or unbinds it. If it has the push buffer, nothing of the UAR may be on its way.
	void configure(unsigned int uar, unsigned int slot, bool bound)
	{
		Producer &p = producers_[uar];

		dut_.cfg_valid_i = 1;
		dut_.cfg_uar_i = uar;
		dut_.cfg_slot_i = slot;
		dut_.cfg_bound_i = bound;
		dut_.cfg_cq_i = slot == SLOT_CQ;
		dut_.cfg_object_i = object_of(uar, slot);
		dut_.cfg_push_i = slot == SLOT_PUSH;
		if (slot == SLOT_PUSH) {
			p.stride = TALLY_MIN_WQE_SIZE << rng_.below(6);
			p.pushes = bound;
			for (Half &h : p.half) {
				held_ -= h.open;
				h = Half();
			}
			model_bind(uar, slot, bound ? p.stride : 0);
		}
		bound_[uar][slot] = bound;
		dut_.cfg_stride_i = p.stride / 16;
		for (bool taken = false; !taken;) {
			cycle_begin();
			taken = dut_.cfg_ready_o;
			CHECK(!taken || !dut_.db_valid_o, "a command passes a doorbell");
			cycle_end();
		}
		dut_.cfg_valid_i = 0;
	}

	void cycle()
	{
		cycle_begin();
		cycle_end();
	}

	void produce()
	{
		unsigned int uar = rng_.below(Uars);

		if (producers_[uar].stores.size() < 4)
			post(uar);
	}

	void settle_down()
	{
		for (unsigned int i = 0; i < 4000 && !(idle() && i > 8); i++)
			cycle();
		CHECK(idle(), "something does not leave");
	}

	void change_some()
	{
		unsigned int uar = rng_.below(Uars), slot = rng_.below(SLOT_NONE);

		// What binds the push buffer anew gives back its buffers, so nothing may be on its way.
		if (slot == SLOT_PUSH || rng_.one_in(2))
			settle_down();
		configure(uar, slot, !bound_[uar][slot] || rng_.one_in(2));
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Producer producers_[Uars];
	bool bound_[Uars][NUM_SLOTS] = {};
	tally::Throttle aw_{ rng_ }, b_{ rng_ }, db_{ rng_ }, word_{ rng_ };
	// the burst that is offered
	std::vector<Store> burst_;
	unsigned int burst_at_ = 0, burst_id_ = 0, burst_resp_ = 0;
	bool burst_wrong_ = false;
	std::deque<Answer> answers_;
	std::deque<Doorbell> doorbells_;
	struct Held {
		unsigned int buffer;
		std::vector<uint8_t> request;
	};
	std::deque<Held> buffers_; // handed over, not read
	Held reading_;
	size_t read_ = 0;
	bool reads_ = false;
	unsigned int held_ = 0, freed_lately_ = 0; // buffers in use
	Half *line_of_last_ = nullptr;
	Half before_last_;

	bool go(tally::Throttle &t) { return !stalls || t.go(); }
	bool idle() const
	{
		for (const Producer &p : producers_)
			if (!p.stores.empty())
				return false;
		return burst_.empty() && answers_.empty() && doorbells_.empty() && !reads_ && (hoards || buffers_.empty());
	}

	// ---- Producers ----
	void store(Producer &p, uint32_t offset, const void *data, uint64_t strb = ~0ull)
	{
		Store s = { offset, {}, strb };

		std::memcpy(s.data, data, 64);
		p.stores.push_back(s);
	}

	void ring(unsigned int uar, unsigned int slot, uint64_t count)
	{
		struct tally_uar_slot s;
		uint64_t strb = 0xff;

		rng_.fill(&s, sizeof(s));
		s.counter = count;
		if (slot == SLOT_CQ)
			strb = rng_.one_in(3) ? 0xff : rng_.one_in(2) ? 0xffff : 0xff00;
		if (faults && rng_.one_in(20))
			strb &= ~(1ull << rng_.below(16));
		else if (rng_.one_in(10))
			strb |= ~0xffull; // a whole line
		store(producers_[uar], TALLY_BAR_UAR_OFFSET + uar * 4096 + slot * 64, &s, strb);
	}

	std::vector<uint8_t> request(const Producer &p)
	{
		size_t room = std::min<size_t>(p.stride ? p.stride : 256, TALLY_PUSH_LINES * 56);
		tally_wqe w;
		std::vector<uint8_t> bytes;

		rng_.fill(&w, sizeof(w));
		w.inline_len = rng_.one_in(2) ? 0 : rng_.below(room - 127);
		if (rng_.one_in(40))
			w.inline_len = 1u << rng_.below(32);
		w.num_gather = rng_.one_in(30) ? rng_.next() : rng_.below(4);
		w.num_result = rng_.one_in(30) ? rng_.next() : rng_.below(4);
		bytes.resize(std::min<uint64_t>(128 + (w.inline_len + 15ull) / 16 * 16 + 16 * (w.num_gather + w.num_result),
						TALLY_PUSH_LINES * 56));
		rng_.fill(bytes.data(), bytes.size());
		std::memcpy(bytes.data(), &w, sizeof(w));
		return bytes;
	}

	void lines(unsigned int uar, uint64_t count, unsigned int half)
	{
		Producer &p = producers_[uar];
		std::vector<uint8_t> bytes = request(p);
		std::vector<unsigned int> order;

		for (unsigned int i = 0; i < tally_push_lines(bytes.size()); i++)
			order.push_back(i);
		if (rng_.one_in(2))
			for (unsigned int i = order.size(); i > 1; i--)
				std::swap(order[i - 1], order[rng_.below(i)]);
		if (faults && rng_.one_in(10))
			order.erase(order.begin() + rng_.below(order.size()));
		if (rng_.one_in(10))
			order.push_back(order[rng_.below(order.size())]);
		for (unsigned int i : order) {
			struct tally_push_line line;
			uint32_t offset = TALLY_BAR_PUSH_OFFSET + uar * TALLY_PUSH_SIZE + (half * TALLY_PUSH_LINES + i) * 64;

			rng_.fill(&line, sizeof(line));
			std::memcpy(line.data, bytes.data() + i * 56, std::min<size_t>(56, bytes.size() - i * 56));
			line.posted = count;
			if (faults && rng_.one_in(40))
				line.posted -= 2 * rng_.below(2);
			if (faults && rng_.one_in(40)) { // torn in two
				uint64_t strb = rng_.one_in(2) ? ~(1ull << rng_.below(64)) : rng_.next() >> rng_.below(64);

				store(p, offset, &line, strb);
				if (rng_.one_in(2))
					store(p, offset, &line, ~strb);
				if (rng_.one_in(2))
					store(p, offset, &line);
			} else {
				store(p, offset, &line);
			}
		}
	}

	// Some bytes of a line that may have been written.
	void spoil_line(unsigned int uar, unsigned int half)
	{
		struct tally_push_line line;

		rng_.fill(&line, sizeof(line));
		store(producers_[uar], TALLY_BAR_PUSH_OFFSET + uar * TALLY_PUSH_SIZE + (half * TALLY_PUSH_LINES + rng_.below(4)) * 64, &line,
		      1ull << rng_.below(64));
	}

	void post(unsigned int uar)
	{
		Producer &p = producers_[uar];

		switch (rng_.below(10)) {
		case 0:
			for (uint64_t left = 1 + rng_.below(6); left; left--)
				ring(uar, SLOT_PLAIN, rng_.one_in(2) ? p.count : rng_.next());
			break;
		case 1:
			ring(uar, SLOT_CQ, rng_.next());
			break;
		case 2: // an address of nobody
			if (!uar && rng_.one_in(2)) { // one behind which there is a slot
				store(p, TALLY_BAR_UAR_OFFSET - 64, &p);
				ring(uar, SLOT_PUSH, p.count);
				break;
			}
			store(p, rng_.one_in(2) ? rng_.below(TALLY_BAR_UAR_OFFSET) & ~63u :
						  TALLY_BAR_UAR_OFFSET + uar * 4096 + (SLOT_NONE + rng_.below(60)) * 64, &p);
			break;
		default:
			p.count += 1 + rng_.one_in(8);
			if (faults && rng_.one_in(100))
				p.count += rng_.next() >> 8;
			if (!rng_.one_in(8))
				lines(uar, p.count, (p.count + (faults && rng_.one_in(20))) % 2);
			if (rng_.one_in(8))
				ring(uar, SLOT_PLAIN, p.count);
			if (faults && rng_.one_in(8))
				spoil_line(uar, p.count % 2);
			if (!faults || !rng_.one_in(20))
				ring(uar, SLOT_PUSH, p.count);
			if (faults && rng_.one_in(20))
				ring(uar, SLOT_PUSH, p.count - rng_.below(3));
			break;
		}
	}

	// ---- The scoreboard ----
	void see_line(const Store &s, unsigned int uar, unsigned int half, unsigned int index)
	{
		Producer &p = producers_[uar];
		Half &h = p.half[half];
		struct tally_push_line line;

		std::memcpy(&line, s.data, 64);
		line_of_last_ = nullptr;
		if (!p.pushes || !s.strb)
			return;
		h.doubtful |= s.strb != ~0ull || line.posted % 2 != half;
		if (s.strb != ~0ull || line.posted % 2 != half) {
			h.lines &= ~(1ull << index);
			return;
		}
		line_of_last_ = &h;
		before_last_ = h;
		if (!h.open || h.count != line.posted) {
			h.doubtful |= h.open;
			held_ += !h.open;
			h.open = true;
			h.count = line.posted;
			h.lines = 0;
		}
		h.lines |= 1ull << index;
		if (!index) {
			tally_wqe w;

			std::memcpy(&w, s.data, 56);
			uint64_t used = 128 + (uint64_t(w.inline_len) + 15) / 16 * 16 + 16 * (w.num_gather + w.num_result);

			h.used = std::min<uint64_t>(used, 100000);
		}
	}

	void see_full()
	{
		CHECK(line_of_last_ && !before_last_.open, "full_o without a reason");
		CHECK(held_ - 1 + freed_lately_ >= Buffers, "full_o while %u buffers are in use", held_ - 1);
		held_--;
		*line_of_last_ = before_last_;
		line_of_last_->doubtful = true;
		full++;
	}

	void see_slot(const Store &s, unsigned int uar, unsigned int slot)
	{
		Producer &p = producers_[uar];
		struct tally_uar_slot w;
		Doorbell d = {};
		uint8_t bytes[TALLY_PUSH_LINES * 56];

		std::memcpy(&w, s.data, 64);
		d.cq = slot == SLOT_CQ;
		d.counts = (s.strb & 0xff) == 0xff;
		d.arms = d.cq && (s.strb & 0xff00) == 0xff00;
		if (slot >= SLOT_NONE || !bound_[uar][slot] || !(d.counts || d.arms))
			return;
		d.object = object_of(uar, slot);
		d.count = w.counter;
		d.arm = w.arm;
		if (slot == SLOT_PUSH && p.pushes) {
			Half &h = p.half[d.count % 2];
			unsigned int need = tally_push_lines(h.used);
			size_t is = model_take(uar, d.count, bytes);

			d.pushed = h.open && h.count == d.count && h.lines & 1 && h.used <= sizeof(bytes) && h.used <= p.stride &&
				   !(~h.lines & (need < 64 ? (1ull << need) - 1 : ~0ull));
			CHECK(!d.pushed || is == h.used, "the model does not take what was pushed");
			CHECK(d.pushed || !is || h.doubtful || d.count <= p.highest, "the model takes what the block does not");
			p.highest = std::max(p.highest, d.count);
			(d.pushed ? pushed : fetched)++;
			if (d.pushed) {
				d.request.assign(bytes, bytes + is);
				h = Half(); // its buffer is still held
			}
		}
		doorbells_.push_back(d);
	}

	// ---- Ports ----
	void choose_burst()
	{
		unsigned int uar = rng_.below(Uars), most = rng_.one_in(3) ? 1 + rng_.below(4) : 1;
		std::deque<Store> &from = producers_[uar].stores;

		while (!from.empty() && burst_.size() < most &&
		       (burst_.empty() || from.front().offset == burst_.back().offset + 64)) {
			burst_.push_back(from.front());
			from.pop_front();
		}
		burst_at_ = burst_resp_ = 0;
		burst_id_ = rng_.below(1 << IdW);
		burst_wrong_ = faults && rng_.one_in(40);
	}

	void offer()
	{
		if (burst_.empty() && go(aw_))
			choose_burst();
		dut_.awvalid_i = !burst_.empty() && !burst_at_;
		dut_.wvalid_i = !burst_.empty();
		if (burst_.empty())
			return;
		dut_.awaddr_i = burst_at_ ? rng_.below(1 << 22) : burst_[0].offset;
		dut_.awid_i = burst_id_;
		dut_.awlen_i = burst_.size() - 1;
		dut_.awsize_i = burst_wrong_ && burst_.size() == 1 ? rng_.below(6) : 6;
		dut_.awburst_i = burst_wrong_ ? 2 * rng_.below(2) : 1;
		std::memcpy(&dut_.wdata_i, burst_[burst_at_].data, 64);
		dut_.wstrb_i = burst_[burst_at_].strb;
		dut_.wlast_i = burst_at_ == burst_.size() - 1;
	}

	void take_beat()
	{
		const Store &s = burst_[burst_at_];
		uint32_t offset = s.offset, uar;
		unsigned int resp = 0;

		if (burst_wrong_) {
			resp = 2;
		} else if (offset >= TALLY_BAR_UAR_OFFSET && offset < TALLY_BAR_UAR_OFFSET + Uars * 4096) {
			model_store(offset, s.data, s.strb);
			uar = (offset - TALLY_BAR_UAR_OFFSET) / 4096;
			see_slot(s, uar, offset % 4096 / 64);
		} else if (offset >= TALLY_BAR_PUSH_OFFSET && offset < TALLY_BAR_PUSH_OFFSET + Uars * TALLY_PUSH_SIZE) {
			model_store(offset, s.data, s.strb);
			uar = (offset - TALLY_BAR_PUSH_OFFSET) / TALLY_PUSH_SIZE;
			see_line(s, uar, offset % TALLY_PUSH_SIZE / 4096, offset % 4096 / 64);
		} else {
			resp = 3;
		}
		burst_resp_ = burst_resp_ ? burst_resp_ : resp;
		if (++burst_at_ < burst_.size())
			return;
		answers_.push_back({ burst_id_, burst_resp_ });
		errors += burst_resp_ != 0;
		burst_.clear();
	}

	void offer_others()
	{
		dut_.bready_i = go(b_);
		dut_.db_ready_i = go(db_);
		dut_.word_ready_i = go(word_);
		dut_.take_valid_i = dut_.free_valid_i = 0;
		if (buffers_.empty() || (hoards && !rng_.one_in(200)))
			return;
		if (rng_.one_in(3)) {
			dut_.free_valid_i = 1;
			dut_.free_buffer_i = buffers_.front().buffer;
		} else if (!reads_ || rng_.one_in(2)) {
			dut_.take_valid_i = 1;
			dut_.take_buffer_i = buffers_.front().buffer;
		}
	}

	void release()
	{
		held_--;
		freed_lately_ += 4; // some clocks; see cycle_end()
	}

	void take_word()
	{
		size_t words = (reading_.request.size() + 63) / 64, here = std::min<size_t>(64, reading_.request.size() - 64 * read_);

		CHECK(reads_, "a word of nobody");
		CHECK(!std::memcmp(&dut_.word_o, reading_.request.data() + 64 * read_, here), "word %zu of %zu is wrong", read_, words);
		CHECK(dut_.word_last_o == (read_ + 1 == words), "word_last_o is %d with word %zu of %zu", dut_.word_last_o, read_, words);
		if (!dut_.word_ready_i || ++read_ < words)
			return;
		reads_ = false;
		release();
	}

	void take_doorbell()
	{
		CHECK(!doorbells_.empty(), "a doorbell of nobody");
		Doorbell d = doorbells_.front();

		CHECK(dut_.db_object_o == d.object && dut_.db_cq_o == d.cq, "doorbell of %d instead of %u", dut_.db_object_o, d.object);
		CHECK(dut_.db_counts_o == d.counts && dut_.db_arms_o == d.arms, "wrong parts of a doorbell");
		CHECK(!d.counts || dut_.db_count_o == d.count, "wrong count");
		CHECK(!d.arms || dut_.db_arm_o == d.arm, "wrong arm word");
		CHECK(dut_.db_pushed_o == d.pushed, "db_pushed_o is %d, count %llu", dut_.db_pushed_o, (unsigned long long)d.count);
		if (!dut_.db_ready_i)
			return;
		doorbells_.pop_front();
		if (d.pushed)
			buffers_.push_back({ dut_.db_buffer_o, d.request });
	}

	void cycle_begin()
	{
		offer();
		offer_others();
		bench_.settle();
		CHECK(dut_.busy_o || !(dut_.bvalid_o || dut_.db_valid_o || dut_.word_valid_o), "an offer without busy_o");
		if (dut_.full_o)
			see_full();
		line_of_last_ = nullptr;
		CHECK(!dut_.awready_o || dut_.wready_o, "an address is taken without data");
		if (dut_.wvalid_i && dut_.wready_o) {
			CHECK((dut_.awvalid_i && dut_.awready_o) == !burst_at_, "a beat is taken without its address");
			take_beat();
		}
		if (dut_.bvalid_o) {
			CHECK(!answers_.empty() && dut_.bid_o == answers_.front().id && dut_.bresp_o == answers_.front().resp,
			      "answer %d instead of %d", dut_.bresp_o, answers_.empty() ? -1 : (int)answers_.front().resp);
			if (dut_.bready_i)
				answers_.pop_front();
		}
		if (dut_.word_valid_o)
			take_word();
		if (dut_.take_valid_i && dut_.take_ready_o) {
			CHECK(!reads_, "a buffer is taken while another one is read");
			reading_ = buffers_.front();
			buffers_.pop_front();
			read_ = 0;
			reads_ = true;
		}
		if (dut_.free_valid_i) {
			buffers_.pop_front();
			release();
		}
		if (dut_.db_valid_o)
			take_doorbell();
	}

	void cycle_end()
	{
		freed_lately_ -= freed_lately_ != 0;
		bench_.tick();
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("push", argc, argv);
	World world(bench);

	world.begin();
	for (uint64_t run = 0, runs = bench.times(16); run < runs; run++) {
		world.faults = run % 2;
		world.stalls = run % 4 < 2;
		world.hoards = run % 8 >= 6;
		for (unsigned int left = 3000; left; left--) {
			world.produce();
			world.cycle();
			if (!world.hoards && bench.rng.one_in(400))
				world.change_some();
		}
		world.hoards = false;
		world.settle_down();
	}
	CHECK(world.pushed > 100 && world.fetched > 100 && world.full && world.errors, "%llu pushed, %llu not, %llu full, %llu errors",
	      (unsigned long long)world.pushed, (unsigned long long)world.fetched, (unsigned long long)world.full,
	      (unsigned long long)world.errors);
	return bench.finish();
}
