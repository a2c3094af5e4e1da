// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_cqe_dma: consumers that know nothing but host memory find each completion once, in its order, in rings of
// every depth with and without page lists. Some consumers are slow, some lists lead nowhere. The memory answers reads in
// any order, and refuses what is no memory. CQs are destroyed and created meanwhile, and resets come amid all of it.
#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "cqe_writer_model.h"
#include "mr_host.h"
#include "quiet.h"

enum Arm { none, solicited, any };

struct Completion {
	tally_cqe cqe;
	bool solicited, rung;
	uint64_t rung_at;
};

struct Cq {
	bool enabled = false, failed = false, may_fail = false;
	unsigned int log_depth = 0, eqn = 0, levels = 0;
	uint64_t root = 0, first = 0;
	uint64_t pages[2] = {};		  // of the ring, in memory
	uint64_t named[2] = {};		  // what the list says they are; 0: nothing
	uint64_t full_at = 0;		  // when its record was read, and there was no room for the newest entry
	std::vector<Completion> accepted; // all
	uint64_t read = 0, record = 0, solicited_end = 0, armed_at = 0;
	Arm armed = none;

	uint64_t depth() const { return 1ull << log_depth; }

	// Address of entry `slot`, or of the record behind the last one.
	uint64_t at(uint64_t slot) const
	{
		uint64_t place = first % page_size + 64 * slot;

		return pages[place / page_size] + place % page_size;
	}

	// Whether its list says that an entry is there.
	bool names(uint64_t addr) const
	{
		for (uint64_t slot = 0; slot < depth(); slot++) {
			uint64_t place = first % page_size + 64 * slot, page = named[place / page_size];

			if (page && page + place % page_size == addr)
				return true;
		}
		return false;
	}
};

struct Burst {
	unsigned int id;
	uint64_t addr;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench)
		: bench_(bench), rng_(bench.rng), dut_(*bench.dut), host_(bench.rng)
	{
	}

	bool stalls = true, requests = true;
	unsigned int consume_one_in = 2;
	uint64_t found = 0, events = 0, errors = 0, created = 0, overtakes = 0, refused = 0, first_request = 0, first_write = 0;

	void restart()
	{
		dut_.cfg_valid_i = dut_.db_valid_i = dut_.in_valid_i = dut_.awready_i = dut_.wready_i = 0;
		dut_.bvalid_i = dut_.arready_i = dut_.rvalid_i = dut_.event_ready_i = 0;
		for (Cq &cq : cqs_)
			cq = Cq();
		addresses_.clear();
		data_.clear();
		answers_.clear();
		reads_.clear();
		offered_ = b_offered_ = cfg_offered_ = db_offered_ = false;
		written_ = counted_ = failed_ = told_ = 0;
		quiet_.restart();
		bench_.reset();
	}

	void cycle()
	{
		dut_.now_i = now_ += rng_.below(10);
		consume();
		offer_request();
		offer_cfg();
		offer_doorbell();
		dut_.awready_i = go(aw_);
		dut_.wready_i = go(w_);
		dut_.arready_i = go(ar_);
		dut_.event_ready_i = go(events_);
		offer_b();
		size_t from = offer_r();
		bench_.settle();
		quiet_.look(dut_.busy_o, dut_.cfg_valid_i || dut_.db_valid_i || dut_.in_valid_i || dut_.bvalid_i || dut_.rvalid_i,
			    dut_.awvalid_o || dut_.wvalid_o || dut_.arvalid_o || dut_.event_valid_o);
		counted_ += dut_.cqe_o;
		CHECK(counted_ <= written_, "an entry counts that is not in memory");
		told_ += dut_.dma_error_o;
		take_event();
		take_cfg();
		take_doorbell();
		take_write();
		take_reads(from);
		take_request();
		bench_.tick();
	}

	void finish()
	{
		unsigned int before = consume_one_in;

		requests = false;
		consume_one_in = 1;
		for (unsigned int i = 0; i < 4000; i++)
			cycle();
		CHECK(!offered_ && !cfg_offered_ && !db_offered_ && reads_.empty(), "something waits for ever");
		CHECK(told_ == failed_, "%llu accesses have failed, not %llu", (unsigned long long)told_, (unsigned long long)failed_);
		for (unsigned int c = 0; c < NumCq; c++)
			check_quiet(cqs_[c], c);
		for (unsigned int c = 0; c < NumCq && rng_.one_in(2); c++)
			destroy(c);
		consume_one_in = before;
		requests = true;
	}

	// Nothing of the CQ is outstanding, so it can be destroyed.
	void destroy(unsigned int cqn)
	{
		if (!cqs_[cqn].enabled)
			return;
		offer_this_cfg(cqn, false);
		for (unsigned int i = 0; i < 100 && cfg_offered_; i++)
			cycle();
		CHECK(!cfg_offered_, "CQ %u waits for ever", cqn);
	}

	// Creates CQ 0 without a list, and writes one entry, for which no record is read.
	void measure()
	{
		restart();
		stalls = requests = false;
		while (!cqs_[0].enabled || cqs_[0].levels || cqs_[0].log_depth < 2) {
			if (!cfg_offered_)
				offer_this_cfg(0, !cqs_[0].enabled);
			cycle();
		}
		only_ = true;
		requests = true;
		while (!first_write)
			cycle();
		requests = false;
		silent_ = true;	// the memory does not answer
		for (unsigned int i = 0; i < 50; i++)
			cycle();
		CHECK(!dut_.busy_o, "busy_o while the memory is due");
		only_ = silent_ = false;
		requests = stalls = true;
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Host host_;
	std::array<Cq, NumCq> cqs_;
	std::deque<uint64_t> addresses_;
	std::deque<std::array<uint8_t, 64>> data_;
	std::deque<bool> answers_; // true: an error
	std::vector<Burst> reads_;
	Completion next_;
	Cq new_;
	bool offered_ = false, b_offered_ = false, cfg_offered_ = false, db_offered_ = false, only_ = false;
	uint64_t now_ = 0, written_ = 0, counted_ = 0; // entries: answered, and counted by the block
	uint64_t failed_ = 0, told_ = 0; // accesses that have failed, and what the block says of these
	uint64_t arm_requests_ = 0;
	tally::Throttle in_{ rng_ }, aw_{ rng_ }, w_{ rng_ }, b_{ rng_ }, ar_{ rng_ }, r_{ rng_ }, events_{ rng_ };

	bool silent_ = false;
	Quiet quiet_;

	bool go(tally::Throttle &throttle) { return !stalls || throttle.go(); }
	uint8_t *memory(uint64_t addr) { return host_.model()->memory + (addr - host_.model()->base); }

	// ---- The driver ----

	// A ring in memory of its own, with a list if it has levels. Its entries and its record are zero.
	void make_ring(Cq &cq, unsigned int cqn)
	{
		uint64_t zone = host_.model()->base + gib + cqn * 64 * page_size, offset = rng_.below(page_size / 64) * 64;

		std::memset(memory(zone), 0, 64 * page_size);
		cq.levels = rng_.below(TALLY_MEM_LEVELS + 1);
		cq.log_depth = rng_.below(__builtin_ctz(MaxDepth) + 1);
		cq.eqn = rng_.below(TALLY_MAX_EQ);
		for (unsigned int i = 0; i < 2; i++)
			cq.pages[i] = zone + (cq.levels ? 8 + i + rng_.below(16) * 2 : 8 + i) * page_size;
		cq.first = cq.levels ? offset : cq.pages[0] + offset;
		std::copy(cq.pages, cq.pages + 2, cq.named);
		cq.root = cq.levels ? zone + (cq.levels - 1) * page_size : cq.first;
		for (unsigned int level = 1; level <= cq.levels; level++)
			make_table(cq, zone, level);
	}

	// Both entries of a table are no pages, or each may be one without memory.
	void make_table(Cq &cq, uint64_t zone, unsigned int level)
	{
		const bool astray = rng_.one_in(6);

		for (unsigned int i = 0; i < 2; i++) {
			uint64_t entry = level > 1 ? zone + (level - 2) * page_size : cq.pages[i];

			if (astray || rng_.one_in(10)) {
				entry = astray ? entry + 8 : host_.model()->hole;
				cq.may_fail = true;
				if (level == 1)
					cq.named[i] = astray ? 0 : entry;
				else if (!i)	// all tables above have one entry for both
					cq.named[0] = cq.named[1] = 0;
			}
			std::memcpy(memory(zone + (level - 1) * page_size + 8 * i), &entry, sizeof(entry));
		}
	}

	void offer_this_cfg(unsigned int cqn, bool enable)
	{
		new_ = Cq();
		new_.enabled = enable;
		if (enable)
			make_ring(new_, cqn);
		cfg_offered_ = true;
		dut_.cfg_cqn_i = cqn;
		dut_.cfg_enable_i = enable;
		dut_.cfg_first_i = new_.first;
		dut_.cfg_log_depth_i = new_.log_depth;
		dut_.cfg_eqn_i = new_.eqn;
		// {addr, levels, shift}, 71 bits
		dut_.cfg_ring_i[0] = new_.root << 7 | new_.levels << 5;
		dut_.cfg_ring_i[1] = new_.root >> 25;
		dut_.cfg_ring_i[2] = new_.root >> 57;
	}

	void offer_cfg()
	{
		unsigned int cqn = rng_.below(NumCq);
		const Cq &cq = cqs_[cqn];

		if (!cfg_offered_ && requests && !only_ && !(offered_ && dut_.in_cqn_i == cqn) &&
		    rng_.one_in(cq.enabled ? cq.failed ? 10 : 3000 : 4))
			offer_this_cfg(cqn, !cq.enabled);
		dut_.cfg_valid_i = cfg_offered_;
	}

	void take_cfg()
	{
		if (!dut_.cfg_valid_i || !dut_.cfg_ready_o)
			return;
		cqs_[dut_.cfg_cqn_i] = new_;
		created += new_.enabled;
		cfg_offered_ = false;
	}

	// ---- The consumers ----

	void consume()
	{
		Cq &cq = cqs_[rng_.below(NumCq)];

		if (!cq.enabled || !rng_.one_in(consume_one_in))
			return;
		while (cq.read < cq.accepted.size() && poll(cq))
			;
		if (rng_.one_in(2)) {
			cq.record = cq.read;
			std::memcpy(memory(cq.at(cq.depth())), &cq.record, sizeof(cq.record));
		}
	}

	bool poll(Cq &cq)
	{
		tally_cqe cqe, expected = cq.accepted[cq.read].cqe;
		const Completion &c = cq.accepted[cq.read];

		std::memcpy(&cqe, memory(cq.at(cq.read % cq.depth())), sizeof(cqe));
		if (cqe.owner != model_owner(cq.read, cq.depth()))
			return false;
		// The owner of an entry of the round before is that of no round.
		expected.owner = cqe.owner;
		expected.timestamp = cqe.timestamp;
		expected.elapsed = c.rung ? std::min<uint64_t>(cqe.timestamp - c.rung_at, UINT32_MAX) : 0;
		CHECK(cqe.timestamp <= now_ && cqe.timestamp + 100000 > now_, "an entry of another time");
		CHECK(!std::memcmp(&cqe, &expected, sizeof(cqe)), "entry %llu is wrong", (unsigned long long)cq.read);
		cq.read++;
		found++;
		if (c.solicited)
			cq.solicited_end = cq.read;
		return true;
	}

	void check_quiet(const Cq &cq, unsigned int cqn)
	{
		if (!cq.enabled || cq.failed)
			return;
		CHECK(cq.read == cq.accepted.size(), "CQ %u: %llu of %zu entries come", cqn, (unsigned long long)cq.read,
		      cq.accepted.size());
		uint64_t end = cq.armed == any ? cq.read : cq.solicited_end;
		// Entries that the consumer has told to have read need none.
		CHECK(cq.armed == none || end <= std::max(cq.armed_at, cq.record), "an event of CQ %u never comes", cqn);
	}

	void offer_doorbell()
	{
		unsigned int cqn = rng_.below(NumCq);

		if (!db_offered_ && requests && !only_ && rng_.one_in(6)) {
			db_offered_ = true;
			dut_.db_cqn_i = cqn;
			dut_.db_count_i = cqs_[cqn].read;
			dut_.db_counts_i = dut_.db_arms_i = 1;
			dut_.db_arm_i = ++arm_requests_ << TALLY_CQ_ARM_SHIFT | (rng_.one_in(2) ? TALLY_CQ_ARM_SOLICITED : 0);
		}
		dut_.db_valid_i = db_offered_;
	}

	void take_doorbell()
	{
		if (!dut_.db_valid_i || !dut_.db_ready_o)
			return;
		Cq &cq = cqs_[dut_.db_cqn_i];

		db_offered_ = false;
		if (!cq.enabled)
			return;
		cq.armed = std::max(cq.armed, dut_.db_arm_i & TALLY_CQ_ARM_SOLICITED ? solicited : any);
		cq.armed_at = std::max<uint64_t>(cq.armed_at, dut_.db_count_i);
	}

	void take_event()
	{
		if (!dut_.event_valid_o || !dut_.event_ready_i)
			return;
		Cq &cq = cqs_[dut_.event_cqn_o];

		events++;
		CHECK(cq.enabled && cq.eqn == dut_.event_eqn_o, "an event of a CQ that is gone");
		if (dut_.event_type_o == TALLY_EQE_CQ_ERROR) {
			CHECK(cq.may_fail || bench_.cycle() - cq.full_at < 1000, "CQ %d fails without a reason", dut_.event_cqn_o);
			cq.failed = true;
			errors++;
		} else {
			cq.armed = none;
		}
	}

	// ---- The engine ----

	void offer_request()
	{
		unsigned int cqn = only_ ? 0 : rng_.below(NumCq);

		if (!offered_ && requests && go(in_) && !(cfg_offered_ && dut_.cfg_cqn_i == cqn)) {
			rng_.fill(&next_.cqe, sizeof(next_.cqe));
			if (!rng_.one_in(4))
				next_.cqe.status = TALLY_WC_SUCCESS;
			next_.solicited = rng_.one_in(4);
			next_.rung = rng_.one_in(2);
			next_.rung_at = now_ - rng_.below(1000);
			std::memcpy(&dut_.in_cqe_i, &next_.cqe, sizeof(next_.cqe));
			dut_.in_cqn_i = cqn;
			dut_.in_solicited_i = next_.solicited;
			dut_.in_rung_i = next_.rung;
			dut_.in_rung_at_i = next_.rung_at;
			next_.solicited = next_.solicited || next_.cqe.status != TALLY_WC_SUCCESS;
			offered_ = true;
			first_request = first_request ? first_request : bench_.cycle();
		}
		dut_.in_valid_i = offered_;
	}

	void take_request()
	{
		if (!dut_.in_valid_i || !dut_.in_ready_o)
			return;
		Cq &cq = cqs_[dut_.in_cqn_i];

		offered_ = false;
		if (cq.enabled)
			cq.accepted.push_back(next_);
	}

	// ---- The memory ----

	void offer_b()
	{
		if (!b_offered_ && !silent_ && !answers_.empty() && go(b_)) {
			b_offered_ = true;
			dut_.bresp_i = answers_.front() ? 3 : 0;
		}
		dut_.bvalid_i = b_offered_;
	}

	size_t offer_r()
	{
		size_t from = reads_.empty() ? 0 : rng_.below(reads_.size());

		dut_.rvalid_i = !silent_ && !reads_.empty() && go(r_);
		if (!dut_.rvalid_i)
			return 0;
		const Burst &b = reads_[from];

		fill_with_lies();

		dut_.rid_i = b.id;
		dut_.rresp_i = host_.is_memory(b.addr, 64) ? 0 : 3;
		if (!dut_.rresp_i)
			std::memcpy(&dut_.rdata_i, memory(b.addr), 64);
		refused += dut_.rresp_i != 0;
		tell_record(b.addr);
		return from;
	}

	// An error comes with what would be a page without an entry, or the count of a consumer who has read all.
	void fill_with_lies()
	{
		const Cq &cq = cqs_[rng_.below(NumCq)];
		uint64_t lie = cq.accepted.empty() || rng_.one_in(2) ? host_.model()->base + gib + 60 * page_size : cq.accepted.size() - 1;

		for (unsigned int i = 0; i < 64; i += sizeof(lie))
			std::memcpy(reinterpret_cast<uint8_t *>(&dut_.rdata_i) + i, &lie, sizeof(lie));
	}

	// A CQ may fail if its record says that there is no room for the newest entry.
	void tell_record(uint64_t addr)
	{
		for (Cq &cq : cqs_)
			if (cq.enabled && cq.at(cq.depth()) / 64 == addr / 64 && cq.accepted.size() - cq.record > cq.depth())
				cq.full_at = bench_.cycle();
	}

	// Whether an access fails for what a read has told. Each entry of a list is read for one access; which one it is of its
	// word makes no difference.
	bool read_fails(uint64_t addr)
	{
		const bool of_list = (addr - host_.model()->base - gib) / page_size % 64 < TALLY_MEM_LEVELS;
		uint64_t entry;

		if (!host_.is_memory(addr, 64))
			return true;
		std::memcpy(&entry, memory(addr), sizeof(entry));
		return of_list && entry % page_size;
	}

	void take_reads(size_t from)
	{
		if (dut_.rvalid_i && dut_.rready_o) {
			failed_ += read_fails(reads_[from].addr);
			overtakes += from != 0;
			reads_.erase(reads_.begin() + from);
		}
		if (!dut_.arvalid_o || !dut_.arready_i)
			return;
		CHECK(dut_.arlen_o == 0, "a read of %d words", dut_.arlen_o + 1);
		for (const Cq &cq : cqs_)
			for (uint64_t slot = 0; cq.enabled && slot < cq.depth(); slot++)
				CHECK(dut_.araddr_o != cq.at(slot), "entry %llu is read", (unsigned long long)slot);
		reads_.push_back({ dut_.arid_o, dut_.araddr_o });
	}

	void take_write()
	{
		if (dut_.bvalid_i && dut_.bready_o) {
			written_ += !answers_.front();
			failed_ += answers_.front();
			answers_.pop_front();
			b_offered_ = false;
		}
		if (dut_.awvalid_o && dut_.awready_i) {
			CHECK(dut_.awlen_o == 0, "a write of %d words", dut_.awlen_o + 1);
			addresses_.push_back(dut_.awaddr_o);
			first_write = first_write ? first_write : bench_.cycle();
		}
		if (dut_.wvalid_o && dut_.wready_i) {
			CHECK(dut_.wstrb_o == ~0ull && dut_.wlast_o, "a word has strobes %llx", (unsigned long long)dut_.wstrb_o);
			data_.emplace_back();
			std::memcpy(data_.back().data(), &dut_.wdata_o, 64);
		}
		while (!addresses_.empty() && !data_.empty())
			write();
	}

	void write()
	{
		uint64_t addr = addresses_.front();
		bool there = host_.is_memory(addr, 64);

		answers_.push_back(!there);
		CHECK(std::any_of(cqs_.begin(), cqs_.end(), [=](const Cq &cq) { return cq.enabled && cq.names(addr); }),
		      "a write to %llx, which is no entry", (unsigned long long)addr);
		if (there)
			std::memcpy(memory(addr), data_.front().data(), 64);
		refused += !there;
		addresses_.pop_front();
		data_.pop_front();
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("cqe_dma", argc, argv);
	World world(bench);
	uint64_t left = 0, run = 0;

	world.measure();
	CHECK(world.first_write - world.first_request == 5, "AW comes after %llu clocks",
	      (unsigned long long)(world.first_write - world.first_request));
	bench.live(bench.times(300000), [&] { world.restart(); },
		   [&] {
			   if (!left) {
				   world.finish();
				   world.consume_one_in = run % 3 == 2 ? 30 : 1;
				   world.stalls = run % 4 != 3;
				   run++;
				   left = 6000;
			   }
			   left--;
			   world.cycle();
		   });
	world.finish();
	CHECK(world.found > 1500 && world.events > 200 && world.errors > 20 && world.created > 50 && world.overtakes && world.refused > 10,
	      "%llu found, %llu events, %llu errors, %llu created, %llu overtakes, %llu refused", (unsigned long long)world.found,
	      (unsigned long long)world.events, (unsigned long long)world.errors, (unsigned long long)world.created,
	      (unsigned long long)world.overtakes, (unsigned long long)world.refused);
	return bench.finish();
}
