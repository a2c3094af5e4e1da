// SPDX-License-Identifier: BSD-2-Clause
/* Checks outcomes of requests, and results in memory. */
#include <string.h>

#include "campaign/campaign.h"

#define SPOILED	0x3c	/* written to a failed request's result; must not change */

/* ---- A request ---- */

static struct job_node *node_of(const struct request *r)
{
	return &r->poster->job->node[r->poster->node];
}

static bool is_control(const struct request *r)
{
	return r->opcode == TALLY_OPCODE_QUERY || r->opcode == TALLY_OPCODE_ABORT;
}

static unsigned int num_results(const struct request *r)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < r->num_parts; i++)
		n += r->part[i].result != 0;
	return n;
}

static void wrong(const struct request *r, const struct tally_cqe *cqe, const char *what)
{
	struct job *job = r->poster->job;

	campaign_fail(job->c, job, "node %u, QP %u, message %u: completion with a wrong %s: status "
		      "%u/%u opcode %u mid %u sid %u seg %u bytes %u err %#x detector %u "
		      "contributors %#jx ranks %#jx flags %#x", r->poster->node, r->qp->qpn,
		      job->msg[r->msg].mid, what, cqe->status, le16toh(cqe->coll_status),
		      cqe->opcode, le32toh(cqe->mid), le32toh(cqe->sid), le16toh(cqe->seg),
		      le32toh(cqe->byte_cnt), le16toh(cqe->err_vector), le16toh(cqe->detector),
		      (uintmax_t)le64toh(cqe->contributors), (uintmax_t)le64toh(cqe->ranks),
		      cqe->flags);
}

/* Returns whether the result needs every rank's data, or means that all have arrived. */
static bool needs_everyone(const struct request *r, const struct message *m)
{
	if (m->opcode == TALLY_OPCODE_BARRIER)
		return !r->empty;
	return num_results(r) && (message_reduces(m) || message_gets_blocks(m));
}

/* Returns whether a result exists before all ranks that it needs have posted. */
static bool too_early(const struct request *r, vtime_t now)
{
	const struct job_msg *jm = &r->poster->job->msg[r->msg];
	bool blocks = message_gives_blocks(&jm->m) || message_gets_blocks(&jm->m);

	if (blocks && !jm->m.count) /* empty blocks need no sender */
		return false;
	if (needs_everyone(r, &jm->m))
		return jm->posted_ranks < jm->m.total_ranks - jm->m.num_absent ||
		       now < jm->last_post;
	if (!num_results(r))
		return false;
	return !jm->root_posted || now < jm->root_post;
}

/*
 * Of exact values, only a quotient may be inexact. For special values, the order of additions
 * decides which errors occur.
 */
static uint16_t permitted_errors(const struct message *m)
{
	if (m->special)
		return TALLY_ERR_FP_INVALID | TALLY_ERR_FP_OVERFLOW | TALLY_ERR_FP_UNDERFLOW |
		       TALLY_ERR_FP_INEXACT;
	return m->op == TALLY_OP_AVG || m->rounded ? TALLY_ERR_FP_INEXACT : 0;
}

static void check_descriptor(const struct request *r, const struct tally_cqe *cqe)
{
	if (cqe->sid || cqe->seg)
		wrong(r, cqe, "sid or seg");
}

/*
 * Whether a request follows one of the same process that disagreed with the other ranks, perhaps
 * also in the number of chunks.
 */
static bool is_behind_mismatch(const struct request *r)
{
	const struct job *job = r->poster->job;

	return job->failure == FAILURE_MISMATCH && r->poster == job->culprit &&
	       r->msg > job->failure_at;
}

static void check_success(const struct request *r, const struct tally_cqe *cqe)
{
	struct job *job = r->poster->job;
	const struct job_msg *jm = &job->msg[r->msg];

	if (le32toh(cqe->mid) != jm->mid)
		wrong(r, cqe, "mid");
	else if (cqe->status != TALLY_WC_SUCCESS ||
		 (le16toh(cqe->err_vector) & ~permitted_errors(&jm->m)))
		wrong(r, cqe, "status or error vector");
	else if (jm->signals && num_results(r) &&
		 !(le16toh(cqe->err_vector) & TALLY_ERR_FP_INVALID))
		wrong(r, cqe, "error vector: a rank had a signalling NaN");
	else if (le32toh(cqe->byte_cnt) != num_results(r) * message_get_bytes(&jm->m))
		wrong(r, cqe, "byte count");
	else if (jm->triggered)
		check_descriptor(r, cqe);
	else if (le32toh(cqe->sid) != job_chunks(job, &jm->m) - 1)
		wrong(r, cqe, "sid");
	else if (le16toh(cqe->seg) != jm->last_num % job_most_segs(job) && !is_behind_mismatch(r))
		wrong(r, cqe, "seg");
	else if (le16toh(cqe->detector) != r->poster->node || cqe->contributors || cqe->ranks)
		wrong(r, cqe, "detector or bitmap");
	else if (le32toh(cqe->elapsed) > (sim_now(job->c->sim) - r->posted) / VT_NS)
		wrong(r, cqe, "elapsed time");
}

/* A message that is complete for a process is known; one that no rank posted is not complete. */
static void check_control(const struct request *r, const struct tally_cqe *cqe)
{
	const struct job_msg *jm = &r->poster->job->msg[r->asked];
	const uint8_t state = cqe->flags & (TALLY_CQE_F_PENDING | TALLY_CQE_F_UNKNOWN);

	if (r->opcode != TALLY_OPCODE_QUERY || !r->ok)
		return;
	if (le32toh(cqe->mid) != jm->mid)
		wrong(r, cqe, "mid");
	else if ((r->settled && state & TALLY_CQE_F_UNKNOWN) ||
		 (!state && !jm->posted_ranks && !jm->m.num_absent))
		wrong(r, cqe, "state of a message");
}

static void spoil(const struct request *r)
{
	const struct message *m = &r->poster->job->msg[r->msg].m;

	for (unsigned int i = 0; i < r->num_parts; i++)
		if (r->part[i].result)
			job_fill(node_of(r), r->part[i].result, SPOILED, message_get_bytes(m));
}

static void check_outcome(struct request *r, const struct tally_cqe *cqe)
{
	struct job *job = r->poster->job;
	const struct job_msg *jm = &job->msg[r->msg];
	enum tally_coll_status status = cqe ? le16toh(cqe->coll_status) : TALLY_COLL_OK;

	job->c->count.status[status < 256 ? status : 255]++;
	if (cqe && (cqe->opcode != r->opcode || le32toh(cqe->jid) != job->group.jid))
		wrong(r, cqe, "opcode or jid");
	if (cqe && !is_control(r) && le32toh(cqe->mid) != jm->mid)
		wrong(r, cqe, "mid");
	if (!cqe && r->signaled)
		campaign_fail(job->c, job, "node %u, QP %u: a signaled request has no completion",
			      r->poster->node, r->qp->qpn);
	r->ok = status == TALLY_COLL_OK;
	if (!r->ok && !job_permits_starving(job, status) &&
	    !(job->cause ? request_fits_error(r, cqe, status) : job_permits(job, status)))
		wrong(r, cqe, "status");
	else if (r->ok && job->cause && r->msg == job->failure_at && needs_everyone(r, &jm->m))
		wrong(r, cqe, "success");
	if (!r->ok && !job->injected && !job->hurt)
		/* Its group ends or has ended; the event may arrive later. */
		job_ran_out_of_cells(job);
	if (is_control(r)) {
		check_control(r, cqe);
		return;
	}
	if (!r->ok) {
		spoil(r);
		return;
	}
	if (too_early(r, cqe ? (le64toh(cqe->timestamp) + 1) * VT_NS : sim_now(job->c->sim)))
		campaign_fail(job->c, job, "node %u, message %u: opcode %u of %u elements "
			      "completed before all ranks that it needs had posted",
			      r->poster->node, jm->mid, jm->m.opcode, jm->m.count);
	if (cqe)
		check_success(r, cqe);
}

static void outcome(void *arg, struct host_qp *qp, uint64_t id, const struct tally_cqe *cqe)
{
	struct job *job = arg;
	struct request *r = &job->request[id];
	struct poster *p = r->poster;

	(void)qp;
	if (id >= job->num_requests || r->done) {
		campaign_fail(job->c, job, "a request has a second outcome");
		return;
	}
	r->done = true;
	p->outstanding--;
	job->outstanding--;
	job->ends++;
	p->querying &= r->opcode != TALLY_OPCODE_QUERY;
	check_outcome(r, cqe);
	if (p->stalled)
		poster_wake(p, 0);
}

/* ---- Completion queues ---- */

/* Returns the queue pair with a number, and its process. */
static struct host_qp *find_qp(struct job_node *n, uint32_t qpn, struct poster **owner)
{
	struct job *job = n->job;

	for (unsigned int i = 0; i < job->num_posters; i++) {
		struct poster *p = &job->poster[i];

		*owner = p;
		for (unsigned int k = 0; k < p->num_qps && p->node == n->index; k++)
			if (p->qp[k].host && p->qp[k].qpn == qpn)
				return &p->qp[k];
	}
	return NULL;
}

static void take(struct job_node *n, const struct tally_cqe *cqe)
{
	struct poster *p;
	struct host_qp *qp = find_qp(n, le32toh(cqe->qpn), &p);
	struct job *job = n->job;

	campaign_digest(job->c, cqe, sizeof(*cqe));
	trace_cqe(job->c->trace, sim_now(job->c->sim), n->host, cqe);
	if (!qp)
		campaign_fail(job->c, job, "node %u: a completion of QP %u, which does not exist",
			      n->index, le32toh(cqe->qpn));
	else if (!p->dead && !host_qp_complete(qp, cqe, outcome, job))
		campaign_fail(job->c, job, "node %u: QP %u: completion of request %u, which is not "
			      "outstanding", n->index, qp->qpn, le32toh(cqe->wqe_index));
}

static bool expects_completions(const struct job_node *n)
{
	const struct job *job = n->job;

	for (unsigned int i = 0; i < job->num_posters; i++)
		if (job->poster[i].node == n->index && job->poster[i].outstanding)
			return true;
	return false;
}

void job_watch(struct job_node *n)
{
	if (n->poll_every && !sim_pending(&n->poll))
		sim_schedule_in(n->job->c->sim, &n->poll, n->poll_every);
}

void job_poll(void *node)
{
	struct job_node *n = node;
	struct tally_cqe cqe;

	node_check_silent(n);
	while (!n->job->c->failed && host_cq_poll(&n->cq, &cqe))
		take(n, &cqe);
	if (n->job->c->failed)
		return;
	if (!n->poll_every)
		host_cq_arm(&n->cq);
	else if (expects_completions(n))
		job_watch(n);
	if (job_quiet(n->job))
		job_schedule_step(n->job);
}

/* ---- Results ---- */

/* Returns the number of right bytes of the result, from the first one on. */
static uint64_t right_bytes(const struct message *m, const uint8_t *got, const uint8_t *want,
			    bool nearly)
{
	uint64_t len = message_get_bytes(m), i = 0;
	uint32_t step = nearly ? message_elem_size(m) : 1;

	while (i < len && (nearly ? job_near(m, got + i, want + i) : got[i] == want[i]))
		i += step;
	return i;
}

/* Computes the expected results of a message once. */
static void expect(struct job *job, const struct job_msg *jm)
{
	struct campaign *c = job->c;
	bool good;

	bool fixed = job_order_is_fixed(job, &jm->m) && !jm->triggered;

	if (jm->m.rounded && fixed)
		good = job_expect_ordered(job, jm, c->expect);
	else
		good = message_expect(&jm->m, &c->oracle, c->expect);
	c->expect_nearly = jm->m.rounded && !fixed;
	if (!good)
		campaign_fail(c, job, "no memory for the oracle");
}

/* All ranks must have the same bits, whatever the order of additions was. */
static void expect_the_same(struct campaign *c, const struct message *m)
{
	if (!c->expect_nearly || m->opcode != TALLY_OPCODE_ALLREDUCE)
		return;
	memcpy(c->expect, c->got, message_get_bytes(m));
	c->expect_nearly = false;
}

static void check_memory(struct job *job, const struct request *r, const struct part *part,
			 const uint8_t *want)
{
	const struct message *m = &job->msg[r->msg].m;
	const struct job_node *n = node_of(r);
	struct campaign *c = job->c;
	uint64_t len = message_get_bytes(m), i = 0;

	host_mr_read(&n->out, part->result, c->got, len);
	c->count.checked_results++;
	if (!part->unguarded && !job_guarded(n, part->result, len))
		campaign_fail(c, job, "node %u, rank %u, message %u: bytes around the result were "
			      "written", n->index, part->rank, job->msg[r->msg].mid);
	if (!r->ok) {
		while (i < len && c->got[i] == SPOILED)
			i++;
		if (i < len)
			campaign_fail(c, job, "node %u, rank %u, message %u: byte %ju of the "
				      "result was written after the request had failed", n->index,
				      part->rank, job->msg[r->msg].mid, (uintmax_t)i);
		return;
	}
	campaign_digest(c, c->got, len);
	want += message_expect_offset(m, part->rank);
	i = right_bytes(m, c->got, want, c->expect_nearly);
	expect_the_same(c, m);
	if (i < len)
		campaign_fail(c, job, "node %u, rank %u, message %u: byte %ju of %ju is %#x, not "
			      "%#x", n->index, part->rank, job->msg[r->msg].mid, (uintmax_t)i,
			      (uintmax_t)len, c->got[i], want[i]);
}

static void check_flag_word(struct job *job, const struct request *r)
{
	const struct job_node *n = node_of(r);
	uint32_t value;

	host_mr_read(&n->out, r->flag_addr, &value, sizeof(value));
	if (le32toh(value) != (r->ok ? r->flag_value : 0))
		campaign_fail(job->c, job, "node %u, message %u: flag word is %#x, not %#x",
			      n->index, job->msg[r->msg].mid, le32toh(value),
			      r->ok ? r->flag_value : 0);
}

static void check_request(struct job *job, const struct request *r, bool *expected)
{
	struct campaign *c = job->c;

	if (r->flag_addr)
		check_flag_word(job, r);
	for (unsigned int i = 0; i < r->num_parts && !c->failed; i++) {
		if (!r->part[i].result)
			continue;
		if (r->ok && !*expected)
			expect(job, &job->msg[r->msg]);
		*expected |= r->ok;
		check_memory(job, r, &r->part[i], c->expect);
	}
}

void job_check(struct job *job)
{
	for (unsigned int k = 0; k < job->num_msgs && !job->c->failed; k++) {
		const struct request *r = job->msg[k].requests;
		bool expected = false;

		for (; r && !job->c->failed; r = r->next)
			if (r->done && !node_of(r)->lost)
				check_request(job, r, &expected);
	}
}
