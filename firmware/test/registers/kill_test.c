// SPDX-License-Identifier: BSD-2-Clause
/* End of an epoch: reports that are kept and told, KILL and its repetition, and the last steps. */
#include "firmware/blame.h"
#include "firmware/bytes.h"
#include "firmware/kill.h"
#include "firmware/test/registers/registers.h"

#define PARENT TALLY_MAX_CONTRIBUTORS

/* The payload of KILL as the registers of an event and a command have it. */
union payload {
	struct tally_tch_kill kill;
	uint32_t words[sizeof(struct tally_tch_kill) / 4];
};

/* A group whose edge 1 has not been heard of. */
static void open_group(void)
{
	regs_open_group(3);
	regs_add_parent();
	regs_edge(1)->peer_key = 0;
	regs_edge(1)->kill = KILL_NONE;
}

static void expect_kill(const struct regs_command *c, uint32_t edge)
{
	const struct tally_fw_group *g = regs_group();
	union payload u;

	memcpy(u.words, c->data, sizeof(u));
	assert_int_equal(c->group, G);
	assert_int_equal(c->edge, edge);
	assert_int_equal(c->kind, TALLY_KIND_KILL);
	assert_int_equal(c->flags, TALLY_TCH_F_DEAD);
	assert_int_equal(c->epoch, g->epoch);
	assert_int_equal(c->key, 0x100 + edge);
	assert_int_equal(c->mid, 0);
	assert_int_equal(c->sid, 0);
	assert_int_equal(c->length, sizeof(u));
	assert_int_equal(be16(u.kill.status), g->status);
	assert_int_equal(be16(u.kill.detector), g->detector);
	assert_int_equal(u.kill.level, g->detector_level);
	assert_int_equal(be64(u.kill.contributors), g->contributors);
	assert_int_equal(be64(u.kill.ranks), g->ranks);
	assert_int_equal(be32(u.kill.mid), g->report_mid);
	assert_int_equal(be32(u.kill.sid), g->report_sid);
}

/* Expect that KILL was sent on these edges in order, and nothing else. NO_EDGE ends the list. */
static void expect_told(const uint32_t *edges)
{
	unsigned int n;

	for (n = 0; edges[n] != TALLY_FW_NO_EDGE; n++) {
		expect_kill(regs_command(TALLY_FW_CMD_SEND, n), edges[n]);
		assert_int_equal(regs_edge(edges[n])->kill, KILL_SENDING);
	}
	assert_int_equal(regs_count(TALLY_FW_CMD_SEND), n);
	assert_int_equal(regs.counts[TALLY_CTR_kills_sent], n);
}

static void expect_quiet(void)
{
	assert_int_equal(regs.commands, 0);
	assert_int_equal(regs.counts[TALLY_CTR_kills_sent], 0);
}

static void expect_report(uint16_t status, uint16_t detector, uint64_t contributors, uint64_t ranks)
{
	const struct report r = report_get(G);

	assert_int_equal(r.status, status);
	assert_int_equal(r.detector, detector);
	assert_int_equal(r.contributors, contributors);
	assert_int_equal(r.ranks, ranks);
}

static const uint32_t all_known[] = { 0, 2, PARENT, TALLY_FW_NO_EDGE };

/* ---- The first report ---- */

static void cause_freezes_and_is_told(void **state)
{
	(void)state;
	open_group();
	kill_cause(G, TALLY_COLL_CONFIG_MISMATCH, 4);
	expect_report(TALLY_COLL_CONFIG_MISMATCH, 1, 4, 0);
	assert_int_equal(regs_group()->detector_level, 1);
	assert_int_equal(regs_count(TALLY_FW_CMD_FREEZE), 1);
	assert_int_equal(regs_command(TALLY_FW_CMD_FREEZE, 0)->group, G);
	assert_int_equal(regs_group()->state, TALLY_GROUP_COLLECT);
	expect_told(all_known);
	assert_int_equal(regs_edge(1)->kill, KILL_NONE);
}

static void expect_collects_for(uint64_t timeout, uint64_t time)
{
	open_group();
	regs_group()->timeout = timeout;
	kill_cause(G, TALLY_COLL_ABORTED, 0);
	assert_int_equal(regs_group()->timer, NOW + time);
}

static void time_to_collect(void **state)
{
	(void)state;
	expect_collects_for(160 * MS, 10 * MS);
	expect_collects_for(1600 * MS, 100 * MS);
	expect_collects_for(1600 * MS - 16, 100 * MS - 1);
	expect_collects_for(60000 * MS, 100 * MS);
}

static void exception_is_told(void **state)
{
	const struct event ev = { .group = G };

	(void)state;
	open_group();
	regs.event = (struct tally_fw_event){
		.cause = TALLY_FW_CAUSE_KNOWN,
		.status = TALLY_COLL_ABORTED,
		.contributors = 1,
		.ranks = 2,
		.mid = 3,
		.sid = 4,
	};
	kill_exception(&ev);
	expect_report(TALLY_COLL_ABORTED, 1, 1, 2);
	expect_told(all_known);
}

/* ---- Later reports ---- */

static void better_report_replaces(void **state)
{
	(void)state;
	open_group();
	kill_cause(G, TALLY_COLL_TIMEOUT, 4);
	regs_forget();
	kill_cause(G, TALLY_COLL_TIMEOUT, 0); /* less is known */
	kill_cause(G, TALLY_COLL_TIMEOUT, 2); /* it is as good */
	expect_quiet();
	expect_report(TALLY_COLL_TIMEOUT, 1, 4, 0);
	regs_group()->timer = 1;
	kill_cause(G, TALLY_COLL_RETRY_EXCEEDED, 2);
	expect_report(TALLY_COLL_RETRY_EXCEEDED, 1, 2, 0);
	expect_told(all_known);
	assert_int_equal(regs_count(TALLY_FW_CMD_FREEZE), 0);
	assert_int_equal(regs_group()->timer, 1);
}

static void report_after_the_end_is_ignored(void **state)
{
	(void)state;
	open_group();
	kill_cause(G, TALLY_COLL_TIMEOUT, 4);
	regs_group()->state = TALLY_GROUP_DEAD;
	regs_forget();
	kill_cause(G, TALLY_COLL_ABORTED, 2);
	expect_quiet();
	expect_report(TALLY_COLL_TIMEOUT, 1, 4, 0);
}

/* ---- Repetition ---- */

static void sending(uint32_t state, uint32_t tries)
{
	open_group();
	regs_group()->state = state;
	regs_edge(2)->kill = KILL_SENDING;
	regs_edge(2)->kill_tries = tries;
	kill_edge_timer(G, 2);
}

static void expect_repeated(uint32_t state, uint32_t tries, uint64_t wait, uint32_t then)
{
	sending(state, tries);
	assert_int_equal(regs_count(TALLY_FW_CMD_SEND), 1);
	expect_kill(regs_command(TALLY_FW_CMD_SEND, 0), 2);
	assert_int_equal(regs_edge(2)->timer, NOW + wait);
	assert_int_equal(regs_edge(2)->kill_tries, then);
	assert_int_equal(regs_edge(2)->kill, KILL_SENDING);
}

/* While reports are collected, KILL is sent at least eight times, which are no tries. */
static void kill_is_repeated(void **state)
{
	(void)state;
	expect_repeated(TALLY_GROUP_DEAD, 0, 1 * MS, 1);
	expect_repeated(TALLY_GROUP_DEAD, 3, 8 * MS, 4);
	expect_repeated(TALLY_GROUP_COLLECT, 2, 4 * MS, 3);
	expect_repeated(TALLY_GROUP_COLLECT, 3, 1000 * MS / 128, 3);
	sending(TALLY_GROUP_DEAD, 4); /* retry_limit 3 */
	expect_quiet();
	assert_int_equal(regs_edge(2)->kill, KILL_ACKED);
}

static void early_kill_is_no_try(void **state)
{
	(void)state;
	open_group();
	regs_group()->timeout = 128 * MS;
	kill_cause(G, TALLY_COLL_ABORTED, 0); /* an eighth of 8 ms, which is rto_us */
	assert_int_equal(regs_edge(0)->timer, NOW + 1 * MS);
	assert_int_equal(regs_edge(0)->kill_tries, 1);
	open_group();
	regs_edge(0)->kill_tries = 2; /* of the epoch before */
	regs_group()->timeout = 128 * MS - 128;
	kill_cause(G, TALLY_COLL_ABORTED, 0);
	assert_int_equal(regs_edge(0)->timer, NOW + 1 * MS - 1);
	assert_int_equal(regs_edge(0)->kill_tries, 0);
}

static void only_what_is_being_sent_is_repeated(void **state)
{
	(void)state;
	open_group();
	regs_edge(2)->kill = KILL_NONE;
	kill_edge_timer(G, 2);
	regs_edge(2)->kill = KILL_ACKED;
	kill_edge_timer(G, 2);
	expect_quiet();
	assert_int_equal(regs_edge(2)->timer, TALLY_FW_NEVER);
}

static void back_off(void **state)
{
	unsigned int tries;

	(void)state;
	open_group();
	regs_group()->rto = 3;
	regs_group()->max_backoff = UINT64_MAX;
	for (tries = 0; tries <= 12; tries++)
		assert_int_equal(fw_group_backoff(G, tries), 3ULL << (tries < 10 ? tries : 10));
	regs_group()->max_backoff = 24;
	assert_int_equal(fw_group_backoff(G, 2), 12);
	assert_int_equal(fw_group_backoff(G, 3), 24);
	assert_int_equal(fw_group_backoff(G, 4), 24);
}

/* ---- Packets ---- */

static void arrives(uint32_t edge, uint16_t status, uint16_t detector, uint64_t contributors,
		    uint64_t ranks)
{
	const struct event ev = { .type = TALLY_FW_EV_KILL, .group = G, .edge = edge };
	const union payload u = {
		.kill = {
			.status = be16(status),
			.detector = be16(detector),
			.level = 2,
			.contributors = be64(contributors),
			.ranks = be64(ranks),
			.mid = be32(0x90001),
			.sid = be32(0xa0002),
		},
	};

	regs_forget();
	memcpy(regs.event.data, u.words, sizeof(u));
	kill_packet(&ev);
}

static void expect_acknowledged(uint32_t edge, uint16_t detector, unsigned int weight)
{
	const struct regs_command *c = regs_command(TALLY_FW_CMD_SEND, 0);

	assert_int_equal(c->group, G);
	assert_int_equal(c->edge, edge);
	assert_int_equal(c->kind, TALLY_KIND_ACK);
	assert_int_equal(c->flags, TALLY_TCH_F_KILL_ACK);
	assert_int_equal(c->epoch, EPOCH);
	assert_int_equal(c->key, 0x100 + edge);
	assert_int_equal(c->mid, detector);
	assert_int_equal(c->sid, weight);
	assert_int_equal(c->length, 0);
	assert_int_equal(regs.counts[TALLY_CTR_kills_received], 1);
	assert_int_equal(regs.counts[TALLY_CTR_drop_kill], 0);
}

static void kill_is_passed_on(void **state)
{
	(void)state;
	open_group();
	arrives(2, TALLY_COLL_ABORTED, 5, 0x300000001, 0x10);
	expect_acknowledged(2, 5, 8);
	expect_report(TALLY_COLL_ABORTED, 5, 0x300000001, 0x10);
	assert_int_equal(regs_group()->detector_level, 2);
	assert_int_equal(regs_group()->report_mid, 0x90001);
	assert_int_equal(regs_group()->report_sid, 0xa0002);
	assert_int_equal(regs_count(TALLY_FW_CMD_SEND), 3);
	expect_kill(regs_command(TALLY_FW_CMD_SEND, 1), 0);
	expect_kill(regs_command(TALLY_FW_CMD_SEND, 2), PARENT);
	assert_int_equal(regs_edge(2)->kill, KILL_NONE);
}

static void impossible_kill_is_dropped(void **state)
{
	(void)state;
	open_group();
	arrives(2, TALLY_COLL_OK, 5, 0, 0);
	assert_int_equal(regs.commands, 0);
	assert_int_equal(regs.counts[TALLY_CTR_drop_kill], 1);
	assert_int_equal(regs.counts[TALLY_CTR_kills_received], 0);
	assert_int_equal(regs_group()->state, TALLY_GROUP_OPEN);
}

static void kill_after_the_end_is_acknowledged(void **state)
{
	(void)state;
	open_group();
	kill_cause(G, TALLY_COLL_TIMEOUT, 4);
	arrives(0, TALLY_COLL_ABORTED, 1, 0, 1); /* the own report comes back, or claims to */
	expect_acknowledged(0, 1, 8);
	assert_int_equal(regs.commands, 1);
	expect_report(TALLY_COLL_TIMEOUT, 1, 4, 0);
	regs_group()->state = TALLY_GROUP_DEAD;
	arrives(0, TALLY_COLL_ABORTED, 5, 0, 1);
	expect_acknowledged(0, 5, 8);
	assert_int_equal(regs.commands, 1);
	regs_group()->status = 0; /* a tombstone that ended well */
	arrives(0, TALLY_COLL_TIMEOUT, 5, 0, 1);
	assert_int_equal(regs.commands, 1);
	expect_report(0, 1, 4, 0);
}

/* A time-out elsewhere makes this NIC say what it knows better, also to the one that told it. */
static void own_view_is_added(void **state)
{
	(void)state;
	open_group();
	regs_group()->mid_done = 0x90001;
	regs.late_mid = 0x90001;
	regs.late_ranks = 2;
	arrives(2, TALLY_COLL_TIMEOUT, 5, 1, 0);
	expect_acknowledged(2, 5, 5);
	expect_report(TALLY_COLL_TIMEOUT, 1, 0, 2);
	assert_int_equal(regs_group()->detector_level, 1);
	assert_int_equal(regs_count(TALLY_FW_CMD_SEND), 1 + 2 + 3);
	assert_int_equal(regs_edge(2)->kill, KILL_SENDING);
	open_group();
	regs_group()->mid_done = 0x90001;
	regs.late_mid = 0x90001;
	regs.late_ranks = 2;
	arrives(2, TALLY_COLL_RETRY_EXCEEDED, 5, 1, 0);
	expect_report(TALLY_COLL_RETRY_EXCEEDED, 5, 1, 0);
	regs.late_ranks = 0;
	open_group();
	regs_group()->mid_done = 0x90001;
	arrives(2, TALLY_COLL_TIMEOUT, 5, 0, 0); /* nothing is known here */
	expect_report(TALLY_COLL_TIMEOUT, 5, 0, 0);
}

static void acknowledged(uint32_t kill, uint32_t mid, uint32_t sid)
{
	const struct event ev = { .type = TALLY_FW_EV_KILL_ACK, .group = G, .edge = 2 };

	open_group();
	kill_cause(G, TALLY_COLL_TIMEOUT, 4);
	regs_edge(2)->kill = kill;
	regs.event.mid = mid;
	regs.event.sid = sid;
	kill_acked(&ev);
}

static void acknowledgement_names_the_report(void **state)
{
	(void)state;
	acknowledged(KILL_SENDING, 1, 5);
	assert_int_equal(regs_edge(2)->kill, KILL_ACKED);
	assert_int_equal(regs_edge(2)->timer, TALLY_FW_NEVER);
	assert_int_equal(regs_edge(0)->kill, KILL_SENDING);
	acknowledged(KILL_SENDING, 2, 5);
	assert_int_equal(regs_edge(2)->kill, KILL_SENDING);
	acknowledged(KILL_SENDING, 1, 4);
	assert_int_equal(regs_edge(2)->kill, KILL_SENDING);
	assert_int_equal(regs_edge(2)->timer, NOW + 1 * MS);
	acknowledged(KILL_NONE, 1, 5);
	assert_int_equal(regs_edge(2)->kill, KILL_NONE);
	assert_int_equal(regs_edge(2)->timer, NOW + 1 * MS);
}

/* ---- Neighbours of a group that has ended ---- */

static void late_neighbour_is_told(void **state)
{
	static const uint32_t edge[] = { 2, TALLY_FW_NO_EDGE };

	(void)state;
	open_group();
	regs_group()->status = TALLY_COLL_ABORTED;
	regs_edge(2)->kill = KILL_ACKED;
	regs_edge(2)->kill_tries = 3;
	kill_tell_late(G, 2);
	expect_told(edge);
	assert_int_equal(regs_edge(2)->kill_tries, 1);
	expect_report(TALLY_COLL_ABORTED, 0, 0, 0);
	regs_forget();
	kill_tell_late(G, 2); /* it is being told */
	kill_tell_late(G, 1); /* its key is not known */
	regs_edge(2)->kill = KILL_NONE;
	regs_group()->status = TALLY_COLL_CONFIG_MISMATCH;
	kill_tell_late(G, 2); /* it knows itself */
	expect_quiet();
}

/* The epoch of a tombstone without a report ended well. Who still needs it learns who has gone. */
static void neighbour_of_a_good_end(void **state)
{
	static const struct {
		uint64_t gone;
		uint16_t status;
	} cases[] = { { 0, TALLY_COLL_PEER_GONE }, { 7, TALLY_COLL_RANK_GONE }, { 4, TALLY_COLL_PEER_GONE } };
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		open_group();
		regs_group()->state = TALLY_GROUP_DEAD;
		regs_group()->ended_well = 1;
		regs_group()->gone = cases[i].gone;
		regs_group()->mid_done = 77;
		if (i == 1)
			kill_tell_late(G, 2);
		else
			kill_answer(G, 2);
		expect_report(cases[i].status, 1, 0, cases[i].gone & 3);
		assert_int_equal(regs_group()->detector_level, 1);
		assert_int_equal(regs_group()->report_mid, 77);
		expect_kill(regs_command(TALLY_FW_CMD_SEND, 0), 2);
		assert_int_equal(regs.commands, 1);
		assert_int_equal(regs_edge(2)->kill, i == 1 ? KILL_SENDING : KILL_NONE);
	}
}

static void answer_has_the_report(void **state)
{
	(void)state;
	open_group();
	regs_group()->status = TALLY_COLL_ABORTED;
	regs_group()->detector = 4;
	kill_answer(G, 2);
	expect_kill(regs_command(TALLY_FW_CMD_SEND, 0), 2);
	expect_report(TALLY_COLL_ABORTED, 4, 0, 0);
	assert_int_equal(regs.counts[TALLY_CTR_kills_sent], 1);
	assert_int_equal(regs_edge(2)->timer, TALLY_FW_NEVER);
}

/* ---- The last steps ---- */

static void expect_only(enum tally_fw_command_code code)
{
	assert_int_equal(regs.commands, 1);
	assert_int_equal(regs.done[0].go, code);
	assert_int_equal(regs.done[0].group, G);
	assert_int_equal(regs.done[0].edge, TALLY_FW_NO_EDGE);
	regs_forget();
}

static void timer_of_the_group(void **state)
{
	(void)state;
	open_group();
	regs_group()->state = TALLY_GROUP_COLLECT;
	kill_group_timer(G);
	expect_only(TALLY_FW_CMD_FENCE);
	regs_group()->state = TALLY_GROUP_DEAD;
	kill_group_timer(G);
	expect_only(TALLY_FW_CMD_RELEASE);
	regs_group()->state = TALLY_GROUP_DRAINING;
	regs_group()->gone = 2;
	regs_group()->mid_done = 5;
	kill_group_timer(G);
	expect_report(TALLY_COLL_RANK_GONE, 1, 0, 2);
	assert_int_equal(regs_group()->report_mid, 5);
	expect_told(all_known);
	assert_int_equal(regs_group()->state, TALLY_GROUP_COLLECT);
}

static void drained_group_is_released(void **state)
{
	(void)state;
	open_group();
	regs_group()->state = TALLY_GROUP_DRAINING;
	kill_drained(G);
	expect_only(TALLY_FW_CMD_RELEASE);
	regs_group()->state = TALLY_GROUP_COLLECT; /* the report comes first */
	kill_drained(G);
	regs_group()->state = TALLY_GROUP_DEAD;
	kill_drained(G);
	expect_quiet();
}

static void fenced_group_is_dead(void **state)
{
	(void)state;
	open_group();
	regs_group()->state = TALLY_GROUP_COLLECT;
	kill_finish(G);
	assert_int_equal(regs_group()->state, TALLY_GROUP_DEAD);
	expect_only(TALLY_FW_CMD_FAIL);
	open_group();
	regs_group()->state = TALLY_GROUP_COLLECT;
	regs_group()->destroyed = 1;
	kill_finish(G);
	assert_int_equal(regs_group()->state, TALLY_GROUP_DEAD);
	expect_only(TALLY_FW_CMD_RELEASE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cause_freezes_and_is_told),
		cmocka_unit_test(time_to_collect),
		cmocka_unit_test(exception_is_told),
		cmocka_unit_test(better_report_replaces),
		cmocka_unit_test(report_after_the_end_is_ignored),
		cmocka_unit_test(kill_is_repeated),
		cmocka_unit_test(early_kill_is_no_try),
		cmocka_unit_test(only_what_is_being_sent_is_repeated),
		cmocka_unit_test(back_off),
		cmocka_unit_test(kill_is_passed_on),
		cmocka_unit_test(impossible_kill_is_dropped),
		cmocka_unit_test(kill_after_the_end_is_acknowledged),
		cmocka_unit_test(own_view_is_added),
		cmocka_unit_test(acknowledgement_names_the_report),
		cmocka_unit_test(late_neighbour_is_told),
		cmocka_unit_test(neighbour_of_a_good_end),
		cmocka_unit_test(answer_has_the_report),
		cmocka_unit_test(timer_of_the_group),
		cmocka_unit_test(drained_group_is_released),
		cmocka_unit_test(fenced_group_is_dead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
