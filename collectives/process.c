// SPDX-License-Identifier: BSD-2-Clause
/* The context of a process, on its NIC. */
#include "core/create.h"
#include "host/process.h"
#include "transport/dv.h"

static int host_open(void *arg, bool threads, struct tc_host **host, char *why, size_t size)
{
	(void)arg;
	return tc_process_open(threads, host, why, size);
}

static int net_open(void *arg, struct tc_host *host, uint32_t local, uint32_t num_local,
		    struct tc_net **net, char *why, size_t size)
{
	(void)arg;
	tc_process_crowd(host, num_local);
	return tc_dv_open(local, num_local, net, why, size);
}

enum tallycoll_status tallycoll_context_create(const struct tallycoll_context_params *params,
					       struct tallycoll_context **context, char *why,
					       size_t size)
{
	static const struct tc_platform process = { .host_open = host_open, .net_open = net_open };

	return tc_context_create(params, &process, NULL, context, why, size);
}
