/* SPDX-License-Identifier: BSD-2-Clause */
/* The checks of an operation's arguments. */
#ifndef TALLYCOLL_CORE_ARGS_H
#define TALLYCOLL_CORE_ARGS_H

#include "tallycoll.h"

/*
 * Most elements of all blocks together. It keeps bytes within 64 bits and pieces within 31, whatever
 * the type, and no memory has more.
 */
#define TC_MOST_ELEMENTS (1ULL << 42)

/*
 * Returns NULL if the arguments may be used at rank @rank of @size ranks, otherwise a sentence that
 * names the one that is wrong. Whether the devices perform the operation is another question.
 */
const char *tc_args_fault(const struct tallycoll_args *a, uint32_t rank, uint32_t size);

#endif
