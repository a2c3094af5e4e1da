/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers by which the firmware answers the driver's queries. */
#ifndef TALLY_SIM_ENGINE_REGISTERS_QUERY_H
#define TALLY_SIM_ENGINE_REGISTERS_QUERY_H

#include "engine/tables.h"

/* Read a register. Return whether there is such a register. */
bool query_segment_read(struct engine *e, uint32_t at, uint64_t *value);
bool query_arrival_read(const struct engine *e, uint32_t at, uint64_t *value);
bool query_edge_read(const struct edge *ed, uint32_t at, uint64_t *value);
/* Write the group or the index of the segment or the arrival that is read. */
bool query_segment_write(struct engine *e, uint32_t at, uint32_t value);
bool query_arrival_write(struct engine *e, uint32_t at, uint32_t value);

#endif
