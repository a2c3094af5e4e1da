// SPDX-License-Identifier: BSD-2-Clause
#include <json.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command.h"
#include "core/log.h"

unsigned int bench_default(const struct bench_line *line)
{
	const struct bench_baseline *open = &line->baseline[BENCH_OPENMPI];
	const struct bench_baseline *mpich = &line->baseline[BENCH_MPICH];

	return *open->name && (!*mpich->name || open->res.time < mpich->res.time) ?
	       BENCH_OPENMPI : BENCH_MPICH;
}

static double ns(vtime_t t)
{
	return (double)t / VT_NS;
}

/* ---- JSON ---- */

static void add(struct json_object *o, const char *key, struct json_object *value)
{
	if (json_object_object_add(o, key, value))
		abort();
}

static void add_number(struct json_object *o, const char *key, uint64_t v)
{
	add(o, key, json_object_new_int64(v));
}

static void add_text(struct json_object *o, const char *key, const char *v)
{
	add(o, key, json_object_new_string(v));
}

/* Adds a number with its significant digits. */
static void add_real(struct json_object *o, const char *key, double v, const char *format)
{
	char text[64];

	snprintf(text, sizeof(text), format, v);
	add(o, key, json_object_new_double_s(v, text));
}

static void add_ns(struct json_object *o, const char *key, vtime_t t)
{
	add_real(o, key, ns(t), "%.3f");
}

static void add_case(struct json_object *o, const struct bench_line *line)
{
	const struct bench_workload *c = &line->c;

	add_number(o, "nodes", c->nodes);
	add_number(o, "size", c->bytes);
	add_text(o, "type", bench_type_name(c->type));
	add_text(o, "op", bench_opcode_name(c->opcode));
	add_text(o, "engine", "model");
	add_text(o, "topology", topo_kind_name(c->topology));
	add_number(o, "ranks", c->ranks);
	add_number(o, "total_ranks", bench_total_ranks(c));
	add_text(o, "params", c->params->name);
	add_number(o, "seed", c->seed);
	add_number(o, "iterations", c->iterations);
	add_ns(o, "skew_ns", c->skew);
	add_real(o, "noise_rate", c->noise_rate, "%.9g");
	add_ns(o, "noise_ns", c->noise_time);
	if (c->overlap)
		add_ns(o, "compute_ns", c->compute);
}

static const char *how_posted(const struct offload_result *r)
{
	if (r->pushed)
		return r->inlined ? "push+inline" : "push";
	return r->inlined ? "inline" : "memory";
}

static void add_plan(struct json_object *o, const struct offload_result *r)
{
	struct json_object *radices = json_object_new_array();

	add_text(o, "mode", bench_mode_name(r->mode, r->flags));
	if (r->shared)
		add(o, "shared", json_object_new_boolean(true));
	for (uint32_t i = 0; i < r->num_rounds; i++)
		json_object_array_add(radices, json_object_new_int(r->radix[i]));
	add(o, "radices", radices);
	if (r->mode == TALLY_MODE_TREE)
		add_number(o, "degree", r->degree);
	add_number(o, "segments", r->num_segs);
	add_number(o, "plan_estimate_ns", r->estimate_ns);
	add_text(o, "plan_reason", r->reason);
	add_text(o, "posted", how_posted(r));
}

static void add_offload(struct json_object *o, const struct offload_result *r)
{
	add_ns(o, "offload_ns", r->run.time);
	add_ns(o, "floor_ns", r->floor);
	add_real(o, "floor_ratio", (double)r->run.time / r->floor, "%.4f");
	add_number(o, "wire_bytes", r->run.wire_bytes);
	add(o, "checked", json_object_new_boolean(r->checked));
	add_number(o, "retransmits", r->retransmits);
}

static void add_unpushed(struct json_object *o, const struct offload_result *r)
{
	if (!r->run.time)
		return;
	add_ns(o, "unpushed_ns", r->run.time);
	add_text(o, "unpushed_posted", how_posted(r));
}

static void add_one_baseline(struct json_object *o, const char *who, const struct bench_baseline *s)
{
	char key[64];

	if (!*s->name)
		return;
	snprintf(key, sizeof(key), "host%s_ns", who);
	add_ns(o, key, s->res.time);
	snprintf(key, sizeof(key), "host%s_algorithm", who);
	add_text(o, key, s->name);
	snprintf(key, sizeof(key), "host%s_wire_bytes", who);
	add_number(o, key, s->res.wire_bytes);
	snprintf(key, sizeof(key), "host%s_rank_max_ns", who);
	add_ns(o, key, s->res.rank_max);
}

static void add_soft(struct json_object *o, const struct bench_line *line)
{
	add_one_baseline(o, "_default", &line->baseline[bench_default(line)]);
	add_one_baseline(o, "_best", &line->baseline[BENCH_BEST]);
	add_one_baseline(o, "_mpich", &line->baseline[BENCH_MPICH]);
	add_one_baseline(o, "_openmpi", &line->baseline[BENCH_OPENMPI]);
	add_one_baseline(o, "", &line->baseline[BENCH_NAMED]);
}

static void add_one_overlap(struct json_object *o, const char *who, vtime_t blocking, vtime_t total)
{
	char key[64];

	snprintf(key, sizeof(key), "%s_total_ns", who);
	add_ns(o, key, total);
	snprintf(key, sizeof(key), "%s_overlap", who);
	add_real(o, key, bench_hidden(blocking, total), "%.4f");
}

static void add_overlap(struct json_object *o, const struct bench_line *line)
{
	static const char *const who[BENCH_BASELINES] = { "host_mpich", "host_openmpi", "host_best",
							  "host" };
	unsigned int def = bench_default(line);

	if (!line->opt->overlap_all)
		return;
	add_one_overlap(o, "offload", line->offload.run.time, line->offload_overlapped.run.time);
	if (*line->baseline[def].name)
		add_one_overlap(o, "host_default", line->baseline[def].res.time,
				line->baseline_overlapped[def].res.time);
	for (unsigned int k = 0; k < BENCH_BASELINES; k++)
		if (*line->baseline[k].name)
			add_one_overlap(o, who[k], line->baseline[k].res.time,
					line->baseline_overlapped[k].res.time);
}

static bool print_json(const struct bench_line *line)
{
	struct json_object *o = json_object_new_object();

	add_case(o, line);
	add_plan(o, &line->offload);
	add_offload(o, &line->offload);
	add_unpushed(o, &line->unpushed);
	add_soft(o, line);
	add_overlap(o, line);
	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_SPACED));
	json_object_put(o);
	return !fflush(stdout);
}

/* ---- Text ---- */

void bench_print_title(const struct bench_options *opt)
{
	printf("%s, %s, %u rank%s a node, %s, %s; times in ns\n", bench_opcode_name(opt->c.opcode),
	       bench_type_name(opt->c.type), opt->c.ranks, opt->c.ranks == 1 ? "" : "s",
	       topo_kind_name(opt->c.topology), opt->params.name);
	printf("%6s %10s %9s %12s %12s %12s %12s %12s", "nodes", "bytes", "mode", "offload",
	       "no push", "default", "best", "floor");
	if (opt->overlap_all)
		printf(" %8s %8s", "overlap", "software");
	printf("  best algorithm\n");
}

static void print_time(const struct bench_baseline *s)
{
	if (*s->name)
		printf(" %12.1f", ns(s->res.time));
	else
		printf(" %12s", "-");
}

/* Prints the share of the operation that computing hides, for NICs and for the best software. */
static void print_overlap(const struct bench_line *line, unsigned int best)
{
	const struct bench_baseline *blocking = &line->baseline[best];
	const struct bench_baseline *overlapped = &line->baseline_overlapped[best];

	printf(" %7.1f%%", 100 * bench_hidden(line->offload.run.time, line->offload_overlapped.run.time));
	if (*blocking->name)
		printf(" %7.1f%%", 100 * bench_hidden(blocking->res.time, overlapped->res.time));
	else
		printf(" %8s", "-");
}

static bool print_text(const struct bench_line *line)
{
	const struct offload_result *r = &line->offload;
	unsigned int best = *line->baseline[BENCH_NAMED].name ? BENCH_NAMED : BENCH_BEST;

	printf("%6u %10ju %9s %12.1f", line->c.nodes, (uintmax_t)line->c.bytes,
	       bench_mode_name(r->mode, r->flags), ns(r->run.time));
	if (line->unpushed.run.time)
		printf(" %12.1f", ns(line->unpushed.run.time));
	else
		printf(" %12s", "-");
	print_time(&line->baseline[bench_default(line)]);
	print_time(&line->baseline[best]);
	printf(" %12.1f", ns(r->floor));
	if (line->opt->overlap_all)
		print_overlap(line, best);
	printf("  %s\n", line->baseline[best].name);
	return !fflush(stdout);
}

bool bench_print(const struct bench_line *line)
{
	bool good = line->opt->json ? print_json(line) : print_text(line);

	if (!good)
		sim_warn("bench: stdout cannot be written to");
	return good;
}
