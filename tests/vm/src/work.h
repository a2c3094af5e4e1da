/* SPDX-License-Identifier: BSD-2-Clause */
/* Queue pairs, work requests and their outcomes. A failure ends the program (check.h). */
#ifndef TALLY_TEST_WORK_H
#define TALLY_TEST_WORK_H

#include "cluster.h"

#define QP_DEPTH 31
#define QP_INLINE TALLY_MAX_INLINE
#define QP_SGE 4

/* A queue pair, for both ways of posting. */
struct port {
	struct nic *nic;
	struct ibv_qp *qp;
	struct ibv_qp_ex *ex;
	struct tallydv_qp *dv;
};

/*
 * Opens a queue pair. `ranks` 0 means all ranks of the handle. `number` must be unique among the
 * group's queue pairs at a node.
 */
void port_open(struct port *port, struct nic *nic, struct tallydv_group *group, uint64_t ranks,
	       uint16_t number);
void port_close(struct port *port);
/* Opens one queue pair with this number for each group of a team. */
void ports_open(struct port *ports, struct team *team, uint16_t number);
void ports_close(struct port *ports, struct team *team);

/* A work request with its lists, which the test fills in or corrupts. */
struct request {
	struct tallydv_send_wr w;
	struct ibv_sge give[QP_SGE];
	struct ibv_sge get[QP_SGE];
};

/*
 * Fills in a signaled ALLREDUCE of one rank, with `count` elements of `size` bytes. The data are at
 * offset 0 of the NIC's buffer, and the result goes to its middle.
 */
void request_allreduce(struct request *r, const struct nic *nic, enum tally_op op,
		       enum tally_type type, uint32_t count, uint32_t size, uint32_t mid);
/* Fills in a signaled request without data: BARRIER, QUERY or ABORT. */
void request_plain(struct request *r, enum tally_opcode opcode, uint32_t mid);
void request_barrier(struct request *r, uint32_t mid);
void post(struct port *port, struct request *r);

/* A work completion with all fields that Tally adds. */
struct outcome {
	uint64_t wr_id;
	enum ibv_wc_status status;
	enum tally_coll_status coll;
	uint32_t qp_num;
	uint32_t bytes;
	uint32_t jid;
	uint32_t mid;
	uint32_t sid;
	uint16_t seg;
	uint16_t detector;
	uint16_t err_vector;
	uint8_t opcode;
	uint8_t flags;
	uint64_t nodes;
	uint64_t ranks;
	uint64_t timestamp_ns;
	uint32_t elapsed_ns; /* device time from doorbell to completion */
};

/*
 * Pause before a check that requests have not completed. It is the same on slow guests, where the
 * time limit of the requests would end otherwise.
 */
#define LONG_ENOUGH_US 30000

/* Takes a completion if there is one. */
bool try_outcome(struct nic *nic, struct outcome *out);
/*
 * Waits up to `ms` milliseconds for a completion, longer in a guest that the lab declares slower.
 * Returns false if none comes.
 */
bool wait_outcome(struct nic *nic, struct outcome *out, unsigned int ms);
/*
 * Checks that the next completion comes soon and is a success. `what` names the operation in a
 * failure.
 */
void expect_success(struct nic *nic, const char *what);

/* Queries the progress of a message. No other request may complete at the NIC meanwhile. */
struct outcome ask(struct port *port, uint32_t mid);
/* Waits until all local ranks have begun a message that cannot complete yet. */
void await_begun(struct port *port, uint32_t mid);

/* Runs a barrier over all nodes of the team, to check that the group works. */
void expect_barrier(struct port *ports, struct team *team, uint32_t mid);

#endif
