// SPDX-License-Identifier: BSD-2-Clause
// What packets of the firmware are formed from: the words of words_t of tally_fw_send_pkg, and the registers that they have.
#ifndef TALLY_FW_SEND_WORDS_H
#define TALLY_FW_SEND_WORDS_H

#include <cstddef>
#include <cstdint>

#include "bench.h"

extern "C" {
#include "gen/tally_fw_hw.h"
}

namespace tally {

#define FW_AT(block, field) uint32_t(offsetof(struct tally_fw_##block, field))
#define FW_SETUP(field) uint32_t(TALLY_FW_SETUP_OFFSET + FW_AT(setup, field))
#define FW_NEIGHBOUR(field) uint32_t(TALLY_FW_NEIGHBOUR_OFFSET + FW_AT(neighbour, field))

constexpr unsigned int fw_group_words = 14, fw_regs = 27;	// the words of the group come first
constexpr unsigned int fw_done = fw_regs, fw_limit = fw_regs + 1, fw_words = fw_regs + 2;

// The offset of each one from the registers of its group, or its edge.
constexpr uint32_t fw_word_at[fw_regs] = {
	FW_SETUP(jid), FW_AT(group, state), FW_AT(group, flags), FW_AT(group, epoch), FW_AT(group, group_key), FW_AT(group, mtu),
	FW_AT(group, chunk), FW_AT(group, plan), FW_AT(group, num_segs), FW_AT(group, node), FW_AT(group, num_nodes),
	FW_AT(group, modes), FW_AT(group, rounds), FW_AT(group, total_ranks),
	FW_NEIGHBOUR(gid), FW_NEIGHBOUR(gid) + 4, FW_NEIGHBOUR(gid) + 8, FW_NEIGHBOUR(gid) + 12, FW_NEIGHBOUR(mac), FW_NEIGHBOUR(mac) + 4,
	FW_NEIGHBOUR(remote_index), FW_AT(edge, nonce), FW_AT(edge, nonce) + 4, FW_AT(edge, peer_nonce), FW_AT(edge, peer_nonce) + 4,
	FW_AT(edge, key), FW_AT(edge, own_first_seq),
};
constexpr unsigned int fw_written_words = 21;	// that the firmware writes; the others are the hardware's own

// The address of a register of a group, or of an edge of it.
constexpr uint32_t fw_word_reg(unsigned int word, uint32_t context, uint32_t edge)
{
	return TALLY_FW_GROUP_BASE + context * TALLY_FW_GROUP_STRIDE + fw_word_at[word] +
	       (word < fw_group_words ? 0 : TALLY_FW_EDGE_OFFSET + edge * TALLY_FW_EDGE_STRIDE);
}

// A value of a register, by its word.
inline uint32_t fw_word_value(Rng &rng, unsigned int word)
{
	const uint32_t at = word < fw_group_words ? fw_word_at[word] : UINT32_MAX;

	if (at == FW_AT(group, state))
		return rng.below(8);
	if (at == FW_AT(group, epoch) || at == FW_AT(group, group_key))
		return rng.one_in(3) ? 0 : rng.next();
	return rng.next();
}

} // namespace tally

#endif
