// SPDX-License-Identifier: BSD-2-Clause
// Drives a block that takes messages one word per clock, and presents their checksums a fixed time after their last
// words. Resets come amid the messages.
#ifndef TALLY_RTL_CRC_STREAM_H
#define TALLY_RTL_CRC_STREAM_H

#include <cstring>
#include <deque>

#include "Vdut.h"
#include "bench.h"

template <size_t WordBytes> class CrcStream {
public:
	// result: returns the value of the checksum ports.
	CrcStream(const char *name, int argc, char **argv, unsigned int latency, uint64_t (*result)(const Vdut &))
		: bench(name, argc, argv), dut(*bench.dut), gaps_(bench.rng), latency_(latency), result_(result)
	{
		restart();
	}

	// Drives a message with gaps, and expects its checksum. An unfinished message lacks its last word.
	void words(const uint8_t *data, size_t len, uint64_t crc, bool finished)
	{
		if (bench.rng.one_in(1000))
			restart();
		for (size_t at = 0; at < len; at += WordBytes) {
			bool last = len - at <= WordBytes;

			while (!gaps_.go())
				idle();
			if (last && !finished)
				return;
			if (last)
				due_.push_back({ bench.cycle() + latency_, crc });
			word(data + at, last ? len - at : WordBytes, !at, last);
		}
	}

	void word(const uint8_t *data, size_t len, bool first, bool last)
	{
		if (clean)
			std::memset(&dut.data_i, 0, WordBytes);
		else
			bench.rng.fill(&dut.data_i, WordBytes);
		std::memcpy(&dut.data_i, data, len);
		dut.valid_i = 1;
		dut.first_i = first;
		dut.last_i = last;
		dut.bytes_i = last ? len : bench.rng.below(WordBytes + 1);
		cycle();
	}

	int finish()
	{
		for (unsigned int i = 0; i <= latency_; i++)
			idle();
		CHECK(due_.empty(), "%zu results are missing", due_.size());
		return bench.finish();
	}

	tally::Bench<Vdut> bench;
	Vdut &dut;
	bool clean = false;	// zeros after the end of a message instead of random bytes

private:
	struct Due {
		uint64_t cycle;
		uint64_t crc;
	};

	void restart()
	{
		dut.valid_i = 0;
		bench.reset();
		due_.clear();
	}

	void cycle()
	{
		bool expected = !due_.empty() && due_.front().cycle == bench.cycle();

		bench.settle();
		CHECK(dut.valid_o == expected, "valid_o is %d", dut.valid_o);
		if (expected) {
			CHECK(result_(dut) == due_.front().crc, "the checksum is %08llx, not %08llx",
			      static_cast<unsigned long long>(result_(dut)),
			      static_cast<unsigned long long>(due_.front().crc));
			due_.pop_front();
		}
		bench.tick();
	}

	// The block must ignore its other inputs while no word enters.
	void idle()
	{
		dut.valid_i = 0;
		dut.first_i = bench.rng.below(2);
		dut.last_i = bench.rng.below(2);
		bench.rng.fill(&dut.data_i, WordBytes);
		cycle();
	}

	tally::Throttle gaps_;
	const unsigned int latency_;
	uint64_t (*const result_)(const Vdut &);
	std::deque<Due> due_;
};

#endif
