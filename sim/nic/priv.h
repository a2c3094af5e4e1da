/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the NIC share. Nothing outside sim/nic includes this. */
#ifndef TALLY_SIM_NIC_PRIV_H
#define TALLY_SIM_NIC_PRIV_H

#include <endian.h>
#include <sys/queue.h>

#include "engine/engine.h"
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
	struct host_mem ring;
	uint64_t produced;
	uint64_t consumed;		/* last good value of the slot */
	uint64_t arm_word;		/* last seen */
	enum cq_arm armed;
	uint64_t solicited_end;		/* count of entries up to the newest solicited one */
	bool failed;
	unsigned int qps;
};

struct doorbell;

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
	uint64_t posted;		/* last value of the slot that was taken */
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

struct nic {
	struct sim *sim;
	struct bus bus;
	struct fab_port *port;
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
	struct line doorbells, reads, writes, tx, rx;
	STAILQ_HEAD(, tx_wait) tx_waiting;	/* frames the port had no room for */
	vtime_t read_busy, write_busy;	/* until when the bus is taken */

	struct aq aq;
	struct eq *eq[TALLY_MAX_EQ];
	struct cq *cq[TALLY_MAX_CQ];
	struct qp *qp[TALLY_MAX_QP];
	struct mr *mr[TALLY_MAX_MR];
	TAILQ_HEAD(, cq) cqs;
	TAILQ_HEAD(, qp) qps;
	unsigned int groups;		/* that exist, draining ones too */
	bool bound[TALLY_NUM_UARS][TALLY_UAR_SLOTS];
	uint64_t counters[NIC_NUM_COUNTERS];
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
void ident_state(struct nic *nic, enum tally_device_state state, enum tally_fatal code);
void ident_seen(struct nic *nic);
/* Carries out a reset if the driver asks for one. */
bool reset_poll(struct nic *nic);

/* admin.c */
bool aq_poll(struct nic *nic);

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
struct eq *eq_new(uint32_t eqn, uint32_t depth, uint32_t vector, const struct host_mem *ring);
void eq_free(struct nic *nic, uint32_t eqn);

/* cq.c */
bool cq_poll(struct nic *nic);
void cq_complete(struct nic *nic, uint32_t cqn, const struct tally_cqe *cqe, bool solicited);
void cq_free(struct nic *nic, struct cq *cq);

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
/* Checks and copies sge->length bytes. */
enum tally_coll_status mr_read(struct nic *nic, uint32_t pd, const struct engine_sge *sge,
			       void *to);
enum tally_coll_status mr_write(struct nic *nic, uint32_t pd, const struct engine_sge *sge,
				const void *from);

/* dma.c */
/* Queue @item behind the earlier accesses of its direction, @bytes long, to start after @wait. */
void dma_read(struct nic *nic, struct line_item *item, size_t bytes, vtime_t wait);
void dma_write(struct nic *nic, struct line_item *item, size_t bytes, vtime_t wait);
/* The engine's reads and writes. */
void dma_engine_read(struct nic *nic, uint32_t pd, const struct engine_sge *sge, uint64_t tag);
void dma_engine_write(struct nic *nic, uint32_t pd, const struct engine_sge *sge, const void *data,
		      uint64_t tag);

/* rx.c */
/* A frame for the NIC @arg, taken over: the receive function of its port. */
void rx_frame(void *arg, struct frame *frame);

/* tx.c */
void tx_packet(struct nic *nic, const struct engine_addr *to, const struct tally_tch *tch,
	       const void *payload, size_t len);
/* The port of the NIC @arg has room. */
void tx_pump(void *arg);
/* Forgets the frames that wait for room. */
void tx_drop(struct nic *nic);

/* engine_host.c */
extern const struct engine_host nic_engine_host;

#endif
