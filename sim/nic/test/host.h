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
	struct engine *engine;		/* the NIC's engine, in whose place the test acts */
	struct fab_port *port;
	uint8_t *mem;
	uint8_t *bar;
	uint64_t used;			/* bytes of mem */
	uint64_t hole, hole_bytes;	/* bus addresses that are no memory */
	unsigned int interrupts[TALLY_NUM_VECTORS];
	vtime_t run_for;		/* time that host_run() takes; 0: until all is done */

	struct tally_ident *ident;
	struct tally_control *control;
	struct tally_status_page *status;
	uint64_t aq_sq, aq_cq;		/* bus addresses */
	uint64_t commands;
	uint64_t eq_ring, cq_ring, sq, mr;
	struct tally_cq_record *cq_record;
	struct tally_uar_slot *cq_slot, *qp_slot;
	struct tally_push_buf *push;	/* push buffer of the UAR of qp_slot */
	bool push_qp;			/* host_create_qp() binds it */
};

/* Units of the NICs of hosts that are created from now on; NULL, as at first: none. */
extern const struct nic_units *host_units;

/* Create a host whose NIC has not been reset. @port may be NULL. */
struct host *host_new(struct fab_port *port, struct sim *sim);
/* Create one without a cable, whose NIC lacks opcodes. */
struct host *host_new_lacking(struct sim *sim, uint32_t no_opcodes);
/* Create a host with two cables. */
struct host *host_new_two(struct fab_port *port, struct fab_port *port2, struct sim *sim);
/*
 * Create one of several hosts of a network, with an address of its own, host_mac(). host_new()
 * creates number 0.
 */
struct host *host_new_numbered(struct fab_port *port, struct sim *sim, unsigned int number);
void host_mac(unsigned int number, uint8_t mac[6]);
void host_free(struct host *h);

/*
 * Allocate zeroed memory at a multiple of @align and return its bus address; return the pointer to
 * a bus address.
 */
uint64_t host_alloc(struct host *h, size_t len, size_t align);
void *host_ptr(struct host *h, uint64_t addr);

/* Let the NIC check its doorbells, and let time pass until nothing is in flight, or for run_for. */
void host_run(struct host *h);

/* Reset the NIC as a driver does, with a good control page. The caller checks the state. */
void host_reset(struct host *h);

/* Submit a command and return its completion. @body is as large as an admin body, or NULL. */
struct tally_admin_cqe host_command(struct host *h, unsigned int opcode, const void *body);

/* Submit a command that must succeed. */
void host_must(struct host *h, unsigned int opcode, const void *body);

/* Return bodies of commands that create the objects above. */
union admin_body host_create_eq(struct host *h);
union admin_body host_create_cq(struct host *h);
union admin_body host_create_qp(struct host *h);
union admin_body host_reg_mr(struct host *h);
union admin_body host_create_group(struct host *h, uint32_t num_edges);

/* Reset the NIC and create all the objects. */
void host_objects(struct host *h);

/* Return entry @i of a ring. */
struct tally_cqe *host_cqe(struct host *h, uint32_t i);
struct tally_eqe *host_eqe(struct host *h, uint32_t i);

/* Let the engine complete entry @index of HOST_QPN. */
void host_complete(struct host *h, uint32_t index, bool solicited);

#endif
