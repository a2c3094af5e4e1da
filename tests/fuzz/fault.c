// SPDX-License-Identifier: BSD-2-Clause
/*
 * Specifications of faults, and their effects: a few rules on two links with a switch between them.
 * Frames pass through it while rules come and go. Every frame sent is accounted for.
 */
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "fabric/fault.h"
#include "fabric/rules.h"
#include "gen/tally_hw.h"
#include "input.h"
#include "wire/roce.h"

#define HOSTS		2
#define MOST_DEEDS	100

struct net {
	struct sim *sim;
	struct fab_switch *sw;
	struct fab_link *link[HOSTS];
	struct fab_rules *rules;
};

static void take(void *arg, struct frame *f)
{
	(void)arg;
	frame_unref(f);
}

static void nic_reset(void *arg, unsigned int nic)
{
	(void)arg;
	FUZZ_MUST(nic < HOSTS);
}

static const struct fab_rules_ops ops = { .nic_reset = nic_reset };

static void mac_of(unsigned int host, uint8_t mac[6])
{
	const uint8_t bytes[6] = { 2, 0, 0, 0, 0, host };

	memcpy(mac, bytes, sizeof(bytes));
}

static void build(struct net *n)
{
	const struct fab_link_params link = FAB_LINK_DEFAULTS;
	struct fab_switch_params sw = FAB_SWITCH_DEFAULTS;
	static const char *const names[HOSTS] = { "vm0-nic0", "vm1-nic0" };

	n->sim = sim_new(1);
	sw.ports = HOSTS;
	n->sw = fab_switch_new(n->sim, &sw);
	n->rules = fab_rules_new(n->sim, &ops, n);
	FUZZ_MUST(n->sw && n->rules);
	for (unsigned int i = 0; i < HOSTS; i++)
		FUZZ_MUST(fab_rules_add_nic(n->rules, names[i]) == (int)i);
	for (unsigned int i = 0; i < HOSTS; i++) {
		uint8_t mac[6];

		mac_of(i, mac);
		n->link[i] = fab_link_new(n->sim, &link, names[i], "switch");
		fab_link_port(n->link[i], 0)->rx = take;
		FUZZ_MUST(!fab_switch_attach(n->sw, i, fab_link_port(n->link[i], 1)));
		FUZZ_MUST(!fab_switch_learn(n->sw, mac, i));
		FUZZ_MUST(fab_rules_add_link(n->rules, n->link[i], i) >= 0);
	}
	FUZZ_MUST(fab_rules_add_switch(n->rules, n->sw, "switch") >= 0);
}

static void take_down(struct net *n)
{
	fab_rules_free(n->rules);
	fab_switch_free(n->sw);
	for (unsigned int i = 0; i < HOSTS; i++)
		fab_link_free(n->link[i]);
	sim_free(n->sim);
}

/* Returns the text up to the next newline. */
static char *line(struct input *in)
{
	const uint8_t *end = memchr(in->at, '\n', in->left);
	size_t len = end ? (size_t)(end - in->at) : in->left;
	char *text = strndup((const char *)in->at, len);

	FUZZ_MUST(text);
	in->at += len + !!end;
	in->left -= len + !!end;
	return text;
}

static void add(struct net *n, struct input *in)
{
	char *text = line(in), *err = malloc(200);
	struct fault fault;
	int bad, id;

	FUZZ_MUST(err);
	err[0] = '\0';
	bad = fault_parse(&fault, text, err, 200);
	FUZZ_MUST(!bad == !err[0]);
	id = fab_rules_add(n->rules, text, err, 200);
	FUZZ_MUST(!bad || id < 0);
	FUZZ_MUST(id > 0 || err[0]);
	free(err);
	free(text);
}

static void send(struct net *n, struct input *in)
{
	unsigned int from = input_below(in, HOSTS);
	struct roce_hdr h = { .opcode = input_one_in(in, 4) ? input_u8(in) : TALLY_BTH_OPCODE_COLL,
			      .sgid = { 0xfe, 0x80 }, .dgid = { 0xfe, 0x80 } };
	struct tally_tch tch = { .tag = htobe32(TALLY_TCH_TAG), .version = TALLY_WIRE_VERSION,
				 .kind = input_below(in, TALLY_KIND_KILL + 1),
				 .jid = htobe32(input_below(in, 3)) };
	struct frame *f;

	mac_of(from, h.smac);
	mac_of(input_one_in(in, 4) ? from : !from, h.dmac);
	f = roce_build(&h, &tch, sizeof(tch), NULL, 0);
	FUZZ_MUST(f);
	fab_send(fab_link_port(n->link[from], 0), f);
}

static void clear(struct net *n, struct input *in)
{
	struct fab_rule_info info;

	if (fab_rules_get(n->rules, input_below(in, 8), &info))
		FUZZ_MUST(!fab_rules_clear(n->rules, info.id));
}

static void step(struct net *n, struct input *in)
{
	switch (input_below(in, 8)) {
	case 0:
		add(n, in);
		break;
	case 1:
		clear(n, in);
		break;
	case 2:
		fab_rules_dma_fails(n->rules, input_below(in, HOSTS));
		break;
	case 3:
		sim_run_until(n->sim, sim_now(n->sim) + input_number(in) % VT_MS);
		break;
	default:
		send(n, in);
		break;
	}
}

static void account(struct net *n)
{
	for (unsigned int i = 0; i < HOSTS; i++)
		FUZZ_MUST(!fab_link_port(n->link[i], 0)->queued && !fab_link_port(n->link[i], 1)->queued);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct net n;

	build(&n);
	add(&n, &in);
	for (unsigned int i = 0; in.left && i < MOST_DEEDS; i++)
		step(&n, &in);
	sim_run_until(n.sim, sim_now(n.sim) + VT_S);
	account(&n);
	take_down(&n);
	return 0;
}
