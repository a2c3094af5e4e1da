// SPDX-License-Identifier: BSD-2-Clause
/*
 * Allreduces and reductions over the nodes of a tree, made of triggered descriptors as
 * docs/protocol.md describes. REDUCE_MP adds the node's own data to the sums from below and sends
 * the result up; the root sends it to itself. BCAST_MP waits for the result, writes it and, for an
 * allreduce, sends it down. A leaf's REDUCE_MP, and a BCAST_MP with one destination, may also be a
 * PUT_MP. In a series of reductions, children run ahead of their parents. Contributions are
 * combined in the order of arrival. Descriptors have no position among the messages of their ranks:
 * they use no mid.
 */
#include "campaign/campaign.h"

#define TRIGGER_EVERY	20	/* one in this many messages, except after a triggered one */
#define UP	0	/* CP counter of sums */
#define DOWN	1	/* CP counter of results */

bool poster_is_first(const struct poster *p)
{
	const struct poster *other = p->job->poster;

	while (other->node != p->node)
		other++;
	return other == p;
}

bool job_may_trigger(const struct job *job)
{
	bool series = job->num_msgs && job->msg[job->num_msgs - 1].triggered;

	return job_has_tree(job) && job->mode != JOB_MIXED && !(job->group.flags & TALLY_GROUP_F_SPARSE) &&
	       host_offers(job_host(job, 0), TALLY_CAP_TRIGGERED | TALLY_CAP_PUT_MP) &&
	       campaign_one_in(job->c, series ? 2 : TRIGGER_EVERY);
}

bool job_has_triggered(const struct job *job)
{
	for (unsigned int i = 0; i < job->num_msgs; i++)
		if (job->msg[i].triggered)
			return true;
	return false;
}

void job_random_trigger(struct job *job, struct job_msg *jm)
{
	uint32_t most;

	jm->triggered = true;
	jm->m.opcode = campaign_one_in(job->c, 2) ? TALLY_OPCODE_REDUCE : TALLY_OPCODE_ALLREDUCE;
	jm->m.root = 0;
	jm->m.total_ranks = job->tree.num_nodes;
	jm->m.chunk_len = 0;
	most = job->group.mtu / message_elem_size(&jm->m);
	if (jm->m.count > most)
		jm->m.count = most;
}

/* ---- Descriptors ---- */

/* Whether the messages for a descriptor may never come, or find no cells. */
static bool may_miss(const struct job *job)
{
	return job->failure || job->hurt || job_may_starve(job);
}

static struct host_wr new_wr(const struct job *job, const struct job_msg *jm, struct poster *p,
			     enum tally_opcode opcode)
{
	struct host_wr wr;

	wr.num_gather = wr.num_result = wr.data_len = 0;
	wr.w = message_wqe(&jm->m, job->group.jid, jm->mid);
	wr.w.opcode = opcode;
	wr.w.node_mask = 0;
	wr.w.loc_index = 0;
	wr.w.rank_mask = htole64(p->ranks);
	wr.w.dest_port = htole16(JOB_TRIGGER_PORT);
	if (!job->group.timeout_ms && may_miss(job))
		wr.w.timeout_ms = htole32(job->limit_ms);
	return wr;
}

static struct request *new_part(struct poster *p, unsigned int msg, enum tally_opcode opcode)
{
	struct job_msg *jm = &p->job->msg[msg];
	struct request *r = poster_new_request(p, p->qp, opcode, msg);

	r->next = jm->requests;
	jm->requests = r;
	p->job->c->count.opcode[opcode]++;
	return r;
}

static void give_own(struct poster *p, const struct job_msg *jm, struct host_wr *wr,
		     uint32_t *flags)
{
	struct job_node *n = &p->job->node[p->node];
	uint64_t len = message_give_bytes(&jm->m);
	static uint8_t data[TALLY_MAX_MTU];

	message_input(&jm->m, p->node, data);
	if (jm->m.loc_values) {
		*flags |= TALLY_WQE_F_LOC_VALUES;
		wr->w.loc_index = htole64((uint32_t)jm->m.loc_index);
	}
	if (jm->inlined && len && len <= TALLY_MAX_INLINE &&
	    host_wqe_bytes(0, 0, len) <= p->qp->stride) {
		*flags |= TALLY_WQE_F_INLINE;
		wr->data = data;
		wr->data_len = len;
	} else {
		node_give(n, wr, data, len);
	}
}

/* Posts the descriptor that sends the node's own data, and those from below, up. */
static void post_up(struct poster *p, unsigned int msg)
{
	struct job *job = p->job;
	struct job_msg *jm = &job->msg[msg];
	const struct tree_node *t = &job->tree.node[p->node];
	bool put = !t->children && campaign_one_in(job->c, 2);
	enum tally_opcode opcode = put ? TALLY_OPCODE_PUT_MP : TALLY_OPCODE_REDUCE_MP;
	struct request *r = new_part(p, msg, opcode);
	struct host_wr wr = new_wr(job, jm, p, opcode);
	uint32_t flags = request_random_flags(r, jm) & ~TALLY_WQE_F_LOC_VALUES;

	flags |= TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP;
	wr.w.counter = UP;
	wr.w.cpcnt = htole32(t->children);
	if (t->children)
		flags |= TALLY_WQE_F_SWP_FLAG | TALLY_WQE_F_RFLAG;
	if (t->parent >= 0) {
		flags |= TALLY_WQE_F_TO_PARENT;
		wr.w.dest_counter = UP;
		wr.w.branch = job->tree.node[t->parent].children;
	} else {
		flags |= TALLY_WQE_F_TO_SELF;
		wr.w.dest_counter = DOWN;
		wr.w.branch = 1;
	}
	give_own(p, jm, &wr, &flags);
	request_post(r, &wr, flags);
	jm->posted_ranks++;
	jm->last_post = sim_now(job->c->sim);
}

/* Posts the descriptor that receives the result. */
static void post_down(struct poster *p, unsigned int msg)
{
	struct job *job = p->job;
	struct job_msg *jm = &job->msg[msg];
	bool all = jm->m.opcode == TALLY_OPCODE_ALLREDUCE;
	unsigned int children = all ? job->tree.node[p->node].children : 0;
	bool put = children == 1 && campaign_one_in(job->c, 2);
	enum tally_opcode opcode = put ? TALLY_OPCODE_PUT_MP : TALLY_OPCODE_BCAST_MP;
	struct request *r = new_part(p, msg, opcode);
	struct host_wr wr = new_wr(job, jm, p, opcode);
	uint32_t flags = request_random_flags(r, jm) & ~TALLY_WQE_F_LOC_VALUES;

	flags |= TALLY_WQE_F_SWP_FLAG;
	wr.w.counter = DOWN;
	wr.w.cpcnt = htole32(1);
	if (children) {
		flags |= TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP;
		wr.w.node_mask = htole64(children < 64 ? (1ull << children) - 1 : ~0ull);
		wr.w.dest_counter = DOWN;
		wr.w.branch = 1;
	}
	r->num_parts = 1;
	job->num_parts++;
	*r->part = (struct part){ .rank = p->node };
	r->part->result = node_get(&job->node[p->node], &wr, message_get_bytes(&jm->m));
	if (jm->flag_word) {
		flags |= TALLY_WQE_F_FLAG_WORD;
		request_add_flag_word(r, &wr.w);
	}
	request_post(r, &wr, flags);
}

void poster_trigger(struct poster *p, unsigned int msg)
{
	if (!poster_is_first(p))
		return;
	post_up(p, msg);
	if (message_gets(&p->job->msg[msg].m, p->node))
		post_down(p, msg);
}
