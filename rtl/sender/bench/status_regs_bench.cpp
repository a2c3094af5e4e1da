// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_status_regs: commands with values in range or not, known or not, and writes of groups. Each command and each row
// of a group must have what was written last; struct tally_fw_status and the tables of the model say where it is.
#include <cstddef>
#include <cstring>

#include "Vdut.h"
#include "bench.h"

extern "C" {
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
}

#define AT(field) static_cast<uint32_t>(offsetof(struct tally_fw_status, field))
#define OF_GROUP(field) static_cast<uint32_t>(offsetof(struct tally_fw_group, field))
#define OF_SETUP(field) (TALLY_FW_SETUP_OFFSET + static_cast<uint32_t>(offsetof(struct tally_fw_setup, field)))

constexpr unsigned int okay = 0, slverr = 2, places = TALLY_QP_REQUESTS / TALLY_REQUEST_STEP;
constexpr unsigned int num_places = Entries / TALLY_REQUEST_STEP, place_bits = __builtin_ctz(num_places);
enum { CREATE, STATE, END, ANSWER };	// commands of tally_status

class Registers {
public:
	Registers(int argc, char **argv) : bench("status_regs", argc, argv), dut(*bench.dut), rng(bench.rng) {}

	int run();

private:
	void restart();
	void cycle();
	uint32_t value(uint32_t at);
	uint32_t go();
	bool good(uint32_t word) const;
	void offer();
	void offer_group();
	void check_command();
	void check_group();
	void take();
	uint64_t bits(unsigned int at, unsigned int width) const;

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle writer{ rng }, takes{ rng };
	struct tally_fw_status regs = {};
	struct { uint32_t jid, node, max_segs, inverse, shift; } group = {};
	uint32_t given = 0;
	bool offered = false, due = false, waits = false;
	unsigned int resp = 0, fresh = 0;
	uint64_t commands[7] = {}, refused = 0, rows = 0;
};

void Registers::restart()
{
	dut.axil_awvalid_i = dut.axil_wvalid_i = dut.cmd_ready_i = dut.write_i = 0;
	dut.axil_bready_i = 1;
	std::memset(&regs, 0, sizeof(regs));
	offered = due = waits = false;
	bench.reset();
}

uint32_t Registers::go()
{
	const uint32_t word = rng.below(8) | rng.below(rng.one_in(8) ? Qps + 3 : Qps) << 16;

	return rng.one_in(20) ? word ^ 1u << (8 + rng.below(8)) : rng.one_in(20) ? word ^ 1u << (21 + rng.below(11)) : word;
}

uint32_t Registers::value(uint32_t at)
{
	if (rng.one_in(60))
		return rng.next();
	switch (at) {
	case AT(go):
		return go();
	case AT(group):
		return rng.below(Groups + rng.one_in(8));
	case AT(cqn):
		return rng.below(NumCq + rng.one_in(8));
	case AT(log_places):
		return rng.below(__builtin_ctz(places) + 1 + rng.one_in(8));
	case AT(places):
	case AT(places) + 4:
	case AT(places) + 8:
	case AT(places) + 12:
		return rng.below(num_places + rng.one_in(12)) | rng.below(num_places + rng.one_in(12)) << 16;
	default:
		return rng.next();
	}
}

bool Registers::good(uint32_t word) const
{
	const uint32_t code = word & 0xff;

	if ((word & 0xff00) || word >> 16 >= Qps || code < TALLY_FW_STATUS_CREATE_QP || code > TALLY_FW_STATUS_ANSWER)
		return false;
	if (code != TALLY_FW_STATUS_CREATE_QP)
		return true;
	for (uint32_t pair : regs.places)
		if ((pair & 0xffff) >= num_places || pair >> 16 >= num_places)
			return false;
	return regs.group < Groups && regs.cqn < NumCq && regs.log_places <= unsigned(__builtin_ctz(places));
}

void Registers::offer()
{
	if (!offered && !due && writer.go()) {
		const uint32_t at = rng.one_in(3) ? 0 : 4 * rng.below(sizeof(regs) / 4);

		offered = true;
		dut.axil_awaddr_i = TALLY_FW_STATUS_BASE + at;
		dut.axil_wdata_i = value(at);
		dut.axil_wstrb_i = 15;
	}
	dut.axil_awvalid_i = dut.axil_wvalid_i = offered;
	dut.cmd_ready_i = takes.go();
	offer_group();
}

void Registers::offer_group()
{
	static const uint32_t at[] = { OF_SETUP(jid), OF_GROUP(node), OF_SETUP(max_segs), OF_SETUP(segs_inverse), OF_SETUP(segs_shift),
				       OF_GROUP(num_nodes), OF_SETUP(mode) };
	const bool first = fresh < 5;	// all registers are written before a row is
	const unsigned int k = first ? fresh++ : rng.below(9);

	dut.write_i = first || rng.one_in(2);
	dut.data_i = rng.next();
	if (k < 7)
		dut.addr_i = TALLY_FW_GROUP_BASE + (first ? 0 : rng.below(Groups + 1)) * TALLY_FW_GROUP_STRIDE + at[k];
	else
		dut.addr_i = TALLY_FW_COMMAND_BASE + offsetof(struct tally_fw_command, go) + 4 * rng.one_in(9);
	if (k == 2)
		dut.data_i &= 0x1ff;
	else if (k == 4)
		dut.data_i &= 0x3f;
	else if (k > 6)
		dut.data_i = (rng.one_in(4) ? TALLY_FW_CMD_BEGIN : TALLY_FW_CMD_CREATE) | rng.below(256) << 8 | rng.below(Groups + 2) << 16;
}

uint64_t Registers::bits(unsigned int at, unsigned int width) const
{
	uint64_t v = 0;

	for (unsigned int k = 0; k < width; k++)
		v |= uint64_t(dut.cmd_report_o[(at + k) / 32] >> (at + k) % 32 & 1) << k;
	return v;
}

void Registers::check_command()
{
	static const uint8_t states[] = { 0, TALLY_QPS_RESET, TALLY_QPS_RESET, TALLY_QPS_RTS, TALLY_QPS_ERROR };
	static const uint8_t kinds[] = { 0, CREATE, STATE, STATE, STATE, END, ANSWER };
	const uint32_t code = given & 0xff;

	CHECK(dut.cmd_o == kinds[code] && dut.cmd_qp_o == given >> 16, "command %d for queue pair %d, not %x", dut.cmd_o, dut.cmd_qp_o, given);
	CHECK(dut.cmd_forgets_o == (code == TALLY_FW_STATUS_CREATE_QP || code == TALLY_FW_STATUS_RESET_QP), "it forgets: %d", dut.cmd_forgets_o);
	CHECK(code > TALLY_FW_STATUS_FAIL_QP || dut.cmd_state_o == states[code], "state %d", dut.cmd_state_o);
	CHECK(bits(0, 32) == regs.sid && bits(32, 64) == regs.ranks && bits(96, 64) == regs.contributors &&
	      bits(160, 16) == (regs.detector & 0xffff) && bits(176, 16) == (regs.status & 0xffff), "a wrong report");
	CHECK(dut.cmd_flags_o == (regs.flags & 0xff), "flags %x", dut.cmd_flags_o);
	if (code != TALLY_FW_STATUS_CREATE_QP)
		return;
	CHECK(dut.cmd_group_o == regs.group && dut.cmd_cqn_o == regs.cqn && dut.cmd_places_log_o == regs.log_places, "a wrong object");
	for (unsigned int k = 0; k < places; k++)
		CHECK((dut.cmd_places_o >> k * place_bits & (num_places - 1)) == (regs.places[k / 2] >> 16 * (k % 2) & 0xffff), "place %u", k);
}

void Registers::check_group()
{
	const uint32_t in = dut.addr_i - TALLY_FW_GROUP_BASE, at = in % TALLY_FW_GROUP_STRIDE;
	const bool of_group = dut.addr_i >= TALLY_FW_GROUP_BASE && in / TALLY_FW_GROUP_STRIDE < Groups;
	const bool creates = dut.addr_i == TALLY_FW_COMMAND_BASE && (dut.data_i & 0xff) == TALLY_FW_CMD_CREATE && dut.data_i >> 16 < Groups;
	uint32_t *const to = !of_group ? nullptr : at == OF_SETUP(jid) ? &group.jid : at == OF_GROUP(node) ? &group.node :
			     at == OF_SETUP(max_segs) ? &group.max_segs : at == OF_SETUP(segs_inverse) ? &group.inverse :
			     at == OF_SETUP(segs_shift) ? &group.shift : nullptr;

	CHECK(dut.mine_o == (to != nullptr), "mine_o is %d for %x", dut.mine_o, dut.addr_i);
	CHECK(dut.group_write_o == (dut.write_i && creates), "a row is written: %d", dut.group_write_o);
	if (dut.group_write_o) {
		rows++;
		CHECK(dut.group_index_o == dut.data_i >> 16, "of group %d", dut.group_index_o);
		// {jid, node, max_segs, inverse, shift}
		const unsigned __int128 row = (unsigned __int128)group.jid << 63 | (unsigned __int128)(group.node & 0xffff) << 47 |
					      (unsigned __int128)group.max_segs << 38 | (unsigned __int128)group.inverse << 6 | group.shift;

		CHECK(dut.group_o[0] == uint32_t(row) && dut.group_o[1] == uint32_t(row >> 32) && dut.group_o[2] == uint32_t(row >> 64), "a wrong row");
	}
	if (dut.write_i && to)
		*to = dut.data_i;
}

void Registers::take()
{
	const uint32_t in = dut.axil_awaddr_i - TALLY_FW_STATUS_BASE;

	offered = false;
	due = true;
	resp = okay;
	if (in) {
		std::memcpy(reinterpret_cast<char *>(&regs) + in, &dut.axil_wdata_i, 4);
		return;
	}
	given = dut.axil_wdata_i;
	waits = good(given);
	if (waits)
		commands[given & 0xff]++;
	else
		resp = slverr, refused++;
}

void Registers::cycle()
{
	offer();
	bench.settle();
	CHECK(dut.busy_o == due, "busy is %d", dut.busy_o);
	CHECK(!dut.cmd_valid_o || waits, "a command of nobody");
	if (dut.cmd_valid_o)
		check_command();
	check_group();
	if (dut.axil_bvalid_o) {
		CHECK(due && !waits && dut.axil_bresp_o == resp, "answer %d", dut.axil_bresp_o);
		due = false;
	} else if (dut.cmd_valid_o && dut.cmd_ready_i) {
		waits = false;
	} else if (dut.axil_awvalid_i && dut.axil_awready_o) {
		take();
	}
	bench.tick();
}

int Registers::run()
{
	bench.live(bench.times(60000), [&] { restart(); }, [&] { cycle(); });
	for (unsigned int code = TALLY_FW_STATUS_CREATE_QP; code <= TALLY_FW_STATUS_ANSWER; code++)
		CHECK(commands[code] > 20, "only %llu commands %u", (unsigned long long)commands[code], code);
	CHECK(refused > 200 && rows > 200, "%llu commands refused, %llu rows", (unsigned long long)refused, (unsigned long long)rows);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Registers(argc, argv).run();
}
