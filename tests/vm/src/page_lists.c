/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page lists of memory regions: registering a scattered buffer many times takes kernel memory, and
 * all of it is freed with the regions.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "cluster.h"

#define BYTES (32UL << 20)
#define REGIONS 64
#define LIST_KB (BYTES / 4096 * 8 / 1024) /* KiB of the lowest level of a region's list */
/*
 * Margin for the free pages that each CPU caches, about a MiB in the lab's guests, which MemFree
 * does not count.
 */
#define NOISE_KB ((long)(REGIONS * LIST_KB) / 2)

static struct cluster cluster;
static struct ibv_mr *mrs[REGIONS];

static long free_kb(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	char line[128];
	long kb = -1;

	REQUIRE(f, "/proc/meminfo");
	while (kb < 0 && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemFree: %ld kB", &kb) != 1)
			kb = -1;
	fclose(f);
	REQUIRE(kb >= 0, "/proc/meminfo says nothing of free memory");
	return kb;
}

/* Returns pages that are not adjacent in physical memory: every second page is touched first. */
static void *scattered_buffer(void)
{
	long page = sysconf(_SC_PAGESIZE);
	uint8_t *buf = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	REQUIRE(buf != MAP_FAILED, "memory");
	madvise(buf, BYTES, MADV_NOHUGEPAGE);
	for (unsigned int odd = 0; odd < 2; odd++)
		for (size_t at = odd * page; at < BYTES; at += 2 * page)
			buf[at] = 1;
	return buf;
}

static void register_all(struct nic *nic, void *buf, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		mrs[i] = ibv_reg_mr(nic->pd, buf, BYTES, IBV_ACCESS_LOCAL_WRITE);
		REQUIRE(mrs[i], "region %u", i);
	}
}

static void deregister_all(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		REQUIRE(!ibv_dereg_mr(mrs[i]), "region %u", i);
}

static void expect_limit(struct nic *nic, void *buf)
{
	struct ibv_device_attr attr;

	REQUIRE(!ibv_query_device(nic->context, &attr), "device");
	REQUIRE(attr.max_mr_size == 1ULL << 39, "max_mr_size %#jx", (uintmax_t)attr.max_mr_size);
	errno = 0;
	REQUIRE(!ibv_reg_mr(nic->pd, buf, attr.max_mr_size + 1, 0) && errno == EINVAL,
		"a region larger than any list: %s", strerror(errno));
}

int main(void)
{
	void *buf = scattered_buffer();
	long before, during, after;
	struct nic *nic;

	cluster_open(&cluster);
	nic = &cluster.nic[0];
	expect_limit(nic, buf);
	register_all(nic, buf, 1);
	deregister_all(1);
	before = free_kb();
	register_all(nic, buf, REGIONS);
	during = free_kb();
	deregister_all(REGIONS);
	after = free_kb();
	printf("free: %ld kB before, %ld kB with %d regions, %ld kB after\n", before, during, REGIONS,
	       after);
	REQUIRE(before - during > NOISE_KB, "the lists take no memory");
	REQUIRE(before - after < NOISE_KB, "memory of the lists has not come back");
	cluster_close(&cluster);
	return 0;
}
