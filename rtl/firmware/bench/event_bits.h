// SPDX-License-Identifier: BSD-2-Clause
// Events as the blocks have them, tally_events_pkg::event_t, and a reader of registers.
#ifndef TALLY_RTL_EVENT_BITS_H
#define TALLY_RTL_EVENT_BITS_H

#include <cstddef>

#include "bench.h"
#include "event_fields.h"
#include "events_model.h"

// Offset of a register.
#define AT(field) offsetof(struct tally_fw_event, field)

// Calls field(bits, value) for each field of the structure.
template <typename Event, typename Field> void for_event(Event &ev, Field field)
{
	field(16, ev.qp);
	field(64, ev.ranks);
	field(64, ev.contributors);
	field(16, ev.status);
	field(2, ev.cause);
	for (auto &word : ev.data)
		field(32, word);
	field(32, ev.sid);
	field(32, ev.mid);
	field(32, ev.epoch);
	field(16, ev.flags);
	field(8, ev.edge);
	field(8, ev.type);
	field(16, ev.context);
}

template <typename Words> void write_event(Words &to, const model_event &ev)
{
	Fields<Words> fields(to);

	for_event(ev, [&](unsigned int bits, const auto &value) { fields.put(bits, value); });
}

template <typename Words> model_event read_event(Words &from)
{
	Fields<Words> fields(from);
	model_event ev = {};

	for_event(ev, [&](unsigned int bits, auto &value) { value = fields.get(bits); });
	return ev;
}

// Random reads of the registers, one at a time, of which the register `next` is a third. Now and then there is no register at
// the address.
template <typename Dut> class Reader {
public:
	Reader(tally::Rng &rng, Dut &dut) : rng_(rng), dut_(dut) {}

	void restart() { dut_.axil_arvalid_i = dut_.axil_rready_i = reads_ = answered_ = 0; }

	void offer()
	{
		if (!dut_.axil_arvalid_i) {
			dut_.axil_arvalid_i = source_.go();
			dut_.axil_araddr_i = TALLY_FW_EVENT_BASE + (rng_.one_in(3) ? 0 : 4 * rng_.below(64));
			if (rng_.one_in(20))
				dut_.axil_araddr_i += 1 + rng_.below(3);
			if (rng_.one_in(20))
				dut_.axil_araddr_i ^= 1u << (8 + rng_.below(24));
		}
		dut_.axil_rready_i = sink_.go();
	}

	// After settle(): whether an answer comes, for the first time.
	bool answers()
	{
		const bool first = dut_.axil_rvalid_o && !answered_;

		CHECK(!dut_.axil_rvalid_o || reads_, "an answer to nobody");
		CHECK(!reads_ || !dut_.axil_arready_o, "two reads at a time");
		CHECK(!answered_ || (dut_.axil_rvalid_o && dut_.axil_rdata_o == data_ && dut_.axil_rresp_o == resp_), "an answer changes");
		if (first) {
			data_ = dut_.axil_rdata_o;
			resp_ = dut_.axil_rresp_o;
		}
		answered_ = dut_.axil_rvalid_o && !dut_.axil_rready_i;
		if (dut_.axil_rvalid_o && dut_.axil_rready_i)
			reads_ = false;
		taken_ = dut_.axil_arvalid_i && dut_.axil_arready_o;
		return first;
	}

	// After tick().
	void advance()
	{
		if (!taken_)
			return;
		reads_ = true;
		address_ = dut_.axil_araddr_i;
		dut_.axil_arvalid_i = 0;
	}

	// Whether a read is under way.
	bool waits() const { return reads_; }
	// Whether it is of a register, and its offset.
	bool exists() const { return reads_of_window() && model_has(at()); }
	uint32_t at() const { return address_ - TALLY_FW_EVENT_BASE; }
	bool is(uint32_t offset) const { return exists() && at() == offset; }
	uint32_t data() const { return data_; }
	uint32_t resp() const { return resp_; }

private:
	tally::Rng &rng_;
	Dut &dut_;
	tally::Throttle source_{ rng_ }, sink_{ rng_ };
	bool reads_ = false, answered_ = false, taken_ = false;
	uint32_t address_ = 0, data_ = 0, resp_ = 0;

	bool reads_of_window() const { return address_ >= TALLY_FW_EVENT_BASE && at() < sizeof(struct tally_fw_event); }
};

#endif
