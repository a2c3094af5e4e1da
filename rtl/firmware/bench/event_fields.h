// SPDX-License-Identifier: BSD-2-Clause
// Packed structures of the blocks, which a bench reads and writes.
#ifndef TALLY_RTL_EVENT_FIELDS_H
#define TALLY_RTL_EVENT_FIELDS_H

#include <cstdint>

#include "bench.h"

// The fields of a packed structure, from the lowest one on.
template <typename Words> class Fields {
public:
	explicit Fields(Words &words) : words_(words) {}

	uint64_t get(unsigned int bits)
	{
		uint64_t value = 0;

		for (unsigned int i = 0; i < bits; i++, at_++)
			value |= static_cast<uint64_t>(words_[at_ / 32] >> at_ % 32 & 1) << i;
		return value;
	}

	void put(unsigned int bits, uint64_t value)
	{
		for (unsigned int i = 0; i < bits; i++, at_++)
			words_[at_ / 32] = (words_[at_ / 32] & ~(1u << at_ % 32)) | static_cast<uint32_t>(value >> i & 1) << at_ % 32;
	}

private:
	Words &words_;
	unsigned int at_ = 0;
};

#endif
