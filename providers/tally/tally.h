/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the provider's files share. */
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

/* A mapped UAR page; its doorbell slots belong to queues of this context. */
struct tally_uar {
	struct tally_uar *next;
	uint64_t mmap_offset;
	uint32_t users;
	void *page;
};

/* What it takes to tell the device of news without a system call. */
struct tally_bell {
	__le64 *counter;                  /* the doorbell slot */
	__le64 *arm;                      /* completion queues */
	const volatile __le32 *need_wake; /* the device sleeps, */
	__le32 *ring;                     /* wake it here */
	__le32 ring_value;
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
	void *ring_page;
	struct tally_ops ops;       /* what may be posted in some group, */
	struct tally_ops group_ops[TALLY_MODE_RING][2]; /* and in one of a mode; [1]: SPARSE */
	struct tally_bell bell;     /* template for queues: all but the slot */
	pthread_mutex_t uar_lock;
	struct tally_uar *uars;
	pthread_mutex_t qp_lock;    /* creation and destruction of queue pairs */
	/* By number; what belongs to a CQ changes under that CQ's lock as well. */
	struct tally_qp *qps[TALLY_MAX_QP];
	struct tally_cq *cq_of_qp[TALLY_MAX_QP];
	bool lost;                  /* known to be; it does not come back in this context */
};

struct tally_td {
	struct ibv_td td;
	uint32_t users; /* parent domains */
};

struct tally_pd {
	struct ibv_pd pd;
	uint32_t users;      /* parent domains of this one, queue pairs and completion queues */
	struct tally_pd *of; /* parent domain: of this one, */
	struct tally_td *td; /* and of this thread, or NULL */
};

struct tally_cq {
	struct verbs_cq vcq;
	struct tally_context *ctx;
	struct tally_lock lock;
	struct tally_cqe *ring;
	struct tally_cq_record *record; /* behind the ring: where the device reads `consumed` */
	uint8_t *stale;       /* entries of queue pairs destroyed before they were polled */
	uint32_t depth;       /* a power of two */
	uint32_t cqn;
	uint64_t consumed;
	uint64_t arms;        /* count of arm requests */
	struct tally_cqe cur; /* copy of the entry being read: the device can change the ring */
	struct tally_bell bell;
	struct tally_uar *uar;
	struct tally_pd *pd;  /* parent domain it was created with, or NULL */
	uint32_t users;       /* queue pairs */
	uint32_t idle_polls;
	bool armed;           /* an event was asked for, and none got since */
	bool lost;            /* all that the device wrote was polled; now requests are flushed */
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
	const struct tally_ops *ops; /* what may be posted now: group_ops, or nothing in RESET, INIT, RTR */
	const struct tally_ops *group_ops;
	enum tally_coll_status refusal; /* of the last post that failed */
	struct tally_bell bell;
	struct tally_push_buf *push; /* write-combined memory of the device; NULL: none */
	/* A chain between ibv_wr_start() and ibv_wr_complete(). */
	uint64_t next;        /* its next entry */
	struct tally_wqe *wqe; /* the request being built; NULL: none or in error */
	struct tally_sge *tail; /* where its next list goes; its end, once it is whole */
	int wr_err;
	struct tally_uar *uar;
	uint16_t node;        /* of the group */
};

struct tally_seg {
	struct tallydv_seg dv;
	uint32_t handle;
};

struct tally_group {
	struct tallydv_group dv;
	uint32_t handle;       /* of the uverbs object */
	uint32_t group_handle; /* names the group when a queue pair is created */
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

/* Entry `index` of the send queue, which goes round. */
static inline struct tally_wqe *tally_qp_entry(const struct tally_qp *qp, uint64_t index)
{
	size_t slot = index & qp->tracker.mask;

	return (struct tally_wqe *)(qp->sq + (slot << qp->stride_shift));
}

/* One more, or one less, uses it. */
static inline void tally_use(uint32_t *users)
{
	__atomic_fetch_add(users, 1, __ATOMIC_RELAXED);
}

static inline void tally_unuse(uint32_t *users)
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

/* After a store that the device should see soon. */
static inline void tally_wake(const struct tally_bell *bell)
{
	/*
	 * The device says that it sleeps and then looks at its doorbells once more; we store the
	 * doorbell and then look whether it sleeps. The fence keeps one of the two from missing.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (*bell->need_wake)
		mmio_write32_le(bell->ring, bell->ring_value);
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
/* EPROTO: the kernel named a slot outside the page. */
int tally_set_bell(struct tally_bell *bell, const struct tally_context *ctx,
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
/* Whether it promises that one thread at a time uses what is created with it. */
bool tally_has_one_thread(const struct ibv_pd *pd);

/* cq.c */
struct ibv_cq *tally_create_cq(struct ibv_context *context, int cqe,
			       struct ibv_comp_channel *channel, int comp_vector);
struct ibv_cq_ex *tally_create_cq_ex(struct ibv_context *context,
				     struct ibv_cq_init_attr_ex *attr);
int tally_destroy_cq(struct ibv_cq *cq);
/* Ring, record and tables for so many entries, a power of two. */
int tally_cq_alloc_queue(struct tally_cq *cq, uint32_t depth);
void tally_cq_free_queue(struct tally_cq *cq);

/* poll.c */
int tally_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
int tally_req_notify_cq(struct ibv_cq *cq, int solicited_only);
void tally_set_poll_ops(struct ibv_cq_ex *cq, uint64_t wc_flags);
/* Completions of `qp` are to be taken from its CQ. */
void tally_cq_attach(struct tally_cq *cq, struct tally_qp *qp);
/* No more; what the device wrote of it and nobody polled will not be seen. */
void tally_cq_detach(struct tally_cq *cq, struct tally_qp *qp);

/* lost.c */
bool tally_is_lost(struct tally_context *ctx);
/*
 * What to tell who destroys something, where the kernel said `err`: without its device the kernel
 * has destroyed everything already, and says EIO to whatever it is asked. ENOENT is what it says after
 * an attempt that destroyed the object and failed to tell of it.
 */
int tally_destroyed(struct tally_context *ctx, int err);
/* After a poll that found nothing, under the CQ's lock. */
bool tally_cq_is_lost(struct tally_cq *cq);
/*
 * Retire one outstanding request of the CQ's queue pairs, each queue pair's in order, and make a
 * completion of it in cq->cur. ENOENT: there is none.
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
/* EINVAL, with a sentence: more than the device has. */
int tally_check_cap(const struct tally_call *call, const struct ibv_qp_cap *cap,
		    const struct tally_uresp_alloc_ucontext *limits);
/* Send queue and tables for good capabilities, which are rounded up. ENOMEM. */
int tally_qp_alloc_queue(struct tally_qp *qp, struct ibv_qp_cap *cap,
			 const struct tally_uresp_alloc_ucontext *limits);
void tally_qp_free_queue(struct tally_qp *qp);

/* post.c */
int tally_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
void tally_set_post_ops(struct tally_qp *qp);

/* edges.c: the edges of a group as the kernel takes them, exactly `attr`'s neighbours, which have a MAC. */
bool tally_has_mac(const struct tallydv_neighbour *neighbour);
void tally_group_edges(const struct tallydv_group_attr *attr, struct tally_ureq_edge *edges);
uint32_t tally_group_rank_first(const struct tallydv_group_attr *attr);

/* group_query.c: what the kernel says, as programs get it. */
void tally_unpack_edge(struct tallydv_edge_info *to, const struct tally_uresp_edge *from);
void tally_unpack_seg(struct tallydv_seg_info *to, const struct tally_uresp_seg *from);
void tally_unpack_arrival(struct tallydv_arrival *to, const struct tally_uresp_arrival *from);

#endif
