// SPDX-License-Identifier: BSD-2-Clause
/*
 * Frames from the network: the parser. A frame that is no collective packet for this NIC is
 * counted.
 */
#include <stdlib.h>
#include <string.h>

#include "core/log.h"
#include "nic/priv.h"
#include "wire/gid.h"
#include "wire/roce.h"
#include "wire/roce_layout.h"

#define CACHE_LINE	64

struct rx_item {
	struct delay_line_item item;
	struct frame *frame;
};

/* Return whether a frame may be for this NIC. The engine knows which multicast groups are. */
static bool is_ours(const struct nic *nic, const struct frame *frame)
{
	return frame->len < ETH_HEADER_BYTES || !memcmp(frame->data, nic->mac, sizeof(nic->mac)) ||
	       (frame->data[0] == 0x33 && frame->data[1] == 0x33);
}

static enum tally_counter drop_counter(enum roce_drop reason)
{
	if (roce_drop_foreign(reason))
		return TALLY_CTR_drop_not_for_us;
	return reason == ROCE_DROP_ICRC ? TALLY_CTR_drop_icrc : TALLY_CTR_drop_malformed;
}

void rx_bad(struct nic *nic, enum tally_rx why)
{
	enum tally_counter counter;

	switch (why) {
	case TALLY_RX_STATION:
	case TALLY_RX_DEST:
	case TALLY_RX_OPCODE:
		counter = TALLY_CTR_drop_not_for_us;
		break;
	case TALLY_RX_TCH:
		counter = nic->state == TALLY_DEVICE_READY ? TALLY_CTR_drop_tch :
							     TALLY_CTR_drop_not_for_us;
		break;
	case TALLY_RX_LONG:
	case TALLY_RX_MAC_ERROR:
		counter = TALLY_CTR_drop_malformed;
		break;
	default:
		counter = drop_counter((enum roce_drop)why);
		break;
	}
	nic_count(nic, counter, 1);
}

/* Return whether a packet is for this device, and its source. Otherwise it is counted. */
static bool take(struct nic *nic, const struct roce_hdr *hdr, struct engine_addr *from)
{
	bool ours = gid_is_multicast(hdr->dgid) ||
		    !memcmp(hdr->dgid, nic->gid, sizeof(nic->gid));

	if (!ours || hdr->opcode != TALLY_BTH_OPCODE_COLL || nic->state != TALLY_DEVICE_READY) {
		nic_count(nic, TALLY_CTR_drop_not_for_us, 1);
		return false;
	}
	if (hdr->ce)
		nic_count(nic, TALLY_CTR_ecn_marked, 1);
	memcpy(from->gid, hdr->sgid, sizeof(from->gid));
	memcpy(from->mac, hdr->smac, sizeof(from->mac));
	return true;
}

void rx_packet(struct nic *nic, const struct roce_hdr *hdr, const uint8_t *body, size_t len)
{
	struct engine_addr from;

	if (!take(nic, hdr, &from))
		return;
	engine_packet(nic_enter(nic), &from, body, len);
	nic_leave(nic);
}

/* A run in which the units admit another packet than the model has wrong results, so it ends. */
static void compare(struct engine *engine, const struct engine_addr *from, const uint8_t *body,
		    const struct engine_admission *a)
{
	struct engine_admission model;

	/* the nonces of an OPEN that is refused are gone */
	if (a->verdict && ((const struct tally_tch *)body)->kind == TALLY_KIND_OPEN)
		return;
	model = engine_would_admit(engine, from, body);
	if (model.verdict == a->verdict && model.numbered == a->numbered &&
	    ((a->verdict && !a->numbered) || (model.group == a->group && model.edge == a->edge)))
		return;
	sim_warn("the units answer %d for edge %u of group %u, the model %d for edge %u of group %u",
		 a->verdict, a->edge, a->group, model.verdict, model.edge, model.group);
	abort();
}

bool rx_admitted(struct nic *nic, const struct roce_hdr *hdr, const uint8_t *body, size_t len,
		 const struct engine_admission *a, bool settled)
{
	struct engine_addr from;
	struct engine *engine;
	bool stored;

	if (!take(nic, hdr, &from))
		return false;
	engine = nic_enter(nic);
	if (settled)
		compare(engine, &from, body, a);
	stored = engine_admitted(engine, a, &from, body, len);
	nic_leave(nic);
	return stored;
}

/* A run in which the units find something else in an OPEN than the model has wrong results, so it ends. */
static void compare_open(struct engine *engine, const struct engine_event *ev)
{
	const uint32_t model = engine_would_open(engine, ev);

	if (model == ev->open)
		return;
	sim_warn("the units find %x in an OPEN of edge %u of group %u, the model %x", ev->open, ev->edge,
		 ev->group, model);
	abort();
}

void rx_event(struct nic *nic, const struct engine_event *event, bool settled)
{
	struct engine *engine = nic_enter(nic);

	if (settled && event->type == TALLY_FW_EV_OPEN)
		compare_open(engine, event);
	engine_event(engine, event);
	nic_leave(nic);
}

void rx_acknowledge(struct nic *nic, const struct engine_ack *ack)
{
	if (nic->state != TALLY_DEVICE_READY)
		return;
	engine_acknowledge(nic_enter(nic), ack);
	nic_leave(nic);
}

/* A run in which the units know other packets than the model has wrong results, so it ends. */
static void check_sent(const struct engine_sent *sent, bool known, bool settled)
{
	if (known || !settled)
		return;
	sim_warn("the units have packet %u with number %x on edge %u of group %u, the model has not",
		 sent->ref, sent->seq, sent->edge, sent->group);
	abort();
}

void rx_acked(struct nic *nic, const struct engine_sent *sent, bool settled)
{
	if (nic->state != TALLY_DEVICE_READY)
		return;
	check_sent(sent, engine_acked(nic_enter(nic), sent), settled);
	nic_leave(nic);
}

void rx_again(struct nic *nic, const struct engine_sent *sent, bool settled)
{
	if (nic->state != TALLY_DEVICE_READY)
		return;
	check_sent(sent, engine_again(nic_enter(nic), sent), settled);
	nic_leave(nic);
}

void rx_expired(struct nic *nic, const struct engine_expiry *expiry)
{
	if (nic->state != TALLY_DEVICE_READY)
		return;
	engine_expired(nic_enter(nic), expiry);
	nic_leave(nic);
}

static void run_rx(void *owner, struct delay_line_item *item)
{
	const struct frame *frame = ((const struct rx_item *)item)->frame;
	enum roce_drop reason;
	struct nic *nic = owner;
	struct roce_hdr hdr;
	const uint8_t *body;
	size_t len;

	if (nic->units) {
		units_frame(nic, frame);
		return;
	}
	/* Check the address first, because a switch that floods sends frames of all kinds. */
	if (!is_ours(nic, frame)) {
		nic_count(nic, TALLY_CTR_drop_not_for_us, 1);
		return;
	}
	reason = roce_parse_frame(frame, &hdr, &body, &len);
	if (reason == ROCE_OK)
		rx_packet(nic, &hdr, body, len);
	else
		rx_bad(nic, (enum tally_rx)reason);
}

static void release(struct delay_line_item *item)
{
	frame_unref(((struct rx_item *)item)->frame);
}

void rx_local(struct nic *nic, struct frame *frame)
{
	struct rx_item *r = delay_line_item(sizeof(*r), run_rx);

	/* What run_rx() will read: headers, and what every call of the engine uses. */
	__builtin_prefetch(frame->data + CACHE_LINE);
	__builtin_prefetch(frame->data + 2 * CACHE_LINE);
	engine_prefetch(nic->engine);
	r->item.release = release;
	r->frame = frame;
	nic_count(nic, TALLY_CTR_rx_frames, 1);
	nic_count(nic, TALLY_CTR_rx_bytes, frame->len);
	delay_line_add(&nic->rx, &r->item, sim_now(nic->sim));
}

void rx_frame(void *arg, struct frame *frame)
{
	struct nic_port *port = arg;

	if (ports_choose(port->nic) && frame->len >= ETH_HEADER_BYTES)
		ports_learn(port, frame->data + ETH_SMAC);
	rx_local(port->nic, frame);
}
