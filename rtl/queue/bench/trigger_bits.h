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
	void skip(size_t n) { at_ -= n; }
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
// trigger_t of tally_head_pkg, in the low bits of `message` of source_t.
constexpr size_t trigger_bits = 135, source_message_bits = 248;
constexpr size_t message_bits = 95, message_words = 3;

// What a request of a descriptor says: request_t of tally_request_pkg, whose other fields may be anything.
struct Request {
	uint8_t opcode, op, dtype, branch, counter, dest_counter, cpcnt, elem_log, give_log, num_gather, num_result;
	uint16_t dest_port, err_vector, inline_len;
	uint32_t flags, mid, count, give_len, get_len, loc_index, timeout_ms;
	uint64_t node_mask, rank_mask;
};
constexpr size_t request_bits = 766, request_words = 24;

inline void put_request(uint32_t *words, const Request &r)
{
	Fields f(words, request_bits);

	f(16, 0)(8, r.opcode)(32, r.flags).skip(32);
	f(32, r.mid)(64, r.rank_mask)(32, r.count)(8, r.op)(8, r.dtype).skip(32);
	f(8, r.counter)(8, r.dest_counter)(16, r.dest_port)(8, r.branch)(16, r.err_vector)(7, r.cpcnt).skip(32);
	f(3, r.elem_log)(3, r.give_log).skip(45);
	f(32, r.give_len)(32, r.get_len)(32, r.loc_index)(64, r.node_mask)(32, r.timeout_ms).skip(137);
	f(13, r.inline_len)(7, r.num_gather)(7, r.num_result);
}

} // namespace bits

// Bit of a field of tally_tch in the record of a packet.
#define TCH_BIT(field, width) (8 * (bits::tch_bytes - offsetof(struct tally_tch, field)) - (width))

#endif
