// SPDX-License-Identifier: BSD-2-Clause
/*
 * Includes the engine's fetcher. Its parser is replaced by entries that say what the parser finds, and the firmware by flags.
 * The functions below repeat the glue around it: sim/engine/entry.c, the flushing of sim/engine/status.c, and the doorbells of
 * sim/nic/qp.c.
 */
#include "engine/common.h"
#include "engine/events.h"
#include "engine/exception.h"
#include "engine/wqe.h"

#include "fetch_model.h"

#include <stdlib.h>

static enum tally_coll_status entry_status(const void *data, size_t len, struct wqe *w)
{
	const struct model_entry *entry = data;

	if (len != sizeof(*entry))
		abort();
	w->opcode = entry->query ? TALLY_OPCODE_QUERY : entry->abort ? TALLY_OPCODE_ABORT : TALLY_OPCODE_BARRIER;
	return entry->good ? TALLY_COLL_OK : TALLY_COLL_BAD_JID;
}

#define wqe_parse(e, qp, index, data, len, w) entry_status(data, len, w)
#define events_query(e, qp, mid) ((void)(mid))
#define exception_raise(e, g, status, contributors, ranks, mid, sid) ((void)(g))
#include "engine/fetch.c"

static struct engine *e;
static struct model_event events[1 << 12];
static unsigned int first, last;

/* The NIC's part of a queue pair. */
static struct {
	uint64_t seen;
	bool pushed;
	uint32_t copy;
	unsigned int buffer;
} nic[TALLY_MAX_QP];

static void add(struct model_event event)
{
	events[last++ % (1 << 12)] = event;
}

bool model_next_event(struct model_event *event)
{
	if (first == last)
		return false;
	*event = events[first++ % (1 << 12)];
	return true;
}

static void ask_nic(void *ctx, uint32_t qpn, uint32_t index)
{
	bool pushed = nic[qpn].pushed && nic[qpn].copy == index;

	(void)ctx;
	add((struct model_event){ MODEL_FETCH, qpn, pushed ? nic[qpn].buffer : 0, index, pushed, false });
	if (pushed)
		nic[qpn].pushed = false;
}

static void no_count(void *ctx, enum tally_counter counter, uint64_t n)
{
	(void)ctx;
	(void)counter;
	(void)n;
}

static const struct engine_host host = { .fetch_wqe = ask_nic, .count = no_count };

static struct qp *qp_of(unsigned int n)
{
	if (!e)
		e = calloc(1, sizeof(*e));
	if (!e)
		abort();
	e->host = &host;
	return &e->qps[n];
}

/* The entries that fetch_next() has taken in without fetching them. */
static void pump(unsigned int n)
{
	struct qp *qp = qp_of(n);
	uint32_t from = qp->admit;

	if (qp->state == TALLY_QPS_RTS) {
		struct model_event fetch;
		unsigned int fetches = last;

		fetch_next(e, qp);
		/* the skips come before the fetch */
		if (last != fetches) {
			fetch = events[--last % (1 << 12)];
			for (; from != qp->admit; from++)
				add((struct model_event){ MODEL_SKIP, n, 0, from, false, false });
			add(fetch);
		}
		for (; from != qp->admit; from++)
			add((struct model_event){ MODEL_SKIP, n, 0, from, false, false });
	}
	while (qp->state == TALLY_QPS_ERROR && qp->head == qp->admit && qp->head != qp->posted) {
		if (!fetch_take_answered(qp, qp->head)) {
			fetch_to_flush(e, qp);
			return;
		}
		if (qp->fetching)
			abort();
		add((struct model_event){ MODEL_SKIP, n, 0, qp->head, false, true });
		qp->admit = ++qp->head;
		if (serial_lt(qp->scan, qp->admit))
			qp->scan = qp->admit;
	}
}

static void release(unsigned int n)
{
	if (nic[n].pushed)
		add((struct model_event){ MODEL_FREE, n, nic[n].buffer, 0, false, false });
	nic[n].pushed = false;
}

static void forget(unsigned int n)
{
	struct qp *qp = qp_of(n);

	release(n);
	nic[n].seen = 0;
	memset(qp->answered, 0, sizeof(qp->answered));
	memset(qp->wrs, 0, sizeof(qp->wrs));
	qp->wrs_used = 0;
	qp->fetch_stale = qp->fetching;
	qp->failing = qp->asked = qp->abort_pending = false;
	qp->posted = qp->admit = qp->scan = qp->head = 0;
}

void model_create(unsigned int n, unsigned int depth)
{
	struct qp *qp = qp_of(n);

	forget(n);
	qp->used = true;
	qp->cfg.depth = depth;
	qp->state = TALLY_QPS_RESET;
}

void model_set_state(unsigned int n, unsigned int state)
{
	struct qp *qp = qp_of(n);

	qp->state = state;
	if (state == TALLY_QPS_RESET)
		forget(n);
	else
		pump(n);
}

void model_doorbell(unsigned int n, uint64_t count, bool pushed, unsigned int buffer)
{
	struct qp *qp = qp_of(n);
	uint32_t count32 = count;

	if (qp->state == TALLY_QPS_RESET || count <= nic[n].seen) {
		if (pushed)
			add((struct model_event){ MODEL_FREE, n, buffer, 0, false, false });
		return;
	}
	nic[n].seen = count;
	release(n);
	nic[n].pushed = pushed;
	nic[n].buffer = buffer;
	nic[n].copy = count32 - 1;
	if (!serial_lt(qp->posted, count32))
		return;
	if (count32 - qp->head <= qp->cfg.depth) {
		qp->posted = count32;
		add((struct model_event){ .what = MODEL_POSTED, .qp = n, .index = count32 });
	} else if (qp->state == TALLY_QPS_RTS) {
		qp->state = TALLY_QPS_ERROR;
		add((struct model_event){ MODEL_OVER, n, 0, 0, false, false });
	}
	pump(n);
}

enum tally_fw_verdict model_result(unsigned int n, const struct model_entry *entry)
{
	struct qp *qp = qp_of(n);
	uint32_t index = qp->fetch_index, admit = qp->admit, scan = qp->scan;
	bool asked = qp->asked, aborting = qp->abort_pending, asks;
	enum tally_fw_verdict verdict = TALLY_FW_VERDICT_DROP;

	if (!qp->fetching)
		abort();
	qp->fetching = false;
	if (qp->fetch_stale) {
		qp->fetch_stale = false;
	} else if (qp->state == TALLY_QPS_ERROR && qp->head == qp->admit && qp->head != qp->posted && index == qp->head) {
		verdict = TALLY_FW_VERDICT_FLUSH;
		qp->admit = ++qp->head;
		if (serial_lt(qp->scan, qp->admit))
			qp->scan = qp->admit;
	} else if (qp->state == TALLY_QPS_RTS && !qp->failing) {
		fetch_arrived(e, qp, index, entry, sizeof(*entry));
		asks = qp->asked != asked || qp->abort_pending != aborting || (entry->good && entry->abort && aborting);
		if (qp->admit != admit)
			verdict = asks ? TALLY_FW_VERDICT_ASK : TALLY_FW_VERDICT_TAKE;
		else if (qp->scan != scan)
			verdict = asks ? TALLY_FW_VERDICT_AHEAD : TALLY_FW_VERDICT_LATER;
	}
	pump(n);
	return verdict;
}

void model_retire(unsigned int n)
{
	struct qp *qp = qp_of(n);

	wr_return(qp, wr_at(qp, qp->head));
	qp->head++;
	pump(n);
}

void model_answered(unsigned int n)
{
	qp_of(n)->asked = false;
	pump(n);
}

void model_fail(unsigned int n)
{
	qp_of(n)->failing = true;
	pump(n);
}

unsigned int model_state(unsigned int n)
{
	return qp_of(n)->state;
}

uint32_t model_in_window(unsigned int n)
{
	return qp_of(n)->admit - qp_of(n)->head;
}

uint32_t model_posted(unsigned int n)
{
	return qp_of(n)->posted;
}

uint32_t model_head(unsigned int n)
{
	return qp_of(n)->head;
}

bool model_asked(unsigned int n)
{
	return qp_of(n)->asked;
}

bool model_fetching(unsigned int n)
{
	return qp_of(n)->fetching;
}
