/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Structures of programs that were compiled against another version of <infiniband/tallydv.h>: they
 * are shorter or longer than this library's.
 */
#ifndef TALLY_GROW_H
#define TALLY_GROW_H

#include <stddef.h>

/*
 * Fill in a program's structure of `size` bytes from the library's, of `known` bytes: what the
 * library does not know is 0. EINVAL: shorter than `least`, its first version.
 */
int tally_give(void *to, size_t size, const void *from, size_t known, size_t least);

/*
 * Take a program's structure into the library's: what the program does not know is 0. EINVAL: it is
 * shorter than its first version; EOPNOTSUPP: the program says what the library does not know.
 */
int tally_take(void *to, size_t known, const void *from, size_t size, size_t least);

#endif
