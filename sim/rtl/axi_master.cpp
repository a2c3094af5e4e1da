// SPDX-License-Identifier: BSD-2-Clause
#include "rtl/axi_master.h"

#include <cstdlib>

extern "C" {
#include "core/log.h"
}

namespace tally {

void AxiMaster::clear()
{
	reads_.clear();
	writes_.clear();
	addresses_.clear();
	bytes_.clear();
	lanes_ = 0;
}

void AxiMaster::read_done(uint64_t at, uint32_t id, const void *data, size_t len)
{
	for (size_t i = 0; i < len; i += axi_bytes) {
		Word w = { at, id, data != nullptr, {} };

		if (data)
			std::memcpy(w.word.data(), static_cast<const uint8_t *>(data) + i, axi_bytes);
		reads_.push_back(w);
	}
}

// The bytes of a burst that are written follow one another, as tally_axi_wr forms it. Data come after their address.
void AxiMaster::take_word(const void *data, uint64_t strobes, bool last)
{
	const uint8_t *from = static_cast<const uint8_t *>(data);

	if (addresses_.empty()) {
		sim_warn("the AXI4 master writes data without an address");
		std::abort();
	}
	struct nic_access &what = addresses_.front();

	for (size_t lane = 0; lane < axi_bytes; lane++, lanes_++) {
		if (!(strobes >> lane & 1))
			continue;
		if (bytes_.empty())
			what.addr += lanes_;
		bytes_.push_back(from[lane]);
	}
	if (!last)
		return;
	what.len = bytes_.size();
	host_->write(ctx_, &what, bytes_.data());
	addresses_.pop_front();
	bytes_.clear();
	lanes_ = 0;
}

} // namespace tally
