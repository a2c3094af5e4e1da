/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The platform of test jobs. Its network is software with the semantics of tallydv's work requests
 * and groups: a message is performed once all ranks have posted it, and not a moment earlier, so that
 * nothing depends on when a NIC reads. Reductions combine by the global index of ranks. One lock
 * guards all of it.
 */
#ifndef TALLYCOLL_TESTING_SOFT_H
#define TALLYCOLL_TESTING_SOFT_H

#include <pthread.h>

#include "host.h"
#include "testing/seat.h"

/* Addresses in work requests differ from pointers, so that a mistake shows. */
#define SOFT_IOVA (1ULL << 60)

struct soft_host {
	struct tc_host base;
	struct job_rank *rank;
	pthread_mutex_t lock;
	bool threads;
	uint64_t random;
};

/* Shared memory. */
struct soft_share {
	struct soft_share *next;
	char name[TC_NAME_MAX];
	void *memory;
	size_t bytes;
	uint32_t users;
	bool named;
};

struct soft_region {
	struct soft_region *next;
	uint32_t key;
	uint64_t start;
	size_t bytes;
	uint64_t gone_start, gone_end;	/* addresses of a part that was unmapped, */
	uint8_t *pages;			/* and what the NIC still has of all; NULL: nothing was */
};

/* A request on its way: in its queue, then in its message, then as an outcome in its net. */
struct soft_request {
	struct soft_request *next;
	struct tc_queue *queue;	/* NULL: closed */
	struct tc_work work;
	uint8_t *data;		/* of an inline request */
	struct tc_outcome outcome;
};

struct soft_list {
	struct soft_request *first, **last;
};

struct soft_net {
	struct tc_net base;
	struct job_rank *rank;
	struct soft_region *regions;
	struct soft_list outcomes;
	uint32_t next_key, num_groups, num_queues;
	uint32_t refused; /* registrations, each for another cause */
};

struct tc_queue {
	struct tc_queue *next;	/* of the group */
	struct tc_group *group;
	uint64_t ranks;
	uint16_t port;
	bool failed;
	uint32_t used;		/* requests whose outcome was not taken */
	struct soft_list waiting;
};

/* A process's handle on a group. */
struct tc_group {
	struct tc_group *next;
	struct soft_group *group;
	struct soft_net *net;
	uint32_t node;
	uint64_t held;
};

struct soft_message {
	struct soft_message *next;
	uint32_t mid, num_posted;
	struct soft_list requests;
	bool posted[];		/* [global rank] */
};

struct soft_node {
	struct tc_address address;
	uint32_t num_ranks, first;
	bool created;
	uint64_t join_key, attached, gone;
};

struct soft_group {
	struct soft_group *next;
	struct job *job;
	uint32_t jid, num_nodes, total_ranks;
	struct soft_node *nodes;
	uint32_t *next_mid;	/* [global rank] */
	struct soft_message *messages;
	struct tc_group *handles;
	struct tc_queue *queues;
	struct tc_outcome end;	/* status OK: the group lives */
};

struct job_comm {
	struct job_comm *next;
	struct job *job;
	uint32_t id, size, arrived, generation;
	bool broken;
	uint8_t *data[2];
	size_t room[2];
	uint32_t world[];	/* [rank] */
};

/* What may let a rank go on, and its threads that wait for it. */
struct soft_wake {
	_Alignas(TC_LINE) _Atomic uint32_t events;
	_Atomic uint32_t sleepers;
	uint32_t machine;
};

struct job {
	struct job_cfg cfg;
	void *arg;
	int (*rank_main)(struct job_rank *r);
	struct job_rank *ranks;
	struct soft_wake *wakes;	/* [rank] */
	pthread_mutex_t lock;	/* guards all below */
	pthread_cond_t gathered;
	_Atomic bool failed;
	struct soft_share *shares;
	struct soft_group *groups;
	struct job_comm *comms;
	struct job_seat *seats;
	struct {
		uint32_t calls, nth, times;
		bool armed;
	} (*faults)[JOB_NUM_CALLS];	/* [rank][call] */
};

/* job.c */
extern const struct tc_platform soft_platform;
/* Whether this call of the rank fails by request. Takes no lock, but the caller holds the job's. */
bool soft_fault(struct job_rank *r, enum job_call call);
uint64_t soft_random(uint64_t *state);
/* comm.c */
void soft_break_comms(struct job *job, uint32_t rank, bool all);
void soft_free_comms(struct job *job);

/* host.c: something has changed for the rank */
void soft_wake(struct job_rank *r);
/* host.c, net.c: the platform's functions */
int soft_host_open(void *arg, bool threads, struct tc_host **host, char *why, size_t size);
int soft_net_open(void *arg, struct tc_host *host, const struct tc_neighbours *neighbours,
		  struct tc_net **net, char *why, size_t size);
/* Returns the memory of an entry, or NULL: with the status of the fault. */
void *soft_memory(const struct soft_net *net, uint64_t addr, uint32_t key, uint64_t bytes,
		  enum tally_coll_status *status);
enum tally_coll_status soft_can(struct tc_net *net, uint32_t opcode, uint32_t op, uint32_t dtype);
/* Hands the request to its process as an outcome. */
void soft_complete(struct soft_request *q, const struct tc_outcome *outcome);
void soft_append(struct soft_list *list, struct soft_request *q);
struct soft_request *soft_take(struct soft_list *list);
void soft_list_init(struct soft_list *list);
void soft_request_free(struct soft_request *q);

/* group.c */
int soft_group_open(struct tc_net *net, const struct tc_group_cfg *cfg, struct tc_group **group,
		    char *why, size_t size);
void soft_group_close(struct tc_group *h);
int soft_group_state(struct tc_group *h, struct tc_group_state *state);
void soft_group_abort(struct tc_group *h, enum tally_coll_status reason);
/* Ends all messages of the group. Bits are those of the node @detector. */
void soft_group_end(struct soft_group *g, enum tally_coll_status status, uint32_t detector,
		    uint64_t ranks);
/* The process of a net ends: its handles go. */
void soft_net_die(struct job *job, const struct soft_net *net);
/* Ends the group if a message that has begun lacks a rank that is gone. */
void soft_check_gone(struct soft_group *g);

/* queue.c */
int soft_queue_open(struct tc_group *h, uint64_t ranks, uint16_t port, struct tc_queue **queue,
		    char *why, size_t size);
void soft_queue_close(struct tc_queue *u);
int soft_post(struct tc_queue *u, const struct tc_work *work);

/* message.c */
/* Checks a request whose turn it is; the status with which the NIC refuses it, or OK. */
enum tally_coll_status soft_check(const struct soft_request *q);
/* Adds a request to its message, which is performed if it is complete. */
void soft_join(struct soft_group *g, struct soft_request *q);

#endif
