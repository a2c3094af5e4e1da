// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * More methods of the uverbs object of a group: reset to the next epoch, and queries of its lists.
 */
#define UVERBS_MODULE_NAME tally_ib
#include <rdma/uverbs_named_ioctl.h>

#include "ib.h"
#include "uabi.h"

/* ---- Reset ---- */

static const char *query_why_no_reset(int err)
{
	switch (err) {
	case -EBUSY:
		return "its epoch has not ended";
	case -EOWNERDEAD:
		return "a rank has left";
	case -EINVAL:
		return "which does not come after the last one";
	default:
		return "the device refuses";
	}
}

static int UVERBS_HANDLER(TALLY_METHOD_GROUP_RESET)(struct uverbs_attr_bundle *attrs)
{
	struct tally_ib_group *group = uverbs_attr_get_obj(attrs, TALLY_ATTR_GROUP_RESET_HANDLE);
	u32 epoch;
	int err;

	if (IS_ERR(group))
		return PTR_ERR(group);
	err = uverbs_copy_from(&epoch, attrs, TALLY_ATTR_GROUP_RESET_EPOCH);
	if (err)
		return err;
	err = tally_group_reset(group->handle, epoch);
	if (err)
		return tally_refuse(attrs->context->device, err,
				    "group %#x: cannot be reset to epoch %#x, %s",
				    le32_to_cpu(tally_group_handle_cfg(group->handle)->jid), epoch,
				    query_why_no_reset(err));
	return 0;
}

/* ---- Lists ---- */

/**
 * struct list_kind - A kind of list.
 * @raw: bytes of the device's entry
 * @entry: bytes of the process's entry in its first version
 * @convert: converts an entry of the device to one of the process
 */
struct list_kind {
	size_t raw;
	size_t entry;
	void (*convert)(void *to, const void *from);
};

/*
 * Copies as many entries as the process has room for, each with the length that the process
 * expects, and the number of existing entries.
 */
static int query_respond_list(struct uverbs_attr_bundle *attrs, const struct list_kind *kind,
			      const void *list, u32 count)
{
	int len = uverbs_attr_get_len(attrs, TALLY_ATTR_GROUP_QUERY_LIST_RESP_LIST);
	u32 size, num, i;
	void *buf;
	int err;

	err = uverbs_copy_from(&size, attrs, TALLY_ATTR_GROUP_QUERY_LIST_ENTRY_SIZE);
	if (err)
		return err;
	if (len < 0)
		return len;
	if (size < kind->entry || size > len || !IS_ALIGNED(size, sizeof(u64)))
		return tally_refuse(attrs->context->device, -EINVAL,
				    "list of %d bytes with entries of %u, which have at least %zu",
				    len, size, kind->entry);
	num = min_t(u32, len / size, count);
	buf = uverbs_zalloc(attrs, num * size);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	for (i = 0; i < num; i++)
		kind->convert(buf + i * size, list + i * kind->raw);
	err = uverbs_copy_to(attrs, TALLY_ATTR_GROUP_QUERY_LIST_RESP_LIST, buf, num * size);
	if (err)
		return err;
	return uverbs_copy_to(attrs, TALLY_ATTR_GROUP_QUERY_LIST_RESP_COUNT, &count,
			      sizeof(count));
}

static const struct list_kind edge_kind = {
	.raw = sizeof(struct tally_edge_info),
	.entry = sizeof(struct tally_uresp_edge),
	.convert = tally_edge_to_user,
};

static const struct list_kind seg_kind = {
	.raw = sizeof(struct tally_seg_info),
	.entry = sizeof(struct tally_uresp_seg),
	.convert = tally_seg_to_user,
};

static const struct list_kind arrival_kind = {
	.raw = sizeof(struct tally_arrival),
	.entry = sizeof(struct tally_uresp_arrival),
	.convert = tally_arrival_to_user,
};

static struct tally_group_handle *query_get_handle(struct uverbs_attr_bundle *attrs)
{
	struct tally_ib_group *group =
		uverbs_attr_get_obj(attrs, TALLY_ATTR_GROUP_QUERY_LIST_HANDLE);

	return IS_ERR(group) ? ERR_CAST(group) : group->handle;
}

static int UVERBS_HANDLER(TALLY_METHOD_GROUP_QUERY_EDGES)(struct uverbs_attr_bundle *attrs)
{
	struct tally_group_handle *handle = query_get_handle(attrs);
	struct tally_edge_info *edges;
	u32 count = 0, i;
	int err;

	if (IS_ERR(handle))
		return PTR_ERR(handle);
	edges = kcalloc(TALLY_MAX_CONTRIBUTORS + 1, sizeof(*edges), GFP_KERNEL);
	if (!edges)
		return -ENOMEM;
	err = tally_group_query_edges(handle, edges);
	for (i = 0; !err && i <= TALLY_MAX_CONTRIBUTORS; i++)
		if (edges[i].state != TALLY_EDGE_NONE)
			edges[count++] = edges[i];
	if (!err)
		err = query_respond_list(attrs, &edge_kind, edges, count);
	kfree(edges);
	return err;
}

static int UVERBS_HANDLER(TALLY_METHOD_GROUP_QUERY_SEGS)(struct uverbs_attr_bundle *attrs)
{
	struct tally_group_handle *handle = query_get_handle(attrs);
	struct tally_seg_info *segs;
	u32 count;
	int err;

	if (IS_ERR(handle))
		return PTR_ERR(handle);
	count = tally_group_segs(tally_group_handle_cfg(handle));
	segs = kcalloc(count, sizeof(*segs), GFP_KERNEL);
	if (!segs)
		return -ENOMEM;
	err = tally_group_query_segs(handle, segs);
	if (!err)
		err = query_respond_list(attrs, &seg_kind, segs, count);
	kfree(segs);
	return err;
}

static int UVERBS_HANDLER(TALLY_METHOD_GROUP_QUERY_ARRIVALS)(struct uverbs_attr_bundle *attrs)
{
	struct tally_group_handle *handle = query_get_handle(attrs);
	struct tally_arrival arrivals[TALLY_NUM_ARRIVALS];
	u32 count = 0;
	int err;

	if (IS_ERR(handle))
		return PTR_ERR(handle);
	err = tally_group_query_arrivals(handle, arrivals);
	if (err)
		return err;
	while (count < TALLY_NUM_ARRIVALS && arrivals[count].opcode)
		count++;
	return query_respond_list(attrs, &arrival_kind, arrivals, count);
}

/* ---- Declarations ---- */

DECLARE_UVERBS_NAMED_METHOD(
	TALLY_METHOD_GROUP_RESET,
	UVERBS_ATTR_IDR(TALLY_ATTR_GROUP_RESET_HANDLE, TALLY_OBJECT_GROUP, UVERBS_ACCESS_READ,
			UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(TALLY_ATTR_GROUP_RESET_EPOCH, UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

#define DECLARE_LIST_METHOD(method, type) \
	DECLARE_UVERBS_NAMED_METHOD( \
		method, \
		UVERBS_ATTR_IDR(TALLY_ATTR_GROUP_QUERY_LIST_HANDLE, TALLY_OBJECT_GROUP, \
				UVERBS_ACCESS_READ, UA_MANDATORY), \
		UVERBS_ATTR_PTR_IN(TALLY_ATTR_GROUP_QUERY_LIST_ENTRY_SIZE, UVERBS_ATTR_TYPE(u32), \
				   UA_MANDATORY), \
		UVERBS_ATTR_PTR_OUT(TALLY_ATTR_GROUP_QUERY_LIST_RESP_LIST, \
				    UVERBS_ATTR_MIN_SIZE(sizeof(struct type)), UA_MANDATORY), \
		UVERBS_ATTR_PTR_OUT(TALLY_ATTR_GROUP_QUERY_LIST_RESP_COUNT, \
				    UVERBS_ATTR_TYPE(u32), UA_MANDATORY))

DECLARE_LIST_METHOD(TALLY_METHOD_GROUP_QUERY_EDGES, tally_uresp_edge);
DECLARE_LIST_METHOD(TALLY_METHOD_GROUP_QUERY_SEGS, tally_uresp_seg);
DECLARE_LIST_METHOD(TALLY_METHOD_GROUP_QUERY_ARRIVALS, tally_uresp_arrival);

ADD_UVERBS_METHODS(tally_group_queries, TALLY_OBJECT_GROUP,
		   &UVERBS_METHOD(TALLY_METHOD_GROUP_RESET),
		   &UVERBS_METHOD(TALLY_METHOD_GROUP_QUERY_EDGES),
		   &UVERBS_METHOD(TALLY_METHOD_GROUP_QUERY_SEGS),
		   &UVERBS_METHOD(TALLY_METHOD_GROUP_QUERY_ARRIVALS));

const struct uapi_definition tally_group_query_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(TALLY_OBJECT_GROUP, &tally_group_queries),
	{},
};
