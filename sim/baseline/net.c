// SPDX-License-Identifier: BSD-2-Clause
#include "baseline/net.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "baseline/nic.h"
#include "wire/roce_layout.h"

#define NONE	UINT32_MAX

/*
 * Queues never fill up: fabrics for RDMA are lossless (priority flow control), and the model has no
 * delay by flow control.
 */
#define ENDLESS_QUEUE	(1ull << 40)

static vtime_t cycles(const struct bench_params *p, uint64_t n)
{
	return n * VT_US / p->nic_clock;
}

static struct baseline_net *fail(struct baseline_net *net, char *why, size_t size, const char *text)
{
	if (text)
		snprintf(why, size, "%s", text);
	baseline_net_free(net);
	return NULL;
}

static bool attach(struct baseline_net *net)
{
	net->nic = calloc(net->nodes, sizeof(*net->nic));
	for (uint32_t i = 0; net->nic && i < net->nodes; i++) {
		struct fab_port *port = topo_port(net->topo, i);

		if (!port)
			continue;
		baseline_nic_init(&net->nic[i], net, i, port);
		if (topo_learn(net->topo, i, net->nic[i].mac))
			return false;
	}
	return net->nic;
}

struct baseline_net *baseline_net_new(const struct baseline_net_cfg *from, char *why, size_t size)
{
	struct baseline_net *net = malloc(sizeof(*net));
	const struct bench_params *p = from->params;
	struct topo_cfg cfg = from->topo;

	if (!net)
		return fail(NULL, why, size, "out of memory");
	*net = (struct baseline_net){
		.p = *p, .sim = sim_new(from->seed), .arrived = from->arrived, .arg = from->arg,
		.nodes = cfg.hosts, .free = NONE,
		.request = cycles(p, p->message_request), .parse = cycles(p, p->message_parse),
		.encap = cycles(p, p->message_encap), .status = cycles(p, p->message_status),
	};
	cfg.link.queue_bytes = cfg.trunk.queue_bytes = cfg.sw.queue_bytes = ENDLESS_QUEUE;
	if (!net->sim)
		return fail(net, why, size, "out of memory");
	sim_set_trace(net->sim, from->trace);
	net->topo = topo_new(net->sim, &cfg, why, size);
	if (!net->topo)
		return fail(net, why, size, NULL);
	return attach(net) ? net : fail(net, why, size, "out of memory");
}

void baseline_net_free(struct baseline_net *net)
{
	if (!net)
		return;
	/* Pending events refer to messages, so free the fabric and the simulation first. */
	topo_free(net->topo);
	sim_free(net->sim);
	for (uint32_t i = 0; i < net->used; i++)
		if (net->table[i]) {
			free(net->table[i]->data);
			free(net->table[i]->got);
			free(net->table[i]);
		}
	free(net->table);
	free(net->nic);
	free(net);
}

struct sim *baseline_net_sim(const struct baseline_net *net)
{
	return net->sim;
}

struct topo *baseline_net_topo(const struct baseline_net *net)
{
	return net->topo;
}

static bool grow(struct baseline_net *net)
{
	uint32_t room = net->room ? 2 * net->room : 1024;
	struct baseline_message **more;

	if (room > BTH_24_MASK + 1)
		return false;
	more = reallocarray(net->table, room, sizeof(*more));
	if (!more)
		return false;
	net->table = more;
	net->room = room;
	return true;
}

/* Freed messages stay in the table, linked by `receive`, for reuse. */
struct baseline_message *baseline_message_new(struct baseline_net *net)
{
	struct baseline_message *m;
	uint32_t id = net->free;

	if (id != NONE) {
		m = net->table[id];
		net->free = m->receive;
	} else {
		if (net->used == net->room && !grow(net))
			return NULL;
		id = net->used;
		m = malloc(sizeof(*m));
		if (!m)
			return NULL;
		net->table[net->used++] = m;
	}
	*m = (struct baseline_message){ .id = id };
	return m;
}

void baseline_message_free(struct baseline_net *net, struct baseline_message *m)
{
	free(m->data);
	free(m->got);
	m->data = m->got = NULL;
	m->receive = net->free;
	net->free = m->id;
}

static void posted(void *arg)
{
	struct baseline_message *m = arg;

	baseline_nic_send(m->at, m);
}

void baseline_post(struct baseline_net *net, struct baseline_message *m, vtime_t at)
{
	m->at = &net->nic[m->kind == BASELINE_READ ? m->to_node : m->from_node];
	sim_event_init(&m->event, posted, m);
	sim_schedule(net->sim, &m->event, at + net->p.doorbell);
}

static void delivered(void *arg)
{
	struct baseline_message *m = arg;

	m->at->net->arrived(m->at->net->arg, m);
}

void baseline_deliver(struct baseline_net *net, struct baseline_message *m, vtime_t at)
{
	m->at = &net->nic[m->to_node];
	sim_event_init(&m->event, delivered, m);
	sim_schedule(net->sim, &m->event, at);
}

bool baseline_pushes(const struct bench_params *p, uint64_t bytes)
{
	return bytes <= TALLY_MAX_INLINE &&
	       bench_bytes_time(bytes, p->push_rate) <=
	       p->pcie_read + bench_bytes_time(bytes, p->pcie_rate);
}

vtime_t baseline_post_time(const struct bench_params *p, uint64_t bytes)
{
	uint64_t pushed = baseline_pushes(p, bytes) ? bytes : 0;

	return p->post + bench_bytes_time(pushed, p->push_rate);
}
