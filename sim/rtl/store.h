// SPDX-License-Identifier: BSD-2-Clause
// The ports of the segment store of the Verilated NIC, tally_store_unit: what the engine has for it, in the order that
// docs/rtl-store.md requires, and what comes out.
#ifndef TALLY_SIM_RTL_STORE_H
#define TALLY_SIM_RTL_STORE_H

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "rtl/record.h"

class Vdut;

namespace tally {

class Store {
public:
	// A command enters at `at` or later, the end of an epoch after `writes` writes of registers.
	void command(uint64_t at, uint64_t writes, enum tally_fw_store_command command, uint32_t group, uint32_t num);
	// Ends of epochs that were put, and that are over.
	uint64_t mark() const { return ends_put_; }
	bool passed(uint64_t mark) const { return ends_done_ >= mark; }
	// Commands that were put; and whether those for a group of which the number is below `before` have been carried out.
	uint64_t commands() const { return put_; }
	bool passed(uint32_t group, uint64_t before) const { return !pending(group, before); }
	// Whether an epoch of the group ends.
	bool ends(uint32_t group) const { return ending_.count(group); }
	bool busy() const;
	// The write of a register has been carried out with which the epoch of a group begins.
	void begun(uint32_t group);
	void clear();

	static void idle_inputs(Vdut &dut);
	// Before an edge: what enters, of which `writes` have been carried out; and what has entered and leaves.
	void offer(Vdut &dut, uint64_t now, uint64_t writes);
	void observe(Vdut &dut);
	// After it: what the engine must know. Answers to packets are for the caller.
	void deliver(const struct nic_units_host &host, void *ctx);
	std::map<unsigned int, struct engine_answer> packets;	// by flight

private:
	struct Command {
		uint64_t at, writes, number;
		enum tally_fw_store_command command;
		uint32_t group, num;
	};
	struct Event {		// for the engine
		enum Kind { LEFT, THERE, MOVED, GRANTED, BEGUN } kind;
		struct engine_passage passage;
		uint32_t group, done, limit;	// of GRANTED, done is the number of segments
	};

	bool pending(uint32_t group, uint64_t before) const;
	void choose_command(uint64_t now, uint64_t writes);
	void answered(const Answer &a);
	void moved(const Moved &m);
	void tell(Event::Kind kind, uint32_t group, uint32_t done, uint32_t limit);
	void deliver(const Event &e, const struct nic_units_host &host, void *ctx);
	void passes(Event::Kind kind, const struct engine_passage &p);

	std::deque<Command> commands_;
	std::optional<Command> command_;		// that is offered, or has no answer
	bool commanded_ = false;			// it has been taken
	uint64_t put_ = 0;				// commands
	uint64_t ends_put_ = 0, ends_done_ = 0;		// of epochs
	std::map<uint32_t, unsigned int> ending_;	// ends of epochs that are not over, by group
	std::deque<Event> events_;
	unsigned int lent_ = 0, owed_ = 0;		// that nobody has counted
};

} // namespace tally

#endif
