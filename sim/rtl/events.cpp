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
	return list;
}

} // namespace

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
}

void Events::offer(Vdut &dut, uint64_t now, uint64_t writes_done) const
{
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

// The hardware compares nothing yet, so `open` has what the packet says.
void Events::answer(uint32_t at, uint32_t value)
{
	if (at == AT(next))
		next(value);
	else if (at == AT(open))
		event_.flags = value & TALLY_FW_OPEN_CONFIRM ? static_cast<uint32_t>(TALLY_TCH_F_CONFIRM) : 0;
	else if (at == AT(epoch))
		event_.epoch = value;
	else if (at == AT(mid))
		event_.mid = value;
	else if (at == AT(sid))
		event_.sid = value;
	else
		event_.data[(at - AT(data)) / 4] = value;
	taken_ = left_.empty();
}

void Events::observe(const Vdut &dut)
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
void Events::deliver(const Vdut &dut, const struct nic_units_host &host, void *ctx)
{
	const struct engine_event event = event_;
	const bool begins_to_wait = dut.fw_wait_o && !waits_, taken = taken_;

	waits_ = dut.fw_wait_o;
	taken_ = false;
	if (begins_to_wait)
		host.event_waits(ctx);
	if (taken)
		host.firmware_event(ctx, &event);
}

} // namespace tally
