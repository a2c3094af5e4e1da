// SPDX-License-Identifier: BSD-2-Clause
#include "wqe_requests.h"

#include <algorithm>
#include <cstring>

static const uint8_t types[] = {
	TALLY_TYPE_NONE,   TALLY_TYPE_INT8,   TALLY_TYPE_INT16,	 TALLY_TYPE_INT32, TALLY_TYPE_INT64, TALLY_TYPE_UINT8, TALLY_TYPE_UINT16,
	TALLY_TYPE_UINT32, TALLY_TYPE_UINT64, TALLY_TYPE_FP16,	 TALLY_TYPE_FP32,  TALLY_TYPE_FP64,  TALLY_TYPE_BF16,
};

static bool is_collective(uint8_t opcode)
{
	return opcode >= TALLY_OPCODE_ALLREDUCE && opcode <= TALLY_OPCODE_SCATTER;
}

static bool is_blocked(uint8_t opcode)
{
	return TALLY_OPCODES_BLOCKS >> opcode & 1;
}

static bool is_reduction(uint8_t opcode)
{
	return opcode == TALLY_OPCODE_ALLREDUCE || opcode == TALLY_OPCODE_REDUCE || opcode == TALLY_OPCODE_REDUCE_SCATTER ||
	       opcode == TALLY_OPCODE_REDUCE_MP;
}

uint64_t Requests::mask()
{
	switch (below(4)) {
	case 0:
		return 1ull << below(64);
	case 1:
		return rng_.next() & rng_.next() & rng_.next();
	case 2:
		return ~0ull;
	default:
		return rng_.next();
	}
}

/* Mostly a mode that has the operation. */
uint8_t Requests::mode(uint8_t opcode)
{
	static const uint32_t offered[] = { 0, TALLY_OPCODES_TREE, TALLY_OPCODES_EXCHANGE, TALLY_OPCODES_RING };
	uint8_t mode = below(4);

	while (!one_in(20) && !(mode && offered[mode] >> opcode & 1 && around.modes >> (mode - 1) & 1))
		mode = below(4);
	return mode;
}

void Requests::other_group()
{
	model_around &a = around;

	a.jid = rng_.next();
	a.mtu = 256u << below(5);
	a.chunk = one_in(2) ? 0 : 64u << below(7);
	a.max_segs = 1 + below(one_in(2) ? 4 : TALLY_MAX_GROUP_SEGS);
	a.num_nodes = 1 + below(one_in(2) ? 8 : TALLY_MAX_NODES);
	a.node = below(a.num_nodes);
	a.modes = 1 + below(7);
	if (!one_in(4))
		a.modes = 7;
	a.mode = one_in(20) ? 4 : 1 + below(3);
	a.parent = one_in(3) ? 0xff : one_in(2) ? TALLY_CONTRIB_PARENT : below(64);
	a.sparse = one_in(16);
	a.ordered = one_in(2);
	a.rank_mask = mask() | 1ull << below(64);
	a.total_ranks = std::min<uint64_t>(__builtin_popcountll(a.rank_mask) * (one_in(2) ? 1 : a.num_nodes),
					   TALLY_MAX_NODES * TALLY_MAX_RANKS);
	a.children = one_in(8) ? 0 : mask();
	a.dests = a.children | mask();
	if (a.parent < 64 && !one_in(4))
		a.dests |= 1ull << a.parent;
	a.ranks = one_in(2) ? a.rank_mask : (a.rank_mask & mask()) | (a.rank_mask & -a.rank_mask);
	for (unsigned int i = 0; i < 8; i++) {
		model_choice &c = a.choice[i];

		c.small = mode(i + 1);
		c.middle = mode(i + 1);
		c.large = mode(i + 1);
		c.small_log = below(TALLY_MAX_CHOICE_LOG + 1);
		c.middle_log = below(TALLY_MAX_CHOICE_LOG + 1);
	}
	a.index = rng_.next();
	a.stride = TALLY_MIN_WQE_SIZE << below(6);
}

uint8_t Requests::opcode()
{
	static const uint8_t all[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 17, 18, 1, 2, 3, 16, 17 };

	return all[below(sizeof(all))];
}

uint32_t Requests::flags(uint8_t opcode)
{
	uint32_t flags = below(2) | (one_in(4) ? TALLY_WQE_F_SOLICITED : 0) | (one_in(3) ? TALLY_WQE_F_FLAG_WORD : 0);

	if (opcode == TALLY_OPCODE_QUERY || opcode == TALLY_OPCODE_ABORT)
		return flags & ~TALLY_WQE_F_FLAG_WORD;
	if (opcode != TALLY_OPCODE_BARRIER && one_in(4))
		flags |= TALLY_WQE_F_INLINE;
	if (is_collective(opcode) && !is_blocked(opcode) && one_in(12))
		flags |= TALLY_WQE_F_EMPTY;
	if (is_collective(opcode) && !is_blocked(opcode) && one_in(12))
		flags |= TALLY_WQE_F_NO_CONTRIBUTORS;
	if (is_collective(opcode) && opcode != TALLY_OPCODE_BARRIER && one_in(3))
		flags |= TALLY_WQE_F_COMBINED;
	if (is_collective(opcode) && is_reduction(opcode) && one_in(around.ordered ? 2 : 30))
		flags |= TALLY_WQE_F_ORDERED;
	return flags;
}

/* Mostly few elements, or as many as are just permitted. */
uint64_t Requests::count(const tally_wqe &w)
{
	uint64_t blocks = is_collective(w.opcode) && is_blocked(w.opcode) ? around.total_ranks : 1;
	uint64_t max = is_collective(w.opcode) ? TALLY_MAX_MESSAGE : around.mtu;
	uint64_t elem = 1ull << (w.dtype & 7);

	if (w.opcode == TALLY_OPCODE_BARRIER)
		return 0;
	switch (below(8)) {
	case 0:
		return below(2);
	case 1:
		return max / (elem * blocks);
	case 2:
		return below(max / (elem * blocks) + 1);
	case 3:
		return near(1ull << below(32));
	case 4:
		return (1 + below(40)) * (1ull << below(10)); // often a multiple of a chunk
	default:
		return below(64);
	}
}

void Requests::collective(tally_wqe &w)
{
	w.mode = one_in(2) ? 0 : mode(w.opcode);
	w.seg_count = one_in(2) ? 0 : below(around.max_segs + 1);
	if (w.opcode == TALLY_OPCODE_REDUCE || w.opcode == TALLY_OPCODE_BCAST || w.opcode == TALLY_OPCODE_GATHER ||
	    w.opcode == TALLY_OPCODE_SCATTER) {
		w.root_node = one_in(2) ? around.node : below(around.num_nodes);
		w.root_rank = one_in(8) ? below(64) : __builtin_ctzll(w.rank_mask);
	}
	if (one_in(8) && !(w.flags & TALLY_WQE_F_NO_CONTRIBUTORS))
		w.node_mask = one_in(3) ? ~0ull : one_in(2) ? around.children : around.children & rng_.next();
	if ((w.flags & TALLY_WQE_F_COMBINED) && is_blocked(w.opcode) && around.ranks == around.rank_mask)
		w.rank_mask = around.rank_mask;
}

void Requests::triggered(tally_wqe &w)
{
	w.counter = below(TALLY_NUM_CP_COUNTERS);
	w.dest_counter = below(TALLY_NUM_CP_COUNTERS);
	w.cpcnt = one_in(2) ? below(3) : below(TALLY_MAX_CPCNT + 1);
	w.dest_port = rng_.next();
	w.branch = below(4);
	w.err_vector = rng_.next();
	w.flags |= (one_in(3) ? 0 : TALLY_WQE_F_CP) | (one_in(3) ? 0 : TALLY_WQE_F_SWP_MP) | (one_in(2) ? TALLY_WQE_F_SWP_FLAG : 0) |
		   (one_in(4) ? TALLY_WQE_F_TO_SELF : 0) | (one_in(3) ? TALLY_WQE_F_TO_PARENT : 0);
	if (w.opcode == TALLY_OPCODE_REDUCE_MP && one_in(2))
		w.flags |= TALLY_WQE_F_RFLAG;
	if (w.flags & TALLY_WQE_F_SWP_MP && !one_in(8))
		w.branch++;
	w.node_mask = around.dests & (one_in(2) ? mask() : 0);
	if (w.opcode == TALLY_OPCODE_PUT_MP && !one_in(8)) {
		w.flags &= ~(TALLY_WQE_F_TO_SELF | TALLY_WQE_F_TO_PARENT);
		w.node_mask = around.dests & -around.dests;
	}
	if (around.parent < 64 && !one_in(8))
		w.node_mask &= ~(1ull << around.parent);
	w.num_result = one_in(3);
}

tally_sge Requests::sge(uint32_t length)
{
	// Keys below 5 of 64 have a meaning in model_access().
	return { .addr = rng_.next(), .length = length,
		 .lkey = (static_cast<uint32_t>(rng_.next()) & ~63u) | static_cast<uint32_t>(one_in(60) ? below(6) : 8) };
}

tally_wqe Requests::good()
{
	tally_wqe w = {};
	tally_sge flag = sge(4);

	w.opcode = opcode();
	w.dtype = types[below(sizeof(types))];
	w.flags = flags(w.opcode);
	w.index = around.index;
	w.jid = around.jid;
	w.mid = rng_.next();
	w.rank_mask = one_in(2) ? around.ranks & -around.ranks : around.ranks & mask();
	if (!w.rank_mask)
		w.rank_mask = around.ranks;
	w.timeout_ms = one_in(4) ? TALLY_MIN_TIMEOUT_MS + below(100000) : 0;
	if (w.flags & TALLY_WQE_F_FLAG_WORD) {
		w.flag_addr = flag.addr & ~3ull;
		w.flag_lkey = flag.lkey;
		w.flag_value = rng_.next();
	}
	if (w.opcode == TALLY_OPCODE_ABORT)
		w.count = one_in(2) ? 0 : 60 + below(30);
	if (w.opcode == TALLY_OPCODE_QUERY || w.opcode == TALLY_OPCODE_ABORT) {
		// nobody looks at their lists
		w.num_gather = below(3);
		w.num_result = below(TALLY_MAX_SGE + 1);
		return w;
	}
	if (w.opcode == TALLY_OPCODE_BARRIER)
		w.dtype = TALLY_TYPE_NONE;
	w.count = count(w);
	if (is_collective(w.opcode))
		collective(w);
	else
		triggered(w);
	if (is_reduction(w.opcode)) {
		static const uint8_t ops[] = { 1, 1, 2, 3, 4, 5, 4, 5, 6, 7, 8, 9, 10, 11, 15, 16, 16 };

		w.op = ops[below(sizeof(ops))];
		if (w.dtype == TALLY_TYPE_NONE)
			w.dtype = TALLY_TYPE_FP32;
		if ((w.op == TALLY_OP_MINLOC || w.op == TALLY_OP_MAXLOC) && one_in(2)) {
			w.flags |= TALLY_WQE_F_LOC_VALUES;
			w.loc_index = one_in(2) ? below(1000) : near((1ull << 31) - w.count);
		}
	}
	w.chunk_len = one_in(2) ? 0 : one_in(2) ? around.mtu : 16 + below(around.mtu - 15);
	if (!is_collective(w.opcode) && !one_in(16))
		w.chunk_len = one_in(2) ? 0 : around.mtu;
	return w;
}

// ---- Faults ----

void Requests::spoil_common(tally_wqe &w)
{
	switch (below(12)) {
	case 0:
		w.opcode = one_in(4) ? rng_.next() : below(20);
		break;
	case 1:
		w.mode = below(6);
		break;
	case 2:
		w.index = one_in(2) ? w.index + 1 : w.index ^ 1u << below(32);
		break;
	case 3:
		w.flags ^= 1u << (one_in(4) ? below(32) : below(15));
		break;
	case 4:
		w.rsvd1 = one_in(2) ? 1u << below(32) : 0;
		break;
	case 5:
		w.__rsvd_68[below(sizeof(w.__rsvd_68))] = 1u << below(8);
		break;
	case 6:
		w.jid ^= 1u << below(32);
		break;
	case 7:
		w.timeout_ms = one_in(2) ? near(TALLY_MIN_TIMEOUT_MS) : near(TALLY_MAX_TIMEOUT_MS);
		break;
	case 8:
		w.rank_mask = one_in(3) ? 0 : one_in(2) ? w.rank_mask | 1ull << below(64) : around.rank_mask;
		break;
	case 9:
		w.flag_addr = one_in(2) ? w.flag_addr ^ 1ull << below(2) : w.flag_addr ^ 1ull << below(64);
		break;
	case 10:
		w.flag_lkey ^= one_in(2) ? 1u : 1u << below(32);
		break;
	default:
		w.flag_value ^= 1u << below(32);
		break;
	}
}

void Requests::spoil_size(tally_wqe &w)
{
	uint64_t elem = 1ull << (w.dtype & 7);

	switch (below(8)) {
	case 0:
		w.op = one_in(8) ? rng_.next() : below(18);
		break;
	case 1:
		w.dtype = one_in(2) ? rng_.next() : types[below(sizeof(types))];
		break;
	case 2:
		w.count = near((one_in(2) ? TALLY_MAX_MESSAGE : around.mtu) / elem / (one_in(2) ? around.total_ranks : 1));
		break;
	case 3:
		w.count = one_in(2) ? rng_.next() : w.count ^ 1ull << below(64);
		break;
	case 4:
		w.chunk_len = one_in(2) ? near(around.mtu) : near(elem << below(2));
		break;
	case 5:
		w.chunk_len = one_in(2) ? 1u << below(32) : near(around.chunk);
		break;
	case 6:
		w.loc_index = one_in(2) ? near(1ull << 31) : near((1ull << 31) - w.count);
		break;
	default:
		w.loc_index ^= 1ull << below(64);
		break;
	}
}

void Requests::spoil_collective(tally_wqe &w)
{
	switch (below(7)) {
	case 0:
		w.node_mask = one_in(4) ? mask() : one_in(2) ? around.children : around.children ^ 1ull << below(64);
		break;
	case 1:
		w.flags ^= TALLY_WQE_F_NO_CONTRIBUTORS;
		break;
	case 2:
		w.flags ^= TALLY_WQE_F_EMPTY;
		break;
	case 3:
		w.seg_count = one_in(4) ? w.seg_count ^ 1u << below(16) : near(around.max_segs);
		break;
	case 4:
		w.seg_first = 1u << below(16);
		break;
	case 5:
		w.root_node = one_in(3) ? rng_.next() : one_in(2) ? near(around.num_nodes) : around.node;
		break;
	default:
		w.root_rank = one_in(3) ? 64 + below(192) : below(64);
		break;
	}
}

void Requests::spoil_triggered(tally_wqe &w)
{
	switch (below(8)) {
	case 0:
		w.counter = one_in(4) ? rng_.next() : near(TALLY_NUM_CP_COUNTERS);
		break;
	case 1:
		w.dest_counter = one_in(4) ? rng_.next() : near(TALLY_NUM_CP_COUNTERS);
		break;
	case 2:
		w.cpcnt = one_in(3) ? rng_.next() : one_in(2) ? near(TALLY_MAX_CPCNT) : near(1);
		break;
	case 3:
		w.branch = below(2);
		break;
	case 4:
		w.node_mask = one_in(3) ? 0 : w.node_mask ^ 1ull << (one_in(2) && around.parent < 64 ? around.parent : below(64));
		break;
	case 5:
		w.flags ^= one_in(2) ? TALLY_WQE_F_RFLAG : TALLY_WQE_F_SWP_FLAG;
		break;
	case 6:
		w.flags ^= one_in(2) ? TALLY_WQE_F_TO_PARENT : TALLY_WQE_F_TO_SELF;
		break;
	default:
		w.flags ^= one_in(2) ? TALLY_WQE_F_CP : TALLY_WQE_F_SWP_MP;
		break;
	}
}

void Requests::spoil_lists(tally_wqe &w)
{
	switch (below(4)) {
	case 0:
		w.num_gather = one_in(4) ? rng_.next() : near(w.num_gather);
		break;
	case 1:
		w.num_result = one_in(4) ? rng_.next() : near(w.num_result);
		break;
	case 2:
		w.inline_len = one_in(4) ? w.inline_len ^ 1u << below(32) : near(w.inline_len);
		break;
	default:
		w.inline_len = one_in(2) ? near(TALLY_MAX_INLINE) : near(around.stride - sizeof(w));
		break;
	}
}

void Requests::spoil(tally_wqe &w)
{
	switch (below(3)) {
	case 0:
		spoil_common(w);
		break;
	case 1:
		spoil_size(w);
		break;
	default:
		is_collective(w.opcode) ? spoil_collective(w) : spoil_triggered(w);
		break;
	}
}

std::vector<uint8_t> Requests::entry()
{
	std::vector<uint8_t> bytes(around.stride);
	tally_wqe w = good();
	model_request is;
	uint16_t status, lists;
	uint8_t *at, *end = bytes.data() + bytes.size();

	if (one_in(3))
		spoil(w);
	if (one_in(8))
		spoil(w);
	model_check(&is, &around, &w, &status, &lists);
	if (is.sized) {
		bool inlined = w.flags & TALLY_WQE_F_INLINE;

		// Some lists of empty data have entries.
		w.num_gather = inlined || (!is.give_len && one_in(2)) ? 0 : is.givers;
		w.num_result = !is.get_len && one_in(2) ? 0 : is.getters;
		w.inline_len = inlined ? is.give_len : 0;
		if (one_in(10))
			spoil_lists(w);
	}
	rng_.fill(bytes.data(), bytes.size());
	std::memcpy(bytes.data(), &w, sizeof(w));
	at = bytes.data() + sizeof(w) + std::min<uint64_t>((uint64_t(w.inline_len) + 15) / 16 * 16, bytes.size() - sizeof(w));
	for (unsigned int i = 0; i < w.num_gather + w.num_result && at + sizeof(tally_sge) <= end; i++, at += sizeof(tally_sge)) {
		tally_sge s = sge(i < w.num_gather ? is.give_len : is.get_len);

		if (one_in(100))
			s.length ^= 1u << below(32);
		std::memcpy(at, &s, sizeof(s));
	}
	return bytes;
}
