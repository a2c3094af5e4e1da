/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Units of the NIC that are not functions of the simulator: the Verilated hardware (sim/rtl). They
 * stand between the engine and the cable, parse frames, and form them. docs/rtl-nic.md describes the
 * seam.
 *
 * The units have a clock. Edge n is at n * clock_ps; between two edges nothing changes. Inputs are
 * kept until the edge at which the hardware takes them, the first one at or after the call. A frame
 * has come word by word when its last bit is there: its last word enters at that edge, unless the
 * units were busy with something else before. The
 * owner calls advance() at the time that next() returns, so no edge is late, and none is needed
 * while nothing is inside and no time has come that the hardware waits for.
 */
#ifndef TALLY_SIM_NIC_UNITS_H
#define TALLY_SIM_NIC_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"
#include "gen/tally_hw.h"

struct roce_hdr;

/* IDs of the AXI4 master: who writes. Reads have the same number above the ID of the reader. */
enum nic_axi_id {
	NIC_AXI_COMPLETIONS = 0,
	NIC_AXI_EVENTS = 1,
	NIC_AXI_REGIONS = 2,
};

/* A burst of the AXI4 master, of @len bytes within a page. @id is that of its answer. */
struct nic_access {
	uint32_t id;
	uint64_t addr;
	size_t len;
};

/*
 * An access of the engine to a memory region, of at most a page. @id is that of its answer, below
 * 1 << NIC_ACCESS_ID_BITS.
 */
#define NIC_ACCESS_ID_BITS 20
#define NIC_OWN_ACCESSES 512	/* that the units make by themselves at a time; the upper half: of descriptors */
struct nic_region_access {
	uint32_t id, pd;
	struct engine_sge sge;
	bool write;
};

/* A completion for a CQ, without timestamp, elapsed time and owner. */
struct nic_completion {
	uint32_t cqn;
	bool solicited;
	bool rung;		/* rung_at is valid */
	uint64_t rung_at;	/* when its doorbell was noticed, in nanoseconds */
	struct tally_cqe cqe;
};

/* An event of a CQ, which the units write: it has a place in its EQ. */
struct nic_cq_event {
	uint32_t cqn, eqn;
	uint8_t type;		/* enum tally_eqe_type */
};

/* Another event, to be written. */
struct nic_event {
	uint32_t eqn, id;
	uint8_t type;		/* enum tally_eqe_type */
	uint64_t data;
};

/* Outputs, from within advance() only. The functions may call frame() and send(). */
struct nic_units_host {
	/*
	 * A packet for this NIC. @body is the collective header and, if the packet is admitted, the
	 * payload, @len bytes. @settled: no register has been written for so long that the tables were
	 * those of now when the packet was admitted. Returns whether the number of the packet is stored.
	 */
	bool (*packet)(void *ctx, const struct roce_hdr *hdr, const uint8_t *body, size_t len,
		       const struct engine_admission *admission, bool settled);
	/* A frame that is none. */
	void (*bad)(void *ctx, enum tally_rx why);
	/* An edge is to be acknowledged. */
	void (*acknowledge)(void *ctx, const struct engine_ack *ack);
	/* Outputs of the segment store: engine_store_left() and the like. */
	void (*store_left)(void *ctx, const struct engine_passage *p);
	void (*store_there)(void *ctx, const struct engine_passage *p);
	/* Of the store and the pool of segments: engine_moved() and the like. */
	void (*moved)(void *ctx, uint32_t group, uint32_t done, uint32_t limit);
	void (*granted)(void *ctx, uint32_t group, uint32_t num);
	void (*begun_epoch)(void *ctx, uint32_t group);
	/*
	 * A packet of send() with a name is acknowledged, or is to be sent again; a time-out of an edge
	 * has passed. @settled: as for packet().
	 */
	void (*acked)(void *ctx, const struct engine_sent *sent, bool settled);
	void (*again)(void *ctx, const struct engine_sent *sent, bool settled);
	void (*expired)(void *ctx, const struct engine_expiry *expiry);
	/* Of a queue pair, since its newest reset: the calls of engine_posted() and the like. */
	void (*posted)(void *ctx, uint32_t qpn, uint32_t count);
	void (*overrun)(void *ctx, uint32_t qpn);
	void (*skipped)(void *ctx, uint32_t qpn, bool passes);
	void (*request)(void *ctx, const struct engine_request *request);
	/* Of a queue pair, likewise: engine_began(), engine_look(), engine_retired() and the like. */
	void (*began)(void *ctx, const struct engine_begun *b);
	void (*look)(void *ctx, uint32_t qpn);
	void (*retired)(void *ctx, uint32_t qpn);
	void (*flag_due)(void *ctx, uint32_t qpn, uint16_t entry);
	void (*failed)(void *ctx, uint32_t qpn, uint16_t status, uint64_t ranks, uint32_t mid);
	/*
	 * A completion for @cqn is about to enter its queue. Returns whether the time is known at
	 * which its doorbell was noticed, *at in nanoseconds.
	 */
	bool (*completing)(void *ctx, uint32_t cqn, const struct tally_cqe *cqe, uint64_t *at);
	/* A frame leaves, its last word now and its first word @early ago. */
	void (*transmit)(void *ctx, const void *frame, size_t len, uint64_t early);
	/* The AXI4 master asks for host memory; read_done() and write_done() answer. */
	void (*read)(void *ctx, const struct nic_access *what);
	void (*write)(void *ctx, const struct nic_access *what, const void *data);
	/* An access to a memory region has ended; the @len bytes are those of a read that succeeded. */
	void (*accessed)(void *ctx, uint32_t id, enum tally_coll_status status, const void *data,
			 size_t len);
	/*
	 * An access that the units make by themselves begins or ends. @what.id is below
	 * NIC_OWN_ACCESSES, and free again behind the end; @data are those of a write.
	 */
	void (*access_begins)(void *ctx, const struct nic_region_access *what);
	void (*access_ended)(void *ctx, uint32_t id, enum tally_coll_status status,
			     const void *data);
	/* Of a queue pair, likewise, engine_fired(); engine_message_left() and _there() */
	void (*fired)(void *ctx, uint32_t qpn, uint16_t entry);
	void (*message_left)(void *ctx, uint32_t group, uint32_t edge, bool again);
	void (*message_there)(void *ctx, uint32_t group, uint32_t edge);
	/*
	 * engine_event_waits(); engine_event(), which answers take_event(). @settled: no register has been
	 * written since that was called.
	 */
	void (*event_waits)(void *ctx);
	void (*firmware_event)(void *ctx, const struct engine_event *event, bool settled);
	/* engine_frozen(), of the epoch that runs */
	void (*frozen)(void *ctx, uint32_t group);
	/* An event is in memory: raise its interrupt. */
	void (*interrupt)(void *ctx, uint32_t eqn, uint32_t vector);
	void (*cq_event)(void *ctx, const struct nic_cq_event *event);
	void (*count)(void *ctx, enum tally_counter counter);
	/* An event could not be written. */
	void (*fatal)(void *ctx, enum tally_fatal code);
	/* All writes of registers have been carried out. */
	void (*written)(void *ctx);
};

struct nic_units_cfg {
	const struct nic_units_host *host;
	void *ctx;
	const char *name;	/* of the NIC, for wave forms; NULL: the MAC address */
	uint8_t mac[6], gid[16];
	uint64_t clock_ps;
};

struct nic_units {
	/* Return the units after a reset, or NULL with errno. @cfg is copied, its pointers are not. */
	void *(*open)(const struct nic_units_cfg *cfg);
	void (*close)(void *units);
	/* Forget everything that is inside. Must not be called from within advance(). */
	void (*reset)(void *units);
	/* A frame has arrived completely at @now; it is copied. */
	void (*frame)(void *units, uint64_t now, const void *data, size_t len);
	/* Form a packet at @now; everything is copied. @name: NULL if the packet has no number. */
	void (*send)(void *units, uint64_t now, const struct roce_hdr *hdr,
		     const struct tally_tch *tch, const void *payload, size_t len,
		     const struct engine_name *name);
	/* Write a register of docs/registers.md. What is sent later leaves later. */
	void (*table)(void *units, uint64_t now, uint32_t reg, uint32_t value);
	/* A command for the segment store. */
	void (*command)(void *units, uint64_t now, enum tally_fw_store_command command,
			uint32_t group, uint32_t num);
	/* alu_reduce() of alu/alu.h by the ALU of the hardware, at once. */
	uint16_t (*reduce)(void *units, uint8_t op, uint8_t type, void *acc, const void *in,
			   uint32_t count);
	/* Return the time of the next edge that is needed; UINT64_MAX: none. */
	uint64_t (*next)(void *units);
	/* Run all edges that are needed up to and including @now. */
	void (*advance)(void *units, uint64_t now);
	/* Write a completion or an event at @now, behind earlier writes of registers. */
	void (*complete)(void *units, uint64_t now, const struct nic_completion *c);
	void (*event)(void *units, uint64_t now, const struct nic_event *e);
	/* An access has ended at @now; @data is NULL, or @good false, if it was no host memory. */
	void (*read_done)(void *units, uint64_t now, uint32_t id, const void *data, size_t len);
	void (*write_done)(void *units, uint64_t now, uint32_t id, bool good);
	/*
	 * The host has written to BAR2 at @offset: @len bytes of 64 that are at a multiple of 64. It is
	 * carried out after all earlier writes of registers.
	 */
	void (*bar_write)(void *units, uint64_t now, uint32_t offset, const void *data, size_t len);
	/* What becomes of requests; see struct engine_host. */
	void (*update)(void *units, uint64_t now, const struct engine_update *u);
	void (*end)(void *units, uint64_t now, const struct engine_end *x);
	/* Access a memory region at @now; the data of a write are copied. */
	void (*access)(void *units, uint64_t now, const struct nic_region_access *what,
		       const void *data);
	/* Return whether a write of a register has not been carried out. */
	bool (*writing)(void *units);
	/* Return whether an event of a CQ may wait for room in its event queue. */
	bool (*waiting)(void *units);
	/* Return whether an event waits for the firmware. */
	bool (*event_waits)(void *units);
	/* The firmware takes the oldest one, behind earlier writes of registers. */
	void (*take_event)(void *units, uint64_t now);
	/* An exception of the engine, or a group that has drained, behind earlier writes of registers. */
	void (*raise)(void *units, uint64_t now, const struct engine_event *ev);
	/* Give a random number to the command RENEW_EDGE that table() writes next. */
	void (*random)(void *units, uint64_t number);
};

#endif
