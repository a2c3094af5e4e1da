/* SPDX-License-Identifier: BSD-2-Clause */
/* The network of a process: a Tally NIC through libtally. */
#ifndef TALLYCOLL_TRANSPORT_DV_H
#define TALLYCOLL_TRANSPORT_DV_H

#include "transport.h"

/*
 * Open a NIC of this machine for process @local of the @num_local that the job has here. The
 * variable TALLY_COLL_NICS, a list of names, says which NICs may be used. Returns 0 or -errno.
 */
int tc_dv_open(uint32_t local, uint32_t num_local, struct tc_net **net, char *why, size_t size);

#endif
