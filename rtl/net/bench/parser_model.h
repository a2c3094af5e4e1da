/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdict of the C model on a received frame: NIC, wire, and the part of the engine that tally_parser covers. */
#ifndef TALLY_RTL_PARSER_MODEL_H
#define TALLY_RTL_PARSER_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "gen/tally_hw.h"
#include "wire/roce.h"

struct model_rx {
	struct roce_hdr hdr;
	const uint8_t *tch;	/* inside the frame */
	const uint8_t *payload;
	size_t payload_len;
};

/* Returns the verdict and, if it is TALLY_RX_OK, the contents of the frame in *@rx. */
enum tally_rx model_rx(struct model_rx *rx, const uint8_t *data, size_t len, const uint8_t mac[6],
		       const uint8_t gid[16]);

#endif
