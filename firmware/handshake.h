/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening of edges. */
#ifndef TALLY_FIRMWARE_HANDSHAKE_H
#define TALLY_FIRMWARE_HANDSHAKE_H

#include "firmware/group.h"

/* Nanoseconds until OPEN is repeated; doubled up to OPEN_MAX. */
#define OPEN_FIRST 300000
#define OPEN_MAX 20000000

/* A neighbour that awaits the epoch has left if it is silent for so many repetitions. */
#define AWAITS_MAX 64

/* The group is configured, or has a new epoch: begin to open its edges. */
void handshake_begin(uint32_t group);
/* Repeat OPEN. */
void handshake_timer(uint32_t group, uint32_t edge);
/* Handle an OPEN. */
void handshake_packet(const struct event *ev);

#endif
