// SPDX-License-Identifier: BSD-2-Clause
/*
 * Golden values: the fields of a structure, in order of declaration and without reserved ones,
 * consume a sequence of bytes 1, 2, .. 255, 1, ..., most significant byte first. No byte is zero,
 * and within 255 bytes all differ, so that a byte at a wrong place cannot go unnoticed.
 */
#include "model.h"

uint64_t golden_value(uint64_t n, unsigned int width)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < width; i++)
		v = v << 8 | (1 + (n + i) % 255);
	return v;
}

unsigned int golden_start(const struct model *m, const struct strct *s)
{
	return 37u * (unsigned int)(s - m->structs);
}

uint32_t golden_step(const struct field *f)
{
	return f->nested ? f->nested->value_bytes : f->elem_size;
}
