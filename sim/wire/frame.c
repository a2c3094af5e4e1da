// SPDX-License-Identifier: BSD-2-Clause
#include "wire/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct frame *frame_alloc(size_t len)
{
	struct frame *f;

	if (len > FRAME_MAX) {
		errno = EMSGSIZE;
		return NULL;
	}
	f = calloc(1, sizeof(*f) + len);
	if (!f)
		return NULL;
	f->refs = 1;
	f->len = len;
	return f;
}

struct frame *frame_copy(const struct frame *f)
{
	struct frame *copy = frame_alloc(f->len);

	if (copy)
		memcpy(copy->data, f->data, f->len);
	return copy;
}

struct frame *frame_ref(struct frame *f)
{
	f->refs++;
	return f;
}

void frame_unref(struct frame *f)
{
	if (f && --f->refs == 0)
		free(f);
}
