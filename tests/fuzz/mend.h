/* SPDX-License-Identifier: BSD-2-Clause */
/* Corrects a damaged frame so that it passes parser checks that random frames never pass. */
#ifndef TALLY_FUZZ_MEND_H
#define TALLY_FUZZ_MEND_H

#include <stddef.h>
#include <stdint.h>

enum {
	MEND_TYPES = 1,		/* Ethernet type, IP version, protocol, UDP port, BTH version */
	MEND_LENGTHS = 2,	/* of IP and UDP, as the frame has them */
	MEND_ICRC = 4,
	MEND_CHECKSUMS = 8,	/* of IP and UDP */
	MEND_ALL = 15,
	MEND_IPV4 = 16,		/* with MEND_TYPES: IPv4, not IPv6 */
};

/* Corrects a frame. A frame too short for the headers is not changed. */
void mend(uint8_t *frame, size_t len, unsigned int how);

#endif
