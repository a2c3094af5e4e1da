/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations shared by the files of the rules. */
#ifndef TALLY_SIM_FABRIC_RULES_INT_H
#define TALLY_SIM_FABRIC_RULES_INT_H

#include <sys/queue.h>

#include "core/rng.h"
#include "fabric/fault.h"
#include "fabric/rules.h"

/* A port or a switch that a rule has brought down. */
struct outage {
	LIST_ENTRY(outage) entry;
	struct sim *sim;
	struct fab_port *port;	/* the port or the switch */
	struct fab_switch *sw;
	struct sim_event end;
};

struct rule {
	TAILQ_ENTRY(rule) entry;
	struct fab_rules *rules;
	unsigned int id;
	struct fault fault;
	vtime_t start, end;	/* period in which it applies; end: VT_NEVER without a limit */
	vtime_t added, age;	/* age: its age when it was added here */
	uint64_t seen, hits;
	bool *on_link;		/* for each link: whether the rule applies to its packets */
	struct sim_event begin;	/* starts a fault that depends on time */
	LIST_HEAD(, outage) outages;
};

struct known_link {
	struct fab_rules *rules;
	unsigned int index;
	struct fab_link *link;
	int nic;		/* the NIC at the first end; -1: none */
};

struct known_switch {
	struct fab_switch *sw;
	char name[FAULT_NAME_MAX];
};

struct known_nic {
	struct fab_rules *rules;
	unsigned int index;
	char name[FAULT_NAME_MAX];
	struct rng rng;
	struct sim_event reset;
};

struct fab_rules {
	struct sim *sim;
	const struct fab_rules_ops *ops;
	void *ctx;
	uint64_t seed;
	struct known_link **links;
	struct known_switch **switches;
	struct known_nic **nics;
	unsigned int num_links, num_switches, num_nics;
	TAILQ_HEAD(, rule) all;
	unsigned int count, last_id;
};

/* rules_names.c: the parts that a rule names. */
bool rule_names_link(const struct fault *fault, const struct known_link *link);
bool rule_names_nic(const struct fault *fault, const struct fab_rules *rules, unsigned int nic);
bool rule_names_switch(const struct fault *fault, const struct known_switch *sw);
/* Returns 0, or -EINVAL after writing to @err which name matches no part. */
int rule_check_names(const struct fab_rules *rules, const struct fault *fault, char *err,
		     size_t err_len);

/* rules_apply.c */
/* The pass function of ports; @arg is a struct known_link. */
bool rules_pass(void *arg, struct fab_transit *transit);

/* rules_outage.c: faults that affect more than a packet. */
/* Prepares an added rule: schedules it, if it depends on time alone. */
void rule_prepare(struct rule *rule);
/* Starts the fault, because its time was reached or a matching packet passed on @link. */
void rule_trigger(struct rule *rule, const struct known_link *link);
/* Undoes the faults of the rule. */
void rule_undo(struct rule *rule);
/* Event: resets a NIC. */
void nic_reset_due(void *arg);

#endif
