// SPDX-License-Identifier: BSD-2-Clause
#include "rtl/requests.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "Vdut.h"

extern "C" {
#include "gen/tally_fw_hw.h"
}

namespace tally {

namespace {

constexpr size_t word_bytes = 64;
constexpr uint8_t axi_word = 6, axi_incr = 1;	// a burst of words of 64 bytes

// The queue pair that a write of a register resets, or -1.
int64_t reset_by(uint32_t reg, uint32_t value)
{
	const uint32_t code = value & 0xff;

	if (reg != TALLY_FW_REQUEST_BASE + offsetof(struct tally_fw_request, go) ||
	    (code != TALLY_FW_REQUEST_CREATE_QP && code != TALLY_FW_REQUEST_RESET_QP))
		return -1;
	return value >> 16;
}

} // namespace

void Requests::bar_write(uint64_t at, uint64_t writes, uint32_t offset, const void *data, size_t len)
{
	const uint8_t *from = static_cast<const uint8_t *>(data);

	stores_.add({ at, writes, offset, { from, from + len } });
}

void Requests::retired(uint64_t at, uint32_t qpn)
{
	retired_.add({ at, qpn, false });
}

void Requests::notice(uint64_t at, uint32_t qpn, bool fails)
{
	notices_.add({ at, qpn, fails });
}

void Requests::put(uint32_t reg, uint32_t value)
{
	const int64_t qpn = reset_by(reg, value);

	if (qpn >= 0)
		resets_[qpn]++;
}

void Requests::written(uint32_t reg, uint32_t value)
{
	const int64_t qpn = reset_by(reg, value);

	if (qpn >= 0 && !--resets_[qpn])
		resets_.erase(qpn);
}

void Requests::clear()
{
	stores_.clear();
	retired_.clear();
	notices_.clear();
	resets_.clear();
	events_.clear();
}

void Requests::idle_inputs(Vdut &dut)
{
	dut.push_awvalid_i = dut.push_wvalid_i = dut.retire_valid_i = dut.notice_valid_i = 0;
	dut.push_bready_i = dut.req_ready_i = 1;
}

void Requests::offer_store(Vdut &dut, uint64_t now, uint64_t writes) const
{
	const bool offers = !stores_.all.empty() && stores_.all.front().at <= now && stores_.all.front().writes <= writes;

	dut.push_awvalid_i = dut.push_wvalid_i = offers;
	if (!offers)
		return;
	const Store &s = stores_.all.front();
	const size_t from = s.offset % word_bytes, n = s.data.size();

	dut.push_awid_i = 0;
	dut.push_awaddr_i = s.offset - from;
	dut.push_awlen_i = 0;
	dut.push_awsize_i = axi_word;
	dut.push_awburst_i = axi_incr;
	dut.push_wlast_i = 1;
	dut.push_wstrb_i = ~0ull >> (word_bytes - n) << from;
	std::memset(&dut.push_wdata_i, 0, word_bytes);
	std::memcpy(reinterpret_cast<uint8_t *>(&dut.push_wdata_i) + from, s.data.data(), n);
}

void Requests::offer(Vdut &dut, uint64_t now, uint64_t writes)
{
	offer_store(dut, now, writes);
	dut.retire_valid_i = !retired_.all.empty() && retired_.all.front().at <= now;
	if (dut.retire_valid_i)
		dut.retire_qp_i = retired_.all.front().qpn;
	dut.notice_valid_i = !notices_.all.empty() && notices_.all.front().at <= now;
	if (dut.notice_valid_i) {
		dut.notice_qp_i = notices_.all.front().qpn;
		dut.notice_fails_i = notices_.all.front().fails;
	}
}

void Requests::note(const Event &e)
{
	if (!resets_.count(e.qpn))
		events_.push_back(e);
}

// Parts of an entry come before it is offered, and after the clock in which it begins.
void Requests::take_parts(const Vdut &dut)
{
	if (dut.inline_valid_o)
		std::memcpy(&parts_.data[word_bytes * dut.inline_index_o], &dut.inline_o,
			    std::min(word_bytes, sizeof(parts_.data) - word_bytes * dut.inline_index_o));
	if (!dut.entry_valid_o)
		return;
	auto &list = dut.entry_result_o ? parts_.result : parts_.gather;

	list[dut.entry_index_o] = { dut.entry_addr_o, 0, dut.entry_lkey_o };
}

void Requests::take_request(const Vdut &dut)
{
	Event e = {};

	e.kind = Event::REQUEST;
	e.qpn = dut.req_qp_o;
	e.request = read_request(&dut.req_o[0]);
	e.request.qpn = e.qpn;
	e.request.verdict = static_cast<enum tally_fw_verdict>(dut.req_verdict_o);
	struct wqe &w = e.request.w;

	std::memcpy(w.data, parts_.data, sizeof(w.data));
	std::copy(std::begin(parts_.gather), std::end(parts_.gather), w.gather);
	std::copy(std::begin(parts_.result), std::end(parts_.result), w.result);
	for (auto &s : w.gather)
		s.length = w.give_len;
	for (auto &s : w.result)
		s.length = w.get_len;
	note(e);
}

void Requests::observe(Vdut &dut)
{
	if (dut.push_wvalid_i && dut.push_wready_o)
		stores_.pop();
	if (dut.retire_valid_i && dut.retire_ready_o)
		retired_.pop();
	if (dut.notice_valid_i && dut.notice_ready_o)
		notices_.pop();
	if (dut.posted_valid_o)
		note({ Event::POSTED, dut.posted_qp_o, dut.posted_count_o, false, {} });
	if (dut.over_valid_o)
		note({ Event::OVERRUN, dut.over_qp_o, 0, false, {} });
	take_parts(dut);
	if (dut.req_valid_o)
		take_request(dut);
	if (dut.skip_valid_o)
		note({ Event::SKIPPED, dut.skip_qp_o, dut.skip_index_o, dut.skip_passes_o != 0, {} });
	if (dut.pushed_o)
		host_->count(ctx_, TALLY_CTR_pushed);
	if (dut.unread_o)
		host_->count(ctx_, TALLY_CTR_dma_errors);
}

// A call may put the reset of a queue pair of which more has been noted.
void Requests::deliver()
{
	while (!events_.empty()) {
		const Event e = events_.front();

		events_.pop_front();
		if (resets_.count(e.qpn))
			continue;
		if (e.kind == Event::POSTED)
			host_->posted(ctx_, e.qpn, e.number);
		else if (e.kind == Event::OVERRUN)
			host_->overrun(ctx_, e.qpn);
		else if (e.kind == Event::SKIPPED)
			host_->skipped(ctx_, e.qpn, e.number, e.passes);
		else
			host_->request(ctx_, &e.request);
	}
}

} // namespace tally
