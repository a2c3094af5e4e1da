/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registered buffers through which data pass whose own memory is not registered. Buffers are kept
 * for the next message. TC_RESERVE buffers of the largest size are made with the context, so that a
 * message always gets one sooner or later.
 */
#ifndef TALLYCOLL_CORE_STAGING_H
#define TALLYCOLL_CORE_STAGING_H

#include "host.h"

#define TC_STAGING_MIN_LOG 8
#define TC_STAGING_MAX_LOG 19
#define TC_STAGING_CLASSES (TC_STAGING_MAX_LOG - TC_STAGING_MIN_LOG + 1)
#define TC_STAGING_MOST (1u << TC_STAGING_MAX_LOG)
#define TC_RESERVE 2

/* A buffer; a line with the flag word precedes the data. */
struct tc_buffer {
	struct tc_buffer *next;
	struct tc_region region;
	uint8_t *memory;	/* flag word, then data */
	uint8_t *data;
	unsigned int class;
};

struct tc_staging {
	struct tc_net *net;
	struct tc_buffer *free[TC_STAGING_CLASSES];
	uint32_t num;		/* buffers that exist */
};

/* Returns false if the reserve cannot be made. */
bool tc_staging_init(struct tc_staging *s, struct tc_net *net);
void tc_staging_free(struct tc_staging *s);
/* Returns a buffer for @bytes, at most TC_STAGING_MOST; NULL: all are in use. */
struct tc_buffer *tc_staging_get(struct tc_staging *s, uint64_t bytes);
void tc_staging_put(struct tc_staging *s, struct tc_buffer *b);

/* The same as tc_staging_get(), for bytes that are usually few. */
static inline struct tc_buffer *tc_staging_get_short(struct tc_staging *s, uint64_t bytes)
{
	struct tc_buffer *b = s->free[0];

	if (!b || bytes > 1u << TC_STAGING_MIN_LOG)
		return tc_staging_get(s, bytes);
	s->free[0] = b->next;
	return b;
}

static inline uint64_t tc_buffer_addr(const struct tc_buffer *b, uint64_t offset)
{
	return b->region.start + TC_LINE + offset;
}

#endif
