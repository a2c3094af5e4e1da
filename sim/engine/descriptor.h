/* SPDX-License-Identifier: BSD-2-Clause */
/* Triggered descriptors that the host carries out (docs/rtl-trigger.md). */
#ifndef TALLY_SIM_ENGINE_DESCRIPTOR_H
#define TALLY_SIM_ENGINE_DESCRIPTOR_H

#include "engine/tables.h"

/* Whether the host carries out the descriptors of a group. */
bool descriptor_is_hosts(const struct engine *e, const struct group *g);
/* Give a descriptor to the host, because its turn has come. */
void descriptor_begin(struct engine *e, struct qp *qp, struct wr *wr);

#endif
