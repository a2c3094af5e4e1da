// SPDX-License-Identifier: BSD-2-Clause
#include "rtl/trigger.h"

#include <algorithm>
#include <cstddef>

#include "Vdut.h"

extern "C" {
#include "gen/tally_fw_hw.h"
}

namespace tally {

namespace {

// Whether a write of a register ends the descriptors of a queue pair.
bool stops(uint32_t reg, uint32_t value)
{
	const uint32_t code = value & 0xff;

	return reg == TALLY_FW_STATUS_BASE + offsetof(struct tally_fw_status, go) && code != TALLY_FW_STATUS_START_QP &&
	       code != TALLY_FW_STATUS_ANSWER;
}

bool reserves(uint32_t reg, uint32_t value)
{
	return reg == TALLY_FW_TRIGGER_BASE + offsetof(struct tally_fw_trigger, go) && (value & 0xff) == TALLY_FW_TRIGGER_SET_CELLS;
}

template <typename Queue> void drop(Queue &queue, typename Queue::iterator from, uint32_t qpn)
{
	queue.erase(std::remove_if(from, queue.end(), [=](const auto &d) { return d.qpn == qpn; }), queue.end());
}

} // namespace

void Trigger::descriptor(uint64_t at, uint32_t qpn, uint16_t entry)
{
	ready_.push_back({ at, qpn, entry });
}

void Trigger::put(uint32_t reg, uint32_t value)
{
	const uint32_t qpn = value >> 16;

	if (reg == TALLY_FW_TRIGGER_BASE + offsetof(struct tally_fw_trigger, cells))
		cells_ = value;
	if (reserves(reg, value))
		reserved_[value >> 16] = cells_;
	if (!stops(reg, value))
		return;
	drop(waiting_, waiting_.begin(), qpn);
	drop(ready_, ready_.begin() + offered_, qpn);
	stale_ = stale_ || (offered_ && ready_.front().qpn == qpn);
}

bool Trigger::holds(uint32_t reg, uint32_t value) const
{
	return stops(reg, value) && offered_ && ready_.front().qpn == value >> 16;
}

std::optional<uint32_t> Trigger::cells(uint32_t reg, uint32_t value) const
{
	return reserves(reg, value) ? std::optional(reserved_.at(value >> 16)) : std::nullopt;
}

void Trigger::clear()
{
	reserved_.clear();
	ready_.clear();
	waiting_.clear();
	offered_ = stale_ = false;
	events_.clear();
}

void Trigger::idle_inputs(Vdut &dut)
{
	dut.desc_valid_i = 0;
	dut.late_ready_i = 1;
}

void Trigger::offer(Vdut &dut, uint64_t now)
{
	offered_ = offered_ || (!ready_.empty() && ready_.front().at <= now);
	dut.desc_valid_i = offered_;
	if (!offered_)
		return;
	dut.desc_qp_i = ready_.front().qpn;
	dut.desc_entry_i = ready_.front().entry;
}

void Trigger::take_descriptor(const Vdut &dut)
{
	if (dut.desc_valid_i && dut.desc_ready_o) {
		if (!dut.desc_took_o && !stale_)
			waiting_.push_back(ready_.front());
		ready_.pop_front();
		offered_ = stale_ = false;
	}
	if (!dut.mark_valid_o)
		return;
	std::copy_if(waiting_.begin(), waiting_.end(), std::back_inserter(ready_), [&](const Descriptor &d) { return d.qpn == dut.mark_qp_o; });
	drop(waiting_, waiting_.begin(), dut.mark_qp_o);
}

// Nobody asks for what becomes of an epoch that has ended.
void Trigger::passes(decltype(Event::kind) kind, const struct engine_passage &p)
{
	Event e = {};

	e.kind = kind;
	e.passage = p;
	if (!store_.ends(p.group))
		events_.push_back(e);
}

void Trigger::count(enum tally_counter counter)
{
	Event e = {};

	e.kind = Event::COUNT;
	e.counter = counter;
	events_.push_back(e);
}

void Trigger::take_messages(const Vdut &dut)
{
	if (dut.message_end_valid_o) {
		struct engine_answer a = {};

		a.verdict = dut.message_end_stored_o ? TALLY_FW_STORE_ANSWER_STORED : TALLY_FW_STORE_ANSWER_DROPPED;
		store_.packets[dut.message_end_flight_o] = a;
	}
	if (dut.message_bad_o)
		count(TALLY_CTR_drop_tch);
	if (dut.message_busy_o)
		count(TALLY_CTR_busy_sent);
	if (dut.message_left_valid_o)
		passes(Event::LEFT, read_passage(&dut.message_left_o[0]));
	if (dut.message_there_valid_o)
		passes(Event::THERE, read_passage(&dut.message_there_o[0]));
}

void Trigger::observe(const Vdut &dut)
{
	take_descriptor(dut);
	take_messages(dut);
	if (!dut.late_valid_o || store_.ends(dut.late_group_o))
		return;
	Event e = {};

	e.kind = Event::LATE;
	e.late = { dut.late_group_o, dut.late_mid_o, dut.late_status_o, dut.late_contributors_o, dut.late_ranks_o };
	events_.push_back(e);
}

void Trigger::deliver(const struct nic_units_host &host, void *ctx)
{
	while (!events_.empty()) {
		const Event e = events_.front();

		events_.pop_front();
		if (e.kind == Event::LATE)
			host.late(ctx, &e.late);
		else if (e.kind == Event::LEFT)
			host.message_left(ctx, e.passage.group, e.passage.edge, e.passage.again);
		else if (e.kind == Event::THERE)
			host.message_there(ctx, e.passage.group, e.passage.edge);
		else
			host.count(ctx, e.counter);
	}
}

} // namespace tally
