// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_sender_regs: commands with values in range or not, known or not. Each command must have what was written last;
// struct tally_fw_sender says where it is.
#include <cstddef>
#include <cstring>

#include "Vdut.h"
#include "bench.h"

extern "C" {
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
}

#define AT(field) static_cast<uint32_t>(offsetof(struct tally_fw_sender, field))

constexpr unsigned int okay = 0, slverr = 2;
constexpr uint32_t all_flags = TALLY_FW_SENDER_F_BEGINS | TALLY_FW_SENDER_F_SHARED | TALLY_FW_SENDER_F_OTHERS | TALLY_FW_SENDER_F_ALONE;

class Registers {
public:
	Registers(int argc, char **argv) : bench("sender_regs", argc, argv), dut(*bench.dut), rng(bench.rng) {}

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

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle writer{ rng }, takes{ rng };
	struct tally_fw_sender regs = {};
	uint32_t given = 0;
	bool offered = false, due = false, waits = false;
	unsigned int resp = 0;
	uint64_t commands[6] = {}, refused = 0;
};

void Registers::restart()
{
	dut.axil_awvalid_i = dut.axil_wvalid_i = 0;
	dut.epoch_ready_i = dut.tab_ready_i = dut.link_ready_i = 0;
	dut.axil_bready_i = 1;
	std::memset(&regs, 0, sizeof(regs));
	offered = due = waits = false;
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
	case AT(max_segs):
		return rng.below(TALLY_MAX_GROUP_SEGS + 2);
	case AT(next):
		return rng.one_in(3) ? TALLY_FW_NO_QP : rng.below(Qps + rng.one_in(4));
	case AT(flags):
		return rng.below(all_flags + 1 + rng.one_in(6));
	default:
		return rng.next();
	}
}

bool Registers::of_group(uint32_t code) const
{
	return code == TALLY_FW_SENDER_BEGIN_EPOCH || code == TALLY_FW_SENDER_END_EPOCH || code == TALLY_FW_SENDER_FIRST_QP;
}

bool Registers::good(uint32_t word) const
{
	const uint32_t code = word & 0xff;

	if ((word & 0xff00) || word >> 16 >= (of_group(code) ? Groups : Qps))
		return false;
	switch (code) {
	case TALLY_FW_SENDER_BEGIN_EPOCH:
		return regs.max_segs && regs.max_segs <= TALLY_MAX_GROUP_SEGS;
	case TALLY_FW_SENDER_END_EPOCH:
		return true;
	case TALLY_FW_SENDER_SET_QP:
		return !(regs.flags & ~all_flags);
	case TALLY_FW_SENDER_FIRST_QP:
	case TALLY_FW_SENDER_NEXT_QP:
		return regs.next == TALLY_FW_NO_QP || regs.next < Qps;
	default:
		return false;
	}
}

void Registers::offer()
{
	if (!offered && !due && writer.go()) {
		const uint32_t at = rng.one_in(3) ? 0 : 4 * rng.below(AT(sole) / 4 + 2);

		offered = true;
		dut.axil_awaddr_i = TALLY_FW_SENDER_BASE + at;
		dut.axil_wdata_i = value(at);
		dut.axil_wstrb_i = 15;
	}
	dut.axil_awvalid_i = dut.axil_wvalid_i = offered;
	dut.epoch_ready_i = takes.go();
	dut.tab_ready_i = takes.go();
	dut.link_ready_i = takes.go();
}

void Registers::take()
{
	const uint32_t at = dut.axil_awaddr_i - TALLY_FW_SENDER_BASE, word = dut.axil_wdata_i;

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

void Registers::check_command()
{
	const uint32_t code = given & 0xff, index = given >> 16;
	const bool epoch = code == TALLY_FW_SENDER_BEGIN_EPOCH || code == TALLY_FW_SENDER_END_EPOCH, tab = code == TALLY_FW_SENDER_SET_QP;

	CHECK(waits, "a command that nobody has given");
	CHECK(dut.epoch_valid_o == epoch && dut.tab_valid_o == tab && dut.link_valid_o == (!epoch && !tab), "command %u is of another kind", code);
	if (epoch) {
		CHECK(dut.epoch_begin_o == (code == TALLY_FW_SENDER_BEGIN_EPOCH) && dut.epoch_group_o == index, "epoch of group %u", dut.epoch_group_o);
		CHECK(!dut.epoch_begin_o || dut.epoch_max_segs_o == regs.max_segs, "%u segments", dut.epoch_max_segs_o);
	} else if (tab) {
		CHECK(dut.tab_qp_o == index && dut.tab_sole_o == regs.sole && dut.tab_begins_o == !!(regs.flags & TALLY_FW_SENDER_F_BEGINS) &&
			      dut.tab_shared_o == !!(regs.flags & TALLY_FW_SENDER_F_SHARED) && dut.tab_others_o == !!(regs.flags & TALLY_FW_SENDER_F_OTHERS) &&
			      dut.tab_alone_o == !!(regs.flags & TALLY_FW_SENDER_F_ALONE),
		      "what is told of queue pair %u", dut.tab_qp_o);
	} else {
		CHECK(dut.link_first_o == of_group(code) && dut.link_index_o == index && dut.link_end_o == (regs.next == TALLY_FW_NO_QP) &&
			      (dut.link_end_o || dut.link_qp_o == regs.next),
		      "the queue pair behind %u", dut.link_index_o);
	}
	if (epoch ? dut.epoch_ready_i : tab ? dut.tab_ready_i : dut.link_ready_i) {
		commands[code]++;
		waits = false;
	}
}

void Registers::cycle()
{
	offer();
	bench.settle();
	if (dut.epoch_valid_o || dut.tab_valid_o || dut.link_valid_o)
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
	for (unsigned int code = TALLY_FW_SENDER_BEGIN_EPOCH; code <= TALLY_FW_SENDER_NEXT_QP; code++)
		CHECK(commands[code] > 20, "command %u: %llu times", code, static_cast<unsigned long long>(commands[code]));
	CHECK(refused > 100, "%llu commands are refused", static_cast<unsigned long long>(refused));
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Registers(argc, argv).run();
}
