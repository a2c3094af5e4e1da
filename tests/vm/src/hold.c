/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hold [exchange|multicast]: holds one object of each kind at each NIC, prints "ready", and
 * releases them when its input ends. The group is a tree, an exchange of two rounds, or a tree with
 * multicast results.
 */
#include "check.h"
#include "work.h"

static const struct team_spec exchange = {
	.mode = TALLY_MODE_EXCHANGE, .rounds = 2, .radix = { 2, 2 },
};

static struct team_spec spec_of(const char *name)
{
	if (!strcmp(name, "exchange"))
		return exchange;
	return (struct team_spec){
		.flags = strcmp(name, "multicast") ? 0 : TALLY_GROUP_F_MULTICAST,
	};
}

int main(int argc, char **argv)
{
	struct team_spec spec = spec_of(argc > 1 ? argv[1] : "tree");
	static struct port ports[MAX_NICS];
	static struct cluster cluster;
	struct team team;

	spec.jid = random_jid();
	cluster_open(&cluster);
	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	say_ready();
	wait_for_end_of_input();
	ports_close(ports, &team);
	team_destroy(&team);
	cluster_close(&cluster);
	return 0;
}
