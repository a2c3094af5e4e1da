/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations shared by the files of this folder, and used nowhere else. */
#ifndef TALLY_SIM_COLL_PRIV_H
#define TALLY_SIM_COLL_PRIV_H

#include "coll/coll.h"
#include "engine/fiber.h"
#include "hosts/host_set.h"
#include "hosts/qp.h"
#include "plan/plan.h"
#include "workload/cpu.h"

#define COLL_CQ_DEPTH	4096
#define COLL_OUTCOMES	COLL_CQ_DEPTH

struct coll_node;

/* A store to a flag that other ranks do not see yet. */
struct coll_store {
	struct coll_store *next;
	struct tc_flag *flag;
	uint32_t value;
	bool add;		/* adds `value` */
	vtime_t owned;		/* when the rank had the flag's line */
	vtime_t seen;		/* when others see it */
	uint32_t before;	/* value without it, while its rank runs */
};

struct coll_rank {
	struct tc_host host;
	struct tc_net net;
	struct sim_coll *s;
	struct coll_node *node;
	uint32_t number, local;
	struct rng rng;
	struct bench_cpu cpu;
	/* the fiber */
	struct fiber *fiber;	/* NULL: it has ended */
	struct sim_event resume;
	bool blocked;		/* coll_wake() lets it go on */
	/* what it may wait for */
	uint64_t changes, looked;	/* changes so far; at its last look */
	bool flag_written;	/* by the NIC, a flag word that it waits for */
	/* its stores, in order */
	struct coll_store *store, **last_store;
	struct sim_event seen;
	/* the NIC */
	struct host_cq cq;
	struct tc_queue *queue;		/* list */
	uint32_t num_groups;		/* that it has open */
	struct tc_outcome *outcome;	/* COLL_OUTCOMES, a ring */
	uint32_t outcomes_in, outcomes_out;
};

/* Memory with a name. */
struct coll_shared {
	struct coll_shared *next;
	char name[TC_NAME_MAX];		/* "": unlinked */
	void *memory;
	size_t bytes;
	uint32_t users;
};

/* A group of a NIC, and a process's part in it. */
struct coll_group {
	struct coll_group *next;
	struct coll_node *node;
	uint32_t jid, number;
	uint64_t join_key;
	uint64_t attached;
	uint32_t users;			/* processes that have it open */
	uint32_t status;		/* enum tally_coll_status with which it died */
	bool drained;
	struct coll_rank *closes;	/* waits until it is drained */
};

struct tc_group {
	struct coll_rank *rank;
	struct coll_group *shared;
	uint64_t held;
};

/* A flag word that the NIC will write. */
struct coll_awaited {
	const void *at;
	struct coll_rank *rank;
};

struct coll_node {
	struct sim_coll *s;
	struct host *host;
	struct coll_rank **rank;
	uint32_t num_ranks;
	struct coll_shared *shared;
	struct coll_group *group;	/* list */
	size_t used;			/* bytes of memory before the run */
	vtime_t bus;			/* busy with pushes until then */
	struct coll_awaited *awaited;
	uint32_t num_awaited, room_awaited;
};

/* A plan that the nodes of a group have in common. */
struct coll_plan {
	struct coll_plan *next;
	uint32_t num_nodes;
	uint8_t *ranks;
	struct plan plan;
};

/* The ranks of an allgather. */
struct coll_meeting {
	struct coll_meeting *next;
	uint32_t num, here;
	uint32_t *member;
	uint64_t round;
	bool differ;			/* the calls of this round */
	struct {
		const void *mine;
		void *all;
		size_t bytes;
	} *call;			/* of each member in this round */
	struct coll_seat *seat;		/* of each member */
};

struct coll_seat {
	struct coll_meeting *meeting;
	struct coll_rank *rank;
	uint32_t number;
};

struct sim_coll {
	struct sim_coll_cfg cfg;
	struct sim *sim;
	struct host_set hosts;
	struct coll_node *node;
	struct coll_rank *rank, **room;	/* room for the nodes' lists */
	uint32_t num_ranks, running, pending;
	struct coll_plan *plan;
	struct coll_meeting *meeting;
	void (*body)(struct coll_rank *r, void *arg);
	void *arg;
	char trouble[200];
};

/* coll.c */
__attribute__((format(printf, 2, 3)))
void coll_trouble(struct sim_coll *s, const char *format, ...);
static inline const struct bench_params *coll_params(const struct coll_rank *r)
{
	return r->s->cfg.c.params;
}

/* rank.c: fibers; coll_take() is coll_alloc() for those who can do without */
void *coll_take(struct coll_rank *r, size_t bytes);
void coll_rank_init(struct coll_rank *r);
bool coll_rank_start(struct coll_rank *r);
/* Suspends the running rank until coll_wake(), or @limit. */
void coll_block(struct coll_rank *r, vtime_t limit);
void coll_wake(struct coll_rank *r);
/* Something of the rank may have changed: wakes it if it waits. */
void coll_changed(struct coll_rank *r);

/* An answer that a rank waits for. */
struct coll_answer {
	struct coll_rank *rank;
	bool here;
	uint32_t status;	/* of the command; UINT32_MAX: the NIC is gone */
};

/* The callback of a command, with a struct coll_answer. */
void coll_answered(void *arg, const struct tally_admin_cqe *cqe);
/* Waits for the answer to a command whose call returned @err. Returns 0 or a negative errno value. */
int coll_await(struct coll_answer *answer, int err);

/* store.c: flags. Makes the rank's own stores visible to it, or only to it no more. */
void coll_stores_show(struct coll_rank *r);
void coll_stores_hide(struct coll_rank *r);
void coll_stores_init(struct coll_rank *r);
/* Forget those to this memory, or all of them. */
void coll_stores_drop(struct coll_rank *r, const void *memory, size_t bytes);
void coll_stores_free(struct coll_rank *r);
void coll_set(struct tc_host *host, struct tc_flag *flag, uint32_t value);
uint32_t coll_add(struct tc_host *host, struct tc_flag *flag, uint32_t n);

/* host_ops.c */
int coll_host_open(void *arg, bool threads, struct tc_host **host, char *why, size_t size);
static inline struct coll_rank *coll_rank_of_host(struct tc_host *host)
{
	return (struct coll_rank *)((char *)host - offsetof(struct coll_rank, host));
}

/* net_ops.c */
int coll_net_open(void *arg, struct tc_host *host, const struct tc_neighbours *neighbours,
		  struct tc_net **net, char *why, size_t size);
static inline struct coll_rank *coll_rank_of_net(struct tc_net *net)
{
	return (struct coll_rank *)((char *)net - offsetof(struct coll_rank, net));
}
/* The NIC has written to the node's memory. */
void coll_written(void *arg, const void *at, size_t len);

/* group.c */
int coll_group_open(struct tc_net *net, const struct tc_group_cfg *cfg, struct tc_group **group,
		    char *why, size_t size);
void coll_group_close(struct tc_group *group);
int coll_group_state(struct tc_group *group, struct tc_group_state *state);
void coll_group_abort(struct tc_group *group, enum tally_coll_status reason);
/* queue.c */
uint32_t coll_queue_inline(const struct sim_coll *s);
uint32_t coll_queue_depth(const struct sim_coll *s);
int coll_queue_open(struct tc_group *group, uint64_t ranks, uint16_t port, struct tc_queue **queue,
		    char *why, size_t size);
void coll_queue_close(struct tc_queue *queue);
int coll_post(struct tc_queue *queue, const struct tc_work *work);
int coll_poll(struct tc_net *net, struct tc_outcome *outcome);
/* Posts an ABORT if the rank has a queue of the group. */
void coll_queue_abort(const struct tc_group *group, enum tally_coll_status reason);

#define COLL_QUEUE_DEPTH 31

#endif
