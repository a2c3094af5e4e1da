// SPDX-License-Identifier: BSD-2-Clause
// The ports of the request processor of the Verilated NIC, tally_trigger_unit: what the engine must know of its descriptors and of
// their messages.
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

	// A write of a register was put.
	void put(uint32_t reg, uint32_t value);
	// The hardware has refused this write, because messages hold shared cells that the group shall reserve: those that it shall
	// have by now, to be asked for again.
	std::optional<uint32_t> cells(uint32_t reg, uint32_t value) const;
	void clear();

	// Before an edge: what leaves.
	void observe(const Vdut &dut);
	// After it: what the engine must know.
	void deliver(const struct nic_units_host &host, void *ctx);

private:
	struct Event {
		enum { LEFT, THERE, COUNT } kind;
		struct engine_passage passage;
		enum tally_counter counter;
	};

	void passes(decltype(Event::kind) kind, const struct engine_passage &p);
	void count(enum tally_counter counter);

	Store &store_;	// which keeps the answers to packets
	std::deque<Event> events_;
	uint32_t cells_ = 0;				// the register of struct trigger
	std::map<uint32_t, uint32_t> reserved_;		// by group
};

} // namespace tally

#endif
