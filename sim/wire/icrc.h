/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The invariant CRC of RoCEv2 (InfiniBand architecture specification, annex A17). It covers
 * everything from the IP header to the last pad byte; the fields that change on the way count as
 * ones.
 */
#ifndef TALLY_SIM_WIRE_ICRC_H
#define TALLY_SIM_WIRE_ICRC_H

#include <stddef.h>
#include <stdint.h>

#include "gen/tally_hw.h"

#define ICRC_BYTES	TALLY_ICRC_SIZE

/*
 * Return the ICRC of the packet whose IP header begins at @ip, whose UDP header begins @ip_len
 * bytes later (20 for IPv4, 40 for IPv6), and whose last pad byte is at @ip + @len - 1. The caller
 * has checked that IP, UDP and BTH headers are within @len. The ICRC is sent with its least
 * significant byte first.
 */
uint32_t roce_icrc(const uint8_t *ip, size_t ip_len, size_t len);

#endif
