/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A process that calls methods of uverbs objects. The test includes this file before the source
 * under test. Attributes are memory of the test, with the lengths that it chooses. Copies to them
 * are cut to these lengths, as in the core. Any copy and any allocation can fail.
 */
#ifndef TALLY_FAKE_UVERBS_H
#define TALLY_FAKE_UVERBS_H

#define UVERBS_MODULE_NAME tally_ib
#include <rdma/uverbs_named_ioctl.h>

#include "fake_user.h"

#define FAKE_NUM_ATTRS 8

/* Initial value of the bytes of an attribute, which shows whether it was written. */
#define FAKE_UNWRITTEN 0xa5

/**
 * struct fake_attr - An attribute of a call.
 * @data: memory of the process, or the object that the attribute names; NULL: absent
 * @len: bytes of the memory
 * @fails: copying fails, or the object does not exist
 */
struct fake_attr {
	void *data;
	size_t len;
	bool fails;
};

/**
 * struct fake_call - A call of a method.
 * @test: test that makes the call
 * @attrs: attributes, by their order
 * @uobject: object that the call creates
 * @finalized: the handler has declared that the object exists
 * @no_memory: number of the allocation that fails, from 1; 0: none
 */
struct fake_call {
	struct kunit *test;
	struct fake_attr attrs[FAKE_NUM_ATTRS];
	struct ib_uobject uobject;
	bool finalized;
	int no_memory;
};

static struct fake_call call;

static inline struct fake_attr *fake_attr(u16 id)
{
	return &call.attrs[id & (BIT(UVERBS_ID_NS_SHIFT) - 1)];
}

/* Sets an attribute of the next call. */
static inline void fake_attr_set(u16 id, void *data, size_t len)
{
	*fake_attr(id) = (struct fake_attr){ .data = data, .len = len };
}

static inline void *fake_attr_obj(u16 id)
{
	const struct fake_attr *attr = fake_attr(id);

	return attr->data && !attr->fails ? attr->data : ERR_PTR(-ENOENT);
}

static inline int fake_attr_len(u16 id)
{
	return fake_attr(id)->data ? fake_attr(id)->len : -ENOENT;
}

static inline int fake_attr_array_size(u16 id, size_t size)
{
	int len = fake_attr_len(id);

	if (len < 0)
		return len;
	return len % size ? -EINVAL : len / size;
}

static inline int fake_attr_read(void *to, u16 id, size_t size, bool or_zero)
{
	const struct fake_attr *attr = fake_attr(id);

	if (!attr->data)
		return -ENOENT;
	if (attr->fails)
		return -EFAULT;
	if (!or_zero && size != attr->len)
		return -EINVAL;
	memset(to, 0, size);
	memcpy(to, attr->data, min(size, attr->len));
	return 0;
}

static inline int fake_attr_write(u16 id, const void *from, size_t size, bool or_zero)
{
	const struct fake_attr *attr = fake_attr(id);

	if (!attr->data)
		return -ENOENT;
	if (attr->fails)
		return -EFAULT;
	if (or_zero)
		memset(attr->data, 0, attr->len);
	memcpy(attr->data, from, min(size, attr->len));
	return 0;
}

static inline bool fake_has_memory(void)
{
	return !call.no_memory || --call.no_memory;
}

/* Allocates memory that lives as long as the call; here, as long as the test. */
static inline void *fake_attrs_alloc(size_t size)
{
	void *buf = fake_has_memory() ? kunit_kzalloc(call.test, size, GFP_KERNEL) : NULL;

	return buf ?: ERR_PTR(-ENOMEM);
}

static inline void *fake_kzalloc(size_t size)
{
	return fake_has_memory() ? kzalloc(size, GFP_KERNEL) : NULL;
}

#define uverbs_attr_get_uobject(attrs, id) (&call.uobject)
#define uverbs_attr_get_obj(attrs, id) fake_attr_obj(id)
#define uverbs_attr_is_valid(attrs, id) (!!fake_attr(id)->data)
#define uverbs_attr_get_len(attrs, id) fake_attr_len(id)
#define uverbs_attr_ptr_get_array_size(attrs, id, size) fake_attr_array_size(id, size)
#define uverbs_attr_get_alloced_ptr(attrs, id) fake_attr(id)->data
#define _uverbs_copy_from(to, attrs, id, size) fake_attr_read(to, id, size, false)
#define _uverbs_copy_from_or_zero(to, attrs, id, size) fake_attr_read(to, id, size, true)
#define uverbs_copy_to(attrs, id, from, size) fake_attr_write(id, from, size, false)
#define uverbs_copy_to_struct_or_zero(attrs, id, from, size) fake_attr_write(id, from, size, true)
#define uverbs_zalloc(attrs, size) fake_attrs_alloc(size)
#define uverbs_kcalloc(attrs, n, size) fake_attrs_alloc(array_size(n, size))
#define uverbs_finalize_uobj_create(attrs, id) (call.finalized = true)
#undef kzalloc
#define kzalloc(size, gfp) fake_kzalloc(size)
#undef kcalloc
#define kcalloc(n, size, gfp) fake_kzalloc(array_size(n, size))
#define xa_alloc(...) (fake_has_memory() ? xa_alloc(__VA_ARGS__) : -ENOMEM)

static inline void fake_call_init(struct kunit *test)
{
	call = (struct fake_call){
		.test = test,
		.uobject.context = &user.ctx.ibucontext,
	};
}

static int fake_uverbs_init(struct kunit *test)
{
	fake_user_init(test);
	fake_call_init(test);
	return 0;
}

/*
 * Executes a call that creates an object. If the handler fails after it has finalized the object,
 * the object is destroyed, as in the core. If the handler fails before, there is no object.
 */
static inline int fake_call_new(int (*handler)(struct uverbs_attr_bundle *attrs),
				int (*destroy)(struct ib_uobject *uobject,
					       enum rdma_remove_reason why,
					       struct uverbs_attr_bundle *attrs))
{
	int err;

	call.finalized = false;
	call.uobject.object = NULL;
	err = handler(user.attrs);
	KUNIT_EXPECT_TRUE(call.test, err || call.finalized);
	if (err && call.finalized)
		KUNIT_EXPECT_EQ(call.test, destroy(&call.uobject, RDMA_REMOVE_ABORT, user.attrs), 0);
	return err;
}

#endif
