// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_encap: compares it with roce_build(), for every length, both IP versions, headers of random content,
// payloads of wrong length, stalls on all sides, and resets amid the packets. It measures rate and latency.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "encap_packets.h"

// Drives the block with the packets given to send(), as the throttles allow, and compares the frames that leave.
class Driver {
public:
	explicit Driver(tally::Bench<Vdut> &bench)
		: bench_(bench), dut_(*bench.dut), hdr_(bench.rng), pay_(bench.rng), sink_(bench.rng)
	{
		restart();
	}

	// Resets the block, whatever is inside.
	void restart()
	{
		dut_.hdr_valid_i = dut_.pay_tvalid_i = dut_.frame_tready_i = 0;
		bench_.reset();
		headers_.clear();
		payload_.clear();
		errors_.clear();
		frames_.clear();
		got_.clear();
		hdr_taken_ = pay_taken_ = true;
		held_ = false;
	}

	// Runs for a number of cycles, with stalls.
	void run_for(uint64_t cycles)
	{
		while (cycles--)
			cycle(false);
	}

	void send(const Packet &p)
	{
		Err err = verdict(p);

		headers_.push_back(record(p));
		payload_.insert(payload_.end(), p.payload.begin(), p.payload.end());
		if (err)
			errors_.push_back(err);
		else
			frames_.push_back(built(p));
	}

	bool busy() const { return !headers_.empty() || !payload_.empty() || !errors_.empty() || !frames_.empty(); }

	// Runs until all packets have left. `full` means without stalls.
	void run(bool full)
	{
		for (uint64_t last = bench_.cycle(); busy();) {
			cycle(full);
			if (moved_)
				last = bench_.cycle();
			CHECK(bench_.cycle() - last < 20000, "the block is stuck, %zu frames are missing", frames_.size());
		}
		for (int i = 0; i < 40; i++)
			cycle(full);
	}

	// Stalls the output for a number of cycles.
	void dam(unsigned int cycles)
	{
		while (cycles--)
			cycle(true, false);
	}

	uint64_t first_header, last_payload, first_word, last_word, words_out;

	void measure() { first_header = last_payload = first_word = last_word = words_out = 0; }

private:
	void cycle(bool full, bool drain = true)
	{
		offer(full);
		dut_.frame_tready_i = drain && (full || sink_.go());
		bench_.settle();
		moved_ = false;
		if (dut_.hdr_valid_i && dut_.hdr_ready_o) {
			headers_.pop_front();
			first_header = first_header ? first_header : bench_.cycle();
			moved_ = true;
			hdr_taken_ = true;
		}
		if (dut_.pay_tvalid_i && dut_.pay_tready_o) {
			payload_.pop_front();
			last_payload = bench_.cycle();
			moved_ = true;
			pay_taken_ = true;
		}
		if (dut_.err_valid_o)
			error();
		output();
		bench_.tick();
	}

	// An offer stays until it is taken.
	void offer(bool full)
	{
		if (hdr_taken_) {
			dut_.hdr_valid_i = !headers_.empty() && (full || hdr_.go());
			hdr_taken_ = !dut_.hdr_valid_i;
			if (dut_.hdr_valid_i)
				headers_.front().get(dut_.hdr_i);
			else
				bench_.rng.fill(&dut_.hdr_i, 64);
		}
		if (pay_taken_) {
			dut_.pay_tvalid_i = !payload_.empty() && (full || pay_.go());
			pay_taken_ = !dut_.pay_tvalid_i;
			if (dut_.pay_tvalid_i) {
				std::memcpy(&dut_.pay_tdata_i, payload_.front().data, word_bytes);
				dut_.pay_tkeep_i = payload_.front().keep;
				dut_.pay_tlast_i = payload_.front().last;
			} else {
				bench_.rng.fill(&dut_.pay_tdata_i, word_bytes);
				dut_.pay_tkeep_i = bench_.rng.next();
				dut_.pay_tlast_i = bench_.rng.next() & 1;
			}
		}
	}

	void error()
	{
		CHECK(!errors_.empty(), "unexpected error %d", dut_.err_o);
		CHECK(dut_.err_o == errors_.front(), "error %d, not %d", dut_.err_o, errors_.front());
		errors_.pop_front();
		moved_ = true;
	}

	void output()
	{
		CHECK(dut_.frame_tvalid_o || got_.empty(), "a gap inside a frame");
		CHECK(dut_.frame_tvalid_o || !held_, "an offer is withdrawn");
		if (!dut_.frame_tvalid_o)
			return;
		Word w;

		std::memcpy(w.data, &dut_.frame_tdata_o, word_bytes);
		w.keep = dut_.frame_tkeep_o;
		w.last = dut_.frame_tlast_o;
		CHECK(!held_ || (!std::memcmp(w.data, word_.data, word_bytes) && w.keep == word_.keep && w.last == word_.last),
		      "an offer changes");
		held_ = !dut_.frame_tready_i;
		word_ = w;
		first_word = first_word ? first_word : bench_.cycle();
		if (!held_)
			take(w);
	}

	void take(const Word &w)
	{
		last_word = bench_.cycle();
		words_out++;
		moved_ = true;
		CHECK(w.keep && !(w.keep & (w.keep + 1)), "tkeep is not ones from bit 0 up");
		CHECK(w.last || w.keep == all, "tkeep before tlast");
		for (unsigned int k = 0; k < word_bytes; k++) {
			if (w.keep >> k & 1)
				got_.push_back(w.data[k]);
			else
				CHECK(!w.data[k], "byte %u beyond tkeep is %02x", k, w.data[k]);
		}
		if (!w.last)
			return;
		CHECK(!frames_.empty(), "unexpected frame");
		compare(frames_.front());
		frames_.pop_front();
		got_.clear();
	}

	void compare(const Bytes &want)
	{
		CHECK(got_.size() == want.size(), "%zu bytes, not %zu", got_.size(), want.size());
		for (size_t i = 0; i < want.size(); i++)
			CHECK(got_[i] == want[i], "byte %zu of %zu is %02x, not %02x", i, want.size(), got_[i], want[i]);
	}

	tally::Bench<Vdut> &bench_;
	Vdut &dut_;
	tally::Throttle hdr_, pay_, sink_;
	std::deque<Bits> headers_;
	std::deque<Word> payload_;
	std::deque<Err> errors_;
	std::deque<Bytes> frames_;
	Bytes got_;
	Word word_ = {};
	bool hdr_taken_ = true, pay_taken_ = true, held_ = false, moved_ = false;
};

// Sends random packets of the lengths that next() returns. One in `spoiled` is bad. The packets come in portions, to
// keep the queues short.
template <typename Next>
static void mix(tally::Bench<Vdut> &bench, Driver &driver, uint64_t count, unsigned int spoiled, Next next)
{
	tally::Rng &rng = bench.rng;

	for (uint64_t i = 0; i < count; i++) {
		Packet p = packet(rng, rng.one_in(2), next(i));

		if (spoiled && rng.one_in(spoiled))
			spoil(rng, p);
		driver.send(p);
		if (i % 64 == 63 || i == count - 1) {
			if (rng.one_in(4))
				driver.dam(rng.below(800));
			driver.run(rng.one_in(4));
		}
	}
}

// Resets the block amid packets, some of which are bad.
static void resets(tally::Bench<Vdut> &bench, Driver &driver)
{
	for (uint64_t left = bench.times(20); left; left--) {
		for (int i = 0; i < 8; i++) {
			Packet p = packet(bench.rng, bench.rng.one_in(2), bench.rng.below(Mtu < 400 ? Mtu + 1 : 400));

			if (bench.rng.one_in(4))
				spoil(bench.rng, p);
			driver.send(p);
		}
		driver.run_for(bench.rng.below(120));
		driver.restart();
	}
}

// Sends lengths of all residues of a word, and those near both ends. The long run sends all lengths.
static void all_lengths(tally::Bench<Vdut> &bench, Driver &driver)
{
	for (unsigned int len = 0; len <= Mtu; len++) {
		bool chosen = len <= 130 || len + 66 >= Mtu || len % 127 == 0;

		if (bench.options.long_run || chosen) {
			driver.send(packet(bench.rng, true, len));
			driver.send(packet(bench.rng, false, len));
		}
		if (len % 32 == 0)
			driver.run(bench.rng.one_in(2));
	}
	driver.run(false);
}

// Sends a packet whose UDP checksum is zero, found by trial.
static void zero_checksum(tally::Bench<Vdut> &bench, Driver &driver, bool ip4)
{
	const size_t at = ETH_HEADER_BYTES + (ip4 ? sizeof(tally_ipv4_hdr) : sizeof(tally_ipv6_hdr)) +
			  offsetof(tally_udp_hdr, checksum);
	Packet p = packet(bench.rng, ip4, 0);
	Bytes frame;

	do {
		bench.rng.fill(&p.tch.jid, sizeof(p.tch.jid));
		frame = built(p);
	} while (frame[at] != 0xff || frame[at + 1] != 0xff);
	driver.send(p);
	driver.run(true);
}

// Sends refused lengths, up to the maximum of the field, with payload.
static void refused_lengths(tally::Bench<Vdut> &bench, Driver &driver)
{
	for (unsigned int len : { Mtu + 1, 0x1fff - 63, 0x1fff - 62, 0x1fff }) {
		Packet p = packet(bench.rng, bench.rng.one_in(2), 2 * word_bytes < Mtu ? 2 * word_bytes : Mtu);

		p.len = len;
		driver.send(p);
		driver.send(packet(bench.rng, true, 1));
	}
	driver.run(false);
}

// Sends refused headers without payload: the block must not wait for any.
static void refused_without_payload(tally::Bench<Vdut> &bench, Driver &driver)
{
	for (bool ip4 : { true, false }) {
		Packet p = packet(bench.rng, ip4, 0);

		gid(bench.rng, p.h.sgid, !ip4);
		p.payload.clear();
		driver.send(p);
		driver.send(packet(bench.rng, ip4, 0));
	}
	driver.run(false);
}

// Sends an IPv4 header whose sum is 0x2ffff: folding it carries, and adding the carry carries again.
static void carries_twice(tally::Bench<Vdut> &bench, Driver &driver)
{
	Packet p = packet(bench.rng, true, 0);
	uint32_t left = 0x2ffff;
	Bytes frame;

	std::memset(&p.h.sgid[12], 0, 4);
	std::memset(&p.h.dgid[12], 0, 4);
	frame = built(p);
	for (size_t at = ETH_HEADER_BYTES; at < ETH_HEADER_BYTES + sizeof(tally_ipv4_hdr); at += 2)
		if (at != ETH_HEADER_BYTES + offsetof(tally_ipv4_hdr, checksum))
			left -= frame[at] << 8 | frame[at + 1];
	for (uint8_t *half : { &p.h.sgid[12], &p.h.sgid[14], &p.h.dgid[12], &p.h.dgid[14] }) {
		uint32_t n = std::min<uint32_t>(left, 0xffff);

		half[0] = n >> 8;
		half[1] = n;
		left -= n;
	}
	driver.send(p);
	driver.run(true);
}

// Checks that a word leaves in each clock. A frame cannot leave before it is complete, so a frame that is longer than
// all before it may add a gap as long as the difference, once in the run.
static void full_rate(tally::Bench<Vdut> &bench, Driver &driver, const char *what, unsigned int ip, unsigned int least,
		      unsigned int most)
{
	size_t shortest = SIZE_MAX, longest = 0;
	uint64_t cycles;

	driver.measure();
	for (int i = 0; i < 200; i++) {
		Packet p = packet(bench.rng, ip == 4 || (!ip && bench.rng.one_in(2)),
				  least + bench.rng.below(most - least + 1));
		size_t n = (built(p).size() + word_bytes - 1) / word_bytes;

		shortest = std::min(shortest, n);
		longest = std::max(longest, n);
		driver.send(p);
	}
	driver.run(true);
	cycles = driver.last_word - driver.first_word + 1;
	std::printf("encap: %s: %llu words in %llu cycles\n", what, static_cast<unsigned long long>(driver.words_out),
		    static_cast<unsigned long long>(cycles));
	CHECK(cycles <= driver.words_out + longest - shortest, "%s: fewer than one word per clock", what);
}

// Checks the latency of the block's header. Returns the cycles from the payload's last word, or from the header, to the
// first word.
static uint64_t latency(tally::Bench<Vdut> &bench, Driver &driver, bool ip4, unsigned int len)
{
	uint64_t cycles, most;

	driver.measure();
	driver.send(packet(bench.rng, ip4, len));
	driver.run(true);
	cycles = driver.first_word - (len ? driver.last_payload : driver.first_header);
	most = len > word_bytes ? 11 : 10 + driver.words_out;
	CHECK(cycles <= most, "%llu cycles, not %llu", static_cast<unsigned long long>(cycles),
	      static_cast<unsigned long long>(most));
	return cycles;
}

static void latencies(tally::Bench<Vdut> &bench, Driver &driver)
{
	uint64_t header = 0, payload = 0;

	for (bool ip4 : { true, false }) {
		header = std::max(header, latency(bench, driver, ip4, 0));
		payload = std::max(payload, latency(bench, driver, ip4, 8));
		latency(bench, driver, ip4, word_bytes);
		payload = std::max(payload, latency(bench, driver, ip4, Mtu));
	}
	bench.report_cycles("header", header);
	bench.report_cycles("payload", payload);
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("encap", argc, argv);
	tally::Rng &rng = bench.rng;
	Driver driver(bench);

	latencies(bench, driver);
	full_rate(bench, driver, "shortest", 4, 0, 0);
	full_rate(bench, driver, "shortest IPv6", 6, 0, 0);
	full_rate(bench, driver, "short", 0, 0, 300 < Mtu ? 300 : Mtu);
	full_rate(bench, driver, "full", 0, Mtu, Mtu);
	zero_checksum(bench, driver, true);
	zero_checksum(bench, driver, false);
	carries_twice(bench, driver);
	refused_lengths(bench, driver);
	refused_without_payload(bench, driver);
	all_lengths(bench, driver);
	resets(bench, driver);
	mix(bench, driver, bench.times(1500), 3, [&](uint64_t) { return rng.below(Mtu < 400 ? Mtu + 1 : 400); });
	mix(bench, driver, bench.times(300), 8, [&](uint64_t) { return rng.below(Mtu + 1); });
	mix(bench, driver, bench.times(300), 0, [&](uint64_t) { return rng.below(12); });
	return bench.finish();
}
