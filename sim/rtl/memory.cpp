// SPDX-License-Identifier: BSD-2-Clause
#include "rtl/memory.h"

#include <cstring>

#include "Vdut.h"

namespace tally {

void Accesses::put(uint64_t at, const struct nic_region_access &what, const void *data)
{
	const uint8_t *from = static_cast<const uint8_t *>(data);

	waiting_.push_back({ at, what });
	for (size_t i = 0; what.write && i < what.sge.length; i += sizeof(Word)) {
		Word w = {};

		std::memcpy(w.data(), from + i, std::min<size_t>(sizeof(Word), what.sge.length - i));
		words_.push_back(w);
	}
}

bool Accesses::busy(const Vdut &dut) const
{
	return (!waiting_.empty() && (!offered_ || dut.acc_ready_o)) || (!words_.empty() && dut.acw_ready_o);
}

void Accesses::clear()
{
	waiting_.clear();
	words_.clear();
	read_.clear();
	ends_.clear();
	offered_ = false;
}

void Accesses::idle_inputs(Vdut &dut)
{
	dut.acc_valid_i = dut.acw_valid_i = 0;
	dut.acr_ready_i = dut.ace_ready_i = 1;
}

void Accesses::offer(Vdut &dut, uint64_t now)
{
	dut.acc_valid_i = !waiting_.empty() && waiting_.front().at <= now;
	if (dut.acc_valid_i) {
		const struct nic_region_access &a = waiting_.front().what;

		dut.acc_pd_i = a.pd;
		dut.acc_lkey_i = a.sge.lkey;
		dut.acc_addr_i = a.sge.addr;
		dut.acc_len_i = a.sge.length;
		dut.acc_write_i = a.write;
		dut.acc_tag_i = a.id;
	}
	dut.acw_valid_i = !words_.empty();
	if (dut.acw_valid_i)
		std::memcpy(&dut.acw_data_i, words_.front().data(), sizeof(Word));
}

void Accesses::take_word(const Vdut &dut)
{
	const uint8_t *from = reinterpret_cast<const uint8_t *>(&dut.acr_data_o);
	const uint64_t keep = dut.acr_keep_o;
	const size_t n = ~keep ? __builtin_ctzll(~keep) : sizeof(Word);

	read_.insert(read_.end(), from, from + n);
	if (!dut.acr_last_o)
		return;
	ends_.push_back({ dut.acr_tag_o, dut.acr_error_o ? TALLY_COLL_DMA_ERROR : TALLY_COLL_OK, std::move(read_) });
	read_.clear();
}

void Accesses::observe(Vdut &dut)
{
	offered_ = dut.acc_valid_i && !dut.acc_ready_o;
	if (dut.acc_valid_i && dut.acc_ready_o)
		waiting_.pop_front();
	if (dut.acw_valid_i && dut.acw_ready_o)
		words_.pop_front();
	if (dut.acr_valid_o && !(dut.acr_tag_o >> NIC_ACCESS_ID_BITS))	// else of the local ranks
		take_word(dut);
	if (dut.ace_valid_o && !(dut.ace_tag_o >> NIC_ACCESS_ID_BITS))
		ends_.push_back({ dut.ace_tag_o, static_cast<enum tally_coll_status>(dut.ace_status_o), {} });
}

void Accesses::deliver(const struct nic_units_host &host, void *ctx)
{
	std::vector<End> ends;

	ends.swap(ends_);	// the calls may put further accesses
	for (const End &e : ends)
		host.accessed(ctx, e.id, e.status, e.data.data(), e.data.size());
}

} // namespace tally
