// SPDX-License-Identifier: BSD-2-Clause
// The AXI4 master of the hardware, dma_*: its bursts become accesses of the NIC to host memory, whose answers enter at the
// first edge after they have come, in their order.
#ifndef TALLY_SIM_RTL_AXI_MASTER_H
#define TALLY_SIM_RTL_AXI_MASTER_H

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

extern "C" {
#include "nic/units.h"
}

namespace tally {

constexpr size_t axi_bytes = 64;	// of a word
constexpr unsigned int axi_okay = 0, axi_slverr = 2;

class AxiMaster {
public:
	AxiMaster(const struct nic_units_host *host, void *ctx) : host_(host), ctx_(ctx) {}

	bool has_answers() const { return !reads_.empty() || !writes_.empty(); }
	void clear();
	void read_done(uint64_t at, uint32_t id, const void *data, size_t len);
	void write_done(uint64_t at, uint32_t id, bool good) { writes_.push_back({ at, id, good }); }

	// Sets the inputs: the memory is always ready, and offers an answer whose time has come.
	template <typename Dut> void offer(uint64_t now, Dut &dut) const
	{
		dut.dma_awready_i = dut.dma_wready_i = dut.dma_arready_i = 1;
		dut.dma_bvalid_i = !writes_.empty() && writes_.front().at <= now;
		if (dut.dma_bvalid_i) {
			dut.dma_bid_i = writes_.front().id;
			dut.dma_bresp_i = writes_.front().good ? axi_okay : axi_slverr;
		}
		dut.dma_rvalid_i = !reads_.empty() && reads_.front().at <= now;
		if (dut.dma_rvalid_i) {
			dut.dma_rid_i = reads_.front().id;
			dut.dma_rresp_i = reads_.front().good ? axi_okay : axi_slverr;
			std::memcpy(&dut.dma_rdata_i, reads_.front().word.data(), axi_bytes);
		}
	}

	// What is transferred at this edge.
	template <typename Dut> void transfer(const Dut &dut)
	{
		if (dut.dma_bvalid_i && dut.dma_bready_o)
			writes_.pop_front();
		if (dut.dma_rvalid_i && dut.dma_rready_o)
			reads_.pop_front();
		if (dut.dma_awvalid_o)
			addresses_.push_back({ dut.dma_awid_o, dut.dma_awaddr_o, 0 });
		if (dut.dma_wvalid_o)
			take_word(&dut.dma_wdata_o, dut.dma_wstrb_o, dut.dma_wlast_o);
		if (dut.dma_arvalid_o) {
			const struct nic_access what = { dut.dma_arid_o, dut.dma_araddr_o, (dut.dma_arlen_o + 1u) * axi_bytes };

			host_->read(ctx_, &what);
		}
	}

private:
	struct Word {		// an answer to a read
		uint64_t at;
		uint32_t id;
		bool good;
		std::array<uint8_t, axi_bytes> word;
	};
	struct End {		// an answer to a write
		uint64_t at;
		uint32_t id;
		bool good;
	};

	void take_word(const void *data, uint64_t strobes, bool last);

	const struct nic_units_host *host_;
	void *ctx_;
	std::deque<Word> reads_;
	std::deque<End> writes_;
	std::deque<struct nic_access> addresses_;	// of writes whose data have not come
	std::vector<uint8_t> bytes_;			// of the first of them
	size_t lanes_ = 0;				// that have passed
};

} // namespace tally

#endif
