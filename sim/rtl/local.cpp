// SPDX-License-Identifier: BSD-2-Clause
#include "rtl/local.h"

#include <algorithm>
#include <cstring>

#include "Vdut.h"

namespace tally {

namespace {

// In tags of accesses: it is one of the units, and one of a descriptor.
constexpr uint32_t of_units = 1u << NIC_ACCESS_ID_BITS, of_descriptor = of_units >> 1;

// The number of an access as in acl_job_o.
uint32_t number(uint32_t tag)
{
	return tag & of_descriptor ? NIC_OWN_ACCESSES / 2 + (tag & ~(of_units | of_descriptor)) : tag & ~of_units;
}

} // namespace

void Local::clear()
{
	wanted_.reset();
	words_.clear();
	writes_.clear();
	written_.clear();
	events_.clear();
}

void Local::idle_inputs(Vdut &dut)
{
	dut.far_sgot_valid_i = dut.far_word_valid_i = 0;
	dut.far_sge_ready_i = dut.far_read_ready_i = 1;
}

void Local::offer(Vdut &dut) const
{
	dut.far_sgot_valid_i = wanted_.has_value();
	if (wanted_) {
		dut.far_sgot_i[0] = wanted_->lkey;
		dut.far_sgot_i[1] = static_cast<uint32_t>(wanted_->addr);
		dut.far_sgot_i[2] = wanted_->addr >> 32;
	}
	dut.far_word_valid_i = !words_.empty();
	if (!words_.empty())
		std::memcpy(&dut.far_word_i, words_.front().data(), sizeof(Word));
}

// What is wanted of a request without a line. It is answered in the next clock.
void Local::take_far(const Vdut &dut)
{
	wanted_.reset();
	if (dut.far_sge_valid_o)
		wanted_ = requests_.list_entry(dut.far_sge_entry_o, dut.far_sge_result_o, dut.far_sge_index_o);
	if (dut.far_word_valid_i && dut.far_word_ready_o)
		words_.pop_front();
	if (!dut.far_read_valid_o)
		return;
	for (unsigned int i = 0; i < dut.far_read_words_o; i++) {
		Word w = {};

		requests_.inline_data(dut.far_read_entry_o, (dut.far_read_first_o + i) * sizeof(Word), w.data(), sizeof(Word));
		words_.push_back(w);
	}
}

void Local::take_accesses(const Vdut &dut)
{
	Event e = {};

	if (dut.acl_valid_o) {
		e.kind = Event::BEGINS;
		e.access = read_access(&dut.acl_o[0]);
		e.access.id = dut.acl_job_o;
		events_.push_back(e);
		if (e.access.write)
			writes_.push_back({ e.access.id, e.access.sge.length });
	}
	if (!dut.alw_valid_o)
		return;
	const uint8_t *from = reinterpret_cast<const uint8_t *>(&dut.alw_o);
	Write &w = writes_.front();
	const size_t n = std::min(w.length, sizeof(Word));

	written_[w.job].insert(written_[w.job].end(), from, from + n);
	w.length -= n;
	if (!w.length)
		writes_.pop_front();
}

void Local::ended(uint32_t job, enum tally_coll_status status)
{
	Event e = {};

	e.kind = Event::ENDED;
	e.access.id = job;
	e.status = status;
	e.data.swap(written_[job]);
	written_.erase(job);
	events_.push_back(e);
}

void Local::take_ends(const Vdut &dut)
{
	if (dut.acr_valid_o && dut.acr_last_o && dut.acr_tag_o & of_units)
		ended(number(dut.acr_tag_o), dut.acr_error_o ? TALLY_COLL_DMA_ERROR : TALLY_COLL_OK);
	if (dut.ace_valid_o && dut.ace_tag_o & of_units)
		ended(number(dut.ace_tag_o), static_cast<enum tally_coll_status>(dut.ace_status_o));
}

void Local::observe(Vdut &dut)
{
	take_far(dut);
	take_accesses(dut);
	take_ends(dut);
}

void Local::deliver(const struct nic_units_host &host, void *ctx)
{
	while (!events_.empty()) {
		const Event e = std::move(events_.front());

		events_.pop_front();
		if (e.kind == Event::BEGINS)
			host.access_begins(ctx, &e.access);
		else
			host.access_ended(ctx, e.access.id, e.status, e.data.data());
	}
}

} // namespace tally
