// SPDX-License-Identifier: BSD-2-Clause
#include "wire/ecn.h"

#include <stddef.h>

#include "wire/bytes.h"
#include "wire/roce_layout.h"

/*
 * Return the 16-bit word of the IP header that contains the bits, and how far they are shifted;
 * NULL: no IP packet.
 */
static const uint8_t *word_of(const struct frame *f, unsigned int *shift)
{
	const uint8_t *ip = f->data + ETH_HEADER_BYTES;

	if (f->len < ETH_HEADER_BYTES + IP4_BYTES)
		return NULL;
	switch (get_be16(f->data + ETH_TYPE)) {
	case ETH_TYPE_IPV4:
		*shift = 0;
		return *ip >> 4 == 4 ? ip + IP4_VER_IHL : NULL;
	case ETH_TYPE_IPV6:
		*shift = 4;
		return *ip >> 4 == 6 ? ip + IP6_FLOW : NULL;
	default:
		return NULL;
	}
}

enum ecn ecn_of(const struct frame *f)
{
	unsigned int shift;
	const uint8_t *word = word_of(f, &shift);

	return word ? get_be16(word) >> shift & ECN_MASK : ECN_NOT_CAPABLE;
}

/* RFC 1624: the new sum is the old one minus the old word plus the new one. */
static void mend_checksum(uint8_t *ip, uint16_t old, uint16_t new)
{
	uint32_t sum = (uint16_t)~get_be16(ip + IP4_CHECKSUM) + (uint16_t)~old + new;

	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	put_be16(ip + IP4_CHECKSUM, ~sum);
}

/* Return a frame that may be changed, because nobody else has a reference. */
static struct frame *own(struct frame *f)
{
	struct frame *copy;

	if (f->refs == 1)
		return f;
	copy = frame_copy(f);
	if (copy)
		frame_unref(f);
	return copy;
}

bool ecn_mark(struct frame **f)
{
	enum ecn now = ecn_of(*f);
	struct frame *mine;
	unsigned int shift;
	uint8_t *word;
	uint16_t old;

	if (now == ECN_NOT_CAPABLE || now == ECN_CE)
		return false;
	mine = own(*f);
	if (!mine)
		return false;
	*f = mine;
	word = mine->data + (word_of(mine, &shift) - mine->data);
	old = get_be16(word);
	put_be16(word, old | ECN_CE << shift);
	if (get_be16(mine->data + ETH_TYPE) == ETH_TYPE_IPV4)
		mend_checksum(mine->data + ETH_HEADER_BYTES, old, old | ECN_CE);
	return true;
}
