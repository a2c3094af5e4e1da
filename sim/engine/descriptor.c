// SPDX-License-Identifier: BSD-2-Clause
/*
 * Triggered descriptors that the host carries out. Here is noted which have begun and fired, since
 * probes and reports depend on it. Their messages count as packets that are under way. All else, their
 * order and time limits among it, is the host's, and so is their outcome.
 */
#include "engine/descriptor.h"
#include "engine/common.h"
#include "engine/mirror.h"

bool descriptor_is_hosts(const struct engine *e, const struct group *g)
{
	return g->stored && host_triggers(e);
}

void descriptor_group(struct engine *e, const struct group *g)
{
	if (descriptor_is_hosts(e, g))
		mirror_trigger_group(e, g, g->msg_cells);
}

void descriptor_group_ends(struct engine *e, const struct group *g)
{
	if (descriptor_is_hosts(e, g))
		mirror_trigger_group(e, g, 0);
}

enum rx_verdict descriptor_packet(const struct engine *e)
{
	return e->answer.verdict == TALLY_FW_STORE_ANSWER_STORED ? RX_STORED : RX_DROP;
}
