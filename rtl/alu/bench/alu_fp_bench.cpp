// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_alu_fp: compares it with the host's arithmetic for each element, and with the C model for each word.
// It mixes random operations, gaps between words, and partly filled last words. Then it measures latency and
// throughput.
#include <cstring>
#include <deque>
#include <map>

#include "Vdut.h"
#include "fp_vectors.h"

constexpr size_t kBytes = Width / 8;
constexpr size_t kLatency = 12; // tally_alu_pkg::Latency
constexpr size_t kElem = (1 + ExpW + FracW) / 8, kLanes = kBytes / kElem;
constexpr uint64_t kElements = 1000000; // random elements of each operation
constexpr uint64_t kBurst = 1000;	// words

constexpr uint8_t kOps[] = { TALLY_OP_SUM, TALLY_OP_PROD, TALLY_OP_MIN, TALLY_OP_MAX };

struct Word {
	uint8_t op;
	uint8_t result[kBytes];
	uint16_t flags;
};

class Scoreboard {
public:
	Scoreboard(int argc, char **argv) : bench("alu_fp", argc, argv), vectors_(ExpW, FracW, bench.rng) {}

	uint64_t corners() const { return vectors_.corners().size(); }
	const char *format() const { return vectors_.type()->name; }

	uint64_t elements(uint8_t op) { return elements_[op]; }

	// Drives in this clock a word with @count elements, followed by zeros.
	void enter(uint8_t op, size_t count)
	{
		uint8_t a[kBytes] = {}, b[kBytes] = {};
		Word word = { op, {}, 0 };

		for (size_t i = 0; i < count; i++) {
			tally::Pair pair = sources_.try_emplace(op, vectors_, op).first->second.next();
			tally::Result want = vectors_.expect(op, pair);

			std::memcpy(a + i * kElem, &pair.a, kElem);
			std::memcpy(b + i * kElem, &pair.b, kElem);
			std::memcpy(word.result + i * kElem, &want.bits, kElem);
			word.flags |= want.flags;
		}
		std::memcpy(&bench.dut->a_i, a, kBytes);
		std::memcpy(&bench.dut->b_i, b, kBytes);
		bench.dut->op_i = op;
		bench.dut->valid_i = 1;
		check_model(word, a, b, count);
		elements_[op] += count;
		expect_(true, word);
	}

	// Drives a clock without a word. The block must ignore its other inputs.
	void idle()
	{
		uint8_t noise[kBytes];

		bench.rng.fill(noise, kBytes);
		std::memcpy(&bench.dut->a_i, noise, kBytes);
		bench.dut->op_i = bench.rng.next();
		bench.dut->valid_i = 0;
		expect_(false, {});
	}

	uint64_t left = 0; // words that left

	tally::Bench<Vdut> bench;

private:
	struct Slot {
		bool valid;
		Word word;
	};

	void check_model(const Word &word, uint8_t *acc, const uint8_t *in, size_t count) const
	{
		uint16_t flags = alu_reduce(word.op, vectors_.type()->type, acc, in, count);

		CHECK(flags == word.flags && !std::memcmp(acc, word.result, count * kElem),
		      "the model differs from the host's arithmetic");
	}

	// Runs a clock, and checks the outputs against the word that entered Latency clocks ago.
	void expect_(bool valid, const Word &word)
	{
		inside_.push_back({ valid, word });
		bench.tick();
		if (inside_.size() < kLatency) {
			CHECK(!bench.dut->valid_o, "a word leaves too early");
			return;
		}
		const Slot out = inside_.front();

		inside_.pop_front();
		CHECK(bench.dut->valid_o == out.valid, "valid_o is %d", bench.dut->valid_o);
		if (out.valid)
			check(out.word);
	}

	void check(const Word &word)
	{
		uint8_t result[kBytes];

		std::memcpy(result, &bench.dut->result_o, kBytes);
		for (size_t i = 0; i < kBytes; i++)
			CHECK(result[i] == word.result[i], "op %u: byte %zu is %#x, not %#x", word.op, i, result[i],
			      word.result[i]);
		CHECK(bench.dut->flags_o == word.flags, "op %u: flags %#x, not %#x", word.op, bench.dut->flags_o,
		      word.flags);
		left++;
	}

	tally::FpVectors vectors_;
	std::map<uint8_t, tally::PairSource> sources_;
	std::map<uint8_t, uint64_t> elements_;
	std::deque<Slot> inside_;
};

// Drives words until each operation has had its number of elements. Some words are the last ones of a vector.
static void mixed(Scoreboard &board)
{
	tally::Rng &rng = board.bench.rng;
	const uint64_t most = board.corners() + board.bench.times(kElements);

	for (size_t k = 0; k < sizeof(kOps);) {
		uint8_t op = kOps[k + rng.below(sizeof(kOps) - k)];

		if (rng.one_in(16))
			for (uint64_t n = rng.one_in(4) ? rng.below(20) : 1; n; n--)
				board.idle();
		if (op == TALLY_OP_SUM && rng.one_in(16))
			op = TALLY_OP_AVG; // the block treats AVG as SUM
		board.enter(op, rng.one_in(8) ? 1 + rng.below(kLanes) : kLanes);
		while (k < sizeof(kOps) && board.elements(kOps[k]) >= most)
			k++;
	}
	for (uint8_t op : kOps)
		std::printf("%s op %u: all %" PRIu64 " pairs of corner values, %" PRIu64 " random ones\n", board.format(), op,
			    board.corners(), board.elements(op) - board.corners());
}

// Checks that a burst without gaps comes out without gaps.
static void measure(Scoreboard &board)
{
	uint64_t began, first = 0;

	for (size_t i = 0; i < kLatency; i++)
		board.idle();
	board.left = 0;
	began = board.bench.cycle();
	for (uint64_t i = 0; i < kBurst; i++) {
		board.enter(kOps[i % sizeof(kOps)], kLanes);
		if (!first && board.left)
			first = board.bench.cycle();
	}
	while (board.left < kBurst)
		board.idle();
	CHECK(first - began == kLatency, "the first word took %" PRIu64 " clocks", first - began);
	CHECK(board.bench.cycle() - first == kBurst - 1, "%" PRIu64 " words came out in %" PRIu64 " clocks", kBurst,
	      board.bench.cycle() - first + 1);
	std::printf("latency %zu clocks, %.1f words a clock\n", kLatency,
		    double(kBurst) / double(board.bench.cycle() - first + 1));
}

int main(int argc, char **argv)
{
	Scoreboard board(argc, argv);

	board.bench.dut->valid_i = 0;
	board.bench.reset();
	mixed(board);
	measure(board);
	return board.bench.finish();
}
