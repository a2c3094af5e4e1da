// SPDX-License-Identifier: BSD-2-Clause
// The ports of the local ranks of the Verilated NIC, tally_local_unit: what the model's sender has for them, and what they tell.
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

	// A post is put. It is finished when its ranks' data are under way, or when the store does not want it.
	void put() { put_++; }
	// The store has taken it, when may_post() was true, and has answered it; the chunk is in `slot`. `told`: how many updates
	// and ends were put before the post; no result leaves before they are taken.
	bool may_post() const { return !asked_ && !work_ && rested_; }
	void taken() { asked_ = true; }
	void answered(const struct engine_operation &op, uint64_t told, bool stored, unsigned int slot);
	void flag(uint32_t qpn, uint16_t entry) { flags_.push_back({ qpn, entry }); }
	// A command to a queue pair is carried out after the posts that were put before, and their flag words.
	uint64_t mark() const { return put_; }
	bool passed(uint64_t mark) const { return done_ >= mark && flags_.empty(); }
	bool busy() const { return asked_ || work_ || !flags_.empty() || wanted_ || !words_.empty(); }
	void clear();

	static void idle_inputs(Vdut &dut);
	// Before an edge: what enters; and what has entered and leaves.
	void offer(Vdut &dut);
	void observe(Vdut &dut);
	// After it: what the engine must know.
	void deliver(const struct nic_units_host &host, void *ctx);

private:
	using Word = std::array<uint8_t, 64>;
	struct Work {		// behind a post
		struct engine_operation op;
		uint64_t told, ranks;	// ranks: whose references are to be written
		unsigned int slot;
	};
	struct Flag {
		uint32_t qpn;
		uint16_t entry;
	};
	struct Write {		// whose words are to come
		uint32_t job;
		size_t length;
	};
	struct Event {
		enum { BEGINS, ENDED, FAULT } kind;
		struct nic_region_access access;
		enum tally_coll_status status;
		std::vector<uint8_t> data;
		uint32_t group, mid;
		uint64_t ranks;
	};

	bool holds() const { return asked_ || (work_ && (work_->ranks || !requests_.heard(work_->told))); }
	void offer_work(Vdut &dut) const;
	void offer_far(Vdut &dut) const;
	void finish();
	void take_far(const Vdut &dut);
	void take_accesses(const Vdut &dut);
	void take_ends(const Vdut &dut);
	void ended(uint32_t job, enum tally_coll_status status);

	const Requests &requests_;
	uint64_t put_ = 0, done_ = 0;
	bool asked_ = false;			// a post has no answer
	bool rested_ = true;			// results may leave, or might in the last clock
	std::optional<Work> work_;
	std::deque<Flag> flags_;
	std::optional<struct engine_sge> wanted_;	// the list entry that is answered next
	std::deque<Word> words_;			// of inline data, likewise
	std::deque<Write> writes_;
	std::map<uint32_t, std::vector<uint8_t>> written_;	// by job
	std::deque<Event> events_;
};

} // namespace tally

#endif
