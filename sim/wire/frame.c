// SPDX-License-Identifier: BSD-2-Clause
#include "wire/frame.h"

#include <errno.h>
#include <string.h>

#include "core/pool.h"

struct frame *frame_alloc(size_t len)
{
	struct frame *f;

	if (len > FRAME_MAX) {
		errno = EMSGSIZE;
		return NULL;
	}
	f = pool_alloc(sizeof(*f) + len);
	if (!f)
		return NULL;
	memset(f->data, 0, len);
	f->refs = 1;
	f->sound = false;
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
		pool_free(f, sizeof(*f) + f->len);
}
