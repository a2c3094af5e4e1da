// SPDX-License-Identifier: BSD-2-Clause
#include "core/tune.h"

#include <stdlib.h>
#include <string.h>

static const char *const opcodes[] = {
	[0] = "all",
	[TALLY_OPCODE_ALLREDUCE] = "allreduce",
	[TALLY_OPCODE_REDUCE] = "reduce",
	[TALLY_OPCODE_BCAST] = "bcast",
	[TALLY_OPCODE_BARRIER] = "barrier",
	[TALLY_OPCODE_ALLGATHER] = "allgather",
	[TALLY_OPCODE_REDUCE_SCATTER] = "reduce_scatter",
	[TALLY_OPCODE_GATHER] = "gather",
	[TALLY_OPCODE_SCATTER] = "scatter",
};

static const char *const ways[] = {
	[TC_TUNE_HOST] = "host",
	[TC_TUNE_DIRECT] = "direct",
	[TC_TUNE_NODE] = "node",
	[TC_TUNE_SOCKET] = "socket",
	[TC_TUNE_FIXED] = "fixed",
	[TC_TUNE_CP_BT] = "cp-bt",
	[TC_TUNE_CP_RDAAS] = "cp-rdaas",
	[TC_TUNE_CP_RINGAAS] = "cp-ringaas",
	[TC_TUNE_P_BT] = "p-bt",
	[TC_TUNE_P_RDAAS] = "p-rdaas",
	[TC_TUNE_P_RINGAAS] = "p-ringaas",
	[TC_TUNE_NIC] = "nic",
	[TC_TUNE_AUTO] = "auto",
};

#define NUM_OF(table) (sizeof(table) / sizeof((table)[0]))

const char *tc_opcode_name(enum tally_opcode opcode)
{
	return (size_t)opcode < NUM_OF(opcodes) ? opcodes[opcode] : "unknown";
}

/* Returns the index of the @len characters at @word in @table, or -1. */
static int find_word(const char *const *table, size_t num, const char *word, size_t len)
{
	for (size_t i = 0; i < num; i++)
		if (table[i] && strlen(table[i]) == len && !strncmp(table[i], word, len))
			return i;
	return -1;
}

/* Reads "[FROM]-[TO]", of which a number may have the suffix k or m. */
static bool read_number(const char **at, const char *end, uint64_t *value)
{
	uint64_t n = 0;

	if (*at == end || **at < '0' || **at > '9')
		return true;	/* left out: the default stays */
	while (*at < end && **at >= '0' && **at <= '9') {
		if (n > UINT64_MAX / 100)
			return false;
		n = n * 10 + (*(*at)++ - '0');
	}
	if (n > UINT64_MAX >> 20)
		return false;
	for (const char *unit = "km"; *at < end && *unit; unit++)
		if (**at == *unit) {
			n <<= *unit == 'k' ? 10 : 20;
			(*at)++;
			break;
		}
	*value = n;
	return true;
}

static bool read_range(struct tc_tune_rule *rule, const char *at, const char *end)
{
	if (!read_number(&at, end, &rule->from) || at == end || *at++ != '-')
		return false;
	return read_number(&at, end, &rule->to) && at == end && rule->from <= rule->to;
}

static bool read_rule(struct tc_tune *t, const char *at, size_t len)
{
	const char *end = at + len, *equal = memchr(at, '=', len), *colon;
	struct tc_tune_rule rule = { .to = UINT64_MAX };
	int opcode, way;

	if (!equal || t->num_rules == TC_TUNE_RULES)
		return false;
	colon = memchr(at, ':', equal - at);
	opcode = find_word(opcodes, NUM_OF(opcodes), at, (colon ? colon : equal) - at);
	way = find_word(ways, NUM_OF(ways), equal + 1, end - equal - 1);
	if (opcode < 0 || way < 0 || (colon && !read_range(&rule, colon + 1, equal)))
		return false;
	rule.opcode = opcode;
	rule.way = way;
	t->rule[t->num_rules++] = rule;
	return true;
}

static bool read_rules(struct tc_tune *t, const char *text, char *why, size_t size)
{
	while (*text) {
		size_t len = strcspn(text, ";");

		if (len && !read_rule(t, text, len)) {
			snprintf(why, size, "TALLY_COLL_TUNE: \"%.*s\" is no rule such as "
				 "allreduce:64k-=node, or there are more than %d.", (int)len, text,
				 TC_TUNE_RULES);
			return false;
		}
		text += len + (text[len] == ';');
	}
	return true;
}

/* Reads a variable that is one of two words. */
static bool read_switch(const char *name, const char *no, const char *yes, uint32_t *value,
			char *why, size_t size)
{
	const char *text = getenv(name);

	if (!text || !strcmp(text, no))
		return true;
	*value = 1;
	if (!strcmp(text, yes))
		return true;
	snprintf(why, size, "%s is \"%s\", which is neither %s nor %s.", name, text, no, yes);
	return false;
}

bool tc_tune_read(struct tc_tune *t, char *why, size_t size)
{
	const char *rules = getenv("TALLY_COLL_TUNE");

	memset(t, 0, sizeof(*t));
	return read_switch("TALLY_COLL", "on", "off", &t->off, why, size) &&
	       read_switch("TALLY_COLL_TRACE", "0", "1", &t->trace, why, size) &&
	       read_switch("TALLY_COLL_SUMMARY", "0", "1", &t->summary, why, size) &&
	       (!rules || read_rules(t, rules, why, size));
}

enum tc_tune_way tc_tune_find(const struct tc_tune *t, enum tally_opcode opcode, uint64_t bytes)
{
	for (uint32_t i = t->num_rules; i-- > 0;) {
		const struct tc_tune_rule *rule = &t->rule[i];

		if ((!rule->opcode || rule->opcode == opcode) && bytes >= rule->from &&
		    bytes <= rule->to)
			return rule->way;
	}
	return TC_TUNE_NONE;
}
