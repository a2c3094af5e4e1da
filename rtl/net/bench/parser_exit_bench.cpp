// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_parser_exit after a pipeline of the maximum depth. Frames have payload or none, and are kept or
// discarded, with stalls on all sides. Runs without stalls check the latencies. Nothing may be lost. Resets come amid the
// frames.
#include <algorithm>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"

constexpr unsigned int stages = UnderWay - 2, bytes = Width / 8;

struct Word {
	uint32_t data;
	unsigned int count;	// number of bytes, 0: all
	bool last;
	uint64_t ended;		// cycle of its packet's end
};

// Results of one word that entered.
struct Item {
	bool has_word = false, end = false, keep = false;
	Word word = {};
	uint16_t record = 0;
};

struct Record {
	uint16_t value;
	uint64_t ended;
};

class ParserExit {
public:
	ParserExit(int argc, char **argv)
		: bench("parser_exit", argc, argv), dut(*bench.dut), source(bench.rng), records(bench.rng), sink(bench.rng)
	{
	}

	int run()
	{
		bench.live(bench.times(200000), [this] { restart(); }, [this] { cycle(); });
		flood();
		drain();
		for (unsigned int left = 2000; left; left--)
			cycle();
		return bench.finish();
	}

private:
	void restart()
	{
		put({});
		dut.hdr_ready_i = dut.out_tready_i = 0;
		bench.reset();
		CHECK(!dut.room_o, "room_o is high during reset");
		todo.clear();
		pipe.assign(stages, {});
		open.clear();
		kept.clear();
		ended.clear();
	}

	// Generates the next frame: the first words that enter give a word of payload each, the others none.
	void frame()
	{
		unsigned int n = flooded ? 1 : 1 + bench.rng.below(bench.rng.one_in(3) ? 12 : 2), words = bench.rng.below(n + 1);
		bool keep = !bench.rng.one_in(4);

		for (unsigned int i = 0; i < n; i++) {
			Item item;

			item.has_word = i < words;
			item.word.last = i + 1 == words;
			item.word.count = item.word.last ? bench.rng.below(bytes) : 0;
			item.word.data = bench.rng.next();
			item.end = i + 1 == n;
			item.keep = item.end ? keep : bench.rng.below(2);
			item.record = bench.rng.next();
			todo.push_back(item);
		}
	}

	void put(const Item &item)
	{
		dut.word_valid_i = item.has_word;
		dut.word_last_i = item.word.last;
		dut.word_bytes_i = item.word.count;
		dut.word_data_i = item.word.data;
		dut.end_i = item.end;
		dut.keep_i = item.keep;
		dut.record_i = item.record;
	}

	void arrived(Item &item)
	{
		if (item.has_word)
			open.push_back(item.word);
		if (!item.end)
			return;
		ended.push_back({ item.record, bench.cycle() });
		for (Word &word : open) {
			word.ended = bench.cycle();
			if (item.keep)
				kept.push_back(word);
		}
		open.clear();
	}

	void record()
	{
		CHECK(!ended.empty() && ended.front().ended < bench.cycle(), "a record before its frame's end");
		CHECK(dut.hdr_o == ended.front().value, "hdr_o is %x, not %x", dut.hdr_o, ended.front().value);
		CHECK(stalls || bench.cycle() == std::max(ended.front().ended, record_taken) + 1, "a record late without stalls");
		if (dut.hdr_ready_i) {
			record_taken = bench.cycle();
			ended.pop_front();
		}
	}

	void word()
	{
		CHECK(!kept.empty() && kept.front().ended + 1 < bench.cycle(), "a word before its packet's end");
		const Word &w = kept.front();
		unsigned int keep = w.count ? (1u << w.count) - 1 : (1u << bytes) - 1;

		CHECK(dut.out_tdata_o == w.data, "out_tdata_o is %x, not %x", dut.out_tdata_o, w.data);
		CHECK(dut.out_tlast_o == w.last, "out_tlast_o is %d", dut.out_tlast_o);
		CHECK(dut.out_tkeep_o == keep, "out_tkeep_o is %x, not %x", dut.out_tkeep_o, keep);
		CHECK(stalls || bench.cycle() == std::max(w.ended + 1, word_taken) + 1, "a word late without stalls");
		if (dut.out_tready_i) {
			word_taken = bench.cycle();
			kept.pop_front();
		}
	}

	void cycle(bool enters = true)
	{
		Item now = pipe.front();

		pipe.pop_front();
		put(now);
		dut.hdr_ready_i = !flooded && (!stalls || records.go());
		dut.out_tready_i = !stalls || sink.go();
		bench.settle();
		CHECK(dut.hdr_valid_o || ended.empty() || ended.front().ended == bench.cycle(), "no record");
		if (dut.hdr_valid_o)
			record();
		if (dut.out_tvalid_o)
			word();
		arrived(now);
		CHECK(stalls || !enters || dut.room_o, "room_o is low without stalls");
		if (todo.empty())
			frame();
		pipe.push_back({});
		if (enters && dut.room_o && (flooded || !stalls || source.go())) {
			pipe.back() = todo.front();
			todo.pop_front();
		}
		bench.tick();
	}

	// Each word is a frame, and no record leaves.
	void flood()
	{
		flooded = true;
		for (unsigned int left = 2 * Records; left; left--)
			cycle();
		flooded = false;
	}

	// Runs until all words have left. Afterwards there must be room.
	void drain()
	{
		stalls = false;
		word_taken = record_taken = bench.cycle() - 1;
		for (unsigned int left = 2 * Words + stages; left; left--)
			cycle(false);
		CHECK(kept.empty() && ended.empty(), "%zu words and %zu records did not leave", kept.size(), ended.size());
	}

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Throttle source, records, sink;
	std::deque<Item> todo, pipe;
	std::deque<Word> open, kept;
	std::deque<Record> ended;
	bool stalls = true, flooded = false;
	uint64_t word_taken = 0, record_taken = 0;	// cycles of the last word and record
};

int main(int argc, char **argv)
{
	return ParserExit(argc, argv).run();
}
