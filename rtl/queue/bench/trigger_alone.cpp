// SPDX-License-Identifier: BSD-2-Clause
// tally_trigger alone: the bench writes its tables, and is its ALU.
#include <cstring>

#include "queue_model.h"
#include "trigger_setup.h"

extern "C" {
#include "gen/tally_hw.h"
}

namespace setup {

void idle(Vdut &dut)
{
	dut.link_valid_i = dut.port_valid_i = dut.group_write_i = dut.cells_valid_i = 0;
}

void configure(tally::Bench<Vdut> &bench, uint64_t limit, const unsigned int *cells)
{
	Vdut &dut = *bench.dut;

	for (unsigned int g = 0; g < Groups; g++) {
		dut.group_write_i = 1;
		dut.group_index_i = g;
		dut.limit_i = limit;
		dut.mtu_i = TALLY_MAX_MTU;
		bench.tick();
	}
	dut.group_write_i = 0;
	for (unsigned int g = 0; g < Groups; g++) {
		dut.cells_valid_i = 1;
		dut.cells_group_i = g;
		dut.cells_i = cells[g];
		dut.cells_keep_i = 0;
		for (dut.eval(); !dut.cells_ready_o; dut.eval())
			bench.tick();
		bench.tick();
		dut.cells_valid_i = 0;
		for (dut.eval(); !dut.cells_done_o; dut.eval())
			bench.tick();
		CHECK(dut.cells_given_o, "group %u gets no cells", g);
	}
	for (unsigned int q = 0; q < Qps; q++) { // port q of group q % Groups, in front of those before
		dut.port_valid_i = dut.link_valid_i = 1;
		dut.port_qp_i = q;
		dut.port_i = q;
		dut.link_first_i = 0;
		dut.link_index_i = q;
		dut.link_end_i = q < Groups;
		dut.link_qp_i = q < Groups ? 0 : q - Groups;
		for (dut.eval(); !dut.link_ready_o; dut.eval())
			bench.tick();
		bench.tick();
		dut.port_valid_i = 0;
		dut.link_first_i = 1;
		dut.link_index_i = q % Groups;
		dut.link_end_i = 0;
		dut.link_qp_i = q;
		bench.tick();
	}
	dut.link_valid_i = 0;
}

void of_group(Vdut &dut, unsigned int group)
{
	dut.begin_group_i = group;
}

void Alu::clear()
{
	results_.assign(AluLatency, {});
}

void Alu::offer(Vdut &dut) const
{
	std::memcpy(&dut.alu_result_i, results_.front().word, word_bytes);
	dut.alu_flags_i = results_.front().events;
}

void Alu::observe(const Vdut &dut)
{
	Result r = { {}, UINT16_MAX };

	if (dut.alu_valid_o) {
		uint8_t b[word_bytes];

		std::memcpy(r.word, &dut.alu_a_o, word_bytes);
		std::memcpy(b, &dut.alu_b_o, word_bytes);
		r.events = model_alu(dut.alu_op_o, dut.alu_dtype_o, r.word, b, word_bytes);
	}
	results_.pop_front();
	results_.push_back(r);
}

} // namespace setup
