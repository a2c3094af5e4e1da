/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The faults of a run: rules, each of which is a fault as fabric/fault.h parses it. They apply to
 * the links, switches and NICs that were registered.
 *
 * The rules are applied to a frame when it begins to be sent, in the order in which they were
 * added. Rules after the one that drops a frame do not see it, and no rule sees a frame on a link
 * that is down. Faults on a link draw random numbers from the stream of the sending port, faults of
 * a NIC's memory accesses from a stream of that NIC, so that rules for one part do not change
 * others.
 */
#ifndef TALLY_SIM_FABRIC_RULES_H
#define TALLY_SIM_FABRIC_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event.h"
#include "fabric/link.h"
#include "fabric/switch.h"

#define FAB_RULES_MAX	64	/* rules at a time */

struct fab_rules;

struct fab_rules_ops {
	/* Cuts the power of NIC @nic for a moment. Never called during a send or an arrival. */
	void (*nic_reset)(void *ctx, unsigned int nic);
};

enum fab_rule_state {
	FAB_RULE_WAITING,	/* its time has not been reached */
	FAB_RULE_ACTIVE,
	FAB_RULE_SPENT,		/* its count or its time is used up */
};

/* The history of a rule. */
struct fab_rule_past {
	vtime_t age;		/* since it was added */
	uint64_t seen;		/* frames or memory accesses that matched while it was active */
	uint64_t hits;		/* number of times that the fault occurred */
};

struct fab_rule_info {
	unsigned int id;
	const char *text;	/* as added; lives as long as the rule */
	struct fab_rule_past past;
	enum fab_rule_state state;
};

/*
 * Makes an empty set of rules. @ops, which is borrowed, may be NULL if no NIC can be reset. Returns
 * NULL if out of memory. Draws one number from the sim's rng.
 */
struct fab_rules *fab_rules_new(struct sim *sim, const struct fab_rules_ops *ops, void *ctx);

/* Undoes all faults and frees the rules, before links and switches are freed. Accepts NULL. */
void fab_rules_free(struct fab_rules *rules);

/*
 * These functions register a part. They must be called before the first rule is added (otherwise
 * -EBUSY). They return the number of the part, counted from 0 for each kind, or -ENOMEM or -EINVAL
 * (a name is too long). Names are copied. @nic is the number of the NIC at end 0 of @link, or -1.
 */
int fab_rules_add_nic(struct fab_rules *rules, const char *name);
int fab_rules_add_link(struct fab_rules *rules, struct fab_link *link, int nic);
int fab_rules_add_switch(struct fab_rules *rules, struct fab_switch *sw, const char *name);

/*
 * Adds the rule @text, whose times count from now. Returns its id, above 0, or -EINVAL, -ENOSPC
 * (FAB_RULES_MAX) or -ENOMEM with a sentence in @err that names the object at fault.
 */
int fab_rules_add(struct fab_rules *rules, const char *text, char *err, size_t err_len);

/*
 * As fab_rules_add(), for a run that continues in another process. @id must be above all earlier
 * ids. Faults that are over according to @past do not occur again. A link or switch that is still
 * down according to @past is brought down, unless a packet was the reason.
 */
int fab_rules_restore(struct fab_rules *rules, unsigned int id, const char *text,
		      const struct fab_rule_past *past, char *err, size_t err_len);

/* Removes a rule and undoes its faults. Returns 0, or -ENOENT if no rule has this id. */
int fab_rules_clear(struct fab_rules *rules, unsigned int id);
void fab_rules_clear_all(struct fab_rules *rules);

/* Returns rule number @index, counted from 0, in order. Returns false if there is none. */
bool fab_rules_get(const struct fab_rules *rules, unsigned int index, struct fab_rule_info *info);

/* Returns whether the present access of NIC @nic to host memory must fail. */
bool fab_rules_dma_fails(struct fab_rules *rules, unsigned int nic);

#endif
