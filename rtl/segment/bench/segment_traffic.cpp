// SPDX-License-Identifier: BSD-2-Clause
#include "segment_traffic.h"

extern "C" {
#include "alu/alu.h"
}

static void choose_type(tally::Rng &rng, segment_chunk &c)
{
	static const uint8_t types[] = {
		TALLY_TYPE_INT8,   TALLY_TYPE_INT16,  TALLY_TYPE_INT32,	 TALLY_TYPE_INT64, TALLY_TYPE_UINT8,
		TALLY_TYPE_UINT16, TALLY_TYPE_UINT32, TALLY_TYPE_UINT64, TALLY_TYPE_FP16,  TALLY_TYPE_FP32,
		TALLY_TYPE_FP64,   TALLY_TYPE_BF16,
	};

	do {
		c.dtype = types[rng.below(sizeof(types))];
		c.op = c.opcode == TALLY_OPCODE_BCAST ? uint8_t(TALLY_OP_NONE) : 1 + rng.below(TALLY_OP_AVG);
	} while (c.op != TALLY_OP_NONE && !alu_supported(c.op, c.dtype));
}

static uint32_t choose_count(tally::Rng &rng, uint32_t most)
{
	switch (rng.below(6)) {
	case 0:
		return most;
	case 1:
		return rng.below(3) < most ? rng.below(3) : most;
	default:
		return 1 + rng.below(most);
	}
}

segment_chunk chunk_of(uint64_t seed, uint32_t num, uint32_t bytes)
{
	static const uint8_t opcodes[] = {
		TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_REDUCE,
		TALLY_OPCODE_REDUCE,	TALLY_OPCODE_BCAST,	TALLY_OPCODE_BARRIER,
	};
	tally::Rng rng(seed ^ num * uint64_t(0x9e3779b97f4a7c15));
	segment_chunk c = {};
	uint32_t chunk;

	c.mode = TALLY_MODE_TREE;
	c.opcode = opcodes[rng.below(sizeof(opcodes))];
	c.num = num;
	c.mid = rng.next();
	c.root_node = rng.below(4);
	c.root_rank = rng.below(TALLY_MAX_RANKS);
	if (c.opcode == TALLY_OPCODE_BARRIER)
		return c;
	choose_type(rng, c);
	chunk = choose_count(rng, bytes / alu_elem_size(c.op, c.dtype));
	c.sid = chunk ? rng.below(4) : 0;
	c.first = c.sid * chunk;
	if (rng.one_in(2)) { /* last chunk of its message */
		c.count = c.sid ? 1 + rng.below(chunk) : chunk;
		c.total = c.first + c.count;
	} else if (chunk) {
		c.count = chunk;
		c.total = c.first + chunk + 1 + rng.below(100000);
	}
	return c;
}

segment_chunk plain_chunk(uint32_t num, uint32_t bytes)
{
	segment_chunk c = {};

	c.mode = TALLY_MODE_TREE;
	c.opcode = TALLY_OPCODE_ALLREDUCE;
	c.op = TALLY_OP_SUM;
	c.dtype = TALLY_TYPE_UINT8;
	c.num = num;
	c.mid = num;
	c.total = c.count = bytes;
	return c;
}

bool reduces(const segment_chunk &c)
{
	return c.opcode == TALLY_OPCODE_ALLREDUCE || c.opcode == TALLY_OPCODE_REDUCE;
}

segment_chunk spoiled(tally::Rng &rng, segment_chunk c)
{
	switch (rng.below(11)) {
	case 10:
		c.mode ^= 1u << rng.below(8);
		break;
	case 0:
		c.opcode ^= 1u << rng.below(8);
		break;
	case 1:
		c.op ^= 1u << rng.below(8);
		break;
	case 2:
		c.dtype ^= 1u << rng.below(8);
		break;
	case 3:
		c.total ^= 1u << rng.below(32);
		break;
	case 4:
		c.root_node ^= 1u << rng.below(16);
		break;
	case 5:
		c.root_rank ^= 1u << rng.below(8);
		break;
	case 6:
		c.sid ^= 1u << rng.below(32);
		break;
	case 7:
		c.first ^= 1u << rng.below(32);
		break;
	case 8:
		c.count ^= 1u << rng.below(32);
		break;
	default:
		c.mid ^= 1u << rng.below(32);
		break;
	}
	if (rng.one_in(8)) /* and another one, whose status may come first */
		c.total++;
	return c;
}

uint64_t some_bits(tally::Rng &rng, unsigned int n)
{
	uint64_t map = rng.next() & ones(n);
	unsigned int left = rng.below(4);

	if (rng.one_in(16))
		return map;
	map = 0;
	while (left--)
		map |= uint64_t(1) << rng.below(n);
	return map;
}

unsigned int a_bit(tally::Rng &rng, uint64_t map)
{
	for (uint64_t n = rng.below(__builtin_popcountll(map)); n; n--)
		map &= map - 1;
	return __builtin_ctzll(map);
}

Packet packet_of(tally::Rng &rng, const Open &o, segment_kind kind, bool rank, unsigned int index, uint32_t len)
{
	Packet packet = { { o.chunk, o.root, o.plan, o.contributors, o.ranks, kind, rank, index, false, 0, 0, 0, len, nullptr }, {} };

	if (rng.one_in(8) && (kind == KIND_REDUCE || kind == KIND_RESULT))
		packet.p.err_vector = uint16_t(1) << rng.below(16);
	packet.data.resize(packet.words() * word_bytes);
	rng.fill(packet.data.data(), packet.data.size());
	return packet;
}
