// SPDX-License-Identifier: BSD-2-Clause
/* Applies the rules to a frame that begins to be sent, and to an access to memory. */
#include "fabric/rules_int.h"

static bool is_active(const struct rule *rule)
{
	vtime_t now = sim_now(rule->rules->sim);

	return now >= rule->start && now < rule->end &&
	       (!rule->fault.count || rule->hits < rule->fault.count);
}

/* Decides whether the fault hits this matching packet or access. */
static bool hits(struct rule *rule, struct rng *rng)
{
	const struct fault *f = &rule->fault;
	bool hit = true;

	rule->seen++;
	if (f->nth)
		hit = rule->seen == f->nth;
	else if (f->every)
		hit = rule->seen % f->every == 0;
	else if (fault_has(f, FAULT_KEY_RATE))
		hit = rng_chance(rng, f->rate);
	rule->hits += hit;
	return hit;
}

static void make_late(struct fab_transit *p, vtime_t by)
{
	if (__builtin_add_overflow(p->at, by, &p->at))
		p->at = VT_NEVER;
	p->port->stats.fault_delays++;
}

/* Draws from min .. max, inclusive. The modulus max - min + 1 would overflow for the full range. */
static vtime_t draw_between(struct rng *rng, vtime_t min, vtime_t max)
{
	return max - min == UINT64_MAX ? rng_next(rng) : min + rng_below(rng, max - min + 1);
}

/* Returns false if the frame is lost. */
static bool apply_action(const struct rule *rule, struct fab_transit *p)
{
	const struct fault *f = &rule->fault;
	vtime_t again;

	switch (f->action) {
	case FAULT_DROP:
		p->port->stats.fault_drops++;
		return false;
	case FAULT_CORRUPT:
		return fab_port_corrupt(p);
	case FAULT_DUPLICATE:
		if (__builtin_add_overflow(p->at, p->gap, &again))
			again = VT_NEVER;
		fab_port_duplicate(p->port, p->f, again);
		return true;
	case FAULT_REORDER:
		make_late(p, draw_between(&p->port->rng, f->min, f->max));
		return true;
	case FAULT_DELAY:
		make_late(p, f->by);
		return true;
	default:
		return true;
	}
}

static bool fits_place(const struct rule *rule, const struct known_link *known, bool tx)
{
	if (rule->fault.dir != FAULT_DIR_BOTH && tx != (rule->fault.dir == FAULT_DIR_TX))
		return false;
	return rule->on_link[known->index];
}

/* Applies one rule to a frame. Returns false if the frame is lost. */
static bool meet(struct rule *rule, const struct known_link *known, struct fab_transit *p)
{
	struct fault_headers headers;

	if (!fault_waits_for_packets(&rule->fault) || !is_active(rule) ||
	    !fits_place(rule, known, p->port == fab_link_port(known->link, 0)))
		return true;
	fault_headers(&headers, p->f);
	if (!fault_fits(&rule->fault, p->f, &headers) || !hits(rule, &p->port->rng))
		return true;
	if (fault_is_of_packets(&rule->fault))
		return apply_action(rule, p);
	rule_trigger(rule, known);
	return true;
}

bool rules_pass(void *arg, struct fab_transit *transit)
{
	const struct known_link *known = arg;
	struct rule *rule;

	TAILQ_FOREACH(rule, &known->rules->all, entry)
		if (!meet(rule, known, transit))
			return false;
	return true;
}

bool fab_rules_dma_fails(struct fab_rules *rules, unsigned int nic)
{
	struct rule *rule;

	if (nic >= rules->num_nics)
		return false;
	TAILQ_FOREACH(rule, &rules->all, entry)
		if (rule->fault.action == FAULT_DMA_ERROR && is_active(rule) &&
		    rule_names_nic(&rule->fault, rules, nic) &&
		    hits(rule, &rules->nics[nic]->rng))
			return true;
	return false;
}
