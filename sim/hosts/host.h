/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A scripted host: memory and a small driver that speaks the device's ABI, in virtual time.
 *
 * Everything is asynchronous: the host calls back with the answer to a command, a completion or an
 * event from an event of the simulation, host_cfg.irq_ns after the interrupt that announced it. The
 * callback may use any function of this header except host_free(), and may free the object that it
 * concerns once the device has released it. Objects are structures of the caller that must not move
 * while they exist. Numbers are in host byte order unless a struct tally_... holds them.
 */
#ifndef TALLY_SIM_HOSTS_HOST_H
#define TALLY_SIM_HOSTS_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event.h"
#include "fabric/port.h"
#include "gen/tally_hw.h"
#include "hosts/arena.h"
#include "hosts/ids.h"
#include "nic/nic.h"

#define HOST_AQ_DEPTH	64
#define HOST_EQ_DEPTH	1024
#define HOST_NUM_EQ	2
#define HOST_EQ_ASYNC	0	/* events of all but CQs; vector 0, like the admin queue */
#define HOST_EQ_CQ	1	/* events of completion queues; vector 1 */

struct host;
struct host_cq;

/* Answer to a command. The entry is a copy; NULL: the NIC lost power before it answered. */
typedef void host_answer(void *arg, const struct tally_admin_cqe *cqe);

/* Event of a group: TALLY_EQE_GROUP_DEAD or _DRAINED. */
typedef void host_group_event(void *arg, enum tally_eqe_type type, uint64_t data);

struct host_cfg {
	uint8_t mac[6];
	struct fab_port *port;
	struct fab_port *port2;	/* a second cable (nic_cfg.port2); NULL: none */
	uint32_t link_mbps;
	const char *name;	/* of the NIC in a trace, which copies it; NULL: the MAC address */
	struct nic_timing timing;
	size_t memory;		/* bytes */
	uint32_t irq_ns;	/* from the interrupt to the call of its handler */
	uint64_t seed;
	uint16_t domain;	/* of its events and those of its NIC (sim_set_windows()) */
	uint32_t max_groups, max_segs;	/* of the NIC; 0: those of the largest one */
	uint32_t no_opcodes;		/* that the NIC lacks (nic_cfg.no_opcodes) */
	const struct nic_units *units;	/* of the NIC (nic_cfg.units); NULL: none */
	FILE *commits;			/* of the NIC (nic_cfg.commits); NULL: nowhere */
	/* Reports an error that no object's callback covers; @what names the error. */
	void (*on_error)(void *arg, struct host *h, const char *what);
	void *on_error_arg;
	/*
	 * The NIC has written @len bytes at @at in `mem`: data, a completion, an event. May not call
	 * the functions of this header. NULL: not called.
	 */
	void (*on_write)(void *arg, const void *at, size_t len);
	void *on_write_arg;
};

/* A command that waits for its answer, or for room in the ring. */
struct host_command {
	struct tally_admin_cmd cmd;
	uint64_t data;		/* @data_len bytes it points to, freed with the answer */
	size_t data_len;	/* 0: no data */
	host_answer *fn;
	void *arg;
	struct host_command *next;
};

struct host_aq {
	uint64_t commands, completions;		/* bus addresses of the rings */
	uint64_t posted, consumed;
	struct host_command *waiting[HOST_AQ_DEPTH];	/* commands without an answer */
	struct host_command *head, **tail;	/* commands that wait for room */
};

struct host_eq {
	uint64_t ring;
	uint64_t consumed;
};

struct host_group_hook {
	host_group_event *fn;
	void *arg;
};

struct host {
	struct sim *sim;
	struct host_cfg cfg;
	struct arena mem;
	uint8_t *bar;
	struct nic *nic;
	uint8_t gid[16];
	struct tally_ident *ident;
	struct tally_control *control;
	struct host_aq aq;
	struct host_eq eq[HOST_NUM_EQ];
	struct sim_event irq;
	struct ids cqns, qpns, push_uars, mrs, pds, groups;
	uint32_t max_segs, segs_used;	/* segments of the device, and those that groups own */
	uint8_t key_variant;
	struct host_cq *cq[TALLY_MAX_CQ];
	struct host_mr *outside;	/* regions over memory without `mem` */
	struct host_group_hook group[TALLY_MAX_GROUP];
};

/* Makes a host with a NIC that waits for its reset. Returns NULL and sets errno on failure. */
struct host *host_new(struct sim *sim, const struct host_cfg *cfg);

/*
 * Frees a host, without a callback for pending commands. Must not be called from a callback of a
 * host. Accepts NULL.
 */
void host_free(struct host *h);

/* Resets the device and creates the event queues; @fn is called once for each of HOST_NUM_EQ. */
void host_start(struct host *h, host_answer *fn, void *arg);

/*
 * Cuts the NIC's power and restores it: a new NIC waits for host_start(). All objects are gone,
 * events in flight are lost, and pending commands are answered with NULL before the return. The
 * caller releases its objects with the host_..._forget() functions. Must not be called from a
 * callback of a host. Returns 0 or -errno.
 */
int host_power_cycle(struct host *h);

/* Sends a command; @body has sizeof(((struct tally_admin_cmd *)0)->body) bytes; NULL: zeroes. */
void host_command(struct host *h, enum tally_admin_opcode opcode, const void *body,
		  host_answer *fn, void *arg);

/* Returns whether the device offers all of @caps (TALLY_CAP_...). */
bool host_offers(const struct host *h, uint64_t caps);

/*
 * Notes that a group will own @n segments. Returns false if the device has not as many beside those
 * that other groups own.
 */
bool host_segs_take(struct host *h, uint32_t n);
void host_segs_give(struct host *h, uint32_t n);

/* Wakes the device, so that it reads its doorbells. */
void host_ring_device(struct host *h);

/* ---- Memory regions ---- */
/* A region with its own pages: one contiguous buffer, or scattered pages if @levels is not 0. */
struct host_mr {
	struct host *host;
	uint32_t lkey;
	uint64_t iova;		/* address of the first byte in work requests */
	uint64_t length;
	unsigned int levels;	/* of the page list; 0: one buffer at page[0] */
	unsigned int page_shift;
	unsigned int num_pages, num_own;	/* pages from num_own on repeat the first ones */
	uint64_t *page;		/* bus addresses */
	uint64_t *table;	/* bus addresses of the pages of the list, the root last */
	unsigned int num_tables;
	/* memory without the host's, of a list of all such regions; NULL: none */
	uint8_t *outside;
	struct host_mr *next_outside;
};

struct host_mr_cfg {
	uint32_t pd;
	uint32_t access;	/* TALLY_ACCESS_... */
	uint64_t iova;
	uint64_t length;
	unsigned int levels;	/* 0 to 2; 1 and 2: up to 512 pages */
	unsigned int page_shift;	/* log2 of the page size; 0: TALLY_PAGE_SIZE */
	/*
	 * If not 0, the same pages repeat after this number of bytes, a multiple of the page size.
	 * For regions that are larger than the memory that a test can spare.
	 */
	uint64_t window;
	/*
	 * If not NULL, memory that the region uses and that stays the caller's, within or without
	 * the host's; for a region without levels.
	 */
	void *memory;
};

/* Returns 0, or -ENOMEM without sending a command. */
int host_mr_register(struct host *h, struct host_mr *mr, const struct host_mr_cfg *cfg,
		     host_answer *fn, void *arg);
void host_mr_deregister(struct host_mr *mr, host_answer *fn, void *arg);
/* Frees the region's memory; call it after the answer to host_mr_deregister() or a power loss. */
void host_mr_forget(struct host_mr *mr);

/* Copy bytes to or from the region; addresses are those of work requests. */
void host_mr_write(const struct host_mr *mr, uint64_t iova, const void *from, size_t len);
void host_mr_read(const struct host_mr *mr, uint64_t iova, void *to, size_t len);

/* ---- Completion queues ---- */
struct host_cq {
	struct host *host;
	uint32_t cqn, depth;
	uint64_t ring;
	uint64_t consumed, armed;
	void (*event)(void *arg);	/* the armed queue has an entry */
	void (*overran)(void *arg);	/* set by the caller; NULL: overrun is an error */
	void *arg;
	struct tally_uar_slot *slot;
};

/* Returns 0, or -ENOMEM without sending a command. */
int host_cq_create(struct host *h, struct host_cq *cq, uint32_t depth, void (*event)(void *arg),
		   void *event_arg, host_answer *fn, void *arg);
void host_cq_destroy(struct host_cq *cq, host_answer *fn, void *arg);
/* Frees the queue; call it after the answer to host_cq_destroy() or a power loss. */
void host_cq_forget(struct host_cq *cq);

/* Takes the oldest entry. Returns false if there is none. */
bool host_cq_poll(struct host_cq *cq, struct tally_cqe *cqe);
/* Returns whether @at is an entry of the queue's ring, in the memory of the host. */
bool host_cq_holds(const struct host_cq *cq, const void *at);
/* Requests one event, for any entry that was not polled. */
void host_cq_arm(struct host_cq *cq);

/* ---- Groups ---- */
/*
 * Sends CREATE_GROUP with a number of the host's choice, which is written to @group before the
 * return. @config: tally_group_cfg and its edges, @length bytes. Returns 0, -ENOMEM, or -ENOSPC
 * when all numbers are taken.
 */
int host_group_create(struct host *h, uint32_t *group, const void *config, size_t length,
		      const struct host_group_hook *hook, host_answer *fn, void *arg);
/* GROUP_DRAINED arrives before or after the answer. */
void host_group_destroy(struct host *h, uint32_t group, host_answer *fn, void *arg);
/* Frees the number; call it after GROUP_DRAINED, a refused creation or a power loss. */
void host_group_forget(struct host *h, uint32_t group);
/* Sends DETACH_RANK for local ranks. */
void host_group_detach(struct host *h, uint32_t group, uint64_t ranks, host_answer *fn,
		       void *arg);
void host_group_reset(struct host *h, uint32_t group, uint32_t epoch, host_answer *fn, void *arg);

#endif
