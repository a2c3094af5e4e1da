/* SPDX-License-Identifier: BSD-2-Clause */
/* A fault as a user writes it: the grammar is in docs/simulator.md. */
#ifndef TALLY_SIM_FABRIC_FAULT_H
#define TALLY_SIM_FABRIC_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event.h"
#include "wire/frame.h"

#define FAULT_TEXT_MAX	256	/* of a specification, with the terminator */
#define FAULT_NAME_MAX	64	/* of a name in it, with the terminator */

#define FAULT_ACTION_LIST(X)					\
	X(DROP, "drop")						\
	X(CORRUPT, "corrupt")	/* flips one bit */		\
	X(DUPLICATE, "duplicate")				\
	X(REORDER, "reorder")	/* delays by min .. max */	\
	X(DELAY, "delay")	/* delays by `by` */		\
	X(DOWN, "down")						\
	X(SWITCH_DEATH, "switch-death")				\
	X(NIC_RESET, "nic-reset")				\
	X(DMA_ERROR, "dma-error")

#define FAULT_KEY_LIST(X)	\
	X(LINK, "link")		\
	X(NIC, "nic")		\
	X(DIR, "dir")		\
	X(FROM, "from")		\
	X(TO, "to")		\
	X(OPCODE, "opcode")	\
	X(KIND, "kind")		\
	X(JID, "jid")		\
	X(RATE, "rate")		\
	X(NTH, "nth")		\
	X(EVERY, "every")	\
	X(COUNT, "count")	\
	X(AT, "at")		\
	X(FOR, "for")		\
	X(MIN, "min")		\
	X(MAX, "max")		\
	X(BY, "by")		\
	X(SWITCH, "switch")

#define FAULT_ENUM_ACTION(name, text)	FAULT_##name,
enum fault_action {
	FAULT_ACTION_LIST(FAULT_ENUM_ACTION)
	FAULT_NUM_ACTIONS
};

#define FAULT_ENUM_KEY(name, text)	FAULT_KEY_##name,
enum fault_key {
	FAULT_KEY_LIST(FAULT_ENUM_KEY)
	FAULT_NUM_KEYS
};

enum fault_dir {
	FAULT_DIR_BOTH,
	FAULT_DIR_TX,		/* sent by the link's first end */
	FAULT_DIR_RX,
};

/* A parsed fault. Keys that were not given are 0, except min and max, which have defaults. */
struct fault {
	char text[FAULT_TEXT_MAX];	/* as given */
	enum fault_action action;
	unsigned int keys;		/* keys that were given: a bit for each enum fault_key */
	char link[FAULT_NAME_MAX];	/* patterns of fnmatch() */
	char nic[FAULT_NAME_MAX];
	char sw[FAULT_NAME_MAX];
	enum fault_dir dir;
	uint8_t from[6], to[6];
	uint8_t opcode;
	uint32_t kinds;			/* a bit for each enum tally_kind */
	uint32_t jid;
	double rate;
	uint64_t nth, every, count;
	vtime_t at, duration, min, max, by;
};

/*
 * Parses @text into @fault. Returns 0, or -EINVAL with a sentence in @err (of @err_len bytes) that
 * names the part at fault.
 */
int fault_parse(struct fault *fault, const char *text, char *err, size_t err_len);

static inline bool fault_has(const struct fault *fault, enum fault_key key)
{
	return fault->keys >> key & 1;
}

/* Returns whether the fault affects single packets, and not a link, a switch or a NIC. */
bool fault_is_of_packets(const struct fault *fault);

/* Returns whether matching packets trigger the fault, and not the time alone. */
bool fault_waits_for_packets(const struct fault *fault);

/*
 * The header fields of a frame that filters examine. Checksums are ignored, so that filters match a
 * damaged frame too.
 */
struct fault_headers {
	bool roce;		/* opcode is valid */
	bool collective;	/* kind and jid are valid */
	uint8_t opcode, kind;
	uint32_t jid;
};

void fault_headers(struct fault_headers *h, const struct frame *f);

/* Returns whether @f, with the headers @h, matches from, to, opcode, kind and jid of @fault. */
bool fault_fits(const struct fault *fault, const struct frame *f, const struct fault_headers *h);

#endif
