/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The NIC around the collective engine: identification and reset, admin queue, event and completion
 * queues, memory regions, doorbells, DMA with its latencies, and the packet parser.
 *
 * The NIC runs in virtual time and belongs to the thread of its struct sim. It reaches host memory
 * only through struct nic_bus, and the network only through a fabric port. BAR2, host memory and
 * frames may change or contain wrong values at any time, so every value is loaded once and checked,
 * and only the copy is used.
 */
#ifndef TALLY_SIM_NIC_NIC_H
#define TALLY_SIM_NIC_NIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/event.h"
#include "engine/engine.h"
#include "fabric/port.h"
#include "gen/tally_hw.h"

struct nic;
struct nic_units;

/* Access to the host; `ctx` is nic_cfg.bus_ctx. No function may call back into the NIC. */
struct nic_bus {
	/*
	 * Return the memory at the @len bytes from @bus_addr on, or NULL unless all of them are
	 * host memory. The NIC never asks for a range that crosses a boundary of TALLY_PAGE_SIZE.
	 * The pointer stays valid until nic_free(), because a permitted write is carried out later,
	 * unless a reset comes first. The memory of a page is aligned like the page.
	 */
	void *(*map)(void *ctx, uint64_t bus_addr, size_t len);
	/* Raise MSI-X vector @vector, which is below TALLY_NUM_VECTORS. */
	void (*interrupt)(void *ctx, unsigned int vector);
	/*
	 * Data or an entry of a queue have been written: @len bytes at @at, which map() returned. For
	 * hosts whose programs watch memory; NULL: none does.
	 */
	void (*written)(void *ctx, const void *at, size_t len);
};

/* Latencies of the NIC's parts; nic_timing_default describes a NIC on PCIe 4.0 x16. */
struct nic_timing {
	uint32_t doorbell_ns;	/* from a doorbell to the engine */
	uint32_t pcie_read_ns;	/* read of host memory, from request to data */
	uint32_t pcie_write_ns;	/* write of host memory, until a CPU can see it */
	uint32_t pcie_mbps;	/* payload rate of each direction in Mb/s; 0: unlimited */
	struct engine_timing engine;
};

extern const struct nic_timing nic_timing_default;

/* Kind of the engine: engine_kind of the identification page. */
enum nic_engine_kind {
	NIC_ENGINE_MODEL = 0,
	NIC_ENGINE_RTL = 1,
};

struct nic_cfg {
	const char *name;	/* name in a trace, which copies it; NULL: the MAC address */
	uint8_t mac[6];			/* unicast, not zero */
	void *bar;			/* BAR2: TALLY_BAR_SIZE bytes, page aligned, shared with the guest */
	const struct nic_bus *bus;
	void *bus_ctx;
	struct fab_port *port;		/* NULL: no cable, the link is down */
	/*
	 * Second cable, as in a ring of NICs; NULL: none. A frame leaves through the cable by which
	 * the last frame from its destination arrived, or through both if none has arrived.
	 */
	struct fab_port *port2;
	uint32_t link_mbps;		/* rate of @port's link, for the identification page */
	struct nic_timing timing;
	uint64_t seed;			/* seed of the engine's nonces and of injected faults */
	uint16_t domain;		/* of its events (sim_set_windows()) */
	uint32_t max_groups;		/* limits of the device; 0: TALLY_MAX_GROUP, TALLY_MAX_SEG */
	uint32_t max_segs;
	uint32_t no_opcodes;	/* opcodes that it lacks, bit 1 << opcode */
	FILE *commits;	/* to which it writes what it commits (commits.c); NULL: nowhere */
	/* Hardware that takes the place of some units (nic/units.h); NULL: none. */
	const struct nic_units *units;
};

/*
 * Create a NIC, which waits for its driver's reset and takes over the receive functions of its
 * ports. @cfg is copied; everything it points to is borrowed until nic_free(). If @cfg->bar already
 * has an identification page, because a worker was replaced, epoch and reset_ack continue from it.
 * Returns NULL with errno EINVAL (MAC address, alignment) or ENOMEM.
 */
struct nic *nic_new(struct sim *sim, const struct nic_cfg *cfg);

/* Free a NIC, before sim_free(). @nic may be NULL. */
void nic_free(struct nic *nic);

/*
 * Check the control page and every active doorbell slot. The caller does so whenever the guest has
 * rung and once more after nic_sleep(nic, true), but not from nic_bus functions. Returns true if
 * something was new.
 */
bool nic_doorbells(struct nic *nic);

/*
 * Tell the host whether it must ring after a doorbell. Before it sleeps, the caller calls
 * nic_sleep(nic, true), then nic_doorbells(), and sleeps only if that finds nothing. After it wakes
 * up, it calls nic_sleep(nic, false). The call includes the full fence between the flag and the
 * second check.
 */
void nic_sleep(struct nic *nic, bool asleep);

/* Return the value of a hardware counter since the last reset. */
uint64_t nic_counter(const struct nic *nic, enum tally_counter counter);

/* Write GID 0 of a NIC with the address @mac: fe80::/64 with the EUI-64 of the address. */
void nic_gid(uint8_t gid[16], const uint8_t mac[6]);

#endif
