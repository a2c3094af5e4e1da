/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds one object of each kind at each NIC, says "ready", and lets go when its input ends. */
#include <unistd.h>

#include "check.h"
#include "work.h"

int main(void)
{
	struct team_spec spec = { .jid = random_jid() };
	static struct port ports[MAX_NICS];
	static struct cluster cluster;
	struct team team;
	char c;

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
