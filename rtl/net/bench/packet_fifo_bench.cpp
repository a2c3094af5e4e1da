// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_packet_fifo: compares it with a model in each cycle. Packets have all lengths up to Depth and are kept
// or discarded. Their ends come with the last word or later, with stalls on both sides, and resets amid the packets.
#include <deque>

#include "Vdut.h"
#include "bench.h"

class PacketFifo {
public:
	PacketFifo(int argc, char **argv)
		: bench("packet_fifo", argc, argv), dut(*bench.dut), source(bench.rng), sink(bench.rng)
	{
	}

	int run()
	{
		auto step = [this] {
			choose();
			cycle();
		};
		bench.live(bench.times(100000), [this] { restart(); }, step);
		drain();
		full_rate();
		return bench.finish();
	}

private:
	void restart()
	{
		dut.in_valid_i = dut.end_i = dut.out_ready_i = 0;
		bench.reset();
		open.clear();
		kept.clear();
		shown = false;
	}

	// A packet that would not fit ends before its next word.
	void choose()
	{
		bool room = open.size() + kept.size() < Depth;

		dut.in_valid_i = room && source.go();
		dut.in_i = bench.rng.next();
		dut.end_i = !room || bench.rng.one_in(4);
		dut.keep_i = !bench.rng.one_in(4);
		dut.out_ready_i = sink.go();
	}

	void cycle()
	{
		bool fetch = !kept.empty() && (!shown || dut.out_ready_i);

		bench.settle();
		CHECK(dut.room_o == Depth - open.size() - kept.size(), "room_o is %d with %zu and %zu words", dut.room_o,
		      kept.size(), open.size());
		CHECK(dut.out_valid_o == shown, "out_valid_o is %d", dut.out_valid_o);
		CHECK(!shown || dut.out_o == exit, "a word is %x, not %x", dut.out_o, exit);
		if (shown && dut.out_ready_i)
			shown = false;
		if (fetch) {
			exit = kept.front();
			kept.pop_front();
			shown = true;
		}
		if (dut.in_valid_i)
			open.push_back(dut.in_i);
		if (dut.end_i) {
			if (dut.keep_i)
				kept.insert(kept.end(), open.begin(), open.end());
			open.clear();
		}
		bench.tick();
	}

	void drain()
	{
		dut.in_valid_i = dut.keep_i = 0;
		dut.end_i = dut.out_ready_i = 1;
		while (!kept.empty() || shown)
			cycle();
	}

	// Drives one word per clock. cycle() checks that each leaves two cycles later.
	void full_rate()
	{
		for (unsigned int i = 0; i < 10 * Depth; i++) {
			dut.in_valid_i = dut.end_i = dut.keep_i = dut.out_ready_i = 1;
			dut.in_i = bench.rng.next();
			CHECK(shown == (i >= 2), "the word of cycle %u leaves late", i - 2);
			cycle();
		}
	}

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Throttle source, sink;
	std::deque<uint32_t> open, kept;	// words in the memory
	bool shown = false;
	uint32_t exit = 0;
};

int main(int argc, char **argv)
{
	return PacketFifo(argc, argv).run();
}
