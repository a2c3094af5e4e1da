/* SPDX-License-Identifier: BSD-2-Clause */
/* Definitions that the files of the NIC share. Nothing outside sim/nic includes this file. */
#ifndef TALLY_SIM_NIC_PRIV_H
#define TALLY_SIM_NIC_PRIV_H

#include <endian.h>
#include <sys/queue.h>

#include "engine/engine.h"
#include "nic/inject.h"
#include "nic/delay_line.h"
#include "nic/mem.h"
#include "nic/nic.h"
#include "nic/units.h"
#include "wire/roce.h"

#define NIC_ONE_MORE(name, value, doc) +1
enum { NIC_NUM_COUNTERS = 0 TALLY_CTR_LIST(NIC_ONE_MORE) };

struct eq;
struct mr;

/* Completions that an armed completion queue waits for. */
enum cq_arm {
	CQ_ARM_NONE,
	CQ_ARM_SOLICITED,
	CQ_ARM_ANY,
};

struct slot_id {
	uint16_t uar;
	uint16_t slot;
};

struct cq {
	TAILQ_ENTRY(cq) entry;
	uint32_t cqn;
	uint32_t depth;
	uint32_t eqn;
	struct tally_uar_slot *slot;	/* in BAR2 */
	struct slot_id slot_id;
	struct host_mem ring;		/* including the record behind it */
	uint64_t requested;		/* count of entries written or in flight */
	uint64_t produced;
	uint64_t consumed;		/* last valid value of the record or the slot */
	bool reading;			/* the record is being read in advance */
	uint64_t arm_word;		/* last value seen */
	enum cq_arm armed;
	bool waits;			/* its event is due, and waits for room in the event queue */
	uint64_t solicited_end;		/* count of entries up to the newest solicited one */
	bool failed;
	unsigned int qps;
};

struct doorbell;
struct unit_access;

/* Accesses of the engine that the units make, by their IDs. */
struct unit_accesses {
	struct unit_access *table;
	uint32_t room, free;		/* free: the first entry that is */
	uint32_t faults;		/* those that shall fail */
	uint32_t own[NIC_OWN_ACCESSES];	/* entries of those that the units make by themselves */
};

/* A work request that was pushed with its doorbell: entry @posted - 1, as long as the stride. */
struct pushed {
	uint64_t posted;
	uint8_t wqe[];
};

struct qp {
	TAILQ_ENTRY(qp) entry;
	uint32_t qpn;
	struct cq *cq;
	uint32_t depth;
	uint32_t stride;
	const struct tally_uar_slot *slot;	/* in BAR2 */
	struct slot_id slot_id;
	struct host_mem sq;
	bool stopped;			/* in state RESET */
	bool push;			/* the push buffer of the slot's UAR is bound to it */
	struct pushed *pushed;		/* not fetched yet; NULL: none */
	uint64_t posted;		/* last value of the slot that was accepted */
	uint64_t hidden_posted;		/* value hidden by a fault; 0: none */
	struct doorbell *newest;	/* doorbell in flight, noticed at newest_at */
	vtime_t newest_at;
	vtime_t doorbell_at[];		/* for each entry: when its doorbell was noticed */
};

/* The admin queue, while the device is READY. */
struct aq {
	uint32_t depth;
	struct host_mem commands, completions;
	uint64_t posted;
	uint64_t done;			/* number of commands carried out and completions made */
	uint64_t consumed;
	bool busy;			/* a command is being fetched, or its answer is held */
	struct delay_line_item *held;	/* answer that waits for registers of the units; NULL: none */
};

enum { NIC_PORTS = 2, NIC_NEIGHBOURS = 64 };

struct nic_port {
	struct nic *nic;
	struct fab_port *cable;			/* NULL: none */
	STAILQ_HEAD(, tx_wait) waiting;		/* frames that the cable had no room for */
};

/* MAC address from which a NIC with two cables has received frames. */
struct neighbour {
	uint8_t mac[6];
	struct nic_port *port;
};

/* Tracks of a trace. */
enum nic_span {
	SPAN_DOORBELL,		/* from the notice of a doorbell until the engine has it */
	SPAN_WQE,		/* fetch or push of a request */
	SPAN_READ,
	SPAN_WRITE,
	SPAN_CQE,
	SPAN_ENGINE,		/* from an input of the engine to each of its outputs */
	SPAN_TX,		/* a frame that waits for room on the cable */
	NUM_SPANS
};

/* What a frame in each direction uses comes first. */
struct nic {
	struct sim *sim;
	struct engine *engine;
	vtime_t timer_at;		/* VT_NEVER: not set */
	enum tally_device_state state;	/* a copy: the guest may overwrite the one in BAR2 */
	uint8_t mac[6];
	uint8_t gid[16];
	struct sim_event timer;
	struct delay_line tx, rx;
	struct nic_port ports[NIC_PORTS];
	uint64_t counters[NIC_NUM_COUNTERS];
	struct sim_track *tracks[NUM_SPANS];	/* NULL: no trace */
	const struct nic_units *units;	/* NULL: all units are functions of the simulator */
	void *unit;			/* first argument of its functions */
	struct sim_event clock;		/* of the units */
	enum tally_fatal unit_fatal;	/* they have stopped the device */
	FILE *commits;			/* NULL: none */

	struct bus bus;
	struct sim_event carrier;		/* fires when a change of the carrier has lasted */
	bool link_up;				/* last state reported to the host */
	uint32_t link_mbps;
	uint32_t max_groups, max_segs;
	struct nic_timing timing;

	uint8_t *bar;
	struct tally_ident *ident;
	const struct tally_control *control;
	struct tally_status_page *status;
	/* Copies of values in BAR2, because the guest may overwrite them there. */
	uint32_t epoch;
	uint32_t reset_ack;
	uint64_t health;

	struct delay_line doorbells, engine_reads, pushes, reads, write_issues, writes, completions;
	vtime_t read_busy, write_busy;	/* when the bus becomes free */
	vtime_t last_write;		/* when the last answered write is carried out */

	/* What only some events use follows (nic_expect()). */
	struct aq aq;
	struct neighbour neighbours[NIC_NEIGHBOURS];
	unsigned int num_neighbours, next_neighbour;
	struct eq *eq[TALLY_MAX_EQ];
	struct cq *cq[TALLY_MAX_CQ];
	struct qp *qp[TALLY_MAX_QP];
	struct mr **mr;			/* by index; as long as the highest one needs */
	uint32_t mr_room;		/* entries of mr */
	struct unit_accesses accesses;
	TAILQ_HEAD(, cq) cqs;
	TAILQ_HEAD(, qp) qps;
	unsigned int groups;		/* existing groups, including those that drain */
	uint64_t bound[TALLY_NUM_UARS];	/* one bit for each slot */
	bool push_bound[TALLY_NUM_UARS];
	struct inject inject;
};

/* Loads and stores of BAR2 in little-endian. A store is visible after everything before it. */
static inline uint32_t bar_load32(const __le32 *p)
{
	return le32toh(__atomic_load_n(p, __ATOMIC_ACQUIRE));
}

static inline uint64_t bar_load64(const __le64 *p)
{
	return le64toh(__atomic_load_n(p, __ATOMIC_ACQUIRE));
}

static inline void bar_store32(__le32 *p, uint32_t v)
{
	__atomic_store_n(p, htole32(v), __ATOMIC_RELEASE);
}

static inline void bar_store64(__le64 *p, uint64_t v)
{
	__atomic_store_n(p, htole64(v), __ATOMIC_RELEASE);
}

static inline bool is_power_of_two(uint32_t v)
{
	return v && !(v & (v - 1));
}

/*
 * Accept a consumer's count if it is between the last valid one and the number of entries produced.
 * Any other value comes from a stale or hostile store and changes nothing.
 */
static inline void take_consumed(uint64_t *consumed, uint64_t produced, uint64_t value)
{
	if (value - *consumed <= produced - *consumed)
		*consumed = value;
}

/*
 * Return the owner byte of the entry that is number @produced, counted from 0, in a ring of @depth.
 */
static inline uint8_t ring_owner(uint64_t produced, uint32_t depth)
{
	return produced / depth % 2 ? 0 : TALLY_OWNER_PHASE;
}

/* nic.c: every call into the engine is between these two. */
struct engine *nic_enter(struct nic *nic);
void nic_leave(struct nic *nic);
/* Stop the device; @code tells the driver why. Must not be called from a callback of the engine. */
void nic_fatal(struct nic *nic, enum tally_fatal code);
/* Forget all objects, all work and the counters. */
void nic_drop_all(struct nic *nic);

/* ident.c */
void ident_start(struct nic *nic);
/* Write link_up to the page. */
void ident_port(struct nic *nic);
void ident_state(struct nic *nic, enum tally_device_state state, enum tally_fatal code);
void ident_seen(struct nic *nic);
/* Carry out a reset if the driver asks for one. */
bool reset_poll(struct nic *nic);

/* admin.c */
bool aq_poll(struct nic *nic);
/* All registers of the units have been written. */
void aq_written(struct nic *nic);
/* Drop what waits for that. */
void aq_drop(struct nic *nic);

/* nic_trace.c */
/* Look for the trace of the simulation. @name is the NIC's name in it, or NULL. */
void spans_start(struct nic *nic, const char *name);
void span_write(const struct nic *nic, enum nic_span where, const char *name, vtime_t start,
		vtime_t end, const char *key, uint64_t value);
/* Record that the engine sends a packet, or completes a request. */
void span_packet(const struct nic *nic, const struct tally_tch *tch, size_t len, vtime_t delay);
void span_completion(const struct nic *nic, const struct tally_cqe *cqe, vtime_t delay);
void span_cqe_write(const struct nic *nic, const struct tally_cqe *cqe, vtime_t from, vtime_t to);

/* Record a span with a number, if there is a trace. */
static inline void span(const struct nic *nic, enum nic_span where, const char *name, vtime_t start,
			vtime_t end, const char *key, uint64_t value)
{
	if (nic->tracks[where])
		span_write(nic, where, name, start, end, key, value);
}

/* counters.c */
void nic_count(struct nic *nic, enum tally_counter counter, uint64_t n);

/* uar_slot.c: doorbell slots, each bound to at most one queue. */
struct tally_uar_slot *slot_at(const struct nic *nic, struct slot_id id);
/* Bind a slot, whose numbers must be in range. Returns false if it is bound already. */
bool slot_bind(struct nic *nic, struct slot_id id);
void slot_unbind(struct nic *nic, struct slot_id id);

/* eq.c */
/* Write an event now and interrupt. A full or inaccessible queue stops the device. */
void eq_raise(struct nic *nic, uint32_t eqn, enum tally_eqe_type type, uint32_t id, uint64_t data);
/* Write an event after a bus latency and behind all earlier writes, for callbacks of the engine. */
void eq_post(struct nic *nic, enum tally_eqe_type type, uint32_t id, uint64_t data);
/* Write DEVICE_FATAL to event queue 0 if possible, and interrupt vector 0 in any case. */
void eq_raise_fatal(struct nic *nic, enum tally_fatal code);
/* Whether an event that a process has asked for has room in its queue. */
bool eq_has_room(const struct nic *nic, uint32_t eqn);
/* Tell the units the consumers' counts. Returns whether there was a new one. */
bool eq_poll(struct nic *nic);
/* The units have an event for a queue; it is in memory, and its interrupt due. */
void eq_flies(struct nic *nic, uint32_t eqn);
void eq_landed(struct nic *nic, uint32_t eqn, uint32_t vector);
struct eq *eq_new(uint32_t eqn, uint32_t depth, uint32_t vector, const struct host_mem *ring);
void eq_free(struct nic *nic, uint32_t eqn);

/* cq.c */
bool cq_poll(struct nic *nic);
void cq_complete(struct nic *nic, uint32_t cqn, const struct tally_cqe *cqe, bool solicited,
		 vtime_t delay);
void cq_free(struct nic *nic, struct cq *cq);
/* The queue has lost an entry: it takes no more, and its queue pairs go to error. */
void cq_failed(struct nic *nic, struct cq *cq);

/* unit_cq.c: the same if units write the entries. */
/*
 * The units are about to write a completion: pass on what has come for its CQ. Returns whether the time of
 * its doorbell is known, *at in nanoseconds.
 */
bool unit_cq_completing(struct nic *nic, uint32_t cqn, const struct tally_cqe *cqe, uint64_t *at);
void unit_cq_complete(struct nic *nic, uint32_t cqn, const struct tally_cqe *cqe, bool solicited,
		      vtime_t delay);
/* Pass on what has come for all of them. Returns whether there was something. */
bool unit_cq_poll(struct nic *nic);
void unit_cq_event(struct nic *nic, const struct nic_cq_event *e);
void unit_cq_free(struct nic *nic, struct cq *cq);
/*
 * An entry is written to memory, asked for at @since. Injected faults change it, or make the write
 * fail: returns false.
 */
bool cq_unit_writes(struct nic *nic, struct tally_cqe *cqe, vtime_t since);

/* unit_queues.c: write the registers of queues, if there are units. */
void unit_cq_create(struct nic *nic, const struct cq *cq);
void unit_cq_destroy(struct nic *nic, const struct cq *cq);
void unit_eq_create(struct nic *nic, uint32_t eqn, uint32_t depth, uint32_t vector,
		    const struct host_mem *ring);
void unit_eq_destroy(struct nic *nic, uint32_t eqn);
void unit_eq_consumed(struct nic *nic, uint32_t eqn, uint64_t count);

/* unit_requests.c: registers of send queues and doorbell slots, and doorbells, if there are units. */
void unit_cq_bind(struct nic *nic, const struct cq *cq);
void unit_cq_unbind(struct nic *nic, const struct cq *cq);
/* Pass on the slot of a completion queue, whose arm word is @arm. */
void unit_cq_doorbell(struct nic *nic, const struct cq *cq, uint64_t arm);
void unit_qp_create(struct nic *nic, const struct qp *qp);
/* Empty the push buffer, so that the count can begin at 0 again. */
void unit_qp_clear(struct nic *nic, const struct qp *qp);
void unit_qp_destroy(struct nic *nic, const struct qp *qp);
/* @pushed: NULL if there is no copy of the request. */
void unit_qp_doorbell(struct nic *nic, const struct qp *qp, uint64_t posted, const struct pushed *pushed);

/* unit_memory.c: accesses of the units; units_read_done() and units_write_done() answer. */
void unit_memory_read(struct nic *nic, const struct nic_access *what);
void unit_memory_write(struct nic *nic, const struct nic_access *what, const void *data);

/* unit_access.c: accesses of the engine, if units make them. */
void unit_engine_read(struct nic *nic, uint32_t pd, const struct engine_sge *sge, uint64_t tag,
		      vtime_t delay);
void unit_engine_write(struct nic *nic, uint32_t pd, const struct engine_sge *sge, const void *data,
		       uint64_t tag, vtime_t delay);
void unit_accessed(struct nic *nic, uint32_t id, enum tally_coll_status status, const void *data,
		   size_t len);
/* Return whether an injected fault makes memory refuse one of these bytes. */
bool unit_access_fails(struct nic *nic, const void *at, size_t len);
/* Accesses that the units make by themselves. */
void unit_access_begins(struct nic *nic, const struct nic_region_access *what);
void unit_access_ended(struct nic *nic, uint32_t id, enum tally_coll_status status, const void *data);
void unit_access_clear(struct nic *nic);
/* Write the registers of a region, if there are units. */
void unit_mr_enter(struct nic *nic, uint32_t lkey, uint32_t pd, uint32_t access, uint64_t iova,
		   const struct host_mem *mem);
void unit_mr_remove(struct nic *nic, uint32_t lkey);

/* push.c */
/* Bind the push buffer of the queue pair's UAR to it. Returns false if it is bound already. */
bool push_bind(struct nic *nic, struct qp *qp);
void push_unbind(struct nic *nic, struct qp *qp);
/* Forget everything pushed, so that the count can begin at 0 again. */
void push_clear(struct nic *nic, struct qp *qp);
/*
 * Return a copy of the request pushed with the doorbell @posted, or NULL if the request must be
 * fetched. The caller frees the copy.
 */
struct pushed *push_take(const struct nic *nic, const struct qp *qp, uint64_t posted);
/* Return the number of bytes of the request with the header @w. */
size_t push_used(const struct tally_wqe *w);

/* qp.c */
bool qp_poll(struct nic *nic);
void qp_fetch(struct nic *nic, uint32_t qpn, uint32_t index);
/*
 * Return when the doorbell of an entry was noticed. Returns false if the queue pair does not exist.
 */
bool qp_doorbell_time(const struct nic *nic, uint32_t qpn, uint32_t index, vtime_t *at);
/* The engine has put the queue pair into @state. */
void qp_state(struct nic *nic, struct qp *qp, enum tally_qp_state state);
/* Free a queue pair and drop everything in flight for it. */
void qp_free(struct nic *nic, struct qp *qp);

/* mr.c */
/* A key is the table index times 256 plus an eight-bit variant. */
static inline uint32_t mr_index(uint32_t lkey)
{
	return lkey >> 8;
}

/* Register a region under a key whose index is free. Returns false if there is no memory. */
bool mr_register(struct nic *nic, uint32_t lkey, uint32_t pd, uint32_t access, uint64_t iova,
		 const struct host_mem *mem);
/* Return the memory region at @index, or NULL. */
struct mr *mr_at(const struct nic *nic, uint32_t index);
/* Return the memory region that @lkey names, or NULL. */
struct mr *mr_find(const struct nic *nic, uint32_t lkey);
void mr_free(struct nic *nic, uint32_t index);
void mr_free_all(struct nic *nic);
enum tally_coll_status mr_check(const struct nic *nic, uint32_t pd, const struct engine_sge *sge,
				bool write);
/*
 * Check an access and copy sge->length bytes, or check it and find the bytes to write (mem_find()).
 */
enum tally_coll_status mr_read(struct nic *nic, uint32_t pd, const struct engine_sge *sge,
			       void *to);
enum tally_coll_status mr_find_memory(struct nic *nic, uint32_t pd, const struct engine_sge *sge,
				      struct mem_piece *pieces, size_t *num);
/*
 * Return the first byte of an access that is permitted, if an injected fault makes it fail; else
 * NULL.
 */
const uint8_t *mr_fault(struct nic *nic, uint32_t pd, const struct engine_sge *sge, bool write);

/* dma.c */
/*
 * Queue @item, of @bytes, behind the earlier accesses of its direction, to start after @wait.
 * Returns when it will be carried out.
 */
vtime_t dma_read(struct nic *nic, struct delay_line_item *item, size_t bytes, vtime_t wait);
vtime_t dma_write(struct nic *nic, struct delay_line_item *item, size_t bytes, vtime_t wait);
/* Reads and writes of the engine, which begin after @delay. */
void dma_engine_read(struct nic *nic, uint32_t pd, const struct engine_sge *sge, uint64_t tag,
		     vtime_t delay);
void dma_engine_write(struct nic *nic, uint32_t pd, const struct engine_sge *sge, const void *data,
		      uint64_t tag, vtime_t delay);

/* ports.c */
/*
 * Attach NIC_PORTS cables, of which any may be NULL. The NIC receives the frames that arrive by
 * them.
 */
void ports_attach(struct nic *nic, struct fab_port *const *cables);
void ports_detach(struct nic *nic);
/* Return whether the NIC has two cables, and chooses between them. */
bool ports_choose(const struct nic *nic);
/* Note that a frame of @mac arrived at @port, if the NIC chooses. */
void ports_learn(struct nic_port *port, const uint8_t mac[6]);
/* Return whether a frame to @mac leaves through @port. */
bool ports_sends_by(struct nic_port *port, const uint8_t mac[6]);
void ports_forget(struct nic *nic);

/* commits.c: record what leaves for the cable, and what is written to memory. */
void commit_frame(const struct nic *nic, const struct frame *frame);
void commit_cqe(const struct nic *nic, const struct tally_cqe *cqe);
void commit_write(const struct nic *nic, const struct engine_sge *sge, const void *data);

/* units.c */
/* Return 0 or an errno. Without cfg->units the other functions do nothing. */
int units_open(struct nic *nic, const struct nic_cfg *cfg);
void units_close(struct nic *nic);
void units_reset(struct nic *nic);
/* A frame has arrived, or the engine sends a packet. Only with units. */
void units_frame(struct nic *nic, const struct frame *frame);
void units_send(struct nic *nic, const struct roce_hdr *hdr, const struct tally_tch *tch,
		const void *payload, size_t len, const struct engine_name *name);
void units_table(struct nic *nic, uint32_t reg, uint32_t value);
void units_random(struct nic *nic, uint64_t number);
void units_complete(struct nic *nic, const struct nic_completion *c);
void units_event(struct nic *nic, const struct nic_event *e);
void units_read_done(struct nic *nic, uint32_t id, const void *data, size_t len);
void units_write_done(struct nic *nic, uint32_t id, bool good);
void units_bar_write(struct nic *nic, uint32_t offset, const void *data, size_t len);
void units_update(struct nic *nic, const struct engine_update *u);
void units_end(struct nic *nic, const struct engine_end *x);
void units_access(struct nic *nic, const struct nic_region_access *what, const void *data);
/* Return whether there are units with a register that is not written yet. */
bool units_writing(const struct nic *nic);
bool units_waiting(const struct nic *nic);
bool units_event_waits(const struct nic *nic);
void units_take_event(struct nic *nic);
void units_raise(struct nic *nic, const struct engine_event *ev);
void units_command(struct nic *nic, enum tally_fw_store_command command, uint32_t group, uint32_t num);
/* Set the stages of the engine to 0 for which the units take their own time. */
void units_timing(const struct nic_cfg *cfg, struct engine_timing *timing);

/* rx.c */
/* A packet that was parsed, and a frame that is no packet for this NIC. */
void rx_packet(struct nic *nic, const struct roce_hdr *hdr, const uint8_t *body, size_t len);
/*
 * The same of a packet whose admission has been decided; @settled: the model must agree. Returns
 * whether its number is stored.
 */
bool rx_admitted(struct nic *nic, const struct roce_hdr *hdr, const uint8_t *body, size_t len,
		 const struct engine_admission *a, bool settled);
void rx_bad(struct nic *nic, enum tally_rx why);
/* The units have given an event; @settled: the model must agree about an OPEN. */
void rx_event(struct nic *nic, const struct engine_event *event, bool settled);
/* The units find that an edge is to be acknowledged. */
void rx_acknowledge(struct nic *nic, const struct engine_ack *ack);
/* They find what becomes of numbered packets. */
void rx_acked(struct nic *nic, const struct engine_sent *sent, bool settled);
void rx_again(struct nic *nic, const struct engine_sent *sent, bool settled);
void rx_expired(struct nic *nic, const struct engine_expiry *expiry);
/* Receive function of the cable of the struct nic_port @arg. Takes over the frame. */
void rx_frame(void *arg, struct frame *frame);
/* Receive a frame that the NIC sent to itself. */
void rx_local(struct nic *nic, struct frame *frame);

/* tx.c */
/* @name: NULL unless the units give the packet its number. */
void tx_packet(struct nic *nic, const struct engine_addr *to, const struct tally_tch *tch,
	       const void *payload, size_t len, vtime_t delay, const struct engine_name *name);
/* Send a frame that is ready, and take it over. Its first word was @early ago. */
void tx_frame(struct nic *nic, struct frame *frame, vtime_t early);
/* The cable of the struct nic_port @arg has room. */
void tx_pump(void *arg);
/* Drop the frames that wait for room. */
void tx_drop(struct nic *nic);

/* engine_host.c */
extern const struct engine_host nic_engine_host;

#endif
