/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Direct verbs of the Tally collective NIC: what the common verbs have no word for.
 *
 * A *group* is a communicator inside the NIC: this node's place among its nodes and the local
 * ranks that take part. A *segment range* is the part of the NIC's aggregation buffer that a group
 * works in. A *collective queue pair* belongs to a group and posts for some of its local ranks.
 *
 * Every rank of a group posts every message, in the order of its id: 0, 1, 2, ... A work request
 * that is ahead waits in the NIC for what another queue pair posts, or is refused, as is one that
 * is behind. What the NIC refuses or cannot
 * finish completes with an error: the verbs status in the work completion, the collective status
 * (enum tally_coll_status) in its vendor_err. The queue pair is then in error and flushes.
 *
 * Codes, limits and flags come from <infiniband/tally_types.h>, which is generated.
 *
 * Conventions: functions that return a pointer return NULL and set errno on error; functions that
 * return int return 0 or an errno value. "Elements" are of the work request's data type, "bytes"
 * are bytes, times are in the unit their name ends in. Structures passed in belong to the caller
 * and are not kept; those returned belong to the library until the call that destroys them.
 *
 * Structures grow at their end, and programs compiled against one version of this header work with
 * libraries of another, older or newer. Each structure has one of these:
 * - comp_mask of one that the caller fills in says which members of later versions are filled in. A
 *   library refuses bits that it does not know (EOPNOTSUPP). There are none yet: 0.
 * - comp_mask of one that the library fills in says which members of later versions it knew: 0 yet.
 * - Its size is passed behind the caller's back by the inline functions below, each before the
 *   function it calls: what the library does not know of a result is 0, what it does not know of an
 *   argument must be 0 (else EOPNOTSUPP).
 * struct tallydv_trigger and struct tallydv_basic are parts of requests, and stay as they are.
 */
#ifndef INFINIBAND_TALLYDV_H
#define INFINIBAND_TALLYDV_H

#include <infiniband/tally_types.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Device ---- */
/* True if `device` is a Tally NIC; every other call here needs one and fails with EOPNOTSUPP. */
bool tallydv_is_supported(struct ibv_device *device);

struct tallydv_device_attr {
	uint64_t comp_mask;
	uint64_t caps;         /* TALLY_CAP_ */
	uint32_t mtu;          /* largest packet payload, bytes */
	uint32_t max_message;  /* bytes of a list entry; 0: not limited */
	uint32_t max_inline;   /* bytes */
	uint32_t max_sge;      /* entries of the gather list, and of the result list */
	uint32_t max_sq_depth; /* entries of a send queue; one of them is kept for ABORT */
	uint32_t max_cq_depth; /* entries of a completion queue */
	uint32_t max_segs;     /* segments this process may hold */
	uint32_t max_groups;   /* groups this process may hold */
	uint32_t clock_khz;    /* rate of the device's clock */
	uint32_t max_cells;    /* message cells that all groups of this process may reserve */
	uint32_t reserved;
};

int _tallydv_query_device(struct ibv_context *context, struct tallydv_device_attr *attr,
			  size_t size);

static inline int tallydv_query_device(struct ibv_context *context,
				       struct tallydv_device_attr *attr)
{
	return _tallydv_query_device(context, attr, sizeof(*attr));
}

struct tallydv_type_attr {
	uint64_t comp_mask;
	uint32_t ops;          /* what the device can reduce it by: bit 1 << enum tally_op */
	uint32_t size;         /* bytes of a value; 1 for TALLY_TYPE_NONE */
	uint32_t pair_size;    /* bytes of an element of MINLOC and MAXLOC; 0: has none */
	uint32_t index_offset; /* where in such an element its int32 index is, behind the value */
};

int _tallydv_query_type(struct ibv_context *context, uint32_t dtype,
			struct tallydv_type_attr *attr, size_t size);

/* What the device makes of a data type (enum tally_type). EINVAL: there is no such type. */
static inline int tallydv_query_type(struct ibv_context *context, uint32_t dtype,
				     struct tallydv_type_attr *attr)
{
	return _tallydv_query_type(context, dtype, attr, sizeof(*attr));
}

/*
 * Can the device perform `opcode` with `op` on `dtype`? TALLY_COLL_OK, or the status with which
 * it would refuse a work request that says so: BAD_OPCODE, BAD_MODE (no mode of this device
 * offers the opcode), BAD_OP, BAD_TYPE, BAD_PAIR. QUERY and ABORT do not look at op and dtype.
 * NO_GROUP if `context` is not of a Tally NIC, where there can be no group.
 */
enum tally_coll_status tallydv_query_op(struct ibv_context *context, uint32_t opcode, uint32_t op,
					uint32_t dtype);

/* ---- Segments ---- */
struct tallydv_seg {
	uint64_t comp_mask;
	struct ibv_context *context;
	uint32_t base;  /* first segment, on this device */
	uint32_t count;
};

/*
 * Reserve `count` consecutive segments (a power of two, at most TALLY_MAX_GROUP_SEGS) for one
 * group. EINVAL: not such a count; EDQUOT: more than this process may hold; ENOSPC: the device has
 * no range of that size left.
 */
struct tallydv_seg *tallydv_alloc_seg(struct ibv_context *context, uint32_t count);
/* Give them back, and free `seg`. A group that uses them keeps them until it is gone. */
int tallydv_free_seg(struct tallydv_seg *seg);

/* ---- Groups ---- */
/*
 * A node next to this one. TREE: its parent or a child, or a peer, which triggered descriptors may
 * send to besides. EXCHANGE, RING: all neighbours are peers, and `roles` says what for; one without
 * a role serves triggered descriptors only. What is not said to be for it is 0.
 *
 * In a round of EXCHANGE a node combines its own partial result with those of the neighbours that
 * have role IN and this round, and sends its own to those with OUT. What comes from an IN neighbour
 * is the partial result of a *part*: nodes with consecutive indices, whose ranks are told like a
 * child's subtree's.
 */
struct tallydv_neighbour {
	union ibv_gid gid;
	uint8_t mac[6];          /* all zero: taken from a link-local GID made of the MAC (EUI-64) */
	uint16_t remote_index;   /* parent, peer: which of its contributors this node is, from 0 */
	uint16_t subtree_first;  /* child: lowest node index of its subtree */
	uint16_t subtree_count;  /* child: nodes of its subtree, itself included */
	uint32_t rank_first;     /* child: global index of its subtree's first rank */
	uint32_t rank_count;     /* child: ranks of its subtree */
	uint8_t round;           /* EXCHANGE, IN or OUT: the round it belongs to, from 1 */
	uint8_t position;        /* IN: place of its part among those the round combines, from 0;
				    this node's own part has the one that is left */
	uint16_t roles;          /* EXCHANGE, RING: TALLY_ROLE_; EPOCH at one, but none at node 0 */
};

/*
 * Ranks have a global index: node by node in the order of node indices, a node's ranks from the
 * lowest. Operations with a block for each rank lay them out by it. If every node has as many ranks
 * as this one (total_ranks says so) rank_first of the group, and rank_first and rank_count of its
 * children or IN neighbours, may all be left 0: the library fills them in. A node without ranks
 * (rank_mask 0) has rank_first at the next rank's index, and flag SPARSE is set at all nodes.
 *
 * mode: TREE: partial results go up to the root, results come down. EXCHANGE: in each round every
 * node combines the partial results of some parts, which makes larger ones, until all nodes have
 * the same; for short messages. RING: neighbours are the left one (node - 1, role IN) and the right
 * one (node + 1, role OUT), modulo num_nodes, and with two nodes one neighbour with both roles; for
 * long messages. What they offer: TREE all but ALLGATHER and REDUCE_SCATTER; EXCHANGE ALLREDUCE,
 * BARRIER, ALLGATHER, REDUCE_SCATTER; RING those and BCAST. All offer triggered requests.
 *
 * flags: ORDERED has every reduction of the group done in one fixed shape, the same from run to
 * run (bit-identical floating point); it needs msg_cells of at least this node's ranks plus its
 * children, or in RING plus one. EXCHANGE does so always, and needs msg_cells of this node's ranks,
 * plus the IN neighbours, plus the rounds. SPARSE, in TREE: some node has no rank; no operation with
 * a block for each. UNIFORM: every node has as many ranks as every other, and all nodes say so; in
 * RING, ALLGATHER and REDUCE_SCATTER then take a shorter way. MULTICAST, in TREE: results that all
 * nodes get come down as one packet, which the fabric replicates.
 *
 * msg_cells: cells of the device's message queue reserved for this group. A triggered descriptor
 * may wait for as many messages as the group has reserved, or as the device lends any port.
 */
struct tallydv_group_attr {
	uint64_t comp_mask;
	uint32_t jid;            /* job id, not 0, the same at all nodes; best drawn at random */
	uint32_t flags;          /* TALLY_GROUP_F_ but _ROOT, which the library sets */
	uint64_t join_key;       /* what other processes of this node must show to attach */
	struct tallydv_seg *seg; /* for this group only */
	enum tally_mode mode;
	uint16_t node;           /* this node's index, from 0 */
	uint16_t num_nodes;
	uint8_t level;           /* distance from the tree's root */
	uint8_t num_children;    /* entries of `children`; TREE only */
	uint16_t num_peers;      /* entries of `peers` */
	const struct tallydv_neighbour *children; /* contributor 0, 1, ... */
	const struct tallydv_neighbour *peers;    /* contributor num_children, and so on */
	const struct tallydv_neighbour *parent;   /* NULL: the tree's root, or no TREE */
	uint64_t rank_mask;      /* local ranks that take part; bit r is rank r */
	uint64_t owner_ranks;    /* those this handle posts for; others are left for attach */
	uint32_t total_ranks;    /* ranks at all nodes */
	uint32_t timeout_ms;     /* of a message, TALLY_MIN_TIMEOUT_MS..TALLY_MAX_TIMEOUT_MS */
	uint32_t mtu;            /* bytes of a chunk, the same at all nodes; 0: the device's */
	uint32_t epoch;          /* at the root (or node 0): the first epoch, 0 draws one; else 0 */
	uint32_t retry_limit;    /* retransmissions before a neighbour counts as dead; 0: default */
	uint32_t rto_us;         /* first retransmission time-out; 0: default */
	uint32_t rank_first;     /* global index of this node's lowest rank */
	uint32_t msg_cells;      /* cells of the message queue, 0..TALLY_MAX_GROUP_CELLS */
	uint32_t num_segs;       /* of a round, a power of two, the same at all nodes; 0: as fit */
	uint32_t rounds;         /* EXCHANGE: 1..TALLY_MAX_ROUNDS, 0 with one node; else 0 */
	union ibv_gid mcast_gid; /* MULTICAST: where results go down to, in ff00::/8 */
	union ibv_gid source_gid; /* MULTICAST: the tree's root, from which they come */
};

struct tallydv_group_attach_attr {
	uint64_t comp_mask;
	uint32_t jid;
	uint32_t reserved;
	uint64_t join_key; /* the creator's */
	uint64_t ranks;    /* local ranks this handle posts for; nobody else's */
};

/* A handle on a group; several handles of several processes may share one group. */
struct tallydv_group {
	uint64_t comp_mask;
	struct ibv_context *context;
	uint32_t jid;
	uint32_t num_segs;   /* of a round */
	uint32_t mtu;        /* bytes */
	uint32_t timeout_ms;
	uint16_t node;
	uint16_t num_nodes;
	uint64_t rank_mask;  /* local ranks of the group */
	uint64_t ranks;      /* those this handle posts for */
	uint32_t total_ranks;
	uint32_t rank_first; /* global index of this node's lowest rank */
	uint32_t flags;      /* TALLY_GROUP_F_ */
	uint32_t msg_cells;
	enum tally_mode mode;
	uint8_t level;       /* distance from the tree's root */
	uint8_t rounds;      /* of EXCHANGE */
};

struct tallydv_group *_tallydv_create_group(struct ibv_context *context,
					    const struct tallydv_group_attr *attr,
					    size_t neighbour_size, char *why, size_t size);

/*
 * Create a group and begin to open its edges; neighbours may do so seconds apart.
 * EINVAL: a field is wrong; EEXIST: the job id is in use on this device; EBUSY: another group has
 * the segments; EDQUOT: more than this process may hold; ENOSPC: more than the device has.
 * On error `why` (of `size` bytes, may be NULL if 0) has a sentence, which begins with the field at
 * fault if one is.
 */
static inline struct tallydv_group *tallydv_create_group(struct ibv_context *context,
							 const struct tallydv_group_attr *attr,
							 char *why, size_t size)
{
	return _tallydv_create_group(context, attr, sizeof(struct tallydv_neighbour), why, size);
}

/*
 * Take ranks of a group that another process of this node created.
 * ENOENT: no such group; EACCES: wrong join key; EINVAL: not ranks of the group; EBUSY: taken.
 * `why` as above.
 */
struct tallydv_group *tallydv_attach_group(struct ibv_context *context,
					   const struct tallydv_group_attach_attr *attr, char *why,
					   size_t size);

/* State of a group; bitmaps are contributors and local ranks of the node named beside them. */
struct tallydv_group_info {
	uint64_t comp_mask;
	uint32_t jid;
	uint32_t epoch;                     /* 0: not known yet */
	enum tally_group_state state;
	enum tally_coll_status status;      /* why it is dead */
	uint32_t done;                      /* chunks finished without a gap */
	bool parent_open;                   /* true where there is no parent */
	uint16_t detector;                  /* node that noticed the error */
	uint64_t open_contributors;         /* edges that are open, here */
	uint64_t attached_ranks;            /* held by a process, here */
	uint64_t gone_ranks;                /* whose process left, here */
	uint64_t remaining_contributors;    /* missing at the detector */
	uint64_t remaining_ranks;           /* missing at the detector */
};

int _tallydv_query_group(struct tallydv_group *group, struct tallydv_group_info *info,
			 size_t size);

static inline int tallydv_query_group(struct tallydv_group *group, struct tallydv_group_info *info)
{
	return _tallydv_query_group(group, info, sizeof(*info));
}

/*
 * Begin the next epoch of a group that is dead (an error or ABORT ended it): all nodes, each once,
 * with the same `epoch`, which comes after the old one in serial order (old + 1 will do; not 0).
 * Message ids begin at 0 again. Queue pairs stay in error until moved to RESET and RTS.
 * EBUSY: the group is not dead; EOWNERDEAD: a rank has left, the group can only be destroyed;
 * EINVAL: not such an epoch.
 */
int tallydv_reset_group(struct tallydv_group *group, uint32_t epoch);

/* An edge of a group: the way to a neighbour. */
struct tallydv_edge_info {
	union ibv_gid gid;
	uint8_t mac[6];
	uint8_t index;           /* contributor; TALLY_CONTRIB_PARENT: the parent */
	enum tally_edge_state state;
	uint16_t subtree_first;  /* of a child */
	uint16_t subtree_count;
	uint32_t peer_done;      /* chunks finished there without a gap, as far as known */
	uint32_t outstanding;    /* packets not acknowledged */
	uint32_t retries;        /* retransmissions or probes since it was last heard */
	uint64_t sent;           /* packets, each counted once */
	uint64_t retransmits;
	uint64_t received;
	uint64_t duplicates;
	uint64_t busy;           /* busy answers received */
};

/* A segment of a group, and the chunk it holds; those of all rounds are asked for together. */
struct tallydv_seg_info {
	enum tally_seg_state state;
	uint8_t opcode;          /* enum tally_opcode */
	uint8_t op;              /* enum tally_op */
	uint8_t dtype;           /* enum tally_type */
	uint32_t num;            /* the chunk's running number */
	uint32_t mid;
	uint32_t sid;
	uint64_t contributors;   /* whose data are missing */
	uint64_t ranks;          /* local ranks that have not posted */
	uint64_t receivers;      /* contributors that have not acknowledged the result */
	uint64_t deliver;        /* local ranks that have not got the result */
};

/* When the parts of a message arrived at this node; times are the device's clock, nanoseconds. */
struct tallydv_arrival {
	uint32_t mid;
	uint8_t opcode;          /* enum tally_opcode */
	uint8_t op;              /* enum tally_op */
	uint8_t dtype;           /* enum tally_type */
	uint8_t last;            /* who came last: a local rank, or 64 plus a contributor */
	uint64_t count;          /* elements */
	uint64_t first_ns;       /* the first request or contribution */
	uint64_t last_ns;        /* the last one that the first chunk needs */
	uint64_t done_ns;        /* finished here; 0: not yet */
	uint64_t ranks;          /* local ranks that have posted it */
	uint64_t contributors;   /* that have sent their first chunk */
};

int _tallydv_query_edges(struct tallydv_group *group, struct tallydv_edge_info *edges,
			 uint32_t *count, size_t size);
int _tallydv_query_segs(struct tallydv_group *group, struct tallydv_seg_info *segs,
			uint32_t *count, size_t size);
int _tallydv_query_arrivals(struct tallydv_group *group, struct tallydv_arrival *arrivals,
			    uint32_t *count, size_t size);

/*
 * What the device knows of a group's edges, of its segments, and of its last TALLY_NUM_ARRIVALS
 * messages (the newest first). `*count` is the room in the array on entry, at least 1, and the
 * number of entries there are on return; the array holds the first of them, as many as fit.
 * EINVAL: no room.
 */
static inline int tallydv_query_edges(struct tallydv_group *group,
				      struct tallydv_edge_info *edges, uint32_t *count)
{
	return _tallydv_query_edges(group, edges, count, sizeof(*edges));
}

static inline int tallydv_query_segs(struct tallydv_group *group, struct tallydv_seg_info *segs,
				     uint32_t *count)
{
	return _tallydv_query_segs(group, segs, count, sizeof(*segs));
}

static inline int tallydv_query_arrivals(struct tallydv_group *group,
					 struct tallydv_arrival *arrivals, uint32_t *count)
{
	return _tallydv_query_arrivals(group, arrivals, count, sizeof(*arrivals));
}

/*
 * Free the handle and, once no queue pair made with it is left, give its ranks up: messages that
 * they have not posted then end with TALLY_COLL_RANK_GONE at every rank. The group ends with its
 * last handle.
 */
int tallydv_destroy_group(struct tallydv_group *group);

/* ---- A tree to put groups in ---- */
struct tallydv_tree_pos {
	uint64_t comp_mask;
	uint16_t node;
	uint16_t parent;         /* the root: its own index */
	uint16_t index;          /* which of its parent's children it is */
	uint16_t num_children;
	uint16_t subtree_count;  /* nodes of its subtree, which begins at its own index */
	uint8_t level;           /* distance from the root, node 0 */
	uint8_t reserved[5];
	struct {
		uint16_t node;   /* first index of the child's subtree: the child itself */
		uint16_t count;  /* nodes of the child's subtree */
	} child[TALLY_MAX_CONTRIBUTORS];
};

int _tallydv_plan_tree(uint32_t num_nodes, uint32_t degree, uint32_t node,
		       struct tallydv_tree_pos *pos, size_t size);

/*
 * The place of `node` in a balanced tree of `num_nodes` nodes with at most `degree` children each,
 * numbered depth first, so that every subtree is a range of consecutive indices. EINVAL: num_nodes
 * not in 1..TALLY_MAX_NODES, degree not in 1..TALLY_MAX_CONTRIBUTORS, node not below num_nodes, or
 * a tree deeper than 255 levels.
 */
static inline int tallydv_plan_tree(uint32_t num_nodes, uint32_t degree, uint32_t node,
				    struct tallydv_tree_pos *pos)
{
	return _tallydv_plan_tree(num_nodes, degree, node, pos, sizeof(*pos));
}

/* ---- Plans: which mode, which shape and which place for each node suit a group ---- */
#define TALLYDV_PLAN_LEVELS 3

/*
 * What a group is for, and where its nodes are. Nodes are numbered as the caller has them. All
 * but num_nodes and gids may be 0: the planner then chooses. What is not 0 it keeps to, or refuses.
 */
struct tallydv_plan_attr {
	uint64_t comp_mask;
	uint32_t num_nodes;
	uint32_t num_levels;      /* entries of `switches`; 0: all nodes are on one switch */
	const union ibv_gid *gids; /* of each node */
	const uint8_t (*macs)[6]; /* of each node; NULL, or 0: from link-local GIDs made of them */
	const uint8_t *ranks;     /* of each node, 0..TALLY_MAX_RANKS; NULL: 1 */
	/* number of each node's switch, leaves first, then what is above them; NULL: one for all */
	const uint32_t *switches[TALLYDV_PLAN_LEVELS];
	uint8_t opcode;           /* enum tally_opcode; 0: ALLREDUCE */
	uint8_t op;               /* enum tally_op; 0: SUM */
	uint8_t dtype;            /* enum tally_type; 0: FP64 */
	uint8_t keep_order;       /* not 0: node k gets index k, wherever it is */
	uint64_t bytes;           /* of a message's `count` elements, typically */
	uint64_t caps;            /* TALLY_CAP_ that all devices have; 0: all */
	enum tally_mode mode;
	uint32_t flags;           /* TALLY_GROUP_F_ORDERED, _MULTICAST */
	uint32_t degree;          /* TREE: children of a node at most */
	uint32_t num_rounds;      /* EXCHANGE: entries of `radix` */
	uint8_t radix[TALLY_MAX_ROUNDS]; /* parts that a round combines at most, round 1 first */
	uint32_t num_segs;        /* of a round, a power of two */
	uint32_t max_segs;        /* of all rounds, at most; 0: TALLY_MAX_GROUP_SEGS */
	uint32_t mtu;             /* bytes of a chunk; 0: TALLY_MAX_MTU */
	union ibv_gid mcast_gid;  /* an address in ff00::/8 that MULTICAST may use; 0: none */
};

/* A plan; the library's, until tallydv_free_plan(). */
struct tallydv_plan {
	uint64_t comp_mask;
	enum tally_mode mode;
	uint32_t flags;           /* of all nodes */
	uint32_t num_nodes;
	uint32_t total_ranks;
	uint32_t degree;          /* TREE: children of a node at most */
	uint32_t rounds;          /* EXCHANGE; else 0 */
	uint8_t radix[TALLY_MAX_ROUNDS]; /* parts that each round combines at most */
	uint32_t num_segs;        /* of a round */
	uint32_t seg_count;       /* to be had from tallydv_alloc_seg(), for all rounds */
	uint32_t mtu;
	uint64_t estimate_ns;     /* from the request in the first device to the last result */
	const char *reason;       /* why this mode */
	const uint16_t *place;    /* index in the group of the caller's node k */
	const uint16_t *node;     /* the caller's number of the node with an index */
};

/*
 * A node's part of a plan. `attr` is what tallydv_create_group() takes but for jid, seg,
 * timeout_ms and join_key; rank_mask and owner_ranks are the lowest ranks. It points into
 * `neighbours`: a copy of the structure points into the original.
 */
struct tallydv_node_plan {
	struct tallydv_group_attr attr;
	struct tallydv_neighbour neighbours[TALLY_MAX_CONTRIBUTORS + 1];
};

/*
 * Plan a group. The same at every node that asks with the same attributes. NULL: errno is EINVAL
 * or ENOMEM, and with EINVAL `why` (of `size` bytes, may be NULL if 0) has a sentence that begins
 * with the field at fault. Nothing of `attr` is needed afterwards.
 */
struct tallydv_plan *tallydv_plan_group(const struct tallydv_plan_attr *attr, char *why,
					size_t size);
int _tallydv_plan_node(const struct tallydv_plan *plan, uint32_t k,
		       struct tallydv_group_attr *attr, size_t attr_size,
		       struct tallydv_neighbour *neighbours, size_t neighbour_size,
		       uint32_t num_neighbours);

/* The part of the caller's node k. EINVAL: there is no such node. */
static inline int tallydv_plan_node(const struct tallydv_plan *plan, uint32_t k,
				    struct tallydv_node_plan *node)
{
	return _tallydv_plan_node(plan, k, &node->attr, sizeof(node->attr), node->neighbours,
				  sizeof(node->neighbours[0]), TALLY_MAX_CONTRIBUTORS + 1);
}

/* Nodes with consecutive indices, and their ranks' global indices, which are consecutive as well. */
struct tallydv_missing_nodes {
	uint16_t first;      /* index in the group, */
	uint16_t count;      /* and how many from there on */
	uint32_t rank_first;
	uint32_t rank_count;
};

/* Whom a report of an error names. */
struct tallydv_missing {
	uint64_t comp_mask;
	uint32_t num_nodes;  /* entries of `nodes` */
	uint32_t num_ranks;  /* entries of `ranks` */
	/* neighbours of the detector; a child in a tree with all nodes below it */
	struct tallydv_missing_nodes nodes[TALLY_MAX_CONTRIBUTORS];
	uint32_t ranks[TALLY_MAX_RANKS]; /* global indices of ranks at the detector */
	uint16_t parent;     /* of the detector in a tree, which no bit names; else its own index */
	uint16_t reserved[3];
};

int _tallydv_plan_missing(const struct tallydv_plan *plan, uint16_t detector,
			  uint64_t contributors, uint64_t ranks, struct tallydv_missing *missing,
			  size_t size);

/*
 * What the bitmaps of a completion or of struct tallydv_group_info mean, which are those of the node
 * with index `detector`, in a group that was made by `plan`. A tree's parent is no contributor: with
 * RETRY_EXCEEDED, NO_HANDSHAKE and CONFIG_MISMATCH, no bit at all means it. EINVAL: there is no such node, or it has
 * no such contributors or ranks.
 */
static inline int tallydv_plan_missing(const struct tallydv_plan *plan, uint16_t detector,
				       uint64_t contributors, uint64_t ranks,
				       struct tallydv_missing *missing)
{
	return _tallydv_plan_missing(plan, detector, contributors, ranks, missing,
				     sizeof(*missing));
}

void tallydv_free_plan(struct tallydv_plan *plan);

/* ---- Queue pairs ---- */
enum tallydv_qp_flags {
	TALLYDV_QP_SINGLE_THREADED = 1 << 0, /* the caller never posts from two threads at once */
};

struct tallydv_qp_init_attr {
	uint64_t comp_mask;
	struct tallydv_group *group;
	uint64_t ranks; /* local ranks to post for: a subset of the handle's; 0: all of those */
	uint16_t port;  /* number by which triggered messages name it, unique in group and node */
	uint16_t reserved;
	uint32_t flags; /* TALLYDV_QP_ */
};

/*
 * Create a collective queue pair, ready to send. `attr`: qp_type IBV_QPT_DRIVER, pd and send_cq
 * (comp_mask IBV_QP_INIT_ATTR_PD), cap.max_send_wr, max_send_sge (entries of the gather list, and
 * of the result list) and max_inline_data; what was granted is written back. There is nothing to
 * receive: recv_cq may be NULL. With IBV_QP_INIT_ATTR_SEND_OPS_FLAGS (and send_ops_flags 0) the
 * ibv_wr_ calls work on it. EINVAL: a field is wrong, or an object is of another context;
 * EOPNOTSUPP: another type or unknown flags. `why` as for tallydv_create_group().
 */
struct ibv_qp *tallydv_create_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
				 const struct tallydv_qp_init_attr *dv_attr, char *why,
				 size_t size);

/* ---- Work requests ---- */
/* Only for REDUCE_MP, BCAST_MP and PUT_MP. */
struct tallydv_trigger {
	uint32_t cpcnt;       /* fire when `counter` is at least this; 0: at once */
	uint8_t counter;      /* own CP counter whose messages it waits for */
	uint8_t dest_counter; /* CP counter at the target */
	uint16_t dest_port;   /* port at the target */
	uint8_t branch;       /* messages that the target reduces */
	uint8_t reserved;
	uint16_t err_vector;  /* initial error vector, TALLY_ERR_ */
};

/*
 * What a collective work request says beyond struct ibv_send_wr. Zero is a default throughout.
 *
 * Lists: the k-th entry belongs to the k-th rank of the rank mask that has one, `count` elements
 * each. ALLREDUCE: every rank has a gather and a result entry; REDUCE: the root alone a result
 * entry; BCAST: the root alone a gather entry, the others a result entry. GATHER: a gather entry
 * of every rank, and for the root a result entry of count * total_ranks elements; SCATTER: for
 * the root a gather entry of that size, and a result entry of every rank. ALLGATHER: every rank has
 * a gather entry, and a result entry of count * total_ranks elements; REDUCE_SCATTER: a gather
 * entry of that size, and a result entry for its block of the result. The blocks are in the order
 * of global rank indices. A result may be where the data are. BARRIER has no lists.
 *
 * MINLOC and MAXLOC take and give pairs (see tallydv_query_type()). With flag LOC_VALUES the data
 * are values alone, and element i gets the index loc_index + i; the result is pairs all the same.
 *
 * flags: ORDERED: combine in the fixed shape (only in a group created with it). FLAG_WORD: once
 * the whole result is in memory, write flag_value, little-endian, to flag_addr (a multiple of 4,
 * in a region with IBV_ACCESS_LOCAL_WRITE); not for QUERY and ABORT, and only on success. EMPTY:
 * these ranks take no part in the message and have no lists; they post it as everyone must.
 * LOC_VALUES: above. CP, SWP_FLAG, SWP_MP, TO_PARENT, TO_SELF, RFLAG: triggered requests only.
 *
 * Who takes part: all, or in TREE the ranks whose requests are not EMPTY. Of a subtree in which
 * nobody takes part, every rank posts EMPTY with NO_CONTRIBUTORS, and its parent's node_mask leaves
 * it out (NO_CONTRIBUTORS, if that leaves none).
 */
struct tallydv_coll_attr {
	uint8_t opcode;      /* enum tally_opcode */
	uint8_t op;          /* enum tally_op */
	uint8_t dtype;       /* enum tally_type */
	uint8_t root_rank;   /* REDUCE, BCAST, GATHER, SCATTER: the root's local rank */
	uint32_t flags;      /* TALLY_WQE_F_ but SIGNALED, SOLICITED and INLINE */
	uint64_t count;      /* elements a rank contributes; bytes if dtype is TALLY_TYPE_NONE */
	uint32_t mid;        /* message id; QUERY: the message asked about */
	uint16_t root_node;  /* and node index */
	uint16_t num_result; /* entries of result_list */
	uint16_t seg_first;  /* must be 0 */
	uint16_t seg_count;  /* chunks under way from this node at most; 0: the group's segments */
	uint32_t timeout_ms; /* 0: the group's */
	uint64_t rank_mask;  /* local ranks it posts for; 0: all of the queue pair's */
	uint64_t node_mask;  /* contributors that take part, 0: all; triggered: to send to */
	uint64_t flag_addr;  /* FLAG_WORD: where, */
	uint32_t flag_lkey;  /* in which memory region, */
	uint32_t flag_value; /* and what to write after the result */
	struct tallydv_trigger trigger;
	uint32_t chunk_len;  /* bytes of a chunk at most, the same at all ranks; 0: group's mtu */
	uint64_t loc_index;  /* LOC_VALUES: index of the first element, below 2^31 */
	const struct ibv_sge *result_list;
	uint64_t comp_mask;
};

/*
 * What ibv_post_send() takes: wr.opcode is IBV_WR_DRIVER1, wr.sg_list the gather list, or the
 * data with IBV_SEND_INLINE; wr.send_flags may also have IBV_SEND_SIGNALED and
 * IBV_SEND_SOLICITED. wr.next points to the wr of another such structure.
 *
 * ENOMEM: the queue is full (ABORT still finds room). EINVAL: a number unknown to
 * <infiniband/tally_types.h>, or lists that do not fit into an entry. EOPNOTSUPP: comp_mask has
 * bits that this library does not know, or this device does
 * not perform this opcode, or not with this operation and type, or the group does not, by its mode
 * or because it is SPARSE. tallydv_qp_last_refusal() then says more. All else is checked by the
 * NIC, and refused by a completion.
 *
 * An entry of the queue is free again when its request has completed and a completion of it or of
 * one after it has been polled. Requests without IBV_SEND_SIGNALED have none on success, so, as
 * everywhere in verbs, one in every cap.max_send_wr must have it, also where FLAG_WORD tells the
 * program: else the queue is full for good. QUERY and ABORT always complete, and for themselves
 * only; errors always complete.
 */
struct tallydv_send_wr {
	struct ibv_send_wr wr;
	struct tallydv_coll_attr coll;
};

/*
 * Why the last post that returned EINVAL or EOPNOTSUPP did: what the NIC would have said of that
 * work request (of the first bad one in a chain). TALLY_COLL_OK if the last failed post did not
 * fail for what it said (ENOMEM), or none has failed. A post that succeeds leaves it as it is. To
 * be asked by the thread that posted.
 */
enum tally_coll_status tallydv_qp_last_refusal(struct ibv_qp *qp);

/* What most work requests say; root and reserved are 0 where there is none. */
struct tallydv_basic {
	uint8_t opcode;      /* enum tally_opcode */
	uint8_t op;          /* enum tally_op */
	uint8_t dtype;       /* enum tally_type */
	uint8_t reserved0;
	uint16_t root_node;
	uint8_t root_rank;
	uint8_t reserved1;
};

/* The queue pair's side of the ibv_wr_ calls; filled in by the library. */
struct tallydv_qp {
	uint64_t comp_mask;
	void (*wr_coll)(struct tallydv_qp *dv_qp, const struct tallydv_coll_attr *attr);
	void (*wr_basic)(struct tallydv_qp *dv_qp, struct tallydv_basic what, uint64_t count,
			 uint32_t mid);
	void (*wr_set_result)(struct tallydv_qp *dv_qp, size_t num_sge,
			      const struct ibv_sge *sg_list);
};

/* Valid as long as the queue pair. */
struct tallydv_qp *tallydv_qp_from_ibv_qp_ex(struct ibv_qp_ex *qp);

/*
 * Between ibv_wr_start() and ibv_wr_complete(): begin a work request with one of the calls below
 * (wr_id and wr_flags as everywhere in the ibv_wr_ calls), then its data with
 * ibv_wr_set_sge_list() or ibv_wr_set_inline_data(), then the result list with
 * tallydv_wr_set_result(). Errors are kept and returned by ibv_wr_complete(), which then posts
 * nothing; they are those of ibv_post_send(). result_list and num_result of a struct
 * tallydv_coll_attr are not looked at here.
 */
static inline void tallydv_wr_coll(struct tallydv_qp *dv_qp, const struct tallydv_coll_attr *attr)
{
	dv_qp->wr_coll(dv_qp, attr);
}

static inline void tallydv_wr_set_result(struct tallydv_qp *dv_qp, size_t num_sge,
					 const struct ibv_sge *sg_list)
{
	dv_qp->wr_set_result(dv_qp, num_sge, sg_list);
}

static inline void tallydv_wr_allreduce(struct tallydv_qp *dv_qp, enum tally_op op,
					enum tally_type dtype, uint64_t count, uint32_t mid)
{
	struct tallydv_basic what = {};

	what.opcode = TALLY_OPCODE_ALLREDUCE;
	what.op = op;
	what.dtype = dtype;
	dv_qp->wr_basic(dv_qp, what, count, mid);
}

static inline void tallydv_wr_reduce(struct tallydv_qp *dv_qp, enum tally_op op,
				     enum tally_type dtype, uint64_t count, uint32_t mid,
				     uint16_t root_node, uint8_t root_rank)
{
	struct tallydv_basic what = {};

	what.opcode = TALLY_OPCODE_REDUCE;
	what.op = op;
	what.dtype = dtype;
	what.root_node = root_node;
	what.root_rank = root_rank;
	dv_qp->wr_basic(dv_qp, what, count, mid);
}

static inline void tallydv_wr_bcast(struct tallydv_qp *dv_qp, enum tally_type dtype,
				    uint64_t count, uint32_t mid, uint16_t root_node,
				    uint8_t root_rank)
{
	struct tallydv_basic what = {};

	what.opcode = TALLY_OPCODE_BCAST;
	what.dtype = dtype;
	what.root_node = root_node;
	what.root_rank = root_rank;
	dv_qp->wr_basic(dv_qp, what, count, mid);
}

/* `count` elements of each rank, in the order of ranks, at the root. */
static inline void tallydv_wr_gather(struct tallydv_qp *dv_qp, enum tally_type dtype,
				     uint64_t count, uint32_t mid, uint16_t root_node,
				     uint8_t root_rank)
{
	struct tallydv_basic what = {};

	what.opcode = TALLY_OPCODE_GATHER;
	what.dtype = dtype;
	what.root_node = root_node;
	what.root_rank = root_rank;
	dv_qp->wr_basic(dv_qp, what, count, mid);
}

/* `count` elements for each rank, in the order of ranks, from the root. */
static inline void tallydv_wr_scatter(struct tallydv_qp *dv_qp, enum tally_type dtype,
				      uint64_t count, uint32_t mid, uint16_t root_node,
				      uint8_t root_rank)
{
	struct tallydv_basic what = {};

	what.opcode = TALLY_OPCODE_SCATTER;
	what.dtype = dtype;
	what.root_node = root_node;
	what.root_rank = root_rank;
	dv_qp->wr_basic(dv_qp, what, count, mid);
}

/* `count` elements of each rank, in the order of ranks, at every rank. */
static inline void tallydv_wr_allgather(struct tallydv_qp *dv_qp, enum tally_type dtype,
					uint64_t count, uint32_t mid)
{
	struct tallydv_basic what = {};

	what.opcode = TALLY_OPCODE_ALLGATHER;
	what.dtype = dtype;
	dv_qp->wr_basic(dv_qp, what, count, mid);
}

/* Reduce count * total_ranks elements; every rank gets its block of `count`, in their order. */
static inline void tallydv_wr_reduce_scatter(struct tallydv_qp *dv_qp, enum tally_op op,
					     enum tally_type dtype, uint64_t count, uint32_t mid)
{
	struct tallydv_basic what = {};

	what.opcode = TALLY_OPCODE_REDUCE_SCATTER;
	what.op = op;
	what.dtype = dtype;
	dv_qp->wr_basic(dv_qp, what, count, mid);
}

static inline void tallydv_wr_barrier(struct tallydv_qp *dv_qp, uint32_t mid)
{
	struct tallydv_basic what = {};

	what.opcode = TALLY_OPCODE_BARRIER;
	dv_qp->wr_basic(dv_qp, what, 0, mid);
}

/* How far is message `mid`? Waits behind nothing. */
static inline void tallydv_wr_query(struct tallydv_qp *dv_qp, uint32_t mid)
{
	struct tallydv_basic what = {};

	what.opcode = TALLY_OPCODE_QUERY;
	dv_qp->wr_basic(dv_qp, what, 0, mid);
}

/*
 * End every unfinished message of the group, at all nodes. Waits behind nothing, completes last.
 */
static inline void tallydv_wr_abort(struct tallydv_qp *dv_qp)
{
	struct tallydv_basic what = {};

	what.opcode = TALLY_OPCODE_ABORT;
	dv_qp->wr_basic(dv_qp, what, 0, 0);
}

/* What the next three have in common. */
static inline void tallydv_wr_triggered(struct tallydv_qp *dv_qp, enum tally_opcode opcode,
					enum tally_op op, enum tally_type dtype, uint64_t count,
					uint32_t mid, uint32_t flags, uint64_t node_mask,
					const struct tallydv_trigger *trigger)
{
	struct tallydv_coll_attr attr = {};

	attr.opcode = opcode;
	attr.op = op;
	attr.dtype = dtype;
	attr.count = count;
	attr.mid = mid;
	attr.flags = flags;
	attr.node_mask = node_mask;
	attr.trigger = *trigger;
	dv_qp->wr_coll(dv_qp, &attr);
}

/* Triggered: reduce the messages waited for, and with TALLY_WQE_F_RFLAG the own data, and send. */
static inline void tallydv_wr_reduce_mp(struct tallydv_qp *dv_qp, enum tally_op op,
					enum tally_type dtype, uint64_t count, uint32_t mid,
					uint32_t flags, uint64_t node_mask,
					const struct tallydv_trigger *trigger)
{
	tallydv_wr_triggered(dv_qp, TALLY_OPCODE_REDUCE_MP, op, dtype, count, mid, flags,
			     node_mask, trigger);
}

/* Triggered: send the own data, or with TALLY_WQE_F_SWP_FLAG what the messages waited for say. */
static inline void tallydv_wr_bcast_mp(struct tallydv_qp *dv_qp, enum tally_op op,
				       enum tally_type dtype, uint64_t count, uint32_t mid,
				       uint32_t flags, uint64_t node_mask,
				       const struct tallydv_trigger *trigger)
{
	tallydv_wr_triggered(dv_qp, TALLY_OPCODE_BCAST_MP, op, dtype, count, mid, flags,
			     node_mask, trigger);
}

/* Triggered: as tallydv_wr_bcast_mp(), to exactly one destination. */
static inline void tallydv_wr_put_mp(struct tallydv_qp *dv_qp, enum tally_op op,
				     enum tally_type dtype, uint64_t count, uint32_t mid,
				     uint32_t flags, uint64_t node_mask,
				     const struct tallydv_trigger *trigger)
{
	tallydv_wr_triggered(dv_qp, TALLY_OPCODE_PUT_MP, op, dtype, count, mid, flags, node_mask,
			     trigger);
}

/*
 * ---- Completions ---- ibv_poll_cq() and the common readers give: opcode IBV_WC_DRIVER1, status,
 * byte_len (bytes of result written), qp_num, vendor_err (enum tally_coll_status), and on an
 * extended completion queue the time stamp (IBV_WC_EX_WITH_COMPLETION_TIMESTAMP): the device's
 * clock in nanoseconds. An error from polling (EIO) means that the device wrote a completion that
 * fits no work request; it has been consumed. The readers below are for an extended completion
 * queue (ibv_create_cq_ex() on a Tally device) between ibv_start_poll() and ibv_end_poll().
 */
uint32_t tallydv_wc_read_jid(struct ibv_cq_ex *cq);
uint32_t tallydv_wc_read_mid(struct ibv_cq_ex *cq);
/* Chunk: the last one on success, the failed one on error; and the segment it used. */
uint32_t tallydv_wc_read_sid(struct ibv_cq_ex *cq);
uint16_t tallydv_wc_read_seg(struct ibv_cq_ex *cq);
enum tally_coll_status tallydv_wc_read_coll_status(struct ibv_cq_ex *cq);
/* enum tally_opcode of the work request. */
uint8_t tallydv_wc_read_opcode(struct ibv_cq_ex *cq);
/* TALLY_CQE_F_: whether a QUERY's message is unfinished or unknown. */
uint8_t tallydv_wc_read_flags(struct ibv_cq_ex *cq);
/*
 * Contributors and local ranks that the detector still missed; of a QUERY, that its chunk misses.
 */
uint64_t tallydv_wc_read_node_bitmap(struct ibv_cq_ex *cq);
uint64_t tallydv_wc_read_rank_bitmap(struct ibv_cq_ex *cq);
/* Index of the node that noticed the error; this one on success. */
uint16_t tallydv_wc_read_detector(struct ibv_cq_ex *cq);
/* TALLY_ERR_ */
uint16_t tallydv_wc_read_err_vector(struct ibv_cq_ex *cq);
/* The device's clock when it completed, and the time since its doorbell. */
uint64_t tallydv_wc_read_timestamp_ns(struct ibv_cq_ex *cq);
uint32_t tallydv_wc_read_elapsed_ns(struct ibv_cq_ex *cq);

/* ---- Text: static strings, never NULL ---- */
/* A sentence that says what is wrong, and the status's short name. */
const char *tallydv_coll_status_str(uint32_t status);
const char *tallydv_coll_status_name(uint32_t status);
const char *tallydv_opcode_str(uint32_t opcode);
const char *tallydv_op_str(uint32_t op);
const char *tallydv_type_str(uint32_t type);
const char *tallydv_group_state_str(uint32_t state);

#ifdef __cplusplus
}
#endif

#endif
