// SPDX-License-Identifier: BSD-2-Clause
/*
 * The pool of segments of the engine, which decides by itself here, although the host has the store: the benches look at who asks
 * for segments, and compare limits.
 */
#include "engine/common.h"

#define host_stores(e) ((void)(e), false)
#include "engine/pool.c"
