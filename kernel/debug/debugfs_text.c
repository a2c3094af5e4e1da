// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Text format of values in debugfs. */
#include "core/owner.h"
#include "debugfs_text.h"

/**
 * tally_put() - Write a value by its name, or as a number if it has no name.
 * @m: file
 * @key: key
 * @names: names by value; NULL: value without a name
 * @count: number of names
 * @value: the value
 */
void tally_put(struct seq_file *m, const char *key, const char * const *names, size_t count,
	       unsigned int value)
{
	if (value < count && names[value])
		seq_printf(m, " %s=%s", key, names[value]);
	else
		seq_printf(m, " %s=%u", key, value);
}

/**
 * tally_put_bits() - Write the names of all set bits that have a name.
 * @m: file
 * @key: key
 * @names: bits with names
 * @count: number of names
 * @bits: the bits
 */
void tally_put_bits(struct seq_file *m, const char *key, const struct bit_name *names,
		    size_t count, u64 bits)
{
	const char *separator = "";
	size_t i;

	seq_printf(m, " %s=", key);
	for (i = 0; i < count; i++) {
		if (!(bits & names[i].bit))
			continue;
		seq_printf(m, "%s%s", separator, names[i].name);
		separator = ",";
	}
	if (!*separator)
		seq_putc(m, '-');
}

/**
 * tally_put_owner() - Write the creator of an object.
 * @m: file
 * @owner: creator
 */
void tally_put_owner(struct seq_file *m, const struct tally_owner *owner)
{
	seq_printf(m, " pid=%d comm=", owner->pid);
	seq_escape(m, owner->comm, " \t\n\\=");
}
