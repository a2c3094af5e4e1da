/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Kernel-user verbs ABI of tally_ib: driver data of the common verbs, and the
 * driver-specific objects *group* and *segment range*.
 */
#ifndef TALLY_ABI_USER_H
#define TALLY_ABI_USER_H

#include <linux/types.h>
#include <rdma/ib_user_ioctl_cmds.h>

#define TALLY_UVERBS_ABI_VERSION 1

/* No enum rdma_driver_id is assigned; one private number on both sides. */
#define TALLY_RDMA_DRIVER_ID 0x5441

/* Every *_mmap_offset is the offset argument of mmap() on the command fd and covers one page. */
struct tally_uresp_alloc_ucontext {
	__aligned_u64 caps;               /* TALLY_CAP_ */
	__aligned_u64 status_mmap_offset; /* struct tally_status_page, read only */
	__aligned_u64 ring_mmap_offset;   /* BAR0's page; valid if ring_value != 0 */
	__u32 ring_page_offset;           /* where in that page the wake-up register is */
	__u32 ring_value;                 /* what to store there; 0: the device needs no wake-up */
	__u32 mtu;
	__u32 max_message; /* bytes of a list entry; 0: unlimited */
	__u32 max_inline;
	__u32 max_sge; /* of the gather list, and of the result list */
	__u32 max_sq_depth;
	__u32 max_cq_depth;
	__u32 max_segs;   /* quota of this process */
	__u32 max_groups; /* quota of this process */
	__u32 clock_khz;
	__u32 max_cells; /* quota of this process: message cells of all its groups */
	__u32 epoch;     /* the status page shows another one once the device was reset or is gone */
	__u32 reserved;
};

struct tally_uresp_alloc_pd {
	__u32 pdn;
	__u32 reserved;
};

struct tally_ureq_create_cq {
	/* depth entries of struct tally_cqe and a struct tally_cq_record, page aligned, zeroed */
	__aligned_u64 buf_addr;
	__u32 depth;            /* a power of two, at least the cqe asked for */
	__u32 reserved;
};

struct tally_uresp_create_cq {
	__aligned_u64 db_mmap_offset; /* the UAR page of the doorbell slot; the same for all of one page */
	__u32 cqn;
	__u16 db_slot;
	__u16 reserved;
};

struct tally_ureq_create_qp {
	__aligned_u64 sq_addr; /* sq_depth * sq_stride bytes, page aligned */
	__aligned_u64 ranks;   /* local ranks to post for: a subset of the group handle's */
	__u32 group_handle;    /* from the group's create or attach, in this context */
	__u32 sq_depth;        /* a power of two */
	__u32 sq_stride;       /* bytes, a power of two; a request with both lists full fits in */
	__u16 port;            /* port number in the group, unique in group and node */
	__u16 reserved;
};

struct tally_uresp_create_qp {
	__aligned_u64 db_mmap_offset;
	__u32 qpn;
	__u16 db_slot;
	__u16 reserved;
};

/* ---- Segment range ---- */
enum tally_object_id {
	TALLY_OBJECT_SEG = (1U << UVERBS_ID_NS_SHIFT),
	TALLY_OBJECT_GROUP,
};

enum tally_methods_seg {
	TALLY_METHOD_SEG_ALLOC = (1U << UVERBS_ID_NS_SHIFT),
	TALLY_METHOD_SEG_FREE,
};

enum tally_attrs_seg_alloc {
	TALLY_ATTR_SEG_ALLOC_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	TALLY_ATTR_SEG_ALLOC_COUNT,     /* __u32, a power of two, at most TALLY_MAX_GROUP_SEGS */
	TALLY_ATTR_SEG_ALLOC_RESP_BASE, /* __u32, first segment */
};

enum tally_attrs_seg_free {
	TALLY_ATTR_SEG_FREE_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
};

/* ---- Group ---- */
enum tally_methods_group {
	TALLY_METHOD_GROUP_CREATE = (1U << UVERBS_ID_NS_SHIFT),
	TALLY_METHOD_GROUP_ATTACH,
	TALLY_METHOD_GROUP_QUERY,
	TALLY_METHOD_GROUP_DESTROY,
	TALLY_METHOD_GROUP_RESET,
	TALLY_METHOD_GROUP_QUERY_EDGES,
	TALLY_METHOD_GROUP_QUERY_SEGS,
	TALLY_METHOD_GROUP_QUERY_ARRIVALS,
};

/*
 * What the creator says of the group; the driver makes struct tally_group_cfg
 * of it, filling in the first segment from the segment range.
 */
struct tally_ureq_group {
	__aligned_u64 join_key;    /* what attaching processes must show */
	__aligned_u64 rank_mask;   /* local ranks that take part */
	__aligned_u64 owner_ranks; /* those of them this handle posts for */
	__u32 jid;
	__u32 flags; /* TALLY_GROUP_F_ */
	__u32 timeout_ms;
	__u32 epoch; /* with TALLY_GROUP_F_ROOT: the first epoch, not 0; others: 0 */
	__u32 mtu;
	__u32 total_ranks;
	__u32 retry_limit; /* 0: the driver's default */
	__u32 rto_us;      /* 0: the driver's default */
	__u32 rank_first;  /* global index of this node's lowest rank */
	__u32 msg_cells;   /* cells of the receive message queue to reserve */
	__u32 num_segs;    /* of a round, a power of two; 0: as many as find room in the range */
	__u16 node;
	__u16 num_nodes;
	__u8 mode; /* enum tally_mode */
	__u8 level;
	__u8 rounds; /* EXCHANGE: up to TALLY_MAX_ROUNDS, 0 with one node; else 0 */
	__u8 reserved[5];
	__u8 mcast_gid[16];  /* MULTICAST: the results' address, in ff00::/8; else 0 */
	__u8 source_gid[16]; /* MULTICAST: the tree's root; else 0 */
};

struct tally_ureq_group_attach {
	__aligned_u64 join_key;
	__aligned_u64 ranks; /* local ranks this handle posts for; nobody else's */
	__u32 jid;
	__u32 reserved;
};

struct tally_uresp_group {
	__u32 group_handle; /* names the group in struct tally_ureq_create_qp, in this context only */
	__u32 num_segs; /* of a round */
	__u32 mtu;
	__u32 timeout_ms;
	__u16 node;
	__u16 num_nodes;
	__u32 flags; /* TALLY_GROUP_F_ */
	__aligned_u64 rank_mask;
	__u32 total_ranks;
	__u32 rank_first;
	__u32 msg_cells;
	__u8 mode; /* enum tally_mode */
	__u8 level;
	__u8 rounds;
	__u8 reserved;
};

enum tally_attrs_group_create {
	TALLY_ATTR_GROUP_CREATE_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	TALLY_ATTR_GROUP_CREATE_SEG,   /* handle of a segment range that no other group uses */
	TALLY_ATTR_GROUP_CREATE_REQ,   /* struct tally_ureq_group */
	TALLY_ATTR_GROUP_CREATE_EDGES, /* array of struct tally_group_edge, see uapi/tally.yaml; may be absent */
	TALLY_ATTR_GROUP_CREATE_RESP,  /* struct tally_uresp_group */
};

enum tally_attrs_group_attach {
	TALLY_ATTR_GROUP_ATTACH_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	TALLY_ATTR_GROUP_ATTACH_REQ,  /* struct tally_ureq_group_attach */
	TALLY_ATTR_GROUP_ATTACH_RESP, /* struct tally_uresp_group */
};

enum tally_attrs_group_query {
	TALLY_ATTR_GROUP_QUERY_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	TALLY_ATTR_GROUP_QUERY_RESP, /* struct tally_group_info */
};

enum tally_attrs_group_destroy {
	TALLY_ATTR_GROUP_DESTROY_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
};

/*
 * Any handle of the group will do. EBUSY: the group is not dead, so there is nothing to reset;
 * EOWNERDEAD: a rank has left, so the group can only be destroyed; EINVAL: the epoch does not come
 * after the old one.
 */
enum tally_attrs_group_reset {
	TALLY_ATTR_GROUP_RESET_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	TALLY_ATTR_GROUP_RESET_EPOCH, /* __u32, the next epoch, the same at all nodes, not 0 */
};

/*
 * QUERY_EDGES, QUERY_SEGS and QUERY_ARRIVALS. RESP_LIST takes as many entries as it has room for,
 * one at least; RESP_COUNT says how many there are, which may be more. Edges and arrivals that do
 * not exist are not in the list: an edge is known by its index, arrivals come newest first.
 */
enum tally_attrs_group_query_list {
	TALLY_ATTR_GROUP_QUERY_LIST_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	TALLY_ATTR_GROUP_QUERY_LIST_RESP_LIST,  /* struct tally_edge_info, seg_info or arrival */
	TALLY_ATTR_GROUP_QUERY_LIST_RESP_COUNT, /* __u32 */
};

#endif
