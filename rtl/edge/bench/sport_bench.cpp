// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_sport: random neighbours and jobs, with stalls on both sides. The port is that of the C model.
#include "Vdut.h"
#include "bench.h"

extern "C" {
#include "nic/tx_header.h"
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("sport", argc, argv);
	Vdut &dut = *bench.dut;
	tally::Throttle in(bench.rng), out(bench.rng);
	uint8_t gid[16];
	uint32_t jid = 0;
	uint16_t port = 0;
	bool offered = false, inside = false;
	uint64_t began = 0, ports = 0;

	auto restart = [&] {
		dut.in_valid_i = dut.out_ready_i = 0;
		offered = inside = false;
		bench.reset();
	};
	auto offer = [&] {
		bench.rng.fill(gid, sizeof(gid));
		jid = bench.rng.next();
		for (unsigned int i = 0; i < 16; i++)
			reinterpret_cast<uint8_t *>(&dut.gid_i[0])[15 - i] = gid[i];
		dut.jid_i = jid;
		offered = true;
	};
	auto cycle = [&] {
		if (!offered && in.go())
			offer();
		dut.in_valid_i = offered;
		dut.out_ready_i = out.go();
		bench.settle();
		CHECK(dut.in_ready_o == !inside, "in_ready_o is %d", dut.in_ready_o);
		CHECK(dut.out_valid_o == (inside && bench.cycle() > began + 20), "out_valid_o is %d", dut.out_valid_o);
		CHECK(!dut.out_valid_o || dut.port_o == port, "port %x, not %x", dut.port_o, port);
		if (dut.out_valid_o && dut.out_ready_i) {
			inside = false;
			ports++;
		} else if (offered && dut.in_ready_o) {
			port = tx_source_port(gid, htobe32(jid));
			began = bench.cycle();
			offered = false;
			inside = true;
		}
		bench.tick();
	};
	bench.live(bench.times(40000), restart, cycle);
	CHECK(ports > 300, "%llu ports", static_cast<unsigned long long>(ports));
	return bench.finish();
}
