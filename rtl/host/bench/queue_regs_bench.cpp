// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_queue_regs: random writes with stalls, of registers and of addresses without one. Values are in range or
// not, commands known or not. It compares every answer and every command with a copy of struct queue.
#include <cstddef>
#include <cstring>

#include "Vdut.h"
#include "bench.h"
extern "C" {
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
}

#define AT(field) offsetof(struct tally_fw_queue, field)

constexpr unsigned int okay = 0, slverr = 2;

// What a command gives, and to whom.
struct Command {
	bool cq_cfg, eq_cfg, eq_db;

	bool any() const { return cq_cfg || eq_cfg || eq_db; }
};

class Registers {
public:
	Registers(int argc, char **argv)
		: bench("queue_regs", argc, argv), dut(*bench.dut), rng(bench.rng), writer(rng), takes(rng), answers(rng)
	{
	}

	int run();

private:
	void restart();
	void cycle();
	void offer();
	uint32_t address();
	uint32_t value(uint32_t at);
	uint32_t go();
	bool ring_good(uint32_t most) const;
	Command command(uint32_t word) const;
	void take(uint32_t at, uint32_t data, unsigned int strb);
	void check_command();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle writer, takes, answers;
	struct tally_fw_queue regs = {};
	uint32_t given = 0;	// the command that is offered
	Command expected = {};
	bool offered = false, due = false, judged = false;	// judged: the command in this clock, before it is given
	unsigned int resp = 0;
	uint64_t commands[8] = {}, refused = 0, values = 0;
};

void Registers::restart()
{
	dut.axil_awvalid_i = dut.axil_wvalid_i = dut.axil_bready_i = 0;
	dut.cq_cfg_ready_i = dut.eq_cfg_ready_i = dut.eq_db_ready_i = 0;
	regs = {};
	expected = {};
	offered = due = judged = false;
	bench.reset();
}

// Mostly registers; few addresses besides.
uint32_t Registers::address()
{
	uint32_t at = TALLY_FW_QUEUE_BASE + 4 * rng.below(sizeof(regs) / 4);

	if (rng.one_in(3))
		at = TALLY_FW_QUEUE_BASE + AT(go);
	if (rng.one_in(16))
		at += 1 + rng.below(3);
	if (rng.one_in(16))
		at ^= 1u << (6 + rng.below(26));
	return at;
}

uint32_t Registers::go()
{
	uint32_t word = rng.below(9) | rng.below(TALLY_MAX_CQ + 8) << 16;

	if (rng.one_in(2))
		word = (word & 0xffff) | rng.below(NumEq + 1) << 16;
	if (rng.one_in(24))
		word = (word & 0xffff) | NumCq << 16;
	return rng.one_in(20) ? word ^ 1u << (8 + rng.below(8)) : word;
}

// Mostly in range, at the ends of the range, or near them.
uint32_t Registers::value(uint32_t at)
{
	if (rng.one_in(12))
		return rng.next();
	switch (at - TALLY_FW_QUEUE_BASE) {
	case AT(go):
		return go();
	case AT(offset):
		return rng.one_in(4) ? rng.next() : 0;
	case AT(levels):
		return rng.below(TALLY_MEM_LEVELS + 2);
	case AT(page_shift):
		return rng.one_in(3) ? 0 : TALLY_MIN_PAGE_SHIFT - 1 + rng.below(TALLY_MAX_PAGE_SHIFT - TALLY_MIN_PAGE_SHIFT + 3);
	case AT(log_depth):
		return rng.below(__builtin_ctz(TALLY_MAX_CQ_DEPTH) + 3);
	case AT(eqn):
		return rng.below(NumEq + 1);
	case AT(vector):
		return rng.below(TALLY_NUM_VECTORS + 1);
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
	dut.cq_cfg_ready_i = takes.go();
	dut.eq_cfg_ready_i = takes.go();
	dut.eq_db_ready_i = takes.go();
}

bool Registers::ring_good(uint32_t most) const
{
	bool page = regs.page_shift >= TALLY_MIN_PAGE_SHIFT && regs.page_shift <= TALLY_MAX_PAGE_SHIFT;

	if (regs.log_depth > most || regs.levels > TALLY_MEM_LEVELS)
		return false;
	return regs.levels ? page : !regs.offset && (page || !regs.page_shift);
}

Command Registers::command(uint32_t word) const
{
	uint32_t number = word >> 16;
	bool cq = number < NumCq, eq = number < NumEq;
	bool cq_ring = ring_good(__builtin_ctz(TALLY_MAX_CQ_DEPTH)) && regs.eqn < NumEq;
	bool eq_ring = ring_good(__builtin_ctz(TALLY_MAX_EQ_DEPTH)) && regs.vector < TALLY_NUM_VECTORS;
	Command c = {};

	if (word & 0xff00)
		return c;
	switch (word & 0xff) {
	case TALLY_FW_QUEUE_CREATE_CQ:
		c.cq_cfg = cq && cq_ring;
		break;
	case TALLY_FW_QUEUE_DESTROY_CQ:
		c.cq_cfg = cq;
		break;
	case TALLY_FW_QUEUE_CREATE_EQ:
		c.eq_cfg = eq && eq_ring;
		break;
	case TALLY_FW_QUEUE_DESTROY_EQ:
		c.eq_cfg = eq;
		break;
	case TALLY_FW_QUEUE_CONSUMED:
		c.eq_db = eq;
		break;
	default:
		break;
	}
	return c;
}

void Registers::take(uint32_t at, uint32_t data, unsigned int strb)
{
	uint32_t in = at - TALLY_FW_QUEUE_BASE;
	bool whole = strb == 15 && at % 4 == 0;

	due = true;
	judged = whole && in == AT(go);
	resp = okay;
	if (whole && in == AT(go)) {
		given = data;
		expected = command(data);
		if (expected.any())
			commands[data & 0xff]++;
	} else if (whole && in <= AT(vector)) {
		std::memcpy(reinterpret_cast<char *>(&regs) + in, &data, 4);
		values++;
		return;
	}
	if (!expected.any()) {
		resp = slverr;
		refused++;
	}
}

void Registers::check_command()
{
	uint32_t code = given & 0xff, number = given >> 16;
	uint64_t shift = regs.page_shift ? regs.page_shift - TALLY_MIN_PAGE_SHIFT : 0;
	bool cfg = expected.cq_cfg || expected.eq_cfg;

	if (expected.cq_cfg)
		CHECK(dut.cqn_o == number, "a command for CQ %d, not %u", dut.cqn_o, number);
	else
		CHECK(dut.eqn_o == number, "a command for EQ %d, not %u", dut.eqn_o, number);
	if (expected.eq_db)
		CHECK(dut.count_o == regs.count, "a wrong count");
	if (cfg)
		CHECK(dut.enable_o == (code == TALLY_FW_QUEUE_CREATE_CQ || code == TALLY_FW_QUEUE_CREATE_EQ), "a wrong command");
	if (!cfg || !dut.enable_o)
		return;
	// {addr, levels, shift}, 71 bits
	CHECK(dut.ring_o[0] == (uint32_t)(regs.addr << 7 | regs.levels << 5 | shift) &&
		      dut.ring_o[1] == (uint32_t)(regs.addr >> 25) && dut.ring_o[2] == regs.addr >> 57,
	      "a wrong ring");
	CHECK(dut.first_o == (regs.levels ? regs.offset : regs.addr), "a wrong first byte");
	CHECK(dut.log_depth_o == regs.log_depth, "a wrong depth");
	CHECK(expected.cq_cfg ? dut.cq_eqn_o == regs.eqn : dut.vector_o == regs.vector, "events go elsewhere");
}

void Registers::cycle()
{
	offer();
	bench.settle();

	bool write = dut.axil_awvalid_i && dut.axil_awready_o;

	CHECK(dut.axil_awready_o == dut.axil_wready_o, "address and data of a write are not taken together");
	CHECK(!dut.axil_awready_o || (dut.axil_awvalid_i && dut.axil_wvalid_i), "half a write is taken");
	CHECK(dut.busy_o == due, "busy is %d", dut.busy_o);
	const auto goes = judged ? decltype(expected){} : expected;

	CHECK(dut.cq_cfg_valid_o == goes.cq_cfg && dut.eq_cfg_valid_o == goes.eq_cfg &&
		      dut.eq_db_valid_o == goes.eq_db,
	      "command %x goes elsewhere", given);
	CHECK(dut.axil_bvalid_o == (due && !judged && !expected.any()), "an answer at the wrong time");
	CHECK(!write || !due, "a write before the answer of another one");
	if (dut.axil_bvalid_o)
		CHECK(dut.axil_bresp_o == resp, "a write is answered with %d", dut.axil_bresp_o);
	if (goes.any())
		check_command();
	if (dut.axil_bvalid_o && dut.axil_bready_i)
		due = false;
	if ((goes.cq_cfg && dut.cq_cfg_ready_i) || (goes.eq_cfg && dut.eq_cfg_ready_i) ||
	    (goes.eq_db && dut.eq_db_ready_i))
		expected = {};
	judged = false;
	if (write) {
		take(dut.axil_awaddr_i, dut.axil_wdata_i, dut.axil_wstrb_i);
		offered = false;
	}
	bench.tick();
}

int Registers::run()
{
	bench.live(bench.times(60000), [&] { restart(); }, [&] { cycle(); });
	for (unsigned int code = TALLY_FW_QUEUE_CREATE_CQ; code <= TALLY_FW_QUEUE_CONSUMED; code++)
		CHECK(commands[code] > 10, "only %llu commands %u", (unsigned long long)commands[code], code);
	CHECK(refused > 1000 && values > 1000, "%llu writes refused", (unsigned long long)refused);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Registers(argc, argv).run();
}
