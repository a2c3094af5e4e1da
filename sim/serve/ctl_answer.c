// SPDX-License-Identifier: BSD-2-Clause
/* Requests of tallyctl and their answers. */
#include <endian.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/ctl.h"
#include "serve/faults.h"

static struct json_object *__attribute__((format(printf, 1, 2))) error(const char *format, ...)
{
	struct json_object *answer = json_object_new_object();
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	json_object_object_add(answer, "error", json_object_new_string(text));
	return answer;
}

static void add_text(struct json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, json_object_new_string(text));
}

static void add_number(struct json_object *to, const char *key, uint64_t n)
{
	json_object_object_add(to, key, json_object_new_uint64(n));
}

static void add_bool(struct json_object *to, const char *key, bool yes)
{
	json_object_object_add(to, key, json_object_new_boolean(yes));
}

/* Makes an answer with the device clock, and an empty list called @what. */
static struct json_object *answer_list(const struct cluster *cl, const char *what,
				       struct json_object **list)
{
	struct json_object *answer = json_object_new_object();

	*list = json_object_new_array();
	add_number(answer, "time_ns", sim_now(cl->sim) / VT_NS);
	json_object_object_add(answer, what, *list);
	return answer;
}

/* ---- Faults ---- */

static struct json_object *fault_add(struct cluster *cl, char *words)
{
	char err[512];
	struct json_object *answer;
	int id;

	if (!words || !*words)
		return error("fault add: the specification is missing");
	id = faults_add(cl, words, err, sizeof(err));
	if (id < 0)
		return error("fault %s: %s", words, err);
	answer = json_object_new_object();
	add_number(answer, "id", id);
	return answer;
}

static struct json_object *fault_list(struct cluster *cl)
{
	static const char *const states[] = {
		[FAB_RULE_WAITING] = "waiting",
		[FAB_RULE_ACTIVE] = "active",
		[FAB_RULE_SPENT] = "spent",
	};
	struct json_object *list, *answer = answer_list(cl, "faults", &list);
	struct fab_rule_info info;

	for (unsigned int i = 0; fab_rules_get(cl->rules, i, &info); i++) {
		struct json_object *f = json_object_new_object();

		add_number(f, "id", info.id);
		add_text(f, "fault", info.text);
		add_text(f, "state", states[info.state]);
		add_number(f, "seen", info.past.seen);
		add_number(f, "hits", info.past.hits);
		json_object_array_add(list, f);
	}
	return answer;
}

static unsigned int clear_all(struct cluster *cl)
{
	struct fab_rule_info info;
	unsigned int n = 0;

	for (; fab_rules_get(cl->rules, 0, &info); n++)
		faults_clear(cl, info.id);
	return n;
}

static struct json_object *fault_clear(struct cluster *cl, char *words)
{
	struct json_object *answer;
	unsigned int cleared = 1;
	unsigned long id;
	char *end;

	if (!words || !*words) {
		cleared = clear_all(cl);
	} else {
		id = strtoul(words, &end, 10);
		if (*words < '0' || *words > '9' || *end || id > UINT32_MAX)
			return error("fault clear %s: not the number of a fault", words);
		if (faults_clear(cl, id))
			return error("fault clear %s: there is no such fault", words);
	}
	answer = json_object_new_object();
	add_number(answer, "cleared", cleared);
	return answer;
}

/* ---- Links, switches and NICs ---- */

#define ADD_STAT(name, doc)	add_number(to, #name, stats->name);

static void add_port_stats(struct json_object *to, const struct fab_port_stats *stats)
{
	FAB_PORT_STAT_LIST(ADD_STAT)
}

static void add_switch_stats(struct json_object *to, const struct fab_switch_stats *stats)
{
	FAB_SWITCH_STAT_LIST(ADD_STAT)
}

/* Both ends of each link, with the frames that they send and receive. */
static struct json_object *links(struct cluster *cl)
{
	struct json_object *list, *answer = answer_list(cl, "links", &list);

	for (unsigned int i = 0; i < 2 * cl->num_stations; i++) {
		const struct fab_link *link = cl->stations[i / 2].link;
		const struct fab_port *port = fab_link_port((struct fab_link *)link, i % 2);
		struct json_object *l = json_object_new_object();

		add_text(l, "port", fab_link_name(link, i % 2));
		add_text(l, "peer", fab_link_name(link, !(i % 2)));
		add_bool(l, "up", !port->down);
		add_number(l, "queued_bytes", port->queued);
		add_port_stats(l, &port->stats);
		json_object_array_add(list, l);
	}
	return answer;
}

static struct json_object *switches(struct cluster *cl)
{
	struct json_object *list, *answer = answer_list(cl, "switches", &list);
	struct json_object *s = json_object_new_object();

	add_text(s, "name", SWITCH_NAME);
	add_bool(s, "alive", !fab_switch_is_dead(cl->sw));
	add_switch_stats(s, fab_switch_stats(cl->sw));
	json_object_array_add(list, s);
	return answer;
}

#define STATE(name, number, doc)	case number: return #name;

/* The guest may have written any value to the page. */
static const char *device_state(const struct tally_ident *ident)
{
	switch (le32toh(ident->state)) {
	TALLY_DEVICE_LIST(STATE)
	}
	return "unknown";
}

#define ADD_COUNTER(name, number, doc)	\
	add_number(counters, #name, nic_counter(st->nic, TALLY_CTR_##name));

static struct json_object *nic(const struct station *st)
{
	const struct tally_ident *ident =
		(const void *)((const uint8_t *)st->bar + TALLY_BAR_IDENT_OFFSET);
	struct json_object *n = json_object_new_object(), *counters = json_object_new_object();
	char name[STATION_NAME_MAX], mac[18];

	station_name(st, name);
	snprintf(mac, sizeof(mac), "%02x:%02x:%02x:%02x:%02x:%02x", ident->mac[0], ident->mac[1],
		 ident->mac[2], ident->mac[3], ident->mac[4], ident->mac[5]);
	add_number(n, "number", st - st->cluster->stations);
	add_text(n, "name", name);
	add_text(n, "mac", mac);
	add_text(n, "state", device_state(ident));
	add_number(n, "epoch", le32toh(ident->epoch));
	TALLY_CTR_LIST(ADD_COUNTER)
	json_object_object_add(n, "counters", counters);
	return n;
}

static struct json_object *nics(struct cluster *cl)
{
	struct json_object *list, *answer = answer_list(cl, "nics", &list);

	for (unsigned int i = 0; i < cl->num_stations; i++)
		json_object_array_add(list, nic(&cl->stations[i]));
	return answer;
}

/* A request without arguments has an answer_all(). */
static const struct request {
	const char *words;
	struct json_object *(*answer)(struct cluster *cl, char *rest);
	struct json_object *(*answer_all)(struct cluster *cl);
} requests[] = {
	{ .words = "fault add", .answer = fault_add },
	{ .words = "fault clear", .answer = fault_clear },
	{ .words = "fault list", .answer_all = fault_list },
	{ .words = "links", .answer_all = links },
	{ .words = "switches", .answer_all = switches },
	{ .words = "nics", .answer_all = nics },
};

/* @rest is the text after the words of @r, or NULL. */
static struct json_object *answer_one(const struct request *r, struct cluster *cl, char *rest)
{
	if (r->answer)
		return r->answer(cl, rest);
	if (rest && *rest)
		return error("%s: takes no more words, so not %.100s", r->words, rest);
	return r->answer_all(cl);
}

/*
 * Returns the index of the first byte that is not printable ASCII, which an answer could not
 * repeat; @len if there is none.
 */
static size_t find_unprintable(const char *request, size_t len)
{
	size_t i;

	for (i = 0; i < len && request[i] >= ' ' && request[i] <= '~'; i++)
		;
	return i;
}

static struct json_object *answer(struct cluster *cl, char *request, size_t request_len)
{
	size_t bad;

	if (!request)
		return error("the request is too long");
	bad = find_unprintable(request, request_len);
	if (bad < request_len)
		return error("byte %zu of the request is %#x, which is not printable ASCII", bad,
			     (uint8_t)request[bad]);
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		size_t len = strlen(requests[i].words);

		if (strncmp(request, requests[i].words, len))
			continue;
		if (!request[len])
			return answer_one(&requests[i], cl, NULL);
		if (request[len] == ' ')
			return answer_one(&requests[i], cl, request + len + 1);
	}
	return error("%.100s: unknown request", request);
}

char *ctl_answer(struct cluster *cl, char *request, size_t request_len)
{
	struct json_object *object = answer(cl, request, request_len);
	char *text;
	int len;

	len = asprintf(&text, "%s\n", json_object_to_json_string_ext(object,
								     JSON_C_TO_STRING_PLAIN));
	json_object_put(object);
	return len < 0 ? NULL : text;
}
