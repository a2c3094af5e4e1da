// SPDX-License-Identifier: BSD-2-Clause
/*
 * The NIC's commits, one line each: numbered packets as they leave for the cable, completions, and
 * data in memory. A line is STREAM TIME ID FIELDS. Commits of a stream have an order: the packets to
 * a neighbour for a job, the completions of a queue pair, the writes of a place in memory. Packets
 * with the same ID are repetitions. Neither ID nor fields contain what may depend on time. So two
 * engines that do the same have the same streams; tools/commits compares them.
 */
#include <inttypes.h>
#include <string.h>

#include "nic/priv.h"
#include "wire/crc32.h"
#include "wire/roce.h"

static void begin(const struct nic *nic, const char *kind)
{
	const uint8_t *m = nic->mac;

	fprintf(nic->commits, "%s:%02x%02x%02x%02x%02x%02x", kind, m[0], m[1], m[2], m[3], m[4], m[5]);
}

static uint32_t digest(const void *data, size_t len)
{
	return ~crc32_update(CRC32_INIT, data, len);
}

static bool is_numbered(uint8_t kind)
{
	return kind == TALLY_KIND_REDUCE || kind == TALLY_KIND_RESULT || kind == TALLY_KIND_TRIGGER;
}

/* Results by multicast have no number of an edge, but that of their chunk. */
static void packet_id(const struct nic *nic, const struct tally_tch *t)
{
	bool multicast = be16toh(t->flags) & TALLY_TCH_F_MULTICAST;

	fprintf(nic->commits, " %" PRIu64 " %x:%x:%c%x", sim_now(nic->sim), t->kind, be32toh(t->epoch),
		multicast ? 'm' : 's', be32toh(multicast ? t->num : t->edge_seq));
}

void commit_frame(const struct nic *nic, const struct frame *frame)
{
	struct roce_hdr h;
	struct tally_tch t;
	const uint8_t *body;
	size_t len;

	if (!nic->commits || roce_parse_frame(frame, &h, &body, &len) != ROCE_OK || len < sizeof(t))
		return;
	memcpy(&t, body, sizeof(t));
	if (!is_numbered(t.kind))
		return;
	begin(nic, "edge");
	fprintf(nic->commits, ":%02x%02x%02x%02x%02x%02x:%x", h.dmac[0], h.dmac[1], h.dmac[2],
		h.dmac[3], h.dmac[4], h.dmac[5], be32toh(t.jid));
	packet_id(nic, &t);
	fprintf(nic->commits,
		" kind %u opcode %u op %u type %u contributor %u branch %u round %u flags %x err %x"
		" root %u:%u counter %u port %u mid %u sid %u num %u total %u count %u data %zu:%08x\n",
		t.kind, t.opcode, t.op, t.dtype, t.contributor, t.branch, t.round, be16toh(t.flags),
		be16toh(t.err_vector), be16toh(t.root_node), t.root_rank, t.counter, be16toh(t.port),
		be32toh(t.mid), be32toh(t.sid), be32toh(t.num), be32toh(t.total), be32toh(t.count),
		len - sizeof(t), digest(body + sizeof(t), len - sizeof(t)));
}

void commit_cqe(const struct nic *nic, const struct tally_cqe *cqe)
{
	struct tally_cqe c = *cqe;

	if (!nic->commits)
		return;
	c.timestamp = 0;
	c.elapsed = 0;
	begin(nic, "qp");
	fprintf(nic->commits,
		":%u %" PRIu64 " - index %u opcode %u status %u:%u mid %u bytes %u all %08x\n",
		le32toh(c.qpn), sim_now(nic->sim), le32toh(c.wqe_index), c.opcode, c.status,
		le16toh(c.coll_status), le32toh(c.mid), le32toh(c.byte_cnt), digest(&c, sizeof(c)));
}

void commit_write(const struct nic *nic, const struct engine_sge *sge, const void *data)
{
	if (!nic->commits)
		return;
	begin(nic, "memory");
	fprintf(nic->commits, ":%x:%" PRIx64 " %" PRIu64 " - data %u:%08x\n", sge->lkey, sge->addr,
		sim_now(nic->sim), sge->length, digest(data, sge->length));
}
