// SPDX-License-Identifier: BSD-2-Clause
// Common parts of the benches of the AVG division: divisors, their inverses by plain arithmetic, and dividends.
#ifndef TALLY_RTL_SCALE_VECTORS_H
#define TALLY_RTL_SCALE_VECTORS_H

#include <cstdint>
#include <cstring>
#include <vector>

#include "bench.h"

extern "C" {
#include "alu/alu.h"
#include "alu/alu_testing.h"
}

namespace tally {

// A divisor and its outputs of tally_scale_inverse.
struct Divisor {
	uint32_t n;
	unsigned int down;
	unsigned __int128 inverse; // floor(2^118 / m), where m is n shifted until bit 31 is set
};

inline Divisor divisor_of(uint32_t n)
{
	int up = __builtin_clz(n);
	auto one = static_cast<unsigned __int128>(1);

	return { n, 31u - static_cast<unsigned int>(up), (one << 118) / (n << up) };
}

template <typename Dut> void drive_divisor(Dut &dut, const Divisor &divisor)
{
	dut.down_i = static_cast<uint8_t>(divisor.down);
	std::memcpy(&dut.inverse_i, &divisor.inverse, sizeof(dut.inverse_i));
}

// Divisors near which the block's behaviour changes.
inline const std::vector<uint32_t> &corner_divisors()
{
	static const std::vector<uint32_t> all = {
		1, 2, 3, 4, 5, 7, 9, 10, 127, 128, 129, 641, 2047, 2048, 2049, 65535, 65536, 65537, 0x7fffff, 0x800001,
		0xffffff, 0x1000001, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff,
	};

	return all;
}

inline uint32_t random_divisor(Rng &rng)
{
	auto n = static_cast<uint32_t>(rng.next()) >> rng.below(32);

	if (rng.one_in(8))
		return corner_divisors()[rng.below(corner_divisors().size())];
	return n ? n : 1;
}

// Returns the number that is nearest to this value.
inline uint64_t number_of(const alu_type *type, double value)
{
	uint16_t flags;
	uint64_t bits;

	if (type->bits < 64)
		return alu_narrow(type, value, &flags);
	std::memcpy(&bits, &value, sizeof(bits));
	return bits;
}

// Returns a dividend for @n. The quotient is often exact or nearly so, or a tie of subnormals.
inline uint64_t random_dividend(Rng &rng, const alu_type *type, uint32_t n)
{
	uint64_t q = rng.next() >> rng.below(64);

	switch (rng.below(8)) {
	case 0:
		return (q * n + rng.below(3) - 1) & alu_mask(type);
	case 1:
		return ((2 * q + 1) * (n / 2)) & alu_mask(type);
	case 2:
		return type->man ? (number_of(type, static_cast<double>(q) * n) + rng.below(3) - 1) & alu_mask(type) :
				   alu_mask(type) >> rng.below(type->bits);
	default:
		return alu_random(type);
	}
}

struct Division {
	uint64_t a;
	uint32_t n;
};

// Returns a division of longer floats whose quotient lies as close as possible to an exact one or to a tie. The
// significand times 2^33, divided by n, leaves the remainder 1 or n - 1.
inline Division nearly_exact(Rng &rng, const alu_type *type)
{
	const uint64_t hidden = 1ULL << type->man;

	while (true) {
		uint32_t n = static_cast<uint32_t>(rng.next()) | 0x80000001;
		uint64_t half = (n + 1ULL) / 2, sig = 1;

		for (int i = 0; i < 33; i++)
			sig = sig * half % n;
		if (rng.one_in(2))
			sig = n - sig;
		if (hidden > n)
			sig += n * ((hidden - sig) / n + 1 + rng.below(hidden / n - 1));
		if (sig / hidden == 1)
			return { (1 + rng.below((alu_infinity(type) >> type->man) - 1)) << type->man | (sig - hidden), n };
	}
}

inline Division random_division(Rng &rng, const alu_type *type)
{
	uint32_t n = random_divisor(rng);

	if (type->man > 16 && rng.one_in(256))
		return nearly_exact(rng, type);
	return { random_dividend(rng, type, n), n };
}

} // namespace tally

#endif
