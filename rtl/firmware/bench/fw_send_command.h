// SPDX-License-Identifier: BSD-2-Clause
// A command that sends a packet of the firmware, with values that it may have.
#ifndef TALLY_FW_SEND_COMMAND_H
#define TALLY_FW_SEND_COMMAND_H

#include <cstring>

#include "bench.h"
#include "fw_send_model.h"
#include "fw_send_words.h"

extern "C" {
#include "gen/tally_hw.h"
}

namespace tally {

constexpr unsigned int fw_command_words = FW_AT(command, data) / 4 + TALLY_FW_DATA_WORDS;

struct FwCommand {
	uint32_t code;
	uint64_t echo;				// nonce of the OPEN that is handled
	uint32_t regs[fw_command_words] = {};	// struct command without `go`

	explicit FwCommand(Rng &rng);
	bool open() const { return code != TALLY_FW_CMD_SEND; }
	uint32_t reg(uint32_t at) const { return regs[at / 4]; }
	struct fw_send_packet model() const;
};

inline FwCommand::FwCommand(Rng &rng)
{
	static const uint32_t codes[] = { TALLY_FW_CMD_SEND, TALLY_FW_CMD_SEND_OPEN, TALLY_FW_CMD_CONFIRM, TALLY_FW_CMD_CHALLENGE };
	static const uint32_t lengths[] = { 0, 4 * TALLY_FW_DATA_WORDS, sizeof(struct tally_tch_kill) };

	code = codes[rng.below(4)];
	echo = rng.next();
	for (uint32_t at = FW_AT(command, epoch); at <= FW_AT(command, sid); at += 4)
		regs[at / 4] = rng.next();
	regs[FW_AT(command, kind) / 4] = rng.one_in(2) ? TALLY_KIND_KILL : TALLY_KIND_ACK;
	regs[FW_AT(command, flags) / 4] = rng.next() & 0xffff;
	regs[FW_AT(command, length) / 4] = rng.one_in(2) ? lengths[rng.below(3)] : rng.below(4 * TALLY_FW_DATA_WORDS + 1);
	rng.fill(regs + FW_AT(command, data) / 4, 4 * TALLY_FW_DATA_WORDS);
}

// The packet of the model, for the group that it has.
inline struct fw_send_packet FwCommand::model() const
{
	auto write = [this](uint32_t at) { fw_send_model_write(TALLY_FW_COMMAND_BASE + at, reg(at)); };

	for (uint32_t at = FW_AT(command, kind); at <= FW_AT(command, length); at += 4)
		write(at);
	for (uint32_t at = FW_AT(command, data); at < 4 * fw_command_words; at += 4)
		write(at);
	return fw_send_model_go(code, echo);
}

// Puts into the model's group and edge what the words say.
inline void fw_send_words_to_model(const uint32_t words[fw_words])
{
	auto wide = [words](unsigned int k) { return words[k] | uint64_t(words[k + 1]) << 32; };
	const struct fw_send_state s = { wide(fw_written_words), wide(fw_written_words + 2), words[fw_regs - 2], words[fw_regs - 1],
					 words[fw_done], words[fw_limit] };

	// A group that is frozen does not become OPEN: each command has another group.
	fw_send_model_write(TALLY_FW_GROUP_BASE + FW_AT(group, state), TALLY_GROUP_DEAD);
	for (unsigned int k = 0; k < fw_written_words; k++)
		fw_send_model_write(fw_word_reg(k, 0, FW_SEND_EDGE), words[k]);
	fw_send_model_state(&s);
}

// Gives the NIC of the block and of the model addresses of its own.
template <typename Dut> void give_addresses(Rng &rng, Dut &dut)
{
	uint8_t mac[6], gid[16];
	uint64_t address = 0;

	rng.fill(mac, sizeof(mac));
	rng.fill(gid, sizeof(gid));
	fw_send_model_init(mac, gid);
	for (uint8_t byte : mac)
		address = address << 8 | byte;
	dut.mac_i = address;
	for (unsigned int i = 0; i < sizeof(gid); i++)
		reinterpret_cast<uint8_t *>(&dut.gid_i[0])[15 - i] = gid[i];
}

} // namespace tally

#endif
