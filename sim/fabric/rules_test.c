// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fabric/rules.h"
#include "fabric/test_station.h"
#include "gen/tally_hw.h"
#include "wire/bytes.h"
#include "wire/gid.h"
#include "wire/roce.h"

#define NICS		3
#define FRAME_LEN	976
#define WIRE_PS		(1000 * 80)
#define PROPAGATION	(25 * VT_NS)
#define LATENCY		(300 * VT_NS)

/* NICs n0 .. on one switch; NIC i has the address 02:00:00:00:00:0i. */
struct net {
	struct sim *sim;
	struct fab_rules *rules;
	struct fab_link *link[NICS];
	struct fab_switch *sw;
	struct station nic[NICS];
	unsigned int resets[NICS];
	vtime_t reset_at;
};

static void count_reset(void *ctx, unsigned int nic)
{
	struct net *net = ctx;

	net->resets[nic]++;
	net->reset_at = sim_now(net->sim);
}

static const struct fab_rules_ops ops = { .nic_reset = count_reset };

static void mac_of(unsigned int nic, uint8_t mac[6])
{
	const uint8_t bytes[6] = { 2, 0, 0, 0, 0, nic };

	memcpy(mac, bytes, 6);
}

static struct net *net_new(uint64_t seed)
{
	const struct fab_switch_params sw = {
		.ports = NICS, .latency = LATENCY, .queue_bytes = 1 << 20,
	};
	const struct fab_link_params params = FAB_LINK_DEFAULTS;
	struct net *net = calloc(1, sizeof(*net));
	char name[8];
	uint8_t mac[6];

	assert_non_null(net);
	net->sim = sim_new(seed);
	net->sw = fab_switch_new(net->sim, &sw);
	net->rules = fab_rules_new(net->sim, &ops, net);
	for (int i = 0; i < NICS; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		assert_int_equal(fab_rules_add_nic(net->rules, name), i);
	}
	for (int i = 0; i < NICS; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		net->link[i] = fab_link_new(net->sim, &params, name, "sw");
		station_attach(&net->nic[i], net->sim, fab_link_port(net->link[i], 0));
		assert_int_equal(fab_switch_attach(net->sw, i, fab_link_port(net->link[i], 1)), 0);
		mac_of(i, mac);
		assert_int_equal(fab_switch_learn(net->sw, mac, i), 0);
		assert_int_equal(fab_rules_add_link(net->rules, net->link[i], i), i);
	}
	assert_int_equal(fab_rules_add_switch(net->rules, net->sw, "sw"), 0);
	return net;
}

static void net_free(struct net *net)
{
	fab_rules_free(net->rules);
	fab_switch_free(net->sw);
	for (int i = 0; i < NICS; i++) {
		station_clear(&net->nic[i]);
		fab_link_free(net->link[i]);
	}
	sim_free(net->sim);
	free(net);
}

static unsigned int add(struct net *net, const char *text)
{
	char err[256];
	int id = fab_rules_add(net->rules, text, err, sizeof(err));

	if (id <= 0)
		fail_msg("%s: %s", text, err);
	return id;
}

/* Sends @n numbered frames from NIC @from to NIC @to, and lets them arrive. */
static void send_frames(struct net *net, unsigned int from, unsigned int to, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		struct frame *f = numbered_frame(FRAME_LEN, i);

		mac_of(to, f->data);
		mac_of(from, f->data + 6);
		assert_int_equal(fab_send(net->nic[from].port, f), 0);
	}
	sim_run_idle(net->sim, sim_now(net->sim) + VT_S);
}

static struct frame *packet(unsigned int from, unsigned int to, enum tally_kind kind, uint32_t jid)
{
	struct tally_tch tch = { .tag = htobe32(TALLY_TCH_TAG), .kind = kind, .jid = htobe32(jid) };
	struct roce_hdr h = { .udp_sport = 0xc000, .opcode = TALLY_BTH_OPCODE_COLL };

	mac_of(from, h.smac);
	mac_of(to, h.dmac);
	h.sgid[0] = h.dgid[0] = 0xfe;
	h.sgid[1] = h.dgid[1] = 0x80;
	return roce_build(&h, &tch, sizeof(tch), NULL, 0);
}

static void send_kind(struct net *net, unsigned int from, unsigned int to, enum tally_kind kind,
		      uint32_t jid)
{
	assert_int_equal(fab_send(net->nic[from].port, packet(from, to, kind, jid)), 0);
	sim_run_idle(net->sim, sim_now(net->sim) + VT_S);
}

static struct fab_rule_info info_of(const struct net *net, unsigned int index)
{
	struct fab_rule_info info;

	assert_true(fab_rules_get(net->rules, index, &info));
	return info;
}

static vtime_t due(unsigned int number)
{
	return (number + 1) * WIRE_PS + PROPAGATION + LATENCY + WIRE_PS + PROPAGATION;
}

/* ---- Frequency ---- */

static void the_nth_is_dropped_and_no_other(void **state)
{
	struct net *net = net_new(1);

	(void)state;
	add(net, "drop:nth=3,nic=0,dir=tx");
	send_frames(net, 0, 1, 10);
	assert_int_equal(net->nic[1].count, 9);
	assert_int_equal(frame_number(net->nic[1].frame[1]), 1);
	assert_int_equal(frame_number(net->nic[1].frame[2]), 3);
	assert_int_equal(info_of(net, 0).past.hits, 1);
	assert_int_equal(info_of(net, 0).past.seen, 10);
	assert_int_equal(info_of(net, 0).state, FAB_RULE_SPENT);
	assert_int_equal(net->nic[0].port->stats.fault_drops, 1);
	net_free(net);
}

static void every_kth_up_to_a_count(void **state)
{
	struct net *net = net_new(1);

	(void)state;
	add(net, "drop:every=4,count=2,link=n0,dir=tx");
	send_frames(net, 0, 1, 20);
	assert_int_equal(net->nic[1].count, 18);
	for (int i = 0; i < net->nic[1].count; i++) {
		assert_int_not_equal(frame_number(net->nic[1].frame[i]), 3);
		assert_int_not_equal(frame_number(net->nic[1].frame[i]), 7);
	}
	assert_int_equal(info_of(net, 0).past.hits, 2);
	assert_int_equal(info_of(net, 0).state, FAB_RULE_SPENT);
	net_free(net);
}

static void a_rate_is_kept(void **state)
{
	struct net *net = net_new(1);

	(void)state;
	add(net, "drop:rate=0.2,link=nic0,dir=tx");
	send_frames(net, 0, 1, 500);
	assert_in_range(info_of(net, 0).past.hits, 70, 130);
	assert_int_equal(net->nic[1].count, 500 - info_of(net, 0).past.hits);
	net_free(net);
}

static void times_limit_a_rule(void **state)
{
	struct net *net = net_new(1);

	(void)state;
	/* Times count from the moment the rule is added: 1 ms. */
	sim_run_until(net->sim, VT_MS);
	add(net, "drop:at=1ms,for=1ms,link=n0,dir=tx");
	assert_int_equal(info_of(net, 0).state, FAB_RULE_WAITING);
	for (int ms = 1; ms <= 3; ms++) {
		sim_run_until(net->sim, ms * VT_MS + VT_MS / 2);
		fab_send(net->nic[0].port, packet(0, 1, TALLY_KIND_ACK, ms));
		assert_int_equal(info_of(net, 0).state, ms - 1);
	}
	sim_run_until(net->sim, 4 * VT_MS);
	assert_int_equal(net->nic[1].count, 2);
	assert_int_equal(info_of(net, 0).past.hits, 1);
	net_free(net);
}

/* ---- Actions on a packet ---- */

static void delay_is_exact_and_reorder_within_its_bounds(void **state)
{
	struct net *net = net_new(1);
	unsigned int id = add(net, "delay:by=5us,nic=0,dir=tx,every=2"), overtaken = 0, late = 0;

	(void)state;
	send_frames(net, 0, 1, 10);
	assert_int_equal(net->nic[1].count, 10);
	for (int i = 0; i < 10; i++) {
		unsigned int n = frame_number(net->nic[1].frame[i]);

		if (n % 2)	/* they are 5 us late; nothing else delays them */
			assert_int_equal(net->nic[1].at[i], due(n) + 5 * VT_US);
		else
			assert_int_equal(net->nic[1].at[i], due(n));
	}
	assert_int_equal(fab_rules_clear(net->rules, id), 0);
	station_clear(&net->nic[1]);
	net_free(net);

	net = net_new(1);
	add(net, "reorder:min=1us,max=2us,nic=1,dir=rx,every=2");
	send_frames(net, 0, 1, 100);
	assert_int_equal(net->nic[1].count, 100);
	for (int i = 0; i < 100; i++) {
		unsigned int n = frame_number(net->nic[1].frame[i]);
		vtime_t by = net->nic[1].at[i] - due(n);

		overtaken += i && frame_number(net->nic[1].frame[i - 1]) > n;
		late += by > 0;
		if (by)
			assert_in_range(by, VT_US, 2 * VT_US);
	}
	assert_int_equal(late, 50);
	assert_in_range(overtaken, 20, 60);
	net_free(net);
}

static void a_duplicate_follows_a_frame_later(void **state)
{
	struct net *net = net_new(1);

	(void)state;
	add(net, "duplicate:nth=2,nic=1,dir=rx");
	send_frames(net, 0, 1, 2);
	assert_int_equal(net->nic[1].count, 3);
	assert_int_equal(net->nic[1].at[1], due(1));
	assert_int_equal(net->nic[1].at[2], due(1) + WIRE_PS);
	assert_memory_equal(net->nic[1].frame[1]->data, net->nic[1].frame[2]->data, FRAME_LEN);
	net_free(net);
}

static unsigned int bits_changed(const struct frame *f, unsigned int from, unsigned int to,
				 unsigned int number)
{
	struct frame *whole = numbered_frame(FRAME_LEN, number);
	unsigned int bits = 0;

	mac_of(to, whole->data);
	mac_of(from, whole->data + 6);
	for (size_t i = 0; i < FRAME_LEN; i++)
		bits += __builtin_popcount(whole->data[i] ^ f->data[i]);
	frame_unref(whole);
	return bits;
}

/*
 * All matching rules apply, in order: corruptions add up, a copy made before a corruption is
 * intact, and one made after it is corrupted too.
 */
static void rules_apply_in_order(void **state)
{
	static const struct {
		const char *first, *second;
		unsigned int bits[2];	/* changed in the original, in the copy */
	} cases[] = {
		{ "duplicate:nic=1,dir=rx", "corrupt:nic=1,dir=rx", { 1, 0 } },
		{ "corrupt:nic=1,dir=rx", "duplicate:nic=1,dir=rx", { 1, 1 } },
	};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct net *net = net_new(3);

		add(net, cases[i].first);
		add(net, cases[i].second);
		send_frames(net, 0, 1, 1);
		assert_int_equal(net->nic[1].count, 2);
		for (int copy = 0; copy < 2; copy++)
			assert_int_equal(bits_changed(net->nic[1].frame[copy], 0, 1, 0),
					 cases[i].bits[copy]);
		net_free(net);
	}
}

static void a_dropped_packet_is_not_seen_by_later_rules(void **state)
{
	struct net *net = net_new(1);

	(void)state;
	add(net, "drop:nic=0,dir=tx,every=2");
	add(net, "delay:by=1us,nic=0,dir=tx");
	add(net, "delay:by=2us,nic=0,dir=tx");
	send_frames(net, 0, 1, 10);
	assert_int_equal(info_of(net, 1).past.seen, 5);
	assert_int_equal(info_of(net, 2).past.seen, 5);
	assert_int_equal(net->nic[1].at[0], due(0) + 3 * VT_US);
	net_free(net);
}

/* ---- Choice of packets ---- */

static void filters_choose(void **state)
{
	static const struct {
		const char *filter;
		unsigned int hits;	/* of 2 jids x 2 kinds x from 0 to 1 and from 1 to 2 */
	} cases[] = {
		{ "drop:dir=tx,kind=result", 4 },
		{ "drop:dir=tx,kind=result+ack", 8 },
		{ "drop:dir=tx,kind=kill", 0 },
		{ "drop:dir=tx,jid=7", 4 },
		{ "drop:dir=tx,jid=7,kind=ack", 2 },
		{ "drop:dir=tx,opcode=0xc0", 8 },
		{ "drop:dir=tx,opcode=4", 0 },
		{ "drop:dir=tx,from=02:00:00:00:00:00", 4 },
		{ "drop:dir=tx,to=02:00:00:00:00:02", 4 },
		{ "drop:dir=tx,to=02:00:00:00:00:00", 0 },
		{ "drop:link=n0", 4 },
		{ "drop:link=n0-sw,dir=rx", 0 },
		{ "drop:link=nic1,dir=rx", 4 },
		{ "drop:link=n?,dir=rx", 8 },
		{ "drop:link=sw,dir=tx", 8 },
		{ "drop:nic=n1,dir=tx", 4 },
		{ "drop:nic=2,dir=tx", 0 },
		{ "delay:by=1ns", 16 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct net *net = net_new(1);

		add(net, cases[i].filter);
		for (unsigned int jid = 7; jid <= 8; jid++)
			for (unsigned int from = 0; from < 2; from++) {
				send_kind(net, from, from + 1, TALLY_KIND_RESULT, jid);
				send_kind(net, from, from + 1, TALLY_KIND_ACK, jid);
			}
		if (info_of(net, 0).past.hits != cases[i].hits)
			fail_msg("%s: %ju hits", cases[i].filter, (uintmax_t)info_of(net, 0).past.hits);
		net_free(net);
	}
}

/* Frames that are not RoCEv2, including short ones, match no filter on its fields. */
static void foreign_frames_have_no_kind(void **state)
{
	struct net *net = net_new(1);
	struct frame *whole = packet(0, 1, TALLY_KIND_RESULT, 7);

	(void)state;
	add(net, "drop:kind=result");
	add(net, "drop:opcode=0xc0,jid=7");
	for (size_t len = 0; len < whole->len - 4u; len++) {
		struct frame *f = frame_alloc(len);

		memcpy(f->data, whole->data, len);
		fab_send(net->nic[0].port, f);
	}
	sim_run_idle(net->sim, VT_S);
	assert_int_equal(info_of(net, 0).past.hits, 0);
	assert_int_equal(info_of(net, 1).past.hits, 0);
	fab_send(net->nic[0].port, whole);
	sim_run_idle(net->sim, VT_S);
	assert_int_equal(info_of(net, 0).past.hits, 1);
	net_free(net);
}

/* ---- Faults that affect more than a packet ---- */

static void a_link_is_down_for_its_time(void **state)
{
	struct net *net = net_new(1);

	(void)state;
	add(net, "down:link=nic1,at=1us,for=2us");
	assert_int_equal(info_of(net, 0).state, FAB_RULE_WAITING);
	fab_send(net->nic[0].port, packet(0, 1, TALLY_KIND_ACK, 1));
	/* At this time the first frame has arrived, the second is in flight. */
	sim_run_until(net->sim, 990 * VT_NS);
	assert_int_equal(net->nic[1].count, 1);
	fab_send(net->nic[1].port, packet(1, 0, TALLY_KIND_ACK, 2));
	sim_run_until(net->sim, 1500 * VT_NS);
	assert_int_equal(info_of(net, 0).state, FAB_RULE_ACTIVE);
	fab_send(net->nic[0].port, packet(0, 1, TALLY_KIND_ACK, 3));
	sim_run_until(net->sim, 2900 * VT_NS);
	assert_int_equal(net->nic[1].port->stats.down_drops, 1);
	assert_int_equal(net->nic[1].port->peer->stats.down_drops, 1);
	sim_run_until(net->sim, 3 * VT_US);
	assert_int_equal(info_of(net, 0).state, FAB_RULE_SPENT);
	send_kind(net, 0, 1, TALLY_KIND_ACK, 4);
	send_kind(net, 1, 0, TALLY_KIND_ACK, 5);
	assert_int_equal(net->nic[1].count, 2);
	assert_int_equal(net->nic[0].count, 1);
	net_free(net);
}

static void a_link_is_down_until_cleared_in_one_direction_too(void **state)
{
	struct net *net = net_new(1);
	unsigned int id = add(net, "down:nic=0,dir=tx"), both;

	(void)state;
	sim_run_until(net->sim, VT_US);
	send_kind(net, 0, 1, TALLY_KIND_ACK, 1);
	send_kind(net, 1, 0, TALLY_KIND_ACK, 1);
	assert_int_equal(net->nic[1].count, 0);
	assert_int_equal(net->nic[0].count, 1);
	/* There are two reasons: the link stays down until both are gone. */
	both = add(net, "down:nic=0");
	sim_run_idle(net->sim, VT_S);
	assert_int_equal(fab_rules_clear(net->rules, id), 0);
	send_kind(net, 0, 1, TALLY_KIND_ACK, 1);
	assert_int_equal(net->nic[1].count, 0);
	assert_int_equal(fab_rules_clear(net->rules, both), 0);
	send_kind(net, 0, 1, TALLY_KIND_ACK, 1);
	assert_int_equal(net->nic[1].count, 1);
	assert_int_equal(fab_rules_clear(net->rules, both), -ENOENT);
	net_free(net);
}

static void a_packet_can_bring_its_link_down(void **state)
{
	struct net *net = net_new(1);

	(void)state;
	add(net, "down:kind=kill,nth=2,nic=0,dir=tx,for=1ms");
	send_kind(net, 0, 1, TALLY_KIND_KILL, 1);
	fab_send(net->nic[0].port, packet(0, 1, TALLY_KIND_KILL, 2));
	sim_run_until(net->sim, sim_now(net->sim) + VT_US);
	fab_send(net->nic[0].port, packet(0, 1, TALLY_KIND_ACK, 3));
	sim_run_until(net->sim, sim_now(net->sim) + 2 * VT_MS);
	assert_int_equal(net->nic[1].count, 1);
	assert_int_equal(net->nic[0].port->stats.down_drops, 2);
	send_kind(net, 0, 1, TALLY_KIND_ACK, 4);
	assert_int_equal(net->nic[1].count, 2);
	net_free(net);
}

static void a_dead_switch_loses_everything_until_revived(void **state)
{
	struct net *net = net_new(1);
	unsigned int id;

	(void)state;
	for (int i = 0; i < 10; i++)	/* in the switch, in its queue, and in flight to it */
		fab_send(net->nic[i % 2].port, packet(i % 2, 2, TALLY_KIND_ACK, i));
	sim_run_until(net->sim, LATENCY + PROPAGATION + 15 * VT_NS);
	id = add(net, "switch-death");
	sim_run_idle(net->sim, VT_S);
	assert_true(fab_switch_is_dead(net->sw));
	assert_in_range(net->nic[2].count, 0, 2);
	assert_int_equal(net->nic[2].count + fab_switch_stats(net->sw)->dead +
			 net->nic[2].port->peer->stats.down_drops, 10);
	send_kind(net, 0, 2, TALLY_KIND_ACK, 11);
	fab_rules_clear(net->rules, id);
	assert_false(fab_switch_is_dead(net->sw));
	station_clear(&net->nic[2]);
	send_kind(net, 0, 2, TALLY_KIND_ACK, 12);
	assert_int_equal(net->nic[2].count, 1);
	net_free(net);
}

static void nics_are_reset_at_a_time_or_by_a_packet(void **state)
{
	struct net *net = net_new(1);

	(void)state;
	add(net, "nic-reset:nic=n1,at=5ms");
	add(net, "nic-reset:nic=2,link=n0,kind=reduce,nth=2");
	add(net, "nic-reset:nic=0,kind=query,count=1");	/* on its own link */
	sim_run_until(net->sim, 5 * VT_MS - 1);
	assert_int_equal(net->resets[1], 0);
	sim_run_until(net->sim, 5 * VT_MS);
	assert_int_equal(net->resets[1], 1);
	assert_int_equal(info_of(net, 0).past.hits, 1);
	assert_int_equal(info_of(net, 0).state, FAB_RULE_SPENT);
	send_kind(net, 0, 1, TALLY_KIND_REDUCE, 1);
	assert_int_equal(net->resets[2], 0);
	send_kind(net, 0, 1, TALLY_KIND_REDUCE, 1);
	assert_int_equal(net->resets[2], 1);
	send_kind(net, 1, 2, TALLY_KIND_QUERY, 1);
	assert_int_equal(net->resets[0], 0);
	send_kind(net, 1, 0, TALLY_KIND_QUERY, 1);
	send_kind(net, 1, 0, TALLY_KIND_QUERY, 1);
	assert_int_equal(net->resets[0], 1);
	net_free(net);
}

/* A reset does not happen within the send, because the sender may be the NIC that is reset. */
static void a_reset_waits_for_the_end_of_the_send(void **state)
{
	struct net *net = net_new(1);

	(void)state;
	add(net, "nic-reset:nic=0,nth=1");
	fab_send(net->nic[0].port, packet(0, 1, TALLY_KIND_ACK, 1));
	assert_int_equal(net->resets[0], 0);
	sim_run_until(net->sim, 0);
	assert_int_equal(net->resets[0], 1);
	assert_int_equal(net->reset_at, 0);
	net_free(net);
}

static void accesses_fail_as_told(void **state)
{
	struct net *net = net_new(1);
	unsigned int failed = 0;

	(void)state;
	add(net, "dma-error:nic=1,nth=3");
	for (int i = 1; i <= 5; i++) {
		assert_false(fab_rules_dma_fails(net->rules, 0));
		assert_int_equal(fab_rules_dma_fails(net->rules, 1), i == 3);
	}
	fab_rules_clear_all(net->rules);
	add(net, "dma-error:rate=0.5");
	for (int i = 0; i < 200; i++)
		failed += fab_rules_dma_fails(net->rules, i % NICS);
	assert_in_range(failed, 70, 130);
	assert_int_equal(info_of(net, 0).past.hits, failed);
	assert_false(fab_rules_dma_fails(net->rules, NICS));
	net_free(net);
}

/* ---- Management of rules ---- */

static void names_of_nothing_are_refused(void **state)
{
	static const struct {
		const char *text, *named;
	} cases[] = {
		{ "drop:link=n9", "link=n9: no such link; the first is n0-sw" },
		{ "drop:link=nic3", "link=nic3:" },
		{ "drop:link=n1,nic=0", "link=n1: no such link of that NIC" },
		{ "drop:nic=3", "nic=3: no such NIC; there are 0 (n0) to 2 (n2)" },
		{ "nic-reset:nic=nobody", "nic=nobody: no such NIC" },
		{ "dma-error:nic=n7", "nic=n7: no such NIC" },
		{ "switch-death:switch=leaf", "switch=leaf: no such switch; the first is sw" },
		{ "down:link=x", "link=x:" },
		{ "nope", "unknown fault" },
	};
	struct net *net = net_new(1);
	struct fab_rule_info info;
	char err[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(fab_rules_add(net->rules, cases[i].text, err, sizeof(err)), -EINVAL);
		if (!strstr(err, cases[i].named))
			fail_msg("%s: %s", cases[i].text, err);
	}
	assert_false(fab_rules_get(net->rules, 0, &info));
	net_free(net);
}

static void ids_go_on_and_can_be_restored(void **state)
{
	struct net *net = net_new(1);
	const struct fab_rule_past none = { 0 };
	char err[256];

	(void)state;
	assert_int_equal(add(net, "drop"), 1);
	assert_int_equal(add(net, "corrupt"), 2);
	fab_rules_clear(net->rules, 1);
	assert_int_equal(add(net, "down"), 3);
	assert_int_equal(fab_rules_restore(net->rules, 3, "drop", &none, err, sizeof(err)), -EINVAL);
	assert_int_equal(fab_rules_restore(net->rules, 9, "drop", &none, err, sizeof(err)), 9);
	assert_int_equal(add(net, "drop"), 10);
	assert_string_equal(info_of(net, 0).text, "corrupt");
	assert_int_equal(fab_rules_add_nic(net->rules, "late"), -EBUSY);
	net_free(net);
}

static void restore(struct net *net, unsigned int id, const char *text, struct fab_rule_past past)
{
	char err[256];

	if (fab_rules_restore(net->rules, id, text, &past, err, sizeof(err)) < 0)
		fail_msg("%s: %s", text, err);
}

/* Restores rules that were active for 10 ms in another process. */
static void what_is_over_does_not_happen_again(void **state)
{
	const struct fab_rule_past once = { 10 * VT_MS, 0, 1 }, never = { .age = 10 * VT_MS };
	struct net *net = net_new(1);

	(void)state;
	restore(net, 1, "nic-reset:nic=n0,at=5ms", once);
	restore(net, 2, "nic-reset:nic=n1,at=25ms", never);
	restore(net, 3, "drop:nth=3,nic=2", (struct fab_rule_past){ VT_MS, 3, 1 });
	restore(net, 4, "drop:nic=2,at=1ms,for=9ms", (struct fab_rule_past){ 10 * VT_MS, 7, 7 });
	restore(net, 5, "down:link=nic2,for=10ms", once);
	for (int i = 0; i < 5; i++)
		assert_int_equal(info_of(net, i).state, i == 1 ? FAB_RULE_WAITING : FAB_RULE_SPENT);
	send_kind(net, 2, 0, TALLY_KIND_ACK, 1);
	assert_int_equal(net->nic[0].count, 1);
	assert_int_equal(net->resets[0], 0);
	assert_int_equal(net->resets[1], 1);
	assert_int_equal(net->reset_at, 15 * VT_MS);
	net_free(net);
}

static void what_is_down_stays_down(void **state)
{
	const struct fab_rule_past once = { 10 * VT_MS, 0, 1 };
	struct net *net = net_new(1);

	(void)state;
	restore(net, 1, "down:link=nic1,at=5ms,for=8ms", once);
	restore(net, 2, "down:link=nic2", once);
	assert_int_equal(info_of(net, 0).state, FAB_RULE_ACTIVE);
	sim_run_until(net->sim, 3 * VT_MS - 1);
	assert_int_equal(info_of(net, 0).state, FAB_RULE_ACTIVE);
	sim_run_until(net->sim, 3 * VT_MS);
	assert_int_equal(info_of(net, 0).state, FAB_RULE_SPENT);
	assert_int_equal(info_of(net, 1).state, FAB_RULE_ACTIVE);
	send_kind(net, 0, 1, TALLY_KIND_ACK, 1);
	send_kind(net, 0, 2, TALLY_KIND_ACK, 1);
	assert_int_equal(net->nic[1].count, 1);
	assert_int_equal(net->nic[2].count, 0);
	assert_int_equal(info_of(net, 0).past.age, sim_now(net->sim) + 10 * VT_MS);
	net_free(net);
}

static void there_is_a_most_of_rules(void **state)
{
	struct net *net = net_new(1);
	char err[256];

	(void)state;
	for (int i = 0; i < FAB_RULES_MAX; i++)
		add(net, "delay:by=1ns");
	assert_int_equal(fab_rules_add(net->rules, "drop", err, sizeof(err)), -ENOSPC);
	fab_rules_clear(net->rules, 5);
	add(net, "drop:nth=1");
	net_free(net);
}

static struct net *noisy_run(uint64_t seed, const char *more)
{
	struct net *net = net_new(seed);

	add(net, "drop:rate=0.1");
	add(net, "corrupt:rate=0.1");
	add(net, "duplicate:rate=0.1");
	add(net, "reorder:rate=0.2,max=3us");
	if (more)
		add(net, more);
	send_frames(net, 0, 1, 300);
	send_frames(net, 1, 2, 300);
	return net;
}

static bool same(const struct station *a, const struct station *b)
{
	if (a->count != b->count)
		return false;
	for (int i = 0; i < a->count; i++)
		if (a->at[i] != b->at[i] ||
		    memcmp(a->frame[i]->data, b->frame[i]->data, FRAME_LEN))
			return false;
	return true;
}

/* The seed determines everything, and faults on one link leave the numbers of others alone. */
static void a_seed_decides_everything(void **state)
{
	struct net *a = noisy_run(42, NULL), *b = noisy_run(42, NULL), *c = noisy_run(43, NULL);
	struct net *d = noisy_run(42, "corrupt:nic=2,dir=rx,rate=0.5");

	(void)state;
	assert_true(same(&a->nic[1], &b->nic[1]));
	assert_true(same(&a->nic[2], &b->nic[2]));
	assert_false(same(&a->nic[1], &c->nic[1]));
	assert_true(same(&a->nic[1], &d->nic[1]));
	assert_false(same(&a->nic[2], &d->nic[2]));
	net_free(a);
	net_free(b);
	net_free(c);
	net_free(d);
}

static void what_is_freed_lets_go(void **state)
{
	struct net *net = net_new(1);

	(void)state;
	add(net, "down");
	add(net, "switch-death");
	sim_run_until(net->sim, VT_US);
	fab_rules_free(net->rules);
	net->rules = NULL;
	send_kind(net, 0, 1, TALLY_KIND_ACK, 1);
	assert_int_equal(net->nic[1].count, 1);
	net_free(net);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nth_is_dropped_and_no_other),
		cmocka_unit_test(every_kth_up_to_a_count),
		cmocka_unit_test(a_rate_is_kept),
		cmocka_unit_test(times_limit_a_rule),
		cmocka_unit_test(delay_is_exact_and_reorder_within_its_bounds),
		cmocka_unit_test(a_duplicate_follows_a_frame_later),
		cmocka_unit_test(rules_apply_in_order),
		cmocka_unit_test(a_dropped_packet_is_not_seen_by_later_rules),
		cmocka_unit_test(filters_choose),
		cmocka_unit_test(foreign_frames_have_no_kind),
		cmocka_unit_test(a_link_is_down_for_its_time),
		cmocka_unit_test(a_link_is_down_until_cleared_in_one_direction_too),
		cmocka_unit_test(a_packet_can_bring_its_link_down),
		cmocka_unit_test(a_dead_switch_loses_everything_until_revived),
		cmocka_unit_test(nics_are_reset_at_a_time_or_by_a_packet),
		cmocka_unit_test(a_reset_waits_for_the_end_of_the_send),
		cmocka_unit_test(accesses_fail_as_told),
		cmocka_unit_test(names_of_nothing_are_refused),
		cmocka_unit_test(ids_go_on_and_can_be_restored),
		cmocka_unit_test(what_is_over_does_not_happen_again),
		cmocka_unit_test(what_is_down_stays_down),
		cmocka_unit_test(there_is_a_most_of_rules),
		cmocka_unit_test(a_seed_decides_everything),
		cmocka_unit_test(what_is_freed_lets_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
