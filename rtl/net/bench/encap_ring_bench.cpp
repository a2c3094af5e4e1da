// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_encap_ring: compares it with a model. Packets have all lengths up to Words, some are taken back, and
// words are read as soon as permitted or later. Resets come amid the packets.
#include <deque>

#include "Vdut.h"
#include "bench.h"

struct Entry {
	uint32_t data;
	uint64_t readable;	// first cycle in which it may be read
};

class Ring {
public:
	Ring(int argc, char **argv) : bench("encap_ring", argc, argv), dut(*bench.dut), source(bench.rng), sink(bench.rng)
	{
	}

	int run()
	{
		bench.live(bench.times(100000), [this] { restart(); }, [this] { cycle(false); });
		CHECK(words_out > 1000, "%llu words only", static_cast<unsigned long long>(words_out));
		full_rate();
		return bench.finish();
	}

private:
	void restart()
	{
		dut.write_i = dut.last_i = dut.abort_i = dut.read_i = 0;
		bench.reset();
		open.clear();
		final.clear();
		any = false;
	}

	bool readable() const { return !final.empty() && final.front().readable <= bench.cycle(); }

	void choose(bool full)
	{
		bool room = open.size() + final.size() < Words;

		dut.write_i = room && (full || source.go());
		dut.last_i = full || bench.rng.one_in(4);
		dut.abort_i = !dut.write_i && (!room || bench.rng.one_in(8));
		dut.wdata_i = bench.rng.next();
		dut.read_i = readable() && (full || sink.go());
	}

	void cycle(bool full)
	{
		bench.settle();
		CHECK(dut.room_o == (open.size() + final.size() < Words), "room_o is %d with %zu and %zu words", dut.room_o,
		      final.size(), open.size());
		CHECK(!any || dut.rdata_o == newest, "%x was read, not %x", dut.rdata_o, newest);
		choose(full);
		if (dut.write_i)
			open.push_back({ dut.wdata_i, bench.cycle() + 2 });
		if (dut.write_i && dut.last_i) {
			final.insert(final.end(), open.begin(), open.end());
			open.clear();
		}
		if (dut.abort_i)
			open.clear();
		if (dut.read_i) {
			newest = final.front().data;
			any = true;
			final.pop_front();
			words_out++;
		}
		bench.tick();
	}

	// Checks one word per clock on both sides.
	void full_rate()
	{
		uint64_t before;

		for (unsigned int i = 0; i < 2 * Words; i++)
			cycle(true);
		before = words_out;
		for (unsigned int i = 0; i < 10 * Words; i++)
			cycle(true);
		CHECK(words_out - before == 10 * Words, "fewer than one word per clock");
	}

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Throttle source, sink;
	std::deque<Entry> open, final;
	uint32_t newest = 0;
	uint64_t words_out = 0;
	bool any = false;
};

int main(int argc, char **argv)
{
	return Ring(argc, argv).run();
}
