// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_parser: compares it with the model's NIC, wire and engine. The frames of roce_build() have all kinds
// and lengths and both IP versions. They are intact, modified, truncated or too long; other frames are random. There
// are stalls on each side, and runs without stalls, which check that a word enters in each cycle. Resets come amid the
// frames.
#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "parser_frames.h"
#include "parser_record.h"

constexpr size_t word_bytes = 64;
constexpr uint64_t hdr_latency = 11, word_latency = 12, ahead_latency = 6;

struct Expected {
	Frame frame;
	enum tally_rx verdict = TALLY_RX_OK;
	struct model_rx rx = {};
	uint64_t entered = 0;	/* cycle of its last word */
};

struct Payload {
	std::vector<uint8_t> bytes;
	uint64_t entered;	/* cycle of its frame's last word */
};

class Parser {
public:
	Parser(int argc, char **argv)
		: bench("parser", argc, argv), dut(*bench.dut), frames(bench.rng), source(bench.rng), records(bench.rng),
		  sink(bench.rng)
	{
		be_at(false);
		restart();
	}

	int run();

private:
	void restart();
	/* Sets the address of this node. */
	void be_at(bool ip6);
	void add(const Frame &frame);
	void drain();
	void cycle();
	void offer();
	void entered();
	void ahead();
	void record();
	void word();
	void lengths();
	void damage();
	void many(uint64_t n);
	void resets();
	void full_speed(size_t frame_len, size_t n);
	void full_of_records();
	void latency();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	Frames frames;
	tally::Throttle source, records, sink;
	bool stalls = true;
	bool held = false;		/* takes no record */
	std::deque<Frame> todo;
	size_t at = 0;			/* offset in the first frame of todo */
	bool offered = false;
	std::deque<Expected> inside;	/* frames without a record so far */
	std::deque<Payload> payloads;
	size_t payload_at = 0;
	uint64_t word_taken = 0;	/* cycle */
	bool told = false;		/* the header of the frame whose record is next */
	uint32_t told_sgid[4], told_tch[sizeof(struct tally_tch) / 4];
	uint64_t hdr_cycles = 0, word_cycles = 0, ahead_cycles = 0; /* from the newest frame's last word */
	uint64_t verdicts[TALLY_RX_MAC_ERROR + 1] = {};
};

void Parser::restart()
{
	dut.in_tvalid_i = dut.hdr_ready_i = dut.out_tready_i = 0;
	bench.reset();
	todo.clear();
	inside.clear();
	payloads.clear();
	at = payload_at = 0;
	offered = told = false;
}

void Parser::be_at(bool ip6)
{
	const uint8_t *gid = ip6 ? frames.gid6 : frames.gid4;

	frames.at_ip6 = ip6;
	dut.mac_i = 0;
	for (uint8_t byte : frames.mac)
		dut.mac_i = dut.mac_i << 8 | byte;
	for (unsigned int k = 0; k < 4; k++)
		dut.gid_i[3 - k] = (uint32_t)gid[4 * k] << 24 | gid[4 * k + 1] << 16 | gid[4 * k + 2] << 8 | gid[4 * k + 3];
}

void Parser::add(const Frame &frame)
{
	todo.push_back(frame);
	while (todo.size() > 4)
		cycle();
}

void Parser::drain()
{
	uint64_t limit = bench.cycle() + 20000;

	while (!todo.empty() || !inside.empty() || !payloads.empty()) {
		CHECK(bench.cycle() < limit, "%zu frames without a record, %zu without payload", inside.size(), payloads.size());
		cycle();
	}
}

/* An offer stays until it is taken. */
void Parser::offer()
{
	uint8_t data[word_bytes];
	size_t n;

	if (!offered)
		offered = !todo.empty() && (!stalls || held || source.go());
	dut.in_tvalid_i = offered;
	if (!offered) {
		bench.rng.fill(&dut.in_tdata_i, word_bytes);
		dut.in_tlast_i = bench.rng.below(2);
		dut.in_tkeep_i = ~0ull;
		return;
	}
	const Frame &f = todo.front();

	n = f.data.size() - at;
	n = n < word_bytes ? n : word_bytes;
	std::memset(data, 0xee, word_bytes);
	std::memcpy(data, &f.data[at], n);
	std::memcpy(&dut.in_tdata_i, data, word_bytes);
	dut.in_tlast_i = at + n == f.data.size();
	dut.in_tkeep_i = n < 64 ? (1ull << n) - 1 : ~0ull;
	dut.in_terror_i = dut.in_tlast_i ? f.mac_error : at / word_bytes % 2;
}

void Parser::entered()
{
	Expected e;

	offered = false;
	at += word_bytes;
	if (at < todo.front().data.size())
		return;
	e.frame = todo.front();
	e.entered = bench.cycle();
	todo.pop_front();
	at = 0;
	inside.push_back(std::move(e));

	Expected &last = inside.back();
	const std::vector<uint8_t> &data = last.frame.data;

	last.verdict = model_rx(&last.rx, data.data(), data.size(), frames.mac, frames.at_ip6 ? frames.gid6 : frames.gid4);
	if (last.frame.mac_error)
		last.verdict = TALLY_RX_MAC_ERROR;
	verdicts[last.verdict]++;
	if (last.verdict == TALLY_RX_OK && last.rx.payload_len)
		payloads.push_back({ { last.rx.payload, last.rx.payload + last.rx.payload_len }, last.entered });
}

/* The header of the oldest frame, whose record is not there yet. */
void Parser::ahead()
{
	CHECK(!told, "a header comes ahead twice");
	CHECK(!dut.hdr_valid_o && (!inside.empty() || !todo.empty()), "a header without a frame");
	told = true;
	std::memcpy(told_sgid, &dut.ahead_sgid_o, sizeof(told_sgid));
	std::memcpy(told_tch, &dut.ahead_tch_o, sizeof(told_tch));
	if (!inside.empty())
		ahead_cycles = bench.cycle() - inside.front().entered;
}

void Parser::record()
{
	CHECK(!inside.empty(), "a record without a frame");
	const Expected &e = inside.front();

	check_record(dut.hdr_o, e.verdict, e.rx, e.frame.data);
	if (told && e.verdict == TALLY_RX_OK) {
		SAME_BYTES(Fields(told_sgid, 128).bytes(16), e.rx.hdr.sgid, 16, "sgid ahead");
		SAME_BYTES(Fields(told_tch, 8 * sizeof(told_tch)).bytes(sizeof(told_tch)), e.rx.tch, sizeof(told_tch), "collective header ahead");
	}
	hdr_cycles = bench.cycle() - e.entered;
	if (!stalls)
		SAME(hdr_cycles, hdr_latency, "cycle of the record");
}

void Parser::word()
{
	CHECK(!payloads.empty(), "a word without a good frame");
	const std::vector<uint8_t> &p = payloads.front().bytes;
	size_t n = p.size() - payload_at < word_bytes ? p.size() - payload_at : word_bytes;

	if (!payload_at)
		word_cycles = bench.cycle() - payloads.front().entered;
	/* or after the words of the packet before */
	if (!stalls && !payload_at)
		SAME(bench.cycle(), std::max(payloads.front().entered + word_latency, word_taken + 1), "cycle of the first word");
	SAME(dut.out_tkeep_o, n < 64 ? (1ull << n) - 1 : ~0ull, "out_tkeep_o");
	SAME(dut.out_tlast_o, payload_at + n == p.size(), "out_tlast_o");
	CHECK(!std::memcmp(&dut.out_tdata_o, &p[payload_at], n), "wrong payload at byte %zu of %zu", payload_at, p.size());
}

void Parser::cycle()
{
	offer();
	dut.hdr_ready_i = !held && (!stalls || records.go());
	dut.out_tready_i = !stalls || sink.go();
	bench.settle();
	if (dut.ahead_valid_o)
		ahead();
	if (dut.hdr_valid_o)
		record();
	if (dut.out_tvalid_o)
		word();
	if (dut.hdr_valid_o && dut.hdr_ready_i) {
		inside.pop_front();
		told = false;
	}
	if (dut.out_tvalid_o && dut.out_tready_i) {
		payload_at += word_bytes;
		word_taken = bench.cycle();
		if (dut.out_tlast_o) {
			payloads.pop_front();
			payload_at = 0;
		}
	}
	if (dut.in_tvalid_i && dut.in_tready_o)
		entered();
	else
		CHECK(stalls || !dut.in_tvalid_i, "in_tready_o is 0 without stalls");
	bench.tick();
}

/* Sends every length of data, and other frames whose lengths are near multiples of a word. */
void Parser::lengths()
{
	size_t step = bench.options.long_run ? 1 : 7;

	for (size_t len = 0; len <= TALLY_MAX_MTU; len += len < 300 || len > 4000 ? 1 : step)
		add(frames.good(frames.at_ip6, len));
	for (size_t len = 1; len < 200; len++) {
		Frame f = frames.good(frames.at_ip6, 128);

		f.data.resize(len);
		add(f);
	}
	for (size_t words = 66; words < 132; words += 3) {
		Frame f = frames.good(frames.at_ip6, 4096);

		f.data.resize(words * word_bytes + bench.rng.below(2), 0x5a);
		add(f);
		add(frames.good(frames.at_ip6, 100));
	}
	for (size_t len = TALLY_MAX_FRAME - 1; len <= TALLY_MAX_FRAME + 1; len++) {
		Frame f = frames.good(frames.at_ip6, 4096);

		f.data.resize(len, 0x5a);
		add(f);
	}
}

/* Changes every byte of the headers, with and without correcting the sums. */
void Parser::damage()
{
	for (unsigned int bit = 0; bit < 8; bit++)
		for (size_t byte = 0; byte < 138; byte++) {
			Frame f = frames.good(frames.at_ip6, 64 + bench.rng.below(64));

			f.data[byte % f.data.size()] ^= 1 << bit;
			add(f);
			Frames::mend(f.data);
			add(f);
		}
}

void Parser::many(uint64_t n)
{
	for (; n; n--)
		switch (bench.rng.below(6)) {
		case 0:
			add(frames.mutated(frames.at_ip6 != bench.rng.one_in(8)));
			break;
		case 1:
			add(frames.other(frames.at_ip6));
			break;
		case 2:
			add(frames.garbage());
			break;
		default:
			add(frames.good(frames.at_ip6, bench.rng.below(bench.rng.one_in(8) ? 4097 : 200)));
			break;
		}
}

/* Sends frames without stalls. cycle() checks that a word enters in each cycle. */
void Parser::full_speed(size_t frame_len, size_t n)
{
	drain();
	stalls = false;
	while (n--) {
		Frame f = frames.good(frames.at_ip6, frame_len ? frame_len : bench.rng.below(200));

		if (!frame_len && bench.rng.below(2))
			f.data.resize(60);
		add(f);
	}
	drain();
	stalls = true;
}

/* Resets amid frames of all kinds. */
void Parser::resets()
{
	for (uint64_t left = bench.times(10); left; left--) {
		many(1 + bench.rng.below(60));
		restart();
	}
}

/* Sends more frames than there is room for records, one per cycle. */
void Parser::full_of_records()
{
	drain();
	held = true;
	for (unsigned int n = 0; n < 100; n++) {
		Frame f = frames.garbage();

		f.data.resize(60);
		todo.push_back(f);
	}
	for (unsigned int n = 0; n < 400; n++)
		cycle();
	CHECK(!todo.empty(), "all frames entered though no record was taken");
	held = false;
	drain();
}

/* Measures the latency of a single frame. */
void Parser::latency()
{
	drain();
	stalls = false;
	add(frames.good(frames.at_ip6, 8));
	drain();
	SAME(ahead_cycles, ahead_latency, "cycle of the header ahead");
	add(frames.good(frames.at_ip6, 64));
	drain();
	stalls = true;
	bench.report_cycles("header", hdr_cycles);
	bench.report_cycles("payload", word_cycles);
}

int Parser::run()
{
	for (bool ip6 : { false, true }) {
		be_at(ip6);
		many(bench.times(2500));
		resets();
		lengths();
		damage();
		full_speed(0, 500);
		full_speed(4096, 20);
		full_speed(1, 200);
		full_of_records();
		drain();
	}
	latency();
	for (unsigned int v = TALLY_RX_OK; v <= TALLY_RX_MAC_ERROR; v++)
		CHECK(verdicts[v], "no frame had verdict %u", v);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Parser(argc, argv).run();
}
