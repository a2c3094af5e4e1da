// SPDX-License-Identifier: BSD-2-Clause
/* The node way's data: into shared memory, combined there, and out of it. */
#include "algo/copy.h"
#include "algo/node.h"

void tc_node_bring(const struct tallycoll_request *r, const struct tc_piece *p)
{
	struct tc_area *a = r->party->area;
	uint32_t slot = tc_node_slot(r, p);

	if (tc_node_reduces(r))
		tc_copy_in(r, p->index, tc_area_in(a, slot, r->party->number));
	else if (r->gives && tc_node_spreads(r))
		tc_copy_in(r, p->index, tc_area_from(a, slot));
	else if (r->gives)
		tc_copy_in(r, p->index,
			   tc_area_from(a, slot) + r->party->number * tc_node_part(r, p));
}

void tc_node_combine(const struct tallycoll_request *r, const struct tc_piece *p)
{
	struct tc_area *a = r->party->area;
	const uint32_t slot = tc_node_slot(r, p), align = TC_LINE / r->elem ? TC_LINE / r->elem : 1;
	uint64_t count = tc_give_bytes(r, p->index) / r->elem, first, num;
	uint64_t slice = (count / r->party->num + align) / align * align;
	uint8_t *to = tc_area_from(a, slot);

	first = slice * r->party->number;
	if (first >= count)
		return;
	num = count - first < slice ? count - first : slice;
	to += first * r->elem;
	a->host->ops->copy(a->host, to, tc_area_in(a, slot, 0) + first * r->elem, num * r->elem);
	for (uint32_t i = 1; i < r->party->num; i++)
		a->host->ops->reduce(a->host, r->args.op, r->args.dtype, to,
				     tc_area_in(a, slot, i) + first * r->elem, num);
}

void tc_node_take(const struct tallycoll_request *r, const struct tc_piece *p)
{
	struct tc_area *a = r->party->area;
	const uint8_t *from = tc_area_to(a, tc_node_slot(r, p));

	if (r->args.opcode == TALLY_OPCODE_BCAST && tc_node_near_root(r))
		from = tc_area_from(a, tc_node_slot(r, p));
	if (r->args.opcode == TALLY_OPCODE_SCATTER || r->args.opcode == TALLY_OPCODE_REDUCE_SCATTER)
		from += r->party->number * tc_node_part(r, p);
	tc_copy_out(r, p->index, from);
}
