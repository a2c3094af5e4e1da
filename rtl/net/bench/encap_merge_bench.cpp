// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_encap_merge: two senders of headers, with payloads of any length or none, and a receiver that stalls. Each
// header leaves once, unchanged and in the order of its sender, with its own payload behind it; neither side is overtaken twice.
#include <cstring>
#include <deque>

#include "Vdut.h"
#include "bench.h"

extern "C" {
#include "gen/tally_hw.h"
}

constexpr size_t hdr_bits = 998, hdr_words = (hdr_bits + 31) / 32;	// tally_encap_pkg::tx_hdr_t
constexpr size_t payload_len_bit = 8 * sizeof(struct tally_tch);
constexpr unsigned int longest_wait = 200;

struct Side {
	Side(tally::Rng &rng) : hdr(rng), pay(rng) {}
	tally::Throttle hdr, pay;
	bool offered = false, word_offered = false;
	uint32_t header[hdr_words];
	unsigned int words = 0;		// of the payload of the header that is offered
	unsigned int left = 0;		// words of a payload whose header has left
	uint32_t word = 0;		// the low bits of the next one
	unsigned int overtaken = 0;
	uint64_t headers = 0, payloads = 0;
};

class Merge {
public:
	Merge(int argc, char **argv)
		: bench("encap_merge", argc, argv), dut(*bench.dut), rng(bench.rng), sides{ Side(rng), Side(rng) }, out(rng), dat(rng)
	{
	}
	int run();

private:
	void restart();
	void offer(Side &s);
	void step();
	void header(unsigned int i);
	void word(unsigned int i);

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	Side sides[2];
	tally::Throttle out, dat;
	unsigned int still = 0;
};

void Merge::restart()
{
	for (Side &s : sides) {
		s.offered = s.word_offered = false;
		s.left = s.overtaken = 0;
	}
	dut.first_valid_i = dut.first_tvalid_i = dut.second_valid_i = dut.second_tvalid_i = 0;
	dut.out_ready_i = dut.dat_tready_i = 0;
	bench.reset();
}

void Merge::offer(Side &s)
{
	if (!s.offered && s.hdr.go()) {
		s.offered = true;
		s.words = rng.one_in(3) ? 0 : 1 + rng.below(4);
		for (uint32_t &w : s.header)
			w = rng.next();
		s.header[hdr_words - 1] &= (1u << hdr_bits % 32) - 1;
		for (size_t i = 0; i < 13; i++) {
			const size_t bit = payload_len_bit + i;

			s.header[bit / 32] &= ~(1u << bit % 32);
			s.header[bit / 32] |= (s.words * 64 >> i & 1u) << bit % 32;
		}
	}
	// a payload may be there before its header has left
	if (!s.word_offered && (s.left || (s.offered && s.words)) && s.pay.go()) {
		s.word_offered = true;
		s.word = rng.next();
	}
}

#define PUT(side, s)                                                         \
	do {                                                                 \
		dut.side##_valid_i = (s).offered;                            \
		std::memcpy(&dut.side##_i, (s).header, sizeof((s).header));  \
		dut.side##_tvalid_i = (s).word_offered;                      \
		std::memcpy(&dut.side##_tdata_i, &(s).word, sizeof((s).word)); \
		dut.side##_tkeep_i = ~uint64_t((s).word);                    \
		dut.side##_tlast_i = ((s).left ? (s).left : (s).words) == 1; \
	} while (0)

void Merge::header(unsigned int i)
{
	Side &s = sides[i];

	CHECK(s.offered && !sides[0].left && !sides[1].left, "a header leaves that is not offered, or before a payload");
	CHECK(!std::memcmp(&dut.out_o, s.header, sizeof(s.header)), "a wrong header leaves");
	s.offered = false;
	s.left = s.words;
	s.overtaken = 0;
	s.headers++;
	CHECK(!sides[!i].offered || ++sides[!i].overtaken <= 1, "a side is overtaken twice");
}

void Merge::word(unsigned int i)
{
	Side &s = sides[i];
	uint32_t low;

	std::memcpy(&low, &dut.dat_tdata_o, sizeof(low));
	CHECK(s.left && s.word_offered, "a word is taken before its header");
	CHECK(low == s.word && dut.dat_tkeep_o == ~uint64_t(s.word) && dut.dat_tlast_o == (s.left == 1), "a wrong word leaves");
	s.word_offered = false;
	s.payloads += !--s.left;
}

void Merge::step()
{
	for (Side &s : sides)
		offer(s);
	PUT(first, sides[0]);
	PUT(second, sides[1]);
	dut.out_ready_i = out.go();
	dut.dat_tready_i = dat.go();
	bench.settle();
	const bool headers[2] = { dut.first_valid_i && dut.first_ready_o, dut.second_valid_i && dut.second_ready_o };
	const bool words[2] = { dut.first_tvalid_i && dut.first_tready_o, dut.second_tvalid_i && dut.second_tready_o };

	CHECK(headers[0] + headers[1] == (dut.out_valid_o && dut.out_ready_i), "a header is lost, or made up");
	CHECK(words[0] + words[1] == (dut.dat_tvalid_o && dut.dat_tready_i), "a word is lost, or made up");
	CHECK(dut.busy_o == (sides[0].left || sides[1].left), "busy_o is %d", dut.busy_o);
	still = headers[0] || headers[1] || words[0] || words[1] || !(sides[0].offered || sides[1].offered) ? 0 : still + 1;
	CHECK(still < longest_wait, "nothing leaves");
	for (unsigned int i = 0; i < 2; i++) {
		if (words[i])
			word(i);
		if (headers[i])
			header(i);
	}
	bench.tick();
}

int Merge::run()
{
	bench.live(bench.times(40000), [this] { restart(); }, [this] { step(); });
	for (const Side &s : sides)
		CHECK(s.headers > 1000 && s.payloads > 500, "%llu headers and %llu payloads of a side", (unsigned long long)s.headers,
		      (unsigned long long)s.payloads);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Merge(argc, argv).run();
}
