/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies between a rank's data and the form that they have in messages: blocks by place. */
#ifndef TALLYCOLL_ALGO_COPY_H
#define TALLYCOLL_ALGO_COPY_H

#include "core/core.h"

/* Bytes that this rank gives to piece @index, and gets from it. */
uint64_t tc_give_bytes(const struct tallycoll_request *r, uint32_t index);
uint64_t tc_get_bytes(const struct tallycoll_request *r, uint32_t index);
/* Write what the rank gives to @to; read what it gets from @from. */
void tc_copy_in(const struct tallycoll_request *r, uint32_t index, uint8_t *to);
void tc_copy_out(const struct tallycoll_request *r, uint32_t index, const uint8_t *from);
/* The rank's data of a piece in its own memory, if they are contiguous there. */
const uint8_t *tc_give_at(const struct tallycoll_request *r, uint32_t index);
uint8_t *tc_get_at(const struct tallycoll_request *r, uint32_t index);

/* The part of a work request that does not depend on the way. */
struct tc_work tc_work_of(const struct tallycoll_request *r, uint32_t index);

#endif
