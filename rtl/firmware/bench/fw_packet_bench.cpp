// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_fw_packet: random commands for groups in all states. The registers of group and edge are those that the
// C model gets, too; header and payload must be those of its commands, bit by bit. All sides stall.
#include <algorithm>
#include <cstring>
#include <optional>

#include "Vdut.h"
#include "bench.h"
#include "fw_send_command.h"
#include "rtl/record.h"

constexpr size_t send_bits = 738;

struct Job {
	tally::FwCommand command;
	uint32_t words[tally::fw_words];
	struct fw_send_packet packet;
};

class Packet {
public:
	Packet(int argc, char **argv)
		: bench("fw_packet", argc, argv), dut(*bench.dut), rng(bench.rng), ins(rng), outs(rng), dats(rng) {}
	int run();

private:
	void restart();
	void choose();
	void offer();
	void check_header();
	void check_payload();
	void cycle();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle ins, outs, dats;
	std::optional<Job> job;
	unsigned int read = 0;	// the word that was asked for in the clock before
	bool left = false;	// its header has
	bool gone = false;	// all of it has, in the clock before
	uint64_t age = 0;	// clocks since the command was offered
	uint64_t quickest = UINT64_MAX;	// clocks of a packet without payload
	uint64_t packets = 0, opens = 0;
};

void Packet::restart()
{
	dut.in_valid_i = dut.out_ready_i = dut.dat_tready_i = 0;
	job.reset();
	left = gone = false;
	bench.reset();
}

void Packet::choose()
{
	Job j = { tally::FwCommand(rng), {}, {} };

	for (unsigned int k = 0; k < tally::fw_words; k++)
		j.words[k] = tally::fw_word_value(rng, k);
	j.words[tally::fw_limit] = j.words[tally::fw_done] + rng.below(65536);
	tally::fw_send_words_to_model(j.words);
	j.packet = j.command.model();
	job = j;
	left = false;
	age = 0;
}

// send_t of tally_fw_send_pkg, from its highest bit on.
void Packet::offer()
{
	const tally::FwCommand &c = job->command;
	size_t at = send_bits;
	auto put = [&](unsigned int bits, uint64_t number) {
		while (bits--) {
			at--;
			dut.in_i[at / 32] |= uint32_t(number >> bits & 1) << at % 32;
		}
	};

	std::memset(&dut.in_i, 0, sizeof(dut.in_i));
	put(1, c.open());
	put(1, c.open() ? c.code == TALLY_FW_CMD_CONFIRM : rng.below(2));
	put(1, c.open() ? c.code == TALLY_FW_CMD_CHALLENGE : rng.below(2));
	put(64, c.echo);
	put(8, c.reg(FW_AT(command, kind)));
	put(16, c.reg(FW_AT(command, flags)));
	for (uint32_t reg = FW_AT(command, epoch); reg <= FW_AT(command, sid); reg += 4)
		put(32, c.reg(reg));
	put(7, c.reg(FW_AT(command, length)));
	for (unsigned int k = TALLY_FW_DATA_WORDS; k--;)
		put(32, c.reg(FW_AT(command, data) + 4 * k));
	dut.in_valid_i = 1;
}

void Packet::check_header()
{
	const struct fw_send_packet &p = job->packet;
	uint32_t expected[(tally::tx_bits + 31) / 32];

	CHECK(!left, "a second header leaves");
	tally::write_header(expected, p.hdr, p.tch, p.len);
	for (size_t i = 0; i < sizeof(expected) / 4; i++)
		CHECK(dut.out_o[i] == expected[i], "command %u: word %zu of the header is %08x, not %08x", job->command.code, i, dut.out_o[i], expected[i]);
}

void Packet::check_payload()
{
	const struct fw_send_packet &p = job->packet;

	CHECK(left && p.len && dut.dat_tlast_o, "a word of payload");
	CHECK(dut.dat_tkeep_o == (p.len < 64 ? (1ull << p.len) - 1 : ~0ull), "tkeep %llx with %u bytes", (unsigned long long)dut.dat_tkeep_o, p.len);
	CHECK(!std::memcmp(&dut.dat_tdata_o, p.payload, p.len), "command %u: another payload", job->command.code);
}

void Packet::cycle()
{
	if (!job && ins.go()) {
		choose();
		offer();
	}
	dut.read_i = job && read < tally::fw_words ? job->words[read] : rng.next();
	dut.out_ready_i = outs.go();
	dut.dat_tready_i = dats.go();
	bench.settle();
	CHECK(job || (!dut.out_valid_o && !dut.dat_tvalid_o && !dut.in_ready_o && !dut.busy_o), "it is not idle");
	CHECK(dut.busy_o == (job && age), "busy_o is %d after %llu clocks", dut.busy_o, (unsigned long long)age);
	if (dut.out_valid_o)
		check_header();
	if (dut.dat_tvalid_o)
		check_payload();

	const bool header = dut.out_valid_o && dut.out_ready_i, payload = dut.dat_tvalid_o && dut.dat_tready_i;
	const bool ends = gone;

	CHECK(dut.in_ready_o == ends, "in_ready_o is %d", dut.in_ready_o);
	gone = job && (header ? !job->packet.len : payload);
	left |= header;
	read = dut.read_o;
	age++;
	if (ends) {
		packets++;
		if (!job->packet.len)
			quickest = std::min(quickest, age);
		opens += job->command.open();
		job.reset();
		dut.in_valid_i = 0;
	}
	bench.tick();
}

int Packet::run()
{
	tally::give_addresses(rng, dut);
	bench.live(bench.times(60000), [this] { restart(); }, [this] { cycle(); });
	CHECK(packets > 300 && opens > 150, "%llu packets, %llu OPENs", (unsigned long long)packets, (unsigned long long)opens);
	CHECK(quickest == 54, "a packet takes %llu clocks", (unsigned long long)quickest);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Packet(argc, argv).run();
}
