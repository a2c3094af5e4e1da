// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_regions: the engine reads and writes, another unit asks whether accesses are permitted, and the firmware
// enters and removes regions by the registers. Every verdict is that of the simulator's memory regions, each byte is read or
// written once, at the place that they find. When the answer to a removal comes, no access that was permitted before is left.
// For some stretches the memory answers page lists alone: no check may wait then. The bench of tally_mr_dma has the lengths,
// lists and errors in all their forms.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <map>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "mr_host.h"
#include "quiet.h"
extern "C" {
#include "gen/tally_fw_hw.h"
}

#define REG(field) (TALLY_FW_REGION_BASE + offsetof(struct tally_fw_region, field))

constexpr size_t word_bytes = 64;
constexpr unsigned int id_bits = 3;	// with Walks and 2 * Reads of 4
constexpr uint64_t patience = 300;	// clocks of a check while no data come
using Word = std::vector<uint8_t>;

struct Access {
	model_access what;
	uint8_t tag;
};

struct Byte {
	uint64_t addr;
	uint8_t value;
};

struct Check {		// without an answer
	uint8_t tag;
	uint16_t status;
	uint64_t since;	// when it was offered
};

// An access that ends with done_*.
struct Ending {
	uint8_t tag;
	uint16_t status;
	uint32_t index;		// of its region
	size_t bursts = 0;	// of a write, that are not answered
};

// A read that is carried out.
struct Reading {
	uint8_t tag;
	uint32_t index;
	std::vector<uint64_t> bytes;	// addresses
	size_t at = 0;
	size_t bursts;
	bool error = false;
};

struct Burst {		// of a read
	unsigned int id;
	uint64_t addr;
	unsigned int left;	// words
	Reading *of;		// null: an entry of a page list
};

struct Write {		// of a register
	uint32_t reg, value;
};

// What a byte of memory reads as.
uint8_t value_at(uint64_t addr)
{
	return (addr * 0x9e3779b97f4a7c15) >> 56;
}

class World {
public:
	explicit World(tally::Bench<Vdut> &bench)
		: bench_(bench), rng_(bench.rng), dut_(*bench.dut), host_(bench.rng)
	{
	}

	std::map<uint16_t, uint64_t> statuses, verdicts;
	uint64_t read = 0, written = 0, failed = 0, removed = 0, busy_removals = 0, starved = 0;

	void set_starve(bool on)
	{
		starve = on;
		starved_from_ = now_;
	}

	void restart()
	{
		dut_.axil_awvalid_i = dut_.axil_wvalid_i = dut_.axil_bready_i = 0;
		dut_.acc_valid_i = dut_.chk_valid_i = dut_.dat_valid_i = dut_.out_ready_i = dut_.done_ready_i = dut_.ans_ready_i = 0;
		dut_.awready_i = dut_.wready_i = dut_.bvalid_i = dut_.arready_i = dut_.rvalid_i = 0;
		bench_.reset();
		quiet_.restart();
		model_start(host_.model());
		regions_.clear();
		words_.clear();
		bytes_.clear();
		refused_.clear();
		writes_.clear();
		reads_.clear();
		bursts_.clear();
		write_bursts_.clear();
		answers_.clear();
		checks_.clear();
		registers_.clear();
		offered_ = asks_ = changes_ = word_offered_ = b_offered_ = reg_offered_ = reg_taken_ = false;
	}

	void cycle()
	{
		now_++;
		offer_register();
		offer_access();
		offer_check();
		offer_data();
		size_t from = offer_words();
		dut_.out_ready_i = go(out_);
		dut_.done_ready_i = go(done_);
		dut_.ans_ready_i = go(ans_);
		dut_.awready_i = go(aw_);
		dut_.wready_i = go(w_);
		dut_.arready_i = go(ar_);
		bench_.settle();
		quiet_.look(dut_.busy_o,
			    dut_.acc_valid_i || dut_.chk_valid_i || dut_.axil_awvalid_i || dut_.dat_valid_i || dut_.bvalid_i || dut_.rvalid_i,
			    dut_.out_valid_o || dut_.done_valid_o || dut_.ans_valid_o || dut_.awvalid_o || dut_.wvalid_o ||
				    dut_.arvalid_o || dut_.axil_bvalid_o);
		take_out();
		take_done();
		take_verdict();
		take_answer();
		take_word();
		take_write_address();
		if (dut_.rvalid_i)
			took_word(from);
		take_read_address();
		if (dut_.dat_valid_i && dut_.dat_ready_o) {
			words_.pop_front();
			word_offered_ = false;
		}
		take_access();
		take_check();
		take_register();
		bench_.tick();
	}

	void finish()
	{
		requests_ = starve = false;
		for (unsigned int i = 0; i < 40000 && !empty(); i++)
			cycle();
		CHECK(empty(), "%zu refusals, %zu writes, %zu reads, %zu words, %zu checks, %zu registers are left", refused_.size(),
		      writes_.size(), reads_.size(), words_.size(), checks_.size(), registers_.size());
		CHECK(!dut_.busy_o, "busy_o with nothing inside");
		requests_ = true;
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Host host_;
	Quiet quiet_;
	std::map<uint32_t, Region> regions_;	// by index
	Access access_, check_;
	Region region_;			// that is entered or removed
	uint64_t now_ = 0, asked_at_ = 0, starved_from_ = 0;
	bool starve = false;		// the memory answers page lists alone
	bool offered_ = false, asks_ = false, changes_ = false, enters_ = false, requests_ = true;
	bool reg_offered_ = false, reg_taken_ = false;
	std::deque<Write> registers_;
	std::deque<Check> checks_;
	std::deque<Word> words_;	// of dat_*
	std::deque<Byte> bytes_;	// that are to be written
	std::vector<Ending> refused_;	// without memory; they end at any time
	std::deque<Ending> writes_;
	std::deque<Reading> reads_;
	std::vector<Burst> bursts_;
	std::deque<Burst> write_bursts_;
	std::deque<bool> answers_;	// of writes: whether it is an error
	bool word_offered_ = false, b_offered_ = false;
	tally::Throttle acc_{ rng_ }, chk_{ rng_ }, reg_{ rng_ }, dat_{ rng_ }, r_{ rng_ }, out_{ rng_ }, done_{ rng_ }, ans_{ rng_ },
		aw_{ rng_ }, w_{ rng_ }, b_{ rng_ }, ar_{ rng_ };

	// While no data come, nothing else stalls.
	bool go(tally::Throttle &throttle) { return starve || throttle.go(); }

	bool empty() const
	{
		return !offered_ && !asks_ && refused_.empty() && writes_.empty() && reads_.empty() && words_.empty() && bytes_.empty() &&
		       bursts_.empty() && write_bursts_.empty() && checks_.empty() && registers_.empty();
	}

	// An access whose region is not the one that is changed, so that its verdict is known. Its list is good or is no list.
	bool random_access(Access &x, uint64_t longest)
	{
		model_access &a = x.what;

		x.tag = rng_.next();
		a.lkey = rng_.below(NumMr + 1) << 8 | rng_.below(2);
		a.pd = rng_.below(4);
		a.write = rng_.one_in(2);
		a.addr = rng_.next();
		a.length = rng_.one_in(8) ? 0 : 1 + rng_.below(rng_.one_in(2) ? 3 * word_bytes : longest);
		if (!regions_.empty() && !rng_.one_in(10)) {
			auto it = regions_.begin();
			std::advance(it, rng_.below(regions_.size()));
			const tally_cmd_reg_mr &cmd = it->second.cmd;

			a.lkey = cmd.lkey;
			a.pd = cmd.pd ^ rng_.one_in(20);
			a.addr = cmd.iova + rng_.below(cmd.buf.length);
			if (rng_.one_in(4))
				a.length = std::min<uint64_t>(cmd.iova + cmd.buf.length - a.addr + rng_.below(2), longest);
		}
		return !changes_ || a.lkey >> 8 != region_.cmd.lkey >> 8;
	}

	// The bench of tally_mr_dma has the accesses whose list leads nowhere.
	bool has_memory() const
	{
		std::vector<model_piece> found(16);
		uint64_t num;

		return model_check(&access_.what) || !access_.what.length || !model_find(&access_.what, found.data(), &num);
	}

	void offer_access()
	{
		if (!offered_ && requests_ && go(acc_))
			offered_ = random_access(access_, page_size) && has_memory();
		dut_.acc_valid_i = offered_;
		dut_.acc_pd_i = access_.what.pd;
		dut_.acc_lkey_i = access_.what.lkey;
		dut_.acc_addr_i = access_.what.addr;
		dut_.acc_len_i = access_.what.length;
		dut_.acc_write_i = access_.what.write;
		dut_.acc_tag_i = access_.tag;
	}

	void take_access()
	{
		if (!dut_.acc_valid_i || !dut_.acc_ready_o)
			return;
		const model_access &a = access_.what;
		const uint16_t status = model_check(&a);
		const uint32_t index = a.lkey >> 8;
		std::vector<model_piece> pieces(16);
		uint64_t num = 0;

		offered_ = false;
		CHECK((a.write ? writes_.size() : reads_.size()) < (a.write ? Writes : Reads), "too many accesses are inside");
		if (!status && a.length)
			CHECK(!model_find(&a, pieces.data(), &num), "the model finds no memory");
		pieces.resize(num);
		if (a.write)
			give_data(pieces);
		if (pieces.empty())
			refused_.push_back({ access_.tag, status, index });
		else if (a.write)
			writes_.push_back({ access_.tag, TALLY_COLL_OK, index, pages(pieces) });
		else
			reads_.push_back(reading(pieces));
	}

	// Number of pages of the bus that the pieces touch: each is a burst.
	size_t pages(const std::vector<model_piece> &pieces) const
	{
		size_t n = 0;

		for (const model_piece &p : pieces)
			n += (p.addr + p.len - 1) / page_size - p.addr / page_size + 1;
		return n;
	}

	void give_data(const std::vector<model_piece> &pieces)
	{
		std::vector<uint8_t> data((access_.what.length + word_bytes - 1) / word_bytes * word_bytes);
		size_t at = 0;

		rng_.fill(data.data(), data.size());
		for (size_t i = 0; i < data.size(); i += word_bytes)
			words_.emplace_back(data.begin() + i, data.begin() + i + word_bytes);
		for (const model_piece &p : pieces)
			for (uint64_t i = 0; i < p.len; i++)
				bytes_.push_back({ p.addr + i, data[at++] });
	}

	Reading reading(const std::vector<model_piece> &pieces) const
	{
		Reading r = { access_.tag, access_.what.lkey >> 8, {}, 0, pages(pieces) };

		for (const model_piece &p : pieces)
			for (uint64_t i = 0; i < p.len; i++)
				r.bytes.push_back(p.addr + i);
		return r;
	}

	// ---- Checks ----

	void offer_check()
	{
		if (!asks_ && requests_ && go(chk_)) {
			asks_ = random_access(check_, UINT32_MAX);
			asked_at_ = now_;
		}
		dut_.chk_valid_i = asks_;
		dut_.chk_pd_i = check_.what.pd;
		dut_.chk_lkey_i = check_.what.lkey;
		dut_.chk_addr_i = check_.what.addr;
		dut_.chk_len_i = check_.what.length;
		dut_.chk_write_i = check_.what.write;
		dut_.chk_tag_i = check_.tag;
		CHECK(!starve || now_ - starved_from_ < patience || !asks_ || now_ - asked_at_ < patience, "a check waits for data");
		CHECK(!starve || now_ - starved_from_ < patience || checks_.empty() || now_ - checks_.front().since < patience,
		      "an answer to a check waits for data");
	}

	void take_check()
	{
		if (!dut_.chk_valid_i || !dut_.chk_ready_o)
			return;
		asks_ = false;
		checks_.push_back({ check_.tag, model_check(&check_.what), now_ });
	}

	void take_verdict()
	{
		if (!dut_.ans_valid_o || !dut_.ans_ready_i)
			return;
		CHECK(!checks_.empty(), "an answer to no check");
		CHECK(dut_.ans_tag_o == checks_.front().tag && dut_.ans_status_o == checks_.front().status, "check %d has status %d",
		      dut_.ans_tag_o, dut_.ans_status_o);
		verdicts[dut_.ans_status_o]++;
		starved += starve && !reads_.empty();
		checks_.pop_front();
	}

	// ---- Regions ----

	void put(uint32_t reg, uint64_t value) { registers_.push_back({ reg, uint32_t(value) }); }

	void put64(uint32_t reg, uint64_t value)
	{
		put(reg, value);
		put(reg + 4, value >> 32);
	}

	bool meets(const Access &x, bool valid) const { return valid && x.what.lkey >> 8 == region_.cmd.lkey >> 8; }

	void change()
	{
		uint32_t key = rng_.below(NumMr) << 8 | rng_.below(2);
		auto it = regions_.find(key >> 8);
		const tally_cmd_reg_mr &c = region_.cmd;

		enters_ = it == regions_.end();
		region_ = enters_ ? random_region(rng_, host_, key) : it->second;
		if (meets(access_, offered_) || meets(check_, asks_))
			return;
		changes_ = true;
		put(REG(lkey), c.lkey);
		if (enters_) {
			put64(REG(iova), c.iova);
			put64(REG(addr), c.buf.addr);
			put64(REG(length), c.buf.length);
			put(REG(offset), c.buf.offset);
			put(REG(levels), c.buf.levels);
			put(REG(page_shift), c.buf.page_shift);
			put(REG(pd), c.pd);
			put(REG(access), c.access);
		}
		put(REG(go), enters_ ? TALLY_FW_REGION_ENTER : TALLY_FW_REGION_REMOVE);
	}

	void offer_register()
	{
		if (registers_.empty() && requests_ && rng_.one_in(20))
			change();
		if (!reg_offered_ && !reg_taken_ && !registers_.empty() && go(reg_)) {
			reg_offered_ = true;
			dut_.axil_awaddr_i = registers_.front().reg;
			dut_.axil_wdata_i = registers_.front().value;
			dut_.axil_wstrb_i = 15;
		}
		dut_.axil_awvalid_i = dut_.axil_wvalid_i = reg_offered_;
		dut_.axil_bready_i = go(reg_);
	}

	void take_register()
	{
		if (dut_.axil_awvalid_i && dut_.axil_awready_o) {
			reg_offered_ = false;
			reg_taken_ = true;
			busy_removals += registers_.size() == 1 && !enters_ && of_region();
		}
		if (!dut_.axil_bvalid_o || !dut_.axil_bready_i)
			return;
		CHECK(reg_taken_ && !dut_.axil_bresp_o, "register %x is refused", registers_.front().reg);
		reg_taken_ = false;
		registers_.pop_front();
		if (registers_.empty())
			changed();
	}

	// Number of accesses to the region that are inside.
	size_t of_region() const
	{
		auto same = [this](const auto &x) { return x.index == region_.cmd.lkey >> 8; };

		return std::count_if(reads_.begin(), reads_.end(), same) + std::count_if(writes_.begin(), writes_.end(), same);
	}

	void changed()
	{
		changes_ = false;
		if (enters_) {
			CHECK(model_register(&region_.cmd), "the model refuses a region");
			regions_[region_.cmd.lkey >> 8] = region_;
			return;
		}
		CHECK(!of_region(), "a region is removed amid its accesses");
		CHECK(model_deregister(region_.cmd.lkey), "the model has no such region");
		regions_.erase(region_.cmd.lkey >> 8);
		removed++;
	}

	// ---- Writes ----
	void offer_data()
	{
		word_offered_ = word_offered_ || (!words_.empty() && go(dat_));
		dut_.dat_valid_i = word_offered_;
		if (word_offered_)
			std::memcpy(&dut_.dat_data_i, words_.front().data(), word_bytes);
		if (!b_offered_ && !answers_.empty() && !starve && b_.go()) {
			b_offered_ = true;
			dut_.bresp_i = answers_.front() ? 2 + rng_.below(2) : 0;
		}
		dut_.bvalid_i = b_offered_;
	}

	void take_write_address()
	{
		if (dut_.awvalid_o && dut_.awready_i)
			write_bursts_.push_back({ 0, address(dut_.aw_o), words(dut_.aw_o), nullptr });
	}

	void take_word()
	{
		if (!dut_.wvalid_o || !dut_.wready_i)
			return;
		CHECK(!write_bursts_.empty(), "data without an address");
		Burst &b = write_bursts_.front();
		uint8_t data[word_bytes];

		std::memcpy(data, &dut_.wdata_o, word_bytes);
		for (unsigned int k = 0; k < word_bytes; k++) {
			if (!(dut_.wstrb_o >> k & 1))
				continue;
			CHECK(!bytes_.empty() && bytes_.front().addr == b.addr + k, "a byte is written at %llx",
			      (unsigned long long)(b.addr + k));
			CHECK(bytes_.front().value == data[k], "a wrong byte at %llx", (unsigned long long)(b.addr + k));
			bytes_.pop_front();
			written++;
		}
		b.addr += word_bytes;
		CHECK(dut_.wlast_o == !--b.left, "wlast_o is %d with %u words left", dut_.wlast_o, b.left);
		if (b.left)
			return;
		write_bursts_.pop_front();
		answers_.push_back(rng_.one_in(30));
	}

	// Writes are answered in their order, and then end.
	void take_answer()
	{
		if (!dut_.bvalid_i || !dut_.bready_o)
			return;
		auto it = std::find_if(writes_.begin(), writes_.end(), [](const Ending &e) { return e.bursts; });

		CHECK(it != writes_.end(), "an answer to no write");
		it->bursts--;
		if (answers_.front())
			it->status = TALLY_COLL_DMA_ERROR;
		b_offered_ = false;
		answers_.pop_front();
	}

	// ---- Ends ----
	void take_done()
	{
		if (!dut_.done_valid_o || !dut_.done_ready_i)
			return;
		auto same = [this](const Ending &e) { return e.tag == dut_.done_tag_o && e.status == dut_.done_status_o; };
		auto it = std::find_if(refused_.begin(), refused_.end(), same);

		statuses[dut_.done_status_o]++;
		if (!writes_.empty() && !writes_.front().bursts && same(writes_.front())) {
			failed += writes_.front().status != TALLY_COLL_OK;
			writes_.pop_front();
			return;
		}
		CHECK(it != refused_.end(), "access %d ends with status %d", dut_.done_tag_o, dut_.done_status_o);
		refused_.erase(it);
	}

	// ---- Reads ----
	// {addr, len, size, burst}
	template <typename Port> static uint64_t address(const Port &port)
	{
		return uint64_t(port[2]) << 51 | uint64_t(port[1]) << 19 | port[0] >> 13;
	}

	template <typename Port> static unsigned int words(const Port &port)
	{
		CHECK((port[0] & 0x1f) == (6u << 2 | 1), "a burst of another kind");
		return (port[0] >> 5 & 0xff) + 1;
	}

	void take_read_address()
	{
		if (!dut_.arvalid_o || !dut_.arready_i)
			return;
		const bool list = dut_.arid_o >= 1 << (id_bits - 1);

		for (const Burst &b : bursts_)
			CHECK(b.id != dut_.arid_o, "ID %d is used twice", dut_.arid_o);
		Burst b = { dut_.arid_o, address(dut_.ar_o), words(dut_.ar_o), nullptr };
		if (!list) {
			auto it = std::find_if(reads_.begin(), reads_.end(), [](const Reading &r) { return r.bursts; });

			CHECK(it != reads_.end(), "a burst of no read");
			it->bursts--;
			b.of = &*it;
			CHECK(std::any_of(it->bytes.begin(), it->bytes.end(),
					  [&](uint64_t a) { return a / word_bytes * word_bytes == b.addr; }),
			      "a word at %llx is read for nothing", (unsigned long long)b.addr);
		}
		bursts_.push_back(b);
	}

	size_t offer_words()
	{
		size_t from = bursts_.empty() ? 0 : rng_.below(bursts_.size());
		auto list = std::find_if(bursts_.begin(), bursts_.end(), [](const Burst &b) { return !b.of; });

		if (starve)
			from = list - bursts_.begin();
		dut_.rvalid_i = from < bursts_.size() && go(r_);
		rng_.fill(&dut_.rdata_i, word_bytes);
		dut_.rid_i = rng_.next();
		dut_.rresp_i = rng_.next();
		if (!dut_.rvalid_i)
			return 0;
		const Burst &b = bursts_[from];
		uint8_t data[word_bytes];
		bool there = true;

		dut_.rid_i = b.id;
		for (size_t i = 0; i < word_bytes; i++)
			data[i] = value_at(b.addr + i);
		for (size_t i = 0; i < word_bytes && !b.of; i += 8) {
			uint64_t value = 0;

			there = host_.entry(b.addr + i, &value) && there;
			std::memcpy(data + i, &value, sizeof(value));
		}
		std::memcpy(&dut_.rdata_i, data, word_bytes);
		dut_.rresp_i = (b.of ? rng_.one_in(300) : !there) ? 2 + rng_.below(2) : 0;
		return from;
	}

	void took_word(size_t from)
	{
		Burst &b = bursts_[from];

		CHECK(dut_.rready_o, "rready_o is off");
		if (b.of && dut_.rresp_i)
			b.of->error = true;
		b.addr += word_bytes;
		if (!--b.left)
			bursts_.erase(bursts_.begin() + from);
	}

	void take_out()
	{
		if (!dut_.out_valid_o || !dut_.out_ready_i)
			return;
		CHECK(!reads_.empty(), "a word of no read");
		Reading &r = reads_.front();
		size_t left = r.bytes.size() - r.at, here = std::min(left, word_bytes);
		uint64_t keep = here == word_bytes ? ~0ull : (1ull << here) - 1;
		const uint8_t *data = reinterpret_cast<const uint8_t *>(&dut_.out_data_o);

		CHECK(dut_.out_last_o == (left <= word_bytes) && dut_.out_keep_o == keep, "last %d with %zu bytes left",
		      dut_.out_last_o, left);
		CHECK(dut_.out_tag_o == r.tag, "tag %d instead of %d", dut_.out_tag_o, r.tag);
		for (size_t i = 0; i < here; i++)
			CHECK(data[i] == value_at(r.bytes[r.at + i]), "byte %zu of read %d is wrong", r.at + i, r.tag);
		r.at += here;
		read += here;
		if (!dut_.out_last_o)
			return;
		CHECK(dut_.out_error_o == r.error, "out_error_o is %d", dut_.out_error_o);
		failed += r.error;
		reads_.pop_front();
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("regions", argc, argv);
	World world(bench);
	uint64_t left = 0;

	bench.live(bench.times(80000), [&] { world.restart(); },
		   [&] {
			   if (!left--) {
				   world.set_starve(bench.rng.one_in(3));
				   left = 1000;
			   }
			   if (bench.rng.one_in(4000))
				   world.finish();
			   world.cycle();
		   });
	world.finish();
	for (uint16_t s : { TALLY_COLL_OK, TALLY_COLL_BAD_LKEY, TALLY_COLL_MR_RANGE, TALLY_COLL_MR_ACCESS })
		CHECK(world.statuses[s] > 20 && world.verdicts[s] > 20, "status %d %llu times, and of checks %llu times", s,
		      (unsigned long long)world.statuses[s], (unsigned long long)world.verdicts[s]);
	CHECK(world.read > 10000 && world.written > 10000 && world.failed > 5 && world.removed > 20 && world.busy_removals > 10 &&
		      world.starved > 100,
	      "%llu bytes read, %llu written, %llu failed, %llu regions removed, %llu of them with accesses, %llu checks alone",
	      (unsigned long long)world.read, (unsigned long long)world.written, (unsigned long long)world.failed,
	      (unsigned long long)world.removed, (unsigned long long)world.busy_removals, (unsigned long long)world.starved);
	return bench.finish();
}
