// SPDX-License-Identifier: BSD-2-Clause
// The traffic of tally_trigger, and what it does otherwise for tally_trigger_unit, which has registers and an ALU.
#ifndef TALLY_RTL_TRIGGER_SETUP_H
#define TALLY_RTL_TRIGGER_SETUP_H

#include <cstdint>
#include <deque>

#include "Vdut.h"
#include "bench.h"

// Runs the bench of this name: returns the status of the program.
int trigger_traffic(const char *name, int argc, char **argv);

namespace setup {

constexpr unsigned int word_bytes = 64;

// Before a reset.
void idle(Vdut &dut);
// After it: each group has this time limit and as many cells of its own, and queue pair q is port q of group q % Groups.
void configure(tally::Bench<Vdut> &bench, uint64_t limit, const unsigned int *cells);
// The group of the descriptor that is offered.
void of_group(Vdut &dut, unsigned int group);

// The ALU, if it is not inside.
class Alu {
public:
	void clear();
	void offer(Vdut &dut) const;
	void observe(const Vdut &dut);

private:
	struct Result {
		uint8_t word[word_bytes];
		uint16_t events;
	};
	std::deque<Result> results_;
};

} // namespace setup

#endif
