/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The NIC around the collective engine: identification and reset, admin queue, event and completion
 * queues, memory regions, doorbells, DMA with its latencies, and the packet parser.
 *
 * It lives in virtual time and belongs to the thread of its struct sim. Host memory is reached only
 * through struct nic_bus, the network only through a fabric port. BAR2, host memory and frames may
 * change or lie at any time: every value is loaded once, checked, and the copy used.
 */
#ifndef TALLY_SIM_NIC_NIC_H
#define TALLY_SIM_NIC_NIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event.h"
#include "engine/engine.h"
#include "fabric/port.h"
#include "gen/tally_hw.h"

struct nic;

/* The way to the host; `ctx` is nic_cfg.bus_ctx. Neither function may call back into the NIC. */
struct nic_bus {
	/*
	 * The memory behind the @len bytes at @bus_addr, or NULL unless all of them are host memory.
	 * The NIC never asks for a range that crosses a boundary of TALLY_PAGE_SIZE. The pointer stays
	 * good until nic_free(): a write that was permitted is carried out later, unless a reset comes
	 * first. A page starts at a pointer aligned as the page is.
	 */
	void *(*map)(void *ctx, uint64_t bus_addr, size_t len);
	/* Raise MSI-X vector @vector, below TALLY_NUM_VECTORS. */
	void (*interrupt)(void *ctx, unsigned int vector);
};

/* What the NIC's parts take; nic_timing_default is a NIC on PCIe 4.0 x16. */
struct nic_timing {
	uint32_t doorbell_ns;	/* a doorbell's way to the engine */
	uint32_t pcie_read_ns;	/* reading host memory: request to data */
	uint32_t pcie_write_ns;	/* writing host memory: until a CPU can see it */
	uint32_t pcie_mbps;	/* payload rate of each direction in Mb/s; 0: unlimited */
	struct engine_timing engine;
};

extern const struct nic_timing nic_timing_default;

/* What kind of engine is linked: engine_kind of the identification page. */
enum nic_engine_kind {
	NIC_ENGINE_MODEL = 0,
	NIC_ENGINE_RTL = 1,
};

struct nic_cfg {
	const char *name;		/* in a trace, which copies it; NULL: the MAC address */
	uint8_t mac[6];			/* unicast, not zero */
	void *bar;			/* BAR2: TALLY_BAR_SIZE bytes, page aligned, shared with the guest */
	const struct nic_bus *bus;
	void *bus_ctx;
	struct fab_port *port;		/* NULL: no cable; the link is down */
	/*
	 * A second cable, as in a ring of NICs; NULL: none. A frame leaves by the one by which frames
	 * of its destination came in last, by both as long as none did.
	 */
	struct fab_port *port2;
	uint32_t link_mbps;		/* rate of @port's link, for the identification page */
	struct nic_timing timing;
	uint64_t seed;			/* of the engine's nonces, and of injected faults */
	enum nic_engine_kind engine_kind;
};

/*
 * A NIC that waits for its driver's reset; takes over the port's receive function. Everything @cfg
 * points to is borrowed until nic_free(), @cfg itself is copied. If @cfg->bar already held an
 * identification page (a worker was replaced), epoch and reset_ack continue from it. NULL with
 * errno: EINVAL (MAC address, alignment) or ENOMEM.
 */
struct nic *nic_new(struct sim *sim, const struct nic_cfg *cfg);

/* Before sim_free(). NULL is allowed. */
void nic_free(struct nic *nic);

/*
 * Looks at the control page and at every live doorbell slot. To be called whenever the guest rang
 * and once more after nic_sleep(nic, true); not from within nic_bus functions. Returns true if
 * something was new.
 */
bool nic_doorbells(struct nic *nic);

/*
 * Tells the host whether a doorbell must be followed by a ring. Before sleeping call
 * nic_sleep(nic, true), then nic_doorbells(), and sleep only if that found nothing; awake again,
 * nic_sleep(nic, false). Includes the full fence between the flag and the second look.
 */
void nic_sleep(struct nic *nic, bool asleep);

/* Value of a hardware counter since the last reset. */
uint64_t nic_counter(const struct nic *nic, enum tally_counter counter);

/* Writes GID 0 of a NIC with the address @mac: fe80::/64 with its EUI-64. */
void nic_gid(uint8_t gid[16], const uint8_t mac[6]);

#endif
