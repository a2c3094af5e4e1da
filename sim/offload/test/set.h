/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parameters with which times are easy to compute by hand: a cycle takes 1 ns, a byte takes 80 ps
 * on a cable, 100 ps on the bus, and 1 ns when the CPU pushes it.
 */
#ifndef TALLY_SIM_OFFLOAD_TEST_SET_H
#define TALLY_SIM_OFFLOAD_TEST_SET_H

#include "workload/params.h"

static const struct bench_params set = {
	.name = "test",
	.link_rate = 100000000000,
	.trunk_rate = 100000000000,
	.link_cable = 10000,
	.trunk_cable = 40000,
	.propagation = 5000,
	.switch_ports = 8,
	.switch_latency = 400 * VT_NS,
	.cut_through = 1,
	.switch_buffer = 1 << 20,
	.mtu = 4096,
	.nic_clock = 1000,
	.nic_request = 25,
	.nic_parse = 15,
	.nic_alu = 20,
	.nic_chain = 8,
	.nic_encap = 16,
	.nic_status = 26,
	.message_request = 25,
	.message_parse = 15,
	.message_encap = 16,
	.message_status = 26,
	.doorbell = 100 * VT_NS,
	.pcie_read = 500 * VT_NS,
	.pcie_write = 300 * VT_NS,
	.pcie_rate = 10000000000,
	.post = 60 * VT_NS,
	.push_rate = 1000000000,
	.poll = 30 * VT_NS,
	.share = 70 * VT_NS,
	.reduce_start = 10 * VT_NS,
	.copy_rate = 10000000000,
	.reduce_rate = 10000000000,
	.mpi_call = 5 * VT_NS,
	.mpi_send = 6 * VT_NS,
	.mpi_receive = 7 * VT_NS,
	.mpi_eager = 8192,
};

#endif
