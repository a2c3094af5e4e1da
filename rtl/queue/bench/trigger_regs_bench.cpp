// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_trigger_regs: commands with values in range or not, known or not. Each command must have what was written last;
// struct tally_fw_trigger says where it is. Cells are given some time after they were asked for, or not.
#include <cstddef>
#include <cstring>

#include "Vdut.h"
#include "bench.h"

extern "C" {
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
}

#define AT(field) static_cast<uint32_t>(offsetof(struct tally_fw_trigger, field))

constexpr unsigned int okay = 0, slverr = 2;

class Registers {
public:
	Registers(int argc, char **argv) : bench("trigger_regs", argc, argv), dut(*bench.dut), rng(bench.rng) {}

	int run();

private:
	void restart();
	void cycle();
	uint32_t go();
	uint32_t value(uint32_t at);
	bool good(uint32_t word) const;
	bool of_group(uint32_t code) const;
	void offer();
	void take();
	void check_command();
	void check_values() const;
	bool taken() const;

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle writer{ rng }, takes{ rng };
	struct tally_fw_trigger regs = {};
	uint32_t given = 0;
	bool offered = false, due = false, waits = false, asked = false;
	unsigned int resp = 0;
	uint64_t commands[6] = {}, refused = 0, not_given = 0;
};

void Registers::restart()
{
	dut.axil_awvalid_i = dut.axil_wvalid_i = 0;
	dut.cells_ready_i = dut.cells_done_i = dut.cells_given_i = dut.port_ready_i = dut.link_ready_i = 0;
	dut.axil_bready_i = 1;
	std::memset(&regs, 0, sizeof(regs));
	offered = due = waits = asked = false;
	bench.reset();
}

uint32_t Registers::go()
{
	const uint32_t word = rng.below(7) | rng.below(rng.one_in(8) ? Qps + 3 : rng.one_in(2) ? Groups : Qps) << 16;

	return rng.one_in(20) ? word ^ 1u << (8 + rng.below(8)) : rng.one_in(20) ? word ^ 1u << (21 + rng.below(11)) : word;
}

uint32_t Registers::value(uint32_t at)
{
	if (rng.one_in(60))
		return rng.next();
	switch (at) {
	case AT(go):
		return go();
	case AT(mtu):
		return rng.one_in(4) ? 0 : TALLY_MAX_MTU + 1 - rng.below(3);
	case AT(cells):
	case AT(keep):
		return rng.below(Cells + 2);
	case AT(port):
		return rng.below(rng.one_in(8) ? 0x20000 : 0x10000);
	case AT(next):
		return rng.one_in(3) ? TALLY_FW_NO_QP : rng.below(Qps + rng.one_in(4));
	default:
		return rng.next();
	}
}

bool Registers::of_group(uint32_t code) const
{
	return code == TALLY_FW_TRIGGER_SET_GROUP || code == TALLY_FW_TRIGGER_SET_CELLS || code == TALLY_FW_TRIGGER_FIRST_QP;
}

bool Registers::good(uint32_t word) const
{
	const uint32_t code = word & 0xff;

	if ((word & 0xff00) || word >> 16 >= (of_group(code) ? Groups : Qps))
		return false;
	switch (code) {
	case TALLY_FW_TRIGGER_SET_GROUP:
		return regs.mtu && regs.mtu <= TALLY_MAX_MTU;
	case TALLY_FW_TRIGGER_SET_CELLS:
		return regs.cells <= Cells && regs.keep <= regs.cells;
	case TALLY_FW_TRIGGER_SET_QP:
		return regs.port <= 0xffff;
	case TALLY_FW_TRIGGER_FIRST_QP:
	case TALLY_FW_TRIGGER_NEXT_QP:
		return regs.next == TALLY_FW_NO_QP || regs.next < Qps;
	default:
		return false;
	}
}

void Registers::offer()
{
	if (!offered && !due && writer.go()) {
		const uint32_t at = rng.one_in(3) ? 0 : 4 * rng.below(AT(next) / 4 + 1);

		offered = true;
		dut.axil_awaddr_i = TALLY_FW_TRIGGER_BASE + at;
		dut.axil_wdata_i = value(at);
		dut.axil_wstrb_i = 15;
	}
	dut.axil_awvalid_i = dut.axil_wvalid_i = offered;
	dut.cells_ready_i = takes.go();
	dut.cells_done_i = asked && takes.go();
	dut.cells_given_i = rng.one_in(2);
	dut.port_ready_i = takes.go();
	dut.link_ready_i = takes.go();
}

void Registers::take()
{
	const uint32_t at = dut.axil_awaddr_i - TALLY_FW_TRIGGER_BASE, word = dut.axil_wdata_i;

	offered = false;
	due = true;
	resp = okay;
	if (at) {
		std::memcpy(reinterpret_cast<uint8_t *>(&regs) + at, &word, sizeof(word));
		return;
	}
	if (!good(word)) {
		resp = slverr;
		refused++;
		return;
	}
	given = word;
	waits = true;
}

void Registers::check_values() const
{
	const uint32_t code = given & 0xff, index = given >> 16;

	if (code == TALLY_FW_TRIGGER_SET_GROUP)
		CHECK(dut.group_index_o == index && dut.mtu_o == regs.mtu && dut.limit_o == regs.limit, "group %u", dut.group_index_o);
	else if (code == TALLY_FW_TRIGGER_SET_CELLS)
		CHECK(dut.cells_group_o == index && dut.cells_o == regs.cells && dut.cells_keep_o == regs.keep, "%u cells", dut.cells_o);
	else if (code == TALLY_FW_TRIGGER_SET_QP)
		CHECK(dut.port_qp_o == index && dut.port_o == regs.port, "port %u", dut.port_o);
	else
		CHECK(dut.link_first_o == of_group(code) && dut.link_index_o == index && dut.link_end_o == (regs.next == TALLY_FW_NO_QP) &&
			      (dut.link_end_o || dut.link_qp_o == regs.next),
		      "the queue pair behind %u", dut.link_index_o);
}

// Whether the command is taken in this clock.
bool Registers::taken() const
{
	switch (given & 0xff) {
	case TALLY_FW_TRIGGER_SET_GROUP:
		return true;
	case TALLY_FW_TRIGGER_SET_CELLS:
		return dut.cells_done_i;
	case TALLY_FW_TRIGGER_SET_QP:
		return dut.port_ready_i;
	default:
		return dut.link_ready_i;
	}
}

void Registers::check_command()
{
	const uint32_t code = given & 0xff;
	const bool cells = code == TALLY_FW_TRIGGER_SET_CELLS;

	CHECK(waits, "a command that nobody has given");
	CHECK(dut.group_write_o == (code == TALLY_FW_TRIGGER_SET_GROUP) && dut.cells_valid_o == (cells && !asked) &&
		      dut.port_valid_o == (code == TALLY_FW_TRIGGER_SET_QP) && dut.link_valid_o == (code >= TALLY_FW_TRIGGER_FIRST_QP),
	      "command %u is of another kind", code);
	check_values();
	if (taken()) {
		commands[code]++;
		waits = asked = false;
		if (cells && !dut.cells_given_i) {
			resp = slverr;
			not_given++;
		}
	} else if (dut.cells_valid_o && dut.cells_ready_i) {
		asked = true;
	}
}

void Registers::cycle()
{
	offer();
	bench.settle();
	if (dut.group_write_o || dut.cells_valid_o || asked || dut.port_valid_o || dut.link_valid_o)
		check_command();
	const bool taken = offered && dut.axil_awready_o, answered = dut.axil_bvalid_o;

	CHECK(!offered || dut.axil_awready_o == dut.axil_wready_o, "address and data are taken apart");
	CHECK(dut.busy_o == due, "busy is %d", dut.busy_o);
	if (answered) {
		CHECK(due && !waits && dut.axil_bresp_o == resp, "answer %u, not %u", dut.axil_bresp_o, resp);
		due = false;
	}
	if (taken)
		take();
	bench.tick();
}

int Registers::run()
{
	bench.live(bench.times(60000), [&] { restart(); }, [&] { cycle(); });
	for (unsigned int code = TALLY_FW_TRIGGER_SET_GROUP; code <= TALLY_FW_TRIGGER_NEXT_QP; code++)
		CHECK(commands[code] > 20, "command %u: %llu times", code, static_cast<unsigned long long>(commands[code]));
	CHECK(refused > 100 && not_given > 5, "%llu commands are refused, %llu times cells", static_cast<unsigned long long>(refused),
	      static_cast<unsigned long long>(not_given));
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Registers(argc, argv).run();
}
