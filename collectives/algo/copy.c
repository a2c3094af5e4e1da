// SPDX-License-Identifier: BSD-2-Clause
#include "algo/copy.h"

static void copy(const struct tallycoll_request *r, void *to, const void *from, uint64_t bytes)
{
	struct tc_host *host = r->team->context->host;

	if (to != from)
		host->ops->copy(host, to, from, bytes);
}

static uint64_t piece_bytes(const struct tallycoll_request *r, uint32_t index, bool blocks)
{
	return tc_piece_elements(r, index) * r->elem * (blocks ? r->team->oob.size : 1);
}

uint64_t tc_give_bytes(const struct tallycoll_request *r, uint32_t index)
{
	return r->gives ? piece_bytes(r, index, r->give_blocks) : 0;
}

uint64_t tc_get_bytes(const struct tallycoll_request *r, uint32_t index)
{
	return r->gets ? piece_bytes(r, index, r->get_blocks) : 0;
}

const uint8_t *tc_give_at(const struct tallycoll_request *r, uint32_t index)
{
	return (const uint8_t *)r->args.src + tc_piece_offset(r, index) * r->elem;
}

uint8_t *tc_get_at(const struct tallycoll_request *r, uint32_t index)
{
	return (uint8_t *)r->args.dst + tc_piece_offset(r, index) * r->elem;
}

void tc_copy_in(const struct tallycoll_request *r, uint32_t index, uint8_t *to)
{
	const uint64_t part = piece_bytes(r, index, false), stride = r->args.count * r->elem;
	const uint8_t *from = tc_give_at(r, index);

	if (!r->give_blocks) {
		copy(r, to, from, part);
		return;
	}
	for (uint32_t k = 0; k < r->team->oob.size; k++)
		copy(r, to + r->team->mg->shape.place[k] * part, from + k * stride, part);
}

void tc_copy_out(const struct tallycoll_request *r, uint32_t index, const uint8_t *from)
{
	const uint64_t part = piece_bytes(r, index, false), stride = r->args.count * r->elem;
	uint8_t *to;

	if (r->args.dst == TALLYCOLL_IN_PLACE)
		return;	/* SCATTER: the root keeps its block where it is */
	to = tc_get_at(r, index);
	if (!r->get_blocks) {
		copy(r, to, from, part);
		return;
	}
	for (uint32_t k = 0; k < r->team->oob.size; k++)
		copy(r, to + k * stride, from + r->team->mg->shape.place[k] * part, part);
}

struct tc_work tc_work_of(const struct tallycoll_request *r, uint32_t index)
{
	const struct tc_shape *s = &r->team->mg->shape;
	const struct tallycoll_args *a = &r->args;
	struct tc_work w = {
		.opcode = a->opcode,
		.op = a->op,
		.dtype = a->dtype,
		.count = tc_piece_elements(r, index),
		.mid = r->first_mid + index,
	};

	switch (a->opcode) {
	case TALLY_OPCODE_BARRIER:
		w.count = w.op = w.dtype = 0;
		break;
	case TALLY_OPCODE_BCAST:
		w.mode = r->way->mode;
		/* fall through */
	case TALLY_OPCODE_REDUCE:
	case TALLY_OPCODE_GATHER:
	case TALLY_OPCODE_SCATTER:
		w.root_node = s->node_of[a->root];
		w.root_rank = tc_shape_contributor(s, a->root);
		break;
	default:
		break;
	}
	return w;
}
