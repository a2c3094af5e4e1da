// SPDX-License-Identifier: BSD-2-Clause
// Drives a part of the reduce ALU with words of operands, and compares its results with the C model.
#ifndef TALLY_RTL_ALU_STREAM_H
#define TALLY_RTL_ALU_STREAM_H

#include "alu_words.h"

namespace tally {

constexpr uint64_t alu_latency = 12; // tally_alu_pkg::Latency

template <typename Dut> class AluStream {
public:
	AluStream(Bench<Dut> &bench, const std::vector<Pair> &pairs)
		: bench_(bench), pairs_(pairs), elems_(pairs.size(), 0), source_(bench.rng)
	{
		rng_seed(&alu_rng, bench.options.seed);
		bench.dut->valid_i = 0;
		bench.reset();
	}

	// Drives all pairs of corner values, for each operation and type.
	void corners()
	{
		for (size_t i = 0; i < pairs_.size(); i++)
			for_corners(bench_.rng, pairs_[i], [&](const Operands &in) { send(i, in); });
	}

	// Drives random words until each operation has had `elems` elements, in equal parts of each of its types.
	void random(uint64_t elems)
	{
		std::vector<uint64_t> left(pairs_.size());
		std::vector<size_t> open;

		for (size_t i = 0; i < pairs_.size(); i++) {
			left[i] = elems / types_with(pairs_[i].op) + 1;
			open.push_back(i);
		}
		while (!open.empty()) {
			size_t at = bench_.rng.below(open.size()), i = open[at];

			send(i, random_operands(bench_.rng, pairs_[i]));
			left[i] -= std::min<uint64_t>(left[i], pairs_[i].elems());
			if (!left[i]) {
				open[at] = open.back();
				open.pop_back();
			}
		}
	}

	// Drives a word in each clock, and checks that as many leave in as many clocks.
	void full_rate(uint64_t words)
	{
		uint64_t first, in_clocks;

		while (!sent_.empty())
			cycle();
		first = bench_.cycle();
		came_ = 0;
		for (uint64_t left = words; left; left--) {
			size_t i = bench_.rng.below(pairs_.size());

			offer(i, random_operands(bench_.rng, pairs_[i]));
		}
		while (!sent_.empty())
			cycle();
		in_clocks = bench_.cycle() - first - latency_;
		CHECK(latency_ == alu_latency, "a word takes %llu clocks", static_cast<unsigned long long>(latency_));
		CHECK(came_ >= words && came_ == in_clocks, "%llu words in %llu clocks",
		      static_cast<unsigned long long>(came_), static_cast<unsigned long long>(in_clocks));
		bench_.report_cycles("word", latency_);
	}

	// Drives vectors of each length within a word. The zeros behind a vector must give zeros and raise no flag.
	void lengths()
	{
		for (size_t i = 0; i < pairs_.size(); i++) {
			for (size_t n = 0; n < pairs_[i].elems(); n++) {
				Operands in = random_operands(bench_.rng, pairs_[i]);
				size_t len = n * pairs_[i].elem();
				Result part = alu_expect(pairs_[i], in, n);

				std::memset(in.a.bytes + len, 0, word_bytes - len);
				std::memset(in.b.bytes + len, 0, word_bytes - len);
				std::memset(part.word.bytes + len, 0, word_bytes - len);
				send(i, in, part);
			}
		}
	}

	// Waits for the outstanding words, and checks that each pair was tried.
	void end()
	{
		uint64_t all = 0;

		while (!sent_.empty())
			cycle();
		for (int i = 0; i < 3; i++)
			cycle();
		for (size_t i = 0; i < pairs_.size(); i++) {
			CHECK(elems_[i], "operation %d on %s was not tried", pairs_[i].op, pairs_[i].type->name);
			all += elems_[i];
		}
		std::printf("%s: %llu elements, %zu pairs of operation and type\n", place.name,
			    static_cast<unsigned long long>(all), pairs_.size());
	}

private:
	struct Sent {
		uint8_t op, type;
		bool refused;
		uint32_t tag;
		Operands in;
		Result out;
		uint64_t cycle;
	};

	uint64_t types_with(uint8_t op) const
	{
		uint64_t n = 0;

		for (const Pair &pair : pairs_)
			n += pair.op == op;
		return n;
	}

	// Drives one word, after a random pause.
	void send(size_t i, const Operands &in)
	{
		send(i, in, alu_expect(pairs_[i], in, pairs_[i].elems()));
	}

	void send(size_t i, const Operands &in, const Result &out)
	{
		Dut &dut = *bench_.dut;

		while (!source_.go()) {
			// The block must ignore these inputs while no word enters.
			dut.op_i = static_cast<uint8_t>(bench_.rng.next());
			dut.type_i = static_cast<uint8_t>(bench_.rng.next());
			dut.a_i[bench_.rng.below(word_bytes / 4)] = static_cast<uint32_t>(bench_.rng.next());
			cycle();
		}
		offer(i, in, out);
	}

	void offer(size_t i, const Operands &in) { offer(i, in, alu_expect(pairs_[i], in, pairs_[i].elems())); }

	void offer(size_t i, const Operands &in, const Result &out)
	{
		elems_[i] += pairs_[i].elems();
		offer(pairs_[i].op, pairs_[i].type->type, in, out, false);
		if (has_error(*bench_.dut, 0) && bench_.rng.one_in(64))
			offer_refused();
	}

	// Drives an operation and type that the ALU does not have. Often one of the two exists.
	void offer_refused()
	{
		auto op = static_cast<uint8_t>(bench_.rng.below(bench_.rng.one_in(2) ? 256 : 20));
		auto type = static_cast<uint8_t>(bench_.rng.one_in(2) ? bench_.rng.next() :
						 alu_types[bench_.rng.below(NUM_ALU_TYPES)].type);

		if (alu_check(op, type) != TALLY_COLL_OK)
			offer_refused(op, type);
	}

	void offer_refused(uint8_t op, uint8_t type)
	{
		static const Result nothing = {};
		Operands in;

		bench_.rng.fill(&in, sizeof(in));
		offer(op, type, in, nothing, true);
	}

	void offer(uint8_t op, uint8_t type, const Operands &in, const Result &out, bool refused)
	{
		Dut &dut = *bench_.dut;
		auto tag = static_cast<uint32_t>(bench_.rng.next());

		dut.valid_i = 1;
		dut.op_i = op;
		dut.type_i = type;
		set_tag(dut, tag, 0);
		std::memcpy(&dut.a_i, in.a.bytes, word_bytes);
		std::memcpy(&dut.b_i, in.b.bytes, word_bytes);
		sent_.push_back({ op, type, refused, tag, in, out, bench_.cycle() });
		cycle();
		dut.valid_i = 0;
	}

	void cycle()
	{
		Dut &dut = *bench_.dut;

		bench_.settle();
		if (!latency_ && dut.valid_o && !sent_.empty())
			latency_ = bench_.cycle() - sent_.front().cycle;
		CHECK(latency_ || sent_.size() < 100, "no word leaves");
		bool due = !sent_.empty() && latency_ && sent_.front().cycle + latency_ == bench_.cycle();
		CHECK(dut.valid_o == due, "valid_o is %d", dut.valid_o);
		if (due) {
			compare(sent_.front());
			sent_.pop_front();
		}
		bench_.tick();
	}

	void compare(const Sent &sent)
	{
		const Dut &dut = *bench_.dut;
		Word got;

		std::memcpy(got.bytes, &dut.result_o, word_bytes);
		for (size_t at = 0; at < word_bytes; at += 8)
			CHECK(got.value(at, 8) == sent.out.word.value(at, 8),
			      "operation %d on type %02x, byte %zu: %016llx and %016llx give %016llx, not %016llx", sent.op,
			      sent.type, at, hex(sent.in.a, at), hex(sent.in.b, at), hex(got, at),
			      hex(sent.out.word, at));
		CHECK(flags(dut, 0) == sent.out.flags, "operation %d on type %02x: flags %x, not %x", sent.op, sent.type,
		      flags(dut, 0), sent.out.flags);
		CHECK(tag(dut, sent.tag, 0) == sent.tag, "tag %x, not %x", tag(dut, sent.tag, 0), sent.tag);
		CHECK(error(dut, 0) == sent.refused, "operation %d on type %02x: error_o is %d", sent.op, sent.type,
		      error(dut, 0));
		came_++;
	}

	static unsigned long long hex(const Word &word, size_t at) { return word.value(at, 8); }

	// Access to ports that only some blocks have.
	template <typename D> static auto flags(const D &dut, int) -> decltype(dut.flags_o + 0u) { return dut.flags_o; }
	template <typename D> static unsigned int flags(const D &, long) { return 0; }
	template <typename D> static auto error(const D &dut, int) -> decltype(!dut.error_o) { return dut.error_o; }
	template <typename D> static bool error(const D &, long) { return false; }
	template <typename D> static auto has_error(const D &dut, int) -> decltype(!dut.error_o) { return true; }
	template <typename D> static bool has_error(const D &, long) { return false; }
	template <typename D> static auto tag(const D &dut, uint32_t, int) -> decltype(dut.tag_o + 0u) { return dut.tag_o; }
	template <typename D> static uint32_t tag(const D &, uint32_t sent, long) { return sent; }
	template <typename D> static auto set_tag(D &dut, uint32_t tag, int) -> decltype(void(dut.tag_i)) { dut.tag_i = tag; }
	template <typename D> static void set_tag(D &, uint32_t, long) {}

	Bench<Dut> &bench_;
	const std::vector<Pair> pairs_;
	std::vector<uint64_t> elems_;
	Throttle source_;
	std::deque<Sent> sent_;
	uint64_t came_ = 0;
	uint64_t latency_ = 0; // measured at the first word; all others must have the same
};

} // namespace tally

#endif
