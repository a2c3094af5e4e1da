// SPDX-License-Identifier: BSD-2-Clause
// What an OPEN is compared with, in words of words_t and opens_t of tally_fw_send_pkg: the registers of opens_t, and the model's
// group and edge. The last words of a row are those of opens_t, behind done and limit.
#ifndef TALLY_OPEN_WORDS_H
#define TALLY_OPEN_WORDS_H

#include <cstring>

#include "bench.h"
#include "fw_send_words.h"
#include "open_model.h"

namespace tally {

constexpr unsigned int open_first = fw_words, open_regs = 6, open_words = fw_words + 3;

// A register, as an offset from those of its edge, and its place.
struct OpenReg {
	uint32_t at;
	unsigned int word;
	uint32_t mask;	// of its bytes
};

constexpr OpenReg open_reg[open_regs] = {
	{ FW_AT(edge, peer_key), open_first, 0xffffffff },	{ FW_AT(edge, subtree_first), open_first + 1, 0xffff },
	{ FW_AT(edge, subtree_count), open_first + 1, 0xffff0000 }, { FW_AT(edge, state), open_first + 2, 0xff },
	{ FW_AT(edge, unconfirmed), open_first + 2, 0xff00 },	{ FW_AT(edge, awaits_epoch), open_first + 2, 0xffff0000 },
};

constexpr uint32_t open_reg_address(unsigned int k, uint32_t context, uint32_t edge)
{
	return TALLY_FW_GROUP_BASE + context * TALLY_FW_GROUP_STRIDE + TALLY_FW_EDGE_OFFSET + edge * TALLY_FW_EDGE_STRIDE + open_reg[k].at;
}

// A value of a register.
inline uint32_t open_reg_value(Rng &rng, unsigned int k)
{
	switch (open_reg[k].at) {
	case FW_AT(edge, subtree_count):
		return rng.below(5);
	case FW_AT(edge, state):
		return rng.below(3);
	case FW_AT(edge, unconfirmed):
		return rng.one_in(2) ? 0 : rng.one_in(2) ? 1 : rng.next();
	case FW_AT(edge, awaits_epoch):
		return rng.one_in(2) ? 1 : rng.below(300);
	default:
		return rng.next();
	}
}

// The bits of its word that a value becomes.
inline uint32_t open_reg_bits(unsigned int k, uint32_t value)
{
	switch (open_reg[k].at) {
	case FW_AT(edge, subtree_count):
		return value << 16;
	case FW_AT(edge, state):
		return value & 3;
	case FW_AT(edge, unconfirmed):
		return uint32_t(!!value) << 8;
	case FW_AT(edge, awaits_epoch):
		return uint32_t(value == 1) << 16;
	default:
		return value & open_reg[k].mask;
	}
}

inline void open_reg_write(uint32_t *words, unsigned int k, uint32_t value)
{
	uint32_t &word = words[open_reg[k].word];

	word = (word & ~open_reg[k].mask) | open_reg_bits(k, value);
}

// The value of a register of a group, by its offset.
inline uint32_t open_group_reg(const uint32_t *words, uint32_t at)
{
	unsigned int k = 0;

	while (fw_word_at[k] != at)
		k++;
	return words[k];
}

// What the model compares with. Words of a group and of an edge may be in different arrays.
inline void open_of_words(const uint32_t *of_group, const uint32_t *of_edge, open_group &g, open_edge &ed)
{
	auto reg = [of_group](uint32_t at) { return open_group_reg(of_group, at); };
	auto wide = [of_edge](unsigned int k) { return of_edge[k] | uint64_t(of_edge[k + 1]) << 32; };
	const uint32_t state = reg(FW_AT(group, state));

	g = { reg(FW_AT(group, flags)), reg(FW_AT(group, chunk)), reg(FW_AT(group, mtu)), reg(FW_AT(group, plan)),
	      reg(FW_AT(group, total_ranks)), reg(FW_AT(group, epoch)), reg(FW_AT(group, group_key)), uint16_t(reg(FW_AT(group, num_nodes))),
	      uint16_t(reg(FW_AT(group, node))), uint16_t(reg(FW_AT(group, num_segs))), uint8_t(reg(FW_AT(group, modes))),
	      uint8_t(reg(FW_AT(group, rounds))), state == TALLY_GROUP_OPENING || state == TALLY_GROUP_OPEN || state == TALLY_GROUP_DRAINING };
	ed = { wide(fw_written_words), wide(fw_written_words + 2), of_edge[open_first], of_edge[open_first + 2] >> 16,
	       uint16_t(of_edge[open_first + 1]), uint16_t(of_edge[open_first + 1] >> 16), uint8_t(of_edge[open_first + 2]),
	       uint8_t(of_edge[open_first + 2] >> 8) };
}

// An OPEN of this edge, which agrees but for few bits. Returns what the model finds.
inline uint32_t open_choose(Rng &rng, const uint32_t *of_group, const uint32_t *of_edge, open_packet &p)
{
	open_group g;
	open_edge ed;

	open_of_words(of_group, of_edge, g, ed);
	p = {};
	p.epoch = rng.one_in(3) ? 0 : rng.one_in(2) ? g.epoch : uint32_t(rng.next());
	p.flags = rng.next();
	open_agreeing(&g, &ed, ed.first + (ed.count ? rng.below(ed.count) : rng.below(3)), &p);
	for (unsigned int n = rng.below(3); n; n--)
		p.data[rng.below(sizeof(struct tally_tch_open))] ^= 1u << rng.below(8);
	return open_model(&g, &ed, &p);
}

// An OPEN with this nonce.
inline open_packet open_with_nonce(uint64_t nonce)
{
	open_packet p = {};

	for (unsigned int i = 0; i < 8; i++)
		p.data[offsetof(struct tally_tch_open, nonce) + i] = uint8_t(nonce >> (56 - 8 * i));
	return p;
}

// The event of an OPEN, tally_events_pkg::packet_t.
template <typename Words> void open_event(Words &to, const open_packet &p, uint32_t context, uint32_t edge)
{
	uint8_t *bytes = reinterpret_cast<uint8_t *>(&to[0]);
	const uint32_t first = uint32_t(p.flags) | edge << 16 | uint32_t(TALLY_FW_EV_OPEN) << 24;

	std::memset(bytes, 0, 82);
	std::memcpy(bytes, p.data, sizeof(p.data));
	std::memcpy(bytes + 72, &p.epoch, 4);	// behind sid and mid
	std::memcpy(bytes + 76, &first, 4);
	std::memcpy(bytes + 80, &context, 2);
}

} // namespace tally

#endif
