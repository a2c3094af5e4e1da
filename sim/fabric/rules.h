/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The faults of a run: rules, each one a fault as fabric/fault.h reads it, about the links,
 * switches and NICs that were made known.
 *
 * A frame meets the rules when it begins to be sent, in the order in which they were added; one that
 * is lost is not seen by later rules, and no rule sees a frame on a link that is down. The random
 * numbers of what happens on a link are drawn from the stream of the sending port, those of a NIC's
 * memory accesses from a stream of that NIC's: rules about one part leave the others alone.
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
	/* Cuts the power of NIC @nic for a moment. Not called from within a send or an arrival. */
	void (*nic_reset)(void *ctx, unsigned int nic);
};

enum fab_rule_state {
	FAB_RULE_WAITING,	/* its time has not come */
	FAB_RULE_ACTIVE,
	FAB_RULE_SPENT,		/* has happened as often as it may, or its time is over */
};

/* What a rule has been through. */
struct fab_rule_past {
	vtime_t age;		/* since it was added */
	uint64_t seen;		/* frames or memory accesses that fitted while it was active */
	uint64_t hits;		/* times that it happened */
};

struct fab_rule_info {
	unsigned int id;
	const char *text;	/* as it was added; as long as the rule */
	struct fab_rule_past past;
	enum fab_rule_state state;
};

/*
 * No rules. @ops, borrowed, may be NULL where no NIC can be reset. NULL: no memory. Draws one number
 * from the sim's rng.
 */
struct fab_rules *fab_rules_new(struct sim *sim, const struct fab_rules_ops *ops, void *ctx);

/* Takes back all faults and lets go of the parts; before links and switches. NULL is allowed. */
void fab_rules_free(struct fab_rules *rules);

/*
 * These make a part known, before the first rule (else -EBUSY), and return its number, counted from
 * 0 for each kind, or -ENOMEM or -EINVAL (a name too long). Names are copied. @nic is the number of
 * the NIC at end 0 of @link, or -1.
 */
int fab_rules_add_nic(struct fab_rules *rules, const char *name);
int fab_rules_add_link(struct fab_rules *rules, struct fab_link *link, int nic);
int fab_rules_add_switch(struct fab_rules *rules, struct fab_switch *sw, const char *name);

/*
 * Adds the rule @text, which counts its times from now. Returns its id, above 0, or -EINVAL,
 * -ENOSPC (FAB_RULES_MAX) or -ENOMEM with a sentence in @err that names what is at fault.
 */
int fab_rules_add(struct fab_rules *rules, const char *text, char *err, size_t err_len);

/*
 * The same with an @id above those there were before, for a run that goes on in another process: what
 * is over by @past does not happen again. A link or switch that is still down by it is brought down,
 * unless a packet was the reason.
 */
int fab_rules_restore(struct fab_rules *rules, unsigned int id, const char *text,
		      const struct fab_rule_past *past, char *err, size_t err_len);

/* Takes a rule back, and with it what it brought down. 0, or -ENOENT: no rule has this id. */
int fab_rules_clear(struct fab_rules *rules, unsigned int id);
void fab_rules_clear_all(struct fab_rules *rules);

/* The @index-th rule, from 0, in order. False: there are not so many. */
bool fab_rules_get(const struct fab_rules *rules, unsigned int index, struct fab_rule_info *info);

/* True if the access to host memory that NIC @nic makes now has to fail. */
bool fab_rules_dma_fails(struct fab_rules *rules, unsigned int nic);

#endif
