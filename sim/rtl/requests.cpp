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

// The queue pair that a write of a register resets, in either block, or -1.
int64_t reset_by(uint32_t reg, uint32_t value)
{
	const uint32_t code = value & 0xff;
	const bool of_requests = reg == TALLY_FW_REQUEST_BASE + offsetof(struct tally_fw_request, go) &&
				 (code == TALLY_FW_REQUEST_CREATE_QP || code == TALLY_FW_REQUEST_RESET_QP);
	const bool of_status = reg == TALLY_FW_STATUS_BASE + offsetof(struct tally_fw_status, go) &&
			       (code == TALLY_FW_STATUS_CREATE_QP || code == TALLY_FW_STATUS_RESET_QP);

	return of_requests || of_status ? int64_t(value >> 16) : -1;
}

} // namespace

void Requests::bar_write(uint64_t at, uint64_t writes, uint32_t offset, const void *data, size_t len)
{
	const uint8_t *from = static_cast<const uint8_t *>(data);

	stores_.add({ at, writes, offset, { from, from + len } });
}

void Requests::update(uint64_t at, const struct engine_update &u)
{
	told_.add({ at, false, u, {} });
}

void Requests::end(uint64_t at, const struct engine_end &x)
{
	told_.add({ at, true, {}, x });
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
	told_.clear();
	completing_ = false;
	resets_.clear();
	events_.clear();
	kept_.clear();
}

void Requests::idle_inputs(Vdut &dut)
{
	dut.push_awvalid_i = dut.push_wvalid_i = dut.upd_valid_i = dut.fin_valid_i = 0;
	dut.push_bready_i = dut.fail_ready_i = 1;
	dut.done_go_i = dut.rung_i = 0;
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

// One at a time, so that the order is that of the engine.
void Requests::offer_told(Vdut &dut, uint64_t now) const
{
	dut.upd_valid_i = dut.fin_valid_i = 0;
	if (told_.all.empty() || told_.all.front().at > now)
		return;
	const Told &t = told_.all.front();

	if (t.ends) {
		dut.fin_valid_i = 1;
		dut.fin_qp_i = t.end.qpn;
		dut.fin_entry_i = t.end.entry;
		dut.fin_i = end_word(t.end);
		return;
	}
	dut.upd_valid_i = 1;
	dut.upd_qp_i = t.update.qpn;
	dut.upd_entry_i = t.update.entry;
	write_update(&dut.upd_i[0], t.update);
}

void Requests::offer(Vdut &dut, uint64_t now, uint64_t writes)
{
	offer_store(dut, now, writes);
	offer_told(dut, now);
	dut.done_go_i = dut.done_valid_o;
}

void Requests::complete(Vdut &dut)
{
	struct tally_cqe cqe;
	uint64_t at = 0;

	if (!dut.done_valid_o || completing_)
		return;
	completing_ = true;
	std::memcpy(&cqe, &dut.done_o[0], sizeof(cqe));
	dut.rung_i = host_->completing(ctx_, dut.done_cqn_o, &cqe, &at);
	dut.rung_at_i = at;
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
	e.qpn = dut.took_qp_o;
	if (dut.took_skip_o) {
		e.kind = Event::SKIPPED;
		e.passes = dut.took_passes_o;
		note(e);
		return;
	}
	e.request = read_request(&dut.req_o[0]);
	e.request.qpn = e.qpn;
	e.request.entry = dut.took_entry_o;
	e.request.begins = dut.took_begin_o;
	e.request.asks = dut.took_ask_o;
	e.request.verdict = static_cast<enum tally_fw_verdict>(dut.req_verdict_o);
	struct wqe &w = e.request.w;

	std::memcpy(w.data, parts_.data, sizeof(w.data));
	std::copy(std::begin(parts_.gather), std::end(parts_.gather), w.gather);
	std::copy(std::begin(parts_.result), std::end(parts_.result), w.result);
	for (auto &s : w.gather)
		s.length = w.give_len;
	for (auto &s : w.result)
		s.length = w.get_len;
	if (dut.took_row_o && !e.request.status)
		keep(e.request.entry, w);
	note(e);
}

void Requests::keep(uint32_t entry, const struct wqe &w)
{
	Parts &p = kept_[entry];

	p.gather.assign(w.gather, w.gather + w.num_gather);
	p.result.assign(w.result, w.result + w.num_result);
	p.data.assign(w.data, w.data + w.inline_len);
}

struct engine_sge Requests::list_entry(uint32_t entry, bool result, unsigned int index) const
{
	const Parts &p = kept_.at(entry);

	return (result ? p.result : p.gather).at(index);
}

void Requests::inline_data(uint32_t entry, size_t from, uint8_t *to, size_t len) const
{
	const std::vector<uint8_t> &data = kept_.at(entry).data;

	if (from < data.size())
		std::memcpy(to, &data[from], std::min(len, data.size() - from));
}

void Requests::take_told(const Vdut &dut)
{
	if (!(dut.upd_valid_i && dut.upd_ready_o) && !(dut.fin_valid_i && dut.fin_ready_o))
		return;
	const Told &t = told_.all.front();

	if (dut.upd_flag_o || dut.fin_flag_o)
		note({ Event::FLAG, t.ends ? t.end.qpn : t.update.qpn, t.ends ? t.end.entry : t.update.entry, false, 0, 0, {}, {} });
	told_.pop();
}

// What the sender of the hardware begins.
void Requests::take_begun(const Vdut &dut)
{
	if (dut.began_valid_o) {
		Event e = {};

		e.kind = Event::BEGAN;
		e.qpn = dut.began_qp_o;
		e.begun = read_begun(&dut.began_o[0]);
		e.begun.qpn = e.qpn;
		e.begun.entry = dut.began_entry_o;
		note(e);
	}
	if (dut.look_valid_o)
		note({ Event::LOOK, dut.look_qp_o, 0, false, 0, 0, {}, {} });
}

void Requests::take_outcome(const Vdut &dut)
{
	if (dut.fired_valid_o)
		note({ Event::FIRED, dut.fired_qp_o, dut.fired_entry_o, false, 0, 0, {}, {} });
	if (dut.retire_valid_o)
		note({ Event::RETIRED, dut.retire_qp_o, 0, false, 0, 0, {}, {} });
	if (dut.fail_valid_o)
		note({ Event::FAILED, dut.fail_qp_o, dut.fail_mid_o, false, dut.fail_status_o, dut.fail_ranks_o, {}, {} });
	if (dut.message_o)
		host_->count(ctx_, TALLY_CTR_messages);
	if (dut.message_failed_o)
		host_->count(ctx_, TALLY_CTR_messages_failed);
	if (dut.done_go_i && dut.done_taken_o)
		completing_ = false;
}

void Requests::observe(Vdut &dut)
{
	if (dut.push_wvalid_i && dut.push_wready_o)
		stores_.pop();
	if (dut.posted_valid_o)
		note({ Event::POSTED, dut.posted_qp_o, dut.posted_count_o, false, 0, 0, {}, {} });
	if (dut.over_valid_o)
		note({ Event::OVERRUN, dut.over_qp_o, 0, false, 0, 0, {}, {} });
	take_parts(dut);
	if (dut.took_valid_o)
		take_request(dut);
	take_told(dut);
	take_begun(dut);
	take_outcome(dut);
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
			host_->skipped(ctx_, e.qpn, e.passes);
		else if (e.kind == Event::BEGAN)
			host_->began(ctx_, &e.begun);
		else if (e.kind == Event::LOOK)
			host_->look(ctx_, e.qpn);
		else if (e.kind == Event::FIRED)
			host_->fired(ctx_, e.qpn, e.number);
		else if (e.kind == Event::RETIRED)
			host_->retired(ctx_, e.qpn);
		else if (e.kind == Event::FLAG)
			host_->flag_due(ctx_, e.qpn, e.number);
		else if (e.kind == Event::FAILED)
			host_->failed(ctx_, e.qpn, e.status, e.ranks, e.number);
		else
			host_->request(ctx_, &e.request);
	}
}

} // namespace tally
