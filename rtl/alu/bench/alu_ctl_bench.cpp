// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_alu_ctl: compares it with alu_check() for every code of operation and type, in random order and with
// random gaps.
#include <algorithm>
#include <cstdio>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"

extern "C" {
#include "alu/alu.h"
}

// Returns the unit that works on the word, or 0 if none does.
static char unit_of(uint8_t op, uint8_t type)
{
	if (alu_check(op, type) != TALLY_COLL_OK)
		return 0;
	if (op == TALLY_OP_MINLOC || op == TALLY_OP_MAXLOC)
		return 'l';
	switch (type) {
	case TALLY_TYPE_FP16:
		return 'h';
	case TALLY_TYPE_FP32:
		return 's';
	case TALLY_TYPE_FP64:
		return 'd';
	case TALLY_TYPE_BF16:
		return 'b';
	default:
		return 'i';
	}
}

struct Sent {
	uint32_t tag;
	bool error;
	uint64_t cycle;
};

static void compare(tally::Bench<Vdut> &bench, std::deque<Sent> &sent)
{
	static uint64_t latency; // measured at the first word
	Vdut &dut = *bench.dut;

	if (!latency && dut.valid_o && !sent.empty())
		latency = bench.cycle() - sent.front().cycle;
	CHECK(latency || sent.size() < 100, "no word leaves");
	bool due = latency && !sent.empty() && sent.front().cycle + latency == bench.cycle();
	CHECK(dut.valid_o == due, "valid_o is %d", dut.valid_o);
	if (!due)
		return;
	CHECK(dut.tag_o == sent.front().tag, "tag %x, not %x", dut.tag_o, sent.front().tag);
	CHECK(dut.error_o == sent.front().error, "error_o is %d", dut.error_o);
	sent.pop_front();
}

static void check_start(const Vdut &dut, char unit)
{
	CHECK(dut.start_int_o == (unit == 'i') && dut.start_loc_o == (unit == 'l') && dut.start_fp16_o == (unit == 'h') &&
		      dut.start_fp32_o == (unit == 's') && dut.start_fp64_o == (unit == 'd') &&
		      dut.start_bf16_o == (unit == 'b'),
	      "operation %d on type %02x starts another unit", dut.op_i, dut.type_i);
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("alu_ctl", argc, argv);
	Vdut &dut = *bench.dut;
	tally::Throttle source(bench.rng);
	std::vector<uint16_t> codes(0x10000);
	std::deque<Sent> sent;

	dut.valid_i = 0;
	bench.reset();
	for (size_t i = 0; i < codes.size(); i++) {
		codes[i] = static_cast<uint16_t>(i);
		std::swap(codes[i], codes[bench.rng.below(i + 1)]);
	}
	for (uint64_t left = bench.times(4); left; left--) {
		for (size_t i = 0; i < codes.size() || !sent.empty();) {
			dut.valid_i = i < codes.size() && source.go();
			// Half of the words have codes of the tables' range.
			uint16_t code = i % 2 ? static_cast<uint16_t>(bench.rng.below(17) << 8 | bench.rng.below(0x44)) :
						codes[i % codes.size()];
			dut.op_i = code >> 8;
			dut.type_i = code & 0xff;
			dut.tag_i = static_cast<uint32_t>(bench.rng.next());
			bench.settle();
			char unit = unit_of(dut.op_i, dut.type_i);
			check_start(dut, dut.valid_i ? unit : 0);
			compare(bench, sent);
			if (dut.valid_i)
				sent.push_back({ dut.tag_i, !unit, bench.cycle() });
			i += dut.valid_i;
			bench.tick();
		}
		std::rotate(codes.begin(), codes.begin() + 1, codes.end());
	}
	return bench.finish();
}
