// SPDX-License-Identifier: BSD-2-Clause
/*
 * Invalid requests of a rank. A request that disagrees with those of the other ranks ends the group
 * with the mismatch. A request that is refused ends the group with the status of its bad field,
 * unless the process has another queue pair. A request that is never posted makes the others wait
 * until their time limit.
 */
#include "campaign/campaign.h"

static const enum tally_op opposite[32] = {
	[TALLY_OP_MIN] = TALLY_OP_MAX,		[TALLY_OP_MAX] = TALLY_OP_MIN,
	[TALLY_OP_MINLOC] = TALLY_OP_MAXLOC,	[TALLY_OP_MAXLOC] = TALLY_OP_MINLOC,
	[TALLY_OP_BAND] = TALLY_OP_BOR,		[TALLY_OP_BOR] = TALLY_OP_BAND,
	[TALLY_OP_LAND] = TALLY_OP_LOR,		[TALLY_OP_LOR] = TALLY_OP_LAND,
};

bool job_can_err(const struct job *job, unsigned int msg)
{
	const struct message *m = &job->msg[msg].m;

	/* another rank must notice it, and must need this rank's data */
	return !job->msg[msg].triggered && job->num_posters > 1 && !m->num_absent && m->count &&
	       (message_reduces(m) || message_gets_blocks(m));
}

/* Returns another type of the same size, which supports all operations of this one. */
static enum tally_type other_type(enum tally_type type)
{
	unsigned int size = type & 0xf;

	return type >> 4 == TALLY_TYPE_CLASS_INT ? TALLY_TYPE_UINT8 | size : TALLY_TYPE_INT8 | size;
}

/* The shorter message must have as many chunks; otherwise a later message might disagree first. */
static bool can_shorten(const struct job *job, const struct message *m)
{
	struct message less = *m;

	less.count--;
	return less.count && job_mode_of(job, &less) == job_mode_of(job, m) &&
	       job_chunks(job, &less) == job_chunks(job, m);
}

/* Removes one element, also from the lists. */
static void shorten(const struct message *m, struct host_wr *wr)
{
	struct message less = *m;

	less.count--;
	wr->w.count = htole64(less.count);
	for (unsigned int i = 0; i < wr->num_gather; i++)
		wr->gather[i].length = htole32((uint32_t)message_give_bytes(&less));
	for (unsigned int i = 0; i < wr->num_result; i++)
		wr->result[i].length = htole32((uint32_t)message_get_bytes(&less));
	if (wr->data_len)
		wr->data_len = (uint32_t)message_give_bytes(&less);
}

/* Changes the operation, if another one has the same lists, the count, or the type. */
static void disagree(struct request *r, struct host_wr *wr)
{
	const struct message *m = &r->poster->job->msg[r->msg].m;
	struct job *job = r->poster->job;
	enum tally_mode other = 0;

	if (job->mode == JOB_MIXED && campaign_one_in(job->c, 3))
		other = job_other_mode(job, m->opcode, job_mode_of(job, m));
	if (other) {
		wr->w.mode = other;
		job->cause = TALLY_COLL_MODE_MISMATCH;
		return;
	}
	switch (campaign_below(job->c, 3)) {
	case 0:
		if (opposite[m->op]) {
			wr->w.op = opposite[m->op];
			job->cause = TALLY_COLL_OP_MISMATCH;
			break;
		}
		__attribute__((fallthrough));
	case 1:
		if (can_shorten(job, m)) {
			shorten(m, wr);
			job->cause = TALLY_COLL_COUNT_MISMATCH;
			break;
		}
		__attribute__((fallthrough));
	default:
		wr->w.dtype = other_type(m->type);
		job->cause = TALLY_COLL_TYPE_MISMATCH;
		break;
	}
}

/* Returns a mode that a mixed group does not have. */
static enum tally_mode missing_mode(const struct job *job)
{
	enum tally_mode mode = TALLY_MODE_TREE;

	while (job->plan.modes >> (mode - 1) & 1)
		mode++;
	return mode;
}

/* Sets a field to a value that is invalid in any request of this mode, and notes the status. */
static void spoil_field(struct request *r, struct tally_wqe *w)
{
	struct job *job = r->poster->job;
	bool tree = job_mode_of(job, &job->msg[r->msg].m) == TALLY_MODE_TREE;

	switch (campaign_below(job->c, tree ? 6 : 8)) {
	case 0:
		w->jid ^= htole32(1);
		r->refused = TALLY_COLL_BAD_JID;
		break;
	case 1:
		w->rank_mask = htole64(~r->poster->ranks);
		r->refused = TALLY_COLL_BAD_RANK_MASK;
		break;
	case 2:
		w->chunk_len = htole32(2 * job->group.mtu);
		r->refused = TALLY_COLL_BAD_CHUNK;
		break;
	case 3:
		w->timeout_ms = htole32(TALLY_MAX_TIMEOUT_MS + 1);
		r->refused = TALLY_COLL_BAD_TIMEOUT;
		break;
	case 4:
		w->seg_count = htole16((uint16_t)(job_most_segs(job) + 1));
		r->refused = TALLY_COLL_BAD_SEG;
		break;
	case 5:
		if (job->mode == JOB_MIXED)
			w->mode = missing_mode(job);
		else
			w->opcode = tree ? TALLY_OPCODE_ALLGATHER : TALLY_OPCODE_GATHER;
		r->refused = TALLY_COLL_BAD_MODE;
		break;
	case 6:
		w->flags |= htole32(TALLY_WQE_F_EMPTY);
		r->refused = TALLY_COLL_BAD_FLAGS;
		break;
	default:
		w->node_mask = htole64(1);
		r->refused = TALLY_COLL_BAD_NODE_MASK;
		break;
	}
	r->opcode = w->opcode;
	job->cause = r->refused;
}

void poster_silence(struct poster *p)
{
	struct job *job = p->job;

	job->c->count.silent++;
	job->cause = TALLY_COLL_TIMEOUT;
	p->silent = true;
	job_await_deaths(job);
}

void job_end_silence(struct job_node *n)
{
	struct job *job = n->job;

	if (job->state != JOB_RUNNING) /* the job did not wait for it */
		return;
	for (unsigned int i = 0; i < job->num_posters; i++) {
		struct poster *p = &job->poster[i];

		if (p->node != n->index || !p->silent || p->dead)
			continue;
		p->silent = false;
		poster_wake(p, 0);
	}
}

void request_err(struct request *r, struct host_wr *wr)
{
	struct job *job = r->poster->job;

	if (job->failure == FAILURE_MISMATCH) {
		job->c->count.mismatches++;
		disagree(r, wr);
	} else {
		job->c->count.refused++;
		spoil_field(r, &wr->w);
	}
	job_await_deaths(job);
}

/* Returns whether the completion names the culprit. */
static bool names_culprit(const struct job *job, const struct tally_cqe *cqe)
{
	return cqe && le16toh(cqe->detector) == job->culprit->node &&
	       (le64toh(cqe->ranks) & job->culprit->ranks);
}

/*
 * A process with another queue pair may still take part: then its message times out, or a later one
 * on that queue pair shows that it cannot. A wrong rank mask names no rank.
 */
static bool fits_refusal(const struct job *job, enum tally_coll_status status)
{
	bool two = job->culprit->num_qps > 1;

	if (status == TALLY_COLL_TIMEOUT)
		return two || job->cause == TALLY_COLL_BAD_RANK_MASK;
	return two && status == TALLY_COLL_MID_SKIPPED;
}

bool request_fits_error(const struct request *r, const struct tally_cqe *cqe,
			enum tally_coll_status status)
{
	const struct job *job = r->poster->job;

	if (job->hurt && job_permits(job, status)) /* a NIC lost its power meanwhile */
		return true;
	if (r->refused || status == TALLY_COLL_FLUSHED)
		return status == (r->refused ? r->refused : TALLY_COLL_FLUSHED);
	if (r->poster == job->culprit && status == TALLY_COLL_MID_SKIPPED &&
	    !le64toh(cqe->ranks)) /* on its other queue pair */
		return fits_refusal(job, status);
	if (job->failure != FAILURE_MISMATCH && !names_culprit(job, cqe))
		return false;
	return status == job->cause ||
	       (job->failure == FAILURE_REFUSED && fits_refusal(job, status));
}
