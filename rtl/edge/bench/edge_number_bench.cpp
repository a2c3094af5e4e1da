// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_edge_number: headers with and without names, with payloads of any length, of which some may not leave,
// while all sides stall. What leaves is what came, in its order, but for number, PSN and the number before a TRIGGER.
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"

extern "C" {
#include "gen/tally_hw.h"
}

constexpr size_t hdr_bytes = (998 + 7) / 8;	// tally_encap_pkg::tx_hdr_t
constexpr size_t tch_bytes = sizeof(struct tally_tch), hdr_words = (998 + 31) / 32;

struct Header {
	uint32_t words[hdr_words];	// bit 0 is that of the last field, which is the collective header
	unsigned int payload_words;
	bool named, again;
	unsigned int context, edge, ref;
	bool asked, ok;			// it has got its answer
};

struct Expected {
	uint32_t words[hdr_words];
	unsigned int payload_words;
};

// Byte i of the collective header.
static uint8_t tch_byte(const uint32_t *words, size_t i)
{
	size_t bit = 8 * (tch_bytes - 1 - i);

	return words[bit / 32] >> bit % 32;
}

static uint32_t tch_number(const uint32_t *words, size_t at, size_t n)
{
	uint32_t value = 0;

	for (size_t i = 0; i < n; i++)
		value = value << 8 | tch_byte(words, at + i);
	return value;
}

static void put_bits(uint32_t *words, size_t bit, size_t n, uint32_t value)
{
	for (size_t i = 0; i < n; i++) {
		words[(bit + i) / 32] &= ~(1u << (bit + i) % 32);
		words[(bit + i) / 32] |= (value >> i & 1) << (bit + i) % 32;
	}
}

// Bits of fields of 32 and 8 bits of the collective header.
#define TCH_BIT(field, bits) (8 * (tch_bytes - offsetof(struct tally_tch, field)) - (bits))
constexpr size_t payload_len_bit = 8 * tch_bytes, psn_bit = payload_len_bit + 13;

class Number {
public:
	Number(int argc, char **argv)
		: bench("edge_number", argc, argv), dut(*bench.dut), rng(bench.rng), hdr(rng), pay(rng), ask(rng), out(rng), dat(rng)
	{
	}
	int run();

private:
	void restart();
	void cycle();
	void new_header();
	void answer();
	void check_ask();
	void leaves();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle hdr, pay, ask, out, dat;
	Header now;
	bool offered = false;
	std::deque<unsigned int> words;		// of payloads of headers that were taken or are offered, not taken
	std::deque<bool> passes;		// whether a payload passes, of each that is not taken completely
	uint32_t seq = 0, before = 0;
	uint64_t named = 0, dropped = 0, triggers = 0, plain = 0, full = 0;
	unsigned int left = 0;			// words that are still to be taken of the first payload
};

void Number::restart()
{
	dut.in_valid_i = dut.pay_tvalid_i = dut.out_ready_i = dut.dat_tready_i = dut.ask_ready_i = 0;
	offered = false;
	words.clear();
	passes.clear();
	left = 0;
	bench.reset();
}

void Number::new_header()
{
	for (uint32_t &w : now.words)
		w = rng.next();
	now.words[hdr_words - 1] &= (1u << 998 % 32) - 1;
	now.payload_words = rng.one_in(2) ? 0 : 1 + rng.below(4);
	put_bits(now.words, payload_len_bit, 13, now.payload_words * 64);
	if (rng.one_in(2))
		put_bits(now.words, TCH_BIT(kind, 8), 8, rng.one_in(2) ? +TALLY_KIND_TRIGGER : +TALLY_KIND_REDUCE);
	now.named = rng.one_in(2);
	now.again = rng.one_in(2);
	now.context = rng.below(65536);
	now.edge = rng.below(256);
	now.ref = rng.below(65536);
	now.asked = now.ok = false;
}

void Number::check_ask()
{
	unsigned __int128 a = 0;
	const uint32_t *w = now.words;

	CHECK(offered && now.named && !now.asked, "a number is asked for");
	for (int i = 3; i >= 0; i--)
		a = a << 32 | dut.ask_o[i];
	CHECK((a >> 97 & 1) == now.again && (a >> 81 & 0xffff) == now.context && (a >> 73 & 0xff) == now.edge &&
	      (a >> 57 & 0xffff) == now.ref, "for another edge, or another packet");
	CHECK((a >> 25 & UINT32_MAX) == tch_number(w, offsetof(struct tally_tch, edge_seq), 4), "with another number");
	CHECK((a >> 24 & 1) == (tch_number(w, offsetof(struct tally_tch, kind), 1) == TALLY_KIND_TRIGGER), "of another kind");
	CHECK((a & 0xffffff) == (tch_number(w, offsetof(struct tally_tch, port), 2) << 8 |
				 tch_number(w, offsetof(struct tally_tch, counter), 1)), "for another counter");
}

void Number::answer()
{
	dut.ask_ready_i = 0;
	dut.ask_ok_i = rng.one_in(2);
	dut.ask_full_i = !dut.ask_ok_i && rng.one_in(3);
	dut.ask_seq_i = rng.next();
	dut.ask_before_i = rng.next();
	bench.settle();
	if (!dut.ask_valid_o)
		return;
	check_ask();
	dut.ask_ready_i = ask.go();
}

// A header leaves: the words that it must have are known.
void Number::leaves()
{
	CHECK(offered && (!now.named || (now.asked && now.ok)), "a header without a number leaves");
	Expected e;

	std::memcpy(e.words, now.words, sizeof(e.words));
	if (now.named) {
		put_bits(e.words, TCH_BIT(edge_seq, 32), 32, seq);
		put_bits(e.words, psn_bit, 24, seq & 0xffffff);
		if (tch_byte(now.words, offsetof(struct tally_tch, kind)) == TALLY_KIND_TRIGGER) {
			put_bits(e.words, TCH_BIT(num, 32), 32, before);
			triggers++;
		}
		named++;
	} else {
		plain++;
	}
	CHECK(!std::memcmp(&dut.out_o, e.words, hdr_words * 4), "a wrong header leaves");
}

void Number::cycle()
{
	if (!offered && hdr.go()) {
		new_header();
		offered = true;
	}
	dut.in_valid_i = offered;
	std::memcpy(&dut.in_i, now.words, sizeof(now.words));
	dut.in_name_i = uint64_t(now.named) << 41 | uint64_t(now.again) << 40 | uint64_t(now.context) << 24 |
			uint64_t(now.edge) << 16 | now.ref;
	// a payload may be there before its header is taken
	if (!dut.pay_tvalid_i)
		dut.pay_tvalid_i = (left || !passes.empty() || (offered && now.payload_words)) && pay.go();
	dut.out_ready_i = out.go();
	dut.dat_tready_i = dat.go();
	answer();
	if (!passes.empty() && !left)
		left = words.front();
	dut.pay_tlast_i = passes.empty() ? now.payload_words == 1 : left == 1;
	bench.settle();
	bool taken = dut.in_valid_i && dut.in_ready_o, gives = dut.out_valid_o && dut.out_ready_i;

	if (dut.out_valid_o)
		leaves();
	CHECK(!gives || taken, "a header leaves, and is not taken");
	CHECK(!taken || gives || (now.named && now.asked && !now.ok), "a header is lost");
	CHECK(!(now.asked && offered) || dut.busy_o, "not busy with a number");
	CHECK(passes.empty() || dut.busy_o, "not busy with a payload");
	if (dut.pay_tvalid_i && dut.pay_tready_o) {
		CHECK(!passes.empty(), "a payload is taken before its header");
		CHECK(!passes.front() || (dut.dat_tvalid_o && dut.dat_tready_i), "a word is lost");
	}
	CHECK(!dut.dat_tvalid_o || (!passes.empty() && passes.front() && dut.pay_tvalid_i), "a word of no payload leaves");
	bool word = dut.pay_tvalid_i && dut.pay_tready_o;

	CHECK(!(dut.dat_tvalid_o && dut.dat_tready_i) || word, "a word leaves twice");
	if (dut.ask_valid_o && dut.ask_ready_i && dut.ask_full_i) {
		full++;
	} else if (dut.ask_valid_o && dut.ask_ready_i) {
		now.asked = true;
		now.ok = dut.ask_ok_i;
		seq = dut.ask_seq_i;
		before = dut.ask_before_i;
	}
	bench.tick();
	if (word) {
		dut.pay_tvalid_i = 0;
		if (!--left) {
			words.pop_front();
			passes.pop_front();
		}
	}
	if (!taken)
		return;
	offered = false;
	dropped += !gives;
	if (now.payload_words) {
		words.push_back(now.payload_words);
		passes.push_back(gives);
	}
}

int Number::run()
{
	static_assert(hdr_bytes <= 4 * hdr_words, "words of a header");
	bench.live(bench.times(60000), [this] { restart(); }, [this] { cycle(); });
	CHECK(named > 1000 && plain > 1000 && dropped > 1000 && triggers > 100 && full > 100,
	      "%llu with numbers, %llu of them TRIGGERs, %llu without, %llu dropped, %llu full windows", (unsigned long long)named,
	      (unsigned long long)triggers, (unsigned long long)plain, (unsigned long long)dropped, (unsigned long long)full);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Number(argc, argv).run();
}
