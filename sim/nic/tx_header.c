// SPDX-License-Identifier: BSD-2-Clause
/* The headers of the network in front of a collective header. */
#include "nic/tx_header.h"

#include <endian.h>
#include <string.h>

#include "gen/tally_fw_hw.h"

#define BTH_24_BITS	0xffffff

/* FNV-1a over neighbour and job, so that the packets of an edge take one path. */
uint16_t tx_source_port(const uint8_t gid[16], __be32 jid)
{
	uint8_t key[20];
	uint32_t hash = TALLY_FW_FLOW_BASIS;
	size_t i;

	memcpy(key, gid, 16);
	memcpy(key + 16, &jid, sizeof(jid));
	for (i = 0; i < sizeof(key); i++)
		hash = (hash ^ key[i]) * TALLY_FW_FLOW_PRIME;
	return (uint16_t)(TALLY_FW_SPORT_BASE | ((hash ^ hash >> 16) & ~TALLY_FW_SPORT_BASE));
}

struct roce_hdr tx_header(const uint8_t mac[6], const uint8_t gid[16], const struct engine_addr *to,
			  const struct tally_tch *tch)
{
	struct roce_hdr hdr = {
		.hop_limit = TALLY_FW_HOP_LIMIT,
		.udp_sport = tx_source_port(to->gid, tch->jid),
		.opcode = TALLY_BTH_OPCODE_COLL,
		.pkey = TALLY_FW_PKEY,
		.psn = be32toh(tch->edge_seq) & BTH_24_BITS,
	};

	memcpy(hdr.dmac, to->mac, sizeof(hdr.dmac));
	memcpy(hdr.smac, mac, sizeof(hdr.smac));
	memcpy(hdr.dgid, to->gid, sizeof(hdr.dgid));
	memcpy(hdr.sgid, gid, sizeof(hdr.sgid));
	return hdr;
}
