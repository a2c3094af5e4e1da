/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queue pairs of a scripted host: the caller posts work requests and receives their outcomes. Every
 * request has exactly one outcome, which carries the id that the caller gave to the request.
 */
#ifndef TALLY_SIM_HOSTS_QP_H
#define TALLY_SIM_HOSTS_QP_H

#include "hosts/host.h"

/* A work request as the caller posts it: fields and lists are in the device's byte order. */
struct host_wr {
	struct tally_wqe w;	/* host_post() sets index, num_gather, num_result, inline_len */
	unsigned int num_gather, num_result;
	struct tally_sge gather[TALLY_MAX_SGE], result[TALLY_MAX_SGE];
	const void *data;	/* inline data; NULL: none */
	uint32_t data_len;
	uint64_t id;		/* chosen by the caller, returned with the outcome */
};

struct host_entry {
	uint64_t id;
	bool alone;		/* QUERY, ABORT: retired only by its own completion */
	bool done;
};

struct host_qp {
	struct host *host;
	struct host_cq *cq;
	uint32_t qpn, depth, stride;
	uint64_t sq;
	uint64_t posted, retired;	/* counts; the slots of requests below retired are free */
	struct host_entry *entry;	/* by slot */
	struct tally_uar_slot *slot;
	uint32_t uar;
	struct tally_push_buf *push;	/* NULL: none */
	uint64_t rung;			/* count in the last doorbell */
	uint32_t newest_bytes;		/* size of the most recent request */
};

struct host_qp_cfg {
	uint32_t pd, group;
	uint64_t ranks;
	uint64_t holder;	/* ranks that the process holds; 0: `ranks` */
	uint32_t depth, stride;
	uint16_t port;
	bool push;	/* has a push buffer, for host_qp_push() */
};

/* Returns 0, or -ENOMEM (-ENOSPC: no push buffer is free) without sending a command. */
int host_qp_create(struct host *h, struct host_qp *qp, struct host_cq *cq,
		   const struct host_qp_cfg *cfg, host_answer *fn, void *arg);
/* Sends MODIFY_QP; after the answer to a change to RESET, call host_qp_cleared(). */
void host_qp_modify(struct host_qp *qp, enum tally_qp_state state, host_answer *fn, void *arg);
/* Resets the host's counts, as the device counts from 0 again and has dropped all requests. */
void host_qp_cleared(struct host_qp *qp);
void host_qp_destroy(struct host_qp *qp, host_answer *fn, void *arg);
/* Frees the queue pair; call it after the answer to host_qp_destroy() or a power loss. */
void host_qp_forget(struct host_qp *qp);

/* Returns the number of free entries for host_post(). */
uint32_t host_qp_room(const struct host_qp *qp);

/* Returns the bytes of a send queue entry with these numbers of list entries and inline bytes. */
uint32_t host_wqe_bytes(unsigned int num_gather, unsigned int num_result, uint32_t data_len);

/*
 * Writes a request into the send queue, whose stride must be large enough for it. The caller tells
 * the device with host_qp_ring() or host_qp_push(). Returns false and posts nothing if the queue is
 * full, which is reported as an error.
 */
bool host_post(struct host_qp *qp, const struct host_wr *wr);
void host_qp_ring(struct host_qp *qp);
/*
 * Pushes the most recent request with its doorbell, if the queue pair has a push buffer and the
 * rule of uapi/tally-push.h permits it; otherwise the same as host_qp_ring().
 */
void host_qp_push(struct host_qp *qp);

/* An outcome: @cqe is NULL if the completion of a later request retired this one. */
typedef void host_outcome(void *arg, struct host_qp *qp, uint64_t id, const struct tally_cqe *cqe);

/*
 * Interprets a completion of @qp: calls @fn for each request that it retires, in order. Returns
 * false without a call if it names a request that is not outstanding.
 */
bool host_qp_complete(struct host_qp *qp, const struct tally_cqe *cqe, host_outcome *fn, void *arg);

#endif
