// SPDX-License-Identifier: BSD-2-Clause
#include "wire/inet.h"

#include <endian.h>
#include <string.h>

#include "wire/bytes.h"
#include "wire/roce_layout.h"

/* Sums words in the machine's byte order. RFC 1071 shows that only the result must be swapped. */
uint64_t inet_sum(uint64_t sum, const void *data, size_t len)
{
	const uint8_t *p = data;
	uint32_t word;

	for (; len >= sizeof(word); p += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		sum += word;
	}
	if (len) {
		word = 0;
		memcpy(&word, p, len);
		sum += word;
	}
	return sum;
}

uint16_t inet_fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~be16toh((uint16_t)sum);
}

uint16_t inet_udp_checksum(const uint8_t *addrs, size_t addrs_len, const uint8_t *udp,
			   size_t udp_len)
{
	uint8_t tail[4] = { 0, IP_PROTO_UDP };

	put_be16(tail + 2, udp_len);
	return inet_fold(inet_sum(inet_sum(inet_sum(0, addrs, addrs_len), tail, sizeof(tail)),
				  udp, udp_len));
}
