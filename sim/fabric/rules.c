// SPDX-License-Identifier: BSD-2-Clause
#include "fabric/rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/rules_int.h"

struct fab_rules *fab_rules_new(struct sim *sim, const struct fab_rules_ops *ops, void *ctx)
{
	struct fab_rules *rules = calloc(1, sizeof(*rules));

	if (!rules)
		return NULL;
	rules->sim = sim;
	rules->ops = ops;
	rules->ctx = ctx;
	rules->seed = rng_next(sim_rng(sim));
	TAILQ_INIT(&rules->all);
	return rules;
}

static void forget_link(struct known_link *known)
{
	for (int end = 0; end < 2; end++) {
		struct fab_port *port = fab_link_port(known->link, end);

		fab_port_set_pass(port, NULL, NULL);
	}
	free(known);
}

void fab_rules_free(struct fab_rules *rules)
{
	if (!rules)
		return;
	fab_rules_clear_all(rules);
	for (unsigned int i = 0; i < rules->num_links; i++)
		forget_link(rules->links[i]);
	for (unsigned int i = 0; i < rules->num_switches; i++)
		free(rules->switches[i]);
	for (unsigned int i = 0; i < rules->num_nics; i++) {
		sim_cancel(rules->sim, &rules->nics[i]->reset);
		free(rules->nics[i]);
	}
	free(rules->links);
	free(rules->switches);
	free(rules->nics);
	free(rules);
}

/* ---- Parts ---- */

/*
 * Appends a new, zeroed part to @table, which holds @n pointers. NULL: out of memory. Parts do not
 * move, because events and ports point to them.
 */
#define NEW_PART(table, n) ({								\
	__typeof__(table) longer_ = realloc(table, ((n) + 1) * sizeof(*longer_));	\
											\
	if (longer_) {									\
		table = longer_;							\
		longer_[n] = calloc(1, sizeof(**longer_));				\
	}										\
	longer_ ? longer_[n] : NULL;							\
})

/* Returns 0, or the reason why a part called @name cannot be registered. */
static int may_add(const struct fab_rules *rules, const char *name)
{
	if (rules->count)
		return -EBUSY;
	return strlen(name) < FAULT_NAME_MAX ? 0 : -EINVAL;
}

int fab_rules_add_nic(struct fab_rules *rules, const char *name)
{
	int err = may_add(rules, name);
	struct known_nic *nic;

	if (err)
		return err;
	nic = NEW_PART(rules->nics, rules->num_nics);
	if (!nic)
		return -ENOMEM;
	nic->rules = rules;
	nic->index = rules->num_nics++;
	strcpy(nic->name, name);
	rng_seed(&nic->rng, rules->seed + nic->index);
	sim_event_init(&nic->reset, nic_reset_due, nic);
	return nic->index;
}

int fab_rules_add_link(struct fab_rules *rules, struct fab_link *link, int nic)
{
	int err = may_add(rules, "");
	struct known_link *known;

	if (err)
		return err;
	if (nic >= (int)rules->num_nics)
		return -EINVAL;
	known = NEW_PART(rules->links, rules->num_links);
	if (!known)
		return -ENOMEM;
	known->rules = rules;
	known->index = rules->num_links++;
	known->link = link;
	known->nic = nic;
	for (int end = 0; end < 2; end++) {
		struct fab_port *port = fab_link_port(link, end);

		fab_port_set_pass(port, rules_pass, known);
	}
	return known->index;
}

int fab_rules_add_switch(struct fab_rules *rules, struct fab_switch *sw, const char *name)
{
	int err = may_add(rules, name);
	struct known_switch *known;

	if (err)
		return err;
	known = NEW_PART(rules->switches, rules->num_switches);
	if (!known)
		return -ENOMEM;
	known->sw = sw;
	strcpy(known->name, name);
	return rules->num_switches++;
}

/* ---- Rules ---- */

/* Returns the time when the rule reaches @age; now if it is older; VT_NEVER if beyond the range. */
static vtime_t when_old(const struct rule *rule, vtime_t age)
{
	vtime_t now = sim_now(rule->rules->sim), when;

	if (age <= rule->age)
		return now;
	return __builtin_add_overflow(now, age - rule->age, &when) ? VT_NEVER : when;
}

static void set_times(struct rule *rule)
{
	const struct fault *f = &rule->fault;
	vtime_t until;

	rule->start = when_old(rule, f->at);
	rule->end = VT_NEVER;
	/* For the other actions, a duration applies to each occurrence. */
	if (f->duration && (fault_is_of_packets(f) || f->action == FAULT_DMA_ERROR) &&
	    !__builtin_add_overflow(f->at, f->duration, &until))
		rule->end = when_old(rule, until);
}

static struct rule *rule_new(struct fab_rules *rules, const struct fault *fault,
			     const struct fab_rule_past *past)
{
	struct rule *rule = calloc(1, sizeof(*rule));

	if (!rule)
		return NULL;
	rule->on_link = calloc(rules->num_links + 1, sizeof(*rule->on_link));
	if (!rule->on_link) {
		free(rule);
		return NULL;
	}
	rule->rules = rules;
	rule->fault = *fault;
	rule->added = sim_now(rules->sim);
	rule->age = past->age;
	rule->seen = past->seen;
	rule->hits = past->hits;
	for (unsigned int i = 0; i < rules->num_links; i++)
		rule->on_link[i] = rule_names_link(fault, rules->links[i]);
	set_times(rule);
	return rule;
}

static void rule_free(struct rule *rule)
{
	struct fab_rules *rules = rule->rules;

	rule_undo(rule);
	TAILQ_REMOVE(&rules->all, rule, entry);
	rules->count--;
	free(rule->on_link);
	free(rule);
}

static int add_as(struct fab_rules *rules, unsigned int id, const char *text,
		  const struct fab_rule_past *past, char *err, size_t err_len)
{
	struct fault fault;
	struct rule *rule;
	int bad = fault_parse(&fault, text, err, err_len) ?:
		  rule_check_names(rules, &fault, err, err_len);

	if (bad)
		return bad;
	if (rules->count == FAB_RULES_MAX) {
		snprintf(err, err_len, "there are %d faults already", FAB_RULES_MAX);
		return -ENOSPC;
	}
	rule = rule_new(rules, &fault, past);
	if (!rule) {
		snprintf(err, err_len, "no memory");
		return -ENOMEM;
	}
	rule->id = rules->last_id = id;
	rules->count++;
	TAILQ_INSERT_TAIL(&rules->all, rule, entry);
	rule_prepare(rule);
	return rule->id;
}

int fab_rules_add(struct fab_rules *rules, const char *text, char *err, size_t err_len)
{
	const struct fab_rule_past none = { 0 };

	return add_as(rules, rules->last_id + 1, text, &none, err, err_len);
}

int fab_rules_restore(struct fab_rules *rules, unsigned int id, const char *text,
		      const struct fab_rule_past *past, char *err, size_t err_len)
{
	if (id <= rules->last_id) {
		snprintf(err, err_len, "fault %u: not above those before it", id);
		return -EINVAL;
	}
	return add_as(rules, id, text, past, err, err_len);
}

int fab_rules_clear(struct fab_rules *rules, unsigned int id)
{
	struct rule *rule;

	TAILQ_FOREACH(rule, &rules->all, entry)
		if (rule->id == id) {
			rule_free(rule);
			return 0;
		}
	return -ENOENT;
}

void fab_rules_clear_all(struct fab_rules *rules)
{
	while (!TAILQ_EMPTY(&rules->all))
		rule_free(TAILQ_FIRST(&rules->all));
}

static enum fab_rule_state state_of(const struct rule *rule)
{
	const struct fault *f = &rule->fault;
	vtime_t now = sim_now(rule->rules->sim);
	uint64_t most = f->nth ? 1 : f->count;

	if (!LIST_EMPTY(&rule->outages))
		return FAB_RULE_ACTIVE;
	if (now < rule->start || sim_pending(&rule->begin))
		return FAB_RULE_WAITING;
	if (f->action != FAULT_DMA_ERROR && !fault_waits_for_packets(f))
		most = 1;
	return now >= rule->end || (most && rule->hits >= most) ? FAB_RULE_SPENT : FAB_RULE_ACTIVE;
}

bool fab_rules_get(const struct fab_rules *rules, unsigned int index, struct fab_rule_info *info)
{
	const struct rule *rule;

	TAILQ_FOREACH(rule, &rules->all, entry) {
		if (index--)
			continue;
		*info = (struct fab_rule_info){
			.id = rule->id,
			.text = rule->fault.text,
			.past = {
				.age = rule->age + sim_now(rules->sim) - rule->added,
				.seen = rule->seen,
				.hits = rule->hits,
			},
			.state = state_of(rule),
		};
		return true;
	}
	return false;
}
