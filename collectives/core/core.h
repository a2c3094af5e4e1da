/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts, teams and requests, as core and the ways (algo/) see them. */
#ifndef TALLYCOLL_CORE_CORE_H
#define TALLYCOLL_CORE_CORE_H

#include "core/cost.h"
#include "core/regs.h"
#include "core/shape.h"
#include "core/staging.h"
#include "core/tune.h"
#include "host.h"
#include "tallycoll.h"

#define TC_NUM_OPCODES (TALLY_OPCODE_SCATTER + 1)
#define TC_NUM_TYPES (TALLY_TYPE_BF16 + 1)
#define TC_DEPTH 4	/* pieces of a request in flight */
#define TC_FIRST_ATTEMPT 8	/* operations of a team without a group until it tries again */
#define TC_TESTS 16	/* of which one looks at everything, while a flag word is awaited */
#define TC_ERROR_MAX 192
#define TC_SCAN_NS 20000000	/* between looks at a group for which a way waits */

/* What each process tells all others of its job before it opens its NIC, */
struct tc_greeting {
	uint8_t host[16];
	uint64_t near;		/* NICs of its machine */
};

/* and then. */
struct tc_process {
	uint8_t host[16];
	struct tc_address address;
	uint64_t caps;
	uint32_t opcodes;
	uint32_t socket;
	uint32_t usable;	/* has a NIC */
};

/* Ranks of a node that combine their data in shared memory. */
enum tc_party_kind {
	TC_PARTY_NODE,		/* all of them */
	TC_PARTY_SOCKET,	/* those of this rank's CPU socket */
	TC_NUM_PARTIES,
};

struct tc_party {
	struct tc_area *area;	/* the shared memory; NULL: the rank is alone, or there is no such party */
	uint32_t num, number;	/* ranks, and the number of this one, in the order of the team */
	uint64_t mask;		/* their contributors */
	uint32_t next_use;	/* uses of the area so far, */
	uint32_t entered, left;	/* and those that this rank entered, and left */
};

/* A group with the queues and the memory that a team uses; kept for the next team when free. */
struct tc_member_group {
	struct tc_member_group *next;	/* in the context's cache */
	struct tc_shape shape;
	struct tc_cost_steps cost[TC_NUM_OPCODES];	/* of each operation */
	struct tc_group *group;
	struct tc_queue *own, *node;	/* posts for this rank, for all ranks of the node */
	struct tc_party party[TC_NUM_PARTIES];
	uint32_t jid;
	uint32_t next_mid;		/* of the next message */
	uint32_t next_post;		/* lowest mid that was not posted from here */
	uint32_t next_call;		/* calls so far */
};

struct tallycoll_context {
	struct tc_host *host;
	struct tc_net *net;		/* NULL: none */
	uint32_t rank, size;
	bool threads;
	struct tc_process *process;	/* of each rank */
	uint64_t caps;			/* that all devices have */
	uint32_t opcodes;		/* that all devices perform: bit 1 << opcode */
	enum tallycoll_reason reason;	/* why no team offloads */
	struct tc_tune tune;
	struct tc_staging staging;
	struct tc_regs regs;
	uint32_t can[TC_NUM_OPCODES][TC_NUM_TYPES];	/* bit 1 << op: the NIC performs it */
	struct tallycoll_request *spare;	/* requests for the next operations */
	struct tc_member_group *cache, *retired;
	uint32_t num_cached, num_groups;
	struct tallycoll_team *active;	/* teams with requests in progress */
	uint64_t count[TC_NUM_OPCODES][TALLYCOLL_NUM_REASONS];
	unsigned int ended;		/* requests that ended in this call */
	uint32_t num_teams;
	bool destroyed;			/* by the caller; the last team frees it */
};

struct tallycoll_team {
	struct tallycoll_context *context;
	struct tallycoll_team *next;	/* active team */
	struct tc_member_group *mg;	/* NULL: nothing is offloaded */
	struct tallycoll_oob oob;
	enum tallycoll_reason reason;
	uint32_t *members;		/* [rank] rank in the context, while there is no group */
	uint64_t refused, next_attempt;	/* operations without a group; how many until a further attempt */
	enum tallycoll_status failed;	/* the first failure; OK: none */
	char error[TC_ERROR_MAX];
	const char *fault;		/* of the arguments of the last operation; NULL: none */
	uint32_t num_requests;		/* not freed */
	bool destroyed;			/* by the caller; the last request frees it */
	struct tallycoll_request *first, **last;	/* in progress, in order */
	uint64_t looked_ns;		/* when the group was last looked at; 0: not yet */
	bool gone;			/* a rank of this node was gone then */
};

/* A part of an operation that is one message, or several. */
struct tc_piece {
	struct tallycoll_request *request;
	uint32_t index;
	bool busy;
	struct tc_buffer *buffer;
	uint32_t *flag;			/* the NIC writes 1 at the end; NULL: it makes an outcome */
	uint32_t phase;			/* of the node way */
	bool posts;			/* this rank posts for its node */
	uint32_t messages, outcomes;	/* that it has posted, and that have come back */
};

struct tc_way;

struct tallycoll_request {
	struct tallycoll_team *team;
	struct tallycoll_request *next;	/* of the team */
	const struct tallycoll_team *was;	/* whose operation a spare request is prepared for */
	struct tallycoll_args args;
	const struct tc_way *way;
	uint32_t elem;			/* bytes of an element */
	bool gives, gets;		/* this rank has data, receives a result */
	bool give_blocks, get_blocks;	/* which are a block for each rank */
	uint64_t piece_count;		/* elements of all pieces but the last */
	uint32_t pieces;
	uint32_t started, ended;	/* pieces; those in flight lie between */
	uint32_t first_mid, first_use, call;
	struct tc_party *party;		/* of the node and the socket way */
	bool in_progress;
	bool abandoned;			/* freed by the caller while in progress */
	uint32_t tests;			/* calls of tallycoll_collective_test() in this operation */
	uint32_t looks;			/* of the direct way, for its end */
	enum tallycoll_status status;
	struct tc_reg *src_reg, *dst_reg;	/* of user memory; NULL: not registered */
	bool is_short;			/* the direct way: all of it is one message, */
	struct tc_work work;		/* which lacks only what differs each time */
	struct tc_piece piece[TC_DEPTH];
};

/* A way to perform an operation within the nodes, see docs/collectives.md. */
struct tc_way {
	const char *name;
	bool fixed;	/* the node's first rank posts, whoever comes first */
	/* BCAST between nodes: the mode of the message, 0: the group's choice; */
	uint32_t mode;
	bool scatters;	/* as SCATTER, then ALLGATHER of this mode; a message beside the SCATTER tells the length */
	/* Bytes that a piece may have. */
	uint64_t (*most)(const struct tallycoll_request *r);
	/* Prepares what all operations of the request have in common. NULL: there is nothing. */
	void (*prepare)(struct tallycoll_request *r);
	void (*begin)(struct tallycoll_request *r);
	/* Does what can be done now; tc_request_piece_ended() for pieces that are done. */
	void (*step)(struct tallycoll_request *r);
	void (*outcome)(struct tallycoll_request *r, struct tc_piece *p,
			const struct tc_outcome *outcome);
	/* Gives up what the request holds, after an error and with no message in flight. */
	void (*drop)(struct tallycoll_request *r);
};

extern const struct tc_way tc_way_direct, tc_way_node, tc_way_fixed, tc_way_socket;
/* The algorithms of document 002 between nodes, with a competitive leader and with a fixed one. */
extern const struct tc_way tc_way_cp_bt, tc_way_cp_rdaas, tc_way_cp_ringaas;
extern const struct tc_way tc_way_p_bt, tc_way_p_rdaas, tc_way_p_ringaas;

#define TC_SCATTER_MESSAGES 3

/* Messages of a piece. */
static inline uint32_t tc_way_messages(const struct tc_way *way, enum tally_opcode opcode)
{
	return way->scatters && opcode == TALLY_OPCODE_BCAST ? TC_SCATTER_MESSAGES : 1;
}

/* watch.c: fails the request if the group has ended, or the ranks of the node do not agree */
void tc_watch(struct tallycoll_request *r);
/* The same for a rank that the NIC tells of the end of the group. */
void tc_watch_calls(struct tallycoll_request *r);
/* Fails the request, and lets the other ranks of the node and the other nodes know. */
void tc_give_up(struct tallycoll_request *r, enum tally_coll_status status);
/* Fails the request, whose message ended with an error; if the NIC refused it, ends the group too. */
void tc_outcome_failed(struct tallycoll_request *r, const struct tc_outcome *outcome);
/* Lets the other ranks of the node know that the group has ended. */
void tc_tell_end(struct tallycoll_team *t, enum tally_coll_status status);

/* request.c: for the ways */
/* Whether the status says that the ranks' calls differ. */
bool tc_is_mismatch(enum tally_coll_status status);
void tc_request_fail(struct tallycoll_request *r, enum tally_coll_status status,
		     const struct tc_outcome *outcome);
struct tc_piece *tc_request_free_piece(struct tallycoll_request *r);
/* Gives back the registrations of user memory. */
void tc_request_unregister(struct tallycoll_request *r);
/* Elements of piece @index, and the first one. */
uint64_t tc_piece_elements(const struct tallycoll_request *r, uint32_t index);
uint64_t tc_piece_offset(const struct tallycoll_request *r, uint32_t index);

/*
 * team.c: counts an operation of a team with reason NO_GROUP, and tries again to get one if it is time
 * and the ranks @may_wait for one another.
 */
enum tallycoll_status tc_team_attempt(struct tallycoll_team *t, bool may_wait);

/* cache.c: groups that no team uses */
/* Takes a group with this shape from the cache; NULL: there is none. */
struct tc_member_group *tc_cache_find(struct tallycoll_context *c, const struct tc_shape *shape);
void tc_cache_add(struct tallycoll_context *c, struct tc_member_group *mg);
/* Closes groups so that the process may have one more. */
void tc_cache_make_room(struct tallycoll_context *c);
/* Closes all groups, and waits for messages that others of this node have yet to post. */
void tc_cache_close(struct tallycoll_context *c);
/* Closes a group at once, or when its messages have ended at this node. */
void tc_member_group_close(struct tallycoll_context *c, struct tc_member_group *mg);
void tc_member_group_retire(struct tallycoll_context *c, struct tc_member_group *mg);

/* Whether the device of this rank performs an operation, from a table made with the context. */
bool tc_can(const struct tallycoll_context *c, uint32_t opcode, uint32_t op, uint32_t dtype);
void tc_fill_can(struct tallycoll_context *c);

/* Frees what the caller has destroyed, with the lock held. */
void tc_request_free(struct tallycoll_request *r);
void tc_team_free(struct tallycoll_team *t);
void tc_context_free(struct tallycoll_context *c);

/* progress.c */
void tc_progress(struct tallycoll_context *c);

static inline void tc_context_lock(struct tallycoll_context *c)
{
	if (c->threads)
		c->host->ops->lock(c->host);
}

/* Releases the lock, and frees the context if it has been destroyed and its last team is gone. */
static inline void tc_context_unlock(struct tallycoll_context *c)
{
	const bool last = c->destroyed && !c->num_teams;

	if (c->threads)
		c->host->ops->unlock(c->host);
	if (last)
		tc_context_free(c);
}

static inline uint32_t tc_max(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

#endif
