// SPDX-License-Identifier: BSD-2-Clause
/*
 * A module of planted bugs, one for each load (bug=NAME), to test whether the kernel finds them.
 * Loading always fails, so that the module can be loaded again.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

static char *bug = "";
module_param(bug, charp, 0);

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);
static DEFINE_SPINLOCK(atomic);
static int places = 40;
static int result;

static void use_after_free(void)
{
	int *memory = kmalloc(64, GFP_KERNEL);

	if (!memory)
		return;
	kfree(memory);
	result = READ_ONCE(memory[1]);
}

static void lock_order(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);
	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

static void sleep_in_atomic(void)
{
	spin_lock(&atomic);
	mutex_lock(&first);
	mutex_unlock(&first);
	spin_unlock(&atomic);
}

static void shift(void)
{
	result = 1 << READ_ONCE(places);
}

/* Several leaks, because a stale word on a stack may hide one from kmemleak. */
static void leak(void)
{
	int i;

	for (i = 0; i < 16; i++)
		result += kmalloc(64, GFP_KERNEL) ? 1 : 0;
}

static void dma_size(void)
{
	struct platform_device *device = platform_device_register_simple("planted", -1, NULL, 0);
	void *memory = kmalloc(256, GFP_KERNEL);
	dma_addr_t address;

	if (!IS_ERR(device) && memory && !dma_coerce_mask_and_coherent(&device->dev, DMA_BIT_MASK(64))) {
		address = dma_map_single(&device->dev, memory, 256, DMA_FROM_DEVICE);
		dma_unmap_single(&device->dev, address, 128, DMA_FROM_DEVICE);
	}
	kfree(memory);
	if (!IS_ERR(device))
		platform_device_unregister(device);
}

/* Not a bug: the allocation is made to fail, and the failure is handled. */
static int failing_allocation(void)
{
	void *memory;

	current->fail_nth = 1;
	memory = kmalloc(64, GFP_KERNEL);
	current->fail_nth = 0;
	kfree(memory);
	return memory ? -EEXIST : -ENOMEM;
}

static int __init planted_init(void)
{
	static const struct {
		const char *name;
		void (*plant)(void);
	} bugs[] = {
		{ "use-after-free", use_after_free }, { "lock-order", lock_order },
		{ "sleep-in-atomic", sleep_in_atomic }, { "shift", shift }, { "leak", leak }, { "dma-size", dma_size },
	};
	int i;

	if (!strcmp(bug, "failing-allocation"))
		return failing_allocation();
	for (i = 0; i < ARRAY_SIZE(bugs); i++) {
		if (!strcmp(bug, bugs[i].name)) {
			bugs[i].plant();
			return -ECANCELED;
		}
	}
	return -EINVAL;
}
module_init(planted_init);

MODULE_DESCRIPTION("Planted mistakes");
MODULE_LICENSE("Dual BSD/GPL");
