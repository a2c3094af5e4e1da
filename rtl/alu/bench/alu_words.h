// SPDX-License-Identifier: BSD-2-Clause
// Common parts of the ALU's benches: words of operands, and their results by the C model.
#ifndef TALLY_RTL_ALU_WORDS_H
#define TALLY_RTL_ALU_WORDS_H

#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

#include "bench.h"

extern "C" {
#include "alu/alu.h"
#include "alu/alu_testing.h"
}

namespace tally {

#ifdef Width
constexpr size_t word_bytes = Width / 8;
#else
constexpr size_t word_bytes = 64;
#endif

struct Word {
	uint8_t bytes[word_bytes];

	uint64_t value(size_t at, size_t len) const
	{
		uint64_t x = 0;

		std::memcpy(&x, bytes + at, len);
		return x;
	}
	void put(size_t at, size_t len, uint64_t x) { std::memcpy(bytes + at, &x, len); }
	bool operator==(const Word &other) const { return !std::memcmp(bytes, other.bytes, word_bytes); }
};

// An operation and a type that the ALU has.
struct Pair {
	uint8_t op;
	const alu_type *type;

	bool is_loc() const { return op == TALLY_OP_MINLOC || op == TALLY_OP_MAXLOC; }
	size_t elem() const { return alu_elem_size(op, type->type); }
	size_t elems() const { return word_bytes / elem(); }
};

// Returns all pairs whose operation wanted() accepts, in the order of types.
template <typename Wanted> std::vector<Pair> alu_pairs(Wanted wanted)
{
	std::vector<Pair> pairs;

	for (const alu_type &type : alu_types)
		for (int op = 0; op < 256; op++)
			if (alu_supported(static_cast<uint8_t>(op), type.type) && wanted(op, type))
				pairs.push_back({ static_cast<uint8_t>(op), &type });
	return pairs;
}

// The operands of a word.
struct Operands {
	Word a, b;
};

struct Result {
	Word word;
	uint16_t flags;
};

inline Result alu_expect(const Pair &pair, const Operands &in, size_t elems)
{
	Result out = { in.a, 0 };

	out.flags = alu_reduce(pair.op, pair.type->type, out.word.bytes, in.b.bytes,
			       static_cast<uint32_t>(elems));
	return out;
}

inline int32_t random_index(Rng &rng)
{
	static const int32_t some[] = { 0, 1, -1, 7, INT32_MIN, INT32_MAX };

	return rng.one_in(4) ? static_cast<int32_t>(rng.next()) : some[rng.below(6)];
}

// Sets element i of both operands. In a pair of value and index, all other bytes are random.
inline void put_element(Rng &rng, const Pair &pair, Operands &in, size_t i, uint64_t a, uint64_t b)
{
	size_t at = i * pair.elem(), size = pair.type->bits / 8;

	if (pair.is_loc()) {
		rng.fill(in.a.bytes + at, pair.elem());
		rng.fill(in.b.bytes + at, pair.elem());
		in.a.put(at + pair.elem() / 2, 4, static_cast<uint32_t>(random_index(rng)));
		in.b.put(at + pair.elem() / 2, 4, static_cast<uint32_t>(random_index(rng)));
	}
	in.a.put(at, size, a);
	in.b.put(at, size, b);
}

// Returns random operands that often meet special cases.
inline Operands random_operands(Rng &rng, const Pair &pair)
{
	Operands in;

	for (size_t i = 0; i < pair.elems(); i++) {
		uint64_t a = alu_random(pair.type), b = alu_random(pair.type);
		uint64_t how = rng.below(8);

		if (how == 0)
			b = a ^ (rng.next() & rng.below(2) * alu_sign(pair.type));
		else if (how < 4)
			b = alu_random_partner(pair.type, a);
		else if (how < 6 && pair.type->man && pair.op == TALLY_OP_PROD)
			b = alu_random_inverse(pair.type, a);
		put_element(rng, pair, in, i, a, b);
	}
	return in;
}

// Calls use(operands) with words that hold all pairs of corner values. The last word is padded with zeros.
template <typename Use> void for_corners(Rng &rng, const Pair &pair, Use use)
{
	uint64_t corners[MAX_CORNERS];
	size_t n = alu_corners(pair.type, corners);

	for (size_t first = 0; first < n * n; first += pair.elems()) {
		Operands in = {};

		for (size_t i = 0; i < pair.elems() && first + i < n * n; i++)
			put_element(rng, pair, in, i, corners[(first + i) / n], corners[(first + i) % n]);
		use(in);
	}
}

} // namespace tally

#endif
