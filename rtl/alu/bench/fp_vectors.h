// SPDX-License-Identifier: BSD-2-Clause
// Operands for the floating-point blocks, and their expected results. Both come from the C model's own vectors and
// references (the host's arithmetic, docs/alu.md), for the format of the bench.
#ifndef TALLY_RTL_FP_VECTORS_H
#define TALLY_RTL_FP_VECTORS_H

#include <cinttypes>
#include <vector>

#include "bench.h"

extern "C" {
#include "alu/alu.h"
#include "alu/alu_testing.h"
}

namespace tally {

struct Pair {
	uint64_t a, b;
};

struct Result {
	uint64_t bits;
	uint16_t flags;
};

class FpVectors {
public:
	FpVectors(unsigned int exp_bits, unsigned int frac_bits, Rng &rng) : rng_(rng)
	{
		for (const struct alu_type &t : alu_types)
			if (t.man == frac_bits && t.bits == 1 + exp_bits + frac_bits)
				type_ = &t;
		CHECK(type_, "no such format in the model");
		rng_seed(&alu_rng, rng.next());
		add_corners();
	}

	const struct alu_type *type() const { return type_; }

	// Returns all pairs of corner values.
	const std::vector<Pair> &corners() const { return corners_; }

	// Returns a random pair, which often meets a special case of the operation.
	Pair random(uint8_t op)
	{
		uint64_t a = alu_random(type_);

		switch (rng_.below(8)) {
		case 0:
			return { rng_.next() & alu_mask(type_), rng_.next() & alu_mask(type_) };
		case 1:
			return { subnormal(), rng_.one_in(2) ? subnormal() : a };
		case 2:
			return corners_[rng_.below(corners_.size())];
		case 3:
			return { a, alu_random_partner(type_, a) };
		default:
			return meet(a, op == TALLY_OP_PROD ? alu_random_inverse(type_, a) : alu_random_partner(type_, a));
		}
	}

	// Returns the result of the host's arithmetic; for the short formats, of a separate model.
	Result expect(uint8_t op, const Pair &p) const
	{
		Result r;

		r.bits = alu_reference(type_, op, p.a, p.b, &r.flags);
		return r;
	}

private:
	Pair meet(uint64_t a, uint64_t b) { return rng_.one_in(2) ? Pair{ a, b } : Pair{ b, a }; }

	// Returns a subnormal number of random size and sign.
	uint64_t subnormal()
	{
		uint64_t fraction = (rng_.next() & ((1ULL << type_->man) - 1)) >> rng_.below(type_->man);

		return fraction | (rng_.one_in(2) ? alu_sign(type_) : 0);
	}

	// Collects the model's corner values, their neighbours, powers of two around the lower limit of a product, and
	// the numbers one ulp below them.
	void add_corners()
	{
		uint64_t model[MAX_CORNERS];
		std::vector<uint64_t> v(model, model + alu_corners(type_, model));
		const uint64_t hidden = 1ULL << type_->man, half = (alu_infinity(type_) >> 1) & ~(hidden - 1);

		for (size_t i = 0, n = v.size(); i < n; i += 5)
			v.push_back((v[i] + 1) & alu_mask(type_));
		for (uint64_t k = 0; k < 4; k++)
			for (uint64_t one : { half, half - hidden, (half >> 1 & ~(hidden - 1)) + hidden })
				v.push_back(one + k - 2);
		for (uint64_t a : v)
			for (uint64_t b : v)
				corners_.push_back({ a, b });
	}

	Rng &rng_;
	const struct alu_type *type_ = nullptr;
	std::vector<Pair> corners_;
};

// A sequence of pairs: first all corner values, then random ones.
class PairSource {
public:
	PairSource(FpVectors &vectors, uint8_t op) : vectors_(vectors), op_(op) {}
	Pair next() { return at_ < vectors_.corners().size() ? vectors_.corners()[at_++] : vectors_.random(op_); }

private:
	FpVectors &vectors_;
	const uint8_t op_;
	size_t at_ = 0;
};

} // namespace tally

#endif
