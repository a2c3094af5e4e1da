// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_send_merge: two sides offer chunks and messages, with words or without; the bench takes them as tally_send does,
// with all three ends. Each is taken once, unchanged, and its words follow in their order, also past messages without words.
#include <cstring>
#include <deque>

#include "Vdut.h"
#include "bench.h"

extern "C" {
#include "gen/tally_hw.h"
}

enum { SENT, WAITS, DROPPED };	// tally_head_pkg::end_e
constexpr size_t source_bits = 346, source_words = (source_bits + 31) / 32, kind_bit = source_bits - 8;
constexpr size_t len_bit = 16;	// of trigger_t, above err_vector
constexpr unsigned int longest_wait = 200;

static void put(uint32_t *words, size_t bit, size_t n, uint32_t value)
{
	for (size_t i = 0; i < n; i++) {
		words[(bit + i) / 32] &= ~(1u << (bit + i) % 32);
		words[(bit + i) / 32] |= (value >> i & 1) << (bit + i) % 32;
	}
}

struct Side {
	Side(tally::Rng &rng) : offers(rng), pays(rng) {}
	tally::Throttle offers, pays;
	bool offered = false, word_offered = false;
	uint32_t source[source_words];
	unsigned int words = 0;		// behind what is offered
	unsigned int left = 0;		// words of what has left
	uint32_t word = 0;
	unsigned int overtaken = 0;
	uint64_t ends[3] = {}, payloads = 0;
};

class Merge {
public:
	Merge(int argc, char **argv)
		: bench("send_merge", argc, argv), dut(*bench.dut), rng(bench.rng), sides{ Side(rng), Side(rng) }, out(rng), dat(rng)
	{
	}
	int run();

private:
	void restart();
	void offer(unsigned int i);
	void take(unsigned int i);
	void word(unsigned int i);
	void step();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	Side sides[2];
	tally::Throttle out, dat;
	unsigned int still = 0;
	uint64_t overtakes = 0;
};

void Merge::restart()
{
	for (Side &s : sides) {
		s.offered = s.word_offered = false;
		s.left = s.overtaken = 0;
	}
	dut.first_valid_i = dut.first_tvalid_i = dut.second_valid_i = dut.second_tvalid_i = 0;
	dut.out_ready_i = dut.dat_tready_i = 0;
	still = 0;
	bench.reset();
}

// A side offers its next words behind its packet alone. The other side's words must wait for it.
void Merge::offer(unsigned int i)
{
	Side &s = sides[i];

	if (!s.offered && s.offers.go()) {
		const bool message = rng.one_in(2), busy = !message && rng.one_in(3);

		s.offered = true;
		s.words = busy ? 0 : rng.one_in(2) ? !message : 1 + rng.below(4);
		for (uint32_t &w : s.source)
			w = rng.next();
		s.source[source_words - 1] &= (1u << source_bits % 32) - 1;
		put(s.source, kind_bit, 8, message ? TALLY_KIND_TRIGGER : busy ? TALLY_KIND_BUSY : TALLY_KIND_REDUCE);
		put(s.source, kind_bit - 1, 1, !message && !busy);
		if (message)
			put(s.source, len_bit, 13, s.words * 64);
	}
	if (!s.word_offered && s.left && s.pays.go()) {
		s.word_offered = true;
		s.word = rng.next();
	}
}

#define PUT(side, s)                                                           \
	do {                                                                   \
		dut.side##_valid_i = (s).offered;                              \
		std::memcpy(&dut.side##_i, (s).source, sizeof((s).source));    \
		dut.side##_tvalid_i = (s).word_offered;                        \
		std::memcpy(&dut.side##_tdata_i, &(s).word, sizeof((s).word)); \
		dut.side##_tkeep_i = ~uint64_t((s).word);                      \
		dut.side##_tlast_i = (s).left == 1;                            \
	} while (0)

void Merge::take(unsigned int i)
{
	Side &s = sides[i];

	CHECK(s.offered && !std::memcmp(&dut.out_o, s.source, sizeof(s.source)), "something else is taken");
	s.offered = false;
	s.overtaken = 0;
	s.ends[dut.out_end_i]++;
	if (dut.out_end_i == SENT && s.words)
		s.left = s.words;
	else if (dut.out_end_i == SENT && sides[!i].left)
		overtakes++;
	CHECK(!sides[!i].offered || ++sides[!i].overtaken <= 1, "a side is overtaken twice");
}

void Merge::word(unsigned int i)
{
	Side &s = sides[i];
	uint32_t low;

	std::memcpy(&low, &dut.dat_tdata_o, sizeof(low));
	CHECK(s.left && low == s.word && dut.dat_tkeep_o == ~uint64_t(s.word) && dut.dat_tlast_o == (s.left == 1), "a wrong word");
	s.word_offered = false;
	s.payloads += !--s.left;
}

void Merge::step()
{
	offer(0);
	offer(1);
	PUT(first, sides[0]);
	PUT(second, sides[1]);
	dut.out_ready_i = 0;
	dut.dat_tready_i = dat.go() && (sides[0].left || sides[1].left);
	bench.settle();
	// As tally_send: what has words leaves only after those of the packet before have passed.
	const bool of_second = dut.out_valid_o && !std::memcmp(&dut.out_o, sides[1].source, sizeof(sides[1].source));
	const bool waits = sides[of_second].words && (sides[0].left || sides[1].left);

	dut.out_end_i = rng.one_in(3) || waits ? 1 + rng.below(2) : +SENT;
	dut.out_ready_i = dut.out_valid_o && out.go();
	bench.settle();
	const bool takes[2] = { dut.first_valid_i && dut.first_ready_o, dut.second_valid_i && dut.second_ready_o };
	const bool words[2] = { dut.first_tvalid_i && dut.first_tready_o, dut.second_tvalid_i && dut.second_tready_o };

	CHECK(takes[0] + takes[1] == (dut.out_valid_o && dut.out_ready_i), "something is lost, or made up");
	CHECK(words[0] + words[1] == (dut.dat_tvalid_o && dut.dat_tready_i), "a word is lost, or made up");
	still = takes[0] || takes[1] || words[0] || words[1] || !(sides[0].offered || sides[1].offered) ? 0 : still + 1;
	CHECK(still < longest_wait, "nothing leaves");
	for (unsigned int i = 0; i < 2; i++) {
		if (words[i])
			word(i);
		if (takes[i])
			take(i);
	}
	bench.tick();
}

int Merge::run()
{
	bench.live(bench.times(40000), [this] { restart(); }, [this] { step(); });
	for (const Side &s : sides)
		CHECK(s.ends[SENT] > 500 && s.ends[WAITS] > 500 && s.ends[DROPPED] > 500 && s.payloads > 300, "too little of a side");
	CHECK(overtakes > 100, "%llu messages without words overtake words", (unsigned long long)overtakes);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Merge(argc, argv).run();
}
