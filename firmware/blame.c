// SPDX-License-Identifier: BSD-2-Clause
/*
 * Blame for the end of an epoch: what this NIC knows of its oldest unfinished chunk, and which of
 * two reports is closer to the cause. docs/protocol.md, "Who is blamed", states the rule.
 */
#include "firmware/blame.h"
#include "firmware/handshake.h"

/* ---- The oldest chunk ---- */

/* Whether the oldest chunk waits for a neighbour. */
static bool oldest_waits(uint32_t group, uint32_t edge)
{
	if (!GROUP_GET(group, oldest_busy))
		return false;
	if (edge == TALLY_MAX_CONTRIBUTORS)
		return GROUP_GET(group, oldest_waits_parent);
	return GROUP_GET(group, oldest_waits) & fw_edge_bit(edge);
}

/* Whether the handshake with a neighbour is unanswered, and the chunk waits for that neighbour. */
static bool is_closed(uint32_t group, uint32_t edge)
{
	uint32_t awaits;

	if (EDGE_GET(group, edge, state) != TALLY_EDGE_OPENING)
		return false;
	awaits = EDGE_GET(group, edge, awaits_epoch);
	if (awaits && awaits < AWAITS_MAX)
		return false;
	if (!GROUP_GET(group, oldest_busy) || GROUP_GET(group, oldest_tree))
		if (edge == GROUP_GET(group, parent))
			return true;
	return (edge == GROUP_GET(group, upstream) && !fw_group_knows_epoch(group)) ||
	       oldest_waits(group, edge);
}

/* Whether there are such neighbours. The parent may have no bit. */
static bool find_closed(uint32_t group, uint64_t *closed)
{
	const struct fw_edges all = fw_edges_of(group);
	bool any = false;
	uint32_t edge;

	*closed = 0;
	fw_for_each_edge(&all, edge)
		if (is_closed(group, edge)) {
			any = true;
			*closed |= fw_edge_bit(edge);
		}
	return any;
}

/*
 * If no local rank is late, blame only neighbours whose edges did not open. While the epoch is
 * unknown, no other contributor is blamed either, because no node can begin.
 */
static void name_closed(uint32_t group, struct report *r)
{
	uint64_t closed;

	if (find_closed(group, &closed) && !r->ranks)
		r->status = TALLY_COLL_NO_HANDSHAKE;
	if (r->status == TALLY_COLL_NO_HANDSHAKE || !fw_group_knows_epoch(group))
		r->contributors = closed;
}

/* Read the oldest chunk; again if another has become the oldest meanwhile. */
static struct report look_at_oldest(uint32_t group)
{
	struct report r;

	do {
		r = (struct report){ .status = TALLY_COLL_TIMEOUT,
				     .mid = GROUP_GET(group, mid_done) };
		if (!GROUP_GET(group, oldest_busy))
			break;
		r.mid = GROUP_GET(group, oldest_mid);
		r.sid = GROUP_GET(group, oldest_sid);
		r.contributors = GROUP_GET(group, oldest_missing);
	} while (r.mid != GROUP_GET(group, oldest_mid) || r.sid != GROUP_GET(group, oldest_sid));
	return r;
}

struct report blame_oldest(uint32_t group)
{
	struct report r = look_at_oldest(group);

	GROUP_SET(group, late_mid, r.mid);
	r.ranks = GROUP_GET(group, late);
	name_closed(group, &r);
	return r;
}

/* Another chunk may become the oldest meanwhile, so look twice at when it began. */
bool blame_unopened(uint32_t group, uint32_t edge)
{
	uint64_t started = GROUP_GET(group, oldest_started);

	return CONTROL_GET(now) - started >= TALLY_HANDSHAKE_MS * MS && is_closed(group, edge) &&
	       GROUP_GET(group, oldest_busy) && GROUP_GET(group, oldest_started) == started;
}

struct report blame_handshake(uint32_t group)
{
	const struct report oldest = look_at_oldest(group);
	struct report r = report_of_this_node(group, TALLY_COLL_NO_HANDSHAKE);

	r.mid = oldest.mid;
	r.sid = oldest.sid;
	find_closed(group, &r.contributors);
	return r;
}

struct report blame_cause(uint32_t group)
{
	const struct report here = report_of_this_node(group, 0);
	uint32_t cause = EVENT_GET(cause);
	struct report r;

	if (cause == TALLY_FW_CAUSE_KNOWN) {
		r = (struct report){
			.status = EVENT_GET(status),
			.contributors = EVENT_GET(contributors),
			.ranks = EVENT_GET(ranks),
			.mid = EVENT_GET(mid),
			.sid = EVENT_GET(sid),
		};
	} else {
		r = blame_oldest(group);
	}
	if (cause == TALLY_FW_CAUSE_SILENCE) {
		r.status = TALLY_COLL_RETRY_EXCEEDED;
		r.contributors = EVENT_GET(contributors);
		r.ranks = 0;
	}
	r.detector = here.detector;
	r.level = here.level;
	return r;
}

/* ---- Reports of other nodes ---- */

/*
 * Whether the oldest chunk has waited for half its limit. If another NIC gives up on a later
 * message, neighbours are blamed for the oldest chunk only then. Late ranks are always blamed: a
 * rank that has not posted the older message has not posted the later one.
 */
static bool is_stuck(uint32_t group)
{
	return GROUP_GET(group, oldest_busy) &&
	       CONTROL_GET(now) - GROUP_GET(group, oldest_started) >=
		       GROUP_GET(group, oldest_limit) / 2;
}

bool blame_view(uint32_t group, const struct report *told, struct report *mine)
{
	if (told->sid == NO_CHUNK) {
		*mine = (struct report){ .status = told->status,
					      .contributors = GROUP_GET(group, lacking),
					      .mid = told->mid,
					      .sid = NO_CHUNK };
		return mine->contributors;
	}
	*mine = blame_oldest(group);
	if (serial_lt(told->mid, mine->mid)) /* finished here: the cause is elsewhere */
		return false;
	if (mine->mid != told->mid && !is_stuck(group)) {
		mine->status = TALLY_COLL_TIMEOUT;
		mine->contributors = 0;
	}
	return mine->contributors || mine->ranks || mine->status == TALLY_COLL_NO_HANDSHAKE;
}

/* ---- Which report is better ---- */

static bool is_silence(uint16_t status)
{
	return status == TALLY_COLL_RETRY_EXCEEDED || status == TALLY_COLL_NO_HANDSHAKE ||
	       status == TALLY_COLL_PEER_GONE;
}

/* Kinds of reports. Any report of a kind is better than all reports of a lower kind. */
#define EVENT 2		/* of a message or of none */
#define MESSAGE 1
#define DESCRIPTOR 0	/* messages of descriptors have no order */

static unsigned int kind(const struct report *r)
{
	if (r->status != TALLY_COLL_TIMEOUT && !is_silence(r->status))
		return EVENT;
	return r->sid == NO_CHUNK ? DESCRIPTOR : MESSAGE;
}

/* Return 3 for a missing rank, 2 for a silent neighbour, 1 for missing data, 0 for mere waiting. */
static unsigned int nearness(const struct report *r)
{
	if (r->ranks)
		return 3;
	if (is_silence(r->status))
		return 2;
	return r->contributors ? 1 : 0;
}

unsigned int blame_weight(const struct report *r)
{
	return kind(r) * 4 + (kind(r) == EVENT ? 0 : nearness(r));
}

bool blame_better(const struct report *a, const struct report *b)
{
	if (kind(a) != kind(b))
		return kind(a) > kind(b);
	if (kind(a) == MESSAGE && a->mid != b->mid)
		return serial_lt(a->mid, b->mid);
	if (kind(a) == MESSAGE && a->sid != b->sid)
		return a->sid < b->sid;
	if (blame_weight(a) != blame_weight(b))
		return blame_weight(a) > blame_weight(b);
	if (a->level != b->level)
		return a->level > b->level;
	return a->detector < b->detector;
}
