/* SPDX-License-Identifier: BSD-2-Clause */
/* The headers of the network in front of a collective header. */
#ifndef TALLY_SIM_NIC_TX_HEADER_H
#define TALLY_SIM_NIC_TX_HEADER_H

#include <stdint.h>

#include "engine/engine.h"
#include "wire/roce.h"

/* The UDP source port of packets to a neighbour. @jid is that of the collective header. */
uint16_t tx_source_port(const uint8_t gid[16], __be32 jid);

/* Those of a packet from a NIC with these addresses. */
struct roce_hdr tx_header(const uint8_t mac[6], const uint8_t gid[16], const struct engine_addr *to,
			  const struct tally_tch *tch);

#endif
