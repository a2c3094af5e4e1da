// SPDX-License-Identifier: BSD-2-Clause
/* Which NIC a process uses, and opening it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/dv.h"
#include "transport/objects.h"

/* ---- The choice ---- */
/* Returns the length of the first name of a list, and moves on to the next. */
static size_t next_name(const char **list)
{
	size_t length = strcspn(*list, ",");

	*list += length + ((*list)[length] == ',');
	return length;
}

static bool same(const char *name, const char *part, size_t length)
{
	return strlen(name) == length && !memcmp(name, part, length);
}

static bool is_wanted(const char *name, const char *list)
{
	if (!list)
		return true;
	while (*list) {
		const char *part = list;

		if (same(name, part, next_name(&list)))
			return true;
	}
	return false;
}

/* Every name of the list must exist. */
static int check_list(const char *const *names, uint32_t num, const char *list, char *why,
		      size_t size)
{
	while (list && *list) {
		const char *part = list;
		size_t length = next_name(&list);
		uint32_t i = 0;

		while (i < num && !same(names[i], part, length))
			i++;
		if (i == num) {
			snprintf(why, size, "TALLY_COLL_NICS: there is no Tally NIC \"%.*s\".",
				 (int)length, part);
			return -ENODEV;
		}
	}
	return 0;
}

/* Processes take NICs in blocks, so that neighbouring ranks share one. */
int tc_dv_choose(const char *const *names, uint32_t num, const char *wanted, uint32_t local,
		 uint32_t num_local, char *why, size_t size)
{
	int err = check_list(names, num, wanted, why, size);
	uint32_t usable = 0, nth, i;

	if (err)
		return err;
	for (i = 0; i < num; i++)
		usable += is_wanted(names[i], wanted);
	if (!usable) {
		snprintf(why, size, num ? "TALLY_COLL_NICS names no NIC." :
					  "This machine has no Tally NIC.");
		return -ENODEV;
	}
	nth = (uint64_t)local * usable / num_local;
	for (i = 0; !is_wanted(names[i], wanted) || nth; i++)
		nth -= is_wanted(names[i], wanted);
	return i;
}

/* ---- The devices ---- */
static int by_name(const void *a, const void *b)
{
	return strverscmp(ibv_get_device_name(*(struct ibv_device *const *)a),
			  ibv_get_device_name(*(struct ibv_device *const *)b));
}

/* Moves the Tally NICs to the front, in the order of their names. Returns their number. */
static uint32_t sort_out(struct ibv_device **list)
{
	uint32_t num = 0;

	for (struct ibv_device **entry = list; *entry; entry++)
		if (tallydv_is_supported(*entry))
			list[num++] = *entry;
	qsort(list, num, sizeof(*list), by_name);
	return num;
}

static int choose(struct ibv_device **list, uint32_t local, uint32_t num_local, char *why,
		  size_t size)
{
	uint32_t num = sort_out(list);
	const char **names = calloc(num + 1, sizeof(*names));
	int nic;

	if (!names) {
		snprintf(why, size, "There is no memory left.");
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < num; i++)
		names[i] = ibv_get_device_name(list[i]);
	nic = tc_dv_choose(names, num, getenv("TALLY_COLL_NICS"), local, num_local, why, size);
	free(names);
	return nic;
}

static int open_device(struct tc_dv_net *net, uint32_t local, uint32_t num_local, char *why,
		       size_t size)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int nic;

	if (!list) {
		snprintf(why, size, "There is no RDMA device: %s.", strerror(errno));
		return -ENODEV;
	}
	nic = choose(list, local, num_local, why, size);
	if (nic >= 0) {
		net->context = ibv_open_device(list[nic]);
		if (!net->context)
			snprintf(why, size, "%s cannot be opened: %s.",
				 ibv_get_device_name(list[nic]), strerror(errno));
	}
	ibv_free_device_list(list);
	if (nic < 0)
		return nic;
	return net->context ? 0 : -ENODEV;
}

/* ---- The objects of a NIC ---- */
static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static int query(struct tc_dv_net *net)
{
	struct tallydv_device_attr attr;
	union ibv_gid gid;
	int err = tallydv_query_device(net->context, &attr);

	if (!err && ibv_query_gid(net->context, 1, 0, &gid))
		err = errno;
	if (err)
		return -err;
	/* The planner derives the MAC from the GID, which is link-local. */
	memcpy(net->net.address.gid, &gid, sizeof(gid));
	net->net.caps = attr.caps;
	net->net.max_inline = least(attr.max_inline, TC_DV_INLINE);
	net->net.queue_depth = TC_DV_DEPTH;
	net->net.max_groups = least(attr.max_groups, TC_DV_GROUPS);
	net->entries = least(attr.max_cq_depth,
			     net->net.max_groups * TC_DV_QUEUES * TC_DV_ENTRIES);
	return 0;
}

static int make_objects(struct tc_dv_net *net)
{
	struct ibv_cq_init_attr_ex attr = {
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED,
	};
	int err = query(net);

	if (err)
		return err;
	attr.cqe = net->entries;
	net->pd = ibv_alloc_pd(net->context);
	if (net->pd)
		net->cq = ibv_create_cq_ex(net->context, &attr);
	return net->cq ? 0 : -errno;
}

static void close_net(struct tc_net *tc)
{
	struct tc_dv_net *net = tc_dv_net_of(tc);

	if (net->cq)
		ibv_destroy_cq(ibv_cq_ex_to_cq(net->cq));
	if (net->pd)
		ibv_dealloc_pd(net->pd);
	if (net->context)
		ibv_close_device(net->context);
	free(net);
}

static enum tally_coll_status can(struct tc_net *net, uint32_t opcode, uint32_t op, uint32_t dtype)
{
	return tallydv_query_op(tc_dv_net_of(net)->context, opcode, op, dtype);
}

static const struct tc_net_ops ops = {
	.group_open = tc_dv_group_open,
	.group_close = tc_dv_group_close,
	.group_state = tc_dv_group_state,
	.group_abort = tc_dv_group_abort,
	.queue_open = tc_dv_queue_open,
	.queue_close = tc_dv_queue_close,
	.post = tc_dv_post,
	.poll = tc_dv_poll,
	.memory_new = tc_dv_memory_new,
	.memory_free = tc_dv_memory_free,
	.region_open = tc_dv_region_open,
	.region_close = tc_dv_region_close,
	.can = can,
	.status_str = tallydv_coll_status_str,
	.close = close_net,
};

int tc_dv_open(uint32_t local, uint32_t num_local, struct tc_net **out, char *why, size_t size)
{
	struct tc_dv_net *net = calloc(1, sizeof(*net));
	int err;

	if (!net) {
		snprintf(why, size, "There is no memory left.");
		return -ENOMEM;
	}
	net->net.ops = &ops;
	err = open_device(net, local, num_local, why, size);
	if (!err) {
		err = make_objects(net);
		if (err)
			snprintf(why, size, "%s cannot be used: %s.",
				 ibv_get_device_name(net->context->device), strerror(-err));
	}
	if (err)
		close_net(&net->net);
	else
		*out = &net->net;
	return err;
}
