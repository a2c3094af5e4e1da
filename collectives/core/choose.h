/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether an operation is offloaded, and how. The same at all ranks. */
#ifndef TALLYCOLL_CORE_CHOOSE_H
#define TALLYCOLL_CORE_CHOOSE_H

#include "core/core.h"

/* Returns the reason why @args is not offloaded; NONE: it goes by `*way`. */
enum tallycoll_reason tc_choose(const struct tallycoll_team *t, const struct tallycoll_args *args,
				const struct tc_way **way);

#endif
