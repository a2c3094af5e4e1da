// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_trigger_words: places of any length are read while memory and receiver stall. The words must be those of the place,
// in order, and no more.
#include <deque>

#include "Vdut.h"
#include "bench.h"

static uint32_t word_of(unsigned int place, unsigned int word)
{
	return (place * 977 + word) * 2654435761u;
}

class Words_ {
public:
	Words_(int argc, char **argv) : bench("trigger_words", argc, argv), dut(*bench.dut), rng(bench.rng) {}

	int run()
	{
		bench.live(bench.times(200000), [this] { restart(); }, [this] { cycle(); });
		CHECK(empty > 100 && whole > 100, "%llu are empty, %llu whole", static_cast<unsigned long long>(empty),
		      static_cast<unsigned long long>(whole));
		return bench.finish();
	}

private:
	struct Read {
		unsigned int place, word;
		uint64_t at;
	};
	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle memory{ rng }, out{ rng };
	std::deque<Read> reads;
	unsigned int place = 0, words = 0, asked = 0, got = 0;
	bool busy = false;
	uint64_t empty = 0, whole = 0;

	void restart()
	{
		dut.start_valid_i = dut.rd_ready_i = dut.rdata_valid_i = dut.out_ready_i = 0;
		reads.clear();
		busy = false;
		words = asked = got = 0;
		bench.reset();
	}

	void cycle()
	{
		if (!dut.start_valid_i && rng.one_in(3)) {
			dut.start_valid_i = 1;
			dut.place_i = rng.below(Places);
			dut.words_i = rng.one_in(4) ? rng.below(2) * Words : rng.below(Words + 1);
		}
		dut.rd_ready_i = memory.go();
		dut.out_ready_i = out.go();
		dut.rdata_valid_i = !reads.empty() && reads.front().at == bench.cycle();
		if (dut.rdata_valid_i)
			dut.rdata_i = word_of(reads.front().place, reads.front().word);
		bench.settle();
		check();
		const bool starts = dut.start_valid_i && dut.start_ready_o;

		if (dut.rdata_valid_i)
			reads.pop_front();
		if (dut.rd_valid_o && dut.rd_ready_i) {
			reads.push_back({ dut.rd_place_o, dut.rd_word_o, bench.cycle() + 2 });
			asked++;
		}
		bench.tick();
		if (!starts)
			return;
		place = dut.place_i;
		words = dut.words_i;
		asked = got = 0;
		empty += !words;
		whole += words == Words;
		dut.start_valid_i = 0;
	}

	void check()
	{
		CHECK(dut.start_ready_o == (got == words), "ready %d with %u of %u words", dut.start_ready_o, got, words);
		if (dut.rd_valid_o)
			CHECK(dut.rd_place_o == place && dut.rd_word_o == asked && asked < words, "word %u of place %u is read", dut.rd_word_o,
			      dut.rd_place_o);
		if (!dut.out_valid_o)
			return;
		CHECK(got < words && dut.out_o == word_of(place, got), "not word %u", got);
		CHECK(dut.out_last_o == (got + 1 == words), "the last word is another one");
		got += dut.out_ready_i;
	}
};

int main(int argc, char **argv)
{
	return Words_(argc, argv).run();
}
