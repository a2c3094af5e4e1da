// SPDX-License-Identifier: BSD-2-Clause
/* Matches frames against the filters of a fault. */
#include <string.h>

#include "fabric/fault.h"
#include "gen/tally_hw.h"
#include "wire/bytes.h"
#include "wire/roce_layout.h"

/* Returns the UDP header of an IP packet of *len bytes, and sets *len to the rest; NULL: none. */
static const uint8_t *find_udp(const uint8_t *ip, size_t *len, uint16_t ethertype)
{
	size_t header;

	if (ethertype == ETH_TYPE_IPV4 && *len >= IP4_BYTES && ip[IP4_PROTO] == IP_PROTO_UDP)
		header = IP4_BYTES;
	else if (ethertype == ETH_TYPE_IPV6 && *len >= IP6_BYTES && ip[IP6_NEXT] == IP_PROTO_UDP)
		header = IP6_BYTES;
	else
		return NULL;
	*len -= header;
	return ip + header;
}

static void look_at_tch(struct fault_headers *h, const uint8_t *tch)
{
	if (get_be32(tch + offsetof(struct tally_tch, tag)) != TALLY_TCH_TAG)
		return;
	h->collective = true;
	h->kind = tch[offsetof(struct tally_tch, kind)];
	h->jid = get_be32(tch + offsetof(struct tally_tch, jid));
}

void fault_headers(struct fault_headers *h, const struct frame *f)
{
	const uint8_t *udp, *bth;
	size_t len;

	*h = (struct fault_headers){ 0 };
	if (f->len < ETH_HEADER_BYTES)
		return;
	len = f->len - ETH_HEADER_BYTES;
	udp = find_udp(f->data + ETH_HEADER_BYTES, &len, get_be16(f->data + ETH_TYPE));
	if (!udp || len < UDP_BYTES + BTH_BYTES ||
	    get_be16(udp + UDP_DPORT) != TALLY_ROCE_UDP_PORT)
		return;
	bth = udp + UDP_BYTES;
	h->roce = true;
	h->opcode = bth[BTH_OPCODE];
	if (h->opcode == TALLY_BTH_OPCODE_COLL &&
	    len >= UDP_BYTES + BTH_BYTES + sizeof(struct tally_tch))
		look_at_tch(h, bth + BTH_BYTES);
}

static bool fits_addresses(const struct fault *fault, const struct frame *f)
{
	if (!fault_has(fault, FAULT_KEY_FROM) && !fault_has(fault, FAULT_KEY_TO))
		return true;
	if (f->len < ETH_HEADER_BYTES)
		return false;
	if (fault_has(fault, FAULT_KEY_FROM) && memcmp(f->data + ETH_SMAC, fault->from, 6))
		return false;
	return !fault_has(fault, FAULT_KEY_TO) || !memcmp(f->data + ETH_DMAC, fault->to, 6);
}

bool fault_fits(const struct fault *fault, const struct frame *f, const struct fault_headers *h)
{
	if (!fits_addresses(fault, f))
		return false;
	if (fault_has(fault, FAULT_KEY_OPCODE) && (!h->roce || h->opcode != fault->opcode))
		return false;
	if (fault_has(fault, FAULT_KEY_JID) && (!h->collective || h->jid != fault->jid))
		return false;
	return !fault_has(fault, FAULT_KEY_KIND) ||
	       (h->collective && h->kind < 32 && fault->kinds >> h->kind & 1);
}
