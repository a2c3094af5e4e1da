// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_eqe_dma: a driver that knows nothing but host memory and interrupts finds each event once, in its order,
// in rings of every depth with and without page lists. Some lists lead nowhere: then the device stops, and is reset. The
// memory answers reads in any order, and refuses what is no memory. EQs are destroyed and created meanwhile.
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

constexpr unsigned int entry_bytes = sizeof(tally_eqe);

struct Eq {
	bool enabled = false;
	unsigned int log_depth = 0, vector = 0, levels = 0;
	uint64_t root = 0, first = 0;
	uint64_t pages[2] = {};		 // of the ring, in memory
	uint64_t named[2] = {};		 // what the list says they are; 0: nothing
	std::vector<tally_eqe> accepted; // all
	uint64_t read = 0, interrupts = 0;

	uint64_t depth() const { return 1ull << log_depth; }

	uint64_t at(uint64_t slot) const
	{
		uint64_t place = first % page_size + entry_bytes * slot;

		return pages[place / page_size] + place % page_size;
	}

	// Whether its list says that an entry is there.
	bool names(uint64_t addr) const
	{
		for (uint64_t slot = 0; slot < depth(); slot++) {
			uint64_t place = first % page_size + entry_bytes * slot, page = named[place / page_size];

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

struct Word {
	std::array<uint8_t, 64> data;
	uint64_t strb;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench)
		: bench_(bench), rng_(bench.rng), dut_(*bench.dut), host_(bench.rng)
	{
	}

	bool stalls = true, requests = true, lists_fail = false;
	bool holds_interrupts = false;	// nobody takes them, so answers to writes wait
	bool holds_words = false;	// nor words of writes, so events wait behind one that has no place
	unsigned int consume_one_in = 2;
	uint64_t given_back = 0, found = 0, interrupts = 0, created = 0, refused = 0, overruns = 0, failures = 0, overtakes = 0;

	void restart()
	{
		dut_.cfg_valid_i = dut_.db_valid_i = dut_.in_valid_i = dut_.awready_i = dut_.wready_i = 0;
		dut_.bvalid_i = dut_.arready_i = dut_.rvalid_i = dut_.irq_ready_i = 0;
		for (Eq &eq : eqs_)
			eq = Eq();
		before_ = {};
		addresses_.clear();
		data_.clear();
		answers_.clear();
		reads_.clear();
		in_offered_ = b_offered_ = r_offered_ = cfg_offered_ = db_offered_ = may_overrun_ = refused_a_write_ = silent_ = false;
		quiet_.restart();
		bench_.reset();
	}

	bool stopped() const { return dut_.fatal_code_o != TALLY_FATAL_NONE; }

	void cycle()
	{
		consume();
		offer_event();
		offer_cfg();
		offer_doorbell();
		dut_.awready_i = go(aw_);
		dut_.wready_i = !holds_words && go(w_);
		dut_.arready_i = go(ar_);
		dut_.irq_ready_i = !holds_interrupts && go(irq_);
		offer_b();
		offer_r();
		bench_.settle();
		quiet_.look(dut_.busy_o, dut_.cfg_valid_i || dut_.db_valid_i || dut_.in_valid_i || dut_.bvalid_i || dut_.rvalid_i,
			    dut_.awvalid_o || dut_.wvalid_o || dut_.arvalid_o || dut_.irq_valid_o);
		take_irq();
		take_cfg();
		if (dut_.db_valid_i && dut_.db_ready_o)
			db_offered_ = false;
		take_write();
		take_reads();
		take_event();
		bench_.tick();
	}

	// Whoever has stopped tells why, and has lost what came afterwards.
	void finish()
	{
		unsigned int before = consume_one_in;

		requests = holds_interrupts = holds_words = false;
		consume_one_in = 1;
		for (unsigned int i = 0; i < 3000 && !is_quiet(); i++)
			cycle();
		for (unsigned int i = 0; i < 100; i++)	// the driver looks
			cycle();
		CHECK(!in_offered_ && !cfg_offered_ && !db_offered_ && reads_.empty() && answers_.empty(), "something waits for ever");
		CHECK(!dut_.busy_o, "busy_o with nothing inside");
		if (stopped()) {
			bool dma = dut_.fatal_code_o == TALLY_FATAL_EQ_DMA;

			CHECK(dma ? lists_fail : may_overrun_, "the device stops with %d", dut_.fatal_code_o);
			(dma ? failures : overruns)++;
		} else {
			CHECK(!refused_a_write_, "a write that fails does not stop the device");
			for (const Eq &eq : eqs_)
				CHECK(!eq.enabled || (eq.read == eq.accepted.size() && eq.interrupts == eq.read),
				      "%llu of %zu events come, with %llu interrupts", (unsigned long long)eq.read, eq.accepted.size(),
				      (unsigned long long)eq.interrupts);
		}
		consume_one_in = before;
		requests = true;
	}

	// Creates EQ 0 without a list, and writes one event. Returns the clocks from its input to AW.
	uint64_t measure()
	{
		restart();
		stalls = requests = false;
		while (!eqs_[0].enabled || eqs_[0].levels) {
			if (!cfg_offered_)
				offer_this_cfg(0, !eqs_[0].enabled);
			cycle();
		}
		while (dut_.busy_o)
			cycle();
		begun_ = written_ = 0;
		only_ = requests = silent_ = true;
		while (!written_)
			cycle();
		requests = false;
		for (unsigned int i = 0; i < 60; i++)
			cycle();
		CHECK(!dut_.busy_o, "busy_o while the memory is due");
		only_ = silent_ = false;
		stalls = requests = true;
		return written_ - begun_;
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Host host_;
	std::array<Eq, NumEq> eqs_;
	std::array<uint64_t, NumEq> before_ = {};	// interrupts of EQs that were destroyed, still to come
	std::deque<uint64_t> addresses_;
	std::deque<Word> data_;
	std::deque<bool> answers_; // true: an error
	std::vector<Burst> reads_;
	Eq new_;
	size_t r_from_ = 0;
	unsigned int last_ = 0;	// EQ of the event that was taken last
	bool in_offered_ = false, b_offered_ = false, r_offered_ = false, cfg_offered_ = false, db_offered_ = false;
	bool may_overrun_ = false, refused_a_write_ = false, only_ = false, silent_ = false;
	uint64_t begun_ = 0, written_ = 0;
	Quiet quiet_;
	tally::Throttle in_{ rng_ }, aw_{ rng_ }, w_{ rng_ }, b_{ rng_ }, ar_{ rng_ }, r_{ rng_ }, irq_{ rng_ };

	bool go(tally::Throttle &throttle) { return !stalls || throttle.go(); }
	uint8_t *memory(uint64_t addr) { return host_.model()->memory + (addr - host_.model()->base); }

	// Nothing is inside.
	bool is_quiet() const
	{
		return !in_offered_ && !cfg_offered_ && !db_offered_ && reads_.empty() && answers_.empty() && !dut_.busy_o;
	}

	// ---- The driver ----

	void make_ring(Eq &eq, unsigned int eqn)
	{
		uint64_t zone = host_.model()->base + gib + eqn * 64 * page_size, offset = rng_.below(page_size / entry_bytes) * entry_bytes;

		std::memset(memory(zone), 0, 64 * page_size);
		eq.levels = rng_.below(TALLY_MEM_LEVELS + 1);
		eq.log_depth = rng_.below(__builtin_ctz(MaxDepth) + 1);
		eq.vector = rng_.below(TALLY_NUM_VECTORS);
		for (unsigned int i = 0; i < 2; i++)
			eq.pages[i] = zone + (eq.levels ? 8 + i + rng_.below(16) * 2 : 8 + i) * page_size;
		eq.first = eq.levels ? offset : eq.pages[0] + offset;
		std::copy(eq.pages, eq.pages + 2, eq.named);
		eq.root = eq.levels ? zone + (eq.levels - 1) * page_size : eq.first;
		for (unsigned int level = 1; level <= eq.levels; level++)
			make_table(eq, zone, level);
	}

	void make_table(Eq &eq, uint64_t zone, unsigned int level)
	{
		for (unsigned int i = 0; i < 2; i++) {
			uint64_t entry = level > 1 ? zone + (level - 2) * page_size : eq.pages[i];

			if (lists_fail && rng_.one_in(6)) {
				entry = rng_.one_in(2) ? host_.model()->hole : entry + 8;
				if (level == 1)
					eq.named[i] = entry == host_.model()->hole ? entry : 0;
				else if (!i)	// all tables above have one entry for both
					eq.named[0] = eq.named[1] = 0;
			}
			std::memcpy(memory(zone + (level - 1) * page_size + 8 * i), &entry, sizeof(entry));
		}
	}

	void offer_this_cfg(unsigned int eqn, bool enable)
	{
		new_ = Eq();
		new_.enabled = enable;
		if (enable)
			make_ring(new_, eqn);
		cfg_offered_ = true;
		dut_.cfg_eqn_i = eqn;
		dut_.cfg_enable_i = enable;
		dut_.cfg_first_i = new_.first;
		dut_.cfg_log_depth_i = new_.log_depth;
		dut_.cfg_vector_i = new_.vector;
		// {addr, levels, shift}, 71 bits
		dut_.cfg_ring_i[0] = new_.root << 7 | new_.levels << 5;
		dut_.cfg_ring_i[1] = new_.root >> 25;
		dut_.cfg_ring_i[2] = new_.root >> 57;
	}

	void offer_cfg()
	{
		unsigned int eqn = rng_.below(NumEq);

		if (!cfg_offered_ && requests && !only_ && rng_.one_in(eqs_[eqn].enabled ? 600 : 10))
			offer_this_cfg(eqn, !eqs_[eqn].enabled);
		dut_.cfg_valid_i = cfg_offered_;
	}

	void take_cfg()
	{
		if (!dut_.cfg_valid_i || !dut_.cfg_ready_o)
			return;
		Eq &eq = eqs_[dut_.cfg_eqn_i];

		CHECK(addresses_.empty() && data_.empty() && answers_.empty(), "an EQ is configured amid its writes");
		for (unsigned int i = 0; !stopped() && eq.enabled && eq.read < eq.accepted.size() && i < MaxDepth; i++)
			CHECK(poll(eq), "event %llu is not written when its EQ is destroyed", (unsigned long long)eq.read);
		before_[dut_.cfg_eqn_i] += eq.accepted.size() - eq.interrupts;
		eq = new_;
		created += new_.enabled;
		cfg_offered_ = false;
	}

	void consume()
	{
		Eq &eq = eqs_[rng_.below(NumEq)];

		if (!eq.enabled || !rng_.one_in(consume_one_in))
			return;
		while (eq.read < eq.accepted.size() && poll(eq))
			;
	}

	bool poll(Eq &eq)
	{
		tally_eqe eqe, expected = eq.accepted[eq.read];

		std::memcpy(&eqe, memory(eq.at(eq.read % eq.depth())), sizeof(eqe));
		if (eqe.owner != model_owner(eq.read, eq.depth()))
			return false;
		expected.owner = eqe.owner;
		CHECK(!std::memcmp(&eqe, &expected, sizeof(eqe)), "event %llu is wrong", (unsigned long long)eq.read);
		eq.read++;
		found++;
		return true;
	}

	void offer_doorbell()
	{
		unsigned int eqn = rng_.below(NumEq);

		if (!db_offered_ && requests && !only_ && rng_.one_in(4)) {
			db_offered_ = true;
			dut_.db_eqn_i = eqn;
			dut_.db_count_i = eqs_[eqn].read;
		}
		dut_.db_valid_i = db_offered_;
	}

	void take_irq()
	{
		if (!dut_.irq_valid_o || !dut_.irq_ready_i)
			return;
		Eq &eq = eqs_[dut_.irq_eqn_o];

		interrupts++;
		if (before_[dut_.irq_eqn_o]) {
			before_[dut_.irq_eqn_o]--;
			return;
		}
		if (!eq.enabled || eq.interrupts == eq.accepted.size())
			return; // of an EQ before, of which nobody knows how many have failed
		// Its event is in memory; what was read may have been overwritten since.
		while (!stopped() && eq.read <= eq.interrupts)
			CHECK(poll(eq), "an interrupt without event %llu", (unsigned long long)eq.read);
		CHECK(dut_.irq_vector_o == eq.vector || eq.interrupts + 8 > eq.accepted.size(), "interrupt %d", dut_.irq_vector_o);
		eq.interrupts++;
	}

	// ---- The engine ----

	void offer_event()
	{
		if (!in_offered_ && requests && go(in_)) {
			in_offered_ = true;
			dut_.in_eqn_i = only_ ? 0 : rng_.below(NumEq);
			dut_.in_type_i = 1 + rng_.below(TALLY_EQE_DEVICE_FATAL - 1);
			dut_.in_id_i = rng_.next();
			dut_.in_data_i = rng_.next();
			dut_.in_asked_i = rng_.one_in(2);
			dut_.in_behind_i = dut_.in_asked_i && rng_.one_in(8);
			begun_ = begun_ ? begun_ : bench_.cycle();
		}
		dut_.in_valid_i = in_offered_;
	}

	void take_event()
	{
		// That of the clock before is given back.
		if (dut_.refused_o) {
			eqs_[last_].accepted.pop_back();
			given_back++;
		}
		if (!dut_.in_valid_i || !dut_.in_ready_o)
			return;
		Eq &eq = eqs_[last_ = dut_.in_eqn_i];
		tally_eqe eqe = {};

		in_offered_ = false;
		if (!eq.enabled)
			return;
		eqe.etype = dut_.in_type_i;
		eqe.id = dut_.in_id_i;
		eqe.data = dut_.in_data_i;
		eq.accepted.push_back(eqe);
		// The block may not know yet what was read.
		may_overrun_ = may_overrun_ || eq.accepted.size() > eq.depth();
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

	void offer_r()
	{
		if (!r_offered_ && !silent_ && !reads_.empty() && go(r_)) {
			r_offered_ = true;
			r_from_ = rng_.below(reads_.size());
			const Burst &b = reads_[r_from_];

			tempt();
			dut_.rid_i = b.id;
			dut_.rresp_i = host_.is_memory(b.addr, 64) ? 0 : 3;
			if (!dut_.rresp_i)
				std::memcpy(&dut_.rdata_i, memory(b.addr), 64);
			refused += dut_.rresp_i != 0;
		}
		dut_.rvalid_i = r_offered_;
	}

	// What comes with an error looks like a list of pages that are there.
	void tempt()
	{
		std::array<uint64_t, 8> words;

		words.fill(host_.model()->base + gib + rng_.below(NumEq * 64) * page_size);
		std::memcpy(&dut_.rdata_i, words.data(), sizeof(words));
	}

	void take_reads()
	{
		if (dut_.rvalid_i && dut_.rready_o) {
			overtakes += r_from_ != 0;
			refused_a_write_ = refused_a_write_ || dut_.rresp_i;
			reads_.erase(reads_.begin() + r_from_);
			r_offered_ = false;
		}
		if (!dut_.arvalid_o || !dut_.arready_i)
			return;
		CHECK(dut_.arlen_o == 0, "a read of %d words", dut_.arlen_o + 1);
		reads_.push_back({ dut_.arid_o, dut_.araddr_o });
	}

	void take_write()
	{
		if (dut_.bvalid_i && dut_.bready_o) {
			answers_.pop_front();
			b_offered_ = false;
		}
		if (dut_.awvalid_o && dut_.awready_i) {
			CHECK(dut_.awlen_o == 0, "a write of %d words", dut_.awlen_o + 1);
			addresses_.push_back(dut_.awaddr_o);
			written_ = written_ ? written_ : bench_.cycle();
		}
		if (dut_.wvalid_o && dut_.wready_i) {
			CHECK(dut_.wlast_o, "a burst does not end");
			data_.emplace_back();
			std::memcpy(data_.back().data.data(), &dut_.wdata_o, 64);
			data_.back().strb = dut_.wstrb_o;
		}
		while (!addresses_.empty() && !data_.empty())
			write();
	}

	// Whether the word is an event that belongs to the slot, also if the device has stopped meanwhile.
	static bool is_of(const Eq &eq, uint64_t slot, const uint8_t *word)
	{
		tally_eqe eqe;

		std::memcpy(&eqe, word, sizeof(eqe));
		for (size_t i = slot; i < eq.accepted.size(); i += eq.depth()) {
			tally_eqe expected = eq.accepted[i];

			expected.owner = eqe.owner;
			if (!std::memcmp(&eqe, &expected, sizeof(eqe)))
				return true;
		}
		return false;
	}

	void write()
	{
		uint64_t addr = addresses_.front(), strb = data_.front().strb;
		bool there = host_.is_memory(addr, 64), entry = false, right = false;
		unsigned int lane = strb & 1 ? 0 : entry_bytes;

		CHECK(strb == 0xffffffffull << lane, "a word has strobes %llx", (unsigned long long)strb);
		answers_.push_back(!there);
		for (const Eq &eq : eqs_)
			for (uint64_t slot = 0; eq.enabled && slot < eq.depth(); slot++) {
				if (eq.at(slot) != addr + lane)
					continue;
				right = right || is_of(eq, slot, data_.front().data.data() + lane);
			}
		entry = std::any_of(eqs_.begin(), eqs_.end(), [=](const Eq &eq) { return eq.enabled && eq.names(addr + lane); });
		CHECK(entry, "a write to %llx, which is no entry", (unsigned long long)addr + lane);
		CHECK(right || !there, "a write to %llx, with no event of this entry", (unsigned long long)addr + lane);
		if (there)
			std::memcpy(memory(addr + lane), data_.front().data.data() + lane, entry_bytes);
		refused += !there;
		refused_a_write_ = refused_a_write_ || !there;
		addresses_.pop_front();
		data_.pop_front();
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("eqe_dma", argc, argv);
	World world(bench);
	uint64_t left = 0, run = 0, stopped = 0, clocks = world.measure();

	CHECK(clocks == 4, "AW comes after %llu clocks", (unsigned long long)clocks);
	bench.live(bench.times(60000), [&] { world.restart(); },
		   [&] {
			   // A device that has stopped is reset some time later.
			   if (!left || (world.stopped() && ++stopped % 60 == 0)) {
				   world.finish();
				   world.lists_fail = run % 3 == 2;
				   world.consume_one_in = run % 3 == 1 ? 20 : 1;
				   world.stalls = run % 4 != 3;
				   world.restart();
				   run++;
				   left = 3000;
			   }
			   left--;
			   world.holds_interrupts = run % 5 == 4 && left > 1000;
			   world.holds_words = world.lists_fail && left / 48 % 2;
			   world.cycle();
		   });
	world.finish();
	CHECK(world.found > 1000 && world.interrupts > 1000 && world.created > 50 && world.overtakes && world.refused > 5 &&
		      world.overruns > 5 && world.failures > 5 && world.given_back > 50,
	      "%llu given back, %llu found, %llu interrupts, %llu created, %llu overtakes, %llu refused, %llu overruns, %llu failures",
	      (unsigned long long)world.given_back, (unsigned long long)world.found, (unsigned long long)world.interrupts,
	      (unsigned long long)world.created,
	      (unsigned long long)world.overtakes, (unsigned long long)world.refused, (unsigned long long)world.overruns,
	      (unsigned long long)world.failures);
	return bench.finish();
}
