/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data of test messages. Floating-point values are such that every partial result of a sum or
 * product is exact, whatever the order: small integers, and powers of two. See struct message for
 * those that are not.
 */
#ifndef TALLY_SIM_HOSTS_VALUES_H
#define TALLY_SIM_HOSTS_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/tally_hw.h"

struct message;

/* Random bytes that follow from @seed. */
void values_bytes(uint64_t seed, void *to, size_t len);

/* What @rank contributes to a reduction: message_give_bytes() of it. */
void values_reduce(const struct message *m, uint32_t rank, void *to);

/* Is the value in memory a signalling NaN? */
bool values_signal(enum tally_type type, const void *value);

/* A hash of 64 bits to as many. */
uint64_t values_mix(uint64_t z);

#endif
