// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The BAR of the fake device. On UML, readl() and similar functions work only on emulated devices,
 * so the BAR is one there, and a plain access to it faults. On other architectures it is plain
 * memory.
 */
#include <linux/io.h>

#include "fake.h"

#ifdef CONFIG_INDIRECT_IOMEM
#include <linux/logic_iomem.h>

/* Far above all memory of UML. */
static struct resource fake_region =
	DEFINE_RES_MEM_NAMED(0x7a11000000, TALLY_BAR_SIZE, "tally_test");
static bool registered;
/* Memory of the next BAR to map; tests run one after the other. */
static void *next_bar;

static bool in_bar(unsigned int offset, int size)
{
	return !WARN_ON(size < 0 || size > TALLY_BAR_SIZE || offset > TALLY_BAR_SIZE - size);
}

static unsigned long bar_read(void *bar, unsigned int offset, int size)
{
	if (!in_bar(offset, size) || WARN_ON(!IS_ALIGNED(offset, size)))
		return ~0UL;
	switch (size) {
	case 1:
		return READ_ONCE(*(u8 *)(bar + offset));
	case 2:
		return READ_ONCE(*(u16 *)(bar + offset));
	case 4:
		return READ_ONCE(*(u32 *)(bar + offset));
	default:
		return READ_ONCE(*(u64 *)(bar + offset));
	}
}

static void bar_write(void *bar, unsigned int offset, int size, unsigned long value)
{
	if (!in_bar(offset, size) || WARN_ON(!IS_ALIGNED(offset, size)))
		return;
	switch (size) {
	case 1:
		WRITE_ONCE(*(u8 *)(bar + offset), value);
		break;
	case 2:
		WRITE_ONCE(*(u16 *)(bar + offset), value);
		break;
	case 4:
		WRITE_ONCE(*(u32 *)(bar + offset), value);
		break;
	default:
		WRITE_ONCE(*(u64 *)(bar + offset), value);
	}
}

static void bar_set(void *bar, unsigned int offset, u8 value, int size)
{
	if (in_bar(offset, size))
		memset(bar + offset, value, size);
}

static void bar_copy_from(void *bar, void *buffer, unsigned int offset, int size)
{
	if (in_bar(offset, size))
		memcpy(buffer, bar + offset, size);
}

static const struct logic_iomem_ops bar_ops = {
	.read = bar_read,
	.write = bar_write,
	.set = bar_set,
	.copy_from = bar_copy_from,
};

static long bar_map(unsigned long offset, size_t size, const struct logic_iomem_ops **ops,
		    void **priv)
{
	*ops = &bar_ops;
	*priv = next_bar;
	return offset;
}

static const struct logic_iomem_region_ops region_ops = { .map = bar_map };

void __iomem *tally_fake_map(void *bar)
{
	if (!registered && logic_iomem_add_region(&fake_region, &region_ops))
		return NULL;
	registered = true;
	next_bar = bar;
	return ioremap(fake_region.start, TALLY_BAR_SIZE);
}

void tally_fake_unmap(void __iomem *addr)
{
	iounmap(addr);
}
#else
void __iomem *tally_fake_map(void *bar)
{
	return (void __iomem __force *)bar;
}

void tally_fake_unmap(void __iomem *addr)
{
}
#endif
