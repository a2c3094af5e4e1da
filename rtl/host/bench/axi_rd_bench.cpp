// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_axi_rd: random reads from a memory that stalls, answers the bursts in any order, mixes their words, and
// sometimes reports an error. Each request gets its bytes, once, in the order of the requests, with its tag and its
// error. Resets come amid all of it.
#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "axi_request.h"
#include "bench.h"
#include "quiet.h"

constexpr uint64_t room = 5 * Boundary, base = 0x7fff0000;
constexpr Pages pages = { base, Boundary, room / Boundary };

struct Burst {
	unsigned int id;
	uint64_t addr;
	unsigned int left; // words
	size_t request;	   // number of the request
};

struct Expected {
	Request request;
	bool scattered;
	unsigned int bursts; // whose address has not come
	bool error = false;
	uint32_t at = 0; // bytes that have left
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench)
		: bench_(bench), rng_(bench.rng), dut_(*bench.dut), memory_(room + 2 * Bytes)
	{
		rng_.fill(memory_.data(), memory_.size());
	}

	bool stalls = true, requests = true, mixes = true;
	unsigned int error_one_in = 200;
	uint64_t words = 0, ended = 0, errors = 0, overtakes = 0, first_answer = 0, first_word = 0;

	void restart()
	{
		dut_.req_valid_i = dut_.arready_i = dut_.rvalid_i = dut_.out_ready_i = 0;
		bench_.reset();
		quiet_.restart();
		bursts_.clear();
		expected_.clear();
		parts_.clear();
	}

	void cycle()
	{
		offer_request();
		dut_.arready_i = go(ar_);
		dut_.out_ready_i = go(out_);
		size_t from = offer_word();
		bench_.settle();
		quiet_.look(dut_.busy_o, dut_.req_valid_i || dut_.rvalid_i, dut_.arvalid_o || dut_.out_valid_o);
		CHECK(dut_.rready_o, "rready_o is off");
		take_out();
		if (dut_.rvalid_i)
			take_word(from);
		take_address();
		take_request();
		bench_.tick();
	}

	void finish()
	{
		requests = false;
		for (unsigned int i = 0; i < 100000 && (!parts_.empty() || !expected_.empty()); i++)
			cycle();
		CHECK(expected_.empty() && bursts_.empty(), "%zu requests never end", expected_.size());
		requests = true;
	}

	// Reads this without stalls. Returns the number of words, the cycles from the request to the end, and those from
	// the answer of the first word to the word that leaves.
	uint64_t run(std::deque<Request> these, uint64_t *cycles, uint64_t *latency)
	{
		uint64_t before = words, start = bench_.cycle();

		stalls = mixes = false;
		first_answer = first_word = 0;
		script_ = these;
		requests = false;
		while (!script_.empty()) {
			CHECK(bench_.cycle() - start < 200000, "the block stands still");
			cycle();
		}
		finish();
		*cycles = bench_.cycle() - start;
		*latency = first_word - first_answer;
		stalls = mixes = true;
		return words - before;
	}

	uint64_t quiet() const { return quiet_.clocks; }

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	std::vector<uint8_t> memory_;
	std::vector<Burst> bursts_; // outstanding, by age
	std::deque<Expected> expected_;
	std::deque<Request> script_;
	size_t left_ = 0; // number of requests that have left
	Quiet quiet_;
	Request request_;
	std::deque<Request> parts_; // that are to be given for it
	bool begun_ = false, scattered_ = false;
	tally::Throttle req_{ rng_ }, ar_{ rng_ }, r_{ rng_ }, out_{ rng_ };

	bool go(tally::Throttle &throttle) { return !stalls || throttle.go(); }

	void offer_request()
	{
		if (parts_.empty() && !script_.empty()) {
			begin(script_.front(), false);
			script_.pop_front();
		} else if (parts_.empty() && requests && go(req_)) {
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
		if (!begun_) {
			uint64_t first = request_.addr / Boundary, last = (request_.addr + request_.len - 1) / Boundary;

			expected_.push_back({ request_, scattered_, static_cast<unsigned int>(last - first + 1) });
		}
		begun_ = true;
		parts_.pop_front();
	}

	void take_address()
	{
		if (!dut_.arvalid_o || !dut_.arready_i)
			return;
		for (const Burst &b : bursts_)
			CHECK(b.id != dut_.arid_o, "ID %d is used twice", dut_.arid_o);
		size_t i = 0;
		while (i < expected_.size() && !expected_[i].bursts)
			i++;
		CHECK(i < expected_.size(), "a burst of no request");
		const Request &r = expected_[i].request;
		uint64_t at = expected_[i].scattered ? pages.at(dut_.araddr_o) : dut_.araddr_o;
		uint64_t end = at + (dut_.arlen_o + 1) * Bytes;

		// Nothing is read that no byte of the request needs.
		CHECK(at + Bytes > r.addr && end < r.addr + r.len + Bytes, "a burst at %llx of %d words",
		      (unsigned long long)dut_.araddr_o, dut_.arlen_o + 1);
		expected_[i].bursts--;
		bursts_.push_back({ dut_.arid_o, dut_.araddr_o, dut_.arlen_o + 1u, left_ + i });
	}

	size_t offer_word()
	{
		size_t from = bursts_.empty() || !mixes ? 0 : rng_.below(bursts_.size());

		dut_.rvalid_i = !bursts_.empty() && go(r_);
		rng_.fill(&dut_.rdata_i, Bytes);
		dut_.rid_i = rng_.next();
		if (!dut_.rvalid_i)
			return 0;
		const Burst &b = bursts_[from];
		uint64_t at = b.addr - base;

		std::memcpy(&dut_.rdata_i, &memory_[at], Bytes);
		dut_.rid_i = b.id;
		dut_.rresp_i = rng_.one_in(error_one_in) ? 2 + rng_.below(2) : 0;
		return from;
	}

	void take_word(size_t from)
	{
		Burst &b = bursts_[from];

		if (!first_answer)
			first_answer = bench_.cycle();
		overtakes += from != 0;
		if (dut_.rresp_i)
			expected_[b.request - left_].error = true;
		b.addr += Bytes;
		if (!--b.left)
			bursts_.erase(bursts_.begin() + from);
	}

	void check_data(const Expected &e, uint32_t here)
	{
		const uint8_t *data = reinterpret_cast<const uint8_t *>(&dut_.out_data_o);

		for (uint32_t i = 0; i < here; i++) {
			uint64_t addr = e.request.addr + e.at + i;

			CHECK(data[i] == memory_[(e.scattered ? pages.at(addr) : addr) - base],
			      "wrong data at %u of %u bytes from %llx", e.at + i, e.request.len, (unsigned long long)e.request.addr);
		}
	}

	void take_out()
	{
		if (!dut_.out_valid_o || !dut_.out_ready_i)
			return;
		CHECK(!expected_.empty(), "a word of no request");
		if (!first_word)
			first_word = bench_.cycle();
		words++;
		Expected &e = expected_.front();
		uint32_t left = e.request.len - e.at, here = std::min<uint32_t>(left, Bytes);
		bool last = left <= Bytes;
		uint64_t keep = here == 64 ? ~0ull : (1ull << here) - 1;

		CHECK(dut_.out_last_o == last && dut_.out_keep_o == keep, "last %d and keep %llx with %u bytes left",
		      dut_.out_last_o, (unsigned long long)dut_.out_keep_o, left);
		CHECK(dut_.out_tag_o == e.request.tag, "tag %d instead of %d", dut_.out_tag_o, e.request.tag);
		check_data(e, here);
		e.at += here;
		if (!last)
			return;
		CHECK(dut_.out_error_o == e.error, "out_error_o is %d", dut_.out_error_o);
		errors += e.error;
		ended++;
		expected_.pop_front();
		left_++;
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
	tally::Bench<Vdut> bench("axi_rd", argc, argv);
	World world(bench);
	uint64_t cycles, latency, words;

	world.restart();
	world.error_one_in = 1 << 30;
	world.run(all_ends(), &cycles, &latency);
	words = world.run({ { base, 8, 1 } }, &cycles, &latency);
	CHECK(words == 1 && latency == 5, "a word leaves %llu cycles after its data came", (unsigned long long)latency);
	std::deque<Request> pages;
	for (unsigned int i = 0; i < 20; i++)
		pages.push_back({ base + i % 4 * Boundary, Boundary, static_cast<uint8_t>(i) });
	words = world.run(pages, &cycles, &latency);
	CHECK(words == 20 * Boundary / Bytes && cycles <= words + 12, "%llu words take %llu cycles", (unsigned long long)words,
	      (unsigned long long)cycles);
	world.error_one_in = 200;
	bench.live(bench.times(30000), [&] { world.restart(); },
		   [&] {
			   if (bench.rng.one_in(2000)) {
				   world.finish();
				   world.stalls = !world.stalls;
			   }
			   world.cycle();
		   });
	world.finish();
	CHECK(world.ended > 500 && world.quiet() > 100 && world.errors && world.overtakes, "%llu requests, %llu errors, %llu out of order",
	      (unsigned long long)world.ended, (unsigned long long)world.errors, (unsigned long long)world.overtakes);
	return bench.finish();
}
