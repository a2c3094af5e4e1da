// SPDX-License-Identifier: BSD-2-Clause
/*
 * Sequences of packets for the engine. A group works, while an attacker in the network changes
 * packets in flight and repeats changed packets, so that epochs, nonces and numbers are often
 * right. Meanwhile memory accesses fail and ranks abort. Every request must get exactly one
 * outcome, nothing may be written after it, and nothing may be left when the group is gone. If
 * nothing was forged, results must be right.
 */
#include "engine/test/test_job.h"

#include "input.h"

#define KEPT		8
#define MOST_DEEDS	200
#define MOST_FAULTS	40	/* faults of the network; afterwards it has none */

struct run {
	struct input *in;
	struct testbed *tb;
	struct tb_group g;
	struct job job;
	struct tb_packet kept[KEPT];
	unsigned int num_kept, faults;
	bool forged;
};

/* ---- The network ---- */

/* Changes a 32-bit number of the header. These lie between jid and count. */
static void change_number(struct input *in, struct tally_tch *t)
{
	__be32 *field = &t->jid + input_below(in, 9);

	*field = htobe32(be32toh(*field) + input_below(in, 16) - 8);
}

static void forge(struct run *r, struct tb_packet *p)
{
	struct input *in = r->in;

	r->forged = true;
	switch (input_below(in, 4)) {
	case 0:
		change_number(in, &p->tch);
		break;
	case 1:
		input_spoil(in, &p->tch, sizeof(p->tch), 3);
		break;
	case 2:
		input_spoil(in, p->payload, p->len < 64 ? p->len : 64, 3);
		break;
	default:
		p->len = input_below(in, sizeof(p->payload) + 1);
		break;
	}
}

static bool under_way(void *arg, struct tb_packet *p)
{
	struct run *r = arg;

	r->kept[r->num_kept++ % KEPT] = *p;
	if (!r->in->left || r->faults >= MOST_FAULTS)
		return true;
	switch (input_below(r->in, 16)) {
	case 0:
		r->faults++;
		return false;
	case 1:
	case 2:
	case 3:
		r->faults++;
		forge(r, p);
		return true;
	default:
		return true;
	}
}

/*
 * Sets the key that the node expects. Otherwise a packet for another node would be dropped early.
 */
static void mend_key(const struct run *r, const struct tb_node *to, struct tally_tch *t)
{
	if (t->contributor <= EDGE_PARENT)
		t->key = htobe32(to->e->groups[r->g.cfg.group].edges[t->contributor].key);
}

/* Sends one of the last packets again, changed, to its destination or to another node. */
static void repeat(struct run *r)
{
	unsigned int n = r->num_kept < KEPT ? r->num_kept : KEPT;
	struct {
		struct tally_tch tch;
		uint8_t payload[TALLY_MAX_MTU];
	} body;
	struct tb_packet p;
	struct tb_node *to;

	if (!n)
		return;
	p = r->kept[input_below(r->in, n)];
	to = input_one_in(r->in, 4) || !p.to ? &r->tb->nodes[input_below(r->in, r->tb->num_nodes)] : p.to;
	forge(r, &p);
	if (input_one_in(r->in, 2))
		forge(r, &p);
	if (to != p.to)
		mend_key(r, to, &p.tch);
	body.tch = p.tch;
	memcpy(body.payload, p.payload, p.len);
	tb_inject(to, &p.from->addr, &body, sizeof(body.tch) + p.len);
}

/* ---- The hosts ---- */

static void post_next(struct run *r)
{
	struct job_poster *p = &r->job.posters[input_below(r->in, r->job.num_posters)];

	if (p->next < r->job.num_msgs)
		job_post(&r->job, p);
}

/*
 * A rank that overruns its own queue gets no outcomes. Entries are reserved for the messages that
 * are not posted yet.
 */
static bool has_room(const struct run *r, const struct job_poster *p)
{
	return p->qp->posted - p->qp->retired + r->job.num_msgs - p->next < p->qp->depth;
}

static void post_abort(struct run *r)
{
	struct job_poster *p = &r->job.posters[input_below(r->in, r->job.num_posters)];
	struct tb_post post = tb_request(&r->g, TALLY_OPCODE_ABORT, 0, p->ranks);

	if (!has_room(r, p))
		return;
	post.w.node_mask = 0;
	tb_post_ring(tb_group_node(&r->g, p->node), p->qp, &post);
}

/* Posts a triggered request. Each of its fields is valid, but their combination may not be. */
static void post_triggered(struct run *r)
{
	static const uint8_t opcodes[] = { TALLY_OPCODE_REDUCE_MP, TALLY_OPCODE_BCAST_MP, TALLY_OPCODE_PUT_MP };
	struct input *in = r->in;
	struct job_poster *p = &r->job.posters[input_below(in, r->job.num_posters)];
	struct tb_node *n = tb_group_node(&r->g, p->node);
	struct tb_post post = tb_request(&r->g, opcodes[input_below(in, sizeof(opcodes))], input_u8(in),
					 p->ranks & -p->ranks);
	uint32_t count = 1 + input_below(in, 16);
	uint64_t at = tb_alloc(n, 4 * count);

	post.w.op = post.w.opcode == TALLY_OPCODE_REDUCE_MP ? TALLY_OP_SUM : TALLY_OP_NONE;
	post.w.dtype = TALLY_TYPE_INT32;
	post.w.count = htole64(count);
	post.w.cpcnt = htole32(input_below(in, 4));
	post.w.counter = input_below(in, TALLY_NUM_CP_COUNTERS);
	post.w.dest_counter = input_below(in, TALLY_NUM_CP_COUNTERS);
	post.w.dest_port = htole16(input_below(in, 4));
	post.w.branch = input_below(in, 4);
	post.w.node_mask = htole64(input_u8(in) & 7);
	/*
	 * For a request without result and completion, the test bed only knows that it was posted.
	 */
	post.w.flags = htole32(input_number(in) | TALLY_WQE_F_SIGNALED);
	if (!(le32toh(post.w.flags) & TALLY_WQE_F_INLINE))
		tb_gather(&post, at, 4 * count);
	if (le32toh(post.w.flags) & TALLY_WQE_F_FLAG_WORD)
		return;		/* the test bed permits writes to results only */
	if (!has_room(r, p))
		return;
	if (input_one_in(in, 2))
		tb_result(&post, tb_alloc(n, 4 * count), 4 * count);
	tb_post_ring(n, p->qp, &post);
}

static void fail_memory(struct run *r)
{
	struct tb_node *n = &r->tb->nodes[input_below(r->in, r->tb->num_nodes)];

	n->fail_reads = input_one_in(r->in, 4);
	n->fail_writes = input_one_in(r->in, 4);
	n->slow = input_below(r->in, 4) * VT_US;
}

static void wait(struct run *r)
{
	static const vtime_t times[] = { 100 * VT_NS, VT_US, 3 * VT_US, 20 * VT_US, 200 * VT_US, 3 * VT_MS };

	tb_run_for(r->tb, times[input_below(r->in, sizeof(times) / sizeof(times[0]))]);
}

static void lose(struct run *r)
{
	uint8_t how = input_u8(r->in);

	tb_lossy(r->tb, (how & 3) * 0.05, (how >> 2 & 3) * 0.1, (how >> 4 & 3) * 0.1);
}

static void stop_queue(struct run *r)
{
	struct job_poster *p = &r->job.posters[input_below(r->in, r->job.num_posters)];

	tb_qp_modify(&r->g, p->node, p->qp, TALLY_QPS_ERROR);
}

/* ---- A run ---- */

static void plan(struct run *r)
{
	struct input *in = r->in;
	struct tb_group_cfg cfg = {
		.nodes = r->tb->num_nodes,
		.degree = 1 + input_below(in, 4),
		.ranks = 1 + input_below(in, 3),
		.segs = 1u << input_below(in, 4),
		.mtu = 256u << input_below(in, 5),
		.timeout_ms = TALLY_MIN_TIMEOUT_MS,
		.retry_limit = 1 + input_below(in, 12),
		.mode = 1 + input_below(in, 3),
	};
	uint8_t flags = input_u8(in);

	if (flags & 8)
		cfg.modes = TALLY_MODES_TREE | TALLY_MODES_EXCHANGE | TALLY_MODES_RING;
	if (cfg.mode == TALLY_MODE_TREE || cfg.modes)
		cfg.flags = (flags & 1 ? TALLY_GROUP_F_ORDERED : 0) |
			    (flags & 2 ? TALLY_GROUP_F_MULTICAST : 0);
	tb_group_plan(r->tb, &r->g, &cfg);
	if (cfg.mode == TALLY_MODE_TREE && !cfg.modes && flags & 4 && cfg.nodes > 2)
		tb_group_peer(&r->g, 0, cfg.nodes - 1);
	tb_group_create_all(&r->g);
}

static void add_message(struct run *r)
{
	static const uint8_t types[] = { TALLY_TYPE_INT32, TALLY_TYPE_INT64, TALLY_TYPE_FP32, TALLY_TYPE_FP64 };
	struct input *in = r->in;
	uint8_t opcode = 1 + input_below(in, TALLY_OPCODE_SCATTER), how = input_u8(in);
	uint32_t count = input_one_in(in, 4) ? input_below(in, 1500) : input_below(in, 32);
	uint8_t mode = r->g.cfg.modes ? TALLY_MODE_TREE + how % 3 : r->g.cfg.mode;
	struct job_msg *m;

	if (!opcode_offered(mode, opcode))
		opcode = TALLY_OPCODE_ALLREDUCE;
	if (opcode == TALLY_OPCODE_BARRIER) {
		m = job_add(&r->job, opcode, TALLY_OP_NONE, TALLY_TYPE_NONE, 0);
		m->mode = mode;
		return;
	}
	m = job_add(&r->job, opcode, opcode_reduces(opcode) ? TALLY_OP_SUM + how % 3 : TALLY_OP_NONE,
		    types[how >> 2 & 3], count);
	m->mode = mode;
	m->in_place = how >> 4 & 1;
	m->inline_data = how >> 5 & 1;
	m->silent = how >> 6 & 1;
	if (how >> 7)
		m->chunk_len = 64 + input_below(in, r->g.cfg.mtu - 63);
	if (opcode_rooted(opcode))
		job_root(&r->job, m, input_u8(in));
}

static void deeds(struct run *r)
{
	static void (*const all[])(struct run *) = {
		post_next, wait, post_next, repeat, wait, post_next, repeat, post_next, wait, post_triggered,
		fail_memory, lose, post_abort, stop_queue, wait, post_triggered,
	};

	for (unsigned int i = 0; r->in->left && i < MOST_DEEDS; i++)
		all[input_below(r->in, sizeof(all) / sizeof(all[0]))](r);
}

/* All outstanding requests end in a network without faults; then everything is destroyed. */
static void end(struct run *r)
{
	r->in->left = 0;
	tb_lossy(r->tb, 0, 0, 0);
	for (unsigned int i = 0; i < r->tb->num_nodes; i++) {
		struct tb_node *n = &r->tb->nodes[i];

		n->slow = 0;
		n->fail_reads = n->fail_writes = false;
	}
	job_post_all(&r->job, VT_US);
	tb_finish(r->tb, VT_S);
	if (!r->forged)
		job_check_successful(&r->job);
	job_end(&r->job);
	tb_assert_all_empty(r->tb);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	static struct run r;
	unsigned int nodes, messages;

	r = (struct run){ .in = &in };
	nodes = 1 + input_below(&in, 5);
	r.tb = tb_new(nodes, input_u8(&in));
	plan(&r);
	r.tb->net.hook = under_way;
	r.tb->net.hook_arg = &r;
	job_init(&r.job, &r.g, 1, input_one_in(&in, 4));
	for (messages = 1 + input_below(&in, 8); messages; messages--)
		add_message(&r);
	deeds(&r);
	end(&r);
	tb_free(r.tb);
	return 0;
}
