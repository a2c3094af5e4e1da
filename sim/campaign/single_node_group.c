// SPDX-License-Identifier: BSD-2-Clause
/* Groups of one node without requests, which only reserve resources. */
#include "campaign/campaign.h"

int campaign_lone_group(struct host *h, const struct lone_group *lone,
			const struct host_group_hook *hook, uint32_t *group, host_answer *fn,
			void *arg)
{
	const struct tree_group g = { .jid = lone->jid, .epoch = 1, .mtu = 256, .rto_us = 10,
				      .num_segs = lone->num_segs, .retry_limit = 1,
				      .timeout_ms = TALLY_MIN_TIMEOUT_MS,
				      .msg_cells = lone->cells };
	struct tree_config config;
	struct tree t;
	size_t len;

	tree_plan(&t, 1, 1);
	t.node[0].host = h;
	t.node[0].ranks = 1;
	tree_count_ranks(&t);
	len = tree_config(&t, &g, 0, &config);
	return host_group_create(h, group, &config, len, hook, fn, arg);
}
