/* SPDX-License-Identifier: BSD-2-Clause */
/* Intermediate results of messages. */
#ifndef TALLY_SIM_ENGINE_SUM_H
#define TALLY_SIM_ENGINE_SUM_H

#include "engine/tables.h"

/* Whether an intermediate result has a message of the contributor, and whether that one counts. */
bool sum_has(const struct sum *s, uint8_t contributor);
bool sum_counts(const struct sum *s, uint8_t contributor);
/* Whether an intermediate result takes further messages, and whether it lacks none. */
bool sum_is_open(const struct sum *s);
bool sum_is_complete(const struct sum *s);
/* Note that a contributor's message disagrees with the others, so there is no result. */
void sum_spoil(struct sum *s, uint8_t contributor);
/* Reduce a message into an intermediate result, whose data are @to. */
void sum_message(struct engine *e, struct sum *s, uint8_t *to, const struct tch *t,
		 uint8_t contributor, const void *payload, uint16_t len);
/* Reduce a descriptor's own data into an intermediate result. */
void sum_own(struct engine *e, struct sum *s, uint8_t *to, const struct wqe *w, const void *data);

#endif
