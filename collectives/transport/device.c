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

int tc_dv_usable(const char *const *names, uint32_t num, const char *wanted, uint64_t *usable,
		 char *why, size_t size)
{
	int err = check_list(names, num, wanted, why, size);

	if (err)
		return err;
	*usable = 0;
	for (uint32_t i = 0; i < num && i < TC_DV_NICS; i++)
		if (is_wanted(names[i], wanted))
			*usable |= 1ULL << i;
	if (*usable)
		return 0;
	snprintf(why, size, num ? "TALLY_COLL_NICS names no NIC." : "This machine has no Tally NIC.");
	return -ENODEV;
}

static bool comes_before(uint64_t a, uint64_t b)
{
	int nics_a = __builtin_popcountll(a), nics_b = __builtin_popcountll(b);

	return nics_a != nics_b ? nics_a < nics_b : a < b;
}

/* Returns the set of NICs that comes after @last; 0: none. */
static uint64_t next_set(const struct tc_neighbours *n, uint64_t last)
{
	uint64_t next = 0;

	for (uint32_t i = 0; i < n->num_local; i++)
		if (n->near[i] && comes_before(last, n->near[i]) &&
		    (!next || comes_before(n->near[i], next)))
			next = n->near[i];
	return next;
}

/* Spreads the processes of a set over its NICs, so that none of these has many more than another. */
static void spread(const struct tc_neighbours *n, uint64_t set, uint32_t load[TC_DV_NICS],
		   uint32_t share[TC_DV_NICS])
{
	memset(share, 0, TC_DV_NICS * sizeof(*share));
	for (uint32_t i = 0; i < n->num_local; i++) {
		uint32_t least = __builtin_ctzll(set);

		if (n->near[i] != set)
			continue;
		for (uint32_t nic = least + 1; nic < TC_DV_NICS; nic++)
			if ((set >> nic & 1) && load[nic] < load[least])
				least = nic;
		load[least]++;
		share[least]++;
	}
}

/*
 * Processes with the same nearest NICs take these in blocks, so that neighbouring ranks share one. The
 * sets with few NICs come first, for the others have more choice.
 */
uint32_t tc_dv_assign(const struct tc_neighbours *n)
{
	const uint64_t mine = n->near[n->local];
	uint32_t load[TC_DV_NICS] = { 0 }, share[TC_DV_NICS], before = 0, nic = 0;

	for (uint64_t set = next_set(n, 0); set; set = set == mine ? 0 : next_set(n, set))
		spread(n, set, load, share);
	for (uint32_t i = 0; i < n->local; i++)
		before += n->near[i] == mine;
	for (; before >= share[nic]; nic++)
		before -= share[nic];
	return nic;
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

/* Finds the NICs in the order of their names, and which of them may be used. Returns their number. */
static int find_nics(struct ibv_device **list, const char ***names, uint64_t *usable, char *why,
		     size_t size)
{
	uint32_t num = sort_out(list);
	int err;

	*names = calloc(num + 1, sizeof(**names));
	if (!*names) {
		snprintf(why, size, "There is no memory left.");
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < num; i++)
		(*names)[i] = ibv_get_device_name(list[i]);
	err = tc_dv_usable(*names, num, getenv("TALLY_COLL_NICS"), usable, why, size);
	return err ? err : (int)num;
}

uint64_t tc_dv_near(unsigned int (*nearness)(void *arg, const char *name), void *arg)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	const char **names = NULL;
	uint64_t usable = 0, near = 0;
	unsigned int most = 0;
	char why[128];

	/* What fails here fails again when the NIC is opened. */
	if (!list || find_nics(list, &names, &usable, why, sizeof(why)) < 0)
		usable = 0;
	for (uint32_t i = 0; i < TC_DV_NICS && usable >> i; i++) {
		unsigned int this;

		if (!(usable >> i & 1))
			continue;
		this = nearness(arg, names[i]);
		if (this >= most)
			near = (this > most ? 0 : near) | 1ULL << i;
		most = this > most ? this : most;
	}
	free(names);
	if (list)
		ibv_free_device_list(list);
	return near;
}

/* A process that did not tell which NICs are near uses the first one. */
static int choose(struct ibv_device **list, const struct tc_neighbours *neighbours, char *why,
		  size_t size)
{
	const char **names = NULL;
	uint64_t usable = 0;
	int num = find_nics(list, &names, &usable, why, size);

	free(names);
	if (num < 0)
		return num;
	if (!(neighbours->near[neighbours->local] & usable))
		return __builtin_ctzll(usable);
	return tc_dv_assign(neighbours);
}

static int open_device(struct tc_dv_net *net, const struct tc_neighbours *neighbours, char *why,
		       size_t size)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int nic;

	if (!list) {
		snprintf(why, size, "There is no RDMA device: %s.", strerror(errno));
		return -ENODEV;
	}
	nic = choose(list, neighbours, why, size);
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
	net->net.name = ibv_get_device_name(net->context->device);
	net->net.caps = attr.caps;
	net->net.opcodes = attr.opcodes;
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

int tc_dv_open(const struct tc_neighbours *neighbours, struct tc_net **out, char *why, size_t size)
{
	struct tc_dv_net *net = calloc(1, sizeof(*net));
	int err;

	if (!net) {
		snprintf(why, size, "There is no memory left.");
		return -ENOMEM;
	}
	net->net.ops = &ops;
	err = open_device(net, neighbours, why, size);
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
