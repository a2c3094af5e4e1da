// SPDX-License-Identifier: BSD-2-Clause
// The records at the boundary of the hardware, tally_net_pkg::rx_hdr_t and tally_encap_pkg::tx_hdr_t, as Verilator's
// words: bit 0 is that of the last field.
#ifndef TALLY_SIM_RTL_RECORD_H
#define TALLY_SIM_RTL_RECORD_H

#include <cstddef>
#include <cstdint>

extern "C" {
#include "gen/tally_hw.h"
#include "nic/units.h"
#include "wire/ecn.h"
#include "wire/roce.h"
}

namespace tally {

constexpr size_t rx_bits = 495 + 8 * sizeof(struct tally_tch);
constexpr size_t ack_bits = 16 + 8 + 32 + 64;
constexpr size_t sent_bits = 16 + 8 + 16 + 32;
constexpr size_t tx_bits = rx_bits - 8 - 1;	// neither verdict nor ip6

struct Record {
	enum tally_rx verdict;
	struct roce_hdr hdr;
	uint8_t tch[sizeof(struct tally_tch)];
	size_t payload_len;
	struct engine_admission admission;
};

// `admission` is tally_admission_pkg::admission_t. `flies`: the packet has a number, and passes.
Record read_record(const uint32_t *words, uint32_t admission, bool flies);
struct engine_ack read_ack(const uint32_t *words);	// tally_edge_pkg::ack_t
struct engine_sent read_sent(const uint32_t *words);	// tally_edge_pkg::sent_t
struct engine_expiry read_expiry(uint64_t word);	// tally_edge_pkg::expired_t
uint64_t name_word(const struct engine_name &name);	// tally_edge_pkg::name_t
void write_header(uint32_t *words, const struct roce_hdr &hdr, const struct tally_tch &tch, size_t payload_len);

} // namespace tally

#endif
