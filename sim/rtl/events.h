// SPDX-License-Identifier: BSD-2-Clause
// Events for the firmware of the Verilated NIC: whether one waits, and the reads of struct event. The firmware of the model
// reads `next` through this; all other registers that it needs of the event are read right behind, in clocks of the hardware.
#ifndef TALLY_SIM_RTL_EVENTS_H
#define TALLY_SIM_RTL_EVENTS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

extern "C" {
#include "nic/units.h"
}

class Vdut;

namespace tally {

class Events {
public:
	// Take the oldest event, not before this time nor before so many writes have been carried out.
	void take(uint64_t at, uint64_t after);
	void clear();
	bool busy() const { return !left_.empty() || taken_; }

	// Before an edge: what enters and what leaves.
	void offer(Vdut &dut, uint64_t now, uint64_t writes_done) const;
	void observe(const Vdut &dut);
	// After it: what the engine must know.
	void deliver(const Vdut &dut, const struct nic_units_host &host, void *ctx);

private:
	void answer(uint32_t at, uint32_t value);
	void next(uint32_t value);

	uint64_t at_ = 0, after_ = 0;
	std::vector<uint32_t> left_;	// offsets of registers that have not been read, the next one at the end
	bool offered_ = false;		// the hardware has taken the address of the next one
	struct engine_event event_ = {};
	bool taken_ = false;		// it is complete
	bool waits_ = false;		// an event does
};

} // namespace tally

#endif
