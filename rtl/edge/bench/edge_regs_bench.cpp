// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_edge_regs: registers that it keeps, that it passes on, and that do not exist, and commands that close all
// edges of a group, while both sides stall. Each write is answered once, what passes on is unchanged, and an edge is opened with the time-outs that its group has at that time.
#include <cstddef>
#include <deque>

#include "Vdut.h"
#include "bench.h"

extern "C" {
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
}

#define AT(block, field) offsetof(struct tally_fw_##block, field)

constexpr unsigned int okay = 0, slverr = 2, longest = 3000;

enum { SET_OPEN, SET_CLOSE, SET_STOP, SET_ROW };	// tally_edge_pkg::set_op_e

struct Write {
	uint32_t reg, value;
	unsigned int strobes;
};

struct Group {
	uint64_t rto, cap;
	unsigned int limit;
	bool rto_known, cap_known, limit_known;
};

class Regs {
public:
	Regs(int argc, char **argv)
		: bench("edge_regs", argc, argv), dut(*bench.dut), rng(bench.rng), writes(rng), nexts(rng), answers(rng), sets(rng),
		  takes(rng)
	{
	}
	int run();

private:
	void restart();
	void write();
	Write some_write();
	void carry_out(const Write &w);
	void inputs();
	bool clock();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle writes, nexts, answers, sets, takes;
	Group groups[Groups] = {};
	uint32_t low = 0;		// word that was written last
	bool low_known = false;
	struct Set {
		int op;
		unsigned int group, edge;
		uint32_t seq;
	};
	std::deque<Set> wanted;		// operations that are still to come
	bool passes = false, passed = false, failed = false;
	bool has_row = false;		// the write is of an edge of a group, whose row is
	unsigned int row = 0;
	unsigned int next_resp = 0;	// answer of the tables
	bool next_due = false;
	uint64_t opened = 0, walks = 0, refused = 0;
};

static uint32_t reg(unsigned int group, unsigned int at)
{
	return TALLY_FW_GROUP_BASE + group * TALLY_FW_GROUP_STRIDE + at;
}

static uint32_t edge_reg(unsigned int group, unsigned int edge, unsigned int at)
{
	return reg(group, TALLY_FW_EDGE_OFFSET + edge * TALLY_FW_EDGE_STRIDE + at);
}

void Regs::restart()
{
	dut.axil_awvalid_i = dut.axil_wvalid_i = dut.axil_bready_i = 0;
	dut.next_ready_i = dut.next_bvalid_i = dut.set_ready_i = dut.set_failed_i = 0;
	wanted.clear();
	next_due = false;
	bench.reset();
}

Write Regs::some_write()
{
	unsigned int group = rng.below(Groups + 1), edge = rng.below(EdgesOf + 1);	// the last ones do not exist here
	uint32_t value = rng.next();
	static const uint32_t codes[] = { TALLY_FW_CMD_FREEZE, TALLY_FW_CMD_RELEASE, TALLY_FW_CMD_CREATE, TALLY_FW_CMD_SEND };

	switch (rng.below(11)) {
	case 0:
		return { reg(group, AT(group, rto)), value, 0xf };
	case 1:
		return { reg(group, AT(group, rto) + 4), value, 0xf };
	case 2:
		return { reg(group, AT(group, max_backoff)), value, 0xf };
	case 3:
		return { reg(group, AT(group, max_backoff) + 4), value, 0xf };
	case 4:
		return { reg(group, AT(group, retry_limit)), uint32_t(rng.below(TALLY_MAX_RETRIES + 1)), 0xf };
	case 5:
	case 6:
		return { edge_reg(group, edge, AT(edge, own_first_seq)), value, 0xf };
	case 7:
		return { TALLY_FW_COMMAND_BASE + AT(command, go), codes[rng.below(4)] | uint32_t(group) << 16 | uint32_t(edge) << 8, 0xf };
	case 8:
		return { edge_reg(group, edge, rng.below(TALLY_FW_EDGE_STRIDE / 4) * 4), value, 0xf };
	case 9:
		return { reg(group, AT(group, retry_limit)), value, unsigned(rng.below(15)) };
	default:
		return { rng.one_in(2) ? reg(group, 4 * rng.below(64)) : uint32_t(rng.next()), value, 0xf };
	}
}

// Notes what the block must do with a write.
void Regs::carry_out(const Write &w)
{
	uint32_t in = w.reg - TALLY_FW_GROUP_BASE, group = in / TALLY_FW_GROUP_STRIDE, at = in % TALLY_FW_GROUP_STRIDE;
	uint32_t edge = (at - TALLY_FW_EDGE_OFFSET) / TALLY_FW_EDGE_STRIDE, code = w.value & 0xff, go_group = w.value >> 16;
	bool ours = w.strobes == 0xf && w.reg >= TALLY_FW_GROUP_BASE && group < Groups;

	passes = has_row = false;
	if (ours && at >= TALLY_FW_EDGE_OFFSET && edge < EdgesOf &&
	    (at - TALLY_FW_EDGE_OFFSET) % TALLY_FW_EDGE_STRIDE == AT(edge, own_first_seq)) {
		wanted.push_back({ SET_OPEN, group, edge, w.value });
	} else if (ours && (at == AT(group, rto) || at == AT(group, max_backoff))) {
		low = w.value;
		low_known = true;
	} else if (ours && at == AT(group, rto) + 4) {
		groups[group].rto = uint64_t(w.value) << 32 | low;
		groups[group].rto_known = low_known;
	} else if (ours && at == AT(group, max_backoff) + 4) {
		groups[group].cap = uint64_t(w.value) << 32 | low;
		groups[group].cap_known = low_known;
	} else if (ours && at == AT(group, retry_limit)) {
		groups[group].limit = w.value & 0x1ff;
		groups[group].limit_known = true;
	} else if (ours && at >= TALLY_FW_EDGE_OFFSET && edge < EdgesOf) {
		wanted.push_back({ SET_ROW, group, edge, w.value });
		passes = has_row = true;
	} else {
		bool go = w.strobes == 0xf && w.reg == TALLY_FW_COMMAND_BASE + AT(command, go) && go_group < Groups;
		bool walks_over = go && (code == TALLY_FW_CMD_FREEZE || code == TALLY_FW_CMD_RELEASE);

		for (unsigned int e = 0; walks_over && e < EdgesOf; e++)
			wanted.push_back({ code == TALLY_FW_CMD_FREEZE ? SET_STOP : SET_CLOSE, go_group, e, w.value });
		walks += walks_over;
		passes = !go || code != TALLY_FW_CMD_FREEZE;
	}
}

// The other sides, for this clock.
void Regs::inputs()
{
	dut.next_ready_i = nexts.go();
	dut.set_failed_i = 0;
	bench.settle();
	if (!dut.set_ready_i)
		dut.set_ready_i = dut.set_valid_o && sets.go();
	dut.set_failed_i = dut.set_ready_i && dut.set_valid_o && (dut.set_op_o == SET_OPEN || dut.set_op_o == SET_ROW) && rng.one_in(8);
	dut.set_row_i = rng.below(Rows);
	if (!dut.next_bvalid_i && next_due && answers.go()) {
		dut.next_bvalid_i = 1;
		dut.next_bresp_i = next_resp;
	}
	bench.settle();
}

// One clock. Returns whether the write is taken in it.
bool Regs::clock()
{
	bool taken = dut.axil_awvalid_i && dut.axil_awready_o;

	CHECK(dut.axil_awready_o == dut.axil_wready_o, "address and data are taken apart");
	if (dut.set_valid_o) {
		CHECK(!wanted.empty(), "an operation of edges that nobody has asked for");
		const Set &s = wanted.front();

		CHECK(dut.set_op_o == unsigned(s.op) && dut.set_group_o == s.group && dut.set_edge_o == s.edge, "operation %u of edge %u of group %u, not %d of %u of %u",
		      dut.set_op_o, dut.set_edge_o, dut.set_group_o, s.op, s.edge, s.group);
		if (s.op == SET_OPEN) {
			const Group &g = groups[s.group];

			CHECK(dut.set_seq_o == s.seq, "the first number is %x, not %x", dut.set_seq_o, s.seq);
			CHECK(!g.rto_known || dut.set_rto_o == g.rto, "another time-out");
			CHECK(!g.cap_known || dut.set_cap_o == g.cap, "another longest time-out");
			CHECK(!g.limit_known || dut.set_limit_o == g.limit, "another number of retries");
		}
		if (dut.set_ready_i) {
			opened += s.op == SET_OPEN;
			failed |= dut.set_failed_i;
			passes &= !failed;
			row = dut.set_row_i;
			wanted.pop_front();
		}
	}
	if (dut.next_valid_o) {
		CHECK(passes && !passed && wanted.empty(), "a write passes to the tables");
		CHECK(!has_row || dut.next_row_o == row, "row %u, not %u", dut.next_row_o, row);
		CHECK(!next_due, "a write passes before the one before is answered");
		if (dut.next_ready_i) {
			CHECK(taken, "a write is taken by the tables only");
			passed = true;
			next_due = true;
			next_resp = rng.one_in(3) ? slverr : okay;
		}
	}
	CHECK(!taken || (wanted.empty() && (passed || !passes)), "a write is taken before it is carried out");
	CHECK(!dut.set_valid_o || dut.busy_o, "not busy while edges are opened or closed");
	if (dut.next_bvalid_i && dut.next_bready_o)
		next_due = false;
	bool answered = dut.next_bvalid_i && dut.next_bready_o, set = dut.set_valid_o && dut.set_ready_i;
	bench.tick();
	if (answered)
		dut.next_bvalid_i = 0;
	if (set)
		dut.set_ready_i = 0;
	return taken;
}

void Regs::write()
{
	const Write w = some_write();
	unsigned int left = longest;
	bool taken = false, done = false;

	carry_out(w);
	passed = failed = false;
	dut.axil_awaddr_i = w.reg;
	dut.axil_wdata_i = w.value;
	dut.axil_wstrb_i = w.strobes;
	while (!done) {
		CHECK(left--, "the write of register %x is stuck", w.reg);
		if (!taken) {
			dut.axil_awvalid_i = dut.axil_awvalid_i || writes.go();
			dut.axil_wvalid_i = dut.axil_wvalid_i || writes.go();
		}
		// What is not offered yet is not on the bus.
		dut.axil_awaddr_i = taken || dut.axil_awvalid_i ? w.reg : uint32_t(rng.next());
		dut.axil_wdata_i = taken || dut.axil_wvalid_i ? w.value : uint32_t(rng.next());
		dut.axil_bready_i = takes.go();
		inputs();
		bool answer = dut.axil_bvalid_o && dut.axil_bready_i;

		CHECK(!dut.axil_bvalid_o || taken, "an answer before the write is taken");
		if (answer) {
			CHECK(dut.axil_bresp_o == (passes ? next_resp : failed ? slverr : okay), "register %x: answer %u", w.reg, dut.axil_bresp_o);
			refused += failed;
			done = true;
		}
		if (clock()) {
			CHECK(!taken, "a write is taken twice");
			taken = true;
			dut.axil_awvalid_i = dut.axil_wvalid_i = 0;
		}
	}
	dut.axil_bready_i = 0;
	bench.settle();
	CHECK(!dut.axil_bvalid_o && !dut.busy_o && wanted.empty(), "something is left of a write");
}

int Regs::run()
{
	dut.set_ready_i = dut.next_bvalid_i = 0;
	bench.live(bench.times(8000), [this] { restart(); }, [this] { write(); });
	CHECK(opened > 300 && walks > 100 && refused > 10, "%llu edges opened, %llu refused, %llu commands", (unsigned long long)opened,
	      (unsigned long long)refused, (unsigned long long)walks);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Regs(argc, argv).run();
}
