/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of the tables. */
#ifndef TALLY_SIM_ENGINE_MEMORY_H
#define TALLY_SIM_ENGINE_MEMORY_H

#include "engine/tables.h"

/* Clear a group, tombstone or queue pair that is gone, and give back its memory. */
void memory_forget(void *entry, size_t size);

#endif
