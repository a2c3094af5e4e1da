// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_inet_sum: compares the sum after each word with inet_sum() and inet_fold(). Messages have all
// permitted lengths, with random words and those that cause most carries, with and without gaps.
#include <cstring>
#include <deque>

#include "Vdut.h"
#include "bench.h"
extern "C" {
#include "wire/inet.h"
}

constexpr size_t word_bytes = 2 * Lanes;
constexpr unsigned int latency = 4;
constexpr uint64_t most_words = (1 << 28) / (Lanes << 16) - 1;

struct Due {
	uint64_t cycle;
	uint16_t sum;
};

class InetSum {
public:
	InetSum(int argc, char **argv) : bench("inet_sum", argc, argv), dut(*bench.dut), gaps(bench.rng) {}

	int run()
	{
		for (unsigned int kind = 0; kind < 3; kind++)
			message(most_words, kind);
		for (uint64_t left = bench.times(3000); left; left--)
			message(1 + bench.rng.below(bench.rng.one_in(20) ? most_words : 5), bench.rng.below(8));
		for (unsigned int i = 0; i <= latency; i++)
			idle();
		CHECK(due.empty(), "%zu sums are missing", due.size());
		return bench.finish();
	}

private:
	void cycle()
	{
		bench.settle();
		if (!due.empty() && due.front().cycle == bench.cycle()) {
			CHECK(dut.sum_o == due.front().sum, "the sum is %04x, not %04x", dut.sum_o, due.front().sum);
			due.pop_front();
		}
		bench.tick();
	}

	void fill(uint8_t data[word_bytes], unsigned int kind)
	{
		if (kind < 2)
			std::memset(data, kind ? 0xff : 0, word_bytes);
		else
			bench.rng.fill(data, word_bytes);
		std::memcpy(&dut.data_i, data, word_bytes);
	}

	// The block must ignore its other inputs while no word enters.
	void idle()
	{
		uint8_t data[word_bytes];

		dut.valid_i = 0;
		dut.first_i = bench.rng.below(2);
		dut.extra_i = bench.rng.below(1 << 17);
		fill(data, 2);
		cycle();
	}

	// kind: all zeros, all ones, or random.
	void message(uint64_t words, unsigned int kind)
	{
		uint64_t sum = 0;

		for (uint64_t i = 0; i < words; i++) {
			uint8_t data[word_bytes];

			while (!gaps.go())
				idle();
			dut.valid_i = 1;
			dut.first_i = !i;
			dut.extra_i = kind == 1 ? (bench.rng.one_in(2) ? 0x1ffff : 0xffff) : kind ? bench.rng.below(1 << 17) : 0;
			fill(data, kind);
			if (!i)
				sum = extra(dut.extra_i);
			sum = inet_sum(sum, data, word_bytes);
			due.push_back({ bench.cycle() + latency, static_cast<uint16_t>(~inet_fold(sum)) });
			cycle();
		}
	}

	// Returns the sum of a 17-bit number in wire order.
	static uint64_t extra(uint32_t number)
	{
		uint8_t wire[4] = { 0, static_cast<uint8_t>(number >> 16), static_cast<uint8_t>(number >> 8),
				    static_cast<uint8_t>(number) };

		return inet_sum(0, wire, sizeof(wire));
	}

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Throttle gaps;
	std::deque<Due> due;
};

int main(int argc, char **argv)
{
	return InetSum(argc, argv).run();
}
