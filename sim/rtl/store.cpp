// SPDX-License-Identifier: BSD-2-Clause
#include "rtl/store.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "Vdut.h"

extern "C" {
#include "core/log.h"
}

namespace tally {

void Store::command(uint64_t at, uint64_t writes, enum tally_fw_store_command command, uint32_t group, uint32_t num)
{
	commands_.push_back({ at, writes, put_++, command, group, num });
	if (command != TALLY_FW_STORE_CMD_END)
		return;
	ending_[group]++;
	ends_put_++;
}

bool Store::busy() const
{
	return !commands_.empty() || command_;
}

void Store::clear()
{
	commands_.clear();
	command_.reset();
	commanded_ = false;
	ends_done_ = ends_put_;
	ending_.clear();
	events_.clear();
	lent_ = owed_ = 0;
	packets.clear();
}

void Store::idle_inputs(Vdut &dut)
{
	dut.cmd_valid_i = 0;
	dut.ans_ready_i = 1;
}

// Whether a command for a group that was put before the given number is still to be carried out.
bool Store::pending(uint32_t group, uint64_t before) const
{
	auto is_one = [=](const Command &c) { return c.group == group && c.number < before; };

	return (command_ && is_one(*command_)) || std::any_of(commands_.begin(), commands_.end(), is_one);
}

// An epoch ends after the writes that close its edges, so nothing of it is acknowledged afterwards. Commands for other groups
// do not wait for that.
void Store::choose_command(uint64_t now, uint64_t writes)
{
	std::set<uint32_t> waiting;	// groups

	if (command_)
		return;
	for (auto c = commands_.begin(); c != commands_.end() && c->at <= now; c++) {
		if (c->command == TALLY_FW_STORE_CMD_END && c->writes > writes)
			waiting.insert(c->group);
		if (!waiting.count(c->group)) {
			command_ = *c;
			commands_.erase(c);
			return;
		}
	}
}

void Store::offer(Vdut &dut, uint64_t now, uint64_t writes)
{
	choose_command(now, writes);
	dut.cmd_valid_i = command_ && !commanded_;
	if (dut.cmd_valid_i)
		dut.cmd_i = write_command(command_->command, command_->group, command_->num);
}

void Store::tell(Event::Kind kind, uint32_t group, uint32_t done, uint32_t limit)
{
	Event e = {};

	e.kind = kind;
	e.group = group;
	e.done = done;
	e.limit = limit;
	events_.push_back(e);
}

// Others than those to packets are for units of the hardware.
void Store::answered(const Answer &a)
{
	if (a.of == Answer::PACKET)
		packets[a.flight] = a.answer;
}

// Ends of epochs are carried out one after another; nothing that follows waits for the end of a chunk.
void Store::moved(const Moved &m)
{
	if (!m.ok) {
		sim_warn("the segment store refuses a command of group %u", m.group);
		std::abort();	// the engine counts the segments
	}
	if (!m.ended) {
		tell(Event::MOVED, m.group, m.done, m.limit);
		return;
	}
	command_.reset();
	commanded_ = false;
	ends_done_++;
	if (!--ending_[m.group])
		ending_.erase(m.group);
}

void Store::begun(uint32_t group)
{
	tell(Event::BEGUN, group, 0, 0);
}

// Nobody asks for what becomes of an epoch that has ended.
void Store::passes(Event::Kind kind, const struct engine_passage &p)
{
	Event e = {};

	e.kind = kind;
	e.passage = p;
	if (!ending_.count(p.group))
		events_.push_back(e);
}

void Store::observe(Vdut &dut)
{
	if (dut.cmd_valid_i && dut.cmd_ready_o) {
		commanded_ = command_->command != TALLY_FW_STORE_CMD_FINISH;
		if (!commanded_)
			command_.reset();
	}
	if (dut.moved_valid_o)
		moved(read_moved(&dut.moved_o[0]));
	if (dut.ans_valid_o)
		answered(read_answer(dut.ans_o));
	if (dut.left_valid_o)
		passes(Event::LEFT, read_passage(&dut.left_o[0]));
	if (dut.there_valid_o)
		passes(Event::THERE, read_passage(&dut.there_o[0]));
	if (dut.grant_valid_o)
		tell(Event::GRANTED, dut.grant_group_o, dut.grant_num_o, 0);
	lent_ += dut.lends_o;
	owed_ += dut.owes_o;
}

// What has been told of an epoch that is to end meanwhile is left out.
void Store::deliver(const Event &e, const struct nic_units_host &host, void *ctx)
{
	switch (e.kind) {
	case Event::LEFT:
		host.store_left(ctx, &e.passage);
		return;
	case Event::THERE:
		host.store_there(ctx, &e.passage);
		return;
	case Event::GRANTED:
		host.granted(ctx, e.group, e.done);
		return;
	case Event::BEGUN:
		host.begun_epoch(ctx, e.group);
		return;
	default:
		if (!ending_.count(e.group))
			host.moved(ctx, e.group, e.done, e.limit);
	}
}

void Store::deliver(const struct nic_units_host &host, void *ctx)
{
	while (!events_.empty()) {
		const Event e = std::move(events_.front());

		events_.pop_front();
		deliver(e, host, ctx);
	}
	for (; lent_; lent_--)
		host.count(ctx, TALLY_CTR_segs_lent);
	for (; owed_; owed_--)
		host.count(ctx, TALLY_CTR_groups_owed);
}

} // namespace tally
