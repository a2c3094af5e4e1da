/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* How values are written in debugfs, which docs/debugfs.md describes. */
#ifndef TALLY_DEBUGFS_TEXT_H
#define TALLY_DEBUGFS_TEXT_H

#include <linux/seq_file.h>

#include "core/owner.h"

/**
 * struct bit_name - A bit and its name.
 * @bit: the bit
 * @name: name
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

/* The same with a whole table of names. */
#define put_name(m, key, names, value) tally_put(m, key, names, ARRAY_SIZE(names), value)
#define put_bit_names(m, key, names, bits) tally_put_bits(m, key, names, ARRAY_SIZE(names), bits)

#endif
