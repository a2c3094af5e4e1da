/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network as libtallycoll uses it: groups, queues, work requests and registered memory of one
 * NIC. Back ends implement struct tc_net_ops. All functions are called with the context's lock held,
 * and none waits for another process, except that those which open and close objects may sleep.
 * Functions return 0 or a negative errno value unless they say otherwise. `why` is a buffer for a
 * sentence, which a function that fails writes.
 */
#ifndef TALLYCOLL_TRANSPORT_H
#define TALLYCOLL_TRANSPORT_H

#include <infiniband/tally_types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tc_group;
struct tc_queue;
struct tc_net;

/* Where the other nodes find a NIC. */
struct tc_address {
	uint8_t gid[16];
	uint8_t mac[6];
	uint8_t reserved[2];
};

/* Memory that the NIC may read and write. */
struct tc_region {
	uint64_t start;		/* address of the first byte, in work requests */
	uint32_t key;
	void *priv;		/* of the back end */
};

struct tc_group_cfg {
	uint32_t jid;		/* not 0 */
	uint32_t num_nodes, node;	/* the nodes in order, and the index of this one */
	const struct tc_address *nodes;
	const uint8_t *ranks;	/* number of local ranks of each node, 1..TALLY_MAX_RANKS */
	uint64_t join_key;
	uint64_t held;		/* local ranks that this process holds, bit r is rank r */
	bool create;		/* make the group; otherwise join the one that another process of
				   the node has made */
};

enum tc_work_flags {
	TC_WORK_COMBINED = 1 << 0,	/* TALLY_WQE_F_COMBINED */
	TC_WORK_INLINE = 1 << 1,	/* `data` instead of `from` */
	TC_WORK_FROM = 1 << 2,		/* there is a gather entry */
	TC_WORK_TO = 1 << 3,		/* there is a result entry */
	TC_WORK_QUIET = 1 << 4,		/* success makes no outcome; see tc_net_ops.post */
};

struct tc_entry {
	uint64_t addr;
	uint32_t key;
	uint32_t bytes;
};

/* A work request; struct tallydv_coll_attr has the meaning of the members of the same name. */
struct tc_work {
	uint8_t opcode, op, dtype, root_rank;
	uint16_t root_node;
	uint16_t flags;		/* TC_WORK_ */
	uint32_t mid;
	uint32_t mode;		/* enum tally_mode; 0: the group's choice */
	uint64_t count;
	uint64_t rank_mask;
	struct tc_entry from, to;
	const void *data;	/* of `from.bytes` bytes, with TC_WORK_INLINE */
	/* If flag is not NULL, the NIC writes flag_value there after the result. */
	uint32_t *flag;
	uint32_t flag_key, flag_value;
	uint64_t id;		/* returned with the outcome */
};

struct tc_outcome {
	uint64_t id;
	enum tally_coll_status status;
	uint16_t detector;	/* with an error: index of the node that noticed it, */
	uint64_t nodes, ranks;	/* and its contributors and local ranks that were missing */
};

struct tc_group_state {
	enum tally_coll_status status;	/* TALLY_COLL_OK while the group lives */
	uint64_t attached, gone;	/* local ranks that a process holds, or held when it ended */
};

struct tc_net_ops {
	int (*group_open)(struct tc_net *net, const struct tc_group_cfg *cfg,
			  struct tc_group **group, char *why, size_t size);
	void (*group_close)(struct tc_group *group);
	int (*group_state)(struct tc_group *group, struct tc_group_state *state);
	/*
	 * Ends all messages of the group at all nodes, with ABORTED, RANK_GONE or the status of a
	 * mismatch of calls.
	 */
	void (*group_abort)(struct tc_group *group, enum tally_coll_status reason);

	/*
	 * A queue that posts for @ranks, which other processes may hold. Each queue of a node's group
	 * has its own @port. Messages of a queue are posted in the order of their mids.
	 */
	int (*queue_open)(struct tc_group *group, uint64_t ranks, uint16_t port,
			  struct tc_queue **queue, char *why, size_t size);
	void (*queue_close)(struct tc_queue *queue);

	/*
	 * Posts a request. -EAGAIN: the queue is full until outcomes have been polled. A quiet
	 * request has an outcome only if it fails. At most half the queue's requests may be quiet in a
	 * row; the back end makes others visible to itself, never to the caller.
	 */
	int (*post)(struct tc_queue *queue, const struct tc_work *work);
	/* Takes the outcome of a request of any queue: 1, or 0 if there is none, or -errno. */
	int (*poll)(struct tc_net *net, struct tc_outcome *outcome);

	/* Zeroed and registered memory, page-aligned; NULL if there is none. */
	void *(*memory_new)(struct tc_net *net, size_t bytes, struct tc_region *region);
	void (*memory_free)(struct tc_net *net, void *memory, size_t bytes,
			    struct tc_region *region);
	/* Registers memory of the caller: user buffers, shared memory. */
	int (*region_open)(struct tc_net *net, void *start, size_t bytes, struct tc_region *region);
	void (*region_close)(struct tc_net *net, struct tc_region *region);

	/* Whether the device performs a request; TALLY_COLL_OK or the status of its refusal. */
	enum tally_coll_status (*can)(struct tc_net *net, uint32_t opcode, uint32_t op,
				      uint32_t dtype);
	const char *(*status_str)(uint32_t status);
	void (*close)(struct tc_net *net);
};

/* A NIC; the first member of a back end's structure. */
struct tc_net {
	const struct tc_net_ops *ops;
	const char *name;	/* for messages; NULL: none */
	struct tc_address address;
	uint64_t caps;		/* TALLY_CAP_ */
	uint32_t opcodes;	/* TALLY_OPCODE_ that it performs: bit 1 << opcode */
	uint32_t max_inline;	/* bytes */
	uint32_t queue_depth;	/* requests that a queue holds */
	uint32_t max_groups;	/* groups that the process may hold */
};

#endif
