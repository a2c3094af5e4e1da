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

constexpr size_t answer_bits = 2 + 8 + 8 + 16 + 16 + 11;
constexpr size_t moved_bits = 3 + 16 + 32 + 32;
constexpr size_t passage_bits = 2 + 16 + 8 + 32 + 32;

// Records of tally_local_pkg.
constexpr size_t local_access_bits = 2 + 16 + 32 + 64 + 13;

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

// Records of tally_store_pkg.
struct Answer {
	enum Of { PACKET, POST, LOCAL } of;	// tally_store_pkg::of_e
	unsigned int flight, slot;
	struct engine_answer answer;
};

struct Moved {
	bool ok, finished, ended;
	uint32_t group, done, limit;
};

struct nic_region_access read_access(const uint32_t *words);		// without its number
Answer read_answer(uint64_t bits);
uint64_t write_command(enum tally_fw_store_command command, uint32_t group, uint32_t num);
Moved read_moved(const uint32_t *words);
struct engine_passage read_passage(const uint32_t *words);

constexpr size_t request_bits = 766;

// tally_request_pkg::request_t, without queue pair, verdict, lists and inline data.
struct engine_request read_request(const uint32_t *words);

constexpr size_t update_bits = 64 + 1 + 16 + 1 + 32 + 7 + 7 + 16;

void write_update(uint32_t *words, const struct engine_update &u);	// tally_sender_pkg::update_t
uint64_t end_word(const struct engine_end &x);				// tally_sender_pkg::end_t

constexpr size_t begun_bits = 2 + 16 + 32 + 8 + 16;

// tally_sender_pkg::began_t, without queue pair and entry.
struct engine_begun read_begun(const uint32_t *words);

struct engine_sent read_sent(const uint32_t *words);	// tally_edge_pkg::sent_t
struct engine_expiry read_expiry(uint64_t word);	// tally_edge_pkg::expired_t
uint64_t name_word(const struct engine_name &name);	// tally_edge_pkg::name_t
void write_header(uint32_t *words, const struct roce_hdr &hdr, const struct tally_tch &tch, size_t payload_len);

} // namespace tally

#endif
