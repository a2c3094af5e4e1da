// SPDX-License-Identifier: BSD-2-Clause
/* libtallycoll's own code on scripted hosts, in virtual time. PARAMS names the folder of parameters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "coll/measure.h"
#include "coll/operation.h"
#include "hosts/host_set.h"
#include "offload/offload.h"

static struct bench_params params;

static int setup(void **state)
{
	char path[512], why[256];

	(void)state;
	snprintf(path, sizeof(path), "%s/ethernet100g.params", getenv("PARAMS"));
	if (!bench_params_read(&params, path, why, sizeof(why)))
		return 0;
	fprintf(stderr, "%s\n", why);
	return -1;
}

static struct sim_coll_cfg config(uint32_t nodes, uint32_t ranks)
{
	return (struct sim_coll_cfg){
		.c = { .params = &params, .topology = TOPO_SWITCH, .nodes = nodes, .ranks = ranks,
		       .seed = 1 },
		.memory = 8 << 20,
	};
}

static struct sim_coll *make(const struct sim_coll_cfg *cfg)
{
	char why[200];
	struct sim_coll *s = sim_coll_new(cfg, why, sizeof(why));

	if (!s)
		fail_msg("%s", why);
	return s;
}

static void run(struct sim_coll *s, void (*body)(struct coll_rank *r, void *arg), void *arg)
{
	if (sim_coll_run(s, body, arg))
		fail_msg("%s", sim_coll_trouble(s));
}

/* ---- CPUs and flags ---- */
static vtime_t ended[8];

static void work_twice(struct coll_rank *r, void *arg)
{
	vtime_t begun = coll_now(r);

	(void)arg;
	coll_compute(r, 3 * VT_US);
	coll_sleep_until(r, begun + 4 * VT_US);
	coll_compute(r, (1 + coll_number(r)) * VT_US);
	ended[coll_number(r)] = coll_now(r) - begun;
}

static void ranks_have_cpus_of_their_own(void **state)
{
	struct sim_coll_cfg cfg = config(2, 2);
	struct sim_coll *s = make(&cfg);

	(void)state;
	run(s, work_twice, NULL);
	for (unsigned int k = 0; k < 4; k++)
		assert_int_equal(ended[k], (5 + k) * VT_US);
	sim_coll_free(s);
}

struct flags {
	struct tc_host *host[3];
	struct tc_flag *flag;	/* two */
	uint32_t before[3];
	vtime_t time[3];
};

static struct tc_host *open_host(struct coll_rank *r)
{
	struct tc_host *host;
	char why[64];

	coll_platform.host_open(r, false, &host, why, sizeof(why));
	return host;
}

/* Rank 0 sets both flags; the others wait for the second one, and find the first one set. */
static void pass_flags(struct coll_rank *r, void *arg)
{
	struct tallycoll_oob oob = coll_oob(r, NULL, 0);
	struct tc_host *host = open_host(r);
	struct flags *f = arg;
	const uint32_t k = coll_number(r);
	uint8_t mine = 0, all[3];

	if (!k)
		f->flag = host->ops->share(host, "/flags", 2 * sizeof(*f->flag), true);
	oob.allgather(oob.arg, &mine, all, 1);
	if (k)
		host->ops->share(host, "/flags", 2 * sizeof(*f->flag), false);
	f->time[k] = coll_now(r);
	if (!k) {
		coll_compute(r, 5 * VT_US);
		host->ops->set(host, &f->flag[0], 3);
		host->ops->set(host, &f->flag[0], 7);
		coll_compute(r, 10 * VT_NS);
		host->ops->set(host, &f->flag[1], 1);
		if (tc_flag_get(&f->flag[0]) != 7 || tc_flag_get(&f->flag[1]) != 1)
			coll_fail(r, "it does not see its own stores");
	}
	/* Stores of rank 0 that the others do not see yet. */
	if (k) {
		coll_sleep_until(r, f->time[k] + 5 * VT_US + 5 * VT_NS);
		if (tc_flag_get(&f->flag[0]))
			coll_fail(r, "it sees a store too early");
	}
	while (!tc_flag_get(&f->flag[1]))
		host->ops->wait(host, 0);
	f->before[k] = tc_flag_get(&f->flag[0]);
	f->time[k] = coll_now(r) - f->time[k];
	oob.allgather(oob.arg, &mine, all, 1);
	host->ops->unshare(host, f->flag, 2 * sizeof(*f->flag));
}

static void flags_are_seen_later_and_in_order(void **state)
{
	struct sim_coll_cfg cfg = config(1, 3);
	struct sim_coll *s = make(&cfg);
	struct flags f;

	(void)state;
	run(s, pass_flags, &f);
	assert_int_equal(f.time[0], 5 * VT_US + 10 * VT_NS);
	for (unsigned int k = 1; k < 3; k++) {
		assert_int_equal(f.time[k], 5 * VT_US + 10 * VT_NS + params.share);
		assert_int_equal(f.before[k], 7);
	}
	sim_coll_free(s);
}

/* All add at the same moment: each takes the line from the one before. */
static void add_at_once(struct coll_rank *r, void *arg)
{
	struct tallycoll_oob oob = coll_oob(r, NULL, 0);
	struct tc_host *host = open_host(r);
	struct flags *f = arg;
	const uint32_t k = coll_number(r);
	uint8_t mine = 0, all[3];
	vtime_t begun;

	if (!k)
		f->flag = host->ops->share(host, "/flags", sizeof(*f->flag), true);
	oob.allgather(oob.arg, &mine, all, 1);
	if (k)
		host->ops->share(host, "/flags", sizeof(*f->flag), false);
	begun = coll_now(r);
	f->before[k] = host->ops->add(host, f->flag, 10 + k);
	f->time[k] = coll_now(r) - begun;
	while (tc_flag_get(f->flag) != 33)
		host->ops->wait(host, 0);
	oob.allgather(oob.arg, &mine, all, 1);
	host->ops->unshare(host, f->flag, sizeof(*f->flag));
}

static void sums_of_a_flag_lose_nothing(void **state)
{
	struct sim_coll_cfg cfg = config(1, 3);
	struct sim_coll *s = make(&cfg);
	struct flags f;
	bool turn[3] = { false };

	(void)state;
	run(s, add_at_once, &f);
	for (unsigned int k = 0; k < 3; k++) {
		unsigned int at = f.time[k] / params.share;

		assert_int_equal(f.time[k] % params.share, 0);
		assert_in_range(at, 1, 3);
		assert_false(turn[at - 1]);
		turn[at - 1] = true;
		for (unsigned int i = 0; i < 3; i++)
			if (i != k && f.time[i] < f.time[k])
				f.before[k] -= 10 + i;
		assert_int_equal(f.before[k], 0);
	}
	sim_coll_free(s);
}

/* The second time, the others do not see the first addition yet. */
static void add_twice(struct coll_rank *r, void *arg)
{
	struct tc_host *host = open_host(r);
	struct flags *f = arg;

	f->flag = host->ops->share(host, "/flags", sizeof(*f->flag), true);
	f->before[0] = host->ops->add(host, f->flag, 3);
	f->before[1] = host->ops->add(host, f->flag, 4);
	f->before[2] = tc_flag_get(f->flag);
	host->ops->unshare(host, f->flag, sizeof(*f->flag));
}

static void own_additions_count_once(void **state)
{
	struct sim_coll_cfg cfg = config(1, 1);
	struct sim_coll *s = make(&cfg);
	struct flags f;

	(void)state;
	run(s, add_twice, &f);
	assert_int_equal(f.before[0], 0);
	assert_int_equal(f.before[1], 3);
	assert_int_equal(f.before[2], 7);
	sim_coll_free(s);
}

/* ---- The library ---- */
struct job {
	uint32_t nodes, ranks;
	struct coll_expected expected;
	uint32_t offloaded, done;
	vtime_t end;
};

static struct tallycoll_context *open_context(struct coll_rank *r)
{
	const struct tallycoll_context_params p = { .oob = coll_oob(r, NULL, 0) };
	struct tallycoll_context *context;
	char why[200];

	if (!tc_context_create(&p, &coll_platform, r, &context, why, sizeof(why)))
		return context;
	coll_fail(r, "%s", why);
	return NULL;
}

static void perform(struct coll_rank *r, struct tallycoll_team *team, struct job *job,
		    struct coll_operation *o)
{
	enum tallycoll_reason reason;
	enum tallycoll_status status;

	if (!coll_operation_new(o))
		return;
	coll_operation_fill(o);
	status = coll_operation_init(o, team, &reason);
	job->done++;
	if (status == TALLYCOLL_OK) {
		status = tallycoll_collective_post(o->request);
		if (!status)
			status = tallycoll_collective_wait(o->request);
		if (status)
			coll_fail(r, "opcode %u: %s", o->m.opcode,
				  tallycoll_request_error(o->request));
		else
			coll_operation_check(o, &job->expected);
		tallycoll_collective_finalize(o->request);
		job->offloaded++;
	} else {
		coll_fail(r, "opcode %u is not offloaded: status %d, reason %d", o->m.opcode, status,
			  reason);
	}
	coll_operation_free(o);
}

static const uint32_t counts[] = { 1, 7, 600, 20000 };

static void perform_all(struct coll_rank *r, struct tallycoll_team *team, struct job *job)
{
	const uint32_t all = job->nodes * job->ranks;
	uint64_t seed = 0;

	for (unsigned int opcode = TALLY_OPCODE_ALLREDUCE; opcode <= TALLY_OPCODE_SCATTER; opcode++)
		for (unsigned int i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			struct coll_operation o = {
				.r = r,
				.rank = coll_number(r),
				.in_place = i % 2,
				.m = { .opcode = opcode, .count = counts[i], .total_ranks = all,
				       .root = (opcode + i) % all, .type = TALLY_TYPE_FP64,
				       .seed = ++seed },
			};

			if (message_reduces(&o.m))
				o.m.op = TALLY_OP_SUM;
			if (opcode == TALLY_OPCODE_BARRIER)
				o.m.count = 0;
			perform(r, team, job, &o);
		}
}

static void all_operations(struct coll_rank *r, void *arg)
{
	struct tallycoll_team_params p = { .oob = coll_oob(r, NULL, 0) };
	struct tallycoll_context *context = open_context(r);
	struct tallycoll_team *team;
	struct job *job = arg;

	if (!context)
		return;
	if (tallycoll_team_create(context, &p, &team) || tallycoll_team_reason(team)) {
		coll_fail(r, "no team");
	} else {
		perform_all(r, team, job);
		tallycoll_team_destroy(team);
	}
	if (coll_now(r) > job->end)
		job->end = coll_now(r);
	tallycoll_context_destroy(context);
}

static struct job run_all(const struct sim_coll_cfg *cfg, uint64_t *retransmits)
{
	struct job job = { .nodes = cfg->c.nodes, .ranks = cfg->c.ranks };
	struct sim_coll *s = make(cfg);

	run(s, all_operations, &job);
	*retransmits = host_set_counter(sim_coll_hosts(s), TALLY_CTR_retransmits);
	coll_expected_free(&job.expected);
	sim_coll_free(s);
	assert_int_equal(job.done, 12 * 8 * 4);
	assert_int_equal(job.offloaded, job.done);
	return job;
}

static void operations_give_right_results(void **state)
{
	struct sim_coll_cfg cfg = config(4, 3);
	uint64_t retransmits;

	(void)state;
	run_all(&cfg, &retransmits);
	assert_int_equal(retransmits, 0);
}

static void same_seed_same_result_with_losses(void **state)
{
	struct sim_coll_cfg cfg = config(4, 3);
	uint64_t retransmits, again;
	struct job first, second;

	(void)state;
	cfg.faults = (struct fab_faults){ .drop = 0.01, .duplicate = 0.01, .delay = 0.02,
					  .delay_max = 20 * VT_US };
	first = run_all(&cfg, &retransmits);
	assert_true(retransmits > 0);
	second = run_all(&cfg, &again);
	assert_int_equal(first.end, second.end);
	assert_int_equal(retransmits, again);
	cfg.c.seed = 2;
	second = run_all(&cfg, &again);
	assert_int_not_equal(first.end, second.end);
}

/*
 * The library's direct way does what the bench's program does, but waits for the flag word, which
 * precedes the completion by the NIC's time to form it.
 */
static void direct_way_takes_the_time_of_the_bench(void **state)
{
	struct sim_coll_cfg cfg = { .c = { .params = &params, .topology = TOPO_SWITCH, .nodes = 4,
					   .ranks = 1, .opcode = TALLY_OPCODE_ALLREDUCE,
					   .op = TALLY_OP_SUM, .type = TALLY_TYPE_FP64, .bytes = 8,
					   .seed = 1, .warmup = 1, .iterations = 3 } };
	const struct offload_choice choice = { .shared = true };
	vtime_t status = params.nic_status * VT_US / params.nic_clock;
	struct offload_result bench;
	struct coll_measured here;

	(void)state;
	assert_int_equal(coll_measure(&cfg, &here), 0);
	assert_true(here.checked);
	assert_int_equal(offload_run(&cfg.c, &choice, NULL, &bench), 0);
	assert_in_range(here.mean, bench.run.time - status - 20 * VT_NS, bench.run.time);
	/* A queue of one request, whose completions nobody awaits, goes on. */
	cfg.queue_depth = 1;
	cfg.limit = 10 * VT_MS;
	assert_int_equal(coll_measure(&cfg, &here), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_have_cpus_of_their_own),
		cmocka_unit_test(flags_are_seen_later_and_in_order),
		cmocka_unit_test(sums_of_a_flag_lose_nothing),
		cmocka_unit_test(own_additions_count_once),
		cmocka_unit_test(operations_give_right_results),
		cmocka_unit_test(direct_way_takes_the_time_of_the_bench),
		cmocka_unit_test(same_seed_same_result_with_losses),
	};

	/* The model leaves some of these operations to the host. */
	setenv("TALLY_COLL_TUNE", "all=nic", 1);
	return cmocka_run_group_tests(tests, setup, NULL);
}
