/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fault injection of a device through debugfs, as docs/faults.md describes. A failure ends the
 * program.
 */
#ifndef TALLY_TEST_KNOBS_H
#define TALLY_TEST_KNOBS_H

#include <stdbool.h>
#include <stdint.h>

struct ibv_context;

/* The folder of a device's faults, which stays the same when the device is reset. */
struct knobs {
	char folder[128];
};

void knobs_open(struct knobs *k, struct ibv_context *context);

/* Write a word or a number to a file of a fault: k->folder/fault/file. */
void knob_set(const struct knobs *k, const char *fault, const char *file, const char *word);
void knob_number(const struct knobs *k, const char *fault, const char *file, uint64_t number);
/* Checks that the word is refused with EINVAL and changes nothing. */
void knob_refused(const struct knobs *k, const char *fault, const char *file, const char *word);
/* Checks that the file contains this word. */
void knob_expect(const struct knobs *k, const char *fault, const char *file, const char *word);
uint64_t knob_read(const struct knobs *k, const char *fault, const char *file);

/* Selects whether calls of this thread may fail by a driver fault with a task filter. */
void let_fail(bool on);

/*
 * Makes the n-th call from now on that matches `filter` fail, and no other call. A `filter` of NULL
 * means any call, or a fault without a filter. Calls of other threads do not count if the fault has
 * a task filter.
 */
void fail_nth(const struct knobs *k, const char *fault, const char *filter, unsigned int n);
/* Disables the fault. Its settings stay as they are. */
void fault_off(const struct knobs *k, const char *fault);

#endif
