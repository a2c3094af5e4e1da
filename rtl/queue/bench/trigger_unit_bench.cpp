// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_trigger_unit: the traffic of the bench of tally_trigger, with the tables written by registers, and the ALU of the
// unit. Its clock runs only when the unit needs it.
#include <cstddef>

#include "rtl/axi_lite.h"
#include "trigger_setup.h"

extern "C" {
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
}

namespace setup {

namespace {

class Writer {
public:
	explicit Writer(tally::Bench<Vdut> &bench) : bench_(bench) {}
	void put(size_t offset, uint32_t value, bool ok = true) const
	{
		const bool done = tally::axil_write(*bench_.dut, TALLY_FW_TRIGGER_BASE + offset, value, [&] { bench_.tick(); });

		CHECK(done == ok, "register %zx with %x: %d", offset, value, done);
	}
	void go(enum tally_fw_trigger_code code, unsigned int index, bool ok = true) const
	{
		put(offsetof(struct tally_fw_trigger, go), code | index << 16, ok);
	}

private:
	tally::Bench<Vdut> &bench_;
};

} // namespace

void idle(Vdut &dut)
{
	dut.axil_awvalid_i = dut.axil_wvalid_i = dut.axil_bready_i = 0;
}

// All cells are reserved and given back before.
static void set_group(const Writer &w, unsigned int g, uint64_t limit)
{
	w.put(offsetof(struct tally_fw_trigger, mtu), TALLY_MAX_MTU);
	w.put(offsetof(struct tally_fw_trigger, limit), limit);
	w.put(offsetof(struct tally_fw_trigger, limit) + 4, limit >> 32);
	w.go(TALLY_FW_TRIGGER_SET_GROUP, g);
	w.put(offsetof(struct tally_fw_trigger, cells), Cells);
	w.go(TALLY_FW_TRIGGER_SET_CELLS, g);
	w.put(offsetof(struct tally_fw_trigger, cells), 1);
	w.go(TALLY_FW_TRIGGER_SET_CELLS, (g + 1) % Groups, false);
	w.put(offsetof(struct tally_fw_trigger, cells), 0);
	w.go(TALLY_FW_TRIGGER_SET_CELLS, g);
}

void configure(tally::Bench<Vdut> &bench, uint64_t limit, const unsigned int *cells)
{
	const Writer w(bench);

	for (unsigned int g = 0; g < Groups; g++)
		set_group(w, g, limit);
	for (unsigned int g = 0; g < Groups; g++) {
		w.put(offsetof(struct tally_fw_trigger, cells), cells[g]);
		w.go(TALLY_FW_TRIGGER_SET_CELLS, g);
	}
	for (unsigned int q = 0; q < Qps; q++) { // in front of those before
		w.put(offsetof(struct tally_fw_trigger, port), q);
		w.go(TALLY_FW_TRIGGER_SET_QP, q);
		w.put(offsetof(struct tally_fw_trigger, next), q < Groups ? TALLY_FW_NO_QP : q - Groups);
		w.go(TALLY_FW_TRIGGER_NEXT_QP, q);
		w.put(offsetof(struct tally_fw_trigger, next), q);
		w.go(TALLY_FW_TRIGGER_FIRST_QP, q % Groups);
	}
}

// The unit knows it.
void of_group(Vdut &dut, unsigned int group)
{
	(void)dut;
	(void)group;
}

void Alu::clear() {}

void Alu::offer(Vdut &dut) const
{
	(void)dut;
}

void Alu::observe(const Vdut &dut)
{
	(void)dut;
}

} // namespace setup

int main(int argc, char **argv)
{
	return trigger_traffic("trigger_unit", argc, argv);
}
