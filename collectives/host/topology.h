/* SPDX-License-Identifier: BSD-2-Clause */
/* Where this process and the devices are in the machine, by hwloc. */
#ifndef TALLYCOLL_HOST_TOPOLOGY_H
#define TALLYCOLL_HOST_TOPOLOGY_H

#include <stdint.h>

struct tc_topology;

/* Returns NULL if the system tells nothing; the other functions take that for a machine without parts. */
struct tc_topology *tc_topology_open(void);
void tc_topology_close(struct tc_topology *t);

/*
 * Returns the number of the CPU socket to which this thread is bound. One that may run on several gets
 * the socket where it runs now.
 */
uint32_t tc_topology_socket(const struct tc_topology *t);
/*
 * Returns how near an RDMA device is to the CPUs on which this thread may run: the more, the nearer.
 * The least value is 0, also for devices of which the system does not tell where they are.
 */
unsigned int tc_topology_nearness(const struct tc_topology *t, const char *device);

#endif
