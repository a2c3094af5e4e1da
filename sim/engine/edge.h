/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbering, acknowledgement, retransmission. */
#ifndef TALLY_SIM_ENGINE_EDGE_H
#define TALLY_SIM_ENGINE_EDGE_H

#include "engine/tables.h"

enum rx_verdict { RX_STORED, RX_BUSY, RX_DROP };
/* Whether the window of the edge has a number for a packet. */
bool edge_can_send(const struct edge *ed);
/* Whether the neighbour has not acknowledged all that was sent to it. */
static inline bool edge_unacked(const struct edge *ed)
{
	return ed->tx_una != ed->tx_next || ed->away;
}
/* Whether a packet of chunk @num, or a triggered message, may take a number. */
bool edge_can_send_chunk(const struct group *g, const struct edge *ed, uint32_t num);
bool edge_can_send_message(const struct group *g, const struct edge *ed);
/* Account for a packet of a chunk that was sent, and for a chunk that is done. */
void edge_chunk_sent(struct edge *ed, struct slot *s, unsigned int idx);
void edge_chunk_done(struct group *g, const struct slot *s);
/* Number and send a packet. The payload must stay in place until the packet is acknowledged. */
struct tx_entry *edge_send(struct engine *e, struct group *g, unsigned int idx, struct tch *t,
			   const void *payload, uint16_t len);
/* Whether a numbered packet may be stored: OK, or the first of DUPLICATE, WINDOW and TURN that holds. */
enum tally_fw_admission edge_judge(const struct edge *ed, const struct tch *t);
/* Account for a packet that may not. A duplicate is acknowledged again. */
void edge_refuse(struct engine *e, struct edge *ed, enum tally_fw_admission why);
/* Return whether this number is new. A duplicate or a number out of the window is handled here. */
bool edge_accept(struct engine *e, struct group *g, unsigned int idx, const struct tch *t);
/* Return whether the predecessor of a TRIGGER, to the same port and counter, is stored. */
bool edge_in_turn(const struct edge *ed, const struct tch *t);
void edge_verdict(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
		  enum rx_verdict v);
/* A packet that was acknowledged: of chunk @num, or of a triggered descriptor. */
struct acked {
	uint8_t kind;
	uint32_t num;
	uint16_t qp;
	uint32_t wqe;
};
/*
 * Handle an acknowledgement. Returns the number of packets that it newly acknowledges, which are
 * put into @acked; it has room for a window of them.
 */
unsigned int edge_ack(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
		      uint64_t seen, struct acked *acked);
/* The same for one number and its entry of tx. Returns false if it is not outstanding. */
bool edge_take_acked(struct group *g, unsigned int idx, uint32_t seq, uint16_t ref,
		     struct acked *acked);
/* Send a packet again that the host has found to be due. Returns false if it is not outstanding. */
bool edge_send_again(struct engine *e, struct group *g, unsigned int idx, uint32_t seq,
		     uint16_t ref);
/* A packet of the host's store has left for the first time, was repeated, or is acknowledged. */
void edge_left(struct group *g, unsigned int idx);
void edge_repeated(struct engine *e, struct edge *ed);
void edge_there(struct group *g, unsigned int idx);
void edge_busy(struct engine *e, struct group *g, unsigned int idx, const struct tch *t);
/* Note a packet of this epoch: the neighbour is alive, and the packet carries its done. */
void edge_heard(struct engine *e, struct group *g, unsigned int idx, const struct tch *t);
void edge_send_ack(struct engine *e, struct group *g, unsigned int idx);
/* The same with what the hardware has found. */
void edge_send_given_ack(struct engine *e, struct group *g, unsigned int idx, uint32_t top,
			 uint64_t seen);
void edge_notify(struct engine *e, struct group *g, unsigned int idx);
/* done has advanced: tell the neighbours soon. */
void edge_announce(struct engine *e, struct group *g);
/*
 * done has advanced, or the limit has risen: tell the neighbours that must know at once. Chunks of
 * this mode are posted here; 0: none are.
 */
void edge_hurry_limit(struct engine *e, struct group *g, uint8_t mode);
void edge_timers(struct engine *e, struct group *g, unsigned int idx);
uint64_t edge_next(const struct edge *ed);
/* Forget all packets of an edge that are not acknowledged. */
void edge_flush(struct group *g, struct edge *ed);
/* Release the packets of all edges, which begin to open. */
void edge_release_all(struct group *g);
uint64_t edge_backoff(const struct group *g, unsigned int tries);

#endif
