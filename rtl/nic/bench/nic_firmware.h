// SPDX-License-Identifier: BSD-2-Clause
// Packets of the firmware in the bench of tally_nic: from the registers of a group, a tombstone and commands to the frames, which are
// those of the C model, while a packet of another unit leaves, too; edges are renewed meanwhile. The bench of tally_fw_send has the rest.
#ifndef TALLY_NIC_FIRMWARE_H
#define TALLY_NIC_FIRMWARE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "encap_packets.h"
#include "fw_send_command.h"
#include "rtl/axi_lite.h"
#include "rtl/record.h"

class FirmwarePackets {
public:
	explicit FirmwarePackets(tally::Bench<Vdut> &bench) : bench_(bench), dut_(*bench.dut), rng_(bench.rng) {}

	void run()
	{
		dut_.ack_ready_i = dut_.cmd_valid_i = 0;
		dut_.name_i = 0;
		be_somebody();
		begin();
		for (const Name &name : names)
			for (unsigned int word = 0; word < tally::fw_regs; word++)
				write_word(name, word);
		refused();
		for (unsigned int n = 0; n < 40; n++) {
			if (n % 8 == 7)
				finish(n / 8);
			if (n % 4 == 1)
				renew(group, 0);
			command(names[n % std::size(names)]);
		}
	}

private:
	using Name = std::pair<unsigned int, unsigned int>;	// context and edge

	static constexpr unsigned int group = 4, tomb = Groups + 1, segs = 4, longest = 3000;
	static constexpr uint64_t clock_ps = 4000;
	static constexpr Name names[] = { { group, 0 }, { tomb, 0 }, { group, TALLY_CONTRIB_PARENT }, { group, 7 }, { tomb, TALLY_CONTRIB_PARENT } };

	tally::Bench<Vdut> &bench_;
	Vdut &dut_;
	tally::Rng &rng_;
	uint32_t group_words_[Groups + Tombs][tally::fw_words] = {};
	std::map<Name, std::vector<uint32_t>> edge_words_;
	std::vector<Bytes> expected_;	// frames
	Bytes frame_;
	bool sends_ = false;		// a command of the firmware has been taken, or is about to be
	unsigned int clocks_ = 0;	// since it was offered
	Packet other_;			// of another unit
	bool other_offered_ = false;
	std::vector<Word> other_words_;
	unsigned int numbers_ = 0;	// random words that are left
	uint64_t seed_ = 0;		// of these

	// ---- The clock ----

	void tick()
	{
		dut_.now_i += clock_ps;
		dut_.tx_tready_i = dut_.rec_ready_i = dut_.pay_tready_i = 1;
		dut_.hdr_valid_i = other_offered_;
		dut_.dat_tvalid_i = !other_offered_ && !other_words_.empty();
		if (dut_.dat_tvalid_i)
			put(other_words_.front());
		offer_number();
		bench_.settle();
		CHECK(!sends_ || !clocks_ || !dut_.idle_o, "idle with a command, %u clocks after it", clocks_);
		CHECK(!dut_.err_valid_o && !dut_.rec_valid_o, "a packet is refused, or comes");
		clocks_++;
		leaving();
		moved();
		if (dut_.dat_tvalid_i && dut_.dat_tready_o)
			other_words_.erase(other_words_.begin());
		if (other_offered_ && dut_.hdr_ready_o)
			other_offered_ = false;
		const bool drawn = dut_.random_valid_i && dut_.random_ready_o;
		bench_.tick();
		numbers_ -= drawn;
		dut_.random_valid_i = dut_.random_valid_i && !drawn;
		dut_.hdr_valid_i = dut_.dat_tvalid_i = dut_.tx_tready_i = dut_.rec_ready_i = dut_.pay_tready_i = 0;
	}

	void put(const Word &w)
	{
		std::memcpy(&dut_.dat_tdata_i, w.data, word_bytes);
		dut_.dat_tkeep_i = w.keep;
		dut_.dat_tlast_i = w.last;
	}

	void offer_number()
	{
		if (dut_.random_valid_i || !numbers_)
			return;
		dut_.random_valid_i = 1;
		dut_.random_i = fw_send_model_random(&seed_);
	}

	void leaving()
	{
		if (!dut_.tx_tvalid_o)
			return;
		for (unsigned int k = 0; k < word_bytes && dut_.tx_tkeep_o >> k & 1; k++)
			frame_.push_back(reinterpret_cast<const uint8_t *>(&dut_.tx_tdata_o)[k]);
		if (!dut_.tx_tlast_o)
			return;
		auto found = std::find(expected_.begin(), expected_.end(), frame_);

		CHECK(found != expected_.end(), "a wrong frame of %zu bytes leaves", frame_.size());
		sends_ = sends_ && found - expected_.begin() != 0;
		expected_.erase(found);
		frame_.clear();
	}

	void moved()
	{
		if (!dut_.moved_valid_o)
			return;
		const tally::Moved m = tally::read_moved(&dut_.moved_o[0]);

		CHECK(m.ok && m.group == group, "the store refuses a command");
		group_words_[group][tally::fw_done] = m.done;
		group_words_[group][tally::fw_limit] = m.limit;
	}

	void rest()
	{
		for (unsigned int left = longest; bench_.settle(), !dut_.idle_o; left--) {
			CHECK(left, "the block does not come to rest");
			tick();
		}
	}

	// ---- Registers ----

	bool write(uint32_t reg, uint32_t value)
	{
		return tally::axil_write(dut_, reg, value, [this] { tick(); });
	}
	void set(uint32_t reg, uint32_t value) { CHECK(write(reg, value), "register %x is refused", reg); }

	void be_somebody()
	{
		uint8_t mac[8] = {}, gid[16];

		rng_.fill(mac, 6);
		rng_.fill(gid, sizeof(gid));
		fw_send_model_init(mac, gid);
		set_bytes(TALLY_FW_NET_BASE + offsetof(struct tally_fw_net, mac), mac, sizeof(mac));
		set_bytes(TALLY_FW_NET_BASE + offsetof(struct tally_fw_net, gid), gid, sizeof(gid));
	}

	void set_bytes(uint32_t reg, const uint8_t *bytes, size_t n)
	{
		for (size_t i = 0; i < n; i += 4) {
			uint32_t word;

			std::memcpy(&word, bytes + i, 4);
			set(reg + i, le32toh(word));
		}
	}

	// An epoch begins, of a group that the segment store does not do, since no modes are written.
	void begin()
	{
		set(TALLY_FW_COMMAND_BASE + offsetof(struct tally_fw_command, go), TALLY_FW_CMD_CREATE | group << 16);
		set(TALLY_FW_POOL_BASE + offsetof(struct tally_fw_pool, num), segs);
		set(TALLY_FW_POOL_BASE + offsetof(struct tally_fw_pool, max), segs);
		set(TALLY_FW_POOL_BASE + offsetof(struct tally_fw_pool, go), TALLY_FW_POOL_JOIN | group << 16);
		set(TALLY_FW_POOL_BASE + offsetof(struct tally_fw_pool, go), TALLY_FW_POOL_BEGIN | group << 16);
		rest();
		CHECK(group_words_[group][tally::fw_limit] == segs, "the limit is %u", group_words_[group][tally::fw_limit]);
	}

	void finish(uint32_t num)
	{
		dut_.cmd_i = tally::write_command(TALLY_FW_STORE_CMD_FINISH, group, num);
		dut_.cmd_valid_i = 1;
		while (bench_.settle(), !dut_.cmd_ready_o)
			tick();
		tick();
		dut_.cmd_valid_i = 0;
		rest();
		CHECK(group_words_[group][tally::fw_done] == num + 1, "chunk %u is not finished", num);
	}

	// Numbers of ranks are divided by.
	void write_word(const Name &name, unsigned int word)
	{
		uint32_t value = tally::fw_word_value(rng_, word);

		if (word < tally::fw_group_words && tally::fw_word_at[word] == offsetof(struct tally_fw_group, total_ranks))
			value |= 1;
		edge_words_[name].resize(tally::fw_words);
		(word < tally::fw_group_words ? group_words_[name.first] : edge_words_[name].data())[word] = value;
		set(tally::fw_word_reg(word, name.first, name.second), value);
	}

	// ---- Commands ----

	bool go(uint32_t code, const Name &name)
	{
		return write(TALLY_FW_COMMAND_BASE, code | name.second << 8 | name.first << 16);
	}

	// The command RENEW_EDGE. Its address stays behind it, for no write, and the next write is answered, too.
	void renew(unsigned int of_group, unsigned int edge)
	{
		uint32_t *words = edge_words_[{ of_group, edge }].data();
		struct fw_send_state s;

		seed_ = rng_.next();
		numbers_ = fw_send_model_renew(seed_, &s);
		CHECK(go(TALLY_FW_CMD_RENEW_EDGE, { of_group, edge }), "RENEW_EDGE is refused");
		CHECK(!numbers_, "%u random words are left", numbers_);
		rest();
		for (unsigned int clocks = 0; clocks < 4; clocks++)
			tick();
		words[tally::fw_written_words] = s.nonce;
		words[tally::fw_written_words + 1] = s.nonce >> 32;
		words[tally::fw_written_words + 2] = words[tally::fw_written_words + 3] = 0;
		words[tally::fw_regs - 2] = s.key;
		words[tally::fw_regs - 1] = s.own_first_seq;
	}

	// An edge that has no row, and commands that no unit has.
	void refused()
	{
		CHECK(!go(TALLY_FW_CMD_SEND_OPEN, { group, 9 }), "an edge without a row sends");
		CHECK(!go(TALLY_FW_CMD_LEARN_PEER, names[0]), "a command of no unit is carried out");
		rest();
	}

	void expect(const tally::FwCommand &c, const Name &name)
	{
		uint32_t words[tally::fw_words];
		Packet p = {};

		std::memcpy(words, group_words_[name.first], sizeof(words));
		std::copy_n(edge_words_[name].begin() + tally::fw_group_words, tally::fw_regs - tally::fw_group_words,
			    words + tally::fw_group_words);
		if (name.first >= Groups)
			words[tally::fw_done] = words[tally::fw_limit] = 0;
		tally::fw_send_words_to_model(words);
		const struct fw_send_packet wanted = c.model();

		p.h = wanted.hdr;
		p.tch = wanted.tch;
		p.len = wanted.len;
		p.body.assign(wanted.payload, wanted.payload + wanted.len);
		expected_.push_back(built(p));
	}

	// A packet of another unit leaves before it, meanwhile, or later.
	void offer_other()
	{
		do
			other_ = packet(rng_, false, rng_.one_in(2) ? 0 : 1 + rng_.below(300));
		while (verdict(other_));
		record(other_).get(dut_.hdr_i);
		other_words_ = other_.payload;
		other_offered_ = true;
		expected_.push_back(built(other_));
	}

	void command(const Name &name)
	{
		tally::FwCommand c(rng_);

		c.echo = 0;	// no OPEN has been read
		// the write before was of another edge
		if (rng_.one_in(2))
			write_word(name, tally::fw_regs - 1);
		for (unsigned int n = 0; n < 3; n++)
			write_word(name, rng_.below(tally::fw_regs));
		for (uint32_t at = FW_AT(command, kind); at < 4 * tally::fw_command_words; at += 4)
			set(TALLY_FW_COMMAND_BASE + at, c.reg(at));
		rest();
		expect(c, name);
		if (rng_.one_in(2))
			offer_other();
		sends_ = true;
		clocks_ = 0;
		CHECK(go(c.code, name), "command %u is refused", c.code);
		rest();
		CHECK(expected_.empty(), "a packet does not leave");
	}
};

#endif
