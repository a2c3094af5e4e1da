// SPDX-License-Identifier: BSD-2-Clause
/*
 * tallycoll_info: what libtallycoll would choose for a team of a certain shape. It asks the library's
 * own choice on a team without a group, so it needs no device.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "core/choose.h"
#include "core/cost.h"

#define EXIT_USAGE 2
#define MOST (1ULL << 31)	/* bytes of a message */
#define MOST_CUTS (2 * TC_TUNE_RULES + TC_COST_STEPS + 1)

struct options {
	uint32_t nodes, ranks;
	uint32_t opcodes;	/* bit 1 << opcode */
	const char *tune;
	uint64_t size;
	bool sized;
};

static void usage(FILE *to)
{
	fprintf(to,
"Usage: tallycoll_info [options]\n"
"Prints the variables and rules of libtallycoll, and what it chooses for the operations of a team.\n"
"\n"
"  --nodes N      number of nodes, which are NICs, 1 to %d (4)\n"
"  --ranks N      ranks of a node, 1 to 4096 (1)\n"
"  --ops LIST     operations: allreduce, reduce, bcast, barrier, allgather, reduce_scatter, gather,\n"
"                 scatter (all)\n"
"  --size BYTES   what is chosen for this number of bytes only, with suffix K, M or G\n"
"  --tune RULES   rules of the runtime, as the parameter coll_tally_tune of Open MPI\n"
"  --help         print this text\n"
"\n"
"Exit status: 0 done, 1 wrong variables or rules, %d bad command line.\n", TALLY_MAX_NODES, EXIT_USAGE);
}

/* ---- Options ---- */
static bool take_number(const char *name, const char *text, uint64_t least, uint64_t most,
			const char *units, uint64_t *value)
{
	const char *unit;
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	if (*end && (unit = strchr(units, *end)) && !end[1]) {
		unsigned int shift = 10 * (unit - units + 1);

		*value = *value > UINT64_MAX >> shift ? UINT64_MAX : *value << shift;
		end++;
	}
	if (!errno && *text >= '0' && *text <= '9' && !*end && *value >= least && *value <= most)
		return true;
	fprintf(stderr, "tallycoll_info: --%s %s: not a number from %llu to %llu\n", name, text,
		(unsigned long long)least, (unsigned long long)most);
	return false;
}

static bool take_u32(const char *name, uint64_t most, uint32_t *to)
{
	uint64_t value;

	if (!take_number(name, optarg, 1, most, "", &value))
		return false;
	*to = value;
	return true;
}

static bool take_ops(char *list, uint32_t *opcodes)
{
	char *rest = list, *word;

	*opcodes = 0;
	while ((word = strsep(&rest, ","))) {
		uint32_t opcode = 1;

		while (opcode < TC_NUM_OPCODES && strcmp(word, tc_opcode_name(opcode)))
			opcode++;
		if (opcode == TC_NUM_OPCODES) {
			fprintf(stderr, "tallycoll_info: --ops: there is no operation \"%s\"\n", word);
			return false;
		}
		*opcodes |= 1u << opcode;
	}
	return true;
}

static bool take(struct options *o, int option)
{
	switch (option) {
	case 'n':
		return take_u32("nodes", TALLY_MAX_NODES, &o->nodes);
	case 'r':
		return take_u32("ranks", 4096, &o->ranks);
	case 'o':
		return take_ops(optarg, &o->opcodes);
	case 's':
		o->sized = true;
		return take_number("size", optarg, 0, MOST, "KMG", &o->size);
	case 't':
		o->tune = optarg;
		return true;
	default:
		return false;
	}
}

/* Returns the status to exit with, or -1 to go on. */
static int parse(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {
		{ "nodes", required_argument, NULL, 'n' }, { "ranks", required_argument, NULL, 'r' },
		{ "ops", required_argument, NULL, 'o' },   { "size", required_argument, NULL, 's' },
		{ "tune", required_argument, NULL, 't' },  { "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'h') {
			usage(stdout);
			return EXIT_SUCCESS;
		}
		if (!take(o, option))
			return EXIT_USAGE;
	}
	if (optind == argc)
		return -1;
	fprintf(stderr, "tallycoll_info: %s: there are no arguments but options\n", argv[optind]);
	return EXIT_USAGE;
}

/* ---- A team of the shape, whose devices perform everything ---- */
struct team {
	struct tallycoll_context context;
	struct tc_member_group mg;
	struct tallycoll_team team;
};

static void make_team(struct team *t, const struct options *o)
{
	struct tc_shape *s = &t->mg.shape;

	t->context.caps = UINT64_MAX;
	t->context.opcodes = UINT32_MAX;
	memset(t->context.can, 0xff, sizeof(t->context.can));
	s->size = o->nodes * o->ranks;
	s->num_nodes = o->nodes;
	s->num_local = s->most_local = s->least_local = o->ranks;
	s->crowded = o->ranks > TALLY_MAX_RANKS;
	for (uint32_t opcode = 1; opcode < TC_NUM_OPCODES; opcode++)
		tc_cost_steps(&t->mg.cost[opcode], opcode, o->nodes, o->ranks);
	t->team.context = &t->context;
	t->team.mg = &t->mg;
	t->team.oob.size = s->size;
	if (t->context.tune.off)
		t->team.reason = TALLYCOLL_REASON_DISABLED;
	else if (s->size == 1)
		t->team.reason = TALLYCOLL_REASON_ONE_RANK;
}

static bool reduces(uint32_t opcode)
{
	return opcode == TALLY_OPCODE_ALLREDUCE || opcode == TALLY_OPCODE_REDUCE ||
	       opcode == TALLY_OPCODE_REDUCE_SCATTER;
}

/* The way, or why the host does it. */
static enum tallycoll_reason choose(const struct team *t, uint32_t opcode, uint64_t bytes,
				    const char **name)
{
	const struct tallycoll_args args = {
		.opcode = opcode,
		.op = reduces(opcode) ? TALLY_OP_SUM : TALLY_OP_NONE,
		.dtype = opcode == TALLY_OPCODE_BARRIER ? TALLY_TYPE_NONE : TALLY_TYPE_INT8,
		.count = opcode == TALLY_OPCODE_BARRIER ? 0 : bytes,
		.flags = TALLYCOLL_F_BLOCKING,
	};
	const struct tc_way *way = NULL;
	enum tallycoll_reason reason = tc_choose(&t->team, &args, &way);

	*name = reason ? "host" : way->name;
	return reason;
}

/* ---- Output ---- */
static const char *set_to(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "not set";
}

static void print_rule(const struct tc_tune_rule *rule)
{
	static const char *const sources[] = {
		[TC_TUNE_FROM_FILE] = "the file",
		[TC_TUNE_FROM_RUNTIME] = "the runtime",
		[TC_TUNE_FROM_VARIABLE] = "TALLY_COLL_TUNE",
	};
	char to[24] = "";

	if (rule->to != UINT64_MAX)
		snprintf(to, sizeof(to), "%llu", (unsigned long long)rule->to);
	printf("  %s:%llu-%s=%s\t(%s)\n", tc_opcode_name(rule->opcode),
	       (unsigned long long)rule->from, to, tc_tune_way_name(rule->way),
	       sources[rule->source]);
}

static void print_tune(const struct tc_tune *tune)
{
	static const char *const names[] = { "TALLY_COLL",	    "TALLY_COLL_TUNE",
					     "TALLY_COLL_TUNE_FILE", "TALLY_COLL_TRACE",
					     "TALLY_COLL_SUMMARY" };

	printf("variables:\n");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		printf("  %-21s %s\n", names[i], set_to(names[i]));
	printf("file of rules: %s\n", getenv("TALLY_COLL_TUNE_FILE") ?
	       getenv("TALLY_COLL_TUNE_FILE") : TC_TUNE_FILE " (if it exists)");
	printf("rules, of which the last one that applies holds:%s\n", tune->num_rules ? "" : " none");
	for (uint32_t i = 0; i < tune->num_rules; i++)
		print_rule(&tune->rule[i]);
}

static void print_line(const struct team *t, uint32_t opcode, uint64_t from, uint64_t to)
{
	const struct tc_shape *s = &t->mg.shape;
	uint64_t ns[TC_COST_NUM];
	struct tc_cost_row row;
	const char *name;
	enum tallycoll_reason reason = choose(t, opcode, from, &name);
	char range[48], choice[48];

	tc_cost_row(&row, opcode, s->num_nodes, s->most_local);
	tc_cost_at(&row, from, ns);
	snprintf(range, sizeof(range), "%llu", (unsigned long long)from);
	if (to == MOST)
		strcat(range, "-");
	else if (to != from)
		snprintf(range + strlen(range), sizeof(range) - strlen(range), "-%llu",
			 (unsigned long long)to);
	snprintf(choice, sizeof(choice), reason ? "%s %s" : "%s", name, tallycoll_reason_name(reason));
	printf("%-15s %-17s %-18s %11.2f %11.2f %11.2f\n", tc_opcode_name(opcode), range, choice,
	       ns[TC_COST_DIRECT] / 1e3, ns[TC_COST_NODE] / 1e3, ns[TC_COST_HOST] / 1e3);
}

static int ascending(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The numbers of bytes at which the choice may change. */
static size_t find_cuts(const struct team *t, uint32_t opcode, uint64_t cut[MOST_CUTS])
{
	const struct tc_tune *tune = &t->context.tune;
	const struct tc_cost_steps *steps = &t->mg.cost[opcode];
	size_t n = 0;

	cut[n++] = 1;
	for (uint32_t i = 0; i < steps->num; i++)
		cut[n++] = steps->step[i].from;
	for (uint32_t i = 0; i < tune->num_rules; i++) {
		cut[n++] = tune->rule[i].from;
		cut[n++] = tune->rule[i].to == UINT64_MAX ? MOST : tune->rule[i].to + 1;
	}
	qsort(cut, n, sizeof(*cut), ascending);
	return n;
}

static bool same_choice(const struct team *t, uint32_t opcode, uint64_t a, uint64_t b)
{
	const char *first, *second;

	return choose(t, opcode, a, &first) == choose(t, opcode, b, &second) && first == second;
}

static void print_operation(const struct team *t, uint32_t opcode)
{
	uint64_t cut[MOST_CUTS], from = 1;
	const size_t n = find_cuts(t, opcode, cut);

	for (size_t i = 0; i < n; i++) {
		if (cut[i] <= from || cut[i] >= MOST || same_choice(t, opcode, from, cut[i]))
			continue;
		print_line(t, opcode, from, cut[i] - 1);
		from = cut[i];
	}
	print_line(t, opcode, from, MOST);
}

static void print_table(const struct team *t, const struct options *o)
{
	printf("\nchoices for a team of %u nodes with %u ranks each; times in us, expected at the first size:\n"
	       "%-15s %-17s %-18s %11s %11s %11s\n", o->nodes, o->ranks, "operation", "bytes", "choice",
	       "direct", "node", "host");
	for (uint32_t opcode = 1; opcode < TC_NUM_OPCODES; opcode++) {
		if (!(o->opcodes >> opcode & 1))
			continue;
		if (opcode == TALLY_OPCODE_BARRIER)
			print_line(t, opcode, 0, 0);
		else if (o->sized)
			print_line(t, opcode, o->size, o->size);
		else
			print_operation(t, opcode);
	}
}

int main(int argc, char **argv)
{
	struct options o = { .nodes = 4, .ranks = 1, .opcodes = UINT32_MAX };
	static struct team t;
	int status = parse(&o, argc, argv);
	char why[400];

	if (status >= 0)
		return status;
	if (!tc_tune_read(&t.context.tune, o.tune, why, sizeof(why))) {
		fprintf(stderr, "tallycoll_info: %s\n", why);
		return EXIT_FAILURE;
	}
	make_team(&t, &o);
	print_tune(&t.context.tune);
	print_table(&t, &o);
	return EXIT_SUCCESS;
}
