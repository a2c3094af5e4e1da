// SPDX-License-Identifier: BSD-2-Clause
/* Finds the links, switches and NICs that a rule applies to. */
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/rules_int.h"

static bool fits(const char *pattern, const char *name)
{
	return !fnmatch(pattern, name, 0);
}

/* Parses the number in @text after @prefix. Returns false if the text has another form. */
static bool number_behind(const char *prefix, const char *text, unsigned int *number)
{
	char again[FAULT_NAME_MAX];
	size_t len = strlen(prefix);

	if (strncmp(text, prefix, len))
		return false;
	*number = strtoul(text + len, NULL, 10);
	snprintf(again, sizeof(again), "%s%u", prefix, *number);
	return !strcmp(text, again);
}

bool rule_names_nic(const struct fault *fault, const struct fab_rules *rules, unsigned int nic)
{
	unsigned int number;

	if (!fault_has(fault, FAULT_KEY_NIC))
		return true;
	if (number_behind("", fault->nic, &number))
		return nic == number;
	return fits(fault->nic, rules->nics[nic]->name);
}

static bool fits_link(const char *pattern, const struct known_link *known)
{
	const char *near = fab_link_name(known->link, 0), *far = fab_link_name(known->link, 1);
	unsigned int number;
	char *both;
	bool yes;

	if (known->nic >= 0 && number_behind("nic", pattern, &number) &&
	    number == (unsigned int)known->nic)
		return true;
	if (fits(pattern, near) || fits(pattern, far))
		return true;
	if (asprintf(&both, "%s-%s", near, far) < 0)
		abort();
	yes = fits(pattern, both);
	free(both);
	return yes;
}

/* For a reset, nic= names the NIC, so that link= may name the link of the triggering packet. */
bool rule_names_link(const struct fault *fault, const struct known_link *known)
{
	if (fault_has(fault, FAULT_KEY_LINK) && !fits_link(fault->link, known))
		return false;
	if (!fault_has(fault, FAULT_KEY_NIC) ||
	    (fault->action == FAULT_NIC_RESET && fault_has(fault, FAULT_KEY_LINK)))
		return true;
	return known->nic >= 0 && rule_names_nic(fault, known->rules, known->nic);
}

bool rule_names_switch(const struct fault *fault, const struct known_switch *sw)
{
	return !fault_has(fault, FAULT_KEY_SWITCH) || fits(fault->sw, sw->name);
}

static int __attribute__((format(printf, 3, 4))) refuse(char *err, size_t err_len,
							 const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(err, err_len, format, args);
	va_end(args);
	return -EINVAL;
}

static bool any_link(const struct fab_rules *rules, const struct fault *fault)
{
	for (unsigned int i = 0; i < rules->num_links; i++)
		if (rule_names_link(fault, rules->links[i]))
			return true;
	return false;
}

static unsigned int count_nics(const struct fab_rules *rules, const struct fault *fault)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < rules->num_nics; i++)
		n += rule_names_nic(fault, rules, i);
	return n;
}

static unsigned int count_switches(const struct fab_rules *rules, const struct fault *fault)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < rules->num_switches; i++)
		n += rule_names_switch(fault, rules->switches[i]);
	return n;
}

static int check_nics(const struct fab_rules *rules, const struct fault *fault, char *err,
		      size_t err_len)
{
	bool named = fault_has(fault, FAULT_KEY_NIC);

	if (fault->action == FAULT_NIC_RESET && (!rules->ops || !rules->ops->nic_reset))
		return refuse(err, err_len, "nic-reset: there are no NICs that can be reset");
	if (count_nics(rules, fault) || (!named && fault->action != FAULT_DMA_ERROR))
		return 0;
	if (!rules->num_nics)
		return refuse(err, err_len, "%s: there are no NICs", named ? "nic" : "dma-error");
	return refuse(err, err_len, "nic=%s: no such NIC; there are 0 (%s) to %u (%s)", fault->nic,
		      rules->nics[0]->name, rules->num_nics - 1,
		      rules->nics[rules->num_nics - 1]->name);
}

static int check_switches(const struct fab_rules *rules, const struct fault *fault, char *err,
			  size_t err_len)
{
	unsigned int n;

	if (fault->action != FAULT_SWITCH_DEATH)
		return 0;
	n = count_switches(rules, fault);
	if (!rules->num_switches)
		return refuse(err, err_len, "switch-death: there are no switches");
	if (!n)
		return refuse(err, err_len, "switch=%s: no such switch; the first is %s", fault->sw,
			      rules->switches[0]->name);
	if (n > 1 && !fault_has(fault, FAULT_KEY_SWITCH))
		return refuse(err, err_len, "switch: missing; there are %u switches", n);
	return 0;
}

int rule_check_names(const struct fab_rules *rules, const struct fault *fault, char *err,
		     size_t err_len)
{
	int bad = check_nics(rules, fault, err, err_len) ?:
		  check_switches(rules, fault, err, err_len);

	if (bad || fault->action == FAULT_DMA_ERROR || any_link(rules, fault))
		return bad;
	if (!fault_waits_for_packets(fault) && fault->action != FAULT_DOWN)
		return 0;
	if (!rules->num_links)
		return refuse(err, err_len, "there are no links");
	if (!fault_has(fault, FAULT_KEY_LINK))
		return refuse(err, err_len, "nic=%s: has no link", fault->nic);
	return refuse(err, err_len, "link=%s: no such link%s; the first is %s-%s", fault->link,
		      fault_has(fault, FAULT_KEY_NIC) ? " of that NIC" : "",
		      fab_link_name(rules->links[0]->link, 0),
		      fab_link_name(rules->links[0]->link, 1));
}
