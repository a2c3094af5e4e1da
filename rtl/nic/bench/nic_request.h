// SPDX-License-Identifier: BSD-2-Clause
// The first fields of tally_request_pkg::request_t, for the bench of tally_nic.
#ifndef TALLY_RTL_NIC_REQUEST_H
#define TALLY_RTL_NIC_REQUEST_H

#include <cstdint>

#include "rtl/record.h"

namespace tally {

struct Request {
	uint16_t status;
	uint32_t index, mid;
};

inline Request request(const uint32_t *words)
{
	auto bits = [=](unsigned int from, unsigned int n) {	// `from` counts from the highest bit
		uint64_t value = 0;

		for (unsigned int at = request_bits - from; n; n--) {
			at--;
			value = value << 1 | (words[at / 32] >> at % 32 & 1);
		}
		return value;
	};

	return { uint16_t(bits(0, 16)), uint32_t(bits(56, 32)), uint32_t(bits(88, 32)) };
}

} // namespace tally

#endif
