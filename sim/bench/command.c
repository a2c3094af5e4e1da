// SPDX-License-Identifier: BSD-2-Clause
/* `tallysim bench`: collectives on NICs and in software, in virtual time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/command.h"
#include "cli/commands.h"
#include "core/log.h"

/* ---- NICs or software ---- */

static bool run_offload(const struct bench_options *opt, const struct bench_workload *c,
			struct sim_trace *trace, struct offload_result *res)
{
	if (!offload_run(c, &opt->choice, trace, res))
		return true;
	sim_warn("bench: %s of %ju bytes over %u nodes: %s", bench_opcode_name(c->opcode),
		 (uintmax_t)c->bytes, c->nodes, res->run.trouble);
	return false;
}

static bool baseline_failed(const struct bench_workload *c, const char *name,
			    const struct bench_result *res)
{
	sim_warn("bench: %s of %ju bytes over %u nodes, %s: %s", bench_opcode_name(c->opcode),
		 (uintmax_t)c->bytes, c->nodes, name, res->trouble);
	return false;
}

static bool run_named(const struct bench_workload *c, const char *name, struct bench_baseline *to)
{
	snprintf(to->name, sizeof(to->name), "%s", name);
	return !baseline_run(c, name, NULL, &to->res) || baseline_failed(c, name, &to->res);
}

static bool run_default(const struct bench_workload *c, const char *library,
			struct bench_baseline *to)
{
	const char *name = baseline_default(c, library);

	return !name || run_named(c, name, to);
}

static bool run_soft(const struct bench_options *opt, const struct bench_workload *c,
		     struct bench_line *line)
{
	struct bench_baseline *best = &line->baseline[BENCH_BEST];

	if (opt->no_host)
		return true;
	if (opt->algorithm)
		return run_named(c, opt->algorithm, &line->baseline[BENCH_NAMED]);
	if (!*baseline_algorithms(c))
		return true;
	return run_default(c, "mpich", &line->baseline[BENCH_MPICH]) &&
	       run_default(c, "openmpi", &line->baseline[BENCH_OPENMPI]) &&
	       (!baseline_best(c, &best->res, best->name) ||
		baseline_failed(c, "best", &best->res));
}

/* ---- A line of the output ---- */

/* Runs the offload without push buffers, for sizes at which the difference is visible. */
static bool run_unpushed(const struct bench_options *opt, struct bench_line *line)
{
	struct bench_options without = *opt;

	if (!line->offload.pushed || line->c.bytes > line->c.params->mtu)
		return true;
	without.choice.no_push = true;
	return run_offload(&without, &line->c, NULL, &line->unpushed);
}

/* Runs the non-blocking case; NICs and software compute for as long as their blocking operation. */
static bool run_overlapped(const struct bench_options *opt, struct bench_line *line)
{
	struct bench_workload c = line->c;

	c.overlap = true;
	c.compute = line->offload.run.time;
	if (!run_offload(opt, &c, NULL, &line->offload_overlapped))
		return false;
	for (unsigned int k = 0; k < BENCH_BASELINES; k++) {
		struct bench_baseline *to = &line->baseline_overlapped[k];

		if (!*line->baseline[k].name)
			continue;
		c.compute = line->baseline[k].res.time;
		if (!run_named(&c, line->baseline[k].name, to))
			return false;
	}
	return true;
}

static bool run_line(const struct bench_options *opt, uint32_t nodes, uint64_t bytes,
		     struct sim_trace *trace)
{
	struct bench_line line = { .opt = opt, .c = opt->c };

	line.c.nodes = nodes;
	line.c.bytes = bytes;
	if (!run_offload(opt, &line.c, trace, &line.offload) || !run_unpushed(opt, &line) ||
	    !run_soft(opt, &line.c, &line))
		return false;
	if (opt->overlap_all && !run_overlapped(opt, &line))
		return false;
	sim_progress_end();
	return bench_print(&line);
}

static bool run_all(const struct bench_options *opt, struct sim_trace *trace)
{
	if (!opt->json)
		bench_print_title(opt);
	for (size_t n = 0; n < opt->nodes.n; n++) {
		for (size_t s = 0; s < opt->sizes.n; s++) {
			sim_progress("bench: %ju bytes over %ju nodes, line %zu of %zu",
				     (uintmax_t)opt->sizes.value[s], (uintmax_t)opt->nodes.value[n],
				     n * opt->sizes.n + s + 1, opt->nodes.n * opt->sizes.n);
			if (!run_line(opt, opt->nodes.value[n], opt->sizes.value[s], trace))
				return false;
		}
	}
	return true;
}

/* Removes the trace of a failed run, which would be misleading. */
static void remove_trace(const char *path)
{
	struct stat st;

	if (!stat(path, &st) && S_ISREG(st.st_mode))
		unlink(path);
}

static bool run_traced(const struct bench_options *opt)
{
	struct sim_trace *trace = opt->trace ? sim_trace_open(opt->trace) : NULL;
	bool good;
	int err;

	if (opt->trace && !trace) {
		sim_warn("--trace %s: %s", opt->trace, strerror(errno));
		return false;
	}
	good = run_all(opt, trace);
	sim_progress_end();
	err = sim_trace_close(trace);
	if (err)
		sim_warn("--trace %s: %s", opt->trace, strerror(-err));
	if (trace && !good)
		remove_trace(opt->trace);
	return good && !err;
}

/* Also opens and closes the file of the commits. */
static bool run_committing(struct bench_options *opt)
{
	bool good;

	if (!opt->commits)
		return run_traced(opt);
	opt->choice.commits = fopen(opt->commits, "w");
	if (!opt->choice.commits) {
		sim_warn("--commits %s: %s", opt->commits, strerror(errno));
		return false;
	}
	good = run_traced(opt);
	if (ferror(opt->choice.commits) | fclose(opt->choice.commits)) {
		sim_warn("--commits %s: cannot be written", opt->commits);
		return false;
	}
	return good;
}

int bench_main(int argc, char **argv)
{
	struct bench_options opt;
	int status;

	if (option_go_on(bench_options_parse(&opt, argc, argv), "bench", bench_usage, &status))
		status = run_committing(&opt) ? EXIT_SUCCESS : EXIT_FAILURE;
	option_list_free(&opt.nodes);
	option_list_free(&opt.sizes);
	return status;
}
