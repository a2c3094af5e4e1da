// SPDX-License-Identifier: BSD-2-Clause
// The ports of accesses to memory regions of the Verilated NIC, acc_*, acw_*, acr_* and ace_* (tally_regions).
#ifndef TALLY_SIM_RTL_MEMORY_H
#define TALLY_SIM_RTL_MEMORY_H

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

extern "C" {
#include "nic/units.h"
}

class Vdut;

namespace tally {

class Accesses {
public:
	// The access enters at `at` or later.
	void put(uint64_t at, const struct nic_region_access &what, const void *data);
	// Whether an input needs a clock. What the hardware does not take now, it takes when it has run for another reason.
	bool busy(const Vdut &dut) const;
	void clear();

	static void idle_inputs(Vdut &dut);
	// Before an edge: what enters; and what has entered and leaves.
	void offer(Vdut &dut, uint64_t now);
	void observe(Vdut &dut);
	// After it: what the engine must know.
	void deliver(const struct nic_units_host &host, void *ctx);

private:
	using Word = std::array<uint8_t, 64>;
	struct Access {
		uint64_t at;
		struct nic_region_access what;
	};
	struct End {
		uint32_t id;
		enum tally_coll_status status;
		std::vector<uint8_t> data;
	};

	void take_word(const Vdut &dut);

	std::deque<Access> waiting_;
	bool offered_ = false;		// the first one has been, and was not taken
	std::deque<Word> words_;	// of writes
	std::vector<uint8_t> read_;	// of the read whose words leave
	std::vector<End> ends_;		// of this edge
};

} // namespace tally

#endif
