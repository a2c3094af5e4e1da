// SPDX-License-Identifier: BSD-2-Clause
/*
 * leave_test [all | short]: a rank is killed at each of its calls of the platform in turn, while it
 * makes its context, its team, operations by each way, and while it destroys them; or it destroys
 * them while the others have begun the next operation. Every other rank gets right results until an
 * operation ends with RANK_GONE, and none waits for ever.
 */
#include <stdlib.h>
#include <string.h>

#include "core/create.h"
#include "testing/operation.h"
#include "testing/soft.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define RANKS 5
#define NEVER UINT32_MAX

struct leave {
	uint32_t victim;
	uint32_t at;		/* call of the platform at which it is killed, from 1 */
	uint32_t skips;		/* operation before which it goes in good order */
	_Atomic uint32_t calls; /* of the victim */
	_Atomic bool left;
};

/* ---- A platform that kills ---- */
static struct tc_host_ops host_ops;
static struct tc_net_ops net_ops;
static const struct tc_host_ops *soft_host_ops;
static const struct tc_net_ops *soft_net_ops;

static void step(struct job_rank *r)
{
	struct leave *l = job_arg(r);

	if (r->rank != l->victim || ++l->calls != l->at)
		return;
	l->left = true;
	job_die(r);
	pthread_exit(NULL);
}

#define HOST(h) step(((struct soft_host *)(h))->rank)
#define NET(n) step(((struct soft_net *)(n))->rank)

static void copy(struct tc_host *h, void *to, const void *from, size_t bytes)
{
	HOST(h);
	soft_host_ops->copy(h, to, from, bytes);
}

static void reduce(struct tc_host *h, uint8_t op, uint8_t dtype, void *acc, const void *in,
		   uint64_t count)
{
	HOST(h);
	soft_host_ops->reduce(h, op, dtype, acc, in, count);
}

static void set(struct tc_host *h, struct tc_flag *flag, uint32_t value)
{
	HOST(h);
	soft_host_ops->set(h, flag, value);
}

static uint32_t add(struct tc_host *h, struct tc_flag *flag, uint32_t n)
{
	HOST(h);
	return soft_host_ops->add(h, flag, n);
}

static void *share(struct tc_host *h, const char *name, size_t bytes, bool create)
{
	HOST(h);
	return soft_host_ops->share(h, name, bytes, create);
}

static void share_unlink(struct tc_host *h, const char *name)
{
	HOST(h);
	soft_host_ops->share_unlink(h, name);
}

static void unmap(struct tc_host *h, void *memory, size_t bytes)
{
	HOST(h);
	soft_host_ops->unshare(h, memory, bytes);
}

static int group_open(struct tc_net *n, const struct tc_group_cfg *cfg, struct tc_group **group,
		      char *why, size_t size)
{
	NET(n);
	return soft_net_ops->group_open(n, cfg, group, why, size);
}

static void group_close(struct tc_group *g)
{
	NET(g->net);
	soft_net_ops->group_close(g);
}

static void group_abort(struct tc_group *g, enum tally_coll_status reason)
{
	NET(g->net);
	soft_net_ops->group_abort(g, reason);
}

static int queue_open(struct tc_group *g, uint64_t ranks, uint16_t port, struct tc_queue **queue,
		      char *why, size_t size)
{
	NET(g->net);
	return soft_net_ops->queue_open(g, ranks, port, queue, why, size);
}

static void queue_close(struct tc_queue *q)
{
	NET(q->group->net);
	soft_net_ops->queue_close(q);
}

static int post(struct tc_queue *q, const struct tc_work *work)
{
	NET(q->group->net);
	return soft_net_ops->post(q, work);
}

static void *memory_new(struct tc_net *n, size_t bytes, struct tc_region *region)
{
	NET(n);
	return soft_net_ops->memory_new(n, bytes, region);
}

static int region_open(struct tc_net *n, void *start, size_t bytes, struct tc_region *region)
{
	NET(n);
	return soft_net_ops->region_open(n, start, bytes, region);
}

static int host_open(void *arg, bool threads, struct tc_host **host, char *why, size_t size)
{
	struct job_rank *r = arg;

	step(r);
	soft_host_open(arg, threads, host, why, size);
	(*host)->ops = &host_ops;
	return 0;
}

static int net_open(void *arg, struct tc_host *host, const struct tc_neighbours *near,
		    struct tc_net **net, char *why, size_t size)
{
	step(arg);
	soft_net_open(arg, host, near, net, why, size);
	(*net)->ops = &net_ops;
	return 0;
}

static const struct tc_platform platform = { .host_open = host_open, .net_open = net_open };

/* Polls, clocks and waits are not counted, since their number depends on the scheduler. */
static int wrap_rank(struct job_rank *r)
{
	soft_host_ops = ((struct soft_host *)r->host)->base.ops;
	soft_net_ops = ((struct soft_net *)r->net)->base.ops;
	host_ops = *soft_host_ops;
	host_ops.copy = copy;
	host_ops.reduce = reduce;
	host_ops.set = set;
	host_ops.add = add;
	host_ops.share = share;
	host_ops.share_unlink = share_unlink;
	host_ops.unshare = unmap;
	net_ops = *soft_net_ops;
	net_ops.group_open = group_open;
	net_ops.group_close = group_close;
	net_ops.group_abort = group_abort;
	net_ops.queue_open = queue_open;
	net_ops.queue_close = queue_close;
	net_ops.post = post;
	net_ops.memory_new = memory_new;
	net_ops.region_open = region_open;
	return 0;
}

static void wrap(void)
{
	const struct job_cfg cfg = { .ranks = 1 };

	job_run(&cfg, wrap_rank, NULL);
}

/* ---- The ranks ---- */
static const struct {
	enum tally_opcode opcode;
	uint64_t count;
} operations[] = {
	{ TALLY_OPCODE_ALLREDUCE, 10 },	      { TALLY_OPCODE_BCAST, 3000 },
	{ TALLY_OPCODE_ALLREDUCE, 60000 },    { TALLY_OPCODE_BARRIER, 0 },
	{ TALLY_OPCODE_REDUCE, 5000 },	      { TALLY_OPCODE_ALLGATHER, 2000 },
	{ TALLY_OPCODE_REDUCE_SCATTER, 900 }, { TALLY_OPCODE_SCATTER, 1500 },
	{ TALLY_OPCODE_GATHER, 20000 },
};

/* Whether a rank may have learnt by this that another has left. */
static bool tells_of_leave(const struct leave *l, enum tallycoll_status status)
{
	return l->left && (status == TALLYCOLL_ERR_OOB || status == TALLYCOLL_ERR_RANK_GONE);
}

/* Returns 1 if the team is broken. */
static int operate(struct job_rank *r, struct tallycoll_team *team, unsigned int k)
{
	const struct leave *l = job_arg(r);
	const enum tally_opcode opcode = operations[k].opcode;
	struct operation o = {
		.r = r,
		.team = team,
		.rank = r->rank,
		.size = r->size,
		.opcode = opcode,
		.op = operation_reduces(opcode) ? TALLY_OP_SUM : TALLY_OP_NONE,
		.dtype = opcode == TALLY_OPCODE_BARRIER ? TALLY_TYPE_NONE : TALLY_TYPE_INT32,
		.count = operations[k].count,
		.root = operation_rooted(opcode) ? k % RANKS : 0,
		.salt = k,
	};
	enum tallycoll_status status;
	int broken;

	if (tallycoll_team_reason(team) == TALLYCOLL_REASON_TEAM_BROKEN)
		return 1;
	if (operation_init(&o))
		return -1;
	if (!o.request) { /* there was no group */
		operation_free(&o);
		return 1;
	}
	if (operation_post(&o))
		return -1;
	status = tallycoll_collective_wait(o.request);
	broken = status != TALLYCOLL_OK;
	if (broken && (!tells_of_leave(l, status) || status == TALLYCOLL_ERR_OOB))
		return JOB_FAIL(r, "operation %u ended with %d: %s", k, status,
				tallycoll_request_error(o.request));
	if (!broken && operation_check(&o))
		return -1;
	operation_free(&o);
	return broken;
}

static int work(struct job_rank *r, struct tallycoll_context *context)
{
	const struct tallycoll_team_params params = { .oob = job_oob(r->world) };
	struct leave *l = job_arg(r);
	struct tallycoll_team *team;
	enum tallycoll_status status = tallycoll_team_create(context, &params, &team);
	int broken = 0;

	if (status)
		return tells_of_leave(l, status) ? 0 : JOB_FAIL(r, "no team: %d", status);
	r->kept[1] = team;
	for (unsigned int k = 0; k < ARRAY_SIZE(operations) && !broken; k++) {
		if (r->rank == l->victim && k == l->skips) {
			l->left = true;
			break;
		}
		broken = operate(r, team, k);
	}
	if (broken < 0)
		return -1;
	tallycoll_team_destroy(team);
	return 0;
}

static int leaving_rank(struct job_rank *r)
{
	const struct tallycoll_context_params params = { .oob = job_oob(r->world) };
	struct tallycoll_context *context;
	enum tallycoll_status status;
	char why[200] = "";

	JOB_CHECK(r, r->created == TALLYCOLL_OK);
	status = tc_context_create(&params, &platform, r, &context, why, sizeof(why));
	if (status)
		return tells_of_leave(job_arg(r), status) ?
			       0 :
			       JOB_FAIL(r, "no context: %d %s", status, why);
	r->kept[0] = context;
	if (work(r, context))
		return -1;
	tallycoll_context_destroy(context);
	return 0;
}

static int run(struct leave *l, uint32_t machines)
{
	const struct job_cfg cfg = { .ranks = RANKS, .machines = machines, .sockets = 2, .seed = 9 };
	int err;

	l->calls = 0;
	l->left = false;
	err = job_run(&cfg, leaving_rank, l);
	if (err)
		fprintf(stderr, "rank %u, call %u, before operation %u, %u machines, %s\n",
			l->victim, l->at, l->skips, machines, getenv("TALLY_COLL_TUNE"));
	return err;
}

/* Kills the victim at every @stride-th call, until it reaches its end. */
static int kill_everywhere(uint32_t victim, uint32_t machines, uint32_t first, uint32_t stride)
{
	struct leave l = { .victim = victim, .skips = NEVER };
	int err = 0;

	for (l.at = first; !err; l.at += stride) {
		err = run(&l, machines);
		if (!l.left)
			break;
	}
	return err;
}

/* Lets the victim go before every @stride-th operation. */
static int go_everywhere(uint32_t victim, uint32_t machines, uint32_t first, uint32_t stride)
{
	struct leave l = { .victim = victim, .at = NEVER };
	int err = 0;

	for (l.skips = first; l.skips < ARRAY_SIZE(operations) && !err; l.skips += stride)
		err = run(&l, machines);
	return err;
}

int main(int argc, char **argv)
{
	static const char *const tunes[] = { "all=direct", "all=node", "all=socket", "all=fixed" };
	const bool all = argc > 1 && !strcmp(argv[1], "all");
	const bool few = argc > 1 && !strcmp(argv[1], "short");
	const uint32_t stride = all ? 1 : few ? 601 : 83, goes = few ? 5 : 1;
	int err = 0;

	wrap();
	for (unsigned int k = 0; k < ARRAY_SIZE(tunes) * 3 && !err; k++) {
		setenv("TALLY_COLL_TUNE", tunes[k / 3], true);
		err = go_everywhere(k % RANKS, 1 + k % 3, k % goes, goes) ||
		      kill_everywhere((k + 2) % RANKS, 1 + k % 3, 1 + k % stride, stride);
	}
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
