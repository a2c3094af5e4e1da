// SPDX-License-Identifier: BSD-2-Clause
#include "nic/test/fake_engine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct engine_result ok = { TALLY_ADMIN_STATUS_OK, 0xffff };

struct engine *engine_new(const struct engine_host *host, void *ctx, uint64_t seed)
{
	struct engine *e = calloc(1, sizeof(*e));

	(void)seed;
	assert(e);
	e->host = host;
	e->ctx = ctx;
	e->next = UINT64_MAX;
	e->result = ok;
	e->num_segs = 4;
	return e;
}

void engine_free(struct engine *e)
{
	free(e);
}

void engine_set_timing(struct engine *e, const struct engine_timing *timing)
{
	e->timing = *timing;
}

void engine_set_limits(struct engine *e, uint32_t groups, uint32_t segs)
{
	(void)e;
	(void)groups;
	(void)segs;
}

void engine_set_lacking(struct engine *e, uint32_t lacking)
{
	e->lacking = lacking;
}

uint32_t engine_opcodes(const struct engine *e)
{
	return ~e->lacking;
}

void engine_prefetch(const struct engine *e)
{
	(void)e;
}

void engine_expect(const struct engine *e, unsigned int ahead)
{
	(void)e;
	(void)ahead;
}

void engine_reset(struct engine *e)
{
	e->resets++;
	e->next = UINT64_MAX;
}

struct engine_result engine_create_group(struct engine *e, uint32_t group,
					 const struct tally_group_cfg *cfg,
					 const struct tally_group_edge *edges, uint32_t num_edges)
{
	(void)edges;
	e->groups_created++;
	e->group = group;
	e->group_cfg = *cfg;
	e->num_edges = num_edges;
	return e->result;
}

struct engine_result engine_destroy_group(struct engine *e, uint32_t group)
{
	e->group = group;
	return e->result;
}

struct engine_result engine_attach_ranks(struct engine *e, uint32_t group, uint64_t ranks)
{
	e->group = group;
	e->ranks = ranks;
	return e->result;
}

struct engine_result engine_detach_ranks(struct engine *e, uint32_t group, uint64_t ranks)
{
	e->group = group;
	e->ranks = ~ranks;
	return e->result;
}

struct engine_result engine_query_group(struct engine *e, uint32_t group,
					struct tally_group_info *info)
{
	e->group = group;
	info->state = TALLY_GROUP_OPEN;
	return e->result;
}

/* Mark the first and the last entry of an answer, so that a test sees both. */
struct engine_result engine_query_edges(struct engine *e, uint32_t group,
					struct tally_edge_info *edges)
{
	edges[0].peer_done = htole32(group);
	edges[TALLY_MAX_CONTRIBUTORS].index = TALLY_CONTRIB_PARENT;
	return e->result;
}

struct engine_result engine_query_segs(struct engine *e, uint32_t group,
				       struct tally_seg_info *segs, uint32_t *num)
{
	segs[0].num = htole32(group);
	segs[e->num_segs - 1].state = TALLY_SEG_BUSY;
	*num = e->num_segs;
	return e->result;
}

struct engine_result engine_query_arrivals(struct engine *e, uint32_t group,
					   struct tally_arrival *arrivals)
{
	arrivals[0].mid = htole32(group);
	arrivals[TALLY_NUM_ARRIVALS - 1].last = TALLY_MAX_RANKS;
	return e->result;
}

struct engine_result engine_reset_group(struct engine *e, uint32_t group, uint32_t epoch)
{
	e->group = group;
	e->epoch = epoch;
	return e->result;
}

/* A host that fetches learns the states of queue pairs by registers. */
static void tell_state(struct engine *e, uint32_t qpn, enum tally_qp_state state)
{
	static const enum tally_fw_request_code codes[] = {
		[TALLY_QPS_RESET] = TALLY_FW_REQUEST_RESET_QP,
		[TALLY_QPS_RTS] = TALLY_FW_REQUEST_START_QP,
		[TALLY_QPS_ERROR] = TALLY_FW_REQUEST_FAIL_QP,
	};

	if (e->host->fetches(e->ctx))
		e->host->table(e->ctx, TALLY_FW_REQUEST_BASE + offsetof(struct tally_fw_request, go),
			       codes[state] | qpn << 16);
}

struct engine_result engine_create_qp(struct engine *e, uint32_t qpn,
				      const struct engine_qp_cfg *cfg)
{
	e->qps_created++;
	e->qpn = qpn;
	e->qp_cfg = *cfg;
	tell_state(e, qpn, TALLY_QPS_RTS);
	return e->result;
}

struct engine_result engine_modify_qp(struct engine *e, uint32_t qpn, enum tally_qp_state state)
{
	e->modified++;
	e->modified_qpn = qpn;
	e->modified_state = state;
	tell_state(e, qpn, state);
	return e->result;
}

void engine_qp_lost(struct engine *e, uint32_t qpn)
{
	e->lost++;
	e->lost_qpn = qpn;
}

enum tally_qp_state engine_qp_state(const struct engine *e, uint32_t qpn)
{
	(void)qpn;
	return e->modified_state;
}

struct engine_result engine_destroy_qp(struct engine *e, uint32_t qpn)
{
	e->qpn = qpn;
	if (e->result.status == TALLY_ADMIN_STATUS_OK)
		e->qps_destroyed++;
	return e->result;
}

void engine_doorbell(struct engine *e, uint32_t qpn, uint64_t posted)
{
	e->doorbells++;
	e->qpn = qpn;
	e->posted = posted;
	e->doorbell_at = e->now;
}

/* Hardware takes the requests of this engine: a count is as good as a doorbell. */
void engine_posted(struct engine *e, uint32_t qpn, uint32_t count)
{
	engine_doorbell(e, qpn, count);
}

void engine_overrun(struct engine *e, uint32_t qpn)
{
	(void)e;
	(void)qpn;
}

void engine_skipped(struct engine *e, uint32_t qpn, bool passes)
{
	(void)e;
	(void)qpn;
	(void)passes;
}

void engine_retired(struct engine *e, uint32_t qpn)
{
	(void)e;
	(void)qpn;
}

void engine_flag_due(struct engine *e, uint32_t qpn, uint16_t entry)
{
	(void)e;
	(void)qpn;
	(void)entry;
}

void engine_failed(struct engine *e, uint32_t qpn, uint16_t status, uint64_t ranks, uint32_t mid)
{
	(void)e;
	(void)qpn;
	(void)status;
	(void)ranks;
	(void)mid;
}

void engine_request(struct engine *e, const struct engine_request *r)
{
	e->wqes++;
	e->qpn = r->qpn;
	e->wqe_index = r->index;
}

void engine_wqe(struct engine *e, uint32_t qpn, uint32_t index, const void *data, size_t len)
{
	assert(len <= sizeof(e->wqe) && !data == !len);
	e->wqes++;
	e->qpn = qpn;
	e->wqe_index = index;
	e->wqe_len = len;
	if (data)
		memcpy(e->wqe, data, len);
}

void engine_read_done(struct engine *e, uint64_t tag, enum tally_coll_status status,
		      const void *data, size_t len)
{
	assert(len <= sizeof(e->read_data) && !data == !!status);
	e->reads++;
	e->read_tag = tag;
	e->read_status = status;
	e->read_len = len;
	e->done_at = e->now;
	if (data)
		memcpy(e->read_data, data, len);
}

void engine_write_done(struct engine *e, uint64_t tag, enum tally_coll_status status)
{
	e->writes++;
	e->write_tag = tag;
	e->write_status = status;
	e->done_at = e->now;
}

void engine_packet(struct engine *e, const struct engine_addr *from, const void *body, size_t len)
{
	assert(len <= sizeof(e->packet));
	e->packets++;
	e->from = *from;
	e->packet_len = len;
	memcpy(e->packet, body, len);
}

/* The tests have no units, which alone admit packets. */
bool engine_admitted(struct engine *e, const struct engine_admission *a,
		     const struct engine_addr *from, const void *body, size_t len)
{
	(void)a;
	engine_packet(e, from, body, len);
	return false;
}

void engine_acknowledge(struct engine *e, const struct engine_ack *ack)
{
	(void)e;
	(void)ack;
}

void engine_began(struct engine *e, const struct engine_begun *b)
{
	(void)e;
	(void)b;
}

void engine_look(struct engine *e, uint32_t qpn)
{
	(void)e;
	(void)qpn;
}

void engine_frozen(struct engine *e, uint32_t group)
{
	(void)e;
	(void)group;
}

void engine_event_waits(struct engine *e)
{
	(void)e;
}

void engine_event(struct engine *e, const struct engine_event *ev)
{
	(void)e;
	(void)ev;
}

void engine_store_left(struct engine *e, const struct engine_passage *p)
{
	(void)e;
	(void)p;
}

void engine_store_there(struct engine *e, const struct engine_passage *p)
{
	(void)e;
	(void)p;
}

void engine_moved(struct engine *e, uint32_t group, uint32_t done, uint32_t limit)
{
	(void)e;
	(void)group;
	(void)done;
	(void)limit;
}

void engine_granted(struct engine *e, uint32_t group, uint32_t num)
{
	(void)e;
	(void)group;
	(void)num;
}

void engine_begun_epoch(struct engine *e, uint32_t group)
{
	(void)e;
	(void)group;
}

bool engine_acked(struct engine *e, const struct engine_sent *sent)
{
	(void)e;
	(void)sent;
	return true;
}

bool engine_again(struct engine *e, const struct engine_sent *sent)
{
	(void)e;
	(void)sent;
	return true;
}

void engine_expired(struct engine *e, const struct engine_expiry *expiry)
{
	(void)e;
	(void)expiry;
}

void engine_fired(struct engine *e, uint32_t qpn, uint16_t entry)
{
	(void)e;
	(void)qpn;
	(void)entry;
}

void engine_message_left(struct engine *e, uint32_t group, uint32_t edge, bool again)
{
	(void)e;
	(void)group;
	(void)edge;
	(void)again;
}

void engine_message_there(struct engine *e, uint32_t group, uint32_t edge)
{
	(void)e;
	(void)group;
	(void)edge;
}

uint32_t engine_would_open(struct engine *e, const struct engine_event *ev)
{
	(void)e;
	return ev->open;
}

struct engine_admission engine_would_admit(struct engine *e, const struct engine_addr *from,
					   const void *body)
{
	(void)e;
	(void)from;
	(void)body;
	return (struct engine_admission){ .verdict = TALLY_FW_ADMISSION_JID };
}

uint64_t engine_next(struct engine *e)
{
	return e->next;
}

void engine_advance(struct engine *e, uint64_t now)
{
	assert(now >= e->now);
	e->now = now;
	if (now >= e->next)
		e->next = UINT64_MAX;
	e->advances++;
}
