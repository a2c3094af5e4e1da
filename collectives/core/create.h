/* SPDX-License-Identifier: BSD-2-Clause */
/* The context on any platform. The shared library's tallycoll_context_create() uses this process. */
#ifndef TALLYCOLL_CORE_CREATE_H
#define TALLYCOLL_CORE_CREATE_H

#include "host.h"
#include "tallycoll.h"

/* As tallycoll_context_create(). @arg is given to the platform's functions. */
enum tallycoll_status tc_context_create(const struct tallycoll_context_params *params,
					const struct tc_platform *platform, void *arg,
					struct tallycoll_context **context, char *why, size_t size);

#endif
