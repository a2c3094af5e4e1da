/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of a device, set up in debugfs as docs/faults.md tells. Whatever fails ends the program. */
#ifndef TALLY_TEST_KNOBS_H
#define TALLY_TEST_KNOBS_H

#include <stdbool.h>
#include <stdint.h>

struct ibv_context;

/* Where the faults of a device are; stays so while the device comes and goes. */
struct knobs {
	char folder[128];
};

void knobs_open(struct knobs *k, struct ibv_context *context);

/* Write a word, or a number, to a file of a fault: k->folder/fault/file. */
void knob_set(const struct knobs *k, const char *fault, const char *file, const char *word);
void knob_number(const struct knobs *k, const char *fault, const char *file, uint64_t number);
/* The same, which must be refused with EINVAL and change nothing. */
void knob_refused(const struct knobs *k, const char *fault, const char *file, const char *word);
/* What is read from the file must be this word. */
void knob_expect(const struct knobs *k, const char *fault, const char *file, const char *word);
uint64_t knob_read(const struct knobs *k, const char *fault, const char *file);

/* Whether this thread is one of those whose calls a fault of the driver with a task filter meets. */
void let_fail(bool on);

/*
 * The n-th call from now on that concerns `filter` (NULL: any, or the fault has none) fails, and no
 * other. Calls of other threads do not count where the fault can tell.
 */
void fail_nth(const struct knobs *k, const char *fault, const char *filter, unsigned int n);
/* The fault is off, and nothing but what it was set up with is its past. */
void fault_off(const struct knobs *k, const char *fault);

#endif
