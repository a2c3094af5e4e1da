/* SPDX-License-Identifier: BSD-2-Clause */
/* Collective packets, and the expected output of tshark for each. */
#ifndef TALLY_DISSECTOR_PACKET_H
#define TALLY_DISSECTOR_PACKET_H

#include <stddef.h>
#include <stdint.h>

#include "gen/tally_hw.h"

#define LENGTH(a)	(sizeof(a) / sizeof(*(a)))
#define TEXT_MAX	1024

/* Columns that tshark shows besides the header: empty if the packet has no such field. */
enum column {
	ACK_SEEN, ACK_NUMBER, ACK_CHUNK,
	OPEN_NONCE, OPEN_ECHO, OPEN_FIRST_SEQ, OPEN_NUM_SEGS, OPEN_NODE, OPEN_MTU, OPEN_MODES,
	OPEN_ROUNDS, OPEN_NUM_NODES, OPEN_TOTAL_RANKS, OPEN_FLAGS,
	OPEN_KEY, OPEN_GROUP_KEY, OPEN_PLAN, OPEN_CHUNK,
	KILL_STATUS, KILL_DETECTOR, KILL_LEVEL, KILL_CONTRIBUTORS, KILL_RANKS, KILL_MID, KILL_SID,
	DATA, DATA_INT, DATA_UINT, DATA_FLOAT, DATA_INDEX, EXPERT, NUM_COLUMNS
};

extern const char *const column_names[NUM_COLUMNS];

struct packet {
	struct tally_tch tch;
	uint8_t payload[TALLY_MAX_MTU + 8];
	size_t len;		/* of the payload */
	char shown[NUM_COLUMNS][TEXT_MAX];
};

_Static_assert(offsetof(struct packet, payload) == sizeof(struct tally_tch), "header, then payload");

/* Two values of a type, usually 3 and -2 or 1.5 and -2, and their text in tshark. */
struct type_sample {
	uint8_t type;
	enum column column;
	uint64_t bits[2];
	const char *text;
};

extern const struct type_sample type_samples[];
extern const size_t num_type_samples;

/* Prints the error and ends the program with status 1. */
void die(const char *what) __attribute__((noreturn));

/* Returns a valid packet of a kind, with a different value in every field of the header. */
struct packet sample(uint8_t kind);

/* Appends to the expected text of a column. */
void show(struct packet *p, enum column column, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Replaces the payload, at most sizeof(p->payload) bytes; keeps the expected text. */
void set_payload(struct packet *p, const void *data, size_t len);
/* Expects the payload to be shown as bytes, as for kinds that have elements or no layout. */
void show_data(struct packet *p);
/* Makes a payload of KILL and its expected text. */
void fill_kill(struct packet *p, uint16_t status);
/* Makes two elements the payload: values, or (MINLOC, MAXLOC) pairs of a value and an index. */
void fill_elements(struct packet *p, const struct type_sample *s, uint8_t op);

#endif
