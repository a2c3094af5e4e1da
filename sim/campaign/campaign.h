/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `tallysim campaign`: random collectives over simulated NICs and a faulty fabric. Every result is
 * compared with an oracle. This header declares what the campaign's files share.
 *
 * A job is a group of ranks on some of the hosts, with processes that post; several jobs run at a
 * time over the same hosts. A job posts batches of messages, and is taken down after some of them.
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
#define CAMPAIGN_MAX_JOBS	32
#define JOB_MAX_MSGS		32	/* in a batch */
#define POSTER_MAX_QPS		2
#define POSTER_DESCRIPTORS	2	/* in a message made of descriptors: up and down */
#define JOB_MAX_POSTERS		512
#define CAMPAIGN_HOLDERS	(TALLY_RMQ_CELLS / TALLY_MAX_GROUP_CELLS)
#define JOB_TRIGGER_PORT	(POSTER_MAX_QPS * JOB_MAX_POSTERS)	/* one QP per node */
#define JOB_LONG_BYTES		(1u << 20)	/* size of a long message at a rank */
#define CAMPAIGN_EXPECT_BYTES	(2 * JOB_LONG_BYTES)	/* most bytes of all results of a message */
#define JOB_GUARD		16	/* bytes before and after a result that nobody may write */
#define CAMPAIGN_COMMAND_TIME	VT_S	/* limit for commands to the hosts' NICs */
#define JOB_ROOM		128	/* most bytes in a rank's buffers besides the data */

/* Modes in which a group reduces and distributes results. In a mixed group every message has one. */
enum job_mode { JOB_TREE, JOB_MULTICAST, JOB_EXCHANGE, JOB_RING, JOB_MIXED, JOB_MODES };
#define JOB_SINGLE_MODES	JOB_MIXED

/* Properties of groups that are expensive to simulate; few groups have one. */
enum job_weight {
	JOB_LIGHT,
	JOB_WIDE,		/* many ranks at a node, degrees, radices and neighbours */
	JOB_LONG,		/* long messages */
	JOB_WEIGHTS
};

struct campaign_options {
	uint64_t collectives, seed;
	const struct nic_units *units;	/* of all NICs; NULL: those of the simulator */
	double heavy;			/* share of groups that are not light */
	double unlimited;		/* share of groups without a time limit */
	double combined;		/* share of posts with combined entries */
	double drop, dup, reorder, corrupt;
	double deaths, aborts;		/* probability of one in a collective */
	unsigned int nodes;		/* hosts */
	unsigned int jobs;		/* groups at a time */
	unsigned int modes;		/* modes of groups, one bit each */
	uint32_t cells;			/* cells of each receive message queue for the jobs */
	uint32_t segs;			/* segments of each NIC */
	bool ordered, json, trace_failure;
};

struct campaign;
struct job;
struct poster;

/* The failure injected into a batch. */
enum failure_kind {
	FAILURE_NONE,
	FAILURE_ABORT,		/* a rank aborts the group */
	FAILURE_DEATH,		/* a process ends */
	FAILURE_POWER,		/* a NIC loses power */
	FAILURE_MISMATCH,	/* a rank posts a request that disagrees with the others */
	FAILURE_REFUSED,		/* a rank posts a request that its NIC refuses */
	FAILURE_SILENT,		/* a process posts no more until the group has ended */
};

/* The part of a rank in a request. */
struct part {
	uint32_t rank;		/* global */
	uint64_t result;	/* address; 0: none */
	bool unguarded;		/* the result lies within the rank's data */
};

/* A work request and its outcome. */
struct request {
	struct poster *poster;
	struct host_qp *qp;
	unsigned int msg;	/* in the batch; of a QUERY or ABORT: the next to post */
	enum tally_opcode opcode;
	unsigned int asked;		/* QUERY: the message of the batch it is about */
	bool settled;			/* QUERY: it was complete for the process when posted */
	bool signaled;
	bool empty;			/* its ranks take no part */
	bool done, ok;
	enum tally_coll_status refused;	/* expected refusal; 0: the request is valid */
	vtime_t posted;
	unsigned int num_parts;
	struct part *part;
	struct request *next;		/* for the same message */
	uint64_t flag_addr;	/* 0: no flag word */
	uint32_t flag_value;
};

/* A message in a batch. */
struct job_msg {
	struct message m;
	uint32_t mid, first_num, last_num;	/* of its first and last chunk */
	bool triggered;			/* made of descriptors; the ranks of @m are nodes */
	bool signals;			/* the result reports a signalling NaN */
	bool in_place, inlined, flag_word, ordered;
	uint64_t node_mask[CAMPAIGN_MAX_NODES];	/* contributors that take part, at each node */
	uint16_t seg_count;
	struct request *requests;
	uint32_t posted_ranks;		/* number of participating ranks that have posted */
	vtime_t last_post;
	bool root_posted;
	vtime_t root_post;
};

/* A process: some ranks of a node with one or two queue pairs. */
struct poster {
	struct job *job;
	unsigned int node;		/* in the group */
	uint64_t ranks;
	struct host_qp qp[POSTER_MAX_QPS];
	unsigned int num_qps;		/* it may post on each of them */
	struct sim_event event;
	unsigned int next;		/* message to post */
	unsigned int outstanding;	/* number of requests */
	bool dead;
	bool stalled;			/* waits for room in a queue */
	bool querying;			/* a QUERY is outstanding */
	bool errs;			/* its next request is invalid */
	bool silent;			/* posts nothing until its group has ended */
};

/* A node of the group. */
struct job_node {
	struct job *job;
	unsigned int index;
	struct host *host;
	uint32_t pd, group;
	bool has_group;
	struct host_cq cq;
	struct host_mr in, out;		/* regions that the device reads, and writes */
	uint64_t in_used, out_used;	/* bytes used in this batch */
	struct sim_event start, poll;
	vtime_t poll_every;		/* interval of polls; 0: uses events */
	bool group_dead, lost;		/* lost: the NIC lost power and was replaced */
	bool short_cq, overran;		/* state of its completion queue */
	bool awaits_death;		/* the job waits for the end of its group */
};

struct job {
	struct campaign *c;
	unsigned int index;
	uint64_t number;		/* among all jobs, for messages */
	enum job_mode mode;
	enum job_weight weight;
	struct tree tree;		/* in modes without a tree, only its nodes are used */
	bool planned;			/* edges come from the plan */
	struct plan plan;
	struct plan_node at[CAMPAIGN_MAX_NODES];	/* nodes of the plan, by place */
	struct tree_group group;
	uint32_t limit_ms;		/* time limit of the group, which it may lack */
	uint32_t silent_timeout_ms;	/* time limit of messages that a silent rank never posts */
	uint32_t segs;			/* segments of a node's group */
	struct job_node node[CAMPAIGN_MAX_NODES];
	struct poster poster[JOB_MAX_POSTERS];
	unsigned int num_posters;
	struct job_msg msg[JOB_MAX_MSGS];
	unsigned int num_msgs;
	struct request *request;	/* all requests of this batch, also QUERY and ABORT */
	size_t num_requests, request_room;
	struct part *part;
	size_t num_parts, part_room;
	unsigned int outstanding;
	uint32_t next_mid, next_num;
	unsigned int batches;		/* remaining batches */
	enum failure_kind failure;		/* by culprit, before message failure_at */
	struct poster *culprit;
	unsigned int failure_at;
	bool injected, hurt;		/* hurt: a rank is permanently gone */
	bool aborted;			/* the groups of all nodes must end */
	enum tally_coll_status cause;	/* why the groups end; 0: ABORT */
	vtime_t deadline;
	uint64_t ends;			/* total number of requests and groups that ended */
	uint64_t progress_seen;		/* progress at the last check for a hang */
	unsigned int pending;		/* number of pending answers and events */
	void (*step)(struct job *job);	/* called when none is pending */
	struct sim_event next_step;
	enum { JOB_IDLE, JOB_OPENING, JOB_RUNNING, JOB_ENDING } state;
};

#define ONE_MORE(name, value, text)	+ 1
enum { NUM_COUNTERS = 0 TALLY_CTR_LIST(ONE_MORE) };

struct campaign_count {
	uint64_t triggered;		/* collectives made of triggered descriptors */
	uint64_t narrowed;		/* collectives in which some ranks take no part */
	uint64_t rounded;		/* collectives whose sums are rounded */
	uint64_t special;		/* collectives of NaN, infinities, subnormals, overflows */
	uint64_t collectives, checked_results, requests, jobs, resets, queries;
	uint64_t mode[JOB_MODES];	/* collectives by the mode of their group */
	uint64_t mixed[TALLY_MODE_RING + 1];	/* those of mixed groups by their own mode */
	uint64_t weight[JOB_WEIGHTS];	/* groups */
	uint64_t unlimited;		/* groups without a time limit */
	uint64_t combined;		/* requests with combined entries */
	uint64_t most_ranks, most_neighbours, most_bytes;	/* per node; per message */
	uint64_t aborts, deaths, power_losses, mismatches, refused, silent, overruns;
	uint64_t delayed_for_cells;	/* groups delayed by a lack of cells */
	uint64_t delayed_for_segs;	/* groups delayed by a lack of segments */
	uint64_t ended_for_cells;	/* groups ended by a lack of cells */
	uint64_t status[256];		/* outcomes of requests by collective status */
	uint64_t opcode[32], op[32], type[256];
	uint64_t replaced[NUM_COUNTERS];	/* counters of NICs that were replaced */
};

/* A group that reserves cells, so that the others at its host cannot. */
struct holder {
	struct campaign *c;
	struct host *host;
	uint32_t group, cells;	/* cells 0: unused */
};

struct campaign {
	struct campaign_options opt;
	unsigned int modes;		/* those of opt.modes that the devices offer */
	struct sim *sim;
	struct host_set host_set;
	struct rng rng;
	struct job job[CAMPAIGN_MAX_JOBS];	/* the first opt.jobs are used */
	unsigned int running;		/* number of running jobs */
	struct campaign_count count;
	struct oracle oracle;
	uint64_t digest;
	struct trace *trace;		/* NULL: not requested */
	bool failed;
	char failure[512];
	const struct job *failed_job;	/* NULL: no job failed */
	unsigned int power_host;	/* loses power next; the number of hosts: none */
	unsigned int waiting;		/* pending answers to the campaign's own commands */
	struct holder holder[CAMPAIGN_MAX_NODES][CAMPAIGN_HOLDERS];
	size_t memory_at_start;		/* memory of a host without jobs */
	uint8_t *expect, *got;		/* room for a message */
	bool expect_nearly;		/* @expect ignores rounding */
};

/* campaign.c */
/* Return random numbers of the campaign, which do not depend on the fabric. */
uint64_t campaign_below(struct campaign *c, uint64_t bound);
bool campaign_one_in(struct campaign *c, uint64_t n);
void campaign_digest(struct campaign *c, const void *data, size_t len);
/* Reports the first failure with all information about its cause, and ends the run. */
void campaign_fail(struct campaign *c, const struct job *job, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Starts a host whose NIC waits for its reset. */
void campaign_start_host(struct campaign *c, struct host *h);
/* Keeps the counters of a NIC that is about to be replaced. */
void campaign_keep_counters(struct campaign *c, const struct host *h);

/* job.c, job_end.c: the life of a job */
void job_init(struct campaign *c, unsigned int index);
void job_start(struct job *job);
/* Counts one answer or event that the job waits for. */
void job_arrived(struct job *job);
/* As job_arrived(), for a command that must succeed: @arg is the job. */
void job_answered(void *arg, const struct tally_admin_cqe *cqe);
/* Schedules a check whether the job can continue. */
void job_schedule_step(struct job *job);
/* Ends a batch: every request has its outcome. */
void job_batch_over(struct job *job);
/* Handles the power loss of a node's NIC. */
void job_lose_node(struct job *job, struct job_node *n);
struct host *job_host(const struct job *job, unsigned int node);
/* Sends the commands that destroy a process's queue pairs; its job waits for the answers. */
void poster_destroy_qps(struct poster *p);
/* Frees the host's part of the queue pairs. */
void poster_forget_qps(struct poster *p);

/* group.c: the group of a job */
/* Draws the mode, the nodes with their ranks and processes, and the configuration of the group. */
void job_choose_group(struct job *job);
/* Returns the largest number of segments that the group may hold at a node. */
uint32_t job_most_segs(const struct job *job);
/* Frees what job_choose_group() has allocated. */
void job_forget_group(struct job *job);
/* Sends the command that creates the group at a node. Returns 0 or -errno. */
int job_create_group(struct job_node *n, const struct host_group_hook *hook, host_answer *fn,
		     void *arg);
/* Frees the group's numbers. */
void node_forget_group(struct job_node *n);
/* Returns the least number of cells that a node's group needs. */
uint32_t job_least_cells(const struct job *job, unsigned int node);
/* Returns the name of a mode in the options; NULL: there is no such mode. */
const char *job_mode_name(unsigned int mode);
/* Sets c->modes to the requested modes that the devices offer. Returns false if there are none. */
bool campaign_find_modes(struct campaign *c);

/* modes.c: the modes of messages */
/* Returns whether the group has a root, and edges that form a tree. */
bool job_has_tree(const struct job *job);
/* Returns whether some mode of the group offers an operation. */
bool job_offers(const struct job *job, enum tally_opcode opcode);
/* Returns a random mode of the group, except @mode, that offers an operation; 0 if there is none. */
enum tally_mode job_other_mode(struct job *job, enum tally_opcode opcode, enum tally_mode mode);
/* May draw the mode that a message of a mixed group names. */
void job_random_mode(struct job *job, struct message *m);
enum tally_mode job_mode_of(const struct job *job, const struct message *m);
/* Returns whether the mode is TREE, whatever the length of the message will be. */
bool job_is_in_tree(const struct job *job, const struct message *m);
/* Return the bytes of a chunk of a message, and the number of its chunks. */
uint32_t job_chunk_bytes(const struct job *job, const struct message *m);
uint32_t job_chunks(const struct job *job, const struct message *m);

/* batch.c: random messages */
void job_new_batch(struct job *job);
/* Returns whether the lengths of such a message are permitted. */
bool job_fits(const struct job *job, const struct message *m);

/* trigger.c: collectives made of triggered descriptors */
/* Returns whether the next message of the batch shall consist of descriptors. */
bool job_may_trigger(const struct job *job);
/* Returns whether the batch has such messages. */
bool job_has_triggered(const struct job *job);
/* Draws an operation over the nodes that descriptors can execute. */
void job_random_trigger(struct job *job, struct job_msg *jm);
/* Posts the descriptors of a node, if the process is the first one there. */
void poster_trigger(struct poster *p, unsigned int msg);
/* Returns whether the process is the first one of its node, which gets the descriptors' data. */
bool poster_is_first(const struct poster *p);

/* post.c */
/* Steps of a request: it is made, gets its lists and flags, and is posted. */
struct request *poster_new_request(struct poster *p, struct host_qp *qp, enum tally_opcode opcode,
				   unsigned int msg);
void node_give(struct job_node *n, struct host_wr *wr, const void *data, uint64_t len);
uint64_t node_get(struct job_node *n, struct host_wr *wr, uint64_t len);
uint32_t request_random_flags(const struct request *r, const struct job_msg *jm);
void request_add_flag_word(struct request *r, struct tally_wqe *w);
void request_post(struct request *r, struct host_wr *wr, uint32_t flags);
void poster_run(void *arg);
void poster_wake(struct poster *p, vtime_t delay);
/*
 * Returns whether each queue pair has room for the next message, a QUERY, and an ABORT, which may
 * be necessary at any time.
 */
bool poster_has_room(const struct poster *p);
/* Posts an ABORT without ringing the doorbell. */
void poster_abort(struct poster *p);
/* Returns whether the next batch may follow. */
bool job_quiet(const struct job *job);
/* Fills part of the memory that the device may write. */
void job_fill(const struct job_node *n, uint64_t at, int byte, uint64_t len);
/* Returns whether the guards around a result are unchanged. */
bool job_guarded(const struct job_node *n, uint64_t at, uint64_t len);

/* injected_failure.c */
void job_choose_failure(struct job *job);
void poster_fail(struct poster *p);
/* Cuts the power of c->power_host. Must not be called within an event. */
void campaign_cut_power(struct campaign *c);
/* Returns whether a request may end with this status after the failures of the job. */
bool job_permits(const struct job *job, enum tally_coll_status status);

/* Ends a process: its queue pairs are destroyed, then its ranks are detached. */
void poster_die(struct poster *p);

/* overrun.c: completion queues that overrun */
/* May make the completion queue of a node too short; called before the nodes start. */
void job_choose_short_cq(struct job *job);
uint32_t node_cq_depth(const struct job_node *n, uint32_t enough);
/* Handles the device's event of an overrun. */
void node_overran(void *node);
/* Checks that a queue that has overrun gets no more entries. */
void node_check_silent(struct job_node *n);
/* Checks at the end that the devices' counters agree with their events. */
void campaign_check_overruns(struct campaign *c);

/* group_ends.c */
/* Makes the job wait for the end of the groups of all nodes. */
void job_await_deaths(struct job *job);
/* After a power loss or the end of a process: stops waiting for nodes that no KILL can reach. */
void job_await_fewer_deaths(struct job *job);

/* time_limits.c */
/* Returns the tries that a packet may need at the fault rates; this is the group's retry limit. */
unsigned int campaign_tries(const struct campaign_options *opt);
/* Sets the group's limits; its rto_us and nodes must be set. */
void job_choose_limits(struct job *job);
/* Set the deadline of a batch, and of the end of a group, counted from now. */
void job_await_progress(struct job *job);
void job_await_drained(struct job *job);
/* Reports a hang: no event is pending, but something is awaited. */
void campaign_nothing_left(struct campaign *c);
/* Reports jobs without progress. Must not be called within an event. */
void campaign_look_for_hangs(struct campaign *c);

/* invalid_requests.c */
/* Returns whether an invalid request of a rank in this message must be noticed by all. */
bool job_can_err(const struct job *job, unsigned int msg);
/* Makes a process post nothing until its group has ended. */
void poster_silence(struct poster *p);
/* Lets a node's silent processes post again after the end of its group; this is flushed. */
void job_end_silence(struct job_node *n);
/* Makes a request invalid before it is posted. */
void request_err(struct request *r, struct host_wr *wr);
/* Returns whether it may end with this error in a group that an invalid request ends. */
bool request_fits_error(const struct request *r, const struct tally_cqe *cqe,
			enum tally_coll_status status);

/* check.c */
void job_poll(void *node);
/* Arranges that completions of the node will be polled. */
void job_watch(struct job_node *n);
void job_check(struct job *job);

/* expected_sum.c: floating-point sums that are rounded */
/* Returns whether the order of additions, and thus every bit of the result, is known. */
bool job_order_is_fixed(const struct job *job, const struct message *m);
/* Writes the result of such a message, as message_expect(). Returns false if out of memory. */
bool job_expect_ordered(const struct job *job, const struct job_msg *jm, uint8_t *result);
/* Returns whether an element is right for any order; @want is from message_expect(). */
bool job_near(const struct message *m, const void *got, const void *want);

/* single_node_group.c */
struct lone_group {
	uint32_t jid, num_segs, cells;
};
/* Sends the command that creates a group of one node. Returns 0 or -errno. */
int campaign_lone_group(struct host *h, const struct lone_group *lone,
			const struct host_group_hook *hook, uint32_t *group, host_answer *fn,
			void *arg);

/* cells.c: cells of the receive message queue */
/* Returns whether the jobs get only part of the cells. */
bool campaign_is_scarce(const struct campaign *c);
/* Reserves the other cells at host number @host, whose NIC is new; the campaign waits for this. */
void campaign_hold_cells(struct campaign *c, unsigned int host);
void campaign_release_cells(struct campaign *c);
/* Returns whether each node's group needs no more cells than each job may reserve. */
bool job_has_share(const struct job *job);
/* Returns the cells that each node's group reserves. */
uint32_t job_random_cells(const struct job *job);
/* Returns the limit for the creation of a job's groups. */
vtime_t campaign_opening_time(const struct campaign *c);
/* Returns true if a group's creation was refused for lack of cells; the node starts again. */
bool node_try_later(struct job_node *n, const struct tally_admin_cqe *cqe);
/* Returns whether descriptors of the batch may find no cells until their time limit. */
bool job_may_starve(const struct job *job);
/* Notes that a group has ended because descriptors found no cells. */
void job_ran_out_of_cells(struct job *job);
bool job_permits_starving(const struct job *job, enum tally_coll_status status);

/* segments.c: few segments */
bool campaign_has_few_segs(const struct campaign *c);
/* Returns the number of groups that a NIC with these segments has. */
uint32_t campaign_groups_of(uint32_t segs);
/* Returns the most segments that a job's group may own, a power of two; and the most it may hold. */
uint32_t campaign_most_owned(const struct campaign *c);
uint32_t campaign_most_held(const struct campaign *c);
/* Draws the segments that a mixed group owns. */
uint32_t campaign_random_owned(struct campaign *c);
/*
 * Takes the segments of a node's group from its host. Returns false if the groups of other jobs have
 * what it needs, for instance because they drain; the node starts again.
 */
bool node_takes_segs(struct job_node *n);

/* leaks.c */
/* Sends commands that succeed only if the devices hold no resources; failures are reported. */
void campaign_leaks_probe(struct campaign *c);

/* state.c: prints the state of every node of a job. Must not be called within an event. */
void campaign_print_state(struct campaign *c, const struct job *job, FILE *to);
/* Returns the chunks that a node has finished; 0 if it has no group. Lets time pass. */
uint32_t campaign_ask_done(struct campaign *c, const struct job_node *n);

/* report.c */
void campaign_progress(const struct campaign *c, double cpu_s);
/* Prints the result as text or JSON. */
void campaign_report(const struct campaign *c, double cpu_s, FILE *to);

/* options.c */
enum options_result campaign_options_parse(struct campaign_options *opt, int argc, char **argv);
void campaign_usage(FILE *to);
/* Prints the command that repeats the run. */
void campaign_print_command(const struct campaign_options *opt, FILE *to);

#endif
