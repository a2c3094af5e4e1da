/* SPDX-License-Identifier: BSD-2-Clause */
/* A run of one hostile guest: operations in the order of the input, then the recovery. */
#ifndef TALLY_FUZZ_HOSTILE_H
#define TALLY_FUZZ_HOSTILE_H

#include "guest.h"

typedef void hostile_deed(struct guest *g, struct input *in);

/* Returns 0, as LLVMFuzzerTestOneInput() does. */
int hostile_run(const uint8_t *data, size_t size, hostile_deed *const *deeds, unsigned int num);

/* guest_consume(). */
hostile_deed hostile_consume;

#endif
