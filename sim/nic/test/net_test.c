// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests frames in both directions over a link, drops and their reasons, and frames to the NIC
 * itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/params.h"
#include "fabric/test_station.h"
#include "nic/test/host.h"
#include "wire/ecn.h"
#include "wire/gid.h"
#include "wire/roce.h"
#include "wire/roce_layout.h"

static const uint8_t peer_mac[6] = { 0x02, 0x54, 0, 0, 0, 2 };

struct net {
	struct host *host;
	struct fab_link *link;
	struct station peer;
};

static struct net *net_new(size_t queue_bytes)
{
	struct fab_link_params params = FAB_LINK_DEFAULTS;
	struct net *n = calloc(1, sizeof(*n));
	struct sim *sim = sim_new(1);

	assert_non_null(n);
	params.queue_bytes = queue_bytes;
	n->link = fab_link_new(sim, &params, "nic", "peer");
	assert_non_null(n->link);
	station_attach(&n->peer, sim, fab_link_port(n->link, 1));
	n->host = host_new(fab_link_port(n->link, 0), sim);
	host_reset(n->host);
	return n;
}

static int setup(void **state)
{
	*state = net_new(1 << 20);
	return 0;
}

static int setup_small_queue(void **state)
{
	*state = net_new(4400);
	return 0;
}

static int teardown(void **state)
{
	struct net *n = *state;
	struct sim *sim = n->host->sim;

	station_clear(&n->peer);
	host_free(n->host);
	fab_link_free(n->link);
	sim_free(sim);
	free(n);
	return 0;
}

static struct engine_addr address(const uint8_t mac[6])
{
	struct engine_addr a;

	memcpy(a.mac, mac, sizeof(a.mac));
	nic_gid(a.gid, mac);
	return a;
}

static struct tally_tch header(uint32_t jid, uint32_t edge_seq)
{
	return (struct tally_tch){ .tag = htobe32(TALLY_TCH_TAG), .jid = htobe32(jid),
				   .edge_seq = htobe32(edge_seq) };
}

static void send_to(struct net *n, const uint8_t mac[6], size_t len)
{
	struct engine_addr to = address(mac);
	struct tally_tch tch = header(7, 0x12345678);
	uint8_t payload[TALLY_MAX_MTU];

	memset(payload, 0x5a, sizeof(payload));
	n->host->engine->host->send(n->host->engine->ctx, &to, &tch, payload, len, 0);
}

static void sending(void **state)
{
	struct net *n = *state;
	struct engine_addr me = address(n->host->nic->mac), peer = address(peer_mac);
	struct roce_hdr hdr;
	const uint8_t *body;
	size_t len;

	send_to(n, peer_mac, 100);
	host_run(n->host);
	assert_int_equal(n->peer.count, 1);
	assert_int_equal(roce_parse(n->peer.frame[0]->data, n->peer.frame[0]->len, &hdr, &body,
				    &len), ROCE_OK);
	assert_memory_equal(hdr.dmac, peer.mac, 6);
	assert_memory_equal(hdr.smac, me.mac, 6);
	assert_memory_equal(hdr.dgid, peer.gid, 16);
	assert_memory_equal(hdr.sgid, me.gid, 16);
	assert_int_equal(hdr.opcode, TALLY_BTH_OPCODE_COLL);
	assert_int_equal(hdr.psn, 0x345678);
	assert_int_equal(hdr.hop_limit, 64);
	assert_int_equal(hdr.udp_sport & 0xc000, 0xc000);
	assert_int_equal(len, sizeof(struct tally_tch) + 100);
	assert_int_equal(body[sizeof(struct tally_tch)], 0x5a);
	assert_int_equal(nic_counter(n->host->nic, TALLY_CTR_tx_frames), 1);
	assert_int_equal(nic_counter(n->host->nic, TALLY_CTR_tx_bytes), n->peer.frame[0]->len);
}

/* The port's queue holds one frame: the others wait, in order, and none is lost. */
static void no_room(void **state)
{
	struct net *n = *state;
	unsigned int i;

	for (i = 0; i < 20; i++) {
		struct engine_addr to = address(peer_mac);
		struct tally_tch tch = header(7, i);
		static const uint8_t payload[TALLY_MAX_MTU];

		n->host->engine->host->send(n->host->engine->ctx, &to, &tch, payload,
					    sizeof(payload), 0);
	}
	host_run(n->host);
	assert_int_equal(n->peer.count, 20);
	assert_int_equal(n->host->port->stats.tx_queue_full, 0);
	for (i = 0; i < 20; i++)
		assert_int_equal(n->peer.frame[i]->data[ETH_HEADER_BYTES + IP6_BYTES + UDP_BYTES +
							BTH_PSN + 3], i);
	/* A reset forgets frames that wait. */
	for (i = 0; i < 20; i++)
		send_to(n, peer_mac, TALLY_MAX_MTU);
	sim_run_until(n->host->sim, sim_now(n->host->sim) + VT_US);
	host_reset(n->host);
	assert_true(n->peer.count > 20 && n->peer.count < 40);
}

/* Packets leave in the order of the engine's calls, each after its delay. */
static void delays(void **state)
{
	static const vtime_t delay[] = { 500 * VT_NS, 0, 300 * VT_NS, 900 * VT_NS };
	struct engine_addr to = address(peer_mac);
	struct net *n = *state;
	vtime_t start = sim_now(n->host->sim);

	for (unsigned int i = 0; i < 4; i++) {
		struct tally_tch tch = header(7, i);

		n->host->engine->host->send(n->host->engine->ctx, &to, &tch, NULL, 0, delay[i]);
	}
	sim_run_until(n->host->sim, start + 500 * VT_NS - 1);
	assert_false(fab_tx_busy(n->host->port));
	sim_run_until(n->host->sim, start + 500 * VT_NS);
	assert_true(fab_tx_busy(n->host->port));
	assert_int_equal(nic_counter(n->host->nic, TALLY_CTR_tx_frames), 3);
	host_run(n->host);
	assert_int_equal(n->peer.count, 4);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(n->peer.frame[i]->data[ETH_HEADER_BYTES + IP6_BYTES + UDP_BYTES +
							BTH_PSN + 3], i);
	assert_true(sim_now(n->host->sim) > start + 900 * VT_NS);
}

static void to_self(void **state)
{
	struct net *n = *state;
	struct engine_addr me = address(n->host->nic->mac);
	vtime_t start = sim_now(n->host->sim);

	send_to(n, me.mac, 16);
	host_run(n->host);
	assert_int_equal(n->peer.count, 0);
	assert_int_equal(n->host->engine->packets, 1);
	assert_int_equal(n->host->engine->packet_len, sizeof(struct tally_tch) + 16);
	assert_memory_equal(&n->host->engine->from, &me, sizeof(me));
	assert_int_equal(n->host->engine->now, start);
	assert_int_equal(nic_counter(n->host->nic, TALLY_CTR_rx_frames), 1);
}

/* Build a collective packet from the peer to the NIC. */
static struct frame *good_frame(struct net *n, uint8_t opcode, const uint8_t dmac[6],
				const uint8_t dgid[16])
{
	struct engine_addr me = address(n->host->nic->mac), peer = address(peer_mac);
	struct tally_tch tch = header(9, 1);
	struct roce_hdr hdr = { .opcode = opcode, .hop_limit = 64, .udp_sport = 0xc001 };
	struct frame *f;

	memcpy(hdr.dmac, dmac ? dmac : me.mac, 6);
	memcpy(hdr.dgid, dgid ? dgid : me.gid, 16);
	memcpy(hdr.smac, peer.mac, 6);
	memcpy(hdr.sgid, peer.gid, 16);
	f = roce_build(&hdr, &tch, sizeof(tch), "0123456789ab", 12);
	assert_non_null(f);
	return f;
}

static void receiving(void **state)
{
	struct net *n = *state;
	struct engine_addr peer = address(peer_mac);
	struct tally_tch tch = header(9, 1);

	fab_send(n->peer.port, good_frame(n, TALLY_BTH_OPCODE_COLL, NULL, NULL));
	host_run(n->host);
	assert_int_equal(n->host->engine->packets, 1);
	assert_int_equal(n->host->engine->packet_len, sizeof(tch) + 12);
	assert_memory_equal(n->host->engine->packet, &tch, sizeof(tch));
	assert_memory_equal(n->host->engine->packet + sizeof(tch), "0123456789ab", 12);
	assert_memory_equal(&n->host->engine->from, &peer, sizeof(peer));
}

/* Send @f, and check that it is dropped and counted only by @counter. */
static void expect_drop(struct net *n, struct frame *f, enum tally_counter counter)
{
	static const enum tally_counter drops[] = { TALLY_CTR_drop_malformed, TALLY_CTR_drop_icrc,
						    TALLY_CTR_drop_not_for_us };
	uint64_t before[3], frames = nic_counter(n->host->nic, TALLY_CTR_rx_frames);
	size_t i;

	for (i = 0; i < 3; i++)
		before[i] = nic_counter(n->host->nic, drops[i]);
	fab_send(n->peer.port, f);
	host_run(n->host);
	for (i = 0; i < 3; i++)
		assert_int_equal(nic_counter(n->host->nic, drops[i]),
				 before[i] + (drops[i] == counter));
	assert_int_equal(nic_counter(n->host->nic, TALLY_CTR_rx_frames), frames + 1);
	assert_int_equal(n->host->engine->packets, 0);
}

static struct frame *damaged(struct net *n, size_t at)
{
	struct frame *f = good_frame(n, TALLY_BTH_OPCODE_COLL, NULL, NULL);

	f->data[at] ^= 0x10;
	return f;
}

static void drops(void **state)
{
	static const uint8_t multicast[6] = { 0x33, 0x33, 0, 0, 0, 1 };
	struct net *n = *state;
	struct engine_addr peer = address(peer_mac);
	struct frame *f;

	f = good_frame(n, TALLY_BTH_OPCODE_COLL, peer.mac, NULL);
	expect_drop(n, f, TALLY_CTR_drop_not_for_us);
	/* The MAC address of a group, but not of the GID's group. */
	f = good_frame(n, TALLY_BTH_OPCODE_COLL, multicast, NULL);
	expect_drop(n, f, TALLY_CTR_drop_malformed);
	f = good_frame(n, TALLY_BTH_OPCODE_COLL, NULL, peer.gid);
	expect_drop(n, f, TALLY_CTR_drop_not_for_us);
	f = good_frame(n, 4, NULL, NULL);
	expect_drop(n, f, TALLY_CTR_drop_not_for_us);
	/* Frames with another Ethernet type or UDP port are for an ordinary network stack. */
	expect_drop(n, damaged(n, ETH_TYPE), TALLY_CTR_drop_not_for_us);
	f = damaged(n, ETH_HEADER_BYTES + IP6_BYTES + UDP_DPORT);
	expect_drop(n, f, TALLY_CTR_drop_not_for_us);
	expect_drop(n, damaged(n, ETH_HEADER_BYTES + IP6_PAYLOAD), TALLY_CTR_drop_malformed);
	expect_drop(n, frame_alloc(8), TALLY_CTR_drop_malformed);
	/* The ICRC covers the destination QP number, and the UDP checksum is switched off here. */
	f = damaged(n, ETH_HEADER_BYTES + IP6_BYTES + UDP_BYTES + BTH_QP + 2);
	memset(f->data + ETH_HEADER_BYTES + IP6_BYTES + UDP_BYTES - 2, 0, 2);
	expect_drop(n, f, TALLY_CTR_drop_icrc);
}

/* A result that goes down by multicast. The engine checks whether the group is one of this NIC. */
static void multicast(void **state)
{
	struct engine_addr group = { .gid = { 0xff, 0x15, [12] = 0xc0, 0xff, 0xee, 0x01 } };
	struct tally_tch tch = header(9, 3);
	struct net *n = *state;
	struct roce_hdr hdr;
	const uint8_t *body;
	size_t len;

	gid_multicast_mac(group.mac, group.gid);
	fab_send(n->peer.port, good_frame(n, TALLY_BTH_OPCODE_COLL, group.mac, group.gid));
	host_run(n->host);
	assert_int_equal(n->host->engine->packets, 1);
	assert_memory_equal(n->host->engine->from.mac, peer_mac, 6);
	fab_send(n->peer.port, good_frame(n, 4, group.mac, group.gid));
	host_run(n->host);
	assert_int_equal(nic_counter(n->host->nic, TALLY_CTR_drop_not_for_us), 1);

	n->host->engine->host->send(n->host->engine->ctx, &group, &tch, "abcd", 4, 0);
	host_run(n->host);
	assert_int_equal(n->peer.count, 1);
	assert_int_equal(roce_parse(n->peer.frame[0]->data, n->peer.frame[0]->len, &hdr, &body,
				    &len), ROCE_OK);
	assert_memory_equal(hdr.dmac, group.mac, 6);
	assert_memory_equal(hdr.dgid, group.gid, 16);
	assert_memory_equal(hdr.sgid, n->host->nic->gid, 16);
	assert_int_equal(n->host->engine->packets, 1);	/* not delivered to the sender */
}

static void congestion(void **state)
{
	struct net *n = *state;
	struct frame *f = good_frame(n, TALLY_BTH_OPCODE_COLL, NULL, NULL);

	fab_send(n->peer.port, frame_ref(f));
	host_run(n->host);
	assert_int_equal(nic_counter(n->host->nic, TALLY_CTR_ecn_marked), 0);
	assert_true(ecn_mark(&f));
	fab_send(n->peer.port, f);
	host_run(n->host);
	assert_int_equal(nic_counter(n->host->nic, TALLY_CTR_ecn_marked), 1);
	assert_int_equal(n->host->engine->packets, 2);
}

static void not_ready(void **state)
{
	struct net *n = *state;

	nic_fatal(n->host->nic, TALLY_FATAL_AQ_DMA);
	expect_drop(n, good_frame(n, TALLY_BTH_OPCODE_COLL, NULL, NULL), TALLY_CTR_drop_not_for_us);
}

/* Frames wait for the parser while the device is reset. */
static void reset_with_frames(void **state)
{
	struct net *n = *state;

	rx_frame(&n->host->nic->ports[0], good_frame(n, TALLY_BTH_OPCODE_COLL, NULL, NULL));
	send_to(n, peer_mac, 10);
	host_reset(n->host);
	assert_int_equal(n->host->engine->packets, 0);
	assert_int_equal(n->peer.count, 0);
}

static void link_in_ident(void **state)
{
	struct net *n = *state;

	assert_int_equal(n->host->ident->port_state, 1);
	assert_int_equal(le32toh(n->host->ident->link_mbps), 100000);
}

static void expect_port_event(struct net *n, uint32_t i, bool up)
{
	const struct tally_eqe *eqe = host_eqe(n->host, i);

	assert_int_equal(eqe->owner, TALLY_OWNER_PHASE);
	assert_int_equal(eqe->etype, TALLY_EQE_PORT);
	assert_int_equal(le64toh(eqe->data), up);
	assert_int_equal(n->host->ident->port_state, up);
	assert_int_equal(host_eqe(n->host, i + 1)->owner, 0);
}

/* If either direction is down, the link is down, and the driver is told once. */
static void carrier_is_told(void **state)
{
	struct net *n = *state;
	struct fab_port *near = fab_link_port(n->link, 0), *far = fab_link_port(n->link, 1);

	host_objects(n->host);
	fab_port_set_down(far, true);
	host_run(n->host);
	expect_port_event(n, 0, false);
	fab_port_set_down(near, true);
	fab_port_set_down(far, false);
	host_run(n->host);
	expect_port_event(n, 0, false);
	fab_port_set_down(near, false);
	host_run(n->host);
	expect_port_event(n, 1, true);
}

/*
 * However often a link goes up and down, the event queue has room, because short changes are not
 * reported.
 */
static void carrier_that_flaps(void **state)
{
	struct net *n = *state;
	struct fab_port *far = fab_link_port(n->link, 1);

	host_objects(n->host);
	for (unsigned int i = 0; i < 10 * HOST_EQ_DEPTH; i++) {
		fab_port_set_down(far, i % 2 == 0);
		sim_run_until(n->host->sim, sim_now(n->host->sim) + VT_MS / 2);
	}
	host_run(n->host);
	assert_int_equal(host_eqe(n->host, 0)->owner, 0);
	assert_int_equal(n->host->ident->state, TALLY_DEVICE_READY);
	fab_port_set_down(far, true);
	host_run(n->host);
	expect_port_event(n, 0, false);
}

/* A driver that was not there for the event finds the state in the page. */
static void carrier_over_a_reset(void **state)
{
	struct net *n = *state;

	host_objects(n->host);
	fab_port_set_down(fab_link_port(n->link, 1), true);
	sim_run_until(n->host->sim, sim_now(n->host->sim) + VT_MS / 2);
	host_reset(n->host);
	host_run(n->host);
	assert_int_equal(n->host->ident->port_state, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sending),
		cmocka_unit_test_setup_teardown(no_room, setup_small_queue, teardown),
		TEST(delays), TEST(to_self), TEST(receiving), TEST(drops), TEST(multicast), TEST(congestion),
		TEST(not_ready),
		TEST(reset_with_frames), TEST(link_in_ident),
		TEST(carrier_is_told), TEST(carrier_that_flaps), TEST(carrier_over_a_reset),
	};

	return cmocka_run_group_tests_name("network", tests, NULL, NULL);
}
