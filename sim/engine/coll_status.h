/* SPDX-License-Identifier: BSD-2-Clause */
/* Kinds of collective status codes. */
#ifndef TALLY_SIM_ENGINE_COLL_STATUS_H
#define TALLY_SIM_ENGINE_COLL_STATUS_H

#include <stdbool.h>
#include <stdint.h>

/* Return the verbs status (enum tally_wc_status) of a completion with this status. */
uint8_t coll_status_wc(uint16_t coll_status);
/* Like coll_status_wc(), for a request that fails because another's fault has ended the group. */
uint8_t coll_status_wc_of_end(uint16_t coll_status);
/* Whether requests behind one with this status begin as after a success. */
bool coll_status_spares_queue(uint16_t coll_status);
/* Whether the status is the fault of the request that has it, or of its queue pair. */
bool coll_status_is_local(uint16_t coll_status);
/* Whether an ABORT may give this status as its reason. */
bool coll_status_is_reason(uint16_t coll_status);
/* Whether a KILL may report this status as the cause of the end. */
bool coll_status_ends_epoch(uint16_t coll_status);

#endif
