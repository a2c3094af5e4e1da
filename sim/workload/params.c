// SPDX-License-Identifier: BSD-2-Clause
#include "workload/params.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "workload/params_keys.h"

#define LINE_MAX_BYTES	1024

struct parser {
	struct bench_params *p;
	const char *path;
	unsigned int line;
	char *why;
	size_t size;
	unsigned int seen[PARAMS_NUM_KEYS];	/* line of each key; 0: not seen */
};

__attribute__((format(printf, 2, 3)))
static int refuse(const struct parser *ps, const char *format, ...)
{
	va_list args;
	int len = snprintf(ps->why, ps->size, "%s:%u: ", ps->path, ps->line);

	if (len < 0 || (size_t)len >= ps->size)
		return -1;
	va_start(args, format);
	vsnprintf(ps->why + len, ps->size - len, format, args);
	va_end(args);
	return -1;
}

/* Removes blanks from both ends. */
static char *trim(char *s)
{
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	end = s + strlen(s);
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return s;
}

static uint64_t *field(struct bench_params *p, const struct params_key *k)
{
	return (uint64_t *)((char *)p + k->offset);
}

static int find_key(const char *name)
{
	for (int i = 0; i < PARAMS_NUM_KEYS; i++)
		if (!strcmp(params_keys[i].name, name))
			return i;
	return -1;
}

static int take_number(struct parser *ps, const struct params_key *k, char *text)
{
	const struct params_unit *first = params_unit(k->kind, NULL), *unit;
	char *end, names[64];
	double v;

	/* strtod() alone accepts signs, blanks, hexadecimal numbers and words */
	if (!isdigit((unsigned char)*text) || tolower((unsigned char)text[1]) == 'x')
		return refuse(ps, "%s: \"%s\" is not a number", k->name, text);
	v = strtod(text, &end);
	end = trim(end);
	unit = params_unit(k->kind, end);
	if (!unit) {
		params_unit_names(k->kind, names, sizeof(names));
		return refuse(ps, "%s: the unit is \"%s\"; it must be one of: %s", k->name, end,
			      *names ? names : "none");
	}
	v *= unit->factor;
	if (!(v >= k->min * first->factor && v <= k->max * first->factor))
		return refuse(ps, "%s: not from %.10g to %.10g %s", k->name, k->min, k->max,
			      first->name);
	*field(ps->p, k) = llround(v);
	if (k->kind == PARAMS_TIME && *field(ps->p, k) % VT_NS)
		return refuse(ps, "%s: not a whole number of nanoseconds", k->name);
	if (unit->factor == 1 && (double)*field(ps->p, k) != v)
		return refuse(ps, "%s: not a whole number", k->name);
	if (k->power_of_two && (*field(ps->p, k) & (*field(ps->p, k) - 1)))
		return refuse(ps, "%s: not a power of two", k->name);
	return 0;
}

static int take_value(struct parser *ps, const struct params_key *k, char *text)
{
	int word;

	if (k->kind != PARAMS_SWITCHING)
		return take_number(ps, k, text);
	word = params_switching(text);
	if (word < 0)
		return refuse(ps, "%s: \"%s\" is neither cut-through nor store-and-forward",
			      k->name, text);
	*field(ps->p, k) = word;
	return 0;
}

static int take_line(struct parser *ps, char *line)
{
	char *equals, *source, *name;
	int i;

	line = trim(line);
	if (!*line || *line == '#')
		return 0;
	equals = strchr(line, '=');
	if (!equals)
		return refuse(ps, "not of the form \"key = value unit -- source\"");
	*equals = '\0';
	name = trim(line);
	i = find_key(name);
	if (i < 0)
		return refuse(ps, "%s: unknown key", name);
	if (ps->seen[i])
		return refuse(ps, "%s: given before, in line %u", name, ps->seen[i]);
	ps->seen[i] = ps->line;
	source = strstr(equals + 1, "--");
	if (!source || !*trim(source + 2))
		return refuse(ps, "%s: no source (\"-- where the number is from\")", name);
	*source = '\0';
	return take_value(ps, &params_keys[i], trim(equals + 1));
}

static int check_whole(struct parser *ps)
{
	for (int i = 0; i < PARAMS_NUM_KEYS; i++) {
		const struct params_key *k = &params_keys[i];

		if (!ps->seen[i] && !k->optional)
			return refuse(ps, "%s: missing", k->name);
		if (!ps->seen[i])
			*field(ps->p, k) = k->otherwise;
	}
	if (ps->p->switch_ecn > ps->p->switch_buffer) {
		ps->line = ps->seen[find_key("switch.ecn")];
		return refuse(ps, "switch.ecn: more than switch.buffer");
	}
	return 0;
}

static void set_name(struct bench_params *p, const char *path)
{
	const char *base = strrchr(path, '/'), *dot;
	size_t len;

	base = base ? base + 1 : path;
	dot = strrchr(base, '.');
	len = dot && dot > base ? (size_t)(dot - base) : strlen(base);
	snprintf(p->name, sizeof(p->name), "%.*s", (int)len, base);
}

int bench_params_parse(struct bench_params *p, FILE *from, const char *path, char *why,
		       size_t size)
{
	struct parser ps = { .p = p, .path = path, .why = why, .size = size };
	char line[LINE_MAX_BYTES];

	*p = (struct bench_params){ 0 };
	set_name(p, path);
	while (fgets(line, sizeof(line), from)) {
		ps.line++;
		if (!strchr(line, '\n') && strlen(line) == sizeof(line) - 1)
			return refuse(&ps, "longer than %d bytes", LINE_MAX_BYTES - 2);
		/* This also ends the reading of a device with endless NUL bytes. */
		if (!strchr(line, '\n') && !feof(from))
			return refuse(&ps, "has a NUL byte");
		if (take_line(&ps, line))
			return -1;
	}
	if (ferror(from))
		return refuse(&ps, "cannot be read");
	return check_whole(&ps);
}

int bench_params_read(struct bench_params *p, const char *path, char *why, size_t size)
{
	FILE *from = fopen(path, "re");
	int err;

	if (!from) {
		snprintf(why, size, "%s: %s", path, strerror(errno));
		return -1;
	}
	err = bench_params_parse(p, from, path, why, size);
	fclose(from);
	return err;
}

/* ---- Values derived from a set ---- */

vtime_t bench_bytes_time(uint64_t bytes, uint64_t rate)
{
	return ((unsigned __int128)bytes * VT_S + rate - 1) / rate;
}

static vtime_t cable(const struct bench_params *p, uint64_t mm)
{
	return (mm * p->propagation + 500) / 1000;
}

vtime_t bench_link_propagation(const struct bench_params *p)
{
	return cable(p, p->link_cable);
}

vtime_t bench_trunk_propagation(const struct bench_params *p)
{
	return cable(p, p->trunk_cable);
}

struct nic_timing bench_nic_timing(const struct bench_params *p)
{
	return (struct nic_timing){
		.doorbell_ns = p->doorbell / VT_NS,
		.pcie_read_ns = p->pcie_read / VT_NS,
		.pcie_write_ns = p->pcie_write / VT_NS,
		.pcie_mbps = p->pcie_rate * 8 / 1000000,
		.engine = {
			.clock_mhz = p->nic_clock,
			.request = p->nic_request,
			.parse = p->nic_parse,
			.alu = p->nic_alu,
			.chain = p->nic_chain,
			.encap = p->nic_encap,
			.status = p->nic_status,
			.access = p->nic_access,
			.event = p->nic_event,
		},
	};
}
