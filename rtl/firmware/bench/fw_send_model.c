// SPDX-License-Identifier: BSD-2-Clause
#include "fw_send_model.h"

#include <stdlib.h>
#include <string.h>

#include "engine/commands.h"
#include "engine/common.h"
#include "engine/random.h"
#include "engine/registers.h"
#include "nic/tx_header.h"

static struct engine *engine;
static uint8_t own_mac[6], own_gid[16];
static struct fw_send_packet last;
static unsigned int sent;

static void host_send(void *ctx, const struct engine_addr *to, const struct tally_tch *tch,
		      const void *payload, size_t len, uint64_t delay)
{
	(void)ctx;
	(void)delay;
	memset(&last, 0, sizeof(last));
	last.hdr = tx_header(own_mac, own_gid, to, tch);
	last.tch = *tch;
	last.len = len;
	memcpy(last.payload, payload, len);
	sent++;
}

static const struct engine_host host = { .send = host_send };

static struct edge *the_edge(void)
{
	return &engine->groups[0].edges[FW_SEND_EDGE];
}

void fw_send_model_init(const uint8_t mac[6], const uint8_t gid[16])
{
	engine = engine_new(&host, NULL, 1);
	if (!engine)
		abort();
	memcpy(own_mac, mac, sizeof(own_mac));
	memcpy(own_gid, gid, sizeof(own_gid));
	engine->groups[0].parent = NO_EDGE; /* no values of a subtree are told */
}

void fw_send_model_write(uint32_t reg, uint32_t value)
{
	registers_write(engine, reg, value);
}

void fw_send_model_state(const struct fw_send_state *s)
{
	struct group *g = &engine->groups[0];
	struct edge *ed = the_edge();

	ed->nonce = s->nonce;
	ed->peer_nonce = s->peer_nonce;
	ed->key = s->key;
	ed->own_first_seq = ed->tx_una = s->own_first_seq; /* nothing has been sent */
	g->done = s->done;
	g->limit = s->limit;
}

struct fw_send_packet fw_send_model_go(uint32_t code, uint64_t nonce)
{
	const struct tally_tch_open of = { .nonce = htobe64(nonce) };

	memcpy(engine->event.data, &of, sizeof(of));
	sent = 0;
	commands_go(engine, code | FW_SEND_EDGE << 8);
	if (sent != 1)
		abort();
	return last;
}

unsigned int fw_send_model_renew(uint64_t seed, struct fw_send_state *s)
{
	struct edge *ed = the_edge();
	unsigned int taken = 0;

	engine->seed = seed;
	commands_go(engine, TALLY_FW_CMD_RENEW_EDGE | FW_SEND_EDGE << 8);
	for (; seed != engine->seed; taken++)
		fw_send_model_random(&seed);
	s->nonce = ed->nonce;
	s->key = ed->key;
	s->own_first_seq = ed->own_first_seq;
	return taken;
}

uint64_t fw_send_model_random(uint64_t *seed)
{
	uint64_t kept = engine->seed, value;

	engine->seed = *seed;
	value = engine_random(engine);
	*seed = engine->seed;
	engine->seed = kept;
	return value;
}

/* The inverse of z ^ z >> n, and that of an odd number modulo 2^64. */
static uint64_t unshift(uint64_t z, unsigned int n)
{
	uint64_t x = z;
	unsigned int done;

	for (done = n; done < 64; done += n)
		x = z ^ x >> n;
	return x;
}

static uint64_t inverse(uint64_t odd)
{
	uint64_t x = odd; /* right in three bits, and then in twice as many */
	unsigned int bits;

	for (bits = 3; bits < 64; bits *= 2)
		x *= 2 - odd * x;
	return x;
}

uint64_t fw_send_model_seed(uint64_t value, unsigned int nth)
{
	uint64_t z = unshift(value, 31) * inverse(0x94d049bb133111ebULL);

	z = unshift(z, 27) * inverse(0xbf58476d1ce4e5b9ULL);
	return unshift(z, 30) - nth * 0x9e3779b97f4a7c15ULL;
}
