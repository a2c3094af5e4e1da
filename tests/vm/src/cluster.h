/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All Tally NICs of this machine as the nodes of a cluster, and groups over them. Groups have any
 * mode; the default is TREE. Node i is device tally<i>. A failure in these functions ends the
 * program (check.h).
 */
#ifndef TALLY_TEST_CLUSTER_H
#define TALLY_TEST_CLUSTER_H

#include <infiniband/tallydv.h>

#define MAX_NICS 16
#define ALL_NODES UINT32_MAX
#define BUF_SIZE 65536
#define CQ_DEPTH 256
#define TREE_DEGREE 2 /* most children of a node */

struct nic {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq_ex *cq;
	union ibv_gid gid;
	uint8_t *buf; /* BUF_SIZE bytes, initially zero */
	struct ibv_mr *mr;
};

struct cluster {
	unsigned int count; /* number of open NICs, or fewer, for groups over the first NICs only */
	struct nic nic[MAX_NICS];
};

/* Opens all tally devices. Ends the program if there is none. */
void cluster_open(struct cluster *c);
void cluster_close(struct cluster *c);

struct team_spec {
	uint32_t jid;
	uint64_t join_key;
	uint64_t ranks;      /* local ranks, the same at every node; 0: rank 0 */
	uint64_t owned;      /* ranks that this process posts for; 0: all of them */
	uint32_t segs;       /* segments of all rounds; 0: 4 for each round */
	uint32_t timeout_ms; /* 0: 10000, or with no_limit none */
	bool no_limit;
	uint32_t rto_us;     /* 0: the driver's default */
	uint32_t flags;      /* TALLY_GROUP_F_ */
	uint32_t cells;      /* cells of the message queue; 0: as many as a fixed order needs */
	uint32_t epoch;      /* the first epoch; 0: a random one */
	bool mesh;           /* TREE: all nodes are peers, see peer_index() */
	enum tally_mode mode; /* 0: TREE */
	uint8_t rounds;      /* parts that a round combines; the last may combine fewer */
	uint8_t radix[TALLY_MAX_ROUNDS]; /* parts that a round combines, the last maybe fewer */
};

/* A group over all nodes of a cluster. */
struct team {
	struct cluster *cluster;
	uint64_t ranks;
	struct tallydv_seg *seg[MAX_NICS];
	struct tallydv_group *group[MAX_NICS];
};

/*
 * Returns the contributor index of node `to` among the peers of node `at`, which has num_children
 * children.
 */
unsigned int peer_index(unsigned int at, unsigned int num_children, unsigned int to);
/* Returns a job id that no other test is likely to use. */
uint32_t random_jid(void);
/* Returns a multicast address that groups with other job ids do not have. */
union ibv_gid multicast_gid(uint32_t jid);
/*
 * Creates the group at the nodes of the mask `nodes`. Other processes create it at the other nodes.
 */
void team_create(struct team *team, struct cluster *c, const struct team_spec *spec,
		 uint32_t nodes);
/* Creates the group at one node of a team whose `cluster` and `ranks` are set. */
void team_create_at(struct team *team, const struct team_spec *spec, unsigned int node);
/* Destroys the objects of team_create(). Their queue pairs must have been destroyed before. */
void team_destroy(struct team *team);

/*
 * Tells a test that called `start` (common.sh) to continue. The test calls close_input to end the
 * input.
 */
void say_ready(void);
void wait_for_end_of_input(void);

/* Returns the milliseconds of a monotonic clock. */
uint64_t now_ms(void);

#endif
