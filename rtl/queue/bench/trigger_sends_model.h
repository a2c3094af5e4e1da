/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's request processor from the fire of a descriptor on, with a network that the bench is. */
#ifndef TALLY_RTL_TRIGGER_SENDS_MODEL_H
#define TALLY_RTL_TRIGGER_SENDS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SENDS_DESCS 64

/* Descriptor d has fired, and sends to contributors, the parent, and this node. */
void sends_begin(unsigned int d, uint64_t contributors, bool parent, bool self);
/* It tries to send. Receivers for which @may has a bit get the message; the parent is `parent`. */
void sends_try(unsigned int d, uint64_t may, bool parent, uint16_t self_status);
void sends_acked(unsigned int d, unsigned int edge);
bool sends_due(unsigned int d, unsigned int receiver);
bool sends_awaits(unsigned int d, unsigned int edge);
bool sends_done(unsigned int d);
bool sends_starved(unsigned int d);
/* Contributors that triggered_out() names. */
uint64_t sends_missing(unsigned int d);

#ifdef __cplusplus
}
#endif

#endif
