// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_axi_arbiter: masters write and read bursts of any length with stalls on every side. The memory answers
// writes in their order and reads in any order, word by word. Each word and each answer must arrive where it belongs.
#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"

constexpr unsigned int address_bits = AddrW + 13;
static_assert(Num == 2 && AddrW == 64 && Bytes == 4 && WriteIdW == 2, "the ports below");

struct Burst {
	unsigned int master, id, len;	// len: words
	uint64_t addr;
	uint8_t size, burst;
};

struct Word {
	uint32_t data;
	uint8_t strb;
	bool last;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	bool stalls = true, requests = true;
	uint64_t writes = 0, reads = 0, both = 0;

	void restart()
	{
		dut_.m_awvalid_i = dut_.m_wvalid_i = dut_.m_bready_i = dut_.m_arvalid_i = dut_.m_rready_i = 0;
		dut_.awready_i = dut_.wready_i = dut_.bvalid_i = dut_.arready_i = dut_.rvalid_i = 0;
		for (Master &m : masters_)
			m.clear();
		order_.clear();
		owed_.clear();
		pending_.clear();
		at_ = 0;
		b_offered_ = r_offered_ = false;
		bench_.reset();
	}

	void cycle()
	{
		for (unsigned int m = 0; m < Num; m++)
			offer(m);
		offer_memory();
		bench_.settle();
		take_addresses();
		take_words();
		take_answers();
		bench_.tick();
	}

	void finish()
	{
		requests = false;
		for (unsigned int i = 0; i < 3000 && !is_quiet(); i++)
			cycle();
		CHECK(is_quiet(), "%zu bursts, %zu answers to writes and %zu reads never end", order_.size(), owed_.size(),
		      pending_.size());
		requests = true;
	}

private:
	struct Master {
		bool aw = false, w = false, ar = false;	// offered
		Burst write = {}, read = {};
		std::deque<Word> words;		// of bursts whose address was taken or is offered

		void clear() { *this = Master(); }
	};

	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	std::array<Master, Num> masters_;
	std::deque<Burst> order_;	// writes whose data are due
	std::deque<Burst> owed_;	// writes whose answer is due
	std::vector<Burst> pending_;	// reads whose words are due
	unsigned int at_ = 0;		// words of the first burst of order_ that have come
	bool b_offered_ = false, r_offered_ = false;
	size_t r_from_ = 0;
	tally::Throttle addresses_{ rng_ }, words_{ rng_ }, takes_{ rng_ }, aw_{ rng_ }, w_{ rng_ }, ar_{ rng_ }, b_{ rng_ }, r_{ rng_ };

	bool go(tally::Throttle &throttle) { return !stalls || throttle.go(); }

	bool is_quiet() const
	{
		for (const Master &m : masters_)
			if (m.aw || m.ar || !m.words.empty())
				return false;
		return order_.empty() && owed_.empty() && pending_.empty();
	}

	template <typename Port> static void set(Port &port, unsigned int m, bool value)
	{
		port = (port & ~(1u << m)) | unsigned(value) << m;
	}

	template <typename Port> static void put_id(Port &port, unsigned int width, unsigned int m, unsigned int id)
	{
		port = (port & ~(((1u << width) - 1) << width * m)) | id << width * m;
	}

	// {addr, len, size, burst} of master m
	template <typename Port> static void put_address(Port &port, unsigned int m, const Burst &b)
	{
		const uint64_t low = b.addr << 13 | uint64_t(b.len - 1) << 5 | b.size << 2 | b.burst;

		for (unsigned int i = 0; i < address_bits; i++) {
			bool bit = i < 64 ? low >> i & 1 : b.addr >> (i - 13) & 1;
			unsigned int to = m * address_bits + i;

			port[to / 32] = (port[to / 32] & ~(1u << to % 32)) | unsigned(bit) << to % 32;
		}
	}

	template <typename Port> static void check_address(const Port &port, const Burst &b, const char *what)
	{
		const uint64_t addr = uint64_t(port[2]) << 51 | uint64_t(port[1]) << 19 | port[0] >> 13;

		CHECK(addr == b.addr && (port[0] >> 5 & 0xff) == b.len - 1 && (port[0] >> 2 & 7) == b.size && (port[0] & 3) == b.burst,
		      "a %s has another address", what);
	}

	Burst random_burst(unsigned int m)
	{
		return { m, unsigned(rng_.below(1 << IdW)), unsigned(1 + rng_.below(4)), rng_.next(), uint8_t(rng_.below(8)), uint8_t(rng_.below(4)) };
	}

	void offer(unsigned int m)
	{
		Master &a = masters_[m];

		if (!a.aw && requests && go(addresses_)) {
			a.aw = true;
			a.write = random_burst(m);
			put_address(dut_.m_aw_i, m, a.write);
			put_id(dut_.m_awid_i, WriteIdW, m, a.write.id);
			for (unsigned int i = 0; i < a.write.len; i++)
				a.words.push_back({ uint32_t(rng_.next()), uint8_t(rng_.below(16)), i + 1 == a.write.len });
		}
		set(dut_.m_awvalid_i, m, a.aw);
		a.w = a.w || (!a.words.empty() && go(words_));
		if (a.w) {
			const Word &w = a.words.front();

			reinterpret_cast<uint32_t *>(&dut_.m_wdata_i)[m] = w.data;
			dut_.m_wstrb_i = (dut_.m_wstrb_i & ~(0xf << 4 * m)) | w.strb << 4 * m;
			set(dut_.m_wlast_i, m, w.last);
		}
		set(dut_.m_wvalid_i, m, a.w);
		if (!a.ar && requests && pending_.size() < 16 && go(addresses_)) {
			a.ar = true;
			a.read = random_burst(m);
			put_address(dut_.m_ar_i, m, a.read);
			put_id(dut_.m_arid_i, IdW, m, a.read.id);
		}
		set(dut_.m_arvalid_i, m, a.ar);
		set(dut_.m_bready_i, m, go(takes_));
		set(dut_.m_rready_i, m, go(takes_));
	}

	void offer_memory()
	{
		dut_.awready_i = go(aw_);
		dut_.wready_i = go(w_);
		dut_.arready_i = go(ar_);
		if (!b_offered_ && !owed_.empty() && go(b_)) {
			b_offered_ = true;
			dut_.bid_i = owed_.front().master << WriteIdW | owed_.front().id;
			dut_.bresp_i = rng_.below(4);
		}
		dut_.bvalid_i = b_offered_;
		if (!r_offered_ && !pending_.empty() && go(r_)) {
			r_offered_ = true;
			r_from_ = rng_.below(pending_.size());
			dut_.rid_i = pending_[r_from_].master << IdW | pending_[r_from_].id;
			dut_.rresp_i = rng_.below(4);
			dut_.rdata_i = rng_.next();
		}
		dut_.rvalid_i = r_offered_;
	}

	void take_addresses()
	{
		unsigned int taken = dut_.m_awvalid_i & dut_.m_awready_o, asks = dut_.awid_o >> WriteIdW;

		both += (dut_.m_awvalid_i & 3) == 3;
		CHECK(!!taken == (dut_.awvalid_o && dut_.awready_i), "an address is taken by one side");
		if (dut_.awvalid_o) {
			CHECK(dut_.m_awvalid_i >> asks & 1, "an address of nobody");
			check_address(dut_.aw_o, masters_[asks].write, "write");
			CHECK((dut_.awid_o & ((1u << WriteIdW) - 1)) == masters_[asks].write.id, "a write has ID %d", dut_.awid_o);
		}
		if (taken) {
			CHECK(taken == 1u << asks, "the address of another master is taken");
			masters_[asks].aw = false;
			order_.push_back(masters_[asks].write);
		}
		taken = dut_.m_arvalid_i & dut_.m_arready_o;
		CHECK(!!taken == (dut_.arvalid_o && dut_.arready_i), "the address of a read is taken by one side");
		if (!dut_.arvalid_o)
			return;
		unsigned int m = dut_.arid_o >> IdW;

		CHECK(dut_.m_arvalid_i >> m & 1, "a read of nobody");
		check_address(dut_.ar_o, masters_[m].read, "read");
		CHECK((dut_.arid_o & ((1u << IdW) - 1)) == masters_[m].read.id, "a read has ID %d", dut_.arid_o);
		if (!taken)
			return;
		CHECK(taken == 1u << m, "the read of another master is taken");
		masters_[m].ar = false;
		pending_.push_back(masters_[m].read);
	}

	void take_words()
	{
		unsigned int taken = dut_.m_wvalid_i & dut_.m_wready_o;

		CHECK(!!taken == (dut_.wvalid_o && dut_.wready_i), "data are taken by one side");
		if (!dut_.wvalid_o)
			return;
		CHECK(!order_.empty(), "data without an address");
		Master &m = masters_[order_.front().master];
		const Word &w = m.words.front();

		CHECK(m.w && dut_.wdata_o == w.data && dut_.wstrb_o == w.strb && dut_.wlast_o == w.last, "other data");
		if (!taken)
			return;
		CHECK(taken == 1u << order_.front().master, "data of another master are taken");
		m.w = false;
		m.words.pop_front();
		if (++at_ < order_.front().len)
			return;
		at_ = 0;
		owed_.push_back(order_.front());
		order_.pop_front();
	}

	void take_answers()
	{
		CHECK(dut_.m_bvalid_o == (dut_.bvalid_i ? 1u << owed_.front().master : 0), "an answer to a write goes elsewhere");
		CHECK(!dut_.bvalid_i || (dut_.m_bresp_o == dut_.bresp_i && dut_.m_bid_o == owed_.front().id), "another answer to a write");
		if (dut_.bvalid_i) {
			bool takes = dut_.m_bready_i >> owed_.front().master & 1;

			CHECK(dut_.bready_o == takes, "an answer to a write is taken by one side");
			if (takes) {
				owed_.pop_front();
				b_offered_ = false;
				writes++;
			}
		}
		CHECK(dut_.m_rvalid_o == (dut_.rvalid_i ? 1u << pending_[r_from_].master : 0), "an answer to a read goes elsewhere");
		if (!dut_.rvalid_i)
			return;
		Burst &b = pending_[r_from_];
		bool takes = dut_.m_rready_i >> b.master & 1;

		CHECK(dut_.m_rid_o == b.id && dut_.m_rdata_o == dut_.rdata_i && dut_.m_rresp_o == dut_.rresp_i, "another answer to a read");
		CHECK(dut_.rready_o == takes, "an answer to a read is taken by one side");
		if (!takes)
			return;
		r_offered_ = false;
		reads++;
		if (!--b.len)
			pending_.erase(pending_.begin() + r_from_);
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("axi_arbiter", argc, argv);
	World world(bench);
	uint64_t left = 0, run = 0;

	bench.live(bench.times(30000), [&] { world.restart(); },
		   [&] {
			   if (!left) {
				   world.finish();
				   world.stalls = run++ % 4 != 3;
				   left = 3000;
			   }
			   left--;
			   world.cycle();
		   });
	world.finish();
	CHECK(world.writes > 1000 && world.reads > 1000 && world.both > 1000, "%llu writes, %llu words read, %llu at once",
	      (unsigned long long)world.writes, (unsigned long long)world.reads, (unsigned long long)world.both);
	return bench.finish();
}
