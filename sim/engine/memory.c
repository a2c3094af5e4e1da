// SPDX-License-Identifier: BSD-2-Clause
/* Memory of the engine's tables. */
#include "engine/memory.h"
#include "engine/common.h"

#include <sys/mman.h>

void memory_forget(void *entry, size_t size)
{
	madvise(entry, size, MADV_DONTNEED);
}
