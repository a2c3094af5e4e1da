// SPDX-License-Identifier: BSD-2-Clause
/*
 * Frames for a NIC with its engine: two NICs on a cable, whose groups work together. An attacker on
 * the cable sends frames again that it has seen, changed and with right checksums.
 */
#include <string.h>

#include "fabric/link.h"
#include "guest.h"
#include "mend.h"
#include "wire/roce_layout.h"

#define NODES		2
#define KEPT		8
#define MOST_DEEDS	200

struct net {
	struct guest node[NODES];
	struct fab_link *link;
	struct frame *kept[KEPT];
	unsigned int num_kept;
};

static bool listen_in(void *arg, struct fab_transit *transit)
{
	struct net *n = arg;
	struct frame **place = &n->kept[n->num_kept++ % KEPT];

	frame_unref(*place);
	*place = frame_copy(transit->f);
	FUZZ_MUST(*place);
	return true;
}

/* Offset of the collective header, which follows Ethernet, IPv6, UDP and BTH. */
#define TCH_AT	(ETH_HEADER_BYTES + IP6_BYTES + UDP_BYTES + BTH_BYTES)

static void forge(struct frame *f, struct input *in)
{
	switch (input_below(in, 4)) {
	case 0:
		input_spoil(in, f->data, f->len, 3);
		break;
	case 1:
		input_spoil(in, f->data, TCH_AT, 2);
		break;
	default:
		if (f->len > TCH_AT)
			input_spoil(in, f->data + TCH_AT, f->len - TCH_AT, 4);
		break;
	}
	if (input_one_in(in, 8))
		f->len = input_below(in, f->len + 1);
	mend(f->data, f->len, input_one_in(in, 8) ? input_u8(in) : MEND_LENGTHS | MEND_ICRC | MEND_CHECKSUMS);
}

static void repeat(struct net *n, struct input *in)
{
	struct frame *f = n->kept[input_below(in, KEPT)];
	struct guest *to = &n->node[input_below(in, NODES)];

	if (!f)
		return;
	f = frame_copy(f);
	FUZZ_MUST(f);
	if (!input_one_in(in, 8))
		forge(f, in);
	rx_frame(&to->h->nic->ports[0], f);
}

static void send_anything(struct net *n, struct input *in)
{
	struct frame *f = frame_alloc(input_below(in, 200));

	FUZZ_MUST(f);
	input_bytes(in, f->data, f->len < 64 ? f->len : 64);
	mend(f->data, f->len, input_u8(in));
	rx_frame(&n->node[input_below(in, NODES)].h->nic->ports[0], f);
}

static void step(struct net *n, struct input *in)
{
	struct guest *g = &n->node[input_below(in, NODES)];

	switch (input_below(in, 10)) {
	case 0:
	case 1:
	case 2:
		repeat(n, in);
		break;
	case 3:		/* a collective: the same message at each node */
		for (unsigned int i = 0; i < NODES; i++)
			guest_post(&n->node[i], in);
		break;
	case 4:
		guest_post(g, in);
		break;
	case 5:
		guest_consume(g);
		break;
	case 6:
		send_anything(n, in);
		break;
	case 7:
		guest_command(g, in);
		break;
	default:
		guest_wait(g, in);
		break;
	}
}

/* If one NIC has stopped, its group is useless to the other one, so both restart. */
static void restart(struct net *n, struct input *in)
{
	unsigned int i;

	for (i = 0; i < NODES && !guest_is_broken(&n->node[i]); i++)
		;
	if (i == NODES || input_one_in(in, 4))
		return;
	for (i = 0; i < NODES; i++)
		guest_restart(&n->node[i]);
}

static void start(struct net *n, struct sim *sim, uint8_t salt)
{
	const struct fab_link_params params = FAB_LINK_DEFAULTS;

	*n = (struct net){ .link = fab_link_new(sim, &params, "a", "b") };
	FUZZ_MUST(n->link);
	for (unsigned int i = 0; i < NODES; i++) {
		struct fab_port *port = fab_link_port(n->link, i);

		port->pass = listen_in;
		port->pass_arg = n;
		guest_start(&n->node[i], sim, port, i, NODES, salt);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct sim *sim = sim_new(1);
	struct net n;
	unsigned int i;

	FUZZ_MUST(sim);
	start(&n, sim, input_u8(&in));
	for (i = 0; in.left && i < MOST_DEEDS; i++) {
		restart(&n, &in);
		step(&n, &in);
	}
	sim_run_until(sim, sim_now(sim) + 100 * VT_MS);
	for (i = 0; i < NODES; i++)
		guest_must_recover(&n.node[i]);
	for (i = 0; i < NODES; i++)
		guest_free(&n.node[i]);
	fab_link_free(n.link);
	for (i = 0; i < KEPT; i++)
		frame_unref(n.kept[i]);
	sim_free(sim);
	return 0;
}
