// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_region_regs: random writes with stalls, of registers and of addresses without one. Values are in range or
// not, commands known or not, refused or not, and accesses end sooner or later after a removal. It compares every answer and
// every command with a copy of struct region.
#include <cstddef>
#include <cstring>

#include "Vdut.h"
#include "bench.h"
extern "C" {
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
}

#define AT(field) offsetof(struct tally_fw_region, field)

constexpr unsigned int okay = 0, slverr = 2;

class Registers {
public:
	Registers(int argc, char **argv)
		: bench("region_regs", argc, argv), dut(*bench.dut), rng(bench.rng), writer(rng), takes(rng), answers(rng), drains(rng)
	{
	}

	int run();

private:
	enum State { READY, JUDGE, GIVE, DRAIN, ANSWER };

	void restart();
	void cycle();
	void offer();
	uint32_t address();
	uint32_t value(uint32_t at);
	bool is_command(uint32_t word) const;
	void take(uint32_t at, uint32_t data, unsigned int strb);
	void given();
	void check_command();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle writer, takes, answers, drains;
	struct tally_fw_region regs = {};
	State state = READY;
	bool offered = false, enters = false;
	unsigned int resp = 0;
	uint64_t entered = 0, removed = 0, refused = 0, values = 0, bad = 0, waited = 0;
};

void Registers::restart()
{
	dut.axil_awvalid_i = dut.axil_wvalid_i = dut.axil_bready_i = dut.cfg_ready_i = 0;
	regs = {};
	state = READY;
	offered = false;
	bench.reset();
}

// Mostly registers; few addresses besides.
uint32_t Registers::address()
{
	uint32_t at = TALLY_FW_REGION_BASE + 4 * rng.below(sizeof(regs) / 4);

	if (rng.one_in(3))
		at = TALLY_FW_REGION_BASE + AT(go);
	if (rng.one_in(16))
		at += 1 + rng.below(3);
	if (rng.one_in(16))
		at ^= 1u << (6 + rng.below(26));
	return at;
}

// Mostly in range, at the ends of the range, or near them.
uint32_t Registers::value(uint32_t at)
{
	if (rng.one_in(20))
		return rng.next();
	switch (at - TALLY_FW_REGION_BASE) {
	case AT(go):
		return rng.one_in(12) ? 1u << rng.below(32) : rng.below(4);
	case AT(pd):
		return rng.one_in(8) ? TALLY_MAX_PD - 1 + rng.below(2) : rng.below(TALLY_MAX_PD);
	case AT(levels):
	case AT(page_shift):
		return rng.one_in(8) ? 255 + rng.below(2) : rng.below(256);
	default:
		return rng.next();
	}
}

void Registers::offer()
{
	if (!offered) {
		dut.axil_awaddr_i = address();
		dut.axil_wdata_i = value(dut.axil_awaddr_i);
		dut.axil_wstrb_i = rng.one_in(16) ? rng.below(15) : 15;
		dut.axil_awvalid_i = writer.go();
		dut.axil_wvalid_i = rng.below(2) ? dut.axil_awvalid_i : writer.go();
		offered = dut.axil_awvalid_i || dut.axil_wvalid_i;
	} else {
		dut.axil_awvalid_i |= writer.go();
		dut.axil_wvalid_i |= writer.go();
	}
	dut.axil_bready_i = answers.go();
	dut.cfg_ready_i = takes.go();
	dut.cfg_bad_i = rng.one_in(4);
	dut.drained_i = drains.go();
}

bool Registers::is_command(uint32_t word) const
{
	if (word == TALLY_FW_REGION_REMOVE)
		return true;
	return word == TALLY_FW_REGION_ENTER && regs.pd < TALLY_MAX_PD && regs.levels < 256 && regs.page_shift < 256;
}

void Registers::take(uint32_t at, uint32_t data, unsigned int strb)
{
	uint32_t in = at - TALLY_FW_REGION_BASE;
	bool whole = strb == 15 && at % 4 == 0;

	state = whole && in == AT(go) ? JUDGE : ANSWER;
	resp = okay;
	if (whole && in == AT(go) && is_command(data)) {
		enters = data == TALLY_FW_REGION_ENTER;
	} else if (whole && in != AT(go) && in <= AT(access)) {
		std::memcpy(reinterpret_cast<char *>(&regs) + in, &data, 4);
		values++;
	} else {
		resp = slverr;
		refused++;
	}
}

void Registers::given()
{
	(enters ? entered : removed)++;
	bad += dut.cfg_bad_i;
	resp = dut.cfg_bad_i ? slverr : okay;
	state = enters ? ANSWER : DRAIN;
}

void Registers::check_command()
{
	CHECK(dut.cfg_enable_o == enters && dut.cfg_lkey_o == regs.lkey, "a command for key %x", dut.cfg_lkey_o);
	if (!enters)
		return;
	CHECK(dut.cfg_pd_o == regs.pd && dut.cfg_write_o == (regs.access & TALLY_ACCESS_LOCAL_WRITE), "wrong rights");
	CHECK(dut.cfg_iova_o == regs.iova && dut.cfg_addr_o == regs.addr && dut.cfg_length_o == regs.length, "a wrong address");
	CHECK(dut.cfg_offset_o == regs.offset && dut.cfg_levels_o == regs.levels && dut.cfg_page_shift_o == regs.page_shift,
	      "a wrong page list");
}

void Registers::cycle()
{
	offer();
	bench.settle();

	bool write = dut.axil_awvalid_i && dut.axil_awready_o;

	CHECK(dut.axil_awready_o == dut.axil_wready_o, "address and data of a write are not taken together");
	CHECK(!dut.axil_awready_o || (dut.axil_awvalid_i && dut.axil_wvalid_i), "half a write is taken");
	CHECK(dut.busy_o == (state != READY), "busy is %d", dut.busy_o);
	CHECK(dut.cfg_valid_o == (state == GIVE), "a command at the wrong time");
	CHECK(dut.axil_bvalid_o == (state == ANSWER), "an answer at the wrong time");
	CHECK(!write || state == READY, "a write before the answer of another one");
	if (dut.axil_bvalid_o)
		CHECK(dut.axil_bresp_o == resp, "a write is answered with %d", dut.axil_bresp_o);
	if (state == GIVE)
		check_command();
	waited += state == DRAIN && !dut.drained_i;
	if (state == ANSWER && dut.axil_bready_i)
		state = READY;
	else if (state == JUDGE)
		state = resp == okay ? GIVE : ANSWER;
	else if (state == DRAIN && dut.drained_i)
		state = ANSWER;
	else if (state == GIVE && dut.cfg_ready_i)
		given();
	if (write) {
		take(dut.axil_awaddr_i, dut.axil_wdata_i, dut.axil_wstrb_i);
		offered = false;
	}
	bench.tick();
}

int Registers::run()
{
	bench.live(bench.times(60000), [&] { restart(); }, [&] { cycle(); });
	CHECK(entered > 300 && removed > 300 && bad > 100 && waited > 300, "%llu regions entered, %llu removed, %llu refused",
	      (unsigned long long)entered, (unsigned long long)removed, (unsigned long long)bad);
	CHECK(refused > 1000 && values > 1000, "%llu writes refused", (unsigned long long)refused);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Registers(argc, argv).run();
}
