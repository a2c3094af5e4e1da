// SPDX-License-Identifier: BSD-2-Clause
#include "core/tune.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

const char *tc_tune_way_name(enum tc_tune_way way)
{
	return (size_t)way < NUM_OF(ways) && ways[way] ? ways[way] : "unknown";
}

/* Returns the index of the @len characters at @word in @table, or -1. */
static int find_word(const char *const *table, size_t num, const char *word, size_t len)
{
	for (size_t i = 0; i < num; i++)
		if (table[i] && strlen(table[i]) == len && !strncmp(table[i], word, len))
			return i;
	return -1;
}

/* Reads "[FROM]-[TO]", of which a number may have the suffix k, m or g, also in capitals. */
static bool read_number(const char **at, const char *end, uint64_t *value)
{
	static const char units[] = "kmg";
	uint64_t n = 0;
	unsigned int shift = 0;

	if (*at == end || **at < '0' || **at > '9')
		return true;	/* left out: the default stays */
	while (*at < end && **at >= '0' && **at <= '9') {
		if (n > UINT64_MAX / 100)
			return false;
		n = n * 10 + (*(*at)++ - '0');
	}
	for (unsigned int i = 0; *at < end && units[i]; i++)
		if (tolower((unsigned char)**at) == units[i]) {
			shift = 10 * (i + 1);
			(*at)++;
			break;
		}
	*value = n << shift;
	return n <= UINT64_MAX >> (shift ? shift : 20);
}

static bool read_range(struct tc_tune_rule *rule, const char *at, const char *end)
{
	if (!read_number(&at, end, &rule->from) || at == end || *at++ != '-')
		return false;
	return read_number(&at, end, &rule->to) && at == end && rule->from <= rule->to;
}

/* Where rules are from, and where to write what is wrong with them. */
struct source {
	struct tc_tune *tune;
	enum tc_tune_source kind;
	const char *name;	/* of a variable, or of a file, of which */
	uint32_t line;		/* this line is read; 0: no file */
	char *why;
	size_t size;
};

__attribute__((format(printf, 4, 5)))
static bool wrong(const struct source *from, const char *rule, size_t len, const char *format, ...)
{
	char line[16] = "", what[128];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	if (from->line)
		snprintf(line, sizeof(line), ":%u", from->line);
	snprintf(from->why, from->size, "%s%s: \"%.*s\": %s", from->name, line,
		 (int)(len < 80 ? len : 80), rule, what);
	return false;
}

static bool read_rule(const struct source *from, const char *at, size_t len)
{
	const char *end = at + len, *equal = memchr(at, '=', len), *colon, *left;
	struct tc_tune_rule rule = { .to = UINT64_MAX };
	int opcode, way;

	if (!equal)
		return wrong(from, at, len, "a rule is as allreduce:64k-=node.");
	if (from->tune->num_rules == TC_TUNE_RULES)
		return wrong(from, at, len, "there are more than %d rules.", TC_TUNE_RULES);
	colon = memchr(at, ':', equal - at);
	left = colon ? colon : equal;
	opcode = find_word(opcodes, NUM_OF(opcodes), at, left - at);
	if (opcode < 0)
		return wrong(from, at, len, "there is no operation \"%.*s\".", (int)(left - at), at);
	if (colon && !read_range(&rule, colon + 1, equal))
		return wrong(from, at, len, "\"%.*s\" is no range of bytes.",
			     (int)(equal - colon - 1), colon + 1);
	way = find_word(ways, NUM_OF(ways), equal + 1, end - equal - 1);
	if (way < 0)
		return wrong(from, at, len, "there is no way \"%.*s\".", (int)(end - equal - 1),
			     equal + 1);
	rule.opcode = opcode;
	rule.way = way;
	rule.source = from->kind;
	from->tune->rule[from->tune->num_rules++] = rule;
	return true;
}

/* Reads rules with semicolons between them and blanks around them. */
static bool read_rules(const struct source *from, const char *text)
{
	while (*text) {
		size_t len, all = strcspn(text, ";");

		for (len = all; len && isspace((unsigned char)*text); len--, all--)
			text++;
		while (len && isspace((unsigned char)text[len - 1]))
			len--;
		if (len && !read_rule(from, text, len))
			return false;
		text += all + (text[all] == ';');
	}
	return true;
}

static bool no_file(const struct source *from, int err)
{
	snprintf(from->why, from->size, "TALLY_COLL_TUNE_FILE: %s: %s.", from->name, strerror(err));
	return false;
}

static bool read_lines(struct source *from, FILE *file)
{
	char *line = NULL;
	size_t room = 0;
	bool good = true;

	while (good && getline(&line, &room, file) > 0) {
		from->line++;
		line[strcspn(line, "#")] = '\0';
		good = read_rules(from, line);
	}
	if (good && ferror(file))
		good = no_file(from, errno);
	free(line);
	return good;
}

/* The file need not exist unless a variable names it; an empty name is none. */
static bool read_file(struct source *from)
{
	const char *name = getenv("TALLY_COLL_TUNE_FILE");
	FILE *file;
	bool good;

	from->name = name ? name : TC_TUNE_FILE;
	if (!*from->name)
		return true;
	file = fopen(from->name, "re");
	if (!file && !name && errno == ENOENT)
		return true;
	if (!file)
		return no_file(from, errno);
	good = read_lines(from, file);
	fclose(file);
	from->line = 0;
	return good;
}

/* The last rule that applies holds, so the strongest source is the last one. */
static bool read_sources(struct tc_tune *t, const char *parameter, char *why, size_t size)
{
	struct source from = { .tune = t, .why = why, .size = size };
	const char *variable = getenv("TALLY_COLL_TUNE");

	if (!read_file(&from))
		return false;
	from.kind = TC_TUNE_FROM_RUNTIME;
	from.name = "The runtime's parameter (coll_tally_tune)";
	if (parameter && !read_rules(&from, parameter))
		return false;
	from.kind = TC_TUNE_FROM_VARIABLE;
	from.name = "TALLY_COLL_TUNE";
	return !variable || read_rules(&from, variable);
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

/* A name that is misspelt would otherwise have no effect, and nobody would notice. */
static bool know_names(char *why, size_t size)
{
	static const char prefix[] = "TALLY_COLL";
	static const char *const names[] = { "", "_NICS", "_SUMMARY", "_TRACE", "_TUNE", "_TUNE_FILE" };

	for (char **at = environ; *at; at++) {
		const char *name = *at + sizeof(prefix) - 1;

		if (!strncmp(*at, prefix, sizeof(prefix) - 1) &&
		    find_word(names, NUM_OF(names), name, strcspn(name, "=")) < 0) {
			snprintf(why, size, "%.*s: there is no such variable; tallycoll(7) names all.",
				 (int)strcspn(*at, "="), *at);
			return false;
		}
	}
	return true;
}

bool tc_tune_read(struct tc_tune *t, const char *parameter, char *why, size_t size)
{
	memset(t, 0, sizeof(*t));
	return know_names(why, size) &&
	       read_switch("TALLY_COLL", "on", "off", &t->off, why, size) &&
	       read_switch("TALLY_COLL_TRACE", "0", "1", &t->trace, why, size) &&
	       read_switch("TALLY_COLL_SUMMARY", "0", "1", &t->summary, why, size) &&
	       read_sources(t, parameter, why, size);
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
