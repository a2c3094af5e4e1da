/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queue pairs of a scripted host: work requests in, their outcomes out. Every request has exactly
 * one outcome, which its poster hears of by the value it gave.
 */
#ifndef TALLY_SIM_HOSTS_QP_H
#define TALLY_SIM_HOSTS_QP_H

#include "hosts/host.h"

/* A request as its poster sees it: fields and lists in the device's byte order. */
struct host_wr {
	struct tally_wqe w;	/* index, num_gather, num_result and inline_len are filled in */
	unsigned int num_gather, num_result;
	struct tally_sge gather[TALLY_MAX_SGE], result[TALLY_MAX_SGE];
	const void *data;	/* inline; NULL: none */
	uint32_t data_len;
	uint64_t id;		/* the poster's, for its outcome */
};

struct host_entry {
	uint64_t id;
	bool alone;		/* QUERY, ABORT: retired by a completion of its own only */
	bool done;
};

struct host_qp {
	struct host *host;
	struct host_cq *cq;
	uint32_t qpn, depth, stride;
	uint64_t sq;
	uint64_t posted, retired;	/* counts; slots up to retired are free again */
	struct host_entry *entry;	/* by slot */
	struct tally_uar_slot *slot;
	uint32_t uar;
	struct tally_push_buf *push;	/* NULL: none */
	uint64_t rung;			/* count of the last doorbell */
	uint32_t newest_bytes;		/* of the request posted last */
};

struct host_qp_cfg {
	uint32_t pd, group;
	uint64_t ranks;
	uint32_t depth, stride;
	uint16_t port;
	bool push;	/* has a push buffer, for host_qp_push() */
};

/* Returns 0, or -ENOMEM (-ENOSPC: no push buffer is free) with nothing sent. */
int host_qp_create(struct host *h, struct host_qp *qp, struct host_cq *cq,
		   const struct host_qp_cfg *cfg, host_answer *fn, void *arg);
/* MODIFY_QP; to RESET, host_qp_cleared() is due when that was answered. */
void host_qp_modify(struct host_qp *qp, enum tally_qp_state state, host_answer *fn, void *arg);
/* The device counts from 0 again and has forgotten all requests. */
void host_qp_cleared(struct host_qp *qp);
void host_qp_destroy(struct host_qp *qp, host_answer *fn, void *arg);
/* After the answer to host_qp_destroy(), or the NIC's end. */
void host_qp_forget(struct host_qp *qp);

/* Entries free for host_post(). */
uint32_t host_qp_room(const struct host_qp *qp);

/* Bytes of a send queue entry for so many list entries and inline bytes. */
uint32_t host_wqe_bytes(unsigned int num_gather, unsigned int num_result, uint32_t data_len);

/*
 * Writes a request into the send queue, which must have a stride it fits in. The device learns of
 * it with one of those below. False: the queue is full, which is trouble, and nothing is posted.
 */
bool host_post(struct host_qp *qp, const struct host_wr *wr);
void host_qp_ring(struct host_qp *qp);
/*
 * Pushes the request posted last with its doorbell, if the queue pair has a push buffer and the rule
 * of uapi/tally-push.h says so; otherwise as host_qp_ring().
 */
void host_qp_push(struct host_qp *qp);

/* An outcome: @cqe is NULL for a request that a later one's completion retired with success. */
typedef void host_outcome(void *arg, struct host_qp *qp, uint64_t id, const struct tally_cqe *cqe);

/*
 * What a completion of @qp means: calls @fn for each request it retires, in order. False, and
 * nothing is called: it names a request that is not outstanding.
 */
bool host_qp_complete(struct host_qp *qp, const struct tally_cqe *cqe, host_outcome *fn, void *arg);

#endif
