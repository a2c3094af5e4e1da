// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_axis_arbiter. Each stream offers packets of random length and content, with pauses. Each stream's
// words must leave as they entered, without words of other streams within a packet. No stream may wait for more than
// Num - 1 packets of others. Resets come amid the packets.
#include <array>
#include <cstring>
#include <deque>

#include "Vdut.h"
#include "bench.h"

constexpr unsigned int words = Bytes / 4;

struct Word {
	std::array<uint32_t, words> data;
	uint64_t keep;
	bool last;
};

// One input: the word that it offers, and the words of this stream inside the block.
class Stream {
public:
	Stream(tally::Rng &rng, unsigned int index) : rng_(rng), source_(rng), index_(index) {}

	void offer(Vdut &dut)
	{
		if (!offers_ && source_.go())
			next();
		uint32_t bit = 1u << index_;
		dut.in_tvalid_i = (dut.in_tvalid_i & ~bit) | (offers_ ? bit : 0);
		dut.in_tlast_i = (dut.in_tlast_i & ~bit) | (word_.last ? bit : 0);
		std::memcpy(reinterpret_cast<char *>(&dut.in_tdata_i) + index_ * Bytes, word_.data.data(), Bytes);
		std::memcpy(reinterpret_cast<char *>(&dut.in_tkeep_i) + index_ * Bytes / 8, &word_.keep, Bytes / 8);
	}

	// Notes that the block took the offered word. Returns true if it was the first word of a packet.
	bool take()
	{
		bool first = first_;

		inside.push_back(word_);
		first_ = word_.last;
		offers_ = false;
		waited = 0;
		return first;
	}

	bool offers() const { return offers_; }
	bool at_first() const { return first_; }

	std::deque<Word> inside;
	unsigned int waited = 0;	// packets of others that began since this stream offers one

private:
	void next()
	{
		rng_.fill(word_.data.data(), Bytes);
		word_.last = rng_.one_in(1 + rng_.below(6));
		word_.keep = Bytes == 64 ? ~0ULL : (1ULL << Bytes) - 1;
		if (word_.last)
			word_.keep >>= rng_.below(Bytes);
		offers_ = true;
	}

	tally::Rng &rng_;
	tally::Throttle source_;
	unsigned int index_;
	Word word_ = {};
	bool offers_ = false, first_ = true;
};

// Checks a word that leaves the block.
static void leave(const Vdut &dut, std::deque<Stream> &streams, int &within)
{
	unsigned int from = dut.out_from_o;

	CHECK(from < Num && !streams[from].inside.empty(), "a word from stream %u, which has none inside", from);
	CHECK(within < 0 || static_cast<unsigned int>(within) == from, "a word of stream %u within a packet of stream %d",
	      from, within);
	const Word &word = streams[from].inside.front();
	CHECK(!std::memcmp(&dut.out_tdata_o, word.data.data(), Bytes), "data of stream %u changed", from);
	CHECK(!std::memcmp(&dut.out_tkeep_o, &word.keep, Bytes / 8), "tkeep of stream %u changed", from);
	CHECK(dut.out_tlast_o == word.last, "tlast of stream %u changed", from);
	within = word.last ? -1 : static_cast<int>(from);
	streams[from].inside.pop_front();
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("axis_arbiter", argc, argv);
	Vdut &dut = *bench.dut;
	std::deque<Stream> streams;
	tally::Throttle sink(bench.rng);
	int within;
	unsigned int inside;

	auto restart = [&] {
		dut.in_tvalid_i = dut.out_tready_i = 0;
		bench.reset();
		streams.clear();
		for (unsigned int i = 0; i < Num; i++)
			streams.emplace_back(bench.rng, i);
		within = -1;
		inside = 0;
	};
	auto cycle = [&] {
		for (Stream &stream : streams)
			stream.offer(dut);
		dut.out_tready_i = sink.go();
		bench.settle();
		CHECK(dut.out_tvalid_o == (inside != 0), "out_tvalid_o is %d with %u words inside", dut.out_tvalid_o, inside);
		uint32_t taken = dut.in_tready_o & dut.in_tvalid_i;
		CHECK(!(taken & (taken - 1)), "two words enter at once");
		bool within_one = false, offered = false;
		for (const Stream &stream : streams) {
			within_one = within_one || !stream.at_first();
			offered = offered || stream.offers();
		}
		CHECK(taken || within_one || !offered || inside == 2, "no stream enters");
		unsigned int entering = 0;
		if (dut.out_tvalid_o && dut.out_tready_i) {
			leave(dut, streams, within);
			inside--;
		}
		for (unsigned int i = 0; i < Num; i++) {
			if (!(taken >> i & 1))
				continue;
			entering++;
			if (!streams[i].take())
				continue;
			for (Stream &other : streams) {
				if (other.offers() && other.at_first())
					CHECK(++other.waited < Num, "a stream starves");
			}
		}
		inside += entering;
		bench.tick();
	};
	bench.live(bench.times(60000), restart, cycle);
	return bench.finish();
}
