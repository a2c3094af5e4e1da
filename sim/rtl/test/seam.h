/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The seam to the Verilated NIC, without the rest of a NIC: what comes out of the hardware is counted,
 * and the last of each kind is kept. There are no queues (queues_test.c has them).
 */
#ifndef TALLY_SIM_RTL_TEST_SEAM_H
#define TALLY_SIM_RTL_TEST_SEAM_H

#include <stddef.h>

#include "nic/nic.h"
#include "nic/units.h"
#include "wire/roce.h"

#define CLOCK	4000ull /* ps */

/* The group of the packets: its number, and the fields of their headers. */
#define GROUP	1023
#define JID	0x77
#define EPOCH	5
#define KEY	0x89abcdef
#define FIRST	0xffffffff
#define AT(block, field) offsetof(struct tally_fw_##block, field)

struct seam {
	const struct nic_units *units;
	void *unit;
	uint64_t now;
	unsigned int packets, bad, acks, frames;
	struct engine_ack ack; /* the last one */
	unsigned int acked, again, expired;
	struct engine_sent sent; /* that was acknowledged, or is to be sent again */
	struct engine_expiry expiry;
	uint64_t again_at;
	struct roce_hdr hdr;
	uint8_t body[TALLY_MAX_FRAME], frame[TALLY_MAX_FRAME];
	size_t body_len, frame_len;
	struct engine_admission admission;
	bool settled;
	bool stores; /* what packet() says about numbers */
	enum tally_rx why;
	uint32_t done, limit; /* of the segment store */
	unsigned int epochs; /* that have begun */
	unsigned int waits, events, lost, marked; /* of events for the firmware */
	unsigned int frozen;
	struct engine_event event; /* the last one */
	uint64_t at; /* of the last output */
	uint64_t early;
};

/* Its group is in its epoch, and edge 0, from which packets of seam_header() are, is open. */
struct seam *seam_new(const char *name);
void seam_free(struct seam *s);

/* Write a register. */
void seam_put(struct seam *s, uint32_t reg, uint32_t value);

/* Run all edges that are needed. Returns their number. */
unsigned int seam_run(struct seam *s);

/* The firmware takes the next event: its type. */
enum tally_fw_event_type seam_take(struct seam *s);

/* The headers of a packet from edge 0. */
struct roce_hdr seam_header(void);

/* A packet of @len bytes of data, a multiple of 8. */
struct tally_tch seam_tch(size_t len);

/* Give the hardware such a packet to send, without a number of an edge. */
void seam_send(struct seam *s, size_t len, unsigned int seed);

/* The data that seam_send() sends. */
void seam_fill(uint8_t *data, size_t len, unsigned int seed);

#endif
