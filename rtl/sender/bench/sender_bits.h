// SPDX-License-Identifier: BSD-2-Clause
// Fields of the records of tally_sender, beside those of local_bits.h.
#ifndef TALLY_RTL_SENDER_BITS_H
#define TALLY_RTL_SENDER_BITS_H

#include "local_bits.h"

namespace wanted_bits { // of tally_request_pkg::request_t
constexpr Field seg_count{ 155, 9 }, edges{ 196, 64 }, chunks{ 356, 32 }, chunk{ 388, 13 }, total{ 407, 32 }, root_rank{ 502, 8 }, root_node{ 510, 16 },
	mode{ 526, 8 }, dtype{ 534, 8 }, op{ 542, 8 };
} // namespace wanted_bits

namespace update_bits { // tally_sender_pkg::update_t
constexpr Field err_vector{ 0, 16 }, finished{ 16, 7 }, ranks{ 23, 7 }, num{ 30, 32 }, last{ 62, 1 }, status{ 63, 16 }, refused{ 79, 1 };
} // namespace update_bits

namespace began_bits { // tally_sender_pkg::began_t
constexpr Field err_vector{ 0, 16 }, answer{ 16, 8 }, num{ 24, 32 }, status{ 56, 16 }, here{ 72, 1 }, refused{ 73, 1 };
} // namespace began_bits

#endif
