// SPDX-License-Identifier: BSD-2-Clause
// Drives one lane, a pipeline without valid signal, with a new pair in each clock. Compares result and flags with the
// host's arithmetic and with the C model.
#ifndef TALLY_RTL_FP_LANE_H
#define TALLY_RTL_FP_LANE_H

#include <deque>
#include <map>

#include "Vdut.h"
#include "fp_vectors.h"

namespace tally {

// Bench drives a reset, which a lane does not have.
struct Lane : Vdut {
	uint8_t rst_ni;
};

constexpr size_t kLatency = 11; // tally_alu_pkg::FpLatency
constexpr uint16_t kAllFlags = TALLY_ERR_FP_INVALID | TALLY_ERR_FP_OVERFLOW | TALLY_ERR_FP_UNDERFLOW |
			       TALLY_ERR_FP_INEXACT;

class LaneBench {
public:
	LaneBench(const char *name, int argc, char **argv)
		: bench(name, argc, argv), vectors_(ExpW, FracW, bench.rng)
	{
	}

	// Runs one clock with the next pair of an operation. The caller has set the inputs other than the operands.
	void step(uint8_t op)
	{
		Pair pair = sources_.try_emplace(op, vectors_, op).first->second.next();

		bench.dut->a_i = pair.a;
		bench.dut->b_i = pair.b;
		bench.tick();
		inside_.push_back({ op, pair });
		if (inside_.size() == kLatency) {
			check(inside_.front());
			inside_.pop_front();
		}
	}

	// Checks that the operation raised each of these flags at least once, and no other flag.
	void check_seen(uint8_t op, uint16_t flags)
	{
		CHECK(seen_[op] == flags, "op %u raised flags %#x in all, not %#x", op, seen_[op], flags);
	}

	Bench<Lane> bench;

private:
	struct Inside {
		uint8_t op;
		Pair pair;
	};

	void check(const Inside &in)
	{
		const struct alu_type *type = vectors_.type();
		Result want = vectors_.expect(in.op, in.pair);
		uint64_t result = bench.dut->result_o;
		uint16_t flags = bench.dut->flags_o, model_flags;
		uint64_t model = alu_one(type, in.op, in.pair.a, in.pair.b, &model_flags);

		CHECK(result == want.bits && flags == want.flags,
		      "%s op %u: %#" PRIx64 ", %#" PRIx64 " gave %#" PRIx64 " flags %#x, not %#" PRIx64 " flags %#x",
		      type->name, in.op, in.pair.a, in.pair.b, result, flags, want.bits, want.flags);
		CHECK(result == model && flags == model_flags, "the model differs from the host's arithmetic");
		seen_[in.op] |= flags;
	}

	FpVectors vectors_;
	std::map<uint8_t, PairSource> sources_;
	std::map<uint8_t, uint16_t> seen_;
	std::deque<Inside> inside_;
};

} // namespace tally

#endif
