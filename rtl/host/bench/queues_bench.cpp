// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_queues: a driver that uses registers, host memory and interrupts, processes that arm their completion queues,
// and an engine that gives completions and events. Each completion and each event is found in memory once, in its order; what
// an event tells is there before it. Processes arm faster than the driver consumes events: those wait, none is lost, and half
// of each event queue is left to the others. An event that waits is not passed by the same others again and again, however often
// these ask. The memory answers writes of different IDs, and reads, in any order. The blocks have benches of their own for
// everything that fails: here, no completion queue is too full, and all memory is there.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "cqe_writer_model.h"
#include "mr_host.h"
#include "quiet.h"
extern "C" {
#include "gen/tally_fw_hw.h"
}

#define REG(field) (TALLY_FW_QUEUE_BASE + offsetof(struct tally_fw_queue, field))

constexpr unsigned int cqs = 4, eqs = 3, zone_pages = 8, eq_log_depth = 4;
// Events of another CQ that may pass one that is due: those on their way when it becomes due, and two of the search.
constexpr unsigned int most_passes = 8;

// A ring in two pages of memory, with a page list or without.
struct Ring {
	unsigned int log_depth = 0, levels = 0, entry = 0;
	uint64_t root = 0, first = 0, pages[2] = {};
	uint64_t read = 0;

	uint64_t depth() const { return 1ull << log_depth; }
	uint64_t at(uint64_t slot) const
	{
		uint64_t place = first % page_size + entry * slot;

		return pages[place / page_size] + place % page_size;
	}
	bool has(uint64_t addr, uint64_t len) const
	{
		for (uint64_t slot = 0; slot < depth(); slot++)
			if (len == entry && at(slot) == addr)
				return true;
		return false;
	}
};

struct Completion {
	tally_cqe cqe;
	bool rung;
	uint64_t rung_at;
};

struct Cq {
	Ring ring;
	unsigned int eqn = 0;
	bool enabled = false, leaving = false;	// leaving: the command is on its way
	bool armed = false, any = false;	// a request has no event since; one is for any completion
	uint64_t armed_at = 0, record = 0, in_memory = 0, solicited_end = 0;
	uint64_t arm_word = 0, arm_taken = 0, arms = 0, events = 0;	// arm_word: written
	std::array<unsigned int, cqs> passed = {};	// events of the others in its EQ while its own was due
	std::vector<Completion> accepted;

	// What the consumer has told to have read needs no event.
	bool is_due() const
	{
		return enabled && armed && (any ? in_memory : solicited_end) > std::max(armed_at, record);
	}
};

struct Eq {
	Ring ring;
	unsigned int vector = 0;
	std::vector<tally_eqe> accepted;
	uint64_t interrupts = 0, told = 0, offered = 0;	// told: consumer's count

	uint64_t used() const { return accepted.size() - told; }	// at least
	bool has_room() const { return used() + offered < ring.depth(); }
};

struct Bell {		// a write to the doorbell slot of a CQ
	unsigned int cqn;
	bool counts, arms;
	uint64_t count, arm;
};

struct Write {		// of a register
	uint32_t reg, value;
	int cqn;	// that the command creates or destroys; -1: none
};

struct Access {
	unsigned int id;
	uint64_t addr;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench)
		: bench_(bench), rng_(bench.rng), dut_(*bench.dut), host_(bench.rng)
	{
	}

	bool stalls = true, requests = true, slow_driver = false;
	bool patient = false;	// nobody asks for an event again before it has come, so one that is lost is missed
	bool floods = false;	// all but CQ 0 ask for events of one EQ without a pause, and the driver takes one at a time
	uint64_t waits = 0, completions = 0, events = 0, of_cqs = 0, created = 0, overtakes = 0;

	void restart()
	{
		dut_.axil_awvalid_i = dut_.axil_wvalid_i = dut_.axil_bready_i = dut_.cpl_valid_i = dut_.evt_valid_i = dut_.bell_valid_i = 0;
		dut_.awready_i = dut_.wready_i = dut_.bvalid_i = dut_.arready_i = dut_.rvalid_i = dut_.irq_ready_i = 0;
		for (Cq &cq : cqs_)
			cq = Cq();
		writes_.clear();
		bells_.clear();
		addresses_.clear();
		reads_.clear();
		for (auto &answers : answers_)
			answers.clear();
		write_offered_ = write_taken_ = cpl_offered_ = evt_offered_ = bell_offered_ = b_offered_ = r_offered_ = false;
		counted_ = 0;
		quiet_.restart();
		bench_.reset();
		for (unsigned int i = 0; i < eqs; i++)
			create_eq(i);
	}

	void cycle()
	{
		dut_.now_ns_i = now_ += rng_.below(10);
		drive();
		offer_register();
		offer_bell();
		offer_completion();
		offer_event();
		offer_memory();
		dut_.irq_ready_i = go(irq_);
		bench_.settle();
		quiet_.look(dut_.busy_o, dut_.axil_awvalid_i || dut_.bell_valid_i || dut_.cpl_valid_i || dut_.evt_valid_i || dut_.bvalid_i || dut_.rvalid_i,
			    dut_.awvalid_o || dut_.wvalid_o || dut_.arvalid_o || dut_.irq_valid_o || dut_.axil_bvalid_o || dut_.told_valid_o);
		CHECK(!dut_.overrun_o && !dut_.dma_error_o && !dut_.fatal_code_o, "something fails");
		counted_ += dut_.cqe_o;
		waits += dut_.waits_o;
		take_told();
		take_event();
		take_irq();
		take_register();
		take_bell();
		take_completion();
		take_memory();
		bench_.tick();
	}

	void finish()
	{
		requests = false;
		for (unsigned int i = 0; i < 6000 && !is_quiet(); i++)
			cycle();
		CHECK(is_quiet(), "%zu registers and %zu reads wait for ever", writes_.size(), reads_.size());
		for (const Cq &cq : cqs_)
			CHECK(!cq.is_due(), "an event never comes");
		for (const Eq &eq : eqs_)
			CHECK(eq.interrupts == eq.accepted.size(), "%llu interrupts for %zu events", (unsigned long long)eq.interrupts,
			      eq.accepted.size());
		requests = true;
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Host host_;
	std::array<Cq, cqs> cqs_;
	std::array<Eq, eqs> eqs_;
	std::deque<Write> writes_;
	std::deque<Bell> bells_;
	std::deque<Access> addresses_;				// of writes whose data have not come
	std::array<std::deque<std::pair<uint64_t, Cq *>>, 2> answers_;	// due, of each ID
	std::vector<Access> reads_;
	Completion next_ = {};
	size_t r_from_ = 0;
	bool write_offered_ = false, write_taken_ = false, cpl_offered_ = false, evt_offered_ = false, bell_offered_ = false, b_offered_ = false, r_offered_ = false;
	uint64_t now_ = 0, counted_ = 0;
	Quiet quiet_;
	tally::Throttle regs_{ rng_ }, cpl_{ rng_ }, evt_{ rng_ }, aw_{ rng_ }, w_{ rng_ }, ar_{ rng_ }, b_{ rng_ }, r_{ rng_ }, irq_{ rng_ }, bell_{ rng_ };

	bool go(tally::Throttle &throttle) { return !stalls || throttle.go(); }
	uint8_t *memory(uint64_t addr) { return host_.model()->memory + (addr - host_.model()->base); }

	bool is_quiet()
	{
		for (Cq &cq : cqs_)
			if (cq.enabled && cq.ring.read != cq.accepted.size())
				return false;
		for (Eq &eq : eqs_)
			if (eq.ring.read != eq.accepted.size())
				return false;
		return writes_.empty() && bells_.empty() && !dut_.waits_o && !cpl_offered_ && !evt_offered_ && reads_.empty() && answers_[0].empty() && answers_[1].empty() &&
		       !dut_.busy_o;
	}

	// ---- The driver ----

	void put(uint32_t reg, uint64_t value) { writes_.push_back({ reg, uint32_t(value), -1 }); }
	void go_on(unsigned int code, unsigned int number, int cqn = -1) { writes_.push_back({ REG(go), code | number << 16, cqn }); }

	Ring make_ring(unsigned int zone_number, unsigned int entry, unsigned int log_depth)
	{
		uint64_t zone = host_.model()->base + gib + zone_number * zone_pages * page_size;
		Ring r;

		std::memset(memory(zone), 0, zone_pages * page_size);
		r.entry = entry;
		r.log_depth = log_depth;
		r.levels = rng_.below(3);
		r.pages[0] = zone + (r.levels ? 3 : 2) * page_size;
		r.pages[1] = zone + (r.levels ? 2 : 3) * page_size;
		r.first = rng_.below(page_size / entry) * entry + (r.levels ? 0 : r.pages[0]);
		r.root = r.levels ? zone + (r.levels - 1) * page_size : r.first;
		std::memcpy(memory(zone), r.pages, sizeof(r.pages));
		for (unsigned int i = 0; i < 2; i++)
			std::memcpy(memory(zone + page_size + 8 * i), &zone, 8);
		put(REG(offset), r.levels ? r.first : 0);
		put(REG(addr), r.root);
		put(REG(addr) + 4, r.root >> 32);
		put(REG(levels), r.levels);
		put(REG(page_shift), r.levels ? TALLY_MIN_PAGE_SHIFT : 0);
		put(REG(log_depth), log_depth);
		return r;
	}

	void create_eq(unsigned int eqn)
	{
		Eq &eq = eqs_[eqn] = Eq();

		eq.ring = make_ring(cqs + eqn, sizeof(tally_eqe), eq_log_depth);
		eq.vector = rng_.below(TALLY_NUM_VECTORS);
		put(REG(vector), eq.vector);
		go_on(TALLY_FW_QUEUE_CREATE_EQ, eqn);
	}

	void change_cq(unsigned int cqn)
	{
		Cq &cq = cqs_[cqn];

		if (cq.enabled) {
			cq.leaving = true;
			go_on(TALLY_FW_QUEUE_DESTROY_CQ, cqn, cqn);
			return;
		}
		cq = Cq();
		cq.leaving = true;
		cq.ring = make_ring(cqn, sizeof(tally_cqe), 1 + rng_.below(4));
		cq.eqn = floods || patient ? 0 : rng_.below(eqs);
		put(REG(eqn), cq.eqn);
		go_on(TALLY_FW_QUEUE_CREATE_CQ, cqn, cqn);
	}

	bool rings(unsigned int cqn) const
	{
		return std::any_of(bells_.begin(), bells_.end(), [=](const Bell &b) { return b.cqn == cqn; });
	}

	bool asks(unsigned int cqn) const { return cqs_[cqn].armed || rings(cqn); }

	// Count and arm word in one write or in two; some words are stale.
	void arm(unsigned int cqn)
	{
		Cq &cq = cqs_[cqn];

		if (!cq.enabled || cq.leaving || bells_.size() > 4)
			return;
		uint64_t seen = floods ? std::max(cq.armed_at, cq.record) : cq.ring.read;
		uint64_t word = cq.arm_word && rng_.one_in(16) ? cq.arm_word - rng_.below(2) : cq.arm_word + 1 + rng_.below(3);
		bool split = rng_.one_in(2);

		if (split)
			bells_.push_back({ cqn, true, false, seen, 0 });
		bells_.push_back({ cqn, !split, true, seen, word });
		cq.arm_word = std::max(cq.arm_word, word);
	}

	void offer_bell()
	{
		bell_offered_ = !bells_.empty() && (bell_offered_ || go(bell_));
		dut_.bell_valid_i = bell_offered_;
		if (!bell_offered_)
			return;
		const Bell &b = bells_.front();

		dut_.bell_cqn_i = b.cqn;
		dut_.bell_counts_i = b.counts;
		dut_.bell_count_i = b.count;
		dut_.bell_arms_i = b.arms;
		dut_.bell_arm_i = b.arm;
	}

	void take_bell()
	{
		if (!dut_.bell_valid_i || !dut_.bell_ready_o)
			return;
		const Bell b = bells_.front();
		Cq &cq = cqs_[b.cqn];

		bells_.pop_front();
		bell_offered_ = false;
		if (b.counts)
			cq.armed_at = b.count;
		if (!b.arms || b.arm <= cq.arm_taken)
			return;
		cq.arm_taken = b.arm;
		cq.any = !(b.arm & TALLY_CQ_ARM_SOLICITED) || (cq.armed && cq.any);
		cq.armed = true;
		cq.arms++;
	}

	void drive()
	{
		unsigned int cqn = rng_.below(cqs);
		Cq &cq = cqs_[cqn];

		if (cq.enabled)
			while (cq.ring.read < cq.accepted.size() && poll(cq))
				;
		poll(eqs_[rng_.below(eqs)]);
		if (writes_.size() > 16)
			return;
		if (rng_.one_in(slow_driver && requests ? 200 : 10))
			tell_consumed(floods && requests ? 0 : rng_.below(eqs));
		if (!requests)
			return;
		// Often while its event waits, or is offered again.
		const unsigned int changes = !cq.enabled ? 8 : floods ? 2000 : dut_.waits_o && cq.is_due() ? 20 : 400;

		if (!cq.leaving && rng_.one_in(changes) && !(cpl_offered_ && dut_.cpl_cqn_i == cqn) && !rings(cqn))
			change_cq(cqn);
		else if (floods ? cqn || !asks(0) : rng_.one_in(4) && !(patient && asks(cqn)))
			arm(cqn);
	}

	void tell_consumed(unsigned int eqn)
	{
		Eq &eq = eqs_[eqn];

		if (eq.told == eq.ring.read)
			return;
		eq.told = floods && requests ? eq.told + 1 : eq.ring.read;
		put(REG(count), eq.told);
		put(REG(count) + 4, eq.told >> 32);
		go_on(TALLY_FW_QUEUE_CONSUMED, eqn);
	}

	bool poll(Cq &cq)
	{
		const Completion &c = cq.accepted[cq.ring.read];
		tally_cqe cqe, expected = c.cqe;

		std::memcpy(&cqe, memory(cq.ring.at(cq.ring.read % cq.ring.depth())), sizeof(cqe));
		if (cqe.owner != model_owner(cq.ring.read, cq.ring.depth()))
			return false;
		expected.owner = cqe.owner;
		expected.timestamp = cqe.timestamp;
		expected.elapsed = c.rung ? std::min<uint64_t>(cqe.timestamp - c.rung_at, UINT32_MAX) : 0;
		CHECK(cqe.timestamp <= now_ && cqe.timestamp + 100000 > now_, "a completion of another time");
		CHECK(!std::memcmp(&cqe, &expected, sizeof(cqe)), "completion %llu is wrong", (unsigned long long)cq.ring.read);
		cq.ring.read++;
		completions++;
		// It tells late what it has read, but in time.
		if (rng_.one_in(4) || cq.ring.read - cq.record >= cq.ring.depth() / 2) {
			cq.record = cq.ring.read - floods;	// then there is always something new
			std::memcpy(memory(cq.ring.at(cq.ring.depth())), &cq.record, 8);
		}
		return true;
	}

	void poll(Eq &eq)
	{
		tally_eqe eqe, expected;

		if (eq.ring.read == eq.accepted.size())
			return;
		expected = eq.accepted[eq.ring.read];
		std::memcpy(&eqe, memory(eq.ring.at(eq.ring.read % eq.ring.depth())), sizeof(eqe));
		if (eqe.owner != model_owner(eq.ring.read, eq.ring.depth()))
			return;
		expected.owner = eqe.owner;
		CHECK(!std::memcmp(&eqe, &expected, sizeof(eqe)), "event %llu is wrong", (unsigned long long)eq.ring.read);
		eq.ring.read++;
		events++;
	}

	void offer_register()
	{
		if (!write_offered_ && !write_taken_ && !writes_.empty() && go(regs_) && !waits_for_completion(writes_.front())) {
			write_offered_ = true;
			dut_.axil_awaddr_i = writes_.front().reg;
			dut_.axil_wdata_i = writes_.front().value;
			dut_.axil_wstrb_i = 15;
		}
		dut_.axil_awvalid_i = dut_.axil_wvalid_i = write_offered_;
		dut_.axil_bready_i = go(regs_);
	}

	bool waits_for_completion(const Write &w) const { return w.cqn >= 0 && cpl_offered_ && dut_.cpl_cqn_i == (unsigned)w.cqn; }

	void take_register()
	{
		if (dut_.axil_awvalid_i && dut_.axil_awready_o) {
			write_offered_ = false;
			write_taken_ = true;
		}
		if (!dut_.axil_bvalid_o || !dut_.axil_bready_i)
			return;
		CHECK(write_taken_ && !dut_.axil_bresp_o, "register %x is refused", writes_.front().reg);
		write_taken_ = false;
		if (writes_.front().cqn >= 0)
			changed(cqs_[writes_.front().cqn]);
		writes_.pop_front();
	}

	void changed(Cq &cq)
	{
		cq.leaving = false;
		cq.enabled = !cq.enabled;
		created += cq.enabled;
		if (cq.enabled)
			return;
		// The last one may have waited for its turn, and is forgotten.
		CHECK(cq.in_memory + 1 >= cq.accepted.size(), "%llu of %zu completions are in memory when a CQ is destroyed",
		      (unsigned long long)cq.in_memory, cq.accepted.size());
		cq.armed = false;
	}

	void take_told()
	{
		if (!dut_.told_valid_o)
			return;
		Cq &cq = cqs_[dut_.told_cqn_o];
		Eq &eq = eqs_[dut_.told_eqn_o];
		tally_eqe eqe = {};

		CHECK(dut_.told_type_o == TALLY_EQE_CQ, "event %d of a CQ", dut_.told_type_o);
		CHECK(cq.enabled && cq.eqn == dut_.told_eqn_o, "an event of another CQ, or of one that is gone");
		CHECK(eq.used() < eq.ring.depth() / 2, "an event of a CQ takes the place of others");
		CHECK(++cq.events <= cq.arms, "%llu events for %llu requests", (unsigned long long)cq.events, (unsigned long long)cq.arms);
		CHECK(cq.in_memory, "an event before its completion");
		eqe.etype = TALLY_EQE_CQ;
		eqe.id = dut_.told_cqn_o;
		eq.accepted.push_back(eqe);
		of_cqs++;
		cq.armed = false;
		count_passed(dut_.told_cqn_o);
	}

	void count_passed(unsigned int by)
	{
		for (unsigned int i = 0; i < cqs; i++) {
			Cq &cq = cqs_[i];

			if (!cq.is_due())
				cq.passed = {};
			else if (cq.eqn == cqs_[by].eqn)
				CHECK(++cq.passed[by] <= most_passes, "CQ %u has %u events while that of CQ %u waits", by, cq.passed[by], i);
		}
	}

	void take_irq()
	{
		if (!dut_.irq_valid_o || !dut_.irq_ready_i)
			return;
		Eq &eq = eqs_[dut_.irq_eqn_o];
		tally_eqe eqe;

		CHECK(eq.interrupts < eq.accepted.size() && dut_.irq_vector_o == eq.vector, "interrupt %d", dut_.irq_vector_o);
		std::memcpy(&eqe, memory(eq.ring.at(eq.interrupts % eq.ring.depth())), sizeof(eqe));
		CHECK(eqe.owner == model_owner(eq.interrupts, eq.ring.depth()) || eq.interrupts < eq.ring.read, "an interrupt before its event");
		eq.interrupts++;
	}

	// ---- The engine ----

	void offer_completion()
	{
		unsigned int cqn = rng_.below(cqs);
		const Cq &cq = cqs_[cqn];

		if (!cpl_offered_ && requests && cq.enabled && !cq.leaving && cq.accepted.size() - cq.record < cq.ring.depth() && go(cpl_)) {
			rng_.fill(&next_.cqe, sizeof(next_.cqe));
			if (!rng_.one_in(6))
				next_.cqe.status = TALLY_WC_SUCCESS;
			next_.rung = rng_.one_in(2);
			next_.rung_at = now_ - rng_.below(1000);
			std::memcpy(&dut_.cpl_cqe_i, &next_.cqe, sizeof(next_.cqe));
			dut_.cpl_cqn_i = cqn;
			dut_.cpl_solicited_i = rng_.one_in(6);
			dut_.cpl_rung_i = next_.rung;
			dut_.cpl_rung_at_i = next_.rung_at;
			cpl_offered_ = true;
		}
		dut_.cpl_valid_i = cpl_offered_;
	}

	std::array<std::deque<bool>, cqs> is_solicited_;

	void take_completion()
	{
		if (!dut_.cpl_valid_i || !dut_.cpl_ready_o)
			return;
		cpl_offered_ = false;
		cqs_[dut_.cpl_cqn_i].accepted.push_back(next_);
		if (cqs_[dut_.cpl_cqn_i].accepted.size() == 1)
			is_solicited_[dut_.cpl_cqn_i].clear();
		is_solicited_[dut_.cpl_cqn_i].push_back(dut_.cpl_solicited_i || next_.cqe.status != TALLY_WC_SUCCESS);
	}

	void offer_event()
	{
		unsigned int eqn = rng_.below(eqs);

		if (!evt_offered_ && requests && eqs_[eqn].has_room() && writes_.empty() && rng_.one_in(patient ? 4 : 20)) {
			dut_.evt_eqn_i = eqn;
			dut_.evt_type_i = TALLY_EQE_PORT;
			dut_.evt_id_i = rng_.next();
			dut_.evt_data_i = rng_.next();
			eqs_[eqn].offered++;
			evt_offered_ = true;
		}
		dut_.evt_valid_i = evt_offered_;
	}

	void take_event()
	{
		if (!dut_.evt_valid_i || !dut_.evt_ready_o)
			return;
		tally_eqe eqe = {};

		CHECK(!dut_.told_valid_o, "two events at once");
		eqe.etype = dut_.evt_type_i;
		eqe.id = dut_.evt_id_i;
		eqe.data = dut_.evt_data_i;
		eqs_[dut_.evt_eqn_i].accepted.push_back(eqe);
		eqs_[dut_.evt_eqn_i].offered--;
		evt_offered_ = false;
	}

	// ---- The memory ----

	void offer_memory()
	{
		dut_.awready_i = go(aw_);
		dut_.wready_i = go(w_);
		dut_.arready_i = go(ar_);
		if (!b_offered_ && (!answers_[0].empty() || !answers_[1].empty()) && go(b_)) {
			unsigned int id = rng_.below(2);

			dut_.bid_i = answers_[id].empty() ? !id : id;
			dut_.bresp_i = 0;
			b_offered_ = true;
		}
		dut_.bvalid_i = b_offered_;
		if (!r_offered_ && !reads_.empty() && go(r_)) {
			r_from_ = rng_.below(reads_.size());
			dut_.rid_i = reads_[r_from_].id;
			dut_.rresp_i = 0;
			std::memcpy(&dut_.rdata_i, memory(reads_[r_from_].addr), 64);
			r_offered_ = true;
		}
		dut_.rvalid_i = r_offered_;
	}

	void take_memory()
	{
		if (dut_.bvalid_i && dut_.bready_o) {
			answered(answers_[dut_.bid_i].front());
			answers_[dut_.bid_i].pop_front();
			b_offered_ = false;
		}
		if (dut_.rvalid_i && dut_.rready_o) {
			overtakes += r_from_ != 0;
			reads_.erase(reads_.begin() + r_from_);
			r_offered_ = false;
		}
		if (dut_.awvalid_o && dut_.awready_i) {
			CHECK((dut_.aw_o[0] & 0x1fff) == (6u << 2 | 1), "a burst of another kind");
			addresses_.push_back({ dut_.awid_o, address(dut_.aw_o) });
		}
		if (dut_.wvalid_o && dut_.wready_i)
			write();
		if (!dut_.arvalid_o || !dut_.arready_i)
			return;
		CHECK((dut_.ar_o[0] & 0x1fff) == (6u << 2 | 1), "a burst of another kind");
		for (const Access &a : reads_)
			CHECK(a.id != dut_.arid_o, "two reads with ID %d", a.id);
		reads_.push_back({ dut_.arid_o, address(dut_.ar_o) });
	}

	template <typename Port> static uint64_t address(const Port &port)
	{
		return uint64_t(port[2]) << 51 | uint64_t(port[1]) << 19 | port[0] >> 13;
	}

	void write()
	{
		CHECK(!addresses_.empty() && dut_.wlast_o && dut_.wstrb_o, "data of nothing");
		unsigned int lane = __builtin_ctzll(dut_.wstrb_o), len = __builtin_popcountll(dut_.wstrb_o);
		uint64_t addr = addresses_.front().addr + lane;
		unsigned int id = addresses_.front().id;
		Cq *of = nullptr;
		bool known = false;

		for (Cq &cq : cqs_)
			if ((cq.enabled || cq.leaving) && cq.ring.has(addr, len))
				of = &cq;
		for (const Eq &eq : eqs_)
			known = known || eq.ring.has(addr, len);
		CHECK(id ? known : of != nullptr, "a write of %u bytes to %llx with ID %u", len, (unsigned long long)addr, id);
		std::memcpy(memory(addr), reinterpret_cast<uint8_t *>(&dut_.wdata_o) + lane, len);
		answers_[id].push_back({ addr, of });
		addresses_.pop_front();
	}

	// An entry of a CQ counts when its write is answered.
	void answered(const std::pair<uint64_t, Cq *> &what)
	{
		Cq *cq = what.second;

		if (!cq)
			return;
		cq->in_memory++;
		auto &flags = is_solicited_[cq - cqs_.data()];

		if (flags.at(cq->in_memory - 1))
			cq->solicited_end = cq->in_memory;
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("queues", argc, argv);
	World world(bench);
	uint64_t left = 0, run = 0;

	bench.live(bench.times(40000), [&] { world.restart(); },
		   [&] {
			   if (!left) {
				   world.finish();
				   world.slow_driver = run % 2;
				   world.patient = bench.rng.one_in(2);
				   world.floods = run % 4 == 2;
				   world.stalls = run++ % 4 != 3;
				   left = world.floods ? 8000 : 4000;
				   if (world.floods || world.patient)	// with CQs of one EQ
					   world.restart();
			   }
			   left--;
			   world.cycle();
		   });
	world.finish();
	CHECK(world.completions > 500 && world.events > 200 && world.of_cqs > 100 && world.created > 30 && world.overtakes &&
		      world.waits > 1000,
	      "%llu completions, %llu events, %llu of CQs, %llu created, %llu clocks in which events wait", (unsigned long long)world.completions,
	      (unsigned long long)world.events, (unsigned long long)world.of_cqs, (unsigned long long)world.created,
	      (unsigned long long)world.waits);
	return bench.finish();
}
