// SPDX-License-Identifier: BSD-2-Clause
#include "guest.h"

#include <string.h>

#include "alu/alu.h"
#include "tally-push.h"

/* ---- Objects ---- */

static void address(unsigned int node, uint8_t mac[6], uint8_t gid[16])
{
	host_mac(node, mac);
	nic_gid(gid, mac);
}

/* Every fourth group has all modes. */
static bool is_mixed(const struct guest *g)
{
	return g->salt % 4 == 3;
}

static uint8_t mode_of(const struct guest *g)
{
	return TALLY_MODE_TREE + (is_mixed(g) ? 0 : g->salt % 4);
}

/* Fills in a neighbour of the only round, which gives and takes data. */
static void fill_peer(const struct guest *g, struct tally_group_edge *edge, unsigned int node)
{
	const uint16_t ring = TALLY_ROLE_RING_IN | TALLY_ROLE_RING_OUT;
	const uint16_t exchange = TALLY_ROLE_IN | TALLY_ROLE_OUT;
	uint16_t epoch = g->node ? TALLY_ROLE_EPOCH : 0;

	if (mode_of(g) == TALLY_MODE_RING) {
		edge->roles = htole16(ring | epoch);
		return;
	}
	if (is_mixed(g))
		epoch = ring | (g->node ? TALLY_ROLE_PARENT : TALLY_ROLE_CHILD);
	edge->roles = htole16(exchange | epoch);
	edge->round = 1;
	edge->position = node;
	edge->part_first = htole32(GUEST_RANKS * node);
	edge->part_count = htole32(GUEST_RANKS);
}

static void fill_edge(const struct guest *g, struct tally_group_edge *edge, unsigned int node)
{
	bool parent = !node;

	address(node, edge->mac, edge->gid);
	if (mode_of(g) != TALLY_MODE_TREE || is_mixed(g))
		fill_peer(g, edge, node);
	if (mode_of(g) != TALLY_MODE_TREE)
		return;
	edge->remote_index = htole16(parent || is_mixed(g) ? 0 : TALLY_CONTRIB_PARENT);
	if (parent)
		return;
	edge->subtree_first = htole16(node);
	edge->subtree_count = htole16(1);
	edge->rank_first = htole32(GUEST_RANKS * node);
	edge->rank_count = htole32(GUEST_RANKS);
}

static union admin_body group_body(struct guest *g)
{
	unsigned int edges = g->nodes - 1;
	union admin_body b = host_create_group(g->h, edges);
	struct tally_group_cfg *cfg;

	g->image = le64toh(b.group.addr);
	cfg = host_ptr(g->h, g->image);
	*cfg = (struct tally_group_cfg){
		.jid = htole32(GUEST_JID),
		.flags = htole32(g->node ? 0 : TALLY_GROUP_F_ROOT),
		.mode = mode_of(g),
		.modes = is_mixed(g) ? 7 : 0,
		.rounds = mode_of(g) == TALLY_MODE_EXCHANGE || is_mixed(g) ? edges : 0,
		.level = mode_of(g) == TALLY_MODE_TREE ? g->node : 0,
		.node = htole16(g->node),
		.num_nodes = htole16(g->nodes),
		.num_edges = htole16(edges),
		.num_segs = htole16(4),
		.timeout_ms = htole32(TALLY_MIN_TIMEOUT_MS),
		.rank_mask = htole64((1 << GUEST_RANKS) - 1),
		.epoch = htole32(g->node ? 0 : 0x77),
		.retry_limit = htole32(4),
		.rto_us = htole32(20),
		.mtu = htole32(TALLY_MAX_MTU),
		.owner_ranks = htole64((1 << GUEST_RANKS) - 1),
		.total_ranks = htole32(GUEST_RANKS * g->nodes),
		.rank_first = htole32(GUEST_RANKS * g->node),
		.msg_cells = htole32(16),
	};
	if (edges)
		fill_edge(g, (struct tally_group_edge *)(cfg + 1), !g->node);
	return b;
}

static union admin_body cq_body(struct host *h)
{
	union admin_body b = host_create_cq(h);
	size_t ring = GUEST_CQ_DEPTH * sizeof(struct tally_cqe);
	size_t len = ring + sizeof(struct tally_cq_record);

	h->cq_ring = host_alloc(h, len, TALLY_PAGE_SIZE);
	h->cq_record = host_ptr(h, h->cq_ring + ring);
	b.create_cq.depth = htole32(GUEST_CQ_DEPTH);
	b.create_cq.ring.addr = htole64(h->cq_ring);
	b.create_cq.ring.length = htole64(len);
	return b;
}

static union admin_body qp_body(struct host *h)
{
	union admin_body b = host_create_qp(h);
	size_t len = GUEST_SQ_DEPTH * HOST_SQ_STRIDE;

	h->sq = host_alloc(h, len, TALLY_PAGE_SIZE);
	b.create_qp.group = htole32(GUEST_GROUP);
	b.create_qp.ranks = htole64((1 << GUEST_RANKS) - 1);
	b.create_qp.holder = b.create_qp.ranks;
	b.create_qp.depth = htole32(GUEST_SQ_DEPTH);
	b.create_qp.sq.addr = htole64(h->sq);
	b.create_qp.sq.length = htole64(len);
	return b;
}

bool guest_is_broken(const struct guest *g)
{
	struct nic *nic = g->h->nic;

	return nic->state != TALLY_DEVICE_READY || !nic->qp[HOST_QPN] || !nic->cq[HOST_CQN] ||
	       nic->cq[HOST_CQN]->failed ||
	       engine_qp_state(nic->engine, HOST_QPN) != TALLY_QPS_RTS;
}

void guest_restart(struct guest *g)
{
	struct host *h = g->h;

	h->used = h->aq_cq + TALLY_PAGE_SIZE - HOST_BASE;
	h->hole_bytes = 0;
	host_reset(h);
	g->posted = g->next_mid = 0;
	g->good[0] = host_create_eq(h);
	g->good[1] = cq_body(h);
	g->good[2] = host_reg_mr(h);
	g->good[3] = group_body(g);
	g->good[4] = qp_body(h);
	g->good[5] = (union admin_body){ .raw = { GUEST_GROUP } };
	host_must(h, TALLY_ADMIN_CREATE_EQ, &g->good[0]);
	host_must(h, TALLY_ADMIN_CREATE_CQ, &g->good[1]);
	host_must(h, TALLY_ADMIN_REG_MR, &g->good[2]);
	host_must(h, TALLY_ADMIN_CREATE_GROUP, &g->good[3]);
	host_must(h, TALLY_ADMIN_CREATE_QP, &g->good[4]);
}

void guest_start(struct guest *g, struct sim *sim, struct fab_port *port, unsigned int node,
		 unsigned int nodes, uint8_t salt)
{
	*g = (struct guest){ .sim = sim, .node = node, .nodes = nodes, .salt = salt };
	g->h = host_new_numbered(port, sim, node);
	g->h->push_qp = true;
	g->h->run_for = 20 * VT_US;
	guest_restart(g);
}

void guest_free(struct guest *g)
{
	host_free(g->h);
}

void guest_must_recover(struct guest *g)
{
	struct tally_wqe w = { .opcode = TALLY_OPCODE_BARRIER, .flags = htole32(TALLY_WQE_F_SIGNALED),
			       .jid = htole32(GUEST_JID), .rank_mask = htole64((1 << GUEST_RANKS) - 1) };

	g->nodes = 1;
	g->node = 0;
	guest_restart(g);
	memcpy(host_ptr(g->h, g->h->sq), &w, sizeof(w));
	g->h->qp_slot->counter = htole64(1);
	host_run(g->h);
	FUZZ_MUST(nic_counter(g->h->nic, TALLY_CTR_cqes) == 1);
	FUZZ_MUST(nic_counter(g->h->nic, TALLY_CTR_messages) == 1);
}

/* ---- Work ---- */

/* A collective message, which depends only on its number. */
struct message {
	uint8_t mode, opcode, op, dtype, root_node, root_rank;
	uint32_t count, chunk_len;
};

static uint32_t mixed(uint32_t a, uint32_t b)
{
	uint64_t z = a * 0x9e3779b97f4a7c15ull + b * 0xbf58476d1ce4e5b9ull;

	return (z ^ z >> 29) * 0x94d049bb133111ebull >> 32;
}

static bool reduces(uint8_t opcode)
{
	return opcode == TALLY_OPCODE_ALLREDUCE || opcode == TALLY_OPCODE_REDUCE ||
	       opcode == TALLY_OPCODE_REDUCE_SCATTER || opcode == TALLY_OPCODE_REDUCE_MP;
}

static uint8_t type_of(uint32_t random)
{
	static const uint8_t types[] = {
#define ENTRY(name, value, doc) value,
		TALLY_TYPE_LIST(ENTRY)
#undef ENTRY
	};

	return types[1 + random % (sizeof(types) - 1)];
}

/* Returns an operation of the type: the next one from a random start. */
static uint8_t op_of(uint8_t dtype, uint32_t random)
{
	static const uint32_t masks[] = {
		[TALLY_TYPE_CLASS_INT] = TALLY_OPS_INT, [TALLY_TYPE_CLASS_UINT] = TALLY_OPS_UINT,
		[TALLY_TYPE_CLASS_FP] = TALLY_OPS_FP, [TALLY_TYPE_CLASS_BF] = TALLY_OPS_BF,
	};
	unsigned int op = random % (TALLY_OP_AVG + 1);

	while (!(masks[dtype >> 4] >> op & 1))
		op = (op + 1) % (TALLY_OP_AVG + 1);
	return op;
}

/* Returns the mode of a message. */
static uint8_t message_mode(const struct guest *g, uint32_t random)
{
	return is_mixed(g) ? TALLY_MODE_TREE + random % 3 : mode_of(g);
}

/* Returns an opcode of the mode's collectives: the next one from a random start. */
static uint8_t opcode_of(uint8_t mode, uint32_t random)
{
	static const uint32_t offered[] = {
		[TALLY_MODE_TREE] = TALLY_OPCODES_TREE,
		[TALLY_MODE_EXCHANGE] = TALLY_OPCODES_EXCHANGE,
		[TALLY_MODE_RING] = TALLY_OPCODES_RING,
	};
	unsigned int opcode = random % TALLY_OPCODE_SCATTER;

	while (!(offered[mode] >> ++opcode & 1))
		opcode %= TALLY_OPCODE_SCATTER;
	return opcode;
}

static struct message message(const struct guest *g, uint32_t mid)
{
	uint32_t r = mixed(g->salt, mid), s = mixed(r, 1);
	struct message m = {
		.mode = message_mode(g, r >> 20),
		.opcode = opcode_of(message_mode(g, r >> 20), r),
		.root_node = (r >> 8) % g->nodes,
		.root_rank = (r >> 12) % GUEST_RANKS,
		.dtype = type_of(s),
		.count = r >> 16 & 3 ? s >> 8 & 15 : s >> 8 & 255,
		.chunk_len = r >> 18 & 3 ? 0 : 32 + (s >> 16 & 127),
	};

	if (m.opcode == TALLY_OPCODE_BARRIER)
		return (struct message){ .mode = m.mode, .opcode = m.opcode };
	if (reduces(m.opcode))
		m.op = op_of(m.dtype, s >> 24);
	if (m.opcode == TALLY_OPCODE_ALLREDUCE || m.opcode == TALLY_OPCODE_ALLGATHER ||
	    m.opcode == TALLY_OPCODE_REDUCE_SCATTER)
		m.root_node = m.root_rank = 0;
	return m;
}

/* Number of entries of each list, and number of blocks of the message in each entry. */
struct shape {
	unsigned int givers, getters, give_blocks, get_blocks;
};

static struct shape shape_of(uint8_t opcode, bool root_here, unsigned int total)
{
	unsigned int root = root_here ? 1 : 0, ranks = GUEST_RANKS;

	switch (opcode) {
	case TALLY_OPCODE_ALLREDUCE:
		return (struct shape){ ranks, ranks, 1, 1 };
	case TALLY_OPCODE_REDUCE:
		return (struct shape){ ranks, root, 1, 1 };
	case TALLY_OPCODE_BCAST:
		return (struct shape){ root, ranks - root, 1, 1 };
	case TALLY_OPCODE_ALLGATHER:
		return (struct shape){ ranks, ranks, 1, total };
	case TALLY_OPCODE_REDUCE_SCATTER:
		return (struct shape){ ranks, ranks, total, 1 };
	case TALLY_OPCODE_GATHER:
		return (struct shape){ ranks, root, 1, total };
	case TALLY_OPCODE_SCATTER:
		return (struct shape){ root, ranks, total, 1 };
	case TALLY_OPCODE_BARRIER:
		return (struct shape){ 0 };
	default:
		return (struct shape){ 1, 1, 1, 1 };
	}
}

static struct tally_wqe collective(struct guest *g)
{
	struct message m = message(g, g->next_mid);

	return (struct tally_wqe){
		.mode = m.mode,
		.opcode = m.opcode,
		.op = m.op,
		.dtype = m.dtype,
		.count = htole64(m.count),
		.chunk_len = htole32(m.chunk_len),
		.mid = htole32(g->next_mid++),
		.root_node = htole16(m.root_node),
		.root_rank = m.root_rank,
		.rank_mask = htole64((1 << GUEST_RANKS) - 1),
	};
}

static struct tally_wqe triggered(struct guest *g, struct input *in)
{
	static const uint8_t opcodes[] = { TALLY_OPCODE_REDUCE_MP, TALLY_OPCODE_BCAST_MP,
					   TALLY_OPCODE_PUT_MP };
	uint8_t opcode = opcodes[input_below(in, sizeof(opcodes))];

	return (struct tally_wqe){
		.opcode = opcode,
		.op = reduces(opcode) ? TALLY_OP_SUM : TALLY_OP_NONE,
		.dtype = TALLY_TYPE_INT32,
		.count = htole64(1 + input_below(in, 4)),
		.cpcnt = htole32(input_below(in, 4)),
		.counter = input_below(in, TALLY_NUM_CP_COUNTERS),
		.dest_counter = input_below(in, TALLY_NUM_CP_COUNTERS),
		.dest_port = htole16(9),
		.branch = input_below(in, 3),
		.node_mask = htole64(g->nodes > 1 && !g->node ? input_u8(in) & 1 : 0),
		.flags = htole32(input_u16(in) & (TALLY_WQE_F_CP | TALLY_WQE_F_SWP_FLAG |
						  TALLY_WQE_F_SWP_MP | TALLY_WQE_F_TO_PARENT |
						  TALLY_WQE_F_TO_SELF | TALLY_WQE_F_RFLAG)),
		.rank_mask = htole64(1),
	};
}

/* Returns a QUERY of a message, or an ABORT. */
static struct tally_wqe control(struct guest *g, struct input *in)
{
	return (struct tally_wqe){
		.opcode = input_one_in(in, 4) ? TALLY_OPCODE_ABORT : TALLY_OPCODE_QUERY,
		.mid = htole32(g->next_mid - input_below(in, 4)),
		.rank_mask = htole64((1 << GUEST_RANKS) - 1),
	};
}

static void add_sge(struct input *in, uint8_t *wqe, size_t *at, uint32_t length)
{
	struct tally_sge sge = { htole64(HOST_IOVA + 32 * input_u8(in)), htole32(length),
				 htole32(HOST_LKEY) };

	memcpy(wqe + *at, &sge, sizeof(sge));
	*at += sizeof(sge);
}

/* Adds the lists, or data in place of the gather list. Returns the offset of their end. */
static size_t add_data(struct guest *g, struct input *in, uint8_t *wqe, struct tally_wqe *w, bool inlined)
{
	struct shape s = shape_of(w->opcode, le16toh(w->root_node) == g->node, GUEST_RANKS * g->nodes);
	uint32_t bytes = le64toh(w->count) * alu_elem_size(w->op, w->dtype);
	size_t at = sizeof(*w);
	unsigned int i;

	if (inlined && s.givers == 1 && bytes * s.give_blocks <= HOST_SQ_STRIDE - at) {
		w->flags |= htole32(TALLY_WQE_F_INLINE);
		w->inline_len = htole32(bytes * s.give_blocks);
		at += (bytes * s.give_blocks + 15) / 16 * 16;
	} else {
		for (i = 0; i < s.givers; i++)
			add_sge(in, wqe, &at, bytes * s.give_blocks);
		w->num_gather = s.givers;
	}
	for (i = 0; i < s.getters; i++)
		add_sge(in, wqe, &at, bytes * s.get_blocks);
	w->num_result = s.getters;
	return at;
}

/* Builds a complete entry of the send queue. */
static void build(struct guest *g, struct input *in, uint8_t wqe[TALLY_MAX_WQE_SIZE])
{
	uint8_t what = input_u8(in), how = input_u8(in);
	struct tally_wqe w = what < 200 ? collective(g) : what < 235 ? triggered(g, in) : control(g, in);
	size_t len = sizeof(w);

	memset(wqe, 0, TALLY_MAX_WQE_SIZE);
	w.index = htole32(g->posted);
	w.jid = htole32(GUEST_JID);
	if (!(how & 1))
		w.flags |= htole32(TALLY_WQE_F_SIGNALED);
	if (how >> 1 & 1 && what < 200) {
		w.flags |= htole32(TALLY_WQE_F_FLAG_WORD);
		w.flag_addr = htole64(HOST_IOVA + 8 * input_u8(in));
		w.flag_lkey = htole32(HOST_LKEY);
	}
	if (what < 235)
		len = add_data(g, in, wqe, &w, how >> 2 & 1);
	memcpy(wqe, &w, sizeof(w));
	if (how >> 3 & 3)
		return;
	input_spoil(in, wqe, len, 3);
}

void guest_post(struct guest *g, struct input *in)
{
	uint8_t wqe[TALLY_MAX_WQE_SIZE], *to;

	to = (uint8_t *)host_ptr(g->h, g->h->sq) + g->posted % GUEST_SQ_DEPTH * HOST_SQ_STRIDE;
	build(g, in, wqe);
	memcpy(to, wqe, HOST_SQ_STRIDE);
	g->posted++;
	if (!input_one_in(in, 8))
		g->h->qp_slot->counter = htole64(g->posted);
	nic_doorbells(g->h->nic);
}

/* Pushes the entry of the queue, or another one. */
void guest_push(struct guest *g, struct input *in)
{
	struct tally_push_line *first = tally_push_first(g->h->push, g->posted + 1), *line = first;
	uint8_t wqe[TALLY_MAX_WQE_SIZE], *to;

	to = (uint8_t *)host_ptr(g->h, g->h->sq) + g->posted % GUEST_SQ_DEPTH * HOST_SQ_STRIDE;
	build(g, in, wqe);
	if (!input_one_in(in, 4))
		memcpy(to, wqe, HOST_SQ_STRIDE);
	g->posted++;
	for (unsigned int i = 0; i < TALLY_PUSH_LINES; i++, line++) {
		memcpy(line->data, wqe + i * sizeof(line->data), sizeof(line->data));
		line->posted = htole64(g->posted);
	}
	if (input_one_in(in, 8))
		first[input_below(in, TALLY_PUSH_LINES)].posted = htole64(input_number(in));
	g->h->qp_slot->counter = htole64(g->posted);
	nic_doorbells(g->h->nic);
}

/* ---- Other operations of a guest ---- */

/* Returns the index of the valid body that fits an opcode. */
static unsigned int body_of(uint16_t opcode)
{
	switch (opcode) {
	case TALLY_ADMIN_CREATE_EQ:
		return 0;
	case TALLY_ADMIN_CREATE_CQ:
		return 1;
	case TALLY_ADMIN_REG_MR:
		return 2;
	case TALLY_ADMIN_CREATE_GROUP:
		return 3;
	case TALLY_ADMIN_CREATE_QP:
		return 4;
	default:
		return 5;
	}
}

/* Returns the number of an object, which mostly exists. */
static uint32_t object_of(uint16_t opcode, struct input *in)
{
	switch (opcode) {
	case TALLY_ADMIN_DESTROY_EQ:
		return HOST_EQN;
	case TALLY_ADMIN_DESTROY_CQ:
		return HOST_CQN;
	case TALLY_ADMIN_DEREG_MR:
		return HOST_LKEY;
	case TALLY_ADMIN_MODIFY_QP:
	case TALLY_ADMIN_QUERY_QP:
	case TALLY_ADMIN_DESTROY_QP:
		return HOST_QPN;
	case TALLY_ADMIN_INJECT:
		return input_below(in, 4);
	case TALLY_ADMIN_QUERY_COUNTERS:
		return 0;
	default:
		return GUEST_GROUP;
	}
}

/*
 * Fills in the fields of a command: the changed configuration of a new group, or the address of an
 * answer.
 */
static void aim(struct guest *g, struct input *in, uint16_t opcode, union admin_body *b)
{
	if (opcode == TALLY_ADMIN_CREATE_GROUP) {
		b->group.group = htole32(input_below(in, 4));
		input_spoil(in, host_ptr(g->h, g->image),
			    sizeof(struct tally_group_cfg) +
			    (g->nodes - 1) * sizeof(struct tally_group_edge), 4);
		return;
	}
	if (body_of(opcode) != 5)
		return;
	b->object.id = htole32(object_of(opcode, in));
	if (opcode == TALLY_ADMIN_MODIFY_QP)
		b->modify_qp.state = input_below(in, 3);
	if (opcode == TALLY_ADMIN_ATTACH_RANK || opcode == TALLY_ADMIN_DETACH_RANK)
		b->group_ranks.ranks = htole64(input_u8(in));
	if (opcode == TALLY_ADMIN_RESET_GROUP)
		b->reset_group.epoch = htole32(input_u16(in));
	if (opcode == TALLY_ADMIN_INJECT) {
		b->inject.action = htole32(input_below(in, 2));
		b->inject.probability = htole32(100);
		b->inject.times = htole32(input_below(in, 4));
		b->inject.object = htole32(TALLY_INJECT_ANY);
	}
	if (opcode >= TALLY_ADMIN_QUERY_EDGES || opcode == TALLY_ADMIN_QUERY_GROUP ||
	    opcode == TALLY_ADMIN_QUERY_COUNTERS) {
		b->query.length = htole32(TALLY_PAGE_SIZE * input_below(in, 8));
		b->query.addr = htole64(g->h->mr);
	}
}

void guest_command(struct guest *g, struct input *in)
{
	struct host *h = g->h;
	struct tally_admin_cmd *cmd = host_ptr(h, h->aq_sq);
	uint16_t opcode = input_below(in, TALLY_ADMIN_QUERY_ARRIVALS + 2);
	union admin_body b = g->good[body_of(opcode)];

	aim(g, in, opcode, &b);
	input_spoil(in, b.raw, 72, 2);
	cmd += h->commands % HOST_AQ_DEPTH;
	*cmd = (struct tally_admin_cmd){ .opcode = htole16(opcode) };
	memcpy(cmd->body, b.raw, sizeof(cmd->body));
	h->control->aq_db = htole64(++h->commands);
	nic_doorbells(h->nic);
}

void guest_memory(struct guest *g, struct input *in)
{
	struct host *h = g->h;
	uint64_t page = input_below(in, h->used / TALLY_PAGE_SIZE + 1) * TALLY_PAGE_SIZE;

	if (input_one_in(in, 8)) {
		h->hole = HOST_BASE + page;
		h->hole_bytes = input_below(in, 3) * TALLY_PAGE_SIZE;
		return;
	}
	if (input_one_in(in, 2)) {	/* an entry of a page list */
		__le64 *entry = (__le64 *)(h->mem + page) + input_below(in, 4);

		*entry = htole64(HOST_BASE + input_below(in, 64) * TALLY_PAGE_SIZE);
		return;
	}
	input_spoil(in, h->mem + page, 512, 4);
}

void guest_bar(struct guest *g, struct input *in)
{
	struct host *h = g->h;
	struct { void *at; size_t len; } areas[] = {
		{ h->ident, sizeof(*h->ident) },
		{ h->control, sizeof(*h->control) },
		{ h->status, sizeof(*h->status) },
		{ h->qp_slot, sizeof(*h->qp_slot) },
		{ h->cq_slot, sizeof(*h->cq_slot) },
		{ h->cq_record, sizeof(*h->cq_record) },
		{ h->push, 4 * sizeof(struct tally_push_line) },
		{ tally_push_first(h->push, 1), 4 * sizeof(struct tally_push_line) },
		{ h->bar + TALLY_BAR_UAR_OFFSET + TALLY_PAGE_SIZE * input_u8(in), 64 },
	};
	unsigned int i = input_below(in, sizeof(areas) / sizeof(areas[0]));

	input_spoil(in, areas[i].at, areas[i].len, 3);
	nic_doorbells(h->nic);
}

void guest_consume(struct guest *g)
{
	struct host *h = g->h;

	h->control->aq_ci = htole64(h->nic->aq.done);
	h->control->eq_db[HOST_EQN].ci = htole64(h->interrupts[1]);
	if (h->nic->cq[HOST_CQN])
		h->cq_record->consumed = h->cq_slot->counter =
			htole64(h->nic->cq[HOST_CQN]->produced);
	h->cq_slot->arm = htole64(le64toh(h->cq_slot->arm) + 2);
	nic_doorbells(h->nic);
}

void guest_wait(struct guest *g, struct input *in)
{
	static const vtime_t times[] = { 0, 50 * VT_NS, 500 * VT_NS, 2 * VT_US, 20 * VT_US, 12 * VT_MS };

	nic_doorbells(g->h->nic);
	sim_run_until(g->sim, sim_now(g->sim) +
		      times[input_below(in, sizeof(times) / sizeof(times[0]))]);
}
