// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_nic_regs: random reads and writes with stalls, of registers and of addresses without one, while the
// counters count. It compares every answer with a copy of struct net.
#include <cstddef>
#include <cstring>
#include <deque>

#include "Vdut.h"
#include "bench.h"
extern "C" {
#include "gen/tally_fw_hw.h"
}

constexpr unsigned int okay = 0, slverr = 2, mac_bytes = 6;

struct Answer {
	unsigned int resp;
	uint32_t data;
};

class Registers {
public:
	Registers(int argc, char **argv)
		: bench("nic_regs", argc, argv), dut(*bench.dut), reader(bench.rng), writer(bench.rng), takes_r(bench.rng),
		  takes_b(bench.rng)
	{
		dut.axil_awvalid_i = dut.axil_wvalid_i = dut.axil_arvalid_i = 0;
		dut.axil_bready_i = dut.axil_rready_i = 0;
		dut.rx_frame_i = dut.rx_bad_i = dut.tx_frame_i = dut.tx_refused_i = 0;
		dut.units_i = 0x5a;
		net.id = TALLY_FW_NET_ID;
		net.units = 0x5a;
		bench.reset();
	}

	int run()
	{
		for (uint64_t left = bench.times(100000); left; left--)
			cycle();
		return bench.finish();
	}

private:
	uint32_t address();
	void offer();
	void pulses();
	void transfers();
	void outputs();
	void cycle();
	Answer read(uint32_t at);
	unsigned int write(uint32_t at, uint32_t data, unsigned int strb);

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Throttle reader, writer, takes_r, takes_b;
	struct tally_fw_net net = {};
	uint32_t latched = 0;
	bool latch_known = false;
	std::deque<Answer> reads;
	std::deque<unsigned int> writes;
	bool read_taken = true, write_taken = true;
};

// Mostly registers; few addresses besides.
uint32_t Registers::address()
{
	uint32_t at = TALLY_FW_NET_BASE + 4 * bench.rng.below(sizeof(net) / 4);

	if (bench.rng.one_in(16))
		at += 1 + bench.rng.below(3);
	if (bench.rng.one_in(16))
		at ^= 1u << (6 + bench.rng.below(26));
	return at;
}

// An offer stays until it is taken. Address and data of a write may come one after the other.
void Registers::offer()
{
	if (read_taken) {
		dut.axil_arvalid_i = reader.go();
		dut.axil_araddr_i = address();
		read_taken = !dut.axil_arvalid_i;
	}
	if (write_taken) {
		bool both = bench.rng.below(2);

		dut.axil_awaddr_i = address();
		dut.axil_wdata_i = bench.rng.next();
		dut.axil_wstrb_i = bench.rng.one_in(8) ? bench.rng.below(15) : 15;
		dut.axil_awvalid_i = writer.go();
		dut.axil_wvalid_i = both ? dut.axil_awvalid_i : writer.go();
		write_taken = !dut.axil_awvalid_i && !dut.axil_wvalid_i;
	} else {
		dut.axil_awvalid_i |= writer.go();
		dut.axil_wvalid_i |= writer.go();
	}
	dut.axil_rready_i = takes_r.go();
	dut.axil_bready_i = takes_b.go();
}

void Registers::pulses()
{
	dut.rx_frame_i = bench.rng.below(2);
	dut.rx_bad_i = bench.rng.below(2);
	dut.tx_frame_i = bench.rng.below(2);
	dut.tx_refused_i = bench.rng.below(2);
}

// The first word of a wide register latches the second one.
Answer Registers::read(uint32_t at)
{
	uint32_t words[sizeof(net) / 4], word = at % sizeof(net) / 4;
	bool wide = word >= offsetof(struct tally_fw_net, rx_frames) / 4;

	if (at - TALLY_FW_NET_BASE >= sizeof(net) || at % 4)
		return { slverr, 0 };
	std::memcpy(words, &net, sizeof(net));
	if (wide && word % 2)
		return { okay, latched };
	if (wide) {
		latched = words[word + 1];
		latch_known = true;
	}
	return { okay, words[word] };
}

unsigned int Registers::write(uint32_t at, uint32_t data, unsigned int strb)
{
	uint32_t in = at - TALLY_FW_NET_BASE;

	if (at % 4 || strb != 15 || in < offsetof(struct tally_fw_net, mac) || in >= offsetof(struct tally_fw_net, rx_frames))
		return slverr;
	if (in == offsetof(struct tally_fw_net, mac) + 4)
		data &= 0xffff;	// an address has six bytes
	std::memcpy(reinterpret_cast<char *>(&net) + in, &data, 4);
	return okay;
}

void Registers::transfers()
{
	bool write_now = dut.axil_awvalid_i && dut.axil_awready_o;

	CHECK(dut.axil_awready_o == dut.axil_wready_o, "address and data of a write are not taken together");
	CHECK(!dut.axil_awready_o || (dut.axil_awvalid_i && dut.axil_wvalid_i), "half a write is taken");
	if (dut.axil_rvalid_o && dut.axil_rready_i)
		reads.pop_front();
	if (dut.axil_bvalid_o && dut.axil_bready_i)
		writes.pop_front();
	if (dut.axil_arvalid_i && dut.axil_arready_o) {
		read_taken = true;
		reads.push_back(read(dut.axil_araddr_i));
	}
	if (write_now) {
		write_taken = true;
		writes.push_back(write(dut.axil_awaddr_i, dut.axil_wdata_i, dut.axil_wstrb_i));
	}
	net.rx_frames += dut.rx_frame_i;
	net.rx_bad += dut.rx_bad_i;
	net.tx_frames += dut.tx_frame_i;
	net.tx_refused += dut.tx_refused_i;
}

void Registers::outputs()
{
	CHECK(dut.axil_rvalid_o == !reads.empty(), "axil_rvalid_o is %d", dut.axil_rvalid_o);
	CHECK(dut.axil_bvalid_o == !writes.empty(), "axil_bvalid_o is %d", dut.axil_bvalid_o);
	CHECK(dut.busy_o == (!reads.empty() || !writes.empty()), "busy_o is %d", dut.busy_o);
	if (!reads.empty()) {
		CHECK(dut.axil_rresp_o == reads.front().resp, "axil_rresp_o is %d", dut.axil_rresp_o);
		CHECK(dut.axil_rdata_o == reads.front().data, "axil_rdata_o is %x, not %x", dut.axil_rdata_o, reads.front().data);
	}
	if (!writes.empty())
		CHECK(dut.axil_bresp_o == writes.front(), "axil_bresp_o is %d", dut.axil_bresp_o);
	for (unsigned int k = 0; k < mac_bytes; k++)
		CHECK(uint8_t(dut.mac_o >> (40 - 8 * k)) == reinterpret_cast<uint8_t *>(net.mac)[k], "byte %u of mac_o", k);
	for (unsigned int k = 0; k < 16; k++)
		CHECK(uint8_t(dut.gid_o[3 - k / 4] >> (24 - 8 * (k % 4))) == reinterpret_cast<uint8_t *>(net.gid)[k],
		      "byte %u of gid_o", k);
}

// Before the first read of a low word, nothing is latched, so a high one is not read.
void Registers::cycle()
{
	offer();
	if (!latch_known && dut.axil_arvalid_i && dut.axil_araddr_i % 8)
		dut.axil_araddr_i -= dut.axil_araddr_i % 8;
	pulses();
	bench.settle();
	outputs();
	transfers();
	bench.tick();
}

int main(int argc, char **argv)
{
	return Registers(argc, argv).run();
}
