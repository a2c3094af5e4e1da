/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of units that are hardware (docs/rtl-nic.md): what they need of groups, edges and queue pairs is
 * written to the registers of the hardware as well.
 */
#ifndef TALLY_SIM_ENGINE_MIRROR_H
#define TALLY_SIM_ENGINE_MIRROR_H

#include "engine/tables.h"

/* The firmware has written a register, which may be one of those. */
void mirror_write(struct engine *e, uint32_t reg, uint64_t value);
/* All registers of a group or tombstone but those of its edges. */
void mirror_group(struct engine *e, const struct group *g);
/* What the segment store reads of a group and its edges, before packets find it. */
void mirror_store(struct engine *e, const struct group *g);
/*
 * What packets of the firmware are formed from, if the host sends them, and an OPEN is compared with, if the
 * host does that, of a group or a tombstone; and what the latter needs of an edge, besides.
 */
void mirror_packets(struct engine *e, const struct group *g);
void mirror_compared(struct engine *e, const struct group *g, const struct edge *ed);
/* A command of the firmware, as it is written to `go`, which has the host send a packet. */
void mirror_send(struct engine *e, uint32_t go);
/* What the parser of requests reads of a group, before queue pairs are in it. */
void mirror_requests(struct engine *e, const struct group *g);
/* The firmware has written a register of a queue pair, at @reg of the array. */
void mirror_qp_write(struct engine *e, uint32_t reg, uint64_t value);
void mirror_qp_state(struct engine *e, const struct qp *qp);
/* For a host that completes requests: a queue pair exists, or not any more. */
void mirror_qp_create(struct engine *e, const struct qp *qp);
void mirror_qp_forget(struct engine *e, const struct qp *qp);
/* The epoch of its group has ended, and no access of its requests is under way but flag words. */
void mirror_epoch_end(struct engine *e, const struct qp *qp, const struct report *r);
/* The firmware has found a report, or a better one: what its queue pairs in ERROR flush has it, too. */
void mirror_report(struct engine *e, const struct group *g);
/* Its QUERY is answered. */
void mirror_answer(struct engine *e, const struct qp *qp, const struct report *r, uint8_t flags);
/*
 * For a host that begins the requests of a group: an epoch begins, which its store has begun, or ends;
 * what it knows of a queue pair (told_sole, told_flags); the first queue pair of the group, and the
 * next one of a queue pair.
 */
void mirror_sender_epoch(struct engine *e, const struct group *g, bool begins);
/* A frozen group begins no request any more. */
void mirror_sender_freeze(struct engine *e, const struct group *g);
void mirror_sender_qp(struct engine *e, const struct qp *qp);
void mirror_sender_first(struct engine *e, const struct group *g);
void mirror_sender_next(struct engine *e, const struct qp *qp);
/*
 * For a host that has the pool of segments: how many groups and segments there are; a group joins;
 * another command for a group; it has use for segments of numbers below @top.
 */
void mirror_pool_limits(struct engine *e);
void mirror_pool_join(struct engine *e, const struct group *g);
void mirror_pool_go(struct engine *e, const struct group *g, enum tally_fw_pool_code code);
void mirror_pool_borrow(struct engine *e, const struct group *g, uint32_t top);
/*
 * For a host that carries out the descriptors of a group: what it must know of the group, which
 * reserves @cells; the port of a queue pair, before it is in the list of its group; and this list.
 */
void mirror_trigger_group(struct engine *e, const struct group *g, uint32_t cells);
void mirror_trigger_port(struct engine *e, const struct qp *qp);
void mirror_trigger_first(struct engine *e, const struct group *g);
void mirror_trigger_next(struct engine *e, const struct qp *qp);
void mirror_state(struct engine *e, const struct group *g);
/* An edge is renewed: it sends from its first number on. */
void mirror_renewed(struct engine *e, const struct group *g, const struct edge *ed);
/* The same, for a host that renews edges, and has been given the numbers. */
void mirror_renew(struct engine *e, const struct group *g, const struct edge *ed);
/* The next epoch of a group begins: packets of the one before are not for the firmware any more. */
void mirror_begin(struct engine *e, const struct group *g);
/* No result of a group that has ended is to be written any more; a host that raises events of groups says when. */
void mirror_fence(struct engine *e, const struct group *g);
/* Nothing of a group is sent again. */
void mirror_freeze(struct engine *e, const struct group *g);
/* What the handshake changes of an edge. */
void mirror_edge(struct engine *e, const struct group *g, const struct edge *ed);
/* The number of the neighbour's first packet. The edge opens. */
void mirror_first(struct engine *e, const struct group *g, const struct edge *ed);
/*
 * For a host that has the store of the group: what headers of packets to the neighbour tell of it, and
 * its first limit; that its end is open, too; and, behind mirror_add(), what all headers of the
 * group tell.
 */
void mirror_open(struct engine *e, const struct group *g, const struct edge *ed);
void mirror_settled(struct engine *e, const struct group *g, const struct edge *ed);
void mirror_headers(struct engine *e, const struct group *g);
/* Packets find a group or tombstone from now on, or do not any more. */
void mirror_add(struct engine *e, const struct group *g);
void mirror_remove(struct engine *e, const struct group *g);
/* A new tombstone with its edges. Packets find it from now on. */
void mirror_tombstone(struct engine *e, const struct group *t);

#endif
