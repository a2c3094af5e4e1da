/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The least time that an operation can take on given wires and buses, whoever does the work: into
 * the NIC, over the longest way between two participants, out of the NIC. Nothing for what a NIC or
 * a CPU does.
 */
#ifndef TALLY_SIM_OFFLOAD_FLOOR_H
#define TALLY_SIM_OFFLOAD_FLOOR_H

#include "workload/workload.h"

/* Of the case on its fabric, whose hosts all take part. */
vtime_t bench_floor(const struct bench_workload *c, const struct topo *fabric);

/* Bytes that some node must get over its cable at least, and that it must give. */
uint64_t bench_floor_bytes(const struct bench_workload *c);

#endif
