/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The collective engine as the NIC around it sees it: a small transaction
 * interface behind which the C model and the Verilated RTL are drop-in for one
 * another. Contexts and doorbells, answers of the host and packets go in;
 * requests to the host and packets come out; time is advanced from outside.
 *
 * No call into the engine blocks, and the host must not call back into the
 * engine from within one of its own callbacks: it queues the answer.
 */
#ifndef TALLY_SIM_ENGINE_ENGINE_H
#define TALLY_SIM_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/tally_hw.h"

struct engine;

/* A piece of memory as a work request names it, host byte order. */
struct engine_sge {
	uint64_t addr;
	uint32_t length;
	uint32_t lkey;
};

/* Where a packet goes: the neighbour's address. */
struct engine_addr {
	uint8_t gid[16];
	uint8_t mac[6];
};

/*
 * How long the hardware takes, in cycles of its clock. The path of a packet is parse, alu for each
 * reduction it completes, encapsulate; that of a result parse and status; that of a work request
 * request and encapsulate. All zero: it takes no time.
 */
struct engine_timing {
	uint32_t clock_mhz;
	uint16_t request; /* decoding a work request */
	uint16_t parse;	  /* a packet, until it is in its segment */
	uint16_t alu;	  /* a reduction: first word in to first word out; one word a cycle follows */
	uint16_t chain;	  /* each further one whose operand is the result of the one before */
	uint16_t encap;	  /* forming a packet */
	uint16_t status;  /* forming a completion */
};

/*
 * What the engine asks of the NIC. `ctx` is engine_new()'s. Every request is
 * answered exactly once, by the engine_*() call named beside it, later. `delay`, in picoseconds,
 * is how long after now the hardware would ask: the engine's own latency. An engine that keeps
 * time itself passes 0.
 */
struct engine_host {
	/* Fetch entry `index` (a running count) of a send queue -> engine_wqe(). */
	void (*fetch_wqe)(void *ctx, uint32_t qpn, uint32_t index);
	/*
	 * Would this access be permitted? Returns TALLY_COLL_OK, _BAD_LKEY,
	 * _MR_RANGE or _MR_ACCESS at once.
	 */
	enum tally_coll_status (*check)(void *ctx, uint32_t pd, const struct engine_sge *sge,
					bool write);
	/* Read one piece -> engine_read_done(). Checked again by the host. */
	void (*read)(void *ctx, uint32_t pd, const struct engine_sge *sge, uint64_t tag,
		     uint64_t delay);
	/*
	 * Write sge->length bytes; `data` is copied before return
	 * -> engine_write_done(), when it is sure to come before all that is written later.
	 */
	void (*write)(void *ctx, uint32_t pd, const struct engine_sge *sge, const void *data,
		      uint64_t tag, uint64_t delay);
	/*
	 * Write a CQE (owner, timestamp and elapsed are the host's to fill; the
	 * host notes the time of each doorbell). Ordered after every write()
	 * already answered. Not answered.
	 */
	void (*complete)(void *ctx, uint32_t cqn, const struct tally_cqe *cqe, bool solicited,
			 uint64_t delay);
	/*
	 * Send a collective packet; header and payload are copied. Packets to one address leave in
	 * the order of the calls. Not answered.
	 */
	void (*send)(void *ctx, const struct engine_addr *to, const struct tally_tch *tch,
		     const void *payload, size_t len, uint64_t delay);
	/* Raise an event (TALLY_EQE_GROUP_*, TALLY_EQE_QP_FATAL). Not answered. */
	void (*event)(void *ctx, enum tally_eqe_type type, uint32_t id, uint64_t data);
	/* Add to a hardware counter. */
	void (*count)(void *ctx, enum tally_counter counter, uint64_t n);
};

struct engine_qp_cfg {
	uint32_t pd;
	uint32_t cqn;
	uint32_t group;
	uint64_t ranks;
	uint32_t depth;  /* entries, a power of two */
	uint32_t stride; /* bytes of an entry */
	uint16_t port;
};

/* Outcome of a configuration call: an admin status and the offset of the field at fault. */
struct engine_result {
	enum tally_admin_status status;
	uint16_t bad_offset; /* in the structure passed; 0xffff: none */
};

/* seed: source of nonces. Returns NULL when memory is short. */
struct engine *engine_new(const struct engine_host *host, void *ctx, uint64_t seed);
void engine_free(struct engine *e);
/* Before any work. Survives engine_reset(). */
void engine_set_timing(struct engine *e, const struct engine_timing *timing);
/* Forget everything, as after power-up. Outstanding answers must not be delivered afterwards. */
void engine_reset(struct engine *e);

/* ---- Contexts, from the admin queue ---- */
/* `cfg` and `edges` are already copied out of host memory; every field is checked here. */
struct engine_result engine_create_group(struct engine *e, uint32_t group,
					 const struct tally_group_cfg *cfg,
					 const struct tally_group_edge *edges, uint32_t num_edges);
struct engine_result engine_destroy_group(struct engine *e, uint32_t group);
struct engine_result engine_attach_ranks(struct engine *e, uint32_t group, uint64_t ranks);
struct engine_result engine_detach_ranks(struct engine *e, uint32_t group, uint64_t ranks);
struct engine_result engine_query_group(struct engine *e, uint32_t group,
					struct tally_group_info *info);
/* `edges` has MAX_CONTRIBUTORS + 1 entries; those of edges that do not exist are zero. */
struct engine_result engine_query_edges(const struct engine *e, uint32_t group,
					struct tally_edge_info *edges);
/* `segs` has MAX_GROUP_SEGS entries; *num says how many the group has, which were written. */
struct engine_result engine_query_segs(const struct engine *e, uint32_t group,
				       struct tally_seg_info *segs, uint32_t *num);
/* `arrivals` has NUM_ARRIVALS entries, the newest message first. */
struct engine_result engine_query_arrivals(const struct engine *e, uint32_t group,
					   struct tally_arrival *arrivals);
/*
 * Begin `epoch` in a group whose epoch has ended and whose ranks are all there. Offsets are those
 * of struct tally_cmd_reset_group.
 */
struct engine_result engine_reset_group(struct engine *e, uint32_t group, uint32_t epoch);
/* bad_offset refers to struct tally_cmd_create_qp. */
struct engine_result engine_create_qp(struct engine *e, uint32_t qpn,
				      const struct engine_qp_cfg *cfg);
/*
 * The count of posted requests begins at 0 again with RESET. Fetches under way
 * are still answered.
 */
struct engine_result engine_modify_qp(struct engine *e, uint32_t qpn, enum tally_qp_state state);
/*
 * A queue pair in error does not come back, because its completion queue has failed: its ranks are gone
 * if no other queue pair may post for them, and the other nodes are told.
 */
void engine_qp_lost(struct engine *e, uint32_t qpn);
/* The state of a queue pair that exists. */
enum tally_qp_state engine_qp_state(const struct engine *e, uint32_t qpn);
/* After return no request of this QP is outstanding that the host need answer. */
struct engine_result engine_destroy_qp(struct engine *e, uint32_t qpn);

/* ---- Work ---- */
/* The send queue's producer count is now `posted` (monotonic; a stale value is ignored). */
void engine_doorbell(struct engine *e, uint32_t qpn, uint64_t posted);
/* Answer to fetch_wqe(): `len` bytes (the stride), or data == NULL if the fetch failed. */
void engine_wqe(struct engine *e, uint32_t qpn, uint32_t index, const void *data, size_t len);
/* Answer to read(): sge->length bytes, or data == NULL and a status. */
void engine_read_done(struct engine *e, uint64_t tag, enum tally_coll_status status,
		      const void *data, size_t len);
void engine_write_done(struct engine *e, uint64_t tag, enum tally_coll_status status);

/* ---- Network ---- */
/* A collective packet whose Ethernet, IP, UDP, BTH and ICRC were right; body is TCH and payload. */
void engine_packet(struct engine *e, const struct engine_addr *from, const void *body, size_t len);

/* ---- Time, in picoseconds ---- */
/* When the engine next wants engine_advance(); UINT64_MAX: never. To be asked after every call. */
uint64_t engine_next(struct engine *e);
/* The time is now `now` (monotonic); called before any other call at that time. */
void engine_advance(struct engine *e, uint64_t now);

#endif
