/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of elements in tests, and what reductions make of them, see operation.h. */
#ifndef TALLYCOLL_TESTING_VALUES_H
#define TALLYCOLL_TESTING_VALUES_H

#include "testing/operation.h"

/* Writes element @index of a rank's data. */
void value_write(const struct operation *o, uint32_t rank, uint64_t index, void *to);
/* Writes what the reduction of element @index of all ranks gives. */
void value_reduce(const struct operation *o, uint64_t index, void *to);

#endif
