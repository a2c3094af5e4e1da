// SPDX-License-Identifier: BSD-2-Clause
/* The event queues: each event goes to the owner of the object that it concerns. */
#include <stdio.h>

#include "hosts/priv.h"

static void completion_event(struct host *h, uint32_t cqn)
{
	/* The queue of the event may have been destroyed meanwhile. */
	if (cqn < TALLY_MAX_CQ && h->cq[cqn])
		h->cq[cqn]->event(h->cq[cqn]->arg);
}

static void cq_error(struct host *h, uint32_t cqn)
{
	if (cqn < TALLY_MAX_CQ && h->cq[cqn] && h->cq[cqn]->overran)
		h->cq[cqn]->overran(h->cq[cqn]->arg);
	else
		host_error(h, "a completion queue has overrun");
}

static void group_event(struct host *h, const struct tally_eqe *eqe)
{
	uint32_t group = le32toh(eqe->id);

	if (group < TALLY_MAX_GROUP && h->group[group].fn)
		h->group[group].fn(h->group[group].arg, eqe->etype, le64toh(eqe->data));
	else
		host_error(h, "an event of a group that does not exist");
}

static void dispatch(struct host *h, const struct tally_eqe *eqe)
{
	char what[80];

	switch (eqe->etype) {
	case TALLY_EQE_CQ:
		completion_event(h, le32toh(eqe->id));
		break;
	case TALLY_EQE_CQ_ERROR:
		cq_error(h, le32toh(eqe->id));
		break;
	case TALLY_EQE_GROUP_DEAD:
	case TALLY_EQE_GROUP_DRAINED:
		group_event(h, eqe);
		break;
	case TALLY_EQE_PORT:
		/* A link that is down loses frames; the groups detect that themselves. */
		break;
	default:
		snprintf(what, sizeof(what), "event of type %u, object %u, data %ju", eqe->etype,
			 le32toh(eqe->id), (uintmax_t)le64toh(eqe->data));
		host_error(h, what);
	}
}

void host_eq_poll(struct host *h, uint32_t eqn)
{
	struct host_eq *eq = &h->eq[eqn];
	const struct tally_eqe *ring = arena_at(&h->mem, eq->ring,
						HOST_EQ_DEPTH * sizeof(*ring));

	while (ring[eq->consumed % HOST_EQ_DEPTH].owner ==
	       host_owner(eq->consumed, HOST_EQ_DEPTH)) {
		const struct tally_eqe eqe = ring[eq->consumed % HOST_EQ_DEPTH];

		eq->consumed++;
		h->control->eq_db[eqn].ci = htole64(eq->consumed);
		dispatch(h, &eqe);
	}
}
