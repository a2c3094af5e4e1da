// SPDX-License-Identifier: BSD-2-Clause
#include "rtl/trigger.h"

#include <cstddef>

#include "Vdut.h"

extern "C" {
#include "gen/tally_fw_hw.h"
}

namespace tally {

namespace {

bool reserves(uint32_t reg, uint32_t value)
{
	return reg == TALLY_FW_TRIGGER_BASE + offsetof(struct tally_fw_trigger, go) && (value & 0xff) == TALLY_FW_TRIGGER_SET_CELLS;
}

} // namespace

void Trigger::put(uint32_t reg, uint32_t value)
{
	if (reg == TALLY_FW_TRIGGER_BASE + offsetof(struct tally_fw_trigger, cells))
		cells_ = value;
	if (reserves(reg, value))
		reserved_[value >> 16] = cells_;
}

std::optional<uint32_t> Trigger::cells(uint32_t reg, uint32_t value) const
{
	return reserves(reg, value) ? std::optional(reserved_.at(value >> 16)) : std::nullopt;
}

void Trigger::clear()
{
	reserved_.clear();
	events_.clear();
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

void Trigger::observe(const Vdut &dut)
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

void Trigger::deliver(const struct nic_units_host &host, void *ctx)
{
	while (!events_.empty()) {
		const Event e = events_.front();

		events_.pop_front();
		if (e.kind == Event::LEFT)
			host.message_left(ctx, e.passage.group, e.passage.edge, e.passage.again);
		else if (e.kind == Event::THERE)
			host.message_there(ctx, e.passage.group, e.passage.edge);
		else
			host.count(ctx, e.counter);
	}
}

} // namespace tally
