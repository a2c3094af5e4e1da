// SPDX-License-Identifier: BSD-2-Clause
#include "campaign/campaign.h"
#include "cli/commands.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/log.h"
#include "hosts/values.h"

#define SLICE		(50 * VT_US)	/* interval of checks that are impossible within an event */
#define PROGRESS_S	5		/* seconds of CPU time between progress lines */
#define TRACE_ENTRIES	20000
#define HOST_MEMORY	(256u << 20)

uint64_t campaign_below(struct campaign *c, uint64_t bound)
{
	return rng_below(&c->rng, bound);
}

bool campaign_one_in(struct campaign *c, uint64_t n)
{
	return rng_below(&c->rng, n) == 0;
}

void campaign_digest(struct campaign *c, const void *data, size_t len)
{
	const uint8_t *at = data;
	uint64_t word;

	for (; len >= sizeof(word); len -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		c->digest = values_mix(c->digest ^ word);
	}
	word = len;
	memcpy(&word, at, len);
	c->digest = values_mix(c->digest ^ word);
}

void campaign_fail(struct campaign *c, const struct job *job, const char *fmt, ...)
{
	va_list ap;

	if (c->failed)
		return;
	c->failed = true;
	c->failed_job = job;
	va_start(ap, fmt);
	vsnprintf(c->failure, sizeof(c->failure), fmt, ap);
	va_end(ap);
}

static void on_error(void *arg, struct host *h, const char *what)
{
	(void)h;
	campaign_fail(arg, NULL, "%s", what);
}

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* ---- Start ---- */

static void started(void *arg, const struct tally_admin_cqe *cqe)
{
	struct campaign *c = arg;

	c->waiting--;
	if (cqe && cqe->status)
		campaign_fail(c, NULL, "an event queue was refused: status %u",
			      le16toh(cqe->status));
}

/*
 * Each slice of a campaign begins with an event, so what runs between slices depends on events that
 * do nothing. The report of every free wire keeps the run of a seed as it has always been.
 */
void campaign_start_host(struct campaign *c, struct host *h)
{
	fab_tx_notify_always(h->cfg.port);
	c->waiting += HOST_NUM_EQ;
	host_start(h, started, c);
	trace_tap(c->trace, h);
}

void campaign_keep_counters(struct campaign *c, const struct host *h)
{
	for (unsigned int k = 0; k < NUM_COUNTERS; k++)
		c->count.replaced[k] += nic_counter(h->nic, k);
}

static int build(struct campaign *c)
{
	struct host_set_cfg cfg = HOST_SET_DEFAULTS;
	const struct fab_faults faults = {
		.drop = c->opt.drop,
		.duplicate = c->opt.dup,
		.delay = c->opt.reorder,
		.delay_max = c->opt.reorder > 0 ? 5 * VT_US : 0,
		.corrupt = c->opt.corrupt,
	};
	int err;

	cfg.hosts = c->opt.nodes;
	cfg.memory = HOST_MEMORY;
	cfg.timing = nic_timing_default;
	cfg.max_segs = c->opt.segs;
	cfg.units = c->opt.units;
	cfg.max_groups = campaign_groups_of(c->opt.segs);
	cfg.on_error = on_error;
	cfg.on_error_arg = c;
	err = host_set_build(&c->host_set, c->sim, &cfg);
	if (!err)
		err = host_set_set_faults(&c->host_set, &faults);
	if (err)
		return err;
	for (unsigned int i = 0; i < c->host_set.num_hosts; i++)
		campaign_start_host(c, c->host_set.host[i]);
	c->memory_at_start = c->host_set.host[0]->mem.used;
	for (unsigned int i = 0; i < c->host_set.num_hosts; i++)
		campaign_hold_cells(c, i);
	return 0;
}

static bool set_up(struct campaign *c)
{
	c->sim = sim_new(c->opt.seed);
	rng_seed(&c->rng, values_mix(c->opt.seed));
	c->power_host = c->opt.nodes;
	c->expect = malloc(CAMPAIGN_EXPECT_BYTES);
	c->got = malloc(CAMPAIGN_EXPECT_BYTES);
	if (c->opt.trace_failure)
		c->trace = trace_new(TRACE_ENTRIES);
	if (c->sim && c->expect && c->got && (c->trace || !c->opt.trace_failure) && !build(c))
		return campaign_find_modes(c);
	sim_warn("campaign: no memory for %u hosts", c->opt.nodes);
	return false;
}

static void tear_down(struct campaign *c)
{
	for (unsigned int j = 0; j < c->opt.jobs; j++) {
		struct job *job = &c->job[j];

		for (unsigned int i = 0; i < JOB_MAX_POSTERS; i++)
			poster_forget_qps(&job->poster[i]);
		for (unsigned int i = 0; i < CAMPAIGN_MAX_NODES; i++) {
			host_mr_forget(&job->node[i].in);
			host_mr_forget(&job->node[i].out);
		}
		job_forget_group(job);
		free(job->request);
		free(job->part);
	}
	host_set_free(&c->host_set);
	trace_free(c->trace);
	oracle_free(&c->oracle);
	free(c->expect);
	free(c->got);
	sim_free(c->sim);
}

/* ---- Run ---- */

static void run_slice(struct campaign *c)
{
	vtime_t next;

	if (!sim_next_time(c->sim, &next)) {
		campaign_nothing_left(c);
		return;
	}
	sim_run_until(c->sim, next + SLICE);
	if (c->power_host != c->host_set.num_hosts)
		campaign_cut_power(c);
	campaign_look_for_hangs(c);
}

static void run_until_answered(struct campaign *c)
{
	while (c->waiting && !c->failed)
		run_slice(c);
}

static void run(struct campaign *c)
{
	double told = cpu_seconds();

	for (unsigned int j = 0; j < c->opt.jobs; j++) {
		job_init(c, j);
		job_start(&c->job[j]);
	}
	while ((c->running || c->waiting) && !c->failed) {
		run_slice(c);
		if (cpu_seconds() - told > PROGRESS_S) {
			told = cpu_seconds();
			campaign_progress(c, told);
		}
	}
	if (!c->failed)
		campaign_check_overruns(c);
	if (!c->failed)
		campaign_release_cells(c);
	run_until_answered(c);
	if (!c->failed)
		campaign_leaks_probe(c);
	run_until_answered(c);
	campaign_digest(c, &(uint64_t){ sim_now(c->sim) }, sizeof(uint64_t));
}

static void print_failure(struct campaign *c)
{
	fprintf(stderr, "FAILED at %.3f us: %s\n", (double)sim_now(c->sim) / VT_US, c->failure);
	if (c->failed_job)
		campaign_print_state(c, c->failed_job, stderr);
	if (c->trace)
		trace_print(c->trace, c->failed_job ? c->failed_job->group.jid : 0, stderr);
	fprintf(stderr, "To repeat: ");
	campaign_print_command(&c->opt, stderr);
}

int campaign_main(int argc, char **argv)
{
	struct campaign_options opt;
	struct campaign *c;
	int status;

	if (!option_go_on(campaign_options_parse(&opt, argc, argv), "campaign", campaign_usage, &status))
		return status;
	status = EXIT_FAILURE;
	c = calloc(1, sizeof(*c));
	if (!c)
		return EXIT_FAILURE;
	c->opt = opt;
	if (set_up(c)) {
		run(c);
		campaign_report(c, cpu_seconds(), stdout);
		if (c->failed)
			print_failure(c);
		else
			status = EXIT_SUCCESS;
	}
	tear_down(c);
	free(c);
	return status;
}
