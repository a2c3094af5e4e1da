// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The number of segments. Each chunk in flight occupies one; in EXCHANGE this one holds the partial
 * results of all rounds.
 */
#include "plan/plan_int.h"

/* Delay until the neighbours acknowledge that a chunk is done. Its segment is then free again. */
#define ACK_DELAY_NS 2600
#define LEAST 8
#define OWN 2		/* segments that a shared group has in any case; it borrows the others */
/* Multiples of what a constant stream needs. In a ring, a delay at any node delays all nodes. */
#define SPARE 2
#define SPARE_RING 3

static uint64_t life_of(const struct plan_time *time)
{
	return time->first_ns + ACK_DELAY_NS;
}

/* Returns the total time. Each chunk after the first ones waits for a port or for a segment. */
static uint64_t total(const struct plan_work *work, const struct plan_time *time, uint32_t segs)
{
	uint64_t next = time->next_ns, life = life_of(time) / segs;

	if (work->chunks <= time->parallel)
		return time->first_ns;
	return time->first_ns + (work->chunks - time->parallel) * (life > next ? life : next);
}

/* Groups of one mode own a power of two of segments. Returns the largest one within the limit. */
static uint32_t most_segs(uint32_t max)
{
	uint32_t n = 1;

	while (n * 2 <= max)
		n *= 2;
	return n;
}

uint64_t plan_total(const struct plan_work *work, const struct plan_time *time)
{
	return total(work, time, most_segs(work->max_segs));
}

uint64_t plan_wanted_segs(enum tally_mode mode, const struct plan_work *work,
			  const struct plan_time *time)
{
	uint32_t spare = mode == TALLY_MODE_RING ? SPARE_RING : SPARE;
	uint64_t pace = time->next_ns, want;

	/* Messages of one chunk come no faster than requests. */
	if (pace < work->costs.request_ns)
		pace = work->costs.request_ns;
	want = spare * life_of(time) / pace;
	return want < LEAST ? LEAST : want;
}

int plan_choose_segs(struct plan *plan, const struct plan_request *req, const struct refusal *to)
{
	const struct plan_work *work = &plan->shape->work;
	const struct plan_time *time = &plan->shape->time;
	uint32_t max = work->max_segs, most = most_segs(max);
	uint64_t want = plan_wanted_segs(plan->mode, work, time);

	if (req->num_segs > most)
		return plan_refuse(to, "num_segs: %u are more than %u", req->num_segs, max);
	plan->num_segs = req->num_segs ? req->num_segs : 1;
	while (!req->num_segs && plan->num_segs < want && plan->num_segs < most)
		plan->num_segs *= 2;
	plan->max_segs = plan->num_segs;
	plan->estimate_ns = total(work, time, plan->num_segs);
	return 0;
}

int plan_share_segs(struct plan *plan, const struct plan_request *req, uint64_t wanted,
		    const struct refusal *to)
{
	uint32_t max = plan->shape->work.max_segs;

	plan->num_segs = req->num_segs ? req->num_segs : OWN;
	if (plan->num_segs > max && req->num_segs)
		return plan_refuse(to, "num_segs: %u are more than %u", req->num_segs, max);
	if (plan->num_segs > max)
		plan->num_segs = max;
	plan->max_segs = 1;
	while (plan->max_segs < wanted && plan->max_segs * 2 <= max)
		plan->max_segs *= 2;
	if (plan->max_segs < plan->num_segs)
		plan->max_segs = plan->num_segs;
	return 0;
}
