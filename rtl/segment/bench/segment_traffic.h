// SPDX-License-Identifier: BSD-2-Clause
// Stimuli of tally_segment's bench: chunks and packets, valid and invalid ones.
#ifndef TALLY_SEGMENT_TRAFFIC_H
#define TALLY_SEGMENT_TRAFFIC_H

#include <vector>

#include "bench.h"
#include "segment_model.h"

constexpr uint32_t word_bytes = Width / 8;

// A chunk and its plan.
struct Open {
	segment_chunk chunk;
	bool root;
	segment_plan plan;
	uint64_t contributors, ranks;
	uint64_t out = 0; // contributors that posts leave out
};

struct Packet {
	segment_packet p;
	std::vector<uint8_t> data;

	uint32_t words() const { return p.len ? (p.len + word_bytes - 1) / word_bytes : 1; }
};

inline uint64_t ones(unsigned int n)
{
	return n < 64 ? (uint64_t(1) << n) - 1 : ~uint64_t(0);
}

// Returns chunk `num` with any operation, type, length and place that the engine accepts, of at most `bytes` bytes.
segment_chunk chunk_of(uint64_t seed, uint32_t num, uint32_t bytes);
// Returns a sum of one-byte elements, in a message of one chunk.
segment_chunk plain_chunk(uint32_t num, uint32_t bytes);
// Whether contributions are combined.
bool reduces(const segment_chunk &c);
// Returns the chunk with one wrong field.
segment_chunk spoiled(tally::Rng &rng, segment_chunk c);
// Returns a random subset of n bits: none, a few or many.
uint64_t some_bits(tally::Rng &rng, unsigned int n);
// Returns one of the set bits of a bitmap, which must not be zero.
unsigned int a_bit(tally::Rng &rng, uint64_t map);
// Returns an operation on the chunk, with the plan of `o`.
Packet packet_of(tally::Rng &rng, const Open &o, segment_kind kind, bool rank, unsigned int index, uint32_t len);

#endif
