/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions by the CPU whose results have the bits of the NIC's, see docs/alu.md. */
#ifndef TALLYCOLL_HOST_REDUCE_H
#define TALLYCOLL_HOST_REDUCE_H

#include <stdint.h>

/* acc[i] = acc[i] @op in[i], of any alignment. The pair is one that the NIC's ALU has. */
void tc_reduce(uint8_t op, uint8_t dtype, void *acc, const void *in, uint64_t count);

#endif
