// SPDX-License-Identifier: BSD-2-Clause
// Records of tally_trigger_pkg and of packets in the words of verilator, for the benches of the request processor.
#ifndef TALLY_RTL_TRIGGER_BITS_H
#define TALLY_RTL_TRIGGER_BITS_H

#include <cstddef>
#include <cstdint>

extern "C" {
#include "gen/tally_hw.h"
}

namespace bits {

// Sets n bits from `bit` on, at most 64.
inline void put(uint32_t *words, size_t bit, size_t n, uint64_t value)
{
	for (size_t i = 0; i < n; i++) {
		words[(bit + i) / 32] &= ~(1u << (bit + i) % 32);
		words[(bit + i) / 32] |= uint32_t(value >> i & 1) << (bit + i) % 32;
	}
}

inline uint64_t get(const uint32_t *words, size_t bit, size_t n)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n; i++)
		value |= uint64_t(words[(bit + i) / 32] >> (bit + i) % 32 & 1) << i;
	return value;
}

// Takes the fields of a packed struct from the most significant one on.
class Fields {
public:
	Fields(uint32_t *words, size_t width) : words_(words), at_(width) {}
	Fields &operator()(size_t n, uint64_t value)
	{
		at_ -= n;
		put(words_, at_, n, value);
		return *this;
	}
	uint64_t take(size_t n)
	{
		at_ -= n;
		return get(words_, at_, n);
	}

private:
	uint32_t *words_;
	size_t at_;
};

constexpr size_t tch_bytes = sizeof(struct tally_tch), rx_bits = 495 + 8 * tch_bytes, rx_words = (rx_bits + 31) / 32;
constexpr size_t payload_len_bit = 8 * tch_bytes;
constexpr size_t message_bits = 95, message_words = 3;

} // namespace bits

// Bit of a field of tally_tch in the record of a packet.
#define TCH_BIT(field, width) (8 * (bits::tch_bytes - offsetof(struct tally_tch, field)) - (width))

#endif
