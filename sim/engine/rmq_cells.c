// SPDX-License-Identifier: BSD-2-Clause
/*
 * Cells of the receive message queue. A group reserves cells when it is created, and nobody else
 * can take those. All groups share the cells that are not reserved.
 */
#include "engine/rmq_cells.h"
#include "engine/common.h"

static uint32_t own_free(const struct group *g)
{
	return g->msg_cells - g->own_cells;
}

static uint32_t shared_free(const struct engine *e)
{
	return TALLY_RMQ_CELLS - e->cells_reserved - e->shared_used;
}

static uint16_t pop(struct engine *e, struct group *g, bool own)
{
	uint16_t i = e->cell_free == NONE ? e->cell_fresh++ : e->cell_free;

	if (i == e->cell_free)
		e->cell_free = e->cells[i].next;
	e->cells[i].own = own;
	if (own)
		g->own_cells++;
	else
		e->shared_used++;
	return i;
}

uint16_t cell_take(struct engine *e, struct group *g, uint32_t keep)
{
	if (own_free(g) > keep)
		return pop(e, g, true);
	return shared_free(e) ? pop(e, g, false) : NONE;
}

void cell_give(struct engine *e, struct group *g, uint16_t cell)
{
	if (e->cells[cell].own)
		g->own_cells--;
	else
		e->shared_used--;
	e->cells[cell].next = e->cell_free;
	e->cell_free = cell;
}
