// SPDX-License-Identifier: BSD-2-Clause
/* The table of modes. */
#include "engine/mode.h"

const struct mode *const modes[] = {
	[TALLY_MODE_TREE] = &tree_mode,
	[TALLY_MODE_EXCHANGE] = &exchange_mode,
	[TALLY_MODE_RING] = &ring_mode,
};
