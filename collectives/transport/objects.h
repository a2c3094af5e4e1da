/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The objects of the back end over libtally. Any request may end with an error completion, quiet or
 * not, and a completion queue that overflows is lost. Therefore each queue reserves its entries of
 * the completion queue when it is opened, and a post need not count.
 */
#ifndef TALLYCOLL_TRANSPORT_OBJECTS_H
#define TALLYCOLL_TRANSPORT_OBJECTS_H

#include <infiniband/tallydv.h>

#include "host.h"
#include "transport.h"

#define TC_DV_ENTRIES 32			/* of a send queue, a power of two; one is kept for ABORT */
#define TC_DV_DEPTH (TC_DV_ENTRIES - 1)
#define TC_DV_QUIET (TC_DV_ENTRIES / 2 - 1)	/* unsignaled requests in a row */
#define TC_DV_INLINE 256			/* bytes */
#define TC_DV_QUEUES 2				/* of a group */
#define TC_DV_GROUPS 64				/* at most, so that the completion queue stays small */
#define TC_DV_NICS 64				/* of a machine; further ones are not used */
#define TC_DV_LOOK 16				/* polls that nobody waits for, of which one looks */

struct tc_dv_net {
	struct tc_net net;
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq_ex *cq;
	uint32_t entries;	/* of the completion queue, */
	uint32_t reserved;	/* those that queues reserve, */
	uint32_t stale;		/* and of these, those of closed queues, until it has been seen empty */
	uint32_t awaited;	/* requests whose outcome will come, for they are not quiet */
	uint32_t polls;
};

struct tc_group {
	struct tc_dv_net *net;
	struct tallydv_group *dv;
	struct tc_queue *queues;
	bool aborted;
};

/* What poll() must know of a request; its address is the request's wr_id. */
struct tc_dv_slot {
	struct tc_queue *queue;
	uint64_t id;
	bool hidden;	/* success is not told: the request was quiet */
	bool abort;	/* no outcome is told */
};

struct tc_queue {
	struct tc_group *group;
	struct tc_queue *next;		/* of the group */
	struct ibv_qp *qp;
	struct tallydv_send_wr wr;	/* points to the lists below */
	struct ibv_sge from, to;
	uint32_t posted, quiet;		/* all requests, unsignaled ones since the last signaled one */
	uint32_t awaited;		/* as in the net */
	struct tc_dv_slot slot[TC_DV_ENTRIES], abort;
};

static inline struct tc_dv_net *tc_dv_net_of(struct tc_net *net)
{
	return (struct tc_dv_net *)net;
}

/* device.c: which NICs of @names may be used, as bits. Returns 0, or -errno if there is none. */
int tc_dv_usable(const char *const *names, uint32_t num, const char *wanted, uint64_t *usable,
		 char *why, size_t size);
/* The number of the NIC that this process uses; its nearest NICs are at least one. */
uint32_t tc_dv_assign(const struct tc_neighbours *neighbours);

/* group.c */
int tc_dv_group_open(struct tc_net *net, const struct tc_group_cfg *cfg, struct tc_group **group,
		     char *why, size_t size);
void tc_dv_group_close(struct tc_group *group);
int tc_dv_group_state(struct tc_group *group, struct tc_group_state *state);

/* queue.c */
int tc_dv_queue_open(struct tc_group *group, uint64_t ranks, uint16_t port,
		     struct tc_queue **queue, char *why, size_t size);
void tc_dv_queue_close(struct tc_queue *queue);

/* post.c */
void tc_dv_queue_prepare(struct tc_queue *queue);
int tc_dv_post(struct tc_queue *queue, const struct tc_work *work);
void tc_dv_group_abort(struct tc_group *group, enum tally_coll_status reason);

/* poll.c */
int tc_dv_poll(struct tc_net *net, struct tc_outcome *outcome);

/* memory.c */
void *tc_dv_memory_new(struct tc_net *net, size_t bytes, struct tc_region *region);
void tc_dv_memory_free(struct tc_net *net, void *memory, size_t bytes, struct tc_region *region);
int tc_dv_region_open(struct tc_net *net, void *start, size_t bytes, struct tc_region *region);
void tc_dv_region_close(struct tc_net *net, struct tc_region *region);

#endif
