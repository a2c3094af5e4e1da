// SPDX-License-Identifier: BSD-2-Clause
// Reductions for the benches of tally_ordered.
#ifndef TALLY_ORDERED_CASE_H
#define TALLY_ORDERED_CASE_H

#include <vector>

#include "bench.h"

using Bytes = std::vector<uint8_t>;
constexpr unsigned int word_bytes = WordW / 8, cell_bytes = Words *word_bytes;

// A reduction: its inputs, and the result of the model.
struct Case {
	uint8_t op = 0, dtype = 0;
	uint32_t len = 0;
	std::vector<Bytes> inputs; // empty: absent
	bool filled = false;
	Bytes result;
	uint16_t err_vector = 0;
	unsigned int combines = 0;
};

Case random_case(tally::Rng &rng, unsigned int num, uint32_t max_len);
// Returns a sum of whole chunks, or of absent inputs.
Case full_case(tally::Rng &rng, unsigned int num, bool absent);
std::vector<unsigned int> random_order(tally::Rng &rng, size_t num);
// Runs sim/engine/ordered.c with the inputs in this order.
void ask_model(Case &c, const std::vector<unsigned int> &order);

#endif
