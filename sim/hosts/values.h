/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data of test messages. Floating-point values are small integers and powers of two, such that
 * every partial result of a sum or product is exact in any order. struct message describes the
 * exceptions.
 */
#ifndef TALLY_SIM_HOSTS_VALUES_H
#define TALLY_SIM_HOSTS_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/tally_hw.h"

struct message;

/* Writes random bytes that follow from @seed. */
void values_bytes(uint64_t seed, void *to, size_t len);

/* Writes the contribution of @rank to a reduction: message_give_bytes() bytes. */
void values_reduce(const struct message *m, uint32_t rank, void *to);

/* Returns whether the value in memory is a signalling NaN. */
bool values_signal(enum tally_type type, const void *value);

/* Hashes 64 bits to 64 bits. */
uint64_t values_mix(uint64_t z);

#endif
