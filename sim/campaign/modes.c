// SPDX-License-Identifier: BSD-2-Clause
/*
 * The mode of a message. In most groups it is that of the group. A mixed group is made from a plan
 * for all operations: a message names one of its modes, or the NICs take that of the plan's table.
 */
#include "campaign/campaign.h"

static const uint32_t offered[] = {
	[TALLY_MODE_TREE] = TALLY_OPCODES_TREE,
	[TALLY_MODE_EXCHANGE] = TALLY_OPCODES_EXCHANGE,
	[TALLY_MODE_RING] = TALLY_OPCODES_RING,
};

static bool group_has(const struct job *job, enum tally_mode mode)
{
	switch (job->mode) {
	case JOB_EXCHANGE:
		return mode == TALLY_MODE_EXCHANGE;
	case JOB_RING:
		return mode == TALLY_MODE_RING;
	case JOB_MIXED:
		return job->plan.modes >> (mode - 1) & 1;
	default:
		return mode == TALLY_MODE_TREE;
	}
}

bool job_has_tree(const struct job *job)
{
	return group_has(job, TALLY_MODE_TREE);
}

static bool mode_offers(const struct job *job, enum tally_mode mode, enum tally_opcode opcode)
{
	return group_has(job, mode) && offered[mode] >> opcode & 1;
}

bool job_offers(const struct job *job, enum tally_opcode opcode)
{
	for (unsigned int mode = TALLY_MODE_TREE; mode <= TALLY_MODE_RING; mode++)
		if (mode_offers(job, mode, opcode))
			return true;
	return false;
}

enum tally_mode job_other_mode(struct job *job, enum tally_opcode opcode, enum tally_mode mode)
{
	unsigned int skip = campaign_below(job->c, TALLY_MODE_RING);

	for (unsigned int i = 0; i < TALLY_MODE_RING; i++) {
		enum tally_mode other = TALLY_MODE_TREE + (i + skip) % TALLY_MODE_RING;

		if (other != mode && mode_offers(job, other, opcode))
			return other;
	}
	return 0;
}

/* Lets half of the messages of a mixed group name their mode. */
void job_random_mode(struct job *job, struct message *m)
{
	if (job->mode == JOB_MIXED && campaign_one_in(job->c, 2))
		m->mode = job_other_mode(job, m->opcode, 0);
}

enum tally_mode job_mode_of(const struct job *job, const struct message *m)
{
	uint64_t bytes = (uint64_t)m->count * message_elem_size(m);

	if (job->mode == JOB_MIXED)
		return m->mode ? m->mode : plan_mode_of(&job->plan, m->opcode, bytes);
	return job->mode == JOB_EXCHANGE ? TALLY_MODE_EXCHANGE :
	       job->mode == JOB_RING	 ? TALLY_MODE_RING :
					   TALLY_MODE_TREE;
}

bool job_is_in_tree(const struct job *job, const struct message *m)
{
	struct message least = *m, most = *m;
	uint64_t middle = 1ULL << job->plan.choice_middle_log[m->opcode - 1];

	if (job->mode == JOB_MIXED && !m->mode &&
	    plan_mode_of(&job->plan, m->opcode, middle) != TALLY_MODE_TREE)
		return false;
	least.count = 0;
	most.count = JOB_LONG_BYTES;
	return job_mode_of(job, &least) == TALLY_MODE_TREE &&
	       job_mode_of(job, &most) == TALLY_MODE_TREE;
}

uint32_t job_chunk_bytes(const struct job *job, const struct message *m)
{
	uint32_t len = m->chunk_len ? m->chunk_len : job->group.mtu;
	bool fixed = job_mode_of(job, m) == TALLY_MODE_EXCHANGE ||
		     job->group.flags & TALLY_GROUP_F_ORDERED;

	if (job->mode == JOB_MIXED && fixed && message_reduces(m) && len > job->plan.chunk)
		len = job->plan.chunk;
	return len;
}

uint32_t job_chunks(const struct job *job, const struct message *m)
{
	return message_chunks_of(m, job_chunk_bytes(job, m));
}
