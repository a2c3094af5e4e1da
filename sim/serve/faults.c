// SPDX-License-Identifier: BSD-2-Clause
#include "serve/faults.h"

#include <errno.h>
#include <string.h>

#include "core/log.h"

static void reset_nic(void *ctx, unsigned int nic)
{
	struct cluster *cl = ctx;

	if (cluster_power_cycle(cl, nic))
		cl->broken = true;
}

static const struct fab_rules_ops ops = { .nic_reset = reset_nic };

/* Registers all NICs before the links that refer to them. */
static int make_known(struct cluster *cl)
{
	char name[STATION_NAME_MAX];
	int err = 0;

	for (unsigned int i = 0; i < cl->num_stations && err >= 0; i++) {
		station_name(&cl->stations[i], name);
		err = fab_rules_add_nic(cl->rules, name);
	}
	for (unsigned int i = 0; i < cl->num_stations && err >= 0; i++)
		err = fab_rules_add_link(cl->rules, cl->stations[i].link, i);
	return err < 0 ? err : fab_rules_add_switch(cl->rules, cl->sw, SWITCH_NAME);
}

/* Returns the fault in the page with the lowest id above @after; NULL if there is none. */
static struct control_fault *next_fault(struct control *control, unsigned int after)
{
	struct control_fault *next = NULL;

	for (unsigned int i = 0; i < FAB_RULES_MAX; i++) {
		struct control_fault *f = &control->faults[i];

		if (f->id > after && (!next || f->id < next->id))
			next = f;
	}
	return next;
}

static int take_over(struct cluster *cl)
{
	struct control_fault *f = next_fault(cl->cfg->control, 0);
	char err[256];

	for (; f; f = next_fault(cl->cfg->control, f->id)) {
		const struct fab_rule_past past = { f->age, f->seen, f->hits };

		if (fab_rules_restore(cl->rules, f->id, f->text, &past, err, sizeof(err)) >= 0)
			continue;
		sim_warn("fault %s: %s", f->text, err);
		return -1;
	}
	return 0;
}

int faults_build(struct cluster *cl)
{
	int err;

	cl->rules = fab_rules_new(cl->sim, &ops, cl);
	err = cl->rules ? make_known(cl) : -ENOMEM;
	if (err >= 0)
		return take_over(cl);
	sim_warn("faults: %s", strerror(-err));
	return -1;
}

int faults_add(struct cluster *cl, const char *text, char *err, size_t err_len)
{
	int id = fab_rules_add(cl->rules, text, err, err_len);
	struct control_fault *f = cl->cfg->control->faults;

	if (id < 0)
		return id;
	while (f->id)	/* fits: the page has room for all rules */
		f++;
	strcpy(f->text, text);
	f->age = f->seen = f->hits = 0;
	atomic_store(&f->id, id);
	return id;
}

void faults_keep(const struct cluster *cl)
{
	struct fab_rule_info info;

	for (unsigned int i = 0; fab_rules_get(cl->rules, i, &info); i++) {
		struct control_fault *f = cl->cfg->control->faults;

		while (f->id != info.id)
			f++;
		f->age = info.past.age;
		f->seen = info.past.seen;
		f->hits = info.past.hits;
	}
}

int faults_clear(struct cluster *cl, unsigned int id)
{
	struct control_fault *f = cl->cfg->control->faults;
	int err = fab_rules_clear(cl->rules, id);

	if (err)
		return err;
	while (f->id != id)
		f++;
	atomic_store(&f->id, 0);
	return 0;
}
