// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The identification page. The device may write it at any time, so the driver copies it once,
 * checks the copy, and uses only the checked values. The first page is valid for as long as the
 * driver has the device: buffers are sized by it, and a later page is only compared with it.
 */
#include <linux/etherdevice.h>
#include <linux/log2.h>

#include "ident.h"
#include "pf.h"

/* A limit of the device, and the values that this driver accepts. */
struct limit {
	const char *name;
	size_t from;
	size_t to;
	u32 min;
	u32 max;
	bool power_of_two;
};

#define LIMIT(field, lowest, highest, ...) { \
	.name = #field, \
	.from = offsetof(struct tally_ident, field), \
	.to = offsetof(struct tally_caps, field), \
	.min = lowest, \
	.max = highest, \
	__VA_ARGS__ \
}

static const struct limit limits[] = {
	LIMIT(bar_size, TALLY_BAR_UAR_OFFSET + TALLY_PAGE_SIZE, U32_MAX),
	LIMIT(num_uars, 1, TALLY_NUM_UARS),
	LIMIT(num_vectors, 1, TALLY_NUM_VECTORS),
	LIMIT(max_eq, 1, TALLY_MAX_EQ),
	LIMIT(max_cq, 1, TALLY_MAX_CQ),
	LIMIT(max_qp, 3, TALLY_MAX_QP),
	LIMIT(max_requests, TALLY_REQUEST_STEP, TALLY_MAX_REQUESTS),
	LIMIT(max_mr, 1, TALLY_MAX_MR),
	LIMIT(max_pd, 1, TALLY_MAX_PD),
	LIMIT(max_group, 1, TALLY_MAX_GROUP),
	LIMIT(max_edges, 1, TALLY_MAX_EDGES),
	LIMIT(max_seg, 1, TALLY_MAX_SEG),
	LIMIT(max_contributors, 1, TALLY_MAX_CONTRIBUTORS),
	LIMIT(max_ranks, 1, TALLY_MAX_RANKS),
	LIMIT(max_sq_depth, 2, TALLY_MAX_SQ_DEPTH, .power_of_two = true),
	LIMIT(max_cq_depth, 1, TALLY_MAX_CQ_DEPTH, .power_of_two = true),
	LIMIT(max_inline, 0, TALLY_MAX_INLINE),
	LIMIT(opcodes, 1, U32_MAX),
	LIMIT(max_sge, 1, TALLY_MAX_SGE),
	LIMIT(mtu, 256, TALLY_MAX_MTU, .power_of_two = true),
	LIMIT(max_message, 0, U32_MAX),
	LIMIT(link_mbps, 0, U32_MAX),
	LIMIT(clock_khz, 1, U32_MAX),
};

static int ident_check_version(struct tally_pf *pf, const char *block, u32 found, u32 known)
{
	if (found == known)
		return 0;
	dev_err(pf_dev(pf), "%s has version %u, this driver knows version %u: device refused\n",
		block, found, known);
	return -EINVAL;
}

static int ident_take_versions(struct tally_pf *pf, const struct tally_ident *ident,
			       struct tally_caps *caps)
{
	int err;

	caps->abi_version = le32_to_cpu(ident->abi_version);
	caps->engine_version = le32_to_cpu(ident->engine_version);
	caps->wire_version = le32_to_cpu(ident->wire_version);
	err = ident_check_version(pf, "block abi (BAR2, admin queue, rings)", caps->abi_version,
				  TALLY_ABI_VERSION);
	if (err)
		return err;
	err = ident_check_version(pf, "block engine (work requests, completions)",
				  caps->engine_version, TALLY_ENGINE_VERSION);
	if (err)
		return err;
	return ident_check_version(pf, "block wire (collective header)", caps->wire_version,
				   TALLY_WIRE_VERSION);
}

static int ident_take_limits(struct tally_pf *pf, const struct tally_ident *ident,
			     struct tally_caps *caps)
{
	const struct limit *l;

	for (l = limits; l < limits + ARRAY_SIZE(limits); l++) {
		u32 value = le32_to_cpu(*(const __le32 *)((const u8 *)ident + l->from));

		if (value < l->min || value > l->max ||
		    (l->power_of_two && !is_power_of_2(value))) {
			dev_err(pf_dev(pf),
				"identification page: %s is %u, not %s%u to %u: device refused\n",
				l->name, value, l->power_of_two ? "a power of two from " : "from ",
				l->min, l->max);
			return -EINVAL;
		}
		*(u32 *)((u8 *)caps + l->to) = value;
	}
	return 0;
}

static int ident_check_sizes(struct tally_pf *pf, const struct tally_caps *caps)
{
	u64 used = TALLY_BAR_UAR_OFFSET + (u64)caps->num_uars * TALLY_PAGE_SIZE;
	u64 have = pci_resource_len(pf->pub.pdev, 2);

	if (caps->caps & TALLY_CAP_PUSH)
		used = TALLY_BAR_PUSH_OFFSET + (u64)caps->num_uars * TALLY_PUSH_SIZE;
	if (used > caps->bar_size || caps->bar_size > have) {
		dev_err(pf_dev(pf),
			"identification page: %u UARs need %llu bytes, bar_size is %u, BAR2 has %llu: device refused\n",
			caps->num_uars, used, caps->bar_size, have);
		return -EINVAL;
	}
	return 0;
}

static int ident_take_identity(struct tally_pf *pf, const struct tally_ident *ident,
			       struct tally_caps *caps)
{
	caps->caps = le64_to_cpu(ident->caps);
	caps->engine_kind = le32_to_cpu(ident->engine_kind);
	caps->guid = le64_to_cpu(ident->guid);
	ether_addr_copy(caps->mac, ident->mac);
	if (!is_valid_ether_addr(caps->mac)) {
		dev_err(pf_dev(pf), "identification page: %pM is not a unicast MAC address: device refused\n",
			caps->mac);
		return -EINVAL;
	}
	return 0;
}

/* Checks and converts the fields of the page that the driver uses. */
static int ident_take(struct tally_pf *pf, const struct tally_ident *ident, struct tally_caps *caps)
{
	int err;

	err = ident_take_versions(pf, ident, caps);
	if (err)
		return err;
	err = ident_take_limits(pf, ident, caps);
	if (err)
		return err;
	err = ident_take_identity(pf, ident, caps);
	if (err)
		return err;
	return ident_check_sizes(pf, caps);
}

/* Reads and checks the page as it is now. Return values are those of tally_read_ident(). */
static int ident_read_page(struct tally_pf *pf, struct tally_caps *caps)
{
	struct tally_ident *ident;
	int err;

	if (pci_resource_len(pf->pub.pdev, 2) < sizeof(*ident) ||
	    readq(&pf_ident(pf)->magic) != TALLY_MAGIC) {
		dev_dbg(pf_dev(pf), "BAR2 does not identify a Tally device: left alone\n");
		return -ENODEV;
	}
	ident = kmalloc(sizeof(*ident), GFP_KERNEL);
	if (!ident)
		return -ENOMEM;
	memcpy_fromio(ident, pf_ident(pf), sizeof(*ident));
	memset(caps, 0, sizeof(*caps));
	err = ident_take(pf, ident, caps);
	if (!err)
		WRITE_ONCE(pf->pub.link_up, ident->port_state == 1);
	kfree(ident);
	return err;
}

/* Compares the page with the first one, and logs the first difference. */
static int ident_compare(struct tally_pf *pf, const struct tally_caps *is)
{
	const struct tally_caps *was = &pf->pub.caps;
	const struct limit *l;

	for (l = limits; l < limits + ARRAY_SIZE(limits); l++) {
		u32 a = *(const u32 *)((const u8 *)was + l->to);
		u32 b = *(const u32 *)((const u8 *)is + l->to);

		if (a != b) {
			dev_err(pf_dev(pf), "device came back with %s %u, it was %u\n", l->name, b,
				a);
			return -ENODEV;
		}
	}
	if (was->guid == is->guid && was->caps == is->caps && ether_addr_equal(was->mac, is->mac))
		return 0;
	dev_err(pf_dev(pf), "device came back as %#llx (%pM, caps %#llx), it was %#llx (%pM, %#llx)\n",
		is->guid, is->mac, is->caps, was->guid, was->mac, was->caps);
	return -ENODEV;
}

/**
 * tally_check_ident() - Read the identification page again and compare it with the first one.
 * @pf: device, TALLY_PF_QUIET
 *
 * Structures that depend on the page were allocated by the first one, and may be in use meanwhile.
 * Therefore only the state of the port may have changed.
 *
 * Return: 0; -ENODEV, which is logged, if it is another device now; otherwise as
 * tally_read_ident().
 */
int tally_check_ident(struct tally_pf *pf)
{
	struct tally_caps now;
	int err;

	err = ident_read_page(pf, &now);
	return err ? err : ident_compare(pf, &now);
}

/**
 * tally_read_ident() - Read and check the identification page for the first time.
 * @pf: device with BAR2 mapped, not visible to others yet
 *
 * Return: 0; -ENODEV, which is not logged, if this is not a Tally device; another negative errno,
 * which is logged, if this driver does not support the device.
 */
int tally_read_ident(struct tally_pf *pf)
{
	return ident_read_page(pf, &pf->pub.caps);
}
