/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the NIC share. Nothing outside sim/nic includes this. */
#ifndef TALLY_SIM_NIC_PRIV_H
#define TALLY_SIM_NIC_PRIV_H

#include <endian.h>
#include <sys/queue.h>

#include "engine/engine.h"
#include "nic/inject.h"
#include "nic/line.h"
#include "nic/mem.h"
#include "nic/nic.h"

#define NIC_ONE_MORE(name, value, doc) +1
enum { NIC_NUM_COUNTERS = 0 TALLY_CTR_LIST(NIC_ONE_MORE) };

struct eq;
struct mr;

/* Which completions an armed CQ waits for. */
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
	struct host_mem ring;		/* and the record behind it */
	uint64_t asked;			/* count of entries written or on their way */
	uint64_t produced;
	uint64_t consumed;		/* last good value of the record or the slot */
	bool reading;			/* the record, ahead of need */
	uint64_t arm_word;		/* last seen */
	enum cq_arm armed;
	uint64_t solicited_end;		/* count of entries up to the newest solicited one */
	bool failed;
	unsigned int qps;
};

struct doorbell;

/* A work request that came with its doorbell: entry @posted - 1, as long as the stride. */
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
	bool stopped;			/* state RESET */
	bool push;			/* the push buffer of the slot's UAR is bound to it */
	struct pushed *pushed;		/* not asked for yet; NULL: none */
	uint64_t posted;		/* last value of the slot that was taken */
	uint64_t lost;			/* value that is not seen; 0: none */
	struct doorbell *newest;	/* on its way, noticed at newest_at */
	vtime_t newest_at;
	vtime_t rung[];			/* of each entry: when its doorbell was noticed */
};

/* The admin queue, while the device is READY. */
struct aq {
	uint32_t depth;
	struct host_mem commands, completions;
	uint64_t posted;
	uint64_t done;			/* commands carried out, and completions made */
	uint64_t consumed;
	bool busy;			/* a command is being fetched */
};

enum { NIC_PORTS = 2, NIC_NEIGHBOURS = 64 };

struct nic_port {
	struct nic *nic;
	struct fab_port *cable;			/* NULL: none */
	STAILQ_HEAD(, tx_wait) waiting;		/* frames it had no room for */
};

/* A MAC address that frames came from, of a NIC with two cables. */
struct neighbour {
	uint8_t mac[6];
	struct nic_port *port;
};

/* Tracks of a trace. */
enum nic_span {
	SPAN_DOORBELL,		/* from its being noticed until the engine has it */
	SPAN_WQE,		/* a request fetched, or pushed */
	SPAN_READ,
	SPAN_WRITE,
	SPAN_CQE,
	SPAN_ENGINE,		/* from what came in to each thing that goes out */
	SPAN_TX,		/* a frame that has no room on the cable */
	NUM_SPANS
};

struct nic {
	struct sim *sim;
	struct sim_track *tracks[NUM_SPANS];	/* NULL: no trace */
	struct bus bus;
	struct nic_port ports[NIC_PORTS];
	struct neighbour neighbours[NIC_NEIGHBOURS];
	unsigned int num_neighbours, next_neighbour;
	struct sim_event carrier;		/* when a change of the cables' carrier has lasted */
	bool link_up;				/* what the host was told */
	uint32_t link_mbps;
	enum nic_engine_kind engine_kind;
	struct nic_timing timing;
	uint8_t mac[6];
	uint8_t gid[16];

	uint8_t *bar;
	struct tally_ident *ident;
	const struct tally_control *control;
	struct tally_status_page *status;
	/* Own copies: what stands in BAR2 may be overwritten by the guest. */
	enum tally_device_state state;
	uint32_t epoch;
	uint32_t reset_ack;
	uint64_t health;

	struct engine *engine;
	struct sim_event timer;
	vtime_t timer_at;		/* VT_NEVER: not set */
	struct line doorbells, asked, pushes, reads, issues, writes, tx, rx;
	vtime_t read_busy, write_busy;	/* until when the bus is taken */
	vtime_t last_write;		/* when the newest write that was answered is carried out */

	struct aq aq;
	struct eq *eq[TALLY_MAX_EQ];
	struct cq *cq[TALLY_MAX_CQ];
	struct qp *qp[TALLY_MAX_QP];
	struct mr *mr[TALLY_MAX_MR];
	TAILQ_HEAD(, cq) cqs;
	TAILQ_HEAD(, qp) qps;
	unsigned int groups;		/* that exist, draining ones too */
	bool bound[TALLY_NUM_UARS][TALLY_UAR_SLOTS];
	bool push_bound[TALLY_NUM_UARS];
	uint64_t counters[NIC_NUM_COUNTERS];
	struct inject inject;
};

/* Loads and stores of BAR2, little-endian. A store is visible after everything before it. */
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
 * A consumer's count is good if it lies between the last good one and what was produced; another
 * value is a stale or hostile store and changes nothing.
 */
static inline void take_consumed(uint64_t *consumed, uint64_t produced, uint64_t value)
{
	if (value - *consumed <= produced - *consumed)
		*consumed = value;
}

/* The owner byte of the entry that a ring of @depth gets as its number @produced, from 0. */
static inline uint8_t ring_owner(uint64_t produced, uint32_t depth)
{
	return produced / depth % 2 ? 0 : TALLY_OWNER_PHASE;
}

/* nic.c: every call into the engine stands between these two. */
struct engine *nic_enter(struct nic *nic);
void nic_leave(struct nic *nic);
/* Stops the device; @code tells the driver why. Not from within a callback of the engine. */
void nic_fatal(struct nic *nic, enum tally_fatal code);
/* Forgets all objects, all work and the counters. */
void nic_drop_all(struct nic *nic);

/* ident.c */
void ident_start(struct nic *nic);
/* Writes link_up to the page. */
void ident_port(struct nic *nic);
void ident_state(struct nic *nic, enum tally_device_state state, enum tally_fatal code);
void ident_seen(struct nic *nic);
/* Carries out a reset if the driver asks for one. */
bool reset_poll(struct nic *nic);

/* admin.c */
bool aq_poll(struct nic *nic);

/* spans.c */
/* Looks for the trace of the simulation; @name: of the NIC in it, or NULL. */
void spans_start(struct nic *nic, const char *name);
void span_write(const struct nic *nic, enum nic_span where, const char *name, vtime_t start,
		vtime_t end, const char *key, uint64_t value);
/* The engine sends a packet, completes a request. */
void span_packet(const struct nic *nic, const struct tally_tch *tch, size_t len, vtime_t delay);
void span_cqe(const struct nic *nic, const struct tally_cqe *cqe, vtime_t delay, vtime_t there);

/* A span with a number, if there is a trace. */
static inline void span(const struct nic *nic, enum nic_span where, const char *name, vtime_t start,
			vtime_t end, const char *key, uint64_t value)
{
	if (nic->tracks[where])
		span_write(nic, where, name, start, end, key, value);
}

/* counters.c */
void nic_count(struct nic *nic, enum tally_counter counter, uint64_t n);

/* slot.c: doorbell slots, each bound to at most one queue. */
struct tally_uar_slot *slot_at(const struct nic *nic, struct slot_id id);
/* Binds a slot whose numbers are in range; false if it is bound. */
bool slot_bind(struct nic *nic, struct slot_id id);
void slot_unbind(struct nic *nic, struct slot_id id);

/* eq.c */
/* Writes an event now and interrupts; a full or unreachable queue stops the device. */
void eq_raise(struct nic *nic, uint32_t eqn, enum tally_eqe_type type, uint32_t id, uint64_t data);
/* The same after the way over the bus, behind all earlier writes: for callbacks of the engine. */
void eq_post(struct nic *nic, enum tally_eqe_type type, uint32_t id, uint64_t data);
/* Writes DEVICE_FATAL to event queue 0 if it can be written; interrupts vector 0 in any case. */
void eq_raise_fatal(struct nic *nic, enum tally_fatal code);
/*
 * Keeps an entry for an event that is to come; false if too many are kept or not yet taken by the
 * driver. The event queue of a completion queue exists.
 */
bool eq_reserve(struct nic *nic, uint32_t eqn);
void eq_unreserve(struct nic *nic, uint32_t eqn);
struct eq *eq_new(uint32_t eqn, uint32_t depth, uint32_t vector, const struct host_mem *ring);
void eq_free(struct nic *nic, uint32_t eqn);

/* cq.c */
bool cq_poll(struct nic *nic);
void cq_complete(struct nic *nic, uint32_t cqn, const struct tally_cqe *cqe, bool solicited,
		 vtime_t delay);
void cq_free(struct nic *nic, struct cq *cq);

/* push.c */
/* Binds the push buffer of the queue pair's UAR to it; false if it is bound. */
bool push_bind(struct nic *nic, struct qp *qp);
void push_unbind(struct nic *nic, struct qp *qp);
/* Forgets what was pushed, so that the count may begin at 0 again. */
void push_clear(struct nic *nic, struct qp *qp);
/* A copy of the request pushed with the doorbell @posted, to be freed; NULL: fetch it. */
struct pushed *push_take(const struct nic *nic, const struct qp *qp, uint64_t posted);

/* qp.c */
bool qp_poll(struct nic *nic);
void qp_fetch(struct nic *nic, uint32_t qpn, uint32_t index);
/* When the doorbell of an entry was noticed; false if there is no such queue pair. */
bool qp_rung(const struct nic *nic, uint32_t qpn, uint32_t index, vtime_t *at);
/* The engine has put the queue pair into @state. */
void qp_state(struct nic *nic, struct qp *qp, enum tally_qp_state state);
/* Forgets what is on its way for the queue pair, and the queue pair. */
void qp_free(struct nic *nic, struct qp *qp);

/* mr.c */
/* A key is the table index times 256 plus an eight-bit variant. */
static inline uint32_t mr_index(uint32_t lkey)
{
	return lkey >> 8;
}

struct mr *mr_new(uint32_t lkey, uint32_t pd, uint32_t access, uint64_t iova,
		  const struct host_mem *mem);
/* The memory region @lkey names, or NULL. */
struct mr *mr_find(const struct nic *nic, uint32_t lkey);
void mr_free(struct nic *nic, uint32_t index);
enum tally_coll_status mr_check(const struct nic *nic, uint32_t pd, const struct engine_sge *sge,
				bool write);
/* Checks and copies sge->length bytes; checks and finds them, to be written (mem_find()). */
enum tally_coll_status mr_read(struct nic *nic, uint32_t pd, const struct engine_sge *sge,
			       void *to);
enum tally_coll_status mr_find_memory(struct nic *nic, uint32_t pd, const struct engine_sge *sge,
				      struct mem_piece *pieces, size_t *num);

/* dma.c */
/*
 * Queue @item behind the earlier accesses of its direction, @bytes long, to start after @wait.
 * Return when it will be carried out.
 */
vtime_t dma_read(struct nic *nic, struct line_item *item, size_t bytes, vtime_t wait);
vtime_t dma_write(struct nic *nic, struct line_item *item, size_t bytes, vtime_t wait);
/* The engine's reads and writes, which begin after @delay. */
void dma_engine_read(struct nic *nic, uint32_t pd, const struct engine_sge *sge, uint64_t tag,
		     vtime_t delay);
void dma_engine_write(struct nic *nic, uint32_t pd, const struct engine_sge *sge, const void *data,
		      uint64_t tag, vtime_t delay);

/* ports.c */
/* Takes NIC_PORTS cables, NULL for none; the NIC receives what comes in by them. */
void ports_attach(struct nic *nic, struct fab_port *const *cables);
void ports_detach(struct nic *nic);
/* A frame of @mac came in by @port. */
void ports_learn(struct nic_port *port, const uint8_t mac[6]);
/* Should a frame to @mac leave by @port? */
bool ports_leads(struct nic_port *port, const uint8_t mac[6]);
void ports_forget(struct nic *nic);

/* rx.c */
/* A frame for the NIC of the struct nic_port @arg, taken over: the receive function of its cable. */
void rx_frame(void *arg, struct frame *frame);
/* The same without a cable: a frame the NIC sent to itself. */
void rx_local(struct nic *nic, struct frame *frame);

/* tx.c */
void tx_packet(struct nic *nic, const struct engine_addr *to, const struct tally_tch *tch,
	       const void *payload, size_t len, vtime_t delay);
/* The cable of the struct nic_port @arg has room. */
void tx_pump(void *arg);
/* Forgets the frames that wait for room. */
void tx_drop(struct nic *nic);

/* engine_host.c */
extern const struct engine_host nic_engine_host;

#endif
