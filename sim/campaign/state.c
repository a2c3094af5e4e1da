// SPDX-License-Identifier: BSD-2-Clause
/* Prints the state of the nodes of a job: first the campaign's own, then the devices' answers. */
#include "campaign/campaign.h"

#define ANSWER_TIME	VT_MS

struct question {
	struct host *host;
	uint64_t at;
	bool answered;
	uint16_t status;
};

static void answered(void *arg, const struct tally_admin_cqe *cqe)
{
	struct question *q = arg;

	q->answered = true;
	q->status = cqe ? le16toh(cqe->status) : 0;
}

/* Queries a group and lets time pass until the answer arrives. Returns NULL if it failed. */
static const void *ask(struct campaign *c, struct question *q, const struct job_node *n,
		       enum tally_admin_opcode opcode, uint32_t len)
{
	struct tally_cmd_query body = { .id = htole32(n->group), .length = htole32(len) };

	*q = (struct question){ .host = n->host, .at = arena_alloc(&n->host->mem, len) };
	body.addr = htole64(q->at);
	host_command(n->host, opcode, &body, answered, q);
	sim_run_until(c->sim, sim_now(c->sim) + ANSWER_TIME);
	return q->at && q->answered && !q->status ? arena_at(&n->host->mem, q->at, len) : NULL;
}

/* Frees the memory of ask() if it is answered; until then the device may write to it. */
static void forget(struct question *q, uint32_t len)
{
	if (q->at && q->answered)
		arena_release(&q->host->mem, q->at, len);
}

uint32_t campaign_ask_done(struct campaign *c, const struct job_node *n)
{
	static struct question q;	/* static, as the answer may arrive later */
	const struct tally_group_info *g;
	uint32_t done = 0;

	if (!n->has_group)
		return 0;
	g = ask(c, &q, n, TALLY_ADMIN_QUERY_GROUP, sizeof(*g));
	if (g)
		done = le32toh(g->done);
	forget(&q, sizeof(*g));
	return done;
}

static void print_group(struct campaign *c, const struct job_node *n, FILE *to)
{
	static struct question q;
	const struct tally_group_info *g = ask(c, &q, n, TALLY_ADMIN_QUERY_GROUP, sizeof(*g));

	if (!g) {
		fprintf(to, "    the device does not answer: status %u\n", q.status);
		return;
	}
	fprintf(to, "    group state %u, status %u, epoch %#x, done %u, open edges %#jx, parent "
		"open %u, gone %#jx\n", g->state, le16toh(g->status), le32toh(g->epoch),
		le32toh(g->done), (uintmax_t)le64toh(g->open_edges), g->parent_open,
		(uintmax_t)le64toh(g->gone));
}

static void print_segs(struct campaign *c, const struct job_node *n, FILE *to)
{
	static struct question q;
	uint32_t num = n->job->segs;
	const struct tally_seg_info *s = ask(c, &q, n, TALLY_ADMIN_QUERY_SEGS, num * sizeof(*s));

	for (uint32_t i = 0; s && i < num; i++) {
		if (s[i].state != TALLY_SEG_BUSY)
			continue;
		fprintf(to, "    segment %u: num %u mid %u sid %u opcode %u; missing contributors "
			"%#jx ranks %#jx, receivers %#jx, deliver %#jx\n", i, le32toh(s[i].num),
			le32toh(s[i].mid), le32toh(s[i].sid), s[i].opcode,
			(uintmax_t)le64toh(s[i].contributors), (uintmax_t)le64toh(s[i].ranks),
			(uintmax_t)le64toh(s[i].receivers), (uintmax_t)le64toh(s[i].deliver));
	}
}

static void print_posters(const struct job *job, unsigned int node, FILE *to)
{
	for (unsigned int i = 0; i < job->num_posters; i++) {
		const struct poster *p = &job->poster[i];

		if (p->node == node)
			fprintf(to, "    process with ranks %#jx, QP %u: %u of %u messages posted, "
				"%u requests without outcome%s%s\n", (uintmax_t)p->ranks,
				p->qp[0].qpn, p->next, job->num_msgs, p->outstanding,
				p->stalled ? ", queue full" : "", p->dead ? ", dead" : "");
	}
}

static void print_oldest(const struct job *job, FILE *to)
{
	for (size_t i = 0; i < job->num_requests; i++) {
		const struct request *r = &job->request[i];
		const struct message *m = &job->msg[r->msg].m;

		if (r->done || r->poster->dead)
			continue;
		fprintf(to, "  oldest request without outcome: node %u, opcode %u, message %u: "
			"opcode %u op %u type %#x count %u root %u chunk_len %u; %u of %u ranks "
			"posted\n", r->poster->node, r->opcode, job->msg[r->msg].mid, m->opcode,
			m->op, m->type, m->count, m->root, m->chunk_len,
			job->msg[r->msg].posted_ranks, m->total_ranks - m->num_absent);
		return;
	}
}

void campaign_print_state(struct campaign *c, const struct job *job, FILE *to)
{
	fprintf(to, "job %ju: %s, jid %#x, %u nodes, %u ranks, %u segments, mtu %u, flags %#x\n",
		(uintmax_t)job->number, job_mode_name(job->mode), job->group.jid,
		job->tree.num_nodes,
		job->tree.total_ranks, job->group.num_segs, job->group.mtu, job->group.flags);
	if (job->failure)
		fprintf(to, "  %s by the process with QP %u at node %u, message %u%s\n",
			(const char *[]){ [FAILURE_ABORT] = "abort",
					  [FAILURE_DEATH] = "death",
					  [FAILURE_POWER] = "loss of power",
					  [FAILURE_MISMATCH] = "mismatch",
					  [FAILURE_REFUSED] = "refused request",
					  [FAILURE_SILENT] = "silence" }[job->failure],
			job->culprit->qp[0].qpn, job->culprit->node,
			job->msg[job->failure_at].mid, job->injected ? "" : ", to come");
	print_oldest(job, to);
	for (unsigned int i = 0; i < job->tree.num_nodes; i++) {
		const struct job_node *n = &job->node[i];

		fprintf(to, "  node %u (host %u): parent %d, %u children, ranks %#jx from %u%s\n",
			i, n->host->cfg.mac[5], job->tree.node[i].parent,
			job->tree.node[i].children, (uintmax_t)job->tree.node[i].ranks,
			job->tree.node[i].rank_first,
			n->lost ? ", lost power" : "");
		print_posters(job, i, to);
		if (!n->has_group)
			continue;
		print_group(c, n, to);
		print_segs(c, n, to);
	}
}
