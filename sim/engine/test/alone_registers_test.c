// SPDX-License-Identifier: BSD-2-Clause
/*
 * The register file alone: what each register shows and keeps, which of them do not exist for a
 * read or a write, and before which ones the firmware must let the hardware go on.
 */
#include "engine/common.h"
#include "engine/events.h"
#include "engine/jid.h"
#include "engine/registers.h"
#include "engine/test/alone.h"
#include "firmware/port.h"

#include <endian.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CONTROL(field) (TALLY_FW_CONTROL_BASE + REG_AT(control, field))
#define EVENT(field) (TALLY_FW_EVENT_BASE + REG_AT(event, field))
#define COMMAND(field) (TALLY_FW_COMMAND_BASE + REG_AT(command, field))
#define SEGMENT(field) (TALLY_FW_SEGMENT_BASE + REG_AT(segment, field))
#define ARRIVAL(field) (TALLY_FW_ARRIVAL_BASE + REG_AT(arrival, field))
#define QP(n, field) (TALLY_FW_QP_BASE + (n)*TALLY_FW_QP_STRIDE + REG_AT(qp, field))
#define GROUP(n, field) (fw_group_base(n) + REG_AT(group, field))
#define SETUP(n, field) (fw_group_base(n) + TALLY_FW_SETUP_OFFSET + REG_AT(setup, field))
#define ROUND(n, r, field)                                                      \
	(fw_group_base(n) + TALLY_FW_ROUND_OFFSET + (r)*TALLY_FW_ROUND_STRIDE + \
	 REG_AT(round, field))
#define EDGE(n, i, field) (fw_edge_base(n, i) + REG_AT(edge, field))
#define NEIGHBOUR(n, i, field) \
	(fw_edge_base(n, i) + TALLY_FW_NEIGHBOUR_OFFSET + REG_AT(neighbour, field))
#define TRAFFIC(n, i, field) (fw_edge_base(n, i) + TALLY_FW_TRAFFIC_OFFSET + REG_AT(traffic, field))

static struct alone a;
static uint64_t pattern;

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	pattern = 0x0123456789abcdef;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

/* Return a value of which every part is another one than before. */
static uint64_t next_value(void)
{
	pattern = pattern * 6364136223846793005ULL + 1442695040888963407ULL;
	return pattern ^ pattern >> 29;
}

static uint64_t get(uint32_t reg)
{
	return registers_read(a.e, reg);
}

static void set(uint32_t reg, uint64_t value)
{
	registers_write(a.e, reg, value);
}

/* A register shows a field of the hardware. */
#define SHOWS(reg, field)                                  \
	do {                                               \
		(field) = (__typeof__(field))next_value(); \
		assert_int_equal(get(reg), (field));       \
	} while (0)
/* A write of a register changes a field. */
#define KEEPS(reg, field)                                               \
	do {                                                            \
		__typeof__(field) to = (__typeof__(field))next_value(); \
                                                                        \
		set(reg, (uint64_t)to);                                 \
		assert_int_equal(field, to);                            \
	} while (0)
#define BOTH(reg, field)           \
	do {                       \
		SHOWS(reg, field); \
		KEEPS(reg, field); \
	} while (0)

/* ---- Registers that do not exist ---- */

static sigjmp_buf back;

static void caught(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

/* Whether the program aborts at an access, which would be a bug of the firmware. */
static bool aborts(uint32_t reg, bool write)
{
	volatile bool survived = false;

	signal(SIGABRT, caught);
	if (!sigsetjmp(back, 1)) {
		if (write)
			set(reg, 0);
		else
			get(reg);
		survived = true;
	}
	signal(SIGABRT, SIG_DFL);
	return !survived;
}

static void reserved(uint32_t base, uint32_t from, uint32_t to)
{
	for (; from < to; from += 4) {
		assert_true(aborts(base + from, false));
		assert_true(aborts(base + from, true));
	}
}

#define RESERVED(base, block, field) \
	reserved(base, REG_AT(block, field), REG_AT(block, field) + REG_BYTES(block, field))

static void reserved_registers(void **state)
{
	const uint32_t tombs = TALLY_MAX_GROUP + TALLY_MAX_TOMBSTONES;

	(void)state;
	RESERVED(TALLY_FW_CONTROL_BASE, control, __rsvd_24);
	RESERVED(TALLY_FW_EVENT_BASE, event, __rsvd_c0);
	RESERVED(TALLY_FW_COMMAND_BASE, command, __rsvd_80);
	RESERVED(TALLY_FW_COMMAND_BASE, command, __rsvd_38);
	RESERVED(TALLY_FW_EVENT_BASE, event, __rsvd_34);
	RESERVED(TALLY_FW_SEGMENT_BASE, segment, __rsvd_24);
	RESERVED(TALLY_FW_ARRIVAL_BASE, arrival, __rsvd_50);
	RESERVED(TALLY_FW_QP_BASE, qp, __rsvd_38);
	RESERVED(fw_edge_base(0, 0), edge, __rsvd_50);
	RESERVED(fw_edge_base(0, 0) + TALLY_FW_NEIGHBOUR_OFFSET, neighbour, __rsvd_38);
	RESERVED(fw_edge_base(0, 0) + TALLY_FW_TRAFFIC_OFFSET, traffic, __rsvd_38);
	RESERVED(fw_group_base(0) + TALLY_FW_SETUP_OFFSET, setup, __rsvd_ac);
	RESERVED(fw_group_base(0) + TALLY_FW_ROUND_OFFSET, round, __rsvd_24);
	reserved(fw_group_base(0), sizeof(struct tally_fw_group) - 64,
		 sizeof(struct tally_fw_group));
	/* behind the last of each table */
	reserved(TALLY_FW_QP_BASE, TALLY_MAX_QP * TALLY_FW_QP_STRIDE,
		 TALLY_MAX_QP * TALLY_FW_QP_STRIDE + 8);
	assert_true(aborts(fw_group_base(tombs), false));
	assert_true(aborts(fw_group_base(tombs), true));
	assert_true(aborts(EDGE(0, MAX_EDGES, state), false));
	assert_true(aborts(EDGE(0, MAX_EDGES, kill), true));
	assert_true(aborts(ROUND(0, TALLY_MAX_ROUNDS + 1, own), true));
	assert_false(aborts(ROUND(0, TALLY_MAX_ROUNDS, own), true));
	assert_false(aborts(EDGE(0, MAX_EDGES - 1, state), false));
	assert_false(aborts(QP(TALLY_MAX_QP - 1, used), false));
	assert_false(aborts(GROUP(tombs - 1, state), false));
}

/* Registers of the hardware cannot be written. */
static void registers_of_the_hardware(void **state)
{
	static const uint32_t regs[] = {
		CONTROL(now),	     CONTROL(segs_left),
		CONTROL(cells_left), CONTROL(edges_left),
		CONTROL(requests_left),
		CONTROL(job_exists), EVENT(next),
		EVENT(open),	     EVENT(cause),
		EVENT(epoch),	     EVENT(mid),
		EVENT(sid),	     EVENT(status),
		EVENT(ranks),	     EVENT(contributors),
		EVENT(group_key),
		EVENT(qp),	     EVENT(data),
		SEGMENT(state),	     SEGMENT(opcode),
		SEGMENT(op),	     SEGMENT(dtype),
		SEGMENT(num),	     SEGMENT(mid),
		SEGMENT(sid),	     SEGMENT(missing),
		SEGMENT(ranks),	     SEGMENT(receivers),
		SEGMENT(deliver),    SEGMENT(waits),
		ARRIVAL(used),	     ARRIVAL(mid),
		ARRIVAL(opcode),     ARRIVAL(op),
		ARRIVAL(dtype),	     ARRIVAL(last),
		ARRIVAL(count),	     ARRIVAL(first_at),
		ARRIVAL(last_at),    ARRIVAL(done_at),
		ARRIVAL(ranks),	     ARRIVAL(contributors),
		QP(0, used),	     QP(0, next),
	};
	static const uint32_t of_group[] = {
#define AT(field) REG_AT(group, field)
		AT(mid_done),	    AT(oldest_busy),	AT(oldest_tree),  AT(oldest_mid),
		AT(oldest_sid),	    AT(oldest_missing), AT(oldest_waits), AT(oldest_waits_parent),
		AT(oldest_started), AT(oldest_limit),	AT(late),	  AT(lacking),
		AT(done),	    AT(held),		AT(owed),	  AT(first_qp),
		AT(busy),	    AT(begun),		AT(ended_well),
#undef AT
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(regs) / sizeof(regs[0]); i++)
		assert_true(aborts(regs[i], true));
	for (i = 0; i < sizeof(of_group) / sizeof(of_group[0]); i++)
		assert_true(aborts(fw_group_base(0) + of_group[i], true));
	assert_true(aborts(EDGE(0, 0, state), true));
	assert_true(aborts(EDGE(0, 0, peer_key), true));
	assert_true(aborts(EDGE(0, 0, unconfirmed), true));
	assert_true(aborts(EDGE(0, 0, peer_nonce), true));
	for (i = 0; i < TALLY_FW_TRAFFIC_OFFSET - TALLY_FW_NEIGHBOUR_OFFSET; i += 4)
		assert_true(aborts(fw_edge_base(0, 0) + TALLY_FW_TRAFFIC_OFFSET + i, true));
}

/* ---- The whole engine ---- */

static void control(void **state)
{
	(void)state;
	SHOWS(CONTROL(now), a.e->now);
	assert_int_equal(get(CONTROL(segs_left)), TALLY_MAX_SEG - 4);
	a.e->cells_reserved = 20;
	a.e->shared_used = 3;
	assert_int_equal(get(CONTROL(cells_left)), TALLY_RMQ_CELLS - 23);
	a.e->edges_used = 5;
	assert_int_equal(get(CONTROL(edges_left)), TALLY_MAX_EDGES - 5);
	a.e->requests_owned = 6;
	assert_int_equal(get(CONTROL(requests_left)), TALLY_MAX_REQUESTS - 6);
	set(CONTROL(count), TALLY_CTR_kills_sent);
	set(CONTROL(count), TALLY_CTR_kills_sent);
	assert_int_equal(a.counters[TALLY_CTR_kills_sent], 2);
	KEEPS(CONTROL(job), a.e->fw_job);
}

static void job_exists(void **state)
{
	(void)state;
	jid_add(a.e, a.g);
	set(CONTROL(job), ALONE_JID);
	assert_int_equal(get(CONTROL(job_exists)), 1);
	set(CONTROL(job), ALONE_JID + 1);
	assert_int_equal(get(CONTROL(job_exists)), 0);
	set(CONTROL(job), ALONE_JID);
	a.g->destroyed = true;
	assert_int_equal(get(CONTROL(job_exists)), 0);
}

/* ---- Event and command ---- */

static void event(void **state)
{
	struct fw_event *ev = &a.e->event;
	unsigned int i;

	(void)state;
	SHOWS(EVENT(cause), ev->cause);
	SHOWS(EVENT(epoch), ev->epoch);
	SHOWS(EVENT(mid), ev->mid);
	SHOWS(EVENT(sid), ev->sid);
	SHOWS(EVENT(status), ev->status);
	SHOWS(EVENT(contributors), ev->contributors);
	SHOWS(EVENT(ranks), ev->ranks);
	SHOWS(EVENT(qp), ev->qp);
	for (i = 0; i < TALLY_FW_DATA_WORDS; i++)
		SHOWS(EVENT(data) + 4 * i, ev->data[i]);
}

static void next_event(void **state)
{
	(void)state;
	events_of_group(a.e, &a.e->groups[0x123], TALLY_FW_EV_DRAINED);
	events_after_end(a.e, &a.e->tombstones[1], 5);
	assert_int_equal(get(EVENT(next)),
			 0x123 << 16 | TALLY_FW_NO_EDGE << 8 | TALLY_FW_EV_DRAINED);
	assert_int_equal(get(EVENT(next)),
			 (TALLY_MAX_GROUP + 1) << 16 | 5 << 8 | TALLY_FW_EV_AFTER_END);
	assert_int_equal(get(EVENT(next)) & 0xff, TALLY_FW_EV_NONE);
}

/* What the hardware compares of an OPEN. */
static void event_of_an_open(void **state)
{
	struct tally_tch_open o = { .nonce = htobe64(5),
				    .echo = htobe64(6),
				    .node = htobe16(1),
				    .mtu = htobe32(4096),
				    .modes = TALLY_MODES_TREE,
				    .num_nodes = htobe16(4),
				    .total_ranks = htobe32(4),
				    .group_key = htobe32(0x12345678) };
	struct edge *ed = &a.g->edges[2];

	(void)state;
	a.e->event.edge = 2;
	ed->nonce = 6;
	ed->peer_nonce = 5;
	ed->state = TALLY_EDGE_OPENING;
	a.g->state = TALLY_GROUP_COLLECT;
	a.g->epoch = 0;
	ed->peer_key = 0;
	o.key = htobe32(7);
	memcpy(a.e->event.data, &o, sizeof(o));
	assert_int_equal(get(EVENT(group_key)), 0x12345678);
	assert_int_equal(get(EVENT(open)),
			 TALLY_FW_OPEN_KNOWN | TALLY_FW_OPEN_ECHOED | TALLY_FW_OPEN_AGREES);
	ed->peer_key = 7;
	assert_int_equal(get(EVENT(open)) & TALLY_FW_OPEN_LEARNED, TALLY_FW_OPEN_LEARNED);
	ed->peer_key = 8;
	ed->nonce = 1ULL << 32 | 6;
	assert_int_equal(get(EVENT(open)), TALLY_FW_OPEN_KNOWN | TALLY_FW_OPEN_AGREES);
	ed->peer_nonce = 1ULL << 32 | 5;
	assert_int_equal(get(EVENT(open)), TALLY_FW_OPEN_AGREES);
	a.g->mtu = 2048;
	assert_int_equal(get(EVENT(open)), 0);
}

/* The state of edge and group that decides about an OPEN, at the time of the read. */
static void state_beside_an_open(void **state)
{
	struct edge *ed = &a.g->edges[2];

	(void)state;
	a.e->event.edge = 2;
	ed->nonce = ed->peer_nonce = 1;
	memset(a.e->event.data, 0, sizeof(a.e->event.data));
	ed->state = TALLY_EDGE_OPENING;
	a.g->state = TALLY_GROUP_COLLECT;
	a.g->epoch = 0;
	a.e->event.flags = TALLY_TCH_F_CONFIRM;
	assert_int_equal(get(EVENT(open)), TALLY_FW_OPEN_CONFIRM);
	a.e->event.flags = 0;
	ed->state = TALLY_EDGE_OPEN;
	assert_int_equal(get(EVENT(open)), TALLY_FW_OPEN_EDGE);
	ed->state = TALLY_EDGE_OPENING;
	ed->unconfirmed = true;
	assert_int_equal(get(EVENT(open)), TALLY_FW_OPEN_UNCONFIRMED);
	ed->unconfirmed = false;
	ed->awaits_epoch = 1;
	assert_int_equal(get(EVENT(open)), TALLY_FW_OPEN_AWAITS);
	ed->awaits_epoch = 0;
	a.g->state = TALLY_GROUP_DRAINING;
	assert_int_equal(get(EVENT(open)), TALLY_FW_OPEN_ALIVE);
	a.g->state = TALLY_GROUP_DEAD;
	a.e->event.epoch = 3;
	assert_int_equal(get(EVENT(open)), TALLY_FW_OPEN_EPOCH);
	a.g->epoch = 3;
	assert_int_equal(get(EVENT(open)), TALLY_FW_OPEN_EPOCH | TALLY_FW_OPEN_SAME_EPOCH |
						   TALLY_FW_OPEN_KNOWS_EPOCH);
	a.g->flags |= TALLY_GROUP_F_MULTICAST;
	assert_int_equal(get(EVENT(open)), TALLY_FW_OPEN_EPOCH | TALLY_FW_OPEN_SAME_EPOCH);
	a.g->mcast_key = 1;
	a.g->epoch = 4;
	assert_int_equal(get(EVENT(open)), TALLY_FW_OPEN_EPOCH | TALLY_FW_OPEN_KNOWS_EPOCH);
}

static void command(void **state)
{
	struct fw_command *c = &a.e->command;
	unsigned int i;

	(void)state;
	KEEPS(COMMAND(kind), c->kind);
	KEEPS(COMMAND(flags), c->flags);
	KEEPS(COMMAND(epoch), c->epoch);
	KEEPS(COMMAND(key), c->key);
	KEEPS(COMMAND(mid), c->mid);
	KEEPS(COMMAND(sid), c->sid);
	KEEPS(COMMAND(length), c->length);
	KEEPS(COMMAND(qp), c->qp);
	KEEPS(COMMAND(contributors), c->contributors);
	KEEPS(COMMAND(ranks), c->ranks);
	for (i = 0; i < TALLY_FW_DATA_WORDS; i++)
		KEEPS(COMMAND(data) + 4 * i, c->data[i]);
}

/* ---- Groups ---- */

/* Check the registers of a group or tombstone by its number. */
static void check_group(uint32_t n, struct group *g)
{
	BOTH(GROUP(n, flags), g->flags);
	KEEPS(GROUP(n, mtu), g->mtu);
	KEEPS(GROUP(n, chunk), g->chunk);
	KEEPS(GROUP(n, plan), g->plan);
	KEEPS(GROUP(n, num_segs), g->num_segs);
	BOTH(GROUP(n, node), g->node);
	BOTH(GROUP(n, modes), g->modes);
	KEEPS(GROUP(n, rounds), g->rounds);
	BOTH(GROUP(n, level), g->level);
	BOTH(GROUP(n, subtree_ranks), g->subtree_ranks);
	BOTH(GROUP(n, num_edges), g->num_contributors);
	BOTH(GROUP(n, parent), g->parent);
	BOTH(GROUP(n, upstream), g->upstream);
	BOTH(GROUP(n, retry_limit), g->retry_limit);
	BOTH(GROUP(n, rank_mask), g->rank_mask);
	BOTH(GROUP(n, timeout), g->timeout);
	BOTH(GROUP(n, rto), g->rto);
	BOTH(GROUP(n, max_backoff), g->max_backoff);
	BOTH(GROUP(n, epoch), g->epoch);
	BOTH(GROUP(n, group_key), g->mcast_key);
	SHOWS(GROUP(n, mid_done), g->mid_done);
	BOTH(GROUP(n, gone), g->gone);
	BOTH(GROUP(n, attached), g->attached);
	KEEPS(GROUP(n, exchange_ins), g->exchange_ins);
	KEEPS(GROUP(n, children), g->children);
	KEEPS(GROUP(n, combined), g->contributors);
	KEEPS(GROUP(n, peers), g->peers);
	KEEPS(GROUP(n, late_mid), a.e->late_mid);
	BOTH(GROUP(n, status), g->report.status);
	BOTH(GROUP(n, detector), g->report.detector);
	BOTH(GROUP(n, detector_level), g->report.level);
	BOTH(GROUP(n, report_mid), g->report.mid);
	BOTH(GROUP(n, contributors), g->report.contributors);
	BOTH(GROUP(n, ranks), g->report.ranks);
	BOTH(GROUP(n, report_sid), g->report.sid);
	SHOWS(GROUP(n, done), g->done);
	SHOWS(GROUP(n, first_qp), g->qps);
	BOTH(GROUP(n, to_open), g->to_open);
	BOTH(GROUP(n, destroyed), g->destroyed);
	SHOWS(GROUP(n, ended_well), g->ended_well);
	SHOWS(GROUP(n, timer), g->fw_at);
	g->done = 0;
}

static void groups_and_tombstones(void **state)
{
	(void)state;
	check_group(0, a.g);
	check_group(1, &a.e->groups[1]);
	check_group(TALLY_MAX_GROUP - 1, &a.e->groups[TALLY_MAX_GROUP - 1]);
	check_group(TALLY_MAX_GROUP, &a.e->tombstones[0]);
	check_group(TALLY_MAX_GROUP + TALLY_MAX_TOMBSTONES - 1,
		    &a.e->tombstones[TALLY_MAX_TOMBSTONES - 1]);
}

/* The numbers by which a group divides are in two places. */
static void divisors(void **state)
{
	(void)state;
	KEEPS(GROUP(0, num_nodes), a.g->num_nodes);
	assert_int_equal(a.g->by_nodes.n, a.g->num_nodes);
	SHOWS(GROUP(0, num_nodes), a.g->num_nodes);
	KEEPS(GROUP(0, total_ranks), a.g->total_ranks);
	assert_int_equal(a.g->by_ranks.n, a.g->total_ranks);
	SHOWS(GROUP(0, total_ranks), a.g->total_ranks);
	KEEPS(SETUP(0, max_segs), a.g->max_segs);
	assert_int_equal(a.g->by_segs.n, a.g->max_segs);
	SHOWS(SETUP(0, max_segs), a.g->max_segs);
	KEEPS(SETUP(0, nodes_inverse), a.g->by_nodes.inverse);
	KEEPS(SETUP(0, nodes_shift), a.g->by_nodes.shift);
	KEEPS(SETUP(0, ranks_inverse), a.g->by_ranks.inverse);
	KEEPS(SETUP(0, ranks_shift), a.g->by_ranks.shift);
	KEEPS(SETUP(0, segs_inverse), a.g->by_segs.inverse);
	KEEPS(SETUP(0, segs_shift), a.g->by_segs.shift);
}

static void state_of_a_group(void **state)
{
	(void)state;
	set(GROUP(0, state), TALLY_GROUP_DRAINING);
	assert_int_equal(a.g->state, TALLY_GROUP_DRAINING);
	assert_int_equal(get(GROUP(0, state)), TALLY_GROUP_DRAINING);
	set(GROUP(0, state), TALLY_GROUP_OPEN);
	assert_int_equal(a.g->state, TALLY_GROUP_OPEN);
	a.g->state = TALLY_GROUP_COLLECT; /* frozen while the firmware opens it */
	set(GROUP(0, state), TALLY_GROUP_OPEN);
	assert_int_equal(a.g->state, TALLY_GROUP_COLLECT);
	set(GROUP(0, state), TALLY_GROUP_DEAD);
	assert_int_equal(a.g->state, TALLY_GROUP_DEAD);
}

static void timer_of_a_group(void **state)
{
	(void)state;
	a.g->timer.touched = false;
	KEEPS(GROUP(0, timer), a.g->fw_at);
	assert_true(a.g->timer.touched);
}

static void segments_of_a_group(void **state)
{
	(void)state;
	a.g->done = UINT32_MAX;
	a.g->limit = 5;
	a.g->granted = 1;
	assert_int_equal(get(GROUP(0, held)), 6);
	assert_int_equal(get(GROUP(0, owed)), 3);
	a.g->done = a.g->limit = 0;
	assert_int_equal(get(GROUP(0, busy)), 0);
	a.g->limit = 2;
	assert_int_equal(get(GROUP(0, busy)), 0);
	slot_of(a.e, a.g, 1)->state = TALLY_SEG_BUSY;
	assert_int_equal(get(GROUP(0, busy)), 1);
	slot_of(a.e, a.g, 1)->state = TALLY_SEG_FINISHED;
	assert_int_equal(get(GROUP(0, busy)), 0);
}

static void oldest_chunk(void **state)
{
	struct slot *s = slot_of(a.e, a.g, 0);
	uint32_t at;

	(void)state;
	s->mode = TALLY_MODE_TREE;
	s->mid = s->sid = 5;
	for (at = REG_AT(group, oldest_busy); at <= REG_AT(group, oldest_limit); at += 4)
		if (at != REG_AT(group, late_mid))
			assert_int_equal(get(fw_group_base(0) + at), 0);
	s->state = TALLY_SEG_BUSY;
	assert_int_equal(get(GROUP(0, oldest_busy)), 1);
	assert_int_equal(get(GROUP(0, oldest_tree)), 1);
	SHOWS(GROUP(0, oldest_mid), s->mid);
	SHOWS(GROUP(0, oldest_sid), s->sid);
	SHOWS(GROUP(0, oldest_started), s->started);
	SHOWS(GROUP(0, oldest_limit), s->limit);
	s->up_contributors = 1;
	s->down_waiting = 2;
	s->down_todo = 4;
	s->up_edge = s->down_edge = EDGE_PARENT;
	assert_int_equal(get(GROUP(0, oldest_missing)), 3);
	assert_int_equal(get(GROUP(0, oldest_waits)), 5);
	assert_int_equal(get(GROUP(0, oldest_waits_parent)), 0);
	s->up_send = true;
	assert_int_equal(get(GROUP(0, oldest_waits_parent)), 1);
	s->mode = TALLY_MODE_RING;
	assert_int_equal(get(GROUP(0, oldest_tree)), 0);
}

static void ranks_that_are_late(void **state)
{
	(void)state;
	a.g->rank_mask = 6;
	a.g->ranks[1].next_mid = 3;
	a.g->ranks[2].next_mid = 5;
	set(GROUP(0, late_mid), 2);
	assert_int_equal(get(GROUP(0, late)), 0);
	set(GROUP(0, late_mid), 3);
	assert_int_equal(get(GROUP(0, late)), 2);
	assert_int_equal(get(GROUP(0, begun)), 1);
	set(GROUP(0, late_mid), 5);
	assert_int_equal(get(GROUP(0, late)), 6);
	assert_int_equal(get(GROUP(0, begun)), 0);
	assert_int_equal(get(GROUP(0, lacking)), 0);
}

static void setup_of_a_group(void **state)
{
	const uint32_t n = TALLY_MAX_GROUP - 1;
	struct group *g = &a.e->groups[n];
	unsigned int i;

	(void)state;
	BOTH(SETUP(n, jid), g->jid);
	KEEPS(SETUP(n, mode), g->mode);
	KEEPS(SETUP(n, rank_first), g->rank_first);
	KEEPS(SETUP(n, subtree_first), g->subtree_first);
	KEEPS(SETUP(n, msg_cells), g->msg_cells);
	KEEPS(SETUP(n, all_edges), g->num_edges);
	KEEPS(SETUP(n, left), g->left);
	KEEPS(SETUP(n, right), g->right);
	for (i = 0; i < NUM_CHOICES; i++) {
		set(SETUP(n, choice_modes) + 4 * i, 0xff030201 + i);
		set(SETUP(n, choice_logs) + 4 * i, 0xffff1410 + i);
		assert_int_equal(g->choice[i].small, 1 + i);
		assert_int_equal(g->choice[i].middle, 2);
		assert_int_equal(g->choice[i].large, 3);
		assert_int_equal(g->choice[i].small_log, 0x10 + i);
		assert_int_equal(g->choice[i].middle_log, 0x14);
	}
}

/* Write the words of an address at a register; each byte is that of its place. */
static void write_address(uint32_t reg, unsigned int words)
{
	unsigned int i;

	for (i = 0; i < words; i++)
		set(reg + 4 * i, 0x03020100 + 0x04040404 * i);
}

static void check_address(const uint8_t *bytes, unsigned int len, uint8_t behind)
{
	unsigned int i;

	for (i = 0; i < len; i++)
		assert_int_equal(bytes[i], i);
	assert_int_equal(bytes[len], behind);
}

static void addresses(void **state)
{
	struct edge *ed = &a.g->edges[3];
	unsigned int i;

	(void)state;
	a.g->mcast.mac[0] = 0xaa;
	write_address(SETUP(0, source_gid), 4);
	check_address(a.g->source_gid, 15, 15);
	write_address(SETUP(0, mcast_gid), 4);
	check_address(a.g->mcast.gid, 16, 0xaa);
	write_address(SETUP(0, mcast_mac), 2);
	check_address(a.g->mcast.mac, 5, 5);
	ed->addr.mac[0] = 0xbb;
	write_address(NEIGHBOUR(0, 3, gid), 4);
	check_address(ed->addr.gid, 16, 0xbb);
	write_address(NEIGHBOUR(0, 3, mac), 2);
	check_address(ed->addr.mac, 5, 5);
	for (i = 0; i < 4; i++)
		assert_int_equal(get(NEIGHBOUR(0, 3, gid) + 4 * i), 0x03020100 + 0x04040404 * i);
	assert_int_equal(get(NEIGHBOUR(0, 3, mac)), 0x03020100);
	assert_int_equal(get(NEIGHBOUR(0, 3, mac) + 4), 0x0504);
}

static void rounds(void **state)
{
	unsigned int r;

	(void)state;
	for (r = 0; r <= TALLY_MAX_ROUNDS; r++) {
		KEEPS(ROUND(0, r, ins), a.g->round[r].ins);
		KEEPS(ROUND(0, r, outs), a.g->round[r].outs);
		KEEPS(ROUND(0, r, own), a.g->round[r].own);
		KEEPS(ROUND(0, r, parts), a.g->round[r].parts);
		KEEPS(ROUND(0, r, base), a.g->round[r].base);
		KEEPS(ROUND(0, r, rank_first), a.g->round[r].rank_first);
		KEEPS(ROUND(0, r, rank_count), a.g->round[r].rank_count);
	}
}

/* ---- Edges ---- */

static void check_edge(uint32_t n, unsigned int i, struct edge *ed)
{
	SHOWS(EDGE(n, i, state), ed->state);
	BOTH(EDGE(n, i, subtree_first), ed->first);
	BOTH(EDGE(n, i, subtree_count), ed->count);
	BOTH(EDGE(n, i, rank_count), ed->rank_count);
	SHOWS(EDGE(n, i, peer_key), ed->peer_key);
	SHOWS(EDGE(n, i, unconfirmed), ed->unconfirmed);
	SHOWS(EDGE(n, i, peer_nonce), ed->peer_nonce);
	SHOWS(EDGE(n, i, delay), ed->delay);
	BOTH(EDGE(n, i, awaits_epoch), ed->awaits_epoch);
	BOTH(EDGE(n, i, kill), ed->kill);
	BOTH(EDGE(n, i, kill_tries), ed->kill_tries);
	SHOWS(EDGE(n, i, first_seq), ed->first_seq);
	SHOWS(EDGE(n, i, own_first_seq), ed->own_first_seq);
	SHOWS(EDGE(n, i, first_limit), ed->first_limit);
	KEEPS(NEIGHBOUR(n, i, remote_index), ed->remote_index);
	KEEPS(NEIGHBOUR(n, i, roles), ed->roles);
	KEEPS(NEIGHBOUR(n, i, round), ed->round);
	KEEPS(NEIGHBOUR(n, i, position), ed->position);
	KEEPS(NEIGHBOUR(n, i, rank_first), ed->rank_first);
	KEEPS(NEIGHBOUR(n, i, part_first), ed->part_first);
	KEEPS(NEIGHBOUR(n, i, part_count), ed->part_count);
	SHOWS(TRAFFIC(n, i, peer_done), ed->peer_done);
	SHOWS(TRAFFIC(n, i, retries), ed->retries);
	SHOWS(TRAFFIC(n, i, probes), ed->probes);
	SHOWS(TRAFFIC(n, i, sent), ed->sent);
	SHOWS(TRAFFIC(n, i, retransmits), ed->retransmits);
	SHOWS(TRAFFIC(n, i, received), ed->received);
	SHOWS(TRAFFIC(n, i, duplicates), ed->duplicates);
	SHOWS(TRAFFIC(n, i, busy), ed->busy);
	ed->tx_held = 0xf00000000000000f;
	assert_int_equal(get(TRAFFIC(n, i, outstanding)), 8);
}

static void edges(void **state)
{
	const uint32_t last = TALLY_MAX_GROUP + TALLY_MAX_TOMBSTONES - 1;

	(void)state;
	check_edge(0, 0, &a.g->edges[0]);
	check_edge(0, 1, &a.g->edges[1]);
	check_edge(0, EDGE_PARENT, &a.g->edges[EDGE_PARENT]);
	check_edge(last, EDGE_PARENT,
		   &a.e->tombstones[TALLY_MAX_TOMBSTONES - 1].edges[EDGE_PARENT]);
}

/* The timer of an edge is that of the group's heap, or the earliest of all tombstones. */
static void timers_of_edges(void **state)
{
	struct edge *ed = &a.g->edges[1];
	struct group *t = &a.e->tombstones[2];

	(void)state;
	BOTH(EDGE(0, 1, timer), ed->fw_at);
	a.e->now = 1000;
	set(EDGE(0, 1, delay), 4000000000);
	assert_int_equal(ed->delay, 4000000000);
	assert_int_equal(ed->fw_at, 1000 + 4000 * MS);
	set(EDGE(0, 1, delay), 0);
	assert_int_equal(ed->fw_at, NEVER);
	assert_true(ed->timer.touched);
	assert_int_equal(a.e->tombs_next, NEVER);
	t->fw_at = t->edges[0].fw_at = NEVER;
	t->num_contributors = 2;
	t->parent = NO_EDGE;
	set(EDGE(TALLY_MAX_GROUP + 2, 1, timer), 77);
	assert_int_equal(a.e->tombs_next, 77);
	set(EDGE(TALLY_MAX_GROUP + 2, 1, timer), 99);
	assert_int_equal(a.e->tombs_next, 77);
}

/* ---- Segments, arrivals, queue pairs ---- */

static void segments(void **state)
{
	struct slot *s;

	(void)state;
	a.g->done++;
	s = slot_of(a.e, a.g, 3);
	set(SEGMENT(group), 0);
	set(SEGMENT(index), 2);
	assert_int_equal(get(SEGMENT(index)), 2);
	SHOWS(SEGMENT(state), s->state);
	SHOWS(SEGMENT(opcode), s->opcode);
	SHOWS(SEGMENT(op), s->op);
	SHOWS(SEGMENT(dtype), s->dtype);
	SHOWS(SEGMENT(num), s->num);
	SHOWS(SEGMENT(mid), s->mid);
	SHOWS(SEGMENT(sid), s->sid);
	SHOWS(SEGMENT(missing), s->up_contributors);
	s->mode = TALLY_MODE_TREE;
	assert_int_equal(get(SEGMENT(waits)), s->up_contributors);
	a.g->rank_mask = 7;
	s->posted = 2;
	assert_int_equal(get(SEGMENT(ranks)), 5);
	s->down_todo = 1;
	s->down_waiting = 2;
	s->out_todo = 4;
	s->out_waiting = 8;
	assert_int_equal(get(SEGMENT(receivers)), 15);
	s->deliver = 16;
	s->delivering = 32;
	assert_int_equal(get(SEGMENT(deliver)), 48);
}

/* The oldest unfinished chunk of a message is looked for from done on. */
static void chunk_of_a_message(void **state)
{
	unsigned int i;

	(void)state;
	a.g->done = 1;
	for (i = 1; i < 4; i++) {
		slot_of(a.e, a.g, i)->state = TALLY_SEG_BUSY;
		slot_of(a.e, a.g, i)->mid = i == 1 ? 8 : 9;
	}
	set(SEGMENT(group), 0);
	set(SEGMENT(find), 9);
	assert_int_equal(get(SEGMENT(index)), 1);
	slot_of(a.e, a.g, 2)->state = TALLY_SEG_FINISHED;
	set(SEGMENT(find), 9);
	assert_int_equal(get(SEGMENT(index)), 2);
	set(SEGMENT(find), 10);
	assert_int_equal(get(SEGMENT(index)), NO_CHUNK);
	set(SEGMENT(find), 8);
	assert_int_equal(get(SEGMENT(index)), 0);
	a.g->limit = 3; /* number 3 has no segment any more */
	set(SEGMENT(find), 9);
	assert_int_equal(get(SEGMENT(index)), NO_CHUNK);
}

static void arrivals(void **state)
{
	struct arrival *x = &a.e->groups[2].arrivals[TALLY_NUM_ARRIVALS - 1];

	(void)state;
	set(ARRIVAL(group), 2);
	set(ARRIVAL(index), 5 * TALLY_NUM_ARRIVALS - 1);
	x->used = true;
	assert_int_equal(get(ARRIVAL(used)), 1);
	SHOWS(ARRIVAL(mid), x->mid);
	SHOWS(ARRIVAL(opcode), x->opcode);
	SHOWS(ARRIVAL(op), x->op);
	SHOWS(ARRIVAL(dtype), x->dtype);
	SHOWS(ARRIVAL(last), x->last);
	SHOWS(ARRIVAL(count), x->count);
	SHOWS(ARRIVAL(first_at), x->first_at);
	SHOWS(ARRIVAL(last_at), x->last_at);
	SHOWS(ARRIVAL(done_at), x->done_at);
	SHOWS(ARRIVAL(ranks), x->ranks);
	SHOWS(ARRIVAL(contributors), x->contributors);
}

static void check_qp(uint32_t n)
{
	struct qp *qp = &a.e->qps[n];

	SHOWS(QP(n, used), qp->used);
	SHOWS(QP(n, next), qp->next_in_group);
	BOTH(QP(n, state), qp->state);
	BOTH(QP(n, group), qp->cfg.group);
	BOTH(QP(n, port), qp->cfg.port);
	KEEPS(QP(n, pd), qp->cfg.pd);
	KEEPS(QP(n, cqn), qp->cfg.cqn);
	KEEPS(QP(n, depth), qp->cfg.depth);
	KEEPS(QP(n, stride), qp->cfg.stride);
	KEEPS(QP(n, ranks), qp->cfg.ranks);
	KEEPS(QP(n, holder), qp->cfg.holder);
	KEEPS(QP(n, requests), qp->requests);
}

static void queue_pairs(void **state)
{
	(void)state;
	check_qp(0);
	check_qp(1);
	check_qp(TALLY_MAX_QP - 1);
}

/* ---- What the hardware changes and acts on meanwhile ---- */

static bool is_among(uint32_t reg, const uint32_t *regs, unsigned int num)
{
	while (num--)
		if (regs[num] == reg)
			return true;
	return false;
}

#define ONLY(function, from, to, regs)                                                         \
	do {                                                                                   \
		uint32_t reg;                                                                  \
                                                                                               \
		for (reg = (from); reg < (to); reg += 4)                                       \
			assert_int_equal(function(reg),                                        \
					 is_among(reg, regs, sizeof(regs) / sizeof(regs[0]))); \
	} while (0)

/* The firmware yields before it reads one of these. */
static void registers_that_change(void **state)
{
	const uint32_t n = TALLY_MAX_GROUP + TALLY_MAX_TOMBSTONES - 1;
	const uint32_t windows[] = { CONTROL(now), EVENT(next), EVENT(open) };
	const uint32_t group[] = { GROUP(n, state),	   GROUP(n, mid_done),
				   GROUP(n, oldest_busy),  GROUP(n, oldest_missing),
				   GROUP(n, oldest_waits), GROUP(n, late),
				   GROUP(n, lacking),	   GROUP(n, timer),
				   GROUP(n, destroyed),	   GROUP(n, begun),
				   GROUP(n, gone),	   GROUP(n, attached) };
	const uint32_t fixed[] = { GROUP(n, flags),	GROUP(n, epoch),
				   GROUP(n, group_key), GROUP(n, rank_mask),
				   GROUP(n, status),	GROUP(n, contributors),
				   GROUP(n, ranks),	GROUP(n, report_sid),
				   GROUP(n, to_open) };
	unsigned int i;

	(void)state;
	ONLY(registers_change, 0, TALLY_FW_ARRIVAL_BASE + 128, windows);
	for (i = 0; i < sizeof(group) / sizeof(group[0]); i++)
		assert_true(registers_change(group[i]));
	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		assert_false(registers_change(fixed[i]));
	for (i = 0; i < MAX_EDGES; i++) {
		const uint32_t edge[] = { EDGE(n, i, timer) };

		ONLY(registers_change, fw_edge_base(n, i), fw_edge_base(n, i + 1), edge);
	}
}

/* It yields before it writes one of these. */
static void registers_that_act(void **state)
{
	const uint32_t n = TALLY_MAX_GROUP + TALLY_MAX_TOMBSTONES - 1;
	const uint32_t windows[] = { COMMAND(go), SEGMENT(find) };
	const uint32_t group[] = { GROUP(n, state), GROUP(n, epoch), GROUP(n, group_key),
				   GROUP(n, timer) };
	unsigned int i;

	(void)state;
	ONLY(registers_act, 0, TALLY_FW_ARRIVAL_BASE + 128, windows);
	ONLY(registers_act, fw_group_base(n), fw_edge_base(n, 0), group);
	for (i = 0; i < MAX_EDGES; i++) {
		const uint32_t edge[] = { EDGE(n, i, timer), EDGE(n, i, delay) };

		ONLY(registers_act, fw_edge_base(n, i), fw_edge_base(n, i + 1), edge);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reserved_registers),
		TEST(registers_of_the_hardware),
		TEST(control),
		TEST(job_exists),
		TEST(event),
		TEST(next_event),
		TEST(event_of_an_open),
		TEST(state_beside_an_open),
		TEST(command),
		TEST(groups_and_tombstones),
		TEST(divisors),
		TEST(state_of_a_group),
		TEST(timer_of_a_group),
		TEST(segments_of_a_group),
		TEST(oldest_chunk),
		TEST(ranks_that_are_late),
		TEST(setup_of_a_group),
		TEST(addresses),
		TEST(rounds),
		TEST(edges),
		TEST(timers_of_edges),
		TEST(segments),
		TEST(chunk_of_a_message),
		TEST(arrivals),
		TEST(queue_pairs),
		TEST(registers_that_change),
		TEST(registers_that_act),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
