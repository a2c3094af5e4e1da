// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_command_regs: random writes with stalls, of registers and of addresses without one, and commands that the user
// finds good or not. Every answer, every command and all registers are compared with a copy.
#include "Vdut.h"
#include "bench.h"

constexpr unsigned int okay = 0, slverr = 2, words = Words;

class Registers {
public:
	Registers(int argc, char **argv) : bench("command_regs", argc, argv), dut(*bench.dut), rng(bench.rng) {}

	int run();

private:
	void restart();
	void cycle();
	void offer();
	uint32_t address();
	void take();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle writer{ rng }, takes{ rng }, answers{ rng };
	uint32_t regs[words] = {}, given = 0;
	// Of a write: nothing, the command is judged, given, answered.
	enum { READY, JUDGE, GIVE, ANSWER } at = READY;
	bool offered = false;
	unsigned int resp = 0;
	uint64_t commands = 0, refused = 0, others = 0, values = 0;
};

void Registers::restart()
{
	dut.axil_awvalid_i = dut.axil_wvalid_i = dut.axil_bready_i = dut.give_ready_i = dut.give_bad_i = dut.good_i = 0;
	for (uint32_t &r : regs)
		r = 0;
	at = READY;
	offered = false;
	bench.reset();
}

// Mostly registers; few addresses besides.
uint32_t Registers::address()
{
	uint32_t to = rng.one_in(3) ? Base : Base + 4 * rng.below(Last / 4 + 3);

	if (rng.one_in(16))
		to += 1 + rng.below(3);
	if (rng.one_in(16))
		to ^= 1u << (6 + rng.below(26));
	return to;
}

void Registers::offer()
{
	if (!offered) {
		dut.axil_awaddr_i = address();
		dut.axil_wdata_i = rng.next();
		dut.axil_wstrb_i = rng.one_in(16) ? rng.below(15) : 15;
		dut.axil_awvalid_i = writer.go();
		dut.axil_wvalid_i = rng.below(2) ? dut.axil_awvalid_i : writer.go();
		offered = dut.axil_awvalid_i || dut.axil_wvalid_i;
	} else {
		dut.axil_awvalid_i |= writer.go();
		dut.axil_wvalid_i |= writer.go();
	}
	dut.axil_bready_i = answers.go();
	dut.give_ready_i = takes.go();
	dut.give_bad_i = rng.one_in(3);
	dut.good_i = rng.below(2);
}

void Registers::take()
{
	const uint32_t in = dut.axil_awaddr_i - Base;
	const bool whole = dut.axil_wstrb_i == 15 && in % 4 == 0 && in <= Last;

	offered = false;
	resp = whole ? okay : slverr;
	at = whole && !in ? JUDGE : ANSWER;
	given = dut.axil_wdata_i;
	if (!whole)
		others++;
	else if (in)
		regs[in / 4] = dut.axil_wdata_i, values++;
}

void Registers::cycle()
{
	offer();
	bench.settle();

	const bool write = dut.axil_awvalid_i && dut.axil_wvalid_i && at == READY;

	CHECK(dut.axil_awready_o == write && dut.axil_wready_o == write, "ready is %d, %d", dut.axil_awready_o, dut.axil_wready_o);
	CHECK(dut.busy_o == (at != READY), "busy is %d", dut.busy_o);
	CHECK(dut.judge_o == (at == JUDGE) && dut.give_valid_o == (at == GIVE) && dut.axil_bvalid_o == (at == ANSWER), "a wrong step");
	for (unsigned int k = 0; k < words; k++)
		CHECK(dut.value_o[k] == regs[k], "register %u is %x, not %x", k, dut.value_o[k], regs[k]);
	CHECK((at != JUDGE && at != GIVE) || dut.go_o == given, "command %x, not %x", dut.go_o, given);
	if (at == ANSWER) {
		CHECK(dut.axil_bresp_o == resp, "a write is answered with %d, not %u", dut.axil_bresp_o, resp);
		if (dut.axil_bready_i)
			at = READY;
	} else if (at == GIVE) {
		if (dut.give_ready_i) {
			at = ANSWER;
			resp = dut.give_bad_i ? slverr : okay;
		}
	} else if (at == JUDGE) {
		(dut.good_i ? commands : refused)++;
		resp = dut.good_i ? okay : slverr;
		at = dut.good_i ? GIVE : ANSWER;
	} else if (write) {
		take();
	}
	bench.tick();
}

int Registers::run()
{
	bench.live(bench.times(40000), [&] { restart(); }, [&] { cycle(); });
	CHECK(commands > 500 && refused > 500 && others > 200 && values > 500, "%llu commands", (unsigned long long)commands);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Registers(argc, argv).run();
}
