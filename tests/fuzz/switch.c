// SPDX-License-Identifier: BSD-2-Clause
/*
 * Frames of any content in fabrics of any shape: groups come and go, and switches die and recover.
 * The number of arrivals is bounded, and no frame is left after a while.
 */
#include <string.h>

#include "fabric/topology.h"
#include "input.h"

#define MOST_HOSTS	12
#define MOST_DEEDS	150

struct net {
	struct sim *sim;
	struct topo *topo;
	unsigned int hosts;
	uint64_t sent, arrived;
};

static void take(void *arg, struct frame *f)
{
	struct net *n = arg;

	n->arrived++;
	frame_unref(f);
}

static void mac_of(unsigned int host, uint8_t mac[6])
{
	const uint8_t bytes[6] = { 2, 0, 0, 0, 0, host };

	memcpy(mac, bytes, sizeof(bytes));
}

static bool build(struct net *n, struct input *in)
{
	struct topo_cfg cfg = TOPO_DEFAULTS;
	char why[200] = "";
	uint8_t mac[6];

	cfg.kind = input_below(in, TOPO_KINDS);
	cfg.hosts = input_below(in, 16) ? 1 + input_below(in, MOST_HOSTS) : input_number(in) % 100;
	cfg.sw.ports = input_below(in, 4) ? 2 * input_below(in, 8) : input_number(in) % 2000;
	cfg.sw.cut_through = input_u8(in) & 1;
	n->sim = sim_new(1);
	n->topo = topo_new(n->sim, &cfg, why, sizeof(why));
	FUZZ_MUST(n->topo || why[0]);
	if (!n->topo)
		return false;
	n->hosts = cfg.hosts;
	for (unsigned int i = 0; i < n->hosts; i++) {
		struct fab_port *port = topo_port(n->topo, i);

		mac_of(i, mac);
		FUZZ_MUST(!topo_learn(n->topo, i, mac));
		port->rx = take;
		port->arg = n;
	}
	return true;
}

static void send(struct net *n, struct input *in)
{
	struct frame *f = frame_alloc(input_one_in(in, 8) ? input_below(in, FRAME_MAX + 1) : 60 + input_u8(in));

	FUZZ_MUST(f);
	if (f->len >= ETH_HEADER_BYTES) {
		mac_of(input_below(in, n->hosts + 1), f->data);
		if (input_one_in(in, 3)) {
			memset(f->data, 0x33, 2);
			f->data[5] = input_below(in, 4);
		}
		if (input_one_in(in, 8))
			input_bytes(in, f->data, ETH_HEADER_BYTES);
	}
	n->sent++;
	fab_send(topo_port(n->topo, input_below(in, n->hosts)), f);
}

static void join(struct net *n, struct input *in)
{
	uint8_t mac[6] = { 0x33, 0x33, 0, 0, 0, input_below(in, 4) };
	unsigned int hosts[MOST_HOSTS], num = input_below(in, MOST_HOSTS);

	if (input_one_in(in, 16))
		input_bytes(in, mac, sizeof(mac));
	for (unsigned int i = 0; i < num; i++)
		hosts[i] = input_below(in, n->hosts + 1);
	topo_join(n->topo, mac, hosts, num);
}

static void fault(struct net *n, struct input *in)
{
	struct fab_link *link = topo_num_links(n->topo) ?
		topo_link(n->topo, input_below(in, topo_num_links(n->topo))) : NULL;
	struct fab_faults faults = {
		.drop = input_below(in, 5) * 0.3,
		.duplicate = input_below(in, 4) * 0.3,
		.corrupt = input_below(in, 4) * 0.3,
		.delay = input_below(in, 4) * 0.3,
		.delay_max = input_u32(in),
	};

	if (!link)
		return;
	fab_port_set_faults(fab_link_port(link, input_below(in, 2)), &faults);
}

static void step(struct net *n, struct input *in)
{
	switch (input_below(in, 8)) {
	case 0:
		join(n, in);
		break;
	case 1:
		fault(n, in);
		break;
	case 2:
	case 3:
		sim_run_until(n->sim, sim_now(n->sim) + input_u16(in) * VT_NS / 4);
		break;
	default:
		send(n, in);
		break;
	}
}

/*
 * No frame is queued. Each host gets a frame at most 64 times, a limit that allows for duplicates
 * by faults.
 */
static void check(struct net *n)
{
	for (unsigned int i = 0; i < topo_num_links(n->topo); i++)
		for (unsigned int end = 0; end < 2; end++)
			FUZZ_MUST(!fab_link_port(topo_link(n->topo, i), end)->queued);
	FUZZ_MUST(n->arrived <= n->sent * n->hosts * 64);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct net n = { 0 };

	if (build(&n, &in)) {
		for (unsigned int i = 0; in.left && i < MOST_DEEDS; i++)
			step(&n, &in);
		sim_run_until(n.sim, sim_now(n.sim) + 10 * VT_S);
		check(&n);
	}
	topo_free(n.topo);
	sim_free(n.sim);
	return 0;
}
