/* SPDX-License-Identifier: BSD-2-Clause */
/* A host for tests: flat memory behind the bus interface, and the driver's side of the rings. */
#ifndef TALLY_SIM_NIC_TEST_HOST_H
#define TALLY_SIM_NIC_TEST_HOST_H

#include "nic/admin.h"
#include "nic/test/fake_engine.h"

#define HOST_BASE	0x140000000ull	/* bus address of the memory */
#define HOST_BYTES	(4u << 20)
#define HOST_AQ_DEPTH	8
#define HOST_EQ_DEPTH	8
#define HOST_CQ_DEPTH	4
#define HOST_SQ_DEPTH	4
#define HOST_SQ_STRIDE	256

/* Objects of host_objects(). */
#define HOST_EQN	0
#define HOST_CQN	5
#define HOST_QPN	7
#define HOST_PD		3
#define HOST_LKEY	0x0211
#define HOST_IOVA	0x7f0000001000ull
#define HOST_MR_BYTES	0x3000

struct host {
	struct sim *sim;
	struct nic *nic;
	struct engine *engine;		/* the NIC's, for the test to speak for it */
	struct fab_port *port;
	uint8_t *mem;
	uint8_t *bar;
	uint64_t used;			/* of mem */
	uint64_t hole, hole_bytes;	/* bus addresses that are no memory */
	unsigned int interrupts[TALLY_NUM_VECTORS];
	vtime_t run_for;		/* what host_run() lets pass; 0: until all is done */

	struct tally_ident *ident;
	struct tally_control *control;
	struct tally_status_page *status;
	uint64_t aq_sq, aq_cq;		/* bus addresses */
	uint64_t commands;
	uint64_t eq_ring, cq_ring, sq, mr;
	struct tally_cq_record *cq_record;
	struct tally_uar_slot *cq_slot, *qp_slot;
	struct tally_push_buf *push;	/* of the UAR of qp_slot */
	bool push_qp;			/* host_create_qp() binds it */
};

/* A host whose NIC has not been reset. @port may be NULL. */
struct host *host_new(struct fab_port *port, struct sim *sim);
/* The same with two cables. */
struct host *host_new_two(struct fab_port *port, struct fab_port *port2, struct sim *sim);
/* One of several hosts of a network: with an address of its own, host_mac(); host_new() is number 0. */
struct host *host_new_numbered(struct fab_port *port, struct sim *sim, unsigned int number);
void host_mac(unsigned int number, uint8_t mac[6]);
void host_free(struct host *h);

/* Zeroed memory at a multiple of @align: its bus address; and the pointer to a bus address. */
uint64_t host_alloc(struct host *h, size_t len, size_t align);
void *host_ptr(struct host *h, uint64_t addr);

/* Lets the NIC look at its doorbells, and time pass until nothing is under way, or run_for. */
void host_run(struct host *h);

/* The driver's reset with a good control page; the caller looks at the state. */
void host_reset(struct host *h);

/* Submits a command and returns its completion. @body: as large as an admin body, or NULL. */
struct tally_admin_cqe host_command(struct host *h, unsigned int opcode, const void *body);

/* Submits a command that must succeed. */
void host_must(struct host *h, unsigned int opcode, const void *body);

/* Bodies of commands that make the objects above. */
union admin_body host_create_eq(struct host *h);
union admin_body host_create_cq(struct host *h);
union admin_body host_create_qp(struct host *h);
union admin_body host_reg_mr(struct host *h);
union admin_body host_create_group(struct host *h, uint32_t num_edges);

/* Reset, and all of them made. */
void host_objects(struct host *h);

/* Entry @i of the rings. */
struct tally_cqe *host_cqe(struct host *h, uint32_t i);
struct tally_eqe *host_eqe(struct host *h, uint32_t i);

/* The engine completes entry @index of HOST_QPN. */
void host_complete(struct host *h, uint32_t index, bool solicited);

#endif
