// SPDX-License-Identifier: BSD-2-Clause
/*
 * End of an epoch. The node that detects the cause sends KILL with its node index and the bitmaps
 * of what is missing. For a short time every NIC adds what it knows better. The best report, chosen
 * by the same rule everywhere (blame.c), goes into the CQEs of the ranks.
 */
#include "firmware/kill.h"
#include "firmware/blame.h"
#include "firmware/bytes.h"

/* Payload of KILL, as a structure and as the words of registers. */
union kill {
	struct tally_tch_kill k;
	uint32_t words[sizeof(struct tally_tch_kill) / 4];
};

static uint64_t collect_time(uint32_t group)
{
	uint64_t part = GROUP_GET(group, timeout) / 16, most = TALLY_COLLECT_MS * MS;

	return part < most ? part : most;
}

/* ---- Telling the neighbours ---- */

/*
 * Set the time of the next KILL. While reports are collected it comes early, and does not count as
 * a try.
 */
static void plan_kill(uint32_t group, uint32_t edge)
{
	uint32_t tries = EDGE_GET(group, edge, kill_tries);
	uint64_t wait = fw_group_backoff(group, tries), part = collect_time(group) / 8;
	bool early = GROUP_GET(group, state) == TALLY_GROUP_COLLECT && part < wait;

	EDGE_SET(group, edge, timer, CONTROL_GET(now) + (early ? part : wait));
	EDGE_SET(group, edge, kill_tries, tries + !early);
}

static void send_kill(uint32_t group, uint32_t edge)
{
	const struct report r = report_get(group);
	const union kill u = {
		.k = {
			.status = be16(r.status),
			.detector = be16(r.detector),
			.level = r.level,
			.contributors = be64(r.contributors),
			.ranks = be64(r.ranks),
			.mid = be32(r.mid),
			.sid = be32(r.sid),
		},
	};
	const struct fw_packet p = {
		.kind = TALLY_KIND_KILL,
		.flags = TALLY_TCH_F_DEAD,
		.epoch = GROUP_GET(group, epoch),
		.key = EDGE_GET(group, edge, peer_key),
		.length = sizeof(u),
		.data = u.words,
	};

	fw_send(group, edge, &p);
	fw_count(TALLY_CTR_kills_sent);
}

/* Send KILL to one neighbour until it acknowledges. */
static void tell(uint32_t group, uint32_t edge)
{
	EDGE_SET(group, edge, kill, KILL_SENDING);
	EDGE_SET(group, edge, kill_tries, 0);
	plan_kill(group, edge);
	send_kill(group, edge);
}

/* Tell all neighbours but one. */
static void flood(uint32_t group, uint32_t except)
{
	const struct fw_edges all = fw_edges_of(group);
	uint32_t edge;

	/* A neighbour that was not heard of is told when it opens: kill_tell_late(). */
	fw_for_each_edge(&all, edge)
		if (edge != except && EDGE_GET(group, edge, peer_key))
			tell(group, edge);
}

void kill_edge_timer(uint32_t group, uint32_t edge)
{
	if (EDGE_GET(group, edge, kill) != KILL_SENDING)
		return;
	if (EDGE_GET(group, edge, kill_tries) > GROUP_GET(group, retry_limit)) {
		/* the neighbour is dead, or will notice by itself */
		EDGE_SET(group, edge, kill, KILL_ACKED);
		return;
	}
	plan_kill(group, edge);
	send_kill(group, edge);
}

/* ---- Reports ---- */

static void begin_collecting(uint32_t group)
{
	fw_command(TALLY_FW_CMD_FREEZE, group, TALLY_FW_NO_EDGE);
	GROUP_SET(group, timer, CONTROL_GET(now) + collect_time(group));
}

/*
 * Handle a report: keep the better one and tell the neighbours but the one that it came from. The
 * first report of an epoch freezes the group, unless the hardware has frozen it already.
 */
static void consider(uint32_t group, const struct report *r, uint32_t from)
{
	const struct report best = report_get(group);

	if (!best.status)
		begin_collecting(group);
	else if (GROUP_GET(group, state) != TALLY_GROUP_COLLECT || !blame_better(r, &best))
		return;
	report_set(group, r);
	flood(group, from);
}

void kill_cause(uint32_t group, uint16_t status, uint64_t contributors)
{
	struct report r = report_of_this_node(group, status);

	r.contributors = contributors;
	consider(group, &r, TALLY_FW_NO_EDGE);
}

void kill_unopened(uint32_t group)
{
	const struct report r = blame_handshake(group);

	consider(group, &r, TALLY_FW_NO_EDGE);
}

void kill_exception(const struct event *ev)
{
	const struct report r = blame_cause(ev->group);

	consider(ev->group, &r, TALLY_FW_NO_EDGE);
}

static struct report peer_gone(uint32_t group)
{
	uint64_t gone = GROUP_GET(group, gone) & GROUP_GET(group, rank_mask);
	struct report r = report_of_this_node(group, gone ? TALLY_COLL_RANK_GONE :
							    TALLY_COLL_PEER_GONE);

	r.ranks = gone;
	r.mid = GROUP_GET(group, mid_done);
	return r;
}

/* ---- Neighbours of a group that has ended ---- */

/*
 * See to it that there is a report for a neighbour that still needs something: a group that ended well
 * gets one here. Return whether there is one: the hardware freezes a group before the firmware has the
 * exception, which then tells all neighbours.
 */
static bool ensure_report(uint32_t group)
{
	const struct report r = peer_gone(group);

	if (GROUP_GET(group, ended_well))
		report_set(group, &r);
	return report_get(group).status;
}

void kill_tell_late(uint32_t group, uint32_t edge)
{
	if (GROUP_GET(group, status) == TALLY_COLL_CONFIG_MISMATCH)
		return;
	if (ensure_report(group) && EDGE_GET(group, edge, peer_key) &&
	    EDGE_GET(group, edge, kill) != KILL_SENDING)
		tell(group, edge); /* repeated: an open edge asks no more */
}

void kill_answer(uint32_t group, uint32_t edge)
{
	if (ensure_report(group))
		send_kill(group, edge);
}

/* ---- Packets ---- */

/* Add what this NIC knows better about a message on which another NIC has timed out. */
static void add_own_view(uint32_t group, const struct report *told)
{
	const struct report here = report_of_this_node(group, 0);
	struct report mine;

	if (!blame_view(group, told, &mine))
		return;
	mine.detector = here.detector;
	mine.level = here.level;
	consider(group, &mine, TALLY_FW_NO_EDGE);
}

/*
 * Acknowledge a KILL. The acknowledgement names the report, because a later report of the same
 * detector may be better than its first. A neighbour that was not heard of has told no key, without
 * which it would take the acknowledgement for that of a stranger.
 */
static void acknowledge(uint32_t group, uint32_t edge, const struct report *r)
{
	const struct fw_packet p = {
		.kind = TALLY_KIND_ACK,
		.flags = TALLY_TCH_F_KILL_ACK,
		.epoch = GROUP_GET(group, epoch),
		.key = EDGE_GET(group, edge, peer_key),
		.mid = r->detector,
		.sid = blame_weight(r),
	};

	if (p.key)
		fw_send(group, edge, &p);
}

static struct report told(void)
{
	union kill u;
	uint32_t i;

	for (i = 0; i < sizeof(u) / 4; i++)
		u.words[i] = port_read(TALLY_FW_EVENT_BASE + REG_AT(event, data) + 4 * i, 4);
	return (struct report){
		.status = be16(u.k.status),
		.detector = be16(u.k.detector),
		.level = u.k.level,
		.contributors = be64(u.k.contributors),
		.ranks = be64(u.k.ranks),
		.mid = be32(u.k.mid),
		.sid = be32(u.k.sid),
	};
}

void kill_packet(const struct event *ev)
{
	const struct report r = told();

	if (!report_valid(ev->group, &r)) {
		fw_count(TALLY_CTR_drop_kill);
		return;
	}
	fw_count(TALLY_CTR_kills_received);
	acknowledge(ev->group, ev->edge, &r);
	if (GROUP_GET(ev->group, state) == TALLY_GROUP_DEAD)
		return;
	if (r.detector == GROUP_GET(ev->group, node)) /* a report of this node itself */
		return;
	consider(ev->group, &r, ev->edge);
	if (r.status == TALLY_COLL_TIMEOUT)
		add_own_view(ev->group, &r);
}

void kill_acked(const struct event *ev)
{
	const struct report r = report_get(ev->group);

	if (EVENT_GET(mid) != r.detector || EVENT_GET(sid) != blame_weight(&r) ||
	    EDGE_GET(ev->group, ev->edge, kill) != KILL_SENDING)
		return;
	EDGE_SET(ev->group, ev->edge, kill, KILL_ACKED);
	EDGE_SET(ev->group, ev->edge, timer, TALLY_FW_NEVER);
}

/* ---- The last steps ---- */

void kill_group_timer(uint32_t group)
{
	const struct report r = peer_gone(group);

	switch (GROUP_GET(group, state)) {
	case TALLY_GROUP_DRAINING: /* it has not drained in time */
		consider(group, &r, TALLY_FW_NO_EDGE);
		break;
	case TALLY_GROUP_COLLECT:
		fw_command(TALLY_FW_CMD_FENCE, group, TALLY_FW_NO_EDGE);
		break;
	default: /* no neighbour can repeat anything to the tombstone any more */
		fw_command(TALLY_FW_CMD_RELEASE, group, TALLY_FW_NO_EDGE);
		break;
	}
}

void kill_drained(uint32_t group)
{
	if (fw_group_alive(group))
		fw_command(TALLY_FW_CMD_RELEASE, group, TALLY_FW_NO_EDGE);
}

void kill_finish(uint32_t group)
{
	GROUP_SET(group, state, TALLY_GROUP_DEAD);
	fw_command(GROUP_GET(group, destroyed) ? TALLY_FW_CMD_RELEASE : TALLY_FW_CMD_FAIL, group,
		TALLY_FW_NO_EDGE);
}
