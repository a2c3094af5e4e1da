// SPDX-License-Identifier: BSD-2-Clause
/* Groups of the device. */
#include <errno.h>

#include "hosts/priv.h"

int host_group_create(struct host *h, uint32_t *group, const void *config, size_t length,
		      const struct host_group_hook *hook, host_answer *fn, void *arg)
{
	union host_body b = { .raw = { 0 } };
	uint64_t at = arena_alloc(&h->mem, length);

	if (!at)
		return -ENOMEM;
	*group = ids_take(&h->groups, 1);
	if (*group == IDS_NONE) {
		arena_release(&h->mem, at, length);
		return -ENOSPC;
	}
	memcpy(arena_at(&h->mem, at, length), config, length);
	h->group[*group] = *hook;
	b.group.group = htole32(*group);
	b.group.length = htole32(length);
	b.group.addr = htole64(at);
	host_command_data(h, TALLY_ADMIN_CREATE_GROUP, &b, at, length, fn, arg);
	return 0;
}

void host_group_destroy(struct host *h, uint32_t group, host_answer *fn, void *arg)
{
	union host_body b = { .raw = { 0 } };

	b.object.id = htole32(group);
	host_command(h, TALLY_ADMIN_DESTROY_GROUP, &b, fn, arg);
}

void host_group_forget(struct host *h, uint32_t group)
{
	h->group[group] = (struct host_group_hook){ 0 };
	ids_give(&h->groups, group, 1);
}

void host_group_detach(struct host *h, uint32_t group, uint64_t ranks, host_answer *fn, void *arg)
{
	union host_body b = { .raw = { 0 } };

	b.group_ranks.group = htole32(group);
	b.group_ranks.ranks = htole64(ranks);
	host_command(h, TALLY_ADMIN_DETACH_RANK, &b, fn, arg);
}

void host_group_reset(struct host *h, uint32_t group, uint32_t epoch, host_answer *fn, void *arg)
{
	union host_body b = { .raw = { 0 } };

	b.reset_group.group = htole32(group);
	b.reset_group.epoch = htole32(epoch);
	host_command(h, TALLY_ADMIN_RESET_GROUP, &b, fn, arg);
}
