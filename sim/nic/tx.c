// SPDX-License-Identifier: BSD-2-Clause
/*
 * Packets to the network: the encapsulator. A frame that a cable has no room for waits here, so
 * nothing is lost before the wire. The engine's windows limit the number of such frames. The NIC
 * receives frames to its own address itself.
 */
#include <stdlib.h>
#include <string.h>

#include "core/pool.h"
#include "nic/priv.h"
#include "nic/tx_header.h"
#include "wire/roce.h"

/* A packet in the tx line. Its frame is seldom in the cache when it leaves the line. */
struct tx_item {
	struct delay_line_item item;
	struct frame *frame;
	struct fab_head head;
};

/* A packet in the tx line, of which the units of the hardware form the frame. */
struct tx_packet_item {
	struct delay_line_item item;
	struct roce_hdr hdr;
	struct tally_tch tch;
	bool named; /* the units give it its number */
	struct engine_name name;
	size_t len;
	uint8_t payload[];
};

/* A frame that a cable had no room for. */
struct tx_wait {
	STAILQ_ENTRY(tx_wait) entry;
	struct frame *frame;
	struct fab_head head;
	vtime_t since;		/* when the frame became ready */
};

static void sent(struct nic *nic, size_t len)
{
	nic_count(nic, TALLY_CTR_tx_frames, 1);
	nic_count(nic, TALLY_CTR_tx_bytes, len);
}

static bool has_room(const struct nic_port *port, size_t len)
{
	return !fab_tx_busy(port->cable) || fab_tx_room(port->cable) >= len;
}

/*
 * A frame became ready at @since; a free cable could have begun to send it @early before, because
 * its words were ready one by one.
 */
struct tx_ready {
	vtime_t since, early;
};

/* Take over the frame. */
static void put_on_cable(struct nic_port *port, struct frame *frame, const struct fab_head *head,
			 struct tx_ready ready)
{
	vtime_t now = sim_now(port->nic->sim);

	sent(port->nic, head->len);
	if (ready.since != now) {
		span(port->nic, SPAN_TX, "wait", ready.since, now, "bytes", head->len);
		ready.early = 0;
	}
	fab_send_early(port->cable, frame, head, ready.early);
}

/* Send the frames that the cable has room for. The cable calls again when it has more room. */
void tx_pump(void *arg)
{
	struct nic_port *port = arg;
	struct tx_wait *w;

	while ((w = STAILQ_FIRST(&port->waiting))) {
		if (!has_room(port, w->head.len)) {
			fab_tx_notify(port->cable);
			return;
		}
		STAILQ_REMOVE_HEAD(&port->waiting, entry);
		put_on_cable(port, w->frame, &w->head, (struct tx_ready){ w->since, 0 });
		pool_free(w, sizeof(*w));
	}
}

/* Send the frame, which it takes over, behind those that wait. */
static void send(struct nic_port *port, struct frame *frame, const struct fab_head *head,
		 struct tx_ready ready)
{
	struct tx_wait *w;

	if (STAILQ_EMPTY(&port->waiting) && has_room(port, head->len)) {
		put_on_cable(port, frame, head, ready);
		return;
	}
	w = pool_alloc(sizeof(*w));
	if (!w)
		abort();
	w->frame = frame;
	w->head = *head;
	w->since = ready.since;
	STAILQ_INSERT_TAIL(&port->waiting, w, entry);
	tx_pump(port);
}

/* A frame that leaves through two ports is shared. Takes over the frame. */
static void send_by_choice(struct nic *nic, struct frame *frame, const struct fab_head *head,
			   struct tx_ready ready)
{
	for (unsigned int i = 0; i < NIC_PORTS; i++)
		if (ports_sends_by(&nic->ports[i], head->dmac))
			send(&nic->ports[i], frame_ref(frame), head, ready);
	frame_unref(frame);
}

/* Send the frame, and take it over. */
static void leave(struct nic *nic, struct frame *frame, const struct fab_head *head,
		  struct tx_ready ready)
{
	commit_frame(nic, frame);
	if (!memcmp(head->dmac, nic->mac, sizeof(nic->mac))) {
		sent(nic, head->len);
		rx_local(nic, frame);
	} else if (!ports_choose(nic) && nic->ports[0].cable) {
		send(&nic->ports[0], frame, head, ready);
	} else {
		send_by_choice(nic, frame, head, ready);
	}
}

/*
 * The cable may have begun before now, but the last bit leaves no earlier than that of the shortest
 * frame that begins now: the windows of a simulation rely on it.
 */
static vtime_t most_early(const struct nic *nic, size_t len)
{
	size_t more = len > FRAME_MIN ? len - FRAME_MIN : 0;

	return nic->link_mbps ? more * 8 * VT_US / nic->link_mbps : 0;
}

void tx_frame(struct nic *nic, struct frame *frame, vtime_t early)
{
	const struct fab_head head = fab_head_of(frame);
	vtime_t most = most_early(nic, head.len);

	if (early > most)
		early = most;
	leave(nic, frame, &head, (struct tx_ready){ sim_now(nic->sim), early });
}

static void run_tx(void *owner, struct delay_line_item *item)
{
	struct tx_item *t = (struct tx_item *)item;
	struct frame *frame = t->frame;

	t->frame = NULL;
	leave(owner, frame, &t->head, (struct tx_ready){ item->at, 0 });
}

static void run_tx_packet(void *owner, struct delay_line_item *item)
{
	const struct tx_packet_item *t = (const struct tx_packet_item *)item;

	units_send(owner, &t->hdr, &t->tch, t->payload, t->len, t->named ? &t->name : NULL);
}

static void release(struct delay_line_item *item)
{
	frame_unref(((struct tx_item *)item)->frame);
}

void tx_drop(struct nic *nic)
{
	for (unsigned int i = 0; i < NIC_PORTS; i++) {
		struct nic_port *port = &nic->ports[i];
		struct tx_wait *w;

		while ((w = STAILQ_FIRST(&port->waiting))) {
			STAILQ_REMOVE_HEAD(&port->waiting, entry);
			frame_unref(w->frame);
			pool_free(w, sizeof(*w));
		}
	}
}

static struct delay_line_item *packet_item(const struct roce_hdr *hdr, const struct tally_tch *tch,
					   const void *payload, size_t len,
					   const struct engine_name *name)
{
	struct tx_packet_item *t = delay_line_item(sizeof(*t) + len, run_tx_packet);

	t->hdr = *hdr;
	t->tch = *tch;
	t->named = name;
	if (name)
		t->name = *name;
	t->len = len;
	if (len)
		memcpy(t->payload, payload, len);
	return &t->item;
}

static struct delay_line_item *frame_item(const struct roce_hdr *hdr, const struct tally_tch *tch,
					  const void *payload, size_t len)
{
	struct tx_item *t = delay_line_item(sizeof(*t), run_tx);

	t->item.release = release;
	t->frame = roce_build(hdr, tch, sizeof(*tch), payload, len);
	/*
	 * Addresses were checked with the group, and the engine sets the length, so only memory can
	 * be short.
	 */
	if (!t->frame)
		abort();
	t->frame->sound = true;
	t->head = fab_head_of(t->frame);
	return &t->item;
}

void tx_packet(struct nic *nic, const struct engine_addr *to, const struct tally_tch *tch,
	       const void *payload, size_t len, vtime_t delay, const struct engine_name *name)
{
	const struct roce_hdr hdr = tx_header(nic->mac, nic->gid, to, tch);

	span_packet(nic, tch, len, delay);
	delay_line_add(&nic->tx,
		       nic->units ? packet_item(&hdr, tch, payload, len, name) :
				    frame_item(&hdr, tch, payload, len),
		       sim_now(nic->sim) + delay);
}
