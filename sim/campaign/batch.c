// SPDX-License-Identifier: BSD-2-Clause
/* Random messages. The identification page lists what the device offers, tables the rest. */
#include <stdlib.h>
#include <string.h>

#include "campaign/campaign.h"

#define MAX_CHUNKS	48	/* of a message, to limit its duration */
#define LONG_CHUNKS	1024	/* of a long message */
#define HEAVY_MSGS	4	/* in a batch */

/* Most bytes of a message at a rank that gives or gets something. */
static const uint32_t most_bytes[JOB_WEIGHTS] = {
	[JOB_LIGHT] = 32u << 10,
	[JOB_WIDE] = 32u << 10,
	[JOB_LONG] = JOB_LONG_BYTES,
};

/* Weight of an opcode, and the capabilities that the device must offer for it. */
static const struct {
	enum tally_opcode opcode;
	unsigned int weight;
	uint64_t caps;
} opcodes[] = {
	{ TALLY_OPCODE_ALLREDUCE, 8, 0 },
	{ TALLY_OPCODE_REDUCE, 4, 0 },
	{ TALLY_OPCODE_BCAST, 4, 0 },
	{ TALLY_OPCODE_BARRIER, 3, 0 },
	{ TALLY_OPCODE_GATHER, 2, TALLY_CAP_CHUNKED },
	{ TALLY_OPCODE_SCATTER, 2, TALLY_CAP_CHUNKED },
	{ TALLY_OPCODE_ALLGATHER, 4, TALLY_CAP_CHUNKED },
	{ TALLY_OPCODE_REDUCE_SCATTER, 4, TALLY_CAP_CHUNKED },
};

static const enum tally_type types[] = {
	TALLY_TYPE_INT8, TALLY_TYPE_INT16, TALLY_TYPE_INT32, TALLY_TYPE_INT64,
	TALLY_TYPE_UINT8, TALLY_TYPE_UINT16, TALLY_TYPE_UINT32, TALLY_TYPE_UINT64,
	TALLY_TYPE_FP16, TALLY_TYPE_FP32, TALLY_TYPE_FP64, TALLY_TYPE_BF16,
};

static const enum tally_op ops[] = {
	TALLY_OP_SUM, TALLY_OP_MIN, TALLY_OP_MAX, TALLY_OP_MINLOC, TALLY_OP_MAXLOC, TALLY_OP_LAND,
	TALLY_OP_LOR, TALLY_OP_LXOR, TALLY_OP_BAND, TALLY_OP_BOR, TALLY_OP_BXOR, TALLY_OP_PROD,
	TALLY_OP_AVG,
};

/* Bytes of a message: a length, or up to two elements more or less. */
static const struct {
	unsigned int weight;
	enum { ONE_ELEMENT, AROUND, UP_TO, AROUND_MTU, UP_TO_MTU, UP_TO_MTUS, UP_TO_MOST } kind;
	uint32_t bytes;
} sizes[] = {
	{ 2, UP_TO, 0 },	{ 12, ONE_ELEMENT, 0 },	{ 8, AROUND, 48 },
	{ 8, AROUND, 56 },	{ 8, AROUND, 256 },	{ 40, UP_TO, 256 },
	{ 4, AROUND_MTU, 0 },	{ 12, UP_TO_MTU, 0 },	{ 5, UP_TO_MTUS, 4 },
	{ 1, UP_TO_MOST, 0 },
};

static bool offered(const struct host *h, enum tally_op op, enum tally_type type)
{
	unsigned int class = type >> 4;

	return le32toh(h->ident->alu_ops[class]) >> op & 1 &&
	       h->ident->alu_sizes[class] >> (type & 0xf) & 1;
}

/* ---- Operation ---- */

static bool is_float(enum tally_type type)
{
	return type >> 4 == TALLY_TYPE_CLASS_FP || type >> 4 == TALLY_TYPE_CLASS_BF;
}

static bool can_be_rounded(enum tally_op op, enum tally_type type)
{
	return (op == TALLY_OP_SUM || op == TALLY_OP_AVG) && is_float(type);
}

static bool has_blocks(enum tally_opcode opcode)
{
	const struct message m = { .opcode = opcode };

	return message_gives_blocks(&m) || message_gets_blocks(&m);
}

static enum tally_opcode random_opcode(struct job *job)
{
	const struct host *h = job_host(job, 0);
	const size_t n = sizeof(opcodes) / sizeof(opcodes[0]);
	unsigned int total = 0, k;
	size_t i;

	for (i = 0; i < n; i++)
		total += opcodes[i].weight;
	for (;;) {
		k = campaign_below(job->c, total);
		for (i = 0; k >= opcodes[i].weight; i++)
			k -= opcodes[i].weight;
		if (!host_offers(h, opcodes[i].caps) || !job_offers(job, opcodes[i].opcode))
			continue;
		/* a node without ranks has no block */
		if ((job->group.flags & TALLY_GROUP_F_SPARSE) && has_blocks(opcodes[i].opcode))
			continue;
		return opcodes[i].opcode;
	}
}

static void random_type(struct job *job, struct message *m)
{
	struct campaign *c = job->c;

	if (!message_reduces(m)) {
		m->op = TALLY_OP_NONE;
		m->type = m->opcode == TALLY_OPCODE_BARRIER || campaign_one_in(c, 4) ?
			TALLY_TYPE_NONE : types[campaign_below(c, sizeof(types) / sizeof(*types))];
		return;
	}
	m->rounded = campaign_one_in(c, 10);
	m->special = !m->rounded && campaign_one_in(c, 10);
	do {
		m->op = ops[campaign_below(c, sizeof(ops) / sizeof(*ops))];
		m->type = types[campaign_below(c, sizeof(types) / sizeof(*types))];
	} while (!offered(job_host(job, 0), m->op, m->type) ||
		 (m->rounded && !can_be_rounded(m->op, m->type)) ||
		 (m->special && !is_float(m->type)));
	if (m->op == TALLY_OP_MINLOC || m->op == TALLY_OP_MAXLOC) {
		m->loc_values = campaign_one_in(c, 2);
		m->loc_index = m->loc_values ? campaign_below(c, 1 << 30) : 0;
	}
}

static void random_root(struct job *job, struct message *m)
{
	unsigned int node, local;

	m->root = campaign_below(job->c, job->tree.total_ranks);
	tree_rank(&job->tree, m->root, &node, &local);
	m->root_node = node;
	m->root_local = local;
}

/* ---- Length ---- */

static uint32_t around(struct campaign *c, uint32_t n)
{
	uint32_t at = n + campaign_below(c, 5);

	return at < 2 ? 0 : at - 2;
}

static uint32_t random_count(struct job *job, uint32_t elem)
{
	struct campaign *c = job->c;
	uint32_t mtu = job->group.mtu, most = most_bytes[job->weight] / elem;
	unsigned int total = 0, i, k;

	if (job->weight == JOB_LONG && campaign_below(c, 4))
		return most - campaign_below(c, campaign_one_in(c, 2) ? 3 : most / 2);

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		total += sizes[i].weight;
	k = campaign_below(c, total);
	for (i = 0; k >= sizes[i].weight; i++)
		k -= sizes[i].weight;
	switch (sizes[i].kind) {
	case ONE_ELEMENT:
		return 1;
	case AROUND:
		return around(c, sizes[i].bytes / elem);
	case AROUND_MTU:
		return around(c, mtu / elem);
	case UP_TO_MTU:
		return campaign_below(c, mtu / elem + 1);
	case UP_TO_MTUS:
		return campaign_below(c, sizes[i].bytes * mtu / elem + 1);
	case UP_TO_MOST:
		return campaign_below(c, most + 1);
	default:
		return campaign_below(c, sizes[i].bytes / elem + 1);
	}
}

static uint32_t max_chunks(const struct job *job)
{
	return job->weight == JOB_LONG ? LONG_CHUNKS : MAX_CHUNKS;
}

static void random_chunks(struct job *job, struct message *m)
{
	uint32_t elem = message_elem_size(m), mtu = job->group.mtu;
	uint64_t least = message_expect_bytes(m) / max_chunks(job) + elem;

	m->chunk_len = 0;
	if (least < mtu && campaign_one_in(job->c, 4))
		m->chunk_len = least + campaign_below(job->c, mtu - least + 1);
}

/* Most bytes that the ranks of a node need in its two regions, with guards and alignment. */
static uint64_t needed(const struct job *job, const struct message *m, unsigned int node)
{
	uint64_t ranks = __builtin_popcountll(job->tree.node[node].ranks);
	uint64_t give = message_give_bytes(m), get = message_get_bytes(m);

	return ranks * ((give > get ? give : get) + JOB_ROOM);
}

static bool has_room(const struct job *job, const uint64_t *used, const struct message *m)
{
	for (unsigned int i = 0; i < job->tree.num_nodes; i++) {
		const struct job_node *n = &job->node[i];

		if (n->lost)
			continue;
		if (used[i] + needed(job, m, i) > n->in.length ||
		    used[i] + needed(job, m, i) > n->out.length)
			return false;
	}
	return true;
}

bool job_fits(const struct job *job, const struct message *m)
{
	/* where ranks give values without indices, the result is several times as long */
	if (message_give_bytes(m) > most_bytes[job->weight] ||
	    message_get_bytes(m) > most_bytes[job->weight] ||
	    message_expect_bytes(m) > CAMPAIGN_EXPECT_BYTES)
		return false;
	if (job_chunks(job, m) == 1)
		return true;
	return host_offers(job_host(job, 0), TALLY_CAP_CHUNKED) &&
	       job_chunks(job, m) <= 2 * max_chunks(job);
}

/* ---- Participants ---- */

/* Makes some ranks, or all of a node, absent, but neither the root nor all ranks. */
static void random_absent(struct job *job, struct message *m)
{
	unsigned int share = 2 + campaign_below(job->c, 6);

	for (unsigned int i = 0; i < job->tree.num_nodes; i++) {
		const struct tree_node *t = &job->tree.node[i];
		bool whole_node = campaign_one_in(job->c, share);

		for (unsigned int k = 0; k < (unsigned int)__builtin_popcountll(t->ranks); k++) {
			uint32_t rank = t->rank_first + k;

			if ((!whole_node && !campaign_one_in(job->c, share)) ||
			    (message_has_root(m) && rank == m->root) ||
			    m->num_absent + 1 == m->total_ranks)
				continue;
			m->absent[rank / 64] |= 1ull << rank % 64;
			m->num_absent++;
		}
	}
}

static bool takes_part(const struct job *job, const struct message *m, unsigned int node)
{
	const struct tree_node *t = &job->tree.node[node];

	for (unsigned int k = 0; k < (unsigned int)__builtin_popcountll(t->ranks); k++)
		if (!message_absent(m, t->rank_first + k))
			return true;
	return false;
}

/* Selects the contributors in whose subtree a rank takes part. */
static void narrow(const struct job *job, struct job_msg *jm)
{
	bool active[CAMPAIGN_MAX_NODES];

	for (unsigned int i = job->tree.num_nodes; i-- > 0;) {
		jm->node_mask[i] = 0;
		active[i] = takes_part(job, &jm->m, i);
		for (unsigned int k = i + 1; k < job->tree.num_nodes; k++)
			if (job->tree.node[k].parent == (int)i && active[k]) {
				jm->node_mask[i] |= 1ull << job->tree.node[k].slot;
				active[i] = true;
			}
	}
}

/* For trees only. A node without ranks could not tell its NIC which contributors to omit. */
static void random_members(struct job *job, struct job_msg *jm)
{
	struct message *m = &jm->m;

	for (unsigned int i = 0; i < job->tree.num_nodes; i++)
		jm->node_mask[i] = ~0ull;
	if (!job_is_in_tree(job, m) || job->group.flags & TALLY_GROUP_F_SPARSE ||
	    m->op == TALLY_OP_AVG || has_blocks(m->opcode) ||
	    m->total_ranks > MESSAGE_MAX_ABSENT || !campaign_one_in(job->c, 5))
		return;
	random_absent(job, m);
	if (m->num_absent)
		narrow(job, jm);
}

/* ---- A batch ---- */

/* Messages of descriptors are not counted: they have the number of the message that follows. */
static void number_message(struct job *job, struct job_msg *jm)
{
	jm->mid = job->next_mid;
	jm->first_num = job->next_num;
	if (jm->triggered)
		return;
	job->next_mid++;
	job->next_num += job_chunks(job, &jm->m);
	jm->last_num = job->next_num - 1;
}

static bool add_message(struct job *job, uint64_t *used, bool may_trigger)
{
	struct campaign *c = job->c;
	struct job_msg *jm = &job->msg[job->num_msgs];
	struct message *m = &jm->m;

	*jm = (struct job_msg){ 0 };
	jm->triggered = may_trigger && job_may_trigger(job);
	m->opcode = jm->triggered ? TALLY_OPCODE_ALLREDUCE : random_opcode(job);
	job_random_mode(job, m);
	m->total_ranks = job->tree.total_ranks;
	m->seed = rng_next(&c->rng);
	do
		random_type(job, m);
	while (jm->triggered && m->op == TALLY_OP_AVG); /* descriptors cannot divide */
	if (message_has_root(m))
		random_root(job, m);
	if (!jm->triggered)
		random_members(job, jm);
	m->count = m->opcode == TALLY_OPCODE_BARRIER ? 0 :
						       random_count(job, message_elem_size(m));
	if (m->opcode != TALLY_OPCODE_BARRIER && host_offers(job_host(job, 0), TALLY_CAP_CHUNKED))
		random_chunks(job, m);
	if (jm->triggered)
		job_random_trigger(job, jm);
	while (!job_fits(job, m) || (m->count && !has_room(job, used, m)))
		m->count /= 2;
	if (!has_room(job, used, m))
		return false;
	for (unsigned int i = 0; i < job->tree.num_nodes; i++)
		used[i] += needed(job, m, i);
	number_message(job, jm);
	m->special &= m->total_ranks > m->num_absent + 1;
	jm->signals = m->opcode == TALLY_OPCODE_ALLREDUCE && message_signals(m);
	jm->in_place = campaign_one_in(c, 2);
	jm->inlined = campaign_one_in(c, 2);
	jm->ordered = !jm->triggered && (job->group.flags & TALLY_GROUP_F_ORDERED) && message_reduces(m) &&
		      campaign_one_in(c, 2);
	if (campaign_one_in(c, 5))
		jm->seg_count = 1 + campaign_below(c, job->group.num_segs);
	jm->flag_word = host_offers(job_host(job, 0), TALLY_CAP_FLAG_WORD) && campaign_one_in(c, 6);
	job->num_msgs++;
	return true;
}

static void count_messages(struct job *job)
{
	struct campaign_count *n = &job->c->count;

	n->collectives += job->num_msgs;
	n->mode[job->mode] += job->num_msgs;
	for (unsigned int i = 0; i < job->num_msgs; i++) {
		if (job->mode == JOB_MIXED)
			n->mixed[job_mode_of(job, &job->msg[i].m)]++;
		n->triggered += job->msg[i].triggered;
		if (!job->msg[i].triggered)
			n->opcode[job->msg[i].m.opcode]++;
		n->narrowed += job->msg[i].m.num_absent != 0;
		n->rounded += job->msg[i].m.rounded;
		n->special += job->msg[i].m.special;
		if (message_get_bytes(&job->msg[i].m) > n->most_bytes)
			n->most_bytes = message_get_bytes(&job->msg[i].m);
		if (message_reduces(&job->msg[i].m)) {
			n->op[job->msg[i].m.op]++;
			n->type[job->msg[i].m.type]++;
		}
	}
}

static void *room_for(struct job *job, void *array, size_t *room, size_t n, size_t size)
{
	if (n <= *room)
		return array;
	free(array);
	array = malloc(n * size);
	*room = array ? n : 0;
	if (!array)
		campaign_fail(job->c, job, "no memory for a batch");
	return array;
}

/* Allocates room for all requests that can be posted, so that none moves. */
static bool make_room(struct job *job)
{
	size_t parts = (size_t)job->tree.total_ranks * job->num_msgs;
	/* for each process: its messages, as many QUERYs, and an ABORT; descriptors are in pairs */
	size_t requests = parts + (size_t)job->num_posters * (job->num_msgs + 1) +
			  (size_t)job->tree.num_nodes * job->num_msgs;

	job->num_requests = job->num_parts = 0;
	job->request = room_for(job, job->request, &job->request_room, requests,
				sizeof(*job->request));
	job->part = room_for(job, job->part, &job->part_room, parts, sizeof(*job->part));
	return job->request && job->part;
}

void job_new_batch(struct job *job)
{
	uint64_t used[CAMPAIGN_MAX_NODES] = { 0 };
	struct campaign *c = job->c;
	unsigned int want = 1 + campaign_below(c, job->weight ? HEAVY_MSGS : JOB_MAX_MSGS);

	for (unsigned int i = 0; i < job->tree.num_nodes; i++)
		job->node[i].in_used = job->node[i].out_used = 0;
	job->num_msgs = 0;
	while (job->num_msgs < want && add_message(job, used, true))
		;
	/* The completion of the last message tells every process of all messages before it. */
	while (job->num_msgs && job->msg[job->num_msgs - 1].triggered)
		job->num_msgs--;
	if (!job->num_msgs) {
		memset(used, 0, sizeof(used));
		add_message(job, used, false);
	}
	count_messages(job);
	if (!make_room(job))
		return;
	job_choose_failure(job);
	job_await_progress(job);
	for (unsigned int i = 0; i < job->num_posters; i++) {
		struct poster *p = &job->poster[i];

		p->next = 0;
		if (!p->dead)
			poster_wake(p, campaign_below(c, 2 * VT_US));
	}
}
