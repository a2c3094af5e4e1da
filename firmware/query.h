/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers to QUERY. */
#ifndef TALLY_FIRMWARE_QUERY_H
#define TALLY_FIRMWARE_QUERY_H

#include <stdint.h>

/* Answer the QUERY of the event. */
void query_answer(uint32_t group);

#endif
