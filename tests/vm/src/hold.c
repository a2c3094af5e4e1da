/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hold [exchange]: holds one object of each kind at each NIC, says "ready", and lets go when its
 * input ends. The group is a tree, or an exchange in two rounds.
 */
#include <unistd.h>

#include "check.h"
#include "work.h"

static const struct team_spec exchange = {
	.mode = TALLY_MODE_EXCHANGE, .rounds = 2, .radix = { 2, 2 },
};

int main(int argc, char **argv)
{
	struct team_spec spec = argc > 1 && !strcmp(argv[1], "exchange") ? exchange :
									   (struct team_spec){};
	static struct port ports[MAX_NICS];
	static struct cluster cluster;
	struct team team;
	char c;

	spec.jid = random_jid();
	cluster_open(&cluster);
	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	printf("ready\n");
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	ports_close(ports, &team);
	team_destroy(&team);
	cluster_close(&cluster);
	return 0;
}
