/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Kernel-user verbs ABI of tally_ib: driver data of the common verbs, and the
 * driver-specific objects *group* and *segment range*.
 *
 * Structures grow at their end. Both sides accept shorter ones, down to the first version, and
 * longer ones. Fields that one side does not know are 0 in an answer, and must be 0 in a request.
 * Entries of lists have the size that the process gives. All structures are in host byte order.
 * None of them is a layout of the device; those change by rules of their own.
 */
#ifndef TALLY_ABI_USER_H
#define TALLY_ABI_USER_H

#include <linux/types.h>
#include <rdma/ib_user_ioctl_cmds.h>

#define TALLY_UVERBS_ABI_VERSION 2

/* No enum rdma_driver_id is assigned, so both sides use a private number. */
#define TALLY_RDMA_DRIVER_ID 0x5441

/* ---- Refusals ---- */
enum tally_why_where {
	TALLY_WHY_UNKNOWN, /* only the errno is known */
	TALLY_WHY_REQUEST, /* offset refers to the structure of the request */
	TALLY_WHY_EDGE,    /* offset refers to struct tally_ureq_edge number `edge` */
	TALLY_WHY_EDGES,   /* the list of edges is at fault; it has `value` entries */
	TALLY_WHY_GROUPS,  /* the number of groups is at its limit */
};

/* The error in a request. It is filled in when the call fails, even if the answer is not. */
struct tally_uresp_why {
	__aligned_u64 value; /* of the field at fault; 0 if it is an address */
	__u32 where;         /* enum tally_why_where */
	__u32 offset;        /* of the field at fault */
	__u32 edge;
	__u32 status;        /* of the device, enum tally_admin_status; 0: the driver refuses */
};

/* ---- Driver data of the common verbs ---- */
/*
 * Every *_mmap_offset is the offset argument of mmap() on the command fd. The mapping has one page,
 * except that of a push buffer, which has push_size bytes and is write-combined.
 */
struct tally_uresp_alloc_ucontext {
	__aligned_u64 caps;               /* TALLY_CAP_ */
	__aligned_u64 status_mmap_offset; /* struct tally_status_page, read only */
	__aligned_u64 wake_mmap_offset;   /* BAR0's page; valid if wake_value != 0 */
	__u32 wake_page_offset;           /* offset of the wake-up register in that page */
	__u32 wake_value;                 /* value to store there; 0: the device needs no wake-up */
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
	__u32 epoch;     /* the status page shows another one after the device was reset or is gone */
	__u32 opcodes;   /* that the device performs: bit 1 << opcode */
};

struct tally_uresp_alloc_pd {
	__u32 pdn;
	__u32 reserved;
};

struct tally_ureq_create_cq {
	/* depth entries of struct tally_cqe and a struct tally_cq_record, page aligned, zeroed */
	__aligned_u64 buf_addr;
	__u32 depth;            /* a power of two, at least the requested cqe */
	__u32 reserved;
};

struct tally_uresp_create_cq {
	__aligned_u64 db_mmap_offset; /* page of the doorbell slot; the same for all slots of a page */
	__u32 cqn;
	__u16 db_slot;
	__u16 reserved;
};

struct tally_ureq_create_qp {
	__aligned_u64 sq_addr; /* sq_depth * sq_stride bytes, page aligned */
	__aligned_u64 ranks;   /* local ranks to post for: a subset of those of the group handle */
	__u32 group_handle;    /* from the group's create or attach, in this context */
	__u32 sq_depth;        /* a power of two */
	__u32 sq_stride;       /* bytes, a power of two; a request with two full lists fits in */
	__u16 port;            /* port number in the group, unique in group and node */
	__u16 flags;           /* enum tally_qp_flags */
};

enum tally_qp_flags {
	TALLY_QP_F_PUSH = 1 << 0, /* with a push buffer, if one is free */
};

struct tally_uresp_create_qp {
	__aligned_u64 db_mmap_offset;
	__u32 qpn;
	__u16 db_slot;
	__u16 reserved;
	__aligned_u64 push_mmap_offset; /* the queue pair's push buffer, zeroed; valid if push_size != 0 */
	__u32 push_size;                /* sizeof(struct tally_push_buf); 0: it has none */
	__u32 reserved2;
	struct tally_uresp_why why; /* filled in when the call fails */
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
 * Description of a group by its creator. The driver builds struct tally_group_cfg
 * from it. The segment range says how many segments the group may own.
 */
struct tally_ureq_group {
	__aligned_u64 join_key;    /* key that attaching processes must present */
	__aligned_u64 rank_mask;   /* local ranks that take part */
	__aligned_u64 owner_ranks; /* those of them that this handle posts for */
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
	__u32 num_segs;    /* that the group owns; 0: the largest power of two in the range */
	__u16 node;
	__u16 num_nodes;
	__u8 mode; /* enum tally_mode */
	__u8 level;
	__u8 rounds; /* EXCHANGE: up to TALLY_MAX_ROUNDS, 0 with one node; otherwise 0 */
	__u8 modes;  /* TALLY_MODES_; 0: only `mode`, and edges as in the first version, see below */
	__u32 edge_size;     /* bytes of an edge, at least those of struct tally_ureq_edge; 0: no edges */
	__u8 mcast_gid[16];  /* MULTICAST: address of the results, in ff00::/8; otherwise 0 */
	__u8 source_gid[16]; /* MULTICAST: GID of the tree's root; otherwise 0 */
	/* The first version ends here. */
	__u32 max_segs;      /* most segments that the group may hold; 0: num_segs */
	__u32 plan;          /* hash of the plan; 0: none */
	__u32 chunk;         /* most bytes of a chunk in fixed order without cells; 0: with cells */
	__u32 reserved;
	/* Mode of messages that name none, by opcode - 1; 0: `mode` */
	__u8 choice_small[8];      /* of up to 2^choice_small_log bytes */
	__u8 choice_middle[8];     /* of longer ones, up to 2^choice_middle_log bytes */
	__u8 choice_large[8];      /* of those that are longer than both */
	__u8 choice_small_log[8];  /* 0 to TALLY_MAX_CHOICE_LOG */
	__u8 choice_middle_log[8]; /* 0 to TALLY_MAX_CHOICE_LOG */
};

/*
 * A neighbour. The list has the contributors in order of their index, followed by the parent if
 * there is one that is not a contributor.
 *
 * With `modes` 0 of the group, roles and parts are those of the first version: in RING, IN and OUT
 * mean RING_IN and RING_OUT, and in EXCHANGE, rank_first and rank_count are the ranks of the part of
 * a neighbour with role IN, unless part_count is not 0.
 */
struct tally_ureq_edge {
	__u8 gid[16];
	__u8 mac[6];
	__u16 remote_index;  /* this node's index at the neighbour; TALLY_CONTRIB_PARENT: a child */
	__u32 rank_first;    /* child: ranks of its subtree */
	__u32 rank_count;
	__u16 subtree_first; /* child: nodes below it */
	__u16 subtree_count;
	__u16 roles;         /* TALLY_ROLE_; TREE alone: 0 */
	__u8 round;          /* EXCHANGE: from 1; otherwise 0 */
	__u8 position;       /* role IN: position of its part in the round */
	__u32 part_first;    /* role IN: ranks of its part */
	__u32 part_count;
};

struct tally_ureq_group_attach {
	__aligned_u64 join_key;
	__aligned_u64 ranks; /* local ranks that this handle posts for; no other handle has them */
	__u32 jid;
	__u32 reserved;
};

struct tally_uresp_group {
	__u32 group_handle; /* names the group in struct tally_ureq_create_qp, in this context only */
	__u32 num_segs; /* that the group owns */
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
	__u8 modes; /* TALLY_MODES_; 0: only `mode` */
	/* The first version ends here. */
	__u32 max_segs; /* most segments that the group may hold; 0: num_segs */
	__u32 reserved;
};

enum tally_attrs_group_create {
	TALLY_ATTR_GROUP_CREATE_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	TALLY_ATTR_GROUP_CREATE_SEG,   /* handle of a segment range that no other group uses */
	TALLY_ATTR_GROUP_CREATE_REQ,   /* struct tally_ureq_group */
	TALLY_ATTR_GROUP_CREATE_EDGES, /* array of struct tally_ureq_edge; may be absent */
	TALLY_ATTR_GROUP_CREATE_RESP,  /* struct tally_uresp_group */
	TALLY_ATTR_GROUP_CREATE_RESP_WHY, /* struct tally_uresp_why; may be absent */
};

enum tally_attrs_group_attach {
	TALLY_ATTR_GROUP_ATTACH_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	TALLY_ATTR_GROUP_ATTACH_REQ,  /* struct tally_ureq_group_attach */
	TALLY_ATTR_GROUP_ATTACH_RESP, /* struct tally_uresp_group */
	TALLY_ATTR_GROUP_ATTACH_RESP_WHY, /* struct tally_uresp_why; may be absent */
};

struct tally_uresp_group_info {
	__aligned_u64 open_edges;   /* contributors */
	__aligned_u64 attached;     /* local ranks that a process holds */
	__aligned_u64 gone;         /* local ranks whose process left */
	__aligned_u64 contributors; /* missing at the detector */
	__aligned_u64 ranks;        /* missing at the detector */
	__u32 jid;
	__u32 epoch; /* 0: not known yet */
	__u32 done;  /* chunks finished without a gap */
	__u16 status;   /* enum tally_coll_status: reason for the end of the epoch */
	__u16 detector; /* node that noticed the error */
	__u8 state;       /* enum tally_group_state */
	__u8 parent_open; /* 1 also if there is no parent */
	__u8 reserved[6];
};

enum tally_attrs_group_query {
	TALLY_ATTR_GROUP_QUERY_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	TALLY_ATTR_GROUP_QUERY_RESP, /* struct tally_uresp_group_info */
};

enum tally_attrs_group_destroy {
	TALLY_ATTR_GROUP_DESTROY_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
};

/*
 * Any handle of the group may be used. EBUSY: the group is not dead, so there is nothing to reset;
 * EOWNERDEAD: a rank has left, so the group can only be destroyed; EINVAL: the epoch does not come
 * after the old one.
 */
enum tally_attrs_group_reset {
	TALLY_ATTR_GROUP_RESET_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	TALLY_ATTR_GROUP_RESET_EPOCH, /* __u32, the next epoch, the same at all nodes, not 0 */
};

struct tally_uresp_edge {
	__u8 gid[16];
	__u8 mac[6];
	__u8 state; /* enum tally_edge_state */
	__u8 index; /* contributor; TALLY_CONTRIB_PARENT: the parent */
	__u16 subtree_first;
	__u16 subtree_count;
	__u32 peer_done;   /* chunks finished at the neighbour, as far as known */
	__u32 outstanding; /* packets not acknowledged */
	__u32 retries;     /* retransmissions or probes since the neighbour was last heard */
	__u32 reserved[2];
	__aligned_u64 sent;
	__aligned_u64 retransmits;
	__aligned_u64 received;
	__aligned_u64 duplicates;
	__aligned_u64 busy;
};

struct tally_uresp_seg {
	__aligned_u64 contributors; /* whose data are missing */
	__aligned_u64 ranks;        /* that have not posted */
	__aligned_u64 receivers;    /* that have not acknowledged the result */
	__aligned_u64 deliver;      /* local ranks that have not got the result */
	__u32 num; /* the chunk's running number */
	__u32 mid;
	__u32 sid;
	__u8 state; /* enum tally_seg_state */
	__u8 opcode;
	__u8 op;
	__u8 dtype;
};

struct tally_uresp_arrival {
	__aligned_u64 count; /* elements */
	__aligned_u64 first_ns; /* the device's clock */
	__aligned_u64 last_ns;
	__aligned_u64 done_ns; /* 0: not finished */
	__aligned_u64 ranks;
	__aligned_u64 contributors;
	__u32 mid;
	__u8 opcode;
	__u8 op;
	__u8 dtype;
	__u8 last; /* last to arrive: a local rank, or 64 plus a contributor */
};

/*
 * QUERY_EDGES, QUERY_SEGS and QUERY_ARRIVALS. RESP_LIST has room for at least one entry of
 * ENTRY_SIZE bytes, and receives as many as it has room for. RESP_COUNT is the number of entries
 * that exist, which may be higher. Edges and arrivals that do not exist are not in the list: an
 * edge is identified by its index, and arrivals are in order, the newest first.
 */
enum tally_attrs_group_query_list {
	TALLY_ATTR_GROUP_QUERY_LIST_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	TALLY_ATTR_GROUP_QUERY_LIST_ENTRY_SIZE, /* __u32, at least that of the structure */
	TALLY_ATTR_GROUP_QUERY_LIST_RESP_LIST,  /* struct tally_uresp_edge, _seg or _arrival */
	TALLY_ATTR_GROUP_QUERY_LIST_RESP_COUNT, /* __u32 */
};

#endif
