// SPDX-License-Identifier: BSD-2-Clause
// The ports of the local ranks of the Verilated NIC, tally_local_unit: what they ask, and what they tell.
#ifndef TALLY_SIM_RTL_LOCAL_H
#define TALLY_SIM_RTL_LOCAL_H

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "rtl/record.h"
#include "rtl/requests.h"

class Vdut;

namespace tally {

class Local {
public:
	explicit Local(const Requests &requests) : requests_(requests) {}

	bool busy() const { return wanted_ || !words_.empty(); }
	void clear();

	static void idle_inputs(Vdut &dut);
	// Before an edge: what enters; and what has entered and leaves.
	void offer(Vdut &dut) const;
	void observe(Vdut &dut);
	// After it: what the engine must know.
	void deliver(const struct nic_units_host &host, void *ctx);

private:
	using Word = std::array<uint8_t, 64>;
	struct Write {		// whose words are to come
		uint32_t job;
		size_t length;
	};
	struct Event {
		enum { BEGINS, ENDED } kind;
		struct nic_region_access access;
		enum tally_coll_status status;
		std::vector<uint8_t> data;
	};

	void take_far(const Vdut &dut);
	void take_accesses(const Vdut &dut);
	void take_ends(const Vdut &dut);
	void ended(uint32_t job, enum tally_coll_status status);

	const Requests &requests_;
	std::optional<struct engine_sge> wanted_;	// the list entry that is answered next
	std::deque<Word> words_;			// of inline data, likewise
	std::deque<Write> writes_;
	std::map<uint32_t, std::vector<uint8_t>> written_;	// by job
	std::deque<Event> events_;
};

} // namespace tally

#endif
