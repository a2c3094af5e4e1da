// SPDX-License-Identifier: BSD-2-Clause
// tally_crc32_512 against crc32_update(): messages of all lengths, with and without gaps, some never finished.
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"
extern "C" {
#include "wire/crc32.h"
}

constexpr unsigned int latency = 3 + __builtin_ctz(Bytes);

struct Due {
	uint64_t cycle;
	uint32_t crc;
};

class Crc {
public:
	Crc(int argc, char **argv) : bench("crc32_512", argc, argv), dut(*bench.dut), gaps(bench.rng)
	{
		dut.valid_i = 0;
		bench.reset();
	}

	void cycle()
	{
		bench.settle();
		bool expected = !due.empty() && due.front().cycle == bench.cycle();

		CHECK(dut.valid_o == expected, "valid_o is %d", dut.valid_o);
		if (expected) {
			CHECK(dut.crc_o == due.front().crc, "crc_o is %08x, not %08x", dut.crc_o, due.front().crc);
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
		bench.rng.fill(&dut.data_i, Bytes);
		cycle();
	}

	void message(size_t len, bool finished)
	{
		std::vector<uint8_t> data(len);
		size_t at = 0;

		bench.rng.fill(data.data(), len);
		for (; at < len; at += Bytes) {
			bool last = len - at <= Bytes;

			while (!gaps.go())
				idle();
			if (last && !finished)
				return;
			if (last)
				due.push_back({ bench.cycle() + latency, ~crc32_update(CRC32_INIT, data.data(), len) });
			word(data.data() + at, last ? len - at : Bytes, !at, last);
		}
	}

	int run()
	{
		for (size_t len = 1; len <= bench.times(6) * Bytes + 1; len++)
			message(len, true);
		for (uint64_t left = bench.times(8000); left; left--)
			message(1 + bench.rng.below(bench.rng.one_in(8) ? 300 : 3 * Bytes), !bench.rng.one_in(20));
		for (unsigned int i = 0; i <= latency; i++)
			idle();
		CHECK(due.empty(), "%zu results are missing", due.size());
		return bench.finish();
	}

private:
	void word(const uint8_t *data, size_t len, bool first, bool last)
	{
		bench.rng.fill(&dut.data_i, Bytes);	/* what does not count is anything */
		std::memcpy(&dut.data_i, data, len);
		dut.valid_i = 1;
		dut.first_i = first;
		dut.last_i = last;
		dut.bytes_i = last ? len : bench.rng.below(Bytes + 1);
		cycle();
	}

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Throttle gaps;
	std::deque<Due> due;
};

int main(int argc, char **argv)
{
	return Crc(argc, argv).run();
}
