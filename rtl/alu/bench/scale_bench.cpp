// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_scale: compares it with alu_scale() for each word. Each clock has another type and divisor, with
// random gaps, and zeros behind vectors of each length. Then the bench measures latency and throughput. The lanes'
// arithmetic has benches of its own, with more elements.
#include <deque>

#include "Vdut.h"
#include "scale_vectors.h"

constexpr size_t kBytes = Width / 8;
constexpr size_t kLatency = 13; // tally_alu_pkg::ScaleLatency
constexpr uint64_t kBurst = 1000; // words

class Scoreboard {
public:
	Scoreboard(int argc, char **argv) : bench("scale", argc, argv), source_(bench.rng)
	{
		rng_seed(&alu_rng, bench.options.seed);
		bench.dut->valid_i = 0;
		bench.reset();
	}

	// Drives vectors of each length within a word, for each type.
	void lengths()
	{
		for (const alu_type &type : alu_types)
			for (size_t bytes = 0; bytes <= kBytes; bytes += type.bits / 8)
				enter(type, bytes);
	}

	void random(uint64_t words)
	{
		while (words--) {
			while (!source_.go())
				idle();
			enter(alu_types[bench.rng.below(NUM_ALU_TYPES)], kBytes);
		}
	}

	// Checks that a burst without gaps comes out without gaps.
	void measure()
	{
		drain();
		came_ = 0;
		const uint64_t began = bench.cycle();
		uint64_t first = 0;

		for (uint64_t i = 0; i < kBurst; i++) {
			enter(alu_types[i % NUM_ALU_TYPES], kBytes);
			if (!first && came_)
				first = bench.cycle();
		}
		while (came_ < kBurst)
			idle();
		CHECK(first - began == kLatency, "the first word took %llu clocks",
		      static_cast<unsigned long long>(first - began));
		CHECK(bench.cycle() - first == kBurst - 1, "%llu clocks for the words",
		      static_cast<unsigned long long>(bench.cycle() - first + 1));
		std::printf("latency %zu clocks, 1 word a clock\n", kLatency);
	}

	// Checks that no word inside survives a reset.
	void reset()
	{
		for (size_t i = 0; i < kLatency; i++)
			enter(alu_types[bench.rng.below(NUM_ALU_TYPES)], kBytes);
		bench.dut->valid_i = 0;
		bench.reset();
		inside_.clear();
		drain();
	}

	void drain()
	{
		for (size_t i = 0; i < kLatency; i++)
			idle();
	}

	tally::Bench<Vdut> bench;

private:
	struct Slot {
		bool valid;
		uint8_t type;
		uint32_t n, tag;
		uint8_t result[kBytes];
		uint16_t flags;
	};

	// Drives a word whose first @bytes belong to a vector.
	void enter(const alu_type &type, size_t bytes)
	{
		const size_t size = type.bits / 8;
		Slot word = { true, type.type, tally::random_divisor(bench.rng), static_cast<uint32_t>(bench.rng.next()), {}, 0 };

		for (size_t at = 0; at < bytes; at += size) {
			uint64_t a = tally::random_dividend(bench.rng, &type, word.n);

			std::memcpy(word.result + at, &a, size);
		}
		std::memcpy(&bench.dut->a_i, word.result, kBytes);
		word.flags = alu_scale(type.type, word.result, static_cast<uint32_t>(bytes / size), word.n);
		bench.dut->type_i = type.type;
		bench.dut->tag_i = word.tag;
		tally::drive_divisor(*bench.dut, tally::divisor_of(word.n));
		bench.dut->valid_i = 1;
		clock(word);
	}

	// Drives a clock without a word. The block must ignore its other inputs.
	void idle()
	{
		uint8_t noise[kBytes];

		bench.rng.fill(noise, kBytes);
		std::memcpy(&bench.dut->a_i, noise, kBytes);
		bench.dut->type_i = static_cast<uint8_t>(bench.rng.next());
		bench.dut->tag_i = static_cast<uint32_t>(bench.rng.next());
		bench.dut->valid_i = 0;
		clock({});
	}

	// Runs a clock, and checks the outputs against the word that entered as many clocks ago as the latency.
	void clock(const Slot &word)
	{
		inside_.push_back(word);
		bench.tick();
		if (inside_.size() < kLatency) {
			CHECK(!bench.dut->valid_o, "a word leaves too early");
			return;
		}
		const Slot out = inside_.front();

		inside_.pop_front();
		CHECK(bench.dut->valid_o == out.valid, "valid_o is %d", bench.dut->valid_o);
		if (out.valid)
			check(out);
	}

	void check(const Slot &word)
	{
		uint8_t result[kBytes];

		std::memcpy(result, &bench.dut->result_o, kBytes);
		for (size_t i = 0; i < kBytes; i++)
			CHECK(result[i] == word.result[i], "type %02x by %u: byte %zu is %#x, not %#x", word.type, word.n, i,
			      result[i], word.result[i]);
		CHECK(bench.dut->flags_o == word.flags, "type %02x by %u: flags %#x, not %#x", word.type, word.n,
		      bench.dut->flags_o, word.flags);
		CHECK(bench.dut->tag_o == word.tag, "tag %x, not %x", bench.dut->tag_o, word.tag);
		came_++;
	}

	tally::Throttle source_;
	std::deque<Slot> inside_;
	uint64_t came_ = 0;
};

int main(int argc, char **argv)
{
	Scoreboard board(argc, argv);

	board.lengths();
	board.random(board.bench.times(30000));
	board.reset();
	board.measure();
	return board.bench.finish();
}
