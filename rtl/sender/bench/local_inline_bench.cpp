// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_local_inline: the inline data of random requests for random chunks, and all places in a line. The engine's copy_inline()
// is the reference.
#include <algorithm>
#include <cstring>
#include <vector>

#include "Vdut.h"
#include "local_bits.h"

constexpr unsigned int word_bytes = 64;

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	bool stalls = true;
	uint64_t lines = 0, of_requests = 0, first = ~0ull, first_of_two = ~0ull;

	void restart()
	{
		dut_.line_valid_i = dut_.word_valid_i = 0;
		bench_.reset();
		offered_ = wanted_ = reads_ = sends_ = leaves_ = false;
		waits_ = 0;
	}

	void cycle()
	{
		if (!offered_ && rng_.one_in(stalls ? 4 : 1))
			choose();
		dut_.line_valid_i = offered_;
		dut_.read_ready_i = !stalls || rng_.one_in(3);
		dut_.inl_ready_i = !stalls || out_.go();
		send();
		bench_.settle();
		observe();
		CHECK(++waits_ < 1000, "the block has stopped");
		bench_.tick();
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	// What is offered next, and what is wanted now.
	std::vector<uint8_t> next_line_, line_, next_data_, data_;
	unsigned int next_from_ = 0, next_entry_ = 0, from_ = 0, entry_ = 0, waits_ = 0;
	bool offered_ = false, wanted_ = false, reads_ = false, sends_ = false, leaves_ = false;
	size_t in_ = 0, ins_ = 0, at_ = 0, sent_ = 0;
	uint64_t begun_ = 0;
	tally::Throttle out_{ rng_ };

	// A chunk of a request, as the engine finds its data, or any place.
	void choose()
	{
		next_line_.resize(TALLY_MAX_INLINE);
		rng_.fill(next_line_.data(), next_line_.size());
		next_entry_ = rng_.below(Entries);
		offered_ = rng_.one_in(2) ? choose_request() : choose_place();
		dut_.line_entry_i = next_entry_;
		dut_.line_from_i = next_from_;
		dut_.line_len_i = next_data_.size();
	}

	bool choose_request()
	{
		local_request r;
		local_chunk c;

		random_request(rng_, r, c);
		const unsigned int count = std::min(c.whole, c.total - c.first), from = c.first << r.give_log;
		if (r.num_gather || !count || (r.flags & TALLY_WQE_F_LOC_VALUES) || !local_givers())
			return false;
		next_from_ = from;
		next_data_.resize(count << r.give_log);
		CHECK(local_inline(__builtin_ctzll(local_givers()), next_line_.data(), next_data_.data()), "the engine has no inline data");
		of_requests++;
		return true;
	}

	bool choose_place()
	{
		const unsigned int len = 1 + rng_.below(rng_.one_in(4) ? TALLY_MAX_INLINE : 200);

		next_from_ = rng_.below(TALLY_MAX_INLINE - len + 1);
		next_data_.assign(&next_line_[next_from_], &next_line_[next_from_] + len);
		return true;
	}

	// A line of which one word is read needs a clock less.
	void note_first(uint64_t clocks)
	{
		uint64_t &least = ins_ > 1 ? first_of_two : first;

		least = std::min(least, clocks);
	}

	// From the first word on, there is one in each clock in which the block wants one.
	void send()
	{
		const bool waits = sends_ && in_ == sent_;

		sends_ = reads_ && in_ < ins_ && (sends_ || !stalls || rng_.one_in(3));
		dut_.word_valid_i = sends_;
		if (!waits) {
			rng_.fill(&dut_.word_i[0], word_bytes);
			if (sends_)
				std::memcpy(&dut_.word_i[0], &line_[(from_ / word_bytes + in_) * word_bytes], word_bytes);
		}
		sent_ = in_;
	}

	void observe()
	{
		CHECK(dut_.busy_o || (dut_.line_ready_o && !dut_.inl_valid_o && (!dut_.read_valid_o || dut_.line_valid_i)), "it does something and is not busy");
		if (dut_.inl_valid_o)
			observe_out();
		else
			CHECK(!leaves_, "a pause between words");
		if (dut_.word_valid_i && dut_.word_ready_o) {
			if (!in_)
				begun_ = bench_.cycle();
			in_++;
		}
		if (dut_.line_valid_i && dut_.line_ready_o)
			take();
		if (dut_.read_valid_o && dut_.read_ready_i) {
			ins_ = (from_ + data_.size() - 1) / word_bytes - from_ / word_bytes + 1;
			CHECK(wanted_ && !reads_ && dut_.read_entry_o == entry_ && unsigned(dut_.read_first_o) == from_ / word_bytes && dut_.read_words_o == ins_,
			      "%d words from word %d on, instead of %zu from %u on", dut_.read_words_o, dut_.read_first_o, ins_, from_ / word_bytes);
			reads_ = true;
			in_ = sent_ = 0;
		}
	}

	void observe_out()
	{
		const size_t len = std::min<size_t>(word_bytes, data_.size() - at_);

		CHECK(reads_, "a word of nobody");
		CHECK(!std::memcmp(&dut_.inl_data_o[0], &data_[at_], len), "%zu bytes from %u on: another word at byte %zu", data_.size(), from_, at_);
		if (!at_)
			note_first(bench_.cycle() - begun_);
		if (!dut_.inl_ready_i) {
			leaves_ = true;
			return;
		}
		at_ += word_bytes;
		leaves_ = at_ < data_.size();
		if (leaves_)
			return;
		CHECK(in_ == ins_, "%zu words of %zu were taken", in_, ins_);
		wanted_ = reads_ = sends_ = false;
		waits_ = 0;
		lines++;
	}

	void take()
	{
		CHECK(!wanted_, "a second line");
		line_ = next_line_, data_ = next_data_, from_ = next_from_, entry_ = next_entry_;
		wanted_ = true;
		offered_ = false;
		at_ = 0;
		waits_ = 0;
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("local_inline", argc, argv);
	World world(bench);

	bench.live(bench.times(40000), [&] { world.restart(); }, [&] {
		world.stalls = bench.cycle() / 2048 % 2;
		world.cycle();
	});
	CHECK(world.lines > 500 && world.of_requests > 100 && world.first == 1 && world.first_of_two == 2, "%llu lines, %llu of requests, %llu and %llu clocks",
	      (unsigned long long)world.lines, (unsigned long long)world.of_requests, (unsigned long long)world.first,
	      (unsigned long long)world.first_of_two);
	return bench.finish();
}
