// SPDX-License-Identifier: BSD-2-Clause
// Accesses to the registers of the hardware, one at a time. They happen at power-up and reset, and between two events of
// the simulation when a test asks; they take clocks of the hardware, but no virtual time.
#ifndef TALLY_SIM_RTL_AXI_LITE_H
#define TALLY_SIM_RTL_AXI_LITE_H

#include <cstdint>
#include <optional>

namespace tally {

constexpr unsigned int axi_patience = 1000;	// clocks until an access counts as failed

// Runs one clock for each step; `Dut` has the ports axil_*. Returns nothing if the hardware refuses or does not answer.
template <typename Dut, typename Tick>
std::optional<uint32_t> axil_read(Dut &dut, uint32_t at, Tick tick)
{
	std::optional<uint32_t> value;

	dut.axil_arvalid_i = 1;
	dut.axil_araddr_i = at;
	dut.axil_rready_i = 1;
	for (unsigned int left = axi_patience; left; left--) {
		dut.eval();
		bool taken = dut.axil_arvalid_i && dut.axil_arready_o, done = dut.axil_rvalid_o;

		if (done && !dut.axil_rresp_o)
			value = dut.axil_rdata_o;
		tick();
		if (taken)
			dut.axil_arvalid_i = 0;
		if (done)
			break;
	}
	dut.axil_arvalid_i = dut.axil_rready_i = 0;
	return value;
}

template <typename Dut, typename Tick> bool axil_write(Dut &dut, uint32_t at, uint32_t value, Tick tick)
{
	bool good = false;

	dut.axil_awvalid_i = dut.axil_wvalid_i = 1;
	dut.axil_awaddr_i = at;
	dut.axil_wdata_i = value;
	dut.axil_wstrb_i = 0xf;
	dut.axil_bready_i = 1;
	for (unsigned int left = axi_patience; left; left--) {
		dut.eval();
		bool address = dut.axil_awvalid_i && dut.axil_awready_o, data = dut.axil_wvalid_i && dut.axil_wready_o;
		bool done = dut.axil_bvalid_o;

		good = done && !dut.axil_bresp_o;
		tick();
		if (address)
			dut.axil_awvalid_i = 0;
		if (data)
			dut.axil_wvalid_i = 0;
		if (done)
			break;
	}
	dut.axil_awvalid_i = dut.axil_wvalid_i = dut.axil_bready_i = 0;
	return good;
}

} // namespace tally

#endif
