/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Interface of tally.ko for the drivers on its auxiliary bus (tally_ib).
 *
 * Commands sleep. When a command fails or destroys an object, it returns only after the device no
 * longer uses the memory and the objects that the command named; a device that does not answer is
 * reset first. The caller may therefore free them at once.
 */
#ifndef TALLY_H
#define TALLY_H

#include <linux/auxiliary_bus.h>
#include <linux/if_ether.h>
#include <linux/pci.h>

#include "tally_hw.h"

#define TALLY_NAME_SIZE 16

struct tally_group_handle;
struct tally_quota;
struct tally_segs;

/**
 * struct tally_caps - Contents of the identification page, checked and in host byte order.
 * @caps: TALLY_CAP_ bits
 * @guid: EUI-64, the first byte is the most significant one
 * @abi_version: version of BAR2, admin queue and rings
 * @engine_version: version of the collective engine block
 * @wire_version: version of the wire header
 * @engine_kind: 0 C model, 1 Verilated RTL, 2 board
 * @bar_size: bytes of BAR2 in use
 * @num_uars: UAR pages
 * @num_vectors: MSI-X vectors
 * @max_eq: event queues
 * @max_cq: completion queues
 * @max_qp: queue pairs
 * @max_requests: request entries of all queue pairs together
 * @max_mr: memory regions
 * @max_pd: protection domains
 * @max_group: groups
 * @max_edges: edges of all groups together
 * @max_seg: segments
 * @max_contributors: contributors of a group
 * @max_ranks: ranks of a group on this node
 * @max_sq_depth: send queue entries
 * @max_cq_depth: completion queue entries
 * @max_inline: inline bytes
 * @opcodes: opcodes that it performs, bit 1 << opcode
 * @max_sge: entries of each list of a work request
 * @mtu: largest payload in bytes
 * @max_message: largest bytes of one work request, 0 unlimited
 * @link_mbps: link rate in Mb/s
 * @clock_khz: rate of CQE time stamps
 * @mac: MAC address
 */
struct tally_caps {
	u64 caps;
	u64 guid;
	u32 abi_version;
	u32 engine_version;
	u32 wire_version;
	u32 engine_kind;
	u32 bar_size;
	u32 num_uars;
	u32 num_vectors;
	u32 max_eq;
	u32 max_cq;
	u32 max_qp;
	u32 max_requests;
	u32 max_mr;
	u32 max_pd;
	u32 max_group;
	u32 max_edges;
	u32 max_seg;
	u32 max_contributors;
	u32 max_ranks;
	u32 max_sq_depth;
	u32 max_cq_depth;
	u32 max_inline;
	u32 opcodes;
	u32 max_sge;
	u32 mtu;
	u32 max_message;
	u32 link_mbps;
	u32 clock_khz;
	u8 mac[ETH_ALEN];
};

/**
 * struct tally_dev - A device as its users see it; read-only for them.
 * @pdev: PCI function
 * @name: "tallyN", N unique among the devices of this machine
 * @index: the number N
 * @caps: capabilities and limits
 * @num_comp_vectors: completion vectors, at least 1
 * @link_up: state of the port
 * @bar2_phys: physical address of BAR2
 * @wake_phys: physical address of the page with the wake-up register, for processes to map; 0 if
 *	the page has other registers too
 * @wake_offset: offset of the wake-up register in that page
 * @wake_value: value to store there; 0 if the device needs no wake-up
 * @epoch: epoch of the device while it serves this user; the status page shows another one once the
 *	device was reset
 */
struct tally_dev {
	struct pci_dev *pdev;
	char name[TALLY_NAME_SIZE];
	int index;
	struct tally_caps caps;
	unsigned int num_comp_vectors;
	bool link_up;
	phys_addr_t bar2_phys;
	phys_addr_t wake_phys;
	u32 wake_offset;
	u32 wake_value;
	u32 epoch;
};

/**
 * struct tally_aux - The device on the auxiliary bus.
 * @adev: auxiliary device
 * @tdev: the device, valid until remove() of the auxiliary driver returns
 */
struct tally_aux {
	struct auxiliary_device adev;
	struct tally_dev *tdev;
};

static inline struct tally_dev *tally_from_aux(struct auxiliary_device *adev)
{
	return container_of(adev, struct tally_aux, adev)->tdev;
}

/**
 * struct tally_events - Event handlers of a user of the device. All may be called in interrupt
 * context.
 * @cq: an armed completion queue has an entry
 * @cq: an armed completion queue has an entry
 * @cq_error: a completion queue overran
 * @qp_fatal: a queue pair entered the error state
 * @group_dead: the epoch of a group ended; status is an enum tally_coll_status
 * @port: the state of the port changed
 * @fatal: the device failed, and will be removed from its users
 */
struct tally_events {
	void (*cq)(void *ctx, u32 cqn);
	void (*cq_error)(void *ctx, u32 cqn);
	void (*qp_fatal)(void *ctx, u32 qpn);
	void (*group_dead)(void *ctx, u32 group, u64 status);
	void (*port)(void *ctx, bool up);
	void (*fatal)(void *ctx);
};

int tally_events_register(struct tally_dev *tdev, const struct tally_events *events, void *ctx);
void tally_events_unregister(struct tally_dev *tdev);
void tally_events_flush(struct tally_dev *tdev);
void tally_link_refresh(struct tally_dev *tdev);
bool tally_is_dead(struct tally_dev *tdev);

/* ---- UARs ---- */

/**
 * struct tally_doorbell_id - A doorbell slot.
 * @uar: UAR page
 * @slot: slot in that page
 */
struct tally_doorbell_id {
	u16 uar;
	u16 slot;
};

phys_addr_t tally_uar_phys(const struct tally_dev *tdev, u32 uar);
void tally_uar_clear(struct tally_dev *tdev, u32 uar);
phys_addr_t tally_push_phys(const struct tally_dev *tdev, u32 uar);
int tally_push_clear(struct tally_dev *tdev, u32 uar);
void tally_doorbell_clear(struct tally_dev *tdev, struct tally_doorbell_id slot);

/* ---- Typed commands ---- */

/**
 * struct tally_blame - Reason for which the device, or the driver, refused a command.
 * @status: enum tally_admin_status; 0: the device has not refused the command
 * @offset: offset of the field at fault in the command or its configuration; 0xffff: none
 * @in_config: the field is in the configuration
 * @no_group: the device, or the process, can have no further group; set by the driver
 */
struct tally_blame {
	u16 status;
	u16 offset;
	bool in_config;
	bool no_group;
};

/**
 * struct tally_cq_params - A completion queue to create.
 * @cqn: number, chosen by the caller
 * @depth: entries, a power of two
 * @comp_vector: completion vector, below num_comp_vectors
 * @slot: doorbell slot, cleared
 * @ring: the ring
 */
struct tally_cq_params {
	u32 cqn;
	u32 depth;
	u32 comp_vector;
	struct tally_doorbell_id slot;
	struct tally_mem ring;
};

/**
 * struct tally_mr_params - A memory region to register.
 * @key: table index << 8 | variant, chosen by the caller
 * @pd: protection domain
 * @access: TALLY_ACCESS_ bits
 * @iova: address of the first byte as work requests name it
 * @buf: the memory
 */
struct tally_mr_params {
	u32 key;
	u32 pd;
	u32 access;
	u64 iova;
	struct tally_mem buf;
};

/**
 * struct tally_qp_params - A queue pair to create.
 * @qpn: number, chosen by the caller
 * @pd: protection domain
 * @cqn: completion queue
 * @handle: the group, and the ranks it may be used for
 * @ranks: ranks to post for, a subset of those that the handle may post for
 * @depth: send queue entries, a power of two
 * @stride: bytes of a send queue entry, a power of two
 * @port: port number in the group
 * @slot: doorbell slot, cleared
 * @push: the queue pair owns the push buffer of the slot's UAR page, which is cleared
 * @sq: the send queue
 */
struct tally_qp_params {
	u32 qpn;
	u32 pd;
	u32 cqn;
	const struct tally_group_handle *handle;
	u64 ranks;
	u32 depth;
	u32 stride;
	u16 port;
	struct tally_doorbell_id slot;
	bool push;
	struct tally_mem sq;
};

int tally_create_cq(struct tally_dev *tdev, const struct tally_cq_params *params);
void tally_destroy_cq(struct tally_dev *tdev, u32 cqn);
int tally_reg_mr(struct tally_dev *tdev, const struct tally_mr_params *params);
void tally_dereg_mr(struct tally_dev *tdev, u32 key);
int tally_create_qp(struct tally_dev *tdev, const struct tally_qp_params *params,
		    struct tally_blame *blame);
int tally_modify_qp(struct tally_dev *tdev, u32 qpn, enum tally_qp_state state);
int tally_query_qp(struct tally_dev *tdev, u32 qpn, enum tally_qp_state *state);
void tally_destroy_qp(struct tally_dev *tdev, u32 qpn);
int tally_query_counters(struct tally_dev *tdev, u64 *values, unsigned int count);

/* ---- Segments and groups ---- */

/* Kinds of device objects whose number is limited for each process. */
enum tally_quota_kind {
	TALLY_QUOTA_PD,
	TALLY_QUOTA_MR,
	TALLY_QUOTA_CQ,
	TALLY_QUOTA_QP,
	TALLY_QUOTA_REQUEST, /* request entries of queue pairs */
	TALLY_QUOTA_UAR,
	TALLY_NUM_QUOTAS,
};

struct tally_quota *tally_quota_of_process(struct tally_dev *tdev);
void tally_quota_put(struct tally_quota *quota);
u32 tally_quota_segs(const struct tally_quota *quota);
u32 tally_quota_groups(const struct tally_quota *quota);
u32 tally_quota_edges(const struct tally_quota *quota);
u32 tally_quota_cells(const struct tally_quota *quota);
bool tally_quota_charge_objects(struct tally_quota *quota, enum tally_quota_kind kind, u32 count);
void tally_quota_uncharge_objects(struct tally_quota *quota, enum tally_quota_kind kind, u32 count);

struct tally_segs *tally_segs_alloc(struct tally_dev *tdev, struct tally_quota *quota, u32 count);
void tally_segs_put(struct tally_segs *segs);
u32 tally_segs_base(const struct tally_segs *segs);
u32 tally_segs_count(const struct tally_segs *segs);

/**
 * struct tally_group_spec - A group to create.
 * @join_key: key that a process needs to attach
 * @cfg: checked configuration
 * @edges: cfg.num_edges checked neighbours
 * @blame: receives the reason if the device or the quota refuses the group; may be NULL
 */
struct tally_group_spec {
	u64 join_key;
	struct tally_group_cfg cfg;
	const struct tally_group_edge *edges;
	struct tally_blame *blame;
};

/**
 * tally_group_segs() - Largest number of segments that a group holds.
 * @cfg: configuration of the group
 *
 * Return: the number of segments, lent ones included.
 */
static inline u32 tally_group_segs(const struct tally_group_cfg *cfg)
{
	return le16_to_cpu(cfg->max_segs) ?: le16_to_cpu(cfg->num_segs);
}

struct tally_group_handle *tally_group_create(struct tally_dev *tdev, struct tally_quota *quota,
					      struct tally_segs *segs,
					      const struct tally_group_spec *spec);
struct tally_group_handle *tally_group_attach(struct tally_dev *tdev, u32 jid, u64 join_key,
					      u64 ranks);
int tally_group_query(struct tally_group_handle *handle, struct tally_group_info *info);
int tally_group_query_edges(struct tally_group_handle *handle, struct tally_edge_info *edges);
int tally_group_query_segs(struct tally_group_handle *handle, struct tally_seg_info *segs);
int tally_group_query_arrivals(struct tally_group_handle *handle, struct tally_arrival *arrivals);
int tally_group_reset(struct tally_group_handle *handle, u32 epoch);
void tally_group_handle_get(struct tally_group_handle *handle);
void tally_group_handle_put(struct tally_group_handle *handle);
u64 tally_group_handle_ranks(const struct tally_group_handle *handle);
u64 tally_group_handle_may_post(const struct tally_group_handle *handle);
const struct tally_group_cfg *tally_group_handle_cfg(const struct tally_group_handle *handle);
u32 tally_group_handle_num(const struct tally_group_handle *handle);

#endif
