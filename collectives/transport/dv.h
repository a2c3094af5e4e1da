/* SPDX-License-Identifier: BSD-2-Clause */
/* The network of a process: a Tally NIC through libtally. */
#ifndef TALLYCOLL_TRANSPORT_DV_H
#define TALLYCOLL_TRANSPORT_DV_H

#include "host.h"

/*
 * The variable TALLY_COLL_NICS, a list of names, says which NICs may be used; these functions pass
 * over the others. A NIC's number is its place among all in the order of their names.
 */

/* Returns the nearest NICs as bits, by a function that tells how near one is: the more, the nearer. */
uint64_t tc_dv_near(unsigned int (*nearness)(void *arg, const char *name), void *arg);

/* Open a NIC of this machine. Returns 0 or -errno. */
int tc_dv_open(const struct tc_neighbours *neighbours, struct tc_net **net, char *why, size_t size);

#endif
