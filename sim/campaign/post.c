// SPDX-License-Identifier: BSD-2-Clause
/* Posts the requests of a process for its ranks, all at once or one by one, and QUERYs. */
#include <string.h>

#include "campaign/campaign.h"

#define GUARD_BYTE	0xa5
#define UNWRITTEN	0x5a
#define MOST_REQUESTS	16	/* for a message's present ranks, and for its absent ranks */

void poster_wake(struct poster *p, vtime_t delay)
{
	if (!sim_pending(&p->event))
		sim_schedule_in(p->job->c->sim, &p->event, delay);
}

/* A silent process posts again after its group has ended, unless it cannot learn of that end. */
static bool will_post(const struct poster *p)
{
	const struct job *job = p->job;

	return !p->dead && p->next < job->num_msgs &&
	       (!p->silent || job->node[p->node].awaits_death);
}

bool job_quiet(const struct job *job)
{
	if (job->outstanding)
		return false;
	for (unsigned int i = 0; i < job->num_posters; i++)
		if (will_post(&job->poster[i]))
			return false;
	return true;
}

/* ---- Buffers ---- */

/* Takes room for a buffer, which may begin at any byte. */
static uint64_t take(struct job *job, const struct host_mr *mr, uint64_t *used, uint64_t len,
		     uint64_t guard)
{
	uint64_t at = *used + campaign_below(job->c, 16) + guard;

	*used = at + len + guard;
	if (*used > mr->length)
		campaign_fail(job->c, job, "a batch needs more memory than was planned");
	return mr->iova + at;
}

static uint64_t take_in(struct job_node *n, uint64_t len)
{
	return take(n->job, &n->in, &n->in_used, len, 0);
}

void job_fill(const struct job_node *n, uint64_t at, int byte, uint64_t len)
{
	memset(n->job->c->got, byte, len);
	host_mr_write(&n->out, at, n->job->c->got, len);
}

static uint64_t take_out(struct job_node *n, uint64_t len)
{
	uint64_t at = take(n->job, &n->out, &n->out_used, len, JOB_GUARD);

	job_fill(n, at - JOB_GUARD, GUARD_BYTE, JOB_GUARD);
	job_fill(n, at, UNWRITTEN, len);
	job_fill(n, at + len, GUARD_BYTE, JOB_GUARD);
	return at;
}

bool job_guarded(const struct job_node *n, uint64_t at, uint64_t len)
{
	uint8_t guard[2 * JOB_GUARD], whole[2 * JOB_GUARD];

	memset(whole, GUARD_BYTE, sizeof(whole));
	host_mr_read(&n->out, at - JOB_GUARD, guard, JOB_GUARD);
	host_mr_read(&n->out, at + len, guard + JOB_GUARD, JOB_GUARD);
	return !memcmp(guard, whole, sizeof(whole));
}

/* ---- Lists ---- */

static void add(struct tally_sge *list, unsigned int *n, const struct host_mr *mr, uint64_t at,
		uint64_t len)
{
	list[(*n)++] = (struct tally_sge){
		.addr = htole64(at),
		.length = htole32((uint32_t)len),
		.lkey = htole32(mr->lkey),
	};
}

void node_give(struct job_node *n, struct host_wr *wr, const void *data, uint64_t len)
{
	uint64_t at = take_in(n, len);

	host_mr_write(&n->in, at, data, len);
	add(wr->gather, &wr->num_gather, &n->in, at, len);
}

uint64_t node_get(struct job_node *n, struct host_wr *wr, uint64_t len)
{
	uint64_t at = take_out(n, len);

	add(wr->result, &wr->num_result, &n->out, at, len);
	return at;
}

/* Returns the address of a rank's data within the buffer of its result. */
static uint64_t place(const struct message *m, uint32_t rank, uint64_t result)
{
	return message_gets_blocks(m) ? result + rank * message_give_bytes(m) : result;
}

static void add_buffers(struct job_node *n, struct host_wr *wr, const struct job_msg *jm,
			struct part *part, bool inlined)
{
	const struct message *m = &jm->m;
	bool gives = message_gives(m, part->rank), gets = message_gets(m, part->rank);
	bool in_place = jm->in_place && gives && gets && !inlined && !m->loc_values;
	uint64_t give = message_give_bytes(m), get = message_get_bytes(m), at;
	uint8_t *data = n->job->c->got;

	if (in_place && message_gives_blocks(m)) { /* the result is one of the blocks */
		at = take_out(n, give);
		message_input(m, part->rank, data);
		host_mr_write(&n->out, at, data, give);
		add(wr->gather, &wr->num_gather, &n->out, at, give);
		part->result = at + part->rank * get;
		part->unguarded = true;
		add(wr->result, &wr->num_result, &n->out, part->result, get);
		return;
	}
	if (gets)
		part->result = node_get(n, wr, get);
	if (!gives || inlined)
		return;
	message_input(m, part->rank, data);
	if (!in_place) {
		node_give(n, wr, data, give);
		return;
	}
	at = place(m, part->rank, part->result);
	host_mr_write(&n->out, at, data, give);
	add(wr->gather, &wr->num_gather, &n->out, at, give);
}

/* ---- Requests ---- */

struct request *poster_new_request(struct poster *p, struct host_qp *qp, enum tally_opcode opcode,
				   unsigned int msg)
{
	struct job *job = p->job;
	struct request *r = &job->request[job->num_requests++];

	*r = (struct request){
		.poster = p,
		.qp = qp,
		.msg = msg,
		.opcode = opcode,
		.posted = sim_now(job->c->sim),
		.part = job->part + job->num_parts,
	};
	p->outstanding++;
	job->outstanding++;
	job->c->count.requests++;
	trace_post(job->c->trace, r->posted, job_host(job, p->node), qp->qpn, opcode,
		   job->msg[msg].mid);
	return r;
}

void request_post(struct request *r, struct host_wr *wr, uint32_t flags)
{
	wr->w.flags |= htole32(flags);
	wr->id = r - r->poster->job->request;
	r->signaled = flags & TALLY_WQE_F_SIGNALED;
	host_post(r->qp, wr);
}

/* Returns the only rank of @ranks that has data; -1 if there are several or none. */
static int only_giver(const struct job *job, const struct message *m, unsigned int node,
		      uint64_t ranks)
{
	uint32_t rank = job->tree.node[node].rank_first;
	int giver = -1;

	for (uint64_t all = job->tree.node[node].ranks; all; all &= all - 1, rank++) {
		if (!(ranks & all & -all) || !message_gives(m, rank))
			continue;
		if (giver >= 0)
			return -1;
		giver = (int)rank;
	}
	return giver;
}

static bool can_inline(const struct host_qp *qp, const struct job_msg *jm, int giver,
		       uint64_t ranks)
{
	uint64_t give = message_give_bytes(&jm->m);
	unsigned int k = __builtin_popcountll(ranks);

	return jm->inlined && giver >= 0 && give && give <= TALLY_MAX_INLINE &&
	       host_wqe_bytes(0, k, give) <= qp->stride;
}

static void note_post(struct job *job, struct job_msg *jm, uint32_t rank)
{
	if (message_absent(&jm->m, rank))
		return;
	jm->posted_ranks++;
	jm->last_post = sim_now(job->c->sim);
	if (message_has_root(&jm->m) && rank == jm->m.root) {
		jm->root_posted = true;
		jm->root_post = jm->last_post;
	}
}

/* Allocates an aligned flag word, whose initial value means "not yet". */
void request_add_flag_word(struct request *r, struct tally_wqe *w)
{
	const uint32_t unset = 0;
	struct job_node *n = &r->poster->job->node[r->poster->node];
	uint64_t at = take_out(n, 2 * sizeof(unset));

	r->flag_addr = (at + sizeof(unset) - 1) / sizeof(unset) * sizeof(unset);
	r->flag_value = (uint32_t)rng_next(&n->job->c->rng) | 1;
	host_mr_write(&n->out, r->flag_addr, &unset, sizeof(unset));
	w->flag_addr = htole64(r->flag_addr);
	w->flag_lkey = htole32(n->out.lkey);
	w->flag_value = htole32(r->flag_value);
}

static void add_parts(struct poster *p, struct request *r, struct host_wr *wr,
		      struct job_msg *jm, uint64_t ranks, bool inlined)
{
	struct job *job = p->job;
	uint32_t rank = job->tree.node[p->node].rank_first;

	for (uint64_t all = job->tree.node[p->node].ranks; all; all &= all - 1, rank++) {
		struct part *part = &r->part[r->num_parts];

		if (!(ranks & all & -all))
			continue;
		*part = (struct part){ .rank = rank };
		add_buffers(&job->node[p->node], wr, jm, part, inlined);
		note_post(job, jm, rank);
		r->num_parts++;
		job->num_parts++;
	}
}

/* Returns whether this is the last message of the process, or the last before it falls silent. */
static bool is_last(const struct poster *p, unsigned int msg)
{
	const struct job *job = p->job;
	bool falls_silent = job->failure == FAILURE_SILENT && job->culprit == p;

	return msg + 1 == job->num_msgs || (falls_silent && msg + 1 == job->failure_at);
}

uint32_t request_random_flags(const struct request *r, const struct job_msg *jm)
{
	const struct poster *p = r->poster;
	struct job *job = p->job;
	uint32_t flags = jm->ordered ? TALLY_WQE_F_ORDERED : 0;

	/*
	 * The last message, on the first queue pair, must be signaled, as its completion retires
	 * the others. A queue full of unsignaled requests would stay full.
	 */
	if (is_last(p, r->msg) || r->qp != p->qp ||
	    host_qp_room(r->qp) <= r->qp->depth / 2 || campaign_below(job->c, 4))
		flags |= TALLY_WQE_F_SIGNALED;
	if (campaign_one_in(job->c, 4))
		flags |= TALLY_WQE_F_SOLICITED;
	if (jm->m.loc_values)
		flags |= TALLY_WQE_F_LOC_VALUES;
	return flags;
}

static struct host_qp *choose_qp(struct poster *p, unsigned int msg)
{
	return is_last(p, msg) ? p->qp : &p->qp[campaign_below(p->job->c, p->num_qps)];
}

/* Draws the fields that neither the ranks nor the buffers decide. */
static void fill_request(struct poster *p, unsigned int msg, uint64_t ranks, struct host_wr *wr)
{
	struct job *job = p->job;
	struct job_msg *jm = &job->msg[msg];

	wr->num_gather = wr->num_result = wr->data_len = 0;
	wr->w = message_wqe(&jm->m, job->group.jid, jm->mid);
	wr->w.rank_mask = htole64(ranks);
	wr->w.node_mask = htole64(jm->node_mask[p->node]);
	if (!jm->node_mask[p->node])
		wr->w.flags |= htole32(TALLY_WQE_F_NO_CONTRIBUTORS);
	wr->w.seg_count = htole16(jm->seg_count);
	if ((job->failure == FAILURE_REFUSED || job->failure == FAILURE_SILENT) &&
	    msg >= job->failure_at)
		wr->w.timeout_ms = htole32(job->silent_timeout_ms);
	else if (campaign_one_in(job->c, 8)) /* not shorter than the recovery from losses */
		wr->w.timeout_ms = htole32(job->limit_ms / 2 + campaign_below(job->c, 1000));
}

/* Adds a flag word if the message has them, and the mistake of a process that errs; then posts. */
static void finish_request(struct request *r, struct host_wr *wr, uint32_t flags)
{
	struct poster *p = r->poster;

	if (p->job->msg[r->msg].flag_word) {
		flags |= TALLY_WQE_F_FLAG_WORD;
		request_add_flag_word(r, &wr->w);
	}
	if (p->errs) {
		p->errs = false;
		flags |= TALLY_WQE_F_SIGNALED;
		request_err(r, wr);
	}
	request_post(r, wr, flags);
}

static struct request *new_request(struct poster *p, unsigned int msg)
{
	struct job_msg *jm = &p->job->msg[msg];
	struct request *r = poster_new_request(p, choose_qp(p, msg), jm->m.opcode, msg);

	r->next = jm->requests;
	jm->requests = r;
	return r;
}

static void post_ranks(struct poster *p, unsigned int msg, uint64_t ranks, bool empty)
{
	struct job_msg *jm = &p->job->msg[msg];
	struct request *r = new_request(p, msg);
	int giver = only_giver(p->job, &jm->m, p->node, ranks);
	bool inlined = can_inline(r->qp, jm, giver, ranks);
	uint32_t flags = request_random_flags(r, jm);
	uint8_t data[TALLY_MAX_INLINE];
	struct host_wr wr;

	fill_request(p, msg, ranks, &wr);
	r->empty = empty;
	add_parts(p, r, &wr, jm, ranks, inlined);
	if (empty)
		flags |= TALLY_WQE_F_EMPTY;
	if (inlined) {
		flags |= TALLY_WQE_F_INLINE;
		message_input(&jm->m, (uint32_t)giver, data);
		wr.data = data;
		wr.data_len = message_give_bytes(&jm->m);
	}
	finish_request(r, &wr, flags);
}

/* ---- One entry for several ranks ---- */

/*
 * Whether a process may post one entry for all these ranks. The entry of blocks is that of all ranks
 * of the node. Data that a host has combined signal nothing, and are rounded in another order.
 */
static bool may_combine(const struct poster *p, const struct job_msg *jm, uint64_t ranks)
{
	const struct message *m = &jm->m;
	bool blocks = message_gives_blocks(m) || message_gets_blocks(m);

	return m->opcode != TALLY_OPCODE_BARRIER && !p->errs && !m->special &&
	       !(m->rounded && job_order_is_fixed(p->job, m)) &&
	       (!blocks || ranks == p->job->tree.node[p->node].ranks);
}

/* Notes the ranks of a combined request as its parts. Returns their number. */
static unsigned int name_parts(struct request *r, uint64_t ranks, uint32_t *list)
{
	struct job *job = r->poster->job;
	const struct tree_node *t = &job->tree.node[r->poster->node];
	uint32_t rank = t->rank_first;

	for (uint64_t all = t->ranks; all; all &= all - 1, rank++) {
		if (!(ranks & all & -all))
			continue;
		list[r->num_parts] = rank;
		r->part[r->num_parts++] = (struct part){ .rank = rank };
		job->num_parts++;
		note_post(job, &job->msg[r->msg], rank);
	}
	return r->num_parts;
}

/* Returns which of the ranks gives for all, or gets for all; -1: none does. */
static int stand_in(const struct message *m, const uint32_t *rank, unsigned int n,
		    bool (*does)(const struct message *m, uint32_t rank))
{
	for (unsigned int i = 0; i < n; i++)
		if (does(m, rank[i]))
			return i;
	return -1;
}

/* The root of a BCAST has what the entry would bring. */
static int getter_of(const struct message *m, const uint32_t *rank, unsigned int n)
{
	if (m->opcode == TALLY_OPCODE_BCAST && stand_in(m, rank, n, message_gives) >= 0)
		return -1;
	return stand_in(m, rank, n, message_gets);
}

/* Adds the entry of results. If it has a block of each rank, it has them one after the other. */
static void get_for_all(struct request *r, struct host_wr *wr, int getter)
{
	const struct message *m = &r->poster->job->msg[r->msg].m;
	struct job_node *n = &r->poster->job->node[r->poster->node];
	bool blocks = message_gives_blocks(m);
	uint64_t at = node_get(n, wr, message_joint_get_bytes(m, r->num_parts));

	for (unsigned int i = 0; i < r->num_parts; i++) {
		if (!blocks && i != (unsigned int)getter)
			continue;
		r->part[i].result = at + (blocks ? i * message_get_bytes(m) : 0);
		r->part[i].unguarded = blocks && r->num_parts > 1;
	}
}

/* Adds the entry of data, or puts them into the request. Returns a flag if they are there. */
static uint32_t give_for_all(struct request *r, struct host_wr *wr, const uint32_t *rank,
			     uint8_t *data)
{
	struct job *job = r->poster->job;
	const struct job_msg *jm = &job->msg[r->msg];
	uint64_t len = message_joint_give_bytes(&jm->m, r->num_parts);
	uint8_t *to = job->c->got;

	if (!message_joint_input(&jm->m, &job->c->oracle, rank, r->num_parts, to))
		campaign_fail(job->c, job, "no memory for the oracle");
	if (!jm->inlined || !len || len > TALLY_MAX_INLINE ||
	    host_wqe_bytes(0, 1, len) > r->qp->stride) {
		node_give(&job->node[r->poster->node], wr, to, len);
		return 0;
	}
	memcpy(data, to, len);
	wr->data = data;
	wr->data_len = len;
	return TALLY_WQE_F_INLINE;
}

static void post_combined(struct poster *p, unsigned int msg, uint64_t ranks)
{
	const struct message *m = &p->job->msg[msg].m;
	struct request *r = new_request(p, msg);
	uint32_t flags = request_random_flags(r, &p->job->msg[msg]) & ~TALLY_WQE_F_LOC_VALUES;
	uint32_t rank[TALLY_MAX_RANKS];
	uint8_t data[TALLY_MAX_INLINE];
	struct host_wr wr;
	unsigned int n;
	int getter;

	fill_request(p, msg, ranks, &wr);
	wr.w.loc_index = 0;
	n = name_parts(r, ranks, rank);
	getter = getter_of(m, rank, n);
	if (getter >= 0)
		get_for_all(r, &wr, getter);
	if (stand_in(m, rank, n, message_gives) >= 0)
		flags |= give_for_all(r, &wr, rank, data);
	p->job->c->count.combined++;
	finish_request(r, &wr, flags | TALLY_WQE_F_COMBINED);
}

/* Returns the ranks of a process that take no part. */
static uint64_t absent_ranks(const struct poster *p, const struct message *m)
{
	const struct tree_node *t = &p->job->tree.node[p->node];
	uint32_t rank = t->rank_first;
	uint64_t absent = 0;

	for (uint64_t all = t->ranks; all; all &= all - 1, rank++)
		if (message_absent(m, rank))
			absent |= all & -all;
	return absent & p->ranks;
}

/* Posts one request for all these ranks, one for each, or something between. */
static void post_some(struct poster *p, unsigned int msg, uint64_t left, bool empty)
{
	struct campaign *c = p->job->c;
	bool combines = !empty && rng_chance(&c->rng, c->opt.combined);
	unsigned int style = campaign_below(p->job->c, 3);
	int least = (__builtin_popcountll(left) + MOST_REQUESTS - 1) / MOST_REQUESTS;

	while (left) {
		uint64_t ranks = left & -left;

		for (uint64_t r = left & (left - 1); r; r &= r - 1)
			if (style == 1 || __builtin_popcountll(ranks) < least ||
			    (style && campaign_one_in(p->job->c, 2)))
				ranks |= r & -r;
		if (combines && may_combine(p, &p->job->msg[msg], ranks) && campaign_below(c, 4))
			post_combined(p, msg, ranks);
		else
			post_ranks(p, msg, ranks, empty);
		left &= ~ranks;
	}
}

static void post_message(struct poster *p, unsigned int msg)
{
	uint64_t absent = absent_ranks(p, &p->job->msg[msg].m);

	if (p->job->msg[msg].triggered) {
		poster_trigger(p, msg);
		return;
	}
	post_some(p, msg, p->ranks & ~absent, false);
	post_some(p, msg, absent, true);
}

static struct request *post_control(struct poster *p, enum tally_opcode opcode, uint32_t mid)
{
	unsigned int next = p->next < p->job->num_msgs ? p->next : p->job->num_msgs - 1;
	struct request *r = poster_new_request(p, p->qp, opcode, next);
	struct host_wr wr = { .w = { .opcode = opcode } };

	wr.w.jid = htole32(p->job->group.jid);
	wr.w.mid = htole32(mid);
	wr.w.rank_mask = htole64(p->ranks);
	request_post(r, &wr, TALLY_WQE_F_SIGNALED);
	return r;
}

void poster_abort(struct poster *p)
{
	post_control(p, TALLY_OPCODE_ABORT, 0);
}

/* Returns whether the process has posted a message completely, and all its requests ended. */
static bool is_settled(const struct poster *p, unsigned int msg)
{
	const struct request *r = p->job->msg[msg].requests;

	for (; r; r = r->next)
		if (r->poster == p && (!r->done || r->refused)) /* refused: not posted */
			return false;
	return msg < p->next;
}

/* Posts a QUERY of a message that is complete, in flight, or not posted yet. */
static void ask(struct poster *p)
{
	struct job *job = p->job;
	unsigned int msg = campaign_below(job->c, job->num_msgs);
	bool settled = is_settled(p, msg);
	struct request *r;

	if (job->msg[msg].triggered) /* descriptors have no message to query */
		return;
	r = post_control(p, TALLY_OPCODE_QUERY, job->msg[msg].mid);
	r->asked = msg;
	r->settled = settled;
	p->querying = true;
	job->c->count.queries++;
}

static vtime_t random_gap(struct campaign *c)
{
	switch (campaign_below(c, 32)) {
	case 0:
		return campaign_below(c, 200 * VT_US);
	case 1 ... 4:
		return campaign_below(c, 20 * VT_US);
	case 5 ... 16:
		return campaign_below(c, 3 * VT_US);
	default:
		return 0;
	}
}

bool poster_has_room(const struct poster *p)
{
	uint32_t most = p->job->msg[p->next].triggered ? POSTER_DESCRIPTORS :
							 __builtin_popcountll(p->ranks);

	for (unsigned int k = 0; k < p->num_qps; k++)
		if (host_qp_room(&p->qp[k]) < most + 2)
			return false;
	return true;
}

void poster_run(void *arg)
{
	struct poster *p = arg;
	struct job *job = p->job;
	unsigned int burst = 1 + campaign_below(job->c, 4);

	for (; burst && p->next < job->num_msgs && !p->dead && !p->silent; burst--) {
		if (job->failure && !job->injected && job->culprit == p &&
		    p->next == job->failure_at) {
			poster_fail(p);
			if (!p->errs)
				break;
		}
		p->stalled = !poster_has_room(p);
		if (p->stalled)
			break;
		post_message(p, p->next++);
		if (!p->querying && campaign_one_in(job->c, 24) && p->next < job->num_msgs)
			ask(p);
	}
	if (p->dead)
		return;
	for (unsigned int k = 0; k < p->num_qps; k++)
		if (p->qp[k].push && campaign_below(job->c, 4))
			host_qp_push(&p->qp[k]);
		else
			host_qp_ring(&p->qp[k]);
	job_watch(&job->node[p->node]);
	if (p->next < job->num_msgs && !p->stalled && !p->silent)
		poster_wake(p, random_gap(job->c));
}
