// SPDX-License-Identifier: BSD-2-Clause
#include "fabric/port_groups.h"

#include <errno.h>
#include <stdlib.h>

#include "fabric/switch.h"

#define FIRST_PORTS	4
#define FIRST_GROUPS	4

const struct port_group *port_groups_find(const struct port_groups *g, const uint8_t mac[6])
{
	int at = mac_table_find(&g->macs, mac);

	return at < 0 ? NULL : g->group[at];
}

bool port_group_has(const struct port_group *g, unsigned int port)
{
	for (unsigned int i = 0; i < g->count; i++)
		if (g->port[i] == port)
			return true;
	return false;
}

/* Returns a free index for a group, or -errno. */
static int place(struct port_groups *g)
{
	unsigned int at = 0, room = g->room ? 2 * g->room : FIRST_GROUPS;
	struct port_group **group;

	while (at < g->room && g->group[at])
		at++;
	if (at < g->room)
		return at;
	if (at >= FAB_SWITCH_GROUPS_MAX)
		return -ENOSPC;
	group = reallocarray(g->group, room, sizeof(*group));
	if (!group)
		return -ENOMEM;
	for (unsigned int i = at; i < room; i++)
		group[i] = NULL;
	g->group = group;
	g->room = room;
	return at;
}

static struct port_group *resize(struct port_group *old, unsigned int room)
{
	struct port_group *new = realloc(old, sizeof(*new) + room * sizeof(new->port[0]));

	if (!new)
		return NULL;
	if (!old)
		new->count = 0;
	new->room = room;
	return new;
}

/* Makes a group without members and returns its index, or -errno. */
static int found(struct port_groups *g, const uint8_t mac[6])
{
	int at = place(g), err;

	if (at < 0)
		return at;
	g->group[at] = resize(NULL, FIRST_PORTS);
	if (!g->group[at])
		return -ENOMEM;
	err = mac_table_set(&g->macs, mac, at);
	if (!err)
		return at;
	free(g->group[at]);
	g->group[at] = NULL;
	return err;
}

int port_groups_join(struct port_groups *g, const uint8_t mac[6], unsigned int port)
{
	int at = mac_table_find(&g->macs, mac);
	struct port_group *group;

	if (at < 0)
		at = found(g, mac);
	if (at < 0)
		return at;
	group = g->group[at];
	if (port_group_has(group, port))
		return 0;
	if (group->count == group->room) {
		group = resize(group, 2 * group->room);
		if (!group)
			return -ENOMEM;
		g->group[at] = group;
	}
	group->port[group->count++] = port;
	return 0;
}

void port_groups_leave(struct port_groups *g, const uint8_t mac[6])
{
	int at = mac_table_find(&g->macs, mac);

	if (at < 0)
		return;
	free(g->group[at]);
	g->group[at] = NULL;
	mac_table_remove(&g->macs, mac);
}

void port_groups_clear(struct port_groups *g)
{
	for (unsigned int i = 0; i < g->room; i++)
		free(g->group[i]);
	free(g->group);
	mac_table_clear(&g->macs);
	*g = (struct port_groups){ 0 };
}
