// SPDX-License-Identifier: BSD-2-Clause
#include "local_bits.h"

extern "C" {
#include "alu/alu.h"
}

void random_lists(tally::Rng &rng, local_request &r)
{
	for (unsigned int k = 0; k < TALLY_MAX_SGE; k++) {
		r.gather[k] = { rng.next() >> 1, uint32_t(rng.next()) };
		r.result[k] = { rng.next() >> 1, uint32_t(rng.next()) };
	}
}

std::vector<uint8_t> given_bytes(const local_request &r, const local_chunk &c, const std::vector<uint8_t> &data)
{
	if (!(r.flags & TALLY_WQE_F_LOC_VALUES))
		return data;
	const uint32_t count = data.size() >> r.give_log;
	std::vector<uint8_t> pairs(count << r.elem_log);

	if (count)
		alu_expand_loc(r.dtype, pairs.data(), data.data(), count, r.loc_index + c.first);
	return pairs;
}

static void random_root(tally::Rng &rng, local_request &r)
{
	r.node = rng.below(3);
	r.root_node = rng.one_in(3) ? rng.below(3) : r.node;
	r.root_rank = rng.below(TALLY_MAX_RANKS);
	if (rng.one_in(2)) // one of the ranks
		while (!(r.rank_mask >> r.root_rank & 1))
			r.root_rank = (r.root_rank + 1) % TALLY_MAX_RANKS;
}

static void random_chunk(tally::Rng &rng, const local_request &r, local_chunk &c)
{
	const unsigned int most = TALLY_MAX_MTU >> r.elem_log;

	c.group = rng.next();
	c.mode = TALLY_MODE_TREE;
	c.op = rng.next();
	c.num = rng.next();
	c.mid = rng.next();
	c.sid = rng.one_in(2) ? 0 : rng.below(rng.one_in(2) ? 4 : 1000);
	c.whole = rng.one_in(3) ? most : 1 + rng.below(rng.one_in(2) ? most : 20);
	if (c.whole > most)
		c.whole = most;
	c.first = c.sid * c.whole;
	c.total = c.first + (rng.one_in(2) ? c.whole : 1 + rng.below(2 * c.whole));
	if (rng.one_in(10)) // a message without bytes
		c.first = c.total = c.sid = 0;
	if (r.opcode == TALLY_OPCODE_BARRIER)
		c.whole = c.first = c.total = c.sid = 0;
}

void random_request(tally::Rng &rng, local_request &r, local_chunk &c)
{
	static const uint8_t opcodes[] = { TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_REDUCE, TALLY_OPCODE_BCAST, TALLY_OPCODE_BARRIER };
	static const uint8_t types[] = { TALLY_TYPE_INT8, TALLY_TYPE_INT16, TALLY_TYPE_INT32, TALLY_TYPE_INT64 };
	bool inline_data = false;

	r = {};
	r.opcode = opcodes[rng.below(4)];
	r.dtype = TALLY_TYPE_INT32;
	r.pd = rng.below(TALLY_MAX_PD);
	r.flags = rng.one_in(4) && r.opcode != TALLY_OPCODE_BARRIER ? TALLY_WQE_F_COMBINED : 0;
	r.elem_log = rng.below(5);
	r.give_log = r.elem_log;
	if (rng.one_in(6)) { // values become pairs of 8 bytes, or of 16
		r.give_log = rng.below(4);
		r.elem_log = r.give_log == 3 ? 4 : 3;
		r.dtype = types[r.give_log];
		r.loc_index = rng.next();
		r.flags |= TALLY_WQE_F_LOC_VALUES;
	}
	r.rank_mask = rng.one_in(4) ? rng.next() | 1ull << rng.below(64) : 1ull << rng.below(64);
	if (rng.one_in(8))
		r.rank_mask = ~0ull;
	random_root(rng, r);
	random_lists(rng, r);
	random_chunk(rng, r, c);
	if (r.opcode == TALLY_OPCODE_BARRIER || (c.total << r.give_log <= TALLY_MAX_INLINE && rng.one_in(2)))
		inline_data = true;
	local_set(&r, &c);
	r.num_gather = inline_data ? 0 : __builtin_popcountll(local_givers());
	r.num_result = __builtin_popcountll(local_getters());
	local_set(&r, &c);
}
