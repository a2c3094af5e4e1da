// SPDX-License-Identifier: BSD-2-Clause
/* Links that go down, switches that die, and NICs that lose power. */
#include <stdlib.h>

#include "fabric/rules_int.h"

static void set_down(const struct outage *o, bool down)
{
	if (o->port)
		fab_port_set_down(o->port, down);
	else
		fab_switch_set_dead(o->sw, down);
}

static void outage_end(void *arg)
{
	struct outage *o = arg;

	LIST_REMOVE(o, entry);
	sim_cancel(o->sim, &o->end);
	set_down(o, false);
	free(o);
}

static struct outage *outage_find(const struct rule *rule, const struct fab_port *port,
				  const struct fab_switch *sw)
{
	struct outage *o;

	LIST_FOREACH(o, &rule->outages, entry)
		if (o->port == port && o->sw == sw)
			return o;
	return NULL;
}

/* A run without its faults would be wrong, so this aborts when out of memory, as for events. */
static struct outage *outage_begin(struct rule *rule, struct fab_port *port, struct fab_switch *sw)
{
	struct outage *o = malloc(sizeof(*o));

	if (!o)
		abort();
	*o = (struct outage){ .sim = rule->rules->sim, .port = port, .sw = sw };
	sim_event_init(&o->end, outage_end, o);
	LIST_INSERT_HEAD(&rule->outages, o, entry);
	set_down(o, true);
	return o;
}

/* If the part is down already, restarts the duration. */
static void bring_down(struct rule *rule, struct fab_port *port, struct fab_switch *sw)
{
	struct outage *o = outage_find(rule, port, sw) ?: outage_begin(rule, port, sw);

	if (rule->fault.duration)
		sim_schedule_in(o->sim, &o->end, rule->fault.duration);
}

static void bring_link_down(struct rule *rule, const struct known_link *known)
{
	if (rule->fault.dir != FAULT_DIR_RX)
		bring_down(rule, fab_link_port(known->link, 0), NULL);
	if (rule->fault.dir != FAULT_DIR_TX)
		bring_down(rule, fab_link_port(known->link, 1), NULL);
}

static void bring_links_down(struct rule *rule, const struct known_link *where)
{
	const struct fab_rules *rules = rule->rules;

	if (where) {
		bring_link_down(rule, where);
		return;
	}
	for (unsigned int i = 0; i < rules->num_links; i++)
		if (rule->on_link[i])
			bring_link_down(rule, rules->links[i]);
}

static void kill_switches(struct rule *rule)
{
	const struct fab_rules *rules = rule->rules;

	for (unsigned int i = 0; i < rules->num_switches; i++)
		if (rule_names_switch(&rule->fault, rules->switches[i]))
			bring_down(rule, NULL, rules->switches[i]->sw);
}

/* Resets are deferred, because the NIC itself may be sending the packet that triggers them. */
static void reset_nics(const struct rule *rule)
{
	const struct fab_rules *rules = rule->rules;

	for (unsigned int i = 0; i < rules->num_nics; i++)
		if (rule_names_nic(&rule->fault, rules, i))
			sim_schedule_in(rules->sim, &rules->nics[i]->reset, 0);
}

void nic_reset_due(void *arg)
{
	struct known_nic *nic = arg;
	const struct fab_rules *rules = nic->rules;

	rules->ops->nic_reset(rules->ctx, nic->index);
}

void rule_trigger(struct rule *rule, const struct known_link *link)
{
	switch (rule->fault.action) {
	case FAULT_DOWN:
		bring_links_down(rule, link);
		break;
	case FAULT_SWITCH_DEATH:
		kill_switches(rule);
		break;
	case FAULT_NIC_RESET:
		reset_nics(rule);
		break;
	default:
		break;
	}
}

static void time_has_come(void *arg)
{
	struct rule *rule = arg;

	rule->hits++;
	rule_trigger(rule, NULL);
}

/* Brings down the parts that are still down from before the rule was restored. */
static void resume_outages(struct rule *rule)
{
	const struct fault *f = &rule->fault;
	vtime_t end = VT_NEVER;
	struct outage *o;

	if (f->duration && __builtin_add_overflow(f->at, f->duration, &end))
		end = VT_NEVER;
	if (f->action == FAULT_NIC_RESET || rule->age >= end)
		return;
	rule_trigger(rule, NULL);
	if (!f->duration)
		return;
	LIST_FOREACH(o, &rule->outages, entry)
		sim_schedule_in(o->sim, &o->end, end - rule->age);
}

void rule_prepare(struct rule *rule)
{
	const struct fault *f = &rule->fault;

	LIST_INIT(&rule->outages);
	sim_event_init(&rule->begin, time_has_come, rule);
	if (f->action == FAULT_DMA_ERROR || fault_waits_for_packets(f))
		return;
	if (rule->hits)
		resume_outages(rule);
	else
		sim_schedule(rule->rules->sim, &rule->begin, rule->start);
}

void rule_undo(struct rule *rule)
{
	sim_cancel(rule->rules->sim, &rule->begin);
	while (!LIST_EMPTY(&rule->outages))
		outage_end(LIST_FIRST(&rule->outages));
}
