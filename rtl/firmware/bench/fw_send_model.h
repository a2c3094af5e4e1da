/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets and random numbers of the C model's commands, for the benches of rtl/firmware. There is one group. */
#ifndef TALLY_FW_SEND_MODEL_H
#define TALLY_FW_SEND_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "wire/roce.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FW_SEND_EDGE 3 /* of the packets */

/* What the hardware itself knows of an edge and its group. */
struct fw_send_state {
	uint64_t nonce, peer_nonce;
	uint32_t key, own_first_seq, done, limit;
};

/* A packet as it leaves. */
struct fw_send_packet {
	struct roce_hdr hdr;
	struct tally_tch tch;
	uint8_t payload[64];
	uint16_t len;
};

/* Must be called first; the addresses are those of the NIC. */
void fw_send_model_init(const uint8_t mac[6], const uint8_t gid[16]);
/* Write a register, as the firmware does. */
void fw_send_model_write(uint32_t reg, uint32_t value);
void fw_send_model_state(const struct fw_send_state *s);
/* Carry out a command; @nonce is that of the OPEN that is handled. Returns its packet. */
struct fw_send_packet fw_send_model_go(uint32_t code, uint64_t nonce);

/*
 * Draw the numbers of an edge from @seed on. Returns how many random numbers it has taken. Those of
 * the seed are fw_send_model_random(), which advances it.
 */
unsigned int fw_send_model_renew(uint64_t seed, struct fw_send_state *s);
uint64_t fw_send_model_random(uint64_t *seed);
/* The seed whose number @nth, from 1 on, is @value. */
uint64_t fw_send_model_seed(uint64_t value, unsigned int nth);

#ifdef __cplusplus
}
#endif

#endif
