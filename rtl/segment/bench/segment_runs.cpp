// SPDX-License-Identifier: BSD-2-Clause
// Runs of the benches of tally_segment, and measurement of the clocks of words.
#include "segment_tester.h"

#include "gen/tally_hw.h"

void Tester::clear()
{
	dut_.in_tvalid_i = dut_.open_valid_i = dut_.release_valid_i = dut_.read_valid_i = 0;
	dut_.clear_i = 1;
	bench_.settle();
	CHECK(dut_.idle_o, "packets are inside");
	bench_.tick();
	dut_.clear_i = 0;
	for (unsigned int k = 0; k < Slots; k++) {
		dut_.query_slot_i = k;
		bench_.tick();
		CHECK(dut_.query_state_o == TALLY_SEG_FREE, "slot %d is not free", k);
	}
	CHECK(!dut_.done_o, "done is %u", dut_.done_o);
	end();
	begin();
}

// Sends `packets` contributions of `words` words, to `slots` slots in turn. Returns the clocks from the first word to
// the last.
static uint64_t clocks(Tester &t, tally::Rng &rng, unsigned int slots, unsigned int packets, uint32_t words)
{
	std::vector<segment_chunk> chunks;
	uint64_t before, first;

	t.drain();
	for (unsigned int k = 0; k < slots; k++) {
		chunks.push_back(plain_chunk(t.done() + k, words * word_bytes));
		t.opens.push_back(t.plain_open(t.done() + k, words * word_bytes, ones(packets / slots)));
	}
	while (!t.opens.empty())
		t.cycle();
	for (int i = 0; i < 100; i++)
		t.cycle();
	for (unsigned int i = 0; i < packets; i++)
		t.packets.push_back(packet_of(rng, chunks[i % slots], KIND_REDUCE, false, i / slots, words * word_bytes));
	before = t.words_in;
	t.first_outcome_at = t.first_last_at = 0;
	while (t.words_in == before)
		t.cycle();
	first = t.last_word_at;
	t.drain();
	CHECK(t.first_outcome_at == t.first_last_at + t.latency + 2, "the first outcome comes after %d clocks",
	      int(t.first_outcome_at - t.first_last_at));
	return t.last_word_at - first + 1;
}

static void measure(Tester &t, tally::Rng &rng)
{
	unsigned int packets = Slots * Contributors, n = Contributors;
	uint64_t spread = clocks(t, rng, Slots, packets, 1), longs = clocks(t, rng, 1, n, Words),
		 shorts = clocks(t, rng, 1, n, 1);

	std::printf("words in clocks: %u slots, one word each: %u in %u; one slot, %u words each: %u in %u; "
		    "one slot, one word each: %u in %u\n",
		    Slots, packets, unsigned(spread), Words, n * Words, unsigned(longs), n, unsigned(shorts));
	CHECK(spread == packets && longs == n * Words, "fewer than one word per clock");
	CHECK(shorts == (n - 1) * (t.latency + 1) + 1, "the same word waits for more than the ALU");
}

void reset_segment(tally::Bench<Vdut> &bench)
{
	Vdut &dut = *bench.dut;

	dut.clear_i = dut.in_tvalid_i = dut.open_valid_i = dut.release_valid_i = dut.read_valid_i = 0;
	dut.opened_ready_i = dut.outcome_ready_i = dut.out_tready_i = 0;
	bench.reset();
}

int run_segment(tally::Bench<Vdut> &bench, Tester &tester)
{
	for (uint64_t left = bench.times(16); left; left--) {
		tester.random = true;
		for (int i = 0; i < 12000; i++)
			tester.cycle();
		tester.drain();
		if (left % 2)
			continue;
		tester.opens.push_back(tester.plain_open(tester.done(), word_bytes, 1));
		for (int i = 0; i < 300; i++)
			tester.cycle();
		tester.clear();
	}
	measure(tester, bench.rng);
	return bench.finish();
}
