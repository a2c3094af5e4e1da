/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A scripted host: memory and a driver in miniature that speaks the device's ABI, in virtual time.
 *
 * Everything is asynchronous: a command's answer, a completion and an event come as a call from an
 * event of the simulation, after the interrupt that announced them has taken host_cfg.irq_ns. Such
 * a call may use any function here but host_free(), and may free the object it is about once the
 * device has let go of it. Objects are structures of the caller that must not move while they
 * exist. Numbers are in host byte order unless a struct tally_... holds them.
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
#define HOST_EQ_ASYNC	0	/* of all but completion queues; vector 0, like the admin queue */
#define HOST_EQ_CQ	1	/* of completion queues; vector 1 */

struct host;
struct host_cq;

/* A command was answered. The entry is a copy; NULL: the NIC lost power before it answered. */
typedef void host_answer(void *arg, const struct tally_admin_cqe *cqe);

/* A group's event: TALLY_EQE_GROUP_DEAD or _DRAINED. */
typedef void host_group_event(void *arg, enum tally_eqe_type type, uint64_t data);

struct host_cfg {
	uint8_t mac[6];
	struct fab_port *port;
	struct fab_port *port2;	/* a second cable (nic_cfg.port2); NULL: none */
	uint32_t link_mbps;
	const char *name;	/* of the NIC in a trace, which copies it; NULL: its MAC address */
	struct nic_timing timing;
	size_t memory;		/* bytes */
	uint32_t irq_ns;	/* from the interrupt to its handler */
	uint64_t seed;
	/* Something that no object's owner hears of went wrong; @what names it. */
	void (*trouble)(void *arg, struct host *h, const char *what);
	void *trouble_arg;
};

/* A command that waits for its answer or for room in the ring. */
struct host_command {
	struct tally_admin_cmd cmd;
	uint64_t data;		/* what it points to, @data_len bytes, given back with the answer */
	size_t data_len;	/* 0: nothing */
	host_answer *fn;
	void *arg;
	struct host_command *next;
};

struct host_aq {
	uint64_t commands, completions;		/* bus addresses of the rings */
	uint64_t posted, consumed;
	struct host_command *waiting[HOST_AQ_DEPTH];	/* for their answers */
	struct host_command *head, **tail;	/* for room */
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
	struct ids cqns, qpns, push_uars, mrs, pds, groups, segs;
	uint8_t key_variant;
	struct host_cq *cq[TALLY_MAX_CQ];
	struct host_group_hook group[TALLY_MAX_GROUP];
};

/* A host with a NIC that waits for its reset. NULL: errno says why. */
struct host *host_new(struct sim *sim, const struct host_cfg *cfg);

/* Forgets what waits for answers, uncalled. Not from a call made by a host. NULL is allowed. */
void host_free(struct host *h);

/* Resets the device and asks for the event queues; @fn is called once for each of HOST_NUM_EQ. */
void host_start(struct host *h, host_answer *fn, void *arg);

/*
 * Cuts the NIC's power and gives it back: a new NIC that waits for host_start(). All objects are
 * gone, and events under way never come; commands are answered with NULL before the return. The
 * caller forgets its objects with the host_..._forget() functions. Not from a call made by a host.
 * 0 or -errno.
 */
int host_power_cycle(struct host *h);

/* Sends a command; @body has sizeof(((struct tally_admin_cmd *)0)->body) bytes, NULL: zeroes. */
void host_command(struct host *h, enum tally_admin_opcode opcode, const void *body,
		  host_answer *fn, void *arg);

/* True if the device offers all of @caps (TALLY_CAP_...). */
bool host_offers(const struct host *h, uint64_t caps);

/* Makes the device look at its doorbells. */
void host_ring_device(struct host *h);

/* ---- Memory regions ---- */
/* A region with pages of its own: one piece, or pages here and there as @levels asks for. */
struct host_mr {
	struct host *host;
	uint32_t lkey;
	uint64_t iova;		/* address of the first byte as work requests name it */
	uint64_t length;
	unsigned int levels;	/* of the page list; 0: one piece at page[0] */
	unsigned int page_shift;
	unsigned int num_pages, num_own;	/* those from num_own on repeat the first ones */
	uint64_t *page;		/* bus addresses */
	uint64_t *table;	/* bus addresses of the pages of the list, the root last */
	unsigned int num_tables;
};

struct host_mr_cfg {
	uint32_t pd;
	uint32_t access;	/* TALLY_ACCESS_... */
	uint64_t iova;
	uint64_t length;
	unsigned int levels;	/* 0 to 2; 1 and 2: up to 512 pages */
	unsigned int page_shift;	/* log2 of their size; 0: that of TALLY_PAGE_SIZE */
	/*
	 * Not 0: after so many bytes, whole pages of them, the same pages come again. For regions
	 * larger than the memory they are worth.
	 */
	uint64_t window;
};

/* Returns 0, or -ENOMEM with nothing sent. */
int host_mr_register(struct host *h, struct host_mr *mr, const struct host_mr_cfg *cfg,
		     host_answer *fn, void *arg);
void host_mr_deregister(struct host_mr *mr, host_answer *fn, void *arg);
/* Gives back its memory; after the answer to host_mr_deregister(), or the NIC's end. */
void host_mr_forget(struct host_mr *mr);

/* Copy bytes of the region, by address as work requests name it. */
void host_mr_write(const struct host_mr *mr, uint64_t iova, const void *from, size_t len);
void host_mr_read(const struct host_mr *mr, uint64_t iova, void *to, size_t len);

/* ---- Completion queues ---- */
struct host_cq {
	struct host *host;
	uint32_t cqn, depth;
	uint64_t ring;
	uint64_t consumed, armed;
	void (*event)(void *arg);	/* an armed queue has an entry */
	void (*overran)(void *arg);	/* NULL: that is trouble; the caller sets it */
	void *arg;
	struct tally_uar_slot *slot;
};

/* Returns 0, or -ENOMEM with nothing sent. */
int host_cq_create(struct host *h, struct host_cq *cq, uint32_t depth, void (*event)(void *arg),
		   void *event_arg, host_answer *fn, void *arg);
void host_cq_destroy(struct host_cq *cq, host_answer *fn, void *arg);
/* After the answer to host_cq_destroy(), or the NIC's end. */
void host_cq_forget(struct host_cq *cq);

/* Takes the oldest entry; false: there is none. */
bool host_cq_poll(struct host_cq *cq, struct tally_cqe *cqe);
/* Asks for one event for any entry that was not polled. */
void host_cq_arm(struct host_cq *cq);

/* ---- Groups ---- */
/*
 * Sends CREATE_GROUP with a number of the host's choice, written to @group before the return.
 * @config: tally_group_cfg and its edges, @length bytes. Returns 0, -ENOMEM, or -ENOSPC when all
 * numbers are taken.
 */
int host_group_create(struct host *h, uint32_t *group, const void *config, size_t length,
		      const struct host_group_hook *hook, host_answer *fn, void *arg);
/* GROUP_DRAINED comes before or after the answer. */
void host_group_destroy(struct host *h, uint32_t group, host_answer *fn, void *arg);
/* Gives the number back: after GROUP_DRAINED, a refused creation, or the NIC's end. */
void host_group_forget(struct host *h, uint32_t group);
/* DETACH_RANK of local ranks. */
void host_group_detach(struct host *h, uint32_t group, uint64_t ranks, host_answer *fn,
		       void *arg);
void host_group_reset(struct host *h, uint32_t group, uint32_t epoch, host_answer *fn, void *arg);

#endif
