// SPDX-License-Identifier: BSD-2-Clause
/*
 * A hostile guest and network: random stores to BAR2, host memory that changes under the device,
 * random commands, frames with flipped bits, while the engine makes accesses. The device must touch
 * only host memory (the bus of host.c and the sanitizers check that), and a proper reset must bring
 * it back afterwards. TALLY_FUZZ_SEED and TALLY_FUZZ_STEPS choose another run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/rng.h"
#include "nic/test/host.h"
#include "tally-push.h"
#include "wire/gid.h"
#include "wire/roce.h"

#define SEEDS		20
#define STEPS		4000

struct fuzz {
	struct host *h;
	struct rng rng;
	unsigned int events;		/* interrupts of the event queue before begin() */
	unsigned long ready;		/* number of steps in which the device was READY */
	uint64_t pushed;		/* requests accepted from the push buffer */
	union admin_body good[6];
};

static uint64_t pick(struct fuzz *f, uint64_t bound)
{
	return rng_below(&f->rng, bound);
}

/* Return a number at a limit of something. */
static uint64_t number(struct fuzz *f)
{
	static const uint64_t edges[] = { 0, 1, 2, 3, 7, 8, 63, 64, 255, 256, 4095, 4096,
					  UINT32_MAX, UINT64_MAX, HOST_BASE, HOST_IOVA,
					  HOST_BASE + HOST_BYTES };

	if (pick(f, 4))
		return edges[pick(f, sizeof(edges) / sizeof(edges[0]))] + pick(f, 3) - 1;
	return rng_next(&f->rng) >> pick(f, 64);
}

static void store_bar(struct fuzz *f)
{
	__le64 *words = (__le64 *)f->h->bar;
	__le64 *places[] = {
		words + pick(f, TALLY_BAR_SIZE / 8),
		words + TALLY_BAR_IDENT_OFFSET / 8 + pick(f, TALLY_PAGE_SIZE / 8),
		&f->h->control->eq_db[pick(f, TALLY_MAX_EQ)].ci,
		&f->h->qp_slot->counter,
		&f->h->cq_slot->counter,
		&f->h->cq_record->consumed,
		&f->h->cq_slot->arm,
		&f->h->push->line[pick(f, 4)].posted,
		&tally_push_first(f->h->push, 1)[pick(f, 4)].posted,
		(__le64 *)f->h->push + pick(f, TALLY_PUSH_SIZE / 8),
	};
	__le64 *place = places[pick(f, sizeof(places) / sizeof(places[0]))];

	*place = pick(f, 2) ? *place + pick(f, 4) : number(f);
}

/* Push a request as a driver does, but with arbitrary contents. */
static void push(struct fuzz *f)
{
	uint64_t before = nic_counter(f->h->nic, TALLY_CTR_pushed);
	uint64_t posted = le64toh(f->h->qp_slot->counter) + pick(f, 3);
	struct tally_wqe w = { .num_gather = pick(f, 4), .num_result = pick(f, 4),
			       .inline_len = htole32(pick(f, 2) ? pick(f, 200) : number(f)) };
	uint8_t request[5 * TALLY_PUSH_PIECE] = { 0 };	/* longer than an entry */
	struct tally_push_line *line;

	line = tally_push_first(f->h->push, posted);
	memcpy(request, &w, sizeof(w));
	for (unsigned int i = 0; i < sizeof(request) / TALLY_PUSH_PIECE; i++, line++) {
		memcpy(line->data, request + i * TALLY_PUSH_PIECE, TALLY_PUSH_PIECE);
		line->posted = htole64(posted);
	}
	f->h->qp_slot->counter = htole64(posted);
	nic_doorbells(f->h->nic);
	sim_run_until(f->h->sim, sim_now(f->h->sim) + pick(f, VT_US));
	if (f->h->nic->qp[HOST_QPN])
		f->h->engine->host->fetch_wqe(f->h->engine->ctx, HOST_QPN, (uint32_t)posted - 1);
	sim_run_until(f->h->sim, sim_now(f->h->sim));
	f->pushed += nic_counter(f->h->nic, TALLY_CTR_pushed) - before;
}

static void store_memory(struct fuzz *f)
{
	uint64_t *words = (uint64_t *)f->h->mem;

	words[pick(f, f->h->used / 8 + 1)] = number(f);
	f->h->hole = pick(f, 8) ? 0 : HOST_BASE + pick(f, HOST_BYTES);
	f->h->hole_bytes = pick(f, 3 * TALLY_PAGE_SIZE);
}

/* Submit a command: a good body of any opcode, with some bytes changed. */
static void command(struct fuzz *f)
{
	struct host *h = f->h;
	struct tally_admin_cmd *cmd = host_ptr(h, h->aq_sq);
	unsigned int changes = (unsigned int)pick(f, 4);

	cmd += h->commands % HOST_AQ_DEPTH;
	*cmd = (struct tally_admin_cmd){ .opcode = htole16(pick(f, TALLY_ADMIN_QUERY_ARRIVALS + 2)) };
	memcpy(cmd->body, f->good[pick(f, 6)].raw, sizeof(cmd->body));
	while (changes--) {
		uint64_t value = number(f);
		size_t size = (size_t)1 << pick(f, 4);

		memcpy(cmd->body + pick(f, sizeof(cmd->body) / size) * size, &value, size);
	}
	h->control->aq_db = htole64(++h->commands);
	if (pick(f, 16))
		h->control->aq_ci = htole64(h->nic->aq.done);
}

static void engine_asks(struct fuzz *f)
{
	struct engine *e = f->h->engine;
	struct engine_sge sge = { pick(f, 2) ? HOST_IOVA + pick(f, 0x4000) : number(f),
				  (uint32_t)pick(f, 9000), pick(f, 8) ? HOST_LKEY : number(f) };
	static const uint8_t data[9000];

	switch (pick(f, 5)) {
	case 0:
		e->host->read(e->ctx, HOST_PD, &sge, 1, pick(f, 1000));
		break;
	case 1:
		e->host->write(e->ctx, HOST_PD, &sge, data, 1, pick(f, 1000));
		break;
	case 2:
		if (f->h->nic->qp[HOST_QPN])
			e->host->fetch_wqe(e->ctx, HOST_QPN, (uint32_t)number(f));
		break;
	case 3:
		if (f->h->nic->cq[HOST_CQN])
			host_complete(f->h, (uint32_t)number(f), pick(f, 2));
		break;
	case 4:
		e->host->event(e->ctx, 1 + pick(f, TALLY_EQE_DEVICE_FATAL), number(f), number(f));
		break;
	}
}

static void frame(struct fuzz *f)
{
	struct roce_hdr hdr = { .opcode = TALLY_BTH_OPCODE_COLL };
	struct tally_tch tch = { 0 };
	uint8_t payload[TALLY_MAX_MTU] = { 0 };
	unsigned int flips = (unsigned int)pick(f, 3);
	struct frame *fr;

	memcpy(hdr.dmac, f->h->nic->mac, sizeof(hdr.dmac));
	memcpy(hdr.dgid, f->h->nic->gid, sizeof(hdr.dgid));
	nic_gid(hdr.sgid, hdr.dmac);
	if (!pick(f, 4)) {
		hdr.dgid[0] = 0xff;
		gid_multicast_mac(hdr.dmac, hdr.dgid);
	}
	fr = roce_build(&hdr, &tch, pick(f, sizeof(tch) / 4) * 4, payload, pick(f, sizeof(payload)));
	assert_non_null(fr);
	while (flips--)
		fr->data[pick(f, pick(f, 2) ? fr->len : 62)] ^= 1 << pick(f, 8);
	if (!pick(f, 4))
		fr->len = (uint16_t)pick(f, fr->len);
	rx_frame(&f->h->nic->ports[0], fr);
}

static void packet_out(struct fuzz *f)
{
	struct engine *e = f->h->engine;
	struct engine_addr to = { .mac = { 2, 0, 0, 0, 0, (uint8_t)pick(f, 3) } };
	struct tally_tch tch = { .edge_seq = (uint32_t)number(f) };
	static const uint8_t payload[TALLY_MAX_MTU];

	nic_gid(to.gid, to.mac);
	e->host->send(e->ctx, &to, &tch, payload, pick(f, sizeof(payload) + 1),
		      pick(f, 1000));
}

static void begin(struct fuzz *f)
{
	struct host *h = f->h;

	h->used = h->aq_cq + TALLY_PAGE_SIZE - HOST_BASE;
	h->hole_bytes = 0;
	host_objects(h);
	f->events = h->interrupts[1];
	f->good[0] = host_create_eq(h);
	f->good[1] = host_create_cq(h);
	f->good[2] = host_create_qp(h);
	f->good[3] = host_reg_mr(h);
	f->good[4] = host_create_group(h, (uint32_t)pick(f, 66));
	f->good[5] = (union admin_body){ .raw = { (uint8_t)pick(f, 12) } };
}

static void step(struct fuzz *f)
{
	static void (*const deeds[])(struct fuzz *f) = {
		store_bar, store_memory, command, engine_asks, frame, packet_out, command,
		engine_asks, push,
	};

	/* A device that has stopped, or that is never reset, has no more code to test. */
	if (f->h->nic->state != TALLY_DEVICE_READY && !pick(f, 8))
		begin(f);
	f->ready += f->h->nic->state == TALLY_DEVICE_READY;
	deeds[pick(f, sizeof(deeds) / sizeof(deeds[0]))](f);
	if (!pick(f, 256))
		f->h->control->reset_req += htole32(1);
	if (pick(f, 8))
		f->h->control->eq_db[HOST_EQN].ci = htole64(f->h->interrupts[1] - f->events);
	if (pick(f, 2))
		nic_doorbells(f->h->nic);
	sim_run_until(f->h->sim, sim_now(f->h->sim) + pick(f, 2 * VT_US));
}

static unsigned long setting(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 0) : otherwise;
}

static void run(uint64_t seed, unsigned long steps)
{
	struct fuzz f = { 0 };
	struct sim *sim = sim_new(seed);
	unsigned long i;

	rng_seed(&f.rng, seed);
	f.h = host_new(NULL, sim);
	f.h->push_qp = true;
	begin(&f);
	for (i = 0; i < steps; i++)
		step(&f);
	assert_true(f.ready > steps / 2);
	assert_true(f.pushed);
	begin(&f);
	host_must(f.h, TALLY_ADMIN_NOP, NULL);
	host_complete(f.h, 0, false);
	host_run(f.h);
	assert_int_equal(nic_counter(f.h->nic, TALLY_CTR_cqes), 1);
	host_free(f.h);
	sim_free(sim);
}

static void hostile(void **state)
{
	unsigned long seed = setting("TALLY_FUZZ_SEED", 1);
	unsigned long steps = setting("TALLY_FUZZ_STEPS", STEPS), i;

	(void)state;
	for (i = 0; i < SEEDS; i++) {
		printf("seed %lu\n", seed + i);
		run(seed + i, steps);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(hostile) };

	return cmocka_run_group_tests_name("hostile guest and network", tests, NULL, NULL);
}
