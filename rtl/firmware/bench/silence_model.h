/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's exception of a neighbour that does not answer, for the bench of tally_silence. */
#ifndef TALLY_RTL_SILENCE_MODEL_H
#define TALLY_RTL_SILENCE_MODEL_H

#include "exceptions_model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Return what the last time-out of an edge raises. */
void silence_model(uint32_t group, uint32_t edge, struct model_raised *x);

#ifdef __cplusplus
}
#endif

#endif
