// SPDX-License-Identifier: BSD-2-Clause
// The ports of the request path of the Verilated NIC, tally_requests and tally_status_unit: what the host writes to BAR2, the
// requests that are parsed, what the engine tells of them, and what becomes of them. What belongs to a queue pair of before its
// newest reset is dropped.
#ifndef TALLY_SIM_RTL_REQUESTS_H
#define TALLY_SIM_RTL_REQUESTS_H

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "rtl/record.h"

class Vdut;

namespace tally {

class Requests {
public:
	// Numbers of inputs: a command for a queue pair is carried out after those that were put before it.
	struct Mark {
		uint64_t stores, told;
	};

	Requests(const struct nic_units_host *host, void *ctx) : host_(host), ctx_(ctx) {}

	// What is put enters at `at` or later, a store after `writes` writes of registers.
	void bar_write(uint64_t at, uint64_t writes, uint32_t offset, const void *data, size_t len);
	void update(uint64_t at, const struct engine_update &u);
	void end(uint64_t at, const struct engine_end &x);
	Mark mark() const { return { stores_.put, told_.put }; }
	bool passed(const Mark &m) const { return stores_.taken >= m.stores && told_.taken >= m.told; }
	// A write of a register was put, or carried out; it may reset a queue pair.
	void put(uint32_t reg, uint32_t value);
	void written(uint32_t reg, uint32_t value);
	bool busy() const { return !stores_.all.empty() || !told_.all.empty(); }
	void clear();

	static void idle_inputs(Vdut &dut);
	// Tells the host of the completion that comes next, if it has not been told.
	void complete(Vdut &dut);
	// Before an edge: what enters, if `writes` writes of registers have been carried out; and what has entered and leaves.
	void offer(Vdut &dut, uint64_t now, uint64_t writes);
	void observe(Vdut &dut);
	// After it: what the engine must know.
	void deliver();

	// What is in a request that has been taken in, by its entry.
	struct engine_sge list_entry(uint32_t entry, bool result, unsigned int index) const;
	void inline_data(uint32_t entry, size_t from, uint8_t *to, size_t len) const;

private:
	template <typename What> struct Queue {
		std::deque<What> all;
		uint64_t put = 0, taken = 0;

		void add(const What &what)
		{
			all.push_back(what);
			put++;
		}
		void pop()
		{
			all.pop_front();
			taken++;
		}
		void clear()
		{
			all.clear();
			taken = put;
		}
	};
	struct Store {
		uint64_t at, writes;
		uint32_t offset;
		std::vector<uint8_t> data;
	};
	struct Told {		// by the engine, in its order
		uint64_t at;
		bool ends;
		struct engine_update update;
		struct engine_end end;
	};
	struct Event {		// for the engine
		enum { POSTED, OVERRUN, SKIPPED, REQUEST, BEGAN, LOOK, FIRED, RETIRED, FLAG, FAILED } kind;
		uint32_t qpn, number;	// number: FLAG, FIRED: of the entry; FAILED: of the message
		bool passes;
		uint16_t status;
		uint64_t ranks;
		struct engine_request request;
		struct engine_begun begun;
	};

	void offer_store(Vdut &dut, uint64_t now, uint64_t writes) const;
	void note(const Event &e);
	void take_parts(const Vdut &dut);
	void take_request(const Vdut &dut);
	void keep(uint32_t entry, const struct wqe &w);
	void offer_told(Vdut &dut, uint64_t now) const;
	void take_told(const Vdut &dut);
	void take_begun(const Vdut &dut);
	void take_outcome(const Vdut &dut);

	const struct nic_units_host *host_;
	void *ctx_;
	Queue<Store> stores_;
	Queue<Told> told_;
	bool completing_ = false;			// the host has been told of the completion that is offered
	std::map<uint32_t, unsigned int> resets_;	// that are not carried out, by queue pair
	struct Parts {		// of a request that was taken in
		std::vector<struct engine_sge> gather, result;
		std::vector<uint8_t> data;
	};
	std::map<uint32_t, Parts> kept_;		// by entry
	struct wqe parts_ = {};				// lists and inline data of the entry that is parsed
	std::deque<Event> events_;
};

} // namespace tally

#endif
