// SPDX-License-Identifier: BSD-2-Clause
// tally_icrc against roce_icrc(): headers of random bytes, all lengths, IPv4 and IPv6; and over whole packets of
// roce_build(), whose ICRC is covered as well, against the residue.
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"
extern "C" {
#include "wire/crc32.h"
#include "wire/icrc.h"
#include "wire/roce.h"
#include "wire/roce_layout.h"
}

constexpr unsigned int word_bytes = 64, latency = 10;

struct Due {
	uint64_t cycle;
	uint32_t icrc;
};

class Icrc {
public:
	Icrc(int argc, char **argv) : bench("icrc", argc, argv), dut(*bench.dut), gaps(bench.rng)
	{
		dut.valid_i = 0;
		bench.reset();
	}

	int run()
	{
		for (size_t body = 0; body <= 200; body++)
			frame(body % 2, body, true);
		for (size_t body = 0; body <= 200; body++)
			frame(!(body % 2), body, true);
		for (uint64_t left = bench.times(3000); left; left--)
			frame(bench.rng.below(2), bench.rng.below(bench.rng.one_in(10) ? 4200 : 200), !bench.rng.one_in(20));
		for (uint64_t left = bench.times(500); left; left--)
			packet(bench.rng.below(2), bench.rng.below(300));
		for (unsigned int i = 0; i <= latency; i++)
			idle();
		CHECK(due.empty(), "%zu results are missing", due.size());
		return bench.finish();
	}

private:
	void cycle()
	{
		bool expected = !due.empty() && due.front().cycle == bench.cycle();

		bench.settle();
		CHECK(dut.valid_o == expected, "valid_o is %d", dut.valid_o);
		if (expected) {
			CHECK(dut.icrc_o == due.front().icrc, "icrc_o is %08x, not %08x", dut.icrc_o, due.front().icrc);
			due.pop_front();
		}
		bench.tick();
	}

	/* Without a word the other inputs are anything. */
	void idle()
	{
		dut.valid_i = 0;
		dut.first_i = bench.rng.below(2);
		dut.last_i = bench.rng.below(2);
		bench.rng.fill(&dut.data_i, word_bytes);
		cycle();
	}

	void word(const uint8_t *data, size_t len, bool first, bool last)
	{
		bench.rng.fill(&dut.data_i, word_bytes);	/* what is not covered is anything */
		std::memcpy(&dut.data_i, data, len);
		dut.valid_i = 1;
		dut.first_i = first;
		dut.last_i = last;
		dut.bytes_i = last ? len : bench.rng.below(word_bytes + 1);
		cycle();
	}

	/* The bytes of a frame that are covered. */
	void words(const uint8_t *data, size_t len, uint32_t icrc, bool finished)
	{
		for (size_t at = 0; at < len; at += word_bytes) {
			bool last = len - at <= word_bytes;

			while (!gaps.go())
				idle();
			if (last && !finished)
				return;
			if (last)
				due.push_back({ bench.cycle() + latency, icrc });
			word(data + at, last ? len - at : word_bytes, !at, last);
		}
	}

	void frame(bool v6, size_t body, bool finished)
	{
		size_t ip_len = v6 ? +IP6_BYTES : +IP4_BYTES;
		size_t len = ETH_HEADER_BYTES + ip_len + UDP_BYTES + BTH_BYTES + body;
		std::vector<uint8_t> data(len);
		uint16_t type = v6 ? ETH_TYPE_IPV6 : ETH_TYPE_IPV4;

		bench.rng.fill(data.data(), len);
		data[ETH_TYPE] = type >> 8;
		data[ETH_TYPE + 1] = type & 0xff;
		words(data.data(), len, roce_icrc(&data[ETH_HEADER_BYTES], ip_len, len - ETH_HEADER_BYTES), finished);
	}

	void packet(bool v6, size_t body)
	{
		std::vector<uint8_t> payload(body);
		struct roce_hdr hdr = {};
		struct frame *f;
		size_t len;

		bench.rng.fill(payload.data(), body);
		if (!v6)
			hdr.sgid[10] = hdr.sgid[11] = hdr.dgid[10] = hdr.dgid[11] = 0xff;
		f = roce_build(&hdr, nullptr, 0, payload.data(), body);
		CHECK(f, "no frame");
		/* without the padding to the shortest frame */
		len = ETH_HEADER_BYTES + (v6 ? +IP6_BYTES : +IP4_BYTES) + UDP_BYTES + BTH_BYTES;
		len += (body + 3) / 4 * 4 + ICRC_BYTES;
		words(f->data, len, residue(), true);
		frame_unref(f);
	}

	/* A register of zeros, its checksum behind it. */
	static uint32_t residue()
	{
		const uint8_t ones[ICRC_BYTES] = { 0xff, 0xff, 0xff, 0xff };

		return ~crc32_update(0, ones, sizeof(ones));
	}

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Throttle gaps;
	std::deque<Due> due;
};

int main(int argc, char **argv)
{
	return Icrc(argc, argv).run();
}
