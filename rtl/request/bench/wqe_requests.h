// SPDX-License-Identifier: BSD-2-Clause
// Random work requests for the benches of tally_wqe and its parts: good ones, and those with a value that is just
// permitted or just refused.
#ifndef TALLY_RTL_WQE_REQUESTS_H
#define TALLY_RTL_WQE_REQUESTS_H

#include <cstdint>
#include <vector>

#include "bench.h"
#include "wqe_model.h"

class Requests {
public:
	explicit Requests(tally::Rng &rng) : rng_(rng) {}

	// Chooses another group and queue pair.
	void other_group();
	// Returns the entry of a request, of around.stride bytes.
	std::vector<uint8_t> entry();

	model_around around = {};

private:
	tally::Rng &rng_;

	bool one_in(uint64_t n) { return rng_.one_in(n); }
	uint64_t below(uint64_t n) { return rng_.below(n); }
	uint64_t bits(unsigned int width) { return rng_.next() & ((width < 64 ? 1ull << width : 0) - 1); }
	// A mask with few or with many bits.
	uint64_t mask();
	// A value at a limit, or one less or more.
	uint64_t near(uint64_t limit) { return limit + below(3) - 1; }

	uint8_t mode(uint8_t opcode);
	uint8_t opcode();
	uint32_t flags(uint8_t opcode);
	uint64_t count(const tally_wqe &w);
	void collective(tally_wqe &w);
	void triggered(tally_wqe &w);
	tally_wqe good();
	void spoil_common(tally_wqe &w);
	void spoil_size(tally_wqe &w);
	void spoil_collective(tally_wqe &w);
	void spoil_triggered(tally_wqe &w);
	void spoil_lists(tally_wqe &w);
	void spoil(tally_wqe &w);
	tally_sge sge(uint32_t length);
};

#endif
