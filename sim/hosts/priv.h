/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations shared by the files of the scripted host, and used nowhere else. */
#ifndef TALLY_SIM_HOSTS_PRIV_H
#define TALLY_SIM_HOSTS_PRIV_H

#include <endian.h>
#include <string.h>

#include "hosts/host.h"

/* The body of any command. */
union host_body {
	struct tally_cmd_create_eq create_eq;
	struct tally_cmd_create_cq create_cq;
	struct tally_cmd_reg_mr reg_mr;
	struct tally_cmd_create_qp create_qp;
	struct tally_cmd_modify_qp modify_qp;
	struct tally_cmd_object object;
	struct tally_cmd_group group;
	struct tally_cmd_group_ranks group_ranks;
	struct tally_cmd_reset_group reset_group;
	struct tally_cmd_query query;
	uint8_t raw[sizeof(((struct tally_admin_cmd *)0)->body)];
};

/* Doorbell slots are fixed for each QP and CQ, but a QP that pushes has slot 0 of a UAR. */
#define HOST_QP_UAR	1
#define HOST_CQ_UAR	(HOST_QP_UAR + TALLY_MAX_QP / TALLY_UAR_SLOTS)
#define HOST_PUSH_UAR	(HOST_CQ_UAR + TALLY_MAX_CQ / TALLY_UAR_SLOTS)

/* Clears and returns the slot of object @n in the UARs from @uar on. */
struct tally_uar_slot *host_slot(struct host *h, unsigned int uar, uint32_t n);

/* Returns the owner byte of entry number @n of a ring of @depth entries. */
static inline uint8_t host_owner(uint64_t n, uint32_t depth)
{
	return n / depth % 2 ? 0 : TALLY_OWNER_PHASE;
}

/* Describes a contiguous buffer. */
static inline struct tally_mem host_flat(uint64_t addr, uint64_t len)
{
	return (struct tally_mem){ .addr = htole64(addr), .length = htole64(len) };
}

/* host.c */
void host_error(struct host *h, const char *what);

/* admin.c: the admin queue and the event queues. */
void host_queues_init(struct host *h);
int host_queues_alloc(struct host *h);
/* Drops the pending commands, with an answer of NULL if @answer, and restarts the counts at 0. */
void host_queues_drop(struct host *h, bool answer);
/* As host_command(), with data that the command points to, which are freed with the answer. */
void host_command_data(struct host *h, enum tally_admin_opcode opcode, const void *body,
		       uint64_t data, size_t data_len, host_answer *fn, void *arg);
void host_aq_poll(struct host *h);
/* mr.c: returns memory of the callers of host_mr_register(), or NULL. */
void *host_outside_at(const struct host *h, uint64_t bus_addr, size_t len);
/* eq.c */
void host_eq_poll(struct host *h, uint32_t eqn);

#endif
