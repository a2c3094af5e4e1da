/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Declarations shared by the files of tally_ib.ko. */
#ifndef TALLY_IB_H
#define TALLY_IB_H

#include <linux/idr.h>
#include <linux/scatterlist.h>
#include <linux/xarray.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "compat.h"
#include "tally.h"
#include "tally-abi.h"

/* InfiniBand and RoCE reserve queue pair numbers 0 and 1. */
#define TALLY_IB_FIRST_QPN 2

/* Defaults for a group whose creator does not set these values. */
#define TALLY_DEFAULT_RETRY_LIMIT 7
#define TALLY_DEFAULT_RTO_US 1000

/*
 * Refuses a request of a process: logs what is wrong, and returns @err. The message appears only
 * with dynamic debug, because a process must not be able to flood the log of the machine.
 */
#define tally_refuse(ibdev, err, fmt, ...) ({ \
	int __err = (err); \
\
	ibdev_dbg(ibdev, fmt ": error %d\n", ##__VA_ARGS__, __err); \
	__err; \
})

/**
 * struct tally_ibdev - The verbs device.
 * @ibdev: device of the RDMA core
 * @tdev: device of tally.ko
 * @pds: protection domain numbers
 * @uars: UAR pages
 * @mrs: memory region indices
 * @mr_variants: last variant of each index
 * @cqs: completion queues by number
 * @qps: queue pairs by number
 * @next_cqn: where the search for a free number begins
 * @next_qpn: where the search for a free number begins
 * @event_lock: guards the following members, also from interrupts
 * @registered: the core knows the device, so events may be dispatched
 * @port_held: a port event arrived before that
 * @fatal_told: the core was told that the device has failed
 */
struct tally_ibdev {
	struct ib_device ibdev;
	struct tally_dev *tdev;
	struct ida pds;
	struct ida uars;
	struct ida mrs;
	u8 *mr_variants;
	struct xarray cqs;
	struct xarray qps;
	u32 next_cqn;
	u32 next_qpn;
	spinlock_t event_lock;
	bool registered;
	bool port_held;
	bool fatal_told;
};

/**
 * struct tally_ucontext - A process's context.
 * @ibucontext: context of the RDMA core
 * @quota: limits of the process
 * @status_mmap: mapping of the status page
 * @wake_mmap: mapping of the wake-up register, or NULL
 * @uar_lock: guards uars
 * @uars: UAR pages of the context, struct tally_uar
 * @groups: group handles of the context, by number
 */
struct tally_ucontext {
	struct ib_ucontext ibucontext;
	struct tally_quota *quota;
	struct rdma_user_mmap_entry *status_mmap;
	struct rdma_user_mmap_entry *wake_mmap;
	struct mutex uar_lock;
	struct list_head uars;
	struct xarray groups;
};

/**
 * struct tally_uar - A UAR page of a context.
 * @entry: entry in the context's list
 * @num: number of the page
 * @mmap: mapping of the page
 * @push_mmap: mapping of its push buffer; NULL until one is requested
 * @push_taken: its push buffer is in use
 * @taken: slots in use
 */
struct tally_uar {
	struct list_head entry;
	u32 num;
	struct rdma_user_mmap_entry *mmap;
	struct rdma_user_mmap_entry *push_mmap;
	bool push_taken;
	DECLARE_BITMAP(taken, TALLY_UAR_SLOTS);
};

/**
 * struct tally_doorbell - The doorbell slot of an object.
 * @ctx: context of the object
 * @uar: UAR page of the slot
 * @slot: number of the slot in the device
 * @push: the object also owns the push buffer of the UAR page
 */
struct tally_doorbell {
	struct tally_ucontext *ctx;
	struct tally_uar *uar;
	struct tally_doorbell_id slot;
	bool push;
};

/**
 * struct tally_umem - Memory of a process that the device accesses.
 * @umem: the pinned pages
 * @mem: description of the pages for the device
 * @list: page list; NULL if there is none
 * @list_sgt: pages of the list, mapped for the device
 */
struct tally_umem {
	struct ib_umem *umem;
	struct tally_mem mem;
	__le64 *list;
	struct sg_table list_sgt;
};

/* The context keeps the quota, and outlives its objects. */
struct tally_pd {
	struct ib_pd ibpd;
	struct tally_quota *quota;
	u32 pdn;
};

/**
 * struct tally_mr - A memory region.
 * @ibmr: memory region of the RDMA core
 * @quota: charged for the region
 * @buf: the memory
 * @what: parameters of the registration
 */
struct tally_mr {
	struct ib_mr ibmr;
	struct tally_quota *quota;
	struct tally_umem buf;
	struct tally_mr_what {
		u64 start;	/* address in the process, or offset in a dma-buf */
		u64 length;
		u64 iova;
		int access;
		int fd;		/* file descriptor of a dma-buf at registration, else -1 */
	} what;
};

struct tally_cq {
	struct ib_cq ibcq;
	u32 cqn;
	u32 depth;
	u32 comp_vector;
	struct tally_doorbell db;
	struct tally_umem ring;
};

/**
 * struct tally_qp - A collective queue pair.
 * @ibqp: queue pair of the RDMA core
 * @modifying: serializes changes of state
 * @state: state; interrupts may set it to IB_QPS_ERR
 * @depth: send queue entries
 * @stride: bytes of an entry
 * @cap: requested capabilities
 * @sig_type: whether all requests are signaled
 * @handle: group handle; the queue pair holds a reference
 * @ranks: ranks that it posts for
 * @port: port number in the group
 * @db: doorbell slot
 * @sq: send queue
 */
struct tally_qp {
	struct ib_qp ibqp;
	struct mutex modifying;
	enum ib_qp_state state;
	u32 depth;
	u32 stride;
	struct ib_qp_cap cap;
	enum ib_sig_type sig_type;
	struct tally_group_handle *handle;
	u64 ranks;
	u16 port;
	struct tally_doorbell db;
	struct tally_umem sq;
};

/**
 * struct tally_ib_group - A group object of a process.
 * @handle: group handle; the object holds a reference
 * @num: number of the group in the context, for queue pairs to name
 */
struct tally_ib_group {
	struct tally_group_handle *handle;
	u32 num;
};

static inline struct tally_ibdev *to_tdev(struct ib_device *ibdev)
{
	return container_of(ibdev, struct tally_ibdev, ibdev);
}

static inline struct tally_ucontext *to_tctx(struct ib_ucontext *ibucontext)
{
	return container_of(ibucontext, struct tally_ucontext, ibucontext);
}

static inline struct tally_pd *to_tpd(struct ib_pd *ibpd)
{
	return container_of(ibpd, struct tally_pd, ibpd);
}

static inline struct tally_mr *to_tmr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct tally_mr, ibmr);
}

static inline struct tally_cq *to_tcq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct tally_cq, ibcq);
}

static inline struct tally_qp *to_tqp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct tally_qp, ibqp);
}

/* event.c */
void tally_ib_events_release(struct tally_ibdev *dev);
void tally_ib_port_event(void *ctx, bool up);
void tally_ib_fatal_event(void *ctx);
void tally_ib_group_dead_event(void *ctx, u32 group, u64 status);

/* query.c */
int tally_ib_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			  struct ib_udata *udata);
int tally_ib_query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr);
int tally_ib_query_gid(struct ib_device *ibdev, u32 port, int index, union ib_gid *gid);
int tally_ib_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey);
int tally_ib_port_immutable(struct ib_device *ibdev, u32 port, struct ib_port_immutable *imm);
enum rdma_link_layer tally_ib_link_layer(struct ib_device *ibdev, u32 port);
void tally_ib_fw_str(struct ib_device *ibdev, char *str);

/* ctx.c */
int tally_ib_alloc_ucontext(struct ib_ucontext *ibucontext, struct ib_udata *udata);
void tally_ib_dealloc_ucontext(struct ib_ucontext *ibucontext);
void tally_ib_disassociate_ucontext(struct ib_ucontext *ibucontext);
int tally_ib_mmap(struct ib_ucontext *ibucontext, struct vm_area_struct *vma);
void tally_ib_mmap_free(struct rdma_user_mmap_entry *entry);
int tally_ib_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int tally_ib_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int tally_charge(struct tally_ucontext *ctx, enum tally_quota_kind kind, u32 count,
		 const char *name);
int tally_doorbell_alloc(struct tally_ucontext *ctx, struct tally_doorbell *db, u64 *offset);
int tally_doorbell_alloc_push(struct tally_ucontext *ctx, struct tally_doorbell *db, u64 *offset,
			      u64 *push_offset);
void tally_doorbell_free(struct tally_doorbell *db);

/* mem.c */
int tally_umem_get(struct tally_ibdev *dev, struct tally_umem *tumem, u64 addr, u64 length,
		   u32 entry, int access);
int tally_umem_get_dmabuf(struct tally_ibdev *dev, struct tally_umem *tumem, u64 offset, u64 length,
			  int fd, int access);
u64 tally_umem_max(void);
void tally_umem_put(struct tally_ibdev *dev, struct tally_umem *tumem);

/* mr.c */
struct ib_mr *tally_ib_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 virt_addr,
				   int access, struct ib_udata *udata);
struct ib_mr *tally_ib_reg_user_mr_dmabuf(struct ib_pd *ibpd, u64 offset, u64 length, u64 virt_addr,
					  int fd, int access,
					  struct tally_reg_dmabuf_attrs *attrs);
struct ib_mr *tally_ib_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length,
				     u64 virt_addr, int access, struct ib_pd *ibpd,
				     struct ib_udata *udata);
int tally_ib_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);

/* cq.c */
int tally_ib_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		       struct tally_create_cq_attrs *attrs);
int tally_ib_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
void tally_ib_cq_event(void *ctx, u32 cqn);
void tally_ib_cq_error_event(void *ctx, u32 cqn);

/* qp.c */
int tally_ib_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr, struct ib_udata *udata);
int tally_ib_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);
void tally_ib_qp_fatal_event(void *ctx, u32 qpn);

/* qp_modify.c */
int tally_ib_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		       struct ib_udata *udata);
int tally_ib_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		      struct ib_qp_init_attr *init_attr);

/* uobj_seg.c, uobj_group.c, uobj_query.c */
extern const struct uapi_definition tally_seg_defs[];
extern const struct uapi_definition tally_group_defs[];
extern const struct uapi_definition tally_group_query_defs[];

/* group_check.c */
u32 tally_group_num_segs(const struct tally_ureq_group *req, u32 room);
int tally_check_group(const struct tally_ibdev *dev, const struct tally_ureq_group *req, u32 room,
		      unsigned int num_edges, struct tally_uresp_why *why);

/* stats.c */
struct rdma_hw_stats *tally_ib_alloc_port_stats(struct ib_device *ibdev, u32 port);
int tally_ib_get_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port, int index);

/* res.c */
int tally_ib_fill_mr(struct sk_buff *msg, struct ib_mr *ibmr);
int tally_ib_fill_cq(struct sk_buff *msg, struct ib_cq *ibcq);
int tally_ib_fill_qp(struct sk_buff *msg, struct ib_qp *ibqp);

#endif
