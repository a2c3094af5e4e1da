// SPDX-License-Identifier: BSD-2-Clause
/* Includes the engine's parser, whose checks are static. The order of the checks is that of nic/rx.c. */
#include "engine/packet.c"

#include "parser_model.h"
#include "wire/gid.h"

static bool is_ours(const uint8_t *data, size_t len, const uint8_t mac[6])
{
	return len < ETH_HEADER_BYTES || !memcmp(data, mac, 6) || (data[0] == 0x33 && data[1] == 0x33);
}

static enum tally_rx look_at_tch(struct model_rx *rx, const uint8_t *body, size_t len)
{
	struct tally_tch w;
	struct tch t;

	if (len < sizeof(w))
		return TALLY_RX_TCH;
	memcpy(&w, body, sizeof(w));
	unpack(&t, &w);
	rx->tch = body;
	rx->payload = body + sizeof(w);
	rx->payload_len = len - sizeof(w);
	return well_formed(&t, &w, rx->payload_len) ? TALLY_RX_OK : TALLY_RX_TCH;
}

enum tally_rx model_rx(struct model_rx *rx, const uint8_t *data, size_t len, const uint8_t mac[6],
		       const uint8_t gid[16])
{
	const uint8_t *body;
	enum roce_drop drop;
	size_t body_len;

	if (len > TALLY_MAX_FRAME)
		return TALLY_RX_LONG;
	if (!is_ours(data, len, mac))
		return TALLY_RX_STATION;
	drop = roce_parse(data, len, &rx->hdr, &body, &body_len);
	if (drop != ROCE_OK)
		return (enum tally_rx)drop;
	if (!gid_is_multicast(rx->hdr.dgid) && memcmp(rx->hdr.dgid, gid, 16))
		return TALLY_RX_DEST;
	if (rx->hdr.opcode != TALLY_BTH_OPCODE_COLL)
		return TALLY_RX_OPCODE;
	return look_at_tch(rx, body, body_len);
}
