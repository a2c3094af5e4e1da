// SPDX-License-Identifier: BSD-2-Clause
/* The NIC's part of a trace: a process with one track for each part of the NIC. */
#include <stdio.h>

#include "core/trace.h"
#include "nic/priv.h"

static const char *const track_names[NUM_SPANS] = {
	[SPAN_DOORBELL] = "doorbells",
	[SPAN_WQE] = "work requests",
	[SPAN_READ] = "DMA reads",
	[SPAN_WRITE] = "DMA writes",
	[SPAN_CQE] = "completions",
	[SPAN_ENGINE] = "engine",
	[SPAN_TX] = "wait for the wire",
};

void spans_start(struct nic *nic, const char *name)
{
	struct sim_trace *trace = sim_trace(nic->sim);
	const uint8_t *m = nic->mac;
	char process[64];

	if (!trace)
		return;
	if (name)
		snprintf(process, sizeof(process), "nic %s", name);
	else
		snprintf(process, sizeof(process), "nic %02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1],
			 m[2], m[3], m[4], m[5]);
	for (unsigned int i = 0; i < NUM_SPANS; i++)
		nic->tracks[i] = sim_trace_track(trace, process, track_names[i], SIM_TRACK_ROWS);
}

void span_write(const struct nic *nic, enum nic_span where, const char *name, vtime_t start,
		vtime_t end, const char *key, uint64_t value)
{
	const struct sim_trace_arg arg = { key, value };

	sim_trace_span_args(nic->tracks[where], name, start, end, &arg, 1);
}

static const char *kind_name(uint8_t kind)
{
#define KIND(name, value, doc) [value] = #name,
	static const char *const names[] = { TALLY_KIND_LIST(KIND) };

	return kind < sizeof(names) / sizeof(names[0]) && names[kind] ? names[kind] : "packet";
}

void span_packet(const struct nic *nic, const struct tally_tch *tch, size_t len, vtime_t delay)
{
	const struct sim_trace_arg args[] = {
		{ "jid", be32toh(tch->jid) },
		{ "mid", be32toh(tch->mid) },
		{ "num", be32toh(tch->num) },
		{ "bytes", len },
	};
	vtime_t now = sim_now(nic->sim);

	if (!nic->tracks[SPAN_ENGINE])
		return;
	sim_trace_span_args(nic->tracks[SPAN_ENGINE], kind_name(tch->kind), now, now + delay, args,
			    sizeof(args) / sizeof(args[0]));
}

static void span_of_cqe(const struct nic *nic, enum nic_span where, const char *name,
			const struct tally_cqe *cqe, vtime_t from, vtime_t to)
{
	const struct sim_trace_arg args[] = {
		{ "qpn", le32toh(cqe->qpn) },
		{ "jid", le32toh(cqe->jid) },
		{ "mid", le32toh(cqe->mid) },
		{ "coll_status", le16toh(cqe->coll_status) },
	};

	if (nic->tracks[where])
		sim_trace_span_args(nic->tracks[where], name, from, to, args,
				    sizeof(args) / sizeof(args[0]));
}

void span_completion(const struct nic *nic, const struct tally_cqe *cqe, vtime_t delay)
{
	vtime_t now = sim_now(nic->sim);

	span_of_cqe(nic, SPAN_ENGINE, "completion", cqe, now, now + delay);
}

void span_cqe_write(const struct nic *nic, const struct tally_cqe *cqe, vtime_t from, vtime_t to)
{
	span_of_cqe(nic, SPAN_CQE, "CQE write", cqe, from, to);
}
