// SPDX-License-Identifier: BSD-2-Clause
/* The NIC's side of units that are not functions of the simulator: their clock, and what they say. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nic/priv.h"
#include "wire/roce.h"

#define PS_OF_MHZ	1000000
#define DEFAULT_MHZ	250

static bool host_packet(void *ctx, const struct roce_hdr *hdr, const uint8_t *body, size_t len,
			const struct engine_admission *admission, bool settled)
{
	return rx_admitted(ctx, hdr, body, len, admission, settled);
}

static void host_bad(void *ctx, enum tally_rx why)
{
	rx_bad(ctx, why);
}

static void host_acknowledge(void *ctx, const struct engine_ack *ack)
{
	rx_acknowledge(ctx, ack);
}

static void host_store_left(void *ctx, const struct engine_passage *p)
{
	engine_store_left(nic_enter(ctx), p);
	nic_leave(ctx);
}

static void host_store_there(void *ctx, const struct engine_passage *p)
{
	engine_store_there(nic_enter(ctx), p);
	nic_leave(ctx);
}

static void host_moved(void *ctx, uint32_t group, uint32_t done, uint32_t limit)
{
	engine_moved(nic_enter(ctx), group, done, limit);
	nic_leave(ctx);
}

static void host_granted(void *ctx, uint32_t group, uint32_t num)
{
	engine_granted(nic_enter(ctx), group, num);
	nic_leave(ctx);
}

static void host_begun_epoch(void *ctx, uint32_t group)
{
	engine_begun_epoch(nic_enter(ctx), group);
	nic_leave(ctx);
}

static void host_acked(void *ctx, const struct engine_sent *sent, bool settled)
{
	rx_acked(ctx, sent, settled);
}

static void host_again(void *ctx, const struct engine_sent *sent, bool settled)
{
	rx_again(ctx, sent, settled);
}

static void host_expired(void *ctx, const struct engine_expiry *expiry)
{
	rx_expired(ctx, expiry);
}

static void host_posted(void *ctx, uint32_t qpn, uint32_t count)
{
	engine_posted(nic_enter(ctx), qpn, count);
	nic_leave(ctx);
}

static void host_overrun(void *ctx, uint32_t qpn)
{
	engine_overrun(nic_enter(ctx), qpn);
	nic_leave(ctx);
}

static void host_skipped(void *ctx, uint32_t qpn, bool passes)
{
	engine_skipped(nic_enter(ctx), qpn, passes);
	nic_leave(ctx);
}

static void host_request(void *ctx, const struct engine_request *request)
{
	engine_request(nic_enter(ctx), request);
	nic_leave(ctx);
}

static void host_began(void *ctx, const struct engine_begun *b)
{
	engine_began(nic_enter(ctx), b);
	nic_leave(ctx);
}

static void host_look(void *ctx, uint32_t qpn)
{
	engine_look(nic_enter(ctx), qpn);
	nic_leave(ctx);
}

static void host_retired(void *ctx, uint32_t qpn)
{
	engine_retired(nic_enter(ctx), qpn);
	nic_leave(ctx);
}

static void host_flag_due(void *ctx, uint32_t qpn, uint16_t entry)
{
	engine_flag_due(nic_enter(ctx), qpn, entry);
	nic_leave(ctx);
}

static void host_failed(void *ctx, uint32_t qpn, uint16_t status, uint64_t ranks, uint32_t mid)
{
	engine_failed(nic_enter(ctx), qpn, status, ranks, mid);
	nic_leave(ctx);
}

static bool host_completing(void *ctx, uint32_t cqn, const struct tally_cqe *cqe, uint64_t *at)
{
	return unit_cq_completing(ctx, cqn, cqe, at);
}

static void host_transmit(void *ctx, const void *data, size_t len, uint64_t early)
{
	struct frame *frame = frame_alloc(len);

	if (!frame)
		abort();
	memcpy(frame->data, data, len);
	tx_frame(ctx, frame, early);
}

static void host_read(void *ctx, const struct nic_access *what)
{
	unit_memory_read(ctx, what);
}

static void host_write(void *ctx, const struct nic_access *what, const void *data)
{
	unit_memory_write(ctx, what, data);
}

static void host_accessed(void *ctx, uint32_t id, enum tally_coll_status status, const void *data,
			  size_t len)
{
	unit_accessed(ctx, id, status, data, len);
}

static void host_access_begins(void *ctx, const struct nic_region_access *what)
{
	unit_access_begins(ctx, what);
}

static void host_access_ended(void *ctx, uint32_t id, enum tally_coll_status status, const void *data)
{
	unit_access_ended(ctx, id, status, data);
}

static void host_fired(void *ctx, uint32_t qpn, uint16_t entry)
{
	engine_fired(nic_enter(ctx), qpn, entry);
	nic_leave(ctx);
}

static void host_message_left(void *ctx, uint32_t group, uint32_t edge, bool again)
{
	engine_message_left(nic_enter(ctx), group, edge, again);
	nic_leave(ctx);
}

static void host_message_there(void *ctx, uint32_t group, uint32_t edge)
{
	engine_message_there(nic_enter(ctx), group, edge);
	nic_leave(ctx);
}

static void host_event_waits(void *ctx)
{
	engine_event_waits(nic_enter(ctx));
	nic_leave(ctx);
}

static void host_firmware_event(void *ctx, const struct engine_event *event, bool settled)
{
	rx_event(ctx, event, settled);
}

static void host_frozen(void *ctx, uint32_t group)
{
	engine_frozen(nic_enter(ctx), group);
	nic_leave(ctx);
}

static void host_interrupt(void *ctx, uint32_t eqn, uint32_t vector)
{
	eq_landed(ctx, eqn, vector);
}

static void host_cq_event(void *ctx, const struct nic_cq_event *event)
{
	unit_cq_event(ctx, event);
}

static void host_count(void *ctx, enum tally_counter counter)
{
	nic_count(ctx, counter, 1);
}

/* The reset that follows must wait until the units have run their edge. */
static void host_fatal(void *ctx, enum tally_fatal code)
{
	((struct nic *)ctx)->unit_fatal = code;
}

static void host_written(void *ctx)
{
	aq_written(ctx);
}

static const struct nic_units_host units_host = {
	.packet = host_packet,
	.bad = host_bad,
	.acknowledge = host_acknowledge,
	.store_left = host_store_left,
	.store_there = host_store_there,
	.moved = host_moved,
	.granted = host_granted,
	.begun_epoch = host_begun_epoch,
	.acked = host_acked,
	.again = host_again,
	.expired = host_expired,
	.posted = host_posted,
	.overrun = host_overrun,
	.skipped = host_skipped,
	.request = host_request,
	.retired = host_retired,
	.flag_due = host_flag_due,
	.began = host_began,
	.look = host_look,
	.failed = host_failed,
	.completing = host_completing,
	.transmit = host_transmit,
	.read = host_read,
	.write = host_write,
	.accessed = host_accessed,
	.access_begins = host_access_begins,
	.access_ended = host_access_ended,
	.fired = host_fired,
	.message_left = host_message_left,
	.message_there = host_message_there,
	.event_waits = host_event_waits,
	.firmware_event = host_firmware_event,
	.frozen = host_frozen,
	.interrupt = host_interrupt,
	.cq_event = host_cq_event,
	.count = host_count,
	.fatal = host_fatal,
	.written = host_written,
};

/* Let the clock fire at the next edge that is needed. */
static void set_clock(struct nic *nic)
{
	vtime_t next = nic->units->next(nic->unit);

	if (next == VT_NEVER)
		sim_cancel(nic->sim, &nic->clock);
	else
		sim_schedule(nic->sim, &nic->clock, next);
}

static void clock_fired(void *arg)
{
	struct nic *nic = arg;

	nic->units->advance(nic->unit, sim_now(nic->sim));
	if (nic->unit_fatal)
		nic_fatal(nic, nic->unit_fatal);
	set_clock(nic);
}

int units_open(struct nic *nic, const struct nic_cfg *cfg)
{
	uint32_t mhz = cfg->timing.engine.clock_mhz;
	struct nic_units_cfg uc = {
		.host = &units_host,
		.ctx = nic,
		.name = cfg->name,
		.clock_ps = PS_OF_MHZ / (mhz ? mhz : DEFAULT_MHZ),
	};

	sim_event_init(&nic->clock, clock_fired, nic);
	if (!cfg->units)
		return 0;
	memcpy(uc.mac, nic->mac, sizeof(uc.mac));
	memcpy(uc.gid, nic->gid, sizeof(uc.gid));
	nic->unit = cfg->units->open(&uc);
	if (!nic->unit)
		return errno;
	nic->units = cfg->units;
	return 0;
}

void units_close(struct nic *nic)
{
	if (!nic->units)
		return;
	sim_cancel(nic->sim, &nic->clock);
	nic->units->close(nic->unit);
}

void units_reset(struct nic *nic)
{
	if (!nic->units)
		return;
	sim_cancel(nic->sim, &nic->clock);
	nic->units->reset(nic->unit);
	unit_access_clear(nic);
	nic->unit_fatal = TALLY_FATAL_NONE;
}

void units_frame(struct nic *nic, const struct frame *frame)
{
	nic->units->frame(nic->unit, sim_now(nic->sim), frame->data, frame->len);
	set_clock(nic);
}

void units_send(struct nic *nic, const struct roce_hdr *hdr, const struct tally_tch *tch,
		const void *payload, size_t len, const struct engine_name *name)
{
	nic->units->send(nic->unit, sim_now(nic->sim), hdr, tch, payload, len, name);
	set_clock(nic);
}

void units_table(struct nic *nic, uint32_t reg, uint32_t value)
{
	nic->units->table(nic->unit, sim_now(nic->sim), reg, value);
	set_clock(nic);
}

void units_random(struct nic *nic, uint64_t number)
{
	nic->units->random(nic->unit, number);
}

void units_complete(struct nic *nic, const struct nic_completion *c)
{
	nic->units->complete(nic->unit, sim_now(nic->sim), c);
	set_clock(nic);
}

void units_event(struct nic *nic, const struct nic_event *e)
{
	nic->units->event(nic->unit, sim_now(nic->sim), e);
	set_clock(nic);
}

void units_read_done(struct nic *nic, uint32_t id, const void *data, size_t len)
{
	nic->units->read_done(nic->unit, sim_now(nic->sim), id, data, len);
	set_clock(nic);
}

void units_write_done(struct nic *nic, uint32_t id, bool good)
{
	nic->units->write_done(nic->unit, sim_now(nic->sim), id, good);
	set_clock(nic);
}

void units_bar_write(struct nic *nic, uint32_t offset, const void *data, size_t len)
{
	nic->units->bar_write(nic->unit, sim_now(nic->sim), offset, data, len);
	set_clock(nic);
}

void units_update(struct nic *nic, const struct engine_update *u)
{
	nic->units->update(nic->unit, sim_now(nic->sim), u);
	set_clock(nic);
}

void units_end(struct nic *nic, const struct engine_end *x)
{
	nic->units->end(nic->unit, sim_now(nic->sim), x);
	set_clock(nic);
}

void units_access(struct nic *nic, const struct nic_region_access *what, const void *data)
{
	nic->units->access(nic->unit, sim_now(nic->sim), what, data);
	set_clock(nic);
}

bool units_writing(const struct nic *nic)
{
	return nic->units && nic->units->writing(nic->unit);
}

bool units_waiting(const struct nic *nic)
{
	return nic->units->waiting(nic->unit);
}

bool units_event_waits(const struct nic *nic)
{
	return nic->units->event_waits(nic->unit);
}

void units_take_event(struct nic *nic)
{
	nic->units->take_event(nic->unit, sim_now(nic->sim));
	set_clock(nic);
}

void units_raise(struct nic *nic, const struct engine_event *ev)
{
	nic->units->raise(nic->unit, sim_now(nic->sim), ev);
	set_clock(nic);
}

void units_command(struct nic *nic, enum tally_fw_store_command command, uint32_t group, uint32_t num)
{
	nic->units->command(nic->unit, sim_now(nic->sim), command, group, num);
	set_clock(nic);
}

void units_timing(const struct nic_cfg *cfg, struct engine_timing *timing)
{
	if (!cfg->units)
		return;
	timing->request = 0;
	timing->parse = 0;
	timing->encap = 0;
}
