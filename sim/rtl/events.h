// SPDX-License-Identifier: BSD-2-Clause
// Events for the firmware of the Verilated NIC: exceptions of the engine that enter it, the groups that it freezes, whether an
// event waits, and the reads of struct event. The firmware of the model
// reads `next` through this; all other registers that it needs of the event are read right behind, in clocks of the hardware.
#ifndef TALLY_SIM_RTL_EVENTS_H
#define TALLY_SIM_RTL_EVENTS_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
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
	// An exception of the engine, or a group that has drained, likewise.
	void raise(uint64_t at, uint64_t after, const struct engine_event &ev);
	uint64_t raised() const { return raises_put_; }
	// A command was put, or carried out.
	void commanded(uint32_t go);
	void carried_out(uint32_t go);
	// Whether a command may be carried out: so many exceptions have been taken. No event is read while an epoch begins.
	bool passed(uint32_t go, uint64_t raised, uint64_t writes_done) const;
	void clear();
	bool busy() const { return !left_.empty() || taken_ || !raises_.empty() || !frozen_.empty(); }

	static void idle_inputs(Vdut &dut);

	// Before an edge: what enters and what leaves.
	void offer(Vdut &dut, uint64_t now, uint64_t writes_done) const;
	void observe(const Vdut &dut);
	// After it: what the engine must know.
	void deliver(const Vdut &dut, uint64_t writes_put, const struct nic_units_host &host, void *ctx);

private:
	void answer(uint32_t at, uint32_t value);
	void next(uint32_t value);
	void offer_raise(Vdut &dut, uint64_t now, uint64_t writes_done) const;
	void observe_raise(const Vdut &dut);
	void observe_read(const Vdut &dut);
	void set_open(uint32_t value);

	uint64_t at_ = 0, after_ = 0;
	std::vector<uint32_t> left_;	// offsets of registers that have not been read, the next one at the end
	bool offered_ = false;		// the hardware has taken the address of the next one
	struct engine_event event_ = {};
	bool taken_ = false;		// it is complete
	bool waits_ = false;		// an event does
	struct Raise {
		uint64_t at, after;
		struct engine_event ev;
	};
	std::deque<Raise> raises_;
	uint64_t raises_put_ = 0, raises_taken_ = 0;
	std::deque<uint32_t> frozen_;			// groups
	std::map<uint32_t, unsigned int> begins_;	// epochs of each group that are about to begin
};

} // namespace tally

#endif
