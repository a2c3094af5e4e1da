// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "engine/test/units.h"
#include "segment_map_model.h"

struct map_model {
	struct engine *e;
};

static void count_nothing(void *ctx, enum tally_counter counter, uint64_t n)
{
	(void)ctx;
	(void)counter;
	(void)n;
}

static const struct engine_host host = { .count = count_nothing };

struct map_model *map_model_new(unsigned int groups, unsigned int most)
{
	struct map_model *m = calloc(1, sizeof(*m));
	unsigned int i;

	if (!m)
		abort();
	m->e = engine_new(&host, NULL, 0);
	if (!m->e)
		abort();
	for (i = 0; i < groups; i++) {
		m->e->groups[i].state = TALLY_GROUP_OPEN;
		m->e->groups[i].max_segs = most;
	}
	return m;
}

void map_model_free(struct map_model *m)
{
	engine_free(m->e);
	free(m);
}

static struct group *at(const struct map_model *m, unsigned int group)
{
	return &m->e->groups[group];
}

void map_model_begin(struct map_model *m, unsigned int group)
{
	pool_begin(m->e, at(m, group));
}

bool map_model_raise(struct map_model *m, unsigned int group)
{
	struct group *g = at(m, group);

	if (!pool_borrow(m->e, g, g->limit + 1))
		return false;
	slot_of(m->e, g, g->limit - 1)->state = TALLY_SEG_BUSY;
	return true;
}

bool map_model_finish(struct map_model *m, unsigned int group, uint32_t num)
{
	struct group *g = at(m, group);

	if (!has_slot(g, num) || slot_of(m->e, g, num)->state == TALLY_SEG_FINISHED)
		return false;
	slot_of(m->e, g, num)->state = TALLY_SEG_FINISHED;
	while (has_slot(g, g->done) && slot_of(m->e, g, g->done)->state == TALLY_SEG_FINISHED)
		pool_advance(m->e, g);
	return true;
}

void map_model_end(struct map_model *m, unsigned int group)
{
	pool_end(m->e, at(m, group));
}

uint32_t map_model_done(const struct map_model *m, unsigned int group)
{
	return at(m, group)->done;
}

uint32_t map_model_limit(const struct map_model *m, unsigned int group)
{
	return at(m, group)->limit;
}

bool map_model_has(const struct map_model *m, unsigned int group, uint32_t num)
{
	return has_slot(at(m, group), num);
}

bool map_model_past(const struct map_model *m, unsigned int group, uint32_t num)
{
	return serial_lt(num, at(m, group)->done);
}

unsigned int map_model_slot(const struct map_model *m, unsigned int group, uint32_t num)
{
	return slot_of(m->e, at(m, group), num) - m->e->slots;
}
