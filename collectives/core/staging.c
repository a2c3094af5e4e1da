// SPDX-License-Identifier: BSD-2-Clause
#include "core/staging.h"

#include <stdlib.h>

static size_t memory_bytes(unsigned int class)
{
	return TC_LINE + ((size_t)1 << (class + TC_STAGING_MIN_LOG));
}

static struct tc_buffer *make(struct tc_staging *s, unsigned int class)
{
	struct tc_buffer *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->class = class;
	b->memory = s->net->ops->memory_new(s->net, memory_bytes(class), &b->region);
	if (!b->memory) {
		free(b);
		return NULL;
	}
	b->data = b->memory + TC_LINE;
	s->num++;
	return b;
}

bool tc_staging_init(struct tc_staging *s, struct tc_net *net)
{
	*s = (struct tc_staging){ .net = net };
	for (unsigned int i = 0; i < TC_RESERVE; i++) {
		struct tc_buffer *b = make(s, TC_STAGING_CLASSES - 1);

		if (!b) {
			tc_staging_free(s);
			return false;
		}
		tc_staging_put(s, b);
	}
	return true;
}

void tc_staging_free(struct tc_staging *s)
{
	for (unsigned int class = 0; class < TC_STAGING_CLASSES; class++) {
		while (s->free[class]) {
			struct tc_buffer *b = s->free[class];

			s->free[class] = b->next;
			s->net->ops->memory_free(s->net, b->memory, memory_bytes(class), &b->region);
			free(b);
		}
	}
}

struct tc_buffer *tc_staging_get(struct tc_staging *s, uint64_t bytes)
{
	unsigned int fit = 0, class;
	struct tc_buffer *b;

	while (bytes > 1u << (fit + TC_STAGING_MIN_LOG))
		fit++;
	if (!s->free[fit]) {
		b = make(s, fit);
		if (b)
			return b;
	}
	for (class = fit; class < TC_STAGING_CLASSES; class++) {
		b = s->free[class];
		if (b) {
			s->free[class] = b->next;
			return b;
		}
	}
	return NULL;
}

void tc_staging_put(struct tc_staging *s, struct tc_buffer *b)
{
	b->next = s->free[b->class];
	s->free[b->class] = b;
}
