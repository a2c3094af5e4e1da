// SPDX-License-Identifier: BSD-2-Clause
/* Fills slots of the engine, and reads the firmware's registers. */
#include "engine/test/units.h"

#include "store_look_model.h"

#include <stddef.h>
#include <stdlib.h>

static struct engine *e;

static void count_nothing(void *ctx, enum tally_counter counter, uint64_t n)
{
	(void)ctx;
	(void)counter;
	(void)n;
}

static const struct engine_host host = { .count = count_nothing };

void look_model_reset(void)
{
	engine_free(e);
	e = engine_new(&host, NULL, 1);
	if (!e)
		abort();
}

void look_model_group(unsigned int group, uint64_t ranks, const uint8_t *rounds)
{
	struct group *g = &e->groups[group];
	unsigned int i;

	g->rank_mask = ranks;
	g->rounds = TALLY_MAX_ROUNDS;
	for (i = 0; i <= TALLY_MAX_ROUNDS; i++)
		g->round[i].ins = 0;
	for (i = 0; i < TALLY_MAX_CONTRIBUTORS; i++)
		g->round[rounds[i]].ins |= 1ULL << i;
}

void look_model_window(unsigned int group, uint32_t done, uint32_t limit)
{
	e->groups[group].done = done;
	e->groups[group].limit = limit;
}

void look_model_chunk(unsigned int group, uint32_t num, unsigned int slot, const struct look_chunk *c)
{
	struct group *g = &e->groups[group];
	struct slot *s = &e->slots[slot];
	const bool exchange = c->mode == TALLY_MODE_EXCHANGE;

	g->seg[num % TALLY_MAX_GROUP_SEGS] = slot;
	s->state = c->state;
	s->mode = c->mode;
	s->opcode = c->opcode;
	s->op = c->op;
	s->dtype = c->dtype;
	s->num = num;
	s->mid = c->mid;
	s->sid = c->sid;
	s->up_contributors = c->missing;
	s->out_todo = exchange ? c->receivers : 0;
	s->down_todo = exchange ? 0 : c->receivers;
	s->posted = g->rank_mask & ~c->unposted;
	s->deliver = c->deliver;
	s->down_have = c->have;
	s->down_expected = exchange || c->awaits;
	s->up_send = c->up && !exchange;
	s->up_edge = c->up_edge;
	s->down_edge = exchange ? NO_EDGE : c->down_edge;
}

#define GROUP(group, field) \
	registers_read(e, TALLY_FW_GROUP_BASE + (group) * TALLY_FW_GROUP_STRIDE + offsetof(struct tally_fw_group, field))
#define SEGMENT_AT(field) (TALLY_FW_SEGMENT_BASE + offsetof(struct tally_fw_segment, field))
#define SEGMENT(field) registers_read(e, SEGMENT_AT(field))

struct look_view look_model_view(unsigned int group, uint32_t index)
{
	struct look_view v;

	registers_write(e, SEGMENT_AT(group), group);
	registers_write(e, SEGMENT_AT(index), index);
	v = (struct look_view){
		.state = SEGMENT(state),
		.opcode = SEGMENT(opcode),
		.op = SEGMENT(op),
		.dtype = SEGMENT(dtype),
		.num = SEGMENT(num),
		.mid = SEGMENT(mid),
		.sid = SEGMENT(sid),
		.missing = SEGMENT(missing),
		.ranks = SEGMENT(ranks),
		.receivers = SEGMENT(receivers),
		.deliver = SEGMENT(deliver),
		.waits = SEGMENT(waits),
		.oldest_busy = GROUP(group, oldest_busy),
		.oldest_tree = GROUP(group, oldest_tree),
		.oldest_mid = GROUP(group, oldest_mid),
		.oldest_sid = GROUP(group, oldest_sid),
		.oldest_waits_parent = GROUP(group, oldest_waits_parent),
		.oldest_missing = GROUP(group, oldest_missing),
		.oldest_waits = GROUP(group, oldest_waits),
	};
	return v;
}
