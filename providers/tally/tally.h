/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Declarations shared by the files of the provider. */
#ifndef TALLY_H
#define TALLY_H

#include <endian.h>
#include <infiniband/driver.h>
#include <pthread.h>
#include <rdma/tally-abi.h>
#include <stdbool.h>
#include <stdint.h>
#include <util/mmio.h>
#include <util/udma_barrier.h>

#include "gen/tally_hw.h"
#include "ops.h"
#include "tally-push.h"
#include "tallydv.h"
#include "wr_tracker.h"

#define TALLY_ROUND_UP(n, align) (((n) + (align) - 1) / (align) * (align))

struct tally_device {
	struct verbs_device vdev;
};

/* A mapped UAR page, whose doorbell slots belong to queues of this context. */
struct tally_uar {
	struct tally_uar *next;
	uint64_t mmap_offset;
	uint32_t users;
	void *page;
};

/* Pointers to notify the device without a system call. */
struct tally_doorbell {
	__le64 *counter;                  /* doorbell slot */
	__le64 *arm;                      /* arm count of a completion queue */
	const volatile __le32 *need_wake; /* whether the device sleeps */
	__le32 *wake;                     /* register that wakes it */
	__le32 wake_value;
};

struct tally_lock {
	pthread_spinlock_t spin;
	bool single_threaded;
};

struct tally_call;
struct tally_qp;

struct tally_context {
	struct verbs_context vctx;
	struct tally_uresp_alloc_ucontext info;
	void *status_page;
	void *wake_page;
	struct tally_ops ops;       /* requests that any group of the device may post */
	/* the same for the groups of each set of modes, less 1; [1]: for SPARSE */
	struct tally_ops group_ops[TALLY_OPS_MODES][2];
	struct tally_doorbell doorbell; /* template for queues, without the slot */
	pthread_mutex_t uar_lock;
	struct tally_uar *uars;
	pthread_mutex_t qp_lock;    /* serializes creation and destruction of queue pairs */
	/*
	 * Indexed by queue pair number. Entries that belong to a CQ change under that CQ's lock,
	 * too.
	 */
	struct tally_qp *qps[TALLY_MAX_QP];
	struct tally_cq *cq_of_qp[TALLY_MAX_QP];
	bool lost;                  /* the device is lost for this context forever */
};

struct tally_td {
	struct ibv_td td;
	uint32_t users; /* number of parent domains */
};

struct tally_pd {
	struct ibv_pd pd;
	uint32_t users;      /* number of its parent domains, queue pairs and completion queues */
	struct tally_pd *of; /* of a parent domain: the protection domain it contains, */
	struct tally_td *td; /* and the thread domain, or NULL */
};

struct tally_cq {
	struct verbs_cq vcq;
	struct tally_context *ctx;
	struct tally_lock lock;
	struct tally_cqe *ring;
	struct tally_cq_record *record; /* behind the ring; the device reads `consumed` there */
	uint8_t *stale;       /* flags of entries whose queue pair was destroyed before the poll */
	uint32_t depth;       /* a power of two */
	uint32_t cqn;
	uint64_t consumed;
	uint64_t arms;        /* number of arm requests */
	struct tally_cqe cur; /* copy of the current entry; the device can change the ring */
	struct tally_doorbell doorbell;
	struct tally_uar *uar;
	struct tally_pd *pd;  /* parent domain that it was created with, or NULL */
	uint32_t users;       /* number of queue pairs */
	uint32_t idle_polls;
	bool armed;           /* an event was requested, and has not arrived */
	bool lost;            /* every completion of the lost device was polled; requests are
				 flushed now */
};

struct tally_qp {
	struct verbs_qp vqp;
	struct tallydv_qp dv;
	struct tally_lock lock;
	struct tally_wr_tracker tracker;
	uint8_t *sq;
	uint32_t stride_shift; /* log2 of the bytes of an entry */
	uint32_t max_sge;
	uint32_t max_inline;
	uint32_t jid;
	uint64_t ranks;
	uint32_t flags;        /* TALLY_WQE_F_ of every request: SIGNALED or none */
	const struct tally_ops *ops; /* requests that may be posted now; none in RESET, INIT, RTR */
	const struct tally_ops *group_ops;
	enum tally_coll_status refusal; /* status of the last post that failed */
	struct tally_doorbell doorbell;
	struct tally_push_buf *push; /* write-combined memory of the device, or NULL */
	/* State of a chain between ibv_wr_start() and ibv_wr_complete(). */
	uint64_t next;        /* next entry of the chain */
	struct tally_wqe *wqe; /* request being built; NULL: none, or after an error */
	struct tally_sge *tail; /* place of its next list, or its end once it is complete */
	int wr_err;
	struct tally_uar *uar;
	uint16_t node;        /* node index in the group */
	uint8_t modes;        /* TALLY_MODES_ of the group */
};

struct tally_seg {
	struct tallydv_seg dv;
	uint32_t handle;
};

struct tally_group {
	struct tallydv_group dv;
	uint32_t handle;       /* handle of the uverbs object */
	uint32_t group_handle; /* number of the group, used to create a queue pair */
};

static inline struct tally_context *to_tctx(struct ibv_context *context)
{
	return container_of(verbs_get_ctx(context), struct tally_context, vctx);
}

static inline struct tally_pd *to_tpd(struct ibv_pd *pd)
{
	return container_of(pd, struct tally_pd, pd);
}

static inline struct tally_cq *to_tcq(struct ibv_cq *cq)
{
	return container_of(cq, struct tally_cq, vcq.cq);
}

static inline struct tally_cq *to_tcq_ex(struct ibv_cq_ex *cq)
{
	return container_of(cq, struct tally_cq, vcq.cq_ex);
}

static inline struct tally_qp *to_tqp(struct ibv_qp *qp)
{
	return container_of(qp, struct tally_qp, vqp.qp);
}

static inline struct tally_qp *to_tqp_ex(struct ibv_qp_ex *qp)
{
	return container_of(qp, struct tally_qp, vqp.qp_ex);
}

/* Returns entry `index` of the send queue, which is a ring. */
static inline struct tally_wqe *tally_qp_entry(const struct tally_qp *qp, uint64_t index)
{
	size_t slot = index & qp->tracker.mask;

	return (struct tally_wqe *)(qp->sq + (slot << qp->stride_shift));
}

/* Adds a user of an object. */
static inline void tally_ref(uint32_t *users)
{
	__atomic_fetch_add(users, 1, __ATOMIC_RELAXED);
}

static inline void tally_unref(uint32_t *users)
{
	__atomic_fetch_sub(users, 1, __ATOMIC_RELEASE);
}

static inline int tally_lock_init(struct tally_lock *lock, bool single_threaded)
{
	lock->single_threaded = single_threaded;
	return pthread_spin_init(&lock->spin, PTHREAD_PROCESS_PRIVATE);
}

static inline void tally_lock(struct tally_lock *lock)
{
	if (!lock->single_threaded)
		pthread_spin_lock(&lock->spin);
}

static inline void tally_unlock(struct tally_lock *lock)
{
	if (!lock->single_threaded)
		pthread_spin_unlock(&lock->spin);
}

/* Wakes the device if it sleeps. Called after a store that it must see soon. */
static inline void tally_wake(const struct tally_doorbell *doorbell)
{
	/*
	 * The device sets need_wake and then reads its doorbells again. This code stores the
	 * doorbell and then reads need_wake. The fence makes sure that at least one of them sees
	 * the other's store.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (*doorbell->need_wake)
		mmio_write32_le(doorbell->wake, doorbell->wake_value);
}

static inline uint32_t tally_round_up_pow2(uint32_t n)
{
	return n <= 1 ? 1 : 1U << (32 - __builtin_clz(n - 1));
}

/* tally.c */
bool tally_match(const char *modalias, uint32_t driver_id, const char *driver_name);

/* memory.c */
void *tally_alloc_ring(size_t size);
void tally_free_ring(void *ring, size_t size);
struct tally_uar *tally_get_uar(struct tally_context *ctx, uint64_t mmap_offset);
void tally_put_uar(struct tally_context *ctx, struct tally_uar *uar);
/* EPROTO: the kernel named a slot outside of the page. */
int tally_set_doorbell(struct tally_doorbell *doorbell, const struct tally_context *ctx,
		       const struct tally_uar *uar, unsigned int slot);

/* verbs.c */
int tally_query_device_ex(struct ibv_context *context,
			  const struct ibv_query_device_ex_input *input,
			  struct ibv_device_attr_ex *attr, size_t attr_size);
int tally_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr);
struct ibv_mr *tally_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t hca_va,
			    int access);
struct ibv_mr *tally_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
				   uint64_t iova, int fd, int access);
int tally_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd, void *addr, size_t length,
		   int access);
int tally_dereg_mr(struct verbs_mr *vmr);

/* domain.c */
struct ibv_td *tally_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr);
int tally_dealloc_td(struct ibv_td *td);
struct ibv_pd *tally_alloc_pd(struct ibv_context *context);
int tally_dealloc_pd(struct ibv_pd *pd);
struct ibv_pd *tally_alloc_parent_domain(struct ibv_context *context,
					 struct ibv_parent_domain_init_attr *attr);
bool tally_is_parent_domain(const struct ibv_pd *pd);
/*
 * Returns whether the program promises that only one thread at a time uses objects of this domain.
 */
bool tally_has_one_thread(const struct ibv_pd *pd);

/* cq.c */
struct ibv_cq *tally_create_cq(struct ibv_context *context, int cqe,
			       struct ibv_comp_channel *channel, int comp_vector);
struct ibv_cq_ex *tally_create_cq_ex(struct ibv_context *context,
				     struct ibv_cq_init_attr_ex *attr);
int tally_destroy_cq(struct ibv_cq *cq);
/* Allocates ring, record and tables for `depth` entries, a power of two. */
int tally_cq_alloc_queue(struct tally_cq *cq, uint32_t depth);
void tally_cq_free_queue(struct tally_cq *cq);

/* poll.c */
int tally_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
int tally_req_notify_cq(struct ibv_cq *cq, int solicited_only);
void tally_set_poll_ops(struct ibv_cq_ex *cq, uint64_t wc_flags);
/* Begins to take completions of `qp` from its CQ. */
void tally_cq_attach(struct tally_cq *cq, struct tally_qp *qp);
/* Stops that. Completions that the device wrote and the program did not poll are dropped. */
void tally_cq_detach(struct tally_cq *cq, struct tally_qp *qp);

/* lost.c */
bool tally_is_lost(struct tally_context *ctx);
/*
 * Returns the errno for a call that destroys an object, if the kernel returned `err`. After the
 * loss of a device the kernel has destroyed everything, and returns EIO to all calls. The kernel
 * returns ENOENT after an earlier call that destroyed the object but failed afterwards.
 */
int tally_destroy_errno(struct tally_context *ctx, int err);
/* Checks for the loss of the device after an empty poll. Called with the CQ's lock held. */
bool tally_cq_is_lost(struct tally_cq *cq);
/*
 * Retire one outstanding request of the CQ's queue pairs, in the order of its queue pair, and write
 * a completion for it to cq->cur. ENOENT: no request is outstanding.
 */
int tally_cq_flush(struct tally_cq *cq, uint64_t *wr_id);
void tally_cq_event(struct ibv_cq *cq);
void tally_async_event(struct ibv_context *context, struct ibv_async_event *event);

/* qp.c */
struct ibv_qp *tally_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
struct ibv_qp *tally_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);
int tally_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask);
int tally_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		   struct ibv_qp_init_attr *init_attr);
int tally_destroy_qp(struct ibv_qp *qp);
/* Checks capabilities against the limits of the device. Returns EINVAL with a sentence. */
int tally_check_cap(const struct tally_call *call, const struct ibv_qp_cap *cap,
		    const struct tally_uresp_alloc_ucontext *limits);
/* Allocates the send queue and its tables for valid capabilities, which are rounded up. ENOMEM. */
int tally_qp_alloc_queue(struct tally_qp *qp, struct ibv_qp_cap *cap,
			 const struct tally_uresp_alloc_ucontext *limits);
void tally_qp_free_queue(struct tally_qp *qp);

/* post.c */
int tally_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
void tally_set_post_ops(struct tally_qp *qp);

/* edges.c: the edges of a group for the kernel. All neighbours of `attr` must have a MAC. */
bool tally_has_mac(const struct tallydv_neighbour *neighbour);
/* Returns the roles of a RING as in the first version of the ABIs. */
uint16_t tally_first_ring_roles(uint16_t roles);
void tally_group_edges(const struct tallydv_group_attr *attr, struct tally_ureq_edge *edges);
uint32_t tally_group_rank_first(const struct tallydv_group_attr *attr);

/* group_query.c: conversion of the kernel's answers for programs */
void tally_unpack_edge(struct tallydv_edge_info *to, const struct tally_uresp_edge *from);
void tally_unpack_seg(struct tallydv_seg_info *to, const struct tally_uresp_seg *from);
void tally_unpack_arrival(struct tallydv_arrival *to, const struct tally_uresp_arrival *from);

#endif
