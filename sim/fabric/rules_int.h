/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the rules share. */
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
	struct fab_port *port;	/* one of the two */
	struct fab_switch *sw;
	struct sim_event end;
};

struct rule {
	TAILQ_ENTRY(rule) entry;
	struct fab_rules *rules;
	unsigned int id;
	struct fault fault;
	vtime_t start, end;	/* when packets and accesses meet it; end: VT_NEVER for ever */
	vtime_t added, age;	/* its age when it was added here */
	uint64_t seen, hits;
	bool *on_link;		/* by link: its packets are meant */
	struct sim_event begin;	/* of what the time brings about */
	LIST_HEAD(, outage) outages;
};

struct known_link {
	struct fab_rules *rules;
	unsigned int index;
	struct fab_link *link;
	int nic;		/* at its first end; -1: none */
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

/* rules_names.c: which parts a rule names. */
bool rule_names_link(const struct fault *fault, const struct known_link *link);
bool rule_names_nic(const struct fault *fault, const struct fab_rules *rules, unsigned int nic);
bool rule_names_switch(const struct fault *fault, const struct known_switch *sw);
/* 0, or -EINVAL after writing which name fits no part. */
int rule_check_names(const struct fab_rules *rules, const struct fault *fault, char *err,
		     size_t err_len);

/* rules_apply.c */
/* The pass function of ports; @arg is a struct known_link. */
bool rules_pass(void *arg, struct fab_passage *passage);

/* rules_outage.c: what a rule does to more than a packet. */
/* To be done when the rule is added: waits for its time, if that is what it needs. */
void rule_prepare(struct rule *rule);
/* The rule's time has come, or the packet that passes on @link. */
void rule_happen(struct rule *rule, const struct known_link *link);
/* Takes back all of it. */
void rule_undo(struct rule *rule);
/* The reset of a NIC that is due. */
void nic_reset_due(void *arg);

#endif
