// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_mr_dma: every verdict is that of the simulator's memory regions; each byte that is permitted is read or
// written once, at the place that they find, and no other byte. The memory stalls, answers reads in any order, and
// sometimes with an error. Regions are entered and removed meanwhile, and resets come amid all of it.
#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "mr_host.h"
#include "quiet.h"

constexpr uint64_t longest = Pieces * page_size;
constexpr size_t word_bytes = 64;
constexpr unsigned int id_bits = 3; // with Walks and Slots of 4
using Word = std::vector<uint8_t>;

struct Access {
	model_access what;
	bool find;
	uint8_t tag;
};

struct Byte {
	uint64_t addr;
	uint8_t value;
};

// An access that ends with done_*.
struct Ending {
	uint8_t tag;
	uint16_t status;
	size_t bursts = 0; // of a write, that are not answered
};

// A read that is carried out.
struct Reading {
	uint8_t tag;
	std::vector<uint64_t> bytes; // addresses
	size_t at = 0;
	size_t bursts;
	bool error = false;
};

struct Burst { // of a read
	unsigned int id;
	uint64_t addr;
	unsigned int left; // words
	Reading *of;	   // null: an entry of a page list
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

	std::map<uint16_t, uint64_t> statuses;
	uint64_t read = 0, written = 0, dropped = 0, scattered = 0, failed = 0, removed = 0, astray = 0;
	uint64_t quiet() const { return quiet_.clocks; }

	void restart()
	{
		dut_.cfg_valid_i = dut_.in_valid_i = dut_.dat_valid_i = dut_.out_ready_i = dut_.done_ready_i = 0;
		dut_.awready_i = dut_.wready_i = dut_.bvalid_i = dut_.arready_i = dut_.rvalid_i = 0;
		bench_.reset();
		quiet_.restart();
		bench_.settle();
		CHECK(dut_.busy_o, "idle before the table is empty");
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
		offered_ = configures_ = word_offered_ = b_offered_ = write_ended_ = end_offered_ = false;
	}

	void cycle()
	{
		offer_access();
		offer_cfg();
		offer_data();
		size_t from = offer_words();
		dut_.out_ready_i = out_.go();
		dut_.done_ready_i = done_.go();
		dut_.awready_i = aw_.go();
		dut_.wready_i = w_.go();
		dut_.arready_i = ar_.go();
		bench_.settle();
		quiet_.look(dut_.busy_o, dut_.in_valid_i || dut_.cfg_valid_i || dut_.dat_valid_i || dut_.bvalid_i || dut_.rvalid_i,
			    dut_.out_valid_o || dut_.awvalid_o || dut_.wvalid_o || dut_.arvalid_o ||
				    (dut_.done_valid_o && !dut_.bvalid_i));	// the end of a write comes with its answer
		take_out();
		take_done();
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
		take_cfg();
		bench_.tick();
	}

	void finish()
	{
		requests_ = false;
		for (unsigned int i = 0; i < 40000 && !empty(); i++)
			cycle();
		CHECK(empty(), "%zu refusals, %zu writes, %zu reads, %zu words, %zu bytes are left", refused_.size(), writes_.size(),
		      reads_.size(), words_.size(), bytes_.size());
		CHECK(!dut_.busy_o, "busy_o with nothing inside");
		requests_ = true;
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Host host_;
	Quiet quiet_;
	std::map<uint32_t, Region> regions_; // by index
	Access access_;
	Region region_;
	bool offered_ = false, configures_ = false, enables_ = false, requests_ = true;
	std::deque<Word> words_;       // of dat_*
	std::deque<Byte> bytes_;       // that are to be written
	std::vector<Ending> refused_;  // without memory; they end at any time
	std::deque<Ending> writes_;
	std::deque<Reading> reads_;
	std::vector<Burst> bursts_;
	std::deque<Burst> write_bursts_;
	std::deque<bool> answers_;     // of writes: whether it is an error
	Ending end_ = {};	       // of done_*, in the last clock
	bool word_offered_ = false, b_offered_ = false, write_ended_ = false, end_offered_ = false;
	tally::Throttle in_{ rng_ }, dat_{ rng_ }, r_{ rng_ }, out_{ rng_ }, done_{ rng_ }, aw_{ rng_ }, w_{ rng_ }, b_{ rng_ },
		ar_{ rng_ };

	bool empty() const
	{
		return !offered_ && !configures_ && refused_.empty() && writes_.empty() && reads_.empty() && words_.empty() &&
		       bytes_.empty() && bursts_.empty() && write_bursts_.empty();
	}

	void random_access()
	{
		model_access &a = access_.what;

		access_.find = !rng_.one_in(6);
		access_.tag = rng_.next();
		a.lkey = rng_.below(NumMr) << 8 | rng_.below(2);
		a.pd = rng_.below(4);
		a.write = rng_.one_in(2);
		a.addr = rng_.next();
		a.length = rng_.one_in(8) ? 0 : 1 + rng_.below(rng_.one_in(2) ? 3 * word_bytes : longest);
		if (regions_.empty() || rng_.one_in(10))
			return;
		auto it = regions_.begin();
		std::advance(it, rng_.below(regions_.size()));
		const tally_cmd_reg_mr &cmd = it->second.cmd;

		a.lkey = cmd.lkey;
		a.pd = cmd.pd ^ rng_.one_in(20);
		a.addr = cmd.iova + rng_.below(cmd.buf.length);
		if (rng_.one_in(2)) // around the end of a page
			a.addr = cmd.iova + (rng_.below(cmd.buf.length) & ~(page_size - 1)) - cmd.buf.offset - rng_.below(2 * word_bytes);
		if (rng_.one_in(8))
			a.length = std::min<uint64_t>(cmd.iova + cmd.buf.length - a.addr + rng_.below(2), longest);
	}

	// Follows the page list of the access. Returns whether each page has an entry that can be read, and points to one.
	bool list_is_good() const
	{
		const tally_cmd_reg_mr &cmd = regions_.at(access_.what.lkey >> 8).cmd;
		const tally_mem &m = cmd.buf;
		uint64_t first = access_.what.addr - cmd.iova + m.offset, last = first + access_.what.length - 1;

		for (uint64_t page = first / page_size; m.levels && page <= last / page_size; page++) {
			uint64_t at = m.addr;

			for (unsigned int level = m.levels; level; level--) {
				unsigned int shift = m.page_shift + 9 * (level - 1);
				uint64_t size = level > 1 ? page_size : 1ull << m.page_shift;

				if (!host_.entry(at + 8 * (page * page_size >> shift & 511), &at) || at % size)
					return false;
			}
		}
		return true;
	}

	// If the list is good, but a page of the data is no memory, the model tells no pieces. The bench of tally_mr has such
	// accesses.
	bool is_plain() const
	{
		std::vector<model_piece> found(16);
		uint64_t num;

		return !access_.find || !access_.what.length || model_check(&access_.what) || too_many() ||
		       !model_find(&access_.what, found.data(), &num) || !list_is_good();
	}

	bool too_many() const
	{
		auto it = regions_.find(access_.what.lkey >> 8);

		if (it == regions_.end())
			return false;
		const tally_cmd_reg_mr &cmd = it->second.cmd;
		uint64_t first = access_.what.addr - cmd.iova + (cmd.buf.levels ? cmd.buf.offset : cmd.buf.addr);

		return (first % page_size + access_.what.length + page_size - 1) / page_size > Pieces;
	}

	void offer_access()
	{
		if (!offered_ && requests_ && !configures_ && in_.go()) {
			random_access();
			offered_ = is_plain();
		}
		dut_.in_valid_i = offered_;
		dut_.in_pd_i = access_.what.pd;
		dut_.in_lkey_i = access_.what.lkey;
		dut_.in_addr_i = access_.what.addr;
		dut_.in_len_i = access_.what.length;
		dut_.in_write_i = access_.what.write;
		dut_.in_find_i = access_.find;
		dut_.in_tag_i = access_.tag;
	}

	void take_access()
	{
		if (!dut_.in_valid_i || !dut_.in_ready_o)
			return;
		const model_access &a = access_.what;
		uint16_t status = model_check(&a);
		bool moves = access_.find && !status && a.length && !too_many() && list_is_good();
		std::vector<model_piece> pieces(16);
		uint64_t num = 0;

		offered_ = false;
		if (access_.find && !status && a.length && !moves)
			status = TALLY_COLL_DMA_ERROR;
		if (moves)
			CHECK(!model_find(&a, pieces.data(), &num), "the model finds no memory");
		pieces.resize(num);
		scattered += num > 1;
		astray += !moves && !too_many() && status == TALLY_COLL_DMA_ERROR;
		if (access_.find && a.write)
			give_data(pieces);
		if (!moves)
			refused_.push_back({ access_.tag, status });
		else if (a.write)
			writes_.push_back({ access_.tag, TALLY_COLL_OK, pages(pieces) });
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
		dropped += pieces.empty() && !data.empty();
	}

	Reading reading(const std::vector<model_piece> &pieces) const
	{
		Reading r = { access_.tag, {}, 0, pages(pieces) };

		for (const model_piece &p : pieces)
			for (uint64_t i = 0; i < p.len; i++)
				r.bytes.push_back(p.addr + i);
		return r;
	}

	// ---- Regions ----

	// The model's verdict on an access is that of the clock in which it is taken, so the two do not meet.
	void offer_cfg()
	{
		if (!configures_ && !offered_ && requests_ && rng_.one_in(20)) {
			uint32_t key = rng_.below(NumMr) << 8 | rng_.below(2);
			auto it = regions_.find(key >> 8);

			configures_ = true;
			enables_ = it == regions_.end();
			region_ = enables_ ? random_region(rng_, host_, key) : it->second;
		}
		const tally_cmd_reg_mr &c = region_.cmd;

		dut_.cfg_valid_i = configures_;
		dut_.cfg_enable_i = enables_;
		dut_.cfg_lkey_i = c.lkey;
		dut_.cfg_pd_i = c.pd;
		dut_.cfg_write_i = c.access / TALLY_ACCESS_LOCAL_WRITE & 1;
		dut_.cfg_iova_i = c.iova;
		dut_.cfg_addr_i = c.buf.addr;
		dut_.cfg_length_i = c.buf.length;
		dut_.cfg_offset_i = c.buf.offset;
		dut_.cfg_levels_i = c.buf.levels;
		dut_.cfg_page_shift_i = c.buf.page_shift;
	}

	void take_cfg()
	{
		if (!dut_.cfg_valid_i || !dut_.cfg_ready_o)
			return;
		configures_ = false;
		CHECK(!dut_.cfg_bad_o, "a region is refused");
		if (enables_) {
			CHECK(model_register(&region_.cmd), "the model refuses a region");
			regions_[region_.cmd.lkey >> 8] = region_;
			return;
		}
		CHECK(model_deregister(region_.cmd.lkey), "the model has no such region");
		regions_.erase(region_.cmd.lkey >> 8);
		removed++;
	}

	// ---- Writes ----
	void offer_data()
	{
		word_offered_ = word_offered_ || (!words_.empty() && dat_.go());
		dut_.dat_valid_i = word_offered_;
		if (word_offered_)
			std::memcpy(&dut_.dat_data_i, words_.front().data(), word_bytes);
		if (!b_offered_ && !answers_.empty() && b_.go()) {
			b_offered_ = true;
			dut_.bresp_i = answers_.front() ? 2 + rng_.below(2) : 0;
		}
		dut_.bvalid_i = b_offered_;
	}

	void take_write_address()
	{
		if (dut_.awvalid_o && dut_.awready_i)
			write_bursts_.push_back({ 0, dut_.awaddr_o, dut_.awlen_o + 1u, nullptr });
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

	// Writes are answered in their order. take_done() has ended the one whose last burst this is.
	void take_answer()
	{
		if (!dut_.bvalid_i || !dut_.bready_o)
			return;
		b_offered_ = false;
		if (!write_ended_) {
			CHECK(!writes_.empty() && writes_.front().bursts > 1, "an answer ends no write");
			writes_.front().bursts--;
			if (answers_.front())
				writes_.front().status = TALLY_COLL_DMA_ERROR;
		}
		answers_.pop_front();
		write_ended_ = false;
	}

	// ---- Ends ----
	void take_done()
	{
		const Ending now = { dut_.done_tag_o, dut_.done_status_o };

		CHECK(!end_offered_ || (dut_.done_valid_o && now.tag == end_.tag && now.status == end_.status), "an end that is offered changes");
		end_offered_ = dut_.done_valid_o && !dut_.done_ready_i;
		end_ = now;
		if (!dut_.done_valid_o || !dut_.done_ready_i)
			return;
		auto same = [this](const Ending &e) { return e.tag == dut_.done_tag_o && e.status == dut_.done_status_o; };
		auto it = std::find_if(refused_.begin(), refused_.end(), same);
		bool last = dut_.bvalid_i && dut_.bready_o && !writes_.empty() && writes_.front().bursts == 1;

		statuses[dut_.done_status_o]++;
		if (last) { // its last burst is being answered
			bool error = writes_.front().status || answers_.front();

			CHECK(dut_.done_tag_o == writes_.front().tag &&
				      dut_.done_status_o == (error ? TALLY_COLL_DMA_ERROR : TALLY_COLL_OK),
			      "write %d ends with status %d", dut_.done_tag_o, dut_.done_status_o);
			failed += error;
			writes_.pop_front();
			write_ended_ = true;
			return;
		}
		CHECK(it != refused_.end(), "access %d ends with status %d", dut_.done_tag_o, dut_.done_status_o);
		refused_.erase(it);
	}

	// ---- Reads ----
	void take_read_address()
	{
		if (!dut_.arvalid_o || !dut_.arready_i)
			return;
		const bool list = dut_.arid_o >= 1 << (id_bits - 1);

		for (const Burst &b : bursts_)
			CHECK(b.id != dut_.arid_o, "ID %d is used twice", dut_.arid_o);
		Burst b = { dut_.arid_o, dut_.araddr_o, dut_.arlen_o + 1u, nullptr };
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

		dut_.rvalid_i = !bursts_.empty() && r_.go();
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
	tally::Bench<Vdut> bench("mr_dma", argc, argv);
	World world(bench);

	bench.live(bench.times(150000), [&] { world.restart(); },
		   [&] {
			   if (bench.rng.one_in(4000))
				   world.finish();
			   world.cycle();
		   });
	world.finish();
	for (uint16_t s : { TALLY_COLL_OK, TALLY_COLL_BAD_LKEY, TALLY_COLL_MR_RANGE, TALLY_COLL_MR_ACCESS, TALLY_COLL_DMA_ERROR })
		CHECK(world.statuses[s] > 20, "status %d %llu times", s, (unsigned long long)world.statuses[s]);
	CHECK(world.read > 10000 && world.written > 10000 && world.dropped > 20 && world.scattered > 100 && world.failed > 5 &&
		      world.removed > 20 && world.astray > 20 && world.quiet() > 100,
	      "%llu bytes read, %llu written, %llu writes refused, %llu accesses of several pages, %llu failed, "
	      "%llu without a list, %llu regions removed",
	      (unsigned long long)world.read, (unsigned long long)world.written, (unsigned long long)world.dropped,
	      (unsigned long long)world.scattered, (unsigned long long)world.failed, (unsigned long long)world.astray,
	      (unsigned long long)world.removed);
	return bench.finish();
}
