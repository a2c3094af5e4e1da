/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of elements in tests, and what reductions make of them, see operation.h. */
#ifndef TALLYCOLL_TESTING_VALUES_H
#define TALLYCOLL_TESTING_VALUES_H

#include "testing/operation.h"

#define VALUES_MOST 64 /* elements of a call */

/* Writes @num elements of a rank's data, from element @index on. */
void elements_write(const struct operation *o, uint32_t rank, uint64_t index, uint32_t num,
		    void *to);
/* Writes what the reduction of these elements of all ranks gives. */
void elements_reduce(const struct operation *o, uint64_t index, uint32_t num, void *to);

#endif
