/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Direct verbs of the Tally collective NIC: calls for which the common verbs have no equivalent.
 *
 * A *group* is a communicator inside the NIC. It consists of the place of this node among the nodes
 * of the group, and of the local ranks that take part. A *segment range* is the part of the NIC's
 * aggregation buffer that a group uses. A *collective queue pair* belongs to a group and posts for
 * some of its local ranks.
 *
 * Every rank of a group posts every message, in the order of the message ids: 0, 1, 2, ... The NIC
 * holds back a work request whose message id is ahead if another queue pair may post the messages
 * before it, and refuses the request otherwise. It always refuses a request that is behind. A
 * request that the NIC refuses or cannot finish completes with an error: the work completion has
 * the verbs status, and the collective status (enum tally_coll_status) in its vendor_err. The queue
 * pair then enters the error state and flushes its requests.
 *
 * Codes, limits and flags come from <infiniband/tally_types.h>, which is generated.
 *
 * Conventions: functions that return a pointer return NULL and set errno on error; functions that
 * return int return 0 or an errno value. Elements are of the work request's data type. The name of
 * a time ends in its unit. The library does not keep a structure that the caller passes in. A
 * structure that the library returns belongs to the library until the call that destroys it.
 *
 * New members are added only at the end of a structure, and a program that was compiled against one
 * version of this header works with an older or newer library:
 * - In a structure that the caller fills in, comp_mask says which members of later versions are
 *   filled in. The bits are defined beside the structure. The library refuses bits that it does not
 *   know (EOPNOTSUPP), and reads no member of a later version without its bit.
 * - In a structure that the library fills in, comp_mask says which members of later versions the
 *   library knew.
 * - The inline functions below also pass the size of a structure to the library. The library sets
 *   members of a result that it does not know to 0, and refuses an argument in which a member that
 *   it does not know is not 0 (EOPNOTSUPP).
 * struct tallydv_trigger, struct tallydv_basic, struct tallydv_missing_nodes and struct
 * tallydv_mode_choice are parts of others and never grow.
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
/*
 * Returns whether `device` is a Tally NIC. All other calls of this header need one, and fail with
 * EOPNOTSUPP otherwise.
 */
bool tallydv_is_supported(struct ibv_device *device);

struct tallydv_device_attr {
	uint64_t comp_mask;
	uint64_t caps;         /* TALLY_CAP_ */
	uint32_t mtu;          /* largest packet payload in bytes */
	uint32_t max_message;  /* largest number of bytes of a list entry; 0: no limit */
	uint32_t max_inline;   /* largest number of inline bytes */
	uint32_t max_sge;      /* entries of the gather list, and of the result list */
	uint32_t max_sq_depth; /* entries of a send queue; one is kept for ABORT */
	uint32_t max_cq_depth; /* entries of a completion queue */
	uint32_t max_segs;     /* segments this process may hold */
	uint32_t max_groups;   /* groups this process may hold */
	uint32_t clock_khz;    /* rate of the device's clock */
	uint32_t max_cells;    /* message cells that all groups of this process may reserve */
	uint32_t opcodes;      /* TALLY_OPCODE_ that the device performs: bit 1 << opcode */
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
	uint32_t ops;          /* operations that can reduce the type: bit 1 << enum tally_op */
	uint32_t size;         /* bytes of a value; 1 for TALLY_TYPE_NONE */
	uint32_t pair_size;    /* bytes of an element of MINLOC and MAXLOC; 0: type has none */
	uint32_t index_offset; /* offset of the int32 index in such an element */
};

int _tallydv_query_type(struct ibv_context *context, uint32_t dtype,
			struct tallydv_type_attr *attr, size_t size);

/*
 * Describe what the device supports of a data type (enum tally_type). EINVAL: there is no such
 * type.
 */
static inline int tallydv_query_type(struct ibv_context *context, uint32_t dtype,
				     struct tallydv_type_attr *attr)
{
	return _tallydv_query_type(context, dtype, attr, sizeof(*attr));
}

/*
 * Returns TALLY_COLL_OK if the device can perform `opcode` with `op` on `dtype`. Otherwise it
 * returns the status with which the device would refuse such a work request: BAD_OPCODE, BAD_MODE
 * (no mode of this device offers the opcode), BAD_OP, BAD_TYPE or BAD_PAIR. QUERY and ABORT ignore
 * op and dtype. Returns NO_GROUP if `context` does not belong to a Tally NIC, because no group can
 * exist there.
 */
enum tally_coll_status tallydv_query_op(struct ibv_context *context, uint32_t opcode, uint32_t op,
					uint32_t dtype);

/* ---- Segments ---- */
struct tallydv_seg {
	uint64_t comp_mask;
	struct ibv_context *context;
	uint32_t base;  /* index of the first segment on this device */
	uint32_t count;
};

/*
 * Reserve `count` consecutive segments for one group. EINVAL: count is not a power of two, or is
 * above TALLY_MAX_GROUP_SEGS; EDQUOT: this process may not hold as many; ENOSPC: the device has no
 * free range of that size.
 */
struct tallydv_seg *tallydv_alloc_seg(struct ibv_context *context, uint32_t count);
/*
 * Return the segments to the device, and free `seg`. A group that uses them keeps them until it
 * ends.
 */
int tallydv_free_seg(struct tallydv_seg *seg);

/* ---- Groups ---- */
/*
 * A neighbour of this node. In a group that has only TREE, it is the parent, a child, or a peer,
 * which only triggered descriptors send to. In all other groups the neighbours are peers, and
 * `roles` says what each is for, at most one role in each mode; only triggered descriptors send to a
 * peer without a role. Members that do not apply to a neighbour are 0.
 *
 * In a round of EXCHANGE a node combines its own partial result with those of the neighbours that
 * have role IN and this round, and sends its own to those with role OUT. The data of an IN
 * neighbour are the partial result of a *part*: a range of nodes with consecutive indices.
 * part_first and part_count are the ranks of the part. If part_count is 0 in a group that has only
 * EXCHANGE, subtree_first, subtree_count, rank_first and rank_count describe the part, as they
 * describe the subtree of a child; in a group that has only RING, IN and OUT mean RING_IN and
 * RING_OUT.
 *
 * In a group of several modes with TREE, the parent of a node is `parent` if it has no other role.
 * Otherwise it is a peer with role PARENT. A peer with role CHILD has remote_index
 * TALLY_CONTRIB_PARENT if this node is `parent` there.
 */
struct tallydv_neighbour {
	union ibv_gid gid;
	uint8_t mac[6];          /* all zero: derived from a link-local GID (EUI-64) */
	uint16_t remote_index;   /* parent, peer: contributor index of this node there, from 0, or
				    TALLY_CONTRIB_PARENT; see above */
	uint16_t subtree_first;  /* child: lowest node index of its subtree */
	uint16_t subtree_count;  /* child: nodes of its subtree, including itself */
	uint32_t rank_first;     /* child: global index of the first rank of its subtree */
	uint32_t rank_count;     /* child: ranks of its subtree */
	uint8_t round;           /* EXCHANGE, IN or OUT: round of the edge, from 1 */
	uint8_t position;        /* IN: place of its part among the parts of the round, from 0; the
				    remaining place is that of this node's own part */
	uint16_t roles;          /* TALLY_ROLE_; without TREE, one neighbour has EPOCH, but none at
				    node 0 */
	uint32_t part_first;     /* IN: global index of the first rank of its part */
	uint32_t part_count;     /* IN: ranks of its part */
};

/*
 * The mode of messages of one opcode that name none: `small` if a rank contributes at most two to
 * the power of `small_log` bytes (count times the size of an element), otherwise `middle` if it
 * contributes at most two to the power of `middle_log` bytes, otherwise `large`. All three are enum
 * tally_mode, one of the group's modes that offers the opcode; 0: `mode` of the group. The
 * logarithms are at most TALLY_MAX_CHOICE_LOG; a choice of two modes has middle_log 0.
 */
struct tallydv_mode_choice {
	uint8_t small;
	uint8_t middle;
	uint8_t large;
	uint8_t small_log;
	uint8_t middle_log;
	uint8_t reserved[3];     /* must be 0 */
};

/* Opcodes with a choice, ALLREDUCE to SCATTER; the index is the opcode - TALLY_OPCODE_ALLREDUCE. */
#define TALLYDV_NUM_CHOICES 8

enum tallydv_group_attr_mask {
	TALLYDV_GROUP_ATTR_MODES = 1 << 0,    /* plan, chunk, modes, choice */
	TALLYDV_GROUP_ATTR_MAX_SEGS = 1 << 1, /* max_segs */
};

/*
 * Every rank has a global index. The ranks of node 0 come first, then those of node 1, and so on;
 * the ranks of a node follow in ascending order. Operations with a block for each rank order the
 * blocks by the global index. If all nodes have as many ranks as this one, which the library
 * concludes from total_ranks, the caller may leave rank_first of the group, and rank_first and
 * rank_count of its children or IN neighbours, all 0: the library fills them in. At a node without
 * ranks (rank_mask 0), rank_first is the index of the next rank, and all nodes set flag SPARSE.
 *
 * mode:
 * - TREE: partial results go up to the root, results come down. It offers all operations but
 *   ALLGATHER and REDUCE_SCATTER.
 * - EXCHANGE: in each round every node combines the partial results of some parts to that of a
 *   larger part, until all nodes have the same result. It suits short messages, and offers
 *   ALLREDUCE, BARRIER, ALLGATHER and REDUCE_SCATTER.
 * - RING: the neighbours are the left one (node - 1 modulo num_nodes, role IN) and the right one
 *   (node + 1, role OUT). With two nodes there is one neighbour with both roles. It suits long
 *   messages, and offers the operations of EXCHANGE and BCAST.
 * All modes offer triggered requests.
 *
 * modes: a group may have several modes, and then one group serves all operations of these modes.
 * The mode of a message is that of its request. If the request names none, it is that of `choice`,
 * and otherwise `mode`. All nodes give the same modes, mode, choice and plan. In a group with
 * several modes node 0 is the root of the tree.
 *
 * flags:
 * - ORDERED: every reduction of the group is done in one fixed shape, so that floating-point
 *   results are bit-identical from run to run. It needs msg_cells of at least this node's ranks
 *   plus its children, or in RING plus one. EXCHANGE always works so, and needs msg_cells of at
 *   least this node's ranks, plus the IN neighbours, plus the rounds.
 * - SPARSE (TREE only): some node has no rank. The group has no operation with a block for each
 *   rank.
 * - UNIFORM: all nodes have the same number of ranks. All nodes set this flag, or none does. In
 *   RING, ALLGATHER and REDUCE_SCATTER then take a shorter way.
 * - MULTICAST (TREE only): a result that all nodes get leaves the root as one packet, which the
 *   fabric replicates.
 * - SHARED: a process may also create queue pairs for ranks of this node that another process holds,
 *   for example to post for all of them. Without it a process posts only for the ranks it holds.
 *   When a process ends, its ranks are gone, and so is a message that one of its queue pairs has begun,
 *   for whatever ranks; others may post those that have not begun. Nodes need not agree.
 *
 * msg_cells: cells of the device's message queue that are reserved for this group. A triggered
 * descriptor may wait for as many messages as the group has reserved, or as the device lends to any
 * port.
 */
struct tallydv_group_attr {
	uint64_t comp_mask;      /* TALLYDV_GROUP_ATTR_ */
	uint32_t jid;            /* job id, not 0, the same at all nodes; should be random */
	uint32_t flags;          /* TALLY_GROUP_F_ except _ROOT, which the library sets */
	uint64_t join_key;       /* key with which other processes of this node attach */
	struct tallydv_seg *seg; /* segments, which no other group uses */
	enum tally_mode mode;    /* mode of messages that name none and have no choice */
	uint16_t node;           /* this node's index, from 0 */
	uint16_t num_nodes;
	uint8_t level;           /* distance from the tree's root */
	uint8_t num_children;    /* entries of `children`; TREE alone */
	uint16_t num_peers;      /* entries of `peers` */
	const struct tallydv_neighbour *children; /* contributors 0, 1, ... */
	const struct tallydv_neighbour *peers;    /* contributors num_children, ... */
	const struct tallydv_neighbour *parent;   /* NULL at the tree's root, and without TREE */
	uint64_t rank_mask;      /* local ranks that take part; bit r is rank r */
	uint64_t owner_ranks;    /* ranks this handle posts for; others may attach */
	uint32_t total_ranks;    /* ranks at all nodes */
	uint32_t timeout_ms;     /* per message, TALLY_MIN_TIMEOUT_MS..TALLY_MAX_TIMEOUT_MS; 0: no limit */
	uint32_t mtu;            /* bytes of a chunk, the same at all nodes; 0: the device's mtu */
	uint32_t epoch;          /* at the root (or node 0): first epoch, 0: random; elsewhere 0 */
	uint32_t retry_limit;    /* retransmissions before a neighbour counts as dead; 0: default */
	uint32_t rto_us;         /* first retransmission timeout; 0: default */
	uint32_t rank_first;     /* global index of this node's lowest rank */
	uint32_t msg_cells;      /* reserved cells of the message queue, 0..TALLY_MAX_GROUP_CELLS */
	uint32_t num_segs;       /* segments of seg that the group owns; 0: the largest power of
				    two that fits */
	uint32_t rounds;         /* EXCHANGE: 1..TALLY_MAX_ROUNDS, 0 with one node; else 0 */
	union ibv_gid mcast_gid; /* MULTICAST: address of the results, in ff00::/8 */
	union ibv_gid source_gid; /* MULTICAST: GID of the tree's root, which sends the results */
	uint32_t max_segs;       /* most segments that the group may hold, with those that the
				    device lends; 0: num_segs */
	uint32_t plan;           /* hash of the plan, which all nodes compare; 0: none */
	uint32_t chunk;          /* most bytes of a chunk in fixed order, which then needs no
				    cells; a power of two, the same at all nodes; 0: with cells */
	uint8_t modes;           /* TALLY_MODES_; 0: only `mode` */
	uint8_t reserved[3];     /* must be 0 */
	struct tallydv_mode_choice choice[TALLYDV_NUM_CHOICES];
};

struct tallydv_group_attach_attr {
	uint64_t comp_mask;
	uint32_t jid;
	uint32_t reserved;
	uint64_t join_key; /* join_key of the creator */
	uint64_t ranks;    /* local ranks that only this handle posts for */
};

enum tallydv_group_mask {
	TALLYDV_GROUP_MODES = 1 << 0, /* modes */
	TALLYDV_GROUP_MAX_SEGS = 1 << 1, /* max_segs */
};

/* A handle on a group. Several handles of several processes may refer to one group. */
struct tallydv_group {
	uint64_t comp_mask;  /* TALLYDV_GROUP_ */
	struct ibv_context *context;
	uint32_t jid;
	uint32_t num_segs;   /* segments that the group owns */
	uint32_t mtu;        /* bytes */
	uint32_t timeout_ms;
	uint16_t node;
	uint16_t num_nodes;
	uint64_t rank_mask;  /* local ranks of the group */
	uint64_t ranks;      /* local ranks that this handle posts for */
	uint32_t total_ranks;
	uint32_t rank_first; /* global index of this node's lowest rank */
	uint32_t flags;      /* TALLY_GROUP_F_ */
	uint32_t msg_cells;
	enum tally_mode mode;
	uint8_t level;       /* distance from the tree's root */
	uint8_t rounds;      /* rounds of EXCHANGE */
	uint8_t modes;       /* TALLY_MODES_ */
	uint8_t reserved;
	uint32_t max_segs;   /* most segments that the group may hold */
};

struct tallydv_group *_tallydv_create_group(struct ibv_context *context,
					    const struct tallydv_group_attr *attr,
					    size_t neighbour_size, char *why, size_t size);

/*
 * Create a group and begin to open its edges. The neighbours may create the group seconds earlier
 * or later. EINVAL: a field is wrong; EEXIST: the job id is in use on this device; EBUSY: another
 * group uses the segments; EDQUOT: this process may not hold as much; ENOSPC: the device has no
 * room left.
 *
 * On error the library writes a sentence to `why`, a buffer of `size` bytes, which may be NULL if
 * size is 0. If a field is at fault, the sentence begins with its name.
 */
static inline struct tallydv_group *tallydv_create_group(struct ibv_context *context,
							 const struct tallydv_group_attr *attr,
							 char *why, size_t size)
{
	return _tallydv_create_group(context, attr, sizeof(struct tallydv_neighbour), why, size);
}

/*
 * Attach to a group that another process of this node created, and take some of its ranks. ENOENT:
 * there is no such group; EACCES: the join key is wrong; EINVAL: the group has no such ranks;
 * EBUSY: a rank is taken. `why` is as in tallydv_create_group().
 */
struct tallydv_group *tallydv_attach_group(struct ibv_context *context,
					   const struct tallydv_group_attach_attr *attr, char *why,
					   size_t size);

/*
 * State of a group. Bitmaps are of contributors and local ranks, either of this node or of the
 * detector.
 */
struct tallydv_group_info {
	uint64_t comp_mask;
	uint32_t jid;
	uint32_t epoch;                     /* 0: not known yet */
	enum tally_group_state state;
	enum tally_coll_status status;      /* cause of death */
	uint32_t done;                      /* number of consecutive finished chunks */
	bool parent_open;                   /* true if there is no parent */
	uint16_t detector;                  /* index of the node that noticed the error */
	uint64_t open_contributors;         /* contributors of this node whose edges are open */
	uint64_t attached_ranks;            /* ranks of this node that a process holds */
	uint64_t gone_ranks;                /* ranks of this node whose process left */
	uint64_t remaining_contributors;    /* missing contributors of the detector */
	uint64_t remaining_ranks;           /* missing ranks of the detector */
};

int _tallydv_query_group(struct tallydv_group *group, struct tallydv_group_info *info,
			 size_t size);

static inline int tallydv_query_group(struct tallydv_group *group, struct tallydv_group_info *info)
{
	return _tallydv_query_group(group, info, sizeof(*info));
}

/*
 * Begin the next epoch of a group that is dead because of an error or ABORT. Every node calls this
 * function once, with the same `epoch`. The new epoch must not be 0 and must follow the old one in
 * serial order, for example old + 1. Message ids begin at 0 again. Queue pairs stay in the error
 * state until the caller moves them to RESET and RTS. The call waits while the device collects
 * reports on the end, for at most 100 ms of its clock. EBUSY: the epoch has not ended; EOWNERDEAD: a
 * rank has left, so the group can only be destroyed; EINVAL: the epoch is not valid.
 */
int tallydv_reset_group(struct tallydv_group *group, uint32_t epoch);

/* An edge of a group: the connection to one neighbour. */
struct tallydv_edge_info {
	union ibv_gid gid;
	uint8_t mac[6];
	uint8_t index;           /* contributor index, or TALLY_CONTRIB_PARENT */
	enum tally_edge_state state;
	uint16_t subtree_first;  /* child: lowest node index of its subtree */
	uint16_t subtree_count;
	uint32_t peer_done;      /* number of consecutive chunks known to be finished there */
	uint32_t outstanding;    /* packets not acknowledged yet */
	uint32_t retries;        /* retransmissions or probes since its last packet */
	uint64_t sent;           /* packets sent, without retransmissions */
	uint64_t retransmits;
	uint64_t received;
	uint64_t duplicates;
	uint64_t busy;           /* busy answers received */
};

/* A segment of a group, and the chunk it holds. */
struct tallydv_seg_info {
	enum tally_seg_state state;
	uint8_t opcode;          /* enum tally_opcode */
	uint8_t op;              /* enum tally_op */
	uint8_t dtype;           /* enum tally_type */
	uint32_t num;            /* running number of the chunk */
	uint32_t mid;
	uint32_t sid;
	uint64_t contributors;   /* contributors whose data are missing */
	uint64_t ranks;          /* local ranks that have not posted */
	uint64_t unacknowledged; /* contributors that have not acknowledged the result */
	uint64_t undelivered;    /* local ranks that have not received the result */
};

/* Arrival times of the parts of a message at this node, in nanoseconds of the device's clock. */
struct tallydv_arrival {
	uint32_t mid;
	uint8_t opcode;          /* enum tally_opcode */
	uint8_t op;              /* enum tally_op */
	uint8_t dtype;           /* enum tally_type */
	uint8_t last;            /* last arrival: a local rank, or 64 plus a contributor */
	uint64_t count;          /* elements */
	uint64_t first_ns;       /* arrival of the first request or contribution */
	uint64_t last_ns;        /* arrival of the last one that the first chunk needs */
	uint64_t done_ns;        /* end of the message at this node; 0: not finished */
	uint64_t ranks;          /* local ranks that have posted it */
	uint64_t contributors;   /* contributors that have sent their first chunk */
};

int _tallydv_query_edges(struct tallydv_group *group, struct tallydv_edge_info *edges,
			 uint32_t *count, size_t size);
int _tallydv_query_segs(struct tallydv_group *group, struct tallydv_seg_info *segs,
			uint32_t *count, size_t size);
int _tallydv_query_arrivals(struct tallydv_group *group, struct tallydv_arrival *arrivals,
			    uint32_t *count, size_t size);

/*
 * Return what the device knows of a group's edges, of its segments, or of its last
 * TALLY_NUM_ARRIVALS messages, the newest first. On entry `*count` is the capacity of the array,
 * which must be at least 1. On return it is the number of existing entries, of which the array
 * holds the first ones, up to its capacity. EINVAL: the capacity is 0.
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
 * Free the handle. Once no queue pair created with it is left, give up its ranks: messages that
 * they have not posted then end with TALLY_COLL_RANK_GONE at every rank. The group ends with its
 * last handle.
 */
int tallydv_destroy_group(struct tallydv_group *group);

/* ---- Trees ---- */
struct tallydv_tree_pos {
	uint64_t comp_mask;
	uint16_t node;
	uint16_t parent;         /* index of the parent; the root: its own index */
	uint16_t index;          /* index among the children of its parent */
	uint16_t num_children;
	uint16_t subtree_count;  /* nodes of its subtree, which begins with this node */
	uint8_t level;           /* distance from the root, which is node 0 */
	uint8_t reserved[5];
	struct {
		uint16_t node;   /* first node of the child's subtree: the child itself */
		uint16_t count;  /* nodes of the child's subtree */
	} child[TALLY_MAX_CONTRIBUTORS];
};

int _tallydv_plan_tree(uint32_t num_nodes, uint32_t degree, uint32_t node,
		       struct tallydv_tree_pos *pos, size_t size);

/*
 * Compute the place of `node` in a balanced tree of `num_nodes` nodes with at most `degree`
 * children each. Nodes are numbered depth first, so that every subtree is a range of consecutive
 * indices. EINVAL: num_nodes is not in 1..TALLY_MAX_NODES, degree is not in
 * 1..TALLY_MAX_CONTRIBUTORS, node is not below num_nodes, or the tree is deeper than 255 levels.
 */
static inline int tallydv_plan_tree(uint32_t num_nodes, uint32_t degree, uint32_t node,
				    struct tallydv_tree_pos *pos)
{
	return _tallydv_plan_tree(num_nodes, degree, node, pos, sizeof(*pos));
}

/* ---- Plans: mode, shape and the place of each node in a group ---- */
#define TALLYDV_PLAN_LEVELS 3

enum tallydv_plan_attr_mask {
	TALLYDV_PLAN_ATTR_MODES = 1 << 0, /* modes */
};

/*
 * The purpose of a group, and the place of its nodes in the fabric. The caller chooses the numbers
 * of the nodes. All members but num_nodes and gids may be 0, which leaves the choice to the
 * planner. The planner keeps to members that are not 0, or refuses them.
 */
struct tallydv_plan_attr {
	uint64_t comp_mask;       /* TALLYDV_PLAN_ATTR_ */
	uint32_t num_nodes;
	uint32_t num_levels;      /* entries of `switches`; 0: all nodes are on one switch */
	const union ibv_gid *gids; /* one for each node */
	const uint8_t (*macs)[6]; /* one for each node; NULL or 0: derived from link-local GIDs */
	const uint8_t *ranks;     /* number for each node, 0..TALLY_MAX_RANKS; NULL: 1 each */
	/* switch of each node, for each level from the leaves up; NULL: one switch for all */
	const uint32_t *switches[TALLYDV_PLAN_LEVELS];
	uint8_t opcode;           /* enum tally_opcode; 0: ALLREDUCE */
	uint8_t op;               /* enum tally_op; 0: SUM */
	uint8_t dtype;            /* enum tally_type; 0: FP64 */
	uint8_t keep_order;       /* nonzero: node k gets index k regardless of its place */
	uint64_t bytes;           /* typical size of the `count` elements of a message */
	uint64_t caps;            /* TALLY_CAP_ common to all devices; 0: all */
	enum tally_mode mode;
	uint32_t flags;           /* TALLY_GROUP_F_ORDERED, _MULTICAST */
	uint32_t degree;          /* TREE: largest number of children of a node */
	uint32_t num_rounds;      /* EXCHANGE: entries of `radix` */
	uint8_t radix[TALLY_MAX_ROUNDS]; /* largest number of parts of a round, from round 1 */
	uint32_t num_segs;        /* segments that the group owns, a power of two; of a shared plan
				     any number */
	uint32_t max_segs;        /* limit of the plan's max_segs; 0: TALLY_MAX_GROUP_SEGS */
	uint32_t mtu;             /* bytes of a chunk; 0: TALLY_MAX_MTU */
	union ibv_gid mcast_gid;  /* an address in ff00::/8 that MULTICAST may use; 0: none */
	uint32_t modes;           /* TALLY_MODES_ of a shared plan: one group for the operations of
				     these modes; 0: a plan of one mode for `opcode` */
	uint32_t reserved;
};

enum tallydv_plan_mask {
	TALLYDV_PLAN_MODES = 1 << 0, /* max_segs and all after it */
};

/* A plan. It belongs to the library until tallydv_free_plan(). */
struct tallydv_plan {
	uint64_t comp_mask;       /* TALLYDV_PLAN_ */
	enum tally_mode mode;
	uint32_t flags;           /* TALLY_GROUP_F_ that all nodes set */
	uint32_t num_nodes;
	uint32_t total_ranks;
	uint32_t degree;          /* TREE: largest number of children of a node */
	uint32_t rounds;          /* EXCHANGE: number of rounds; 0 otherwise */
	uint8_t radix[TALLY_MAX_ROUNDS]; /* largest number of parts that each round combines */
	uint32_t num_segs;        /* segments that the group owns */
	uint32_t seg_count;       /* a power of two that holds them, the count for
				     tallydv_alloc_seg() */
	uint32_t mtu;
	uint64_t estimate_ns;     /* from the request in the first device to the last result */
	const char *reason;       /* why the planner chose this mode */
	const uint16_t *place;    /* place[k]: index in the group of the caller's node k */
	const uint16_t *node;     /* node[i]: caller's number of the node with index i */
	uint32_t max_segs;        /* most segments of a group, with those that the device lends */
	uint32_t hash;            /* of a shared plan, else 0 */
	uint32_t chunk;           /* shared plan: most bytes of a chunk in fixed order */
	uint8_t modes;            /* TALLY_MODES_ of the groups */
	uint8_t reserved[3];
	struct tallydv_mode_choice choice[TALLYDV_NUM_CHOICES];
};

/*
 * The part of a plan that concerns one node. `attr` has all members for tallydv_create_group()
 * except jid, seg, timeout_ms and join_key. rank_mask and owner_ranks are the lowest ranks. `attr`
 * points into `neighbours`; in a copy of this structure, it still points into the original.
 */
struct tallydv_node_plan {
	struct tallydv_group_attr attr;
	struct tallydv_neighbour neighbours[TALLY_MAX_CONTRIBUTORS + 1];
};

/*
 * Plan a group. Every node that asks with the same attributes gets the same plan. Returns NULL with
 * errno EINVAL or ENOMEM on error. With EINVAL the library writes a sentence that begins with the
 * field at fault to `why`, a buffer of `size` bytes, which may be NULL if size is 0. The plan does
 * not refer to `attr`.
 */
struct tallydv_plan *tallydv_plan_group(const struct tallydv_plan_attr *attr, char *why,
					size_t size);
int _tallydv_plan_node(const struct tallydv_plan *plan, uint32_t k,
		       struct tallydv_group_attr *attr, size_t attr_size,
		       struct tallydv_neighbour *neighbours, size_t neighbour_size,
		       uint32_t num_neighbours);

/* Return the part of the plan for the caller's node k. EINVAL: there is no such node. */
static inline int tallydv_plan_node(const struct tallydv_plan *plan, uint32_t k,
				    struct tallydv_node_plan *node)
{
	return _tallydv_plan_node(plan, k, &node->attr, sizeof(node->attr), node->neighbours,
				  sizeof(node->neighbours[0]), TALLY_MAX_CONTRIBUTORS + 1);
}

/*
 * A range of nodes with consecutive indices, and the global indices of their ranks, which are
 * consecutive too.
 */
struct tallydv_missing_nodes {
	uint16_t first;      /* index in the group of the first node */
	uint16_t count;      /* number of nodes */
	uint32_t rank_first;
	uint32_t rank_count;
};

/* The nodes and ranks that the report of an error names. */
struct tallydv_missing {
	uint64_t comp_mask;
	uint32_t num_nodes;  /* entries of `nodes` */
	uint32_t num_ranks;  /* entries of `ranks` */
	/* neighbours of the detector; a child of the tree with all nodes below it */
	struct tallydv_missing_nodes nodes[TALLY_MAX_CONTRIBUTORS];
	uint32_t ranks[TALLY_MAX_RANKS]; /* global indices of the detector's ranks */
	uint16_t parent;     /* detector's parent in a tree if it has no bit; else detector */
	uint16_t reserved[3];
};

int _tallydv_plan_missing(const struct tallydv_plan *plan, uint16_t detector,
			  uint64_t contributors, uint64_t ranks, struct tallydv_missing *missing,
			  size_t size);

/*
 * Translate the bitmaps of a completion or of struct tallydv_group_info, which are those of the
 * node with index `detector`, in a group that was created from `plan`. The parent in a tree is no
 * contributor and has no bit, unless it has another role in a group of several modes. If it has no
 * bit, empty bitmaps mean the parent with RETRY_EXCEEDED, NO_HANDSHAKE and CONFIG_MISMATCH. EINVAL:
 * there is no such node, or it has no such contributors or ranks.
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
	uint64_t ranks; /* local ranks to post for, a subset of the handle's, or with SHARED of
			   those that any process holds; 0: the handle's */
	uint16_t port;  /* number of the port for triggered messages, unique in group and node */
	uint16_t reserved;
	uint32_t flags; /* TALLYDV_QP_ */
};

/*
 * Create a collective queue pair, which is ready to send. In `attr` the caller sets qp_type
 * IBV_QPT_DRIVER, pd and send_cq (comp_mask IBV_QP_INIT_ATTR_PD), cap.max_send_wr, cap.max_send_sge
 * (entries of the gather list, and of the result list) and cap.max_inline_data; the library writes
 * back what it granted. The queue pair does not receive, so recv_cq may be NULL. The ibv_wr_ calls
 * work on it if the caller sets IBV_QP_INIT_ATTR_SEND_OPS_FLAGS (with send_ops_flags 0). EINVAL: a
 * field is wrong, or an object belongs to another context; EOPNOTSUPP: another type or unknown
 * flags. `why` is as in tallydv_create_group().
 */
struct ibv_qp *tallydv_create_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
				 const struct tallydv_qp_init_attr *dv_attr, char *why,
				 size_t size);

/* ---- Work requests ---- */
/* Members for REDUCE_MP, BCAST_MP and PUT_MP only. */
struct tallydv_trigger {
	uint32_t cpcnt;       /* the request fires when `counter` is at least this; 0: at once */
	uint8_t counter;      /* own CP counter of the messages it waits for */
	uint8_t dest_counter; /* CP counter at the target */
	uint16_t dest_port;   /* port at the target */
	uint8_t branch;       /* number of messages that the target reduces */
	uint8_t reserved;
	uint16_t err_vector;  /* initial error vector, TALLY_ERR_ */
};

enum tallydv_coll_attr_mask {
	TALLYDV_COLL_ATTR_MODE = 1 << 0, /* mode */
};

/*
 * Members of a collective work request in addition to struct ibv_send_wr. Zero is the default of
 * every member.
 *
 * Lists: the k-th entry of a list belongs to the k-th of those ranks of the rank mask that have an
 * entry, and has `count` elements, or count * total_ranks where the table says "all blocks". The
 * blocks are in the order of global rank indices. A result may overwrite the rank's data. BARRIER
 * has no lists.
 *
 *	opcode          gather list           result list
 *	ALLREDUCE       every rank            every rank
 *	REDUCE          every rank            the root
 *	BCAST           the root              every rank but the root
 *	GATHER          every rank            the root, all blocks
 *	SCATTER         the root, all blocks  every rank
 *	ALLGATHER       every rank            every rank, all blocks
 *	REDUCE_SCATTER  every rank,           every rank, its block
 *	                all blocks            of the result
 *
 * MINLOC and MAXLOC reduce pairs (see tallydv_query_type()). With flag LOC_VALUES the data consist
 * of values only, and element i gets the index loc_index + i; the result consists of pairs.
 *
 * flags:
 * - ORDERED: combine in the fixed shape. Reductions only. The group must have been created with
 *   this flag.
 * - FLAG_WORD: once the whole result is in memory, write flag_value, little-endian, to flag_addr (a
 *   multiple of 4, in a region with IBV_ACCESS_LOCAL_WRITE). The device writes it only on success.
 *   Not for QUERY and ABORT.
 * - EMPTY: these ranks take no part in the message and have no lists. They must post it
 *   nevertheless.
 * - COMBINED: the only entry of each list stands for all ranks of the mask. Data to be reduced are
 *   those of the ranks already combined, and a result is written once. Where a rank has a block, the
 *   entry has the blocks of these ranks in order, and the mask must be all ranks of the node. A BCAST
 *   whose root is among the ranks has no result list. Not for BARRIER, and not with EMPTY.
 * - LOC_VALUES: see above.
 * - CP, SWP_FLAG, SWP_MP, TO_PARENT, TO_SELF, RFLAG: for triggered requests only.
 *
 * mode: the mode of the message, the same at all ranks, in a group of several modes. The NIC looks up
 * the group's choice for messages that name none, so that a program need not know it.
 *
 * All ranks take part in a message, except that in TREE a request may have flag EMPTY. If no rank
 * of a subtree takes part, every rank of the subtree posts EMPTY with NO_CONTRIBUTORS, and the
 * parent leaves the subtree out of its node_mask (or sets NO_CONTRIBUTORS if no contributor
 * remains).
 */
struct tallydv_coll_attr {
	uint8_t opcode;      /* enum tally_opcode */
	uint8_t op;          /* enum tally_op */
	uint8_t dtype;       /* enum tally_type */
	uint8_t root_rank;   /* REDUCE, BCAST, GATHER, SCATTER: local rank of the root, */
	uint32_t flags;      /* TALLY_WQE_F_ except SIGNALED, SOLICITED and INLINE */
	uint64_t count;      /* elements that a rank contributes; bytes for TALLY_TYPE_NONE;
				ABORT: the reason, see tallydv_wr_abort_because() */
	uint32_t mid;        /* message id; QUERY: the message to report on */
	uint16_t root_node;  /* and node index of the root */
	uint16_t num_result; /* entries of result_list */
	uint16_t seg_first;  /* must be 0 */
	uint16_t seg_count;  /* most chunks in flight from this node; 0: the group's segments */
	uint32_t timeout_ms; /* 0: that of the group */
	uint64_t rank_mask;  /* local ranks to post for; 0: all of the queue pair */
	uint64_t node_mask;  /* contributors that take part, 0: all; triggered: destinations */
	uint64_t flag_addr;  /* FLAG_WORD: address, */
	uint32_t flag_lkey;  /* memory region, */
	uint32_t flag_value; /* and value to write after the result */
	struct tallydv_trigger trigger;
	uint32_t chunk_len;  /* most bytes of a chunk, the same at all ranks; 0: group's mtu */
	uint64_t loc_index;  /* LOC_VALUES: index of the first element, below 2^31 */
	const struct ibv_sge *result_list;
	uint64_t comp_mask;  /* TALLYDV_COLL_ATTR_ */
	uint32_t mode;       /* enum tally_mode, one of the group's; 0: the group's choice */
	uint32_t reserved;
};

/*
 * A work request as ibv_post_send() takes it. wr.opcode is IBV_WR_DRIVER1. wr.sg_list is the gather
 * list, or the data with IBV_SEND_INLINE. wr.send_flags may also have IBV_SEND_SIGNALED and
 * IBV_SEND_SOLICITED. wr.next points to the wr of another such structure.
 *
 * Errors of a post:
 * - ENOMEM: the queue is full. An ABORT still fits.
 * - EINVAL: a number is unknown to <infiniband/tally_types.h>, or the lists do not fit into an
 *   entry.
 * - EOPNOTSUPP: comp_mask has bits that this library does not know; or the device does not perform
 *   this opcode with this operation and type; or the group does not offer it, because of its mode
 *   or because it is SPARSE.
 *
 * After EINVAL and EOPNOTSUPP, tallydv_qp_last_refusal() tells more. The NIC checks everything
 * else, and refuses a request by an error completion.
 *
 * An entry of the queue is free again when its request has completed, and a completion of this
 * request or of a later one has been polled. A request without IBV_SEND_SIGNALED has no completion
 * on success. Therefore, as everywhere in verbs, one in every cap.max_send_wr requests must be
 * signaled, even if the program watches the flag word; otherwise the queue stays full. QUERY and
 * ABORT always complete, and free no other entry. Errors always complete.
 */
struct tallydv_send_wr {
	struct ibv_send_wr wr;
	struct tallydv_coll_attr coll;
};

/*
 * Returns why the last post failed with EINVAL or EOPNOTSUPP: the status with which the NIC would
 * have refused that work request (the first bad one in a chain). Returns TALLY_COLL_OK if no post
 * has failed, or if the last failure had another cause than the contents of the request (ENOMEM). A
 * successful post does not change the value. Only the thread that posted may call this function.
 */
enum tally_coll_status tallydv_qp_last_refusal(struct ibv_qp *qp);

/*
 * Members that most work requests need. root_node and root_rank are 0 for operations without a
 * root; the reserved members are 0.
 */
struct tallydv_basic {
	uint8_t opcode;      /* enum tally_opcode */
	uint8_t op;          /* enum tally_op */
	uint8_t dtype;       /* enum tally_type */
	uint8_t reserved0;
	uint16_t root_node;
	uint8_t root_rank;
	uint8_t reserved1;
};

/* The ibv_wr_ functions of a queue pair. The library fills them in. */
struct tallydv_qp {
	uint64_t comp_mask;
	void (*wr_coll)(struct tallydv_qp *dv_qp, const struct tallydv_coll_attr *attr);
	void (*wr_basic)(struct tallydv_qp *dv_qp, struct tallydv_basic what, uint64_t count,
			 uint32_t mid);
	void (*wr_set_result)(struct tallydv_qp *dv_qp, size_t num_sge,
			      const struct ibv_sge *sg_list);
};

/* The returned pointer is valid as long as the queue pair exists. */
struct tallydv_qp *tallydv_qp_from_ibv_qp_ex(struct ibv_qp_ex *qp);

/*
 * Build a work request between ibv_wr_start() and ibv_wr_complete(). Set wr_id and wr_flags as for
 * all ibv_wr_ calls, begin the request with one of the calls below, add its data by
 * ibv_wr_set_sge_list() or ibv_wr_set_inline_data(), then add the result list by
 * tallydv_wr_set_result(). The library keeps an error until ibv_wr_complete(), which returns it and
 * then posts nothing. The errors are those of ibv_post_send(). These calls ignore result_list and
 * num_result of struct tallydv_coll_attr.
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

/*
 * Returns the number of an opcode, an operation or a type as a member of a request. A number that
 * does not fit becomes 255, which is unknown, so that the post is refused.
 */
static inline uint8_t _tallydv_number(uint32_t number)
{
	return number < UINT8_MAX ? (uint8_t)number : UINT8_MAX;
}

static inline void tallydv_wr_allreduce(struct tallydv_qp *dv_qp, enum tally_op op,
					enum tally_type dtype, uint64_t count, uint32_t mid)
{
	struct tallydv_basic what = {};

	what.opcode = TALLY_OPCODE_ALLREDUCE;
	what.op = _tallydv_number(op);
	what.dtype = _tallydv_number(dtype);
	dv_qp->wr_basic(dv_qp, what, count, mid);
}

static inline void tallydv_wr_reduce(struct tallydv_qp *dv_qp, enum tally_op op,
				     enum tally_type dtype, uint64_t count, uint32_t mid,
				     uint16_t root_node, uint8_t root_rank)
{
	struct tallydv_basic what = {};

	what.opcode = TALLY_OPCODE_REDUCE;
	what.op = _tallydv_number(op);
	what.dtype = _tallydv_number(dtype);
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
	what.dtype = _tallydv_number(dtype);
	what.root_node = root_node;
	what.root_rank = root_rank;
	dv_qp->wr_basic(dv_qp, what, count, mid);
}

/* The root gets `count` elements of each rank, in the order of global rank indices. */
static inline void tallydv_wr_gather(struct tallydv_qp *dv_qp, enum tally_type dtype,
				     uint64_t count, uint32_t mid, uint16_t root_node,
				     uint8_t root_rank)
{
	struct tallydv_basic what = {};

	what.opcode = TALLY_OPCODE_GATHER;
	what.dtype = _tallydv_number(dtype);
	what.root_node = root_node;
	what.root_rank = root_rank;
	dv_qp->wr_basic(dv_qp, what, count, mid);
}

/* The root sends `count` elements to each rank, in the order of global rank indices. */
static inline void tallydv_wr_scatter(struct tallydv_qp *dv_qp, enum tally_type dtype,
				      uint64_t count, uint32_t mid, uint16_t root_node,
				      uint8_t root_rank)
{
	struct tallydv_basic what = {};

	what.opcode = TALLY_OPCODE_SCATTER;
	what.dtype = _tallydv_number(dtype);
	what.root_node = root_node;
	what.root_rank = root_rank;
	dv_qp->wr_basic(dv_qp, what, count, mid);
}

/* Every rank gets `count` elements of each rank, in the order of global rank indices. */
static inline void tallydv_wr_allgather(struct tallydv_qp *dv_qp, enum tally_type dtype,
					uint64_t count, uint32_t mid)
{
	struct tallydv_basic what = {};

	what.opcode = TALLY_OPCODE_ALLGATHER;
	what.dtype = _tallydv_number(dtype);
	dv_qp->wr_basic(dv_qp, what, count, mid);
}

/*
 * Reduce count * total_ranks elements. Every rank gets its block of `count` elements, in the order
 * of global rank indices.
 */
static inline void tallydv_wr_reduce_scatter(struct tallydv_qp *dv_qp, enum tally_op op,
					     enum tally_type dtype, uint64_t count, uint32_t mid)
{
	struct tallydv_basic what = {};

	what.opcode = TALLY_OPCODE_REDUCE_SCATTER;
	what.op = _tallydv_number(op);
	what.dtype = _tallydv_number(dtype);
	dv_qp->wr_basic(dv_qp, what, count, mid);
}

static inline void tallydv_wr_barrier(struct tallydv_qp *dv_qp, uint32_t mid)
{
	struct tallydv_basic what = {};

	what.opcode = TALLY_OPCODE_BARRIER;
	dv_qp->wr_basic(dv_qp, what, 0, mid);
}

/* Ask for the progress of message `mid`. This request waits for no other request. */
static inline void tallydv_wr_query(struct tallydv_qp *dv_qp, uint32_t mid)
{
	struct tallydv_basic what = {};

	what.opcode = TALLY_OPCODE_QUERY;
	dv_qp->wr_basic(dv_qp, what, 0, mid);
}

/*
 * End every unfinished message of the group at all nodes. This request waits for no other request,
 * and completes last.
 */
static inline void tallydv_wr_abort(struct tallydv_qp *dv_qp)
{
	struct tallydv_basic what = {};

	what.opcode = TALLY_OPCODE_ABORT;
	dv_qp->wr_basic(dv_qp, what, 0, 0);
}

/*
 * The same with a reason that all ranks learn instead of ABORTED: RANK_GONE, or one of the statuses
 * OPCODE_MISMATCH to MODE_MISMATCH, if the program noticed itself that ranks' calls do not match. The
 * NIC refuses others with BAD_COUNT.
 */
static inline void tallydv_wr_abort_because(struct tallydv_qp *dv_qp, enum tally_coll_status reason)
{
	struct tallydv_basic what = {};

	what.opcode = TALLY_OPCODE_ABORT;
	dv_qp->wr_basic(dv_qp, what, reason, 0);
}

/* Common part of the next three functions. */
static inline void tallydv_wr_triggered(struct tallydv_qp *dv_qp, enum tally_opcode opcode,
					enum tally_op op, enum tally_type dtype, uint64_t count,
					uint32_t mid, uint32_t flags, uint64_t node_mask,
					const struct tallydv_trigger *trigger)
{
	struct tallydv_coll_attr attr = {};

	attr.opcode = _tallydv_number(opcode);
	attr.op = _tallydv_number(op);
	attr.dtype = _tallydv_number(dtype);
	attr.count = count;
	attr.mid = mid;
	attr.flags = flags;
	attr.node_mask = node_mask;
	attr.trigger = *trigger;
	dv_qp->wr_coll(dv_qp, &attr);
}

/*
 * Triggered: reduce the messages waited for, and own data with TALLY_WQE_F_RFLAG, and send the
 * result.
 */
static inline void tallydv_wr_reduce_mp(struct tallydv_qp *dv_qp, enum tally_op op,
					enum tally_type dtype, uint64_t count, uint32_t mid,
					uint32_t flags, uint64_t node_mask,
					const struct tallydv_trigger *trigger)
{
	tallydv_wr_triggered(dv_qp, TALLY_OPCODE_REDUCE_MP, op, dtype, count, mid, flags,
			     node_mask, trigger);
}

/* Triggered: send own data, or with TALLY_WQE_F_SWP_FLAG the result of the messages waited for. */
static inline void tallydv_wr_bcast_mp(struct tallydv_qp *dv_qp, enum tally_op op,
				       enum tally_type dtype, uint64_t count, uint32_t mid,
				       uint32_t flags, uint64_t node_mask,
				       const struct tallydv_trigger *trigger)
{
	tallydv_wr_triggered(dv_qp, TALLY_OPCODE_BCAST_MP, op, dtype, count, mid, flags,
			     node_mask, trigger);
}

/* Triggered: like tallydv_wr_bcast_mp(), with exactly one destination. */
static inline void tallydv_wr_put_mp(struct tallydv_qp *dv_qp, enum tally_op op,
				     enum tally_type dtype, uint64_t count, uint32_t mid,
				     uint32_t flags, uint64_t node_mask,
				     const struct tallydv_trigger *trigger)
{
	tallydv_wr_triggered(dv_qp, TALLY_OPCODE_PUT_MP, op, dtype, count, mid, flags, node_mask,
			     trigger);
}

/*
 * ---- Completions ----
 *
 * ibv_poll_cq() and the common readers return opcode IBV_WC_DRIVER1, status, byte_len (bytes of
 * result written), qp_num and vendor_err (enum tally_coll_status). An extended completion queue
 * also returns the time stamp (IBV_WC_EX_WITH_COMPLETION_TIMESTAMP), which is the device's clock in
 * nanoseconds. Polling fails with EIO if the device wrote a completion that belongs to no work
 * request; the library has then consumed it. The readers below need an extended completion queue
 * (ibv_create_cq_ex() on a Tally device), and are valid between ibv_start_poll() and
 * ibv_end_poll().
 */
uint32_t tallydv_wc_read_jid(struct ibv_cq_ex *cq);
uint32_t tallydv_wc_read_mid(struct ibv_cq_ex *cq);
/*
 * The chunk: the last one on success, the failed one on error. The next function returns its
 * segment.
 */
uint32_t tallydv_wc_read_sid(struct ibv_cq_ex *cq);
uint16_t tallydv_wc_read_seg(struct ibv_cq_ex *cq);
enum tally_coll_status tallydv_wc_read_coll_status(struct ibv_cq_ex *cq);
/* enum tally_opcode of the work request. */
uint8_t tallydv_wc_read_opcode(struct ibv_cq_ex *cq);
/* TALLY_CQE_F_: whether the message of a QUERY is unfinished or unknown. */
uint8_t tallydv_wc_read_flags(struct ibv_cq_ex *cq);
/*
 * Contributors and local ranks that were still missing at the detector; for a QUERY, those that its
 * chunk waits for.
 */
uint64_t tallydv_wc_read_node_bitmap(struct ibv_cq_ex *cq);
uint64_t tallydv_wc_read_rank_bitmap(struct ibv_cq_ex *cq);
/* Index of the node that noticed the error; this node on success. */
uint16_t tallydv_wc_read_detector(struct ibv_cq_ex *cq);
/* Error vector, TALLY_ERR_ */
uint16_t tallydv_wc_read_err_vector(struct ibv_cq_ex *cq);
/* The device's clock at completion, and the time since the doorbell. */
uint64_t tallydv_wc_read_timestamp_ns(struct ibv_cq_ex *cq);
uint32_t tallydv_wc_read_elapsed_ns(struct ibv_cq_ex *cq);

/* ---- Text: static strings, never NULL ---- */
/* A sentence that describes the status, and the short name of the status. */
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
