// SPDX-License-Identifier: BSD-2-Clause
/* Tests a NIC with two cables, each with a station at its other end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/params.h"
#include "fabric/test_station.h"
#include "nic/test/host.h"
#include "wire/roce.h"

struct two {
	struct host *host;
	struct fab_link *link[2];
	struct station peer[2];
};

static void mac_of(uint8_t mac[6], uint16_t n)
{
	memcpy(mac, (uint8_t[]){ 0x02, 0x54, 0, 1, n >> 8, n & 0xff }, 6);
}

static int setup_queue(void **state, size_t queue_bytes)
{
	struct fab_link_params params = FAB_LINK_DEFAULTS;
	struct two *t = calloc(1, sizeof(*t));
	struct sim *sim = sim_new(1);
	struct host *h = NULL;

	assert_non_null(t);
	params.queue_bytes = queue_bytes;
	for (unsigned int i = 0; i < 2; i++) {
		t->link[i] = fab_link_new(sim, &params, i ? "right" : "left", "peer");
		assert_non_null(t->link[i]);
		station_attach(&t->peer[i], sim, fab_link_port(t->link[i], 1));
	}
	h = host_new_two(fab_link_port(t->link[0], 0), fab_link_port(t->link[1], 0), sim);
	host_reset(h);
	t->host = h;
	*state = t;
	return 0;
}

static int setup(void **state)
{
	return setup_queue(state, 1 << 20);
}

static int setup_small_queue(void **state)
{
	return setup_queue(state, 4400);
}

static int teardown(void **state)
{
	struct two *t = *state;
	struct sim *sim = t->host->sim;

	host_free(t->host);
	for (unsigned int i = 0; i < 2; i++) {
		station_clear(&t->peer[i]);
		fab_link_free(t->link[i]);
	}
	sim_free(sim);
	free(t);
	return 0;
}

static void send_to(struct two *t, uint16_t n, size_t len)
{
	static const uint8_t payload[TALLY_MAX_MTU];
	struct tally_tch tch = { .tag = htobe32(TALLY_TCH_TAG) };
	struct engine_addr to;

	mac_of(to.mac, n);
	nic_gid(to.gid, to.mac);
	t->host->engine->host->send(t->host->engine->ctx, &to, &tch, payload, len, 0);
}

/* Receive a frame from @n to the NIC, or to @other if that is not NULL. */
static void receive(struct two *t, unsigned int port, uint16_t n, const uint8_t *other)
{
	struct tally_tch tch = { .tag = htobe32(TALLY_TCH_TAG) };
	struct roce_hdr hdr = { .opcode = TALLY_BTH_OPCODE_COLL };
	struct frame *f;

	memcpy(hdr.dmac, other ? other : t->host->nic->mac, 6);
	nic_gid(hdr.dgid, hdr.dmac);
	mac_of(hdr.smac, n);
	nic_gid(hdr.sgid, hdr.smac);
	f = roce_build(&hdr, &tch, sizeof(tch), NULL, 0);
	assert_non_null(f);
	fab_send(t->peer[port].port, f);
	host_run(t->host);
}

/* Check by which of the two ports a packet to @n leaves. */
static void expect(struct two *t, uint16_t n, bool left, bool right)
{
	unsigned int before[2] = { t->peer[0].count, t->peer[1].count };

	send_to(t, n, 0);
	host_run(t->host);
	assert_int_equal(t->peer[0].count, before[0] + left);
	assert_int_equal(t->peer[1].count, before[1] + right);
}

static void learning(void **state)
{
	static const uint8_t somebody[6] = { 2, 1, 1, 1, 1, 1 };
	struct two *t = *state;

	expect(t, 1, true, true);
	assert_int_equal(nic_counter(t->host->nic, TALLY_CTR_tx_frames), 2);
	receive(t, 0, 1, NULL);
	receive(t, 1, 2, NULL);
	assert_int_equal(t->host->engine->packets, 2);
	expect(t, 1, true, false);
	expect(t, 2, false, true);
	expect(t, 3, true, true);
	/* The last frame counts, even if it was for another station. */
	receive(t, 1, 1, somebody);
	assert_int_equal(t->host->engine->packets, 2);
	expect(t, 1, false, true);
	/* A reset forgets the neighbours. */
	host_reset(t->host);
	expect(t, 1, true, true);
}

/* Multicast leaves by both ports, and a frame with a group as source teaches nothing. */
static void groups(void **state)
{
	struct engine_addr group = { .gid = { 0xff, 0x15 }, .mac = { 0x33, 0x33 } };
	struct tally_tch tch = { .tag = htobe32(TALLY_TCH_TAG) };
	struct two *t = *state;
	struct frame *f = frame_alloc(FRAME_MIN);

	memcpy(f->data + 6, group.mac, 6);
	fab_send(t->peer[0].port, f);
	host_run(t->host);
	t->host->engine->host->send(t->host->engine->ctx, &group, &tch, NULL, 0, 0);
	host_run(t->host);
	assert_int_equal(t->peer[0].count, 1);
	assert_int_equal(t->peer[1].count, 1);
}

static void table_is_bounded(void **state)
{
	struct two *t = *state;

	for (uint16_t n = 0; n <= NIC_NEIGHBOURS; n++)
		receive(t, n % 2, n, NULL);
	expect(t, 0, true, true);
	for (uint16_t n = 1; n <= NIC_NEIGHBOURS; n++)
		expect(t, n, n % 2 == 0, n % 2 == 1);
}

/* Each cable has its own queue: a full one does not hold up the other, and no frame is lost. */
static void room(void **state)
{
	struct two *t = *state;

	receive(t, 0, 1, NULL);
	receive(t, 1, 2, NULL);
	for (unsigned int i = 0; i < 20; i++)
		send_to(t, 1, TALLY_MAX_MTU);
	send_to(t, 2, 0);
	sim_run_until(t->host->sim, sim_now(t->host->sim) + 2 * VT_US);
	assert_true(t->peer[0].count < 20);
	assert_int_equal(t->peer[1].count, 1);
	host_run(t->host);
	assert_int_equal(t->peer[0].count, 20);
	/* A reset forgets the frames that wait for either cable. */
	for (unsigned int i = 0; i < 20; i++)
		send_to(t, 3, TALLY_MAX_MTU);
	sim_run_until(t->host->sim, sim_now(t->host->sim) + VT_US);
	host_reset(t->host);
	assert_true(t->peer[0].count < 40);
	assert_true(t->peer[1].count < 21);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(learning), TEST(groups), TEST(table_is_bounded),
		cmocka_unit_test_setup_teardown(room, setup_small_queue, teardown),
	};

	return cmocka_run_group_tests_name("two ports", tests, NULL, NULL);
}
