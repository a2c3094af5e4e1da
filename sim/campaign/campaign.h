/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `tallysim campaign`: random collectives over simulated NICs and a faulty fabric, every result
 * compared with an oracle. This is what its files share.
 *
 * A job is a group of ranks on some of the hosts, with processes that post; several run at a time
 * over the same hosts. It posts batches of messages, and is taken down after some of them.
 */
#ifndef TALLY_SIM_CAMPAIGN_CAMPAIGN_H
#define TALLY_SIM_CAMPAIGN_CAMPAIGN_H

#include <endian.h>
#include <stdio.h>

#include "campaign/trace.h"
#include "cli/options.h"
#include "hosts/host_set.h"
#include "hosts/message.h"
#include "hosts/qp.h"
#include "hosts/tree.h"
#include "plan/plan.h"

#define CAMPAIGN_MAX_NODES	80
#define CAMPAIGN_JOBS		4
#define JOB_MAX_MSGS		32	/* of a batch */
#define POSTER_MAX_QPS		2
#define POSTER_DESCRIPTORS	2	/* of a message made of them: up and down */
#define JOB_MAX_POSTERS		512
#define CAMPAIGN_HOLDERS	(TALLY_RMQ_CELLS / TALLY_MAX_GROUP_CELLS)
#define JOB_TRIGGER_PORT	(POSTER_MAX_QPS * JOB_MAX_POSTERS)	/* a queue pair of each node */
#define JOB_LONG_BYTES		(1u << 20)	/* of a long message at a rank */
#define CAMPAIGN_EXPECT_BYTES	(2 * JOB_LONG_BYTES)	/* of what all ranks of a message get at most */
#define JOB_GUARD		16	/* bytes before and after a result that nobody may write */
#define CAMPAIGN_COMMAND_TIME	VT_S	/* more than commands to NICs nearby take */
#define JOB_ROOM		128	/* of a rank's buffers beside the data, at most */

/* How a group reduces and hands out. */
enum job_mode { JOB_TREE, JOB_MULTICAST, JOB_EXCHANGE, JOB_RING, JOB_MODES };

/* What costs so much that few groups have it. */
enum job_weight {
	JOB_LIGHT,
	JOB_WIDE,		/* many ranks at a node, degrees, radices and neighbours */
	JOB_LONG,		/* long messages */
	JOB_WEIGHTS
};

struct campaign_options {
	uint64_t collectives, seed;
	double heavy;			/* share of groups that are not light */
	double drop, dup, reorder, corrupt;
	double deaths, aborts;		/* of a collective: that one happens in it */
	unsigned int nodes;		/* hosts */
	unsigned int modes;		/* of groups, a bit for each */
	uint32_t cells;			/* of each receive message queue, left to the jobs */
	bool ordered, json, trace_failure;
};

struct campaign;
struct job;
struct poster;

/* What a batch is hit by. */
enum failure_kind {
	FAILURE_NONE,
	FAILURE_ABORT,		/* a rank aborts the group */
	FAILURE_DEATH,		/* a process ends */
	FAILURE_POWER,		/* a NIC loses power */
	FAILURE_MISMATCH,	/* a rank posts what disagrees with the others */
	FAILURE_REFUSED,		/* a rank posts what its NIC refuses */
	FAILURE_SILENT,		/* a process posts no more until the group has ended */
};

/* A rank's part in a request. */
struct part {
	uint32_t rank;		/* global */
	uint64_t result;	/* address; 0: none */
	bool unguarded;		/* the result lies among the data it came from */
};

/* A work request and what became of it. */
struct request {
	struct poster *poster;
	struct host_qp *qp;
	unsigned int msg;	/* in the batch; of a control request: to be posted next */
	enum tally_opcode opcode;
	unsigned int asked;		/* QUERY: the message of the batch it is about */
	bool settled;			/* QUERY: that was over for the process when it asked */
	bool signaled;
	bool empty;			/* its ranks take no part */
	bool done, ok;
	enum tally_coll_status refused;	/* 0: it is a good one */
	vtime_t posted;
	unsigned int num_parts;
	struct part *part;
	struct request *next;		/* for the same message */
	uint64_t flag_addr;	/* 0: no flag word */
	uint32_t flag_value;
};

/* A message of a batch. */
struct job_msg {
	struct message m;
	uint32_t mid, first_num, last_num;	/* of its first and last chunk */
	bool triggered;			/* made of descriptors; its ranks are the nodes */
	bool signals;			/* the result tells of a signalling NaN */
	bool in_place, inlined, flag_word, ordered;
	uint64_t node_mask[CAMPAIGN_MAX_NODES];	/* contributors that take part, at each node */
	uint16_t seg_count;
	struct request *requests;
	uint32_t posted_ranks;		/* how many of those that take part have */
	vtime_t last_post;
	bool root_posted;
	vtime_t root_post;
};

/* A process: some ranks of a node with a queue pair or two. */
struct poster {
	struct job *job;
	unsigned int node;		/* in the group */
	uint64_t ranks;
	struct host_qp qp[POSTER_MAX_QPS];
	unsigned int num_qps;		/* it may post on any of them */
	struct sim_event event;
	unsigned int next;		/* message to post */
	unsigned int outstanding;	/* requests */
	bool dead;
	bool stalled;			/* for want of room */
	bool querying;			/* a QUERY is under way */
	bool errs;			/* in its next request */
	bool silent;			/* until its group has ended */
};

/* A node of the group. */
struct job_node {
	struct job *job;
	unsigned int index;
	struct host *host;
	uint32_t pd, group, seg_base;
	bool has_group;
	struct host_cq cq;
	struct host_mr in, out;		/* what the device reads, and may write */
	uint64_t in_used, out_used;	/* bytes of this batch */
	struct sim_event start, poll;
	vtime_t poll_every;		/* 0: by events */
	bool group_dead, lost;		/* lost: the NIC is another one now */
	bool short_cq, overran;		/* its completion queue */
	bool awaits_death;		/* of its group, before the job goes on */
};

struct job {
	struct campaign *c;
	unsigned int index;
	uint64_t number;		/* of all jobs, for messages */
	enum job_mode mode;
	enum job_weight weight;
	struct tree tree;		/* of other modes: its nodes, but not their edges */
	bool planned;			/* edges are those of the plan */
	struct plan plan;
	struct plan_node at[CAMPAIGN_MAX_NODES];	/* of the plan, by place */
	struct tree_group group;
	uint32_t vain_wait_ms;		/* until all give up what is not posted */
	uint32_t segs;			/* that a node's group owns */
	struct job_node node[CAMPAIGN_MAX_NODES];
	struct poster poster[JOB_MAX_POSTERS];
	unsigned int num_posters;
	struct job_msg msg[JOB_MAX_MSGS];
	unsigned int num_msgs;
	struct request *request;	/* of this batch, those of a QUERY or ABORT too */
	size_t num_requests, request_room;
	struct part *part;
	size_t num_parts, part_room;
	unsigned int outstanding;
	uint32_t next_mid, next_num;
	unsigned int batches;		/* left */
	enum failure_kind failure;		/* of this batch, by culprit ahead of message failure_at */
	struct poster *culprit;
	unsigned int failure_at;
	bool injected, hurt;		/* hurt: a rank is gone for good */
	bool aborted;			/* the groups of all nodes end */
	enum tally_coll_status cause;	/* by other than ABORT; 0: by that */
	vtime_t deadline;
	uint64_t ends;			/* of requests and groups, all there were */
	uint64_t progress_seen;		/* at the last look for a hang */
	unsigned int pending;		/* answers and events awaited */
	void (*step)(struct job *job);	/* what follows when none is */
	struct sim_event next_step;
	enum { JOB_IDLE, JOB_OPENING, JOB_RUNNING, JOB_ENDING } state;
};

#define ONE_MORE(name, value, text)	+ 1
enum { NUM_COUNTERS = 0 TALLY_CTR_LIST(ONE_MORE) };

struct campaign_count {
	uint64_t triggered;		/* collectives made of triggered descriptors */
	uint64_t narrowed;		/* collectives in which some ranks take no part */
	uint64_t rounded;		/* those whose sums are rounded */
	uint64_t special;		/* those of NaN, infinities, subnormals, sums that overflow */
	uint64_t collectives, checked_results, requests, jobs, resets, queries;
	uint64_t mode[JOB_MODES];	/* collectives by the mode of their group */
	uint64_t weight[JOB_WEIGHTS];	/* groups */
	uint64_t most_ranks, most_neighbours, most_bytes;	/* of a node; of a message */
	uint64_t aborts, deaths, power_losses, mismatches, refused, silent, overruns;
	uint64_t put_off, starved;	/* for want of cells: groups not made yet, and ended */
	uint64_t status[256];		/* outcomes of requests by collective status */
	uint64_t opcode[32], op[32], type[256];
	uint64_t replaced[NUM_COUNTERS];	/* counters of NICs that were replaced */
};

/* A group that takes cells away from the others at its host. */
struct holder {
	struct campaign *c;
	struct host *host;
	uint32_t group, seg, cells;	/* cells 0: it does not exist */
};

struct campaign {
	struct campaign_options opt;
	unsigned int modes;		/* of those, the ones that the devices offer */
	struct sim *sim;
	struct host_set host_set;
	struct rng rng;
	struct job job[CAMPAIGN_JOBS];
	unsigned int running;		/* jobs */
	struct campaign_count count;
	struct oracle oracle;
	uint64_t digest;
	struct trace *trace;		/* NULL: not asked for */
	bool failed;
	char failure[512];
	const struct job *failed_job;	/* NULL: of none */
	unsigned int power_host;	/* to lose power next; CAMPAIGN_MAX_NODES: none */
	unsigned int waiting;		/* answers of the campaign's own commands */
	struct holder holder[CAMPAIGN_MAX_NODES][CAMPAIGN_HOLDERS];
	size_t memory_at_start;		/* that a host holds without jobs */
	uint8_t *expect, *got;		/* room for a message */
	bool expect_nearly;		/* but for roundings */
};

/* campaign.c */
/* Random numbers of the campaign, not of the fabric. */
uint64_t campaign_below(struct campaign *c, uint64_t bound);
bool campaign_one_in(struct campaign *c, uint64_t n);
void campaign_digest(struct campaign *c, const void *data, size_t len);
/* Reports the first failure with all that helps to find its cause; the run ends then. */
void campaign_fail(struct campaign *c, const struct job *job, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Starts a host whose NIC waits for its reset. */
void campaign_start_host(struct campaign *c, struct host *h);
/* Counters of a NIC that is to go. */
void campaign_keep_counters(struct campaign *c, const struct host *h);

/* job.c, campaign_end.c: the life of a job */
void job_init(struct campaign *c, unsigned int index);
void job_start(struct job *job);
/* One of the answers or events that the job awaits is there. */
void job_arrived(struct job *job);
/* The same, for a command that must succeed: @arg is the job. */
void job_answered(void *arg, const struct tally_admin_cqe *cqe);
/* Looks soon whether something follows. */
void job_kick(struct job *job);
/* The batch is over: every request has its outcome. */
void job_batch_over(struct job *job);
/* Its node's NIC has lost power. */
void job_lose_node(struct job *job, struct job_node *n);
struct host *job_host(const struct job *job, unsigned int node);
/* Sends the end of a process's queue pairs; its job awaits the answers. */
void poster_destroy_qps(struct poster *p);
/* Gives up the host's side of them. */
void poster_forget_qps(struct poster *p);

/* group.c: its group */
/* Draws the mode, the nodes and their ranks and processes, and how the group is configured. */
void job_choose_group(struct job *job);
/* Has it a root, and edges that are a tree's? */
bool job_has_tree(const struct job *job);
/* Gives up what the choice has allocated. */
void job_forget_group(struct job *job);
/* Sends the command that makes the group at a node; 0 or -errno. */
int job_create_group(struct job_node *n, const struct host_group_hook *hook, host_answer *fn,
		     void *arg);
/* Gives the group's numbers back. */
void node_forget_group(struct job_node *n);
/* Cells that a node's group cannot do without. */
uint32_t job_least_cells(const struct job *job, unsigned int node);
/* What the options call a mode; NULL: no mode. */
const char *job_mode_name(unsigned int mode);
/* Looks which of the modes asked for the devices offer; false: not the one asked for. */
bool campaign_find_modes(struct campaign *c);

/* batch.c: what is posted */
void job_new_batch(struct job *job);
/* May such a message be posted, by its length? */
bool job_fits(const struct job *job, const struct message *m);

/* trigger.c: collectives made of triggered descriptors */
/* Shall the next message of the batch be one? */
bool job_may_trigger(const struct job *job);
/* Has the batch such messages? */
bool job_has_triggered(const struct job *job);
/* Draws an operation that descriptors can do, over the nodes. */
void job_random_trigger(struct job *job, struct job_msg *jm);
/* Posts a process's descriptors: those of its node, if it is the first one there. */
void poster_trigger(struct poster *p, unsigned int msg);
/* Is it the first queue pair of its node, to which descriptors send? */
bool poster_is_first(const struct poster *p);

/* post.c */
/* Steps of a request: made, given its lists and flags, and posted. */
struct request *poster_new_request(struct poster *p, struct host_qp *qp, enum tally_opcode opcode,
				   unsigned int msg);
void node_give(struct job_node *n, struct host_wr *wr, const void *data, uint64_t len);
uint64_t node_get(struct job_node *n, struct host_wr *wr, uint64_t len);
uint32_t request_random_flags(const struct request *r, const struct job_msg *jm);
void request_add_flag_word(struct request *r, struct tally_wqe *w);
void request_post(struct request *r, struct host_wr *wr, uint32_t flags);
void poster_run(void *arg);
void poster_wake(struct poster *p, vtime_t delay);
/* On each queue pair for the next message, a question, and an ABORT, which may come at any time. */
bool poster_has_room(const struct poster *p);
/* Posts an ABORT; no doorbell. */
void poster_abort(struct poster *p);
/* The next batch may follow on this one. */
bool job_quiet(const struct job *job);
/* Fills part of the memory that the device may write. */
void job_fill(const struct job_node *n, uint64_t at, int byte, uint64_t len);
/* The guards around a result are as they were. */
bool job_guarded(const struct job_node *n, uint64_t at, uint64_t len);

/* injected_failure.c */
void job_choose_failure(struct job *job);
void poster_fail(struct poster *p);
/* Takes the power from the host that a failure has named; not within an event. */
void campaign_cut_power(struct campaign *c);
/* May a request end with this status in what has befallen the job? */
bool job_permits(const struct job *job, enum tally_coll_status status);

/* As when a process ends: its queue pairs go, then its ranks are given up. */
void poster_die(struct poster *p);

/* overrun.c: completion queues that overrun */
/* May make that of a node too short; before the nodes start. */
void job_choose_short_cq(struct job *job);
uint32_t node_cq_depth(const struct job_node *n, uint32_t enough);
/* The device's event. */
void node_overran(void *node);
/* A queue that has overrun takes no more. */
void node_check_silent(struct job_node *n);
/* In the end: what devices have counted fits what they said. */
void campaign_check_overruns(struct campaign *c);

/* deaths.c */
/* Waits for the end of the groups of all nodes. */
void job_await_deaths(struct job *job);
/* A node has lost its power, or its processes: gives up waiting where no news can come any more. */
void job_await_fewer_deaths(struct job *job);

/* patience.c */
/* Tries that a packet may need by the rates of faults; the group's retry limit. */
unsigned int campaign_tries(const struct campaign_options *opt);
/* Sets the group's limits; its rto_us and nodes are chosen. */
void job_choose_limits(struct job *job);
/* Deadlines of what begins now: of a batch, and of a group's end. */
void job_await_progress(struct job *job);
void job_await_drained(struct job *job);
/* Nothing is left to happen, but something is waited for. */
void campaign_nothing_left(struct campaign *c);
/* Not within an event. */
void campaign_look_for_hangs(struct campaign *c);

/* invalid_requests.c */
/* Can a rank err so in this message that all must notice? */
bool job_can_err(const struct job *job, unsigned int msg);
/* A process is late: it posts no more until its group has ended. */
void poster_silence(struct poster *p);
/* Those of a node go on, as its group has ended: what they post is flushed. */
void job_end_silence(struct job_node *n);
/* Makes a request a bad one, before it is posted. */
void request_err(struct request *r, struct host_wr *wr);
/* May it end with this error in a group that ends by a bad request? */
bool request_fits_error(const struct request *r, const struct tally_cqe *cqe,
			enum tally_coll_status status);

/* check.c */
void job_poll(void *node);
/* Sees to it that completions of the node will be noticed. */
void job_watch(struct job_node *n);
void job_check(struct job *job);

/* shape.c: floating-point sums that are rounded */
/* The order of additions, and so every bit of the result, is known. */
bool job_order_is_fixed(const struct job *job);
/* Writes what every rank must get of such a message, as message_expect(). False: no memory. */
bool job_expect_ordered(const struct job *job, const struct job_msg *jm, uint8_t *result);
/* Is an element right, whatever the order of additions? @want is message_expect()'s. */
bool job_near(const struct message *m, const void *got, const void *want);

/* lone.c */
struct lone_group {
	uint32_t jid, seg_base, num_segs, cells;
};
/* Sends the command that makes such a group; 0 or -errno. */
int campaign_lone_group(struct host *h, const struct lone_group *lone,
			const struct host_group_hook *hook, uint32_t *group, host_answer *fn,
			void *arg);

/* cells.c: cells of the receive message queue */
/* Is only part of them left to the jobs? */
bool campaign_is_scarce(const struct campaign *c);
/* Takes the others away at a host, by its number, whose NIC is new; the campaign waits for that. */
void campaign_hold_cells(struct campaign *c, unsigned int host);
void campaign_release_cells(struct campaign *c);
/* Does it need no more at any node than all jobs may reserve at the same time? */
bool job_has_share(const struct job *job);
/* How many each node's group reserves. */
uint32_t job_random_cells(const struct job *job);
/* A job's groups are made in this time. */
vtime_t campaign_opening_time(const struct campaign *c);
/* The answer to the making of a group: true if it is too early, and the node starts again soon. */
bool node_try_later(struct job_node *n, const struct tally_admin_cqe *cqe);
/* May descriptors of the batch find no cells until their time limit? */
bool job_may_starve(const struct job *job);
/* A group has ended because they did. */
void job_starves(struct job *job);
bool job_permits_starving(const struct job *job, enum tally_coll_status status);

/* leaks.c */
/* Sends what can only succeed if the devices hold nothing any more; failures are reported. */
void campaign_leaks_probe(struct campaign *c);

/* state.c: what every node of a job knows, for a hang. Not within an event. */
void campaign_print_state(struct campaign *c, const struct job *job, FILE *to);
/* Chunks that a node has finished; 0 if it has no group. Time passes. */
uint32_t campaign_ask_done(struct campaign *c, const struct job_node *n);

/* report.c */
void campaign_progress(const struct campaign *c, double cpu_s);
/* The result, as text or JSON. */
void campaign_report(const struct campaign *c, double cpu_s, FILE *to);

/* options.c */
enum options_result campaign_options_parse(struct campaign_options *opt, int argc, char **argv);
void campaign_usage(FILE *to);
/* The command that repeats the run. */
void campaign_print_command(const struct campaign_options *opt, FILE *to);

#endif
