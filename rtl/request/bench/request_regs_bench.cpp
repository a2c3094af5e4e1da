// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_request_regs: random writes with stalls, of registers and of addresses without one. Values are in range or
// not, commands known or not. It compares every answer and every command with a copy of struct request; what memory a send
// queue may have is what the model's mem_decode_ring() says.
#include <cstddef>
#include <cstring>

#include "Vdut.h"
#include "bench.h"
extern "C" {
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
#include "nic/mem.h"
}

#define AT(field) static_cast<uint32_t>(offsetof(struct tally_fw_request, field))

constexpr unsigned int okay = 0, slverr = 2;

// To whom a command goes.
enum Side { NOBODY, SET, BIND };

class Registers {
public:
	Registers(int argc, char **argv)
		: bench("request_regs", argc, argv), dut(*bench.dut), rng(bench.rng), writer(rng), takes(rng), answers(rng)
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
	bool ring_good() const;
	Side command(uint32_t word) const;
	void take(uint32_t at, uint32_t data, unsigned int strb);
	void check_set();
	void check_bind();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle writer, takes, answers;
	struct tally_fw_request regs = {};
	uint32_t given = 0;	// the command that is offered
	Side expected = NOBODY;
	bool offered = false, due = false, judged = false;	// judged: the command in this clock, before it is given
	unsigned int resp = 0;
	uint64_t commands[8] = {}, refused = 0, values = 0;
};

void Registers::restart()
{
	dut.axil_awvalid_i = dut.axil_wvalid_i = dut.axil_bready_i = 0;
	dut.set_ready_i = dut.bind_ready_i = 0;
	regs = {};
	expected = NOBODY;
	offered = due = judged = false;
	bench.reset();
}

// Mostly registers; few addresses besides.
uint32_t Registers::address()
{
	uint32_t at = TALLY_FW_REQUEST_BASE + 4 * rng.below(sizeof(regs) / 4);

	if (rng.one_in(3))
		at = TALLY_FW_REQUEST_BASE + AT(go);
	if (rng.one_in(16))
		at += 1 + rng.below(3);
	if (rng.one_in(16))
		at ^= 1u << (6 + rng.below(26));
	return at;
}

uint32_t Registers::go()
{
	uint32_t word = rng.below(9) | rng.below(Qps + 8) << 16;

	if (rng.one_in(2))
		word = (word & 0xffff) | rng.below(NumCq + 1) << 16;
	if (rng.one_in(8))
		word = (word & 0xffff) | (rng.one_in(2) ? Qps : NumCq) << 16;
	return rng.one_in(20) ? word ^ 1u << (8 + rng.below(8)) : word;
}

// Mostly in range, at the ends of the range, or near them.
uint32_t Registers::value(uint32_t at)
{
	uint32_t entry = 256u << rng.below(6);

	if (rng.one_in(30))
		return rng.next();
	switch (at - TALLY_FW_REQUEST_BASE) {
	case AT(go):
		return go();
	case AT(offset):
		return rng.one_in(2) ? 0 : rng.below(32) * entry;
	case AT(addr):
		return rng.one_in(8) ? rng.next() : rng.next() / entry * entry;
	case AT(levels):
		return rng.one_in(12) ? TALLY_MEM_LEVELS + rng.below(3) : rng.one_in(2) ? 0 : 1 + rng.below(TALLY_MEM_LEVELS);
	case AT(page_shift):
		return rng.one_in(3) ? 0 : TALLY_MIN_PAGE_SHIFT - 1 + rng.below(TALLY_MAX_PAGE_SHIFT - TALLY_MIN_PAGE_SHIFT + 3);
	case AT(log_depth):
		return rng.below(__builtin_ctz(TALLY_MAX_SQ_DEPTH) + 2);
	case AT(log_stride):
		return rng.one_in(12) ? rng.below(33) : 7 + rng.below(8);
	case AT(uar):
		return rng.below(Uars + 1);
	case AT(slot):
		return rng.below(TALLY_UAR_SLOTS + 1);
	case AT(push):
		return rng.one_in(6) ? 2 + rng.below(rng.one_in(2) ? 2 : 8) : rng.below(2);
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
	dut.set_ready_i = takes.go();
	dut.bind_ready_i = takes.go();
}

// Whether the model takes a send queue at this place, of which it also knows the length: here, that of a page list for any
// queue of this size.
bool Registers::ring_good() const
{
	struct tally_mem raw = {};
	struct host_mem mem;
	uint32_t stride = 1u << regs.log_stride % 32, depth = 1u << regs.log_depth % 32;
	uint16_t bad;

	if (regs.log_depth > unsigned(__builtin_ctz(TALLY_MAX_SQ_DEPTH)) || stride < TALLY_MIN_WQE_SIZE || stride > TALLY_MAX_WQE_SIZE ||
	    regs.log_stride > 31 || regs.levels > 255 || regs.page_shift > 255)
		return false;
	raw.addr = regs.levels ? regs.addr & -TALLY_PAGE_SIZE : regs.addr;
	raw.offset = regs.offset;
	raw.levels = regs.levels;
	raw.page_shift = regs.page_shift;
	raw.length = uint64_t(stride) * depth;
	if (mem_decode_ring(&mem, &raw, depth, stride, &bad))
		return true;
	// What the registers do not know: the end of the memory, and an offset beyond its first page.
	if (bad == offsetof(struct tally_mem, length))
		return !regs.levels ? !(raw.addr % stride) : !(raw.offset % stride);
	return bad == offsetof(struct tally_mem, offset) && regs.levels && !(raw.offset % stride);
}

Side Registers::command(uint32_t word) const
{
	uint32_t number = word >> 16, code = word & 0xff;
	bool slot = regs.uar < Uars && regs.slot < TALLY_UAR_SLOTS && regs.push <= 1;
	bool stride = regs.log_stride < 32 && 1u << regs.log_stride >= TALLY_MIN_WQE_SIZE &&
		      1u << regs.log_stride <= TALLY_MAX_WQE_SIZE;

	if (word & 0xff00)
		return NOBODY;
	switch (code) {
	case TALLY_FW_REQUEST_CREATE_QP:
		return number < Qps && ring_good() ? SET : NOBODY;
	case TALLY_FW_REQUEST_RESET_QP:
	case TALLY_FW_REQUEST_START_QP:
	case TALLY_FW_REQUEST_FAIL_QP:
		return number < Qps ? SET : NOBODY;
	case TALLY_FW_REQUEST_BIND_QP:
		return slot && number < Qps && stride ? BIND : NOBODY;
	case TALLY_FW_REQUEST_BIND_CQ:
		return slot && number < NumCq ? BIND : NOBODY;
	case TALLY_FW_REQUEST_UNBIND:
		return slot ? BIND : NOBODY;
	default:
		return NOBODY;
	}
}

void Registers::take(uint32_t at, uint32_t data, unsigned int strb)
{
	uint32_t in = at - TALLY_FW_REQUEST_BASE;
	bool whole = strb == 15 && at % 4 == 0;

	due = true;
	judged = whole && in == AT(go);
	resp = okay;
	if (whole && in == AT(go)) {
		given = data;
		expected = command(data);
		if (expected)
			commands[data & 0xff]++;
	} else if (whole && in <= AT(push)) {
		std::memcpy(reinterpret_cast<char *>(&regs) + in, &data, 4);
		values++;
		return;
	}
	if (!expected) {
		resp = slverr;
		refused++;
	}
}

void Registers::check_set()
{
	static const uint8_t states[] = { 0, TALLY_QPS_RESET, TALLY_QPS_RESET, TALLY_QPS_RTS, TALLY_QPS_ERROR };
	uint32_t code = given & 0xff, number = given >> 16;
	uint64_t shift = regs.page_shift ? regs.page_shift - TALLY_MIN_PAGE_SHIFT : 0;

	CHECK(dut.set_qp_o == number, "a command for queue pair %d, not %u", dut.set_qp_o, number);
	CHECK(dut.set_state_o == states[code], "command %u sets state %d", code, dut.set_state_o);
	CHECK(dut.set_create_o == (code == TALLY_FW_REQUEST_CREATE_QP), "a wrong command");
	if (!dut.set_create_o)
		return;
	// {addr, levels, shift}, 71 bits
	CHECK(dut.set_ring_o[0] == (uint32_t)(regs.addr << 7 | regs.levels << 5 | shift) &&
		      dut.set_ring_o[1] == (uint32_t)(regs.addr >> 25) && dut.set_ring_o[2] == regs.addr >> 57,
	      "a wrong ring");
	CHECK(dut.set_base_o == (regs.levels ? regs.offset : regs.addr), "a wrong first byte");
	CHECK(dut.set_depth_log_o == regs.log_depth && dut.set_stride_log_o == regs.log_stride, "a wrong size");
}

void Registers::check_bind()
{
	uint32_t code = given & 0xff, number = given >> 16;
	bool bound = code != TALLY_FW_REQUEST_UNBIND, cq = code == TALLY_FW_REQUEST_BIND_CQ;

	CHECK(dut.bind_uar_o == regs.uar && dut.bind_slot_o == regs.slot, "slot %d of UAR %d", dut.bind_slot_o, dut.bind_uar_o);
	CHECK(dut.bind_bound_o == bound && dut.bind_cq_o == cq, "command %u binds %d %d", code, dut.bind_bound_o, dut.bind_cq_o);
	CHECK(!bound || dut.bind_object_o == number, "slot of %d, not of %u", dut.bind_object_o, number);
	CHECK(dut.bind_push_o == (regs.push && !cq), "a wrong push buffer");
	if (code == TALLY_FW_REQUEST_BIND_QP)
		CHECK(dut.bind_stride_o * 16u == 1u << regs.log_stride, "a wrong size of an entry");
}

void Registers::cycle()
{
	offer();
	bench.settle();

	bool write = dut.axil_awvalid_i && dut.axil_awready_o;

	CHECK(dut.axil_awready_o == dut.axil_wready_o, "address and data of a write are not taken together");
	CHECK(!dut.axil_awready_o || (dut.axil_awvalid_i && dut.axil_wvalid_i), "half a write is taken");
	CHECK(dut.busy_o == due, "busy is %d", dut.busy_o);
	const auto goes = judged ? NOBODY : expected;

	CHECK(dut.set_valid_o == (goes == SET) && dut.bind_valid_o == (goes == BIND), "command %x goes elsewhere", given);
	CHECK(dut.axil_bvalid_o == (due && !judged && !expected), "an answer at the wrong time");
	CHECK(!write || !due, "a write before the answer of another one");
	if (dut.axil_bvalid_o)
		CHECK(dut.axil_bresp_o == resp, "a write is answered with %d, not %u", dut.axil_bresp_o, resp);
	if (goes == SET)
		check_set();
	if (goes == BIND)
		check_bind();
	if (dut.axil_bvalid_o && dut.axil_bready_i)
		due = false;
	if ((goes == SET && dut.set_ready_i) || (goes == BIND && dut.bind_ready_i))
		expected = NOBODY;
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
	for (unsigned int code = TALLY_FW_REQUEST_CREATE_QP; code <= TALLY_FW_REQUEST_UNBIND; code++)
		CHECK(commands[code] > 20, "only %llu commands %u", (unsigned long long)commands[code], code);
	CHECK(refused > 1000 && values > 1000, "%llu writes refused", (unsigned long long)refused);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Registers(argc, argv).run();
}
