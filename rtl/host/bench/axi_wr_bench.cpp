// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_axi_wr: random writes into a memory that stalls, answers late and sometimes with an error. The memory
// must hold what a loop of memcpy() would have written, and nothing else; each request ends once, in its order, with its
// tag and its error. Requests overlap in their addresses, so their order shows. Resets come amid all of it.
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "axi_request.h"
#include "bench.h"
#include "quiet.h"

constexpr uint64_t guard = 2 * Bytes, room = 5 * Boundary, base = 0x7fff0000;
constexpr Pages pages = { base, Boundary, room / Boundary };
using Word = std::vector<uint8_t>;

struct Burst {
	uint64_t addr;
	unsigned int left; // words
};

struct Done {
	uint8_t tag;
	unsigned int bursts; // not answered
	bool error;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench)
		: bench_(bench), rng_(bench.rng), dut_(*bench.dut), memory_(room + 2 * guard), expected_(memory_)
	{
	}

	bool stalls = true, requests = true;
	unsigned int error_one_in = 50;
	uint64_t words = 0, ended = 0, errors = 0, last_address = 0, last_word = 0;

	void restart()
	{
		dut_.req_valid_i = dut_.in_valid_i = dut_.awready_i = dut_.wready_i = dut_.bvalid_i = 0;
		dut_.done_ready_i = 0;
		bench_.reset();
		quiet_.restart();
		rng_.fill(memory_.data(), memory_.size());
		expected_ = memory_;
		stream_.clear();
		bursts_.clear();
		answers_.clear();
		done_.clear();
		owed_.clear();
		parts_.clear();
		in_offered_ = b_offered_ = false;
	}

	void cycle()
	{
		offer_request();
		in_offered_ = in_offered_ || (!stream_.empty() && go(in_));
		dut_.in_valid_i = in_offered_;
		if (in_offered_)
			std::memcpy(&dut_.in_data_i, stream_.front().data(), Bytes);
		dut_.awready_i = go(aw_);
		dut_.wready_i = go(w_);
		dut_.done_ready_i = go(d_);
		if (!b_offered_ && !answers_.empty() && go(b_)) {
			b_offered_ = true;
			dut_.bresp_i = answers_.front() ? 2 + rng_.below(2) : 0;
		}
		dut_.bvalid_i = b_offered_;
		bench_.settle();
		quiet_.look(dut_.busy_o, dut_.req_valid_i || dut_.in_valid_i || dut_.bvalid_i, dut_.awvalid_o || dut_.wvalid_o);
		take_answer();
		take_word();
		take_address();
		if (dut_.in_valid_i && dut_.in_ready_o) {
			stream_.pop_front();
			in_offered_ = false;
		}
		take_request();
		bench_.tick();
	}

	// Runs without new requests until all have ended. The memory must then be as expected.
	void finish()
	{
		requests = false;
		for (unsigned int i = 0; i < 100000 && (!parts_.empty() || !done_.empty()); i++)
			cycle();
		CHECK(done_.empty(), "%zu requests never end", done_.size());
		CHECK(stream_.empty() && bursts_.empty() && answers_.empty(), "something is left");
		CHECK(memory_ == expected_, "wrong contents of the memory");
		requests = true;
	}

	// Takes these requests as fast as the block does, without stalls. Returns the number of words on the bus.
	uint64_t run(std::deque<Request> these, uint64_t *cycles)
	{
		uint64_t before = words, start = bench_.cycle();

		stalls = false;
		script_ = these;
		script_left_ = these.size();
		while (script_left_) {
			CHECK(bench_.cycle() - start < 200000, "the block stands still");
			cycle();
		}
		finish();
		*cycles = bench_.cycle() - start;
		stalls = true;
		return words - before;
	}

	uint64_t quiet() const { return quiet_.clocks; }

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	std::vector<uint8_t> memory_, expected_;
	std::deque<Word> stream_;
	std::deque<Burst> bursts_; // addresses without all of their data
	std::deque<bool> answers_; // of bursts in memory
	std::deque<Done> done_;	   // requests that have not ended
	std::deque<unsigned int> owed_;
	std::deque<Request> script_;
	size_t script_left_ = 0;
	Quiet quiet_;
	Request request_;
	std::deque<Request> parts_; // that are to be given for it
	bool begun_ = false, scattered_ = false, in_offered_ = false, b_offered_ = false;
	tally::Throttle req_{ rng_ }, in_{ rng_ }, aw_{ rng_ }, w_{ rng_ }, b_{ rng_ }, d_{ rng_ };

	bool go(tally::Throttle &throttle) { return !stalls || throttle.go(); }

	void offer_request()
	{
		if (parts_.empty() && !script_.empty()) {
			begin(script_.front(), false);
			script_.pop_front();
		} else if (parts_.empty() && !script_left_ && requests && go(req_)) {
			begin(random_request(rng_, base, base + room, (1u << LenW) - 1, Bytes, Boundary), rng_.one_in(2));
		}
		dut_.req_valid_i = !parts_.empty();
		if (parts_.empty())
			return;
		dut_.req_addr_i = parts_.front().addr;
		dut_.req_len_i = parts_.front().len;
		dut_.req_tag_i = parts_.front().tag;
		dut_.req_more_i = parts_.front().more;
	}

	void begin(const Request &whole, bool scattered)
	{
		request_ = whole;
		scattered_ = scattered;
		begun_ = false;
		parts_ = scattered ? scatter(whole, pages) : std::deque<Request>{ whole };
	}

	void take_request()
	{
		if (!dut_.req_valid_i || !dut_.req_ready_o)
			return;
		if (!begun_)
			expect();
		begun_ = true;
		parts_.pop_front();
		script_left_ -= script_left_ != 0;
	}

	void expect()
	{
		uint64_t first = request_.addr / Boundary, last = (request_.addr + request_.len - 1) / Boundary;

		for (uint32_t at = 0; at < request_.len; at += Bytes) {
			Word word(Bytes);

			rng_.fill(word.data(), Bytes);
			for (uint32_t i = 0; i < std::min<uint32_t>(Bytes, request_.len - at); i++) {
				uint64_t addr = request_.addr + at + i;

				expected_[(scattered_ ? pages.at(addr) : addr) - base + guard] = word[i];
			}
			stream_.push_back(word);
		}
		done_.push_back({ request_.tag, static_cast<unsigned int>(last - first + 1), false });
	}

	void take_address()
	{
		if (dut_.awvalid_o && dut_.awready_i) {
			bursts_.push_back({ dut_.awaddr_o, dut_.awlen_o + 1u });
			last_address = bench_.cycle();
		}
	}

	void take_word()
	{
		if (!dut_.wvalid_o || !dut_.wready_i)
			return;
		CHECK(!bursts_.empty(), "data without an address");
		Burst &b = bursts_.front();
		uint8_t data[Bytes];
		uint64_t strobes = dut_.wstrb_o;

		std::memcpy(data, &dut_.wdata_o, Bytes);
		CHECK(b.addr >= base - Bytes && b.addr + Bytes <= base + room + guard, "address %llx",
		      (unsigned long long)b.addr);
		for (unsigned int k = 0; k < Bytes; k++)
			if (strobes >> k & 1)
				memory_[b.addr - base + guard + k] = data[k];
		b.addr += Bytes;
		words++;
		last_word = bench_.cycle();
		CHECK(dut_.wlast_o == !--b.left, "wlast_o is %d with %u words left", dut_.wlast_o, b.left);
		if (b.left)
			return;
		bursts_.pop_front();
		answers_.push_back(rng_.one_in(error_one_in));
	}

	void take_answer()
	{
		bool ends = dut_.bvalid_i && done_.front().bursts == 1;

		CHECK(dut_.done_valid_o == ends, "done_valid_o is %d", dut_.done_valid_o);
		if (!dut_.bvalid_i)
			return;
		Done &d = done_.front();

		if (ends)
			CHECK(dut_.done_tag_o == d.tag && dut_.done_error_o == (d.error || dut_.bresp_i),
			      "tag %d and error %d, instead of %d and %d", dut_.done_tag_o, dut_.done_error_o, d.tag,
			      d.error || dut_.bresp_i);
		CHECK(dut_.bready_o == (!ends || dut_.done_ready_i), "bready_o is %d", dut_.bready_o);
		if (!dut_.bready_o)
			return;
		d.error |= dut_.bresp_i != 0;
		answers_.pop_front();
		b_offered_ = false;
		if (--d.bursts)
			return;
		errors += d.error;
		ended++;
		done_.pop_front();
	}
};

// Each lane with each length of up to three words.
static std::deque<Request> all_ends()
{
	std::deque<Request> these;

	for (unsigned int lane = 0; lane < Bytes; lane++)
		for (unsigned int len = 1; len <= 3 * Bytes && len < 1u << LenW; len++)
			these.push_back({ base + Boundary - Bytes + lane, len, static_cast<uint8_t>(lane + len) });
	return these;
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("axi_wr", argc, argv);
	World world(bench);
	uint64_t cycles;

	world.restart();
	world.error_one_in = 1 << 30;
	world.run(all_ends(), &cycles);
	world.run({ { base, 8, 1 } }, &cycles);
	CHECK(world.last_word - world.last_address == 1, "a word leaves %llu cycles after its address",
	      (unsigned long long)(world.last_word - world.last_address));
	std::deque<Request> pages;
	for (unsigned int i = 0; i < 20; i++)
		pages.push_back({ base + i % 4 * Boundary, Boundary, static_cast<uint8_t>(i) });
	uint64_t words = world.run(pages, &cycles);
	CHECK(words == 20 * Boundary / Bytes && cycles <= words + 12, "%llu words take %llu cycles", (unsigned long long)words,
	      (unsigned long long)cycles);
	world.error_one_in = 50;
	bench.live(bench.times(30000), [&] { world.restart(); },
		   [&] {
			   if (bench.rng.one_in(200)) {
				   world.finish();
				   world.stalls = !world.stalls;
			   }
			   world.cycle();
		   });
	world.finish();
	CHECK(world.ended > 500 && world.quiet() > 100 && world.errors, "%llu requests, %llu errors", (unsigned long long)world.ended,
	      (unsigned long long)world.errors);
	return bench.finish();
}
