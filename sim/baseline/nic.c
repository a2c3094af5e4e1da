// SPDX-License-Identifier: BSD-2-Clause
/*
 * A NIC that sends and receives messages. It sends messages one after the other, in the order in
 * which their first packets are ready, and each packet as soon as the wire is free and its data are
 * present. Answers to reads, which may be long, let all other messages pass between their packets.
 */
#include "baseline/nic.h"

#include <stdlib.h>
#include <string.h>

static vtime_t later(vtime_t a, vtime_t b)
{
	return a > b ? a : b;
}

/* Returns the time at which packet @index of @m could be sent. */
static vtime_t packet_ready(const struct baseline_nic *nic, const struct baseline_message *m,
			    uint32_t index)
{
	const struct bench_params *p = &nic->net->p;
	uint64_t bytes = (uint64_t)index * p->mtu + baseline_packet_data(p, m, index);

	if (!m->gathered)
		return m->ready;
	return m->read_from + bench_bytes_time(bytes, p->pcie_rate) + p->pcie_read +
	       nic->net->encap;
}

static struct baseline_message **queue_of(struct baseline_nic *nic,
					  const struct baseline_message *m)
{
	return m->kind == BASELINE_DATA ? &nic->answers : &nic->requests;
}

static void send_packet(struct baseline_nic *nic, struct baseline_message *m)
{
	struct baseline_net *net = nic->net;
	struct baseline_nic *to = &net->nic[m->at == &net->nic[m->from_node] ? m->to_node :
					m->from_node];
	struct frame *f = baseline_packet_build(nic, to, m, m->sent);

	/* As in the event queue: a run that loses a packet would be wrong. */
	if (!f)
		abort();
	if (++m->sent == m->packets)
		*queue_of(nic, m) = m->next;
	fab_send(nic->port, f);
}

/* Returns the time at which @m's next packet can be sent; VT_NEVER if there is no message. */
static vtime_t next_ready(const struct baseline_nic *nic, const struct baseline_message *m)
{
	return m ? packet_ready(nic, m, m->sent) : VT_NEVER;
}

static void pump(void *arg)
{
	struct baseline_nic *nic = arg;
	struct sim *sim = nic->net->sim;

	while (nic->requests || nic->answers) {
		vtime_t request, answer;

		if (fab_tx_busy(nic->port)) {
			fab_tx_notify(nic->port);
			return;
		}
		request = next_ready(nic, nic->requests);
		answer = next_ready(nic, nic->answers);
		if (request <= sim_now(sim)) {
			send_packet(nic, nic->requests);
		} else if (answer <= sim_now(sim)) {
			send_packet(nic, nic->answers);
		} else {
			sim_schedule(sim, &nic->pump, request < answer ? request : answer);
			return;
		}
	}
}

/* Inserts after messages that are ready no later, and after one that is being sent. */
static void enqueue(struct baseline_nic *nic, struct baseline_message *m)
{
	struct baseline_message **at = queue_of(nic, m);

	while (*at && ((*at)->sent || (*at)->ready <= m->ready))
		at = &(*at)->next;
	m->next = *at;
	*at = m;
	pump(nic);
}

void baseline_nic_send(struct baseline_nic *nic, struct baseline_message *m)
{
	struct baseline_net *net = nic->net;
	vtime_t start = sim_now(net->sim) + (m->kind == BASELINE_DATA ? 0 : net->request);

	m->at = nic;
	m->packets = baseline_packets(&net->p, m->kind, m->bytes);
	m->sent = m->arrived = 0;
	m->ready = start + net->encap;
	if (m->gathered) {
		m->read_from = later(start, nic->read_busy);
		nic->read_busy = m->read_from + bench_bytes_time(m->bytes, net->p.pcie_rate);
		m->ready = packet_ready(nic, m, 0);
	}
	enqueue(nic, m);
}

/* Answers a read after its request is parsed, without the CPU. */
static void answer(void *arg)
{
	struct baseline_message *m = arg;

	m->kind = BASELINE_DATA;
	m->gathered = true;
	baseline_nic_send(m->at, m);
}

static void complete(void *arg)
{
	struct baseline_message *m = arg;
	struct baseline_net *net = m->at->net;

	net->arrived(net->arg, m);
}

/* Writes @bytes of @m to host memory; the completion follows the last ones. */
static void write_host(struct baseline_nic *nic, struct baseline_message *m, uint64_t bytes)
{
	struct baseline_net *net = nic->net;
	vtime_t start = later(sim_now(net->sim) + net->parse, nic->write_busy);

	nic->write_busy = start + bench_bytes_time(bytes, net->p.pcie_rate);
	if (m->arrived < m->packets)
		return;
	sim_event_init(&m->event, complete, m);
	sim_schedule(net->sim, &m->event, nic->write_busy + net->status + net->p.pcie_write);
}

static void keep_data(struct baseline_message *m, const struct baseline_net *net, uint32_t index,
		      const uint8_t *data, uint64_t len)
{
	if (!m->data || !len)
		return;
	if (!m->got)
		m->got = malloc(m->bytes);
	if (!m->got)
		abort();
	memcpy(m->got + index * net->p.mtu, data, len);
}

static void receive(void *arg, struct frame *f)
{
	struct baseline_nic *nic = arg;
	struct baseline_net *net = nic->net;
	const uint8_t *data;
	uint32_t index;
	struct baseline_message *m = baseline_packet_parse(net, f, &index, &data);
	uint64_t len;

	/* A lossless fabric with one path preserves the order. */
	if (!m)
		abort();
	len = baseline_packet_data(&net->p, m, index);
	keep_data(m, net, index, data, len);
	m->arrived++;
	frame_unref(f);
	if (m->kind == BASELINE_READ) {
		m->at = nic;
		sim_event_init(&m->event, answer, m);
		sim_schedule_in(net->sim, &m->event, net->parse);
		return;
	}
	write_host(nic, m, len + (index ? 0 : baseline_envelope(m->kind)));
}

void baseline_nic_init(struct baseline_nic *nic, struct baseline_net *net, uint32_t node,
		       struct fab_port *port)
{
	const uint8_t mac[6] = { 0x02, 0x54, 0x53, 0x01, node >> 8, node };

	*nic = (struct baseline_nic){ .net = net, .port = port };
	memcpy(nic->mac, mac, sizeof(mac));
	nic->gid[0] = 0xfe;
	nic->gid[1] = 0x80;
	memcpy(nic->gid + 10, mac, sizeof(mac));
	sim_event_init(&nic->pump, pump, nic);
	port->rx = receive;
	port->tx_room = pump;
	port->arg = nic;
}
