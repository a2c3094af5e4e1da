/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lower bound of an operation's time on given wires and buses, for any implementation: into the
 * NIC, over the longest path between two participants, out of the NIC. Processing by NICs and CPUs
 * is not included.
 */
#ifndef TALLY_SIM_OFFLOAD_FLOOR_H
#define TALLY_SIM_OFFLOAD_FLOOR_H

#include "workload/workload.h"

/* Returns the bound for a workload on its fabric, all of whose hosts take part. */
vtime_t bench_floor(const struct bench_workload *c, const struct topo *fabric);

/* Returns the bytes that some node must at least receive over its cable, and send. */
uint64_t bench_floor_bytes(const struct bench_workload *c);

#endif
