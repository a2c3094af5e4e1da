// SPDX-License-Identifier: BSD-2-Clause
/* Commands for a simulator. */
#include <stdlib.h>
#include <string.h>

#include "tallyctl.h"

static int usage(const char *what)
{
	report_error("%s", what);
	return EXIT_USAGE;
}

/* Sends a request and prints the array @key of the answer. */
static int show(const struct options *opt, const char *request, const char *key,
		const struct column *columns)
{
	struct json_object *answer = ask(opt, request), *rows;

	if (!answer)
		return EXIT_FAILURE;
	if (opt->json)
		json_print(stdout, answer);
	else if (json_object_object_get_ex(answer, key, &rows) &&
		 json_object_is_type(rows, json_type_array))
		table_print(stdout, rows, columns);
	json_object_put(answer);
	return EXIT_SUCCESS;
}

/* ---- Faults ---- */

static int fault_list(const struct options *opt)
{
	static const struct column columns[] = {
		{ "id", NULL }, { "state", NULL }, { "seen", NULL }, { "hits", NULL },
		{ "fault", NULL }, { NULL, NULL },
	};

	if (opt->num_words > 2)
		return usage("fault list: takes no argument");
	return show(opt, "fault list", "faults", columns);
}

/* Sends "fault WHAT ARGUMENT" and prints the number @key of the answer as @sentence. */
static int fault_change(const struct options *opt, const char *what, const char *argument,
			const char *key, const char *sentence)
{
	struct json_object *answer, *number;
	char *request;

	if (strchr(argument, '\n'))
		return usage("a fault must not contain a newline");
	if (asprintf(&request, "fault %s%s%s", what, *argument ? " " : "", argument) < 0)
		return report_error("no memory");
	answer = ask(opt, request);
	free(request);
	if (!answer)
		return EXIT_FAILURE;
	if (opt->json)
		json_print(stdout, answer);
	else if (json_object_object_get_ex(answer, key, &number))
		printf("%s %s\n", sentence, json_object_get_string(number));
	json_object_put(answer);
	return EXIT_SUCCESS;
}

static int fault_add(const struct options *opt)
{
	int status = EXIT_SUCCESS;

	if (opt->num_words < 3)
		return usage("fault add: SPEC is missing");
	for (int i = 2; i < opt->num_words && status == EXIT_SUCCESS; i++)
		status = fault_change(opt, "add", opt->words[i], "id", "fault");
	return status;
}

static int fault_clear(const struct options *opt)
{
	int status = EXIT_SUCCESS;

	if (opt->num_words == 2)
		return fault_change(opt, "clear", "", "cleared", "faults cleared:");
	for (int i = 2; i < opt->num_words && status == EXIT_SUCCESS; i++)
		status = fault_change(opt, "clear", opt->words[i], "cleared", "faults cleared:");
	return status;
}

int cmd_fault(const struct options *opt)
{
	const char *what = opt->num_words > 1 ? opt->words[1] : "";

	if (!strcmp(what, "add"))
		return fault_add(opt);
	if (!strcmp(what, "list"))
		return fault_list(opt);
	if (!strcmp(what, "clear"))
		return fault_clear(opt);
	if (!*what)
		return usage("fault: use fault add SPEC..., fault list or fault clear [ID...]");
	report_error("fault %s: unknown; use fault add SPEC..., fault list or fault clear [ID...]",
		     what);
	return EXIT_USAGE;
}

/* ---- Links, switches and NICs ---- */

int cmd_links(const struct options *opt)
{
	static const struct column columns[] = {
		{ "port", NULL }, { "peer", NULL }, { "up", NULL },
		{ "tx_frames", NULL }, { "tx_bytes", NULL },
		{ "rx_frames", NULL }, { "rx_bytes", NULL },
		{ "tx_queue_full", "full" }, { "fault_drops", "dropped" },
		{ "fault_duplicates", "duplicated" }, { "fault_corruptions", "corrupted" },
		{ "fault_delays", "delayed" }, { "down_drops", "down" }, { NULL, NULL },
	};

	if (opt->num_words > 1)
		return usage("links: takes no argument");
	return show(opt, "links", "links", columns);
}

int cmd_switches(const struct options *opt)
{
	static const struct column columns[] = {
		{ "name", NULL }, { "alive", NULL }, { "received", NULL }, { "forwarded", NULL },
		{ "flooded", NULL }, { "unknown", NULL }, { "hairpin", NULL }, { "runt", NULL },
		{ "queue_full", "full" }, { "dead", "lost_dead" }, { NULL, NULL },
	};

	if (opt->num_words > 1)
		return usage("switches: takes no argument");
	return show(opt, "switches", "switches", columns);
}

/* Moves the counters into the NIC's object, where table_print() finds them. */
static void flatten(struct json_object *nic)
{
	struct json_object *counters;

	if (!json_object_object_get_ex(nic, "counters", &counters))
		return;
	json_object_object_foreach(counters, key, value)
		json_object_object_add(nic, key, json_object_get(value));
}

static bool is_nic(struct json_object *nic, const char *wanted)
{
	struct json_object *value;

	return (json_object_object_get_ex(nic, "number", &value) &&
		!strcmp(json_object_get_string(value), wanted)) ||
	       (json_object_object_get_ex(nic, "name", &value) &&
		!strcmp(json_object_get_string(value), wanted));
}

static void print_nic(struct json_object *nic, bool all)
{
	json_object_object_foreach(nic, key, value) {
		if (json_object_is_type(value, json_type_object))
			print_nic(value, all);
		else if (all || strcmp(json_object_get_string(value), "0"))
			printf("%-18s %s\n", key, json_object_get_string(value));
	}
}

static int one_nic(const struct options *opt, struct json_object *nics)
{
	for (size_t i = 0; i < json_object_array_length(nics); i++) {
		struct json_object *nic = json_object_array_get_idx(nics, i);

		if (!is_nic(nic, opt->words[1]))
			continue;
		if (opt->json)
			json_print(stdout, nic);
		else
			print_nic(nic, opt->all);
		return EXIT_SUCCESS;
	}
	return report_error("nics %s: the simulator has no such NIC", opt->words[1]);
}

static void all_nics(struct json_object *nics)
{
	static const struct column columns[] = {
		{ "number", NULL }, { "name", NULL }, { "mac", NULL }, { "state", NULL },
		{ "epoch", NULL }, { "rx_frames", NULL }, { "tx_frames", NULL },
		{ "retransmits", NULL }, { "messages", NULL }, { "messages_failed", "failed" },
		{ "dma_errors", NULL }, { NULL, NULL },
	};

	for (size_t i = 0; i < json_object_array_length(nics); i++)
		flatten(json_object_array_get_idx(nics, i));
	table_print(stdout, nics, columns);
}

int cmd_nics(const struct options *opt)
{
	struct json_object *answer, *nics;
	int status = EXIT_SUCCESS;

	if (opt->num_words > 2)
		return usage("nics: takes at most one NIC");
	answer = ask(opt, "nics");
	if (!answer)
		return EXIT_FAILURE;
	if (!json_object_object_get_ex(answer, "nics", &nics) ||
	    !json_object_is_type(nics, json_type_array))
		status = report_error("the simulator's answer has no NICs");
	else if (opt->num_words == 2)
		status = one_nic(opt, nics);
	else if (opt->json)
		json_print(stdout, answer);
	else
		all_nics(nics);
	json_object_put(answer);
	return status;
}
