/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Text format of values in debugfs, see docs/debugfs.md. */
#ifndef TALLY_DEBUGFS_TEXT_H
#define TALLY_DEBUGFS_TEXT_H

#include <linux/seq_file.h>

#include "core/owner.h"

/**
 * struct bit_name - Name of a bit.
 * @bit: the bit
 * @name: its name
 */
struct bit_name {
	u64 bit;
	const char *name;
};

void tally_put(struct seq_file *m, const char *key, const char * const *names, size_t count,
	       unsigned int value);
void tally_put_bits(struct seq_file *m, const char *key, const struct bit_name *names,
		    size_t count, u64 bits);
void tally_put_owner(struct seq_file *m, const struct tally_owner *owner);

/* Write a value, or bits, by a complete table of names. */
#define put_name(m, key, names, value) tally_put(m, key, names, ARRAY_SIZE(names), value)
#define put_bit_names(m, key, names, bits) tally_put_bits(m, key, names, ARRAY_SIZE(names), bits)

#endif
