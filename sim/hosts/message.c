// SPDX-License-Identifier: BSD-2-Clause
#include "hosts/message.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/values.h"

/* Properties of the opcodes. "blocks": data or result have one block for every rank. */
static const struct rule {
	bool rooted, reduces;
	enum { NOBODY, ALL, ROOT, OTHERS } gives, gets;
	bool gives_blocks, gets_blocks;
} rules[] = {
	[TALLY_OPCODE_ALLREDUCE] = { .reduces = true, .gives = ALL, .gets = ALL },
	[TALLY_OPCODE_REDUCE] = { .rooted = true, .reduces = true, .gives = ALL, .gets = ROOT },
	[TALLY_OPCODE_BCAST] = { .rooted = true, .gives = ROOT, .gets = OTHERS },
	[TALLY_OPCODE_BARRIER] = { .gives = NOBODY, .gets = NOBODY },
	[TALLY_OPCODE_ALLGATHER] = { .gives = ALL, .gets = ALL, .gets_blocks = true },
	[TALLY_OPCODE_REDUCE_SCATTER] = { .reduces = true, .gives = ALL, .gets = ALL,
					  .gives_blocks = true },
	[TALLY_OPCODE_GATHER] = { .rooted = true, .gives = ALL, .gets = ROOT,
				  .gets_blocks = true },
	[TALLY_OPCODE_SCATTER] = { .rooted = true, .gives = ROOT, .gets = ALL,
				   .gives_blocks = true },
};

bool message_absent(const struct message *m, uint32_t rank)
{
	return rank < MESSAGE_MAX_ABSENT && m->absent[rank / 64] >> rank % 64 & 1;
}

static bool takes_side(const struct message *m, int side, uint32_t rank)
{
	if (message_absent(m, rank))
		return false;
	switch (side) {
	case ALL:
		return true;
	case ROOT:
		return rank == m->root;
	case OTHERS:
		return rank != m->root;
	default:
		return false;
	}
}

bool message_has_root(const struct message *m)
{
	return rules[m->opcode].rooted;
}

bool message_reduces(const struct message *m)
{
	return rules[m->opcode].reduces;
}

bool message_gives(const struct message *m, uint32_t rank)
{
	return takes_side(m, rules[m->opcode].gives, rank);
}

bool message_gets(const struct message *m, uint32_t rank)
{
	return takes_side(m, rules[m->opcode].gets, rank);
}

uint32_t message_elem_size(const struct message *m)
{
	return oracle_elem_size(m->op, m->type);
}

bool message_gives_blocks(const struct message *m)
{
	return rules[m->opcode].gives_blocks;
}

bool message_gets_blocks(const struct message *m)
{
	return rules[m->opcode].gets_blocks;
}

/* Returns the elements of the data or the result, which may have a block for every rank. */
static uint64_t elements(const struct message *m, bool blocks)
{
	return (uint64_t)m->count * (blocks ? m->total_ranks : 1);
}

static uint64_t total_elements(const struct message *m)
{
	return elements(m, message_gives_blocks(m) || message_gets_blocks(m));
}

uint64_t message_give_elements(const struct message *m)
{
	return elements(m, message_gives_blocks(m));
}

uint64_t message_give_bytes(const struct message *m)
{
	return message_give_elements(m) *
	       (m->loc_values ? oracle_value_size(m->type) : message_elem_size(m));
}

uint64_t message_get_bytes(const struct message *m)
{
	return elements(m, message_gets_blocks(m)) * message_elem_size(m);
}

uint64_t message_expect_bytes(const struct message *m)
{
	return total_elements(m) * message_elem_size(m);
}

uint32_t message_chunks_of(const struct message *m, uint32_t len)
{
	uint32_t most = len / message_elem_size(m);
	uint64_t n = (total_elements(m) + most - 1) / most;

	return n ? (uint32_t)n : 1;
}

uint32_t message_chunks(const struct message *m, uint32_t mtu)
{
	return message_chunks_of(m, m->chunk_len ? m->chunk_len : mtu);
}

struct tally_wqe message_wqe(const struct message *m, uint32_t jid, uint32_t mid)
{
	bool root = message_has_root(m);

	return (struct tally_wqe){
		.opcode = m->opcode,
		.op = m->op,
		.dtype = m->type,
		.mode = m->mode,
		.count = htole64(m->count),
		.jid = htole32(jid),
		.mid = htole32(mid),
		.root_node = htole16(root ? m->root_node : 0),
		.root_rank = root ? m->root_local : 0,
		.node_mask = htole64(~0ull),
		.chunk_len = htole32(m->chunk_len),
		.loc_index = htole64(m->loc_values ? (uint32_t)m->loc_index : 0),
	};
}

void message_input(const struct message *m, uint32_t rank, void *data)
{
	if (message_reduces(m))
		values_reduce(m, rank, data);
	else
		values_bytes(m->seed + rank, data, message_give_bytes(m));
}

/* ---- One entry for several ranks ---- */

uint64_t message_joint_give_bytes(const struct message *m, unsigned int n)
{
	if (message_reduces(m))
		return message_give_elements(m) * message_elem_size(m);
	return message_give_bytes(m) * (message_gets_blocks(m) ? n : 1);
}

uint64_t message_joint_get_bytes(const struct message *m, unsigned int n)
{
	return message_get_bytes(m) * (message_gives_blocks(m) ? n : 1);
}

/* The sum of an average is divided at the end, not here. */
static bool join_reduced(const struct message *m, struct oracle *o, const uint32_t *rank,
			 unsigned int n, void *data)
{
	enum tally_op op = m->op == TALLY_OP_AVG ? TALLY_OP_SUM : m->op;
	void *one = malloc(message_give_bytes(m) + 1);

	if (!one || !oracle_begin(o, op, m->type, message_give_elements(m))) {
		free(one);
		return false;
	}
	for (unsigned int i = 0; i < n; i++) {
		message_input(m, rank[i], one);
		if (m->loc_values)
			oracle_add_values(o, one, m->loc_index);
		else
			oracle_add(o, one);
	}
	oracle_finish(o, data);
	free(one);
	return true;
}

bool message_joint_input(const struct message *m, struct oracle *o, const uint32_t *rank,
			 unsigned int n, void *data)
{
	uint8_t *at = data;

	if (message_reduces(m))
		return join_reduced(m, o, rank, n, data);
	if (!message_gets_blocks(m)) {
		message_input(m, m->root, data);
		return true;
	}
	for (unsigned int i = 0; i < n; i++, at += message_give_bytes(m))
		message_input(m, rank[i], at);
	return true;
}

/* ---- Results ---- */

static bool expect_reduced(const struct message *m, struct oracle *o, void *result)
{
	void *data = malloc(message_give_bytes(m) + 1);

	if (!data || !oracle_begin(o, m->op, m->type, total_elements(m))) {
		free(data);
		return false;
	}
	for (uint32_t rank = 0; rank < m->total_ranks; rank++) {
		if (message_absent(m, rank))
			continue;
		message_input(m, rank, data);
		if (m->loc_values)
			oracle_add_values(o, data, m->loc_index);
		else
			oracle_add(o, data);
	}
	oracle_finish(o, result);
	free(data);
	return true;
}

bool message_expect(const struct message *m, struct oracle *o, void *result)
{
	uint8_t *at = result;

	if (message_reduces(m))
		return expect_reduced(m, o, result);
	if (!message_gets_blocks(m)) {
		if (m->opcode != TALLY_OPCODE_BARRIER)
			message_input(m, m->root, result);
		return true;
	}
	for (uint32_t rank = 0; rank < m->total_ranks; rank++, at += message_give_bytes(m))
		message_input(m, rank, at);
	return true;
}

bool message_signals(const struct message *m)
{
	uint32_t step = m->loc_values ? oracle_value_size(m->type) : message_elem_size(m);
	uint64_t len = message_give_bytes(m);
	uint8_t *data = m->special ? malloc(len + 1) : NULL;
	bool found = false;

	for (uint32_t rank = 0; data && rank < m->total_ranks && !found; rank++) {
		if (message_absent(m, rank))
			continue;
		message_input(m, rank, data);
		for (uint64_t i = 0; i < len && !found; i += step)
			found = values_signal(m->type, data + i);
	}
	free(data);
	return found;
}

uint64_t message_expect_offset(const struct message *m, uint32_t rank)
{
	return message_gives_blocks(m) ? rank * message_get_bytes(m) : 0;
}
