// SPDX-License-Identifier: BSD-2-Clause
// Runs of the benches of tally_segment, and measurement of the clocks of words.
#include <algorithm>

#include "segment_tester.h"

void Tester::restart()
{
	reset_segment(bench_);
	end();
	begin();
	peeks_ = peek_taken_ = false;
	changes_.clear();
	for (View &v : views_)
		v = {};
	outcomes_.clear();
	divided_.clear();
	clears_.clear();
	reads_.clear();
	packets.clear();
	for (unsigned int k = 0; k < Slots; k++) {
		slots_[k].open.chunk.num = k;
		/* of what was on its way, some is written */
		slots_[k].sum.known = slots_[k].result.known = Bytes(most_bytes);
	}
}

// The end of an epoch: all slots are cleared, whatever they hold.
void Tester::clear()
{
	unsigned int k;

	CHECK(idle() && dut_.idle_o, "packets are inside");
	for (k = 0; k < Slots; k++) {
		slots_[k].open.chunk.num = k;
		clears_.push_back(packet_of(rng_, slots_[k].open, KIND_CLEAR, false, 0, 0));
	}
	while (!idle())
		cycle();
	end();
	begin();
	for (k = 0; k < Slots; k++) /* all are closed */
		packets.push_back(packet_of(rng_, plain_open(k, word_bytes, 1), KIND_QUERY, false, 0, 0));
	while (!idle())
		cycle();
}

// Sends `packets` contributions of `words` words, to `slots` slots in turn. Returns the clocks from the first word to
// the last.
static uint64_t clocks(Tester &t, tally::Rng &rng, unsigned int slots, unsigned int packets, uint32_t words)
{
	std::vector<Open> opens;
	uint64_t before, first;

	t.drain();
	for (unsigned int k = 0; k < slots; k++) {
		opens.push_back(t.plain_open(t.done() + k, words * word_bytes, ones(packets / slots)));
		t.packets.push_back(t.post(opens.back()));
	}
	for (int i = 0; i < 100; i++)
		t.cycle();
	for (unsigned int i = 0; i < packets; i++)
		t.packets.push_back(packet_of(rng, opens[i % slots], KIND_REDUCE, false, i / slots, words * word_bytes));
	before = t.words_in;
	t.first_outcome_at = t.first_last_at = 0;
	while (t.words_in == before)
		t.cycle();
	first = t.last_word_at;
	while (!t.packets.empty() || t.words_in - before < packets * words)
		t.cycle();
	before = t.last_word_at;
	for (unsigned int i = 0; i < t.latency + 4; i++)
		t.cycle();
	CHECK(t.last_outcome_at == before + t.latency + 4, "the last outcome comes after %d clocks", int(t.last_outcome_at - before));
	t.drain();
	CHECK(t.first_outcome_at == t.first_last_at + 4, "the outcome of what is not combined comes after %d clocks",
	      int(t.first_outcome_at - t.first_last_at));
	return before - first + 1;
}

static void measure(Tester &t, tally::Rng &rng)
{
	unsigned int packets = Slots * Contributors, n = Contributors;
	unsigned int apart = t.latency + 1 > 3 ? t.latency + 1 : 3;
	uint64_t spread = clocks(t, rng, Slots, packets, 1), longs = clocks(t, rng, 1, n, most_words),
		 shorts = clocks(t, rng, 1, n, 1);

	std::printf("words in clocks: %u slots, one word each: %u in %u; one slot, %u words each: %u in %u; "
		    "one slot, one word each: %u in %u\n",
		    Slots, packets, unsigned(spread), most_words, n * most_words, unsigned(longs), n, unsigned(shorts));
	CHECK((Slots < apart || spread == packets) && longs == n * most_words, "fewer than one word per clock");
	// The first one is not combined.
	CHECK(shorts == (n - 2) * apart + std::min(apart, 4u) + 1, "the same word waits for more than the ALU");
}

void reset_segment(tally::Bench<Vdut> &bench)
{
	Vdut &dut = *bench.dut;

	dut.in_tvalid_i = dut.read_valid_i = dut.peek_valid_i = 0;
	dut.outcome_ready_i = dut.out_tready_i = 0;
	bench.reset();
}

int run_segment(tally::Bench<Vdut> &bench, Tester &tester)
{
	for (uint64_t left = bench.times(16); left; left--) {
		tester.random = true;
		for (int i = 0; i < 12000; i++)
			tester.cycle();
		if (left % 4 == 1) {
			tester.restart();
			continue;
		}
		tester.drain();
		if (left % 2)
			continue;
		tester.packets.push_back(tester.post(tester.plain_open(tester.done(), word_bytes, 1)));
		for (int i = 0; i < 300; i++)
			tester.cycle();
		tester.clear();
	}
	measure(tester, bench.rng);
	return bench.finish();
}
