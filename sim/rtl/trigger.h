// SPDX-License-Identifier: BSD-2-Clause
// The ports of the request processor of the Verilated NIC, tally_trigger_unit: descriptors whose turn it is, and what the engine
// must know of them and of their messages.
#ifndef TALLY_SIM_RTL_TRIGGER_H
#define TALLY_SIM_RTL_TRIGGER_H

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "rtl/record.h"
#include "rtl/store.h"

class Vdut;

namespace tally {

class Trigger {
public:
	explicit Trigger(Store &store) : store_(store) {}

	// A descriptor is offered at `at` or later, again if it was refused and the hardware says so.
	void descriptor(uint64_t at, uint32_t qpn, uint16_t entry);
	// A write of a register was put. What becomes of the descriptors that are offered of its queue pair must be known before it is
	// carried out, and no other one of before it is offered.
	void put(uint32_t reg, uint32_t value);
	bool holds(uint32_t reg, uint32_t value) const;
	// The hardware has refused this write, because messages hold shared cells that the group shall reserve: those that it shall
	// have by now, to be asked for again.
	std::optional<uint32_t> cells(uint32_t reg, uint32_t value) const;
	bool busy() const { return !ready_.empty(); }
	void clear();

	static void idle_inputs(Vdut &dut);
	// Before an edge: what enters; and what has entered and leaves.
	void offer(Vdut &dut, uint64_t now);
	void observe(const Vdut &dut);
	// After it: what the engine must know.
	void deliver(const struct nic_units_host &host, void *ctx);

private:
	struct Descriptor {
		uint64_t at;
		uint32_t qpn;
		uint16_t entry;
	};
	struct Event {
		enum { LATE, LEFT, THERE, COUNT } kind;
		struct engine_late late;
		struct engine_passage passage;
		enum tally_counter counter;
	};

	void take_descriptor(const Vdut &dut);
	void take_messages(const Vdut &dut);
	void passes(decltype(Event::kind) kind, const struct engine_passage &p);
	void count(enum tally_counter counter);

	Store &store_;	// which keeps the answers to packets
	std::deque<Descriptor> ready_, waiting_;	// waiting: refused
	bool offered_ = false, stale_ = false;		// the first one of ready_: it is offered; nobody wants it any more
	std::deque<Event> events_;
	uint32_t cells_ = 0;				// the register of struct trigger
	std::map<uint32_t, uint32_t> reserved_;		// by group
};

} // namespace tally

#endif
