// SPDX-License-Identifier: BSD-2-Clause
/* The context of a process, on its NIC. */
#include "core/create.h"
#include "host/process.h"
#include "host/topology.h"
#include "transport/dv.h"

/* The functions' argument is the topology, which is needed only until the NIC is open. */
static int host_open(void *arg, bool threads, struct tc_host **host, char *why, size_t size)
{
	int err = tc_process_open(threads, host, why, size);

	if (!err)
		(*host)->socket = tc_topology_socket(arg);
	return err;
}

static unsigned int nearness(void *arg, const char *name)
{
	return tc_topology_nearness(arg, name);
}

static uint64_t near(void *arg, struct tc_host *host)
{
	(void)host;
	return tc_dv_near(nearness, arg);
}

static int net_open(void *arg, struct tc_host *host, const struct tc_neighbours *neighbours,
		    struct tc_net **net, char *why, size_t size)
{
	(void)arg;
	tc_process_crowd(host, neighbours->num_local);
	return tc_dv_open(neighbours, net, why, size);
}

enum tallycoll_status tallycoll_context_create(const struct tallycoll_context_params *params,
					       struct tallycoll_context **context, char *why,
					       size_t size)
{
	static const struct tc_platform process = {
		.host_open = host_open,
		.near = near,
		.net_open = net_open,
	};
	struct tc_topology *topology = tc_topology_open();
	enum tallycoll_status status =
		tc_context_create(params, &process, topology, context, why, size);

	tc_topology_close(topology);
	return status;
}
