/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ident PCI FIELD VALUE: overwrites a field of the identification page of the function PCI, which
 * is memory in BAR2, and prints the old value. No driver may be bound.
 */
#include <endian.h>
#include <fcntl.h>
#include <stddef.h>
#include "gen/tally_hw.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

#include "check.h"

#define FIELD(name) { #name, offsetof(struct tally_ident, name), sizeof(((struct tally_ident *)0)->name) }

static const struct field {
	const char *name;
	size_t offset, size;
} fields[] = {
	FIELD(magic), FIELD(abi_version), FIELD(engine_version), FIELD(wire_version),
	FIELD(bar_size), FIELD(max_qp),   FIELD(mtu),
};

static const struct field *find(const char *name)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!strcmp(fields[i].name, name))
			return &fields[i];
	REQUIRE(false, "%s: no such field", name);
	return NULL;
}

int main(int argc, char **argv)
{
	char path[256];
	const struct field *f;
	uint64_t was = 0, value;
	uint8_t *bar;
	int fd;

	REQUIRE(argc == 4, "usage: ident PCI FIELD VALUE");
	f = find(argv[2]);
	value = htole64(strtoull(argv[3], NULL, 0));
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource2", argv[1]);
	fd = open(path, O_RDWR);
	REQUIRE(fd >= 0, "%s", path);
	bar = mmap(NULL, TALLY_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		   TALLY_BAR_IDENT_OFFSET);
	REQUIRE(bar != MAP_FAILED, "%s", path);
	memcpy(&was, bar + f->offset, f->size);
	memcpy(bar + f->offset, &value, f->size);
	printf("%#lx\n", le64toh(was));
	return 0;
}
