// SPDX-License-Identifier: BSD-2-Clause
// The reduce ALU of the hardware, rtl/alu/tally_alu.sv, called as a function: the words of a vector enter one per clock,
// and the last result leaves Latency clocks after the last word. These clocks are not those of the NIC's time; the
// engine's model accounts for them by its stages alu and chain.
#ifndef TALLY_SIM_RTL_ALU_H
#define TALLY_SIM_RTL_ALU_H

#include <cstddef>
#include <cstdint>
#include <memory>

#include "verilated.h"

class Valu;

namespace tally {

class Alu {
public:
	Alu();
	~Alu();

	// alu_reduce() of alu/alu.h.
	uint16_t reduce(uint8_t op, uint8_t type, void *acc, const void *in, uint32_t count);

private:
	void offer(const uint8_t *a, const uint8_t *b, size_t n);
	void tick();

	VerilatedContext context_;
	std::unique_ptr<Valu> dut_;
};

} // namespace tally

#endif
