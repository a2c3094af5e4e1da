/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Conversion of structures of programs that were compiled against another version of
 * <infiniband/tallydv.h>, whose structures are shorter or longer than those of this library.
 */
#ifndef TALLY_VERSIONS_H
#define TALLY_VERSIONS_H

#include <stddef.h>

/*
 * Fill in a program's structure of `size` bytes from the library's structure of `known` bytes.
 * Members that the library does not know become 0. EINVAL: `size` is below `least`, the size of the
 * first version.
 */
int tally_copy_out(void *to, size_t size, const void *from, size_t known, size_t least);

/*
 * Copy a program's structure to the library's. Members that the program does not know become 0.
 * EINVAL: the structure is shorter than its first version; EOPNOTSUPP: a member that the library
 * does not know is not 0.
 */
int tally_copy_in(void *to, size_t known, const void *from, size_t size, size_t least);

#endif
