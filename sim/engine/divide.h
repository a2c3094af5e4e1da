/* SPDX-License-Identifier: BSD-2-Clause */
/* Division by a number that is fixed for a group, by the inverse that the firmware computes. */
#ifndef TALLY_SIM_ENGINE_DIVIDE_H
#define TALLY_SIM_ENGINE_DIVIDE_H

#include "firmware/divide.h"

static inline uint32_t quotient(const struct divisor *d, uint32_t value)
{
	return (uint32_t)((((uint64_t)value * d->inverse >> 32) + value) >> d->shift);
}

static inline uint32_t modulo(const struct divisor *d, uint32_t value)
{
	return value - quotient(d, value) * d->n;
}

#endif
