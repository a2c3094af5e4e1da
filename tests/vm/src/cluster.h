/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All Tally NICs of this machine as the nodes of a cluster, and groups over them: of any mode, trees
 * as a rule. Node i is device tally<i>. Whatever fails here ends the program (check.h).
 */
#ifndef TALLY_TEST_CLUSTER_H
#define TALLY_TEST_CLUSTER_H

#include <infiniband/tallydv.h>

#define MAX_NICS 16
#define ALL_NODES UINT32_MAX
#define BUF_SIZE 65536
#define CQ_DEPTH 256
#define TREE_DEGREE 2 /* children of a node, at most */

struct nic {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq_ex *cq;
	union ibv_gid gid;
	uint8_t *buf; /* BUF_SIZE bytes, zero at first */
	struct ibv_mr *mr;
};

struct cluster {
	unsigned int count; /* of NICs that are open; less, for groups over the first ones only */
	struct nic nic[MAX_NICS];
};

/* Open every tally device. Ends the program if there is none. */
void cluster_open(struct cluster *c);
void cluster_close(struct cluster *c);

struct team_spec {
	uint32_t jid;
	uint64_t join_key;
	uint64_t ranks;      /* local ranks, the same at every node; 0: rank 0 */
	uint64_t owned;      /* those this process posts for; 0: all of them */
	uint32_t segs;       /* of all rounds; 0: 4 for each */
	uint32_t timeout_ms; /* 0: 10000 */
	uint32_t rto_us;     /* 0: the driver's default */
	uint32_t flags;      /* TALLY_GROUP_F_ */
	uint32_t cells;      /* of the message queue; 0: as many as a fixed order needs */
	uint32_t epoch;      /* the first; 0: draws one */
	bool mesh;           /* TREE: every two nodes are peers: see peer_index() */
	enum tally_mode mode; /* 0: TREE */
	uint8_t rounds;      /* EXCHANGE: entries of radix */
	uint8_t radix[TALLY_MAX_ROUNDS]; /* parts that a round combines, the last one maybe fewer */
};

/* A group over all nodes of a cluster. */
struct team {
	struct cluster *cluster;
	uint64_t ranks;
	struct tallydv_seg *seg[MAX_NICS];
	struct tallydv_group *group[MAX_NICS];
};

/* The contributor index of node `to` among the peers of node `at`, which has this many children. */
unsigned int peer_index(unsigned int at, unsigned int num_children, unsigned int to);
/* A job id that no other test is likely to use. */
uint32_t random_jid(void);
/* A multicast address that groups with other job ids do not have. */
union ibv_gid multicast_gid(uint32_t jid);
/* Create the group at the nodes of the mask `nodes`; other processes do so at the others. */
void team_create(struct team *team, struct cluster *c, const struct team_spec *spec,
		 uint32_t nodes);
/* The same for one node of a team, whose `cluster` and `ranks` are set. */
void team_create_at(struct team *team, const struct team_spec *spec, unsigned int node);
/* Destroy what team_create() made; queue pairs must be gone. */
void team_destroy(struct team *team);

/* Tell a test that called `start` (common.sh) that it may go on; it calls close_input to end the input. */
void say_ready(void);
void wait_for_end_of_input(void);

/* Milliseconds of a clock that never goes back. */
uint64_t now_ms(void);

#endif
