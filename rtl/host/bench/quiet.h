// SPDX-License-Identifier: BSD-2-Clause
// The rule of busy_o: while it is low, nothing is offered, and it stays low until there is an input.
#ifndef TALLY_RTL_QUIET_H
#define TALLY_RTL_QUIET_H

#include "bench.h"

class Quiet {
public:
	uint64_t clocks = 0;	// in which it was low

	void restart() { held_ = false; }

	// Called in each clock, with whether any input is valid, and any output.
	void look(bool busy, bool input, bool output)
	{
		CHECK(busy || !output, "an offer without busy_o");
		CHECK(!held_ || !busy, "busy_o without an input");
		held_ = !busy && !input;
		clocks += !busy;
	}

private:
	bool held_ = false;
};

#endif
