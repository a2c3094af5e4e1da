// SPDX-License-Identifier: BSD-2-Clause
/*
 * The cables. If there are two, a neighbour is behind the port where its frames arrived last. When
 * the table of neighbours is full, it forgets the entry that was made first. A frame to an unknown
 * neighbour leaves through every port.
 *
 * The host's port is up while one of the cables has a carrier. The NIC reports a change only after
 * it has lasted, so a link that goes up and down all the time does not fill the event queue.
 */
#include <string.h>

#include "nic/priv.h"

#define CARRIER_DEBOUNCE	VT_MS

static bool is_up(const struct nic *nic)
{
	for (unsigned int i = 0; i < NIC_PORTS; i++)
		if (nic->ports[i].cable && fab_port_carrier(nic->ports[i].cable))
			return true;
	return false;
}

static void carrier_settled(void *arg)
{
	struct nic *nic = arg;
	bool up = is_up(nic);

	if (up == nic->link_up)
		return;
	nic->link_up = up;
	ident_port(nic);
	eq_post(nic, TALLY_EQE_PORT, 0, up);
}

static void carrier_changed(void *arg, bool up)
{
	struct nic *nic = ((struct nic_port *)arg)->nic;

	(void)up;	/* another cable may be up, and this one may change again */
	sim_schedule_in(nic->sim, &nic->carrier, CARRIER_DEBOUNCE);
}

void ports_attach(struct nic *nic, struct fab_port *const *cables)
{
	sim_event_init(&nic->carrier, carrier_settled, nic);
	for (unsigned int i = 0; i < NIC_PORTS; i++) {
		struct nic_port *p = &nic->ports[i];

		p->nic = nic;
		p->cable = cables[i];
		STAILQ_INIT(&p->waiting);
		if (!p->cable)
			continue;
		p->cable->rx = rx_frame;
		p->cable->tx_room = tx_pump;
		p->cable->carrier = carrier_changed;
		p->cable->arg = p;
	}
	nic->link_up = is_up(nic);
}

void ports_detach(struct nic *nic)
{
	sim_cancel(nic->sim, &nic->carrier);
	for (unsigned int i = 0; i < NIC_PORTS; i++) {
		struct fab_port *cable = nic->ports[i].cable;

		if (!cable)
			continue;
		cable->rx = NULL;
		cable->tx_room = NULL;
		cable->carrier = NULL;
		cable->arg = NULL;
	}
}

bool ports_choose(const struct nic *nic)
{
	return nic->ports[0].cable && nic->ports[1].cable;
}

static struct neighbour *find(struct nic *nic, const uint8_t mac[6])
{
	for (unsigned int i = 0; i < nic->num_neighbours; i++)
		if (!memcmp(nic->neighbours[i].mac, mac, sizeof(nic->neighbours[i].mac)))
			return &nic->neighbours[i];
	return NULL;
}

void ports_learn(struct nic_port *port, const uint8_t mac[6])
{
	struct nic *nic = port->nic;
	struct neighbour *n;

	if (mac[0] & 1)
		return;
	n = find(nic, mac);
	if (!n) {
		if (nic->num_neighbours < NIC_NEIGHBOURS)
			nic->num_neighbours++;
		n = &nic->neighbours[nic->next_neighbour++ % NIC_NEIGHBOURS];
		memcpy(n->mac, mac, sizeof(n->mac));
	}
	n->port = port;
}

bool ports_sends_by(struct nic_port *port, const uint8_t mac[6])
{
	struct nic *nic = port->nic;
	const struct neighbour *n;

	if (!port->cable)
		return false;
	if (!ports_choose(nic))
		return true;
	n = find(nic, mac);
	return !n || n->port == port;
}

void ports_forget(struct nic *nic)
{
	nic->num_neighbours = 0;
	nic->next_neighbour = 0;
}
