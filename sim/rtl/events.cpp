// SPDX-License-Identifier: BSD-2-Clause
#include "rtl/events.h"

#include <cstdlib>

#include "Vdut.h"

extern "C" {
#include "core/log.h"
#include "gen/tally_fw_hw.h"
}

#define AT(field) static_cast<uint32_t>(offsetof(struct tally_fw_event, field))

namespace tally {

namespace {

// What the engine needs of an event, besides `next`, the first one at the end.
std::vector<uint32_t> registers_of(enum tally_fw_event_type type)
{
	size_t bytes = type == TALLY_FW_EV_OPEN ? sizeof(struct tally_tch_open) : type == TALLY_FW_EV_KILL ? sizeof(struct tally_tch_kill) : 0;
	std::vector<uint32_t> list;

	for (size_t i = 0; i < bytes; i += 4)
		list.push_back(AT(data) + i);
	if (type == TALLY_FW_EV_OPEN)
		list.insert(list.end(), { AT(open), AT(epoch), AT(sid) });
	if (type == TALLY_FW_EV_KILL_ACK)
		list.insert(list.end(), { AT(mid), AT(sid) });
	if (type == TALLY_FW_EV_EXCEPTION)
		list.insert(list.end(), { AT(cause), AT(status), AT(mid), AT(sid), AT(contributors), AT(contributors) + 4, AT(ranks),
					  AT(ranks) + 4 });
	return list;
}

bool begins_epoch(uint32_t go)
{
	return (go & 0xff) == TALLY_FW_CMD_CREATE || (go & 0xff) == TALLY_FW_CMD_BEGIN;
}

// A word of a register of 64 bits.
void set_half(uint64_t &wide, bool high, uint64_t value)
{
	wide |= high ? value << 32 : value;
}

} // namespace

void Events::idle_inputs(Vdut &dut)
{
	dut.exc_valid_i = dut.drained_valid_i = 0;
}

void Events::raise(uint64_t at, uint64_t after, const struct engine_event &ev)
{
	raises_.push_back({ at, after, ev });
	raises_put_++;
}

void Events::commanded(uint32_t go)
{
	if (begins_epoch(go))
		begins_[go >> 16]++;
}

void Events::carried_out(uint32_t go)
{
	if (begins_epoch(go) && !--begins_[go >> 16])
		begins_.erase(go >> 16);
}

// A read that has begun is not of the epoch that a command begins, and the engine drops what it finds.
bool Events::passed(uint32_t go, uint64_t raised, uint64_t writes_done) const
{
	return raises_taken_ >= raised && (!begins_epoch(go) || left_.empty() || writes_done < after_);
}

void Events::take(uint64_t at, uint64_t after)
{
	at_ = at;
	after_ = after;
	left_ = { AT(next) };
	event_ = {};
}

void Events::clear()
{
	left_.clear();
	offered_ = taken_ = waits_ = false;
	raises_.clear();
	raises_taken_ = raises_put_;
	frozen_.clear();
	begins_.clear();
}

void Events::offer_raise(Vdut &dut, uint64_t now, uint64_t writes_done) const
{
	const bool enters = !raises_.empty() && now >= raises_.front().at && writes_done >= raises_.front().after;

	idle_inputs(dut);
	if (!enters)
		return;
	const struct engine_event &ev = raises_.front().ev;

	dut.drained_valid_i = ev.type == TALLY_FW_EV_DRAINED;
	dut.exc_valid_i = !dut.drained_valid_i;
	dut.exc_group_i = dut.drained_group_i = ev.group;
	dut.exc_cause_i = ev.cause;
	dut.exc_status_i = ev.status;
	dut.exc_mid_i = ev.mid;
	dut.exc_sid_i = ev.sid;
	dut.exc_contributors_i = ev.contributors;
	dut.exc_ranks_i = ev.ranks;
}

void Events::offer(Vdut &dut, uint64_t now, uint64_t writes_done) const
{
	offer_raise(dut, now, writes_done);
	dut.axil_rready_i = 1;
	dut.axil_arvalid_i = !left_.empty() && !offered_ && now >= at_ && writes_done >= after_;
	if (dut.axil_arvalid_i)
		dut.axil_araddr_i = TALLY_FW_EVENT_BASE + left_.back();
}

void Events::next(uint32_t value)
{
	event_.type = static_cast<enum tally_fw_event_type>(value & 0xff);
	event_.edge = value >> 8 & 0xff;
	event_.group = value >> 16;
	left_ = registers_of(event_.type);
}

void Events::set_open(uint32_t value)
{
	event_.open = value;
	event_.flags = value & TALLY_FW_OPEN_CONFIRM ? static_cast<uint32_t>(TALLY_TCH_F_CONFIRM) : 0;
}

void Events::answer(uint32_t at, uint32_t value)
{
	if (at == AT(next))
		next(value);
	else if (at == AT(open))
		set_open(value);
	else if (at == AT(epoch))
		event_.epoch = value;
	else if (at == AT(mid))
		event_.mid = value;
	else if (at == AT(sid))
		event_.sid = value;
	else if (at == AT(cause))
		event_.cause = static_cast<enum tally_fw_cause>(value);
	else if (at == AT(status))
		event_.status = value;
	else if (at == AT(contributors) || at == AT(contributors) + 4)
		set_half(event_.contributors, at != AT(contributors), value);
	else if (at == AT(ranks) || at == AT(ranks) + 4)
		set_half(event_.ranks, at != AT(ranks), value);
	else
		event_.data[(at - AT(data)) / 4] = value;
	taken_ = left_.empty();
}

// What is frozen before the next epoch begins is of the one before, which the engine has ended.
void Events::observe_raise(const Vdut &dut)
{
	if ((dut.exc_valid_i && dut.exc_ready_o) || (dut.drained_valid_i && dut.drained_ready_o)) {
		raises_.pop_front();
		raises_taken_++;
	}
	if (dut.freeze_valid_o && !begins_.count(dut.freeze_group_o))
		frozen_.push_back(dut.freeze_group_o);
}

void Events::observe(const Vdut &dut)
{
	observe_raise(dut);
	observe_read(dut);
}

void Events::observe_read(const Vdut &dut)
{
	if (dut.axil_arvalid_i && dut.axil_arready_o)
		offered_ = true;
	if (!dut.axil_rvalid_o || left_.empty())
		return;
	const uint32_t at = left_.back();

	if (dut.axil_rresp_o) {
		sim_warn("the hardware refuses to read register %x of an event", at);
		std::abort();
	}
	offered_ = false;
	left_.pop_back();
	answer(at, dut.axil_rdata_o);
}

// An event begins to wait at the last edge that there is a need for, so this is looked at behind it.
void Events::deliver(const Vdut &dut, uint64_t writes_put, const struct nic_units_host &host, void *ctx)
{
	const struct engine_event event = event_;
	const bool begins_to_wait = dut.fw_wait_o && !waits_, taken = taken_;

	waits_ = dut.fw_wait_o;
	taken_ = false;
	for (; !frozen_.empty(); frozen_.pop_front())
		host.frozen(ctx, frozen_.front());
	if (begins_to_wait)
		host.event_waits(ctx);
	if (taken)
		host.firmware_event(ctx, &event, writes_put == after_);
}

} // namespace tally
